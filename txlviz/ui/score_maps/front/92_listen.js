// Mouse, finger and keyboard.

App.prototype.listen = function () {
  const { stage } = this;
  let finger = false;
  const under = (event, near = 0) => {
    const area = this.over.getBoundingClientRect();
    const { layout, data } = this.scene;
    const cell = cellAt(layout, data, event.clientX - area.left, event.clientY - area.top, near);
    return cell && { i: data.start + cell.row, j: data.firstKey + cell.column };
  };
  stage.addEventListener("pointermove", (event) => {
    if (!this.scene?.layout || (event.pointerType === "mouse" && this.scene.locked) || (event.pointerType !== "mouse" && !finger)) return;
    const cell = under(event);
    if (!cell) return;
    this.scene.cell = cell;
    this.showSoon();
  });
  stage.addEventListener("pointerdown", (event) => {
    finger = event.pointerType !== "mouse";
    if (!finger || !this.scene?.layout) return;
    const cell = under(event);
    if (cell) this.moveTo(cell.i, cell.j);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    stage.addEventListener(end, () => {
      if (finger) this.tell(TELL_AFTER);
      finger = false;
    });
  }
  stage.addEventListener("click", (event) => {
    if (event.pointerType && event.pointerType !== "mouse") return; // a finger has locked already
    if (!this.scene?.layout || !under(event)) return;
    // What is locked is what the cross-hair shows: a click's place is a whole pixel, the cursor's isn't.
    if (!this.scene.locked) return this.moveTo(this.scene.cell.i, this.scene.cell.j);
    this.scene.cell = under(event);
    this.unlock();
  });
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  stage.addEventListener("keydown", (event) => {
    if (!this.scene) return;
    if (event.key === "Escape") this.unlock();
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const { i, j } = this.hand();
    this.moveTo(i + move[0], j + move[1]);
  });
  // The ground has a transition of a moment: its end tells that the theme has changed.
  this.root.addEventListener("transitionend", (event) => {
    if (event.target === this.root && this.scene && inks(this.root).ground !== this.ground) this.build();
  });
};

function listenToMenu(app) {
  const menu = app.root.querySelector(".menu");
  const acts = {
    table: () => {
      const table = app.root.querySelector(".table");
      table.hidden = !table.hidden;
      app.show();
    },
    png: async (name, caption) => save(await picturePng(app.scene, caption, app.scene.ink.font), `${name}.png`),
    svg: (name, caption) => {
      save(new Blob([pictureSvg(app.scene, caption, app.scene.ink.font, app.still)], { type: "image/svg+xml" }), `${name}.svg`);
    },
    csv: (name) => save(new Blob([factsCsv(app.scene)], { type: "text/csv" }), `${name}.csv`),
  };
  for (const button of menu.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const { header, words } = app.scene;
      const values = { kind: header.kind, segment: header.segment + 1, layer: header.layer + 1, head: header.head + 1 };
      menu.open = false;
      acts[button.dataset.do](fill("txlviz-{kind}-segment{segment}-layer{layer}-head{head}", values), [
        fill(words.caption, { ...values, preset: header.preset }) + (header.changed && `. ${header.changed}`),
        app.root.querySelector(".cell").textContent,
      ]);
    });
  }
  menu.addEventListener("toggle", () => {
    for (const button of menu.querySelectorAll("button")) button.textContent = app.scene.words[`menu_${button.dataset.do}`];
  });
  menu.addEventListener("focusout", (event) => {
    if (!menu.contains(event.relatedTarget)) menu.open = false;
  });
}
