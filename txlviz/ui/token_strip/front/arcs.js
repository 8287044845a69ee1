// Measured links between tokens. The width is the measured value; next to nothing is drawn as nothing.

const PIXELS_PER_NAT = 3;
const WIDEST = 22;
const LEAST_NATS = 0.05;
const SVG = "http://www.w3.org/2000/svg";

/** Left, right, top and bottom of a token's text (without its bars), or of the whole marked span that it belongs to. */
function textBox(view, data, place) {
  const span = data.marks.find(([start, end]) => place >= start && place < end) ?? [place, place + 1];
  const origin = view.body.getBoundingClientRect();
  const first = view.tokens[span[0]].getBoundingClientRect();
  const boxes = view.tokens.slice(...span).map((token) => token.getBoundingClientRect()).filter((box) => box.top === first.top);
  const bars = data.xl || data.vanilla ? data.barHeight : 0;
  return {
    x: (first.left + boxes.at(-1).right) / 2 - origin.left,
    top: first.top + bars - origin.top,
    bottom: first.bottom - bars - origin.top,
  };
}

/** The visible arcs as curves in the body's coordinates. */
function arcShapes(view, data) {
  const edges = edgeLines(view);
  return data.arcs
    .filter((arc) => Math.abs(arc.value) >= LEAST_NATS)
    .map((arc) => {
      const from = textBox(view, data, arc.source);
      const to = textBox(view, data, arc.target);
      const sameLine = Math.abs(from.top - to.top) < 4;
      const start = [from.x, from.top];
      const end = sameLine ? [to.x, to.top] : [to.x, to.bottom];
      const lift = sameLine ? -60 : Math.max(30, (start[1] - end[1]) * 0.5);
      const bend = sameLine ? [start[1] + lift, end[1] + lift] : [start[1] - lift, end[1] + lift];
      return {
        arc,
        start,
        end,
        width: Math.min(WIDEST, Math.max(1.5, Math.abs(arc.value) * PIXELS_PER_NAT)),
        d: `M ${start} C ${start[0]} ${bend[0]} ${end[0]} ${bend[1]} ${end}`,
        label: labelPoint(start, end, bend, edges),
      };
    });
}

/** Heights of the lines between segments that stand alone in a line: the places where a label covers no token. */
function edgeLines(view) {
  if (!view.segments.classList.contains("block")) return [];
  const top = view.body.getBoundingClientRect().top;
  return [...view.segments.querySelectorAll(".edge")].map((edge) => {
    const box = edge.getBoundingClientRect();
    return (box.top + box.bottom) / 2 - top;
  });
}

/** Where the curve crosses the boundary nearest to its middle; its middle where it crosses none. */
function labelPoint(start, end, bend, edges) {
  const at = (t, a, b, c, d) => (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d;
  const middle = (start[1] + end[1]) / 2;
  const crossed = edges.filter((y) => y < start[1] && y > end[1]);
  const y = crossed.sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle))[0];
  if (y === undefined) return [at(0.5, start[0], start[0], end[0], end[0]), at(0.5, start[1], ...bend, end[1])];
  let [low, high] = [0, 1]; // the curve climbs from its start to its end
  for (let n = 0; n < 24; n++) {
    const t = (low + high) / 2;
    if (at(t, start[1], ...bend, end[1]) > y) low = t;
    else high = t;
  }
  return [at(low, start[0], start[0], end[0], end[0]), y];
}

function svgElement(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function drawArcs(view, data) {
  const shapes = arcShapes(view, data);
  const lines = shapes.flatMap(({ arc, d, width, start, end }) => [
    svgElement("path", { d, "stroke-width": width, class: arc.value < 0 ? "less" : "", "data-nats": arc.value }),
    svgElement("circle", { cx: start[0], cy: start[1], r: 4 }),
    svgElement("circle", { cx: end[0], cy: end[1], r: 4 }),
  ]);
  view.arcs.replaceChildren(...lines);
  view.labels.replaceChildren(
    ...shapes.filter(({ arc }) => arc.label).map(({ arc, label: [x, y] }) => {
      const label = element("span", "", arc.label);
      label.style.left = `${x}px`;
      label.style.top = `${y}px`;
      return label;
    }),
  );
  keepInside(view);
}

/** A label near the border moves inwards; labels on one line move apart. */
function keepInside(view) {
  const labels = [...view.labels.children].map((label) => ({ label, half: label.offsetWidth / 2 + 3, x: parseFloat(label.style.left) }));
  labels.sort((one, other) => one.x - other.x);
  const ends = new Map(); // by height: where the next label may begin
  for (const one of labels) {
    const line = one.label.style.top;
    one.x = Math.max(one.x, (ends.get(line) ?? 0) + one.half);
    ends.set(line, one.x + one.half);
  }
  const starts = new Map();
  for (const one of labels.reverse()) {
    const line = one.label.style.top;
    one.x = Math.min(one.x, (starts.get(line) ?? view.body.clientWidth) - one.half);
    starts.set(line, one.x - one.half);
    one.label.style.left = `${Math.max(one.half, one.x)}px`;
  }
}
