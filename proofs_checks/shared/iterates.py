"""Closed forms of the SA-SSMM iterates Ŝ_t = (1 − γ_t)Ŝ_{t−1} + γ_t S_t, proved by induction on a symbolic t."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.verdict import Verdict, Witness
from proofs_checks.shared.tools import settle

HALF = sp.Rational(1, 2)
t, j, u, c = sp.symbols("t j u c")
gamma, Gamma = sp.Function("gamma"), sp.Function("Gamma")
NAMES = {"t": t, "j": j, "c": c, "gamma": gamma, "Gamma": Gamma}

# One exact run, on which every form is tried before it is proved.
STEPS = tuple(map(sp.Rational, ("1/2", "1/3", "1/4", "2/5")))
ORACLES = tuple(map(sp.Integer, (2, 0, 5, -1)))
START = sp.Integer(7)


def closed_form(
    step: str,
    initial: str,
    weight: str,
    last: str,
    term: Literal["iterate", "oracle"] = "oracle",
) -> Verdict:
    """Ŝ_t = initial·Ŝ_0 + Σ_{1≤j<t} weight·X_j + last·X_t for all t ≥ 1, with X = S (term "oracle") or Ŝ ("iterate").

    Expressions in t and j; `step` is γ_t, "c" a constant, gamma(t) any step size, Gamma(r, t) = Π_{r≤l≤t}(1 − γ_l).
    The proof is an induction on t that compares the coefficients of Ŝ_0 and of every X_j.
    """
    size, a, w, end = (sp.sympify(text, NAMES) for text in (step, initial, weight, last))
    return settle(
        "induction on t",
        induction(size, a, w, end, term),
        "exact identity, with $\\hat S_{t+1} = (1-\\gamma_{t+1})\\hat S_t + \\gamma_{t+1} S_{t+1}$",
        _unequal_run(size, (a, w, end), term),
    )


def induction(size: sp.Expr, a: sp.Expr, w: sp.Expr, end: sp.Expr, term: str = "oracle") -> dict[str, sp.Expr]:
    """Left minus right of each line of the induction that proves `closed_form`, in u = 1 − c for a constant step."""

    def at(expr: sp.Expr, when: sp.Expr | int) -> sp.Expr:
        return unfold(expr.subs(t, when), when)

    keep = 1 - at(size, t + 1)
    residuals = {
        "t = 1, coefficient of $\\hat S_0$": at(a, 1) - (1 - at(size, 1)),
        "t = 1, coefficient of $S_1$": at(end, 1) - at(size, 1),
        "from t to t + 1, coefficient of $\\hat S_0$": at(a, t + 1) - keep * a,
        "from t to t + 1, coefficient of $S_j$, $j < t$": at(w, t + 1) - keep * w,
        "from t to t + 1, coefficient of $S_t$": unfold(w.subs(t, t + 1).subs(j, t), t + 1) - keep * end,
        "from t to t + 1, coefficient of $S_{t+1}$": at(end, t + 1) - at(size, t + 1),
    }
    if term == "iterate":  # S_{t+1} enters the claimed sum through Ŝ_{t+1} = (1 − γ_{t+1})Ŝ_t + γ_{t+1}S_{t+1} only
        new = at(size, t + 1)
        residuals = {
            "coefficient of $S_{t+1}$": at(end, t + 1) * new - new,
            "then $\\hat S_{t+1}$ cancels: coefficient of $\\hat S_0$": a,
            "and of $\\hat S_j$, $j < t$": w,
        }
    return {name: residual.subs(c, 1 - u) for name, residual in residuals.items()}


def unfold(expr: sp.Expr, now: sp.Expr | int) -> sp.Expr:
    """`expr` with Γ_{r:now} written as (1 − γ_now)Γ_{r:now−1}, where an empty product is 1."""

    def one_factor(r: sp.Expr, end: sp.Expr) -> sp.Expr:
        if sp.expand(r - end) == 1:
            return sp.Integer(1)
        if sp.expand(end - now) != 0:
            return Gamma(r, end)
        return (1 - gamma(end)) * (1 if sp.expand(r - end) == 0 else Gamma(r, sp.expand(end - 1)))

    return expr.replace(Gamma, one_factor)


def numeric(expr: sp.Expr, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """`expr` at numbers: γ_l = STEPS[l − 1], Γ the product of the 1 − γ_l, the constant step 1/2."""

    def gap(r: sp.Expr, end: sp.Expr) -> sp.Expr:
        return sp.Mul(*(1 - STEPS[k - 1] for k in range(int(r), int(end) + 1)))

    return expr.subs({c: HALF, **values}).replace(Gamma, gap).replace(gamma, lambda k: STEPS[int(k) - 1])


def run(step: Callable[[int], sp.Expr], start: sp.Expr, oracles: Iterable[sp.Expr]) -> list[sp.Expr]:
    """Ŝ_0, Ŝ_1, … by line 4 of the algorithm."""
    iterates = [start]
    for k, oracle in enumerate(oracles, start=1):
        iterates.append(iterates[-1] + step(k) * (oracle - iterates[-1]))
    return iterates


def _unequal_run(size: sp.Expr, form: tuple[sp.Expr, ...], term: str) -> Witness | None:
    """The first t at which the form and the algorithm differ on one exact run."""
    a, w, end = form
    iterates = run(lambda k: numeric(size, {t: sp.Integer(k)}), START, ORACLES)
    terms = iterates if term == "iterate" else [START, *ORACLES]
    for now in range(1, len(iterates)):
        here = {t: sp.Integer(now)}
        total = numeric(a, here) * START + numeric(end, here) * terms[now]
        total += sum(numeric(w, {**here, j: sp.Integer(k)}) * terms[k] for k in range(1, now))
        if total != iterates[now]:
            sizes = ", ".join(str(numeric(size, {t: sp.Integer(k)})) for k in range(1, now + 1))
            point = {"Shat_0": str(START), "S_1, ...": ", ".join(map(str, ORACLES[:now])), "gamma_1, ...": sizes}
            return Witness(point, f"the algorithm gives $\\hat S_{{{now}}} = {iterates[now]}$, the formula ${total}$")
    return None
