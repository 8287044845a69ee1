// The entry: called by Streamlit at the start, and whenever the data or the theme changes.

const views = new WeakMap();

function build(root) {
  const find = (name) => root.querySelector(`.${name}`);
  const names = ["strip", "title", "legend", "body", "arcs", "segments", "labels", "tip", "picked", "table", "menu"];
  const view = Object.fromEntries(names.map((name) => [name, find(name)]));
  view.probe = element("span"); // asks the browser what a colour of the theme is
  view.probe.hidden = true;
  view.strip.append(view.probe);
  listen(view);
  buildMenu(view);
  view.resized = new ResizeObserver(() => view.data && drawArcs(view, view.data));
  view.resized.observe(view.body);
  return view;
}

export default function ({ data, parentElement, setTriggerValue }) {
  let view = views.get(parentElement);
  if (!view || !view.strip.isConnected) {
    view?.resized.disconnect();
    view = build(parentElement);
    views.set(parentElement, view);
  }
  const shape = JSON.stringify([data.tokens, data.steady || data.segments, data.selectable, data.barHeight, !data.xl && !data.vanilla]);
  const same = view.shape === shape;
  view.send = (place) => setTriggerValue("pick", place);
  view.data = data;
  if (!same) {
    view.shape = shape;
    hideTip(view);
    drawTokens(view, data);
  }
  view.title.textContent = data.title;
  dress(view, data);
  drawArcs(view, data);
  if (!view.table.hidden) fillTable(view);
  return () => view.resized.disconnect();
}
