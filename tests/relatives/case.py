"""The small problem on which definitions are compared with the loop: least squares, equal weights, other data each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fedmm_edu.examples.mixture import GaussianMeans
from fedmm_edu.examples.quadratic import L1, Quadratic
from fedmm_edu.federation import Clients, Draws, Identity
from fedmm_edu.relatives import Tuning
from tests.numeric.literature import COVARIANCES

N, D, SAMPLES = 5, 3, 8
LAM = 0.3


def clients() -> Clients:
    rng = np.random.default_rng(11)
    return Clients.of([rng.normal(size=(SAMPLES, D + 1)) @ (np.eye(D + 1) + 0.4 * rng.normal(size=(D + 1, D + 1)))
                       for _ in range(N)])  # fmt: skip


def problem(lam: float, rho: float = 0.05) -> Quadratic:
    return Quadratic(D, rho, penalty=L1(lam) if lam else None)


RIDGE = 0.05


def mixture() -> GaussianMeans:
    """Two components in the plane; the weights are the clients' own affair."""
    return GaussianMeans([0.5, 0.5], COVARIANCES, RIDGE)


def mixed_clients() -> Clients:
    """Clients that see the components in other proportions."""
    rng = np.random.default_rng(3)
    shares = (0.1, 0.3, 0.5, 0.7, 0.9)
    return Clients.of([rng.normal(size=(12, 2)) + 2.0 * (rng.random((12, 1)) < share) for share in shares])


@dataclass(frozen=True)
class Case:
    """What a definition is told: its numbers, whom a round asks, what the channel does, and which bug to make."""

    at: Tuning
    lam: float = 0.0
    bug: str | None = None
    rho: float = 0.05
    data: list[np.ndarray] = field(default_factory=lambda: [np.array(z) for z in clients()])

    @property
    def gamma(self) -> float:
        """γ, where it is a number."""
        return float(self.at.gamma)  # pyright: ignore[reportArgumentType]

    @property
    def alpha(self) -> float:
        """α, where the definition leaves it free."""
        assert self.at.alpha is not None
        return self.at.alpha

    @property
    def n(self) -> int:
        return len(self.data)

    def gradient(self, i: int, theta: np.ndarray) -> np.ndarray:
        """∇f_i of ½ mean (⟨x, θ⟩ − y)²."""
        x, y = self.data[i][:, :-1], self.data[i][:, -1]
        return x.T @ (x @ theta - y) / len(x)

    def hessian(self, i: int) -> np.ndarray:
        x = self.data[i][:, :-1]
        return x.T @ x / len(x)

    def active(self, t: int) -> list[int]:
        return [int(i) for i in np.flatnonzero(self.at.participation.active(Draws(self.at.seed, t, np.arange(self.n))))]

    def Q(self, t: int, i: int, x: np.ndarray) -> np.ndarray:
        """The channel up, of client i in round t."""
        return self.at.compressor.compress(x[None], Draws(self.at.seed, t, np.array([i])))[0]

    def Q_down(self, t: int, x: np.ndarray) -> np.ndarray:
        return self.at.compressor.compress(x[None], Draws(self.at.seed, t, np.array([0]), turn=1))[0]

    def coin(self, t: int) -> float:
        return Draws(self.at.seed, t, np.arange(self.n)).coin()

    def toss(self, t: int) -> int:
        """The number of steps until the first head in round t."""
        return 1 + int(np.floor(np.log1p(-self.coin(t)) / np.log1p(-self.at.p)))

    @property
    def compressed(self) -> bool:
        return not isinstance(self.at.compressor, Identity)


Definition = Callable[[Case, np.ndarray, int], list[np.ndarray]]
"""θ_1, …, θ_T of a case, from θ_0."""
