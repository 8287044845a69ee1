// Holds the parts together: data in, a cell that follows the cursor, and what Python is told.

const FOLLOW = "txlviz-cell"; // the event by which two sets of maps on one page keep the same cell
const TELL_AFTER = 250; // ms of rest before Python hears of a cell: holding an arrow key is one message, not thirty
const ASK_AFTER = 100; // ms before Python is asked for another segment: a drag over several asks for the last
const ASK_AGAIN = 2000; // ms without an answer

class App {
  constructor(root) {
    this.root = root;
    this.stage = root.querySelector(".stage");
    [this.base, this.over] = root.querySelectorAll(".stage canvas");
    this.equation = new Equation(root);
    this.ladder = new Ladder(root, (place) => this.moveTo(this.scene.cell.i, place));
    this.walker = new Walker(root, (place) => this.walk(place));
    this.overview = new Overview(root, (layer, head) => this.component.setTriggerValue("pick", [layer, head]));
    this.watcher = new ResizeObserver(() => this.resized());
    this.told = 0;
    this.sent = new Map(); // number of a message to Python, and the place that it named
    this.pending = null; // where the hand already is, while the segment there hasn't come yet
    this.asking = null;
    this.follow = (event) => this.followed(event.detail);
    this.listen();
    listenToMenu(this);
  }

  // Called by Streamlit with each new set of data.
  receive(component) {
    this.component = component;
    this.watcher.observe(this.stage);
    document.addEventListener(FOLLOW, this.follow);
    const { header, arrays } = unpack(component.data);
    const [L, K] = arrays.score.shape;
    const data = { ...header, arrays, L, K, span: arrays.span, memory: header.start - header.firstKey };
    const before = this.scene;
    this.scene = { data, header, words: header.words, cell: this.cellFor(data, before), locked: before?.locked ?? false };
    this.arrived(data, before);
    this.ladder.reset();
    this.root.classList.toggle("quiz", header.quiz);
    this.root.classList.toggle("compact", header.compact);
    this.equation.build(this.scene);
    this.walker.build(this.scene);
    this.overview.build(this.scene);
    this.showFoot();
    this.build();
    this.root.dataset.stamp = header.stamp;
    this.root.dataset.layer = header.layer;
    this.root.dataset.head = header.head;
    this.root.dataset.segment = header.segment;
  }

  // The cell to show with new data: the same places of the text where they are still there, else the selected query.
  cellFor(data, before) {
    const same = before && before.data.textStamp === data.textStamp;
    // What this hand said a while ago comes back: the hand has gone on since.
    const echo = data.heard !== before?.data.heard && this.sent.get(data.heard) === data.selected;
    for (const number of this.sent.keys()) if (number <= data.heard) this.sent.delete(number);
    const i = same && (echo || data.selected === before.data.selected) ? before.cell.i : data.selected;
    const row = Math.min(Math.max(i - data.start, 0), data.L - 1);
    let column = same ? before.cell.j - data.firstKey : -1;
    if (column < data.span[2 * row] || column > data.span[2 * row + 1]) {
      column = strongestKey(data, row, !same);
    }
    return { i: data.start + row, j: data.firstKey + column };
  }

  showFoot() {
    const { header, words } = this.scene;
    const badge = this.root.querySelector(".badge");
    const good = header.residual <= header.residualLimit;
    badge.classList.toggle("bad", !good);
    badge.textContent = fill(good ? words.residual_good : words.residual_bad, {
      residual: header.residual.toExponential(1),
      limit: header.residualLimit.toExponential(0),
    });
    badge.dataset.value = header.residual;
  }

  // Everything that stands still: bitmaps, titles, axes.
  build() {
    const { data, header, words } = this.scene;
    const width = this.stage.clientWidth;
    if (!width) return; // not laid out yet: the observer calls again
    const ratio = window.devicePixelRatio || 1;
    const layout = layOut(width, this.roomBelow(), header.maps);
    const ink = inks(this.root);
    const signedTable = ink.dark ? data.arrays.signed_dark : data.arrays.signed_light;
    const bitmaps = {};
    for (const box of layout.boxes) {
      const weights = box.slot === "weights";
      const level = weights ? weightLevel(data.weightLimit) : signedLevel(data.limit);
      const table = weights ? data.arrays.cividis : signedTable;
      const [wide, high] = [Math.round(box.w * ratio), Math.round(box.h * ratio)];
      bitmaps[box.name] = bitmap(data.arrays[box.name], data.span, [data.L, data.K], table, level, weights, wide, high);
    }
    const bars = { signed: barBitmap(signedTable), weights: barBitmap(data.arrays.cividis) };
    Object.assign(this.scene, { layout, ink, bitmaps, bars, words });
    this.stage.style.height = `${layout.height}px`;
    this.stage.setAttribute("aria-label", words.stage_label);
    [this.still, this.moving] = [this.base, this.over].map((canvas) => {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(layout.height * ratio);
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
      return new CanvasPainter(canvas.getContext("2d"), ink.font);
    });
    this.scene.labels = axisLabels(this.still, this.scene);
    drawStill(this.still, this.scene);
    this.width = width;
    this.ground = ink.ground;
    this.show();
  }

  // Pixels from the stage's top to the lower edge of the window, as if the page weren't scrolled.
  roomBelow() {
    const scrolled = this.root.getRootNode().host?.closest(".stMain")?.scrollTop ?? 0;
    return window.innerHeight - 24 - (this.stage.getBoundingClientRect().top + scrolled);
  }

  // Everything that moves with the cell.
  show() {
    const { scene } = this;
    if (!scene.layout) return;
    this.moving.context.clearRect(0, 0, scene.layout.width, scene.layout.height);
    drawCrossHair(this.moving, scene);
    this.root.classList.toggle("locked", scene.locked);
    this.equation.show(scene);
    this.ladder.show(scene);
    this.walker.show(scene, this.hand().i);
    const table = this.root.querySelector(".table");
    if (!table.hidden) table.replaceChildren(factsTable(scene));
  }

  showSoon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.show();
      const { data, cell } = this.scene;
      document.dispatchEvent(new CustomEvent(FOLLOW, { detail: { from: this, textStamp: data.textStamp, cell } }));
    });
  }

  // Another set of maps of the same text shows another cell: show the same one here, as near as it can be seen.
  followed({ from, textStamp, cell }) {
    const { scene } = this;
    if (from === this || scene?.data.textStamp !== textStamp) return;
    const row = cell.i - scene.data.start;
    if (row < 0 || row >= scene.data.L) return;
    scene.cell = { i: cell.i, j: scene.data.firstKey + toVisible(scene.data, row, cell.j - scene.data.firstKey) };
    this.show();
  }

  // What came may be behind the hand: the cell is where the hand is, or the question is asked again.
  arrived(data, before) {
    const { pending } = this;
    if (before && before.data.textStamp !== data.textStamp) this.forget();
    else if (pending && isIn(data, pending.i)) {
      this.forget();
      this.scene.cell = { i: pending.i, j: data.firstKey + toVisible(data, pending.i - data.start, pending.j - data.firstKey) };
      if (pending.i !== data.selected) this.tell(TELL_AFTER);
    } else if (pending && data.segment !== before?.data.segment) this.askAgain();
  }

  // Locks a cell, given by its places in the text, and tells Python when the hand rests.
  moveTo(i, j) {
    const { scene } = this, { data } = scene;
    const row = i - data.start;
    if (!isIn(data, i)) return this.walk(i, j);
    if (this.pending) this.pending = { i, j }; // what was asked for is still on its way
    scene.cell = { i, j: data.firstKey + toVisible(data, row, j - data.firstKey) };
    scene.locked = true;
    this.showSoon();
    if (!this.pending) this.tell(TELL_AFTER);
  }

  // The query moves along the text; beyond this segment Python has to bring the next one.
  walk(place, key = this.hand().j) {
    const { scene } = this, { data } = scene;
    if (place < 0 || place >= data.inputs.length) return;
    if (isIn(data, place)) return this.moveTo(place, key);
    scene.locked = true;
    this.pending = { i: place, j: key };
    this.walker.show(scene, place);
    this.ask();
  }

  // The cell from which the next step goes.
  hand() {
    return this.pending ?? this.scene.cell;
  }

  // One question at a time, so that a held key neither waits for its release nor interrupts the answer.
  ask() {
    clearTimeout(this.timer);
    this.asking ??= setTimeout(() => {
      this.asking = setTimeout(() => this.askAgain(), ASK_AGAIN);
      this.send(this.pending);
    }, ASK_AFTER);
  }

  askAgain() {
    clearTimeout(this.asking);
    this.asking = null;
    if (!this.pending || isIn(this.scene.data, this.pending.i)) this.pending = null;
    else this.ask();
  }

  forget() {
    clearTimeout(this.asking);
    this.asking = this.pending = null;
  }

  tell(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(this.scene.cell), wait);
  }

  send({ i, j }) {
    this.sent.set(++this.told, i);
    this.component.setStateValue("cell", { query: i, key: j, locked: this.scene.locked, count: this.told });
  }

  unlock() {
    this.forget();
    this.scene.locked = false;
    this.showSoon();
  }

  resized() {
    if (this.scene && this.stage.clientWidth !== this.width) this.build();
  }

  leave() {
    this.watcher.disconnect();
    document.removeEventListener(FOLLOW, this.follow);
    clearTimeout(this.timer);
    clearTimeout(this.asking);
    this.asking = null;
  }
}

const isIn = (data, place) => place >= data.start && place < data.start + data.L;

// The column with the largest weight in a row. At first sight one in memory, or at least another token: that is what there is to see.
function strongestKey(data, row, first) {
  const [from, to] = [data.span[2 * row], data.span[2 * row + 1]];
  const best = (last) => strongest(data.arrays.weights, row * data.K, from, last, 1)[0];
  if (!first) return best(to);
  const own = data.memory + row; // the query's own column
  return best(from < data.memory ? data.memory - 1 : Math.max(from, Math.min(to, own - 1)));
}

// Colours as the theme has them now, resolved for the canvas.
function inks(root) {
  const style = getComputedStyle(root);
  const named = {};
  for (const swatch of root.querySelectorAll(".swatches i")) named[swatch.dataset.name] = plainColour(getComputedStyle(swatch).color);
  const ground = plainColour(style.backgroundColor), text = plainColour(style.color);
  const dark = brightness(ground) < 128;
  const muted = plainColour(getComputedStyle(root.querySelector(".walk-out")).color);
  const fixed = dark
    ? { hatch: "#3a3a42", ground2: "#1d1d22", hair: "#ffffff" }
    : { hatch: "#dcdad5", ground2: "#f8f7f4", hair: "#111111" };
  return { ...named, ...fixed, ground, text, muted, dark, font: style.fontFamily };
}

// What color-mix() makes is computed to "color(srgb 0.4 0.4 0.4)", which not every program that opens an SVG reads.
function plainColour(colour) {
  if (!colour.startsWith("color(srgb ")) return colour;
  const [red, green, blue, alpha = 1] = colour.slice(11).match(/[\d.e-]+/g).map(Number);
  const parts = [red, green, blue].map((part) => Math.round(255 * part)).join(", ");
  return alpha < 1 ? `rgba(${parts}, ${alpha})` : `rgb(${parts})`;
}

function brightness(colour) {
  const [r, g, b] = colour.match(/[\d.]+/g).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b;
}
