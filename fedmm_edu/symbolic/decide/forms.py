"""Quadratic forms with polynomial entries that are ≥ 0 by a dominant diagonal: Σ c_ij (w_i ± w_j)² + Σ r_k w_k².

A second derivative along a segment is a form in the direction of the segment, with entries that depend on the point
alone: point and direction are given names here, so that neither the ends nor the parameter of the segment is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations, count
from typing import Any, NamedTuple

from fedmm_edu.proofs.kernel import NONNEGATIVE
from fedmm_edu.proofs.normal import Poly, add, multiply, over
from fedmm_edu.proofs.terms import ONE, Fact, Malformed, Term, derivative, minus, parts_of, substitute, variables
from fedmm_edu.symbolic.decide.combination import Combination

Form = list[list[Poly]]
"""A symmetric matrix."""


class Bend(NamedTuple):
    """f″ at any point of a segment in its direction, in new variables: what is given of these, and their places."""

    given: tuple[Fact, ...]
    term: Term
    place: dict[str, Term]
    directions: tuple[str, ...]

    def proof(self, op: str, proof: Any) -> Any:
        """That the second derivative in the segment's parameter `op` 0, from a proof for all values here."""
        proofs = tuple(("by", ONE, substitute(fact.term, self.place)) for fact in self.given)
        rest = ("by", ONE, substitute(self.term, self.place))
        conditions = tuple(map(tuple, self.given))
        return ("instance", conditions, (op, self.term), proof, tuple(self.place.items()), proofs, rest)


def bend_of(f: Term, at: Mapping[str, str], t: str, known: Sequence[Fact], held: Sequence[Fact]) -> Bend | None:
    """For a segment from `at` to f's variables: `known` holds on it, and `held`, which speaks of these variables."""
    ends = {*at, *at.values(), t}
    others = tuple(fact for fact in known if not variables(fact.term) & ends)
    taken = variables(f).union(ends, *(variables(fact.term) for fact in known))
    names = (name for k in count() if (name := f"v{k}") not in taken)
    points, directions = ({x: next(names) for x in at} for _ in range(2))
    moving = {x: ("+", m, ("*", t, directions[x])) for x, m in points.items()}
    try:
        bend = derivative(derivative(substitute(f, moving), t), t)
    except Malformed:
        return None
    there = tuple(Fact(fact.op, substitute(fact.term, points)) for fact in held)
    apart = tuple(Fact("!=", directions[x]) for x, a in at.items() if Fact("!=", minus(x, a)) in known)
    place: dict[str, Term] = {directions[x]: minus(x, a) for x, a in at.items()}
    place |= {points[x]: ("+", a, ("*", t, minus(x, a))) for x, a in at.items()}
    given, bend = (*others, *there, *apart), _settled(substitute(bend, {t: Fraction(0)}))
    for x in sorted(variables(bend).difference(*(variables(fact.term) for fact in given))):
        for head in ("+", "*"):
            found = _parts_with(bend, head, x)
            part = next(iter(found)) if found is not None and len(found) == 1 else ()
            if part and (head == "+" or not variables(part) & {*directions.values()}):  # x can make it anything
                name = next(names)
                place[name] = substitute(part, place)
                bend = _replaced(bend, part, name)
                break
    return Bend(given, bend, place, tuple(directions.values()))


def _parts_with(term: Term, head: str, x: str) -> set[Term] | None:
    """The sums (products) in which the variable x is a summand (factor); None where it stands elsewhere, too."""
    if not isinstance(term, tuple) or x not in variables(term):
        return None if term == x else set()
    if term[0] == head and x in term[1:]:
        return {term} if sum(x in variables(part) for part in term[1:]) == 1 else None
    found = [_parts_with(part, head, x) for part in parts_of(term)]
    return None if None in found else set().union(*(sums for sums in found if sums))


def _replaced(term: Term, old: Term, name: str) -> Term:
    if term == old or not isinstance(term, tuple):
        return name if term == old else term
    return tuple(_replaced(part, old, name) if k else part for k, part in enumerate(term))


def _settled(term: Term) -> Term:
    """The term without summands 0, products with 0, and powers u⁰."""
    if not isinstance(term, tuple):
        return term
    head, *args = term
    if head == "pow":
        return (head, _settled(args[0]), args[1]) if args[1] else ONE
    parts = [_settled(part) for part in args]
    if head == "*" and 0 in parts:
        return Fraction(0)
    if head == "+":
        parts = [part for part in parts if part != 0]
        return parts[0] if len(parts) == 1 else ("+", *parts) if parts else Fraction(0)
    return (head, *parts)


def by_dominance(facts: Sequence[Fact], goal: Fact, unknowns: Sequence[str]) -> Any:
    """A proof `("by", …)` of a form in the variables `unknowns` ≥ 0, or None; the kernel decides."""
    try:
        search = Combination(facts, goal, {})
        factor, top = search.at.cleared()
        form = _form(search, top, unknowns)
        for entries, frame in () if form is None else _frames(form, unknowns):
            found = _dominated(search, entries, frame)
            if found is not None:
                return ("by", factor, found)
    except Malformed:
        pass
    return None


def _form(search: Combination, poly: Poly, unknowns: Sequence[str]) -> Form | None:
    """Its entries; None where the polynomial is no form in the unknowns."""
    place = {next(iter(search.at.normal.atom(x).top))[0][0]: k for k, x in enumerate(unknowns)}
    entries: Form = [[{} for _ in unknowns] for _ in unknowns]
    for monomial, c in poly.items():
        own = [place[atom] for atom, n in monomial if atom in place for _ in range(n)]
        if len(own) != 2:
            return None
        rest = {tuple(p for p in monomial if p[0] not in place): over(c, 2)}
        for i, j in (own, own[::-1]):
            entries[i][j] = add(entries[i][j], rest)
    inside = {x for line in entries for p in line for x in variables(search.at.write(p))}
    return None if inside & set(unknowns) else entries


def _frames(form: Form, unknowns: Sequence[str]) -> Iterator[tuple[Form, list[Term]]]:
    """The form in its own variables; in these and 0, less their mean, with a multiple of their sum, 0, squared."""
    yield form, list(unknowns)
    lines = [reduce(add, line) for line in form]
    wide = [[reduce(add, lines), *map(_negative, lines)]]
    wide += [[_negative(line), *own] for line, own in zip(lines, form, strict=True)]
    lift: Poly = {}
    for i, j in combinations(range(len(wide)), 2):
        for m, c in wide[i][j].items():
            lift[m] = max(lift.get(m, 0), -c)
    lift = {m: c for m, c in lift.items() if c}
    mean = ("*", Fraction(1, len(wide)), ("+", *unknowns))
    yield [[add(p, lift) for p in line] for line in wide], [minus(x, mean) for x in (Fraction(0), *unknowns)]


def _dominated(search: Combination, form: Form, frame: Sequence[Term]) -> Term | None:
    """Every entry off the diagonal in the square of a sum or difference; what is left on the diagonal has to be ≥ 0."""
    left = [line[k] for k, line in enumerate(form)]
    parts: list[Term] = []
    for i, j in combinations(range(len(form)), 2):
        entry = form[i][j]
        signs = search.at.signs(entry)
        if not entry:
            continue
        if signs <= NONNEGATIVE or signs <= {-1, 0}:
            size = entry if signs <= NONNEGATIVE else _negative(entry)
            ends = ("+", frame[i], frame[j]) if signs <= NONNEGATIVE else minus(frame[i], frame[j])
            parts.append(("*", search.at.write(size), ("pow", ends, 2)))
            taken = size, size
        else:  # −c a b, where the diagonal has c a² and c b²
            crossed = _crossed(search, entry, left[i], left[j])
            if crossed is None:
                return None
            c, own, other = crossed
            ends = minus(("*", search.at.write(own), frame[j]), ("*", search.at.write(other), frame[i]))
            parts.append(("*", search.at.write(c), ("pow", ends, 2)))
            taken = (multiply(c, multiply(p, p)) for p in (other, own))
        for k, p in zip((i, j), taken, strict=True):
            left[k] = add(left[k], _negative(p))
    for rest, w in zip(left, frame, strict=True):
        found = search.signed(rest, ">=") if rest else Fraction(0)
        if found is None:
            return None
        parts.append(("*", found, ("pow", w, 2)))
    return ("+", *parts)


def _crossed(search: Combination, entry: Poly, first: Poly, second: Poly) -> tuple[Poly, Poly, Poly] | None:
    """c ≥ 0, a and b where the entry is −c a b; c a² stands in the first polynomial and c b² in the second."""
    if len(entry) != 1:
        return None
    ((monomial, size),) = entry.items()
    free = [atom for atom, n in monomial if n == 1 and not search.at.signs({((atom, 1),): 1}) <= NONNEGATIVE]
    c: Poly = {tuple(p for p in monomial if p[0] not in free): -size}
    if len(free) != 2 or not search.at.signs(c) <= NONNEGATIVE:
        return None
    singles: list[Poly] = [{((atom, 1),): 1} for atom in free]
    one, two = singles
    for a, b in ((one, two), (two, one)):
        squares = (next(iter(multiply(c, multiply(p, p)))) for p in (a, b))
        if all(square in left for square, left in zip(squares, (first, second), strict=True)):
            return c, a, b
    return None


def _negative(p: Poly) -> Poly:
    return {m: -c for m, c in p.items()}
