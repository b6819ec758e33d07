// Theorem 1 for constant step sizes: fedmm_edu/theory/theorem1.py, with its names and formulas.

/** ω_p = ω + (1 + ω)(1 − p)/p, of compression and participation together. */
export const omegaP = (omega, p) => omega + ((1 + omega) * (1 - p)) / p;

/** a, b and d of part (B), as printed or sharper. */
export function factors(omegaP, alpha, version) {
  if (version === "printed") return { error: 64, initial: 4, level: 2 * (1 + 5 * omegaP) };
  const root = Math.sqrt(1 - alpha);
  return { error: 10 * (1 + root) ** 2, initial: 1.25 * (1 + root), level: 1.875 * (1 + 2 * omegaP) };
}

/** 1/(1 + ω_p). */
export const largestAlpha = (omegaP) => 1 / (1 + omegaP);

/** C̄ = C_⋆⋆ + sup‖h‖ C_⋆. */
export const cBar = ({ C_star, C_star_star, sup_h }) => C_star_star + (C_star > 0 ? sup_h * C_star : 0);

/** What is wrong with constants, or null: the rules of `Constants`. */
export function complaint(constants) {
  const { v_min, v_max, C_star, sup_h, n } = constants;
  if (!(v_min > 0 && v_min <= v_max)) return "v_min must be above 0 and at most v_max.";
  if (!(Number.isInteger(n) && n >= 1)) return "n must be a whole number, at least 1.";
  for (const name of ["v_max", "C_star", "C_star_star", "L", "sigma"]) {
    if (!(constants[name] >= 0 && constants[name] < Infinity)) return `${name} must be finite and at least 0.`;
  }
  const known = sup_h >= 0 && (sup_h < Infinity || C_star === 0);
  return known ? null : "sup‖h‖ must be finite and at least 0 (A6), unless C_⋆ = 0.";
}

/** c = 1 − linear·γ − quadratic·γ². */
function coefficients(constants, omegaP, alpha, version) {
  const linear = (2 * cBar(constants)) / constants.v_min;
  if (omegaP === 0) return { linear, quadratic: 0 };
  const { error } = factors(omegaP, alpha, version);
  const ratio = constants.v_max / constants.v_min;
  return { linear, quadratic: (((error * omegaP) / alpha ** 2) * ratio * constants.L ** 2) / constants.n };
}

/** The supremum of the step sizes γ ≤ 1 that the theorem admits. */
export function largestGamma(constants, omegaP, alpha, version) {
  const { linear, quadratic } = coefficients(constants, omegaP, alpha, version);
  if (linear === 0 && quadratic === 0) return 1;
  return Math.min(1, 2 / (linear + Math.sqrt(linear ** 2 + 4 * quadratic)));
}

/** The three terms of the right-hand side, their sum and c; null where γ is not admitted. */
export function bound(constants, { gamma, rounds, initialGap, initialVariates, omegaP, alpha, version }) {
  const { linear, quadratic } = coefficients(constants, omegaP, alpha, version);
  const slack = 1 - linear * gamma - quadratic * gamma ** 2;
  if (!(slack > 0)) return null;
  const { v_max, sigma, n } = constants;
  const scale = 4 / (gamma * slack);
  const variance = (v_max * sigma ** 2) / n;
  const numbers = omegaP === 0 ? { initial: 0, level: 1 } : factors(omegaP, alpha, version);
  const initial = (scale * initialGap) / rounds;
  const variates = (((scale * gamma * numbers.initial * omegaP * v_max) / alpha) * initialVariates) / rounds;
  const noise = scale * gamma * numbers.level * variance;
  return { initial, variates, noise, slack, total: initial + variates + noise };
}

/** The least T with bound ≤ target; null where the noise alone is above it. */
export function roundsFor(target, constants, settings) {
  const one = bound(constants, { ...settings, rounds: 1 });
  const room = target - one.noise;
  return room > 0 ? Math.max(1, Math.ceil((one.initial + one.variates) / room)) : null;
}
