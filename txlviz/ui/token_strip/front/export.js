// The facts as a table and as CSV; the picture as SVG and PNG.

function rows(data) {
  const segmentOf = (place) => data.segments.filter((start) => start <= place).length;
  const heads = ["place", "token", "segment", ...models(data).map(([name]) => `${name} (nats)`)];
  const cells = data.tokens.map((token, place) => [place, token, segmentOf(place), ...models(data).map(([, losses]) => losses[place] ?? "")]);
  return { heads, cells };
}

function fillTable(view) {
  const { heads, cells } = rows(view.data);
  view.table.replaceChildren(factsTable(heads, cells));
}

function buildMenu(view) {
  factsMenu(view.menu, {
    "Show as a table": () => {
      view.table.hidden = !view.table.hidden;
      if (!view.table.hidden) fillTable(view);
    },
    "Download CSV": () => {
      const { heads, cells } = rows(view.data);
      saveCsv(heads, cells, view.data.name);
    },
    "Download SVG": () => saveSvg(picture(view), view.data.name),
    "Download PNG": () => savePng(picture(view), view.data.name),
  });
}
