// From a size to the strength of the colour: by powers of ten. Exactly nothing has no colour at all.

/** From the least power of ten to the largest size, both as powers of ten; what is more than six below that counts as least. */
function scaleOf(rows) {
  const sizes = rows.flat().filter((value) => value > 0);
  if (!sizes.length) return null;
  const most = sizes.reduce((one, other) => Math.max(one, other));
  const high = Math.log10(most);
  const low = Math.floor(Math.log10(sizes.reduce((one, other) => Math.min(one, other))));
  return { most, high, low: Math.min(Math.ceil(high) - 1, Math.max(low, Math.ceil(high) - 6)) };
}

function strength(value, scale) {
  if (!(value > 0) || !scale) return 0;
  const share = (Math.log10(value) - scale.low) / (scale.high - scale.low);
  return 0.14 + 0.86 * Math.max(0, Math.min(1, share));
}

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function power(exponent) {
  if (exponent >= -2 && exponent <= 2) return String(Number((10 ** exponent).toPrecision(1)));
  return `10${exponent < 0 ? "⁻" : ""}${[...String(Math.abs(exponent))].map((digit) => SUPERSCRIPT[digit]).join("")}`;
}

function size(value) {
  if (value === 0) return "0";
  if (value >= 0.001 && value < 1000) return String(Number(value.toPrecision(3)));
  const exponent = Math.floor(Math.log10(value));
  return `${(value / 10 ** exponent).toFixed(1)}·10${exponent < 0 ? "⁻" : ""}${[...String(Math.abs(exponent))].map((digit) => SUPERSCRIPT[digit]).join("")}`;
}
