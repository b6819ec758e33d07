"""Which clients are active in a round.

Algorithm 2 divides what it receives by p, which keeps H unbiased exactly when every client is active with probability
p: a law with mean n p active clients in all, but unequal chances, does not suffice.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedmm_edu.arrays import Array, Mask
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.faces import Faces
from fedmm_edu.federation.draws import Draws, Purpose
from fedmm_edu.federation.kept import smallest


class Participation(Faces):
    """A law of the active set."""

    covered: ClassVar[bool] = False
    """Whether it is A5, independent clients with one chance, or everyone."""

    @abstractmethod
    def active(self, draws: Draws) -> Mask:
        """Boolean mask over the clients of `draws`, shape (n,)."""

    @abstractmethod
    def probability(self, n: int) -> Array:
        """The chance of each of n clients to be active, shape (n,): the p of Algorithm 2, client by client."""

    def divisors(self, mu: Array, active: Mask) -> Array:
        """By what the message of each client is divided in this round, shape (n,): p in Algorithm 2."""
        return self.probability(len(mu))


@dataclass(frozen=True)
class Everyone(Participation):
    """All clients in every round: p = 1."""

    covered = True

    def active(self, draws: Draws) -> Mask:
        return np.ones(len(draws.clients), dtype=bool)

    def probability(self, n: int) -> Array:
        return np.ones(n)


@dataclass(frozen=True)
class Bernoulli(Participation):
    """A5 (`assumption:PP`): each client independently with probability p."""

    p: float
    covered = True

    def __post_init__(self) -> None:
        in_interval("p", self.p, low=0.0, high=1.0, open_low=True)

    def active(self, draws: Draws) -> Mask:
        return draws(Purpose.PARTICIPATION, 1)[:, 0] < self.p

    def probability(self, n: int) -> Array:
        return np.full(n, self.p)


@dataclass(frozen=True)
class FixedSize(Participation):
    """m clients chosen uniformly without replacement, as in the experiments (Section 6): p = m/n.

    Clients are not independent of each other, so this is not A5.
    """

    m: int

    def __post_init__(self) -> None:
        as_count("m", self.m)

    def active(self, draws: Draws) -> Mask:
        n = len(draws.clients)
        self._fits(n)
        return smallest(draws(Purpose.PARTICIPATION, 1).T, self.m)[0]

    def probability(self, n: int) -> Array:
        self._fits(n)
        return np.full(n, self.m / n)

    def _fits(self, n: int) -> None:
        if self.m > n:
            raise InvalidInput(f"FixedSize wants m = {self.m} of n = {n} clients: choose m <= n.")


@dataclass(frozen=True)
class CustomLaw(Participation):
    """A law of the user's own: `choose(u)` maps one uniform per client, shape (n,), to a boolean mask.

    `p` is the chance of each client under that law: a number, or one per client.
    """

    choose: Callable[[Array], Mask]
    p: float | tuple[float, ...]

    def __post_init__(self) -> None:
        for value in np.atleast_1d(self.p):
            in_interval("p", float(value), low=0.0, high=1.0, open_low=True)

    def active(self, draws: Draws) -> Mask:
        mask = np.asarray(self.choose(draws(Purpose.PARTICIPATION, 1)[:, 0]))
        if mask.shape != (len(draws.clients),) or mask.dtype != np.bool_:
            raise InvalidInput(
                f"the participation law returned {mask.dtype} of shape {mask.shape}: "
                f"return a boolean mask of shape ({len(draws.clients)},)."
            )
        return mask

    def probability(self, n: int) -> Array:
        p = np.atleast_1d(np.asarray(self.p, dtype=np.float64))
        if p.size not in (1, n):
            raise InvalidInput(f"the participation law names {p.size} chances for n = {n} clients: give 1 or {n}.")
        return np.broadcast_to(p, (n,))


@dataclass(frozen=True)
class ByActiveWeight(Participation):
    """The law `inner`, and messages that are divided by Σ_A μ_j, the weight of those who are active, in the place of p.

    This is how FedAvg averages (McMahan et al. 2017). With equal weights and a fixed number of active clients it is
    division by p; else Σ_A μ_i M_i/Σ_A μ_j is right on average for M_i = M alone, and H is biased where clients differ.
    """

    inner: Participation

    def active(self, draws: Draws) -> Mask:
        return self.inner.active(draws)

    def probability(self, n: int) -> Array:
        return self.inner.probability(n)

    def divisors(self, mu: Array, active: Mask) -> Array:
        return np.full(len(mu), float(mu[active].sum()) or 1.0)
