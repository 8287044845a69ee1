// A text with its mention and its answer marked. Text is only ever set through textContent.

export default function ({ data, parentElement }) {
  const pieces = data.pieces.map(([text, kind]) => element(kind === "mention" ? "b" : kind === "answer" ? "mark" : "span", kind, text));
  parentElement.querySelector(".marked").replaceChildren(...pieces);
}
