// Small pictures of all heads' weights: a click shows that head.

class Overview {
  constructor(root, onPick) {
    this.root = root.querySelector(".overview");
    this.title = this.root.querySelector(".small-title");
    this.box = this.root.querySelector(".thumbs");
    this.note = this.root.querySelector(".note");
    this.legend = this.root.querySelector(".legend");
    this.onPick = onPick;
  }

  build({ data, words, header }) {
    const thumbs = data.arrays.thumbs;
    this.root.hidden = !thumbs;
    if (!thumbs) return;
    const [layers, heads, high, wide] = thumbs.shape;
    this.title.textContent = words.overview_title;
    this.note.textContent = words.overview_note;
    this.legend.replaceChildren(
      ...["sg", "future", "diagonal"].map((name) => {
        const line = element("li", "", words[`legend_${name}`]);
        line.prepend(element("i", name, name === "sg" ? "SG" : ""));
        line.hidden = header.kind !== "xl" && name !== "future";
        return line;
      }),
    );
    this.root.setAttribute("aria-label", words.overview_title);
    if (this.layers !== layers || this.heads !== heads) this.grid(layers, heads, words);
    this.buttons.forEach((button, n) => {
      const [layer, head] = [Math.floor(n / heads), n % heads];
      thumbnail(button.firstChild, thumbs, n * high * wide, wide, high, data.arrays.cividis);
      button.setAttribute("aria-pressed", layer === header.layer && head === header.head);
    });
  }

  grid(layers, heads, words) {
    Object.assign(this, { layers, heads, buttons: [] });
    this.box.style.setProperty("--heads", heads);
    this.box.replaceChildren(element("span", "corner", words.overview_corner));
    for (let head = 0; head < heads; head++) this.box.append(element("span", "head-name", String(head + 1)));
    for (let layer = 0; layer < layers; layer++) {
      this.box.append(element("span", "layer-name", String(layer + 1)));
      for (let head = 0; head < heads; head++) {
        const button = element("button", "thumb");
        button.type = "button";
        button.dataset.testid = `thumb-${layer + 1}-${head + 1}`;
        const label = fill(words.overview_label, { layer: layer + 1, head: head + 1 });
        button.setAttribute("aria-label", label);
        button.title = label;
        button.append(element("canvas"));
        button.addEventListener("click", () => this.onPick(layer, head));
        this.buttons.push(button);
        this.box.append(button);
      }
    }
  }
}
