"""Section 7: the two-network form (31), the regulariser that makes a minimum of it, and what a zero of it says.

Counterexamples are the quadratic potentials of `transport` unless they say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, verify
from fedmm_edu.proofs.gram import atoms, inner, scalars, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.s7_transport.plans import CYCLE, DUAL, LOSS, Q, a, b, lam, least, q, v

# ----------------------------------------------------------------------------------------- two networks, regulariser


def two_networks(
    extremum: Literal["argmax", "argmin", "min over omega of max over theta"], rich: bool = True
) -> Verdict:
    """(31): `extremum` over (ω, θ) of E_P f_ω + E_Q[⟨∇f_θ(Y), Y⟩ − f_ω(∇f_θ(Y))] solves (30) over the family.

    `rich`: for every ω some θ has ∇f_θ = ∇f_ω^c Q-a.e.
    """
    outer, inside = {"argmin": (-1, -1), "argmax": (1, 1), "min over omega of max over theta": (-1, 1)}[extremum]
    potential, conjugate, plugged, best = scalars(
        r"E_P f_\omega(X)",
        r"E_Q f_\omega^c(Y)",
        r"E_Q[\langle t(Y), Y \rangle - f_\omega(t(Y))]",
        r"\mathrm{ext}_\theta",
    )
    young = Hypothesis(
        conjugate - plugged,
        r"$f_\omega(t) + f_\omega^c(y) \geq \langle t, y \rangle$ at $t = \nabla f_\theta(y)$, integrated",
    )
    attained = Hypothesis(best - conjugate, r"rich family: $\nabla f_\theta = \nabla f_\omega^c$", equality=True)

    def prove() -> Sequence[Step]:
        given = {"young": young, **({"rich": attained} if rich else {})}
        says = r"no θ does better than $E_Q f_\omega^c(Y)$"
        bound = verify(inside * (conjugate - plugged), given, {"young": 1}, says=says)
        value = verify(best - conjugate, given, {"rich": 1}, equality=True, says="and one θ attains it")
        dual = "what ω maximises is then the objective of (30), as in row ot-makkuva"
        same = verify(
            outer * (potential + best) + potential + conjugate, given, {"rich": outer}, equality=True, says=dual
        )
        return (*bound, *value, *same)

    return decide("derivation", prove, [lambda: _quadratic_pair(extremum, rich)])


def _quadratic_pair(extremum: str, rich: bool) -> Witness | None:
    value, point = LOSS.subs({v: 1, q: 1}), {"P, Q": "N(0, 1)", "f_omega": "a x^2/2", "f_theta": "b y^2/2"}
    if extremum.startswith("arg"):
        free, other = (b, a) if extremum == "argmin" else (a, b)
        along = value.subs(other, 1 if extremum == "argmin" else Q(1, 2))
        limit = sp.limit(along, free, sp.oo)
        where = "$a = 1$" if extremum == "argmin" else "$b = 1/2$"
        says = f"at {where} it is ${sp.latex(along)}$, which tends to ${sp.latex(limit)}$: no {extremum}"
        return Witness(point, says) if limit == (-sp.oo if extremum == "argmin" else sp.oo) else None
    best = 1 / a if rich else sp.S.One  # without richness f_θ = y²/2 only
    inside, dual = sp.cancel(value.subs(b, best)), DUAL.subs({v: 1, q: 1})
    difference = (inside - dual).subs(a, 2)
    return Witness({**point, "a": "2"}, f"$\\max_\\theta$ misses (30) by ${difference}$") if difference != 0 else None


def curvature_certificate(bound: sp.Expr, strictly: bool) -> Sequence[Step]:
    """λ‖∇f(t) − y‖² ≥ f(t) + f^c(y) − ⟨t, y⟩ + surplus, for β-strongly convex f and λ = `bound`/β or more."""
    beta, extra = sp.symbols("beta epsilon", positive=True)
    t, xs, s, y = atoms("t", r"x", r"\nabla f(t)", "y")
    ft, fx = scalars("f(t)", "f(x)")
    gap = ft - fx - inner(y, t - xs)  # f(t) + f^c(y) − ⟨t, y⟩, as f^c(y) = ⟨x, y⟩ − f(x)
    strong = Hypothesis(
        fx - ft - inner(s, xs - t) - beta * square(xs - t) / 2,
        r"$f$ is β-strongly convex, which also gives the $x$ with $\nabla f(x) = y$",
    )
    weight = bound / beta + (extra if strictly else 0)
    surplus = extra if strictly else sp.S.Zero
    rest = (bound - Q(1, 2)) / beta
    return verify(
        weight * square(s - y) - gap - surplus * square(s - y),
        {"strong": strong},
        {"strong": 1},
        squares=[(1 / (2 * beta), s - y - beta * (t - xs)), *([(rest, s - y)] if rest != 0 else [])],
        says=r"$\lambda \|\nabla f(t) - y\|^2 - (f(t) + f^c(y) - \langle t, y \rangle) \geq "
        + ("(\\lambda - 1/(2\\beta)) \\|\\nabla f(t) - y\\|^2$" if strictly else "0$"),
    )


CONDITIONS = {
    "none": (sp.Symbol("c", positive=True), False),  # λβ may be any number c
    ">= 1/4": (Q(1, 4), False),
    ">= 1/2": (Q(1, 2), False),
    "> 1/2": (Q(1, 2), True),
}


def surplus_certificate(condition: str) -> Sequence[Step]:
    """R_Q = 0 at every minimiser: λR_Q − gap ≥ surplus·R_Q, where the surplus ε = λ − 1/(2β) is positive or 0."""
    extra, cycle = sp.Symbol("epsilon", positive=True), sp.Symbol("R_Q", nonnegative=True)
    (margin,) = scalars(r"\lambda R_Q - \mathrm{gap}")
    given = {
        "surplus": Hypothesis(
            margin - (extra if CONDITIONS[condition][1] else 0) * cycle, "the inequality above, integrated over Q"
        ),
        "minimiser": Hypothesis(-margin, "no better value than where $R_Q$ and the gap are 0"),
    }
    says = r"any other minimiser has $R_Q \leq 0$, so $\nabla f_\theta = (\nabla f_\omega)^{-1}$ Q-a.e."
    return verify(-cycle, given, {"surplus": 1 / extra, "minimiser": 1 / extra}, says=says)


def regularised(condition: Literal["> 1/2", ">= 1/2", ">= 1/4", "none"], conclusion: str = "exactly") -> Verdict:
    """(32), (33): with λR_Q the joint argmin is the solution ω* of (30) in a rich family, and ∇f_θ* = ∇f_ω*^c Q-a.e.

    `condition` on λβ, each f_ω being β-strongly convex; `conclusion` "exactly" (no other minimiser) or "contains".
    """

    def prove() -> Sequence[Step]:
        steps = (*curvature_certificate(*CONDITIONS[condition]), *_quadratic_identity())
        reached = Step(
            r"equality at $\nabla f_\theta = \nabla f_\omega^c$", "both sides are 0; such a θ exists (rich family)"
        )
        dual = Step(
            r"$l(\omega, \theta) + \lambda R_Q \geq E_P f_\omega + E_Q f_\omega^c$",
            "integrated over Q, plus $E_P f_\\omega$",
        )
        return (*steps, dual, reached, *(surplus_certificate(condition) if conclusion == "exactly" else ()))

    return decide("certificate", prove, [lambda: _unbounded(condition), lambda: _flat_direction(condition, conclusion)])


def _quadratic_identity() -> Sequence[Step]:
    """Why the condition is sharp: the objective for quadratic potentials."""
    target = LOSS + lam * CYCLE - DUAL - (lam - 1 / (2 * a)) * CYCLE
    says = r"for quadratic potentials, $l + \lambda R_Q = av/2 + q/(2a) + (\lambda - 1/(2a)) (ab - 1)^2 q$: sharp"
    return verify(target, {}, {}, equality=True, says=says)


def _unbounded(condition: str) -> Witness | None:
    """λ = 1 and a = 1/4, so λβ = 1/4: along b the objective goes to −∞."""
    if condition not in ("none", ">= 1/4"):
        return None
    along = sp.expand((LOSS + lam * CYCLE).subs({lam: 1, a: Q(1, 4), v: 1, q: 1}))
    limit = sp.limit(along, b, sp.oo)
    point = {"P, Q": "N(0, 1)", "f_omega": "x^2/8", "f_theta": "b y^2/2", "lambda": "1"}
    return (
        Witness(point, f"the objective is ${sp.latex(along)}$, which tends to ${sp.latex(limit)}$")
        if limit == -sp.oo
        else None
    )


def _flat_direction(condition: str, conclusion: str) -> Witness | None:
    """λ = 1, a = β = 1/2, v = 4: the best ω, and every b is as good as the conjugate b = 2."""
    along = sp.expand((LOSS + lam * CYCLE).subs({lam: 1, a: Q(1, 2), v: 4, q: 1}))
    best = least(DUAL.subs({v: 4, q: 1}), a)
    if condition != ">= 1/2" or conclusion != "exactly" or along.has(b) or best != Q(1, 2):
        return None
    point = {"P": "N(0, 4)", "Q": "N(0, 1)", "f_omega": "x^2/4", "f_theta": "3y^2/2", "lambda": "1", "beta": "1/2"}
    return Witness(point, f"the objective is its minimum ${along}$ for every $b$, $b = 3 \\neq 1/a$ included")


# ------------------------------------------------------------------------------------------- R_Q, and differentiability


def cycle(
    conclusion: Literal["composition", "conjugate"] = "composition", measure: Literal["P", "Q", "everywhere"] = "Q"
) -> Verdict:
    """R_Q = 0 if and only if ∇f_ω∘∇f_θ = id `measure`-a.e. ("composition"), or f_θ = f_ω^c ("conjugate")."""
    mean, tail = scalars(r"E_Q N", r"Q(N \geq 1/k)")
    k = sp.Symbol("k", positive=True)
    event = r"|f_\theta - f_\omega^c| \geq 1/k" if conclusion == "conjugate" else r"N \geq 1/k"
    (claimed,) = scalars({"everywhere": f"1_{{{event}}}(y)"}.get(measure, f"{measure}({event})"))  # should be 0
    given = {
        "Markov": Hypothesis(mean - tail / k, r"$N \geq \frac{1}{k} 1_{N \geq 1/k}$, integrated"),
        "zero": Hypothesis(mean, "$R_Q = E_Q N = 0$", equality=True),
    }

    def prove() -> Sequence[Step]:
        says = (
            r"$Q(N \geq 1/k) \leq 0$ for every $k$, so $N = \|\nabla f_\omega(\nabla f_\theta(Y)) - Y\|^2 = 0$ Q-a.e."
        )
        back = Step("conversely, the mean of 0 is 0", "a.e. equal functions have equal integrals")
        return (*verify(-claimed, given, {"Markov": k, "zero": -k}, says=says), back)

    return decide("certificate", prove, [lambda: _square_map(conclusion, measure)])


def _square_map(conclusion: str, measure: str) -> Witness | None:
    """Q = δ_1, P = δ_2. f_ω = x²/2 with f_θ = y³/3 on y ≥ 0, or f_θ = y²/2 + 1."""
    y = sp.Symbol("y", nonnegative=True)
    f_theta = y**2 / 2 + 1 if conclusion == "conjugate" else y**3 / 3
    composed = sp.diff(f_theta, y)  # ∇f_ω = id
    if (composed - y).subs(y, 1) != 0:
        return None
    point = {"Q": "the atom 1", "P": "the atom 2", "f_omega": "x^2/2", "f_theta": str(f_theta)}
    if conclusion == "conjugate" and f_theta != y**2 / 2:
        return Witness(point, "$R_Q = 0$, but $f_\\omega^c = y^2/2$ is not $f_\\theta$")
    image = composed.subs(y, 2)
    if measure in ("P", "everywhere") and image != 2:
        return Witness(point, f"$R_Q = 0$, but $\\nabla f_\\omega(\\nabla f_\\theta(2)) = {image}$")
    return None


u = sp.Symbol("u", real=True)
ACTIVATIONS = {"relu": u, "(relu^2)/2": u**2 / 2}  # σ(u) for u > 0, and 0 for u < 0


def _order(activation: str) -> int:
    """How many derivatives of the activation are continuous: those at which the two pieces meet; 2 for "C2"."""
    if activation not in ACTIVATIONS:
        return 2
    return next(k for k in range(9) if sp.diff(ACTIVATIONS[activation], u, k).subs(u, 0) != 0) - 1


def differentiable(activation: Literal["(relu^2)/2", "C2", "relu"]) -> Verdict:
    """With potentials built from `activation` (or "C2": twice continuously differentiable in (θ, y)), (33) is
    differentiable in (ω, θ) when Q and the P_i are finitely many samples."""
    order = _order(activation)

    def prove() -> Sequence[Step]:
        if order - 1 < 1:  # the gradient in the argument costs one derivative, the derivative in (ω, θ) another
            raise CertificateFails(f"the potentials are $C^{order}$: they lack the two derivatives that (33) takes.")
        chain = Step(
            r"$\theta \mapsto \nabla f_\theta(y)$ and $(\omega, \theta) \mapsto f_\omega(\nabla f_\theta(y)), \nabla "
            r"f_\omega(\nabla f_\theta(y))$ are $C^1$",
            f"potentials are $C^{order}$, their gradients $C^{order - 1}$; composites by the chain rule",
        )
        return (chain, Step("so is (33)", "a finite sum of inner products and squares of these"))

    return decide("derivation", prove, [lambda: _kink(activation)])


def _kink(activation: str) -> Witness | None:
    """Q = δ_1, f_ω = x², f_θ(y) = y²/2 + σ(y − θ), λ = 1, at θ = 1: values and slopes from both sides."""
    if activation not in ACTIVATIONS:
        return None
    theta = sp.Symbol("theta")
    sides = []
    for gate in (sp.diff(ACTIVATIONS[activation], u).subs(u, 1 - theta), sp.S.Zero):  # σ'(1 − θ): θ < 1, θ > 1
        t = 1 + gate  # ∇f_θ(1)
        value = t - t**2 + (2 * t - 1) ** 2
        sides.append([expr.subs(theta, 1) for expr in (value, sp.diff(value, theta))])
    names = ("the objective", "its derivative")
    for name, left, right in zip(names, *sides, strict=True):
        if left != right:
            point = {"Q": "the atom 1", "f_omega": "x^2", "f_theta": f"y^2/2 + {activation}(y - theta)", "theta": "1"}
            return Witness({**point, "lambda": "1"}, f"{name} is ${left}$ from the left and ${right}$ from the right")
    return None
