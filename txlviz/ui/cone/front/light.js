// What lights up when a node is pointed at.

/** The nodes on the way from one node to the selected one, and one path among them. */
function lightPaths(view, node) {
  const { data, layout, over } = view;
  over.group.replaceChildren();
  view.base.group.setAttribute("opacity", 1);
  view.longest.group.setAttribute("visibility", "visible");
  if (!node) return;
  const [row, place] = node;
  const ways = data.lens === "gradient" ? null : between(data, row, place);
  const r = Math.max(5, layout.radius + 1);
  if (ways && data.lens === "change") drawChain(over, layout, chain(data, row, place)); // the nodes keep their sizes
  else if (ways) {
    view.base.group.setAttribute("opacity", 0.35);
    view.longest.group.setAttribute("visibility", "hidden");
    const ink = INK[data.kind];
    if (edgesOf(data, ways) <= 500) drawEdges(over, data, layout, ways);
    ways.forEach((places, n) => {
      for (const one of places) {
        if (layout.circles) over.circle(layout.x(one), layout.y(n), layout.radius, { fill: ink });
      }
      if (!layout.circles) runs(places).forEach(([from, to]) => over.rect(layout.edge(from), layout.y(n) - 7, layout.edge(to + 1) - layout.edge(from), 14, { fill: ink }));
    });
    drawChain(over, layout, chain(data, row, place));
  }
  over.circle(layout.x(place), layout.y(row), r, { fill: "none", stroke: INK.text, "stroke-width": 2, class: "hovered" });
}

function runs(places) {
  const made = [];
  for (const one of [...places].sort((a, b) => a - b)) {
    if (made.length && made.at(-1)[1] === one - 1) made.at(-1)[1] = one;
    else made.push([one, one]);
  }
  return made;
}

function edgesOf(data, ways) {
  return ways.reduce((sum, places, n) => sum + places.length * (ways[n + 1]?.length ?? 0), 0);
}

function drawEdges(pen, data, layout, ways) {
  ways.forEach((places, n) => {
    for (const key of places) {
      for (const query of ways[n + 1] ?? []) {
        if (!sees(data, query, key)) continue;
        pen.line(layout.x(key), layout.y(n), layout.x(query), layout.y(n + 1), { stroke: INK[data.kind], "stroke-opacity": 0.4 });
      }
    }
  });
}
