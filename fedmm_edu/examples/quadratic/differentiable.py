"""The quadratic surrogate of Example 1 for a loss of your own, given by its values and gradients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fedmm_edu.arrays import Array, as_array
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.examples.quadratic.penalties import Penalty
from fedmm_edu.examples.quadratic.proximal import Proximal
from fedmm_edu.federation import Clients

ValuesAndGradients = Callable[[Array, Array], tuple[Array, Array]]
"""ℓ(Z, θ) of each row of z and ∇_θ ℓ(Z, θ), from z (N, p) and θ (d,): shapes (N,) and (N, d)."""


class Differentiable(Proximal):
    """f(θ) = E_π[ℓ(Z, θ)] + g(θ) for a smooth ℓ that is a function: of NumPy, PyTorch, JAX, …

    ψ(θ) = ‖θ‖²/(2ρ), φ(θ) = θ/ρ, S̄(Z, τ) = τ − ρ∇ℓ(Z, τ), T = prox_{ρg}, 𝒮 = ℝ^d. MM-1 needs ρ ≤ 1/L_f, which nobody
    can read off a function: `refuted` looks for two points between which it fails.
    """

    def __init__(self, d: int, rho: float, of: ValuesAndGradients, penalty: Penalty | None = None) -> None:
        super().__init__(as_count("d", d), rho, penalty)
        self.of = of

    def _at(self, z: Array, theta: Array) -> tuple[Array, Array]:
        values, gradients = self.of(z, theta)
        return (
            as_array("the values of the loss", np.asarray(values), shape=(len(z),)),
            as_array("the gradients of the loss", np.asarray(gradients), shape=(len(z), self.d)),
        )

    def S_bar(self, z: Array, theta: Array) -> Array:
        return theta - self.rho * self._at(z, theta)[1]

    def loss(self, z: Array, theta: Array) -> Array:
        return self._at(z, theta)[0]

    def steepest(self, clients: Clients, points: Array) -> float:
        """The largest ‖∇f_i(a) − ∇f_i(b)‖/‖a − b‖ of all clients and neighbours among the points, shape (m, d): a lower
        bound of L, and often near it where the points lie as a run does."""
        found = 0.0
        for z in clients:
            slopes = np.array([self._at(z, theta)[1].mean(axis=0) for theta in points])
            apart = np.linalg.norm(np.diff(points, axis=0), axis=1)
            change = np.linalg.norm(np.diff(slopes, axis=0), axis=1)
            found = max(found, float((change[apart > 0.0] / apart[apart > 0.0]).max(initial=0.0)))
        return found

    def refuted(self, clients: Clients, points: Array) -> str:
        """Where MM-1 fails for some f_i between two of the points, in words; empty where it was not seen to fail."""
        for i, z in enumerate(clients):
            found = [self._at(z, theta) for theta in points]
            values, slopes = (np.array([part[k].mean(axis=0) for part in found]) for k in (0, 1))
            for a, (value, slope) in enumerate(zip(values, slopes, strict=True)):
                move = points - points[a]
                above = value + move @ slope + (move**2).sum(axis=1) / (2.0 * self.rho)
                gap = values - above
                b = int(np.argmax(gap))
                if gap[b] > 1e-9 * (1.0 + abs(values[b])):
                    return (
                        f"f_{i} is {values[b]:.6g} at θ = {points[b]}, the surrogate of θ = {points[a]} only "
                        f"{above[b]:.6g}: choose a smaller rho than {self.rho:g}"
                    )
        return ""


def longest_rho(of: ValuesAndGradients, clients: Clients, points: Array, *, share: float = 0.5) -> float:
    """`share` of 1/L for the L that is seen between neighbours among the points: an estimate, to be checked."""
    if len(points) < 2:
        raise InvalidInput(f"{len(points)} points: give two at least, between which slopes can be seen.")
    steep = Differentiable(points.shape[1], 1.0, of).steepest(clients, points)
    if steep == 0.0:
        raise InvalidInput("the gradients are the same at all points: the loss is linear there; choose rho yourself.")
    return in_interval("share", share, low=0.0, high=1.0, open_low=True) / steep
