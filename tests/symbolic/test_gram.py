"""What formal vectors promise: identities between Gram symbols are those of vectors in any dimension."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.gram import Vector, atom, atoms, evaluate, gram, inner, operator, square

X, Y, Z = atoms("x", "y", "z")
numbers = st.integers(-5, 5)
plane = st.tuples(numbers, numbers, numbers)


def test_inner_is_symmetric_and_bilinear() -> None:
    """⟨2x + y, z⟩ = 2⟨x, z⟩ + ⟨y, z⟩, and ⟨x, z⟩ = ⟨z, x⟩, as expressions."""
    assert sp.expand(inner(2 * X + Y, Z) - 2 * inner(X, Z) - inner(Y, Z)) == 0
    assert inner(X, Z) == inner(Z, X)
    assert gram("x", "x").is_nonnegative


def test_the_parallelogram_law_holds_and_its_falsified_form_does_not() -> None:
    """‖x+y‖² + ‖x−y‖² = 2‖x‖² + 2‖y‖², but not with a factor 3."""
    left = square(X + Y) + square(X - Y)
    assert sp.expand(left - 2 * square(X) - 2 * square(Y)) == 0
    assert sp.expand(left - 3 * square(X) - 2 * square(Y)) != 0


@given(plane, plane, plane, numbers, numbers)
def test_formal_inner_products_agree_with_coordinates(x, y, z, a: int, b: int) -> None:
    """Expanding first and inserting coordinates afterwards gives the inner product of the coordinates."""
    values = {"x": x, "y": y, "z": z}
    u, v = a * X - Y, Z + b * X
    assert evaluate(inner(u, v), values) == u.at(values).dot(v.at(values))


def test_operators_are_linear_and_distinct() -> None:
    """A(x − 2y) = Ax − 2Ay, and A x is not Aᵀ x."""
    A, At = operator("A"), operator("A^T")
    assert (A(X - 2 * Y) - A(X) + 2 * A(Y)).is_zero
    assert not (A(X) - At(X)).is_zero


def test_zero_is_recognised_through_symbolic_coefficients() -> None:
    """(1/ρ − 1/ρ) x is the zero vector; (1/ρ − 1) x is not."""
    rho = sp.Symbol("rho", positive=True)
    assert (X / rho - X / rho).is_zero
    assert not (X / rho - X).is_zero


def test_latex_reads_as_a_combination() -> None:
    """Signs and coefficients are printed as one writes them."""
    assert (X - Y / 2).latex() == r"{x} - \frac{{y}}{2}"
    assert Vector({}).latex() == "0"


def test_missing_coordinates_are_named() -> None:
    """An atom without coordinates is an error that names it."""
    with pytest.raises(InvalidInput, match="atom w"):
        atom("w").at({"x": (1,)})
