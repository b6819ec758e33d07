// Elements, numbers as text, and the style that all figures share.

/** The colours of fedmm_edu/figures/style.py (Okabe and Ito). */
export const PALETTE = { S: "#0072B2", Theta: "#D55E00", reference: "#000000", other: "#009E73", extra: "#CC79A7",
  light: "#999999", soft: "#666666" };

/** What a colour of a drawing becomes where the page is dark. */
export const DARK = { [PALETTE.S]: "#4db5f0", [PALETTE.Theta]: "#ff9a57", [PALETTE.reference]: "#f2f2f2", [PALETTE.other]: "#35c99b",
  [PALETTE.extra]: "#e3a4c6", [PALETTE.light]: "#8a93a3", [PALETTE.soft]: "#a9b0c0", "#e4e4e4": "#343a46", "#333": "#c8ccd6",
  "#fff": "#16181d", "#ddd": "#2f3542", "#555": "#9aa0ac" };
/** A figure on a dark page of the site, or in a dark JupyterLab. */
const ON_DARK = ':is(html[data-theme="dark"], body[data-jp-theme-light="false"]) .explorable';

const STYLE = `
.explorable { --paper: #fff; --ink: #000; --quiet: #333; --rule: #ccc; --edge: #767676; --hover: #eef4fa; --wrong: #b00020;
  --mark: ${PALETTE.S}; background: var(--paper); color: var(--ink); color-scheme: light; font: 15px/1.45 system-ui, sans-serif;
  max-width: 46rem; border: 1px solid var(--rule); border-radius: 6px; padding: 12px; margin: 1rem 0; box-sizing: border-box; }
.explorable *, .explorable *::before { box-sizing: border-box; }
.explorable .panels { display: flex; flex-wrap: wrap; gap: 8px 16px; }
.explorable .panel { flex: 1 1 260px; min-width: 0; max-width: 100%; }
.explorable .panel > p { margin: 4px 0; font-weight: 600; }
.explorable svg.chart { display: block; width: 100%; overflow: visible; }
.explorable svg text { font: 12px system-ui, sans-serif; fill: var(--quiet); }
.explorable .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 2px 0 8px; padding: 0;
  font-size: 13px; }
.explorable .legend li { display: flex; align-items: center; gap: 6px; margin: 0; }
.explorable .controls { display: grid; gap: 6px; margin: 8px 0; }
.explorable .control { display: grid; grid-template-columns: minmax(8rem, 13rem) minmax(6rem, 1fr) 5.5rem;
  gap: 4px 10px; align-items: center; }
.explorable .control output { font-variant-numeric: tabular-nums; }
.explorable .control select { grid-column: 2 / 4; }
.explorable input[type=range] { width: 100%; min-height: 28px; margin: 0; accent-color: var(--mark); }
.explorable select, .explorable button, .explorable input[type=text] { font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--edge); border-radius: 4px; padding: 4px 10px; min-height: 34px; max-width: 100%; }
.explorable input[type=text] { width: 100%; }
.explorable input[aria-invalid=true] { border: 2px solid var(--wrong); }
.explorable button:hover:enabled { background: var(--hover); }
.explorable button:disabled { opacity: .7; border-color: var(--rule); }
.explorable :focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
.explorable .handle { cursor: ew-resize; touch-action: none; }
.explorable .handle:focus-visible { outline: none; }
.explorable .handle:focus-visible .ring { stroke: var(--ink); stroke-width: 2.5; }
.explorable .buttons { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0; }
.explorable .says { margin: 8px 0; min-height: 4.3em; }
.explorable .fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: 8px; }
.explorable .fields label { display: block; font-size: 13px; }
.explorable summary { cursor: pointer; padding: 4px 0; }
.explorable .scroll { overflow-x: auto; }
.explorable table { border-collapse: collapse; margin: 8px 0; font-variant-numeric: tabular-nums; }
.explorable th, .explorable td { border-bottom: 1px solid var(--rule); padding: 3px 12px 3px 0; text-align: right; }
.explorable th:first-child { text-align: left; font-weight: normal; }
@media (max-width: 480px) {
  .explorable { padding: 8px; }
  .explorable .says { min-height: 7.3em; }
  .explorable .control { grid-template-columns: 1fr 5.5rem; }
  .explorable .control label { grid-column: 1 / 3; }
  .explorable .control select { grid-column: 1 / 3; }
}
@media print {
  .explorable { break-inside: avoid; max-width: none; }
  .explorable :is(button, input[type=range]) { display: none; }
}
@media screen {
  ${ON_DARK} { --paper: #16181d; --ink: #f2f2f2; --quiet: #c8ccd6; --rule: #454c5a; --edge: #8a93a3; --hover: #232a36;
    --wrong: #ff8a8a; --mark: ${DARK[PALETTE.S]}; color-scheme: dark; }
  ${Object.entries(DARK).map(([light, dark]) => `${ON_DARK} svg [stroke="${light}"] { stroke: ${dark}; }
  ${ON_DARK} svg [fill="${light}"] { fill: ${dark}; }`).join("\n  ")}
}`;

/** An SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** An HTML element. */
export function html(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** `el` as an empty frame with the shared style. */
export function frame(el) {
  if (!document.getElementById("explorable-style")) {
    document.head.append(html("style", { id: "explorable-style" }, STYLE));
  }
  el.classList.add("explorable");
  el.addEventListener("keydown", (event) => {
    const shortcut = event.shiftKey || event.ctrlKey || event.altKey || event.metaKey;
    if (!shortcut) event.stopPropagation(); // JupyterLab would take arrows and Enter from sliders and buttons
  });
  el.replaceChildren();
  return el;
}

/** A sentence below the figure; screen readers say it when it changes. */
export function sentence(el) {
  const line = html("p", { class: "says", "aria-live": "polite" });
  el.append(line);
  return line;
}

/** Whether the reader asked for less motion. */
export const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** 10 to the power k, for readers. */
export const powerOfTen = (k) => "10" + [...String(k)].map((c) => RAISED[c]).join("");

/** x with `digits` significant digits, for readers: 0.0125, 3.1·10⁻⁷, 12 000. */
export function tidy(x, digits = 3) {
  if (!Number.isFinite(x)) return x === Infinity ? "∞" : x === -Infinity ? "−∞" : "–";
  if (x === 0) return "0";
  const [front, k] = x.toExponential(digits - 1).split("e").map(Number);
  if (k >= -4 && k < 6) {
    const text = Number(x.toPrecision(digits)).toString();
    return (k >= 4 ? text.replace(/\B(?=(\d{3})+$)/g, "\u202f") : text).replace("-", "−");
  }
  const factor = Math.abs(front) === 1 ? "" : `${Math.abs(front)}·`;
  return `${x < 0 ? "−" : ""}${factor}${powerOfTen(k)}`;
}
