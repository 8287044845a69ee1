// What the numbers say of a step: in words, in the table, and of one row.

const number = (value) => value.toLocaleString("en");

/** "{name}" in a string of the page's text becomes a value. */
function say(view, key, values = {}) {
  return view.data.words[key].replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

function stepOf(view, index = view.step) {
  const [start, stop, firstRead, firstKept] = view.data.steps[index];
  const dropped = Math.min(firstKept, start) - firstRead;
  return { index, start, stop, firstRead, firstKept, dropped, read: start - firstRead, kept: stop - firstKept, added: stop - Math.max(firstKept, start) };
}

/** The segment, from 0, in which a place stands. */
function segmentOf(view, place) {
  const { steps } = view.data;
  let low = 0, high = steps.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (steps[middle][0] <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What the rows in the memory of a layer (from 0) are. */
function kindOf(view, layer) {
  return layer === 0 ? say(view, "rows_embeddings") : say(view, "rows_layer", { layer });
}

function bytes(count) {
  if (count < 1024) return `${count} B`;
  return count < 1024 ** 2 ? `${Number((count / 1024).toPrecision(4))} KiB` : `${Number((count / 1024 ** 2).toPrecision(4))} MiB`;
}

function fillFacts(view) {
  const { data } = view;
  const at = stepOf(view), layers = data.earliest.length;
  const oldest = segmentOf(view, at.firstKept);
  const size = layers * at.kept * data.bytesPerRow;
  const few = at.start + data.capacity > at.stop && at.added < at.stop - at.start;
  const tiles = [
    ["filled", say(view, "of", { part: number(at.kept), whole: number(data.capacity) }), say(view, "filled_note", { read: number(at.read) })],
    ["dropped", number(at.dropped), at.dropped ? say(view, "range", { first: at.firstRead, last: at.firstRead + at.dropped - 1 }) : say(view, "none_dropped")],
    ["added", number(at.added), few || at.added < at.stop - at.start ? say(view, "added_some", { whole: at.stop - at.start }) : say(view, "added_all")],
    at.kept
      ? ["oldest", say(view, "place", { place: at.firstKept }), say(view, "oldest_note", { token: data.tokens[at.firstKept], segment: oldest + 1, age: at.stop - 1 - at.firstKept })]
      : ["oldest", "–", say(view, "empty")],
    ["bytes", bytes(size), say(view, "bytes_note", { layers, rows: number(at.kept), width: data.width })],
  ];
  view.facts.replaceChildren(
    ...tiles.map(([name, value, note]) => {
      const tile = element("div"), term = element("dt", "", say(view, name)), held = element("dd", "", value);
      held.dataset.testid = `fact-${name}`;
      const small = element("small", "", note);
      small.dataset.testid = `note-${name}`;
      tile.append(term, held, small);
      return tile;
    }),
  );
  view.facts.querySelector('[data-testid="fact-bytes"]').dataset.value = size;
  const good = data.checked === data.equal;
  view.checked.className = good ? "checked" : "checked bad";
  view.checked.textContent = data.checked
    ? say(view, good ? "checked" : "unequal", { rows: number(data.checked), equal: number(data.equal) })
    : say(view, "nothing_checked");
}

/** A row a step and layer: where what stands in memory comes from. */
function tableOf(view) {
  const heads = view.data.words.heads.split(" | ");
  const cells = view.data.steps.flatMap((_, index) => {
    const at = stepOf(view, index);
    const span = (first, end) => (end > first ? `${first}–${end - 1}` : "");
    return view.data.earliest.map((_, layer) => [
      index + 1, layer + 1, kindOf(view, layer), span(at.start, at.stop), span(at.firstRead, at.start), span(at.firstRead, at.firstRead + at.dropped),
      span(at.firstKept, at.stop), at.kept, at.kept ? view.data.tokens[at.firstKept] : "", at.kept ? segmentOf(view, at.firstKept) + 1 : "",
    ]);
  });
  return { heads, cells };
}

/** The lines of the tip over the row of a layer at a place. */
function rowSays(view, layer, place) {
  const at = stepOf(view);
  const state = place >= at.stop ? "ahead" : place >= at.start ? "reading" : place >= at.firstRead ? (place < at.firstKept ? "leaving" : "remembered") : "gone";
  const later = state === "reading" && place < at.firstKept ? "not_kept" : state;
  const lines = [say(view, "tip_where", { place, segment: segmentOf(view, place) + 1 }), say(view, `tip_${later}`)];
  if (state !== "ahead" && state !== "gone") {
    const first = view.data.earliest[layer][place];
    lines.push(`${kindOf(view, layer)}; ${first < place ? say(view, "tip_sums", { first, count: place - first }) : say(view, "tip_itself")}`);
  }
  return lines;
}
