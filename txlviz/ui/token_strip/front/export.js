// The facts as a table and as CSV; the picture as SVG and PNG. All of it is made in the browser.

function rows(data) {
  const segmentOf = (place) => data.segments.filter((start) => start <= place).length;
  const heads = ["place", "token", "segment", ...models(data).map(([name]) => `${name} (nats)`)];
  const cells = data.tokens.map((token, place) => [place, token, segmentOf(place), ...models(data).map(([, losses]) => losses[place] ?? "")]);
  return { heads, cells };
}

function toggleTable(view) {
  view.table.hidden = !view.table.hidden;
  if (!view.table.hidden) fillTable(view);
}

function fillTable(view) {
  const { heads, cells } = rows(view.data);
  const table = element("table");
  const line = (tag, values) => {
    const made = element("tr");
    made.append(...values.map((value) => element(tag, "", typeof value === "number" && !Number.isInteger(value) ? value.toFixed(3) : String(value))));
    return made;
  };
  const head = element("thead");
  head.append(line("th", heads));
  const body = element("tbody");
  body.append(...cells.map((values) => line("td", values)));
  table.append(head, body);
  view.table.replaceChildren(table);
}

function csv(data) {
  const { heads, cells } = rows(data);
  const quote = (value) => (/[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  return `\ufeff${[heads, ...cells].map((values) => values.map(quote).join(",")).join("\r\n")}\r\n`;
}

function save(blob, name) {
  const link = element("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function savePng(view) {
  const { source, width, height } = picture(view);
  const scale = Math.min(2, Math.sqrt(64e6 / (width * height))); // browsers refuse larger canvases
  const image = new Image();
  image.onload = () => {
    const canvas = element("canvas");
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${view.data.name}.png`));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
}

function buildMenu(view) {
  const { dots, choices } = view;
  const actions = {
    "Show as a table": () => toggleTable(view),
    "Download CSV": () => save(new Blob([csv(view.data)], { type: "text/csv" }), `${view.data.name}.csv`),
    "Download SVG": () => save(new Blob([picture(view).source], { type: "image/svg+xml" }), `${view.data.name}.svg`),
    "Download PNG": () => savePng(view),
  };
  const open = (state) => {
    choices.hidden = !state;
    dots.setAttribute("aria-expanded", state);
    if (state) choices.firstChild.focus();
  };
  for (const [title, action] of Object.entries(actions)) {
    const item = element("button", "", title);
    item.type = "button";
    item.setAttribute("role", "menuitem");
    item.addEventListener("click", () => {
      open(false);
      action();
    });
    choices.append(item);
  }
  dots.addEventListener("click", () => open(choices.hidden));
  view.menu.addEventListener("focusout", (event) => {
    if (!view.menu.contains(event.relatedTarget)) open(false);
  });
  view.menu.addEventListener("keydown", (event) => {
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
