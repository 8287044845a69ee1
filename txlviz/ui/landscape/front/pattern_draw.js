// One pattern: queries down, keys across, the past to the left; below it, in the same columns, the cone of the selected token.

const GUTTER = 76, AXIS = 20, ROW = 14, SIDE = 296;
const SHARES = [0, 1, 0.55, 0.3]; // how strong a kind of key is drawn: hidden, near, far, everywhere

function layOut(data, width) {
  const T = data.header.tokens.length, side = Math.max(120, Math.min(SIDE, width - GUTTER - 6));
  const layers = data.arrays.cone ? data.arrays.cone.length / T : 0;
  const coneTop = 6 + side + AXIS + 4;
  return {
    T, side, layers, coneTop, left: GUTTER, top: 6, width: GUTTER + side + 6,
    height: layers ? coneTop + layers * ROW + 20 : 6 + side + AXIS,
    at: (n) => GUTTER + ((n + 0.5) * side) / T,
    down: (n) => 6 + ((n + 0.5) * side) / T,
  };
}

// (T, T) cells as a picture of T x T pixels; what is hidden stays transparent.
function cellsOf(view) {
  const { header, arrays } = view.data, T = header.tokens.length;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = T;
  const context = canvas.getContext("2d"), image = context.createImageData(T, T);
  const dark = resolved(view.probe, "light-dark(rgb(0,0,0), rgb(255,255,255))").includes("255");
  const [r, g, b] = resolved(view.probe, OWN).match(/[\d.]+/g).map(Number);
  const colours = arrays[dark ? "table_dark" : "table_light"];
  for (let n = 0; n < T * T; n++) {
    const kind = arrays.kinds[n];
    if (!kind) continue;
    if (header.shown === "mask") image.data.set([r, g, b, Math.round(255 * SHARES[kind])], 4 * n);
    else {
      const from = 3 * levelOf(header, arrays.values[n]);
      image.data.set([colours[from], colours[from + 1], colours[from + 2], 255], 4 * n);
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// 0 to 255. Weights on a square-root scale: one of 1 % is a tenth of the way up, and can be seen beside one of 100 %.
function levelOf(header, value) {
  const x = header.shown === "signed" ? 127.5 * (value / header.limit + 1) : 255 * Math.sqrt(Math.max(0, value) / header.limit);
  return Math.max(0, Math.min(255, Math.round(x)));
}

function drawPattern(view) {
  const { header } = view.data, g = (view.layout = layOut(view.data, view.width));
  view.svg.replaceChildren();
  for (const [name, value] of Object.entries({ width: g.width, height: g.height, viewBox: `0 0 ${g.width} ${g.height}` })) view.svg.setAttribute(name, value);
  const pen = new Pen(view.svg);
  pen.rect(g.left, g.top, g.side, g.side, { fill: INK.faint, "fill-opacity": 0.1 });
  pen.make("image", { href: cellsOf(view).toDataURL(), x: g.left, y: g.top, width: g.side, height: g.side, preserveAspectRatio: "none", style: "image-rendering: pixelated" });
  for (const start of header.starts.filter((one) => one > 0)) {
    const x = g.left + (start * g.side) / g.T, y = g.top + (start * g.side) / g.T;
    pen.line(x, g.top, x, g.top + g.side, { stroke: INK.text, "stroke-opacity": 0.45, "stroke-dasharray": "2 3" });
    pen.line(g.left, y, g.left + g.side, y, { stroke: INK.text, "stroke-opacity": 0.45, "stroke-dasharray": "2 3" });
  }
  drawAxes(pen, view, g);
  if (g.layers) drawCone(pen, view, g);
  view.over = pen.layer({ "pointer-events": "none" });
  drawLegend(view);
}

function drawAxes(pen, { data: { header } }, g) {
  const rows = Math.min(g.T, Math.floor(g.side / 20)), columns = Math.min(g.T, Math.max(2, Math.floor(g.side / 58)));
  for (let n = 0; n < rows; n++) {
    const place = Math.floor(((n + 0.5) * g.T) / rows);
    pen.text(g.left - 6, g.down(place) + 4, fitted(header.tokens[place], g.left - 8, 11), { "text-anchor": "end", "font-size": 11, fill: INK.faint });
  }
  const y = g.top + g.side;
  for (let n = 0; n < columns; n++) {
    const place = Math.floor(((n + 0.5) * g.T) / columns);
    pen.line(g.at(place), y, g.at(place), y + 3, { stroke: INK.faint });
    pen.text(g.at(place), y + 14, fitted(header.tokens[place], g.side / columns - 4, 11), { "text-anchor": "middle", "font-size": 11, fill: INK.faint });
  }
  pen.text(g.left - 6, y + 14, header.words.axis, { "text-anchor": "end", "font-size": 11, fill: INK.faint });
}

function drawCone(pen, { data: { header, arrays } }, g) {
  const rows = coneRows(arrays.cone, g.T);
  drawRows(pen, rows, g.left, g.coneTop, g.side, g.layers * ROW);
  rows.forEach((_, n) => {
    const name = n === g.layers - 1 ? header.words.row_input : fill(header.words.row_layer, { n: g.layers - 1 - n });
    pen.text(g.left - 6, g.coneTop + n * ROW + 11, name, { "text-anchor": "end", "font-size": 11, fill: INK.faint });
  });
  const x = g.at(header.selected), y = g.coneTop + g.layers * ROW;
  pen.line(x, g.coneTop - 2, x, y + 3, { stroke: INK.text, "stroke-width": 1.5 });
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200].find((one) => (one * g.side) / g.T >= 34) ?? 500;
  for (let back = 0; back <= header.selected; back += step) {
    pen.line(g.at(header.selected - back), y, g.at(header.selected - back), y + 4, { stroke: INK.faint });
    pen.text(g.at(header.selected - back), y + 15, String(back), { "text-anchor": "middle", "font-size": 11, fill: INK.faint });
  }
  pen.text(g.left - 6, y + 15, header.words.axis_back, { "text-anchor": "end", "font-size": 11, fill: INK.faint });
}

// The cone's rows as strings, the top layer first; the bytes have the inputs first.
function coneRows(cone, T) {
  const rows = [];
  for (let at = cone.length - T; at >= 0; at -= T) rows.push([...cone.slice(at, at + T)].join(""));
  return rows;
}

function drawLegend(view) {
  const { header, arrays } = view.data, { words } = header;
  const parts = [];
  if (header.shown === "mask") {
    const found = new Set(arrays.kinds);
    for (const [kind, name] of [[1, header.near], [2, header.far], [3, header.everywhere]]) {
      if (!found.has(kind)) continue;
      const part = element("span"), mark = element("i");
      mark.style.opacity = SHARES[kind];
      part.append(mark, name);
      parts.push(part);
    }
  } else {
    const part = element("span"), bar = document.createElement("canvas");
    const dark = resolved(view.probe, "light-dark(rgb(0,0,0), rgb(255,255,255))").includes("255");
    const colours = arrays[dark ? "table_dark" : "table_light"];
    bar.width = 256;
    bar.height = 1;
    const context = bar.getContext("2d"), image = context.createImageData(256, 1);
    for (let n = 0; n < 256; n++) image.data.set([colours[3 * n], colours[3 * n + 1], colours[3 * n + 2], 255], 4 * n);
    context.putImageData(image, 0, 0);
    const end = header.shown === "signed" ? String(header.limit) : `${Math.round(100 * header.limit)} %`;
    part.append(header.shown === "signed" ? `≤ ${MINUS}${end}` : "0", bar, header.shown === "signed" ? `≥ ${end}` : end, ` ${words[`bar_${header.shown}`]}`);
    parts.push(part);
  }
  view.legend.replaceChildren(...parts);
}
