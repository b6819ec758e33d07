"""Terms over the real numbers as plain data.

A term is a rational number, the name of a variable, or a tuple (operation, arguments …):

    ("+", a, b, …)  ("*", a, b, …)  ("pow", a, n)  ("root", k, a)  ("exp", a)  ("log", a)
    ("abs", a)  ("sign", a)  ("max", a, b)  ("min", a, b)  ("if", (op, a), b, c)
    ("pi",)  ("erf", a)  ("lgamma", a)  ("polygamma", m, a)  ("sin", a)  ("cos", a)

with integers n, k ≥ 2 and m ≥ 0; lgamma is the logarithm of the gamma function, polygamma its derivative m + 1, and
`("if", (op, a), b, c)` is b where `a op 0` holds and c elsewhere, op one of > >= = !=.
`normal` compares them. Nothing here searches, and nothing here knows SymPy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

Term = Any
"""Fraction | int | str | tuple: see above. Checked by `check_term`, since certificates come from outside."""

OPS = (">", ">=", "=", "!=")
ONE = Fraction(1)
_ARITY = {"pi": 0, "max": 2, "min": 2}
_ARITY |= dict.fromkeys(("exp", "log", "abs", "sign", "erf", "lgamma", "sin", "cos"), 1)
_ORDERED = {"root": 2, "polygamma": 0}
"""Operations with a whole number before their argument, and the least."""


class Malformed(ValueError):
    """Something is not a term, a relation or a proof; the message shows it."""


class Fact(NamedTuple):
    """`term op 0`."""

    op: str
    term: Term


def check_term(*terms: Term) -> None:
    """`Malformed` unless each is a term."""
    for term in terms:
        if isinstance(term, str | Fraction) or (isinstance(term, int) and not isinstance(term, bool)):
            continue
        if not isinstance(term, tuple) or not term:
            raise Malformed(f"{term!r} is no term.")
        head, *args = term
        if head in ("+", "*"):
            parts = args
        elif head == "pow" and len(args) == 2 and type(args[1]) is int:
            parts = args[:1]
        elif head in _ORDERED and len(args) == 2 and type(args[0]) is int and args[0] >= _ORDERED[head]:
            parts = args[1:]
        elif head in _ARITY and len(args) == _ARITY[head]:
            parts = args
        elif head == "if" and len(args) == 3 and isinstance(args[0], tuple) and len(args[0]) == 2 and args[0][0] in OPS:
            parts = [args[0][1], *args[1:]]
        else:
            raise Malformed(f"{term!r} is no term.")
        check_term(*parts)


def shared(data: Any, known: dict[Any, Any]) -> Any:
    """The data with one object for all nested tuples that are equal, so that what is found of one is found of all."""
    if not isinstance(data, tuple):
        return data
    parts = tuple([shared(part, known) for part in data])
    try:
        return known.setdefault(parts, parts)
    except TypeError:  # no term: whoever looks for one there says so
        return parts


def variables(term: Term) -> set[str]:
    """The names that occur."""
    if isinstance(term, str):
        return {term}
    return set().union(*(variables(part) for part in parts_of(term))) if isinstance(term, tuple) else set()


def apart_from(taken: Collection[str], name: str) -> str:
    """The name with as many underscores as keep it apart from those that are taken."""
    while name in taken:
        name += "_"
    return name


def mentions(term: Term, *heads: str) -> bool:
    """Whether one of these operations occurs."""
    return isinstance(term, tuple) and (term[0] in heads or any(mentions(part, *heads) for part in parts_of(term)))


def nodes_of(term: Term, *heads: str) -> Iterator[tuple]:
    """What stands in the term with one of these operations, outer ones first."""
    if isinstance(term, tuple):
        if term[0] in heads:
            yield term
        for part in parts_of(term):
            yield from nodes_of(part, *heads)


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """The term with terms in the places of variables, all at once."""
    if isinstance(term, str):
        return values.get(term, term)
    if not isinstance(term, tuple):
        return term
    head, *args = term
    if head == "pow":
        return (head, substitute(args[0], values), args[1])
    if head == "if":
        return (head, (args[0][0], substitute(args[0][1], values)), *(substitute(arg, values) for arg in args[1:]))
    return (head, *(substitute(arg, values) for arg in args))


def in_words(term: Term) -> str:
    """The term on one line, for a reader."""
    if not isinstance(term, tuple):
        return str(term)
    head, *args = term
    if head == "if":
        return f"if({in_words(args[0][1])} {args[0][0]} 0, {in_words(args[1])}, {in_words(args[2])})"
    if head in ("+", "*"):
        return f"({f' {head} '.join(map(in_words, args))})"
    if head == "pow":
        return f"{in_words(args[0])}^{args[1]}"
    return f"{head}({', '.join(map(in_words, args))})"


def parts_of(term: tuple) -> Iterator[Term]:
    head, *args = term
    if head == "pow":
        yield args[0]
    elif head in _ORDERED:
        yield args[1]
    elif head == "if":
        yield args[0][1]
        yield from args[1:]
    else:
        yield from args


def derivative(term: Term, x: str) -> Term:
    """∂term/∂x of a term without abs, sign, max, min and if (`Malformed` for these)."""
    if not isinstance(term, tuple):
        return Fraction(int(term == x))
    head, *args = term
    if head in ("+", "*"):
        parts = [(k, slope) for k, arg in enumerate(args) if (slope := derivative(arg, x)) != 0]
        if head == "*":
            parts = [(k, ("*", *args[:k], slope, *args[k + 1 :])) for k, slope in parts]
        return ("+", *(slope for _, slope in parts)) if parts else Fraction(0)
    if head == "pi":
        return Fraction(0)
    if head not in ("pow", "root", "exp", "log", "erf", "lgamma", "polygamma", "sin", "cos"):
        raise Malformed(f"{head} has no derivative here: split the cases first.")
    inner = derivative(args[0] if head == "pow" else args[-1], x)
    if inner == 0:
        return inner
    if head == "pow":
        return ("*", Fraction(args[1]), ("pow", args[0], args[1] - 1), inner) if args[1] else Fraction(0)
    if head == "root":
        return ("*", Fraction(1, args[0]), term, ("pow", args[1], -1), inner)
    if head == "erf":
        bell = ("exp", ("*", Fraction(-1), ("pow", args[0], 2)))
        return ("*", Fraction(2), ("pow", ("root", 2, ("pi",)), -1), bell, inner)
    if head == "sin":
        return ("*", ("cos", args[0]), inner)
    if head == "cos":
        return ("*", Fraction(-1), ("sin", args[0]), inner)
    if head in ("lgamma", "polygamma"):
        return ("*", ("polygamma", args[0] + 1 if head == "polygamma" else 0, args[-1]), inner)
    return ("*", term if head == "exp" else ("pow", args[0], -1), inner)


def minus(a: Term, *others: Term) -> Term:
    """a − b − c …"""
    return ("+", a, *(("*", Fraction(-1), b) for b in others))


def above_tangent(f: Term, place: Mapping[str, Term]) -> Term:
    """f(x) − f(a) − ∇f(a)·(x − a) where `place` gives a to the variables x."""
    slopes = (("*", substitute(derivative(f, x), place), minus(x, a)) for x, a in place.items())
    return minus(f, substitute(f, place), *slopes)
