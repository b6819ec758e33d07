// Proposition 1 in one picture: the mean field over s, and below the same point of the objective over θ = T(s).

import { button, lease, put, watch } from "./controls.js";
import { frame, html, PALETTE, sentence, tidy } from "./dom.js";
import { across, chart } from "./plot.js";
import { at } from "./signs.js";

export { at };

const WINDOW = { low: -3, high: 3 };

/** State: the numbers `z`, the weight `lam` of the penalty ½λθ², and `s`. */
function render({ model: given, el }) {
  const model = lease(given);
  frame(el);
  const upper = html("div", { class: "panel" }, html("p", {}, "In 𝒮: where does a step lead?"));
  const lower = html("div", { class: "panel" }, html("p", {}, "In Θ: how steep is it there?"));
  el.append(html("div", { class: "panels" }, upper, lower));
  const arrows = chart(upper, { label: "The mean field h(s) over s" });
  const curve = chart(lower, { label: "The objective over theta, and its slope at T(s)" });
  const handle = arrows.handle({ label: "surrogate s", colour: PALETTE.S, onMove: (s) => put(model, "s", s) });
  const says = sentence(el);
  const here = (s = model.get("s")) => at(model.get("z"), model.get("lam"), s);
  el.append(html("div", { class: "buttons" }, button("One step: s + h(s)", () => put(model, "s", model.get("s") + here().field))));

  watch(model, ["s"], () => {
    const s = model.get("s");
    const found = here();
    handle.place(s, found.field, `${tidy(s)}, h = ${tidy(found.field)}`);
    arrows.draw(field(s, found, here));
    curve.draw(objective(found, model.get("lam"), here));
    const still = Math.abs(found.field) < 0.005 ? " h is zero here, up to what you see: the curve is flat, and MM stands still." : "";
    says.textContent = `s = ${tidy(s)}, h(s) = ${tidy(found.field)}. θ = T(s) = ${tidy(found.theta)}, ` +
      `where the objective has the slope ${tidy(found.slope)}.${still}`;
  });
  return () => [model, arrows, curve].forEach((part) => part.close());
}

function field(s, { field: h }, here) {
  return {
    x: { ...WINDOW, label: "surrogate s" },
    y: { low: -1.6, high: 1.6, label: "h(s)" },
    marks: [
      { line: [[WINDOW.low, 0], [WINDOW.high, 0]], colour: PALETTE.light, width: 1 },
      { line: across(WINDOW, 161).map((value) => [value, here(value).field]), colour: PALETTE.reference, label: "mean field h" },
      { line: [[s, 0], [s, h]], colour: PALETTE.Theta, width: 3, label: "h(s)" },
      { point: [s, h], colour: PALETTE.S, label: "s: drag it, or move it with the arrow keys" },
    ],
  };
}

function objective({ theta, objective: value, slope }, lam, here) {
  const points = across(WINDOW, 161).map((s) => here(s)).map((found) => [found.theta, found.objective]);
  const heights = points.map(([, y]) => y);
  const [least, most] = [Math.min(...heights), Math.max(...heights)];
  const tangent = [-0.6, 0.6].map((d) => [theta + d, value + d * slope]);
  return {
    x: { low: WINDOW.low / (1 + lam), high: WINDOW.high / (1 + lam), label: "parameter θ = T(s)" },
    y: { low: least - 0.1 * (most - least), high: most },
    marks: [
      { line: points, colour: PALETTE.reference, label: "objective f + g" },
      { line: tangent, colour: PALETTE.Theta, width: 3, label: "its slope at T(s)" },
      { point: [theta, value], colour: PALETTE.S, label: "T(s)" },
    ],
  };
}

export default { render };
