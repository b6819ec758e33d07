// The majoriser to drag (Sections 2.1 to 2.3): move τ, see the surrogate that touches there and where it leads.

import { button, lease, menu, put, watch } from "./controls.js";
import { frame, html, PALETTE, sentence, tidy } from "./dom.js";
import { evaluate, scene } from "./families.js";
import { across, chart } from "./plot.js";

export { evaluate };

/** State: `families` {name: {kind, z, low, high, start, …}}, the `family` shown, and `tau`. */
function render({ model: given, el }) {
  const model = lease(given);
  const families = model.get("families");
  frame(el);
  el.append(menu(model, "family", { label: "family", options: Object.keys(families).map((name) => [name, name]) }));
  const view = chart(el, { label: "Objective and its majoriser over theta", height: 340 });
  const move = (tau) => put(model, "tau", tau);
  const handle = view.handle({ label: "expansion point tau", colour: PALETTE.S, onMove: move });
  const says = sentence(el);
  const data = () => families[model.get("family")];
  el.append(html("div", { class: "buttons" },
    button("Jump to T(s)", () => move(scene(data()).next(model.get("tau")))),
    button("Back to the start", () => move(data().start)),
  ));

  const draw = () => {
    const { low, high } = data();
    const tau = model.get("tau");
    const grid = across({ low, high }, 201);
    const found = evaluate(data(), tau, [tau, ...grid]);
    const [[before, ...curve], [, ...upper]] = [found.objective, found.majoriser];
    const goal = evaluate(data(), tau, [found.next]);
    handle.place(tau, before, `${tidy(tau)}, leads to ${tidy(found.next)}`);
    const points = { tau, atTau: before, next: found.next, atNext: goal.objective[0], bound: goal.majoriser[0] };
    view.draw(picture(data(), grid, curve, upper, points));
    const gap = Math.min(...upper.map((value, k) => value - curve[k]));
    says.textContent = inWords(found, points, gap);
  };
  model.on("change:family", () => {
    move(data().start);
    draw(); // also where τ stays the same
  });
  watch(model, ["tau"], draw);
  return () => [model, view].forEach((part) => part.close());
}

function picture({ low, high }, grid, curve, upper, { tau, atTau, next, atNext, bound }) {
  const [least, most] = [Math.min(...curve), Math.max(...curve)];
  const join = (values) => grid.map((theta, k) => [theta, values[k]]);
  const below = grid.map((theta, k) => [theta, Math.min(upper[k], curve[k]), curve[k]]);
  const fails = upper.some((value, k) => value < curve[k] - 1e-9);
  return {
    x: { low, high, label: "parameter θ" },
    y: { low: least - 0.15 * (most - least), high: most + 0.35 * (most - least) },
    marks: [
      ...(fails ? [{ area: below, colour: PALETTE.Theta, label: "below the objective" }] : []),
      { line: join(curve), colour: PALETTE.reference, label: "objective f + g" },
      { line: join(upper), colour: PALETTE.S, dash: "7 4", label: "surrogate that touches at τ" },
      { line: [[next, bound], [next, atNext]], colour: PALETTE.light, dash: "2 3", width: 1.5 },
      { point: [tau, atTau], colour: PALETTE.S, label: "τ: drag it, or move it with the arrow keys" },
      { point: [next, bound], shape: "dash", colour: PALETTE.S, size: 6 },
      { point: [next, atNext], shape: "diamond", colour: PALETTE.Theta, label: "next point T(s)" },
    ],
  };
}

function inWords({ s }, { tau, atTau, next, atNext }, gap) {
  const move = atNext <= atTau + 1e-12 ? "falls" : "RISES";
  const verdict = gap >= -1e-9 ? "The surrogate lies nowhere below the objective." :
    `The surrogate lies below the objective by up to ${tidy(-gap)} in this window: MM-1 fails.`;
  return `τ = ${tidy(tau)}, s = (${s.map((x) => tidy(x)).join(", ")}), T(s) = ${tidy(next)}: ` +
    `the objective ${move} from ${tidy(atTau, 4)} to ${tidy(atNext, 4)}. ${verdict}`;
}

export default { render };
