"""Section 7.1, before the algorithm: the federated objective (33), its clients, and their best responses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, inner, scalars, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.s7_transport.networks import CONDITIONS, curvature_certificate, surplus_certificate
from proofs_checks.s7_transport.plans import CYCLE, LOSS, Q, a, b, lam, least, q, v
from proofs_checks.shared.tools import instance, settle

CLIENT = LOSS + lam * CYCLE  # W_i for the quadratic potentials, v = E_{P_i}[X²]


def clients_instance() -> Witness:
    mu, moments = (F(1, 2), F(1, 2)), (F(1, 5), F(9, 5))
    return instance(
        {"P_1, P_2": "centred normal laws with variances 1/5 and 9/5", "mu": "1/2, 1/2", "Q": "N(0, 1)"},
        "two different clients whose mixture has the variance of Q",
        {"weights": sum(mu) == 1, "different": moments[0] != moments[1], "variance": sum(moments) / 2 == 1},
    )


# ----------------------------------------------------------------------------------------------------- the objective


def pooled_objective(weights: str = "mu", penalties: str = "lambda") -> Verdict:
    """Σ_i μ_i l_i + `penalties`·R_Q is the objective of (32), with λR_Q, for the mixture P = Σ_i μ_i P_i."""
    mu, own, target, cycle, n, reg = sp.symbols("mu_i E_i E_Q R n lambda")  # E_i = E_{P_i} f_ω
    weight = sp.sympify(weights, {"mu": mu, "n": n})
    factor = {"lambda": reg, "n*lambda": n * reg}[penalties]
    total = weight.subs(mu, Q(1, 2)).subs(n, 2) * 2  # two equal clients
    found = None
    at = {reg: 1, n: 2}
    left, right = total * (1 + 1) + factor.subs(at) * 1, 1 + 1 + 1
    if left != right:
        point = {"n": "2", "mu": "1/2, 1/2", "E_i f": "1", "the Q-part": "1", "R_Q": "1", "lambda": "1"}
        found = Witness(point, f"the federated objective is ${left}$, the pooled one ${right}$")
    return settle(
        "identity",
        {
            "the coefficient of each $E_{P_i} f_\\omega$": (weight - mu) * own,
            "the coefficient of the part of Q: $\\sum_i \\mu_i = 1$": (weight / mu - 1) * target,
            "the regulariser": (factor - reg) * cycle,
        },
        "termwise, for every number of clients",
        found,
    )


def single_map(pushes: Literal["each client", "the mixture", "the plain mean"]) -> Verdict:
    """The map m of (33), which is the one for P = Σ_i μ_i P_i (row ot-fed-objective), sends `pushes` onto Q.

    "each client": every P_i; "the mixture": Σ_i μ_i P_i; "the plain mean": n^{-1} Σ_i P_i.
    """
    *masses, law = scalars(*(f"P_{k}(m^{{-1}}(B))" for k in (1, 2, 3)), "Q(B)")
    weights = sp.symbols("mu_1:4", positive=True)
    mixture = sum(w * x for w, x in zip(weights, masses, strict=True))
    sent = {"each client": masses[0], "the mixture": mixture, "the plain mean": sum(masses) / 3}[pushes]

    def linear() -> Sequence[Step]:
        given = {"constraint": Hypothesis(mixture - law, r"$m \circ P = Q$ for $P = \sum_i \mu_i P_i$", equality=True)}
        says = f"$m$ sends {pushes} onto Q (three clients; termwise for any number)"
        return verify(sent - law, given, {"constraint": 1}, equality=True, says=says)

    return decide("derivation", linear, [lambda: _shifted_boxes(pushes)])


def _shifted_boxes(pushes: str) -> Witness | None:
    """P_1, P_2 on [0, 1] and [1, 2], μ = (1/3, 2/3), Q the image of the mixture under the increasing map x + 10 on
    [0, 1], x + 19 on [1, 2], which is the solution: a gradient of a convex function.
    """
    mu, inside = (F(1, 3), F(2, 3)), (F(1), F(0))  # P_i(m^{-1}[10, 11])
    images = {
        "each client": inside[0],
        "the mixture": sum(w * p for w, p in zip(mu, inside, strict=True)),
        "the plain mean": sum(inside) / 2,
    }
    if images[pushes] == mu[0]:
        return None
    point = {"P_1 and P_2": "any densities on [0, 1] and [1, 2]", "mu": "1/3, 2/3", "Q": "the image of the mixture"}
    says = f"$x + 10$, $x + 19$ give $[10, 11]$ the mass ${images[pushes]}$ under {pushes}; Q gives it ${mu[0]}$"
    return Witness(point, says)


def decoupled(fixed: Literal["omega", "theta"] = "omega", regulariser: Literal["P", "Q"] = "Q") -> Verdict:
    """Given the `fixed` parameter, W(ω, θ) depends on the other one through Q only, with R under `regulariser`."""
    own, target, R = (sp.Function(name) for name in ("E_P", "E_Q", "R"))
    omega, theta, other, P, law = sp.symbols("omega theta other P Q")

    def W(w: sp.Symbol, t: sp.Symbol, measure: sp.Symbol) -> sp.Expr:
        return own(w, measure) + target(w, t, law) + lam * R(w, t, {"Q": law, "P": measure}[regulariser])

    moved = (other, theta) if fixed == "theta" else (omega, other)
    rise = W(omega, theta, P) - W(*moved, P)
    at_new = sp.Symbol("P_new")
    found = None
    move = {a: 2 * a} if fixed == "theta" else {b: 2 * b}
    cycle = CYCLE if regulariser == "Q" else CYCLE * v / q
    value = LOSS + lam * cycle
    rises = [(value.subs(move) - value).subs({v: m, q: 1, a: 1, b: 1, lam: 1}) for m in (1, 4)]
    if rises[0] != rises[1]:
        point = {"Q": "N(0, 1)", "P": "N(0, 1) or N(0, 4)", "f_omega": "x^2/2", "f_theta": "y^2/2", "lambda": "1"}
        free = "theta" if fixed == "omega" else "omega"
        found = Witness(point, f"doubling $f_\\{free}$ changes W by ${rises[0]}$ or by ${rises[1]}$, depending on P")
    return settle(
        "identity",
        {"differences in the free parameter do not change with $P$": rise - rise.subs(P, at_new)},
        "with $E_P f_\\omega$, the part of Q and R as arbitrary functions of what they depend on",
        found,
    )


# ---------------------------------------------------------------------------------------------------- best responses


def best_response(
    claim: Literal["above", "below", "equivalent", "tangent"],
    response: Literal["any", "argmin"] = "argmin",
    profile: Literal["max", "min"] = "min",
) -> Verdict:
    """With ω_t = `response`_ω W(ω, θ_t), U(θ) = W(ω_t, θ) and 𝒲(θ) = `profile`_ω W(ω, θ):

    "equivalent": min_{ω,θ} W = min_θ 𝒲; "tangent": U(θ_t) = 𝒲(θ_t); "above": U ≥ 𝒲; "below": U ≤ 𝒲.
    """
    U, calW, W, low = scalars("U", r"\mathcal{W}", "W", r"\inf \mathcal{W}")
    calW_t, U_t, least_t = scalars(r"\mathcal{W}(\theta_t)", r"U(\theta_t)", r"\min_\omega W(\omega, \theta_t)")
    side = 1 if profile == "min" else -1  # a value lies above a minimum over ω, and below a maximum
    profiled = rf"$\mathcal{{W}}(\theta) = \{profile}_\omega W(\omega, \theta)$"

    def equivalent() -> Sequence[Step]:
        given = {"profile": Hypothesis(side * (W - calW), profiled), "inf": Hypothesis(calW - low, "an infimum")}
        says = r"$W(\omega, \theta) \geq \inf \mathcal{W}$ for all $\omega, \theta$, so $\inf W \geq \inf \mathcal{W}$"
        other = Step(r"$\inf W \leq \inf \mathcal{W}$", r"$\mathcal{W}(\theta)$ is an infimum of values of $W$")
        return (*verify(W - low, given, {"profile": 1, "inf": 1}, says=says), other)

    def tangent() -> Sequence[Step]:
        reached = r"$\omega_t$ attains the minimum at $\theta_t$" if response == "argmin" else "ω_t is any point"
        given = {
            "response": Hypothesis(U_t - least_t, reached, equality=response == "argmin"),
            "profile": Hypothesis(side * (least_t - calW_t), profiled, equality=profile == "min"),
        }
        return verify(U_t - calW_t, given, {"response": 1, "profile": 1}, equality=True)

    def ordered(order: int) -> Sequence[Step]:
        given = {"profile": Hypothesis(side * (U - calW), rf"$U(\theta) = W(\omega_t, \theta)$, and {profiled}")}
        return verify(order * (U - calW), given, {"profile": 1})

    prove = {
        "equivalent": equivalent, "tangent": tangent, "above": lambda: ordered(1), "below": lambda: ordered(-1),
    }[claim]  # fmt: skip
    return decide("certificate", prove, [lambda: _table(claim, response, profile)])


def _table(claim: str, response: str, profile: str) -> Witness | None:
    """All tables W(ω, θ), ω, θ ∈ {0, 1}, with entries 0, 1, 2; θ_t = 0."""
    pick = {"min": min, "max": max}[profile]
    for entries in product(range(3), repeat=4):
        W = [entries[:2], entries[2:]]  # W[ω][θ]
        best = [0, 1] if response == "any" else [w for w in (0, 1) if W[w][0] == min(W[0][0], W[1][0])]
        calW = [pick(W[0][t], W[1][t]) for t in (0, 1)]
        holds = {
            "equivalent": min(entries) == min(calW),
            "tangent": all(W[w][0] == calW[0] for w in best),
            "above": all(W[w][t] >= calW[t] for w in best for t in (0, 1)),
            "below": all(W[w][t] <= calW[t] for w in best for t in (0, 1)),
        }
        if not holds[claim]:
            point = {"W(0, .)": str(W[0]), "W(1, .)": str(W[1]), "theta_t": "0", "responses": str(best)}
            return Witness(point, f"$\\mathcal{{W}} = ({calW[0]}, {calW[1]})$: not {claim}")
    return None


def client_step(claim: Literal["bounded", "unique"], penalty: Literal["> 0", ">= 0"] = "> 0") -> Verdict:
    """argmin_ω W_i(ω, θ_t) is one point ("unique"), or W_i(·, θ_t) is bounded below ("bounded"), for λ `penalty`."""

    weight = lam if penalty == "> 0" else sp.Symbol("lambda", nonnegative=True)
    X, y, t, g = atoms("x", "y", "t", r"\nabla f(t)")
    fx, ft, shift = scalars("f(x)", "f(t)", "c")

    def W(constant: sp.Expr) -> sp.Expr:
        """The integrand of W_i at f + constant, which has the same gradient."""
        return (fx + constant) + inner(t, y) - (ft + constant) + weight * square(g - y)

    def unique() -> Sequence[Step]:
        growth = sp.Symbol("epsilon", positive=True)
        return verify(W(shift) - W(sp.S.Zero) - growth * shift**2, {}, {}, says="$W_i$ grows from $f$ to $f + c$")

    def bounded() -> Sequence[Step]:
        convex = Hypothesis(fx - ft - inner(g, X - t), "$f$ is convex")
        floor = inner(X, y) - square(X - t) / (4 * weight)
        says = (
            r"$f(x) + \langle t, y \rangle - f(t) + \lambda \|\nabla f(t) - y\|^2 \geq \langle x, y \rangle - "
            r"\|x - t\|^2/(4\lambda)$, free of $f$"
        )
        steps = verify(
            W(sp.S.Zero) - floor,
            {"convex": convex},
            {"convex": 1},
            squares=[(weight, g - y + (X - t) / (2 * weight))],
            says=says,
        )
        mean = Step(
            "$W_i(\\cdot, \\theta_t)$ is bounded below",
            "integrated at $t = \\nabla f_{\\theta_t}(y)$, X and Y independent",
        )
        return (*steps, mean)

    prove = {"unique": unique, "bounded": bounded}[claim]
    return decide("certificate", prove, [lambda: _constants(claim), lambda: _no_penalty(penalty)])


def _constants(claim: str) -> Witness | None:
    """f_ω(x) = x²/2 + c: every c gives the same W_i."""
    c, X, t, y = sp.symbols("c X t y", real=True)
    f = lambda u: u**2 / 2 + c  # noqa: E731
    value = sp.expand(f(X) + t * y - f(t) + (sp.diff(f(t), t) - y) ** 2)
    if claim != "unique" or value.has(c):
        return None
    point = {"f_omega": "x^2/2 + c", "c": "0 or 1"}
    return Witness(point, "$W_i$ is free of $c$: with one best response, every $c$ gives another")


def _no_penalty(penalty: str) -> Witness | None:
    """λ = 0: W_i is affine in a."""
    at = {lam: 0, v: 1, q: 1, b: 2}
    limit = sp.limit(CLIENT.subs(at), a, sp.oo)
    if penalty == "> 0" or limit != -sp.oo:
        return None
    point = {"P, Q": "N(0, 1)", "f_theta": "y^2", "f_omega": "a x^2/2", "lambda": "0"}
    return Witness(point, f"$W_i = {sp.latex(sp.expand(CLIENT.subs(at)))}$ tends to $-\\infty$ in $a$")


def server_step(condition: Literal["> 1/2", ">= 1/2", ">= 1/4", "none"]) -> Verdict:
    """argmin_θ W(ω_{t+1}, θ) exists, and is where ∇f_θ = ∇f_ω^c Q-a.e.; `condition` on λβ as in `regularised`."""

    def prove() -> Sequence[Step]:
        reached = Step(r"0 is reached where $\nabla f_\theta = \nabla f_\omega^c$ Q-a.e.", "the family is rich")
        return (*curvature_certificate(*CONDITIONS[condition]), reached, *surplus_certificate(condition))

    return decide("certificate", prove, [lambda: _first_round(condition), lambda: _half(condition)])


def _first_round(condition: str) -> Witness | None:
    """One client, γ = p = 1, λ = 1, P = N(0, 4), Q = N(0, 1), θ_0: b = 1. The first round of Algorithm 3."""
    if condition not in ("none", ">= 1/4"):
        return None
    at = {lam: 1, v: 4, q: 1}
    slope = least(CLIENT.subs({**at, b: 1}), a)
    along = sp.expand(CLIENT.subs({**at, a: slope}))
    limit = sp.limit(along, b, sp.oo)
    if slope is None or limit != -sp.oo or slope < Q(1, 4):
        raise InvalidInput(f"the first round ends at a = {slope}, with the limit {limit}: choose another instance.")
    point = {"P": "N(0, 4)", "Q": "N(0, 1)", "f_theta_0": "y^2/2", "lambda": "1", "f_omega_1": f"{slope} x^2/2"}
    return Witness(point, f"$W(\\omega_1, \\theta) = {sp.latex(along)}$ tends to $-\\infty$ in $b$: no $\\theta_1$")


def _half(condition: str) -> Witness | None:
    along = sp.expand(CLIENT.subs({lam: 1, a: Q(1, 2), v: 4, q: 1}))
    if condition != ">= 1/2" or along.has(b):
        return None
    return Witness(
        {"f_omega": "x^2/4", "Q": "N(0, 1)", "lambda": "1"}, f"$W$ is ${along}$ for every $b$, not only for $b = 2$"
    )
