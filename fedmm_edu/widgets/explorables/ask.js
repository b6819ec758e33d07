// What forms on a page share: elements, one look for light and dark, and a memory of what was answered.

const LOOK = `
.asked { border: 1px solid; border-radius: 6px; padding: 10px 12px; margin: .8rem 0; max-width: 46rem; }
.asked fieldset { border: 0; padding: 0; margin: 0; min-width: 0; }
.asked legend { font: inherit; font-weight: 600; padding: 0; margin: 0 0 6px; float: none; width: auto; }
.asked .choices { display: flex; flex-wrap: wrap; gap: 6px 18px; margin: 6px 0; }
.asked .choices label { display: flex; align-items: center; gap: 7px; min-height: 32px; margin: 0; cursor: pointer; }
.asked input:is([type=radio], [type=checkbox]) { width: 18px; height: 18px; margin: 0; flex: none; }
.asked :is(input[type=text], select, button) { font: inherit; color: inherit; background: transparent; min-height: 36px;
  border: 1px solid; border-radius: 4px; padding: 4px 10px; max-width: 100%; }
.asked option { color: #000; background: #fff; }
.asked button { cursor: pointer; font-weight: 600; }
.asked button:disabled { opacity: .75; cursor: default; }
.asked :focus-visible { outline: 3px solid #0072B2; outline-offset: 2px; }
.asked .says { margin: 8px 0 0; }
.asked .says:empty { display: none; }
.asked img { max-width: 100%; background: #fff; }
.asked pre { white-space: pre; overflow-x: auto; margin: 8px 0; font-size: .85em; }
@media print { .asked button { display: none; } }`;

/** An element with attributes and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Every element of this class that is not alive yet: its frame is emptied, and `render(el, data)` fills it. */
export function each(name, render) {
  if (!document.getElementById("asked-look")) document.head.append(make("style", { id: "asked-look" }, LOOK));
  for (const el of document.querySelectorAll(`.${name}[data-${name}]`)) {
    const data = JSON.parse(el.dataset[name]);
    el.removeAttribute(`data-${name}`);
    el.querySelector("noscript")?.remove();
    el.classList.add("asked");
    el.addEventListener("keydown", (event) => {
      if (!(event.shiftKey || event.ctrlKey || event.altKey || event.metaKey)) event.stopPropagation(); // not JupyterLab's
    });
    render(el, data);
  }
}

/** A labelled circle or box, with its text. */
export function tick(type, group, value, text) {
  return make("label", {}, make("input", { type, name: group, value }), make("span", {}, text));
}

/** A name that no other group of circles on the page has. */
export const fresh = () => `asked-${Math.random().toString(36).slice(2)}`;
