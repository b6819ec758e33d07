"""What the server does with the direction H: the step of Algorithm 2, or an adaptive one."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import in_interval
from fedmm_edu.faces import Faces


class ServerStep(Faces):
    """A rule x ↦ x + step(H) that may keep moments of past directions."""

    covered: ClassVar[bool] = False
    """Whether Theorem 1 is about it."""

    @abstractmethod
    def start(self, dim: int) -> Array:
        """The moments before the first round, a flat vector."""

    @abstractmethod
    def move(self, x: Array, H: Array, gamma: float, t: int, moments: Array) -> tuple[Array, Array]:
        """The next x before projection, and the next moments, in round t = 1, 2, …"""

    def along(self, H: Array, V: Array, V_next: Array) -> Array:
        """The direction in which to move, of H_{t+1}, V_t and V_{t+1}: H_{t+1} itself, unless a step says otherwise."""
        return H

    def query(self, x: Array, moments: Array) -> tuple[Array, Array]:
        """Where clients are asked and `move` begins, x_t unless a step looks ahead; and the moments as of now."""
        return x, moments


@dataclass(frozen=True)
class Plain(ServerStep):
    """Ŝ_t + γ_{t+1} H_{t+1} (Algorithm 2). It keeps nothing."""

    covered = True

    def start(self, dim: int) -> Array:
        return np.zeros(0)

    def move(self, x: Array, H: Array, gamma: float, t: int, moments: Array) -> tuple[Array, Array]:
        return x + gamma * H, moments


@dataclass(frozen=True)
class Adam(ServerStep):
    """Adaptive server of Reddi et al., "Adaptive federated optimization" (2021), Algorithm 2, with γ as its η.

    m ← β₁ m + (1 − β₁) H,  v ← β₂ v + (1 − β₂) H²,  x ← x + γ m/(√v + τ), from m = 0 and v = τ² (the least start that
    they allow; `v0` is another one), without bias correction. With `bias_correction`, v starts at 0, and m and v are
    divided by 1 − β₁ᵗ and 1 − β₂ᵗ, as in Adam itself.
    """

    beta1: float = 0.9
    beta2: float = 0.99
    tau: float = 1e-3
    bias_correction: bool = False
    v0: float | None = None

    def __post_init__(self) -> None:
        _share("beta1", self.beta1)
        _share("beta2", self.beta2)
        in_interval("tau", self.tau, low=0.0, high=1e100, open_low=True)

    def start(self, dim: int) -> Array:
        return _moments(dim, 0.0 if self.bias_correction else float(self.tau) ** 2 if self.v0 is None else self.v0)

    def move(self, x: Array, H: Array, gamma: float, t: int, moments: Array) -> tuple[Array, Array]:
        m, v = np.split(moments, 2)
        m = self.beta1 * m + (1.0 - self.beta1) * H
        v = self.beta2 * v + (1.0 - self.beta2) * H**2
        first, second = (1.0 - self.beta1**t, 1.0 - self.beta2**t) if self.bias_correction else (1.0, 1.0)
        return x + gamma * (m / first) / (np.sqrt(v / second) + self.tau), np.concatenate([m, v])


@dataclass(frozen=True)
class Yogi(ServerStep):
    """FedYogi of the same Algorithm 2: v ← v − (1 − β₂) H² sign(v − H²), the rest as in `Adam` without correction."""

    beta1: float = 0.9
    beta2: float = 0.99
    tau: float = 1e-3
    v0: float | None = None

    def __post_init__(self) -> None:
        _share("beta1", self.beta1)
        _share("beta2", self.beta2)
        in_interval("tau", self.tau, low=0.0, high=np.inf, open_low=True)

    def start(self, dim: int) -> Array:
        return _moments(dim, self.tau**2 if self.v0 is None else self.v0)

    def move(self, x: Array, H: Array, gamma: float, t: int, moments: Array) -> tuple[Array, Array]:
        m, v = np.split(moments, 2)
        m = self.beta1 * m + (1.0 - self.beta1) * H
        v = v - (1.0 - self.beta2) * H**2 * np.sign(v - H**2)
        return x + gamma * m / (np.sqrt(v) + self.tau), np.concatenate([m, v])


@dataclass(frozen=True)
class Adagrad(ServerStep):
    """FedAdagrad of the same Algorithm 2: v ← v + H², the rest as in `Adam` without correction; they take β₁ = 0."""

    beta1: float = 0.0
    tau: float = 1e-3
    v0: float | None = None

    def __post_init__(self) -> None:
        _share("beta1", self.beta1)
        in_interval("tau", self.tau, low=0.0, high=np.inf, open_low=True)

    def start(self, dim: int) -> Array:
        return _moments(dim, self.tau**2 if self.v0 is None else self.v0)

    def move(self, x: Array, H: Array, gamma: float, t: int, moments: Array) -> tuple[Array, Array]:
        m, v = np.split(moments, 2)
        m, v = self.beta1 * m + (1.0 - self.beta1) * H, v + H**2
        return x + gamma * m / (np.sqrt(v) + self.tau), np.concatenate([m, v])


@dataclass(frozen=True)
class HeavyBall(ServerStep):
    """m ← β m + H,  x ← x + γ m, from m = 0: the server of FedAvgM (Hsu, Qi and Brown 2019)."""

    beta: float = 0.9

    def __post_init__(self) -> None:
        _share("beta", self.beta)

    def start(self, dim: int) -> Array:
        return np.zeros(dim)

    def move(self, x: Array, H: Array, gamma: float, t: int, moments: Array) -> tuple[Array, Array]:
        m = self.beta * moments + H
        return x + gamma * m, m


@dataclass(frozen=True)
class Nesterov(ServerStep):
    """x_{t+1} = y_t + γ H(y_t) at the query point y_t = x_t + β(x_t − x_{t−1}), from x_{−1} = x_0.

    β = None: the rule of Beck and Teboulle (2009), β_t = (a_t − 1)/a_{t+1}, a_0 = 1, 2a_{t+1} = 1 + √(1 + 4a_t²).
    """

    beta: float | None = None

    def __post_init__(self) -> None:
        if self.beta is not None:
            _share("beta", self.beta)

    def start(self, dim: int) -> Array:
        return np.zeros(dim + 1)  # x_{t−1}, and a_t; a_t = 0 before the first round

    def query(self, x: Array, moments: Array) -> tuple[Array, Array]:
        before, a = moments[:-1], float(moments[-1])
        if a == 0.0:
            return x, np.append(x, 1.0)
        following = (1.0 + np.sqrt(1.0 + 4.0 * a * a)) / 2.0
        beta = (a - 1.0) / following if self.beta is None else self.beta
        return x + beta * (x - before), np.append(x, following)

    def move(self, x: Array, H: Array, gamma: float, t: int, moments: Array) -> tuple[Array, Array]:
        return x + gamma * H, moments


@dataclass(frozen=True)
class AlongV(ServerStep):
    """The step `inner` along V_{t+1}, what clients hold, in the place of H_{t+1} (EF21 when some are away)."""

    inner: ServerStep = field(default_factory=Plain)

    def start(self, dim: int) -> Array:
        return self.inner.start(dim)

    def along(self, H: Array, V: Array, V_next: Array) -> Array:
        return self.inner.along(V_next, V, V_next)

    def query(self, x: Array, moments: Array) -> tuple[Array, Array]:
        return self.inner.query(x, moments)

    def move(self, x: Array, H: Array, gamma: float, t: int, moments: Array) -> tuple[Array, Array]:
        return self.inner.move(x, H, gamma, t, moments)


@dataclass(frozen=True)
class WithNewV(ServerStep):
    """x + γ(H_{t+1} + V_{t+1} − V_t): H with V_{t+1} where Algorithm 2 has V_t (FedDyn)."""

    def start(self, dim: int) -> Array:
        return np.zeros(0)

    def along(self, H: Array, V: Array, V_next: Array) -> Array:
        return H + (V_next - V)

    def move(self, x: Array, H: Array, gamma: float, t: int, moments: Array) -> tuple[Array, Array]:
        return x + gamma * H, moments


def _share(name: str, value: float) -> None:
    in_interval(name, value, low=0.0, high=1.0 - 1e-12)


def _moments(dim: int, v0: float) -> Array:
    """m = 0 and v = v0."""
    in_interval("v0", v0, low=0.0, high=np.inf)
    return np.concatenate([np.zeros(dim), np.full(dim, v0)])
