// One-parameter problems of each family of Section 2, and MM-1 for any of them.
// A problem: loss(z, θ), g(θ), psi(θ), phi(θ) in ℝ^q, sBar(z, τ) in ℝ^q and T(s).

import { poisson } from "./poisson.js";

const soft = (x, threshold) => Math.sign(x) * Math.max(Math.abs(x) - threshold, 0);
const log1pExp = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
const expit = (x) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x)));

/** Example 1: a smooth loss of xθ with the penalty λ|θ|, and step ρ. Samples are [x, y]. */
function quadratic({ rho, lam }, value, slope) {
  return {
    loss: ([x, y], theta) => value(x * theta, y),
    g: (theta) => lam * Math.abs(theta),
    psi: (theta) => (theta * theta) / (2 * rho),
    phi: (theta) => [theta / rho],
    sBar: ([x, y], tau) => [tau - rho * slope(x * tau, y) * x],
    T: ([s]) => soft(s, rho * lam),
  };
}

/** Section 2.3 with one atom: min over h of ½(z − θh)² + λ|h|, and the penalty ηθ². */
function dictionary({ lam, eta }) {
  const code = (z, theta) => (theta === 0 ? 0 : soft(z * theta, lam) / (theta * theta));
  return {
    loss: (z, theta) => 0.5 * (z - theta * code(z, theta)) ** 2 + lam * Math.abs(code(z, theta)),
    g: (theta) => eta * theta * theta,
    psi: () => 0,
    phi: (theta) => [-0.5 * theta * theta, theta],
    sBar: (z, tau) => [code(z, tau) ** 2, z * code(z, tau)],
    T: ([s1, s2]) => s2 / (s1 + 2 * eta),
  };
}

/** Section 2.3, the loss of Geman and McClure of the residual z − θ, in both half-quadratic forms. */
function robust({ c, form }) {
  const share = (r) => 1 / (1 + (r / c) ** 2);
  const weight = (z, theta) => share(z - theta) ** 2;
  return {
    loss: (z, theta) => 0.5 * (z - theta) ** 2 * share(z - theta),
    g: () => 0,
    psi: () => 0,
    phi: (theta) => [-0.5 * theta * theta, theta],
    sBar: (z, tau) => {
      const w = weight(z, tau);
      return form === "weights" ? [w, w * z] : [1, tau + w * (z - tau)];
    },
    T: ([s1, s2]) => s2 / s1,
  };
}

const KINDS = {
  "least squares": (data) => quadratic(data, (u, y) => 0.5 * (u - y) ** 2, (u, y) => u - y),
  logistic: (data) => quadratic(data, (u, y) => log1pExp(-y * u), (u, y) => -y * expit(-y * u)),
  poisson,
  dictionary,
  robust,
};

/** The mean over samples of `value(z)`, a number or an array. */
export function mean(z, value) {
  const all = z.map(value);
  if (!Array.isArray(all[0])) return all.reduce((sum, x) => sum + x, 0) / z.length;
  return all[0].map((_, j) => all.reduce((sum, x) => sum + x[j], 0) / z.length);
}

/** What a figure shows of {kind, z, …}: the objective f + g, s = E[S̄(Z, τ)], T(s) and the majoriser at τ. */
export function scene(data) {
  const problem = KINDS[data.kind](data);
  const objective = (theta) => mean(data.z, (z) => problem.loss(z, theta)) + problem.g(theta);
  const s = (tau) => mean(data.z, (z) => problem.sBar(z, tau));
  const surrogate = (at, theta) =>
    problem.g(theta) + problem.psi(theta) - problem.phi(theta).reduce((sum, value, j) => sum + at[j] * value, 0);
  return {
    objective,
    s,
    next: (tau) => problem.T(s(tau)),
    /** θ ↦ the right-hand side of MM-1 plus g: the surrogate at τ, moved up until it touches f + g there. */
    majoriser(tau) {
      const at = s(tau);
      const lift = objective(tau) - surrogate(at, tau);
      return (theta) => surrogate(at, theta) + lift;
    },
  };
}

/** Objective and majoriser at τ over a grid, s and T(s): what the figure draws, in numbers. */
export function evaluate(data, tau, thetas) {
  const { objective, s, next, majoriser } = scene(data);
  return { s: s(tau), next: next(tau), objective: thetas.map(objective), majoriser: thetas.map(majoriser(tau)) };
}
