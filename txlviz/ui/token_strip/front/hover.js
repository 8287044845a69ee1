// The pointer, the keyboard, and the facts that appear beside a token.

const HEADER = 72; // pixels at the top of the window that the app's own header covers

/** A token, its place, and what each model made of it. */
function factsOf(data, place) {
  const head = element("div");
  head.append(element("b", "", data.tokens[place]), element("span", "place", `place ${place}`));
  const rows = models(data).map(([name, losses, kind]) => {
    const row = element("div");
    row.dataset.model = kind;
    const title = element("span");
    title.append(element("i", `key-${kind}`), name);
    const nats = losses[place];
    row.append(title, element("span", "value", nats == null ? "given, not predicted" : `${nats.toFixed(2)} nats · ${percent(nats)}`));
    return row;
  });
  return [head, ...rows];
}

function showTip(view, place) {
  const { tip, tokens, data } = view;
  const token = tokens[place];
  if (!token) return hideTip(view);
  tip.replaceChildren(...factsOf(data, place));
  tip.hidden = false;
  view.tokens[view.hovered]?.classList.remove("on");
  token.classList.add("on");
  view.hovered = place;
  const origin = view.body.getBoundingClientRect();
  const box = token.getBoundingClientRect();
  const left = (box.left + box.right) / 2 - origin.left - tip.offsetWidth / 2;
  tip.style.left = `${Math.max(0, Math.min(left, view.body.clientWidth - tip.offsetWidth))}px`;
  const above = box.top - tip.offsetHeight - 6;
  tip.style.top = `${(above > HEADER ? above : box.bottom + 6) - origin.top}px`;
}

function hideTip(view) {
  view.tokens?.[view.hovered]?.classList.remove("on");
  view.tip.hidden = true;
}

function placeOf(event) {
  const token = event.target.closest?.(".t");
  return token ? Number(token.dataset.place) : null;
}

function pick(view, place) {
  if (!view.data.selectable || (view.data.required && place === view.selected)) return;
  const next = place === view.selected ? null : place;
  select(view, next); // at once; the server's answer says the same
  view.send(next ?? -1);
}

/** The place to which a key leads, or null. Up and down look for the nearest token in the next line. */
function step(view, place, key) {
  if (key === "ArrowRight") return place + 1;
  if (key === "ArrowLeft") return place - 1;
  if (key === "Home") return 0;
  if (key === "End") return view.tokens.length - 1;
  if (key !== "ArrowUp" && key !== "ArrowDown") return null;
  const way = key === "ArrowUp" ? -1 : 1;
  const from = view.tokens[place].getBoundingClientRect();
  let best = null;
  for (let at = place + way; view.tokens[at]; at += way) {
    const box = view.tokens[at].getBoundingClientRect();
    if (box.top === from.top) continue;
    if (best && box.top !== best.top) break;
    const off = Math.abs(box.left - from.left);
    if (!best || off < best.off) best = { at, off, top: box.top };
  }
  return best?.at ?? place;
}

function listen(view) {
  const { segments, body } = view;
  segments.addEventListener("pointerover", (event) => {
    const place = placeOf(event);
    if (place !== null) showTip(view, place);
  });
  body.addEventListener("pointerleave", () => hideTip(view));
  segments.addEventListener("focusin", (event) => showTip(view, placeOf(event)));
  segments.addEventListener("focusout", () => hideTip(view));
  segments.addEventListener("click", (event) => {
    const place = placeOf(event);
    if (place !== null) pick(view, place);
  });
  segments.addEventListener("keydown", (event) => {
    const place = placeOf(event);
    if (place === null) return;
    if (event.key === "Enter" || event.key === " ") pick(view, place);
    else if (event.key === "Escape") hideTip(view);
    else {
      const next = step(view, place, event.key);
      if (next === null) return;
      view.tokens[next]?.focus();
    }
    event.preventDefault();
  });
}
