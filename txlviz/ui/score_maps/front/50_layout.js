// Where everything stands on the stage, from its width alone.

const TITLE = 20, SUBTITLE = 17, BAND = 16, TICKS = 21, BARS = 42;

// `room`: the height that is left for the stage on the screen, as long as the page isn't scrolled.
function layOut(width, room, maps) {
  const columns = width >= 600 ? 3 : width >= 300 ? 2 : 1;
  const roomy = columns === 3;
  const gutter = roomy ? 70 : 44;
  const gap = roomy ? 20 : 12;
  const subtitle = roomy ? SUBTITLE : 0;
  const w = Math.floor((width - gutter - gap * (columns - 1) - 2) / columns);
  const around = TITLE + subtitle + BAND + TICKS + (roomy ? 4 : 8);
  const h = Math.floor(roomy ? Math.min(Math.max((room - BARS) / 2 - around, 140), 300) : Math.min(Math.max(0.85 * w, 120), 240));
  const step = around + h;
  const boxes = maps.map((map, n) => {
    // With three columns the terms make a square (keys as content, keys as positions), and what they add up to stands beside it.
    const row = roomy ? Number(["c", "d", "weights"].includes(map.slot)) : Math.floor(n / columns);
    const column = roomy ? { a: 0, b: 1, c: 0, d: 1, score: 2, weights: 2 }[map.slot] : n % columns;
    const top = row * step;
    return { ...map, row, column, w, h, x: gutter + column * (w + gap), top, y: top + TITLE + subtitle + BAND };
  });
  const rows = 1 + Math.max(...boxes.map((box) => box.row));
  const [first, second] = boxes, last = boxes[roomy ? 4 : columns - 1];
  // The bar of the signed scale stands under the terms, that of the weights under the last column.
  const under = columns === 1 ? BARS : 0;
  const bars = {
    signed: { x: first.x, y: rows * step + 4, w: Math.min(w, 300), beside: roomy ? second.x - first.x - 14 : 0 },
    weights: { x: last.x, y: rows * step + 4 + under, w: last.w, beside: 0 },
  };
  return { width, gutter, roomy, columns, boxes, bars, height: rows * step + BARS + under };
}

// The cell under a point, or null. Beyond a row's visible keys it is the nearest visible one.
function cellAt(layout, data, x, y, near = 0) {
  const box = layout.boxes.find((b) => x >= b.x - near && x < b.x + b.w + near && y >= b.y - near && y < b.y + b.h + near);
  if (!box) return null;
  const row = Math.min(Math.max(Math.floor(((y - box.y) / box.h) * data.L), 0), data.L - 1);
  const column = Math.floor(((x - box.x) / box.w) * data.K);
  return { row, column: toVisible(data, row, column) };
}

function toVisible(data, row, column) {
  return Math.min(Math.max(column, data.span[2 * row]), data.span[2 * row + 1]);
}
