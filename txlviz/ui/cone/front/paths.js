// Paths from a node up to the selected one. Who sees whom comes from the models' masks: a query sees data.sees[it] up to itself.

function sees(data, query, key) {
  return key <= query && data.sees[query - data.first] <= key;
}

/** Every node on a path from (row, place) up to the selected node: a set of columns for each row; null where there is none. */
function between(data, row, place) {
  const top = data.reach.length - 1;
  if (data.reach[row]?.[place - data.first] !== "1") return null;
  const up = [];
  let now = new Set([place]);
  for (let n = row; n <= top; n++) {
    up[n] = [...now].filter((one) => data.reach[n][one - data.first] === "1");
    now = above(data, up[n]);
  }
  return up;
}

/** The places whose queries see one of the places. */
function above(data, places) {
  const sum = [0]; // how many of the places stand before each column
  const held = new Set(places);
  data.tokens.forEach((_, at) => sum.push(sum[at] + held.has(at + data.first)));
  const made = new Set();
  data.tokens.forEach((_, at) => {
    const from = Math.max(0, data.sees[at] - data.first);
    if (sum[at + 1] - sum[from] > 0) made.add(at + data.first);
  });
  return made;
}

/** One path from a node up to the selected one: as late as possible in each row, and the selected node at the top. */
function chain(data, row, place) {
  const top = data.reach.length - 1;
  if (data.reach[row]?.[place - data.first] !== "1") return [];
  const made = [[row, place]];
  for (let n = row + 1; n <= top; n++) {
    let at = data.selected;
    while (n < top && !sees(data, at, made.at(-1)[1])) at -= 1;
    made.push([n, at]);
  }
  return made;
}

/** The furthest reached place in the row of the embeddings, or null. */
function furthest(data) {
  const at = data.reach[0].indexOf("1");
  return at < 0 ? null : at + data.first;
}
