// The head of a chart. The chart itself is Streamlit's, beside it in the same container; its picture is read from there.

const HEAD = 40; // room for the title in the picture
const SVG = "http://www.w3.org/2000/svg";
const views = new WeakMap();

function drawn(view) {
  const host = view.head.getRootNode().host ?? view.head;
  return host.closest(`.st-key-${view.data.target}`);
}

function svgElement(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// Altair draws one SVG; Plotly several of the same size, one over the other.
function picture(view) {
  const layers = [...drawn(view).querySelectorAll(".vega-embed svg, .js-plotly-plot svg.main-svg")];
  const sizes = layers.map((layer) => layer.getBoundingClientRect());
  const width = Math.ceil(Math.max(...sizes.map((box) => box.width)));
  const height = Math.ceil(Math.max(...sizes.map((box) => box.height))) + HEAD;
  const style = getComputedStyle(view.head);
  const ground = getComputedStyle(document.querySelector(".stApp") ?? document.body).backgroundColor;
  const whole = svgElement("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "sans-serif" });
  whole.append(svgElement("rect", { width, height, fill: ground }));
  const title = svgElement("text", { x: 8, y: 24, "font-size": 16, "font-weight": "bold", fill: style.color });
  title.textContent = view.data.title;
  whole.append(title);
  layers.forEach((layer, index) => {
    const copy = layer.cloneNode(true);
    copy.removeAttribute("style"); // Plotly's own background would hide the layer below
    for (const [name, value] of Object.entries({ x: 0, y: HEAD, width: sizes[index].width, height: sizes[index].height })) copy.setAttribute(name, value);
    whole.append(copy);
  });
  return { source: new XMLSerializer().serializeToString(whole), width, height };
}

function build(root) {
  const view = { head: root.querySelector(".head"), title: root.querySelector(".title"), table: root.querySelector(".table") };
  const fillTable = () => view.table.replaceChildren(factsTable(view.data.heads, view.data.rows));
  view.refresh = () => !view.table.hidden && fillTable();
  factsMenu(root.querySelector(".menu"), {
    "Show as a table": () => {
      view.table.hidden = !view.table.hidden;
      view.refresh();
    },
    "Download CSV": () => saveCsv(view.data.heads, view.data.rows, view.data.name),
    "Download SVG": () => saveSvg(picture(view), view.data.name),
    "Download PNG": () => savePng(picture(view), view.data.name),
  });
  return view;
}

export default function ({ data, parentElement }) {
  let view = views.get(parentElement);
  if (!view || !view.head.isConnected) {
    view = build(parentElement);
    views.set(parentElement, view);
  }
  view.data = data;
  view.title.textContent = data.title;
  view.refresh();
}
