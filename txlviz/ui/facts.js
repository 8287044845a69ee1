// A figure's facts: as a table, and as files to keep. All of it is made in the browser, and sent nowhere.

// heads: a list of strings; cells: a list of rows.
function saveCsv(heads, cells, name) {
  const quote = (value) => (/[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  const text = [heads, ...cells].map((values) => values.map((value) => quote(value ?? "")).join(",")).join("\r\n");
  save(new Blob([`\ufeff${text}\r\n`], { type: "text/csv" }), `${name}.csv`);
}

function saveSvg({ source }, name) {
  save(new Blob([source], { type: "image/svg+xml" }), `${name}.svg`);
}

function savePng({ source, width, height }, name) {
  const scale = Math.min(2, Math.sqrt(64e6 / (width * height))); // browsers refuse larger canvases
  const image = new Image();
  image.onload = () => {
    const canvas = element("canvas");
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${name}.png`));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
}

function factsTable(heads, cells) {
  const shown = (value) => (typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : (value ?? ""));
  const line = (tag, values) => {
    const made = element("tr");
    made.append(...values.map((value) => element(tag, typeof value === "number" ? "number" : "", String(shown(value)))));
    return made;
  };
  const table = element("table"), head = element("thead"), body = element("tbody");
  head.append(line("th", heads));
  [...head.firstChild.children].forEach((cell, at) => cell.classList.toggle("number", typeof cells[0]?.[at] === "number"));
  body.append(...cells.map((values) => line("td", values)));
  table.append(head, body);
  return table;
}

// Fills the component's empty .menu: three dots, and behind them what they open.
function factsMenu(menu, actions, title = "Table and downloads") {
  const dots = element("button", "dots", "⋯"), choices = element("div", "choices");
  dots.type = "button";
  dots.title = dots.ariaLabel = title;
  dots.setAttribute("aria-haspopup", "true");
  dots.setAttribute("aria-expanded", "false");
  choices.setAttribute("role", "menu");
  choices.hidden = true;
  menu.append(dots, choices);
  const open = (state) => {
    choices.hidden = !state;
    dots.setAttribute("aria-expanded", state);
    if (state) choices.firstChild.focus();
  };
  for (const [name, action] of Object.entries(actions)) {
    const item = element("button", "", name);
    item.type = "button";
    item.setAttribute("role", "menuitem");
    item.addEventListener("click", () => {
      open(false);
      action();
    });
    choices.append(item);
  }
  dots.addEventListener("click", () => open(choices.hidden));
  menu.addEventListener("focusout", (event) => {
    if (!menu.contains(event.relatedTarget)) open(false);
  });
  menu.addEventListener("keydown", (event) => {
    const items = [...choices.children];
    const at = items.indexOf(event.target);
    if (event.key === "Escape") {
      open(false);
      dots.focus();
    } else if (at >= 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      items[(at + (event.key === "ArrowDown" ? 1 : items.length - 1)) % items.length].focus();
      event.preventDefault();
    }
  });
}
