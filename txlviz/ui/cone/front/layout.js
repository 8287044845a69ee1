// Where everything stands. Columns are places, the past to the left; rows are layers, the embeddings at the bottom.

const CIRCLES_FROM = 6; // pixels a column: with less, nodes are cells
const TOKENS_FROM = 13; // pixels a column: with less, only a few tokens are written under their columns

function columnsOf(data, width) {
  const left = width < 520 ? 58 : 84;
  const count = data.tokens.length;
  const column = (width - left - 10) / count;
  return {
    left,
    count,
    column,
    radius: Math.min(column * 0.4, 8),
    circles: column >= CIRCLES_FROM,
    x: (place) => left + (place - data.first + 0.5) * column, // the middle of a column
    edge: (place) => left + (place - data.first) * column, // its left border
    at: (x) => Math.max(0, Math.min(count - 1, Math.floor((x - left) / column))) + data.first,
  };
}

function coneLayout(data, width) {
  const columns = columnsOf(data, width);
  const layers = data.reach.length - 1;
  const gap = layers > 3 ? 45 : 70;
  const top = 46;
  const bottom = top + layers * gap;
  const written = columns.column >= TOKENS_FROM;
  const axis = bottom + (written ? 92 : 42);
  return { ...columns, layers, gap, top, bottom, written, axis, width, height: axis + 26, y: (row) => bottom - row * gap };
}

function stripLayout(data, width) {
  const columns = columnsOf(data, width);
  const layers = data.layers.length;
  const bars = 64, row = 13, top = 8;
  const heat = top + bars + 6;
  const axis = heat + layers * row + 6;
  return { ...columns, layers, bars, row, top, heat, axis, width, height: axis + 26, y: (layer) => heat + (layers - layer) * row };
}

/** Round distances for the marks of the axis. */
function ticks(data, layout) {
  const back = data.selected - data.first;
  const least = (back * 58) / Math.max(1, back * layout.column);
  const step = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].find((size) => size >= least) ?? 2048;
  const made = [];
  for (let distance = 0; distance <= back; distance += step) made.push(distance);
  return made;
}
