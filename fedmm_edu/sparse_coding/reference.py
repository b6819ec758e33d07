"""The reference in plain NumPy: accelerated proximal gradient for the batch, then one solve on each sign pattern.

With G = θᵀθ + ridge·I, c = θᵀz and step 1/L, L = ‖G‖: y ↦ prox(y − (Gy − c)/L), momentum restarted where it points
uphill. Every `_BLOCK` steps each row that is not certified yet is solved on its sign pattern; if the solution keeps the
signs and passes the optimality test it is the code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from fedmm_edu.arrays import Array
from fedmm_edu.sparse_coding.problem import CodePenalty, Codes, distance_to_subdifferential

_BLOCK = 50


def _prox(u: Array, step: float, penalty: CodePenalty) -> Array:
    """argmin_h ½‖h − u‖² + step·λ‖h‖₁ (h ≥ 0 if asked)."""
    if penalty.nonnegative:
        return np.maximum(u - step * penalty.lam, 0.0)
    return np.sign(u) * np.maximum(np.abs(u) - step * penalty.lam, 0.0)


def _on_pattern(h: Array, c: Array, gram: Array, lam: float) -> Array:
    """Solve on the sign pattern of one code, G_AA x = c_A − λσ (shortest x if dependent); where signs would turn, go
    towards x until a first coefficient is zero, drop it and solve again. The last code is a solution on its pattern."""
    h = h.copy()
    while (support := np.flatnonzero(h)).size:
        block = gram[np.ix_(support, support)]
        target = c[support] - lam * np.sign(h[support])
        x = np.linalg.lstsq(block, target, rcond=None)[0]
        x += np.linalg.lstsq(block, target - block @ x, rcond=None)[0]
        turned = x * h[support] <= 0
        if not turned.any():
            h[support] = x
            break
        steps = np.where(turned, h[support] / np.where(turned, h[support] - x, 1.0), np.inf)
        first = int(np.argmin(steps))
        h[support] += steps[first] * (x - h[support])
        h[support[first]] = 0.0
    return h


def solve(samples: Any, theta: Array, penalty: CodePenalty, start: Array | None, tol: float, limit: int) -> Codes:
    """Codes of checked input."""
    gram = theta.T @ theta + penalty.ridge * np.eye(theta.shape[1])
    dense = samples.toarray() if sp.issparse(samples) else samples
    c = np.einsum("np,pk->nk", dense, theta, optimize=False)  # row by row: no row depends on another
    h = np.zeros_like(c) if start is None else _prox(start, 0.0, penalty)
    best, violation, iterations = h.copy(), np.full(len(c), np.inf), np.zeros(len(c), np.int64)
    bound = float(np.linalg.norm(gram, 2))
    momentum_point, weight = h.copy(), np.ones((len(c), 1))
    done = 0
    while True:
        for n in np.flatnonzero(~(violation <= tol)):
            pair = np.stack([_on_pattern(h[n], c[n], gram, penalty.lam), h[n]])
            gaps = distance_to_subdifferential(pair, c[n] - pair @ gram, penalty)
            choice = 0 if gaps[0] <= tol else int(np.argmin(gaps))  # the solved pattern, where it is good enough
            best[n], violation[n] = pair[choice], gaps[choice]
            iterations[n] += 1
        rows = np.flatnonzero(~(violation <= tol))
        if rows.size == 0 or done >= limit or bound == 0.0:
            return Codes(best, violation, iterations)
        x, y, t, target = h[rows], momentum_point[rows], weight[rows], c[rows]
        for _ in range(_BLOCK):
            new = _prox(y - (y @ gram - target) / bound, 1.0 / bound, penalty)
            uphill = ((y - new) * (new - x)).sum(axis=1, keepdims=True) > 0
            t = np.where(uphill, 1.0, t)
            following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))
            y = new + (t - 1.0) / following * (new - x)
            x, t = new, following
        h[rows], momentum_point[rows], weight[rows] = x, y, t
        iterations[rows] += _BLOCK
        done += _BLOCK
