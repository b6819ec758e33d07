"""The kernel of proofs: what it accepts is true, what is false or unfounded it refuses, and by name."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from random import Random
from typing import Any

import mpmath
import pytest

from fedmm_edu.proofs import kernel
from fedmm_edu.proofs.kernel import SPECIAL, Branch, Context, Fact, Refused, accept
from fedmm_edu.proofs.terms import Malformed, Term, check_term, derivative, substitute

ONE = F(1)


def minus(a: Term, *others: Term) -> Term:
    return ("+", a, *(("*", F(-1), b) for b in others))


def over(a: Term, b: Term) -> Term:
    return ("*", a, ("pow", b, -1))


SQUARE = ("by", ONE, ("pow", minus("x", "y"), 2))
X2 = ("pow", "x", 2)
ROOT, ROOT_X = ("root", 2, "s"), ("root", 2, "x")
TOY = ("+", ("*", "s", "x"), ("pow", "x", -1))
SOFTPLUS = ("log", ("+", ONE, ("exp", "x")))
ABOVE = (
    "tangent", ("exp", "x"), ("x",), (F(0),), False, ("by", ONE, ("*", ("exp", ("*", "t", "x")), X2)),
    ("by", ONE, minus(("exp", "x"), ONE, "x")),
)  # fmt: skip

PROOFS = {
    "a square": ((), (">=", ("+", X2, ("pow", "y", 2), ("*", F(-2), "x", "y"))), SQUARE),
    "|x| ≥ x": (
        (), (">=", minus(("abs", "x"), "x")),
        ("cases", "x", ("by", ONE, F(0)), ("by", ONE, F(0)), ("by", ONE, ("*", F(-2), "x"))),
    ),
    "max is at least each": (
        (), (">=", minus(("max", "x", "y"), "y")),
        ("cases", minus("x", "y"), ("by", ONE, minus("x", "y")), ("by", ONE, minus("x", "y")), ("by", ONE, F(0))),
    ),
    "roots of several degrees": (
        ((">", "s"),), ("=", minus(("pow", ("root", 6, "s"), 6), ("pow", ROOT, 2))), ("by", ONE, F(0)),
    ),
    "a root of a product": (
        ((">", "s"), (">=", "y")),
        ("=", minus(("root", 2, ("*", "s", ("pow", ("+", "y", ONE), 2))), ("*", ROOT, ("+", "y", ONE)))),
        ("by", ("+", ("root", 2, ("*", "s", ("pow", ("+", "y", ONE), 2))), ("*", ROOT, ("+", "y", ONE))), F(0)),
    ),
    "the toy's minimiser": (
        ((">", "s"), (">", "x")), (">=", minus(TOY, ("*", F(2), ROOT))),
        ("by", "x", ("pow", minus(("*", ROOT, "x"), ONE), 2)),
    ),
    "exp above its tangent": (
        (), (">=", minus(("exp", "x"), ONE, "x")),
        ABOVE,
    ),
    "exp increases": (
        ((">", minus("x", "y")),), (">", minus(("exp", "x"), ("exp", "y"))),
        ("increasing", ("exp", "x"), ("x",), ("y",), True,
         ("by", ONE, ("*", ("exp", ("+", "y", ("*", "t", minus("x", "y")))), minus("x", "y"))),
         ("by", ONE, minus(("exp", "x"), ("exp", "y")))),
    ),
    "softplus is positive": (
        (), (">", SOFTPLUS), ("by", ONE, SOFTPLUS),
    ),
    "Jensen's divergence": (
        ((">", "x"), (">", "y")), (">=", ("+", "x", ("*", F(-1), "y"), ("*", "y", minus(("log", "y"), ("log", "x"))))),
        ("exponential", F(0), "x", "y", ("by", ONE, minus("x", ("*", "y", ("+", ONE, ("log", "x"), minus(F(0),
         ("log", "y"))))))),
    ),
    "strictly above its tangent": (
        ((">", "x"), ("!=", minus("x", ONE))), (">", minus("x", ONE, ("log", "x"))),
        ("exponential", F(0), "x", ONE, ("by", ONE, minus("x", ("+", ONE, ("log", "x"))))),
    ),
    "a logarithm of a product of roots and exponentials": (
        ((">", "x"), (">", "y")),
        ("=", minus(("log", ("*", F(6), ROOT_X, ("exp", "z"), ("pow", "y", -2))),
                    ("*", F(1, 2), ("log", "x")), "z", ("*", F(-2), ("log", "y")), ("log", F(2)), ("log", F(3)))),
        ("by", ONE, F(0)),
    ),
    "a logarithm of a cube root, and of a large number": (
        ((">", "x"),),
        ("=", minus(("log", ("root", 3, ("*", F(53), "x"))), ("*", F(1, 3), ("log", "x")),
                    ("*", F(1, 3), ("log", F(53))))),
        ("by", ONE, F(0)),
    ),
    "an exponential of a logarithm": (
        ((">", "x"),), ("=", minus(("exp", ("*", F(-3, 2), ("log", "x"))), ("pow", ROOT_X, -3))), ("by", ONE, F(0)),
    ),
    "a denominator whose sign is told later": (
        (("!=", minus("x", over("y", "s"))), (">=", minus("s", ONE))), ("!=", minus(("*", "s", "x"), "y")),
        ("have", (">", "s"), ("by", ONE, ("+", minus("s", ONE), ONE)), ("by", ONE, minus(("*", "s", "x"), "y"))),
    ),
    "a branch is undefined where it is not taken": (
        (), (">=", ("if", (">=", "x"), ("root", 2, "x"), F(3))),
        ("by", ONE, ("if", (">=", "x"), ("root", 2, "x"), F(3))),
    ),
    "what holds for all values holds at one": (
        (), (">=", minus(("exp", ("*", "s", "y")), ONE, ("*", "s", "y"))),
        ("instance", (), (">=", minus(("exp", "x"), ONE, "x")), ABOVE, (("x", ("*", "s", "y")),), (),
         ("by", ONE, minus(("exp", ("*", "s", "y")), ONE, ("*", "s", "y")))),
    ),
    "a condition of an instance": (
        ((">", "s"),), (">", ("pow", ("+", "s", ONE), -1)),
        ("instance", ((">", "x"),), (">", ("pow", "x", -1)), ("by", ONE, ("pow", "x", -1)), (("x", ("+", "s", ONE)),),
         (("by", ONE, ("+", "s", ONE)),), ("by", ONE, ("pow", ("+", "s", ONE), -1))),
    ),
    "what was proved is at hand": (
        ((">=", minus("x", ONE)),), (">", ("pow", "x", -1)),
        ("have", (">", "x"), ("by", ONE, ("+", minus("x", ONE), ONE)), ("by", ONE, ("pow", "x", -1))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROOFS)
def test_a_right_proof_is_accepted(name):
    given, goal, proof = PROOFS[name]
    accept([Fact(*fact) for fact in given], Fact(*goal), proof)


WRONG = {
    "a wrong identity": ((), (">=", ("+", X2, ("*", F(-2), "x", "y"))), SQUARE, "identity fails"),
    "a sign that is not visible": ((), (">=", "x"), ("by", ONE, "x"), "not visibly >="),
    "a factor of unknown sign": ((), (">=", F(-1)), ("by", "x", ("*", F(-1), "x")), "not visibly > 0"),
    "a factor that may vanish": (((">=", "x"),), ("=", ONE), ("by", "x", "x"), "not visibly > 0"),
    "roots of other degrees": (
        ((">", "s"),), ("=", minus(("root", 3, "s"), ROOT)), ("by", ONE, F(0)), "identity fails"),
    "a root of what may be negative": ((), (">=", ROOT), ("by", ONE, ROOT), "the root of 's'"),
    "a division by what may vanish": ((), (">=", over(X2, "x")), ("by", ONE, over(X2, "x")), "divided by"),
    "a logarithm of what may vanish": (
        ((">=", "x"),), ("=", minus(("log", "x"), ("log", "x"))), ("by", ONE, F(0)), "logarithm of 'x'"),
    "a base that is nonnegative in one branch": (
        (), (">=", ("+", ("if", (">=", "x"), ("root", 2, "x"), F(0)), "x")),
        ("by", ONE, ("+", ("if", (">=", "x"), ("root", 2, "x"), F(0)), "x")), "not visibly"),
    "a case left out": (
        (), (">=", "x"), ("cases", "x", ("by", ONE, "x"), ("by", ONE, "x"), ("by", ONE, F(0))), "identity fails"),
    "a tangent at a kink": (
        (), (">=", ("abs", "x")),
        ("tangent", ("abs", "x"), ("x",), (F(0),), False, ("by", ONE, F(0)), ("by", ONE, ("abs", "x"))), "derivative"),
    "a concave function": (
        (), (">=", ("*", F(-1), X2)),
        ("tangent", ("*", F(-1), X2), ("x",), (F(0),), False, ("by", ONE, F(0)), ("by", ONE, ("*", F(-1), X2))),
        "identity fails"),
    "a slope at the end of a root": (
        ((">=", "x"),), (">=", ("root", 2, "x")),
        ("increasing", ("root", 2, "x"), ("x",), (F(0),), False,
         ("have", (">=", ("*", "t", "x")), ("by", ONE, ("*", "t", "x")), ("by", ONE, F(0))), ("by", ONE, F(0))),
        "smooth only where"),
    "a segment that leaves the domain": (
        (("!=", "x"), ("!=", "y")), (">=", ("pow", "x", -2)),
        ("tangent", ("pow", "x", -1), ("x",), ("y",), False, ("by", ONE, F(0)), ("by", ONE, ("pow", "x", -2))),
        "divided by"),
    "an end point without a value": (  # what is added to a fact with 0 · (w − 1/y²) would be multiplied by y²
        ((">", "z"),), (">", ("*", ("pow", "z", 2), ("pow", "y", 2))),
        ("tangent", ("pow", "z", 2), ("z", "w"), (F(0), ("pow", ("pow", "y", 2), -1)), True,
         ("by", ONE, ("*", F(2), "z", "z")), ("by", ONE, ("*", ("pow", "z", 2), ("pow", "y", 2)))),
        "divided by"),
    "cases of a term without a value": (
        (), (">=", X2),
        ("cases", ("*", ("pow", "y", 2), ("pow", ("pow", "y", 2), -1)), *[("by", ONE, X2)] * 3), "divided by"),
    "a lemma without its condition": (
        (), (">=", X2), ("exponential", F(0), "x", ONE, ("by", ONE, X2)), "needs 'x' > 0"),
    "strict where there may be equality": (
        ((">", "x"),), (">", minus("x", ONE, ("log", "x"))),
        ("exponential", F(0), "x", ONE, ("by", ONE, minus("x", ("+", ONE, ("log", "x"))))), "not visibly > 0"),
    "an instance without a value": (
        ((">", "x"),), (">=", X2), ("exponential", over("y", "z"), "x", ONE, ("by", ONE, X2)), "divided by"),
    "the logarithm of a product of negative factors": (
        ((">", ("*", "x", "y")),), ("=", minus(("log", ("*", "x", "y")), ("log", ("*", F(-1), "x")),
         ("log", ("*", F(-1), "y")))), ("by", ONE, F(0)), "needs it > 0"),
    "logarithms split before their factors are known": (
        (("!=", "x"),), ("=", minus(("log", X2), ("*", F(2), ("log", ("abs", "x"))), F(1))), ("by", ONE, F(0)),
        "identity fails"),
    "the root of a square without its sign": (
        (), ("=", minus(("root", 2, X2), "x")), ("by", ONE, F(0)), "identity fails"),
    "the root of a quotient whose denominator has no sign": (
        (("!=", "y"),), ("=", minus(("root", 2, over(X2, ("pow", "y", 2))), over(("root", 2, X2), "y"))),
        ("by", ONE, F(0)), "identity fails"),
    "a large prime number left out": (
        ((">", "x"),), ("=", minus(("log", ("*", F(53), "x")), ("log", "x"))), ("by", ONE, F(0)), "identity fails"),
    "a denominator of unknown sign": (
        ((">", over("x", "y")),), (">", "x"), ("by", ONE, "x"), "not visibly >"),
    "an instance where its condition fails": (
        (), (">", "y"),
        ("instance", ((">", "x"),), (">", "x"), ("by", ONE, "x"), (("x", "y"),), (("by", ONE, "y"),), ("by", ONE, "y")),
        "not visibly >"),
    "an instance of what holds here only": (
        ((">", "x"),), (">", "y"),
        ("instance", (), (">", "x"), ("by", ONE, "x"), (("x", "y"),), (), ("by", ONE, "y")), "not visibly >"),
    "an instance at a point without a value": (
        (), (">=", X2),
        ("instance", (), ("=", F(0)), ("by", ONE, F(0)), (("x", over("y", "z")),), (), ("by", ONE, X2)), "divided by"),
    "an instance with a condition that is not proved": (
        (), (">", "y"),
        ("instance", ((">", "x"),), (">", "x"), ("by", ONE, "x"), (("x", "y"),), (), ("by", ONE, "y")),
        "as many proofs"),
    "an instance whose condition has no value": (
        (), (">=", X2),
        ("instance", (("=", over("x", "x")),), ("=", F(0)), ("by", ONE, F(0)), (("x", "y"),), (("by", ONE, F(0)),),
         ("by", ONE, X2)), "identity fails|divided by"),
    "an unknown rule": ((), (">=", X2), ("lemma", "x", "y", ("by", ONE, X2)), "begin it with one of"),
    "a fact that is not proved": (
        (), (">=", "x"), ("have", (">=", "x"), ("by", ONE, X2), ("by", ONE, "x")), "identity fails"),
    "no proof": ((), (">=", X2), ("trust me",), "begin it with one of"),
    "a number with rounding": ((), (">=", X2), ("by", 1.0, X2), "is no term"),
    "a proof of the wrong length": ((), (">=", X2), ("by", ONE), "takes 2 parts"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_proof_is_refused_by_name(name):
    given, goal, proof, why = WRONG[name]
    with pytest.raises(Refused, match=why):
        accept([Fact(*fact) for fact in given], Fact(*goal), proof)


# ----------------------------------------------------------------------------------------- against independent numbers


def value(term: Term, at: dict[str, F]) -> Any:
    """The term's value with 40 digits; ValueError where it has none."""
    if isinstance(term, str):
        return mpmath.mpf(at[term].numerator) / at[term].denominator
    if not isinstance(term, tuple):
        return mpmath.mpf(F(term).numerator) / F(term).denominator
    head, *args = term
    if head == "if":
        found = value(args[0][1], at)
        holds = {">": found > 0, ">=": found >= 0, "=": found == 0, "!=": found != 0}[args[0][0]]
        return value(args[1] if holds else args[2], at)
    if head == "pow":
        base = value(args[0], at)
        if args[1] < 0 and base == 0:
            raise ValueError(term)
        return base ** args[1]
    if head == "root":
        base = value(args[1], at)
        if base < 0:
            raise ValueError(term)
        return mpmath.root(base, args[0])
    if head == "pi":
        return +mpmath.pi
    values = [value(arg, at) for arg in args]
    if head in ("log", "lgamma", "polygamma") and values[-1] <= 0:
        raise ValueError(term)
    if head == "polygamma":
        return mpmath.polygamma(args[0], values[1])
    simple = {"exp": mpmath.exp, "log": mpmath.log, "abs": abs, "sign": mpmath.sign, "max": max, "min": min}
    simple |= {"erf": mpmath.erf, "lgamma": mpmath.loggamma, "sin": mpmath.sin, "cos": mpmath.cos}
    if head in simple:
        return simple[head](*values)
    return mpmath.fsum(values) if head == "+" else mpmath.fprod(values)


def random_term(rng: Random, depth: int) -> Term:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(["x", "y", "x", F(rng.randint(-2, 3), rng.randint(1, 2))])
    kind = rng.choice(["+", "*", "+", "*", "pow", "root", "exp", "log", "abs", "sign", "max", "if", *SPECIAL])
    a, b = random_term(rng, depth - 1), random_term(rng, depth - 1)
    if kind == "pow":
        return ("pow", a, rng.choice([2, 3, -1, -2]))
    if kind == "root":
        return ("root", rng.choice([2, 3]), a)
    if kind == "if":
        return ("if", (rng.choice([">", ">=", "=", "!="]), random_term(rng, 1)), a, b)
    if kind in ("pi", "polygamma"):
        return ("pi",) if kind == "pi" else ("polygamma", rng.randint(0, 2), a)
    return (kind, a) if kind in ("exp", "log", "abs", "sign", "erf", "lgamma", "sin", "cos") else (kind, a, b)


def random_proof(rng: Random, goal: Term, depth: int) -> tuple:
    """A plausible proof: the goal as it stands, squares, zero, cases on its parts, an exponential, a tangent."""
    kind = rng.random()
    if depth and kind < 0.35:
        return ("cases", random_term(rng, 1), *(random_proof(rng, goal, depth - 1) for _ in range(3)))
    if depth and kind < 0.5:
        return ("exponential", *(random_term(rng, 1) for _ in range(3)), random_proof(rng, goal, depth - 1))
    if depth and kind < 0.6:
        return ("tangent", goal, ("x",), (F(rng.randint(-1, 1)),), False, ("by", ONE, ("pow", "x", 2)),
                random_proof(rng, goal, depth - 1))  # fmt: skip
    return rng.choice([("by", ONE, goal), ("by", ONE, F(0)), ("by", ("pow", goal, 2), ("pow", goal, 3)),
                       ("by", ("exp", "x"), ("*", ("exp", "x"), goal))])  # fmt: skip


def places(rng: Random, given: list[Fact]) -> Iterator[dict[str, F]]:
    """Those of 25 random points at which everything given holds; each is looked at with 40 digits."""
    for _ in range(25):
        at = {name: F(rng.randint(-12, 12), rng.choice([1, 2, 3, 7])) for name in ("x", "y")}
        with mpmath.workdps(40):
            try:
                inside = all(_holds(fact.op, value(fact.term, at)) for fact in given)
            except ValueError:
                continue
            if inside:
                yield at


@pytest.mark.parametrize("seed", range(4))
def test_what_is_accepted_holds_at_random_points(seed):
    """1,000 random statements with random proofs; those that are accepted are looked at with 40 digits."""
    rng, accepted = Random(seed), 0
    for _ in range(1000):
        given = [Fact(rng.choice([">", ">=", "!="]), random_term(rng, 1)) for _ in range(rng.randint(0, 2))]
        goal = Fact(rng.choice([">", ">=", ">=", "!=", "="]), random_term(rng, 3))
        try:
            accept(given, goal, random_proof(rng, goal.term, 2))
        except Refused:
            continue
        accepted += 1
        for at in places(rng, given):  # a value must exist here, and the relation hold
            assert _holds(goal.op, value(goal.term, at), slack=True), (given, goal, at)
    assert accepted > 30


@pytest.mark.parametrize("seed", range(3))
def test_laws_of_roots_and_logarithms_are_used_only_where_they_hold(seed):
    """f(uv) = f(u)f(v) and the like for random u, v and facts: what is accepted as equal is equal, with 40 digits."""
    rng, accepted, refused = Random(seed), 0, 0
    for _ in range(400):
        u, v, k = random_term(rng, 1), random_term(rng, 2), rng.choice([2, 3])
        law = rng.choice([
            minus(("log", ("*", u, v)), ("log", u), ("log", v)),
            minus(("log", over(u, v)), ("log", u), ("*", F(-1), ("log", v))),
            minus(("root", k, ("*", u, v)), ("*", ("root", k, u), ("root", k, v))),
            minus(("root", k, ("pow", u, k)), u),
            minus(("exp", ("*", F(1, k), ("log", u))), ("root", k, u)),
            minus(("log", ("root", k, ("*", u, u))), ("*", F(2, k), ("log", u))),
        ])  # fmt: skip
        given = [Fact(rng.choice([">", ">", ">=", "!="]), rng.choice(["x", "y", u, v])) for _ in range(3)]
        try:
            accept(given, Fact("=", law), ("by", ONE, F(0)))
        except Refused:
            refused += 1
            continue
        accepted += 1
        for at in places(rng, given):
            assert abs(value(law, at)) <= mpmath.mpf(10) ** -25 * (1 + abs(value(law[1], at))), (given, law)
    assert accepted > 20
    assert refused > 20


def _holds(op: str, found: Any, *, slack: bool = False) -> bool:
    tiny = mpmath.mpf(10) ** -30 if slack else 0
    return {">": found > -tiny, ">=": found >= -tiny, "=": abs(found) <= tiny, "!=": found != 0}[op]


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_agree_with_differences(seed):
    rng = Random(seed)
    for _ in range(60):
        term = random_term(rng, 3)
        try:
            slope = derivative(term, "x")
        except Malformed:
            continue
        at = {"x": F(rng.randint(1, 30), 7), "y": F(rng.randint(1, 30), 11)}
        step = F(1, 10**15)
        with mpmath.workdps(60):
            try:
                ends = [value(term, {**at, "x": at["x"] + d}) for d in (step, -step)]
                found = value(slope, at)
            except (ValueError, OverflowError):
                continue
            difference = (ends[0] - ends[1]) / (2 * mpmath.mpf(step.numerator) / step.denominator)
            assert abs(difference - found) <= mpmath.mpf(10) ** -15 * (1 + abs(found)) ** 3


def test_substitution_is_simultaneous_and_terms_are_checked():
    assert substitute(("+", "x", ("*", "y", "x")), {"x": "y", "y": "x"}) == ("+", "y", ("*", "x", "y"))
    for bad in (1.5, True, None, (), ("tan", "x"), ("pow", "x", F(1, 2)), ("root", 1, "x"), ("if", (">", "x"), "x")):
        with pytest.raises(Malformed):
            check_term(bad)


ENDLESS = {
    "a number": ("pow", F(2), 10**9),
    "a number by powers of powers": ("pow", ("pow", ("pow", F(3), 1000), 1000), 1000),
    "a number as an exponential": ("exp", ("*", F(10**9), ("log", F(2)))),
    "a power of a sum": ("pow", ("+", "x", ONE), 10**6),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_would_take_for_ever_is_refused(name):
    with pytest.raises(Refused, match="no proof: "):
        accept((), Fact(">=", ("pow", ENDLESS[name], 2)), ("by", ONE, ("pow", ENDLESS[name], 2)))


def test_all_branches_of_a_proof_share_its_work(monkeypatch):
    monkeypatch.setattr("fedmm_edu.proofs.normal.WORK", 1000)
    proof: Any = ("by", ONE, X2)
    for k in range(4):
        proof = ("cases", ("+", "x", F(k)), proof, proof, proof)
    accept((), Fact(">=", X2), ("by", ONE, X2))
    with pytest.raises(Refused, match="it needs more than 1000"):
        accept((), Fact(">=", X2), proof)


def test_facts_that_were_read_before_say_and_cost_the_same() -> None:
    """A branch goes on from its facts as they were read, not from what another branch has found; exponents count."""
    facts = (Fact(">", "x"), Fact(">=", minus(("exp", "x"), F(2))), Fact(">=", minus(("log", "x"), "y")))
    half = ("exp", ("*", F(1, 2), "x"))

    def begun() -> Branch:
        return Branch(Context(facts, ("x",)), ())

    kernel._read.cache_clear()
    first = begun()
    known, cost, atoms = first.known(), first.context.work.done, list(first.normal.atoms)
    assert first.signs(minus(("log", ("*", F(3), "x")), F(9))) == kernel.ANY  # finds atoms, and costs
    assert first.context.work.done > cost > 0
    again = begun()
    assert kernel._read.cache_info().hits == 1
    assert (again.known(), again.context.work.done, again.normal.atoms) == (known, cost, atoms)
    finer = Branch(Context(facts, ("x",)), (half,))
    assert kernel._read.cache_info().hits == 1
    assert finer.normal.is_zero(minus(("pow", half, 2), ("exp", "x")))
