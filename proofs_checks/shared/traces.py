"""Matrices of any size, as words in letters: identities between traces that hold for all p and K.

A word is a product of letters, each plain or transposed; a matrix is a linear combination of words. A trace does not
change when its word is rotated or transposed, so each trace has one normal form and an identity becomes one between
polynomials. The same formula, given `sympy.Matrix` values instead of letters, is evaluated in numbers:

>>> A, B = letter("A"), letter("B")
>>> sp.expand(trace((A - B).T @ (A - B)) - trace(A.T @ A) + 2 * inner(B, A) - trace(B.T @ B))
0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import sympy as sp

from fedmm_edu.proofs.verdict import Verdict, Witness
from proofs_checks.shared.tools import settle

Word = tuple[tuple[str, bool], ...]
"""(name, transposed) for each factor, from left to right."""


@dataclass(frozen=True)
class Matrix:
    """Σ_w terms[w] · w over words w."""

    terms: Mapping[Word, sp.Expr]

    def __add__(self, other: Matrix) -> Matrix:
        words = dict.fromkeys((*self.terms, *other.terms))
        return Matrix({w: self.terms.get(w, sp.S.Zero) + other.terms.get(w, sp.S.Zero) for w in words})

    def __mul__(self, scalar) -> Matrix:
        return Matrix({w: sp.sympify(scalar) * c for w, c in self.terms.items()})

    __rmul__ = __mul__

    def __neg__(self) -> Matrix:
        return self * -1

    def __sub__(self, other: Matrix) -> Matrix:
        return self + -other

    def __matmul__(self, other: Matrix) -> Matrix:
        product: dict[Word, sp.Expr] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                product[left + right] = product.get(left + right, sp.S.Zero) + a * b
        return Matrix(product)

    @property
    def T(self) -> Matrix:
        return Matrix({_transposed(w): c for w, c in self.terms.items()})


Kind = TypeVar("Kind", Matrix, sp.MatrixBase)
"""Words, or numbers."""


def _transposed(word: Word) -> Word:
    return tuple((name, not flipped) for name, flipped in reversed(word))


def letter(name: str) -> Matrix:
    """One matrix (or column vector) of any size."""
    return Matrix({((name, False),): sp.S.One})


def trace(matrix: Matrix | sp.MatrixBase) -> sp.Expr:
    """The trace: of words one symbol per word up to rotation and transposition, of numbers a number."""
    if isinstance(matrix, sp.MatrixBase):
        return matrix.trace()
    return sp.Add(*(coefficient * _symbol(word) for word, coefficient in matrix.terms.items()))


def _symbol(word: Word) -> sp.Symbol:
    turns = [w[k:] + w[:k] for w in (word, _transposed(word)) for k in range(len(word))]
    return sp.Symbol("Tr(" + " ".join(name + "'" * flipped for name, flipped in min(turns)) + ")", real=True)


def inner(a: Kind, b: Kind) -> sp.Expr:
    """⟨A, B⟩ = Trace(AᵀB), as the paper defines it (L 244)."""
    return trace(a.T @ b)


def square(a: Kind) -> sp.Expr:
    """‖A‖² = ⟨A, A⟩."""
    return inner(a, a)


def identity(
    says: str,
    residual: Callable[..., sp.Expr],
    at: Mapping[str, sp.MatrixBase],
    why: str,
    scalars: Mapping[sp.Symbol, sp.Expr] | None = None,
) -> Verdict:
    """`residual(*matrices) = 0` for matrices (and `scalars`) of any size, or the exact instance at which it is not.

    `at` gives each matrix its value in that instance, in the order of the arguments of `residual`.
    """
    value = sp.expand(residual(*at.values())).subs(scalars or {})
    found = None
    if value != 0:
        point = {name: str(matrix.tolist()) for name, matrix in at.items()}
        point |= {str(name): str(number) for name, number in (scalars or {}).items()}
        found = Witness(point, f"{says} fails: left minus right is ${sp.latex(value)}$")
    return settle("trace identity", {says: residual(*map(letter, at))}, why, found)
