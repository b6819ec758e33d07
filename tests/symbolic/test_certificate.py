"""What the certificate kernel promises: it accepts true certificates and names the step of a false one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fedmm_edu.errors import FedMMError
from fedmm_edu.proofs.certificate import (
    CertificateFails,
    Psd,
    decide,
    derive,
    ldl_squares,
    nonnegative,
    same_vector,
    verify,
)
from fedmm_edu.proofs.expectation import Expectation
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Witness

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
        ({"above": 1, "beyond": 1}, "needs 'beyond', which is not assumed"),
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


N = sp.Symbol("n", nonnegative=True)
Z = sp.Symbol("z")
TIE = {"tie": Hypothesis(a - b, "a equals b", equality=True)}
PAST, UNKNOWN = Expectation(past={"x"}), Expectation(past={"x"}, free={"m", "n"})
M1, M2 = atoms("m", "n")
FALSE_PROOFS: dict[str, tuple[Callable[[], object], str]] = {
    "wrong multiplier": (lambda: verify(a, GIVEN, {"above": 2, "below": 1}), r"identity fails.* leaves \$- a \+ b\$"),
    "hypothesis left out": (lambda: verify(a, GIVEN, {"above": 1}), r"identity fails.* leaves \$b\$"),
    "negative multiplier": (lambda: verify(b - a, GIVEN, {"above": -1}), r"multiplier \$-1\$ of 'above'"),
    "multiplier without a sign": (lambda: verify(a * b, GIVEN, {"below": a}), r"multiplier \$a\$ of 'below'"),
    "difference of positive parts": (lambda: verify((p - r) * b, GIVEN, {"below": p - r}), "of 'below' is not visibly"),
    "division by what may vanish": (lambda: verify(b / N, GIVEN, {"below": 1 / N}), r"'below' divides by \$n\$"),
    "division hidden in nested powers": (
        lambda: verify(sp.sqrt(1 + (a - b) ** -2) * b, GIVEN, {"below": sp.sqrt(1 + (a - b) ** -2)}),
        r"'below' divides by \$a - b\$",
    ),
    "division hidden in a symbolic exponent": (
        lambda: verify(1, TIE, {"tie": (a - b) ** sp.Symbol("k", real=True)}, equality=True),
        r"'tie' divides by \$a - b\$",
    ),
    "undeclared hypothesis": (lambda: verify(a, {}, {"above": 1}), "needs 'above', which is not assumed"),
    "false hypothesis": (lambda: verify(a, {"E": Hypothesis(-p, "")}, {"E": 1}), "'E' contradicts the declared"),
    "negative square": (lambda: verify(-(a**2), {}, {}, [(-1, a)]), r"weight \$-1\$ of a square"),
    "weight without a sign": (lambda: verify(a * b**2, {}, {}, [(a, b)]), r"weight \$a\$ of a square"),
    "complex square": (lambda: verify(Z**2, {}, {}, [(1, Z)]), "base z of a square is not visibly real"),
    "complex combination of vectors": (lambda: verify(-square(X), {}, {}, [(1, X * sp.I)]), "base I of a square"),
    "complex block": (
        lambda: verify(
            square(X) + 2 * sp.I * inner(X, Y), {}, {}, psd=[Psd(sp.Matrix([[1, sp.I], [sp.I, 0]]), [X, Y])]
        ),
        "base I of a square",
    ),
    "square that divides": (lambda: verify(b**2 / a**2, {}, {}, [(1, b / a)]), r"a square divides by \$a\$"),
    "indefinite block": (
        lambda: verify(4 * a * b, {}, {}, psd=[Psd(sp.Matrix([[0, 2], [2, 0]]), [a, b])]), "pivot 0 is 0 but its row"
    ),
    "block with a negative pivot": (
        lambda: verify(4 * a * b, {}, {}, psd=[Psd(sp.Matrix([[1, 2], [2, 1]]), [a, b])]), r"pivot 1 is \$-3\$"
    ),
    "lopsided block": (
        lambda: verify(a**2 + b**2, {}, {}, psd=[Psd(sp.Matrix([[1, 1], [-1, 1]]), [a, b])]), "make it symmetric"
    ),
    "block of another size": (lambda: verify(a**2, {}, {}, psd=[Psd(sp.eye(2), [a])]), r"shape \(2, 2\) over 1 items"),
    "equality from an inequality": (
        lambda: verify(a - b, GIVEN, {"above": 1}, equality=True), "'above' is an inequality"
    ),
    "square in an equality": (lambda: verify(a**2, {}, {}, [(1, a)], equality=True), "a square proves no equality"),
    "rounded statement": (
        lambda: verify(p * sp.Float(0.3) - sp.Float(1e-17), {}, {}), "the statement has a rounded number"
    ),
    "rounded hypothesis": (
        lambda: verify(p, {"p": Hypothesis(sp.Float(0.5) * p, "")}, {}), "the statement has a rounded number"
    ),
    "rounded multiplier": (lambda: verify(b / 2, GIVEN, {"below": 0.5}), "multiplier of 'below' has a rounded"),
    "no number at all": (lambda: verify(sp.oo - b, GIVEN, {"below": 1}), "identity fails"),
    "moment of a product": (lambda: UNKNOWN.of(square(M1) * square(M2)), "not linear in the declared"),
    "mean that is not declared": (lambda: PAST.mean(M1), "nothing is declared about the mean of m"),
    "expectation of an unknown atom": (lambda: PAST.of(square(M1)), "neither past nor random"),
    "independence that is not declared": (
        lambda: verify(UNKNOWN.inner(M1, M2), {}, {}, equality=True), "identity fails.*langle m, n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE_PROOFS)
def test_a_false_proof_is_refused_at_its_false_step(name: str) -> None:
    """Each breaks one rule and no other, and the message names that step."""
    proof, message = FALSE_PROOFS[name]
    with pytest.raises(FedMMError, match=message):
        proof()


monomials = st.sampled_from([sp.S.One, a, b, a * b, a**2, b**2, a**2 * b])
fractions = st.fractions(-3, 3, max_denominator=4).map(lambda q: sp.Rational(q.numerator, q.denominator))
polynomials = st.lists(st.tuples(fractions, monomials), min_size=1, max_size=4).map(
    lambda terms: sp.Add(*(c * m for c, m in terms))
)
weights = st.sampled_from([sp.S.Zero, sp.S.One, sp.Rational(2, 3), p, 1 / p, p * (1 + a**2), b**2 + r])
forms = st.lists(st.tuples(weights, polynomials), max_size=3)


@settings(max_examples=25)
@given(forms, forms)
def test_what_is_built_from_a_certificate_is_accepted(uses, squares) -> None:
    """Any Σ m_i E_i + Σ c_j b_j² with m_i, c_j ≥ 0 is proved by these m_i, c_j, b_j, expanded or not.

    No E_i may be visibly negative: such a hypothesis is refused.
    """
    assume(not any(expr.is_negative for _, expr in uses))
    facts = {f"E{k}": Hypothesis(expr, "drawn") for k, (_, expr) in enumerate(uses)}
    target = sp.Add(*(m * e for m, e in uses), *(c * base**2 for c, base in squares))
    multipliers = {f"E{k}": m for k, (m, _) in enumerate(uses)}
    for shown in (target, sp.expand(target)):
        verify(shown, facts, multipliers, squares)


def forged(attack: str, rest: sp.Expr, gone: sp.Expr) -> tuple[dict, dict, list]:
    """A hypothesis (true where `gone` = 0), its multiplier, and squares that make up for `rest` against the rules."""
    one, tie = {"F": Hypothesis(sp.S.One, "1 >= 0")}, {"F": Hypothesis(gone, "true there", equality=True)}
    return {
        "ignore the difference": ({}, {}, []),
        "multiplier without a sign": (one, {"F": rest}, []),
        "weight without a sign": ({}, {}, [(rest, sp.S.One)]),
        "division by zero": (tie, {"F": rest / gone}, []),
        "division by zero, hidden": (tie, {"F": rest * (1 + 1 / gone**2) * gone / (1 + gone**2)}, []),
        "square of a root": ({}, {}, [(sp.S.One, sp.sqrt(rest))]),
        "difference of two squares": ({}, {}, [(sp.S.One, (rest + 1) / 2), (-sp.S.One, (rest - 1) / 2)]),
        "complex square": ({}, {}, [(sp.S.One, (rest + 1) / 2), (sp.S.One, sp.I * (rest - 1) / 2)]),
    }[attack]


ATTACKS = (
    "ignore the difference", "multiplier without a sign", "weight without a sign", "division by zero",
    "division by zero, hidden", "square of a root", "difference of two squares", "complex square",
)  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
@settings(max_examples=15)
@given(forms, forms, st.tuples(fractions, fractions), polynomials, st.sampled_from([sp.S.One, sp.Rational(1, 10**9)]))
def test_what_is_negative_somewhere_is_never_accepted(attack: str, uses, squares, point, slope, depth) -> None:
    """A target below zero at a point that satisfies all hypotheses has no certificate, however it is forged.

    The hypotheses are shifted so that the point satisfies them; the target is an honest sum, lowered until it is
    negative there. The forger uses the honest parts and makes up for the difference by breaking one rule.
    """
    at = {a: point[0], b: point[1], p: sp.S.One, r: sp.S.One}
    exprs = [expr - min(expr.subs(at), 0) for _, expr in uses]
    facts = {f"E{k}": Hypothesis(expr, "drawn") for k, expr in enumerate(exprs)}
    multipliers = {f"E{k}": m for k, (m, _) in enumerate(uses)}
    honest = sp.Add(*(m * e for (m, _), e in zip(uses, exprs, strict=True)), *(c * base**2 for c, base in squares))
    gone = a - point[0]  # vanishes at the point
    rest = slope * gone - honest.subs(at) - depth
    assert (honest + rest).subs(at) < 0
    more, factor, parts = forged(attack, rest, gone)
    with pytest.raises(CertificateFails):
        verify(honest + rest, {**facts, **more}, {**multipliers, **factor}, [*squares, *parts])


def test_squares_need_a_sign_and_a_real_base() -> None:
    """Neither −1 times a square nor the square of a number that may be complex is accepted."""
    z = sp.Symbol("z")
    with pytest.raises(CertificateFails, match=r"weight \$-1\$"):
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
    pairs = ldl_squares(Psd(matrix, items))
    total = sum((weight * base**2 for weight, base in pairs if isinstance(base, sp.Expr)), sp.S.Zero)
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
    with pytest.raises(CertificateFails, match=r"differ by \$\{x\} - \{y\}\$"):
        same_vector(X, Y, "no reason")


def test_a_positive_semidefinite_block_proves_its_quadratic_form() -> None:
    """2‖x‖² + 2⟨x, y⟩ + ‖y‖² ≥ 0 by the matrix [[2, 1], [1, 1]]."""
    block = Psd(sp.Matrix([[2, 1], [1, 1]]), [X, Y])
    verify(2 * square(X) + 2 * inner(X, Y) + square(Y), {}, {}, psd=[block])
    with pytest.raises(CertificateFails, match="identity fails"):
        verify(2 * square(X) + 3 * inner(X, Y) + square(Y), {}, {}, psd=[block])
