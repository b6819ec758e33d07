"""Special functions in the kernel: laws hold, what they need is asked for, and what they give is used."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import mpmath
import pytest

from fedmm_edu.proofs.kernel import Fact, Refused, accept
from fedmm_edu.proofs.special import HIGHEST_ORDER, LAWS, law_of
from fedmm_edu.proofs.terms import Malformed, Term, minus
from fedmm_edu.symbolic.decide.proof_search import Hint, Search
from tests.proofs.test_kernel import value

ONE, PI = F(1), ("pi",)
ROOT_PI, E = ("root", 2, PI), ("+", ONE, ("erf", "x"))
BELL = ("exp", ("*", F(-1), ("pow", "x", 2)))
OVER_Y = ("*", "x", ("pow", "y", -1))
PLACES = [F(n, d) for n, d in ((1, 1000), (1, 50), (1, 3), (1, 1), (3, 2), (4, 1), (10, 1))]


def psi(n: int, x: Term) -> Term:
    return ("polygamma", n, x)


# ------------------------------------------------------------------------------------------------ the laws are true


@pytest.mark.parametrize("name", LAWS)
def test_a_law_holds_with_many_digits_and_hardly_more_would(name: str) -> None:
    """Each fact at points of both signs and of all sizes, where the conditions hold; 1/5 less fails somewhere."""
    orders = [n for n in range(8) if name != "polygamma bounds" or n] if LAWS[name][0] == 2 else [None]
    least: dict[int, Any] = {}
    with mpmath.workdps(100):
        for x in [*PLACES, *(-x for x in PLACES)]:
            for order in orders:
                args = () if LAWS[name][0] == 0 else ("x",) if order is None else (order, "x")
                conditions, facts = law_of(name, args)
                if not all(_holds(op, value(term, {"x": x})) for op, term in conditions):
                    continue
                for k, (op, term) in enumerate(facts):
                    found, size = value(term, {"x": x}), 1 + abs(value(term[1], {"x": x}))
                    equal = op == "=" and abs(found) <= mpmath.mpf(10) ** -60 * size
                    assert equal or _holds(op, found), (x, order)
                    least[k] = min(least.get(k, found), found)
    assert least
    assert all(found < 0.2 for found in least.values())


def _holds(op: str, found: Any) -> bool:
    return {">": found > 0, ">=": found >= 0, "=": found == 0}[op]


@pytest.mark.parametrize(
    ("name", "args"),
    [("sine", ("x",)), (["erf"], ("x",)), ("erf", ()), ("erf", ["x"]), ("pi", ("x",)), ("polygamma step", ("x", "x")),
     ("polygamma step", (True, "x")), ("polygamma bounds", (0, "x")), ("polygamma bounds", (-1, "x")),
     ("polygamma bounds", (HIGHEST_ORDER + 1, "x"))],
)  # fmt: skip
def test_what_is_no_law_is_refused(name: Any, args: Any) -> None:
    with pytest.raises(Malformed, match=r"is no law|order"):
        law_of(name, args)
    with pytest.raises(Refused, match=r"is no law|order"):
        accept((), Fact(">", ONE), ("law", name, args, ("by", ONE, ONE)))


# ------------------------------------------------------------------------------------------ what the kernel accepts


def by_law(name: str, args: tuple, term: Term) -> tuple:
    return ("law", name, args, ("by", ONE, term))


def rising(f: Term, room: Term, slope: Any, near: Any, last: Term, x: Any = "x") -> tuple:
    return ("limit", f, x, room, slope, near, ("by", ONE, last))


NEAR_EXP = ("by", ONE, ("*", ("+", minus(F(-1), "y"), ONE), ("exp", "y")))
"""0 − y e^y ≥ 0 for y ≤ −1."""
POLE = ("*", F(-1), ("pow", "x", -1))
HOLE = ("pow", ("pow", "x", -1), 0)
SINE, COSINE = ("sin", "x"), ("cos", "x")
CIRCLE = minus(("+", ("pow", SINE, 2), ("pow", COSINE, 2)), ONE)
ON_THE_WAY = ("+", "y", ("*", "t", minus("x", "y")))


def grows(f: Any, g: Any, slope: Any, scale: F) -> tuple:
    """scale·x − f(x), f′ = g: it rises from y to x, where scale − g is proved ≥ 0 on the way."""
    whole = {x: minus(("*", scale, x), f(x)) for x in ("x", "y")}
    rise = ("*", minus(scale, g(ON_THE_WAY)), minus("x", "y"))
    return (
        ((">", minus("x", "y")),), (">=", minus(whole["x"], whole["y"])),
        ("increasing", whole["x"], ("x",), ("y",), False, ("law", "circle", (ON_THE_WAY,), ("by", ONE, rise)),
         ("by", ONE, minus(whole["x"], whole["y"]))), *slope)  # fmt: skip


HUMP = ("*", ("exp", "x"), minus("x", F(2)))
TAIL = minus(BELL, ONE, ("erf", "x"))
RIGHT = {
    "erf is below 1": ((), (">", minus(ONE, ("erf", "x"))), by_law("erf", ("x",), minus(ONE, ("erf", "x")))),
    "erf has the sign of its argument": (((">=", "x"),), (">=", ("erf", "x")), ("by", ONE, ("erf", "x"))),
    "erf of a quotient": (
        ((">=", "x"), (">", "y")), (">=", ("+", ("erf", OVER_Y), F(0))), ("by", ONE, ("erf", OVER_Y))),
    "the tail": (((">", ("*", F(-1), "x")),), (">=", TAIL), by_law("erf tail", ("x",), TAIL)),
    "erf rises": (
        ((">", minus("x", "y")),), (">", minus(("erf", "x"), ("erf", "y"))),
        ("increasing", ("erf", "x"), ("x",), ("y",), True,
         ("by", ONE, ("*", F(2), ("pow", ROOT_PI, -1), minus("x", "y"),
          ("exp", ("*", F(-1), ("pow", ("+", "y", ("*", "t", minus("x", "y"))), 2))))),
         ("by", ONE, minus(("erf", "x"), ("erf", "y")))),
    ),
    "the derivative of log-gamma rises": (
        ((">", "x"),), (">", minus(psi(0, ("+", "x", ONE)), psi(0, "x"))),
        ("law", "polygamma step", (0, "x"), ("by", ONE, ("+", minus(psi(0, ("+", "x", ONE)), psi(0, "x"),
         ("pow", "x", -1)), ("pow", "x", -1)))),
    ),
    "odd orders are positive": (((">", "x"),), (">", psi(1, "x")), ("by", ONE, psi(1, "x"))),
    "even orders are negative": (
        ((">", "x"),), (">", ("*", F(-1), psi(2, "x"))), ("by", ONE, ("*", F(-1), psi(2, "x")))),
    "squares of sine and cosine": ((), ("=", CIRCLE), by_law("circle", ("x",), CIRCLE)),
    "cosine is at least −1": ((), (">=", ("+", ONE, COSINE)), by_law("circle", ("x",), ("+", ONE, COSINE))),
    "x − sin x rises": grows(lambda x: ("sin", x), lambda x: ("cos", x), (), ONE),
    "x − cos x rises": grows(lambda x: ("cos", x), lambda x: ("*", F(-1), ("sin", x)), (), ONE),
    "an exponential rises from 0": (
        (), (">=", ("exp", "x")), rising(("exp", "x"), F(0), ("by", ONE, ("exp", "y")), NEAR_EXP, ("exp", "x"))),
    "the square of a root in an exponent": (
        ((">=", "s"),), ("=", minus(("exp", ("*", F(-1, 2), ("pow", ("*", ("root", 2, F(2)), ("root", 2, "s")), 2))),
         ("exp", ("*", F(-1), "s")))), ("by", ONE, F(0))),
}  # fmt: skip
WRONG = {
    "π is 22/7": ((), ("=", minus(PI, F(22, 7))), ("by", ONE, F(0)), "identity fails"),
    "the sign of erf from its numerator": (
        ((">", "x"), ("!=", "y")), (">", ("+", ("erf", OVER_Y), F(0))), ("by", ONE, ("erf", OVER_Y)), "not visibly >"),
    "the tail where it ends": (
        ((">", "x"),), (">=", TAIL), by_law("erf tail", ("x",), TAIL), "needs .* >= 0"),
    "a law about a term without a value": (
        (), (">", ONE), by_law("erf", (OVER_Y,), ONE), "divided by"),
    "a law about no term": ((), (">", ONE), by_law("erf", (1.5,), ONE), "is no term"),
    "a step from a number of unknown sign": (
        (), (">", ONE), by_law("polygamma step", (0, "x"), ONE), "needs 'x' > 0"),
    "bounds at 0": (((">=", "x"),), (">", ONE), by_law("polygamma bounds", (1, "x"), ONE), "needs 'x' > 0"),
    "log-gamma is not positive": (((">", "x"),), (">=", ("lgamma", "x")), ("by", ONE, ("lgamma", "x")), "not visibly"),
    "nor is digamma": (((">", "x"),), (">=", psi(0, "x")), ("by", ONE, psi(0, "x")), "not visibly >="),
    "nor is it negative": (
        ((">", "x"),), (">=", ("*", F(-1), psi(0, "x"))), ("by", ONE, ("*", F(-1), psi(0, "x"))), "not visibly >="),
    "even orders are not positive": (((">", "x"),), (">", psi(2, "x")), ("by", ONE, psi(2, "x")), "not visibly >"),
    "sine has not the sign of its argument": (((">", "x"),), (">=", SINE), ("by", ONE, SINE), "not visibly >="),
    "nor is cosine positive": ((), (">=", COSINE), ("by", ONE, COSINE), "not visibly >="),
    "nor are they one": ((), ("=", minus(SINE, COSINE)), by_law("circle", ("x",), F(0)), "identity fails"),
    "x/2 − sin x falls somewhere": grows(
        lambda x: ("sin", x), lambda x: ("cos", x), ("not visibly >=",), F(1, 2)),
    "the slope of cosine is not sine": grows(
        lambda x: ("cos", x), lambda x: ("sin", x), ("identity fails",), ONE),
    "orders are told apart": (((">", "x"),), ("=", minus(psi(1, "x"), psi(3, "x"))), ("by", ONE, F(0)), "identity"),
    "log-gamma outside its domain": ((), ("=", minus(("lgamma", "x"), ("lgamma", "x"))), ("by", ONE, F(0)), "mma of"),
    "digamma outside its domain": (((">=", "x"),), ("=", minus(psi(0, "x"), psi(0, "x"))), ("by", ONE, F(0)), "mma of"),
    "the square of a root of a quotient in an exponent": (
        (("!=", "y"),), ("=", minus(("exp", ("pow", ("root", 2, ("pow", OVER_Y, 2)), 2)), ("exp", ("pow", "x", 2)))),
        ("by", ONE, F(0)), "identity fails"),
    "what falls": (
        (), (">=", ("*", F(-1), ("exp", "x"))),
        rising(("*", F(-1), ("exp", "x")), F(0), ("by", ONE, ("*", F(-1), ("exp", "y"))), NEAR_EXP,
               ("*", F(-1), ("exp", "x"))), "not visibly >="),
    "what tends to −1": (
        (), (">=", minus(("exp", "x"), ONE)),
        rising(minus(("exp", "x"), ONE), ONE, ("by", ONE, ("exp", "y")),
               ("by", ONE, ("+", ONE, ("*", F(-1), "y", ("exp", "y")), "y")), minus(("exp", "x"), ONE)), "not visibly"),
    "room that grows": (
        (), (">=", minus(("exp", "x"), ONE)),
        rising(minus(("exp", "x"), ONE), ("*", F(-1), "y"), ("by", ONE, ("exp", "y")), NEAR_EXP,
               minus(("exp", "x"), ONE)), "identity fails"),
    "room without a value": (
        (), (">=", ("exp", "x")),
        rising(("exp", "x"), ("pow", "z", -1), ("by", ONE, ("exp", "y")), NEAR_EXP, ("exp", "x")), "divided by"),
    "a pole on the way": (
        (("!=", "x"),), (">=", POLE),
        rising(POLE, ONE, ("by", ONE, ("pow", "y", -2)), ("by", ONE, F(2)), POLE), "divided by"),
    "a fact at the end holds on the way": (  # (x − 2) eˣ falls until 1
        ((">=", minus("x", ONE)),), (">=", HUMP),
        rising(HUMP, F(8), ("by", ONE, ("*", ("exp", "y"), minus("y", ONE))), ("by", ONE, ONE), HUMP), "not visibly"),
    "more than 0 in the limit": (
        (), (">", ("pow", "z", 2)),
        rising(("pow", "z", 2), F(0), ("by", ONE, F(0)),
               ("by", ONE, ("*", ("+", minus(F(-1), "y"), ONE), ("pow", "z", 2))), ("pow", "z", 2)), "not visibly >"),
    "a hole on the way": (
        (("!=", "x"),), (">=", HOLE), rising(HOLE, F(0), ("by", ONE, F(0)),
         ("have", (">", ("*", F(-1), "y")), ("by", ONE, ("+", minus(F(-1), "y"), ONE)),
          ("by", ONE, ("*", F(-1), "y", ("pow", ("pow", "y", -1), 0)))), HOLE), "divided by"),
    "a limit in a term": (
        (), (">=", ("exp", "x")),
        rising(("exp", "x"), F(0), ("by", ONE, ("exp", "y")), NEAR_EXP, ("exp", "x"), ("+", "x", ONE)), "no variable"),
    "a limit of a kink": (
        (), (">=", ("max", "x", F(0))),
        rising(("max", "x", F(0)), ONE, ("by", ONE, F(0)), ("by", ONE, ONE), ("max", "x", F(0))), "derivative"),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_proof_is_accepted(name: str) -> None:
    given, goal, proof = RIGHT[name]
    accept([Fact(*fact) for fact in given], Fact(*goal), proof)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_proof_is_refused_by_name(name: str) -> None:
    given, goal, proof, why = WRONG[name]
    with pytest.raises(Refused, match=why):
        accept([Fact(*fact) for fact in given], Fact(*goal), proof)


# --------------------------------------------------------------------------------------------- what the search finds

GROWTH = ("exp", ("pow", "x", 2))


def variance(c: F) -> Term:
    """With φ and Φ at √2x, 4π e^{2x²}(Φ² − √2x φΦ − φ²) for c = 2."""
    return minus(("*", PI, ("pow", ("*", E, GROWTH), 2)), ("*", F(2), "x", ROOT_PI, E, GROWTH), c)


def count(least: F) -> tuple[tuple[Fact, ...], Term]:
    """x d/dx [x d/dx (log Γ(x + z) − log Γ(x))] / x, for counts z from `least`."""
    moved = ("+", "x", "z")
    rise = minus(psi(0, moved), psi(0, "x"))
    return (Fact(">", "x"), Fact(">=", minus("z", least))), ("+", rise, ("*", "x", minus(psi(1, moved), psi(1, "x"))))


@pytest.mark.parametrize(
    ("given", "right", "wrong"),
    [
        ((), ("+", ONE, ("*", "x", ROOT_PI, E, GROWTH)), ("+", ONE, ("*", F(2), "x", ROOT_PI, E, GROWTH))),
        ((), variance(F(2)), variance(F(3))),
        (count(ONE)[0], count(ONE)[1], None),
        (count(F(1, 2))[0], None, count(F(1, 2))[1]),
    ],
    ids=["Mills", "truncated variance", "counts from 1", "counts from 1/2"],
)
def test_a_lemma_is_found_and_a_wrong_one_is_not(given: tuple, right: Term, wrong: Term) -> None:
    if right is not None:
        goal = Fact(">=", right)
        accept(given, goal, Search(Hint()).prove(goal, given))
    if wrong is not None:
        assert Search(Hint()).prove(Fact(">=", wrong), given) is None
