// A number z is θ or −θ plus noise, and its sign h = ±1 is hidden: Example 2 with two labels, which a pencil can follow.

const logCosh = (x) => Math.abs(x) + Math.log1p(Math.exp(-2 * Math.abs(x))) - Math.LN2;

/** ℓ(z, θ) = ½θ² − log cosh(zθ): minus the log of the mean over h of exp(hzθ − ½θ²). */
export const loss = (z, theta) => (theta * theta) / 2 - logCosh(z * theta);

/** μ(h = +1 | z, τ): the odds of + against − are e^(2zτ). */
export const share = (z, tau) => 1 / (1 + Math.exp(-2 * z * tau));

/** S̄(z, τ) = Σ_h hz μ(h | z, τ). */
export const sent = (z, tau) => z * (2 * share(z, tau) - 1);

/** The bowl of one label, ½θ² − hzθ + log 2μ(h | z, τ): all pass through the loss at τ. */
export const bowl = (h, z, tau, theta) => (theta * theta) / 2 - h * z * theta + Math.log(2 * share(h * z, tau));

/** Their mean with the weights μ(h | z, τ): it touches the loss at τ and lies nowhere below. */
export const majoriser = (z, tau, theta) =>
  [1, -1].reduce((sum, h) => sum + share(h * z, tau) * bowl(h, z, tau, theta), 0);

/** With g = ½λθ²: T(s), the objective there, its slope there, and h(s) = E[S̄(Z, T(s))] − s. */
export function at(zs, lam, s) {
  const theta = s / (1 + lam);
  const mean = (f) => zs.reduce((sum, z) => sum + f(z), 0) / zs.length;
  const next = mean((z) => sent(z, theta));
  return { theta, objective: mean((z) => loss(z, theta)) + (lam * theta * theta) / 2, slope: s - next, field: next - s };
}
