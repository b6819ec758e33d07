// The constants of A7 as slopes of one curve: φ∘T of the toy, −1/√s, over an interval 𝒮 whose ends can be dragged.

import { cBar, largestGamma } from "./bound.js";
import { lease, put, watch } from "./controls.js";
import { frame, PALETTE, sentence, tidy } from "./dom.js";
import { across, chart } from "./plot.js";

const ENDS = { low: 0.25, high: 9 };
const curve = (s) => -1 / Math.sqrt(s);
const slope = (s) => s ** -1.5 / 2;

/** A7's constants on 𝒮 = [low, high], where the slope falls from one end to the other, and the largest step. */
export function numbers(low, high) {
  const found = { v_min: slope(high), v_max: slope(low), C_star: 0.375 * low ** -2.5, C_star_star: slope(low), sup_h: high - low };
  return { ...found, C_bar: cBar(found), gamma: largestGamma({ ...found, L: 1, sigma: 0, n: 1 }, 0, null, "printed") };
}

/** State: the ends `low` and `high` of 𝒮. */
function render({ model: given, el }) {
  const model = lease(given);
  frame(el);
  const view = chart(el, { label: "phi of T(s) over s, steepest and flattest on S", height: 340 });
  const low = view.handle({
    label: "left end of S",
    colour: PALETTE.Theta,
    onMove: (s) => put(model, "low", Math.min(Math.max(s, ENDS.low), model.get("high") - 0.25)),
  });
  const high = view.handle({
    label: "right end of S",
    colour: PALETTE.S,
    onMove: (s) => put(model, "high", Math.max(Math.min(s, ENDS.high), model.get("low") + 0.25)),
  });
  const says = sentence(el);
  watch(model, ["low", "high"], () => {
    const [a, b] = [model.get("low"), model.get("high")];
    const found = numbers(a, b);
    low.place(a, curve(a), `${tidy(a)}, slope ${tidy(found.v_max)}`);
    high.place(b, curve(b), `${tidy(b)}, slope ${tidy(found.v_min)}`);
    view.draw(picture(a, b));
    says.textContent = `𝒮 = [${tidy(a)}, ${tidy(b)}]. Steepest: v_max = C⋆⋆ = ${tidy(found.v_max)}. Flattest: v_min = ${tidy(found.v_min)}. ` +
      `Bend: C⋆ = ${tidy(found.C_star)}. With sup ‖h‖ ≤ ${tidy(found.sup_h)}, the step must stay below γ = ${tidy(found.gamma, 2)}.`;
  });
  return () => [model, view].forEach((part) => part.close());
}

function picture(a, b) {
  const tangent = (s, reach) => [-reach, reach].map((d) => [s + d, curve(s) + d * slope(s)]);
  return {
    x: { low: 0, high: 9.4, label: "surrogate s" },
    y: { low: -2.2, high: 0, label: "φ(T(s))" },
    marks: [
      { area: [[a, -2.2, 0], [b, -2.2, 0]], colour: "#ddd", label: "𝒮" },
      { line: across({ low: 0.2, high: 9.4 }, 240).map((s) => [s, curve(s)]), colour: PALETTE.reference, label: "φ(T(s)) = −1/√s" },
      { line: tangent(a, 0.5), colour: PALETTE.Theta, width: 3, label: "steepest on 𝒮: v_max" },
      { line: tangent(b, 1.2), colour: PALETTE.S, width: 3, label: "flattest on 𝒮: v_min" },
    ],
  };
}

export default { render };
