// The entry: called by Streamlit at the start, and whenever the data change. The step is the browser's own.

const PACE = 900; // milliseconds a step
const views = new WeakMap();
let count = 0;

function build(root) {
  const names = ["stepper", "title", "menu", "controls", "slide", "where", "legend", "stage", "picture", "tip", "facts", "checked", "table"];
  const view = Object.fromEntries(names.map((name) => [name, root.querySelector(`.${name}`)]));
  view.id = `txl-memory-${count++}`;
  view.probe = element("span"); // asks the browser what a colour of the theme is
  view.probe.hidden = true;
  view.stepper.append(view.probe);
  view.buttons = Object.fromEntries([...view.controls.querySelectorAll("button")].map((button) => [button.dataset.go, button]));
  listen(view);
  buildMenu(view);
  view.resized = new ResizeObserver(() => view.data && view.stage.clientWidth !== view.drawnWidth && show(view));
  view.resized.observe(view.stage);
  return view;
}

function show(view) {
  view.drawnWidth = view.stage.clientWidth;
  const last = view.data.steps.length - 1, at = stepOf(view);
  view.stepper.dataset.step = view.step + 1;
  view.slide.max = last + 1;
  view.slide.value = view.step + 1;
  view.slide.disabled = last === 0;
  view.where.textContent = say(view, "where", { step: view.step + 1, steps: last + 1, first: at.start, last: at.stop - 1 });
  view.buttons.first.disabled = view.buttons.back.disabled = view.step === 0;
  view.buttons.next.disabled = view.buttons.last.disabled = view.step === last;
  view.buttons.play.disabled = last === 0;
  hideRow(view);
  draw(view);
  fillFacts(view);
}

function go(view, step) {
  const next = Math.max(0, Math.min(view.data.steps.length - 1, step));
  if (next === view.step) return;
  view.step = next;
  show(view);
}

function play(view, on) {
  clearInterval(view.timer);
  view.timer = null;
  const last = () => view.data.steps.length - 1;
  if (on && last() > 0) {
    if (view.step === last()) go(view, 0);
    view.timer = setInterval(() => {
      if (!view.stepper.isConnected) return play(view, false);
      go(view, view.step + 1);
      if (view.step === last()) play(view, false);
    }, PACE);
  }
  view.buttons.play.textContent = view.timer ? `❚❚ ${say(view, "pause")}` : `▶ ${say(view, "play")}`;
  view.buttons.play.setAttribute("aria-pressed", Boolean(view.timer));
}

function listen(view) {
  const leads = { first: () => 0, back: () => view.step - 1, next: () => view.step + 1, last: () => view.data.steps.length - 1 };
  const stepTo = (where) => {
    play(view, false);
    go(view, leads[where]());
  };
  for (const where of Object.keys(leads)) view.buttons[where].addEventListener("click", () => stepTo(where));
  view.buttons.play.addEventListener("click", () => play(view, !view.timer));
  view.slide.addEventListener("input", () => {
    play(view, false);
    go(view, Number(view.slide.value) - 1);
  });
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };
  const listenTo = (node) =>
    node.addEventListener("keydown", (event) => {
      if (event.target === view.slide) return; // it has these keys of its own
      if (event.key in keys) stepTo(keys[event.key]);
      else if (event.key === " " && event.target === view.stage) play(view, !view.timer);
      else return;
      event.preventDefault();
    });
  listenTo(view.stage);
  listenTo(view.controls);
  view.stage.addEventListener("pointermove", (event) => showRow(view, event));
  view.stage.addEventListener("pointerleave", () => hideRow(view));
}

/** The row under the pointer: its column, what it sums up, and the facts in words. */
function showRow(view, event) {
  const g = view.geometry, box = view.picture.getBoundingClientRect();
  const x = ((event.clientX - box.left) * g.width) / box.width, y = event.clientY - box.top;
  const place = g.place(x), layer = g.layers - 1 - Math.floor((y - TOP) / g.lane);
  if (x < g.left || place < 0 || place >= Math.min(g.count, g.first + g.shown) || layer < 0 || layer >= g.layers) return hideRow(view);
  view.cursor.setAttribute("x", g.x(place));
  view.cursor.setAttribute("visibility", "visible");
  const first = view.data.earliest[layer][place], line = g.y(layer) + 2 * BAR + GAP + 2.5;
  for (const [name, value] of Object.entries({ x1: g.x(first), x2: g.x(place + 1), y1: line, y2: line })) view.sums.setAttribute(name, value);
  view.sums.setAttribute("visibility", place < g.at.stop && first < place ? "visible" : "hidden");
  view.tip.replaceChildren(element("b", "", view.data.tokens[place]), ...rowSays(view, layer, place).map((line) => element("div", "", line)));
  view.tip.hidden = false;
  const left = g.x(place) - view.tip.offsetWidth / 2;
  view.tip.style.left = `${Math.max(0, Math.min(left, g.width - view.tip.offsetWidth))}px`;
  view.tip.style.top = `${g.y(layer) + 2 * BAR + GAP + 10}px`;
}

function hideRow(view) {
  view.tip.hidden = true;
  view.cursor?.setAttribute("visibility", "hidden");
  view.sums?.setAttribute("visibility", "hidden");
}

function name(view) {
  view.title.textContent = say(view, "title");
  view.controls.setAttribute("aria-label", say(view, "controls"));
  view.slide.setAttribute("aria-label", say(view, "slider"));
  for (const [where, sign] of Object.entries({ first: "⏮\ufe0e", back: "◀\ufe0e", next: "▶\ufe0e", last: "⏭\ufe0e" })) {
    view.buttons[where].textContent = sign;
    view.buttons[where].title = say(view, where);
    view.buttons[where].setAttribute("aria-label", say(view, where));
  }
}

export default function ({ data, parentElement }) {
  let view = views.get(parentElement);
  if (!view || !view.stepper.isConnected) {
    view?.resized.disconnect();
    view = build(parentElement);
    views.set(parentElement, view);
  }
  const cut = JSON.stringify([data.tokens, data.steps.map(([start]) => start), data.selected]);
  const moved = view.cut !== cut;
  view.cut = cut;
  view.data = data;
  if (moved) view.step = data.first; // another text, cut or token; another M keeps the step
  name(view);
  drawLegend(view);
  play(view, Boolean(view.timer) && !moved);
  show(view);
  if (!view.table.hidden) view.fillTable();
  return () => {
    clearInterval(view.timer);
    view.timer = null;
    view.resized.disconnect();
  };
}
