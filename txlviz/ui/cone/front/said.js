// What the figure says in words: the title, the legend, the facts of a node, and the table. Text goes in as textContent only.

function tokenAt(data, place) {
  return data.tokens[place - data.first] ?? "";
}

function segmentsBack(data, place) {
  return Math.floor(data.selected / data.segmentLength) - Math.floor(place / data.segmentLength);
}

/** "layer 2, ‘ river’, 70 back, 1 segment back". */
function whereIs(view, row, place) {
  const { data, words } = view;
  const distance = data.selected - place, back = segmentsBack(data, place);
  return fill(words, "where", {
    row: row === 0 ? words.row_input : fill(words, "row_layer", { row }),
    token: tokenAt(data, place),
    distance: distance === 1 ? words.one_back : distance >= 0 ? fill(words, "back", { distance }) : fill(words, "later", { distance: -distance }),
    back: back === 0 ? words.same_segment : back === 1 ? words.one_segment : fill(words, "segments", { back }),
  });
}

function factsOfNode(view, row, place) {
  const { data, words } = view;
  const at = place - data.first;
  const where = whereIs(view, row, place);
  if (data.lens === "reach") return `${where}: ${data.reach[row][at] === "1" ? words.reaches : words.not_reaches}`;
  if (!data.values) return where;
  const value = data.values[row][at];
  if (value === 0) return `${where}: ${words[`${data.lens}_zero`]}`;
  return `${where}: ${fill(words, `${data.lens}_value`, { value: size(value) })}`;
}

function factsOfColumn(view, place) {
  const { data, words } = view;
  const at = nearest(data, place);
  const values = data.layers.map((row, n) => `${fill(words, "row_layer", { row: n + 1 })} ${row[at] === 0 ? words.none : size(row[at])}`);
  return `${whereIs(view, 0, data.places[at])}: ${values.join(", ")}`;
}

function drawLegend(view) {
  const { data, words, legend } = view;
  const parts = [];
  const part = (sign, text) => {
    const made = element("span");
    const mark = element("i", sign);
    mark.style.setProperty("--ink", INK[data.kind]);
    made.append(mark, text);
    parts.push(made);
  };
  if (data.lens === "reach") part("dot", words.legend_reaches);
  if (view.scale) {
    const bar = element("span");
    const ramp = element("i", "ramp");
    ramp.style.setProperty("--ink", INK[data.kind]);
    bar.append(words[`legend_${data.lens}`], element("b", "", `≤ ${power(view.scale.low)}`), ramp, element("b", "", size(view.scale.most)));
    parts.push(bar);
  }
  if (data.lens !== "strip") part("ring", words[`legend_${data.lens}_none`]);
  else parts.push(...["none", "bars"].map((name) => element("span", "", words[`legend_strip_${name}`])));
  if (data.lens === "reach") part("stroke", words.legend_chain);
  if (data.lens === "change") part("dashes", words.legend_outline);
  if (data.lens !== "strip" && data.memory[1] > data.memory[0]) part("fade", rowsOfMemory(data, words));
  legend.replaceChildren(...parts);
}

function rowsOfMemory(data, words) {
  const rows = data.memory[1] - data.memory[0];
  return rows === 1 ? words.legend_memory_one : fill(words, "legend_memory", { rows });
}

function tableOf(view) {
  const { data, words } = view;
  if (data.lens === "strip") {
    const heads = ["place", "token", "distance back (tokens)", "segment", ...data.layers.map((_, n) => `change after layer ${n + 1} (share of its length)`)];
    const cells = data.places.map((place, at) => [
      place, tokenAt(data, place), data.selected - place, Math.floor(place / data.segmentLength) + 1, ...data.layers.map((row) => row[at]),
    ]);
    return { heads, cells };
  }
  const rows = data.reach.map((_, row) => (row ? `layer ${row}` : "embeddings"));
  const heads = ["place", "token", "distance back (tokens)", "segment", ...rows.map((row) => `${row}: ${words[`table_${data.lens}`]}`)];
  const cells = data.tokens.map((token, at) => [
    at + data.first, token, data.selected - at - data.first, Math.floor((at + data.first) / data.segmentLength) + 1,
    ...data.reach.map((row, n) => (data.values ? data.values[n][at] : row[at] === "1" ? "yes" : "no")),
  ]);
  return { heads, cells };
}
