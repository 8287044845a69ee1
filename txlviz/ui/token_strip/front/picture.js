// The strip as it stands, drawn anew as one SVG with the colours of the viewer's theme.

const MARGIN = 14;
const HEAD = 58; // room for the title and the legend

function picture(view) {
  const { data, body } = view;
  const origin = body.getBoundingClientRect();
  const at = (node) => {
    const box = node.getBoundingClientRect();
    return { left: box.left - origin.left, right: box.right - origin.left, top: box.top - origin.top, bottom: box.bottom - origin.top, width: box.width };
  };
  const ink = inks(view);
  const size = { width: Math.ceil(origin.width) + 2 * MARGIN, height: Math.ceil(origin.height) + HEAD + MARGIN };
  const font = parseFloat(getComputedStyle(view.strip).fontSize);
  const svg = svgElement("svg", { xmlns: SVG, ...size, viewBox: `${-MARGIN} ${-HEAD} ${size.width} ${size.height}`, "font-family": "sans-serif", "font-size": font });
  const rect = (attributes) => svg.append(svgElement("rect", attributes));
  const write = (text, attributes) => {
    const made = svgElement("text", { fill: ink.text, ...attributes });
    made.textContent = text;
    svg.append(made);
  };
  rect({ x: -MARGIN, y: -HEAD, ...size, fill: ink.paper });
  drawKeys(data, ink, rect, write);
  for (const edge of view.segments.querySelectorAll(".edge")) drawEdge(view, at(edge), ink, svg, write);
  const bars = data.xl || data.vanilla ? data.barHeight : 0;
  for (const token of view.segments.querySelectorAll(".cut")) drawCut(at(token), ink, svg, write);
  view.tokens.forEach((token, place) => drawShade(data, place, at(token), bars, ink, rect));
  for (const { d, width, arc } of arcShapes(view, data)) {
    svg.append(svgElement("path", { d, fill: "none", stroke: ink.xl, "stroke-width": width, "stroke-linecap": "round", opacity: 0.42, "data-nats": arc.value }));
  }
  view.tokens.forEach((token, place) => drawToken(data, token, place, at(token), bars, ink, rect, write));
  for (const label of view.labels.children) {
    const box = at(label);
    rect({ x: box.left, y: box.top, width: box.width, height: box.bottom - box.top, rx: 10, fill: ink.paper, stroke: ink.xl, "stroke-width": 1.5 });
    write(label.textContent, { x: (box.left + box.right) / 2, y: box.bottom - 6, "text-anchor": "middle", "font-size": 0.78 * font, "font-weight": "bold" });
  }
  return { source: new XMLSerializer().serializeToString(svg), ...size };
}

/** What the theme's colours are just now. */
function inks(view) {
  const names = { xl: "var(--txl-xl)", vanilla: "var(--txl-vanilla)", text: "var(--st-text-color)", paper: "var(--paper)", faint: "var(--faint)", line: "var(--line)" };
  return Object.fromEntries(
    Object.entries(names).map(([name, value]) => {
      view.probe.style.color = value;
      return [name, getComputedStyle(view.probe).color];
    }),
  );
}

function drawKeys(data, ink, rect, write) {
  if (data.title) write(data.title, { x: 0, y: -HEAD + 18, "font-weight": "bold" });
  let x = 0;
  for (const [name, , kind] of models(data)) {
    rect({ x, y: -18, width: 10, height: 12, fill: ink[kind] });
    write(`${name}, ${kind === "xl" ? "up" : "down"}`, { x: x + 16, y: -8, "font-size": 13, fill: ink.faint });
    x += 145;
  }
  if (!x) return;
  const height = (scaleMark(data) * data.barHeight) / longestBar(data);
  const mark = { width: 1, fill: ink.faint };
  rect({ ...mark, x, y: -4 - height, height });
  for (const y of [-4 - height, -5]) rect({ ...mark, x, y, width: 7, height: 1 });
  write(`${scaleMark(data)} nats of surprise (longest bar: ${longestBar(data).toFixed(1)})`, { x: x + 14, y: -8, "font-size": 13, fill: ink.faint });
}

function drawEdge(view, box, ink, svg, write) {
  const alone = view.segments.classList.contains("block");
  const y = (box.top + box.bottom) / 2;
  const line = alone ? { x1: 0, x2: box.right, y1: y, y2: y } : { x1: box.left, x2: box.left, y1: box.top, y2: box.bottom };
  svg.append(svgElement("line", { ...line, stroke: ink.line, "stroke-width": 2 }));
  write("SG", { x: box.left + 6, y: alone ? y - 4 : y + 4, "font-size": 11, fill: ink.faint });
}

/** A boundary that takes no room: a line before the token, the sign on top of it. */
function drawCut(box, ink, svg, write) {
  svg.append(svgElement("line", { x1: box.left, x2: box.left, y1: box.top - 9, y2: box.bottom, stroke: ink.text, "stroke-width": 2 }));
  write("SG", { x: box.left + 4, y: box.top - 1, "font-size": 10, fill: ink.faint });
}

function drawShade(data, place, box, bars, ink, rect) {
  const share = shade(data, place);
  if (!share) return;
  rect({ x: box.left, y: box.top + bars, width: box.width, height: box.bottom - box.top - 2 * bars, fill: ink.xl, "fill-opacity": share });
}

function drawToken(data, token, place, box, bars, ink, rect, write) {
  const pixels = bars / longestBar(data);
  const width = Math.min(13, box.width - 2);
  const x = (box.left + box.right - width) / 2;
  const up = (data.xl?.[place] ?? 0) * pixels;
  const down = (data.vanilla?.[place] ?? 0) * pixels;
  if (up) rect({ x, y: box.top + bars - up, width, height: up, fill: ink.xl });
  if (down) rect({ x, y: box.bottom - bars, width, height: down, fill: ink.vanilla });
  const style = getComputedStyle(token);
  const padding = parseFloat(style.paddingLeft);
  const bold = token.classList.contains("mark") ? { "font-weight": "bold", "text-decoration": "underline" } : {};
  // The reader's sans-serif is another one: the length is set, so that words keep their places.
  const length = box.width - padding - parseFloat(style.paddingRight);
  const y = box.bottom - bars - 7;
  if (token.textContent.length < 2) write(token.textContent, { x: box.left + padding + length / 2, y, "text-anchor": "middle", ...bold });
  else write(token.textContent, { x: box.left + padding, y, textLength: length, lengthAdjust: "spacingAndGlyphs", ...bold });
}
