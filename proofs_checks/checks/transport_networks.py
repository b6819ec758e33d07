"""Section 7: the two-network form (31), the regulariser that makes a minimum of it, and what a zero of it says.

Counterexamples are the quadratic potentials of `transport` unless they say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from fedmm_edu.symbolic.certificate import CertificateFails, Hypothesis, decide, derive, verify
from fedmm_edu.symbolic.gram import atoms, inner, scalars, square
from fedmm_edu.symbolic.verdict import Step, Verdict, Witness
from proofs_checks.checks.transport import CYCLE, DUAL, LOSS, Q, a, b, lam, least, only, q, v

# ----------------------------------------------------------------------------------------- two networks, regulariser


def two_networks(extremum: str, rich: bool = True) -> Verdict:
    """(31): `extremum` over (ω, θ) of E_P f_ω + E_Q[⟨∇f_θ(Y), Y⟩ − f_ω(∇f_θ(Y))] solves (30) over the family.

    `rich`: for every ω some θ has ∇f_θ = ∇f_ω^c Q-a.e.
    """
    given = [extremum, *(["rich"] if rich else [])]
    conjugate, plugged = scalars(r"E_Q f_\omega^c(Y)", r"E_Q[\langle t(Y), Y \rangle - f_\omega(t(Y))]")
    young = Hypothesis(
        conjugate - plugged,
        r"$f_\omega(t) + f_\omega^c(y) \geq \langle t, y \rangle$ at $t = \nabla f_\theta(y)$, integrated",
    )
    says = r"no θ gives more than $E_Q f_\omega^c(Y)$"
    return decide(
        "derivation",
        lambda: derive(
            given,
            (
                "min over omega of max over theta",
                lambda: verify(conjugate - plugged, {"y": young}, {"y": 1}, says=says),
            ),
            ("rich", Step(r"$\max_\theta = E_Q f_\omega^c(Y)$", r"attained at $\nabla f_\theta = \nabla f_\omega^c$")),
            ("", Step("the minimum over ω is (30) over the family", "row ot-makkuva")),
        ),
        [lambda: _quadratic_pair(extremum, rich)],
    )


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


CONDITIONS = {"none": None, ">= 1/4": (Q(1, 4), False), ">= 1/2": (Q(1, 2), False), "> 1/2": (Q(1, 2), True)}


def regularised(condition: str, conclusion: str = "exactly") -> Verdict:
    """(32), (33): with λR_Q the joint argmin is the solution ω* of (30) in a rich family, and ∇f_θ* = ∇f_ω*^c Q-a.e.

    `condition` on λβ, each f_ω being β-strongly convex; `conclusion` "exactly" (no other minimiser) or "contains".
    """
    bound = CONDITIONS[condition]

    def prove() -> Sequence[Step]:
        if bound is None:
            raise CertificateFails("nothing bounds the gap by λR_Q without a curvature of f_ω: give a condition.")
        steps = (*curvature_certificate(*bound), *_quadratic_identity())
        reached = Step(
            r"equality at $\nabla f_\theta = \nabla f_\omega^c$", "both sides are 0; such a θ exists (rich family)"
        )
        dual = Step(
            r"$l(\omega, \theta) + \lambda R_Q \geq E_P f_\omega + E_Q f_\omega^c$",
            "integrated over Q, plus $E_P f_\\omega$",
        )
        if conclusion == "exactly":
            only(True, bound[1], "at λβ = 1/2 the surplus vanishes and other minimisers may appear")
        only_those = Step(
            r"any other minimiser has $R_Q = 0$, so $\nabla f_\theta = (\nabla f_\omega)^{-1}$ Q-a.e.",
            "the surplus is positive",
        )
        return (*steps, dual, reached, *([only_those] if conclusion == "exactly" else []))

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


def cycle(conclusion: str = "composition", measure: str = "Q") -> Verdict:
    """R_Q = 0 if and only if ∇f_ω∘∇f_θ = id `measure`-a.e. ("composition"), or f_θ = f_ω^c ("conjugate")."""
    mean, tail = scalars(r"E_Q N", r"Q(N \geq 1/k)")
    k = sp.Symbol("k", positive=True)
    given = {
        "Markov": Hypothesis(mean - tail / k, r"$N \geq \frac{1}{k} 1_{N \geq 1/k}$, integrated"),
        "zero": Hypothesis(mean, "$R_Q = E_Q N = 0$", equality=True),
    }

    def prove() -> Sequence[Step]:
        only(("composition", "Q"), (conclusion, measure), "R_Q sees the gradients at the points of Q only")
        says = (
            r"$Q(N \geq 1/k) \leq 0$ for every $k$, so $N = \|\nabla f_\omega(\nabla f_\theta(Y)) - Y\|^2 = 0$ Q-a.e."
        )
        back = Step("conversely, the mean of 0 is 0", "a.e. equal functions have equal integrals")
        return (*verify(-tail, given, {"Markov": k, "zero": -k}, says=says), back)

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


GATES = {"relu": (sp.S.One, sp.S.Zero), "(relu^2)/2": (1 - sp.Symbol("theta"), sp.S.Zero)}  # σ'(1 − θ) for θ < 1, θ > 1


def differentiable(activation: str) -> Verdict:
    """With potentials built from `activation` (or "C2": twice continuously differentiable in (θ, y)), (33) is
    differentiable in (ω, θ) when Q and the P_i are finitely many samples."""
    given = [activation]
    chain = Step(
        r"$\theta \mapsto \nabla f_\theta(y)$ and $(\omega, \theta) \mapsto f_\omega(\nabla f_\theta(y)), \nabla "
        r"f_\omega(\nabla f_\theta(y))$ are $C^1$",
        "chain rule: each needs one derivative of a gradient that is itself continuously differentiable",
    )
    finite = Step("so is (33)", "a finite sum of inner products and squares of these")
    return decide("derivation", lambda: derive(given, ("C2", chain), ("C2", finite)), [lambda: _kink(activation)])


def _kink(activation: str) -> Witness | None:
    """Q = δ_1, f_ω = x², f_θ(y) = y²/2 + σ(y − θ), λ = 1, at θ = 1: values and slopes from both sides."""
    if activation not in GATES:
        return None
    theta = sp.Symbol("theta")
    sides = []
    for gate in GATES[activation]:
        t = 1 + gate  # ∇f_θ(1)
        value = t - t**2 + (2 * t - 1) ** 2
        sides.append([expr.subs(theta, 1) for expr in (value, sp.diff(value, theta))])
    names = ("the objective", "its derivative")
    for name, left, right in zip(names, *sides, strict=True):
        if left != right:
            point = {"Q": "the atom 1", "f_omega": "x^2", "f_theta": f"y^2/2 + {activation}(y - theta)", "theta": "1"}
            return Witness({**point, "lambda": "1"}, f"{name} is ${left}$ from the left and ${right}$ from the right")
    return None
