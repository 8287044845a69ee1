// A few facts, each with its name. Text is only ever set through textContent.

export default function ({ data, parentElement }) {
  parentElement.querySelector(".list").replaceChildren(...data.facts.flatMap(([name, said]) => [element("dt", "", name), element("dd", "", said)]));
}
