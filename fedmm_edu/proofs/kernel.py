"""The kernel: what counts as a proof of `term op 0` for all real values of the variables that satisfy given relations.

A proof is data (nested tuples), made by whoever likes; `accept` follows it and raises `Refused` at the first step that
does not hold. Each rule is sound by itself:

    by          d · goal = other identically, d > 0, and the sign of `other` can be read off how it is written
    cases       t > 0, t = 0 or t < 0: these cover everything, so no proof of coverage is needed
    have        a relation is proved and is then at hand
    exponential u eᵃ ≥ v(1 + a + log u − log v) for u, v > 0, strictly where u eᵃ ≠ v; at a = 0 log v − log u ≤ v/u − 1
    tangent     f(x) ≥ f(a) + ∇f(a)·(x − a), where the second derivative along the segment is shown to be ≥ 0
    instance    a relation is proved for all values of its variables that satisfy others, and used at some that do
    increasing  f(x) ≥ f(a), where the first derivative along the segment from a to x is shown to be ≥ 0
    limit       f(x) ≥ 0, where f rises on (−∞, x] and f(y) ≥ −c/|y| for y far enough below
    law         what is known of π, erf, sin, cos and the gamma function, where the law's conditions are visible

A statement is claimed only where its terms have values, and a fact is added about terms with values only: that a term
has one never rests on the fact that it is asked for. What is differentiated must be smooth on the segment. This file
imports no search and no simplifier.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from typing import Any

from fedmm_edu.errors import FedMMError
from fedmm_edu.proofs.normal import Normal, Poly, Ratio, Rational, Work, scaled
from fedmm_edu.proofs.special import law_of, sign_of_special
from fedmm_edu.proofs.terms import (
    OPS,
    Fact,
    Malformed,
    Term,
    above_tangent,
    apart_from,
    check_term,
    derivative,
    mentions,
    minus,
    shared,
    substitute,
    variables,
)

SignSet = frozenset[int]
ANY, POSITIVE, NONNEGATIVE, ZERO = frozenset({-1, 0, 1}), frozenset({1}), frozenset({0, 1}), frozenset({0})
SIGNS_OF: Mapping[str, SignSet] = {">": POSITIVE, ">=": NONNEGATIVE, "=": ZERO, "!=": frozenset({-1, 1})}
PIECES = ("abs", "sign", "max", "min", "if")
SPECIAL = ("pi", "erf", "lgamma", "polygamma", "sin", "cos")
SMOOTH = ("+", "*", "pow", "root", "exp", "log", *SPECIAL)
SIGN = 10
"""What to read off a sign costs, in products of monomials."""


class Refused(FedMMError):
    """A proof does not prove its statement; the message names the step."""


@dataclass(frozen=True)
class Context:
    """What holds in a branch, the terms that must have values in it, and those that must be smooth."""

    facts: tuple[Fact, ...] = ()
    terms: tuple[Term, ...] = ()
    smooth: tuple[Term, ...] = ()
    work: Work = field(default_factory=Work, compare=False)
    """What the whole proof has cost: all its branches share it."""

    def also(self, *facts: Fact) -> Context:
        return replace(self, facts=(*self.facts, *facts))

    def names(self) -> set[str]:
        return set().union(*(variables(t) for t in (*(f.term for f in self.facts), *self.terms, *self.smooth)))


def accept(given: Iterable[Fact], goal: Fact, proof: Any) -> None:
    """`Refused` unless `proof` proves `goal` for all real numbers that satisfy the relations `given`."""
    facts, known = (goal, *given), dict[Any, Any]()
    try:
        for relation in facts:
            if relation.op not in OPS:
                raise Malformed(f"{relation.op!r} is no relation.")
            check_term(relation.term)
        goal, *given = (fact._replace(term=shared(fact.term, known)) for fact in facts)
        _prove(Context(tuple(given), (goal.term,)), goal, shared(proof, known))
    except (Malformed, RecursionError) as error:
        raise Refused(f"no proof: {error}") from error


def _prove(context: Context, goal: Fact, proof: Any) -> None:
    if not isinstance(proof, tuple) or not proof or proof[0] not in _RULES:
        raise Refused(f"{proof!r} is no proof: begin it with one of {', '.join(_RULES)}.")
    rule, *parts = proof
    if len(parts) != _RULES[rule][1]:
        raise Refused(f"the rule {rule} takes {_RULES[rule][1]} parts, not {len(parts)}.")
    _RULES[rule][0](context, goal, *parts)


def _by(context: Context, goal: Fact, factor: Term, other: Term) -> None:
    check_term(factor, other)
    book = Branch(context, (goal.term, factor, other))
    for term in context.smooth:
        book.require_smooth(term)
    for term in (*context.terms, factor, other):
        book.require_defined(term)
    if book.signs(factor) != POSITIVE:
        raise Refused(f"the factor {factor!r} is not visibly > 0.")
    if not book.normal.is_zero(("+", ("*", factor, goal.term), ("*", Fraction(-1), other))):
        raise Refused(f"the identity fails: {factor!r} times {goal.term!r} is not {other!r}.")
    if not book.signs(other) <= SIGNS_OF[goal.op]:
        raise Refused(f"{other!r} is not visibly {goal.op} 0.")


def _cases(context: Context, goal: Fact, term: Term, above: Any, at: Any, below: Any) -> None:
    check_term(term)
    _require_values(context, term)
    _prove(context.also(Fact(">", term)), goal, above)
    _prove(context.also(Fact("=", term)), goal, at)
    _prove(context.also(Fact(">", ("*", Fraction(-1), term))), goal, below)


def _have(context: Context, goal: Fact, fact: Any, proof: Any, rest: Any) -> None:
    fact = _relation(fact)
    _prove(replace(context, terms=(fact.term,), smooth=()), fact, proof)
    _prove(context.also(fact), goal, rest)


def _instance(
    context: Context, goal: Fact, given: Any, fact: Any, proof: Any, place: Any, proofs: Any, rest: Any
) -> None:
    """∀x: given(x) ⇒ fact(x), on its own; then fact(a) where `place` gives a to x, with a proof of each given(a)."""
    if not all(isinstance(part, tuple) for part in (given, place, proofs)) or len(given) != len(proofs):
        raise Refused("an instance needs its conditions, as many proofs, and a place.")
    if not all(isinstance(at, tuple) and len(at) == 2 and isinstance(at[0], str) for at in place):
        raise Refused(f"{place!r} is no place: write pairs of a variable and a term.")
    conditions, fact = tuple(map(_relation, given)), _relation(fact)
    _prove(Context(conditions, (fact.term,), work=context.work), fact, proof)
    values = dict(place)
    check_term(*values.values())
    _require_values(context, *values.values())
    for (op, term), own in zip(conditions, proofs, strict=True):
        condition = Fact(op, substitute(term, values))
        _prove(replace(context, terms=(condition.term,), smooth=()), condition, own)
    _prove(context.also(Fact(fact.op, substitute(fact.term, values))), goal, rest)


def _require_values(context: Context, *terms: Term) -> None:
    """`Refused` unless every term has a value throughout the branch, by the facts that are at hand already."""
    book = Branch(context, terms)
    for term in terms:
        book.require_defined(term)


def _relation(fact: Any) -> Fact:
    if not (isinstance(fact, tuple) and len(fact) == 2 and fact[0] in OPS):
        raise Refused(f"{fact!r} is no relation: write (op, term).")
    check_term(fact[1])
    return Fact(*fact)


def _exponential(context: Context, goal: Fact, a: Term, u: Term, v: Term, rest: Any) -> None:
    check_term(a, u, v)
    _require_values(context, a, u, v)
    exponent = ("+", a, ("log", u), ("*", Fraction(-1), ("log", v)))
    apart = minus(("*", u, ("exp", a)), v)
    book = Branch(context, (u, v, exponent, apart))
    for term in (u, v):
        if book.signs(term) != POSITIVE:
            raise Refused(f"the exponential rule needs {term!r} > 0, which is not visible.")
    strict = any(0 not in book.signs(term) for term in (exponent, apart))
    _prove(context.also(exponential_fact(a, u, v, strict=strict)), goal, rest)


def exponential_fact(a: Term, u: Term, v: Term, *, strict: bool) -> Fact:
    """v(eˣ − 1 − x) ≥ 0 at x = a + log u − log v, where v eˣ = u eᵃ; > 0 for x ≠ 0."""
    below = ("*", v, ("+", Fraction(1), a, ("log", u), ("*", Fraction(-1), ("log", v))))
    return Fact(">" if strict else ">=", minus(("*", u, ("exp", a)), below))


def _segment(context: Context, f: Term, names: Any, at: Any) -> tuple[Term, str]:
    """f along the segment from `at` to the point of the variables `names`, and its parameter."""
    check_term(f)
    if not (isinstance(names, tuple) and isinstance(at, tuple) and len(names) == len(at) > 0):
        raise Refused("a segment needs as many end points as variables.")
    check_term(*at)
    _require_values(context, *at)  # f need not contain them, and a fact is about terms with values only
    if not all(isinstance(x, str) for x in names) or len(set(names)) < len(names):
        raise Refused(f"{names!r} are not distinct variables.")
    taken = context.names() | variables(f) | set(names) | set().union(*map(variables, at))
    parameter = apart_from(taken, "t")
    steps = [("+", x, ("*", Fraction(-1), a)) for x, a in zip(names, at, strict=True)]
    moving = {x: ("+", a, ("*", parameter, step)) for x, a, step in zip(names, at, steps, strict=True)}
    return substitute(f, moving), parameter


def _along(context: Context, parameter: str, along: Term, slope: Term, op: str, proof: Any) -> None:
    """`slope op 0` for all parameters in [0, 1], where f is smooth."""
    inside = context.also(Fact(">=", parameter), Fact(">=", ("+", Fraction(1), ("*", Fraction(-1), parameter))))
    _prove(replace(inside, terms=(slope,), smooth=(along,)), Fact(op, slope), proof)


def _tangent(context: Context, goal: Fact, f: Term, names: Any, at: Any, strict: Any, proof: Any, rest: Any) -> None:
    along, t = _segment(context, f, names, at)
    _along(context, t, along, derivative(derivative(along, t), t), ">" if strict else ">=", proof)
    above = above_tangent(f, dict(zip(names, at, strict=True)))
    _prove(context.also(Fact(">" if strict else ">=", above)), goal, rest)


def _increasing(context: Context, goal: Fact, f: Term, names: Any, at: Any, strict: Any, proof: Any, rest: Any) -> None:
    along, t = _segment(context, f, names, at)
    _along(context, t, along, derivative(along, t), ">" if strict else ">=", proof)
    above = minus(f, substitute(f, dict(zip(names, at, strict=True))))
    _prove(context.also(Fact(">" if strict else ">=", above)), goal, rest)


def _limit(context: Context, goal: Fact, f: Term, x: Any, c: Term, rising: Any, near: Any, rest: Any) -> None:
    """f(x) ≥ f(y) ≥ −c/|y| for every y ≤ x that is ≤ −1, and so f(x) ≥ 0."""
    check_term(f, c)
    if not isinstance(x, str):
        raise Refused(f"{x!r} is no variable.")
    y = apart_from(context.names() | variables(f) | variables(c) | {x}, "y")
    along, inside = substitute(f, {x: y}), context.also(Fact(">=", minus(x, y)))
    slope = derivative(along, y)
    _prove(replace(inside, terms=(slope,), smooth=(along,)), Fact(">=", slope), rising)
    far, above = inside.also(Fact(">=", minus(Fraction(-1), y))), minus(c, ("*", y, along))
    _prove(replace(far, terms=(above,), smooth=()), Fact(">=", above), near)
    _prove(context.also(Fact(">=", f)), goal, rest)


def _law(context: Context, goal: Fact, name: Any, args: Any, rest: Any) -> None:
    conditions, facts = law_of(name, args)
    terms = tuple(fact.term for fact in (*conditions, *facts))
    check_term(*terms)
    _require_values(context, *(fact.term for fact in conditions))
    book = Branch(context, terms)
    for op, term in conditions:
        if not book.signs(term) <= SIGNS_OF[op]:
            raise Refused(f"the law {name} needs {term!r} {op} 0, which is not visible.")
    _require_values(context, *terms)
    _prove(context.also(*facts), goal, rest)


_RULES: Mapping[str, tuple[Any, int]] = {
    "by": (_by, 2),
    "cases": (_cases, 4),
    "have": (_have, 3),
    "exponential": (_exponential, 4),
    "tangent": (_tangent, 6),
    "increasing": (_increasing, 6),
    "instance": (_instance, 6),
    "limit": (_limit, 6),
    "law": (_law, 3),
}


# ------------------------------------------------------------------------------------------------ what can be read off


class Branch:
    """The signs of terms under the facts of a branch, read off how the terms are written; definedness likewise."""

    def __init__(self, context: Context, terms: Sequence[Term]) -> None:
        self.context = context
        self.normal = Normal(self.resolve, lambda top: self.sign_of(top) == POSITIVE, context.work)
        others = (*context.terms, *context.smooth, *terms)
        read = _read(context.facts, tuple(term for term in others if mentions(term, "exp")))
        context.work.spend(read.context.work.done)
        self._known, self._signs, self._atoms = read._known, dict(read._signs), dict[int, SignSet]()
        self.normal.go_on_from(read.normal)

    def _of_bottom(self, bottom: tuple[tuple[tuple, int], ...]) -> SignSet:
        out = POSITIVE
        for factor, n in bottom:
            one = self.sign_of(dict(factor)) - {0}
            out = frozenset(a * (b if n % 2 else b * b) for a, b in product(out, one))
        return out

    def known(self) -> list[tuple[tuple, SignSet]]:
        """The polynomials, by `key`, of which the facts of the branch tell the sign."""
        return list(self._known.items())

    def signs(self, term: Term) -> SignSet:
        """A set that contains the sign of the term at every point of the branch at which it has a value."""
        if id(term) not in self._signs:  # the term is kept beside its signs, so that its id stays its own
            self._signs[id(term)] = term, self._read_off(term)
        return self._signs[id(term)][1]

    def _read_off(self, term: Term) -> SignSet:
        self.context.work.spend(SIGN)
        found = self._structure(term)
        if len(found) > 1:
            found &= self._of_ratio(self.normal.of(term))
        return found  # empty: no such point

    def _of_ratio(self, ratio: Ratio) -> SignSet:
        return frozenset(a * b for a, b in product(self.sign_of(ratio.top), self._of_bottom(ratio.bottom)))

    def _structure(self, term: Term) -> SignSet:
        if isinstance(term, str):
            return self.sign_of(self.normal.of(term).top)
        if not isinstance(term, tuple):
            return frozenset({(term > 0) - (term < 0)})
        head, *args = term
        if head == "+":
            return _sum(map(self.signs, args))
        if head == "*":
            return reduce(lambda a, b: frozenset(x * y for x, y in product(a, b)), map(self.signs, args), POSITIVE)
        if head == "pow":
            base = self.signs(args[0])
            if args[1] == 0:
                return POSITIVE
            base = base - {0} if args[1] < 0 else base
            return frozenset(s if args[1] % 2 else s * s for s in base)
        if head == "root":
            return self.signs(args[1]) & NONNEGATIVE
        if head == "exp":
            return POSITIVE
        if head == "log":
            return self.signs(("+", args[0], Fraction(-1)))
        if head in SPECIAL:
            return sign_of_special(head, args[0] if args else None, self.signs(args[-1]) if args else ANY)
        if head == "abs":
            return frozenset(s * s for s in self.signs(args[0]))
        if head == "sign":
            return self.signs(args[0])
        if head in ("max", "min"):
            choose = max if head == "max" else min
            return frozenset(choose(a, b) for a, b in product(self.signs(args[0]), self.signs(args[1])))
        resolved = self.resolve(term)
        return self.signs(args[1]) | self.signs(args[2]) if resolved is None else self.signs(resolved)

    def sign_of(self, top: Poly) -> SignSet:
        """A set that contains the sign of the polynomial wherever it has a value."""
        if not top:
            return ZERO
        scale, part = scaled(top)
        known = self._known.get(part)
        found = ANY if known is None else frozenset((1 if scale > 0 else -1) * sign for sign in known)
        if len(found) > 1:
            found &= _sum(self._of_monomial(m, c, len(top) > 1) for m, c in top.items())
        return found

    def _of_monomial(self, monomial: Any, coefficient: Rational, look: bool) -> SignSet:
        out = frozenset({1 if coefficient > 0 else -1})
        for atom, n in monomial:
            one = self._of_atom(atom, look or len(monomial) > 1 or n > 1)
            out = frozenset(a * (b if n % 2 else b * b) for a, b in product(out, one))
        return out

    def _of_atom(self, atom: int, look: bool) -> SignSet:
        if look:
            if atom not in self._atoms:
                self._atoms[atom] = self.sign_of({((atom, 1),): 1})
            return self._atoms[atom]
        meaning = self.normal.atoms[atom]
        if isinstance(meaning, str):
            return ANY
        if meaning[0] == "root" and not meaning[-1] and self.sign_of(dict(meaning[-2])) == POSITIVE:
            return POSITIVE
        if meaning[0] in SPECIAL:
            head, order, *parts = meaning
            inside = self._of_ratio(Ratio(dict(parts[0][0]), parts[0][1])) if parts else ANY
            return sign_of_special(head, order, inside)
        return {"exp": POSITIVE, "root": NONNEGATIVE, "abs": NONNEGATIVE}.get(meaning[0], ANY)

    def resolve(self, term: Term) -> Term | None:
        """What |a|, sign a, max, min or if is here, where the facts tell."""
        head, *args = term
        if head in ("abs", "sign"):
            found = self.signs(args[0])
            if found <= NONNEGATIVE and (head == "abs" or len(found) == 1):
                return args[0] if head == "abs" else Fraction(next(iter(found)))
            if found <= frozenset({-1, 0}) and (head == "abs" or len(found) == 1):
                return ("*", Fraction(-1), args[0]) if head == "abs" else Fraction(next(iter(found)))
        elif head in ("max", "min"):
            found = self.signs(minus(args[0], args[1]))
            if found <= NONNEGATIVE or found <= frozenset({-1, 0}):
                return args[0] if (found <= NONNEGATIVE) == (head == "max") else args[1]
        elif head == "if":
            (op, condition), yes, no = args
            found = self.signs(condition)
            if found and found <= SIGNS_OF[op]:
                return yes
            if found and not found & SIGNS_OF[op]:
                return no
        return None

    # ---------------------------------------------------------------------------------------------------- definedness

    def require_defined(self, term: Term) -> None:
        """`Refused` unless the term has a real value at every point of the branch."""
        if not isinstance(term, tuple):
            return
        head, *args = term
        if head == "if":
            resolved = self.resolve(term)
            self.require_defined(args[0][1])
            (op, condition), yes, no = args
            if resolved is not None:
                self.require_defined(resolved)
            else:
                self._inside(Fact(op, condition)).require_defined(yes)
                self._inside(_negation(Fact(op, condition))).require_defined(no)
            return
        for arg in args:
            self.require_defined(arg)
        if head == "pow" and args[1] < 0 and 0 in self.signs(args[0]):
            raise Refused(f"{args[0]!r} is divided by and not visibly nonzero.")
        if head == "root" and not self.signs(args[1]) <= NONNEGATIVE:
            raise Refused(f"the root of {args[1]!r} needs it >= 0, which is not visible.")
        if head in ("log", "lgamma", "polygamma") and self.signs(args[-1]) != POSITIVE:
            name = "logarithm" if head == "log" else head
            raise Refused(f"the {name} of {args[-1]!r} needs it > 0, which is not visible.")

    def _inside(self, fact: Fact) -> Branch:
        return Branch(self.context.also(fact), (fact.term,))

    def require_smooth(self, term: Term) -> None:
        """`Refused` unless the term is infinitely differentiable around every point of the branch."""
        self.require_defined(term)
        if not isinstance(term, tuple):
            return
        head, *args = term
        if head not in SMOOTH:
            raise Refused(f"{head} may have a kink: split the cases before anything is differentiated.")
        if head == "root" and self.signs(args[1]) != POSITIVE:
            raise Refused(f"the root of {args[1]!r} is smooth only where it is > 0, which is not visible.")
        for arg in args:
            if isinstance(arg, tuple):
                self.require_smooth(arg)


class _Reading(Branch):
    """A branch that reads its facts, and knows the exponents in these `powers`."""

    def __init__(self, facts: tuple[Fact, ...], powers: tuple[Term, ...]) -> None:
        self.context = Context(facts)
        self._known: dict[tuple, SignSet] = {}
        self._signs: dict[int, tuple[Term, SignSet]] = {}
        self._atoms: dict[int, SignSet] = {}
        self.normal = Normal(self.resolve, lambda top: self.sign_of(top) == POSITIVE, self.context.work)
        for term in (*(fact.term for fact in facts), *powers):
            self.normal.expect(term)
        waiting = [fact for fact in facts if not self._learn(fact)]
        for fact in waiting:  # what its pieces and denominators are may be told by a later fact
            self._learn(fact)

    def _learn(self, fact: Fact) -> bool:
        """Whether everything that the fact says was used: a sign of the numerator of its normal form."""
        found = self.normal.of(fact.term)
        below = self._of_bottom(found.bottom)
        clear = len(below) == 1 and not mentions(fact.term, *PIECES, "log")
        if not found.top or not below or (len(below) != 1 and fact.op in (">", ">=")):
            return clear  # a number, a term without a value, or a quotient by something of unknown sign
        scale, part = scaled(found.top)
        flip = (1 if scale > 0 else -1) * next(iter(below))
        before = self._known.get(part, ANY)
        now = before & frozenset(flip * sign for sign in SIGNS_OF[fact.op])
        if now != before:
            self._known[part] = now
            self._signs.clear()
            self._atoms.clear()
            self.normal.forget()
        return clear


_read = lru_cache(maxsize=256)(_Reading)
"""Most branches of a proof, and of a search for one, have the same facts: they are read once, at the same cost."""


def _negation(relation: Fact) -> Fact:
    """The relation that holds where this one fails."""
    op, term = relation
    if op in (">", ">="):
        return Fact(">=" if op == ">" else ">", ("*", Fraction(-1), term))
    return Fact("!=" if op == "=" else "=", term)


def _sum(parts: Iterable[SignSet]) -> SignSet:
    """The signs that a sum may have: none where a part has none, as there is no such point."""
    out = ZERO
    for part in parts:
        if out != ANY or not part:
            out = frozenset[int]().union(*({x or y} if x * y >= 0 else ANY for x, y in product(out, part)))
    return out
