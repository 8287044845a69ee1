// The entry: called by Streamlit at the start, and whenever the data or the theme changes.

const views = new WeakMap();

function build(root) {
  const names = ["cone", "title", "legend", "stage", "facts", "table", "menu"];
  const view = Object.fromEntries(names.map((name) => [name, root.querySelector(`.${name}`)]));
  view.svg = document.createElementNS(NS, "svg");
  view.svg.setAttribute("aria-hidden", "true"); // the stage has a label, the facts are read out, and there is the table
  view.stage.append(view.svg);
  view.probe = element("span"); // asks the browser what a colour of the theme is
  view.probe.hidden = true;
  view.cone.append(view.probe);
  listen(view);
  factsMenu(view.menu, {
    "Show as a table": () => {
      view.table.hidden = !view.table.hidden;
      fillTable(view);
    },
    "Download CSV": () => {
      const { heads, cells } = tableOf(view);
      saveCsv(heads, cells, view.data.name);
    },
    "Download SVG": () => saveSvg(picture(view), view.data.name),
    "Download PNG": () => savePng(picture(view), view.data.name),
  });
  view.resized = new ResizeObserver(() => {
    if (view.data && view.stage.clientWidth !== view.width) draw(view);
  });
  view.resized.observe(view.stage);
  return view;
}

function fillTable(view) {
  if (view.table.hidden) return;
  const { heads, cells } = tableOf(view);
  view.table.replaceChildren(factsTable(heads, cells));
}

function draw(view) {
  view.width = view.stage.clientWidth;
  if (!view.width) return;
  (view.data.lens === "strip" ? drawStrip : drawCone)(view);
  show(view, null);
}

export default function ({ data, parentElement, setTriggerValue }) {
  let view = views.get(parentElement);
  if (!view || !view.cone.isConnected) {
    view?.resized.disconnect();
    view = build(parentElement);
    views.set(parentElement, view);
  }
  view.data = data;
  view.words = data.words;
  view.send = (value) => setTriggerValue("pick", value);
  if (view.ahead?.place === data.selected) view.ahead = null;
  view.title.textContent = data.title;
  view.stage.setAttribute("aria-label", data.label);
  view.cone.dataset.lens = data.lens;
  draw(view);
  fillTable(view);
  return () => view.resized.disconnect();
}
