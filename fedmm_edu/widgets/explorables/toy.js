// The toy of Remark 1, s θ + 1/θ, in which everything has a formula.

/** T(s) = 1/√s, the minimiser of 1/θ + sθ. */
export const T = (s) => 1 / Math.sqrt(s);

/** Surrogate values 1/θ + sθ. */
export const surrogate = (s, theta) => s * theta + 1 / theta;

/** s = Σ μ_i s_i, T(s) and Σ μ_i T(s_i). */
export function aggregates(s, mu) {
  const mean = (values) => values.reduce((sum, value, i) => sum + mu[i] * value, 0);
  return { s: mean(s), inS: T(mean(s)), inTheta: mean(s.map(T)) };
}
