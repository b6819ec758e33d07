// A reader without a class: simulated classmates wait for a six and for heads, and so does the reader. What shall all send?

import { button, lease, menu, put, slider, watch } from "./controls.js";
import { frame, html, PALETTE, sentence, tidy } from "./dom.js";
import { chart } from "./plot.js";

/** What each client sends of its wait z, and what the server makes of the average a. */
const IDEAS = {
  "θ = 1/z": [(z) => 1 / z, (a) => a],
  "log z": [Math.log, (a) => Math.exp(-a)],
  "√z": [Math.sqrt, (a) => a ** -2],
  "z²": [(z) => z * z, (a) => a ** -0.5],
  "z itself": [(z) => z, (a) => 1 / a],
};

/** Where the class lands in each game when everybody sends that. */
export function landed(idea, readings) {
  const [send, back] = IDEAS[idea];
  return [0, 1].map((game) => back(readings.reduce((sum, waits) => sum + send(waits[game]), 0) / readings.length));
}

/** State: the waits of the `classmates`, the reader's own `six` and `heads`, and the `idea`. */
function render({ model: given, el }) {
  const model = lease(given);
  frame(el);
  el.append(html("div", { class: "controls" },
    slider(model, "six", { label: "your throws until a six", min: 1, max: 30, step: 1 }),
    slider(model, "heads", { label: "your tosses until heads", min: 1, max: 12, step: 1 }),
    menu(model, "idea", { label: "everybody sends", options: Object.keys(IDEAS).map((idea) => [idea, idea]) }),
  ), html("div", { class: "buttons" }, button("Throw for me", () => {
    put(model, "six", waited(1 / 6, 30));
    put(model, "heads", waited(1 / 2, 12));
  })));
  const view = chart(el, { label: "Every client's theta for both games, where the class lands, and the optimum", height: 340 });
  const says = sentence(el);
  watch(model, ["six", "heads", "idea"], () => {
    const own = [model.get("six"), model.get("heads")];
    const readings = [...model.get("classmates"), own];
    const [found, best] = [landed(model.get("idea"), readings), landed("z itself", readings)];
    const lands = found.every((theta, game) => Math.abs(theta / best[game] - 1) < 1e-9);
    view.draw(picture(readings, own, found, best));
    says.textContent = `${readings.length} clients send ${model.get("idea")}: the server's θ is ${tidy(found[0])} for a six and ${tidy(found[1])} for heads. ` +
      `All throws together say ${tidy(best[0])} and ${tidy(best[1])}: ${lands ? "it lands." : "it misses."}`;
  });
  return () => [model, view].forEach((part) => part.close());
}

/** Throws until the chance comes, at most so many. */
function waited(chance, most) {
  let count = 1;
  while (Math.random() >= chance && count < most) count += 1;
  return count;
}

function picture(readings, own, found, best) {
  const theta = ([six, heads]) => [1 / six, 1 / heads];
  return {
    x: { low: 0, high: 1.03, label: "θ for a six" },
    y: { low: 0, high: 1.05, label: "θ for heads" },
    marks: [
      ...readings.map((waits, i) => ({ point: theta(waits), colour: PALETTE.light, label: i ? null : "one client alone" })),
      { point: theta(own), colour: PALETTE.other, size: 7, label: "you alone" },
      { point: best, colour: PALETTE.S, size: 10, hollow: true, label: "θ⋆, of all throws together" },
      { point: found, shape: "cross", colour: PALETTE.Theta, label: "where the class lands" },
    ],
  };
}

export default { render };
