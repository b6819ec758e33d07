"""The synthetic data of Section 6 (L 824): sparse combinations of the atoms of a random dictionary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import as_count, in_interval


@dataclass(frozen=True, eq=False)
class SparseCombinations:
    """`z` = h θ_⋆ᵀ, shape (N, p), with the dictionary `theta` = θ_⋆, shape (p, K), and the codes `h`, shape (N, K)."""

    z: Array
    theta: Array
    h: Array


def sparse_combinations(N: int, p: int, K: int, *, seed: int, share: float = 0.2) -> SparseCombinations:
    """Z_t = θ_⋆ h_t for t = 1, …, N: entries of θ_⋆ are N(0, 1); round(share·K) entries of h_t, at random places, too.

    >>> made = sparse_combinations(4, 3, 15, seed=0)
    >>> made.z.shape, (made.h != 0).sum(axis=1).tolist()
    ((4, 3), [3, 3, 3, 3])
    """
    as_count("N", N)
    as_count("p", p)
    as_count("K", K)
    in_interval("share", share, low=0.0, high=1.0, open_low=True)
    used = max(1, round(share * K))
    rng = np.random.default_rng(seed)
    theta, h = rng.normal(size=(p, K)), np.zeros((N, K))
    places = np.argsort(rng.random((N, K)), axis=1)[:, :used]
    np.put_along_axis(h, places, rng.normal(size=(N, used)), axis=1)
    return SparseCombinations(h @ theta.T, theta, h)
