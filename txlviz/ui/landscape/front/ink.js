// What both figures of the page share: the colours as they are on the screen, and cones as stretches.

const OWN = "var(--own)"; // a system's colour: each figure sets it on the element around what it draws

// The colour that the browser makes of `css` in the viewer's theme, where `probe` stands.
function resolved(probe, css) {
  probe.style.color = css;
  return getComputedStyle(probe).color;
}

// A drawing with its colours written out, for a file that knows no theme.
function withColours(source, probe) {
  for (const css of [OWN, ...Object.values(INK)]) source = source.replaceAll(css, resolved(probe, css));
  return source;
}

// A string cut to about so many pixels, by characters, so that no emoji is halved.
function fitted(string, room, size = 11.5) {
  const most = Math.max(1, Math.floor(room / (0.58 * size)));
  const characters = [...string];
  return characters.length > most ? `${characters.slice(0, Math.max(1, most - 1)).join("")}…` : string;
}

// The lit stretches of a row of `count` nodes, as [first, after].
function stretches(count, lit) {
  const found = [];
  for (let at = 0; at < count; at++) {
    if (!lit(at)) continue;
    const from = at;
    while (at < count && lit(at)) at++;
    found.push([from, at]);
  }
  return found;
}

// A cone into a box: a row a layer, the top layer first; `rows` are strings of 0 and 1.
function drawRows(pen, rows, x, y, width, height, own = OWN) {
  const count = rows[0].length, step = height / rows.length, bar = step * 0.72;
  rows.forEach((row, n) => {
    const top = y + n * step + (step - bar) / 2;
    pen.rect(x, top, width, bar, { fill: INK.faint, "fill-opacity": 0.22 });
    for (const [from, after] of stretches(count, (at) => row[at] === "1")) {
      pen.rect(x + (from * width) / count, top, Math.max(1.4, ((after - from) * width) / count), bar, { fill: own });
    }
  });
}
