"""The two half-quadratic forms of a robust loss: how the weight w = ρ'(r)/r at τ enters the statistics.

A new form is a class here, with all that is said of it, and an entry of `FORMS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.faces import Faces

if TYPE_CHECKING:
    import sympy as sp


class Form(Faces, ABC):
    """S̄ = (a xxᵀ, b x) with numbers a, b of the weight w, the fitted value ⟨x, τ⟩ and the target y."""

    name: ClassVar[str]
    why: ClassVar[str]
    """Why S̄ has the `size` that it has."""

    @abstractmethod
    def latent(self, w: Array, fitted: Array, y: Array) -> tuple[Array, Array]:
        """√a and b, shape (N,) each."""

    @abstractmethod
    def size(self, length: Array, y: Array) -> Array:
        """A bound on ‖S̄‖² for all τ, for samples with length = ‖x‖²: shape (N,), inf where there is none."""

    @abstractmethod
    def twin(self, w: sp.Expr, fitted: sp.Expr, y: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
        """a and b in SymPy."""


class Weights(Form):
    """ρ(r) = min_h ½hr² + ξ(h): S̄ = (w xxᵀ, w y x), iteratively reweighted least squares."""

    name = "weights"
    why = "‖S̄‖² ≤ ‖x‖⁴ + y²‖x‖², for w ≤ 1"

    def latent(self, w: Array, fitted: Array, y: Array) -> tuple[Array, Array]:
        return np.sqrt(w), w * y

    def size(self, length: Array, y: Array) -> Array:
        return length**2 + y**2 * length

    def twin(self, w: sp.Expr, fitted: sp.Expr, y: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
        return w, w * y


class Residuals(Form):
    """ρ(r) = min_h ½(r − h)² + ξ(h): S̄ = (xxᵀ, (y − h)x) with y − h = ⟨x, τ⟩ + w r."""

    name = "residuals"
    why = "S̄ holds ⟨x, τ⟩x − (a bounded multiple of w)x, whose spread grows with τ"

    def latent(self, w: Array, fitted: Array, y: Array) -> tuple[Array, Array]:
        return np.ones(len(w)), fitted + w * (y - fitted)

    def size(self, length: Array, y: Array) -> Array:
        return np.full(len(length), np.inf)

    def twin(self, w: sp.Expr, fitted: sp.Expr, y: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
        import sympy as sp

        return sp.S.One, fitted + w * (y - fitted)


FORMS: Mapping[str, Form] = {form.name: form for form in (Weights(), Residuals())}
"""By name."""
