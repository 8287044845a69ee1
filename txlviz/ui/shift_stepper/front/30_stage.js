// The two boards: the matrix that is stepped through, and the double loop's, which stands still.

const SHOWN = { distance: ["distance"], pad: ["pad"], mixed: ["reshape", "drop"], key: ["back", "mask"], query: ["distance", "pad", "back", "mask"] };

function build(view) {
  const { data, stage, loop, words } = view;
  const { L, K, tokens } = data;
  const width = stage.clientWidth;
  if (!width) return; // not laid out yet: the observer calls again
  view.width = width;
  const font = getComputedStyle(view.root).fontFamily;
  const names = tokens.map(shown), queries = names.slice(K - L);
  const size = sizes(width, K + 1, K + 1);
  const distances = Array.from({ length: K }, (_, c) => String(K - 1 - c));
  view.cells = cellsOf(data);
  view.groups = view.cells.map((cell) => cellGroup(cell, K, size));
  view.size = size;
  stage.replaceChildren(
    columnNames("distance", distances, 0, words.axis_distance, size, font),
    columnNames("pad", ["", ...distances], 0, words.axis_distance, size, font),
    columnNames("mixed", [], 0, words.axis_mixed, size, font),
    columnNames("key", names, 0, words.axis_key, size, font),
    rowNames(queries, words.axis_query, size, font),
    ...view.groups,
  );
  stage.setAttribute("height", HEAD + (K + 1) * size.h + 4);
  buildLoop(view, names, queries, font);
  view.root.classList.add("still"); // no flight from the corner
  showStep(view);
  requestAnimationFrame(() => requestAnimationFrame(() => view.root.classList.remove("still")));
}

function buildLoop(view, names, queries, font) {
  const { data, loop, words } = view;
  const { L, K } = data;
  const size = { ...sizes(loop.clientWidth, K, K + 1), h: view.size.h };
  loop.replaceChildren(columnNames("key", names, 0, words.axis_key, size, font), rowNames(queries, words.axis_query, size, font));
  view.pairs = [];
  for (let i = 0; i < L; i++) {
    for (let j = 0; j < K; j++) {
      const distance = K - L + i - j;
      const hidden = distance < 0;
      const group = cellGroup({ n: i * K + j, value: data.loop[i][j] ?? 0, distance: hidden ? null : distance, pad: hidden }, K, size);
      if (hidden) {
        group.classList.add("hidden");
        group.querySelector(".value")?.replaceChildren("−∞");
      }
      place(group, size, i, j);
      Object.assign(group.dataset, { i, j });
      loop.append(group);
      view.pairs.push({ i, j, distance, group });
    }
  }
  loop.setAttribute("height", HEAD + L * size.h + 4);
}

function showStep(view) {
  const { data, step, words, root } = view;
  const name = STEPS[step];
  view.cells.forEach((cell, n) => {
    const group = view.groups[n];
    const [row, column] = data.places[step][n];
    const gone = row < 0;
    group.classList.toggle("gone", gone);
    group.classList.toggle("garbage", step >= BACK && cell.garbage);
    group.classList.toggle("hidden", step === MASK && cell.garbage);
    const value = group.querySelector(".value");
    if (value) value.textContent = step === MASK && cell.garbage ? "−∞" : cell.pad ? "0" : signed(cell.value);
    // What isn't there yet waits where it will be; what was dropped leaves upwards.
    if (!gone) place(group, view.size, row, column);
    else if (step === 0) place(group, view.size, cell.i, 0);
    else place(group, view.size, -1, data.places[STEPS.indexOf("reshape")][n][1]);
  });
  for (const names of view.stage.querySelectorAll(".axis")) names.style.opacity = SHOWN[names.dataset.kind].includes(name) ? 1 : 0;
  view.note.textContent = fill(words[`note_${name}`], data);
  view.buttons.forEach((button, n) => (n === step ? button.setAttribute("aria-current", "step") : button.removeAttribute("aria-current")));
  view.previous.disabled = step === 0;
  view.next.disabled = step === STEPS.length - 1;
  root.dataset.step = name;
  mark(view);
}
