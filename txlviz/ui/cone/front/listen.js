// The pointer and the keyboard. Both act on the same node; the server is asked only when something is picked.

function nodeAt(view, event) {
  const box = view.svg.getBoundingClientRect();
  const x = event.clientX - box.left, y = event.clientY - box.top;
  const { layout, data } = view;
  if (x < layout.left - 4) return null;
  const place = layout.at(x);
  if (data.lens === "strip") return y < layout.axis ? [0, place] : null;
  if (y > layout.bottom + (layout.written ? 88 : 34) || y < layout.top - 40) return null;
  return [Math.max(0, Math.min(layout.layers, Math.round((layout.bottom - y) / layout.gap))), place];
}

function show(view, node) {
  view.node = node;
  const strip = view.data.lens === "strip";
  (strip ? lightColumn : lightPaths)(view, node);
  view.facts.textContent = node ? (strip ? factsOfColumn(view, node[1]) : factsOfNode(view, ...node)) : view.data.facts;
}

/** A node was picked: in the bottom row of "does change" a token to replace, anywhere else a token to select. */
function pick(view, [row, place]) {
  const { data } = view;
  if (data.lens === "strip") view.send({ replace: data.places[nearest(data, place)] });
  else if (data.lens === "change" && row === 0) {
    if (place <= data.selected) view.send({ replace: place });
  } else select(view, place);
}

/** Held keys run ahead of the server: each goes on from where the last one led. */
function select(view, place) {
  const now = Math.max(0, Math.min(view.data.total - 1, place));
  view.ahead = { place: now, at: Date.now() };
  view.send({ select: now });
}

function aheadOf(view) {
  return view.ahead && Date.now() - view.ahead.at < 1500 ? view.ahead.place : view.data.selected;
}

function onKey(view, event) {
  const { data } = view;
  const rows = data.lens === "strip" ? 0 : data.reach.length - 1;
  const [row, place] = view.node ?? [rows, data.selected];
  const last = data.first + data.tokens.length - 1;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const climb = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if (step && (event.shiftKey || data.lens === "strip")) show(view, [row, Math.max(data.first, Math.min(last, place + step))]);
  else if (step) select(view, aheadOf(view) + step);
  else if (climb && rows) show(view, [Math.max(0, Math.min(rows, row + climb)), place]);
  else if (event.key === "Enter" && view.node) pick(view, view.node);
  else if (event.key === "Escape") show(view, null);
  else return;
  event.preventDefault();
}

function listen(view) {
  const { stage } = view;
  stage.addEventListener("pointermove", (event) => show(view, nodeAt(view, event)));
  stage.addEventListener("pointerleave", () => show(view, null));
  stage.addEventListener("click", (event) => {
    const node = nodeAt(view, event);
    if (node) pick(view, node);
  });
  stage.addEventListener("keydown", (event) => onKey(view, event));
  stage.addEventListener("blur", () => show(view, null));
}
