// Sliders, menus and buttons that are bound to a model of the anywidget protocol.

import { html } from "./dom.js";

/** An id that no other figure on the page has. */
const freshId = () => `explorable-${Math.random().toString(36).slice(2)}`;

/** A slider for the number `name` of the model; `show(value)` is its text. */
export function slider(model, name, { label, min, max, step, show = String }) {
  const id = freshId();
  const input = html("input", { type: "range", id, min, max, step, value: model.get(name), "data-name": name });
  const output = html("output", { for: id });
  const update = () => {
    const value = model.get(name);
    input.value = value;
    output.textContent = show(value);
    input.setAttribute("aria-valuetext", show(value));
  };
  input.addEventListener("input", () => put(model, name, Number(input.value)));
  model.on(`change:${name}`, update);
  update();
  return html("div", { class: "control" }, html("label", { for: id }, label), input, output);
}

/** A menu for the text `name` of the model, from [value, text] pairs. */
export function menu(model, name, { label, options }) {
  const id = freshId();
  const select = html("select", { id, "data-name": name });
  select.append(...options.map(([value, text]) => html("option", { value }, text)));
  const update = () => { select.value = model.get(name); };
  select.addEventListener("change", () => put(model, name, select.value));
  model.on(`change:${name}`, update);
  update();
  return html("div", { class: "control" }, html("label", { for: id }, label), select);
}

export function button(label, action) {
  const element = html("button", { type: "button" }, label);
  element.addEventListener("click", action);
  return element;
}

/** Set values of the model and tell Python, where there is one. */
export function put(model, name, value) {
  model.set(name, value);
  model.save_changes();
}

/** Call `draw` now and whenever one of the values changes. */
export function watch(model, names, draw) {
  for (const name of names) model.on(`change:${name}`, draw);
  draw();
}

/** The model for as long as a figure is shown: `close()` takes back every listener that came through it. */
export function lease(model) {
  const given = [];
  return {
    get: (name) => model.get(name),
    set: (name, value) => model.set(name, value),
    save_changes: () => model.save_changes(),
    on(event, listener) {
      given.push([event, listener]);
      model.on(event, listener);
    },
    close: () => given.forEach(([event, listener]) => model.off(event, listener)),
  };
}
