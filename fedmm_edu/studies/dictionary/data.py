"""The data settings of Section 6, each with its clients: what the paper leaves open is a field with a default."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.datasets.movielens import WHERE, find, load_movielens
from fedmm_edu.datasets.patches import load_digits, load_patches
from fedmm_edu.datasets.synthetic import sparse_combinations
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.examples.dictionary import DictionaryLearning, SparseCodes, Unconstrained
from fedmm_edu.federation import Clients
from fedmm_edu.federation.partition import balanced_clusters

LAMBDA, ETA = 0.1, 0.2
COPIES, TOTAL, WITHHELD = 250, 5000, 0.1
REAL = ("movielens", "patches", "digits")
SPLITS = ("balanced", "half", "random")
OBSERVED = "movielens-observed"
NAMES = ("homogeneous", "heterogeneous", *REAL, OBSERVED)


@dataclass(frozen=True)
class Source:
    """Which data, and what the paper does not say about them. `OBSERVED`: MovieLens less a tenth of the ratings.

    p: of the synthetic data. split: "balanced" clusters, "random" parts of equal size, or "half": clusters
    of which every other sample, on average, is exchanged at random. choose: which users and
    movies (see `Ratings.matrix`). seed: of data and clusters; the data are the same for all runs.
    """

    name: str
    clients: int = 20
    p: int = 20
    split: str = "balanced"
    choose: Literal["most", "random"] = "most"
    seed: int = 0

    def __post_init__(self) -> None:
        as_count("clients", self.clients, high=COPIES)
        as_count("p", self.p)
        if self.name not in NAMES:
            raise InvalidInput(f"data = {self.name!r}: choose one of {', '.join(NAMES)}.")
        if self.split not in SPLITS:
            raise InvalidInput(f"split = {self.split!r}: choose one of {', '.join(SPLITS)}.")


@dataclass(frozen=True, eq=False)
class Data:
    """The clients, all samples of π = Σ μ_i π_i with equal weights (`pool`), K, and θ_⋆, shape (p, K), if known.

    held: of `OBSERVED`, the ratings that were withheld from `pool`, and 0 elsewhere.
    """

    clients: Clients
    pool: Array
    K: int
    truth: Array | None = None
    held: Array | None = None

    def problem(self) -> DictionaryLearning:
        """The objective (28), with codes that are remembered from round to round."""
        return DictionaryLearning(
            self.pool.shape[1], self.K, SparseCodes(LAMBDA), Unconstrained(ETA), tol=1e-8, remember=True
        )


@cache
def load_source(source: Source, folder: Path | None = None) -> Data:
    """Make or read the data and give them to the clients; `folder`: where MovieLens lies."""
    n = source.clients
    if source.name == "homogeneous":
        made = sparse_combinations(COPIES, source.p, 15, seed=source.seed)
        return Data(Clients.of_rows(np.tile(made.z, (n, 1)), np.full(n, COPIES)), made.z, 15, made.theta)
    truth, K, held = None, 50, None
    if source.name == "heterogeneous":
        made = sparse_combinations(TOTAL, source.p, 15, seed=source.seed)
        z, truth, K = made.z, made.theta, 15
    elif source.name in ("movielens", OBSERVED):
        path = find(folder)
        if path is None:
            raise InvalidInput(f"no folder of MovieLens is named. {WHERE}; or choose --real patches.")
        z = load_movielens(path).matrix(TOTAL, 500, choose=source.choose, seed=source.seed)
        if source.name == OBSERVED:
            held = np.where(np.random.default_rng([source.seed, 1]).random(z.shape) < WITHHELD, z, 0.0)
            z -= held
    else:
        z = load_patches(TOTAL, seed=source.seed) if source.name == "patches" else load_digits()
    z = z[: len(z) - len(z) % n]
    order = np.argsort(_owners(z, source), kind="stable")
    z, held = z[order], None if held is None else held[order]
    return Data(Clients.of_rows(z, np.full(n, len(z) // n)), z, K, truth, held)


def _owners(z: Array, source: Source) -> np.ndarray:
    """The client of each row; all have the same number."""
    rng, n = np.random.default_rng(source.seed), source.clients
    if source.split == "random":
        return rng.permutation(np.arange(len(z)) % n)
    owners = balanced_clusters(z, n, source.seed)
    if source.split == "half":
        moved = np.flatnonzero(rng.random(len(z)) < 0.5)
        owners[moved] = rng.permutation(owners[moved])
    return owners
