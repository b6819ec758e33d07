"""The rule for sums over L components: what it accepts holds for every L, and planted mistakes are refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from fedmm_edu.proofs.components import ProvenSum, SumClaim, accept_sum
from fedmm_edu.proofs.kernel import Refused
from fedmm_edu.proofs.stored import from_json, refused, to_json
from fedmm_edu.proofs.terms import ONE, Fact, Term, minus

X2, XY = ("pow", "x", 2), ("*", "x", "y")
VALUE = ("=", ("by", ONE, Fraction(0)))
"""A term of a sum has a value: p − p = 0."""
CAUCHY = SumClaim(
    own=("x", "y"),
    totals=(("A", X2), ("B", ("pow", "y", 2)), ("C", XY)),
    given=(),
    somewhere=(),
    goal=Fact(">=", minus(("*", "A", "A", "B"), ("*", "A", "C", "C"))),
)
"""A(AB − C²) ≥ 0, the inequality of Cauchy and Schwarz."""
SQUARE = ("pow", minus(("*", "A", "y"), ("*", "C", "x")), 2)
WEIGHTS = (("B", ("*", "A", "A")), ("C", ("*", Fraction(-2), "A", "C")), ("A", ("*", "C", "C")))
SIGNS = ((">=", ("by", ONE, X2)), (">=", ("by", ONE, ("pow", "y", 2))), VALUE)
PROOF = (SIGNS, "sum", WEIGHTS, "", ("by", ONE, Fraction(0)), ("by", ONE, SQUARE), ())


def test_the_inequality_of_cauchy_and_schwarz():
    """A A B − 2A C C + C C A = A(AB − C²), and one component gives (Ay − Cx)²."""
    accept_sum(CAUCHY, PROOF)


@pytest.mark.parametrize(
    "wrong",
    [
        {"goal": Fact(">", CAUCHY.goal.term)},
        {"goal": Fact("=", CAUCHY.goal.term)},
        {"goal": Fact(">=", minus(("*", "A", "A", "B"), ("*", Fraction(2), "A", "C", "C")))},
        {"totals": (("A", X2), ("B", ("pow", "y", 2)), ("C", ("+", XY, ONE)))},
        {"totals": (("A", ("*", X2, "C")), ("B", ("pow", "y", 2)), ("C", XY))},  # of a total that stands behind
        {"totals": (("A", ("*", X2, "A")), ("B", ("pow", "y", 2)), ("C", XY))},
        {"totals": (("A", X2), ("A", ("pow", "y", 2)), ("C", XY))},
        {"totals": (("x", X2), ("B", ("pow", "y", 2)), ("C", XY))},
        {"goal": Fact(">=", minus(CAUCHY.goal.term, "x"))},
        {"own": "xy"},
        {"totals": (("A", X2, "B"),)},
    ],
)  # fmt: skip
def test_the_same_proof_of_another_claim_is_refused(wrong):
    """A goal that is too strong, other totals, and names that mean two things."""
    with pytest.raises(Refused):
        accept_sum(replace(CAUCHY, **wrong), PROOF)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, SIGNS[:2]),
        (0, (SIGNS[0], SIGNS[1], (">=", ("by", ONE, XY)))),
        (0, (SIGNS[0], SIGNS[1], ("!=", ("by", ONE, XY)))),
        (1, "plain"),
        (1, "max"),
        (2, WEIGHTS[:2]),
        (2, (*WEIGHTS[:2], ("A", ("*", "x", "C")))),  # a multiplier that moves with the component
        (2, (*WEIGHTS[:2], ("D", "C"))),
        (2, (*WEIGHTS, ("A", ONE))),
        (3, "each"),
        (3, "one"),
        (4, ("by", ONE, Fraction(1))),
        (5, ("by", ONE, ("*", Fraction(-1), SQUARE))),
    ],
)
def test_a_planted_mistake_in_a_proof_is_refused(place, value):
    """Each part of the proof is needed as it is."""
    with pytest.raises(Refused):
        accept_sum(CAUCHY, (*PROOF[:place], value, *PROOF[place + 1 :]))


def _claim(op: str, body: Term, *, given=(), somewhere=()) -> SumClaim:
    return SumClaim(("x",), (("P", body),), given, somewhere, Fact(op, "P"))


def _proof(body: Term, strict: str, sign=VALUE, one=()):
    return ((sign,), "sum", (("P", ONE),), strict, ("by", ONE, Fraction(0)), ("by", ONE, body), one)


def test_strict_where_one_component_is():
    """Σ x² > 0 where some x ≠ 0, and not without; Σ (x² + 1) > 0 as there is a component."""
    apart = (Fact("!=", "x"),)
    accept_sum(_claim(">", X2, somewhere=apart), _proof(X2, "one", one=("by", ONE, X2)))
    with pytest.raises(Refused):
        accept_sum(_claim(">", X2), _proof(X2, "one", one=("by", ONE, X2)))
    with pytest.raises(Refused):
        accept_sum(_claim(">", X2, somewhere=apart), _proof(X2, "each", one=("by", ONE, X2)))
    with pytest.raises(Refused):
        accept_sum(_claim(">", X2, somewhere=apart), _proof(X2, "head", one=("by", ONE, X2)))
    with pytest.raises(Refused):  # where some x >= 0, which makes nothing strict
        accept_sum(_claim(">", X2, somewhere=(Fact(">=", "x"),)), _proof(X2, "one", one=("by", ONE, X2)))
    accept_sum(_claim(">", ("+", X2, ONE)), _proof(("+", X2, ONE), "each"))


def test_no_sum_proves_that_a_total_is_not_zero():
    """Σ x² ≠ 0 is false at x = 0, whatever is weak or strict."""
    for strict in ("", "each", "head", "one"):
        with pytest.raises(Refused):
            accept_sum(_claim("!=", X2), _proof(X2, strict, one=("by", ONE, X2)))


def test_a_total_is_as_strict_as_its_terms():
    """Σ (x² + 1) > 0; of Σ x² only ≥ 0 is known."""
    plus = ("+", X2, ONE)
    accept_sum(_claim(">", plus), (((">", ("by", ONE, plus)),), "plain", ("by", ONE, "P")))
    with pytest.raises(Refused):
        accept_sum(_claim(">", X2), (((">=", ("by", ONE, X2)),), "plain", ("by", ONE, "P")))


def test_a_total_of_itself_is_none():
    """P = Σ (P − P) names nothing, though each part of a proof about it would hold."""
    for body in (minus("P", "P"), minus("Q", "Q")):
        claim = SumClaim(("x",), (("P", body), ("Q", X2)), (), (), Fact("=", minus("P", "P")))
        with pytest.raises(Refused, match="do not stand before it"):
            accept_sum(claim, ((VALUE, VALUE), "plain", ("by", ONE, Fraction(0))))


@pytest.mark.parametrize(("times", "goal"), [("x", ("*", "x", "P")), (ONE, "x"), ("x", "P")])
def test_neither_goal_nor_multiplier_moves_with_the_component(times, goal):
    """x Σ x ≥ 0 is false at (1, −2), though with the multiplier x all that is left is x² ≥ 0."""
    claim = SumClaim(("x",), (("P", "x"),), (), (), Fact(">=", goal))
    proof = ((VALUE,), "sum", (("P", times),), "", ("by", ONE, Fraction(0)), ("by", ONE, X2), ())
    with pytest.raises(Refused, match="stands in the goal of a sum or a multiplier"):
        accept_sum(claim, proof)


def test_what_has_no_value_proves_nothing():
    """Σ log x needs x > 0: a total of terms without values is no number."""
    body = ("log", "x")
    shown = SumClaim(("x",), (("P", body),), (), (), Fact("=", minus("P", "P")))
    proof = ((VALUE,), "plain", ("by", ONE, Fraction(0)))
    with pytest.raises(Refused):
        accept_sum(shown, proof)
    accept_sum(replace(shown, given=(Fact(">", "x"),)), proof)


def test_a_term_is_below_the_total_only_where_all_are_nonnegative():
    """P ≥ x² for each component; P ≥ x for none in general."""
    claim = SumClaim(("x",), (("P", X2),), (), (), Fact(">=", minus("P", X2)))
    by = ("by", ONE, minus("P", X2))
    accept_sum(claim, (((">=", ("by", ONE, X2)),), "plain", by))
    with pytest.raises(Refused):
        accept_sum(claim, ((VALUE,), "plain", by))
    plain = SumClaim(("x",), (("P", "x"),), (), (), Fact(">=", minus("P", "x")))
    with pytest.raises(Refused):
        accept_sum(plain, (((">=", ("by", ONE, "x")),), "plain", ("by", ONE, minus("P", "x"))))


def test_a_condition_on_each_component_is_none_on_what_is_shared():
    """From x ≥ 0 at each component nothing follows for z; from z ≥ x ≥ 0 it does, as there is a component."""
    claim = SumClaim(("x",), (("P", "x"),), (Fact(">=", "x"),), (), Fact(">=", ("+", "P", "z")))
    proof = (((">=", ("by", ONE, "x")),), "sum", (("P", ONE),), "", ("by", ONE, "z"), ("by", ONE, "x"), ())
    with pytest.raises(Refused):
        accept_sum(claim, proof)
    accept_sum(replace(claim, given=(*claim.given, Fact(">=", "z"))), proof)
    below = replace(claim, given=(*claim.given, Fact(">=", minus("z", "x"))))
    accept_sum(below, (*proof[:4], ("by", ONE, ("+", "x", minus("z", "x"))), *proof[5:]))


def test_a_stored_certificate_is_read_back_and_judged():
    """What `to_json` writes of a sum is accepted, and refused once its goal is changed in the file."""
    text = to_json({"row": (ProvenSum(CAUCHY, PROOF),)})
    assert from_json(text) == {"row": (ProvenSum(CAUCHY, PROOF),)}
    assert refused(from_json(text)) == {}
    assert "sum of" in from_json(text)["row"][0].in_words
    planted = ProvenSum(replace(CAUCHY, goal=Fact(">", CAUCHY.goal.term)), PROOF)
    assert list(refused(from_json(to_json({"row": (planted,)})))) == ["row"]
