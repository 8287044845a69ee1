// Tokens, bars, boundaries and the legend. Text is only ever set through textContent.

const NATS_FLOOR = 6; // the scale never gets finer than this, so that a text without surprises looks like one
const SIGNS = { "↵": "line break", "␣": "space" }; // tokens that are drawn as a sign

/** The longest bar stands for this many nats: one scale for both models. */
function longestBar(data) {
  let top = data.longest ?? NATS_FLOOR;
  for (const losses of [data.xl, data.vanilla]) for (const nats of losses ?? []) if (nats > top) top = nats;
  return top;
}

/** The nats of the mark in the legend that shows the bars' scale. */
function scaleMark(data) {
  return longestBar(data) >= 10 ? 10 : 5;
}

/** A leading space is drawn as a gap, as in print. */
function shown(token) {
  return token.length > 1 && token.startsWith("␣") ? { text: token.slice(1), gap: true } : { text: token, gap: false };
}

function drawTokens(view, data) {
  const { segments } = view;
  if (data.steady) return drawSteady(view, data);
  const meanLength = data.tokens.length / data.segments.length;
  segments.className = `segments ${meanLength >= 24 || data.segments.length === 1 ? "block" : "flow"}${data.selectable ? " pickable" : ""}`;
  segments.setAttribute("aria-label", data.label);
  segments.style.setProperty("--h", `${data.xl || data.vanilla ? data.barHeight : 0}px`);
  view.tokens = data.tokens.map((token, place) => tokenElement(data, token, place));
  const parts = [];
  data.segments.forEach((start, index) => {
    if (index > 0) {
      const edge = element("span", "edge", "SG");
      edge.title = `Segment ${index + 1} begins. SG: no gradient crosses this line; the memory does.`;
      parts.push(edge);
    }
    const segment = element("span", "seg");
    segment.setAttribute("role", "group");
    segment.setAttribute("aria-label", `Segment ${index + 1} of ${data.segments.length}`);
    segment.append(...words(view.tokens.slice(start, data.segments[index + 1] ?? data.tokens.length)));
    parts.push(segment);
  });
  segments.replaceChildren(...parts);
}

/** One run of tokens: where the segments begin is a matter of dress, and moves no token. */
function drawSteady(view, data) {
  const { segments } = view;
  segments.className = `segments flow steady${data.selectable ? " pickable" : ""}`;
  segments.setAttribute("aria-label", data.label);
  segments.style.setProperty("--h", `${data.barHeight}px`);
  view.tokens = data.tokens.map((token, place) => tokenElement(data, token, place));
  segments.replaceChildren(...words(view.tokens));
}

/** Puts the pieces of a word, and the sign after it, into one unbroken span; but not a "word" that could fill a line. */
function words(tokens) {
  const made = [];
  for (const token of tokens) {
    const goesOn = !token.classList.contains("gap") && /^[\p{L}\p{N}'’.,;:!?)-]/u.test(token.textContent);
    if (goesOn && made.length && made.at(-1).children.length < 7 && made.at(-1).textContent !== "↵") made.at(-1).append(token);
    else {
      const word = element("span", "word");
      word.append(token);
      made.push(word);
    }
  }
  return made;
}

function tokenElement(data, token, place) {
  const { text, gap } = shown(token);
  const made = element("span", gap ? "t gap" : "t", text);
  made.dataset.place = place;
  made.tabIndex = -1;
  made.setAttribute("role", "option");
  if (text === "↵" || text === "␣") made.classList.add("quiet");
  return made;
}

/** What may change while the tokens stay: bars, shades, marks, the selection. */
function dress(view, data) {
  const pixels = data.barHeight / longestBar(data);
  const marked = new Set(data.marks.flatMap(([start, end]) => Array.from({ length: end - start }, (_, n) => start + n)));
  const cuts = new Set(data.steady ? data.segments.slice(1) : []);
  view.tokens.forEach((token, place) => {
    token.classList.toggle("cut", cuts.has(place));
    token.style.setProperty("--u", `${(data.xl?.[place] ?? 0) * pixels}px`);
    token.style.setProperty("--d", `${(data.vanilla?.[place] ?? 0) * pixels}px`);
    token.style.setProperty("--m", `color-mix(in srgb, var(--txl-xl) ${(100 * shade(data, place)).toFixed(1)}%, transparent)`);
    token.classList.toggle("mark", marked.has(place));
    token.setAttribute("aria-label", describe(data, place));
  });
  select(view, data.selected);
  drawLegend(view, data);
}

/** How strongly a place is shaded as remembered: 0 where it isn't; newer is stronger. */
function shade(data, place) {
  const [oldest, newest] = data.memory ?? [0, 0];
  return place >= oldest && place < newest ? 0.06 + (0.3 * (place - oldest + 1)) / (newest - oldest) : 0;
}

function select(view, place) {
  view.selected = place ?? null;
  view.tokens.forEach((token, at) => {
    token.setAttribute("aria-selected", at === view.selected);
    token.tabIndex = at === (view.selected ?? 0) ? 0 : -1; // one stop of the Tab key; the arrow keys go on from there
  });
  drawPicked(view);
}

/** The facts of the selected token stay below the strip. */
function drawPicked(view) {
  const { picked, data, selected } = view;
  const hint = data.selectable ? [element("span", "place", "No token is selected: click one, or use the Tab and arrow keys.")] : [];
  picked.replaceChildren(...(selected === null || !view.tokens[selected] ? hint : factsOf(data, selected)));
}

function percent(nats) {
  const value = 100 * Math.exp(-nats);
  return value >= 0.1 ? `${value.toFixed(value >= 9.95 ? 0 : 1)} %` : value >= 0.001 ? `${value.toFixed(3)} %` : "< 0.001 %";
}

function describe(data, place) {
  const facts = [data.tokens[place], `place ${place}`];
  if (data.steady && place > 0 && data.segments.includes(place)) facts.push("a segment begins here");
  for (const [name, losses] of models(data)) {
    if (losses[place] != null) facts.push(`${name} ${losses[place].toFixed(2)} nats`);
  }
  return facts.join(", ");
}

function models(data) {
  return [["Transformer-XL", data.xl, "xl"], ["Vanilla", data.vanilla, "vanilla"]].filter(([, losses]) => losses);
}

function drawLegend(view, data) {
  const parts = models(data).map(([name, , kind]) => {
    const part = element("span");
    part.append(element("i", `key-bar key-${kind}`), kind === "xl" ? `${name}, up` : `${name}, down`);
    return part;
  });
  if (parts.length) {
    const nats = scaleMark(data);
    const scale = element("span");
    const bar = element("i", "key-scale");
    bar.style.height = `${(nats * data.barHeight) / longestBar(data)}px`;
    scale.append(bar, `${nats} nats of surprise`);
    parts.push(scale);
  }
  if (data.memory && data.memory[1] > data.memory[0]) {
    const memory = element("span");
    memory.append(element("i", "key-memory"), "remembered, fading with age");
    parts.push(memory);
  }
  if (data.segments.length > 1) parts.push(element("span", "", "SG: no gradient crosses, the memory does"));
  const signs = Object.entries(SIGNS).filter(([sign]) => data.tokens.includes(sign));
  if (signs.length) parts.push(element("span", "", signs.map(([sign, meaning]) => `${sign} ${meaning}`).join(", ")));
  view.legend.replaceChildren(...parts);
}
