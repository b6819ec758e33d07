"""What the search for certificates knows beside algebra: forms, norms, Jensen, growth along a segment, blocks, chords.

Each is asked of something true, which the kernel then accepts, and of a neighbour that is false and has no certificate.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import pytest
import sympy as sp

from fedmm_edu.examples.loglinear import model as loglinear
from fedmm_edu.proofs.kernel import Fact, Refused, accept
from fedmm_edu.proofs.terms import minus
from fedmm_edu.symbolic import Model
from fedmm_edu.symbolic.decide.at_hand import prepared
from fedmm_edu.symbolic.decide.ceilings import ceilings
from fedmm_edu.symbolic.decide.forms import bend_of, by_dominance
from fedmm_edu.symbolic.decide.proof_search import Hint, Search
from fedmm_edu.symbolic.decide.roots import norm_bounds, norms_in, taken_apart
from fedmm_edu.symbolic.hypotheses.certificates import certificates
from fedmm_edu.symbolic.hypotheses.statements import CLAIMS
from tests.literature import ENTRIES

x, y, a, b = "x", "y", "a", "b"
MAJORIZES = {
    "SMACOF": "SMACOF: twice the direction",
    "Jaakkola-Jordan": "Jaakkola-Jordan: half of the curvature",
    "factor loading": "",
    "Huber, half-quadratic": "Huber, half-quadratic: weight cut at 2δ",
    "gradient step, least squares, d = 6": "",
    "multinomial logistic, four classes": "",
}


def square(of):
    return ("pow", of, 2)


def form(p, q, r):
    """p x² + 2 q x y + r y²."""
    return ("+", ("*", p, square(x)), ("*", F(2), q, x, y), ("*", r, square(y)))


@pytest.mark.parametrize("name", MAJORIZES)
def test_a_bound_of_the_literature_has_a_certificate_and_a_wrong_one_none(name):
    assert certificates(ENTRIES[name].model, "MM-1: majorizes")
    if wrong := MAJORIZES[name]:
        assert certificates(ENTRIES[wrong].model, "MM-1: majorizes") is None


@pytest.mark.parametrize(
    ("entries", "given"),
    [
        ((F(2), F(1), F(1)), ()),
        ((F(2), F(-1), F(1)), ()),
        ((a, F(-1), F(1)), (Fact(">=", minus(a, F(1))),)),
        ((minus(F(1), square(a)), ("*", F(-1), a, b), minus(F(1), square(b))),
         (Fact(">=", minus(F(1), square(a), square(b))),)),
    ],
)  # fmt: skip
def test_a_form_with_a_dominant_diagonal_is_proved(entries, given):
    goal = Fact(">=", form(*entries))
    accept(given, goal, by_dominance(given, goal, (x, y)))


@pytest.mark.parametrize("entries", [(F(1), F(2), F(1)), (F(-1), F(0), F(1)), (F(1), a, F(1))])
def test_a_form_that_takes_negative_values_is_not(entries):
    """Nothing is found, or the kernel refuses it."""
    goal = Fact(">=", form(*entries))
    found = by_dominance((), goal, (x, y))
    if found is not None:
        with pytest.raises(Refused):
            accept((), goal, found)


def test_what_is_no_form_is_left_alone():
    for rest in (F(1), x, ("pow", x, 3), ("pow", x, 4)):
        assert by_dominance((), Fact(">=", ("+", square(x), rest)), (x,)) is None
    assert by_dominance((), Fact(">=", ("*", square(x), ("exp", x))), (x,)) is None


def test_the_bend_speaks_of_one_point_and_one_direction():
    """exp along a segment: e^m d² in a point m and a direction d, whatever the ends."""
    found = bend_of(("exp", x), {x: "x_at"}, "t", (), ())
    assert found is not None
    ((d,), (m,)) = found.directions, found.place.keys() - found.directions
    accept((), Fact("=", minus(found.term, ("*", ("exp", m), square(d)))), ("by", F(1), F(0)))
    assert found.place[d] == minus(x, "x_at")
    assert bend_of(("abs", x), {x: "x_at"}, "t", (), ()) is None


def test_two_equations_that_contradict_each_other_prove_anything():
    absurd = (Fact("=", minus(x, F(1))), Fact("=", ("+", x, F(1))))
    goal = Fact(">", ("*", F(-1), square(y)))
    accept(absurd, goal, Search(Hint()).prove(goal, absurd))
    assert Search(Hint()).prove(goal, absurd[:1]) is None


@pytest.mark.parametrize(("number", "holds"), [(F(1, 2), True), (F(99, 100), True), (F(101, 100), False)])
def test_a_root_is_compared_with_a_number_by_their_squares(number, holds):
    """√(a + b) > c for a > 0, b ≥ 1 and c ≤ 1: that the root has a value must be shown first."""
    given = (Fact(">", "a"), Fact(">=", minus("b", F(1))))
    goal = Fact(">", minus(("root", 2, ("+", "a", "b")), number))
    found = Search(Hint()).prove(goal, given)
    assert (found is not None) == holds
    if holds:
        accept(given, goal, found)


def test_the_log_linear_bound_is_jensen_for_exponentials():
    model = loglinear.models()["one feature"]
    assert certificates(model, "MM-1: majorizes")
    heavier = replace(model, given=tuple(r for r in model.given if not r.has(sp.Symbol("p", real=True))))
    assert certificates(heavier, "MM-1: majorizes") is None  # the weights p/R and n/R may then exceed 1


def test_a_convex_set_may_be_above_a_quotient():
    theta, z, s, t = sp.symbols("theta z s t", real=True)
    plain = Model(theta=theta, z=z, s=(s, t), loss=theta**2, phi=(theta, theta), S_bar=(z, z), S=(s > 0, s * t >= 1))
    above = replace(plain, S=(s > 0, t >= 1 / s))
    assert certificates(above, "S convex")
    assert certificates(replace(plain, S=(s > 0, t <= 1 / s)), "S convex") is None


def test_a_surrogate_in_blocks_is_judged_block_by_block():
    """Where Θ ties the coordinates together they stay together."""
    theta = sp.symbols("theta1:3", real=True)
    s = sp.symbols("s1:3", real=True)
    z = sp.Symbol("z", real=True)
    apart = Model(theta=theta, z=z, s=s, loss=theta[0], psi=sum(x**2 for x in theta) / 2, phi=theta, S_bar=(z, z), T=s)
    assert sizes(apart) == [1, 1]
    assert certificates(apart, "MM-2: unique")
    assert certificates(replace(apart, T=(s[0], s[1] + 1)), "MM-2: T minimizes") is None
    tied = replace(apart, Theta=(theta[0] + theta[1] <= 1,))
    assert sizes(tied) == [2]


def sizes(model: Model) -> list[int]:
    """The coordinates of each block."""
    return [len(claim.function[1]) for claim in CLAIMS["MM-2: T minimizes"](model) if claim.function is not None]


NORM = ("root", 2, ("+", square(x), square(y)))
"""n = ‖(x, y)‖."""


def shrunk(by):
    """‖(1 − by/n)(x, y)‖, a root of a sum of squares."""
    rest = minus(F(1), ("*", by, ("pow", NORM, -1)))
    return ("root", 2, ("+", square(("*", rest, x)), square(("*", rest, y))))


def test_the_norm_of_a_shrunk_vector_is_taken_apart():
    """|n − a|, where the facts tell the sign of n − a; where they do not, nothing is said."""
    outside = (Fact(">", a), Fact(">", minus(("+", square(x), square(y)), square(a))))
    known, _ = prepared(outside, (shrunk(a),))
    ((fact, proof),) = taken_apart(shrunk(a), known)
    accept(known, fact, proof)
    unknown, _ = prepared((Fact(">", NORM),), (shrunk(a),))
    assert taken_apart(shrunk(a), unknown) == []


def test_a_norm_below_a_root_needs_the_sign_of_the_bound():
    """n ≤ a from n² ≤ a² for a > 0 alone."""
    norms = norms_in(NORM)
    inside = Fact(">=", minus(square(a), ("+", square(x), square(y))))
    ((bound, proof, p),) = norm_bounds(norms, (inside,))
    accept((inside, Fact(">", p)), bound, proof)
    with pytest.raises(Refused):
        accept((inside, Fact(">", ("*", F(-1), p))), bound, proof)
    assert norm_bounds(norms, (Fact(">=", ("*", F(-1), inside.term)),)) == []


def test_an_exponential_is_below_a_number_where_its_exponent_is():
    """e^{xy} ≤ (16/15)^16 = 2.808… on the square; a number that is too good is refused, and so is a wider square."""
    inside = tuple(Fact(">=", side) for v in (x, y) for side in (("+", F(1), v), minus(F(1), v)))
    term = ("exp", ("*", x, y))
    ((fact, proof, _),) = ceilings(term, inside)
    accept(inside, fact, proof)
    with pytest.raises(Refused):
        accept(inside, Fact(">=", minus(F(27, 10), term)), proof)
    wide = (*inside[:3], Fact(">=", minus(F(2), y)))
    with pytest.raises(Refused):
        accept(wide, fact, proof)
    assert ceilings(("exp", ("*", F(3), x, y)), inside) == []


@pytest.mark.parametrize(("name", "holds"), [("Poisson on a box", True), ("Poisson on a box: curvature 2", False)])
def test_a_curvature_bound_on_a_box_rests_on_such_a_number(name, holds):
    assert (certificates(ENTRIES[name].model, "MM-1: majorizes") is not None) == holds


def test_what_is_zero_at_zero_and_rises_is_nonnegative():
    """sinh(a) ≥ a for a ≥ 0, times a factor and over a denominator; not ≥ a + a³, and not for a < 0."""
    sinh = minus(("exp", a), ("exp", ("*", F(-1), a)))
    over = ("pow", ("+", F(1), ("exp", ("*", a, b))), -1)
    given = (Fact(">=", a), Fact(">", b))
    for less, holds in ((("*", F(2), a), True), (("+", ("*", F(2), a), ("pow", a, 3)), False)):
        goal = Fact(">=", ("*", b, over, minus(sinh, less)))
        assert (Search(Hint()).prove(goal, given, hinted=False) is not None) == holds
    assert Search(Hint()).prove(Fact(">=", minus(sinh, ("*", F(2), a))), given[1:], hinted=False) is None


def test_a_hyperbolic_tangent_has_the_sign_of_its_argument():
    """As in the statistics of Jaakkola and Jordan's bound; with the sign turned nothing is found."""
    model = ENTRIES["Jaakkola-Jordan"].model
    assert certificates(model, "MM-1: S_bar in S")
    turned = replace(model, S_bar=(model.S_bar[0], -model.S_bar[1]))
    assert certificates(turned, "MM-1: S_bar in S") is None
