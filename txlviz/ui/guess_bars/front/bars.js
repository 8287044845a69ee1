// Bars of probability. Text is only ever set through textContent.

export default function ({ data, parentElement }) {
  const best = Math.max(0.05, ...data.columns.flatMap(({ guesses }) => guesses.map(([, share]) => share)));
  const columns = data.columns.map(({ kind, name, guesses }) => {
    const column = element("section", kind);
    column.dataset.model = kind;
    const title = element("h4");
    title.append(element("i"), name);
    const list = element("ol");
    for (const [token, share] of guesses) {
      const item = element("li");
      const track = element("div", "track");
      const bar = element("div", "bar");
      bar.style.width = `${(100 * share) / best}%`;
      track.append(bar);
      item.append(element("span", "token", token), track, element("span", "share", `${(100 * share).toFixed(1)} %`));
      list.append(item);
    }
    column.append(title, list);
    return column;
  });
  parentElement.querySelector(".guesses").replaceChildren(...columns);
}
