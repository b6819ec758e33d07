// The two averages of the first page: of what two clients send as s, and of what they send as θ (Remark 1).

import { button, lease, put, watch } from "./controls.js";
import { calm, frame, html, PALETTE, sentence, tidy } from "./dom.js";
import { across, chart } from "./plot.js";
import { aggregates, T } from "./toy.js";

const ENDS = { low: 0.15, high: 4 };
const PERIOD = 9;

/** Two clients after so many seconds: they part and meet again, and their average stays in the middle. */
export function drift(middle, seconds) {
  const apart = (middle - ENDS.low) * 0.5 * (1 - Math.cos((2 * Math.PI * seconds) / PERIOD));
  return [middle - apart, middle + apart];
}

/** Σ ½s_i, T of it, and Σ ½T(s_i). */
export const both = (s) => aggregates(s, [0.5, 0.5]);

/** State: `s`, the surrogates of the two clients; `moves`, whether they drift by themselves. */
function render({ model: given, el }) {
  const model = lease(given);
  frame(el);
  if (calm()) put(model, "moves", false);
  const view = chart(el, { label: "T(s) over s with two clients and both averages", height: 300 });
  const place = (s) => put(model, "s", s.map((value) => Math.min(Math.max(value, ENDS.low), ENDS.high)));
  const handles = [0, 1].map((i) => view.handle({
    label: `surrogate of client ${i + 1}`,
    colour: PALETTE.soft,
    onMove: (value) => {
      put(model, "moves", false);
      place(model.get("s").map((old, k) => (k === i ? value : old)));
    },
  }));
  const says = sentence(el);
  const toggle = button("", () => put(model, "moves", !model.get("moves")));
  const equal = button("Make them equal", () => {
    put(model, "moves", false);
    const { s } = both(model.get("s"));
    place([s, s]);
  });
  el.append(html("div", { class: "buttons" }, toggle, equal));

  watch(model, ["s"], () => {
    const s = model.get("s");
    const found = both(s);
    handles.forEach((handle, i) => handle.place(s[i], T(s[i]), `s = ${tidy(s[i])}, minimiser ${tidy(T(s[i]))}`));
    view.draw(picture(s, found));
    says.textContent = inWords(s, found);
  });
  watch(model, ["moves"], () => {
    const moves = model.get("moves");
    toggle.textContent = moves ? "Pause" : "Let them drift";
    says.setAttribute("aria-live", moves ? "off" : "polite"); // a sentence a frame is too much to say
    if (moves) requestAnimationFrame((now) => run(model, el, now - 1000 * begun(model.get("s"))));
  });
  return () => [model, view].forEach((part) => part.close());
}

/** The seconds of a drift after which clients are as far apart as these. */
function begun([first, second]) {
  const { s: middle } = both([first, second]);
  const share = Math.min(1, Math.abs(second - first) / (2 * (middle - ENDS.low)));
  return (PERIOD * Math.acos(1 - 2 * share)) / (2 * Math.PI);
}

/** Frame after frame, until something stops it. */
function run(model, el, since) {
  const { s: middle } = both(model.get("s"));
  const step = (now) => {
    if (!model.get("moves") || !el.isConnected) return;
    model.set("s", drift(middle, (now - since) / 1000)); // not a word to Python in each frame
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function picture(s, { s: middle, inS, inTheta }) {
  const points = s.map((value) => [value, T(value)]);
  const graph = across({ low: 0.1, high: 4.2 }, 200).map((value) => [value, T(value)]);
  return {
    x: { low: 0, high: 4.2, label: "surrogate s" },
    y: { low: 0, high: 2.8, label: "its minimiser θ = T(s)" },
    marks: [
      { line: graph, colour: PALETTE.reference, label: "T(s) = 1/√s" },
      { line: points, colour: PALETTE.light, width: 1.5, dash: "4 3" },
      { line: [[middle, inS], [middle, inTheta]], colour: PALETTE.light, width: 1.5 },
      { point: [middle, inTheta], shape: "cross", colour: PALETTE.Theta, label: "average of the two θ" },
      { point: [middle, inS], colour: PALETTE.S, label: "T of the average s: the optimum" },
      { point: points[0], colour: PALETTE.soft, label: "a client: drag it, or use the arrow keys" },
    ],
  };
}

function inWords(s, { s: middle, inS, inTheta }) {
  const excess = 100 * (inTheta / inS - 1);
  const wrong = excess < 0.05 ? "the same, as the clients are equal." : `${tidy(excess, 2)} % too large.`;
  return `The clients send s = ${s[0].toFixed(2)} and ${s[1].toFixed(2)}: averaged to ${middle.toFixed(2)}, then minimised once, ` +
    `that is ${inS.toFixed(3)}, what all their data together give. They send their minimisers ${T(s[0]).toFixed(2)} and ` +
    `${T(s[1]).toFixed(2)}: the average is ${inTheta.toFixed(3)}, ${wrong}`;
}

export default { render };
