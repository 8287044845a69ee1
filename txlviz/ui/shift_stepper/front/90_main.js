// The entry: called by Streamlit at the start, and whenever the data or the theme changes.

const views = new WeakMap();
const PARTS = ["title", "menu", "table", "left", "steps", "previous", "next", "play", "note", "stage", "caption", "loop", "facts", "check"];

function open(parent) {
  const view = Object.fromEntries(PARTS.map((name) => [name, parent.querySelector(`.${name}`)]));
  view.root = parent.querySelector(".shift");
  view.step = 0;
  view.probe = element("span"); // asks the browser what a colour of the theme is
  view.probe.hidden = true;
  view.root.append(view.probe);
  view.buttons = STEPS.map(() => Object.assign(element("button"), { type: "button" }));
  view.steps.append(...view.buttons);
  listen(view);
  const fillTable = () => {
    const { heads, cells } = rowsOf(view);
    view.table.replaceChildren(factsTable(heads, cells));
  };
  view.refresh = () => !view.table.hidden && fillTable();
  factsMenu(view.menu, {
    "Show as a table": () => {
      view.table.hidden = !view.table.hidden;
      view.refresh();
    },
    "Download CSV": () => {
      const { heads, cells } = rowsOf(view);
      saveCsv(heads, cells, view.data.name);
    },
    "Download SVG": () => saveSvg(picture(view), view.data.name),
    "Download PNG": () => savePng(picture(view), view.data.name),
  });
  view.resized = new ResizeObserver(() => view.data && view.stage.clientWidth !== view.width && build(view));
  return view;
}

function write(view) {
  const { words, data } = view;
  view.title.textContent = data.title;
  view.caption.textContent = words.loop;
  view.buttons.forEach((button, n) => (button.textContent = words[`step_${STEPS[n]}`]));
  for (const name of ["previous", "next"]) {
    view[name].setAttribute("aria-label", words[name]);
    view[name].title = words[name];
  }
  view.play.textContent = words[view.clock ? "pause" : "play"];
  view.stage.setAttribute("aria-label", words.stage_label);
  view.loop.setAttribute("aria-label", words.loop);
  const visible = data.loop.flat().filter((value) => value !== null).length;
  view.check.textContent = data.agree ? fill(words.check_good, { count: visible }) : words.check_bad;
  view.check.classList.toggle("bad", !data.agree);
  writeCount(view);
}

function writeCount({ root, words, data }) {
  const [K, pairs] = data.projections;
  root.querySelector(".count-title").textContent = fill(words.count_title, data.strip);
  root.querySelectorAll(".count-row").forEach((row, n) => {
    const amount = n ? pairs : K;
    row.querySelector("span").textContent = words[n ? "count_loop" : "count_shift"];
    row.querySelector("b").textContent = amount.toLocaleString("en");
    row.querySelector(".amount").style.width = `${(100 * amount) / pairs}%`;
  });
}

export default function ({ data, parentElement }) {
  let view = views.get(parentElement);
  if (!view || !view.root.isConnected) {
    view?.resized.disconnect();
    view = open(parentElement);
    views.set(parentElement, view);
  }
  view.resized.observe(view.stage);
  const stamp = JSON.stringify(data);
  if (stamp !== view.stamp) {
    const before = view.cells?.[view.at];
    Object.assign(view, { data, stamp, words: data.words });
    const { L, K } = data;
    // The pointed cell stays where there is one like it; at first the last query, two back.
    const i = Math.min(before?.i ?? L - 1, L - 1), distance = Math.min(before?.distance ?? 2, K - 1);
    view.at = i * (K + 1) + (K - 1 - distance) + 1;
    write(view);
    build(view);
    view.refresh();
  }
  return () => {
    view.resized.disconnect();
    stop(view);
  };
}
