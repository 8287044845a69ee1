// The formula, with the numbers of one cell under its symbols.

const SYMBOLS = {
  xl: { a: [["q", "i"], ["k", "j"]], b: [["q", "i"], ["r", "i−j"]], c: [["u"], ["k", "j"]], d: [["v"], ["r", "i−j"]] },
  // E an embedding, U a position's sinusoid: the input of the vanilla model's first layer is their sum.
  vanilla: { a: [["E", "i"], ["E", "j"]], b: [["E", "i"], ["U", "j"]], c: [["U", "i"], ["E", "j"]], d: [["U", "i"], ["U", "j"]] },
};

function symbol(parts) {
  const node = element("span", "symbol");
  parts.forEach(([letter, index], n) => {
    if (n) node.append("·");
    node.append(element("i", "", letter));
    if (index) node.append(element("sub", "", index));
  });
  return node;
}

class Equation {
  constructor(root) {
    this.formula = root.querySelector(".formula");
    this.sentence = root.querySelector(".cell");
    this.numbers = {};
  }

  build({ data, words, header }) {
    this.formula.replaceChildren();
    this.numbers = {};
    const sign = (text, name = "sign") => this.formula.append(element("span", name, text));
    this.column("score", symbol([["score"]]), header.centred ? words.score_centred : words.score_sum, null, false);
    sign("=");
    sign("(", "sign bracket");
    header.terms.forEach((term, n) => {
      if (n) sign("+");
      this.column(term.name, symbol(SYMBOLS[header.kind][term.name]), term.title, term.name, term.off);
    });
    const root = element("span", "column root");
    root.append(element("span", "sign", `) / √${data.dHead}`), element("span", "name", fill(words.divided, { root: `√${data.dHead}` })));
    this.formula.append(root);
    sign("→", "sign arrow");
    this.column("weight", element("span", "symbol word", words.softmax), words.weight, null, false);
  }

  column(name, head, title, colour, off) {
    const column = element("span", `column ${name}${off ? " off" : ""}`);
    if (colour) head.style.setProperty("--underline", `var(--term-${colour})`);
    head.classList.toggle("term", Boolean(colour));
    this.numbers[name] = element("span", "number");
    this.numbers[name].dataset.testid = `number-${name}`;
    column.append(head, element("span", "name", title), this.numbers[name]);
    this.formula.append(column);
  }

  show({ data, words, header, cell }) {
    const at = (cell.i - data.start) * data.K + (cell.j - data.firstKey);
    for (const term of header.terms) this.set(term.name, data.arrays[term.name][at], term.off ? words.off : null);
    this.set("score", data.arrays.score[at]);
    this.set("weight", data.arrays.weights[at], percent(data.arrays.weights[at]));
    const where = cell.j < data.start ? words.in_memory : words.in_segment;
    const values = { query: data.inputs[cell.i], i: cell.i, key: data.inputs[cell.j], j: cell.j, distance: cell.i - cell.j, where };
    this.sentence.textContent = fill(cell.i === cell.j ? words.cell_itself : words.cell, values);
    Object.assign(this.sentence.dataset, { query: cell.i, key: cell.j });
  }

  set(name, value, text) {
    const node = this.numbers[name];
    node.textContent = text ?? signed(value);
    node.dataset.value = value;
  }
}
