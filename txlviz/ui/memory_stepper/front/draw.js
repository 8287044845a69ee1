// The lanes: for each layer what it reads in this step, and what it keeps after it. The past is to the left.

const SVG = "http://www.w3.org/2000/svg";
const WHOLE = 320; // up to so many places are shown all at once; of a longer text, what this step is about
const BAR = 17, GAP = 3, TOP = 24, AXIS = 38;
const OLDEST = 0.12, NEWEST = 0.85; // how much of the hue the oldest and the newest row have

function svgElement(tag, attributes = {}, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Places, lanes and pixels of the step that is shown. */
function geometry(view) {
  const { data } = view;
  const width = Math.max(280, view.stage.clientWidth), wide = width >= 640;
  const left = wide ? 172 : 40, right = 18, layers = data.earliest.length;
  const lane = (wide ? 12 : 26) + 2 * BAR + GAP;
  const at = stepOf(view), count = data.tokens.length;
  const length = data.steps[0][1] - data.steps[0][0];
  const shown = count <= WHOLE ? count : Math.min(count, Math.max(WHOLE, data.capacity + 2 * length));
  const first = Math.max(0, Math.min(count - shown, at.stop + length - shown));
  const scale = (width - left - right) / shown;
  return {
    width, wide, left, right, layers, lane, shown, first, scale, at, count,
    height: TOP + layers * lane + AXIS,
    x: (place) => left + Math.max(0, Math.min(shown, place - first)) * scale,
    place: (x) => first + Math.floor((x - left) / scale),
    y: (layer) => TOP + (layers - 1 - layer) * lane + (wide ? 8 : 22), // the top layer above, as in the cone
  };
}

function draw(view) {
  const g = (view.geometry = geometry(view));
  const { picture } = view;
  picture.setAttribute("viewBox", `0 0 ${g.width} ${g.height}`);
  picture.setAttribute("height", g.height);
  const ids = `${view.id}`;
  const parts = [definitions(ids)];
  for (let layer = 0; layer < g.layers; layer++) parts.push(...laneParts(view, g, layer, ids));
  parts.push(...boundaries(view, g), ...axis(view, g));
  view.cursor = svgElement("rect", { y: TOP - 2, height: g.layers * g.lane + 2, width: Math.max(2, g.scale), fill: "none", stroke: "var(--st-text-color)", "stroke-width": 1.5, visibility: "hidden" });
  view.sums = svgElement("line", { stroke: "var(--st-text-color)", "stroke-width": 3, visibility: "hidden" });
  picture.replaceChildren(...parts, view.cursor, view.sums);
  view.stage.setAttribute("aria-label", say(view, "stage", { step: g.at.index + 1, read: g.at.read, kept: g.at.kept, dropped: g.at.dropped }));
}

function definitions(ids) {
  const defs = svgElement("defs");
  const pattern = svgElement("pattern", { id: `${ids}-hatch`, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  pattern.append(svgElement("rect", { width: 1.5, height: 6, fill: "var(--faint)", "fill-opacity": 0.55 }));
  defs.append(pattern);
  return defs;
}

/** Rows of memory from one place up to another, in the hue that fades with their age. */
function memoryBar(view, g, y, first, end, newest, id) {
  if (end <= first || end <= g.first) return [];
  const full = Math.max(1, view.data.capacity);
  const strength = (place) => OLDEST + (NEWEST - OLDEST) * Math.max(0, 1 - (newest - place) / full);
  const from = Math.max(first, g.first);
  const gradient = svgElement("linearGradient", { id });
  gradient.append(
    svgElement("stop", { offset: 0, "stop-color": "var(--txl-xl)", "stop-opacity": strength(from).toFixed(3) }),
    svgElement("stop", { offset: 1, "stop-color": "var(--txl-xl)", "stop-opacity": strength(end - 1).toFixed(3) }),
  );
  const size = { x: g.x(from), y, width: g.x(end) - g.x(from), height: BAR };
  return [gradient, svgElement("rect", { ...size, fill: `url(#${id})`, "data-kind": "memory", "data-first": first, "data-end": end }), ...cells(g, y, from, end)];
}

/** Lines between the rows, where there is room for them. */
function cells(g, y, first, end) {
  if (g.scale < 4) return [];
  let d = "";
  for (let place = first + 1; place < end; place++) d += `M${g.x(place).toFixed(1)} ${y}v${BAR}`;
  return d ? [svgElement("path", { d, stroke: "var(--paper)", "stroke-width": 0.8, fill: "none" })] : [];
}

function hollow(g, y, first, end, ids, kind) {
  if (end <= first || end <= g.first) return [];
  const size = { x: g.x(first) + 0.75, y: y + 0.75, width: Math.max(0.5, g.x(end) - g.x(first) - 1.5), height: BAR - 1.5 };
  return [svgElement("rect", { ...size, fill: `url(#${ids}-hatch)`, stroke: "var(--faint)", "stroke-width": 1.2, "stroke-dasharray": "4 3", "data-kind": kind, "data-first": first, "data-end": end })];
}

function laneParts(view, g, layer, ids) {
  const { at } = g;
  const y = g.y(layer), below = y + BAR + GAP;
  const parts = [];
  if (g.wide) {
    parts.push(svgElement("text", { x: 0, y: y + 13, "font-size": 14, "font-weight": 600 }, say(view, "layer", { layer: layer + 1 })));
    parts.push(svgElement("text", { x: 0, y: below + 12, "font-size": 12, class: "quiet" }, kindOf(view, layer)));
  } else {
    parts.push(svgElement("text", { x: 0, y: y - 6, "font-size": 12.5 }, `${say(view, "layer", { layer: layer + 1 })}: ${kindOf(view, layer)}`));
  }
  const side = { x: g.left - 6, "text-anchor": "end", "font-size": 11.5, class: "quiet" };
  parts.push(svgElement("text", { ...side, y: y + 13 }, say(view, "reads")), svgElement("text", { ...side, y: below + 13 }, say(view, "keeps")));
  parts.push(...memoryBar(view, g, y, at.firstRead, at.start, at.stop - 1, `${ids}-r${layer}`));
  const segment = { x: g.x(at.start), y, width: Math.max(1, g.x(at.stop) - g.x(at.start)), height: BAR };
  parts.push(svgElement("rect", { ...segment, fill: "var(--box)", stroke: "var(--faint)", "stroke-width": 1.2, "data-kind": "segment" }), ...cells(g, y, at.start, at.stop));
  parts.push(...hollow(g, below, at.firstRead, at.firstRead + at.dropped, ids, "dropped"));
  parts.push(...hollow(g, below, at.start, Math.max(at.start, at.firstKept), ids, "not-kept"));
  parts.push(...memoryBar(view, g, below, at.firstKept, at.stop, at.stop - 1, `${ids}-k${layer}`));
  const reach = at.kept ? view.data.earliest[layer][at.firstKept] : at.firstKept;
  if (reach < at.firstKept && at.firstKept > g.first) {
    const line = below + BAR + 2.5;
    parts.push(svgElement("path", { d: `M${g.x(reach)} ${line - 3}v6M${g.x(reach)} ${line}H${g.x(at.firstKept + 1)}`, stroke: "var(--txl-xl)", "stroke-width": 2, fill: "none", "data-kind": "reach", "data-first": reach }));
  }
  return parts;
}

function boundaries(view, g) {
  const bottom = TOP + g.layers * g.lane;
  const starts = view.data.steps.map(([start]) => start).filter((start) => start > g.first && start < g.first + g.shown);
  const quiet = starts.length * 7 < g.width - g.left ? starts : [];
  const parts = quiet.map((start) => svgElement("line", { x1: g.x(start), x2: g.x(start), y1: TOP, y2: bottom, stroke: "var(--line)", "stroke-width": 1 }));
  if (g.at.start > 0) {
    const x = g.x(g.at.start);
    parts.push(svgElement("line", { x1: x, x2: x, y1: TOP - 6, y2: bottom + 4, stroke: "var(--st-text-color)", "stroke-width": 2 }));
    parts.push(svgElement("text", { x, y: TOP - 10, "text-anchor": "middle", "font-size": 12, "font-weight": 700 }, "SG"));
  }
  return parts;
}

function axis(view, g) {
  const y = TOP + g.layers * g.lane + 4;
  const parts = [svgElement("line", { x1: g.left, x2: g.width - g.right, y1: y, y2: y, stroke: "var(--faint)" })];
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((size) => size * g.scale >= 46) ?? 1000;
  for (let place = Math.ceil(g.first / step) * step; place < g.first + g.shown; place += step) {
    const x = g.x(place) + g.scale / 2;
    parts.push(svgElement("line", { x1: x, x2: x, y1: y, y2: y + 4, stroke: "var(--faint)" }));
    parts.push(svgElement("text", { x, y: y + 16, "text-anchor": "middle", "font-size": 11.5, class: "quiet" }, place));
  }
  const { selected } = view.data;
  if (selected >= g.first && selected < g.first + g.shown) {
    const x = g.x(selected) + g.scale / 2;
    parts.push(svgElement("path", { d: `M${x} ${y + 1}l5 8h-10z`, fill: "var(--st-text-color)", "data-kind": "selected" }));
  }
  parts.push(svgElement("text", { x: g.width - g.right, y: y + 31, "text-anchor": "end", "font-size": 12, class: "quiet" }, say(view, "axis")));
  return parts;
}

function drawLegend(view) {
  const part = (kind, key) => {
    const made = element("span");
    made.append(element("i", `key-${kind}`), say(view, key));
    return made;
  };
  view.legend.replaceChildren(part("memory", "legend_memory"), part("segment", "legend_segment"), part("dropped", "legend_dropped"), part("reach", "legend_reach"), element("span", "", say(view, "legend_sg")));
}
