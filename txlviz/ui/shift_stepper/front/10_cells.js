// What a cell is: numbers in, no drawing. Cells are counted row by row in the padded matrix; see analysis/shift_steps.py.

const STEPS = ["distance", "pad", "reshape", "drop", "back", "mask"];
const BACK = STEPS.indexOf("back"), MASK = STEPS.indexOf("mask");
// Viridis without its ends, so that both themes' grounds stand apart from it: near is dark, far is bright.
const STOPS = [[72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37]];

function cellsOf({ L, K, values, places }) {
  return values.map((value, n) => {
    const i = Math.floor(n / (K + 1)), c = (n % (K + 1)) - 1;
    const [row, column] = places[BACK][n];
    const pad = c < 0, distance = pad ? null : K - 1 - c;
    return { n, i, value, pad, distance, row, column, garbage: row >= 0 && column > K - L + row };
  });
}

// Where the key stands that is `distance` back from query row i; below 0 it is before the window.
const keyOf = ({ L, K }, i, distance) => K - L + i - distance;

function colourOf(distance, K) {
  const at = K > 1 ? (distance / (K - 1)) * (STOPS.length - 1) : 0;
  const low = Math.min(Math.floor(at), STOPS.length - 2);
  const rgb = STOPS[low].map((from, k) => Math.round(from + (at - low) * (STOPS[low + 1][k] - from)));
  const bright = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
  return { fill: `rgb(${rgb.join(",")})`, ink: bright > 132 ? "#111111" : "#ffffff" };
}

const shown = (token) => (token.length > 1 ? token.replace(/^␣/u, "") : token);
const signed = (value, digits = 2) => value.toFixed(digits).replace(/^-(?=0\.0+$)/, "").replace("-", "−");
const fill = (words, values) => words.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
