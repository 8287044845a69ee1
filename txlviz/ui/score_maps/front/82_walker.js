// The slider over the whole text: one query, walked through the segments and over their boundaries.

class Walker {
  constructor(root, onMove) {
    this.root = root.querySelector(".walk");
    this.name = root.querySelector(".walk-name");
    this.segments = root.querySelector(".segments");
    this.slider = root.querySelector(".track input");
    this.out = root.querySelector(".walk-out");
    this.slider.addEventListener("input", () => onMove(Number(this.slider.value)));
  }

  build({ data, words }) {
    const count = data.inputs.length, length = data.segmentLength;
    this.root.hidden = count < 2;
    this.name.textContent = words.query;
    this.slider.max = count - 1;
    this.slider.setAttribute("aria-label", words.query_slider);
    const segments = Math.ceil(count / length);
    this.segments.replaceChildren();
    for (let n = 0; n < segments; n++) {
      const size = Math.min(length, count - n * length);
      const box = element("span", n === data.segment ? "segment here" : "segment", segments <= 24 ? String(n + 1) : "");
      box.style.flexGrow = size;
      this.segments.append(box);
    }
    if (data.memory) {
      const memory = element("i", "remembered");
      memory.style.left = `${(100 * data.firstKey) / count}%`;
      memory.style.width = `${(100 * data.memory) / count}%`;
      this.segments.append(memory);
    }
    this.count = segments;
  }

  show({ data, words }, place) {
    const segment = Math.floor(place / data.segmentLength);
    const inside = segment === data.segment;
    this.slider.value = place;
    const begins = data.inputs.slice(segment * data.segmentLength, (segment + 1) * data.segmentLength).slice(0, 6).join("");
    const values = { token: data.inputs[place], place, last: data.inputs.length - 1, segment: segment + 1, count: this.count, begins };
    this.out.textContent = fill(inside ? words.walk : words.walk_reading, values);
    Object.assign(this.out.dataset, { place, segment });
  }
}
