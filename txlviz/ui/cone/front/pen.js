// SVG, so that the picture is sharp at any size and the one that is kept is the one on the screen.

const NS = "http://www.w3.org/2000/svg";
const INK = {
  xl: "var(--txl-xl)",
  vanilla: "var(--txl-vanilla)",
  text: "var(--st-text-color)",
  faint: "var(--faint)",
  line: "var(--line)",
  paper: "var(--paper)",
};

class Pen {
  constructor(group) {
    this.group = group;
  }

  make(tag, attributes, text) {
    const made = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, typeof value === "number" ? Number(value.toFixed(2)) : value);
    if (text !== undefined) made.textContent = text;
    this.group.append(made);
    return made;
  }

  rect(x, y, width, height, attributes) {
    return this.make("rect", { x, y, width: Math.max(0.3, width), height, ...attributes });
  }

  circle(cx, cy, r, attributes) {
    return this.make("circle", { cx, cy, r, ...attributes });
  }

  line(x1, y1, x2, y2, attributes) {
    return this.make("line", { x1, y1, x2, y2, stroke: INK.faint, ...attributes });
  }

  path(points, attributes) {
    return this.make("path", { d: `M ${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join(" L ")}`, fill: "none", ...attributes });
  }

  text(x, y, text, attributes = {}) {
    return this.make("text", { x, y, fill: INK.text, "font-size": 12.5, ...attributes }, text);
  }

  layer(attributes = {}) {
    return new Pen(this.make("g", attributes));
  }
}

const SIGNS = { dot: "●", ring: "○", stroke: "━", dashes: "╌", fade: "▒", ramp: "to" };

/** The legend as one line of text, each mark as a sign. */
function legendInWords(legend) {
  const word = (node) => SIGNS[node.className] ?? node.textContent;
  return [...legend.children].map((part) => [...part.childNodes].map(word).join(" ")).join("   ·   ");
}

/** The picture with the colours of the viewer's theme written into it, for a file. */
function picture(view) {
  const { width, height } = view.layout;
  const copy = view.svg.cloneNode(true);
  const head = 52;
  copy.setAttribute("xmlns", NS);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height + head);
  copy.setAttribute("viewBox", `0 ${-head} ${width} ${height + head}`);
  copy.setAttribute("font-family", "sans-serif");
  const pen = new Pen(copy);
  copy.prepend(pen.rect(0, -head, width, height + head, { fill: INK.paper }));
  pen.text(8, -head + 20, view.title.textContent, { "font-weight": "bold", "font-size": 15 });
  pen.text(8, -head + 42, legendInWords(view.legend), { fill: INK.faint });
  let source = new XMLSerializer().serializeToString(copy);
  for (const name of Object.values(INK)) {
    view.probe.style.color = name;
    source = source.replaceAll(name, getComputedStyle(view.probe).color);
  }
  return { source, width, height: height + head };
}
