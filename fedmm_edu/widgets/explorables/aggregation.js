// S against Θ (Remark 1): n clients with surrogates s_i θ + 1/θ, aggregated in both spaces.

import { lease, slider, watch } from "./controls.js";
import { frame, html, PALETTE, sentence, tidy } from "./dom.js";
import { across, chart } from "./plot.js";
import { aggregates, surrogate, T } from "./toy.js";

export { aggregates };

/** E_i[Z] = s_i of n clients, spread around 2 by the share `spread`. */
export function means(n, spread) {
  return Array.from({ length: n }, (_, i) => 2 * (1 + spread * (i === n - 1 ? 1 : -1 + i * (2 / (n - 1)))));
}

/** μ_i: `first` for client 1, the rest in equal parts. */
export function weights(n, first) {
  return Array.from({ length: n }, (_, i) => (i === 0 ? first : (1 - first) / (n - 1)));
}

function render({ model: given, el }) {
  const model = lease(given);
  frame(el);
  const share = { max: 0.95, step: 0.05, show: (value) => value.toFixed(2) };
  el.append(html("div", { class: "controls" },
    slider(model, "n", { label: "clients n", min: 2, max: 10, step: 1 }),
    slider(model, "spread", { label: "heterogeneity", min: 0, ...share }),
    slider(model, "first", { label: "weight μ₁ of client 1", min: 0.05, ...share }),
  ));
  const left = html("div", { class: "panel" }, html("p", {}, "The surrogates over θ"));
  const right = html("div", { class: "panel" }, html("p", {}, "In 𝒮: T bends, averages part"));
  el.append(html("div", { class: "panels" }, left, right));
  const curves = chart(left, { label: "Surrogates of the clients over theta, their average and both aggregates" });
  const map = chart(right, { label: "T(s) over s with the clients and both aggregates" });
  const says = sentence(el);

  watch(model, ["n", "spread", "first"], () => {
    const s = means(model.get("n"), model.get("spread"));
    const found = aggregates(s, weights(model.get("n"), model.get("first")));
    curves.draw(overTheta(s, found));
    map.draw(overS(s, found));
    const gap = found.inTheta - found.inS;
    says.textContent = `Aggregation in 𝒮 ends at T(Σ μᵢ sᵢ) = ${tidy(found.inS, 4)}, the optimum. ` +
      `Aggregation in Θ ends at Σ μᵢ T(sᵢ) = ${tidy(found.inTheta, 4)}, ` +
      (gap > 1e-12 ? `which is ${tidy(gap)} too large.` : "the same: all clients are equal.");
  });
  return () => [model, curves, map].forEach((part) => part.close());
}

function overTheta(s, { s: pooled, inS, inTheta }) {
  const grid = across({ low: 0.15, high: 2.6 }, 200);
  const curve = (value) => grid.map((theta) => [theta, surrogate(value, theta)]);
  const on = (theta) => [theta, surrogate(pooled, theta)];
  const bottom = (value) => [T(value), surrogate(value, T(value))];
  return {
    x: { low: 0, high: 2.6, label: "parameter θ" },
    y: { low: 0, high: 11 },
    marks: [
      ...grey(s, "one client", (value) => ({ line: curve(value), width: 1.2 })),
      ...grey(s, "its minimiser T(sᵢ)", (value) => ({ point: bottom(value), shape: "bar" })),
      { line: curve(pooled), colour: PALETTE.reference, label: "average of the clients" },
      { point: on(inTheta), shape: "cross", colour: PALETTE.Theta, label: "average of the T(sᵢ), in Θ" },
      { point: on(inS), colour: PALETTE.S, label: "T of the average, in 𝒮: the optimum" },
    ],
  };
}

function overS(s, { s: pooled, inS, inTheta }) {
  const graph = across({ low: 0.05, high: 4 }, 200).map((value) => [value, T(value)]);
  return {
    x: { low: 0, high: 4, label: "surrogate s" },
    y: { low: 0, high: Math.max(...s.map(T), 1.2) * 1.1 },
    marks: [
      { line: graph, colour: PALETTE.reference, label: "T(s) = 1/√s" },
      { line: [[pooled, 0], [pooled, inTheta]], colour: PALETTE.light, dash: "3 3", width: 1.5, label: "Σ μᵢ sᵢ" },
      ...grey(s, "(sᵢ, T(sᵢ))", (value) => ({ point: [value, T(value)], hollow: true })),
      { point: [pooled, inTheta], shape: "cross", colour: PALETTE.Theta, label: "Σ μᵢ T(sᵢ)" },
      { point: [pooled, inS], colour: PALETTE.S, label: "T(Σ μᵢ sᵢ)" },
    ],
  };
}

/** A mark for each client, with one line in the legend for all of them. */
function grey(s, label, mark) {
  return s.map((value, i) => ({ ...mark(value), colour: PALETTE.light, label: i ? null : label }));
}

export default { render };
