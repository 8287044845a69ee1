// The score ladder: for the keys that the query looks at most, each term as a step that begins where the one before ended; what
// they reach is the score, and beside it what softmax makes of it.

const RUNGS = 6;

class Ladder {
  constructor(root, onPick) {
    const own = (name) => root.querySelector(`.ladder ${name}`);
    Object.assign(this, { box: own(".rungs"), title: own(".small-title"), rest: own(".rest"), note: own(".note") });
    this.rungs = Array.from({ length: RUNGS + 1 }, (_, n) => this.rung(n, onPick));
    this.row = null;
  }

  rung(n, onPick) {
    const button = element("button", "rung");
    button.type = "button";
    button.dataset.testid = `rung-${n}`;
    const parts = { button, key: element("span", "key"), far: element("span", "far"), weight: element("span", "weight") };
    const steps = element("span", "steps");
    parts.zero = element("i", "zero");
    parts.bars = ["a", "b", "c", "d"].map((term) => element("i", `step ${term}`));
    parts.score = element("i", "reached");
    steps.append(parts.zero, ...parts.bars, parts.score);
    parts.share = element("i", "share");
    const track = element("span", "shares");
    track.append(parts.share);
    button.append(parts.key, parts.far, parts.weight, steps, track);
    button.addEventListener("click", () => onPick(parts.place));
    this.box.append(button);
    return parts;
  }

  // Rows of other data are other rows.
  reset() {
    this.row = null;
  }

  show(scene) {
    const { data, words, cell } = scene;
    const row = cell.i - data.start;
    if (row !== this.row || !this.rungs.some((rung) => rung.place === cell.j)) this.fillRow(scene, row);
    for (const rung of this.rungs) rung.button.classList.toggle("current", rung.place === cell.j);
    this.title.textContent = fill(words.ladder_title, { query: data.inputs[cell.i], i: cell.i });
  }

  fillRow({ data, words, header, cell }, row) {
    this.row = row;
    const base = row * data.K, weights = data.arrays.weights;
    const keys = strongest(weights, base, data.span[2 * row], data.span[2 * row + 1], RUNGS);
    const chosen = cell.j - data.firstKey;
    if (!keys.includes(chosen)) keys.push(chosen);
    const on = header.terms.filter((term) => !term.off).map((term) => term.name);
    const ladders = keys.map((key) => climb(on.map((name) => [name, data.arrays[name][base + key]])));
    const ends = ladders.flat().flatMap((step) => [step.from, step.to]);
    const low = Math.min(0, ...ends), high = Math.max(0, ...ends), room = high - low || 1;
    const at = (value) => `${(100 * (value - low)) / room}%`;
    const most = Math.max(...keys.map((key) => weights[base + key])) || 1;
    this.rungs.forEach((rung, n) => {
      rung.button.hidden = n >= keys.length;
      rung.place = n < keys.length ? data.firstKey + keys[n] : null;
      if (n >= keys.length) return;
      const weight = weights[base + keys[n]], back = cell.i - rung.place;
      rung.key.textContent = data.inputs[rung.place];
      rung.far.textContent = back ? counted(words, "back", back) : words.itself;
      rung.far.classList.toggle("memory", rung.place < data.start);
      rung.weight.textContent = percent(weight, 1);
      rung.share.style.width = `${(100 * weight) / most}%`;
      rung.zero.style.left = at(0);
      rung.bars.forEach((bar, k) => placeStep(bar, ladders[n].find((step) => step.name === "abcd"[k]), at, room));
      rung.score.style.left = at(ladders[n].at(-1)?.to ?? 0);
    });
    const covered = keys.reduce((sum, key) => sum + weights[base + key], 0);
    const others = data.span[2 * row + 1] - data.span[2 * row] + 1 - keys.length;
    this.rest.textContent = others ? fill(words.ladder_rest, { n: others, weight: percent(Math.max(0, 1 - covered), 1) }) : "";
    this.note.textContent = words.ladder_note;
  }
}

function placeStep(bar, step, at, room) {
  bar.hidden = !step;
  if (!step) return;
  bar.style.left = at(Math.min(step.from, step.to));
  bar.style.width = `${(100 * Math.abs(step.to - step.from)) / room}%`;
}

// [[name, value]] to steps, each from where the one before ended.
function climb(terms) {
  let reached = 0;
  return terms.map(([name, value]) => ({ name, from: reached, to: (reached += value) }));
}

// The columns of the `count` largest weights of a row, largest first.
function strongest(weights, base, first, last, count) {
  const columns = [];
  for (let j = first; j <= last; j++) columns.push(j);
  columns.sort((x, y) => weights[base + y] - weights[base + x] || y - x);
  return columns.slice(0, count);
}
