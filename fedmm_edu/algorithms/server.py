"""What the server does with the direction H: the step of Algorithm 2, or an adaptive one."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import in_interval
from fedmm_edu.faces import Faces


class ServerStep(Faces):
    """A rule x ↦ x + step(H) that may keep moments of past directions."""

    @abstractmethod
    def start(self, dim: int) -> Array:
        """The moments before the first round, a flat vector."""

    @abstractmethod
    def move(self, x: Array, H: Array, gamma: float, t: int, moments: Array) -> tuple[Array, Array]:
        """The next x before projection, and the next moments, in round t = 1, 2, …"""


@dataclass(frozen=True)
class Plain(ServerStep):
    """Ŝ_t + γ_{t+1} H_{t+1} (Algorithm 2). It keeps nothing."""

    def start(self, dim: int) -> Array:
        return np.zeros(0)

    def move(self, x: Array, H: Array, gamma: float, t: int, moments: Array) -> tuple[Array, Array]:
        return x + gamma * H, moments


@dataclass(frozen=True)
class Adam(ServerStep):
    """Adaptive server of Reddi et al., "Adaptive federated optimization" (2021), Algorithm 2, with γ as its η.

    m ← β₁ m + (1 − β₁) H,  v ← β₂ v + (1 − β₂) H²,  x ← x + γ m/(√v + τ), from m = 0 and v = τ² (the least start that
    they allow), without bias correction. With `bias_correction`, v starts at 0, and m and v are divided by 1 − β₁ᵗ and
    1 − β₂ᵗ, as in Adam itself.
    """

    beta1: float = 0.9
    beta2: float = 0.99
    tau: float = 1e-3
    bias_correction: bool = False

    def __post_init__(self) -> None:
        in_interval("beta1", self.beta1, low=0.0, high=1.0 - 1e-12)
        in_interval("beta2", self.beta2, low=0.0, high=1.0 - 1e-12)
        in_interval("tau", self.tau, low=0.0, high=np.inf, open_low=True)

    def start(self, dim: int) -> Array:
        return np.concatenate([np.zeros(dim), np.full(dim, 0.0 if self.bias_correction else self.tau**2)])

    def move(self, x: Array, H: Array, gamma: float, t: int, moments: Array) -> tuple[Array, Array]:
        m, v = np.split(moments, 2)
        m = self.beta1 * m + (1.0 - self.beta1) * H
        v = self.beta2 * v + (1.0 - self.beta2) * H**2
        first, second = (1.0 - self.beta1**t, 1.0 - self.beta2**t) if self.bias_correction else (1.0, 1.0)
        return x + gamma * (m / first) / (np.sqrt(v / second) + self.tau), np.concatenate([m, v])
