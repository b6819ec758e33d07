// A chart in plain SVG: axes, curves, points and handles that mouse, finger and keyboard move.

import { html, powerOfTen, svg } from "./dom.js";

const MARGIN = { left: 52, right: 12, top: 10, bottom: 40 };

/** Positions in pixels of the values of an axis {low, high, log}. */
export function scale({ low, high, log }, from, to) {
  const f = log ? Math.log10 : (x) => x;
  return (x) => from + ((f(x) - f(low)) / (f(high) - f(low))) * (to - from);
}

/** The value at a position: the inverse of `scale`. */
export function unscale({ low, high, log }, from, to) {
  const f = log ? Math.log10 : (x) => x;
  const value = (pixel) => f(low) + ((pixel - from) / (to - from)) * (f(high) - f(low));
  return (pixel) => (log ? 10 ** value(pixel) : value(pixel));
}

/** Round values of an axis, at most about `most` of them, each with its text. */
export function ticks({ low, high, log }, most = 6) {
  if (log) {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const last = Math.floor(Math.log10(high) + 1e-9);
    const stride = Math.max(1, Math.ceil((last - first + 1) / most));
    const powers = [];
    for (let k = first; k <= last; k += stride) powers.push(k);
    return powers.map((k) => ({ at: 10 ** k, text: powerOfTen(k) }));
  }
  const rough = (high - low) / most;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough * (1 - 1e-9));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) {
    found.push({ at: k * step, text: (k * step).toFixed(decimals).replace("-", "−").replace(/^−(0\.?0*)$/, "$1") });
  }
  return found;
}

/** `size` values from low to high, equally spaced (on the axis). */
export function across({ low, high, log }, size) {
  const value = unscale({ low, high, log }, 0, size - 1);
  return Array.from({ length: size }, (_, k) => value(k));
}

/**
 * A chart below `parent`. `draw({x, y, marks})` shows axes {low, high, log, label} and marks, later ones on top:
 * {line: [[x, y], …], colour, dash, width}, {point: [x, y], shape, colour, size}, {area: [[x, below, above], …],
 * colour}, {box: [x0, y0, x1, y1]}, {arrow: [[x, y], [x, y]], colour}, {text, at: [x, y]}; one with a `label` gets a
 * line in the legend. The chart is as wide as its parent and drawn anew when that changes: text keeps its size.
 */
export function chart(parent, { label, height = 300 }) {
  const layer = svg("g", { "aria-hidden": "true" });
  const root = svg("svg", { class: "chart", role: "group", "aria-label": label, height }, layer);
  const legend = html("ul", { class: "legend", "aria-label": `Legend: ${label}` });
  parent.append(root, legend);
  const handles = [];
  let spec = null;

  function paint() {
    if (!spec) return;
    const width = Math.max(240, root.getBoundingClientRect().width || 560);
    root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const place = {
      left: MARGIN.left, top: MARGIN.top, width: width - MARGIN.left - MARGIN.right,
      height: height - MARGIN.top - MARGIN.bottom,
    };
    const inside = svg("svg", { x: place.left, y: place.top, width: place.width, height: place.height });
    const x = scale(spec.x, 0, place.width);
    const y = scale(spec.y, place.height, 0);
    inside.append(...spec.marks.flatMap((mark) => shapes(mark, x, y, spec)));
    layer.replaceChildren(...axis(spec, place), inside);
    for (const handle of handles) handle.paint(spec, place);
  }

  const watcher = new ResizeObserver(paint);
  watcher.observe(root);
  return {
    draw(next) {
      spec = next;
      paint();
      const named = next.marks.filter((mark) => mark.label);
      legend.replaceChildren(...named.map((mark) => html("li", {}, swatch(mark), mark.label)));
    },
    handle(options) {
      const made = handle(options);
      handles.push(made);
      root.append(made.element);
      return made;
    },
    close: () => watcher.disconnect(),
  };
}

function axis({ x, y }, { left, top, width, height }) {
  const px = scale(x, left, left + width);
  const py = scale(y, top + height, top);
  const parts = [];
  const middle = { "text-anchor": "middle" };
  for (const { at, text } of ticks(x, Math.max(3, Math.floor(width / 60)))) {
    parts.push(svg("line", { x1: px(at), x2: px(at), y1: top, y2: top + height, stroke: "#e4e4e4" }));
    parts.push(svg("text", { ...middle, x: px(at), y: top + height + 16 }, text));
  }
  for (const { at, text } of ticks(y, Math.max(3, Math.floor(height / 45)))) {
    parts.push(svg("line", { x1: left, x2: left + width, y1: py(at), y2: py(at), stroke: "#e4e4e4" }));
    parts.push(svg("text", { "text-anchor": "end", x: left - 6, y: py(at) + 4 }, text));
  }
  parts.push(svg("path", { d: `M${left},${top}V${top + height}H${left + width}`, stroke: "#333", fill: "none" }));
  parts.push(svg("text", { ...middle, x: left + width / 2, y: top + height + 34 }, x.label));
  if (y.label) {
    const at = `translate(12 ${top + height / 2}) rotate(-90)`;
    parts.push(svg("text", { ...middle, transform: at }, y.label));
  }
  return parts;
}

function shapes(mark, x, y, { y: range }) {
  const at = ([a, b]) => `${round(x(a))},${round(y(b))}`;
  if (mark.line) {
    const drawn = mark.line.filter(([, b]) => Number.isFinite(b) && (!range.log || b > 0));
    return [svg("polyline", { points: drawn.map(at).join(" "), ...stroke(mark) })];
  }
  if (mark.area) {
    const there = mark.area.map(([a, low]) => at([a, low]));
    const back = mark.area.map(([a, , high]) => at([a, high])).reverse();
    return [svg("polygon", { points: [...there, ...back].join(" "), fill: mark.colour, "fill-opacity": 0.3 })];
  }
  if (mark.box) {
    const [x0, y0, x1, y1] = mark.box;
    const corner = { x: x(x0), y: y(y1), width: x(x1) - x(x0), height: y(y0) - y(y1) };
    return [svg("rect", { ...corner, fill: mark.fill ?? "none", stroke: mark.colour ?? "none" })];
  }
  if (mark.arrow) {
    const [[x0, y0], [x1, y1]] = mark.arrow.map(([a, b]) => [x(a), y(b)]);
    const turn = (Math.atan2(y1 - y0, x1 - x0) * 180) / Math.PI;
    const transform = `translate(${x1} ${y1}) rotate(${turn})`;
    const tip = svg("path", { d: "M0,0L-9,-4.5V4.5Z", fill: mark.colour, transform });
    return [svg("line", { x1: x0, y1: y0, x2: x1, y2: y1, ...stroke(mark) }), tip];
  }
  if (mark.text) return [svg("text", { x: x(mark.at[0]) + 8, y: y(mark.at[1]) - 7 }, mark.text)];
  return Number.isFinite(mark.point[1]) ? [symbol(mark, x(mark.point[0]), y(mark.point[1]))] : [];
}

const round = (pixel) => Math.round(Math.min(Math.max(pixel, -1e4), 1e4) * 10) / 10;

const stroke = ({ colour, dash, width = 2, opacity }) => ({
  stroke: colour, "stroke-width": width, "stroke-dasharray": dash, "stroke-opacity": opacity, fill: "none",
  "stroke-linejoin": "round",
});

const PATHS = {
  circle: "M1,0A1,1 0 1 1 -1,0A1,1 0 1 1 1,0Z",
  square: "M-.9,-.9H.9V.9H-.9Z",
  diamond: "M0,-1.25L1.25,0L0,1.25L-1.25,0Z",
  star: "M0,-1.5L.35,-.49L1.43,-.46L.57,.19L.88,1.21L0,.6L-.88,1.21L-.57,.19L-1.43,-.46L-.35,-.49Z",
  cross: "M-1,-1L1,1M-1,1L1,-1",
  bar: "M0,-1.2V1.2",
  dash: "M-1.6,0H1.6",
};
const OPEN = new Set(["cross", "bar", "dash"]);

function symbol({ shape = "circle", colour, size = 6, hollow }, x, y) {
  const line = OPEN.has(shape) || hollow;
  const paint = line
    ? { stroke: colour, "stroke-width": 2.2 / size, fill: OPEN.has(shape) ? "none" : "#fff" }
    : { fill: colour };
  return svg("path", { d: PATHS[shape], transform: `translate(${round(x)} ${round(y)}) scale(${size})`, ...paint });
}

function swatch(mark) {
  const box = svg("svg", { width: 26, height: 14, "aria-hidden": "true" });
  if (mark.line) box.append(svg("line", { x1: 1, x2: 25, y1: 7, y2: 7, ...stroke(mark) }));
  else if (mark.arrow) box.append(...shapes({ ...mark, arrow: [[2, 7], [24, 7]] }, (v) => v, (v) => v, { y: {} }));
  else if (mark.point) box.append(symbol({ ...mark, size: Math.min(5, mark.size ?? 5) }, 13, 7));
  else {
    const fill = mark.fill ?? mark.colour;
    box.append(svg("rect", { x: 4, y: 2, width: 18, height: 10, fill, "fill-opacity": 0.6, stroke: mark.colour }));
  }
  return box;
}

/** A point to move along x: `place(x, y, text)` puts it, `onMove(x)` says where the reader wants it. */
function handle({ label, colour, onMove }) {
  const element = svg(
    "g",
    { class: "handle", tabindex: 0, role: "slider", "aria-label": label },
    svg("circle", { r: 22, fill: "transparent" }),
    svg("circle", { class: "ring", r: 12, fill: "none" }),
    svg("circle", { r: 8, fill: colour, stroke: "#fff", "stroke-width": 1.5 }),
  );
  let at = null;
  let toValue = null;
  let range = null;
  const move = (x) => onMove(Math.min(Math.max(x, range.low), range.high));
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    element.focus();
    event.preventDefault();
  });
  element.addEventListener("pointermove", (event) => {
    if (!element.hasPointerCapture(event.pointerId)) return;
    const box = element.ownerSVGElement.getBoundingClientRect();
    move(toValue(event.clientX - box.left));
  });
  element.addEventListener("keydown", (event) => {
    const step = (range.high - range.low) / 120;
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
    const ends = { Home: range.low, End: range.high };
    if (event.key in steps) move(at[0] + steps[event.key] * step);
    else if (event.key in ends) move(ends[event.key]);
    else return;
    event.preventDefault();
  });
  return {
    element,
    place(x, y, text) {
      at = [x, y];
      element.setAttribute("aria-valuenow", x);
      element.setAttribute("aria-valuetext", text);
    },
    paint(spec, { left, top, width, height }) {
      range = spec.x;
      toValue = unscale(range, left, left + width);
      element.setAttribute("aria-valuemin", range.low);
      element.setAttribute("aria-valuemax", range.high);
      const y = Math.min(Math.max(scale(spec.y, top + height, top)(at[1]), top), top + height);
      element.setAttribute("transform", `translate(${scale(range, left, left + width)(at[0])} ${y})`);
    },
  };
}
