"""SA-SSMM on Example 2: the M-step, the E-step, and the law of the hidden variable that makes them EM."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.verdict import Verdict, Witness
from proofs_checks.shared.tools import settle

theta = sp.Symbol("theta", real=True)


def m_step(printed: str, extremum: Literal["max", "min"]) -> Verdict:
    """T(E_π[S̄(Z, θ_t)]) is the `extremum` point of `printed` over θ; inner = ⟨E_π[∫ S dμ(·|Z, θ_t)], φ(θ)⟩."""
    inner, penalty, psi = sp.symbols("inner g psi")
    value = sp.sympify(printed, {"inner": inner, "g": penalty, "psi": psi})
    surrogate = penalty + psi - inner  # what T(s) minimises (MM-2)
    signed = -value if extremum == "max" else value
    at = {inner: 3 * theta, penalty: theta**2, psi: theta**2 / 2}  # φ = θ, S̄ = 3
    right, wrong = (sp.solve(sp.diff(expr.subs(at), theta), theta) for expr in (surrogate, signed))
    curved = sp.diff(signed.subs(at), theta, 2) > 0
    found = None
    if right != wrong or not curved:
        says = f"$T(3) = {right[0]}$, but the statement has " + (f"${wrong[0]}$" if curved else "no such point")
        found = Witness({"phi": "theta", "psi": "theta**2/2", "g": "theta**2", "E S_bar": "3"}, says)
    return settle(
        "identity",
        {"the two criteria differ by a constant": surrogate - signed},
        "same criterion, same unique extremum (MM-2)",
        found,
    )


def is_em(log_weight: str) -> Verdict:
    """With ∝ exp(log_weight) as the law of h given Z, (13) is the EM step, when log p = ⟨S, φ⟩ − ψ − c(z, h).

    EM maximises Q(θ) = E_π[∫ log p(Z, h, θ) r(h)] − g where r is the posterior, i.e. proportional to p(z, ·, θ_t).
    """
    phi, psi, S1, S2, c1, c2 = sp.symbols("phi psi S_1 S_2 c_1 c_2")
    weight = lambda S, c: sp.sympify(log_weight, {"inner": S * phi, "psi": psi, "c": c})  # noqa: E731
    log_p = lambda S, c: S * phi - psi - c  # noqa: E731
    ratio = (weight(S1, c1) - log_p(S1, c1)) - (weight(S2, c2) - log_p(S2, c2))
    r1 = sp.Symbol("r_1")
    Q = r1 * log_p(S1, c1) + (1 - r1) * log_p(S2, c2)
    linear = (r1 * S1 + (1 - r1) * S2) * phi - psi
    return settle(
        "identity",
        {
            "the law of $h$ is the posterior: $\\log$ weight minus $\\log p$ is the same for all $h$": ratio,
            "$Q(\\theta) = \\langle \\bar S, \\phi(\\theta)\\rangle - \\psi(\\theta) - $ the mean of $c$": Q
            - linear
            + r1 * c1
            + (1 - r1) * c2,
        },
        "termwise over the points $h$, for any law on any number of them",
        _em_run(log_weight),
    )


def _em_run(log_weight: str) -> Witness | None:
    """h ∈ {1, 2} equally likely, −log p = θ − h log θ + c(h), e^{−c} = (1, 2/3): one step from EM's fixed point 3/2.

    ψ = θ, φ = log θ, T(s) = s, so exp⟨S, φ⟩ = θ^h and all is rational: f(θ) = θ − log(θ + 2θ²/3) + log 2.
    """
    c, at, factor = sp.Symbol("c"), F(3, 2), {1: F(1), 2: F(2, 3)}
    power = -int(sp.sympify(log_weight, {"c": c}).coeff(c))
    posterior, used = ({h: at**h * factor[h] ** k for h in (1, 2)} for k in (1, power))
    right, step = ((w[1] + 2 * w[2]) / (w[1] + w[2]) for w in (posterior, used))
    if right == step:
        return None
    ratio, d = (step + F(2, 3) * step**2) / (at + F(2, 3) * at**2), step - at
    says = f"the EM step from $3/2$ is ${right}$, the step (13) is ${step}$"
    if d > 0 and 1 + d + d**2 / 2 > ratio:
        says += f", where $f$ is larger: $e^{{{d}}} > {1 + d + d**2 / 2} > {ratio}$"
    point = {"H": "{1, 2}", "mu": "1/2, 1/2", "-log p": "theta - h log(theta) + c(h)", "exp(-c)": "1, 2/3"}
    return Witness({**point, "theta_t": str(at)}, says)


def two_sequences(shift: int) -> Verdict:
    """If s_0 = M(θ_shift) then s_t = M(θ_{t+shift}) and θ_{t+1} = T(s_t) for all t, for every T and M = E_π[S̄(Z, ·)].

    (7) is θ ↦ T(M(θ)) and (8) is s ↦ M(T(s)).
    """
    T, M = sp.Function("T"), sp.Function("M")

    def ahead(x: sp.Expr, steps: int) -> sp.Expr:
        return x if steps == 0 else ahead(T(M(x)), steps - 1)

    surrogate = M(ahead(theta, shift))  # s_t, if the statement holds at t and θ_t = theta
    residuals = {
        "from t to t + 1: $M(T(s_t)) = s_{t+1}$": M(T(surrogate)) - M(ahead(theta, 1 + shift)),
        "$T(s_t) = \\theta_{t+1}$": T(surrogate) - ahead(theta, 1),
    }
    affine = {T: lambda x: x / 2, M: lambda x: x + 1}
    found = None
    for name, residual in residuals.items():
        value = residual.subs(theta, 5)
        for function, rule in affine.items():
            value = value.replace(function, rule)
        if value != 0:
            point = {"T(s)": "s/2", "M(theta)": "theta + 1", "theta_t": "5"}
            found = Witness(point, f"{name} fails: left minus right is ${value}$")
    return settle("induction on t", residuals, "T and M left as arbitrary functions", found)


def incremental(mean: str, draw: Literal["first", "uniform"] = "uniform") -> Verdict:
    """Incremental EM keeps a table S_1, …, S_N with the mean Ŝ_t, and refreshes the entry J by S̄(Z_J, T(Ŝ_t)).

    So it is Algorithm 1 with γ = 1 and the mean of the refreshed table as its oracle; given the past, this oracle has
    the mean `mean` in terms of Ŝ (S), h = h(Ŝ) and N, where J is `draw`n ("uniform" or "first": always the first).
    """
    size = 3
    old, new = sp.symbols(f"S_1:{size + 1}"), sp.symbols(f"N_1:{size + 1}")
    chances = [sp.Rational(1, size)] * size if draw == "uniform" else [sp.S.One, *[sp.S.Zero] * (size - 1)]
    table = [[new[k] if k == j else old[k] for k in range(size)] for j in range(size)]
    oracle = sp.Add(*(p * sum(row) / size for p, row in zip(chances, table, strict=True)))
    now = sum(old) / size
    field = sum(new) / size - now
    claimed = sp.sympify(mean, {"S": sp.Symbol("S"), "h": sp.Symbol("h"), "N": sp.Symbol("N")})
    residual = oracle - claimed.subs({"S": now, "h": field, "N": size})
    numbers = dict(zip((*old, *new), map(sp.Integer, (0, 3, 6, 3, 6, 12)), strict=True))
    found = None
    if residual.subs(numbers) != 0:
        point = {"N": "3", "table": "0, 3, 6", "refreshed": "3, 6, 12", "drawn": draw}
        says = (
            f"the oracle has the mean ${oracle.subs(numbers)}$, the formula gives ${(oracle - residual).subs(numbers)}$"
        )
        found = Witness(point, says)
    return settle(
        "identity",
        {f"the conditional mean of the oracle is ${sp.latex(claimed)}$": residual},
        "with $\\gamma = 1$ the iterate is the oracle, the mean of the table; three samples, termwise for any number",
        found,
    )
