// The picture as a file: a copy of what is on the screen, in colours that other programs read.

function picture(view) {
  const { width, height } = view.geometry;
  const copy = view.picture.cloneNode(true);
  const ink = (value) => {
    view.probe.style.color = value;
    return getComputedStyle(view.probe).color;
  };
  const head = 48;
  for (const node of copy.querySelectorAll("*")) {
    for (const name of ["fill", "stroke", "stop-color"]) {
      const value = node.getAttribute(name);
      if (value?.startsWith("var(")) node.setAttribute(name, ink(value));
    }
    if (node.tagName === "text") node.setAttribute("fill", ink(node.classList.contains("quiet") ? "var(--faint)" : "var(--st-text-color)"));
    if (node.getAttribute("visibility") === "hidden") node.remove();
  }
  for (const [name, value] of Object.entries({ xmlns: SVG, width, height: height + head, viewBox: `0 ${-head} ${width} ${height + head}`, "font-family": "sans-serif" })) copy.setAttribute(name, value);
  copy.removeAttribute("class");
  copy.prepend(svgElement("rect", { x: 0, y: -head, width, height: height + head, fill: ink("var(--paper)") }));
  const title = { x: 4, fill: ink("var(--st-text-color)") };
  copy.append(svgElement("text", { ...title, y: -28, "font-size": 16, "font-weight": "bold" }, view.title.textContent));
  copy.append(svgElement("text", { ...title, y: -8, "font-size": 13 }, view.where.textContent));
  return { source: new XMLSerializer().serializeToString(copy), width, height: height + head };
}

function buildMenu(view) {
  const name = () => `memory-segment-${view.step + 1}`;
  view.fillTable = () => {
    const { heads, cells } = tableOf(view);
    view.table.replaceChildren(factsTable(heads, cells));
  };
  factsMenu(view.menu, {
    "Show as a table": () => {
      view.table.hidden = !view.table.hidden;
      if (!view.table.hidden) view.fillTable();
    },
    "Download CSV": () => {
      const { heads, cells } = tableOf(view);
      saveCsv(heads, cells, "memory-rows");
    },
    "Download SVG": () => saveSvg(picture(view), name()),
    "Download PNG": () => savePng(picture(view), name()),
  });
}
