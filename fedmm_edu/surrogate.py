"""What MM-1 and MM-2 ask of a problem: the one abstraction of this package.

The problem is to minimise W(θ) = f(θ) + g(θ) with f(θ) = E_π[ℓ(Z, θ)] (eq. `opt`). A surrogate of it is a point s of a
convex set 𝒮 ⊂ ℝ^q:

    MM-1   f(θ) ≤ f(τ) + ψ(θ) − ψ(τ) − ⟨E_π[S̄(Z, τ)], φ(θ) − φ(τ)⟩   for all θ, τ in Θ,
    MM-2   T(s) = argmin_θ g(θ) + ψ(θ) − ⟨s, φ(θ)⟩                  exists and is unique for all s in 𝒮.

A problem is a leaf class that fills in the eight methods below; everything else is a function of them. θ is a flat
vector of length d, s one of length q, data Z an array of shape (N, p), one sample per row.

>>> from fedmm_edu.examples.toy import Toy
>>> toy, z, tau = Toy(), np.array([[1.0], [7.0]]), np.array([2.0])
>>> theta = toy.T(toy.mean_S_bar(z, tau))  # one step of MM from τ
>>> theta, objective(toy, z, tau), objective(toy, z, theta)
(array([0.5]), 8.5, 4.0)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np

from fedmm_edu.arrays import Array, Names, Offsets, as_array
from fedmm_edu.convex_sets import ConvexSet
from fedmm_edu.errors import InvalidInput
from fedmm_edu.faces import Faces


class Surrogate(Faces):
    """A problem that satisfies MM-1 and MM-2 with a surrogate linear in s."""

    S: ConvexSet
    """𝒮, the set of surrogates, of dimension q."""
    Theta: ConvexSet
    """Θ, the domain of g, of dimension d."""
    by_products: ClassVar[bool] = False
    """Whether `mean_S_bars` is one product for each client and little else: then it pays to lay samples out for it."""

    @property
    def remembers(self) -> bool:
        """Whether `mean_S_bars` keeps something of each sample by its name; else it may get rows that are `UNNAMED`."""
        return False

    @property
    def loss_in_S_bars(self) -> float:
        """How many S̄ of a sample, as a run computes them, its loss costs: one at most, unless the leaf says more."""
        return 1.0

    @abstractmethod
    def S_bar(self, z: Array, theta: Array) -> Array:
        """S̄(Z, τ) of each sample at τ = theta: shape (N, q)."""

    @abstractmethod
    def T(self, s: Array) -> Array:
        """T(s), the unique minimiser over Θ of g + ψ − ⟨s, φ⟩: shape (d,). `InvalidInput` for s outside 𝒮."""

    @abstractmethod
    def phi(self, theta: Array) -> Array:
        """φ(θ), shape (q,)."""

    @abstractmethod
    def psi(self, theta: Array) -> float:
        """ψ(θ)."""

    @abstractmethod
    def g(self, theta: Array) -> float:
        """g(θ), the penalty; +inf outside Θ."""

    @abstractmethod
    def loss(self, z: Array, theta: Array) -> Array:
        """ℓ(Z, θ) of each sample: shape (N,)."""

    def mean_S_bar(self, z: Array, theta: Array, weights: Array | None = None) -> Array:
        """E_π[S̄(Z, τ)] for π = Σ_j weights_j δ_{z_j} (uniform by default): shape (q,).

        Leaves override it where the mean costs less than the (N, q) array.
        """
        return weighted_mean(self.S_bar(z, theta), weights)

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        """E_{π_i}[S̄(Z, τ)] of m clients, client i holding the rows offsets[i]:offsets[i+1] of z: shape (m, q).

        Leaves override it where one pass over all rows costs less than a call for each client. What a client gets
        depends on its own rows only, bit for bit: so a run over nodes is the run in one process. Rows with `names` are
        those of `Clients` and finite; all others are looked at.
        """
        return np.stack([self.mean_S_bar(z[start:stop], theta) for start, stop in pairwise(offsets)])

    def mean_S_bars_apart(self, z: Array, cuts: Sequence[slice], theta: Array) -> Array:
        """The same, bit for bit, of the samples of `Clients`, of which client i holds the rows cuts[i]: shape (m, q).

        For clients with so many numbers that it costs more to copy them together than to ask for neighbours together.
        """
        ends, parts = [i for i in range(1, len(cuts)) if cuts[i].start != cuts[i - 1].stop], []
        for start, stop in pairwise([0, *ends, len(cuts)]):
            names = slice(cuts[start].start, cuts[stop - 1].stop)
            offsets = np.array([cut.start for cut in cuts[start:stop]] + [names.stop]) - names.start
            parts.append(self.mean_S_bars(z[names], offsets, theta, names))
        return np.concatenate(parts)

    def Ts(self, S: Array) -> Array:
        """T(s) of each row of S, shape (m, q): shape (m, d)."""
        return np.stack([self.T(s) for s in S])

    def B(self, s: Array) -> Array:
        """B(s) of A7 (`hyp:DL2`), the derivative of φ∘T at s: shape (q, q), where the example has one."""
        raise InvalidInput(f"{type(self).__name__} defines no matrix B(s): use the Euclidean metric instead.")

    def grad_psi(self, theta: Array) -> Array:
        """∇ψ(θ), shape (d,), where the example has one."""
        raise InvalidInput(f"{type(self).__name__} defines no grad_psi: gradients of f need it; add it to the class.")

    def jac_phi(self, theta: Array) -> Array:
        """Jφ(θ), shape (q, d), where the example has one."""
        raise InvalidInput(f"{type(self).__name__} defines no jac_phi: gradients of f need it; add it to the class.")

    def gradient(self, theta: Array, S: Array) -> Array:
        """∇ψ(θ) − Jφ(θ)ᵀS, shape (d,): ∇f(θ) where S = E_π[S̄(Z, θ)], as f and its surrogate touch at θ (MM-1)."""
        return self.grad_psi(theta) - S @ self.jac_phi(theta)

    def prox_g(self, theta: Array, rho: float) -> Array:
        """prox_{ρg}(θ) = argmin ρ g + ½‖· − θ‖², shape (d,), where the example has one."""
        raise InvalidInput(f"{type(self).__name__} defines no prox_g: composite methods need it; add it to the class.")

    def grad_g(self, theta: Array) -> Array:
        """∇g(θ), shape (d,), where g is smooth."""
        raise InvalidInput(f"{type(self).__name__} defines no grad_g: methods for g = 0 need it; its g may have kinks.")

    def scaled_rho(self, by: float) -> Surrogate:
        """The same problem whose surrogate has by·ρ in the place of ρ, where it has a step ρ."""
        if by == 1.0:
            return self
        raise InvalidInput(f"{type(self).__name__} has no step ρ: leave rho = {by:g} out.")

    def with_weights(self, weights: Array) -> Surrogate:
        """The same mixture with other weights of its components, shape (L,), where the example is one."""
        raise InvalidInput(f"{type(self).__name__} has no with_weights: personal weights need a mixture that has them.")

    def weights_of(self, s: Array) -> Array:
        """The mean responsibilities of the components that s holds, shape (L,), where the example is a mixture."""
        raise InvalidInput(f"{type(self).__name__} has no weights_of: personal weights need a mixture that has them.")

    def project(self, s: Array, B: Array | None = None) -> Array:
        """Π(s, B), the projection onto 𝒮 in the B-norm (eq. `projector:Pi`)."""
        return self.S.project(s, B)

    def contains(self, s: Array, tol: float = 0.0) -> bool:
        """Whether s lies in 𝒮."""
        return self.S.contains(s, tol)

    @property
    def q(self) -> int:
        """The dimension of 𝒮."""
        return self.S.dim

    @property
    def d(self) -> int:
        """The dimension of Θ."""
        return self.Theta.dim

    def in_S(self, s: Array) -> Array:
        """s itself when it lies in 𝒮, else an error that says by how much it does not."""
        return _member("s", "𝒮", self.S, s)

    def in_Theta(self, theta: Array) -> Array:
        """θ itself when it lies in Θ, else an error that says by how much it does not."""
        return _member("theta", "Θ", self.Theta, theta)


class ZeroPsi(Surrogate):
    """A problem with ψ = 0."""

    def psi(self, theta: Array) -> float:
        return 0.0

    def grad_psi(self, theta: Array) -> Array:
        return np.zeros(self.d)


def _member(name: str, set_name: str, of: ConvexSet, x: Array) -> Array:
    x = as_array(name, x, shape=(of.dim,))
    if of.contains(x):
        return x
    rounding = 1e-12 * max(1.0, float(np.abs(x).max(initial=0.0)))  # of means and projections
    if not of.contains(x, tol=rounding):
        gap = float(np.linalg.norm(x - of.project(x)))
        raise InvalidInput(f"{name} = {x} lies outside {set_name} (distance {gap:.3g}): project it onto it first.")
    return x


def weighted_mean(rows: Array, weights: Array | None) -> Array:
    """Σ_j weights_j rows_j, uniform weights by default."""
    if len(rows) == 0:
        raise InvalidInput("the mean of no samples is not defined: give every client at least one sample.")
    return rows.mean(axis=0) if weights is None else weights @ rows


def mean_loss(problem: Surrogate, z: Array, theta: Array, weights: Array | None = None) -> float:
    """f(θ) = E_π[ℓ(Z, θ)]."""
    return float(weighted_mean(problem.loss(z, theta), weights))


def objective(problem: Surrogate, z: Array, theta: Array, weights: Array | None = None) -> float:
    """W(θ) = f(θ) + g(θ) (eq. `opt`)."""
    return mean_loss(problem, z, theta, weights) + problem.g(theta)


def surrogate_value(problem: Surrogate, theta: Array, s: Array) -> float:
    """g(θ) + ψ(θ) − ⟨s, φ(θ)⟩, what T(s) minimises over θ."""
    return problem.g(theta) + problem.psi(theta) - float(s @ problem.phi(theta))


def majorization_gap(problem: Surrogate, z: Array, theta: Array, tau: Array, weights: Array | None = None) -> float:
    """The right-hand side of MM-1 minus the left: ≥ 0 for all θ, and 0 at θ = τ."""
    s = problem.mean_S_bar(z, tau, weights)
    upper = mean_loss(problem, z, tau, weights) + problem.psi(theta) - problem.psi(tau)
    return upper - float(s @ (problem.phi(theta) - problem.phi(tau))) - mean_loss(problem, z, theta, weights)


def mean_field(problem: Surrogate, z: Array, s: Array, weights: Array | None = None) -> Array:
    """h(s) = E_π[S̄(Z, T(s))] − s (eq. `def:meanfield`): shape (q,)."""
    return problem.mean_S_bar(z, problem.T(s), weights) - s
