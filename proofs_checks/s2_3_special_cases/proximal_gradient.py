"""SA-SSMM on Example 1 is a stochastic proximal-gradient method: its update, and its memory of the past."""

from __future__ import annotations

from typing import Literal

import sympy as sp

from fedmm_edu.proofs.verdict import Verdict, Witness
from proofs_checks.shared.iterates import START, STEPS, Gamma, closed_form, gamma, numeric, t, unfold
from proofs_checks.shared.tools import settle

HALF = sp.Rational(1, 2)
prox, Df = sp.Function("prox"), sp.Function("Df")
theta, s, Shat, rho, g, G = sp.symbols("theta s Shat rho gamma_t G", real=True)
NAMES = {"prox": prox, "Df": Df, "theta": theta, "s": s, "Shat": Shat, "rho": rho, "gamma": g, "G": G}
EQ12 = {"step": "gamma(t)", "initial": "Gamma(1,t)", "weight": "gamma(j)*Gamma(j+1,t)", "last": "gamma(t)"}


def proximal(scheme: Literal["SA-SSMM", "s", "theta", "theta, g = 0"], printed: str) -> Verdict:
    """The next iterate of `scheme` on Example 1 is `printed`, for every f, g, ρ; prox(x) = prox_{ρg}(x), Df = ∇f.

    The next iterate is composed here from Example 1: T = prox and E_π[S̄(Z, τ)] = τ − ρ∇f(τ). Every letter is a
    vector, and each identity holds for each coordinate.
    """
    mean = lambda tau: tau - rho * Df(tau)  # noqa: E731
    meant = {
        "theta": prox(mean(theta)),
        "theta, g = 0": mean(theta),
        "s": mean(prox(s)),
        "SA-SSMM": Shat + g * ((prox(Shat) - rho * G) - Shat),
    }[scheme]
    form = sp.sympify(printed, NAMES)
    if scheme == "theta, g = 0":
        form = form.replace(prox, lambda x: x)
    inside = rho * (theta**2 / (2 * rho) - s * theta / rho) - ((theta - s) ** 2 / 2 - s**2 / 2)
    return settle(
        "identity",
        {
            "$\\rho(g + \\psi - \\langle s, \\phi\\rangle) = \\rho g + \\frac{1}{2}|\\theta - s|^2 - "
            "\\frac{1}{2}|s|^2$, so that $T = \\mathrm{Prox}_{\\rho g}$": inside,
            "the composed update equals the stated one": sp.expand(meant - form),
        },
        "exact, with $\\mathrm{Prox}$ and $\\nabla f$ left as arbitrary functions",
        _proximal_run(scheme, meant, form),
    )


def _proximal_run(scheme: str, meant: sp.Expr, form: sp.Expr) -> Witness | None:
    """f = ½(θ − 1)² (so L_f = 1), ρ = 1/2, and g = ½θ² or, where the scheme says so, 0."""
    penalty = sp.Integer(0 if scheme.endswith("g = 0") else 1)
    for start in (2, -3):
        values = {theta: start, s: start, Shat: start, rho: HALF, g: sp.Rational(1, 3), G: 3}
        right, wrong = (
            expr.subs(values).replace(prox, lambda x: x / (1 + HALF * penalty)).replace(Df, lambda x: x - 1)
            for expr in (meant, form)
        )
        if right != wrong:
            point = {"f": "(theta-1)**2/2", "g": f"{penalty}*theta**2/2", "rho": "1/2", "iterate": str(start)}
            if scheme == "SA-SSMM":
                point |= {"gamma": "1/3", "G": "3"}
            return Witness(point, f"the next iterate is ${right}$, the formula gives ${wrong}$")
    return None


def tilde(initial_theta: str, initial_G: str, first_step_is_one: bool = False) -> Verdict:
    """θ_t = prox(θ̃ − ρG̃) for t ≥ 1, with θ̃ = initial_theta·Ŝ_0 + Σ_{j≤t} γ_jΓ_{j+1:t}θ_{j−1} and
    G̃ = initial_G·Ŝ_0 + Σ_{j≤t} γ_jΓ_{j+1:t}G_j. (The paper's t + 1 is our t.)
    """
    names = {"Gamma": Gamma, "t": t}
    in_theta, in_G = sp.sympify(initial_theta, names), sp.sympify(initial_G, names)
    iterates = closed_form(EQ12["step"], EQ12["initial"], EQ12["weight"], EQ12["last"])
    if iterates.status != "proved":
        return iterates
    weight, before, oracle = sp.symbols("w_j theta_{j-1} G_j")
    start = (in_theta - rho * in_G - Gamma(1, t)).subs(Gamma(1, t), 0 if first_step_is_one else Gamma(1, t))
    return settle(
        "eq. (12) + identity",
        {
            "$\\hat S_0$ has the same coefficient in $\\tilde\\theta - \\rho\\tilde G$ and in (12)": start,
            "so has each $S_j = \\theta_{j-1} - \\rho G_j$": (weight * before - rho * weight * oracle)
            - weight * (before - rho * oracle),
        },
        "coefficients compared exactly; then $\\theta_t = \\mathrm{Prox}_{\\rho g}(\\hat S_t)$",
        _tilde_run(in_theta, in_G, first_step_is_one),
    )


def _tilde_run(in_theta: sp.Expr, in_G: sp.Expr, first_step_is_one: bool) -> Witness | None:
    """SA-SSMM with the exact gradient of f = ½(θ − 1)², g = 0, ρ = 1/2, Ŝ_0 = 7, beside the formula."""
    steps = (sp.Integer(1), *STEPS[1:]) if first_step_is_one else STEPS
    thetas, gradients, iterate = [START], [], START
    for now in range(1, len(steps) + 1):
        gradients.append(thetas[-1] - 1)
        iterate += steps[now - 1] * (thetas[-1] - HALF * gradients[-1] - iterate)
        product = lambda r, end: sp.Mul(*(1 - steps[k - 1] for k in range(int(r), int(end) + 1)))  # noqa: E731
        weights = [steps[k - 1] * product(k + 1, now) for k in range(1, now + 1)]
        tildes = [
            initial.subs(t, now).replace(Gamma, product) * START
            + sum(w * x for w, x in zip(weights, terms, strict=True))
            for initial, terms in ((in_theta, thetas), (in_G, gradients))
        ]
        formula = tildes[0] - HALF * tildes[1]
        if formula != iterate:
            point = {"f": "(theta-1)**2/2", "g": "0", "rho": "1/2", "Shat_0": str(START)}
            point["gamma_1, ..."] = ", ".join(map(str, steps[:now]))
            return Witness(point, f"the algorithm gives $\\theta_{now} = {iterate}$, the formula ${formula}$")
        thetas.append(iterate)
    return None


def total_weight(total: str, with_initial: str) -> Verdict:
    """The weights γ_jΓ_{j+1:t}, j ≤ t, add up to `total`, and with Γ_{1:t} to `with_initial`, for all t ≥ 1."""
    names = {"Gamma": Gamma, "gamma": gamma, "t": t}
    claims = {
        "the weights": sp.sympify(total, names),
        "the weights and $\\Gamma_{1:t}$": sp.sympify(with_initial, names),
    }
    found = None
    for (name, claimed), initial in zip(claims.items(), (0, 1), strict=True):
        for now in range(1, 5):
            weights = [numeric(gamma(k) * Gamma(k + 1, now), {}) for k in range(1, now + 1)]
            exact = sum(weights) + initial * numeric(Gamma(1, now), {})
            value = numeric(claimed, {t: sp.Integer(now)})
            if found is None and exact != value:
                sizes = ", ".join(map(str, STEPS[:now]))
                found = Witness({"t": str(now), "gamma_1, ...": sizes}, f"{name} add up to ${exact}$, not to ${value}$")
    residuals: dict[str, sp.Expr | None] = {}
    for (name, claimed), first in zip(claims.items(), (gamma(1), gamma(1) + Gamma(1, 1)), strict=True):
        residuals[f"{name}, t = 1"] = unfold(claimed.subs(t, 1), 1) - unfold(first, 1)
        following = unfold(claimed.subs(t, t + 1), t + 1)
        residuals[f"{name}, from t to t + 1"] = following - (1 - gamma(t + 1)) * claimed - gamma(t + 1)
    return settle(
        "induction on t",
        residuals,
        "one step multiplies all weights by $1-\\gamma_{t+1}$ and adds "
        "$\\gamma_{t+1}$; all are ≥ 0 as $\\gamma_j \\in (0, 1]$",
        found,
    )
