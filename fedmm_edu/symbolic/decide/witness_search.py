"""Points with simple rational coordinates at which given relations certainly hold.

Candidates come from a fixed pool of simple numbers, from a descent on the violated relations and from z3's models; each
is certified with `balls` before it is returned, so a point that comes back is a proof that the relations hold there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from importlib.util import find_spec
from itertools import islice
from typing import Any, Protocol

import sympy as sp

from fedmm_edu.errors import MissingExtra
from fedmm_edu.symbolic.decide import balls
from fedmm_edu.symbolic.decide.domain import Domain, Relation
from fedmm_edu.symbolic.decide.smt import Untranslatable, satisfiable

Exact = dict[str, Fraction]
POINTS_TRIED = 10_000

_MAGNITUDES = [Fraction(k) for k in (1, 2, 3, 4, 5, 9, 10, 16, 25, 100)]
_MAGNITUDES += [Fraction(p, q) for p, q in ((1, 2), (1, 4), (3, 2), (1, 3), (1, 10), (3, 4), (1, 9), (1, 100))]
_MAGNITUDES.sort(key=lambda value: value.numerator + value.denominator)


@lru_cache(maxsize=1024)
def find_point(
    domain: Domain,
    wanted: tuple[Relation, ...] = (),
    *,
    seed: int = 0,
    samples: int = POINTS_TRIED,
    thorough: bool = False,
) -> Exact | None:
    """A point of the domain where every `wanted` relation holds too, as simple as found; None when none was found.

    `thorough` adds a local descent and z3's model to the sampling.
    """
    domain = domain.also((), [r.expr for r in wanted])
    search = _Search(domain, wanted, seed)
    streams = [search.sampled(samples)]
    if thorough:
        streams += [search.descended(), search.from_model()]
    for stream in streams:
        for candidate in stream:
            if search.certified(candidate):
                return search.simplified(candidate)
    return None


class Sampler(Protocol):
    """Where relations hold in floating point."""

    def satisfying(self, count: int) -> Iterator[Sequence[int]]:
        """The places, in the pool of each symbol, of values that satisfy everything, simplest first."""
        ...

    def minimisers(self) -> Iterator[Sequence[float]]:
        """Points that locally miss the relations least."""
        ...


def _sampler(
    symbols: Sequence[sp.Symbol], relations: Sequence[Relation], pools: Sequence[list[Fraction]], seed: int
) -> Sampler:
    if find_spec("numpy") and find_spec("scipy"):
        from fedmm_edu.symbolic.decide.arrays_sampled import ArraySampler

        return ArraySampler(symbols, relations, pools, seed)
    from fedmm_edu.symbolic.decide.plain_sampled import PlainSampler

    return PlainSampler(symbols, relations, pools, seed)


class _Search:
    def __init__(self, domain: Domain, wanted: Sequence[Relation], seed: int) -> None:
        self.domain, self.wanted = domain, tuple(wanted)
        self.relations = (*domain.relations, *(Relation(domain.lift(r.expr), r.op) for r in wanted))
        self.solved = solve_equations(domain.relations)
        self.free = [x for x in domain.variables if x not in self.solved]
        self.pools = [_pool(x, domain.relations) for x in self.free]
        rest = [Relation(_substituted(r.expr, self.solved), r.op) for r in self.relations]
        self.sampler = _sampler(self.free, [r for r in rest if r.expr != 0], self.pools, seed)

    def sampled(self, count: int) -> Iterator[Exact]:
        """Random points of the pool that satisfy everything in floating point, simplest first."""
        if not self.free:
            yield self.completed([])
            return
        for row in islice(self.sampler.satisfying(count), 40):
            yield self.completed([pool[k] for pool, k in zip(self.pools, row, strict=True)])

    def descended(self) -> Iterator[Exact]:
        """Local minimisers of the violation, rounded ever finer."""
        if not self.free:
            return
        for found in self.sampler.minimisers():
            for limit in (4, 16, 100, 10**4, 10**7):
                yield self.completed([Fraction(float(v)).limit_denominator(limit) for v in found])

    def from_model(self) -> Iterator[Exact]:
        try:
            answer = satisfiable(self.domain, [[r] for r in self.wanted], second_opinion=False)
        except (Untranslatable, MissingExtra):
            return
        model = dict(answer.model)
        if answer.status == "sat":
            values = [model.get(x.name, Fraction(0)) for x in self.free]
            for limit in (4, 100, 10**6, 10**15):
                yield self.completed([v.limit_denominator(limit) for v in values])
            yield self.completed(values)

    def completed(self, values: Sequence[Fraction]) -> Exact:
        """The values of the free variables and those that the domain's equations then give to the others."""
        point: Exact = {x.name: Fraction(v) for x, v in zip(self.free, values, strict=True)}
        for x, expr in self.solved.items():
            try:
                value = balls.exact(expr, point)
            except balls.Undefined:
                value = None
            point[x.name] = Fraction(0) if value is None else value
        return point

    def certified(self, point: Exact) -> bool:
        return all(balls.holds(relation, point) for relation in self.relations)

    def simplified(self, point: Exact) -> Exact:
        """Each coordinate replaced by the simplest candidate that keeps the certificate."""
        for x, pool in zip(self.free, self.pools, strict=True):
            for value in [v for v in pool if _size(v) < _size(point[x.name])][:12]:
                trial = self.completed([value if y == x else point[y.name] for y in self.free])
                if self.certified(trial):
                    point = trial
                    break
        return point


def _size(value: Fraction) -> int:
    return abs(value.numerator) + value.denominator


def _pool(x: sp.Symbol, relations: Iterable[Relation]) -> list[Fraction]:
    """Simple values for x that respect the relations about x alone."""
    alone = [r for r in relations if r.expr.free_symbols == {x}]
    ends = []
    for expr, _ in alone:
        poly = sp.Poly(expr, x) if expr.is_polynomial(x) else None
        roots = sp.roots(poly, filter="Q") if poly is not None and poly.degree() <= 4 else {}
        ends += [Fraction(int(r.p), int(r.q)) for r in roots]
    values = [Fraction(0), *(s * m for m in _MAGNITUDES for s in (1, -1))]
    values += ends + [e + s * m for e in ends for m in _MAGNITUDES[:6] for s in (1, -1)]
    values += [(a + b) / 2 for a in ends for b in ends if a < b]
    allowed = [v for v in dict.fromkeys(values) if all(balls.holds(r, {x.name: v}) for r in alone)]
    return sorted(allowed, key=_size) or [Fraction(0)]


def solve_equations(relations: Iterable[Relation]) -> dict[sp.Symbol, sp.Expr]:
    """Variables that an equation of the domain gives as a function of the others (it is linear in them)."""
    solved: dict[Any, Any] = {}
    for expr, op in relations:
        if op != "==":
            continue
        expr = _substituted(expr, solved)
        for x in sorted(expr.free_symbols, key=str):
            slope = sp.diff(expr, x)
            if slope != 0 and not slope.has(x) and slope.is_Rational:
                solution = sp.expand(x - expr / slope)
                solved = {y: value.xreplace({x: solution}) for y, value in solved.items()} | {x: solution}
                break
    return solved


def _substituted(expr: sp.Expr, solved: dict[sp.Symbol, sp.Expr]) -> sp.Expr:
    return expr.xreplace(solved) if solved else expr
