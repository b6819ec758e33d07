"""Enclosures of eigenvalues and of third derivatives: certain against NumPy, and narrow where boxes suffice."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.symbolic.constants.spectra import curvature, enclose_largest_eigenvalue

x, y, z = sp.symbols("x y z", real=True)
BOX = {x: (Fraction(0), Fraction(1)), y: (Fraction(-1), Fraction(1, 2))}


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=18, max_size=18))
def test_no_sampled_matrix_exceeds_the_enclosure(numbers):
    """3 × 3 matrices whose entries are quadratic in two variables; the lower end is the value at the named point."""
    terms = (1, x, x * y)
    entries = [sum(c * term for c, term in zip(numbers[3 * k : 3 * k + 3], terms, strict=True)) for k in range(6)]
    matrix = sp.Matrix(3, 3, lambda i, j: entries[min(i, j) * (5 - min(i, j)) // 2 + max(i, j)])
    found = enclose_largest_eigenvalue(matrix, BOX, boxes=60)
    assert found is not None
    value = sp.lambdify((x, y), matrix)
    tops = [np.linalg.eigvalsh(np.array(value(a, b), dtype=float))[-1]
            for a in np.linspace(0, 1, 7) for b in np.linspace(-1, 0.5, 7)]  # fmt: skip
    assert max(tops) <= float(found.high) + 1e-9
    at = np.array(value(*(float(found.at[s]) for s in (x, y))), dtype=float)
    assert np.linalg.eigvalsh(at)[-1] == pytest.approx(float(found.low), abs=1e-9)
    assert found.low <= found.high


def test_an_exact_matrix_is_enclosed_to_rounding():
    """No box to cut: Gershgorin's discs in a basis of eigenvectors."""
    found = enclose_largest_eigenvalue(sp.Matrix([[2, 1, 0], [1, 2, 1], [0, 1, 2]]), {})
    assert found is not None
    assert found.low <= found.high
    assert abs(float(found.low) - 2 - 2**0.5) < 1e-12 > float(found.high - found.low)


def test_the_largest_of_several_blocks_counts():
    found = enclose_largest_eigenvalue(sp.diag(x, 3 - x), {x: BOX[x]})
    assert found is not None
    assert float(found.low) == pytest.approx(3)
    assert found.at == {x: 0}


def test_no_finite_bound_is_no_answer():
    around = {x: (Fraction(-1), Fraction(1))}
    assert enclose_largest_eigenvalue(sp.Matrix([[1 / x, 0], [0, 1]]), around, boxes=20) is None
    assert curvature(sp.Matrix([[1 / x]]), around, boxes=20) is None


def test_the_bend_of_a_cubic_is_between_the_ends():
    """V = x³/6 + xyz: D²F[u, u] at u is compared on random unit vectors and with the lower end."""
    V = x**3 / 6 + x * y * z
    s = (x, y, z)
    box = dict.fromkeys(s, (Fraction(-1), Fraction(1)))
    found = curvature(sp.hessian(V, s), box, boxes=5)
    assert found is not None
    T = np.array([[[float(sp.diff(V, a, b, c)) for a in s] for b in s] for c in s])
    u = np.random.default_rng(0).normal(size=(4000, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    sizes = np.linalg.norm(np.einsum("ijk,nj,nk->ni", T, u, u), axis=1)
    assert sizes.max() <= float(found.high) + 1e-9
    assert 0.98 * float(found.low) <= sizes.max() <= 1.001 * float(found.low)
    assert float(found.high) == pytest.approx(np.linalg.norm(T.reshape(3, 9), 2))


def test_a_peak_between_the_evaluated_points_is_covered():
    """−(9x − 2)² has its maximum 0 at 2/9, no end or middle of a box: only the radius of the balls covers it."""
    matrix = sp.Matrix([[-((9 * x - 2) ** 2), x / 9], [x / 9, -200]])
    for boxes in (0, 1, 4):
        found = enclose_largest_eigenvalue(matrix, {x: BOX[x]}, boxes=boxes)
        assert found is not None
        assert found.low < 0 <= found.high
    third = sp.Matrix([[-((9 * x - 2) ** 3) / 27]])  # its derivative is −(9x − 2)²: ‖T‖ is 0 at 2/9 and 49 at 1
    bend = curvature(third, {x: (Fraction(1, 9), Fraction(4, 9))}, boxes=0)
    assert bend is not None
    assert bend.low <= 4 <= bend.high
