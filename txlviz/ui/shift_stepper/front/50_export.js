// The facts as a table and CSV; both boards as they stand, as one picture.

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "visibility", "font-size", "font-weight"];

function rowsOf({ words, data }) {
  const { L, K, tokens, firstKey } = data;
  const heads = ["query", "query_place", "key", "key_place", "distance", "b", "d", "loop", "shift"].map((name) => words[`table_${name}`]);
  const cells = [];
  for (let i = 0; i < L; i++) {
    for (let j = 0; j <= K - L + i; j++) {
      const query = K - L + i;
      cells.push([tokens[query], firstKey + query, tokens[j], firstKey + j, query - j, data.loopB[i][j], data.loopD[i][j], data.loop[i][j], data.shifted[i][j]]);
    }
  }
  return { heads, cells };
}

function picture(view) {
  const boards = [view.stage, view.loop].map((svg) => ({ svg, box: svg.getBoundingClientRect() }));
  const width = Math.ceil(boards[0].box.width + boards[1].box.width + 60);
  const height = Math.ceil(Math.max(...boards.map(({ box }) => box.height)) + 90);
  const style = getComputedStyle(view.root);
  const whole = svgElement("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "sans-serif" });
  view.probe.style.color = "var(--paper)";
  whole.append(svgElement("rect", { width, height, fill: getComputedStyle(view.probe).color }));
  const write = (text, x, y, size, weight) => whole.append(svgElement("text", { x, y, "font-size": size, "font-weight": weight, fill: style.color }, text));
  write(view.title.textContent, 12, 26, 16, 700);
  let x = 12;
  for (const [at, { svg, box }] of boards.entries()) {
    write(at ? view.words.loop : `${view.words.board}: ${view.words[`step_${STEPS[view.step]}`]}`, x, 52, 13, 600);
    const part = svgElement("svg", { x, y: 64, width: box.width, height: box.height, overflow: "visible" });
    for (const child of svg.children) if (!child.classList.contains("gone")) part.append(dressed(child));
    whole.append(part);
    x += box.width + 36;
  }
  return { source: new XMLSerializer().serializeToString(whole), width, height };
}

// A copy that looks the same without the style sheet.
function dressed(node) {
  const copy = node.cloneNode(true);
  const originals = [node, ...node.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")];
  copies.forEach((made, n) => {
    const style = getComputedStyle(originals[n]);
    for (const name of STYLES) if (style.getPropertyValue(name)) made.setAttribute(name, style.getPropertyValue(name));
    made.removeAttribute("style");
    made.removeAttribute("class");
  });
  if (node.dataset.x) copy.setAttribute("transform", `translate(${node.dataset.x}, ${node.dataset.y})`);
  return copy;
}
