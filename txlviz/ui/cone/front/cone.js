// The cone: nodes, segment boundaries, memory, and one path that reaches furthest.

function fill(words, name, values = {}) {
  return words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
}

function drawCone(view) {
  const { data, svg } = view;
  const layout = (view.layout = coneLayout(data, view.width));
  view.scale = data.values ? scaleOf(data.values) : null;
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
  svg.setAttribute("width", layout.width);
  svg.setAttribute("height", layout.height);
  const pen = new Pen(svg);
  drawMemory(pen, data, layout);
  drawSegments(pen, data, layout, layout.top - 14, layout.bottom + 14);
  drawRowNames(pen, data, layout);
  view.base = pen.layer({ class: "nodes" });
  drawNodes(view, view.base, layout);
  if (data.lens === "change") drawOutline(pen, data, layout);
  view.longest = pen.layer();
  if (!data.values) drawChain(view.longest, layout, chain(data, 0, furthest(data)));
  drawSelected(pen, data, layout);
  drawTokens(pen, data, layout);
  drawAxis(pen, data, layout, view.words[layout.left < 80 ? "axis_short" : "axis"]);
  view.over = pen.layer({ "pointer-events": "none" });
  drawLegend(view);
}

/** What the selected segment remembers of the rows before it: newer rows are stronger. */
function drawMemory(pen, data, layout) {
  const [first, after] = data.memory;
  if (after <= first) return;
  const from = Math.max(first, data.first);
  const slices = Math.min(24, after - from);
  const group = pen.layer({ class: "memory" });
  const top = layout.y(layout.layers - 1) - 14;
  for (let n = 0; n < slices; n++) {
    const one = from + ((after - from) * n) / slices, next = from + ((after - from) * (n + 1)) / slices;
    const age = (next - first) / (after - first);
    const x = layout.edge(one);
    group.rect(x, top, layout.edge(next) - x, layout.bottom + 14 - top, { fill: INK.xl, "fill-opacity": (0.03 + 0.17 * age).toFixed(3) });
  }
}

function drawSegments(pen, data, layout, top, bottom) {
  const after = data.first + layout.count;
  data.segments.forEach((start, n) => {
    const end = Math.min(after, data.segments[n + 1] ?? after);
    const from = layout.edge(Math.max(start, data.first)), to = layout.edge(end);
    if (start > data.first) {
      pen.line(from, top - 2, from, bottom, { stroke: INK.faint, "stroke-width": 1.5 });
      if (data.stopsGradient && layout.column * data.segmentLength >= 26) {
        pen.text(from, top - 6, "SG", { "text-anchor": "middle", "font-size": 11, "font-weight": "bold", fill: INK.faint });
      }
    }
    const name = `${to - from > 96 ? "segment " : ""}${Math.floor(start / data.segmentLength) + 1}`;
    if (to - from > 22) pen.text((from + to) / 2, top - 20, name, { "text-anchor": "middle", fill: INK.faint });
  });
}

function drawRowNames(pen, data, layout) {
  for (let row = 0; row <= layout.layers; row++) {
    const name = row ? `layer ${row}` : layout.left < 80 ? "input" : "embeddings";
    pen.text(layout.left - 12, layout.y(row) + 4, name, { "text-anchor": "end", fill: INK.faint });
  }
}

/** How a node looks: 0 is hollow, more is stronger. */
function nodeStrength(data, scale, row, at) {
  if (data.values) return strength(data.values[row][at], scale);
  return data.reach[row][at] === "1" ? 0.85 : 0;
}

function drawNodes(view, pen, layout) {
  const { data } = view;
  const ink = INK[data.kind];
  for (let row = 0; row <= layout.layers; row++) {
    let at = 0;
    while (at < layout.count) {
      const shade = nodeStrength(data, view.scale, row, at);
      let next = at + 1;
      if (!layout.circles) while (next < layout.count && nodeStrength(data, view.scale, row, next) === shade) next++;
      const attributes = shade
        ? { fill: ink, "fill-opacity": shade.toFixed(3) }
        : { fill: INK.paper, "fill-opacity": 0.6, stroke: INK.faint, "stroke-width": 1, "stroke-opacity": 0.55 };
      if (layout.circles) pen.circle(layout.x(at + data.first), layout.y(row), layout.radius, attributes);
      else {
        const x = layout.left + at * layout.column;
        const width = (next - at) * layout.column - (layout.column > 3 ? 0.6 : 0);
        pen.rect(x, layout.y(row) - (shade ? 7 : 6.5), width, shade ? 14 : 13, attributes);
      }
      at = next;
    }
  }
}

/** The border of what can reach the selected token. */
function drawOutline(pen, data, layout) {
  const left = [], right = [];
  data.reach.forEach((row, n) => {
    const from = layout.edge(data.first + row.indexOf("1")), to = layout.edge(data.first + row.lastIndexOf("1") + 1);
    const low = layout.y(n) + (n ? layout.gap / 2 : 14), high = layout.y(n) - (n < layout.layers ? layout.gap / 2 : 12);
    left.push([from, low], [from, high]);
    right.push([to, low], [to, high]);
  });
  pen.path([...left, ...right.reverse(), left[0]], { stroke: INK.text, "stroke-dasharray": "5 4", "stroke-width": 1.3, class: "outline" });
}

function drawChain(pen, layout, nodes) {
  if (nodes.length < 2) return;
  const points = nodes.map(([row, place]) => [layout.x(place), layout.y(row)]);
  pen.path(points, { stroke: INK.paper, "stroke-width": 5, "stroke-opacity": 0.8 });
  pen.path(points, { stroke: INK.text, "stroke-width": 2, class: "chain" });
  for (const [x, y] of points) pen.circle(x, y, 4, { fill: INK.text, stroke: INK.paper });
}

function drawSelected(pen, data, layout) {
  const x = layout.x(data.selected), r = Math.max(7, layout.radius + 2);
  pen.circle(x, layout.y(layout.layers), r, { fill: "none", stroke: INK.text, "stroke-width": 2.5, class: "selected" });
  if (data.replaced !== null && data.replaced >= data.first) {
    const at = layout.x(data.replaced);
    pen.rect(at - r, layout.bottom - r, 2 * r, 2 * r, { fill: "none", stroke: INK.text, "stroke-width": 2.5, class: "replaced" });
  }
}

function cutToken(token, most) {
  const letters = [...token];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : token;
}

function drawTokens(pen, data, layout) {
  const y = layout.bottom + 22;
  if (layout.written) {
    data.tokens.forEach((token, at) => {
      const x = layout.x(at + data.first);
      const bold = at + data.first === data.selected || at + data.first === data.replaced;
      pen.text(x, y, cutToken(token, 9), {
        transform: `rotate(-90 ${x.toFixed(2)} ${y}) translate(0 4)`, "text-anchor": "end", "font-size": 12, "font-weight": bold ? "bold" : "normal",
      });
    });
    return;
  }
  const named = [[data.selected, "bold"], [data.replaced ?? furthest(data), "normal"]];
  let taken = Infinity;
  for (const [place, weight] of named) {
    if (place === null || place < data.first) continue;
    const x = layout.x(place);
    if (Math.abs(x - taken) < 90) continue; // the figure's facts name both
    const anchor = x > layout.width - 60 ? "end" : x < layout.left + 30 ? "start" : "middle";
    pen.line(x, layout.bottom + 9, x, y - 10, { stroke: INK.text });
    pen.text(x, y + 2, cutToken(data.tokens[place - data.first], 14), { "text-anchor": anchor, "font-weight": weight });
    taken = x;
  }
}

function drawAxis(pen, data, layout, name) {
  pen.line(layout.left, layout.axis, layout.edge(data.first + layout.count), layout.axis, { stroke: INK.line });
  for (const distance of ticks(data, layout)) {
    const x = layout.x(data.selected - distance);
    pen.line(x, layout.axis, x, layout.axis + 5, { stroke: INK.faint });
    pen.text(x, layout.axis + 18, String(distance), { "text-anchor": "middle", "font-size": 11.5, fill: INK.faint });
  }
  pen.text(layout.left - 12, layout.axis + 18, name, { "text-anchor": "end", "font-size": 11.5, fill: INK.faint });
}
