"""Roots in a proof: a concave power below its tangent line, norms by Cauchy and Schwarz, √(f²g) = f √g."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from fedmm_edu.proofs.kernel import POSITIVE, Branch, Context
from fedmm_edu.proofs.normal import Poly, key
from fedmm_edu.proofs.terms import ONE, Fact, Malformed, Term, minus, parts_of, substitute
from fedmm_edu.symbolic.decide.combination import by_conjugate
from fedmm_edu.symbolic.decide.polynomials import factored, term_of

Norms = Sequence[tuple[Term, tuple[Term, ...]]]
"""Sums of squares, each with what is squared."""


def tangent_lines(term: Term, swaps: Sequence[Mapping[str, Term]]) -> list[tuple[Fact, Any, Term]]:
    """u^{p/q} ≤ v^{p/q} + (p/q) v^{p/q − 1}(u − v) for each such power, v elsewhere: fact, proof, and v > 0."""
    found = []
    for q, p, u in dict.fromkeys(_powers(term)):
        for swap in swaps:
            v = substitute(u, swap)
            if v != u and 0 < p < q:
                found.append((*_line(q, p, u, v), v))
    return found[:4]


def norms_in(term: Term) -> list[tuple[Term, tuple[Term, ...]]]:
    """The sums of squares of which roots are taken, each with what is squared."""
    sums = ((u, _squared(u)) for q, _, u in dict.fromkeys(_powers(term)) if q == 2)
    return [(u, parts) for u, parts in dict.fromkeys(sums) if parts]


def cauchy_schwarz(norms: Norms) -> list[tuple[Fact, Any, Term]]:
    """‖u‖‖v‖ − ⟨u, v⟩ ≥ 0 for each two norms of one length: fact, proof by Lagrange's identity, and 1."""
    found = []
    for (u, xs), (v, ys) in combinations(norms[:4], 2):
        if len(xs) == len(ys):
            product = ("*", ("root", 2, u), ("root", 2, v))
            inner = ("+", *(("*", x, y) for x, y in zip(xs, ys, strict=True)))
            fact = Fact(">=", minus(product, inner))
            turns = (minus(("*", xs[i], ys[j]), ("*", xs[j], ys[i])) for i, j in combinations(range(len(xs)), 2))
            above = ("by", ("+", product, inner), ("+", *(("pow", turn, 2) for turn in turns)))
            plain = ("by", ONE, fact.term)
            found.append((fact, ("cases", inner, above, plain, plain), ONE))
    return found


def norm_bounds(norms: Norms, facts: Sequence[Fact]) -> list[tuple[Fact, Any, Term]]:
    """√u ≤ p for each fact p² − u ≥ 0 about a norm, with p > 0: fact, proof, and p."""
    found = []
    for u, _ in norms[:4]:
        for fact in (fact for fact in facts if fact.op != "!="):
            square = ("+", fact.term, u)
            try:
                book = Branch(Context(tuple(facts), (square,)), ())
                ratio = book.normal.expanded(book.normal.of(square))
            except Malformed:
                continue
            scale, factors = factored(ratio.top) if ratio.top and not ratio.bottom else (0, [])
            if scale == 1 and factors and all(n == 2 for _, n in factors):
                p = ("*", *(term_of(book.normal, f) for f, _ in factors))
                bound = Fact(">" if fact.op == ">" else ">=", minus(p, ("root", 2, u)))
                found.append((bound, ("by", ("+", p, ("root", 2, u)), fact.term), p))
    return found


def _squared(u: Term) -> tuple[Term, ...]:
    """x, y, … of a sum x² + y² + …, else nothing."""
    parts = u[1:] if isinstance(u, tuple) and u[0] == "+" else ()
    plain = all(isinstance(part, tuple) and part[0] == "pow" and part[2] == 2 for part in parts)
    return tuple(part[1] for part in parts) if plain else ()


def taken_apart(term: Term, facts: Sequence[Fact]) -> list[tuple[Fact, Any]]:
    """√(f²g) = |f| √g for the square roots that have such a factor f ≠ 0, and over h² > 0: the fact, and a proof."""
    found: list[tuple[Fact, Any]] = []
    for u in dict.fromkeys(u for q, _, u in _powers(term) if q == 2):
        try:
            book = Branch(Context(tuple(facts), (u,)), ())
            ratio = book.normal.expanded(book.normal.of(u))
        except Malformed:
            continue
        below = [(dict(f), n) for f, n in ratio.bottom]
        if len(ratio.top) < 2 or any(n % 2 or book.sign_of(f) != POSITIVE for f, n in below):
            continue
        scale, factors = factored(ratio.top)
        halves = {key(f): n // 2 for f, n in factors if n > 1 and len(f) > 1}
        sizes = [(size, halves[key(f)]) for f, _ in factors if key(f) in halves and (size := _size(f, book, facts))]
        if not halves or len(sizes) < len(halves):
            continue
        inside = [("pow", term_of(book.normal, f), n - 2 * halves.get(key(f), 0)) for f, n in factors]
        parts: list[Term] = [("pow", size, n) for (size, _), n in sizes]
        parts += [("pow", term_of(book.normal, f), -n // 2) for f, n in below]
        whole, apart = ("root", 2, u), ("*", *parts, ("root", 2, ("*", Fraction(scale), *inside)))
        proof: Any = ("by", ("+", whole, apart), Fraction(0))
        for (size, own), _ in sizes:
            proof = ("have", (">", size), own, proof)
        found.append((Fact("=", minus(whole, apart)), proof))
    return found


def _size(f: Poly, book: Branch, facts: Sequence[Fact]) -> tuple[Term, Any] | None:
    """|f| > 0 with a proof; None where neither sign is found."""
    for direction in (1, -1):
        size = term_of(book.normal, {m: direction * c for m, c in f.items()})
        goal = Fact(">", size)
        proof = ("by", ONE, size) if book.signs(size) == POSITIVE else by_conjugate(facts, goal)
        if proof is not None:
            return size, proof
    return None


def _powers(term: Term) -> Iterator[tuple[int, int, Term]]:
    """q, p and u of every u^{p/q}."""
    if not isinstance(term, tuple):
        return
    if term[0] == "root":
        yield term[1], 1, term[2]
    elif term[0] == "pow" and isinstance(term[1], tuple) and term[1][0] == "root":
        yield term[1][1], term[2], term[1][2]
        yield from _powers(term[1][2])
        return
    for part in parts_of(term):
        yield from _powers(part)


def _line(q: int, p: int, u: Term, v: Term) -> tuple[Fact, Any]:
    """With r^q = u, R^q = v: q R^{q−p} times it is (q−p) R^q − q R^{q−p} r^p + p r^q, or (r − R)² times a sum."""
    r, R = ("root", q, u), ("root", q, v)
    line = ("*", Fraction(p, q), ("pow", R, p), ("pow", v, -1), minus(u, v))
    coefficients = [Fraction(0)] * (q + 1)
    coefficients[0], coefficients[p], coefficients[q] = Fraction(q - p), Fraction(-q), Fraction(p)
    for _ in range(2):  # over r − R, twice
        carried, over = Fraction(0), []
        for c in reversed(coefficients):
            carried += c
            over.append(carried)
        coefficients = list(reversed(over[:-1]))
    rest = ("+", *(("*", c, ("pow", r, k), ("pow", R, q - 2 - k)) for k, c in enumerate(coefficients)))
    proof = ("by", ("*", Fraction(q), v, ("pow", R, -p)), ("*", ("pow", minus(r, R), 2), rest))
    return Fact(">=", ("+", ("pow", R, p), line, ("*", Fraction(-1), ("pow", r, p)))), proof
