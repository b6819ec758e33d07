// Drawings that phone and teacher share. Everything is SVG with classes; look.css says which colours they have.
import { tidy } from "./link.js";
import { value } from "./formula.js";

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, given] of Object.entries(attributes)) element.setAttribute(name, given);
  element.append(...children);
  return element;
}

const chart = (width, height, says, kind = "") =>
  svg("svg", { class: `chart ${kind}`, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": says });

/** Linear map of [a, b] to [c, d], held inside. */
const scale = (a, b, c, d) => (x) => c + ((d - c) * (Math.min(Math.max(x, Math.min(a, b)), Math.max(a, b)) - a)) / (b - a);

/** Pixels that a drawing is wide: as many as the screen gives, so that its text keeps its size. */
const width = () => Math.min(560, Math.max(320, window.innerWidth - 28));

/** Bars of how many chose what. */
export function histogram(choices, counts) {
  const row = 46;
  const most = Math.max(1, ...counts);
  const W = width();
  const full = W - 40;
  const picture = chart(W, row * choices.length, choices.map((choice, k) => `${choice}: ${counts[k]}`).join("; "));
  choices.forEach((choice, k) => {
    picture.append(
      svg("text", { x: 0, y: row * k + 15 }, choice),
      svg("rect", { class: "bar", x: 0, y: row * k + 20, width: (full * counts[k]) / most + 1, height: 18, rx: 3 }),
      svg("text", { x: (full * counts[k]) / most + 10, y: row * k + 34 }, String(counts[k])),
    );
  });
  return picture;
}

/** The square of (θ of the six, θ of heads): what was sent, its average, ideas, and θ⋆ as a target. */
export function plane({ games, dots = [], mean = null, ideas = [], best = null }) {
  const W = width();
  const [H, edge] = [W - 60, 50];
  const x = scale(0, 1, edge, W - 16);
  const y = scale(0, 1, H - edge, 12);
  const says = [
    `${dots.length} answers`,
    mean ? `average ${mean.map((v) => tidy(v)).join(", ")}` : "",
    best ? `θ⋆ ${best.map((v) => tidy(v)).join(", ")}` : "",
  ].filter(Boolean).join("; ");
  const picture = chart(W, H, says, "plane");
  for (const tick of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    picture.append(
      svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: y(0), y2: y(1) }),
      svg("line", { class: "grid", x1: x(0), x2: x(1), y1: y(tick), y2: y(tick) }),
      svg("text", { x: x(tick), y: H - edge + 20, "text-anchor": "middle" }, String(tick)),
      svg("text", { x: edge - 8, y: y(tick) + 5, "text-anchor": "end" }, String(tick)),
    );
  }
  picture.append(
    svg("text", { x: W / 2, y: H - 6, "text-anchor": "middle" }, `θ for ${games[0].awaited} of the ${games[0].thrown}`),
    svg("text", { x: 14, y: H / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${H / 2})` },
      `θ for ${games[1].awaited} of the ${games[1].thrown}`),
  );
  for (const [a, b] of dots) picture.append(svg("circle", { class: "one", cx: x(a), cy: y(b), r: 7 }));
  ideas.forEach((idea, k) => {
    if (!idea.theta) return;
    const place = { cx: x(idea.theta[0]), cy: y(idea.theta[1]) };
    picture.append(
      svg("circle", { class: idea.lands ? "lands" : "idea", r: 8, ...place }),
      svg("text", { x: place.cx + 12, y: place.cy - 8 }, String(k + 1)),
    );
  });
  if (mean) {
    picture.append(
      svg("circle", { class: "mean", cx: x(mean[0]), cy: y(mean[1]), r: 11 }),
      svg("text", { x: x(mean[0]) + 16, y: y(mean[1]) + 5 }, "average of the θ's"),
    );
  }
  if (best) {
    for (const r of [14, 20]) picture.append(svg("circle", { class: "target", cx: x(best[0]), cy: y(best[1]), r }));
    picture.append(svg("text", { x: x(best[0]) + 26, y: y(best[1]) + 22 }, "θ⋆"));
  }
  return picture;
}

/** One coordinate of θ over the rounds; θ⋆ is the dashed line, a lost update a vertical one. */
export function path(values, best, lost, title) {
  const [W, H, edge] = [width(), 300, 46];
  const late = values.slice(Math.floor(values.length / 3));
  const top = Math.min(1, Math.max(2.2 * best, 1.1 * Math.max(...late, 0)));
  const x = scale(0, Math.max(1, values.length - 1), edge, W - 12);
  const y = scale(0, top, H - 40, 34);
  const picture = chart(W, H, `${title}: ${tidy(values.at(-1))} after ${values.length - 1} rounds; θ⋆ ${tidy(best)}`);
  for (let k = 0; k <= 4; k += 1) {
    const tick = (top * k) / 4;
    picture.append(
      svg("line", { class: "grid", x1: edge, x2: W - 12, y1: y(tick), y2: y(tick) }),
      svg("text", { x: edge - 6, y: y(tick) + 5, "text-anchor": "end" }, tidy(tick, 2)),
    );
  }
  for (const t of lost) {
    picture.append(svg("line", { class: "Theta", x1: x(t), x2: x(t), y1: y(0), y2: y(top) }),
      svg("text", { x: x(t) + 4, y: H - 46 }, "V lost"));
  }
  picture.append(
    svg("line", { class: "best", x1: edge, x2: W - 12, y1: y(best), y2: y(best) }),
    svg("polyline", { class: "S", points: values.flatMap((v, t) => (v <= top ? [`${x(t)},${y(v)}`] : [])).join(" ") }),
    svg("text", { x: edge, y: 18 }, `${title}: ${tidy(values.at(-1))}, θ⋆ = ${tidy(best)} (dashed)`),
    svg("text", { x: W - 12, y: H - 8, "text-anchor": "end" }, `${values.length - 1} rounds`),
    svg("text", { x: edge, y: H - 8 }, "0"),
  );
  return picture;
}

/** What there is to see of a failure at the place `at` (τ, or s): curves, the worst point, a sentence. */
export function failure(picture, at) {
  const { kind, point, formulas: f } = picture;
  const near = [...Object.values(point), kind === "lowest" ? value(f.T, { s: at }) : at].filter((v) => v > 0 && v < 1e3);
  const [low, high] = [Math.min(...near) / 4, 2 * Math.max(...near)];
  const thetas = Array.from({ length: 241 }, (_, k) => low + ((high - low) * k) / 240);
  if (kind === "gap") {
    const z = point.z ?? 1;
    const sent = value(f.S_bar, { z, theta: at });
    const loss = (theta) => value(f.loss, { z, theta });
    const bare = (theta) => value(f.psi, { theta }) - sent * value(f.phi, { theta });
    const above = (theta) => bare(theta) - bare(at) + loss(at);
    const gap = (theta) => above(theta) - loss(theta);
    const all = point.theta === undefined ? thetas : [...thetas, point.theta];
    const worst = all.reduce((a, b) => (gap(b) < gap(a) ? b : a), at);
    const fails = gap(worst) < -1e-9;
    const says = fails
      ? `z = ${tidy(z)}, τ = ${tidy(at)}: at θ = ${tidy(worst)} your surrogate lies ${tidy(-gap(worst))} below the loss.`
      : `z = ${tidy(z)}, τ = ${tidy(at)}: nothing is wrong here. Drag τ back.`;
    return { thetas, curves: [[loss, "best", "loss"], [above, "S", "your surrogate"]], worst, fails, says,
      touch: [at, loss(at)], low: [worst, above(worst)], shade: [loss, above] };
  }
  const J = (theta) => value(f.psi, { theta }) - at * value(f.phi, { theta });
  const T = value(f.T, { s: at });
  const worst = [...thetas, ...(point.theta === undefined ? [] : [point.theta])]
    .reduce((a, b) => (!(J(b) >= J(a)) && Number.isFinite(J(b)) ? b : a), T > 0 ? T : thetas[120]);
  const fails = !(T > 0) || J(worst) < J(T) - 1e-9;
  const says = fails
    ? `s = ${tidy(at)}: your T(s) = ${tidy(T)}, and the surrogate is lower at θ = ${tidy(worst)}.`
    : `s = ${tidy(at)}: T(s) = ${tidy(T)} is the lowest point seen here. Drag s back.`;
  return { thetas, curves: [[J, "S", "your surrogate"]], worst, fails, says, touch: [T, J(T)], low: [worst, J(worst)] };
}

/** A counterexample to drag: over the picture by finger or mouse, or with the slider by keyboard. */
export function counterexample(picture) {
  const name = picture.kind === "gap" ? "τ" : "s";
  const start = picture.kind === "gap" ? picture.point.tau ?? 1 : picture.point.s ?? 1;
  const [least, most] = [start / 4, start * 3];
  const box = document.createElement("div");
  const place = document.createElement("div");
  const says = document.createElement("p");
  says.setAttribute("aria-live", "polite");
  says.className = "says";
  const slider = Object.assign(document.createElement("input"),
    { type: "range", min: least, max: most, step: (most - least) / 200, value: start });
  slider.setAttribute("aria-label", `${name}, the point to drag`);
  let reach = [0, 1];

  const draw = (at) => {
    const [W, H, edge] = [width(), 330, 40];
    const seen = failure(picture, at);
    reach = [seen.thetas[0], seen.thetas.at(-1), edge, W - 12, W];
    const x = scale(reach[0], reach[1], edge, W - 12);
    const middle = seen.curves.flatMap(([curve]) => seen.thetas.map(curve)).filter(Number.isFinite).sort((a, b) => a - b);
    const spread = [...middle.slice(0, Math.ceil(0.9 * middle.length)), seen.touch[1], seen.low[1]].filter(Number.isFinite);
    const [bottom, top] = [Math.min(...spread), Math.max(...spread)];
    const y = scale(bottom - 0.06 * (top - bottom || 1), top, H - 34, 40);
    const drawing = chart(W, H, seen.says, "drag");
    drawing.append(svg("line", { class: "axis", x1: edge, x2: W - 12, y1: H - 34, y2: H - 34 }));
    for (let k = 0; k <= 4; k += 1) {
      const tick = reach[0] + ((reach[1] - reach[0]) * k) / 4;
      drawing.append(svg("text", { x: x(tick), y: H - 14, "text-anchor": "middle" }, tidy(tick, 2)));
    }
    if (seen.shade) {
      const [lower, upper] = seen.shade;
      const bad = seen.thetas.filter((theta) => upper(theta) < lower(theta) - 1e-9);
      for (const part of [bad.filter((v) => v < at), bad.filter((v) => v > at)]) {
        const there = part.map((v) => `${x(v)},${y(lower(v))}`);
        const back = part.map((v) => `${x(v)},${y(upper(v))}`).reverse();
        if (part.length > 1) drawing.append(svg("polygon", { class: "below", points: [...there, ...back].join(" ") }));
      }
    }
    seen.curves.forEach(([curve, kind, label], k) => {
      const points = seen.thetas.filter((theta) => curve(theta) <= top && curve(theta) >= bottom);
      drawing.append(
        svg("polyline", { class: kind, points: points.map((v) => `${x(v)},${y(curve(v))}`).join(" ") }),
        svg("line", { class: kind, x1: edge + 110 * k, x2: edge + 110 * k + 30, y1: 16, y2: 16, "stroke-width": 2.5 }),
        svg("text", { x: edge + 110 * k + 38, y: 21 }, label),
      );
    });
    drawing.append(svg("text", { x: W - 12, y: H - 40, "text-anchor": "end" }, "θ"));
    if (seen.fails && Number.isFinite(seen.low[1])) drawing.append(svg("circle", { class: "low", cx: x(seen.low[0]), cy: y(seen.low[1]), r: 8 }));
    if (Number.isFinite(seen.touch[1])) {
      drawing.append(
        svg("circle", { class: "handle", cx: x(seen.touch[0]), cy: y(seen.touch[1]), r: 10 }),
        svg("text", { x: x(seen.touch[0]) + 14, y: y(seen.touch[1]) - 10 }, name === "τ" ? "τ" : "T(s)"),
      );
    }
    place.replaceChildren(drawing);
    says.textContent = seen.says;
  };

  const move = (at) => {
    slider.value = Math.min(Math.max(at, least), most);
    draw(Number(slider.value));
  };
  slider.addEventListener("input", () => draw(Number(slider.value)));
  place.addEventListener("pointerdown", (down) => {
    place.setPointerCapture(down.pointerId);
    const [from, width] = [Number(slider.value), place.clientWidth || 1];
    const follow = (event) => {
      const shift = (event.clientX - down.clientX) / width;
      move(from + shift * (name === "τ" ? ((reach[1] - reach[0]) * reach[4]) / (reach[3] - reach[2]) : most - least));
    };
    place.addEventListener("pointermove", follow);
    for (const end of ["pointerup", "pointercancel"]) {
      place.addEventListener(end, () => place.removeEventListener("pointermove", follow), { once: true });
    }
  });
  draw(start);
  box.append(place, slider, says);
  return box;
}
