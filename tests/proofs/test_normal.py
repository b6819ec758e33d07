"""Normal forms and signs against numbers of 40 digits: random terms under random facts, at random points.

Whatever is claimed of a term under facts is looked at where the facts hold and the term has a value.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F
from random import Random
from typing import Any

import mpmath
import pytest

from fedmm_edu.proofs.kernel import Branch, Context, Fact, Refused
from fedmm_edu.proofs.normal import Normal, Ratio
from fedmm_edu.proofs.terms import Malformed, Term, minus
from tests.proofs.test_kernel import value

NAMES = ("x", "y", "z")
TINY = mpmath.mpf(10) ** -22


def random_term(rng: Random, depth: int, pool: list[Term]) -> Term:
    """A term in which parts come back, so that something cancels: what is built joins the pool."""
    if depth == 0 or rng.random() < 0.12:
        return rng.choice([*NAMES, F(rng.randint(-3, 6), rng.choice([1, 1, 2, 3]))])
    if pool and rng.random() < 0.3:
        return rng.choice(pool)
    a, b = random_term(rng, depth - 1, pool), random_term(rng, depth - 1, pool)
    k = rng.choice([2, 3, 4, 6])
    found = rng.choice([
        lambda: ("+", a, b), lambda: minus(a, b), lambda: ("*", a, b), lambda: ("*", a, ("pow", b, -1)),
        lambda: ("pow", a, rng.choice([-3, -2, -1, 0, 2, 3])), lambda: ("root", k, a), lambda: ("root", k, a),
        lambda: ("exp", a), lambda: ("log", a), lambda: ("log", ("*", a, b)), lambda: ("root", k, ("*", a, b)),
        lambda: ("exp", ("*", F(rng.randint(-3, 3), k), ("log", a))), lambda: ("pow", ("root", k, a), k),
        lambda: ("exp", ("+", ("*", F(1, k), a), ("log", b))), lambda: ("abs", a), lambda: ("sign", a),
        lambda: ("max", a, b), lambda: ("min", a, b), lambda: ("if", (rng.choice([">", ">=", "=", "!="]), a), b, "x"),
    ])()  # fmt: skip
    pool.append(found)
    return found


def random_facts(rng: Random, pool: list[Term]) -> tuple[Fact, ...]:
    """Signs of variables and of parts of the terms, with quotients whose denominator a later fact may tell."""
    facts = [Fact(rng.choice([">", ">", ">=", "!="]), rng.choice(NAMES)) for _ in range(rng.randint(0, 3))]
    for _ in range(rng.randint(0, 3)):
        part, other = rng.choice([*NAMES, *pool]), rng.choice([*NAMES, *pool])
        term = rng.choice([part, ("*", F(-1), part), ("*", part, ("pow", other, -1)), minus(part, other)])
        facts.append(Fact(rng.choice([">", ">=", ">", "!=", "="]), term))
    rng.shuffle(facts)
    return tuple(facts)


def number_of(normal: Normal, found: Ratio, at: dict[str, F]) -> Any:
    """The normal form's value from the meanings of its atoms; ValueError where it has none."""
    out = polynomial(normal, found.top, at)
    for factor, n in found.bottom:
        below = polynomial(normal, dict(factor), at)
        if abs(below) < TINY:
            raise ValueError("a division by zero")
        out *= below**-n
    return out


def polynomial(normal: Normal, poly: Any, at: dict[str, F]) -> Any:
    return mpmath.fsum(
        mpmath.mpf(c.numerator) / c.denominator * mpmath.fprod(atom_of(normal, a, at) ** n for a, n in m)
        for m, c in poly.items()
    )


def atom_of(normal: Normal, atom: int, at: dict[str, F]) -> Any:
    meaning = normal.atoms[atom]
    if isinstance(meaning, str):
        return value(meaning, at)
    head, *rest = meaning
    if head in ("root", "log"):
        base = number_of(normal, Ratio(dict(rest[-2]), rest[-1]), at)
        if base < 0 or (base <= 0 and head == "log"):
            raise ValueError(head)
        return mpmath.root(base, rest[0]) if head == "root" else mpmath.log(base)
    if head == "exp":
        (monomial, bottom), n = rest
        return mpmath.exp(number_of(normal, Ratio({monomial: F(1, n)}, bottom), at))
    op, *parts = rest
    first, *others = [lambda p=part: number_of(normal, Ratio(dict(p[0]), p[1]), at) for part in parts]
    if head == "if":
        if abs(found := first()) < TINY:
            raise ValueError("too near to the switch for numbers")
        return others[0 if {">": found > 0, ">=": found > 0, "=": False, "!=": True}[op] else 1]()
    return {"abs": abs, "sign": mpmath.sign, "max": max, "min": min}[head](first(), *(other() for other in others))


def look(seed: int, count: int) -> Counter:
    """Everything that the kernel says of random terms, against numbers; how much was looked at."""
    rng, seen = Random(f"normal {seed}"), Counter()
    for _ in range(count):
        pool: list[Term] = []
        terms = [random_term(rng, rng.choice([2, 3]), pool) for _ in range(2)]
        facts = random_facts(rng, pool)
        try:
            book = Branch(Context(facts, tuple(terms)), ())
            forms = [book.normal.of(term) for term in terms]
            signs = [book.signs(term) for term in terms]
            equal = book.normal.is_zero(minus(*terms))
            defined = [_has_value(book, term) for term in terms]
        except Malformed:
            seen["not read"] += 1
            continue
        with mpmath.workdps(40):
            for _ in range(8):
                at = {name: F(rng.randint(-9, 9), rng.choice([1, 1, 2, 3])) for name in NAMES}
                numbers = _numbers(facts, terms, at)
                if numbers is None:
                    continue
                seen["points"] += 1
                for term, number, form, sign, has in zip(terms, numbers, forms, signs, defined, strict=True):
                    why = (facts, term, at)
                    if number is None:
                        assert not has, why
                        continue
                    seen["defined"] += has
                    if TINY < abs(number) < 10**12:
                        assert int(mpmath.sign(number)) in sign, why
                        seen["signs"] += len(sign) < 3
                    elif number == 0:
                        assert 0 in sign, why
                    try:
                        other = number_of(book.normal, form, at)
                    except (ValueError, OverflowError):
                        continue
                    assert abs(other - number) <= TINY * (1 + abs(number)) ** 2, (why, other, number)
                    seen["forms"] += 1
                if equal and None not in numbers:
                    assert abs(numbers[0] - numbers[1]) <= TINY * (1 + abs(numbers[0])) ** 2, (facts, terms, at)
                    seen["equal"] += 1
    return seen


def _has_value(book: Branch, term: Term) -> bool:
    try:
        book.require_defined(term)
    except Refused:
        return False
    return True


def _numbers(facts: tuple[Fact, ...], terms: list[Term], at: dict[str, F]) -> list | None:
    """The values of the terms, None for one without; None where a fact fails or is too near to tell."""
    for fact in facts:
        found = _value(fact.term, at)
        if found is None or found == "far":
            return None
        near = abs(found) < TINY and fact.op != "="
        if near and found != 0:
            return None
        if not {">": found > 0, ">=": found >= 0, "=": abs(found) < TINY, "!=": found != 0}[fact.op]:
            return None
    numbers = [_value(term, at) for term in terms]
    return None if "far" in numbers else numbers


def _value(term: Term, at: dict[str, F]) -> Any:
    """A number, None where there is none, and "far" where numbers of 40 digits cannot tell."""
    try:
        if _touches(term, at):
            return "far"
        return value(term, at)
    except ValueError:
        return None
    except OverflowError:
        return "far"


def _touches(term: Term, at: dict[str, F]) -> bool:
    """Whether a root, a logarithm, a quotient or a piece has an argument that only rounding tells from 0."""
    if not isinstance(term, tuple):
        return False
    head, *args = term
    if head == "if":
        args = [args[0][1], *args[1:]]
    elif head in ("pow", "root"):
        args = [args[0] if head == "pow" else args[1]]
    if any(_touches(arg, at) for arg in args):
        return True
    try:
        numbers = [value(arg, at) for arg in args]
    except ValueError:
        return False
    if any(abs(number) > 10**6 for number in numbers):
        return True
    if head in ("max", "min"):
        numbers = [numbers[0] - numbers[1]]
    return head not in ("+", "*", "exp") and any(0 < abs(number) < TINY for number in numbers[:1])


@pytest.mark.parametrize("seed", range(3))
def test_what_is_read_off_agrees_with_numbers(seed):
    seen = look(seed, 250)
    assert seen["forms"] > 200, seen
    assert seen["signs"] > 100, seen
