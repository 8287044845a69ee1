// The same facts as a table, and as files to keep: made here, sent nowhere.

const COLUMNS = ["a", "b", "c", "d", "score", "weight"];

function values(data, row, column) {
  const at = row * data.K + column;
  return ["a", "b", "c", "d", "score", "weights"].map((name) => data.arrays[name][at]);
}

// The selected query's row: one line a visible key.
function factsTable({ data, words, cell }) {
  const row = cell.i - data.start;
  const table = element("table");
  const heads = [words.table_key, words.table_place, words.table_distance, ...COLUMNS.map((name) => words[`table_${name}`] ?? name)];
  const line = table.createTHead().insertRow();
  for (const head of heads) line.append(element("th", "", head));
  const body = table.createTBody();
  for (let j = data.span[2 * row]; j <= data.span[2 * row + 1]; j++) {
    const place = data.firstKey + j, facts = values(data, row, j), tr = body.insertRow();
    const weight = facts.pop();
    const cells = [data.inputs[place], place, cell.i - place, ...facts.map((value) => signed(value)), percent(weight)];
    for (const text of cells) tr.insertCell().textContent = text;
    tr.classList.toggle("current", place === cell.j);
  }
  table.createCaption().textContent = fill(words.table_caption, { query: data.inputs[cell.i], i: cell.i });
  return table;
}

// All visible cells of the segment. Fields that hold text are quoted, so that a comma in a token stays in it.
function factsCsv({ data }) {
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  const lines = [["query_place", "query_token", "key_place", "key_token", "distance", ...COLUMNS].join(",")];
  for (let row = 0; row < data.L; row++) {
    for (let j = data.span[2 * row]; j <= data.span[2 * row + 1]; j++) {
      const i = data.start + row, place = data.firstKey + j;
      lines.push([i, quoted(data.inputs[i]), place, quoted(data.inputs[place]), i - place, ...values(data, row, j)].join(","));
    }
  }
  return lines.join("\r\n") + "\r\n";
}

const CAPTION = 36, MARGIN = 16;

const pictureSize = (layout) => [layout.width + 2 * MARGIN, layout.height + CAPTION + 2 * MARGIN];

// Maps, cross-hair and the cell's sentence, as one picture.
function drawAll(p, scene, caption) {
  const { layout, ink } = scene;
  const [width, height] = pictureSize(layout);
  p.rect(-MARGIN, -MARGIN, width, height, ink.ground);
  drawStill(p, scene);
  drawCrossHair(p, scene);
  caption.forEach((line, n) => p.text(p.fit(line, layout.width, 12.5), 0, layout.height + 14 + 18 * n, { size: 12.5, fill: ink.text }));
}

function pictureSvg(scene, caption, font, ruler) {
  const p = new SvgPainter(...pictureSize(scene.layout), MARGIN, font, ruler);
  drawAll(p, scene, caption);
  return p.toString();
}

function picturePng(scene, caption, font) {
  const canvas = document.createElement("canvas");
  const scale = 2;
  [canvas.width, canvas.height] = pictureSize(scene.layout).map((size) => size * scale);
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.translate(MARGIN, MARGIN);
  drawAll(new CanvasPainter(context, font), scene, caption);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
