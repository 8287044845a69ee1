// The small multiples: one card a system, with the cone of the selected token; a click picks it.

const views = new WeakMap();
const WIDE = 150, HIGH = 44; // units of a card's picture, which is drawn as wide as its card

function build(root) {
  const view = { root: root.querySelector(".picker") };
  for (const name of ["probe", "title", "menu", "cards", "table"]) view[name] = root.querySelector(`.${name}`);
  factsMenu(view.menu, {
    "Show as a table": () => {
      view.table.hidden = !view.table.hidden;
      fillTable(view);
    },
    "Download CSV": () => saveCsv(view.data.heads, view.data.rows, view.data.name),
    "Download SVG": () => saveSvg(drawing(view), view.data.name),
    "Download PNG": () => savePng(drawing(view), view.data.name),
  });
  return view;
}

function card(view, system) {
  const made = element("button", "card"), side = view.data.picked.indexOf(system.id);
  made.type = "button";
  made.dataset.system = system.id;
  made.setAttribute("aria-pressed", side >= 0);
  made.style.setProperty("--own", `light-dark(${system.colours.join(",")})`);
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  drawCard(new Pen(svg), view.data, system, OWN);
  const name = element("span", "name", system.title);
  if (side >= 0) name.append(element("span", "side", String(side + 1)));
  made.append(svg, name, element("span", "said", system.said));
  made.title = `${system.title}: ${system.said}`;
  made.addEventListener("click", () => view.send(system.id));
  return made;
}

function drawCard(pen, data, system, own) {
  drawRows(pen, system.rows, 0, 0, WIDE, HIGH, own);
  const x = ((data.selected + 0.5) * WIDE) / data.total;
  pen.line(x, 0, x, HIGH, { stroke: INK.text, "stroke-width": 0.8 });
}

function fillTable(view) {
  if (!view.table.hidden) view.table.replaceChildren(factsTable(view.data.heads, view.data.rows));
}

// All cards in two rows, with their names.
function drawing(view) {
  const { systems, title } = view.data, columns = 4, step = [WIDE + 24, HIGH + 52];
  const width = columns * step[0] + 16, height = Math.ceil(systems.length / columns) * step[1] + 44;
  const svg = document.createElementNS(NS, "svg");
  for (const [name, value] of Object.entries({ xmlns: NS, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "sans-serif" })) svg.setAttribute(name, value);
  const pen = new Pen(svg);
  pen.rect(0, 0, width, height, { fill: INK.paper });
  pen.text(12, 24, title, { "font-weight": "bold", "font-size": 14 });
  systems.forEach((system, n) => {
    const group = pen.layer({ transform: `translate(${12 + (n % columns) * step[0]} ${44 + Math.floor(n / columns) * step[1]})` });
    drawCard(group, view.data, system, resolved(view.probe, `light-dark(${system.colours.join(",")})`));
    group.text(0, HIGH + 16, system.title, { "font-weight": "bold" });
    group.text(0, HIGH + 31, system.said, { fill: INK.faint, "font-size": 11 });
  });
  return { source: withColours(new XMLSerializer().serializeToString(svg), view.probe), width, height };
}

export default function ({ data, parentElement, setTriggerValue }) {
  let view = views.get(parentElement);
  if (!view || !view.root.isConnected) {
    view = build(parentElement);
    views.set(parentElement, view);
  }
  view.data = data;
  view.send = (system) => setTriggerValue("system", system);
  view.title.textContent = data.title;
  view.cards.style.setProperty("--count", data.systems.length);
  view.cards.setAttribute("aria-label", data.label);
  const focused = view.root.getRootNode().activeElement?.dataset?.system;
  view.cards.replaceChildren(...data.systems.map((system) => card(view, system)));
  if (focused) view.cards.querySelector(`[data-system="${focused}"]`)?.focus();
  fillTable(view);
}
