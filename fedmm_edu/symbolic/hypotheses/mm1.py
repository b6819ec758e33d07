"""MM-1: every expression is defined, S̄ maps into the convex set 𝒮, and the surrogate is tangent and majorizes.

The inequality is checked for one sample, eq. (19) of the paper (`eq:defMM:surrogate:onell`), for all z ∈ Z: it gives
MM-1 for every law π of the samples. If it fails at some z, MM-1 fails for π = δ_z.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Step, Verdict, conjunction, proved, refuted, undecided
from fedmm_edu.symbolic.decide.algebra import Algebra, TooLarge, vanishes
from fedmm_edu.symbolic.decide.convexity import decide_convex_set
from fedmm_edu.symbolic.decide.definedness import is_supported
from fedmm_edu.symbolic.decide.domain import Domain, Relation, fresh, real, relations_of
from fedmm_edu.symbolic.decide.inequality import (
    decide_defined,
    decide_nonnegative,
    holds_everywhere,
    where_defined,
    witness_at,
)
from fedmm_edu.symbolic.decide.pieces import by_signs
from fedmm_edu.symbolic.decide.signs import possible_signs
from fedmm_edu.symbolic.decide.strategies import by_factors, by_identity, impossible
from fedmm_edu.symbolic.decide.witness_search import find_point
from fedmm_edu.symbolic.functions.signs import NONNEGATIVE, POSITIVE
from fedmm_edu.symbolic.functions.table import PIECED
from fedmm_edu.symbolic.hypotheses.free import T_on_S, curved, free_S, free_Theta
from fedmm_edu.symbolic.model import Model, solved


def defined(model: Model, *, seed: int = 0) -> Verdict:
    """φ, ψ, g on Θ, ℓ and S̄ on Z × Θ and T on 𝒮 have real values everywhere; else the failing term and a point."""
    flat = free_Theta(model)
    theta = flat.space("Theta")
    parts = {
        "phi": decide_defined(sp.Tuple(*flat.phi), theta, seed=seed),
        "psi": decide_defined(flat.psi, theta, seed=seed),
        "g": decide_defined(flat.g, theta, seed=seed),
        "loss": decide_defined(flat.loss, flat.space("Z", "Theta"), seed=seed),
        "S_bar": decide_defined(flat.at_tau(sp.Tuple(*flat.S_bar)), flat.space("Z", "tau"), seed=seed),
    }
    if model.T is not None:
        parts["T"] = decide_defined(sp.Tuple(*T_on_S(model)), free_S(model).space("S"), seed=seed)
    return conjunction(parts)


def S_convex(model: Model, *, seed: int = 0) -> Verdict:
    """𝒮 is convex."""
    return decide_convex_set(relations_of(*model.S), model.s, model.space(), seed=seed)


def S_bar_in_S(model: Model, *, seed: int = 0) -> Verdict:
    """S̄(z, τ) ∈ 𝒮 for all z ∈ Z and τ ∈ Θ."""
    model = free_Theta(model)
    space = model.space("Z", "tau")
    S_bar = dict(zip(model.s, (model.at_tau(entry) for entry in model.S_bar), strict=True))
    return membership(model.S, S_bar, space, "S", "S_bar(z, tau)", seed)


def membership(relations, values: dict, space: Domain, name: str, what: str, seed: int) -> Verdict:
    parts = {f"{what}: {r}": holds_everywhere(r.at(values), space, seed=seed) for r in relations_of(*relations)}
    if not parts:
        return proved("derivation", Step(f"${name}$ is the whole space", "no relation restricts it"))
    return conjunction(parts)


def tangent(model: Model, *, seed: int = 0) -> Verdict:
    """∇ℓ(z, τ) = ∇ψ(τ) − J_φ(τ)ᵀ S̄(z, τ) along Θ, for all z ∈ Z and τ inside Θ: the surrogate touches ℓ there.

    MM-1 asks for no slopes; at an inner point it implies these. At the boundary of Θ it does not, and on the equations
    of Θ it implies the slopes along Θ only. Formulas with pieces are judged piece by piece, and not where these meet.
    """
    model, curves = free_Theta(model), curved(model)
    if len(curves) > 1:
        return undecided(
            "identity", Step("slopes along several curved equations of Theta", "solve all but one of them")
        )
    inside = [r.inner for r in relations_of(*map(model.at_tau, model.Theta))]
    space = model.space("Z", "tau").also(inside)
    whole = sp.Tuple(model.loss, model.psi, sp.Tuple(*model.phi), sp.Tuple(*model.S_bar))
    parts = {}
    for guards, (loss, psi, phi, S_bar) in by_signs(whole, model.theta):
        guards = tuple(map(model.at_tau, guards))
        local = space.also(guards)
        if guards and impossible(local, []):
            continue
        slopes = {
            x: sp.diff(loss - psi, x) + sp.Add(*(s * sp.diff(f, x) for s, f in zip(S_bar, phi, strict=True)))
            for x in model.theta
        }
        where = f" where {', '.join(map(str, guards))}" if guards else ""
        for name, slope in _along(model, slopes, curves).items():
            parts[name + where] = _identity(local.lift(model.at_tau(slope)), local, seed)
    if not parts:
        return undecided("identity", Step("a derivative has kinks", "no piece of the formulas is smooth"))
    verdict = conjunction(parts)
    if len(parts) > len(model.theta) and verdict.status == "proved":
        kinks = Step(
            "where pieces meet the slopes are not compared", "MM-1 asks for none: it holds there by majorization"
        )
        verdict = replace(verdict, evidence=(*verdict.evidence, kinks))
    return verdict


def _along(model: Model, slopes: dict[sp.Symbol, sp.Expr], curves: list[sp.Expr]) -> dict[str, sp.Expr]:
    """The slopes along Θ: all of them, or those across the gradient of its one curved equation."""
    tau = dict(zip(model.theta, model.tau, strict=True))
    if not curves:
        return {f"derivative in {tau[x]}": slope for x, slope in slopes.items()}
    (curve,) = curves
    return {
        f"derivative along {curve} = 0 in {tau[x]}, {tau[y]}": sp.diff(curve, y) * slopes[x]
        - sp.diff(curve, x) * slopes[y]
        for x, y in combinations(slopes, 2)
    }


def _identity(expr: sp.Expr, space: Domain, seed: int) -> Verdict:
    if expr.has(*PIECED) or not is_supported(expr):  # SymPy's slopes of Max and sign are Heaviside and DiracDelta
        return undecided("identity", Step("a derivative has kinks", "the identity is decided for smooth terms only"))
    if vanishes(expr, space):
        return proved("identity", Step(f"${sp.latex(expr)} = 0$", "expanding over a common denominator gives zero"))
    point = find_point(space, (Relation(expr, "!="),), seed=seed, thorough=True)
    if point is None:
        return undecided(
            "identity", Step(f"${sp.latex(expr)} = 0$?", "neither an identity nor a counterexample was found")
        )
    says = "the slopes of the loss and of its surrogate differ at tau, by the difference that is given."
    return refuted("evaluation", witness_at(point, says, {"difference": expr}))


def gap(model: Model) -> sp.Expr:
    """ℓ(z, τ) + ψ(θ) − ψ(τ) − ⟨S̄(z, τ), φ(θ) − φ(τ)⟩ − ℓ(z, θ), which (19) asks to be ≥ 0."""
    inner = sum(model.at_tau(s) * (phi - model.at_tau(phi)) for s, phi in zip(model.S_bar, model.phi, strict=True))
    return model.at_tau(model.loss - model.psi) + model.psi - inner - model.loss


def majorizes(model: Model, *, seed: int = 0) -> Verdict:
    """gap(θ, τ; z) ≥ 0 for all θ, τ ∈ Θ and z ∈ Z. A refutation refutes MM-1 for π = δ_z at the witness's z."""
    space = model.space("Z", "tau", "Theta")
    expr = space.lift(gap(model))
    if jensen := _by_jensen(model, expr, space):  # with the equations of Θ, as a log of a sum is plainer there
        return jensen
    model = free_Theta(model)
    space = model.space("Z", "tau", "Theta")
    expr = space.lift(gap(model))
    if lines := _by_lines(model, expr, space) or _by_convexity_of_exp(expr, space, seed):
        return lines
    anchor = dict(zip(model.theta, model.tau, strict=True))
    verdict = where_defined(expr, decide_nonnegative(expr, space, anchor=anchor, seed=seed))
    if verdict.status != "refuted" or verdict.witness is None:
        return verdict
    z = ", ".join(f"{x.name} = {verdict.witness.point[x.name]}" for x in model.z)
    says = (
        f"the surrogate lies below the loss, so MM-1 fails for the law of samples concentrated at {z or 'any point'}."
    )
    shown = {"gap": next(iter(verdict.witness.values.values()), "")}
    return refuted(verdict.method, type(verdict.witness)(verdict.witness.point, says, shown), *verdict.evidence)


def _by_jensen(model: Model, expr: sp.Expr, space: Domain) -> Verdict | None:
    """ℓ = −c log Σ_k p_k + …, c > 0: gap = c Σ_k w_k(τ)(r_k − 1 − log r_k), w_k = p_k / Σ p, r_k = w_k(θ)/w_k(τ)."""
    loss, solution = space.lift(model.loss), solved(model.Theta, model.theta)
    gone = {space.lift(f(x)): space.lift(f(e)) for f in (real, model.at_tau) for x, e in solution.items()}
    swap = {space.lift(x): space.lift(t) for x, t in zip(model.theta, model.tau, strict=True)}
    for node in sorted(loss.atoms(sp.log), key=sp.count_ops, reverse=True):
        total = node.args[0]
        terms = sp.Add.make_args(total)
        factor = next((-part / node for part in sp.Add.make_args(loss) if part.has(node)), sp.S.Zero)
        if (
            len(terms) < 2
            or factor.free_symbols & {*map(space.lift, model.theta)}
            or any(possible_signs(e, space) != POSITIVE for e in (factor, *terms))
        ):
            continue
        now = [p / total for p in terms]
        before = [w.xreplace(swap) for w in now]
        # log r_k, written out: log p_k(θ) − log P(θ) − log p_k(τ) + log P(τ)
        logs = [sp.log(p) - sp.log(total) - (sp.log(p) - sp.log(total)).xreplace(swap) for p in terms]
        divergence = factor * sum(w - v - v * log for w, v, log in zip(now, before, logs, strict=True))
        scale = "" if factor == 1 else rf"{sp.latex(factor)} \, "
        head = (
            Step(
                rf"$\ell = -{scale}\log \sum_k p_k + \ldots$ with $p_k \in \{{{', '.join(map(sp.latex, terms))}\}}$",
                "each $p_k > 0$",
            ),
            Step(r"$w_k = p_k / \sum_j p_j$, $r_k = w_k(\theta) / w_k(\tau)$", "positive weights that sum to one"),
        )
        tail = Step(
            r"$r - 1 - \log r \ge 0$ for $r > 0$",
            "convex in $r$, with value and slope 0 at $r = 1$ (Jensen's inequality)",
        )
        if vanishes(expr - divergence, space) or (gone and _vanishes_with(gone, expr - divergence, space)):
            return proved(
                "Jensen", *head, Step(rf"gap $= {scale}\sum_k w_k(\tau)\,(r_k - 1 - \log r_k)$", "identity"), tail
            )
    return None


def _by_convexity_of_exp(expr: sp.Expr, space: Domain, seed: int) -> Verdict | None:
    """gap = Σ_k c_k e^{a_k} − c e^{a} with c_k ≥ 0, Σ c_k = c and Σ c_k a_k = c a, as tangents of exp at a show."""
    terms: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(expr)):
        factor, powers = term.as_independent(sp.exp)
        if any(not isinstance(power, sp.exp) for power in sp.Mul.make_args(powers) if power != 1):
            return None
        a = sp.expand(sp.Add(*(power.args[0] for power in sp.Mul.make_args(powers) if power != 1)))
        terms[a] = terms.get(a, sp.S.Zero) + factor
    terms = {a: c for a, c in terms.items() if not vanishes(c, space)}
    if len(terms) < 2 or not all(vanishes(sp.Add(*(c * a**k for a, c in terms.items())), space) for k in (0, 1)):
        return None
    below = [a for a, c in terms.items() if holds_everywhere(Relation(c, ">="), space, seed=seed).status != "proved"]
    if len(below) != 1 or holds_everywhere(Relation(-terms[below[0]], ">="), space, seed=seed).status != "proved":
        return None
    (a,) = below
    shown = "; ".join(f"{sp.latex(c)}, {sp.latex(b)}" for b, c in terms.items() if b != a)
    return proved(
        "convexity of exp",
        Step(rf"gap $= \sum_k c_k e^{{a_k}} - c\,e^{{a}}$, $c = {sp.latex(-terms[a])}$, $a = {sp.latex(a)}$",
             rf"$c_k, a_k$: ${shown}$; each $c_k \ge 0$"),
        Step(r"$\sum_k c_k = c$ and $\sum_k c_k a_k = c\,a$", "identities"),
        Step(r"$e^{a_k} \ge e^a (1 + a_k - a)$", "a convex function lies above its tangents; sum with weights $c_k$"),
    )  # fmt: skip


_SIDE = {1: r"\ge", -1: r"\le"}


def _bend(e: Any) -> int:
    """1 for a function of one argument that is convex wherever it has a value, −1 for a concave one, 0 for others."""
    if isinstance(e, sp.log | sp.exp):
        return 1 if isinstance(e, sp.exp) else -1
    if e.is_Pow and e.exp.is_Rational and not e.exp.is_Integer and e.exp < 1:
        return 1 if e.exp < 0 else -1
    return 0


def _by_lines(model: Model, expr: sp.Expr, space: Domain) -> Verdict | None:
    """c f(A(θ)) ≥ c (f(A(τ)) + f′(A(τ))(A(θ) − A(τ))) where c f is convex in its argument, and the rest is ≥ 0."""
    swap = {space.lift(x): space.lift(t) for x, t in zip(model.theta, model.tau, strict=True)}
    steps, rest = [], expr
    nodes = space.lift(model.loss).atoms(sp.log, sp.exp, sp.Pow)
    for node in sorted(nodes, key=lambda e: (-e.count_ops(), str(e))):
        bend, inner = _bend(node), node.args[0]
        if bend == 0 or not node.has(*swap) or not rest.has(node):
            continue
        atom, argument = fresh(["f", "a"], [rest])
        held = rest.xreplace({node: atom})
        factor = sp.factor(sp.diff(held, atom))
        if factor.has(atom, *swap) or any(condition.has(atom) for condition in held.atoms(sp.Rel)):
            continue
        if not possible_signs(bend * factor, space) <= NONNEGATIVE:
            continue
        touching = Relation(inner.xreplace(swap), ">")  # a root has no tangent line at 0
        if node.is_Pow and holds_everywhere(touching, space).status != "proved":
            continue
        slope = sp.diff(node.func(argument, *node.args[1:]), argument).xreplace({argument: inner.xreplace(swap)})
        line = node.xreplace(swap) + slope * (inner - inner.xreplace(swap))
        rest = held.xreplace({atom: line})
        claim = rf"${sp.latex(node)} {_SIDE[bend]} {sp.latex(line)}$"
        steps.append(Step(claim, f"a {'convex' if bend > 0 else 'concave'} function and its tangent line"))
    for strategy in (by_identity, by_factors) if steps else ():
        if (verdict := strategy(rest, space, False)) is not None:
            return proved("tangent lines", *steps, *verdict.evidence)
    return None


def _vanishes_with(gone: dict[sp.Symbol, sp.Expr], expr: sp.Expr, space: Domain) -> bool:
    """Whether expr is zero once its numerator, logarithms left as they are, has the solution of equations put in."""
    try:
        numerator = Algebra((expr,), space).fraction(expr)[0]
    except TooLarge:
        return False
    return sp.expand(numerator.xreplace(gone)) == 0


def derive_S_bar(model: Model) -> tuple[sp.Expr, ...]:
    """S̄ from tangency, S̄ = (J_φᵀ)^{-1}(∇ψ − ∇ℓ), in θ (the expansion point), when J_φ is square and invertible."""
    jacobian = sp.Matrix(model.phi).jacobian(sp.Matrix(model.theta)).T
    if not jacobian.is_square or jacobian.det() == 0:
        raise InvalidInput(
            f"{model.name}: J_phi is {jacobian.T.shape} or singular, so tangency does not give S_bar: state it."
        )
    slope = sp.Matrix([sp.diff(model.psi - model.loss, x) for x in model.theta])
    return tuple(sp.simplify(entry) for entry in jacobian.LUsolve(slope))
