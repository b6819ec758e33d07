"""Aggregation in 𝒮 against aggregation in Θ (section 3.1; the toy of Remark 1, `rem:aggr_in_S`).

In 𝒮 the clients' surrogates are averaged, which for every n and all weights is the centralised step. In Θ their
minimisers are averaged: Σ μ_i T(s_i) in the place of T(Σ μ_i s_i).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Step, Verdict, proved, refuted, undecided
from fedmm_edu.symbolic.decide import balls
from fedmm_edu.symbolic.decide.algebra import vanishes
from fedmm_edu.symbolic.decide.domain import Domain, Relation, fresh
from fedmm_edu.symbolic.decide.inequality import decide_nonnegative, witness_at
from fedmm_edu.symbolic.decide.strategies import signed_factors
from fedmm_edu.symbolic.decide.witness_search import find_point
from fedmm_edu.symbolic.functions.signs import NONNEGATIVE
from fedmm_edu.symbolic.functions.table import FUNCTIONS, PIECED
from fedmm_edu.symbolic.hypotheses.mm1 import S_convex
from fedmm_edu.symbolic.model import Model


class _Two(NamedTuple):
    """s_1, s_2 ∈ 𝒮 and their average with weight μ_1 ∈ (0, 1)."""

    mu: sp.Symbol
    first: tuple[sp.Symbol, ...]
    second: tuple[sp.Symbol, ...]
    space: Domain

    def mean(self, a: Iterable[sp.Expr], b: Iterable[sp.Expr]) -> list[sp.Expr]:
        """μ_1 a + (1 − μ_1) b, entry by entry."""
        return [self.mu * x + (1 - self.mu) * y for x, y in zip(a, b, strict=True)]


def aggregate_in_S(model: Model, *, surrogate: sp.Expr | None = None, seed: int = 0) -> Verdict:
    """Σ μ_i U(θ; s_i) = U(θ; Σ μ_i s_i) for every n and all weights μ that sum to one: so T(Σ μ_i s_i) is the
    centralised step. U(θ; s) is J_s(θ) unless another `surrogate` in (θ, s) is given.

    U = a(θ) + Σ_j b_j(θ) s_j is checked as an identity, hence term by term in any sum over clients.
    """
    U = model.surrogate if surrogate is None else sp.sympify(surrogate)
    space = model.space("Theta", "S").also((), (U,))
    slopes = [sp.diff(U, x) for x in model.s]
    origin = U - sum(b * x for b, x in zip(slopes, model.s, strict=True))
    if not all(vanishes(sp.diff(part, x), space) for part in (*slopes, origin) for x in model.s):
        return _not_linear(model, U, seed)
    convex = S_convex(model, seed=seed)
    if convex.status != "proved":
        return undecided("identity", *convex.evidence, Step("is the aggregate in S?", "S is not shown to be convex"))
    terms = " + ".join(f"({sp.latex(sp.factor(b))}) {sp.latex(x)}" for b, x in zip(slopes, model.s, strict=True))
    return proved(
        "identity",
        Step(rf"$U(\theta; s) = ({sp.latex(sp.simplify(origin))}) + {terms}$", "identity; no factor contains s"),
        Step(
            r"$\mu_i U(\theta; s_i) = \mu_i a + \sum_j b_j \mu_i s_{i,j}$ for each client",
            "the same identity times μ_i",
        ),
        Step(
            r"$\sum_i \mu_i U(\theta; s_i) = U(\theta; \sum_i \mu_i s_i)$",
            "the sum over any number of clients, Σ μ_i = 1",
        ),
        *convex.evidence,
        Step(r"$\sum_i \mu_i s_i \in S$", "a convex combination of points of a convex set"),
    )


def _not_linear(model: Model, U: sp.Expr, seed: int) -> Verdict:
    two = _two_clients(model)
    points = (two.first, two.second, two.mean(two.first, two.second))
    a, b, c = (U.subs(dict(zip(model.s, point, strict=True)), simultaneous=True) for point in points)
    difference = two.mean([a], [b])[0] - c
    space = two.space.also(model.Theta, (*model.theta, difference))
    difference = space.lift(difference)
    point = find_point(space, (Relation(difference, "!="),), seed=seed, thorough=True)
    if point is None:
        return undecided("identity", Step("is U affine in s?", "not as an identity, and no counterexample was found"))
    says = "the average of two surrogates is not the surrogate of the average."
    return refuted("evaluation", witness_at(point, says, {"difference": difference}))


def _two_clients(model: Model) -> _Two:
    q = len(model.s)
    names = [f"{x.name}_{i}" for i in (1, 2) for x in model.s]
    mu, *both = fresh(["mu_1", *names], [*model.theta, *model.z, *model.s, *model.constants])
    first, second = tuple(both[:q]), tuple(both[q:])
    relations = [r.xreplace(dict(zip(model.s, points, strict=True))) for points in (first, second) for r in model.S]
    space = Domain.of([*model.given, *relations, mu > 0, mu < 1], (*both, *model.constants))
    return _Two(mu, first, second, space)


def two_client_difference(model: Model) -> tuple[list[sp.Expr], Domain]:
    """μ_1 T(s_1) + μ_2 T(s_2) − T(μ_1 s_1 + μ_2 s_2), one entry per coordinate of θ, and its domain."""
    if model.T is None:
        raise InvalidInput(f"{model.name}: aggregation compares values of T; derive it first with derive_T(model).")
    two = _two_clients(model)
    points = (two.first, two.second, two.mean(two.first, two.second))
    a, b, c = (
        [entry.subs(dict(zip(model.s, point, strict=True)), simultaneous=True) for entry in model.T] for point in points
    )
    return [two.space.lift(mean - entry) for mean, entry in zip(two.mean(a, b), c, strict=True)], two.space


def aggregate_in_Theta(model: Model, *, seed: int = 0) -> dict[str, Verdict]:
    """What Σ μ_i T(s_i) is, against T(Σ μ_i s_i), in three rows.

    "same": they agree for all s_i and μ (proved when T is affine; else refuted, with the difference at a witness).
    "direction": the sign of the difference, for every n (d = q = 1, from T″).
    "only if equal": they agree only when all s_i are equal (n = 2, then every n by induction).
    """
    differences, space = two_client_difference(model)
    affine = all(vanishes(sp.diff(t, a, b), model.space("S")) for t in model.T or () for a in model.s for b in model.s)
    if affine and not any(t.has(*PIECED) for t in model.T or ()):
        step = Step("$T$ is affine", "T″ = 0: hence Σ μ_i T(s_i) = T(Σ μ_i s_i) for weights that sum to one")
        same = proved("identity", step)
        no = undecided("identity", Step("the two agree for all clients", "T is affine"))
        return {"same": same, "direction": same, "only if equal": _unequal_agreement(model, seed) or no}
    bend = _curvature(model, seed)
    return {
        "same": _differs(model, space, differences, seed),
        "direction": bend,
        "only if equal": _only_if_equal(model, bend, seed),
    }


def _differs(model: Model, space: Domain, differences: list[sp.Expr], seed: int) -> Verdict:
    for k, difference in enumerate(differences):
        unequal = (Relation(difference, "!="),)
        point = find_point(space, unequal, seed=seed, thorough=True)
        if point is not None:
            point = _exact_value(model, difference, point) or point
            says = f"two clients: coordinate {k + 1} of the averaged minimisers differs from the centralised step."
            return refuted("evaluation", witness_at(point, says, {"difference": difference}))
    return undecided("sampling", Step("no difference was found", "T is not shown to be affine"))


def _exact_value(model: Model, difference: sp.Expr, start: dict[str, Fraction]) -> dict[str, Fraction] | None:
    """A point near the simplest one at which the difference is a fraction: roots want squares of clients and mean."""
    two = _two_clients(model)
    clients = [x.name for x in (*two.first, *two.second)]
    squares = [Fraction(k * k) for k in range(1, 8)]
    for values in product(squares, repeat=len(clients)) if len(clients) == 2 else []:
        point = start | dict(zip(clients, values, strict=True))
        value = balls.exact(difference, point) if all(balls.holds(r, point) for r in two.space.relations) else None
        if value:
            return point
    return None


def _unequal_agreement(model: Model, seed: int) -> Verdict | None:
    """A witness against "only if equal": different surrogates for which the two aggregations agree."""
    differences, space = two_client_difference(model)
    two = _two_clients(model)
    agree = tuple(Relation(difference, "==") for difference in differences if difference != 0)
    for x, y in zip(two.first, two.second, strict=True):
        point = find_point(space, (*agree, Relation(space.lift(x - y), "!=")), seed=seed, thorough=True)
        if point is not None:
            values = {f"difference {k + 1}": difference for k, difference in enumerate(differences)}
            says = "the clients differ and the two aggregations agree."
            return refuted("evaluation", witness_at(point, says, values))
    return None


def _curvature(model: Model, seed: int) -> Verdict:
    if len(model.theta) > 1 or len(model.s) > 1 or model.T is None:
        return undecided("calculus", Step("a direction", "it is read off T'' for d = q = 1 only"))
    T, s = next(iter(model.T)), next(iter(model.s))
    if T.has(*PIECED):
        return undecided("calculus", Step("the sign of $T''$", "T has kinks"))
    bend = sp.diff(T, s, 2)
    for sign, word in ((1, "convex"), (-1, "concave")):
        verdict = decide_nonnegative(sign * bend, model.space("S"), strict=True, seed=seed)
        if verdict.status == "proved":
            relation = ">" if sign == 1 else "<"
            claim = rf"$\sum_i \mu_i T(s_i) {relation} T(\sum_i \mu_i s_i)$ unless all $s_i$ are equal"
            return proved(
                "calculus", *verdict.evidence, Step(f"$T$ is strictly {word}", "the sign of T''"), Step(claim, "Jensen")
            )
    return undecided("calculus", Step("$T''$ has one sign?", "not proved: no direction for all clients"))


def _only_if_equal(model: Model, bend: Verdict, seed: int) -> Verdict:
    if bend.status != "proved":
        return _unequal_agreement(model, seed) or undecided("calculus", Step("when do they agree?", "open"))
    return proved(
        "Jensen",
        *bend.evidence,
        *_closed_form(model),
        Step("$n = 2$: equality only for $s_1 = s_2$", "strict convexity or concavity of T, with 0 < μ_1 < 1"),
        Step(
            r"$n \to n+1$: $\sum_{i \le n+1} \mu_i s_i = (1-\mu_{n+1}) s' + \mu_{n+1} s_{n+1}$ with $s' \in S$",
            "the case n = 2 and the hypothesis for s'; equality forces s' = s_{n+1} and s_1 = … = s_n, hence all equal",
        ),
    )


def _closed_form(model: Model) -> list[Step]:
    """A − C = (A² − C²)/(A + C) with A² − C² in factors, where squaring removes the root of T(Σ μ_i s_i)."""
    two = _two_clients(model)
    T, s = next(iter(model.T or ())), next(iter(model.s))
    a, b, c = (T.subs(s, point[0]) for point in (two.first, two.second, two.mean(two.first, two.second)))
    A, C = two.space.lift(two.mean([a], [b])[0]), two.space.lift(c)
    squared = sp.powdenest(C**2)
    if squared.has(*FUNCTIONS) or any(not p.exp.is_Integer for p in squared.atoms(sp.Pow)):
        return []
    signs, step = signed_factors(sp.Add(A**2, -squared), two.space)
    names = Step(
        f"$A = {sp.latex(A)}$, $C = {sp.latex(C)}$", r"$A - C = (A^2 - C^2)/(A + C)$ is the difference for $n = 2$"
    )
    return [names, step] if signs <= NONNEGATIVE else []
