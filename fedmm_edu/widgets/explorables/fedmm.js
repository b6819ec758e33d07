// Algorithm 2 on Poisson counts in the plane of surrogates, round by round: fedmm_edu/algorithms/fedmm.py.

import { PURPOSE, uniforms } from "./draws.js";
import { poisson } from "./poisson.js";

const FLOAT_BITS = 64;

/** {data: counts of each client, points, weights, lam, low, high} with 𝒮 = [low, high] × [−max e^h, −min e^h]. */
export function problem({ data, low, high, ...law }) {
  const model = poisson(law);
  const size = data.reduce((sum, counts) => sum + counts.length, 0);
  const mu = data.map((counts) => counts.length / size);
  const mean = (counts, value) => counts.reduce((sum, z) => sum + value(z), 0) / counts.length;
  const box = { low: [low, model.least], high: [high, model.most] };
  return {
    mu,
    box,
    T: model.T,
    /** E_{π_i}[S̄(Z, θ)] of each client. */
    oracles: (theta) => data.map((counts) => [mean(counts, (z) => z), mean(counts, (z) => model.sBar(z, theta)[1])]),
    objective: (theta) =>
      data.reduce((sum, counts, i) => sum + mu[i] * mean(counts, (z) => model.loss(z, theta)), model.g(theta)),
    project: (s) => s.map((x, j) => Math.min(Math.max(x, box.low[j]), box.high[j])),
  };
}

/** Quant by name: "exact", "one of two" (RandK(1)) or a number of bits (UniformQuantization). */
export function compressor(name, q = 2) {
  if (name === "exact") return { omega: 0, bits: FLOAT_BITS * q, quant: (x) => x };
  if (name === "one of two") {
    const quant = (x, u) => x.map((value, j) => (j === u.indexOf(Math.min(...u)) ? value * q : 0));
    return { omega: q - 1, bits: FLOAT_BITS + Math.ceil(Math.log2(q)), quant };
  }
  const b = Number(name);
  const levels = 2 ** (b - 1) - 1;
  return {
    omega: (Math.sqrt(1 + (q - 1) / levels ** 2) - 1) / 2,
    bits: b * q + FLOAT_BITS,
    quant(x, u) {
      const step = Math.max(...x.map(Math.abs)) / levels;
      return x.map((value, j) => {
        const size = Math.min(Math.abs(value) / (step > 0 ? step : 1), levels);
        return Math.sign(value) * (Math.floor(size) + (u[j] < size - Math.floor(size) ? 1 : 0)) * step;
      });
    },
  };
}

/** The next `rounds` rounds of FedMM from `start`, with V_0 = 0: what `take_apart` and `measure` say of each. */
export function play(federation, { start, seed, p, message, alpha, gamma }, rounds) {
  const { bits, quant } = compressor(message);
  const found = [];
  let x = start;
  let V = federation.mu.map(() => [0, 0]);
  let server = [0, 0];
  let sent = 0;
  for (let t = 1; t <= rounds; t += 1) {
    const who = federation.mu.map((_, i) => i).filter((i) => uniforms(seed, PURPOSE.PARTICIPATION, i, t, 1)[0] < p);
    const theta = federation.T(x);
    const aims = federation.oracles(theta);
    const messages = who.map((i) => {
      const delta = aims[i].map((aim, j) => aim - x[j] - V[i][j]);
      return quant(delta, uniforms(seed, PURPOSE.COMPRESSION, i, t, 2));
    });
    const received = [0, 1].map((j) => who.reduce((sum, i, k) => sum + (federation.mu[i] / p) * messages[k][j], 0));
    const H = [0, 1].map((j) => server[j] + received[j]);
    const half = [0, 1].map((j) => x[j] + gamma * H[j]);
    const after = federation.project(half);
    V = V.map((v, i) => (who.includes(i) ? v.map((value, j) => value + (alpha / p) * messages[who.indexOf(i)][j]) : v));
    server = server.map((value, j) => value + alpha * received[j]);
    sent += who.length * bits;
    found.push({ t, who, aims, H, half, before: x, after, bitsUp: sent, ...measures(federation, x, after, gamma) });
    x = after;
  }
  return found;
}

function measures(federation, before, after, gamma) {
  const [from, to] = [federation.T(before), federation.T(after)];
  const moved = (before[0] - after[0]) ** 2 + (before[1] - after[1]) ** 2;
  return {
    theta: to,
    objective: federation.objective(to),
    surrogateUpdate: moved / gamma ** 2,
    parameterUpdate: (to - from) ** 2 / gamma ** 2,
  };
}

/** The root of h that MM finds from `start`: all clients, exact messages, γ = 1. */
export function root(federation, start, rounds = 500) {
  const exact = { start, seed: 0, p: 1, message: "exact", alpha: 0, gamma: 1 };
  return play(federation, exact, rounds).at(-1).after;
}
