// Formulas as trees, ["+", a, b]: computed, never evaluated as text.

const WORK = {
  "+": (...xs) => xs.reduce((a, b) => a + b, 0),
  "*": (...xs) => xs.reduce((a, b) => a * b, 1),
  "^": Math.pow,
  exp: Math.exp, log: Math.log, sin: Math.sin, cos: Math.cos, tanh: Math.tanh, sinh: Math.sinh, cosh: Math.cosh,
  abs: Math.abs, sign: Math.sign, max: Math.max, min: Math.min,
};

/** The value of a tree where names have these values; NaN where it has none. */
export function value(tree, names) {
  if (typeof tree === "number") return tree;
  if (typeof tree === "string") return names[tree] ?? NaN;
  const [word, ...parts] = tree;
  return WORK[word](...parts.map((part) => value(part, names)));
}
