"""What lies between clients and server in a fit, and what is known of it: A4 and A5."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fedmm_edu.errors import as_count
from fedmm_edu.estimators.chosen import Chosen
from fedmm_edu.federation import (
    Bernoulli,
    Compressor,
    Draws,
    Everyone,
    FixedScaleQuantization,
    Identity,
    Participation,
    Purpose,
    UniformQuantization,
    largest_alpha,
    omega_p,
)
from fedmm_edu.theory.hypotheses import Assumption

FINEST, RANGE = 32, 4.0
"""Bits and scale of the grid of a secure sum by default. In standard units the mean square of a column is 1, so that
μ_i times a client's mean of squares, or of products of two columns, is at most 1, whoever holds which rows."""
LAST = 2**31
"""A round after which no grid changes any more."""
DRAWS = 2048
"""Messages from which the bias of a compressor is looked for."""


@dataclass(frozen=True, eq=False)
class Channel:
    """What lies between clients and server: compression, participation, noise, and the α of the control variates.

    sigma: of A3, of noise that clients add and of rounding to a grid. chosen: the relative that runs in the place of
    FedMM. secure: whether the server learns sums of messages alone. least: a move that rounding to a grid may make.
    """

    compressor: Compressor
    participation: Participation
    omega: float
    p: float
    sigma: float = 0.0
    chosen: Chosen | None = None
    secure: bool = False
    least: float = 0.0

    @staticmethod
    def of(
        compress: Compressor | int | None, participation: Participation | float | None, n: int, q: int,
        sigma: float = 0.0, chosen: Chosen | None = None, secure: bool = False,
    ) -> Channel:  # fmt: skip
        """From what a person gives: bits a number or a compressor; a chance or a law.

        Rounding to a grid of steps h is noise of at most q h²/4 for each client (A3), with `secure` of μ_i times its
        message: σ² = n Σ μ_i² σ_i² is at most n q h²/4, or n² q h²/4.
        """
        if secure and not isinstance(compress, Compressor):
            bits = FINEST if compress is None else as_count("compress", compress, low=2, high=32)
            compress = FixedScaleQuantization(bits, RANGE)
        elif compress is None:
            compress = Identity()
        elif not isinstance(compress, Compressor):
            compress = UniformQuantization(as_count("compress", compress, low=2, high=32))
        if participation is None:
            participation = Everyone()
        elif not isinstance(participation, Participation):
            participation = Bernoulli(participation)
        chances = participation.probability(n)
        omega, least = 0.0, 0.0
        if compress.grid is None:
            omega = compress.omega(q)
        else:
            many = float(np.sqrt(n * q if secure else q))
            sigma = float(np.hypot(sigma, 0.5 * np.sqrt(n) * many * compress.grid))
            least = many * float(compress.of_round(Draws(0, LAST, np.arange(1))).grid or 0.0)  # scales may fall
        return Channel(compress, participation, omega, float(chances.min()), sigma, chosen, secure, least)

    @property
    def omega_p(self) -> float:
        """ω_p of compression and participation together."""
        return omega_p(self.omega, self.p)

    @property
    def whole(self) -> bool:
        """Whether the server learns Σ μ_i S̄_i, up to noise, in every round: MM of the mean f, of none else."""
        return self.omega_p == 0.0 and self.chosen is None

    @property
    def exact(self) -> bool:
        """Whether every message arrives as it is, from everyone, without noise: centralised MM."""
        return self.whole and self.sigma == 0.0

    @property
    def alpha(self) -> float:
        """1/(1 + ω_p), the α of Theorem 1 with which control variates learn fastest; 0 where none are needed."""
        return 0.0 if self.omega_p == 0.0 else largest_alpha(self.omega_p)

    def rows(self, q: int, n: int) -> tuple[Assumption, Assumption]:
        """A4 and A5 of n clients who send q numbers."""
        return self._compression(q), self._participation(n)

    def _compression(self, q: int) -> Assumption:
        """A4, which numbers can refute: the mean and the spread of many messages of one random vector."""
        if self.compressor.grid is not None:
            return Assumption("A4", "given", "rounding to a grid is noise of the oracle, which σ² counts (A3): ω = 0")
        if self.omega == 0.0:
            return Assumption("A4", "proved", "messages travel as they are: ω = 0")
        m = max(64, min(DRAWS, 2**22 // q))
        draws = Draws(0, 1, np.arange(m))
        x = np.tile(Draws(0, 0, np.arange(1))(Purpose.DATA, q) - 0.5, (m, 1))
        error = self.compressor.compress(x, draws) - x
        size = float(x[0] @ x[0])
        mean, spread = error.mean(axis=0), (error**2).sum(axis=1) / size
        noise = error.std(axis=0) / math.sqrt(m)
        biased = np.abs(mean) > 8.0 * noise + 1e-12 * math.sqrt(size)
        if biased.any():
            j = int(np.argmax(np.abs(mean)))
            return Assumption(
                "A4", "fails", f"biased: the mean of {m} messages misses coordinate {j} by {mean[j]:.3g}, 8 standard "
                f"errors are {8 * noise[j]:.1g}"
            )  # fmt: skip
        if spread.mean() > self.omega + 8.0 * spread.std() / math.sqrt(m) + 1e-12:
            return Assumption(
                "A4", "fails", f"E‖Q(x) − x‖²/‖x‖² is {spread.mean():.3g}, more than ω = {self.omega:.3g}"
            )
        return Assumption(
            "A4",
            "given",
            f"ω = {self.omega:.4g} as the compressor says; {m} messages show neither bias nor more spread",
        )

    def _participation(self, n: int) -> Assumption:
        """A5, which numbers can refute: chances that differ, or clients that do not choose for themselves."""
        law, p = self.participation, self.participation.probability(n)
        if (p == 1.0).all():
            return Assumption("A5", "proved", "everyone takes part in every round: p = 1")
        if (p != p[0]).any():
            return Assumption("A5", "fails", f"chances differ between clients, from {p.min():.3g} to {p.max():.3g}")
        counts = np.array([law.active(Draws(0, t, np.arange(n))).sum() for t in range(1, 257)], dtype=np.float64)
        apart = n * p[0] * (1.0 - p[0])
        if n > 1 and abs(counts.var() / apart - 1.0) > 8.0 * math.sqrt(3.0 / len(counts)):
            return Assumption(
                "A5", "fails", f"clients do not choose independently: the number that takes part has the variance "
                f"{counts.var():.3g}, independent ones {apart:.3g}"
            )  # fmt: skip
        return Assumption("A5", "given", f"each client with probability {p[0]:g}, as the law says")
