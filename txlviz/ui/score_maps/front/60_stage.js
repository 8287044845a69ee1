// The six maps: what stands still (drawStill), and the cross-hair over it (drawCrossHair).

function drawStill(p, scene) {
  const { layout, data, ink, words } = scene;
  for (const box of layout.boxes) {
    drawTitle(p, box, layout, ink);
    drawBand(p, box, scene);
    p.rect(box.x, box.y, box.w, box.h, ink.ground2);
    p.hatch(box.x, box.y, box.w, box.h, ink.hatch);
    p.image(scene.bitmaps[box.name], box.x, box.y, box.w, box.h, box.off ? 0.25 : 1);
    drawBoundary(p, box, data, ink);
    if (box.column !== 0) continue;
    p.text(words.query_axis, 0, box.y - 4, { size: 11, fill: ink.muted });
    p.text(words.key_axis, 0, box.y + box.h + 15, { size: 11, fill: ink.muted });
  }
  for (const { mark } of scene.labels) p.line(...mark, ink.muted);
  drawBars(p, scene, words);
}

function drawTitle(p, box, layout, ink) {
  const size = layout.roomy ? 14.5 : 12.5;
  const title = p.fit(box.title, box.w, size, 600);
  p.text(title, box.x, box.top + 14, { size, weight: 600, fill: ink.text });
  if (box.colour) p.rect(box.x, box.top + 17.5, p.measure(title, size, 600), 3, ink[box.colour]);
  if (layout.roomy) p.text(p.fit(box.note, box.w, 12), box.x, box.top + 34, { size: 12, fill: ink.muted });
}

// Over each map: which keys are memory, fading with age, and which belong to this segment.
function drawBand(p, box, { data, ink, words }) {
  const y = box.y - BAND + 2, h = BAND - 4;
  const edge = box.x + (box.w * data.memory) / data.K;
  const steps = Math.min(data.memory, 24);
  const at = (n) => Math.round(box.x + ((edge - box.x) * n) / steps); // whole pixels, or the steps' edges would show
  for (let n = 0; n < steps; n++) p.rect(at(n), y, at(n + 1) - at(n), h, ink.xl, 0.12 + (0.43 * (n + 1)) / steps);
  p.rect(edge, y, box.x + box.w - edge, h, ink.text, 0.13);
  const label = (text, from, to, fill) => {
    if (p.measure(text, 10.5) + 8 <= to - from) p.text(text, (from + to) / 2, y + 9, { size: 10.5, fill, align: "center" });
  };
  label(words.memory, box.x, edge, ink.text);
  label(words.this_segment, edge, box.x + box.w, ink.text);
}

function drawBoundary(p, box, data, ink) {
  if (!data.memory) return;
  const x = Math.round(box.x + (box.w * data.memory) / data.K);
  p.line(x, box.y - BAND + 2, x, box.y + box.h, ink.ground, 3, [], 0.85);
  p.line(x, box.y - BAND + 2, x, box.y + box.h, ink.text, 1.5);
  const room = p.measure("SG", 11, 700) + 6;
  p.rect(x - room - 2, box.y + box.h - 17, room, 14, ink.ground, 0.9); // on memory's side, where gradient doesn't go
  p.text("SG", x - room / 2 - 2, box.y + box.h - 6, { size: 11, weight: 700, fill: ink.text, align: "center" });
}

// Marks and tokens along the axes, as many as can be read. The labels are drawn with the cross-hair, whose own may cover some.
function axisLabels(p, { data, layout }) {
  const labels = [];
  for (const box of layout.boxes) {
    const rows = box.column === 0 ? Math.min(data.L, Math.floor(box.h / 21)) : 0;
    for (let n = 0; n < rows; n++) {
      const row = Math.floor(((n + 0.5) * data.L) / rows);
      const y = box.y + ((row + 0.5) * box.h) / data.L;
      const text = p.fit(data.inputs[data.start + row], layout.gutter - 8, 11.5);
      labels.push({ box, axis: "query", text, x: box.x - 7, y: y + 4, align: "right", mark: [box.x - 4, y, box.x, y], half: 8 });
    }
    const columns = Math.min(data.K, Math.max(2, Math.floor(box.w / 54)));
    for (let n = 0; n < columns; n++) {
      const column = Math.floor(((n + 0.5) * data.K) / columns);
      const x = box.x + ((column + 0.5) * box.w) / data.K, y = box.y + box.h;
      const text = p.fit(data.inputs[data.firstKey + column], box.w / columns - 6, 11.5);
      const half = p.measure(text, 11.5) / 2;
      labels.push({ box, axis: "key", text, x, y: y + 15, align: "center", mark: [x, y, x, y + 4], half });
    }
  }
  return labels;
}

function drawLabels(p, { labels, ink }, covered) {
  for (const { box, axis, text, x, y, align, half } of labels) {
    const hidden = covered.some((tag) => tag.box === box && tag.axis === axis && Math.abs(tag.at - (axis === "key" ? x : y)) < tag.half + half);
    if (!hidden) p.text(text, x, y, { size: 11.5, fill: ink.muted, align });
  }
}

function drawBars(p, { layout, data, ink, bars }, words) {
  const end = data.limit.toFixed(data.limit < 1 ? 2 : 1);
  const label = layout.roomy ? fill(words.bar_signed, { root: `√${data.dHead}` }) : words.bar_signed_short;
  drawBar(p, bars.signed, layout.bars.signed, [`≤ ${MINUS}${end}`, "0", `≥ ${end}`], label, ink);
  const most = 100 * data.weightLimit;
  const number = (x) => x.toFixed(x < 10 ? 1 : 0);
  const top = `${data.weightLimit < 1 ? "≥ " : ""}${number(most)} %`;
  drawBar(p, bars.weights, layout.bars.weights, ["0", number(most / 4), top], layout.roomy ? words.bar_weights : words.bar_weights_short, ink);
}

// A colour bar with the numbers at its left end, middle and right end.
function drawBar(p, picture, { x, y, w, beside }, numbers, label, ink) {
  p.image(picture, x, y, w, 9);
  ["left", "center", "right"].forEach((align, n) => {
    const at = x + (n * w) / 2;
    p.line(at, y + 9, at, y + 12, ink.muted);
    p.text(numbers[n], at, y + 23, { size: 11, fill: ink.text, align });
  });
  if (beside) p.text(p.fit(label, beside, 11.5), x + w + 14, y + 9, { size: 11.5, fill: ink.muted });
  else p.text(p.fit(label, w, 11), x, y + 36, { size: 11, fill: ink.muted });
}

// Row, column and cell in all maps; in (b) and (d) also the diagonal of equal distance. The tokens stand at the axes.
function drawCrossHair(p, scene) {
  const { layout, data, ink, cell, locked } = scene;
  const row = cell.i - data.start, column = cell.j - data.firstKey;
  const tags = [];
  for (const box of layout.boxes) {
    const cw = box.w / data.K, ch = box.h / data.L;
    const x = box.x + column * cw, y = box.y + row * ch;
    drawLines(p, box, x + cw / 2, y + ch / 2, Math.max(cw, 1.5), Math.max(ch, 1.5), ink);
    if (box.diagonal) drawDiagonal(p, box, data, ink, row, column);
    drawCell(p, x, y, cw, ch, ink, locked);
    tags.push(drawTag(p, data.inputs[cell.j], x + cw / 2, box.y + box.h + 4, "center", box, "key", ink, 110));
    if (box.column === 0) tags.push(drawTag(p, data.inputs[cell.i], box.x - 3, y + ch / 2 - 8, "right", box, "query", ink, layout.gutter - 10));
  }
  drawLabels(p, scene, tags);
}

const TINTED = 8; // pixels

function drawLines(p, box, x, y, cw, ch, ink) {
  const across = (at) => [box.x, at, box.x + box.w, at], down = (at) => [at, box.y, at, box.y + box.h];
  const lines = [];
  // Cells that are large enough to be read by their colour are framed, never tinted.
  if (ch > TINTED) lines.push(across(y - ch / 2), across(y + ch / 2));
  else {
    p.rect(box.x, y - ch / 2, box.w, ch, ink.hair, 0.22);
    lines.push(across(y));
  }
  if (cw > TINTED) lines.push(down(x - cw / 2), down(x + cw / 2));
  else {
    p.rect(x - cw / 2, box.y, cw, box.h, ink.hair, 0.22);
    lines.push(down(x));
  }
  for (const ends of lines) {
    p.line(...ends, ink.ground, 2.5, [], 0.55);
    p.line(...ends, ink.hair, 1);
  }
}

function drawDiagonal(p, box, data, ink, row, column) {
  const back = Math.min(row, column);
  const forth = Math.min(data.L - 1 - row, data.K - 1 - column);
  const at = (n, size, cells) => ((n + 0.5) * size) / cells;
  const ends = [column - back, row - back, column + forth, row + forth];
  const [x0, y0, x1, y1] = ends.map((n, k) => (k % 2 ? box.y + at(n, box.h, data.L) : box.x + at(n, box.w, data.K)));
  p.line(x0, y0, x1, y1, ink.ground, 2.5, [], 0.4);
  p.line(x0, y0, x1, y1, ink.hair, 1, [2, 3]);
}

function drawCell(p, x, y, cw, ch, ink, locked) {
  const grow = locked ? 4 : 3, w = Math.max(cw, 3) + 2 * grow, h = Math.max(ch, 3) + 2 * grow;
  const left = x + cw / 2 - w / 2, top = y + ch / 2 - h / 2;
  const frame = [[left, top, left + w, top], [left + w, top, left + w, top + h], [left + w, top + h, left, top + h], [left, top + h, left, top]];
  for (const [stroke, width] of [[ink.ground, locked ? 5 : 3.5], [locked ? ink.xl : ink.hair, locked ? 2.5 : 1.5]]) {
    for (const [x0, y0, x1, y1] of frame) p.line(x0, y0, x1, y1, stroke, width);
  }
}

// Returns what the tag covers of its axis.
function drawTag(p, token, x, y, align, box, axis, ink, room) {
  const text = p.fit(token, room, 11.5, 600);
  const w = p.measure(text, 11.5, 600) + 8;
  const left = align === "right" ? Math.max(0, x - w) : Math.min(Math.max(x - w / 2, box.x), box.x + box.w - w);
  p.rect(left, y, w, 16, ink.text);
  p.text(text, left + 4, y + 12, { size: 11.5, weight: 600, fill: ink.ground });
  return axis === "key" ? { box, axis, at: left + w / 2, half: w / 2 + 2 } : { box, axis, at: y + 12, half: 9 };
}
