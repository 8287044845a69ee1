// Arrays to pictures: drawn once for each set of data, then only copied.

// (L, K) values to a canvas of at most `wide` x `high` cells. Where several cells share one pixel, terms are averaged, so that
// nothing is dropped at random, and weights keep their largest, so that a thin line stays. Hidden cells stay transparent.
function bitmap(values, span, shape, table, level, keepLargest, wide, high) {
  const [L, K] = shape;
  const rows = Math.min(L, high), columns = Math.min(K, wide);
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  for (let row = 0, at = 0; row < rows; row++) {
    const top = Math.floor((row * L) / rows), bottom = Math.floor(((row + 1) * L) / rows);
    for (let column = 0; column < columns; column++, at += 4) {
      const left = Math.floor((column * K) / columns), right = Math.floor(((column + 1) * K) / columns);
      let sum = 0, most = -Infinity, seen = 0;
      for (let i = top; i < bottom; i++) {
        const last = Math.min(right - 1, span[2 * i + 1]);
        for (let j = Math.max(left, span[2 * i]); j <= last; j++) {
          const value = values[i * K + j];
          sum += value;
          if (value > most) most = value;
          seen++;
        }
      }
      if (!seen) continue;
      const index = 3 * level(keepLargest ? most : sum / seen);
      image.data[at] = table[index];
      image.data[at + 1] = table[index + 1];
      image.data[at + 2] = table[index + 2];
      image.data[at + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

const clampLevel = (x) => (x <= 0 ? 0 : x >= 255 ? 255 : Math.round(x));
const signedLevel = (limit) => (value) => clampLevel(127.5 * (value / limit + 1));
// On a square-root scale a weight of 1 % is a tenth of the way up, and can be seen beside one of 100 %.
const weightLevel = (limit) => (value) => clampLevel(255 * Math.sqrt(value / limit));

// A colour table as a picture of 256 x 1: the colour bar.
function barBitmap(table) {
  const canvas = document.createElement("canvas");
  canvas.width = 256;
  canvas.height = 1;
  const context = canvas.getContext("2d");
  const image = context.createImageData(256, 1);
  for (let i = 0; i < 256; i++) image.data.set([table[3 * i], table[3 * i + 1], table[3 * i + 2], 255], 4 * i);
  context.putImageData(image, 0, 0);
  return canvas;
}

// One head's weights, already pooled and levelled by figures/overview.py: level 0 is hidden.
function thumbnail(canvas, levels, offset, wide, high, table) {
  canvas.width = wide;
  canvas.height = high;
  const context = canvas.getContext("2d");
  const image = context.createImageData(wide, high);
  for (let n = 0; n < wide * high; n++) {
    const level = levels[offset + n];
    if (level) image.data.set([table[3 * level], table[3 * level + 1], table[3 * level + 2], 255], 4 * n);
  }
  context.putImageData(image, 0, 0);
}
