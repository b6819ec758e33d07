"""A record from the statistics of its client: which z has S̄(z, θ_t) where the client was seen to aim, by rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from fedmm_edu.arrays import Array
from fedmm_edu.distributed.wiretap import Sighting
from fedmm_edu.errors import FedMMError
from fedmm_edu.surrogate import Surrogate

FAR = 1e6
"""The misfit where S̄ has no value."""
SOME, ROUGH, MOST, EFFORT = 10, 100.0, 4, 40
"""Rounds of the first search; how much worse than allowed it may fit them; how many places are looked at on all
rounds; evaluations for each number of a record."""


@dataclass(frozen=True, eq=False)
class Explained:
    """Records z, shape (k, p), each of which alone explains all that was seen of a client; k = 0 where none does.

    misfit: of the best z that was found, the root mean square of |S̄(z, θ_t) − aim_t|/‖Quant(Δ_t)‖.
    """

    z: Array
    misfit: float

    def error(self, truth: Array) -> float:
        """max |z − truth|, of the nearest z; ∞ where there is none."""
        return float(np.abs(self.z - truth).max(axis=1).min()) if len(self.z) else np.inf


def one_record(problem: Surrogate, seen: Sequence[Sighting], p: int, allowed: float, starts: Array) -> Explained:
    """The records of p numbers whose misfit is at most `allowed`, from the given starts, shape (m, p).

    Compression errs in proportion to a message, and messages shrink as V_i learns: so each round counts by its own.
    Every start is led to where it fits some rounds; those that then fit are led on, on all of them.
    """
    if len(seen) * problem.q < p:  # fewer equations than unknowns: everything would fit
        return Explained(np.empty((0, p)), np.inf)
    some = _Misfit.of(problem, seen[:: -(-len(seen) // SOME)])
    near = [z for misfit, z in _distinct([some.least(z) for z in starts]) if misfit <= ROUGH * allowed]
    near = near[:MOST] + [-z for z in near[:1]]  # a mirror image may do as well
    every = _Misfit.of(problem, seen)
    fits = _distinct([every.least(z) for z in near or starts[:1]])
    kept = [z for misfit, z in fits if misfit <= allowed]
    return Explained(np.array(kept).reshape(-1, p), fits[0][0])


@dataclass(frozen=True, eq=False)
class _Misfit:
    """(S̄(z, θ_t) − aim_t)/‖Quant(Δ_t)‖ of the rounds that were seen, as a function of z."""

    problem: Surrogate
    seen: Sequence[Sighting]
    aims: Array
    sizes: Array

    @staticmethod
    def of(problem: Surrogate, seen: Sequence[Sighting]) -> _Misfit:
        aims, sizes = np.array([s.aim for s in seen]), np.array([[s.size] for s in seen])
        return _Misfit(problem, seen, aims, np.maximum(sizes, 1e-13 * max(float(np.abs(aims).max()), 1e-300)))

    def __call__(self, z: Array) -> Array:
        try:
            with np.errstate(all="ignore"):
                found = np.concatenate([self.problem.S_bar(z[None], s.theta) for s in self.seen])
        except (FedMMError, np.linalg.LinAlgError):
            return np.full(self.aims.size, FAR)
        return np.nan_to_num((found - self.aims) / self.sizes, nan=FAR, posinf=FAR, neginf=-FAR).ravel()

    def least(self, z: Array) -> tuple[float, Array]:
        """The root mean square, and where it is least near z."""
        end = least_squares(self, z, method="lm", xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=EFFORT * (len(z) + 1))
        return float(np.sqrt(np.mean(end.fun**2))), end.x


def _distinct(fits: list[tuple[float, Array]]) -> list[tuple[float, Array]]:
    """The best of those that are near each other, the best first."""
    kept: list[tuple[float, Array]] = []
    for misfit, z in sorted(fits, key=lambda fit: fit[0]):
        if all(np.abs(z - other).max() > 1e-2 * max(1.0, float(np.abs(z).max())) for _, other in kept):
            kept.append((misfit, z))
    return kept
