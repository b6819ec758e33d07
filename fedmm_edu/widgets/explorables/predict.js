// Predict, commit, reveal: what answers stays hidden until a guess is locked. The guess is kept in this browser.

import { each, fresh, make, tick } from "./ask.js";

/** What is kept from visit to visit, where the browser allows it. */
const memory = {
  read(key) {
    try { return localStorage.getItem(key); } catch { return null; }
  },
  write(key, value) {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
    } catch { /* then it is asked again */ }
  },
};

/** What is said to a locked guess: a choice, or several where the answer is a list. */
export function verdict({ answer, why, choices }, guess) {
  if (Array.isArray(answer)) {
    const right = choices.filter((choice) => guess.includes(choice) === answer.includes(choice)).length;
    const all = right === choices.length;
    const said = all ? "and so it is." : `${right} of ${choices.length} boxes as they should be. It is ${list(answer)}.`;
    return `You said ${list(guess)}${all ? ", " : ": "}${said} ${why}`.trim();
  }
  const said = guess === answer ? `You said “${guess}”, and so it is.` : `You said “${guess}”. It is “${answer}”.`;
  return `${said} ${why}`.trim();
}

const list = (words) => words.map((word) => `“${word}”`).join(", ") || "none";

/** What was kept as a guess: null where it is none for these choices. */
function known({ answer, choices }, kept) {
  if (!Array.isArray(answer)) return choices.includes(kept) ? kept : null;
  try {
    const guess = JSON.parse(kept);
    return Array.isArray(guess) && guess.every((choice) => choices.includes(choice)) ? guess : null;
  } catch { return null; }
}

function render(el, data) {
  const several = Array.isArray(data.answer);
  const key = `fedmm-guess:${data.asks}`;
  const held = el.querySelector("details");
  held.querySelector("summary").hidden = true; // for readers without scripts
  const labels = data.choices.map((choice) => tick(several ? "checkbox" : "radio", fresh(), choice, choice));
  const group = fresh();
  const boxes = labels.map((label) => label.firstChild);
  boxes.forEach((box) => { box.name = group; });
  const lock = make("button", { type: "submit" }, "Lock my guess");
  const again = make("button", { type: "button" }, "Ask me again");
  const says = make("p", { class: "says", "aria-live": "polite" });
  const legend = make("legend", {}, data.asks);
  const field = make("fieldset", {}, legend, make("div", { class: "choices" }, ...labels), lock);
  const form = make("form", { novalidate: "" }, field, says, again);
  const show = (guess) => {
    const locked = guess !== null;
    field.disabled = locked;
    lock.hidden = locked;
    again.hidden = !locked;
    boxes.forEach((box) => { box.checked = locked && [guess].flat().includes(box.value); });
    says.textContent = locked ? verdict(data, guess) : "";
    held.hidden = !locked;
    held.open = locked;
    el.dataset.locked = locked;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
    if (!chosen.length) {
      says.textContent = "Choose one first: a wrong guess costs nothing.";
      return;
    }
    memory.write(key, several ? JSON.stringify(chosen) : chosen[0]);
    show(several ? chosen : chosen[0]);
  });
  again.addEventListener("click", () => {
    memory.write(key, null);
    show(null);
    boxes[0].focus();
  });
  el.prepend(form);
  show(known(data, memory.read(key)));
}

export const mountAll = () => each("predict", render);
