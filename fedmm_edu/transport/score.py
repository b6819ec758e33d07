"""How far a map is from the known one (Section 7.2), and the maps that every method must beat.

L2-UVP(m) = 100 · E_P‖m(X) − m*(X)‖² / Var(Q), in percent, with Var(Q) = E_Q‖Y − E_Q Y‖², the *trace* of the covariance
of Q, so that the best constant map scores 100. The paper's words, "the L1 norm of the covariance matrix", would mean
the sum of the absolute values of all its entries, which depends on the axes; the benchmark's public code, to which
the paper refers, sums the variances of the coordinates: the trace.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.transport.pairs import Map, Pair, linear_map


@dataclass(frozen=True)
class Score:
    """L2-UVP in percent and cosine, of a map P → Q and of a map Q → P."""

    uvp: float
    cosine: float
    inverse_uvp: float
    inverse_cosine: float


def score(pair: Pair, forward: Map, inverse: Map, x: Array) -> Score:
    """The scores of two maps on samples x of P, shape (N, d); the inverse is asked at y = m*(x)."""
    y = pair.T(x)
    image, back = forward(x), inverse(y)
    return Score(
        l2_uvp(image, y, pair.cov_Q), cosine(image - x, y - x), l2_uvp(back, x, pair.cov_P), cosine(back - y, x - y)
    )


def l2_uvp(images: Array, truth: Array, covariance: Array) -> float:
    """100 · mean‖images − truth‖² / trace of the covariance."""
    return 100.0 * float(((images - truth) ** 2).sum(axis=1).mean() / np.trace(covariance))


def cosine(moves: Array, truth: Array) -> float:
    """⟨m − id, m* − id⟩ / (‖m − id‖ ‖m* − id‖) in L²: 1 for the right direction; 0 where a map moves nothing."""
    norms = np.linalg.norm(moves) * np.linalg.norm(truth)
    return float((moves * truth).sum() / norms) if norms > 0.0 else 0.0


def baselines(pair: Pair) -> dict[str, tuple[Map, Map]]:
    """Maps P → Q and Q → P that need the moments alone: the identity, the mean, the best linear (Bures) map."""
    M, c = linear_map(pair.mean_P, pair.cov_P, pair.mean_Q, pair.cov_Q)
    back, b = linear_map(pair.mean_Q, pair.cov_Q, pair.mean_P, pair.cov_P)
    return {
        "identity": (lambda x: x, lambda y: y),
        "constant": (lambda x: np.tile(pair.mean_Q, (len(x), 1)), lambda y: np.tile(pair.mean_P, (len(y), 1))),
        "linear": (lambda x: x @ M + c, lambda y: y @ back + b),
    }
