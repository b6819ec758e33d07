// Named randomness, bit for bit that of fedmm_edu/federation/draws.py: Philox4x32-10 of (block, client, round,
// purpose).

const MULTIPLIERS = [0xd2511f53n, 0xcd9e8d57n];
const WEYL = [0x9e3779b9, 0xbb67ae85];

export const PURPOSE = { PARTICIPATION: 0, COMPRESSION: 2 };

/** Four words of four counter words and a key of two. */
export function philox([x0, x1, x2, x3], [k0, k1]) {
  for (let round = 0; round < 10; round += 1) {
    const product0 = MULTIPLIERS[0] * BigInt(x0);
    const product1 = MULTIPLIERS[1] * BigInt(x2);
    x0 = (Number(product1 >> 32n) ^ x1 ^ k0) >>> 0;
    x1 = Number(product1 & 0xffffffffn);
    x2 = (Number(product0 >> 32n) ^ x3 ^ k1) >>> 0;
    x3 = Number(product0 & 0xffffffffn);
    k0 = (k0 + WEYL[0]) >>> 0;
    k1 = (k1 + WEYL[1]) >>> 0;
  }
  return [x0, x1, x2, x3];
}

/** `size` uniforms on [0, 1) with 53 random bits for one client: row `client` of `uniforms` in Python. seed < 2^53. */
export function uniforms(seed, purpose, client, round, size) {
  const key = [seed % 2 ** 32, Math.floor(seed / 2 ** 32)];
  const found = [];
  for (let block = 0; found.length < size; block += 1) {
    const [w0, w1, w2, w3] = philox([block, client, round, purpose], key);
    found.push(unit(w0, w1), unit(w2, w3));
  }
  return found.slice(0, size);
}

const unit = (high, low) => (high * 2 ** 21 + (low >>> 11)) * 2 ** -53;
