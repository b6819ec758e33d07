"""Which matrix a surrogate takes for the curvature of c at u: the curvature itself, or a bound on it.

A new form is a class here, with all that is said of it, and an entry of `CURVATURES`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.examples.quadratic import Loss
from fedmm_edu.faces import Faces

if TYPE_CHECKING:
    import sympy as sp


class Curvature(Faces, ABC):
    """A(u, y) ⪰ 0 of size K in ℓ(Z, θ) ≈ c(u, y) + ⟨∂c/∂u, v − u⟩ + ½(v − u)ᵀA(v − u), v = ⟨x, θ⟩."""

    name: ClassVar[str]
    """In the names of cases and models, and the argument of the kernel."""
    majorizes: ClassVar[bool]
    """Whether the right-hand side lies above ℓ for every convex loss."""

    @abstractmethod
    def matrices(self, loss: Loss, u: Array, y: Array) -> Array:
        """A of each sample, shape (N, K, K)."""

    @abstractmethod
    def size(self, loss: Loss, y: Array) -> Array:
        """A bound on ‖Au − ∂c/∂u‖ over all u, shape (N,), inf where there is none."""

    @abstractmethod
    def twin(self, value: sp.Expr, loss: Loss, u: sp.Symbol) -> sp.Expr:
        """A in SymPy for K = 1 and c = `value`, a function of the symbol u."""


class FixedBound(Curvature):
    """A = M ⪰ ∂²c/∂u², the same for all u (Böhning and Lindsay 1988; Böhning 1992): a majoriser."""

    name = "bound"
    majorizes = True

    def matrices(self, loss: Loss, u: Array, y: Array) -> Array:
        return np.broadcast_to(loss.most(), (len(u), loss.outputs, loss.outputs))

    def size(self, loss: Loss, y: Array) -> Array:
        return loss.working(y) if loss.bent(0.0) is None else np.full(len(y), np.inf)

    def twin(self, value: sp.Expr, loss: Loss, u: sp.Symbol) -> sp.Expr:
        import sympy as sp

        return sp.Rational(loss.curvature)


class Newton(Curvature):
    """A = ∂²c/∂u²: Newton's method. It lies below ℓ somewhere, unless c is quadratic."""

    name = "Newton"
    majorizes = False

    def matrices(self, loss: Loss, u: Array, y: Array) -> Array:
        return loss.bend(u, y)

    def size(self, loss: Loss, y: Array) -> Array:
        return loss.working(y)

    def twin(self, value: sp.Expr, loss: Loss, u: sp.Symbol) -> sp.Expr:
        return value.diff(u, 2)


CURVATURES: Mapping[str, Curvature] = {form.name: form for form in (FixedBound(), Newton())}
"""By name."""
