"""Remark 1, ℓ(z, θ) = zθ + 1/θ on θ > 0: the surrogate, and both ways to aggregate. Here r = √m, m = E_π[Z]."""

from __future__ import annotations

from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, proved, refuted, undecided
from proofs_checks.shared.tools import settle

Q = sp.Rational
theta, tau, r, m, Z = sp.symbols("theta tau r m Z", positive=True)


def half_line(closed: bool, low: str = "0", top: str = "oo") -> Verdict:
    """ι of (low, ∞), or of [low, ∞) if closed, is proper, convex and lsc, and 1/√s lies in it for all s in (0, top].

    A set's indicator is lsc exactly if the set is closed, and convex exactly if the set is.
    """
    eps = sp.Symbol("eps", positive=True)
    edge, most = sp.sympify(low, {"eps": eps}), sp.sympify(top, {"eps": eps})
    region = sp.Interval(edge, sp.oo, left_open=not closed)
    if region.contains(edge) != sp.true:  # the edge is a limit of points of the set, so the set is not closed
        boundary = {"set": f"({low}, oo)", "theta": low, "theta_k": f"{low} + 1/k"}
        if region.closure.contains(edge) != sp.true:
            return undecided("closure")
        return refuted(
            "limit",
            Witness(boundary, "$g(\\theta_k) = 0$ for all k, but $g(\\lim \\theta_k) = +\\infty > 0$"),
            Step(
                f"second method: ${sp.latex(edge)}$ is in the closure of the set and not in it",
                "lsc asks for a closed set",
            ),
        )
    least = 0 if most == sp.oo else 1 / sp.sqrt(most)  # the infimum of 1/√s on (0, top]
    room = sp.cancel(least / edge) - 1 if edge != 0 else None
    if room is None or room.free_symbols or room < 0:
        point = {"eps": "1", "s": str(most.subs(eps, 1) if most != sp.oo else 4)}
        return refuted("exact instance", Witness(point, f"$1/\\sqrt{{s}}$ lies outside $[{low}, \\infty)$"))
    if sp.limit(m * theta + 1 / theta, theta, 0, "+") != sp.oo:
        return undecided("calculus")
    return proved(
        "calculus",
        Step(f"$[{low}, \\infty)$ is closed, convex and not empty", "so g is lsc, convex and proper"),
        Step(
            f"$1/\\sqrt{{s}} \\geq {sp.latex(edge)}$ for $0 < s \\leq {sp.latex(most)}$",
            "$s^{-1/2}$ decreases, equality at the end",
        ),
        Step("on the open half-line, $f + g$ is lsc although g is not", "$m\\theta + 1/\\theta \\to \\infty$ at 0"),
    )


def toy_mm(phi: Literal["-theta", "theta"], psi: str, S_bar: str, T: str, with_zero: bool = False) -> Verdict:
    """f(θ) = E[Z]θ + 1/θ has MM-1 with equality, and T(s) alone minimises ψ − sφ on θ > 0, for s > 0 (or ≥ 0)."""
    names = {"theta": theta, "Z": Z, "s": r**2}
    ph, ps, S, minimiser = (sp.sympify(text, names) for text in (phi, psi, S_bar, T))
    mean = S.subs(Z, m)  # S̄ is affine in Z
    f = m * theta + 1 / theta
    at = lambda expr: expr.subs(theta, tau)  # noqa: E731
    gap = at(f) + ps - at(ps) - mean * (ph - at(ph)) - f
    J = ps - r**2 * ph
    excess = J - J.subs(theta, minimiser) - (r * theta - 1) ** 2 / theta
    found = Witness({"s": "0"}, "$\\psi(\\theta) = 1/\\theta$ decreases to 0: no minimiser") if with_zero else None
    for a, b in ((1, 2), (2, 1)):
        value = gap.subs({theta: a, tau: b, m: 4})
        if found is None and value < 0:
            found = Witness({"E Z": "4", "theta": str(a), "tau": str(b)}, f"the gap of MM-1 is ${value}$")
    best, own = (J.subs(theta, x).subs(r, 2) for x in (Q(1, 2), minimiser))
    if found is None and own > best:
        found = Witness({"s": "4"}, f"$T(4) = {minimiser.subs(r, 2)}$ has the value ${own}$, but $1/2$ has ${best}$")
    residuals = {
        "the gap of MM-1 is 0 for all θ, τ": gap,
        "$\\psi - s\\phi$ exceeds its value at $T(s)$ by $(\\sqrt{s}\\theta - 1)^2/\\theta$: MM-2": excess,
    }
    if with_zero:
        residuals["this square has a zero at $s = 0$, too"] = (r * theta - 1).subs(r, 0)
    return settle("identity", residuals, "a square over a positive number: 0 only at $\\theta = 1/\\sqrt{s}$", found)


def toy_minimiser(argmin: str) -> Verdict:
    """mθ + 1/θ with m = Σ_i μ_i E_{π_i}[Z] > 0 has the unique minimiser `argmin` (in r = √m) over θ > 0."""
    return toy_mm("-theta", "1/theta", "Z", argmin.replace("r", "sqrt(s)"))


def toy_in_S(first: int, value: str) -> Verdict:
    """s_t = `value` for all t ≥ first, whatever s_0 > 0, and T of it is θ_⋆ = 1/r."""
    s0 = sp.Symbol("s_0", positive=True)
    claimed = sp.sympify(value, {"m": r**2})
    after = r**2  # Σ_i μ_i E_{π_i}[S̄(Z, T(s))] with S̄(Z, τ) = Z: the same for every s
    sequence = {f"$s_{k}$": (s0 if k == 0 else after) - claimed for k in range(first, 3)}
    wrong = next((k for k, gap in sequence.items() if gap.subs({s0: 1, r: 5}) != 0), None)
    found = None if wrong is None else Witness({"E Z": "25", "s_0": "1"}, f"{wrong} is not ${claimed.subs(r, 5)}$")
    return settle(
        "identity",
        {**sequence, "the mirror is $\\theta_\\star$": 1 / sp.sqrt(claimed) - 1 / r},
        "$s_{t+1}$ does not depend on $s_t$, so one step decides all",
        found,
    )


def toy_in_Theta(relation: Literal["!=", "<=", ">", ">=, equal iff all E_i Z are"]) -> Verdict:
    """θ_t = Σ_i μ_i/√E_i Z (t ≥ 1) stands in `relation` to θ_⋆ = 1/√(Σ_i μ_i E_i Z), for all μ_i > 0 and E_i Z > 0."""
    tests = {
        "!=": lambda a, b, _: a != b,
        ">": lambda a, b, _: a > b,
        "<=": lambda a, b, _: a <= b,
        ">=, equal iff all E_i Z are": lambda a, b, same: a >= b and (a == b) == same,
    }
    found = None
    for laws, means in (
        ("delta_4; 1 or 7, each with probability 1/2", (Q(4), Q(1 + 7, 2))),
        ("delta_1; delta_49", (Q(1), Q(49))),
    ):
        ours, best = sum(1 / sp.sqrt(x) for x in means) / 2, 1 / sp.sqrt(sum(means) / 2)
        if found is None and not tests[relation](ours, best, means[0] == means[1]):
            found = Witness(
                {"pi_1; pi_2": laws, "mu": "1/2, 1/2"}, f"$\\theta_t = {ours}$ and $\\theta_\\star = {best}$"
            )
    x, eps = sp.symbols("x epsilon", positive=True)  # x = √E_i Z
    term = 1 / x - 1 / r + (x**2 - r**2) / (2 * r**3)  # of θ_t − θ_⋆ = Σ_i μ_i·term, as Σ_i μ_i (x_i² − r²) = 0
    target = {"!=": term - eps, ">": term - eps, "<=": -term}.get(relation, term)
    weight = (x + 2 * r) / (2 * r**3 * x)
    says = (
        r"client $i$'s part of $\theta_t - \theta_\star = \sum_i \mu_i(\ldots)$, with $x = \sqrt{E_{\pi_i} Z}$ and "
        r"$r^2 = \sum_i \mu_i x_i^2$, is $\frac{(x-r)^2 (x+2r)}{2r^3 x}$: $\geq 0$, and 0 only if $x = r$"
    )
    prove = lambda: verify(target, {}, {}, [(weight, x - r)], says=says)  # noqa: E731
    return decide("certificate", prove, [lambda: found])
