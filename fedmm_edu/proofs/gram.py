"""Vectors of any dimension, by their Gram symbols.

A formal vector is a linear combination of named atoms. `inner` expands bilinearly into one symbol per pair of atoms,
so an identity between inner products, true in every dimension, becomes a polynomial identity in these symbols:

>>> x, y = atoms("x", "y")
>>> sp.expand(square(x - y) - square(x) + 2 * inner(x, y) - square(y))
0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from fedmm_edu.errors import InvalidInput

__all__ = ["Vector", "atom", "atoms", "inner", "operator", "scalars", "square"]

Assignment = Mapping[str, Sequence]
"""The coordinates of each atom: a numeric instance of formal vectors."""


@dataclass(frozen=True)
class Vector:
    """Σ_a coefficients[a] · a, over atoms a named in LaTeX; coefficients are SymPy scalars."""

    coefficients: Mapping[str, sp.Expr]

    def __add__(self, other: Vector) -> Vector:
        names = dict.fromkeys((*self.coefficients, *other.coefficients))
        return Vector({a: self.coefficients.get(a, sp.S.Zero) + other.coefficients.get(a, sp.S.Zero) for a in names})

    def __mul__(self, scalar) -> Vector:
        return Vector({a: sp.sympify(scalar) * c for a, c in self.coefficients.items()})

    __rmul__ = __mul__

    def __truediv__(self, scalar) -> Vector:
        return self * (sp.S.One / sp.sympify(scalar))

    def __neg__(self) -> Vector:
        return self * -1

    def __sub__(self, other: Vector) -> Vector:
        return self + -other

    @property
    def is_zero(self) -> bool:
        """Whether every coefficient vanishes identically, so that the vector is zero whatever its atoms are."""
        return all(sp.cancel(c) == 0 for c in self.coefficients.values())

    def latex(self) -> str:
        """The combination as LaTeX, atoms in the order of first use."""
        terms = [sp.latex(sp.Symbol("{" + a + "}") * c) for a, c in self.coefficients.items() if sp.cancel(c) != 0]
        return " + ".join(terms).replace("+ - ", "- ").replace("+ -", "- ") or "0"

    def at(self, values: Assignment) -> sp.Matrix:
        """The vector in coordinates, once each atom has its own."""
        missing = [a for a in self.coefficients if a not in values]
        if missing:
            raise InvalidInput(f"no coordinates for the atom {missing[0]}: give one list of numbers per atom.")
        columns = [c * sp.Matrix(list(values[a])) for a, c in self.coefficients.items()]
        return sum(columns[1:], columns[0])


def atom(name: str) -> Vector:
    """One named vector."""
    return Vector({name: sp.S.One})


def atoms(*names: str) -> tuple[Vector, ...]:
    """Several named vectors."""
    return tuple(atom(name) for name in names)


def scalars(*names: str, **assumptions: bool) -> tuple[sp.Symbol, ...]:
    """Real numbers named in LaTeX, such as `f(\\theta)`."""
    return tuple(sp.Symbol("{" + name + "}", **(assumptions or {"real": True})) for name in names)


def operator(name: str) -> Callable[[Vector], Vector]:
    """A formal linear map: `operator("A")(x + 2 * y)` is A x + 2 A y, with new atoms `A x` and `A y`."""
    return lambda vector: Vector({f"{name} {a}": c for a, c in vector.coefficients.items()})


def gram(a: str, b: str) -> sp.Symbol:
    """The symbol of ⟨a, b⟩: symmetric in the two atoms, and non-negative when they are the same."""
    if a == b:
        return sp.Symbol(r"{\left\|" + a + r"\right\|^2}", nonnegative=True)
    first, second = sorted((a, b))
    return sp.Symbol(r"{\langle " + first + ", " + second + r"\rangle}", real=True)


def inner(u: Vector, v: Vector) -> sp.Expr:
    """⟨u, v⟩, expanded bilinearly into Gram symbols."""
    return sp.Add(*(c * e * gram(a, b) for a, c in u.coefficients.items() for b, e in v.coefficients.items()))


def square(u: Vector) -> sp.Expr:
    """‖u‖² = ⟨u, u⟩."""
    return inner(u, u)


def evaluate(expr: sp.Expr, values: Assignment) -> sp.Expr:
    """`expr` with each Gram symbol replaced by the inner product of the coordinates in `values`."""
    pairs = {gram(a, b): sp.Matrix(list(values[a])).dot(sp.Matrix(list(values[b]))) for a in values for b in values}
    return expr.subs(pairs)
