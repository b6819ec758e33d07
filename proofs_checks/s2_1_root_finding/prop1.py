"""The checks behind Proposition 1, parts (10) and (11), and behind the displays of its proof in Appendix B.

For u = ψ − ⟨s, φ⟩ and τ in the interior of Θ, the chain rule reads ∇u(τ) = ∇ψ(τ) − J_φ(τ)ᵀ s with the paper's q × d
Jacobian (L 246). `transpose` says whether a statement writes this transpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import same_vector, verify
from fedmm_edu.proofs.gram import Vector, atoms, inner, operator, scalars
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.mm_instances import (
    ALL,
    INTERIOR,
    Instance,
    Interval,
    Line,
    Point,
    otherwise,
    try_and_derive,
    valid,
    x,
)

GRAD_F, GRAD_PSI, MEAN, S = atoms(r"\nabla f(\tau)", r"\nabla \psi(\tau)", r"\bar s(\tau)", "s")
Jt = operator(r"J^\top")
CHAIN_RULE = r"chain rule: $\nabla \langle s, \phi \rangle (\tau) = J_\phi(\tau)^\top s$, a vector of $\mathbb{R}^d$"


def J(transpose: bool) -> Callable[[Vector], Vector]:
    """The operator that the statement writes."""
    return Jt if transpose else operator("J")


def gradient_u(i: Instance, s: Point, theta: Point) -> sp.Matrix:
    """∇(ψ − ⟨s, φ⟩)(θ) by differentiating the expression itself."""
    return i.gradient(i.u(s), theta)


def differentiable(i: Instance, theta: Point) -> bool:
    """Whether f, ψ and φ have gradients at θ, one-sided at a boundary point: no jump there."""
    return all(i.at(entry, theta) == i.at(otherwise(entry), theta) for entry in (i.f, i.psi, *i.phi))


def admissible(i: Instance, theta: Point, hypotheses: Sequence[str]) -> bool:
    return differentiable(i, theta) and (i.interior(theta) or "interior" not in hypotheses)


# ---------------------------------------------------------------------------- (42): the gradients of f and surrogate


def tangent_lines(transpose: bool) -> tuple[Line, ...]:
    """∇f(τ) − ∇ψ(τ) + J^⊤ s̄(τ) = 0: D = f − ψ + ⟨s̄(τ), φ⟩ + constant is ≤ 0 and vanishes at τ."""

    def formula() -> Sequence[Step]:
        says = r"$0 = \nabla D(\tau) = \nabla f(\tau) - \nabla \psi(\tau) + J_\phi(\tau)^\top \bar s(\tau)$"
        return [same_vector(GRAD_F - GRAD_PSI + J(transpose)(MEAN), GRAD_F - GRAD_PSI + Jt(MEAN), CHAIN_RULE, says)]

    linear = r"\langle \bar s(\tau), \phi(\theta) - \phi(\tau) \rangle"
    difference = rf"$D(\theta) = f(\theta) - f(\tau) - \psi(\theta) + \psi(\tau) + {linear}"
    return (
        (
            "MM-1",
            Step(difference + r" \leq 0 = D(\tau)$ on $\Theta$", r"MM-1, with $\bar s(\tau) = E_\pi[\bar S(Z,\tau)]$"),
        ),
        (
            "A1; A2; interior",
            Step(r"$\nabla D(\tau) = 0$", r"a differentiable function has gradient 0 at an interior maximum"),
        ),
        ("", formula),
    )


def check_42(transpose: bool, hypotheses: Sequence[str] = INTERIOR) -> Verdict:
    """∇f(τ) − ∇ψ(τ) + J_φ(τ)^(⊤) E S̄(τ) = 0."""

    def fails(i: Instance) -> Witness | None:
        for tau in i.thetas:
            if not admissible(i, tau, hypotheses):
                continue
            product = i.times_jacobian(tau, i.mean_S_bar(tau), transpose)
            if product is None:
                return i.witness("the product of the Jacobian and the vector does not exist", {"tau": tau})
            total = i.gradient(i.f, tau) - i.gradient(i.psi, tau) + product
            if any(total):
                return i.witness(f"the left side is $({_entries(total)})$", {"tau": tau}, left=total)
        return None

    return try_and_derive(hypotheses, fails, *tangent_lines(transpose))


def _entries(vector: sp.Matrix) -> str:
    return ", ".join(map(str, vector))


# ------------------------------------------------------------------------- (38), (39), (40), (41): subdifferentials


def check_38(hypotheses: Sequence[str] = ALL) -> Verdict:
    """0 ∈ ∂(g + ψ − ⟨s, φ⟩)(T(s))."""

    def fails(i: Instance) -> Witness | None:
        for s in map(i.to_s, i.mirrors):
            best = i.T_of(s)
            value = i.at(i.u(s), best) + i.penalty(best)
            for theta in (*i.thetas, *map(i.T_of, map(i.to_s, i.mirrors))):
                lower = i.at(i.u(s), theta) + i.penalty(theta)
                if lower < value:
                    return i.witness(
                        f"${lower} < {value}$, the value at $T(s)$", {"s": s, "T(s)": best, "theta": theta}
                    )
        return None

    meaning = r"$g + \psi - \langle s, \phi \rangle$ at $\theta$ is at least its value at $T(s)$ plus $0$"
    return try_and_derive(
        hypotheses, fails, ("MM-2", Step(meaning, "MM-2; this is the definition of a zero subgradient"))
    )


def check_lsc(where: Literal["everywhere", "inside"], hypotheses: Sequence[str] = ALL) -> Verdict:
    """ψ − ⟨s, φ⟩ (+∞ outside Θ) is convex, and lower semicontinuous "everywhere" or, less, "inside" Θ."""

    def fails(i: Instance) -> Witness | None:
        for s in map(i.to_s, i.mirrors):
            for theta in i.thetas:
                if where == "inside" and not i.interior(theta):
                    continue
                u = i.u(s)
                value, limit = i.at(u, theta), i.at(otherwise(u), theta)
                if value > limit:
                    says = rf"$\psi - \langle s, \phi \rangle$ is ${value}$ at $\theta$ but tends to ${limit}$ nearby"
                    return i.witness(says, {"s": s, "theta": theta}, value=value, limit=limit)
        return None

    def closed() -> Sequence[Step]:
        """lim u − u(θ) ≥ 0 at a boundary point θ, where u = ψ − ⟨s, φ⟩."""
        limit, value = scalars(r"\lim u", r"u(\theta)")
        known = {
            "continuous": Hypothesis(limit - value, "continuity up to the boundary is assumed", equality=True)
            if "continuous up to the boundary" in hypotheses
            else Hypothesis(value - limit, "$u$ is convex: it may only jump up at the boundary"),
        }
        says = r"$\psi - \langle s, \phi \rangle$ is lower semicontinuous at the boundary of $\Theta$"
        return verify(limit - value, known, {"continuous": 1}, says=says)

    lines = (
        ("A1", Step(r"$\psi - \langle s, \phi \rangle$ is convex and finite on $\Theta$, hence proper convex", "A1")),
        ("A1", Step(r"it is continuous on the interior of $\Theta$", r"$\psi$ and $\phi$ are $C^1$ there")),
    )
    return try_and_derive(hypotheses, fails, *lines, *([("", closed)] if where == "everywhere" else []))


def slopes(i: Instance, expr: sp.Expr, theta: Point) -> Interval:
    """∂(expr + indicator of Θ)(θ) in dimension one: between the left and the right derivative."""
    h = sp.Symbol("h", positive=True)
    value, smooth = i.at(expr, theta), otherwise(expr)
    low, high = i.box[0]

    def one_sided(sign: int) -> sp.Expr:
        near = smooth.subs(x, theta[0] + sign * h)
        near = near.subs(
            sp.Abs(theta[0] + sign * h), sp.Abs(theta[0]) + h if sign * theta[0] >= 0 else sp.Abs(theta[0]) - h
        )
        return sp.limit(sp.expand(sp.cancel(near - value)) / (sign * h), h, 0, "+")

    return (
        -sp.oo if theta[0] == low else one_sided(-1),
        sp.oo if theta[0] == high else one_sided(1),
    )


def check_39(hypotheses: Sequence[str] = (*ALL, "domains meet inside")) -> Verdict:
    """∂(g + u)(τ) = ∂g(τ) + ∂u(τ) for u = ψ − ⟨s, φ⟩ and every τ in Θ; "domains meet inside": as Θ = dom g = dom u."""

    def fails(i: Instance) -> Witness | None:
        for s, tau in ((s, tau) for s in map(i.to_s, i.mirrors) for tau in i.thetas):
            (low, high), (u_low, u_high) = i.subgradients(tau)[0], slopes(i, i.u(s), tau)
            total = slopes(i, i.u(s) + i.penalty(), tau)
            if total != (low + u_low, high + u_high):
                return i.witness(f"the sum rule misses: ${total}$", {"s": s, "tau": tau})
        return None

    def outside(i: Instance) -> Witness | None:
        """g = indicator of (−∞, 0], u = −√θ on [0, ∞): the sum has every slope at 0, u has none."""
        slope = sp.Symbol("w", positive=True)
        negative = sp.cancel(-1 / (2 * slope) + 1 / (4 * slope))  # −√θ − vθ at θ = 1/(4v²), v = −w
        if "domains meet inside" in hypotheses or not negative.is_negative:
            return None
        says = (
            r"$\partial(g+u)(0) = \mathbb{R}$ but $\partial u(0)$ is empty: no slope $v$ has $-\sqrt{\theta} \geq "
            r"v \theta$"
        )
        return Witness({"g": "indicator of (-oo, 0]", "u": "-sqrt(theta) on [0, oo)", "tau": "0"}, says)

    rule = Step(
        r"$\partial(g+u)(\tau) = \partial g(\tau) + \partial u(\tau)$ for every $\tau \in \Theta$",
        "subdifferential sum rule for proper convex functions in finite dimension whose domains have a common relative "
        "interior point (Rockafellar, Theorem 23.8); lower semicontinuity is not needed",
    )
    lines = (("A1", Step(r"$g$ and $u$ are proper convex with domain $\Theta$", "A1")), ("domains meet inside", rule))
    return try_and_derive(hypotheses, lambda i: fails(i) or outside(i), *lines, applies=lambda i: i.d == 1)


def check_40(transpose: bool, hypotheses: Sequence[Literal["A1", "A2", "MM-1", "MM-2", "interior"]] = ALL) -> Verdict:
    """∂(ψ − ⟨s, φ⟩)(τ) = {∇ψ(τ) − J_φ(τ)^(⊤) s}; without "interior" among `hypotheses`, for every τ in Θ."""

    def fails(i: Instance) -> Witness | None:
        for s, tau in ((s, tau) for s in map(i.to_s, i.mirrors) for tau in i.thetas):
            if not admissible(i, tau, hypotheses):
                continue
            true, product = gradient_u(i, s, tau), i.times_jacobian(tau, s, transpose)
            if product is None:
                return i.witness("the product of the Jacobian and the vector does not exist", {"s": s, "tau": tau})
            printed = i.gradient(i.psi, tau) - product
            if printed != true:
                says = f"the formula gives $({_entries(printed)})$, the gradient is $({_entries(true)})$"
                return i.witness(says, {"s": s, "tau": tau}, formula=printed, gradient=true)
            if i.d == 1 and tau[0] == i.box[0][0]:  # at a left end point every smaller slope is a subgradient, too
                other = true[0] - 1
                above = i.u(s) - i.at(i.u(s), tau) - other * (x - tau[0])
                if valid([sp.Ge(x, i.box[0][0]), sp.Le(x, i.box[0][1])], above >= 0):
                    return i.witness(f"${other}$ is a subgradient, too", {"s": s, "tau": tau}, subgradient=other)
        return None

    def formula() -> Sequence[Step]:
        says = r"$\nabla (\psi - \langle s, \phi \rangle)(\tau) = \nabla \psi(\tau) - J_\phi(\tau)^\top s$"
        return [same_vector(GRAD_PSI - J(transpose)(S), GRAD_PSI - Jt(S), CHAIN_RULE, says)]

    single = Step(
        r"at an interior point the subdifferential of a differentiable convex function is its gradient",
        r"a subgradient $v$ has $u(\tau + \epsilon w) - u(\tau) \geq \epsilon \langle v, w \rangle$ for all small "
        r"$\pm\epsilon$",
    )
    return try_and_derive(hypotheses, fails, ("", formula), ("A1; interior", single))


def first_order_lines() -> tuple[Line, ...]:
    """τ minimises g + u and u is differentiable at τ: then −∇u(τ) ∈ ∂g(τ), without any sum rule."""

    def segment() -> Sequence[Step]:
        lam = sp.Symbol("lambda", positive=True)
        g0, g1, g_mid, u0, u_mid = scalars(
            r"g(\tau)", r"g(\theta)", r"g(\theta_\lambda)", r"u(\tau)", r"u(\theta_\lambda)"
        )
        given = {
            "minimum": Hypothesis(
                g_mid + u_mid - g0 - u0, r"$\tau$ minimises $g + u$, $\theta_\lambda = \tau + \lambda(\theta-\tau)$"
            ),
            "convex": Hypothesis((1 - lam) * g0 + lam * g1 - g_mid, "$g$ is convex"),
        }
        return verify(lam * (g1 - g0) + u_mid - u0, given, {"minimum": 1, "convex": 1})

    limit = Step(
        r"$g(\theta) - g(\tau) + \langle \nabla u(\tau), \theta-\tau \rangle \geq 0$ for all $\theta$",
        r"divide the last line by $\lambda$ and let $\lambda \to 0$",
    )
    return (("MM-2", segment), ("A1; interior", limit))


def check_41(transpose: bool, hypotheses: Sequence[Literal["A1", "A2", "MM-1", "MM-2", "interior"]] = ALL) -> Verdict:
    """J_φ(T(s))^(⊤) s − ∇ψ(T(s)) ∈ ∂g(T(s)); without "interior" among `hypotheses`, for every s in 𝒮."""

    def fails(i: Instance) -> Witness | None:
        for s in map(i.to_s, i.mirrors):
            theta = i.T_of(s)
            if not admissible(i, theta, hypotheses):
                continue
            product = i.times_jacobian(theta, s, transpose)
            if product is None:
                return i.witness("the product of the Jacobian and the vector does not exist", {"s": s, "T(s)": theta})
            vector = product - i.gradient(i.psi, theta)
            if not i.in_subdifferential(vector, theta):
                says = rf"$({_entries(vector)})$ is no subgradient of $g$ at $T(s)$"
                return i.witness(says, {"s": s, "T(s)": theta}, vector=vector)
        return None

    def formula() -> Sequence[Step]:
        says = (
            r"$-\nabla u(\tau) = J_\phi(\tau)^\top s - \nabla \psi(\tau)$ for $u = \psi - \langle s, \phi "
            r"\rangle$, $\tau = T(s)$"
        )
        return [same_vector(J(transpose)(S) - GRAD_PSI, Jt(S) - GRAD_PSI, CHAIN_RULE, says)]

    return try_and_derive(hypotheses, fails, *first_order_lines(), ("", formula))


# -------------------------------------------------------------------------------------------- the statements (10), (11)


def poisson_lines(gradient_sign: int = 1, sign: int = -1) -> Sequence[Step]:
    """(10) and (11) for the Poisson model of Appendix C.1 (L 1113 on), for every law of the latent intensity.

    With x = e^θ and w = −E S̄ at θ: ∇f = −z + x w, g = λx, φ = e^θ, ψ = −zθ, T(s) = log(z/(λ − s)).
    """
    at, z, lam, w = sp.symbols("x z lambda w", positive=True)
    s = sp.Symbol("s", negative=True)
    critical, fixed = gradient_sign * (-z + at * w) + lam * at, at - z / (lam + w)
    says = r"Poisson: $\nabla f + \nabla g = (\lambda + w)(x - e^{T(\bar s)})$, so both vanish together"
    first = verify(critical - (lam + w) * fixed, {}, {}, equality=True, says=says)
    image = z / (lam - s)  # e^{T(s)}
    left, right = sign * image * (-w - s), (-z + at * w + lam * at).subs(at, image)
    says = r"Poisson: $-J_\phi(T(s))^\top h(s) = \nabla f(T(s)) + \nabla g(T(s))$ for every $s < 0$"
    return (*first, *verify(left - right, {}, {}, equality=True, says=says))


def check_10(hypotheses: Sequence[str] = INTERIOR, gradient_sign: int = 1) -> Verdict:
    """For τ in int Θ: 0 ∈ sign·∇f(τ) + ∂g(τ) ⟺ T(E S̄(τ)) = τ."""

    def fails(i: Instance) -> Witness | None:
        for tau in i.thetas:
            if not admissible(i, tau, hypotheses):
                continue
            critical = i.in_subdifferential(-gradient_sign * i.gradient(i.f, tau), tau)
            image = i.T_of(i.mean_S_bar(tau))
            if critical != (image == tau):
                says = f"critical: {critical}; $T(E_\\pi[\\bar S(Z,\\tau)]) = ({', '.join(map(str, image))})$"
                return i.witness(says, {"tau": tau}, image=image)
        return None

    def forward() -> Sequence[Step]:
        gamma, grad_u, d = atoms(r"\gamma", r"\nabla u(\tau)", r"\theta-\tau")
        g0, g1, u0, u1 = scalars(r"g(\tau)", r"g(\theta)", r"u(\tau)", r"u(\theta)")
        given = {
            "subgradient": Hypothesis(g1 - g0 - inner(gamma, d), r"$\gamma \in \partial g(\tau)$"),
            "convex": Hypothesis(
                u1 - u0 - inner(grad_u, d), r"$u = \psi - \langle \bar s(\tau), \phi \rangle$ is convex (A1)"
            ),
            "critical": Hypothesis(
                gradient_sign * inner(GRAD_F, d) + inner(gamma, d), r"$0 = \nabla f(\tau) + \gamma$", True
            ),
            "tangent": Hypothesis(
                inner(grad_u, d) - inner(GRAD_F, d), r"(42): $\nabla u(\tau) = \nabla f(\tau)$", True
            ),
        }
        return verify(g1 + u1 - g0 - u0, given, {"subgradient": 1, "convex": 1, "critical": 1, "tangent": 1})

    unique = Step(r"so $\tau$ minimises $g + u$, and $\tau = T(\bar s(\tau))$", "MM-2: the minimiser is unique")
    back = Step(
        r"conversely $T(\bar s(\tau)) = \tau$ gives $-\nabla u(\tau) = -\nabla f(\tau) \in \partial g(\tau)$",
        "the line above, and (42)",
    )
    poisson = ("", lambda: poisson_lines(gradient_sign=gradient_sign))
    lines = (*tangent_lines(True), ("A1", forward), ("MM-2", unique), *first_order_lines(), ("", back), poisson)
    return try_and_derive(hypotheses, fails, *lines)


def check_11(transpose: bool, hypotheses: Sequence[str] = INTERIOR, sign: int = -1) -> Verdict:
    """sign·J_φ(T(s))^(⊤) h(s) ∈ ∇f(T(s)) + ∂g(T(s)) for T(s) in int Θ."""

    def fails(i: Instance) -> Witness | None:
        for s in map(i.to_s, i.mirrors):
            theta = i.T_of(s)
            if not admissible(i, theta, hypotheses):
                continue
            product = i.times_jacobian(theta, i.mean_field(s), transpose)
            if product is None:
                return i.witness("the product of the Jacobian and the vector does not exist", {"s": s, "T(s)": theta})
            if not i.in_subdifferential(sign * product - i.gradient(i.f, theta), theta):
                says = (
                    f"the left side is $({_entries(sign * product)})$, $\\nabla f(T(s)) = "
                    f"({_entries(i.gradient(i.f, theta))})$"
                )
                return i.witness(says, {"s": s, "T(s)": theta}, h=i.mean_field(s), left=sign * product)
        return None

    def formula() -> Sequence[Step]:
        h: Vector = MEAN - S
        left, subgradient = sign * J(transpose)(h), Jt(S) - GRAD_PSI
        tangent = GRAD_F - GRAD_PSI + Jt(MEAN)  # zero by (42)
        why = r"$\nabla f$ plus the subgradient of (41), minus the left side of (42), which is 0; $\tau = T(s)$"
        says = (
            r"$-J_\phi^\top h(s) = \nabla f + (J_\phi^\top s - \nabla \psi) - (\nabla f - \nabla \psi + "
            r"J_\phi^\top \bar s)$"
        )
        return [same_vector(left, GRAD_F + subgradient - tangent, why, says)]

    poisson = ("", lambda: poisson_lines(sign=sign))
    return try_and_derive(hypotheses, fails, *tangent_lines(True), *first_order_lines(), ("", formula), poisson)
