// Rows of terms. Text is only ever set through textContent; formulas come from the page's own words.

const FACTOR = /^(\[?)([A-Za-z]+)(?:_([^\^\]]+))?(?:\^([^\]]+))?\]?$/u;

function formula(source) {
  const made = element("span", "formula");
  for (const part of source.split(" ")) {
    const [, boxed, letter, below, above] = part.match(FACTOR) ?? [null, "", part];
    const factor = element("span", boxed ? "boxed" : "");
    factor.append(element("i", "", letter));
    if (below) factor.append(element("sub", "", below));
    if (above) factor.append(element("sup", "", above === "T" ? "⊤" : above));
    made.append(factor, " ");
  }
  return made;
}

const number = (value) => value.toFixed(3).replace(/^-(?=0\.000$)/, "").replace("-", "−");

function value(content) {
  const made = element("span", typeof content === "number" ? "value" : "value word", typeof content === "number" ? number(content) : content);
  if (typeof content === "number") made.dataset.value = content;
  return made;
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".terms");
  const terms = Object.keys(data.heads);
  const table = element("table", "grid");
  const heads = element("tr"), head = element("thead"), body = element("tbody");
  heads.append(element("th"));
  for (const term of terms) {
    const cell = element("th", term);
    cell.append(element("span", "name", data.heads[term]));
    heads.append(cell);
  }
  if (data.total) heads.append(element("th", "", data.total));
  head.append(heads);
  for (const row of data.rows) {
    const line = element("tr");
    line.append(element("th", "", row.label));
    for (const term of terms) {
      const cell = element("td", term);
      cell.append(element("span", "short", `(${term})`));
      if (row.formulas[term]) cell.append(formula(row.formulas[term]));
      if (row.values[term] !== undefined) cell.append(value(row.values[term]));
      line.append(cell);
    }
    if (data.total) {
      const cell = element("td", "total");
      if (row.total !== "") cell.append(element("span", "short", data.total), value(row.total));
      line.append(cell);
    }
    body.append(line);
  }
  table.append(head, body);

  const top = element("div", "head"), menu = element("div", "menu");
  top.append(element("div", "caption", data.caption), menu);
  const downloads = {
    "Download CSV": () => {
      const rows = data.rows.map((row) => [row.label, ...terms.map((term) => row.values[term] ?? ""), ...(data.total ? [row.total] : [])]);
      saveCsv(["", ...terms.map((term) => data.heads[term]), ...(data.total ? [data.total] : [])], rows, data.name);
    },
  };
  factsMenu(menu, downloads, "Downloads");
  root.replaceChildren(top, table);
}
