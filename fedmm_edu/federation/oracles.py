"""Oracles: what a client computes from its data in a round."""

from __future__ import annotations

import secrets
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.special import ndtri

from fedmm_edu.arrays import Array, Indices, Names, Offsets, counts_of
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.faces import Faces
from fedmm_edu.federation.clients import Clients
from fedmm_edu.federation.draws import Draws, Purpose, compiled_for, uniforms
from fedmm_edu.surrogate import Surrogate

LARGE, MANY = 2**15, 32
"""Numbers of a client from which on its samples are better read where they lie than copied beside those of others; and
clients of unequal sizes from which on it is better to copy those of one size together."""


class Oracle(Faces):
    """An unbiased oracle of E_{π_i}[S̄(Z, θ)] (A3, `hyp:oracle`): the mean of S̄ over some samples of the client.

    `rows` is its sampling law. One that needs more than samples says so in `check`; one whose variance is known says it
    in `variance_factor`, from which `theory` derives σ; one that names another number of rows in each round says in
    `samples` how many they are in expectation.
    """

    @abstractmethod
    def rows(self, clients: Clients, draws: Draws) -> tuple[Names, Offsets]:
        """The rows of `clients.z` on which the clients of `draws` average, and where each client begins among them."""

    def samples(self, clients: Clients) -> Array:
        """How many samples each client looks at when it is asked, in expectation, shape (n,): those of a first draw."""
        return counts_of(self.rows(clients, Draws(0, 1, np.arange(len(clients))))[1]).astype(np.float64)

    def check(self, problem: Surrogate, n: int) -> None:
        """`InvalidInput` for a problem, or a number n of clients, that the oracle does not serve."""

    def variance_factor(self, size: int) -> Fraction:
        """The variance of the oracle in units of the variance of S̄ at one of the client's `size` samples."""
        raise InvalidInput(f"{self!r} does not say its `variance_factor`: define it there, or give sigma.")

    def noise(self, size: int, q: int) -> float:
        """The standard deviation, in norm, of what the oracle adds to a client of `size` samples whatever they are."""
        return 0.0

    def __call__(self, problem: Surrogate, clients: Clients, theta: Array, draws: Draws) -> Array:
        """S_{t+1,i} for the clients of `draws`: shape (len(draws.clients), q)."""
        names, offsets = self.rows(clients, draws)
        return problem.mean_S_bars(clients.taken(names), offsets, theta, names)


@dataclass(frozen=True)
class FullBatch(Oracle):
    """The exact expectation over the client's samples: σ_i = 0."""

    def rows(self, clients: Clients, draws: Draws) -> tuple[Names, Offsets]:
        return clients.rows(draws.clients)

    def __call__(self, problem: Surrogate, clients: Clients, theta: Array, draws: Draws) -> Array:
        who, large = draws.clients, clients.z.size >= LARGE * len(clients)
        if not problem.by_products or (not large and (clients.of_one_size or len(who) < MANY)):
            z, names, offsets = clients.held(who, named=problem.remembers)
            return problem.mean_S_bars(z, offsets, theta, names)
        if large:
            starts, stops = clients.offsets.take(who), clients.offsets.take(who + 1)
            cuts = [slice(start, stop) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
            return problem.mean_S_bars_apart(clients.z, cuts, theta)
        z, names, offsets, place = clients.held_by_size(who, named=problem.remembers)
        return problem.mean_S_bars(z, offsets, theta, names).take(place, axis=0)

    def variance_factor(self, size: int) -> Fraction:
        return Fraction(0)


@dataclass(frozen=True)
class MiniBatch(Oracle):
    """b of the client's samples, drawn uniformly without replacement (all of them when it has fewer)."""

    b: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "b", as_count("b", self.b))

    def rows(self, clients: Clients, draws: Draws) -> tuple[Indices, Offsets]:
        who = draws.clients
        sizes = clients.sizes[who]
        offsets = np.concatenate([[0], np.cumsum(np.minimum(sizes, self.b))])
        some = sizes > self.b
        names, drawn = np.empty(offsets[-1], dtype=np.int64), np.repeat(some, counts_of(offsets))
        chosen = subsets(draws.only(some)(Purpose.ORACLE, self.b), sizes[some])
        names[drawn] = (clients.offsets[who[some], None] + chosen).ravel()
        names[~drawn] = clients.indices(who[~some])
        return names, offsets

    def samples(self, clients: Clients) -> Array:
        return np.minimum(clients.sizes, self.b).astype(np.float64)

    def variance_factor(self, size: int) -> Fraction:
        return Fraction(0) if self.b >= size else Fraction(size - self.b, self.b * (size - 1))


@dataclass(frozen=True)
class Stream(Oracle):
    """Online learning: b fresh i.i.d. samples of π_i in each round (with replacement from the client's data)."""

    b: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "b", as_count("b", self.b))

    def rows(self, clients: Clients, draws: Draws) -> tuple[Indices, Offsets]:
        who = draws.clients
        sizes = clients.sizes[who]
        chosen = (draws(Purpose.ORACLE, self.b) * sizes[:, None]).astype(np.int64)
        names = (clients.offsets[who, None] + chosen).ravel()
        return names, np.arange(len(who) + 1, dtype=np.int64) * self.b

    def samples(self, clients: Clients) -> Array:
        return np.full(len(clients), float(self.b))

    def variance_factor(self, size: int) -> Fraction:
        return Fraction(1, self.b)


@dataclass(frozen=True)
class WithNoise(Oracle):
    """The exact expectation, and Gaussian noise of standard deviation scale/N_i in each entry: σ_i = √q scale/N_i.

    A client of N_i samples whose mean S̄ moves by at most D/N_i when one of them is exchanged is (ε, δ)-private for the
    multiplier scale/D of the noise (the Gaussian mechanism). That asks for noise which nobody else knows: with
    `seed=None` it comes from the operating system and no run can be repeated. With a seed, which the plan of a run
    over nodes tells everybody, who knows it can take the noise off. The numbers are floats, not reals.
    """

    scale: float
    seed: int | None = None

    def __post_init__(self) -> None:
        in_interval("scale", self.scale, low=0.0, high=np.inf)
        if self.seed is not None:
            as_count("seed", self.seed, low=0, high=2**64 - 1)

    def rows(self, clients: Clients, draws: Draws) -> tuple[Names, Offsets]:
        return clients.rows(draws.clients)

    def noise(self, size: int, q: int) -> float:
        return self.scale / size * float(np.sqrt(q))

    def __call__(self, problem: Surrogate, clients: Clients, theta: Array, draws: Draws) -> Array:
        exact, sizes = super().__call__(problem, clients, theta, draws), clients.sizes[draws.clients]
        if self.seed is None:
            words = np.frombuffer(secrets.token_bytes(8 * exact.size), np.uint64).reshape(exact.shape)
            u = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
        else:
            u = uniforms(self.seed, Purpose.NOISE, draws.named, draws.round, problem.q, draws.turn)
        return exact + (self.scale / sizes)[:, None] * ndtri(u + 2.0**-54)


def subsets(u: Array, sizes: Indices) -> Indices:
    """A uniform subset of {0, …, sizes[i] − 1} from the b < sizes[i] uniforms u[i], in ascending order: shape (m, b).

    Floyd's algorithm (Bentley and Floyd, "A sample of brilliance", 1987): for k = size − b, …, size − 1 take a
    uniform j ≤ k, or k itself when j is taken. It costs b draws a client however many samples the client holds.

    >>> subsets(np.array([[0.1, 0.9], [0.1, 0.1]]), np.array([3, 3]))
    array([[0, 2],
           [0, 2]])
    """
    m, b = u.shape
    if (fast := compiled_for(u.size)) is not None:
        return fast.subsets(u, sizes)
    chosen = np.full((m, b), -1, dtype=np.int64)
    for step in range(b):
        k = sizes - b + step
        j = (u[:, step] * (k + 1)).astype(np.int64)
        taken = (chosen[:, :step] == j[:, None]).any(axis=1)
        chosen[:, step] = np.where(taken, k, j)
    return np.sort(chosen, axis=1)
