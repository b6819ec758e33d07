// Poisson counts with a latent intensity (Appendix C.1), the first strategy: fedmm_edu/examples/poisson.

/** {points, weights, lam} of the latent law and the penalty λ e^θ as a problem with q = 2. */
export function poisson({ points, weights, lam }) {
  const factors = points.map(Math.exp);
  const logs = weights.map(Math.log);
  const least = -Math.max(...factors);
  const most = -Math.min(...factors);

  /** log(m_k p(z, h_k, θ)) − zθ for each k. */
  const joint = (z, theta) => points.map((h, k) => logs[k] - Math.exp(theta + h) + z * h);

  /** E[e^h | z, θ]. */
  function meanFactor(z, theta) {
    const log = joint(z, theta);
    const total = logSumExp(log);
    const mean = log.reduce((sum, value, k) => sum + Math.exp(value - total) * factors[k], 0);
    return Math.min(Math.max(mean, -most), -least);
  }

  return {
    least,
    most,
    loss: (z, theta) => -z * theta - logSumExp(joint(z, theta)),
    g: (theta) => lam * Math.exp(theta),
    psi: () => 0,
    phi: (theta) => [theta, Math.exp(theta)],
    sBar: (z, theta) => [z, -meanFactor(z, theta)],
    T: (s) => Math.log(s[0] / (lam - s[1])),
  };
}

function logSumExp(values) {
  const top = Math.max(...values);
  return top + Math.log(values.reduce((sum, value) => sum + Math.exp(value - top), 0));
}
