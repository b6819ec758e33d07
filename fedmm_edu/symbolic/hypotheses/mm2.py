"""MM-2: T(s) lies in Θ and is the unique minimiser over Θ of J_s = g + ψ − ⟨s, φ⟩, for all s ∈ 𝒮; and A1.

Smooth problems: ∇J_s(T(s)) = 0 and a positive definite Hessian. Others (kinks, boundaries): the growth inequality
J_s(θ) − J_s(T(s)) ≥ c‖θ − T(s)‖² with c > 0, decided as an inequality in (θ, s).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction, proved, refuted, undecided
from fedmm_edu.symbolic.decide.algebra import vanishes
from fedmm_edu.symbolic.decide.convexity import decide_convex, decide_convex_set
from fedmm_edu.symbolic.decide.definedness import is_supported
from fedmm_edu.symbolic.decide.domain import Domain, Relation, relations_of
from fedmm_edu.symbolic.decide.inequality import decide_defined, decide_nonnegative, where_defined, witness_at
from fedmm_edu.symbolic.decide.strategies import impossible
from fedmm_edu.symbolic.decide.witness_search import find_point
from fedmm_edu.symbolic.functions.table import PIECED
from fedmm_edu.symbolic.hypotheses.free import T_on_S, free_for_T, free_S, free_Theta
from fedmm_edu.symbolic.hypotheses.mm1 import membership
from fedmm_edu.symbolic.model import Model, solved


def derive_T(model: Model, *, seed: int = 0) -> tuple[sp.Expr, ...]:
    """A solution of ∇J_s(θ) = 0 that lies in Θ for all s ∈ 𝒮. `InvalidInput` when none is found.

    It is a candidate like any other: `minimizes` still has to confirm it.
    """
    full, gone = model, solved(model.Theta, model.theta)
    model = free_Theta(model)
    space = model.space("Theta", "S")
    objective, theta = space.lift(model.surrogate), [space.lift(x) for x in model.theta]
    try:
        solutions = sp.solve([sp.diff(objective, x) for x in theta], theta, dict=True)
    except NotImplementedError:
        solutions = []
    plain = {x: sp.Symbol(x.name, real=True) for x in space.variables}
    for solution in solutions:
        if len(solution) == len(theta) and not any(v.free_symbols & set(theta) for v in solution.values()):
            found = {x: solution[space.lift(x)].xreplace(plain) for x in model.theta}
            T = tuple(sp.simplify(gone[x].xreplace(found)) if x in gone else found[x] for x in full.theta)
            candidate = replace(full, T=T)
            if decide_defined(sp.Tuple(*T), model.space("S"), seed=seed).status == "proved" and (
                T_in_Theta(candidate, seed=seed).status == "proved"
            ):
                return T
    raise InvalidInput(f"{model.name}: no closed form of T was found from the stationary points: state T in the model.")


def with_T(model: Model, *, seed: int = 0) -> Model:
    """The model itself, or with T derived where the model leaves it out."""
    return model if model.T is not None else replace(model, T=derive_T(model, seed=seed))


def T_in_Theta(model: Model, *, seed: int = 0) -> Verdict:
    """T(s) ∈ Θ for all s ∈ 𝒮."""
    values = dict(zip(model.theta, T_on_S(model), strict=True))
    return membership(model.Theta, values, free_S(model).space("S"), "Theta", "T(s)", seed)


def minimizes(model: Model, *, seed: int = 0) -> Verdict:
    """J_s(T(s)) ≤ J_s(θ) for all θ ∈ Θ, s ∈ 𝒮. A refutation gives s with a θ of smaller J_s, or s without minimiser."""
    model = free_for_T(model)
    undefined = decide_defined(sp.Tuple(*(model.T or ())), model.space("S"), seed=seed)
    if undefined.status == "refuted" and undefined.witness is not None:
        return _without_minimiser(model, undefined, seed)
    if smooth := _stationary(model, seed):
        return smooth
    space = model.space("Theta", "S")
    loss = space.lift(model.surrogate - _at_T(model))
    point = find_point(space, Relation(loss, ">=").negated(), seed=seed)  # a wrong T shows at once, a proof takes long
    if point is None:
        if found := _along_rays(model, seed) or _growth(model, seed):
            return found
        verdict = where_defined(loss, decide_nonnegative(loss, space, seed=seed))
        if verdict.status != "refuted" or verdict.witness is None:
            return verdict
        point = {name: Fraction(value) for name, value in verdict.witness.point.items()}
    says = "J_s is smaller at theta than at T(s), so T(s) is not a minimiser."
    T = {f"T_{k + 1}(s)" if len(model.theta) > 1 else "T(s)": space.lift(e) for k, e in enumerate(model.T or ())}
    return refuted("evaluation", witness_at(point, says, {**T, "J_s(theta) - J_s(T(s))": loss}))


def unique(model: Model, *, seed: int = 0) -> Verdict:
    """J_s has at most one minimiser over Θ, for all s ∈ 𝒮."""
    flat = free_S(model)
    convex_Theta = _Theta_convex(flat, seed)
    if convex_Theta.status == "proved":
        strict = decide_convex(flat.surrogate, flat.theta, flat.space("Theta", "S"), strict=True, seed=seed)
        if strict.status == "proved":
            why = Step("at most one minimiser", "a strictly convex function on a convex set")
            return proved("strict convexity", *convex_Theta.evidence, *strict.evidence, why)
    if model.T is None or decide_defined(sp.Tuple(*T_on_S(model)), flat.space("S"), seed=seed).status != "proved":
        return undecided(
            "strict convexity", Step("J_s is strictly convex?", "not proved, and T is not available everywhere")
        )
    model = free_for_T(model)
    if growth := _growth(model, seed) or _along_rays(model, seed, strict=True):
        return growth
    return _unique_by_comparison(model, seed)


def _unique_by_comparison(model: Model, seed: int) -> Verdict:
    """θ ≠ T(s) with J_s(θ) ≤ J_s(T(s)): impossible (unique), or found where T(s) is a minimiser (not unique)."""
    space, T = model.space("Theta", "S"), model.T or ()
    loss = space.lift(model.surrogate - _at_T(model))
    apart = [Relation(space.lift(x - t), "!=") for x, t in zip(model.theta, T, strict=True)]
    tie = Relation(loss, ">").negated()
    if how := impossible(space, [tie, apart]):
        return proved(how, Step(r"$J_s(\theta) > J_s(T(s))$ for $\theta \ne T(s)$", f"{how} finds no other minimiser"))
    minimal = minimizes(model, seed=seed).status == "proved"  # else a tie with T(s) says nothing about minimisers
    for different in apart if minimal else []:
        point = find_point(space, (*tie, different), seed=seed, thorough=True)
        if point is not None:
            says = "theta differs from T(s) and J_s is not larger there, so the minimiser T(s) is not unique."
            return refuted(
                "evaluation", witness_at(point, says, {"J_s(theta) - J_s(T(s))": loss, "theta - T(s)": different.expr})
            )
    return undecided("comparison", Step("another minimiser?", "neither excluded nor found"))


def convex(model: Model, *, seed: int = 0) -> Verdict:
    """A1 (`hyp:surrogate:convexC1`): ψ − ⟨s, φ⟩ is convex on Θ for all s ∈ 𝒮. MM-1 and MM-2 do not need it."""
    model = free_S(model)
    parts = {
        "Theta": _Theta_convex(model, seed),
        "psi - <s, phi>": decide_convex(model.surrogate - model.g, model.theta, model.space("Theta", "S"), seed=seed),
    }
    return conjunction(parts)


def _at_T(model: Model) -> sp.Expr:
    return model.surrogate.subs(dict(zip(model.theta, model.T or (), strict=True)), simultaneous=True)


def _Theta_convex(model: Model, seed: int) -> Verdict:
    return decide_convex_set(relations_of(*model.Theta), model.theta, model.space(), seed=seed)


def _stationary(model: Model, seed: int) -> Verdict | None:
    """∇J_s(T(s)) = 0, J_s convex on the convex set Θ, T(s) ∈ Θ: a global minimiser."""
    space = model.space("Theta", "S")
    at_T = dict(zip(model.theta, model.T or (), strict=True))
    slopes = [sp.diff(model.surrogate, x) for x in model.theta]
    if not all(map(is_supported, slopes)):
        return None
    if not all(vanishes(slope.subs(at_T, simultaneous=True), model.space("S")) for slope in slopes):
        return None
    parts = {
        "Theta convex": _Theta_convex(model, seed),
        "T in Theta": T_in_Theta(model, seed=seed),
        "J_s convex": decide_convex(model.surrogate, model.theta, space, seed=seed),
    }
    if any(verdict.status != "proved" for verdict in parts.values()):
        return None
    first = Step(r"$\nabla J_s(T(s)) = 0$", "identity")
    evidence = conjunction(parts).evidence
    return proved(
        "stationary point", first, *evidence, Step("T(s) minimises", "a stationary point of a convex function")
    )


def _along_rays(model: Model, seed: int, *, strict: bool = False) -> Verdict | None:
    """⟨∇J_s(θ), θ − T(s)⟩ ≥ 0 on a convex Θ that T(s) belongs to: J_s does not fall on any ray from T(s).

    With `strict`, > 0 at θ ≠ T(s): it grows on each. J_s must follow one formula: slopes do not see where it jumps.
    """
    if model.surrogate.has(*PIECED):
        return None
    space, T = model.space("Theta", "S"), model.T or ()
    slopes = [sp.diff(model.surrogate, x) for x in model.theta]
    climb = sp.factor(sum(slope * (x - t) for slope, x, t in zip(slopes, model.theta, T, strict=True)))
    parts = {"Theta convex": _Theta_convex(model, seed), "T in Theta": T_in_Theta(model, seed=seed)}
    if strict and len(T) == 1:
        away = space.also([sp.Ne(model.theta[0], T[0])])
        parts["J_s grows along rays from T(s)"] = decide_nonnegative(climb, away, strict=True, seed=seed)
    elif strict:
        return None
    else:
        parts["J_s grows along rays from T(s)"] = decide_nonnegative(climb, space, seed=seed)
    if any(verdict.status != "proved" for verdict in parts.values()):
        return None
    claim = r"$\langle \nabla J_s(\theta), \theta - T(s) \rangle " + (">" if strict else r"\ge") + " 0$"
    last = Step(claim, "so J_s grows from T(s) along every ray" if strict else "so J_s falls along no ray from T(s)")
    return proved("rays", *conjunction(parts).evidence, last)


def _growth(model: Model, seed: int) -> Verdict | None:
    """J_s(θ) − J_s(T(s)) ≥ (κ/2)‖θ − T(s)‖² where the Hessian of the smooth part ψ − ⟨s, φ⟩ is κ times the identity."""
    smooth = model.surrogate - model.g
    kappa = sp.simplify(sp.diff(smooth, model.theta[0], 2))
    space = model.space("Theta", "S")
    hessian = sp.hessian(smooth, model.theta) - kappa * sp.eye(len(model.theta))
    if kappa.free_symbols & set(model.theta) or not all(vanishes(entry) for entry in hessian):
        return None
    positive = decide_nonnegative(kappa, space, strict=True, seed=seed)
    if positive.status != "proved" or T_in_Theta(model, seed=seed).status != "proved":
        return None
    distance = sum((x - t) ** 2 for x, t in zip(model.theta, model.T or (), strict=True))
    # divided by κ > 0, which leaves the solvers an easier problem
    grown = sp.expand((model.surrogate - _at_T(model)) / kappa) - distance / 2
    verdict = decide_nonnegative(grown, space, seed=seed)
    if verdict.status != "proved":
        return None
    claim = (
        rf"$J_s(\theta) - J_s(T(s)) \ge \frac{{\kappa}}{{2}} \|\theta - T(s)\|^2$ with $\kappa = {sp.latex(kappa)} > 0$"
    )
    step = Step(claim, f"decided for all theta in Theta and s in S by {verdict.method}")
    return proved(
        verdict.method,
        *verdict.evidence,
        step,
        Step("T(s) is the unique minimiser", "the right-hand side is > 0 elsewhere"),
    )


def _without_minimiser(model: Model, undefined: Verdict, seed: int) -> Verdict:
    """T has no value at some s ∈ 𝒮. For d = 1, J_s is then shown to have no minimiser when it is strictly monotone."""
    assert undefined.witness is not None  # a refuted verdict carries one
    point, says = undefined.witness.point, f"T(s) has no value here: {undefined.witness.says}"
    steps = list(undefined.evidence)
    fixed = {sp.Symbol(name, real=True): sp.Rational(value) for name, value in point.items()}
    relations = [r.xreplace(fixed) for r in model.Theta]
    space = Domain.of([r for r in relations if r is not sp.true], model.theta)
    if len(model.theta) == 1 and all(r.op in (">", "!=") for r in space.relations):
        slope = sp.diff(model.surrogate, model.theta[0]).xreplace(fixed)
        for direction in (1, -1):
            verdict = decide_nonnegative(direction * slope, space, strict=True, seed=seed)
            if verdict.status == "proved":
                grows = "increases" if direction == 1 else "decreases"
                steps += [
                    *verdict.evidence,
                    Step("no minimiser exists at this s", f"J_s {grows} strictly on the open set Theta"),
                ]
                says = f"J_s has no minimiser here: it {grows} strictly on the open set Theta. {says}"
                break
    return refuted("calculus", Witness(point, says, undefined.witness.values), *steps)
