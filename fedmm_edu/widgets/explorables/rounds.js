// The round player: FedMM on four clients that count events, in the plane of surrogates.

import { largestAlpha, omegaP } from "./bound.js";
import { button, lease, menu, put, slider, watch } from "./controls.js";
import { calm, frame, html, PALETTE, sentence, tidy } from "./dom.js";
import { compressor, play, problem, root } from "./fedmm.js";
import { chart } from "./plot.js";

const SETTINGS = ["p", "message", "alpha", "gamma", "seed"];
const MESSAGES = [
  ["exact", "exact: 64 bits a number"], ["8", "8 bits a number"], ["4", "4 bits a number"], ["2", "2 bits a number"],
  ["one of two", "one coordinate of two"],
];

const AXES = [["rounds", "rounds"], ["bits", "kilobytes sent by clients"]];
const E_S = [(round) => round.surrogateUpdate, "Eˢ = ‖ΔŜ‖²/γ²", "S", null];
const E_P = [(round) => round.parameterUpdate, "Eᵖ = ‖Δθ‖²/γ²", "Theta", "6 3"];

/** State: `problem`, `start`, `length` (rounds), the settings, `axis` ("rounds" or "bits") and `t`, the round shown. */
function render({ model: given, el }) {
  const model = lease(given);
  frame(el);
  const federation = problem(model.get("problem"));
  const [start, length] = [model.get("start"), model.get("length")];
  const goal = root(federation, start);
  const least = federation.objective(federation.T(goal));
  let rounds = [];
  let timer = null;

  const left = html("div", { class: "panel" }, html("p", {}, "The plane of surrogates"));
  const right = html("div", { class: "panel" }, html("p", {}, "How far the run has come"));
  const controls = html("div", { class: "buttons" });
  const says = sentence(el);
  const panels = html("div", { class: "panels" }, left, right);
  el.append(controls, slider(model, "t", { label: "round t", min: 1, max: length, step: 1 }), panels);
  const plane = chart(left, { label: "Clients, the server's point and its step in the plane", height: 330 });
  const gap = chart(right, { label: "Objective minus its least value", height: 165 });
  const updates = chart(right, { label: "Squared updates of surrogate and parameter", height: 165 });

  const to = (t) => put(model, "t", Math.min(Math.max(t, 1), length));
  const stop = () => {
    clearInterval(timer);
    timer = null;
    playing.textContent = "Play";
    says.setAttribute("aria-live", "polite");
  };
  const playing = button("Play", () => {
    if (timer) return stop();
    if (model.get("t") >= length) to(1);
    playing.textContent = "Pause";
    says.setAttribute("aria-live", "off"); // a sentence each round is too much to listen to
    timer = setInterval(() => (model.get("t") < length ? to(model.get("t") + 1) : stop()), calm() ? 1200 : 350);
    return undefined;
  });
  const leap = (t) => () => {
    stop();
    to(t());
  };
  controls.append(playing,
    button("Step", leap(() => model.get("t") + 1)),
    button("Back", leap(() => model.get("t") - 1)),
    button("First round", leap(() => 1)),
    button("Other draws", () => put(model, "seed", model.get("seed") + 1)));
  const share = (value) => value.toFixed(2);
  el.append(html("div", { class: "controls" },
    slider(model, "p", { label: "participation p", min: 0.1, max: 1, step: 0.05, show: share }),
    menu(model, "message", { label: "messages", options: MESSAGES }),
    slider(model, "alpha", { label: "control variates α", min: 0, max: 1, step: 0.05, show: share }),
    slider(model, "gamma", { label: "step size γ", min: 0.05, max: 1, step: 0.05, show: share }),
    menu(model, "axis", { label: "horizontal axis", options: AXES }),
  ));

  const draw = () => {
    const here = rounds[Math.min(Math.max(model.get("t"), 1), length) - 1]; // Python may ask for any
    const inBits = model.get("axis") === "bits";
    const at = (round) => (inBits ? round.bitsUp / 8e3 : round.t);
    const x = { low: 0, high: Math.max(at(rounds.at(-1)), 1e-3), label: inBits ? "kB from clients" : "round" };
    const excess = [(round) => round.objective - least, "objective − its minimum", "reference", null];
    plane.draw(inThePlane(federation, rounds, here, goal));
    gap.draw(curves(rounds, here, at, x, [excess]));
    updates.draw(curves(rounds, here, at, x, [E_S, E_P]));
    says.textContent = inWords(here, least, model);
  };
  const replay = () => {
    const settings = Object.fromEntries(SETTINGS.map((name) => [name, model.get(name)]));
    rounds = play(federation, { start, ...settings }, length);
    draw();
  };
  watch(model, SETTINGS, replay);
  watch(model, ["t", "axis"], draw);
  return () => {
    stop();
    [model, plane, gap, updates].forEach((part) => part.close());
  };
}

function inThePlane({ box }, rounds, { t, who, aims, before, half, after }, goal) {
  const path = rounds.slice(0, t).map((round) => round.before);
  const seen = [...aims, ...path, half, after, goal];
  const range = (j) => [Math.min(...seen.map((s) => s[j]), box.low[j]), Math.max(...seen.map((s) => s[j]))];
  const [[x0, x1], [y0, y1]] = [range(0), range(1)];
  const [dx, dy] = [0.1 * (x1 - x0), 0.12 * (Math.max(y1, box.high[1]) - y0)];
  const x = { low: x0 - dx, high: x1 + dx, label: "s₁ = mean count" };
  const y = { low: y0 - dy, high: Math.max(y1, box.high[1]) + dy, label: "s₂" };
  const projected = half.some((value, j) => value !== after[j]);
  const client = (i) => {
    const active = who.includes(i);
    const look = active ? { colour: PALETTE.S } : { colour: PALETTE.light, hollow: true };
    const first = i === aims.findIndex((_, k) => who.includes(k) === active);
    const label = first ? (active ? "active client" : "idle client") : null;
    return [{ point: aims[i], ...look, label }, { text: `${i + 1}`, at: aims[i] }];
  };
  return {
    x,
    y,
    marks: [
      { box: [x.low, y.low, x.high, y.high], fill: "#ddd", label: "outside 𝒮" },
      { box: [box.low[0], box.low[1], Math.min(box.high[0], x.high), box.high[1]], fill: "#fff", colour: "#555" },
      { line: [...path, before], colour: PALETTE.light, width: 1.2, label: "path of Ŝ" },
      ...aims.flatMap((_, i) => client(i)),
      { point: goal, shape: "star", colour: PALETTE.other, size: 8, label: "root of h" },
      { arrow: [before, half], colour: PALETTE.Theta, label: "γH" },
      ...(projected ? [{ line: [half, after], colour: PALETTE.Theta, dash: "2 3", label: "projection onto 𝒮" }] : []),
      { point: before, shape: "square", colour: PALETTE.reference, size: 4, label: "Ŝ before" },
      { point: after, shape: "diamond", colour: PALETTE.Theta, size: 5, label: "Ŝ after" },
    ],
  };
}

const FLOOR = 1e-16; // below it, rounding

function curves(rounds, here, at, x, lines) {
  const values = lines.map(([of]) => rounds.map((round) => Math.max(of(round), FLOOR)));
  const all = values.flat();
  return {
    x,
    y: { low: Math.min(...all) / 2, high: Math.max(...all) * 2, log: true },
    marks: lines.flatMap(([of, label, colour, dash], k) => [
      { line: rounds.map((round, j) => [at(round), values[k][j]]), colour: PALETTE[colour], dash, label },
      { point: [at(here), Math.max(of(here), FLOOR)], shape: "diamond", colour: PALETTE[colour], size: 5 },
    ]),
  };
}

function inWords(here, least, model) {
  const who = here.who.length ? `clients ${here.who.map((i) => i + 1).join(", ")} answered` : "nobody answered";
  const most = largestAlpha(omegaP(compressor(model.get("message")).omega, model.get("p")));
  const above = model.get("alpha") > most + 1e-12;
  const alpha = `Theorem 1 admits α up to ${tidy(most)}${above ? ", less than here." : "."}`;
  const point = here.after.map((value) => tidy(value)).join(", ");
  return `Round ${here.t}: ${who}. Ŝ = (${point}), θ = T(Ŝ) = ${tidy(here.theta)}. ` +
    `Objective ${tidy(here.objective - least)} above its minimum, Eˢ = ${tidy(here.surrogateUpdate)}, ` +
    `Eᵖ = ${tidy(here.parameterUpdate)}, ${volume(here.bitsUp)} sent by clients. ${alpha}`;
}

const volume = (bits) => (bits < 8000 ? `${bits} bits` : `${tidy(bits / 8e3)} kB`);

export { compressor, play, problem, root };
export default { render };
