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

/** What is said to a locked guess. */
export function verdict({ answer, why }, guess) {
  const said = guess === answer ? `You said “${guess}”, and so it is.` : `You said “${guess}”. It is “${answer}”.`;
  return `${said} ${why}`.trim();
}

function render(el, data) {
  const key = `fedmm-guess:${data.asks}`;
  const held = el.querySelector("details");
  held.querySelector("summary").hidden = true; // for readers without scripts
  const labels = data.choices.map((choice) => tick("radio", fresh(), choice, choice));
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
    boxes.forEach((box) => { box.checked = box.value === guess; });
    says.textContent = locked ? verdict(data, guess) : "";
    held.hidden = !locked;
    held.open = locked;
    el.dataset.locked = locked;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = boxes.find((box) => box.checked);
    if (!chosen) {
      says.textContent = "Choose one first: a wrong guess costs nothing.";
      return;
    }
    memory.write(key, chosen.value);
    show(chosen.value);
  });
  again.addEventListener("click", () => {
    memory.write(key, null);
    show(null);
    boxes[0].focus();
  });
  el.prepend(form);
  const kept = memory.read(key);
  show(data.choices.includes(kept) ? kept : null);
}

export const mountAll = () => each("predict", render);
