"""What the certificate kernel promises: it accepts true certificates and names the step of a false one."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.errors import FedMMError
from fedmm_edu.symbolic.certificate import (
    CertificateFails,
    Hypothesis,
    Psd,
    decide,
    derive,
    ldl_squares,
    nonnegative,
    same_vector,
    verify,
)
from fedmm_edu.symbolic.gram import atoms, inner, square
from fedmm_edu.symbolic.verdict import Step, Witness

a, b = sp.symbols("a b", real=True)
p, r = sp.symbols("p r", positive=True)
X, Y = atoms("x", "y")
GIVEN = {"above": Hypothesis(a - b, "a is at least b"), "below": Hypothesis(b, "b is non-negative")}


def test_a_true_certificate_lists_its_steps() -> None:
    """a = (a − b) + b ≥ 0; the last line is the conclusion."""
    steps = verify(a, GIVEN, {"above": 1, "below": 1})
    assert len(steps) == 3
    assert steps[-1].claim == r"$a \geq 0$"


def test_cauchy_schwarz_in_its_weighted_form() -> None:
    """‖x‖²/p + p‖y‖² − 2⟨x, y⟩ is a square in any dimension."""
    verify(square(X) / p + p * square(Y) - 2 * inner(X, Y), {}, {}, squares=[(1 / p, X - p * Y)])


@pytest.mark.parametrize(
    ("multipliers", "message"),
    [
        ({"above": 1}, "identity fails"),
        ({"above": 1, "below": 2}, "identity fails"),
        ({"above": 1, "beyond": 1}, "'beyond' is used but not given"),
        ({"above": -1, "below": 1}, r"multiplier \$-1\$ of 'above'"),
        ({"above": a, "below": 1}, r"multiplier \$a\$ of 'above'"),
    ],
)
def test_a_false_certificate_names_its_step(multipliers, message: str) -> None:
    """A wrong multiplier, a missing hypothesis and a negative or unsigned multiplier each fail, by name."""
    with pytest.raises(CertificateFails, match=message):
        verify(a, GIVEN, multipliers)


def test_no_division_by_what_may_vanish() -> None:
    """−1 = (−1/(a − b))·(a − b) does not follow from a − b = 0, nor does any step that divides by a − b."""
    tie = {"tie": Hypothesis(a - b, "a equals b", equality=True)}
    for target, kind in ((sp.Integer(-1), False), (sp.Integer(1), True)):
        with pytest.raises(CertificateFails, match="'tie' divides by"):
            verify(target, tie, {"tie": target / (a - b)}, equality=kind)
    with pytest.raises(CertificateFails, match="'above' divides by"):
        verify(sp.Abs(1 / b) * (a - b), GIVEN, {"above": sp.Abs(1 / b)})
    with pytest.raises(CertificateFails, match="a square divides by"):
        verify(b**2 / a**2, {}, {}, squares=[(1, b / a)])
    with pytest.raises(CertificateFails, match="a square divides by"):
        verify(square(X) / a**2, {}, {}, squares=[(1, X / a)])
    verify(a / p - b / p, tie, {"tie": 1 / p}, equality=True)


def test_squares_need_a_sign_and_a_real_base() -> None:
    """Neither −1 times a square nor the square of a number that may be complex is accepted."""
    z = sp.Symbol("z")
    with pytest.raises(CertificateFails, match="weight -1"):
        verify(-(a**2), {}, {}, squares=[(-1, a)])
    with pytest.raises(CertificateFails, match="not visibly real"):
        verify(z**2, {}, {}, squares=[(1, z)])


def test_equalities_follow_from_equalities_only() -> None:
    """An equality may use equalities with any sign, and nothing else."""
    given = {"tie": Hypothesis(a - b, "a equals b", equality=True), **GIVEN}
    verify(b - a, given, {"tie": -1}, equality=True)
    with pytest.raises(CertificateFails, match="equalities only"):
        verify(a - b, given, {"above": 1}, equality=True)
    with pytest.raises(CertificateFails, match="square proves no equality"):
        verify(a**2, given, {}, squares=[(1, a)], equality=True)


@pytest.mark.parametrize(
    ("expr", "sign"),
    [
        (p + r**2, True),
        (p / r, True),
        (a**2 + sp.exp(b), True),
        (sp.Abs(a) * p, True),
        (sp.sqrt(p), True),
        (a**3, False),
        (p - r, False),
        (1 / a**2, False),
        (sp.Symbol("n", nonnegative=True) ** -1, False),
        (sp.Symbol("z") ** 2, False),
        (a**2 - a**2 * r, False),
    ],
)
def test_signs_are_read_off_the_construction(expr: sp.Expr, sign: bool) -> None:
    """Sums, products and powers of non-negative parts are accepted; nothing that needs thought is."""
    assert nonnegative(expr) is sign


@given(st.lists(st.integers(-3, 3), min_size=9, max_size=9))
def test_every_gram_matrix_is_split_into_squares(entries: list[int]) -> None:
    """MMᵀ is positive semidefinite, and its LDLᵀ squares add up to the quadratic form."""
    factor = sp.Matrix(3, 3, entries)
    matrix, items = factor * factor.T, sp.symbols("u v w", real=True)
    total = sum(weight * base**2 for weight, base in ldl_squares(Psd(matrix, items)))
    assert sp.expand(total - (sp.Matrix([items]) * matrix * sp.Matrix(items))[0]) == 0


@pytest.mark.parametrize("matrix", [[[1, 2], [2, 1]], [[0, 1], [1, 1]], [[-1, 0], [0, 1]], [[1, 2], [0, 1]]])
def test_indefinite_or_lopsided_matrices_are_refused(matrix) -> None:
    """A negative pivot, a zero pivot with a non-zero row and a non-symmetric matrix each fail."""
    with pytest.raises(CertificateFails):
        ldl_squares(Psd(sp.Matrix(matrix), [X, Y]))


def test_decide_prefers_neither_side() -> None:
    """Proof → proved; counterexample → refuted; neither → open; both → an error."""
    step, witness = Step("fact", "reason"), Witness({"x": "1"}, "fails")

    def fails() -> tuple[Step, ...]:
        return verify(a, {}, {})

    assert decide("m", lambda: [step], [lambda: None]).status == "proved"
    assert decide("m", fails, [lambda: None, lambda: witness]).witness == witness
    assert decide("m", fails, []).status == "open"
    with pytest.raises(FedMMError, match="one of the two is wrong"):
        decide("m", lambda: [step], [lambda: witness])


def test_a_derivation_stops_where_a_hypothesis_is_missing() -> None:
    """Lines that need nothing or what is assumed pass, in order; the first that needs more fails by name."""
    free, bound = Step("free", "needs nothing"), Step("bound", "needs convexity")
    exact = ("smooth", lambda: verify(a, GIVEN, {"above": 1, "below": 1}))
    assert derive(("convex", "smooth"), ("", free), ("convex; smooth", bound), exact)[:2] == (free, bound)
    with pytest.raises(CertificateFails, match="'convex'"):
        derive(("smooth",), ("", free), ("convex; smooth", bound))


def test_equal_vectors_are_equal_coefficient_by_coefficient() -> None:
    """(x + y) − y = x; x and y differ, and the message shows by what."""
    assert same_vector(X + Y - Y, X, "cancelling").why == "cancelling"
    with pytest.raises(CertificateFails, match=r"differ by \{x\} - \{y\}"):
        same_vector(X, Y, "no reason")


def test_a_positive_semidefinite_block_proves_its_quadratic_form() -> None:
    """2‖x‖² + 2⟨x, y⟩ + ‖y‖² ≥ 0 by the matrix [[2, 1], [1, 1]]."""
    block = Psd(sp.Matrix([[2, 1], [1, 1]]), [X, Y])
    verify(2 * square(X) + 2 * inner(X, Y) + square(Y), {}, {}, psd=[block])
    with pytest.raises(CertificateFails, match="identity fails"):
        verify(2 * square(X) + 3 * inner(X, Y) + square(Y), {}, {}, psd=[block])
