"""Theorem 1 as inequalities between numbers: Propositions 2 to 4 as hypotheses, and their combination.

Given F_t, write W_t = (f+g)(T(Ŝ_t)), G_t = Σ μ_i² ‖V_{t,i} − h_i(Ŝ_t)‖², Ē = Ē_{t+1}, and
N = E[‖H_{t+1} − h(Ŝ_t)‖²_B | F_t]; W', G' stand for E[W_{t+1} | F_t] and E[G_{t+1} | F_t]. Everything else in
Section D.5 is algebra with these numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from typing import Literal

import numpy as np
import sympy as sp

from fedmm_edu.errors import FedMMError
from fedmm_edu.proofs.certificate import decide, nonnegative, verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from fedmm_edu.symbolic.decide import balls
from fedmm_edu.symbolic.decide.arrays_sampled import on_arrays
from fedmm_edu.symbolic.decide.domain import Domain, Relation
from fedmm_edu.symbolic.decide.inequality import decide_nonnegative
from fedmm_edu.symbolic.decide.strategies import by_solvers

omega, alpha, rho, C = sp.symbols(r"\omega_p \alpha \rho \bar{C}", positive=True)
v, V = sp.symbols(r"v_{\min} v_{\max}", positive=True)
g, gt, g1 = sp.symbols(r"\gamma_{t+1} \gamma_t \gamma_1", positive=True)
b = sp.Symbol(r"(\beta-1)", positive=True)
Lam = sp.Symbol(r"{\tfrac{L^2}{n}}", positive=True)
noise = sp.Symbol(r"{\tfrac{\sigma^2}{n}}", nonnegative=True)
r0, r1 = sp.symbols(r"\rho_t \rho_{t+1}", positive=True)
W0, W1 = sp.symbols(r"W_t W_{t+1}", real=True)
G0, G1, E, N = sp.symbols(r"G_t G_{t+1} \bar{E}_{t+1} N_{t+1}", nonnegative=True)
beta, c = 1 + b, C / v
K = V / v * Lam  # (v_max / v_min) L²/n

NAMES = {
    "omega": omega, "alpha": alpha, "rho": rho, "C": C, "vmin": v, "vmax": V, "gamma": g, "gamma_t": gt,
    "gamma_1": g1, "beta": 1 + b, "L2n": Lam, "rho_t": r0, "rho_next": r1, "min": sp.Min,
}  # fmt: skip
PLAIN = {x.name: name for name, x in NAMES.items() if isinstance(x, sp.Symbol)} | {
    noise.name: "sigma^2/n", Lam.name: "L^2/n", b.name: "beta - 1", W0.name: "W_t", W1.name: "W_next", G0.name: "G_t",
    G1.name: "G_next", E.name: "Ebar", N.name: "N", r"\varepsilon": "epsilon",
    r"\tfrac{\beta}{\beta-1}": "beta/(beta-1)",
    "r": "gamma^u", "R": "gamma_t^u", "p": "gamma^(1-u)",
}  # fmt: skip

Facts = Mapping[str, Hypothesis]
Grid = Mapping[sp.Symbol, Sequence]


@cache
def parse(text: str, **more: sp.Expr) -> sp.Expr:
    """A formula in the names of `NAMES`, such as "64*omega/alpha**2"."""
    return sp.sympify(text, locals={**NAMES, **more})


def in_plain_names(point: Mapping[str, str], says: str) -> Witness:
    """A witness whose variables are named as a person types them."""
    return Witness({PLAIN.get(name, name): value for name, value in point.items()}, says)


def sign_of(expr: sp.Expr, domain: Sequence[sp.Basic], *, strict: bool = False) -> Verdict:
    """`decide_nonnegative`, with witnesses in plain names."""
    verdict = decide_nonnegative(expr, domain, strict=strict)
    if verdict.witness is None:
        return verdict
    says = f"right minus left, up to a positive factor, is {'not > 0' if strict else '< 0'} there"
    return replace(verdict, witness=replace(in_plain_names(verdict.witness.point, says), values=verdict.witness.values))


def times(first: Hypothesis, second: Hypothesis) -> Hypothesis:
    """The product of two non-negative quantities, which is non-negative."""
    return Hypothesis(first.expr * second.expr, f"a product: {first.why}; {second.why}")


def at_least_zero(*symbols: sp.Symbol) -> dict[str, Hypothesis]:
    """Each symbol's own sign, as a hypothesis that a certificate may use."""
    return {f"{x.name} >= 0": Hypothesis(x, "a non-negative quantity") for x in symbols}


def search(
    target: sp.Expr, facts: Iterable[sp.Expr], grid: Grid, derived: Mapping[sp.Symbol, sp.Expr]
) -> Witness | None:
    """A point of the grid where all `facts` are ≥ 0 and `target` < 0, both certified in exact arithmetic.

    `derived` gives further symbols as functions of those of the grid (or of earlier derived ones).
    """
    formulas, known = [sp.sympify(target), *map(sp.sympify, facts)], {}
    for x, formula in derived.items():
        known[x] = formula.subs(known)
    formulas = [formula.subs(known) for formula in formulas]
    free = [x for x in grid if any(formula.has(x) for formula in (*formulas, *known.values()))]
    mesh = [m.ravel() for m in np.meshgrid(*(np.array([float(F(y)) for y in grid[x]]) for x in free), indexing="ij")]
    index = [m.ravel() for m in np.meshgrid(*(np.arange(len(grid[x])) for x in free), indexing="ij")]
    with np.errstate(all="ignore"):
        first, *rest = (np.broadcast_to(on_arrays(tuple(free), formula)(*mesh), mesh[0].shape) for formula in formulas)
    good = first < -1e-9
    for value in rest:
        good = good & (value >= -1e-12)
    for k in np.flatnonzero(good)[:20]:
        point = {x: F(grid[x][int(i[k])]) for x, i in zip(free, index, strict=True)}
        relations = [Relation(-formulas[0], ">"), *(Relation(formula, ">=") for formula in formulas[1:])]
        if all(balls.holds(relation, point) for relation in relations):
            shown = {x.name: str(value) for x, value in point.items()}
            shown |= {x.name: balls.show(formula, point) for x, formula in known.items()}
            return in_plain_names(shown, f"right minus left is ${balls.show(formulas[0], point)} < 0$")
    return None


def judge(
    target: sp.Expr,
    facts: Facts,
    multipliers: Mapping[str, sp.Expr | int],
    grid: Grid,
    *,
    derived: Mapping[sp.Symbol, sp.Expr] | None = None,
    products: Facts | None = None,
    needs: Mapping[str, Sequence[str]] | None = None,
    without: str = "",
    solvers: bool = True,
) -> Verdict:
    """`target ≥ 0` from `facts` (less those named in `without`): a certificate, two solvers, a search for numbers.

    `products` are further lines of the certificate that follow from the facts; `needs` names those that each of them
    follows from (a dropped fact takes them with it). `solvers=False` leaves out the second opinion, for targets that
    are too large for it.
    """
    dropped = [name for name in without.split("; ") if name]
    if missing := [name for name in dropped if name not in facts]:
        raise FedMMError(f"{missing[0]!r} is no hypothesis of this check: name one of {sorted(facts)}.")
    kept = {name: fact for name, fact in facts.items() if name not in dropped}

    def prove() -> Sequence[Step]:
        follow = {
            name: line for name, line in (products or {}).items() if set((needs or {}).get(name, ())) <= set(kept)
        }
        given = {**kept, **follow}
        return (*verify(target, given, multipliers), *(second_opinion(target, kept) if solvers else ()))

    return decide("certificate", prove, [lambda: search(target, [f.expr for f in kept.values()], grid, derived or {})])


def part_of(facts: Facts, without: str) -> str:
    """`without` where this part of a statement has a hypothesis of that name, else nothing to drop."""
    return without if without in facts else ""


def second_opinion(target: sp.Expr, facts: Facts) -> tuple[Step, ...]:
    """The step in which SMT solvers, which know nothing of the certificate, find no point where target < 0."""
    domain = Domain.of([Relation(_cleared(fact.expr), ">=") for fact in facts.values()], (target,))
    verdict = by_solvers(domain.lift(_cleared(target)), domain, strict=False)
    return (
        ()
        if verdict is None
        else tuple(Step("independently of the certificate", step.why) for step in verdict.evidence)
    )


def _cleared(expr: sp.Expr) -> sp.Expr:
    """A polynomial with the sign of `expr` wherever `expr` is defined: its numerator, times an unsigned denominator."""
    top, bottom = sp.fraction(sp.together(expr))
    return top if nonnegative(bottom) else top * bottom


# ------------------------------------------------------------------------------------------------- the combination

PROP_2 = Hypothesis(W0 - g / 4 * (1 - 2 * c * g) * E + g * (1 - c * g) * N - W1, "Proposition 2")
PROP_3 = Hypothesis((1 + omega) * V * noise + omega * V * G0 - N, "Proposition 3")
PROP_4 = Hypothesis(
    beta * (1 - alpha + 2 * omega / b * K * g**2) * G0
    + 2 * beta / b * Lam / v * g**2 * E
    + beta * (alpha + 2 * (1 + omega) / b * K * g**2) * noise
    - G1,
    r"Proposition 4, with $\beta > 1$",
)
SMALL_STEP = Hypothesis(v - 2 * C * g, r"$\gamma_{t+1} < v_{\min}/(2 \bar C)$, as Proposition 2 asks")
PROPS = {"Prop 2": PROP_2, "Prop 3": PROP_3, "Prop 4": PROP_4, "step": SMALL_STEP}
PRODUCT = {"Prop 3, step": ("Prop 3", "step")}


def combination(
    G: str, Ebar: str, noise_: str, alpha_: str = "alpha", without: Literal["", "Prop 3", "Prop 4", "step"] = ""
) -> Verdict:
    """W' + ρ_{t+1} G' ≤ W + ρ_t G + G·(`G`) − Ē·(`Ebar`) + (σ²/n)·(`noise_`), for every ρ_t, ρ_{t+1} > 0 and β > 1."""
    at = {alpha: parse(alpha_)}
    facts = {name: Hypothesis(fact.expr.subs(at), fact.why) for name, fact in PROPS.items()}
    claimed = W0 + r0 * G0 + parse(G) * G0 - parse(Ebar) * E + parse(noise_) * noise
    share = sp.Symbol("share", nonnegative=True)  # of the bound that Proposition 3 sets for N
    grid = {
        omega: (1, 2), alpha: ("1/4", "1/2"), v: (1,), V: (2, 1), Lam: (1, 3), C: (1, 8), g: ("1/4",), b: (1, "1/2"),
        r1: (1, 2), r0: (1,), G0: (0, 1), E: (0, 1), noise: (0, 1), share: (1, 0, 2), W0: (0,),
    }  # fmt: skip
    derived = {
        N: share * ((1 + omega) * V * noise + omega * V * G0),
        W1: facts["Prop 2"].expr + W1 if "Prop 2" not in without else W0 + 1,
        G1: facts["Prop 4"].expr + G1 if "Prop 4" not in without else G0 + 100,
    }
    return judge(
        claimed - W1 - r1 * G1,
        facts,
        {"Prop 2": 1, "Prop 3": g / 2, "Prop 3, step": g / (2 * v), "Prop 4": r1},
        grid,
        derived=derived,
        products={"Prop 3, step": times(PROP_3, SMALL_STEP)},
        needs=PRODUCT,
        without=without,
    )


def without_compression(lines: Mapping[str, Hypothesis], name: str) -> dict[str, Hypothesis]:
    """The lines with an ω_p that may be 0, and the line `name` that says so.

    From ω_p = 0 and the ω_p > 0 of the other rows everything would follow.
    """
    none = sp.Symbol(omega.name, nonnegative=True)
    kept = {key: replace(line, expr=line.expr.subs(omega, none)) for key, line in lines.items()}
    return {**kept, name: Hypothesis(none, "no compression, and all take part", equality=True)}
