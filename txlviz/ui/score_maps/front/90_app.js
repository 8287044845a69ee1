// Holds the parts together: data in, a cell that follows the cursor, and what Python is told.

const FOLLOW = "txlviz-cell"; // the event by which two sets of maps on one page keep the same cell
const TELL_AFTER = 250; // ms of rest before Python hears of a cell: holding an arrow key is one message, not thirty

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
    const i = same && data.selected === before.data.selected ? before.cell.i : data.selected;
    const row = Math.min(Math.max(i - data.start, 0), data.L - 1);
    let column = same ? before.cell.j - data.firstKey : -1;
    if (column < data.span[2 * row] || column > data.span[2 * row + 1]) {
      [column] = strongest(data.arrays.weights, row * data.K, data.span[2 * row], data.span[2 * row + 1], 1);
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
    this.walker.show(scene, scene.cell.i);
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

  // Locks a cell, given by its places in the text, and tells Python when the hand rests.
  moveTo(i, j) {
    const { scene } = this, { data } = scene;
    const row = i - data.start;
    if (row < 0 || row >= data.L) return this.walk(i);
    scene.cell = { i, j: data.firstKey + toVisible(data, row, j - data.firstKey) };
    scene.locked = true;
    this.showSoon();
    this.tell(TELL_AFTER);
  }

  // The query moves along the text; beyond this segment Python has to bring the next one.
  walk(place) {
    const { scene } = this, { data } = scene;
    if (place < 0 || place >= data.inputs.length) return;
    if (place >= data.start && place < data.start + data.L) return this.moveTo(place, scene.cell.j);
    scene.locked = true;
    this.walker.show(scene, place);
    this.tell(120, { i: place, j: scene.cell.j });
  }

  tell(wait, cell = null) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const { i, j } = cell ?? this.scene.cell;
      this.component.setStateValue("cell", { query: i, key: j, locked: this.scene.locked, count: ++this.told });
    }, wait);
  }

  unlock() {
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
  }
}

// Colours as the theme has them now, resolved for the canvas.
function inks(root) {
  const style = getComputedStyle(root);
  const named = {};
  for (const swatch of root.querySelectorAll(".swatches i")) named[swatch.dataset.name] = getComputedStyle(swatch).color;
  const ground = style.backgroundColor, text = style.color;
  const dark = brightness(ground) < 128;
  const muted = getComputedStyle(root.querySelector(".walk-out")).color;
  const fixed = dark
    ? { hatch: "#3a3a42", ground2: "#1d1d22", hair: "#ffffff", onMemory: "#ffffff" }
    : { hatch: "#dcdad5", ground2: "#f8f7f4", hair: "#111111", onMemory: "#ffffff" };
  return { ...named, ...fixed, ground, text, muted, dark, font: style.fontFamily };
}

function brightness(colour) {
  const [r, g, b] = colour.match(/[\d.]+/g).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b;
}
