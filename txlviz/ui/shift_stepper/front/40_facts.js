// The cell under the pointer, in both boards and in words.

function mark(view) {
  const { at, cells, groups, pairs } = view;
  const cell = cells[at];
  const j = cell.pad ? null : keyOf(view.data, cell.i, cell.distance);
  // In the result a garbage cell stands for its place, the pair of a query and a key in its future.
  const stands = view.step >= BACK && cell.garbage;
  const pair = stands ? [cell.row, cell.column] : [cell.i, j];
  groups.forEach((group, n) => group.classList.toggle("on", n === at));
  pairs.forEach(({ i, j: key, group }) => group.classList.toggle("on", i === pair[0] && key === pair[1]));
  for (const label of view.root.querySelectorAll(".axis [data-row]")) label.classList.toggle("on", Number(label.dataset.row) === pair[0]);
  view.facts.replaceChildren(...(stands ? garbageFacts(view, cell) : cellFacts(view, cell, j)));
}

// Words with tokens in them: tokens are bold, and only ever text.
function sentence(words, values, tokens) {
  const line = element("div");
  for (const part of words.split(/(\{\w+\})/)) {
    const name = part.match(/^\{(\w+)\}$/)?.[1];
    if (!name) line.append(part);
    else line.append(tokens.includes(name) ? element("b", "", values[name]) : String(values[name]));
  }
  return line;
}

function names({ data }, i, j) {
  const { L, K, tokens, firstKey } = data;
  return { query: shown(tokens[K - L + i]), i: firstKey + K - L + i, key: j === null ? "" : shown(tokens[j]), j: firstKey + j };
}

function cellFacts(view, cell, j) {
  const { data, words } = view;
  const { i, distance } = cell;
  const known = { ...names(view, i, j !== null && j >= 0 ? j : null), distance };
  if (cell.pad) return [sentence(words.cell_unused, known, ["query"])];
  if (j < 0) return [sentence(words.cell_before, known, ["query"])];
  const loop = data.loop[i][j], shifted = data.shifted[i][j];
  const sum = element("div", "sum");
  const term = (name, value) => {
    const made = element("span", `term ${name}`, signed(value, 3));
    made.dataset.value = value;
    return made;
  };
  const [before, between, after] = words.cell_loop.split(/\{b\}|\{d\}/);
  sum.append(before, term("b", data.loopB[i][j]), between, term("d", data.loopD[i][j]), fill(after, { sum: signed(loop, 3) }));
  const shift = element("div", "shifted", `${fill(words.cell_shift, { value: signed(shifted, 3) })}: ${words[loop === shifted ? "equal" : "unequal"]}`);
  return [sentence(words.cell, known, ["query", "key"]), sum, shift];
}

function garbageFacts(view, cell) {
  const { data, words } = view;
  const { row, column } = cell;
  const content = cell.pad ? words.cell_padding : fill(words.cell_other, { distance: cell.distance });
  const known = { ...names(view, row, column), distance: data.K - data.L + row - column, content };
  return [sentence(words.cell_future, { ...known, distance: String(known.distance).replace("-", "−") }, ["query", "key"])];
}

function pick(view, n) {
  view.at = n;
  mark(view);
}

// The cell of the stepped matrix that ends where a cell of the double loop stands.
function counterpart(view, i, j) {
  return view.cells.findIndex((cell) => cell.row === i && cell.column === j);
}
