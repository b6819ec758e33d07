"""The checks behind Section 2.1: majorisation, descent, roots of the mean field, limits of the two MM sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import same_vector, verify
from fedmm_edu.proofs.gram import atoms, inner, scalars
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.mm_instances import ALL, INTERIOR, Instance, Line, Point, otherwise, try_and_derive, x

# ---------------------------------------------------------------------------------------------- majoriser and descent

f, f_tau, psi, psi_tau, g, g_tau = scalars(
    r"f(\theta)", r"f(\tau)", r"\psi(\theta)", r"\psi(\tau)", r"g(\theta)", r"g(\tau)"
)
MEAN = r"\bar s(\tau)"  # E_π[S̄(Z, τ)]
S_BAR, PHI, PHI_TAU = atoms(MEAN, r"\phi(\theta)", r"\phi(\tau)")
MM1_GAP = f_tau + psi - psi_tau - inner(S_BAR, PHI - PHI_TAU) - f
MM1 = Hypothesis(MM1_GAP, r"MM-1, with $\bar s(\tau) = E_\pi[\bar S(Z,\tau)]$")
MM2 = Hypothesis(
    g_tau + psi_tau - inner(S_BAR, PHI_TAU) - g - psi + inner(S_BAR, PHI), r"MM-2: $\theta = T(\bar s(\tau))$ minimises"
)


def check_majoriser(hypotheses: Sequence[str] = ALL, penalty: int = 1) -> Verdict:
    """f + g ≤ f(τ) + ψ − ψ(τ) − ⟨E S̄(τ), φ − φ(τ)⟩ + penalty·g on Θ, with equality at τ."""

    def fails(i: Instance) -> Witness | None:
        for theta, tau in ((a, b) for a in i.thetas for b in i.thetas):
            u = i.u(i.mean_S_bar(tau))
            gap = i.at(i.f, tau) + i.at(u, theta) - i.at(u, tau) - i.at(i.f, theta) + (penalty - 1) * i.penalty(theta)
            if gap < 0 or (theta == tau and gap != 0):
                return i.witness(f"the right side minus the left is ${gap}$", {"theta": theta, "tau": tau}, gap=gap)
        return None

    def majorises() -> Sequence[Step]:
        target = f_tau + psi - psi_tau - inner(S_BAR, PHI - PHI_TAU) + penalty * g - f - g
        return verify(target, {"MM-1": MM1}, {"MM-1": 1})

    def touches() -> Sequence[Step]:
        target = f_tau - inner(S_BAR, PHI_TAU - PHI_TAU) + penalty * g_tau - f_tau - g_tau
        return verify(target, {}, {}, equality=True, says=r"at $\theta = \tau$ both sides are $f(\tau) + g(\tau)$")

    return try_and_derive(hypotheses, fails, ("MM-1", majorises), ("", touches))


def check_descent(space: Literal["s", "theta"], hypotheses: Sequence[str] = ALL) -> Verdict:
    """f + g does not increase along (7) (space "theta") or along T of (8) (space "s")."""

    def fails(i: Instance) -> Witness | None:
        starts = i.thetas if space == "theta" else [i.T_of(i.to_s(s)) for s in i.mirrors]
        for theta in starts:
            after = i.T_of(i.mean_S_bar(theta))
            old, new = i.objective(theta), i.objective(after)
            if new > old:
                return i.witness(
                    f"$f+g$ grows from ${old}$ to ${new}$", {"now": theta, "next": after}, before=old, after=new
                )
        return None

    def certificate() -> Sequence[Step]:
        return verify(f_tau + g_tau - f - g, {"MM-1": MM1, "MM-2": MM2}, {"MM-1": 1, "MM-2": 1})

    name = r"$\tau = \theta_t$ and $\theta = \theta_{t+1}$"
    if space == "s":
        name = r"$\tau = T(s_t)$ and $\theta = T(s_{t+1})$, because $s_{t+1} = E_\pi[\bar S(Z, T(s_t))]$"
    return try_and_derive(
        hypotheses, fails, ("MM-1; MM-2", certificate), ("", Step(f"this is descent, with {name}", "renaming"))
    )


# ------------------------------------------------------------------------------------------------- roots and limits


def contraction(i: Instance) -> sp.Expr | None:
    """The factor with T(E S̄(θ)) = factor·θ for all θ ≠ 0 and |factor| < 1, on the line; None where there is none."""
    if i.d > 1 or i.mirror or not i.interior((sp.S.Zero,)):
        return None
    image = i.T_of(tuple(otherwise(entry) for entry in i.s_bar))[0]
    factor = sp.cancel(image / x)
    return factor if factor.is_Rational and abs(factor) < 1 else None


def mirror_limit(i: Instance) -> Point:
    """lim E S̄(θ) as θ → 0, θ ≠ 0."""
    return tuple(sp.limit(otherwise(entry), x, 0) for entry in i.s_bar)


def check_limits(hypotheses: Sequence[Literal["A1", "A2", "MM-1", "MM-2", "continuous", "interior"]] = ALL) -> Verdict:
    """θ_t → θ_* gives s_t → s_* = E S̄(θ_*) with T(s_*) = θ_*, h(s_*) = 0; s_t → s_* gives θ_t → T(s_*), h(s_*) = 0."""
    zero = (sp.S.Zero,)

    def applies(i: Instance) -> bool:
        """(7) is θ_{t+1} = factor·θ_t with |factor| < 1, so both sequences are explicit; continuity where asked."""
        return contraction(i) is not None and ("continuous" not in hypotheses or mirror_limit(i) == i.mean_S_bar(zero))

    def fails(i: Instance) -> Witness | None:
        limit, at_limit = mirror_limit(i), i.mean_S_bar(zero)
        if limit == at_limit and not any(i.mean_field(limit)) and i.T_of(limit) == zero:
            return None
        says = (
            rf"$\theta_t = ({contraction(i)})^t \to 0$ and $s_t \to s_\star = {_tuple(limit)}$, "
            rf"but $E_\pi[\bar S(Z,0)] = {_tuple(at_limit)}$ and $h(s_\star) = {_tuple(i.mean_field(limit))}$"
        )
        return i.witness(says, {"theta_0": 1, "s_*": limit}, **{"h(s_*)": i.mean_field(limit)})

    def far_points_are_worse() -> Sequence[Step]:
        weight, above = sp.symbols("lambda epsilon", positive=True)
        star, ring, far = scalars(r"F_s(\theta_*)", "F_s(k)", r"F_s(\theta)")
        given = {
            "convex": Hypothesis(
                (1 - weight) * star + weight * far - ring, r"$F_s$ is convex, $k$ between $\theta_*$ and $\theta$"
            ),
            "ring": Hypothesis(
                ring - star - above, r"$F_s \geq F_s(\theta_*) + \epsilon$ on a small sphere, for $s$ near $s_*$"
            ),
        }
        return verify(far - star - above / weight, given, {"convex": 1 / weight, "ring": 1 / weight})

    def passes() -> Sequence[Step]:
        at_limit, jumped = atoms(r"E_\pi[\bar S(Z,\theta_*)]", r"\lim_t E_\pi[\bar S(Z,\theta_t)]")
        reached = at_limit if "continuous" in hypotheses else jumped
        says = r"$\theta_t \to \theta_*$ implies $s_t = E_\pi[\bar S(Z,\theta_t)] \to E_\pi[\bar S(Z,\theta_*)]$"
        return [
            same_vector(
                reached, at_limit, "equal where $E_\\pi[\\bar S(Z, \\cdot)]$ is continuous at $\\theta_*$", says
            )
        ]

    lines: tuple[Line, ...] = (
        ("", passes),
        (
            "MM-2; A1; interior",
            Step(
                r"$F_{s_t}(\theta_{t+1}) \leq F_{s_t}(\theta)$ passes to the limit: $\theta_* = T(s_*)$, where $F_s = "
                r"g + \psi - \langle s, \phi \rangle$",
                r"$g$, $\psi$, $\phi$ are continuous inside $\Theta$, and the minimiser is unique",
            ),
        ),
        ("A1; interior", far_points_are_worse),
        (
            "MM-2",
            Step(
                r"$T$ is continuous at $s_*$: $T(s)$ stays in the small ball, so $s_t \to s_*$ gives $\theta_{t+1} "
                r"\to T(s_*)$",
                "the line above",
            ),
        ),
        (
            "continuous",
            Step(
                r"$s_{t+1} = E_\pi[\bar S(Z,T(s_t))] \to E_\pi[\bar S(Z,T(s_*))]$, hence $h(s_*) = 0$",
                "both limits of $s_t$ agree",
            ),
        ),
    )
    return try_and_derive(hypotheses, fails, *lines, applies=applies)


def _tuple(point: Point) -> str:
    return "(" + ", ".join(map(str, point)) + ")"


def check_root(coefficient: int = 1) -> Verdict:
    """h(s) = 0 exactly where s = E S̄(T(s)), for h(s) = E S̄(T(s)) − coefficient·s."""

    def fails(i: Instance) -> Witness | None:
        for s in map(i.to_s, i.mirrors):
            image = i.mean_S_bar(i.T_of(s))
            h = tuple(a - coefficient * b for a, b in zip(image, s, strict=True))
            if (not any(h)) != (image == s):
                return i.witness(
                    f"$h(s) = {_tuple(h)}$ and the next iterate is ${_tuple(image)}$", {"s": s}, h=h, next=image
                )
        return None

    def exact() -> Sequence[Step]:
        image, s = atoms(r"E_\pi[\bar S(Z,T(s))]", "s")
        return [
            same_vector(
                image - coefficient * s, image - s, "$h(s)$ is the next iterate minus $s$: both vanish together"
            )
        ]

    return try_and_derive((), fails, ("", exact))


def check_root_to_fixed_point(
    hypotheses: Sequence[str] = (*INTERIOR, "root"), conclusion: Literal["S_bar", "T"] = "T"
) -> Verdict:
    """h(s_*) = 0 implies T(E S̄(θ_*)) = θ_* for θ_* = T(s_*) (conclusion "S_bar": E S̄(θ_*) = θ_* instead)."""

    def fails(i: Instance) -> Witness | None:
        for s in map(i.to_s, i.mirrors):
            theta = i.T_of(s)
            image = i.T_of(i.mean_S_bar(theta)) if conclusion == "T" else i.mean_S_bar(theta)
            if "root" in hypotheses and any(i.mean_field(s)):
                continue
            if image != theta:
                return i.witness(
                    f"$\\theta_* = {_tuple(theta)}$ is sent to ${_tuple(image)}$", {"s_*": s, "theta_*": theta}
                )
        return None

    root = Step(
        r"$E_\pi[\bar S(Z, \theta_*)] = E_\pi[\bar S(Z, T(s_*))] = s_*$", r"$h(s_*) = 0$ and $\theta_* = T(s_*)$"
    )
    names = {"T": r"T(E_\pi[\bar S(Z, \theta_*)])", "S_bar": r"E_\pi[\bar S(Z, \theta_*)]"}

    def substitute() -> Sequence[Step]:
        mapped, fixed = atoms({"T": r"T(s_*)", "S_bar": r"s_*"}[conclusion], r"T(s_*)")
        return [same_vector(mapped, fixed, f"${names[conclusion]}$ with the line above, against $\\theta_* = T(s_*)$")]

    return try_and_derive(hypotheses, fails, ("root", root), ("", substitute))


def check_fixed_point_to_root(
    hypotheses: Sequence[str] = (*INTERIOR, "fixed"), mirror: Literal["S_bar", "phi"] = "S_bar"
) -> Verdict:
    """T(E S̄(θ_*)) = θ_* implies h(s_*) = 0 for s_* = E S̄(θ_*) (mirror "phi": for s_* = φ(θ_*) instead)."""

    def fails(i: Instance) -> Witness | None:
        for theta in i.thetas:
            if "fixed" in hypotheses and i.T_of(i.mean_S_bar(theta)) != theta:
                continue
            s = i.mean_S_bar(theta) if mirror == "S_bar" else tuple(i.at(entry, theta) for entry in i.phi)
            if i.in_S(s) and any(i.mean_field(s)):
                return i.witness(f"$h(s_*) = {_tuple(i.mean_field(s))}$", {"theta_*": theta, "s_*": s})
        return None

    def substitute() -> Sequence[Step]:
        image, s = atoms(
            r"E_\pi[\bar S(Z,\theta_*)]", {"S_bar": r"E_\pi[\bar S(Z,\theta_*)]", "phi": r"\phi(\theta_*)"}[mirror]
        )
        return [
            same_vector(image, s, r"$E_\pi[\bar S(Z,T(s_*))] = E_\pi[\bar S(Z,\theta_*)]$ against $s_*$: $h(s_*) = 0$")
        ]

    fixed = Step(
        r"$T(s_*) = T(E_\pi[\bar S(Z,\theta_*)]) = \theta_*$", r"the choice of $s_*$ and the hypothesis on $\theta_*$"
    )
    return try_and_derive(hypotheses, fails, ("fixed", fixed), ("", substitute))
