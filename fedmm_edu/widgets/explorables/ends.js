// Where each relative ends: Σ μ_i Q_i ∇f_i(θ) = 0 for three clients f_i = h_i(θ − m_i)²/2 on the line.

import { lease, slider, watch } from "./controls.js";
import { frame, html, PALETTE, sentence, tidy } from "./dom.js";
import { across, chart } from "./plot.js";

/** Q_i of a client with the second derivative h: what a round makes of its gradient. */
export const FACTORS = {
  same: () => 1,
  drift: (h, { eta, steps, pull = 0 }) => {
    let sum = 0;
    for (let k = 0; k < steps; k += 1) sum += (1 - eta * (h + pull)) ** k;
    return eta * sum;
  },
  inverse: (h) => 1 / h,
};

/** What a system makes of the gradients, by name; `optimum` names those that make the same of all. */
export const SYSTEMS = [
  { name: "optimum", of: (h) => FACTORS.same(h), mark: { shape: "circle", colour: PALETTE.S } },
  { name: "FedAvg", of: (h, { eta, steps }) => FACTORS.drift(h, { eta, steps }), mark: { shape: "cross",
    colour: PALETTE.Theta } },
  { name: "FedProx", of: (h, at) => FACTORS.drift(h, at), mark: { shape: "cross", colour: PALETTE.extra } },
  { name: "one-shot averaging, and averages of Newton steps", of: (h) => FACTORS.inverse(h), mark: { shape: "bar",
    colour: PALETTE.other } },
];

/** The θ with Σ Q_i h_i(θ − m_i) = 0, and the share of each client in it. */
export function end(Q, bends, least) {
  const weights = Q.map((q, i) => q * bends[i]);
  const total = weights.reduce((a, b) => a + b, 0);
  const shares = weights.map((w) => w / total);
  return { theta: shares.reduce((sum, w, i) => sum + w * least[i], 0), shares };
}

/** Σ h_i(θ − m_i)²/2, divided by the number of clients. */
export const objective = (theta, bends, least) =>
  bends.reduce((sum, h, i) => sum + (h * (theta - least[i]) ** 2) / 2, 0) / bends.length;

/** Where each system ends, the shares, and how far above the minimum. */
export function ends({ bends, least, ...at }) {
  const best = end(bends.map(() => 1), bends, least).theta;
  return SYSTEMS.map(({ name, of }) => {
    const found = end(bends.map((h) => of(h, at)), bends, least);
    return { name, ...found, above: objective(found.theta, bends, least) - objective(best, bends, least) };
  });
}

/** State: `least` (where each client's f_i is least), bend1, bend2, bend3, steps, eta, pull, and the names `optimum`. */
function render({ model: given, el }) {
  const model = lease(given);
  frame(el);
  const two = (value) => value.toFixed(2);
  const bent = (i) => slider(model, `bend${i}`, { label: `client ${i}: curvature h${"₁₂₃"[i - 1]}`, min: 0.25, max: 4,
    step: 0.25, show: two });
  el.append(html("div", { class: "controls" },
    bent(1), bent(2), bent(3),
    slider(model, "steps", { label: "local steps K", min: 1, max: 100, step: 1 }),
    slider(model, "eta", { label: "local step size η", min: 0.01, max: 0.25, step: 0.01, show: two }),
    slider(model, "pull", { label: "FedProx: pull λ", min: 0, max: 10, step: 0.5, show: (v) => v.toFixed(1) }),
  ));
  const view = chart(el, { label: "The objective over theta, the clients' own minima, and where each system ends" });
  const says = sentence(el);
  const table = html("div", { class: "scroll" });
  el.append(table, html("details", {}, html("summary", {}, "Who ends at the optimum, whatever the sliders say"),
    html("p", {}, model.get("optimum").join("; "))));

  watch(model, ["bend1", "bend2", "bend3", "steps", "eta", "pull"], () => {
    const bends = [1, 2, 3].map((i) => model.get(`bend${i}`));
    const least = model.get("least");
    const at = { steps: model.get("steps"), eta: model.get("eta"), pull: model.get("pull") };
    const found = ends({ bends, least, ...at });
    view.draw(picture(found, bends, least));
    table.replaceChildren(tableOf(found));
    says.textContent = inWords(found, at.steps);
  });
  return () => [model, view].forEach((part) => part.close());
}

function picture(found, bends, least) {
  const x = { low: -3.2, high: 3.2, label: "parameter θ" };
  const height = (theta) => objective(theta, bends, least);
  const high = Math.max(height(x.low), height(x.high));
  return {
    x, y: { low: 0, high, label: "f(θ)" },
    marks: [
      { line: across(x, 160).map((theta) => [theta, height(theta)]), colour: PALETTE.reference, label: "f = Σ μᵢ fᵢ" },
      ...least.map((m, i) => ({ point: [m, 0.02 * high], shape: "bar", colour: PALETTE.light,
        label: i ? null : "where each client's own fᵢ is least" })),
      ...found.map(({ name, theta }, k) => ({ point: [theta, height(theta)], ...SYSTEMS[k].mark, label: name })),
    ],
  };
}

function tableOf(found) {
  const cell = (text) => html("td", {}, text);
  const head = ["ends at θ", "above the optimum", "share of client 1", "2", "3"];
  return html("table", {},
    html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "system"),
      ...head.map((text) => html("th", { scope: "col" }, text)))),
    html("tbody", {}, ...found.map(({ name, theta, above, shares }) => html("tr", {},
      html("th", { scope: "row" }, name), cell(tidy(theta)), cell(above < 1e-12 ? "0" : tidy(above)),
      ...shares.map((share) => cell(share.toFixed(3)))))));
}

/** Local steps from which on the sentence says where ever more of them lead: before, the reader may guess. */
const MANY = 50;

/** The sentence below the figure. */
export function inWords(found, steps) {
  const [best, fedavg, fedprox, once] = found;
  const drift = Math.abs(fedavg.theta - best.theta);
  const said = drift < 1e-9
    ? `FedAvg ends at the optimum, θ = ${tidy(best.theta)}: ` +
      (steps === 1 ? "with one local step Qᵢ = η for all." : "here all clients bend alike.")
    : `FedAvg ends at θ = ${tidy(fedavg.theta)}, ${tidy(drift)} from the optimum ${tidy(best.theta)}; ` +
      `FedProx at ${tidy(fedprox.theta)}.` +
      (steps < MANY ? "" : ` For ever more steps FedAvg goes to ${tidy(once.theta)}, the plain mean of the minima.`);
  return `${said} A share is μᵢQᵢhᵢ, divided by their sum: how much a client's own minimum counts.`;
}

export default { render };
