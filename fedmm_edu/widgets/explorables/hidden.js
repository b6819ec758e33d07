// Where a Jensen surrogate comes from: one bowl for each hidden sign, weighed by how likely the sign is at τ (Example 2).

import { button, lease, put, slider, watch } from "./controls.js";
import { frame, html, PALETTE, sentence, tidy } from "./dom.js";
import { across, chart } from "./plot.js";
import { bowl, loss, majoriser, sent, share } from "./signs.js";

export { bowl, loss, majoriser, sent, share };

const WINDOW = { low: -2, high: 2 };

/** State: the number `z` that was seen, and `tau`. */
function render({ model: given, el }) {
  const model = lease(given);
  frame(el);
  el.append(html("div", { class: "controls" },
    slider(model, "z", { label: "the number z that was seen", min: -2, max: 2, step: 0.1, show: (z) => tidy(z) })));
  const left = html("div", { class: "panel" }, html("p", {}, "How likely is each sign?"));
  const right = html("div", { class: "panel" }, html("p", {}, "A bowl for each sign, and their mean"));
  el.append(html("div", { class: "panels" }, left, right));
  const bars = chart(left, { label: "The weights of the two signs at tau" });
  const curves = chart(right, { label: "Loss, a bowl for each sign, and their weighted mean over theta" });
  const handle = curves.handle({ label: "expansion point tau", colour: PALETTE.S, onMove: (tau) => put(model, "tau", tau) });
  const says = sentence(el);
  el.append(html("div", { class: "buttons" }, button("Jump to T(s) = s", () => put(model, "tau", sent(model.get("z"), model.get("tau"))))));

  watch(model, ["z", "tau"], () => {
    const [z, tau] = [model.get("z"), model.get("tau")];
    const s = sent(z, tau);
    handle.place(tau, loss(z, tau), `${tidy(tau)}, leads to ${tidy(s)}`);
    bars.draw(weights(z, tau));
    curves.draw(picture(z, tau, s));
    says.textContent = `τ = ${tidy(tau)}: + has the weight ${share(z, tau).toFixed(3)}, − has ${share(-z, tau).toFixed(3)}. ` +
      `S̄ = z × ${share(z, tau).toFixed(3)} − z × ${share(-z, tau).toFixed(3)} = ${tidy(s)}, the lowest point of the mean.`;
  });
  return () => [model, bars, curves].forEach((part) => part.close());
}

function weights(z, tau) {
  return {
    x: { low: -2, high: 2, label: "hidden sign h" },
    y: { low: 0, high: 1, label: "μ(h | z, τ)" },
    marks: [1, -1].map((h) => ({ box: [h - 0.4, 0, h + 0.4, share(h * z, tau)], fill: COLOURS[h], colour: COLOURS[h] })),
  };
}

const COLOURS = { 1: PALETTE.other, "-1": PALETTE.extra };

function picture(z, tau, s) {
  const grid = across(WINDOW, 161);
  const curve = (f) => grid.map((theta) => [theta, f(theta)]);
  const [least, most] = [Math.min(...grid.map((theta) => loss(z, theta))), loss(z, WINDOW.high)];
  return {
    x: { ...WINDOW, label: "parameter θ" },
    y: { low: least - 1.2, high: most + 2.2 },
    marks: [
      { line: curve((theta) => bowl(1, z, tau, theta)), colour: COLOURS[1], width: 1.5, label: "bowl of +" },
      { line: curve((theta) => bowl(-1, z, tau, theta)), colour: COLOURS[-1], width: 1.5, label: "bowl of −" },
      { line: curve((theta) => loss(z, theta)), colour: PALETTE.reference, label: "loss" },
      { line: curve((theta) => majoriser(z, tau, theta)), colour: PALETTE.S, dash: "7 4", label: "mean of the bowls" },
      { point: [s, majoriser(z, tau, s)], shape: "diamond", colour: PALETTE.Theta, label: "its lowest point, T(s) = s" },
      { point: [tau, loss(z, tau)], colour: PALETTE.S, label: "τ: drag it, or move it with the arrow keys" },
    ],
  };
}

export default { render };
