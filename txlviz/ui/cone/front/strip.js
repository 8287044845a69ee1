// One column for each replaced token: what it changes at the selected token, after each layer.

function drawStrip(view) {
  const { data, svg } = view;
  const layout = (view.layout = stripLayout(data, view.width));
  view.scale = scaleOf(data.layers);
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
  svg.setAttribute("width", layout.width);
  svg.setAttribute("height", layout.height);
  const pen = new Pen(svg);
  const ink = INK[data.kind];
  const top = data.layers.at(-1);
  const most = Math.max(...top, 0);
  const base = layout.top + layout.bars;
  const foot = layout.heat + layout.layers * layout.row;
  drawBoundaries(pen, data, layout, layout.top, foot);
  data.places.forEach((place, at) => {
    const [x, width] = stripColumn(data, layout, at);
    const height = most ? (layout.bars * top[at]) / most : 0;
    if (height) pen.rect(x, base - Math.max(1, height), width, Math.max(1, height), { fill: ink, "data-place": place });
    data.layers.forEach((row, n) => {
      const shade = strength(row[at], view.scale);
      if (shade) pen.rect(x, layout.y(n + 1), width, layout.row - 2, { fill: ink, "fill-opacity": shade.toFixed(3) });
    });
  });
  for (let n = 1; n <= layout.layers; n++) {
    pen.text(layout.left - 12, layout.y(n) + 10, `layer ${n}`, { "text-anchor": "end", "font-size": 11, fill: INK.faint });
  }
  pen.line(layout.left - 4, layout.top, layout.left - 4, base);
  pen.text(layout.left - 12, layout.top + 9, size(most), { "text-anchor": "end", "font-size": 11, fill: INK.faint });
  pen.text(layout.left - 12, base, "0", { "text-anchor": "end", "font-size": 11, fill: INK.faint });
  drawAxis(pen, data, layout, view.words[layout.left < 80 ? "axis_short" : "axis"]);
  view.over = pen.layer({ "pointer-events": "none" });
  if (data.replaced !== null) markColumn(pen, data, layout, data.replaced, foot, 2);
  drawLegend(view);
}

/** Left border and width: a replaced token stands for those up to the next one, where not all were replaced. */
function stripColumn(data, layout, at) {
  const from = layout.edge(data.places[at]);
  const to = layout.edge((data.places[at + 1] ?? data.places[at] + 1));
  return [from, Math.max(0.5, to - from - (layout.column > 3 ? 0.6 : 0))];
}

function drawBoundaries(pen, data, layout, top, bottom) {
  for (const start of data.segments) {
    if (start > data.first) pen.line(layout.edge(start), top, layout.edge(start), bottom, { stroke: INK.faint, "stroke-width": 1.5 });
  }
}

function markColumn(pen, data, layout, place, foot, width) {
  if (place < data.first) return;
  const x = layout.x(place), half = Math.max(3, layout.column / 2 + 1);
  pen.rect(x - half, layout.top - 3, 2 * half, foot - layout.top + 4, { fill: "none", stroke: INK.text, "stroke-width": width });
}

function lightColumn(view, node) {
  view.over.group.replaceChildren();
  if (!node) return;
  const { data, layout } = view;
  markColumn(view.over, data, layout, data.places[nearest(data, node[1])], layout.heat + layout.layers * layout.row, 1.2);
}

/** The replaced token that stands for a place. */
function nearest(data, place) {
  let best = 0;
  data.places.forEach((one, at) => {
    if (Math.abs(one - place) < Math.abs(data.places[best] - place)) best = at;
  });
  return best;
}
