// The step-size calculator: constants in, the steps that Theorem 1 admits and its right-hand side out.

import { bound, complaint, largestAlpha, largestGamma, omegaP, roundsFor } from "./bound.js";
import { lease, menu, put, slider, watch } from "./controls.js";
import { frame, html, PALETTE, sentence, tidy } from "./dom.js";
import { chart } from "./plot.js";

export { bound, complaint, largestAlpha, largestGamma, omegaP, roundsFor };

const VERSIONS = ["printed", "sharper"];
const FIELDS = [
  ["v_min", "v_min (A7)"], ["v_max", "v_max (A7)"], ["C_star", "C_⋆ (A7)"], ["C_star_star", "C_⋆⋆ (A7)"],
  ["sup_h", "sup‖h‖ (A6)"], ["L", "L (A6)"], ["sigma", "σ (A3)"], ["n", "clients n"],
  ["initialGap", "Δ = W(T(Ŝ₀)) − min W"], ["initialVariates", "G₀ of the V₀"],
];

/** The text of a field as a number: "inf" or "∞" is infinite, what is no number NaN. */
export function parse(text) {
  const plain = String(text).trim().replace("−", "-");
  if (/^(inf|∞)$/i.test(plain)) return Infinity;
  return plain === "" ? NaN : Number(plain);
}

/** Both versions for a state: α, γ (a share of the largest each) and a function T ↦ bound; or a complaint. */
export function calculate({ constants, p, omega, alphaShare, gammaShare }) {
  const together = omegaP(omega, p);
  const wrong = complaint(constants);
  const started = [constants.initialGap, constants.initialVariates].every((x) => x >= 0 && x < Infinity);
  if (wrong || !started) return { complaint: wrong ?? "Δ and G₀ must be finite and at least 0." };
  const alpha = alphaShare * largestAlpha(together);
  const byVersion = VERSIONS.map((version) => {
    const most = largestGamma(constants, together, alpha, version);
    const { initialGap, initialVariates } = constants;
    const settings = { gamma: gammaShare * most, omegaP: together, alpha, version, initialGap, initialVariates };
    const at = (rounds) => bound(constants, { ...settings, rounds });
    const { noise } = at(1);
    const enough = noise > 0 ? roundsFor(2 * noise, constants, settings) : null;
    return [version, { most, gamma: settings.gamma, at, enough }];
  });
  return { omegaP: together, alpha, ...Object.fromEntries(byVersion) };
}

/**
 * State: `presets` {name: fields as text}, `preset`, `constants` (fields as text), p, omega, alphaShare, gammaShare,
 * `power` (T is 10 to it) and `version`.
 */
function render({ model: given, el }) {
  const model = lease(given);
  frame(el);
  const presets = model.get("presets");
  const fields = html("div", { class: "fields" }, ...FIELDS.map(([name, label]) => field(model, name, label)));
  el.append(
    menu(model, "preset", { label: "constants of", options: Object.keys(presets).map((name) => [name, name]) }),
    html("details", {}, html("summary", {}, "Constants: look, or put in your own"), fields),
  );
  const share = (value) => value.toFixed(2);
  el.append(html("div", { class: "controls" },
    slider(model, "p", { label: "participation p", min: 0.05, max: 1, step: 0.05, show: share }),
    slider(model, "omega", { label: "compression ω", min: 0, max: 4, step: 0.1, show: (v) => v.toFixed(1) }),
    slider(model, "alphaShare", { label: "α / largest α", min: 0.05, max: 1, step: 0.05, show: share }),
    slider(model, "gammaShare", { label: "γ / largest γ", min: 0.01, max: 0.99, step: 0.01, show: share }),
    slider(model, "power", { label: "rounds T", min: 1, max: 9, step: 1, show: (k) => tidy(10 ** k) }),
    menu(model, "version", { label: "terms drawn for", options: VERSIONS.map((name) => [name, `${name} constants`]) }),
  ));
  const view = chart(el, { label: "The bound of Theorem 1 and its terms over rounds", height: 320 });
  const says = sentence(el);
  const table = html("div", { class: "scroll" });
  el.append(table);

  model.on("change:preset", () => put(model, "constants", { ...presets[model.get("preset")] }));
  const draw = () => {
    const texts = model.get("constants");
    const constants = Object.fromEntries(FIELDS.map(([name]) => [name, parse(texts[name])]));
    const shares = ["p", "omega", "alphaShare", "gammaShare"].map((name) => [name, model.get(name)]);
    const found = calculate({ constants, ...Object.fromEntries(shares) });
    if (found.complaint) {
      says.textContent = `No bound: ${found.complaint}`;
      table.replaceChildren();
      return;
    }
    const T = 10 ** model.get("power");
    view.draw(picture(found, model.get("version"), T));
    table.replaceChildren(tableOf(found, T));
    says.textContent = inWords(found, T);
  };
  watch(model, ["constants", "p", "omega", "alphaShare", "gammaShare", "power", "version"], draw);
  return () => [model, view].forEach((part) => part.close());
}

function field(model, name, label) {
  const input = html("input", { type: "text", inputmode: "decimal", "data-name": name });
  const mark = () => input.setAttribute("aria-invalid", Number.isNaN(parse(input.value)));
  input.addEventListener("input", () => {
    mark();
    put(model, "constants", { ...model.get("constants"), [name]: input.value });
  });
  watch(model, ["constants"], () => {
    if (document.activeElement !== input) input.value = model.get("constants")[name];
    mark();
  });
  return html("label", {}, label, input);
}

function picture(found, version, T) {
  const grid = Array.from({ length: 91 }, (_, k) => 10 ** (k / 10));
  const curve = (which, term) => grid.map((rounds) => [rounds, found[which].at(rounds)[term]]);
  const other = VERSIONS.find((name) => name !== version);
  const lines = [
    { line: curve(other, "total"), colour: PALETTE.light, dash: "1 4", width: 2.5, label: `bound, ${other}` },
    { line: curve(version, "initial"), colour: PALETTE.S, dash: "8 4", label: "initial gap" },
    { line: curve(version, "variates"), colour: PALETTE.other, dash: "8 3 2 3", label: "control variates" },
    { line: curve(version, "noise"), colour: PALETTE.Theta, dash: "2 3", label: "noise of the oracles" },
    { line: curve(version, "total"), colour: PALETTE.reference, label: `bound, ${version}` },
  ].filter(({ line }) => line.some(([, value]) => value > 0));
  const values = lines.flatMap(({ line }) => line.map(([, value]) => value)).filter((value) => value > 0);
  const [low, high] = values.length ? [Math.min(...values) / 2, Math.max(...values) * 2] : [0.1, 10];
  const here = { line: [[T, low], [T, high]], colour: PALETTE.light, width: 1 };
  const x = { low: 1, high: 1e9, log: true, label: "rounds T" };
  return { x, y: { low, high, log: true }, marks: [here, ...lines] };
}

function tableOf(found, T) {
  const rows = [
    ["largest γ", (v) => v.most], ["γ", (v) => v.gamma], ["initial gap", (v) => v.at(T).initial],
    ["control variates", (v) => v.at(T).variates], ["noise", (v) => v.at(T).noise], ["bound", (v) => v.at(T).total],
    ["rounds to twice the noise", (v) => v.enough ?? NaN],
  ];
  const cells = (of) => VERSIONS.map((name) => html("td", {}, tidy(of(found[name]))));
  const head = VERSIONS.map((name) => html("th", { scope: "col" }, name));
  return html("table", {},
    html("thead", {}, html("tr", {}, html("th", { scope: "col" }, `at T = ${tidy(T)}`), ...head)),
    html("tbody", {}, ...rows.map(([label, of]) => html("tr", {}, html("th", { scope: "row" }, label), ...cells(of)))));
}

function inWords({ omegaP: together, alpha, sharper, printed }, T) {
  const inB = `Part (B), ωₚ = ${tidy(together)}, α = ${tidy(alpha)}`;
  const part = together > 0 ? inB : "Part (A), ωₚ = 0: α plays no role";
  const { initial, variates, noise, total } = sharper.at(T);
  const names = [[initial, "the initial gap"], [variates, "the control variates"], [noise, "the noise"]];
  const largest = names.reduce((a, b) => (b[0] > a[0] ? b : a))[1];
  return `${part}. Theorem 1 admits γ below ${tidy(sharper.most)} (as printed: ${tidy(printed.most)}). ` +
    `With γ = ${tidy(sharper.gamma)}, the mean of E[Ēₜ] over ${tidy(T)} rounds is at most ${tidy(total)}; ` +
    `${largest} is the largest term.`;
}

export default { render };
