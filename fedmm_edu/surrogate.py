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
from collections.abc import Callable
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.lib.stride_tricks import as_strided

from fedmm_edu.arrays import Array, Indices, Names, Offsets, all_finite, as_array, counts_of
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


def row_products(x: Array, theta: Array) -> Array:
    """⟨x, θ⟩ of each row of x, or ⟨x, θ_k⟩ of each column of θ: shape (N,) or (N, K).

    Unlike those of x @ θ, the bits of a row do not depend on the rows beside it.
    """
    return np.vecdot(x, theta) if theta.ndim == 1 else np.vecdot(x[:, None], np.ascontiguousarray(theta.T))


def row_log_sums(x: Array) -> Array:
    """log Σ_k exp(x_k) of each row of x, shape (N, 1).

    To the bit what `scipy.special.logsumexp` gives, which takes ten times as long where rows are few.
    """
    top = x.max(axis=1, keepdims=True)
    most = x == top
    with np.errstate(invalid="ignore", divide="ignore"):  # a row of −∞
        others = np.exp(np.where(most, -np.inf, x) - top).sum(axis=1, keepdims=True)
        count = np.count_nonzero(most, axis=1, keepdims=True)
        out = np.log1p(others / count) + np.log(count) + top
        return out if all_finite(out) else np.where(np.isfinite(out), out, np.log(np.exp(x).sum(axis=1, keepdims=True)))


def segment_means(rows: Array, offsets: Offsets) -> Array:
    """The mean of rows offsets[i]:offsets[i+1] for each i: shape (m, ...)."""
    counts = counts_of(offsets).reshape(-1, *[1] * (rows.ndim - 1))
    return np.add.reduceat(rows, offsets[:-1], axis=0) / counts


def segment_products(weights: Array, rows: Array, offsets: Offsets) -> Array:
    """Σ_j weights_j rows_j over j = offsets[i], …, offsets[i+1] − 1 for each i: shape (m, d)."""
    return segment_batches(lambda w, x: (w[:, None] @ x)[:, 0], offsets, weights, rows)


FEW, LARGE = 32, 2**12
"""Fewer segments than FEW, and segments of more than LARGE numbers, cost less one by one than gathered."""


def segment_batches(batch: Callable[..., Array], offsets: Offsets, *arrays: Array) -> Array:
    """What `batch` makes of the rows offsets[i]:offsets[i+1] of `arrays`, for each i: shape (m, ...).

    `batch` maps arrays of shapes (k, size, ...), k segments of one size, to one of shape (k, ...), each segment by
    itself. Segments of one size are taken together, so that no loop runs over many small ones, whatever their sizes;
    where sizes never fall, they lie together and nothing is copied.
    """

    def alone(i: int) -> Array:
        return batch(*(array[None, offsets[i] : offsets[i + 1]] for array in arrays))[0]

    sizes = counts_of(offsets)
    if np.count_nonzero(sizes == sizes[0]) == len(sizes):
        return batch(*(array.reshape(len(sizes), -1, *array.shape[1:]) for array in arrays))
    if not np.count_nonzero(sizes[1:] < sizes[:-1]):
        ends = [0, *(np.flatnonzero(sizes[1:] != sizes[:-1]) + 1).tolist(), len(sizes)]
        cuts = [(stop - start, slice(offsets[start], offsets[stop])) for start, stop in pairwise(ends)]
        return np.concatenate([batch(*(a[cut].reshape(k, -1, *a.shape[1:]) for a in arrays)) for k, cut in cuts])
    scattered = any(array.ndim > 1 and array.shape[1] > 1 and array.strides[1] != array.itemsize for array in arrays)
    if len(sizes) < FEW or scattered:
        return np.stack([alone(i) for i in range(len(sizes))])
    out: Array | None = None
    order = by_size(sizes)
    for who in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1):
        size = int(sizes[who[0]])
        if len(who) == 1 or size * max(array[0].size for array in arrays) > LARGE:
            made = np.stack([alone(i) for i in who])
        else:
            parts = {id(array): _segments(array, offsets[who], size) for array in arrays}  # given twice, copied once
            made = batch(*(parts[id(array)] for array in arrays))
        out = np.empty((len(order), *made.shape[1:])) if out is None else out
        out[who] = made
    assert out is not None  # there is one segment at least
    return out


def by_size(sizes: Indices) -> Indices:
    """The order in which sizes never fall, and equal ones stay as they are."""
    return np.argsort(sizes.astype(np.uint16) if sizes.max() < 2**16 else sizes, kind="stable")  # a radix sort


def _segments(array: Array, starts: Indices, size: int) -> Array:
    """The rows starts[i], …, starts[i] + size − 1 for each i: shape (k, size, ...).

    Each segment is copied in one piece, what lies between its rows included. So the strides stay what they are in
    `array`, and with them the bits of products: BLAS adds in another order where strides differ.
    """
    item = array.itemsize
    piece = (size - 1) * (array.strides[0] // item) + array[0].size
    copied = as_strided(array, (len(array) - size + 1, piece), (array.strides[0], item))[starts]
    return as_strided(copied, (len(starts), size, *array.shape[1:]), (piece * item, *array.strides))


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
