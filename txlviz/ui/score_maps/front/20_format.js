// Numbers and sentences as people read them.

const MINUS = "\u2212";

function signed(value, digits = 3) {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

function percent(weight, digits = 2) {
  return `${(100 * weight).toFixed(digits)} %`;
}

// "{n} back" with { n: 3 } is "3 back". What is filled in may be typed text: the result goes to textContent only.
function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function counted(words, name, n) {
  return fill(words[n === 1 ? `${name}_one` : name], { n });
}
