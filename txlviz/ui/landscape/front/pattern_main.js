// The entry: called by Streamlit at the start, and whenever the data or the theme changes. The cursor is the browser's own; both
// patterns of a pair follow it, so that one query is seen in both.

const CURSOR = "txlviz-landscape-cursor";
const views = new WeakMap();

function build(root) {
  const view = { root: root.querySelector(".pattern") };
  for (const name of ["probe", "title", "menu", "legend", "stage", "facts", "table"]) view[name] = root.querySelector(`.${name}`);
  view.svg = document.createElementNS(NS, "svg");
  view.svg.setAttribute("aria-hidden", "true"); // the stage has a label, the facts are read out, and there is the table
  view.stage.append(view.svg);
  factsMenu(view.menu, {
    "Show as a table": () => {
      view.table.hidden = !view.table.hidden;
      fillTable(view);
    },
    "Download CSV": () => saveCsv(...Object.values(tableOf(view, true)), view.data.header.name),
    "Download SVG": () => saveSvg(drawing(view), view.data.header.name),
    "Download PNG": () => savePng(drawing(view), view.data.header.name),
  });
  listen(view);
  view.resized = new ResizeObserver(() => view.data && view.stage.clientWidth !== view.width && draw(view));
  view.resized.observe(view.stage);
  view.follow = (event) => event.detail.group === view.data?.header.group && event.detail.from !== view && point(view, event.detail.cell);
  window.addEventListener(CURSOR, view.follow);
  return view;
}

function listen(view) {
  const cellAt = (event) => {
    const g = view.layout, box = view.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) * g.width) / box.width - g.left, y = ((event.clientY - box.top) * g.height) / box.height - g.top;
    if (x < 0 || y < 0 || x >= g.side || y >= g.side) return null;
    return { query: Math.floor((y * g.T) / g.side), key: Math.floor((x * g.T) / g.side) };
  };
  const go = (cell) => {
    point(view, cell);
    window.dispatchEvent(new CustomEvent(CURSOR, { detail: { group: view.data.header.group, from: view, cell } }));
  };
  view.stage.addEventListener("pointermove", (event) => go(cellAt(event)));
  view.stage.addEventListener("pointerleave", () => go(null));
  view.stage.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (cell) view.send(cell.query);
  });
  view.stage.addEventListener("keydown", (event) => {
    const last = view.layout.T - 1, at = view.cell ?? { query: view.data.header.selected, key: view.data.header.selected };
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (step) go({ query: Math.max(0, Math.min(last, at.query + step[0])), key: Math.max(0, Math.min(last, at.key + step[1])) });
    else if (event.key === "Enter") view.send(at.query);
    else return;
    event.preventDefault();
  });
}

// The cross-hair, and what it says; without a cell, the selected query.
function point(view, cell) {
  const { header } = view.data, g = view.layout;
  if (!g) return;
  view.cell = cell && cell.query < g.T && cell.key < g.T ? cell : null;
  view.over.group.replaceChildren();
  const query = view.cell?.query ?? header.selected, size = Math.max(g.side / g.T, 2);
  view.over.rect(g.left - 2, g.down(query) - size / 2 - 0.5, g.side + 4, size + 1, { fill: "none", stroke: INK.text, "stroke-width": 1.2 });
  if (view.cell) view.over.rect(g.at(view.cell.key) - size / 2 - 0.5, g.top - 2, size + 1, g.side + 4, { fill: "none", stroke: INK.text, "stroke-width": 0.8, "stroke-opacity": 0.7 });
  view.facts.textContent = view.cell ? saysCell(view, view.cell) : saysQuery(view, query);
}

function saysQuery({ data: { header, arrays } }, query) {
  const T = header.tokens.length, row = arrays.kinds.subarray(query * T, (query + 1) * T);
  const seen = row.reduce((sum, kind) => sum + (kind > 0), 0);
  const later = row.slice(query + 1).reduce((sum, kind) => sum + (kind > 0), 0);
  return fill(header.words[later ? "says_query_later" : "says_query"], { token: header.tokens[query], i: query + header.first, seen, later });
}

function saysCell({ data: { header, arrays } }, { query, key }) {
  const n = query * header.tokens.length + key, back = query - key;
  const where = back >= 0 ? fill(header.words.back, { n: back }) : fill(header.words.later, { n: -back });
  const words = { query: header.tokens[query], i: query + header.first, key: header.tokens[key], j: key + header.first, where };
  if (!arrays.kinds[n]) return fill(header.words.says_hidden, words);
  if (!arrays.values) return fill(header.words.says_seen, { ...words, kind: [null, header.near, header.far, header.everywhere][arrays.kinds[n]] });
  const value = header.shown === "signed" ? signed(arrays.values[n]) : percent(arrays.values[n]);
  return fill(header.words[`says_${header.shown}`], { ...words, value });
}

// The selected query's row; for a file every pair that is seen.
function tableOf({ data: { header, arrays } }, all) {
  const { words } = header, T = header.tokens.length, names = [null, header.near, header.far, header.everywhere];
  const heads = [words.table_query, words.table_i, words.table_key, words.table_j, words.table_back, words.table_kind];
  if (arrays.values) heads.push(words[`table_${header.shown}`]);
  const cells = [];
  for (let query = all ? 0 : header.selected; query <= (all ? T - 1 : header.selected); query++) {
    for (let key = 0; key < T; key++) {
      const n = query * T + key;
      if (!arrays.kinds[n]) continue;
      const line = [header.tokens[query], query + header.first, header.tokens[key], key + header.first, query - key, names[arrays.kinds[n]]];
      cells.push(arrays.values ? [...line, Number(arrays.values[n].toPrecision(5))] : line);
    }
  }
  return { heads, cells };
}

function fillTable(view) {
  if (!view.table.hidden) view.table.replaceChildren(factsTable(...Object.values(tableOf(view, false))));
}

function drawing(view) {
  const copy = view.svg.cloneNode(true), head = 50, { width, height } = view.layout;
  const wide = Math.max(width, 9 * view.data.header.title.length);
  for (const [name, value] of Object.entries({ xmlns: NS, width: wide, height: height + head, viewBox: `0 ${-head} ${wide} ${height + head}`, "font-family": "sans-serif" })) copy.setAttribute(name, value);
  const pen = new Pen(copy);
  copy.prepend(pen.rect(0, -head, wide, height + head, { fill: INK.paper }));
  pen.text(8, -head + 20, view.data.header.title, { "font-weight": "bold", "font-size": 15 });
  pen.text(8, -head + 40, [...view.legend.children].map((part) => part.textContent).join(" · "), { fill: INK.faint });
  return { source: withColours(new XMLSerializer().serializeToString(copy), view.probe), width: wide, height: height + head };
}

function draw(view) {
  view.width = view.stage.clientWidth;
  if (!view.width) return;
  drawPattern(view);
  point(view, null);
}

export default function ({ data, parentElement, setTriggerValue }) {
  let view = views.get(parentElement);
  if (!view || !view.root.isConnected) {
    view?.resized.disconnect();
    if (view) window.removeEventListener(CURSOR, view.follow);
    view = build(parentElement);
    views.set(parentElement, view);
  }
  view.data = unpack(data);
  const { header } = view.data;
  view.send = (place) => setTriggerValue("place", place + header.first);
  view.root.style.setProperty("--own", `light-dark(${header.colours.join(",")})`);
  view.title.textContent = header.title;
  view.stage.setAttribute("aria-label", header.label);
  draw(view);
  fillTable(view);
  return () => {
    view.resized.disconnect();
    window.removeEventListener(CURSOR, view.follow);
  };
}
