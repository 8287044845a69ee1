// Two streams of text with their clocks. Text is only ever set through textContent.

const views = new WeakMap();
const number = (value) => (value === null ? "–" : value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

function buildSide(side) {
  const box = element("section", side.kind), name = element("div", "name"), clock = element("div", "clock");
  box.dataset.model = side.kind;
  name.append(element("b", "", side.name), element("span", "note", side.note));
  const mean = element("span", "mean"), last = element("span", "small last"), median = element("span", "small median"), growth = element("span", "small growth");
  clock.append(mean, last, median, growth);
  const text = element("div", "text"), tail = element("span", "tail"), old = element("span", "old"), fresh = element("span", "fresh");
  text.tabIndex = 0;
  text.setAttribute("role", "log");
  text.setAttribute("aria-live", "off"); // five changes a second are too many to be read out
  text.setAttribute("aria-label", side.name);
  text.append(tail, old, fresh);
  box.append(name, clock, text);
  return { box, mean, last, median, growth, text, tail, old, fresh, said: "" };
}

function fill(view, side, data) {
  const { labels, status, tail } = data;
  view.mean.replaceChildren(number(side.mean), element("small", "", ` ${labels.unit}, ${labels.mean}`));
  view.mean.dataset.value = side.mean ?? "";
  view.last.textContent = `${labels.last} ${number(side.last)}`;
  view.median.textContent = `${labels.middle} ${number(side.median)}`;
  view.growth.textContent = side.growth;
  const grown = status === "running" && side.text.startsWith(view.said);
  const cut = grown ? view.said.length : side.text.length;
  const atEnd = view.text.scrollHeight - view.text.scrollTop - view.text.clientHeight < 60;
  view.tail.textContent = tail;
  view.old.textContent = side.text.slice(0, cut);
  view.fresh.textContent = side.text.slice(cut);
  view.said = side.text;
  if (atEnd || (status === "running" && !grown)) view.text.scrollTop = view.text.scrollHeight;
}

function build(root) {
  const find = (name) => root.querySelector(name);
  const view = { root: find(".streams"), title: find(".title"), columns: find(".columns"), table: find(".table") };
  const track = element("div", "progress");
  view.bar = element("i");
  track.append(view.bar);
  view.state = element("div", "note state");
  view.columns.before(track);
  view.columns.after(view.state);
  view.refresh = () => !view.table.hidden && view.table.replaceChildren(factsTable(view.data.heads, view.data.rows));
  factsMenu(find(".menu"), {
    "Show as a table": () => {
      view.table.hidden = !view.table.hidden;
      view.refresh();
    },
    "Download CSV": () => saveCsv(view.data.heads, view.data.rows, view.data.name),
  });
  return view;
}

export default function ({ data, parentElement }) {
  let view = views.get(parentElement);
  if (!view || !view.root.isConnected) {
    view = build(parentElement);
    views.set(parentElement, view);
  }
  view.data = data;
  view.root.dataset.run = data.run;
  view.root.dataset.status = data.status;
  view.title.textContent = data.title;
  view.state.textContent = data.state;
  view.bar.style.width = `${100 * data.share}%`;
  if (!view.sides) {
    view.sides = data.sides.map(buildSide);
    view.columns.replaceChildren(...view.sides.map((side) => side.box));
  }
  data.sides.forEach((side, at) => fill(view.sides[at], side, data));
  view.refresh();
}
