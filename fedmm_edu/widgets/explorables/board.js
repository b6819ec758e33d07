// Six knobs: a setting of FedMM's parts, its names in the literature, and its code.

import { lease, menu, watch } from "./controls.js";
import { frame, html, sentence } from "./dom.js";

const slug = (knob) => knob.replaceAll(" ", "_");

/** How many knobs two settings differ in. */
const apart = (row, at) => row.filter((k, j) => k !== at[j]).length;

/** The systems whose setting this is, and those one knob away, each with the knob and what it would have to be. */
export function named(systems, at) {
  const lit = systems.filter(({ rows }) => rows.some((row) => apart(row, at) === 0)).map(({ name }) => name);
  const near = [];
  for (const { name, rows } of systems) {
    const row = lit.includes(name) ? null : rows.find((one) => apart(one, at) === 1);
    if (row) {
      const knob = row.findIndex((k, j) => k !== at[j]);
      near.push({ name, knob, option: row[knob] });
    }
  }
  return { lit, near };
}

/** The call that makes this setting: only what Algorithm 2 has otherwise stands in it. */
export function code(knobs, at) {
  const parts = Object.values(knobs).map((options, j) => options[at[j]][0]).filter((text) => text);
  return `FedMM(${["problem, clients, 1.0", ...parts].join(",\n      ")})`;
}

/** What a menu says of an option. */
export function shown([text]) {
  return text.startsWith("alpha") ? text.replace("=", " = ") : text.replace(/^\w+=/, "") || "as in Algorithm 2";
}

/** State: `knobs` {name: [code, what it does][]}, `systems` {name, ends, rows}[], and for each knob an option's place. */
function render({ model: given, el }) {
  const model = lease(given);
  frame(el);
  const knobs = model.get("knobs");
  const systems = model.get("systems");
  const names = Object.keys(knobs);
  const menus = names.map((name) => menu(model, slug(name), {
    label: name, options: knobs[name].map((option, k) => [String(k), `${shown(option)}`]),
  }));
  const lamps = systems.map(({ name }) => html("li", {}, name));
  el.append(
    html("div", { class: "controls" }, ...menus),
    html("ul", { class: "lamps", "aria-label": "Systems: those whose setting this is have a mark" }, ...lamps),
    html("style", {}, LOOK),
  );
  const says = sentence(el);
  const line = html("pre", { class: "code", "aria-label": "the code of this setting", tabindex: "0" });
  const does = html("dl", { class: "does" });
  el.append(line, does);

  watch(model, names.map(slug), () => {
    const at = names.map((name) => Number(model.get(slug(name))));
    const found = named(systems, at);
    lamps.forEach((lamp, k) => { lamp.className = found.lit.includes(systems[k].name) ? "lit" : ""; });
    says.textContent = inWords(systems, found, names, knobs);
    line.textContent = code(knobs, at);
    does.replaceChildren(...names.flatMap((name, j) => [html("dt", {}, name), html("dd", {}, knobs[name][at[j]][1])]));
  });
  return () => model.close();
}

const LOOK = `
.explorable .lamps { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 6px; padding: 0; margin: 10px 0; }
.explorable .lamps li { border: 1px solid var(--rule); border-radius: 12px; padding: 1px 9px; margin: 0;
  font-size: 13px; color: var(--quiet); }
.explorable .lamps li.lit { background: var(--mark); border-color: var(--mark); color: var(--paper); font-weight: 600; }
.explorable .lamps li.lit::before { content: "● "; }
.explorable .code { background: var(--hover); color: var(--ink); padding: 8px 10px; overflow-x: auto; font-size: 13px; }
.explorable .does { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; font-size: 13px; margin: 0; }
.explorable .does dt { font-weight: 600; margin: 0; }
.explorable .does dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }`;

/** The sentence below the board. */
export function inWords(systems, { lit, near }, names, knobs) {
  if (lit.length) {
    const ends = [...new Set(systems.filter(({ name }) => lit.includes(name)).map(({ ends: says }) => says))];
    return `This is ${lit.join(", and also ")}. It ends at: ${ends.join("; or, in the words of the other: ")}.`;
  }
  const steps = near.map(({ name, knob, option }) => {
    return `${name} (${names[knob]}: ${shown(knobs[names[knob]][option])})`;
  });
  const away = steps.length ? `One knob away: ${steps.join("; ")}.` : "No named system is one knob away.";
  return `Nobody has named this setting. ${away}`;
}

export default { render };
