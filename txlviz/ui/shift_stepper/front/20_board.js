// Drawing: groups that move, made once for each set of data.

const SVG = "http://www.w3.org/2000/svg";
const HEAD = 42; // pixels above the matrix for the columns' names

function svgElement(tag, attributes = {}, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const ruler = document.createElement("canvas").getContext("2d");

function fitted(text, room, size, font) {
  ruler.font = `${size}px ${font}`;
  const letters = [...text];
  if (ruler.measureText(text).width <= room) return text;
  while (letters.length > 1 && ruler.measureText(`${letters.join("")}…`).width > room) letters.pop();
  return `${letters.join("")}…`;
}

// Sizes for a board of so many columns and rows in so many pixels.
function sizes(width, columns, rows) {
  const side = width < 520 ? 62 : 104;
  const w = Math.max(14, Math.min(64, Math.floor((width - side) / columns)));
  return { side, w, h: Math.min(40, Math.max(25, Math.floor(330 / rows))) };
}

function cellGroup({ n, value, distance, pad }, K, size) {
  const { w, h } = size;
  const group = svgElement("g", { class: `cell${pad ? " pad" : ""}` });
  const box = svgElement("rect", { class: "box", width: w, height: h, rx: 3 });
  group.append(box);
  const colours = pad ? null : colourOf(distance, K);
  if (colours) box.setAttribute("fill", colours.fill);
  const ink = colours ? { fill: colours.ink } : {};
  if (colours) group.style.setProperty("--halo", colours.fill); // around numbers on hatched ground
  // Side by side: the distance in the corner, the number beside it. Stacked where there is height but no width; else no number.
  const stacked = w < 46 && h >= 32, small = w < (stacked ? 31 : 36);
  const veil = svgElement("rect", { class: "veil", width: w, height: h, rx: 3 });
  group.append(veil, hatch(w, h));
  if (!small) {
    const at = stacked ? { x: w / 2, y: h / 2 + 8, "text-anchor": "middle" } : { x: w - (w < 46 ? 3 : 5), y: h / 2 + (h < 32 ? 6.5 : 4.5), "text-anchor": "end" };
    group.append(svgElement("text", { ...at, "font-size": w >= 46 ? 13 : 10.5, class: "value", ...ink }, pad ? "0" : signed(value)));
  }
  if (!pad) {
    const middle = small || stacked;
    const at = { x: middle ? w / 2 : 3.5, y: small ? h / 2 + 4 : h < 32 ? 9 : 10.5, "text-anchor": middle ? "middle" : "start" };
    group.append(svgElement("text", { ...at, "font-size": small ? 11 : h < 32 ? 8 : 9, class: "tag", ...ink }, String(distance)));
  }
  for (const [name, inset] of [["ring", 0.5], ["ring2", 2.5]]) {
    group.append(svgElement("rect", { class: name, x: inset, y: inset, width: w - 2 * inset, height: h - 2 * inset, rx: 3 }));
  }
  group.dataset.n = n;
  return group;
}

function hatch(w, h) {
  let path = "";
  for (let at = 6; at < w + h; at += 7) {
    const x0 = Math.min(at, w), y0 = at - x0, y1 = Math.min(at, h), x1 = at - y1;
    path += `M${x0} ${y0}L${x1} ${y1}`;
  }
  const group = svgElement("g", { class: "hatch" });
  group.append(svgElement("path", { d: path, class: "hatchline", fill: "none" }));
  return group;
}

function place(group, size, row, column) {
  const [x, y] = [size.side + column * size.w, HEAD + row * size.h];
  group.style.transform = `translate(${x}px, ${y}px)`;
  Object.assign(group.dataset, { row, column, x, y });
}

// The names of rows or columns; `kind` says at which steps they show.
function axis(kind) {
  return svgElement("g", { class: "axis", "data-kind": kind });
}

function columnNames(kind, names, offset, title, size, font) {
  const made = axis(kind);
  names.forEach((name, column) => {
    const x = size.side + (column + offset + 0.5) * size.w;
    const label = svgElement("text", { x, y: HEAD - 8, "text-anchor": "middle", "font-size": 12, direction: "ltr", "data-column": column });
    label.textContent = fitted(name, size.w - 3, 12, font);
    made.append(label);
  });
  made.append(svgElement("text", { class: "name", x: size.side, y: 14, "font-size": 12 }, title));
  return made;
}

function rowNames(names, title, size, font) {
  const made = axis("query");
  names.forEach((name, row) => {
    const y = HEAD + (row + 0.5) * size.h + 4.5;
    const label = svgElement("text", { x: size.side - 8, y, "text-anchor": "end", "font-size": 13, direction: "ltr", "data-row": row });
    label.textContent = fitted(name, size.side - 10, 13, font);
    made.append(label);
  });
  made.append(svgElement("text", { class: "name", x: size.side - 8, y: HEAD - 8, "text-anchor": "end", "font-size": 12 }, title));
  return made;
}
