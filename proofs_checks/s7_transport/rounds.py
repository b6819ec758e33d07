"""Section 7.1: the rounds of Algorithm 3 (FedMM-OT), its control variates, and the surrogate at the server."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, same_vector, verify
from fedmm_edu.proofs.gram import Vector, atoms, inner, operator, scalars
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction, proved, refuted, undecided
from proofs_checks.s7_transport.clients import CLIENT, best_response
from proofs_checks.s7_transport.plans import Q, a, b, lam, least, q, v
from proofs_checks.shared.tools import instance, settle

# ------------------------------------------------------------------------------------------------- the control variates

alpha, p, mu, omega = sp.symbols("alpha p mu_i omega")
Vi, best, active, V = sp.symbols("V_i omega_i b_i V")  # b_i = 1 if client i is active, else 0
DELTA = best - omega - Vi
NAMES = {"alpha": alpha, "p": p, "mu_i": mu}


def invariant(
    server: str = "alpha/p*mu_i", start: Literal["0", "sum"] = "sum", recursion: str = "mu_i/p", full: bool = True
) -> Verdict:
    """V_t = Σ_i μ_i V_{t,i}; and for p = 1 (`full`), before the projection, ω_{t+1} = (1 − γ)ω_t + γ Σ_i μ_i ω_i(θ_t).

    `server`: what multiplies Δ_{t+1,i} in V_{t+1}; `recursion`: what multiplies it in H_{t+1}; `start`: V_0 is "sum"
    (of μ_i V_{0,i}) or "0".
    """
    step, pull = (sp.sympify(text, NAMES) for text in (server, recursion))
    client = mu * (alpha / p) * active * DELTA
    share = {p: 1, active: 1} if full else {active: 1}
    H = mu * Vi + pull * active * DELTA  # the part of client i, as V_t = Σ_i μ_i V_{t,i}
    residuals = {
        "client $i$'s part of $V_0 = \\sum_i \\mu_i V_{0,i}$": (mu * Vi if start == "sum" else 0) - mu * Vi,
        "client $i$ changes both sides alike": step * active * DELTA - client,
        "$H_{t+1}$ is a sum of $\\mu_i(\\omega_i - \\omega_t)$": (H - mu * (best - omega)).subs(share),
    }
    why = "termwise and by induction on t, for every number of clients and every active set; $\\sum_i \\mu_i = 1$"
    return settle("induction on t", residuals, why, _two_clients(step, start, pull, full))


def _two_clients(step: sp.Expr, start: str, pull: sp.Expr, full: bool) -> Witness | None:
    """n = 2, μ = (1/4, 3/4), α = γ = 1/2, ω_t = 0, best responses 4 and 8: one round with both clients active."""
    weights, variates, targets, half = (F(1, 4), F(3, 4)), (F(1), F(2)), (F(4), F(8)), F(1, 2)
    rows = list(zip(weights, variates, targets, strict=True))
    V0 = sum((w * x for w, x, _ in rows), F(0)) if start == "sum" else F(0)

    def summed(factor: sp.Expr, rate: F) -> F:
        """V_0 + Σ_i factor·Δ_{1,i}."""
        at = {alpha: Q(1, 2), p: Q(str(rate))}
        return V0 + sum((F(str(factor.subs({**at, mu: Q(str(w))}))) * (t - x) for w, x, t in rows), F(0))

    point = {"mu": "1/4, 3/4", "alpha": "1/2", "gamma": "1/2", "V_{0,i}": "1, 2", "omega_0": "0"}
    point |= {"omega_i": "4, 8", "active": "both"}
    server, mean = summed(step, half), sum(w * (x + half / half * (t - x)) for w, x, t in rows)  # p = 1/2
    if server != mean:
        return Witness({**point, "p": "1/2"}, f"$V_1 = {server}$, but $\\sum_i \\mu_i V_{{1,i}} = {mean}$")
    rate = F(1) if full else half
    moved, wanted = half * summed(pull, rate), half * sum(w * t for w, _, t in rows)
    return None if moved == wanted else Witness({**point, "p": str(rate)}, f"$\\omega_1 = {moved}$, not ${wanted}$")


def unbiased(recursion: str = "mu_i/p", inclusion: str = "p") -> Verdict:
    """E[H_{t+1} | past] = Σ_i μ_i ω_i(θ_t) − ω_t, when each client is active with probability `inclusion`."""
    pull, chance = sp.sympify(recursion, NAMES), sp.sympify(inclusion, {"p": p})
    mean = mu * Vi + pull * chance * DELTA
    at = {mu: Q(1, 2), p: Q(1, 2), Vi: 1, best: 4, omega: 0}
    ours, wanted = (2 * expr.subs(at) for expr in (mean, mu * (best - omega)))
    found = None
    if ours != wanted:
        point = {"mu": "1/2, 1/2", "p": "1/2", "V_{t,i}": "1, 1", "omega_i": "4, 4", "omega_t": "0"}
        found = Witness(point, f"$E[H] = {ours}$, not ${wanted}$")
    return settle(
        "linearity of the expectation",
        {"the part of client $i$ has the mean $\\mu_i(\\omega_i - \\omega_t)$": mean - mu * (best - omega)},
        "termwise, whatever the dependence between clients; $\\sum_i \\mu_i = 1$",
        found,
    )


def round_instance() -> Witness:
    weights, variates, targets, gamma = (F(1, 4), F(3, 4)), (F(1), F(2)), (F(4), F(8)), F(1, 2)
    V0 = sum(w * x for w, x in zip(weights, variates, strict=True))
    move = gamma * (V0 + sum(w * (t - x) for w, x, t in zip(weights, variates, targets, strict=True)))
    return instance(
        {"mu": "1/4, 3/4", "V_{0,i}": "1, 2", "omega_0": 0, "omega_i": "4, 8", "gamma": gamma, "p": 1},
        "one round with both clients active",
        {"weights": sum(weights) == 1, "moves": move != 0, "to the mean": move == gamma * 7},
    )


# ----------------------------------------------------------------------------------------- the server's surrogate

PARAMETERS = {"linear": lambda slope: slope, "1/omega": lambda slope: 1 / slope}  # ω from a, and a from ω
POTENTIAL = {"linear": "omega x^2/2", "1/omega": "x^2/(2 omega)"}
MOMENTS = (Q(1, 5), Q(9, 5))  # E_{P_i}[X²] of the two clients, μ = (1/2, 1/2), E_Q[Y²] = 1, λ = 1, θ_t: b = 1


def _round(potentials: str, moments: Sequence[sp.Expr]) -> dict[str, sp.Expr]:
    """One exact round with γ = p = 1: the server's a, and W, 𝒲 before and after, W = Σ_i μ_i W_i."""
    at = {lam: 1, q: 1}
    pooled = CLIENT.subs({**at, v: sum(moments) / 2})
    change = PARAMETERS[potentials]
    responses = [least(CLIENT.subs({**at, v: m, b: 1}), a) for m in moments]
    slope = change(sum(change(r) for r in responses) / 2)
    after = least(pooled.subs(a, slope), b)
    assert after is not None

    def profile(theta: sp.Expr) -> sp.Expr:
        value = pooled.subs(b, theta)
        return value.subs(a, least(value, a))

    return {
        "a": slope,
        "b": after,
        "tangency gap": pooled.subs({a: slope, b: 1}) - profile(sp.S.One),
        "profile before": profile(sp.S.One),
        "profile after": profile(after),
        "upper gap": min(pooled.subs({a: slope, b: t}) - profile(t) for t in (Q(1, 2), sp.S.One, after, Q(2))),
    }


def not_a_majorizer(
    potentials: Literal["1/omega", "linear"] = "1/omega",
    clients: Literal["different", "equal"] = "different",
    fails: Literal["above", "tangent"] = "tangent",
) -> Verdict:
    """The server's W(ω_{t+1}, ·) need not be a majorising surrogate of 𝒲(θ) = min_ω W(ω, θ): it need not be `fails`
    ("tangent" at θ_t, or "above" 𝒲).
    """
    moments = MOMENTS if clients == "different" else (sp.S.One, sp.S.One)
    result = _round(potentials, moments)
    point = {"f_omega": POTENTIAL[potentials], "f_theta": "b y^2/2", "E_i X^2": ", ".join(map(str, moments))}
    point |= {"mu": "1/2, 1/2", "Q": "N(0, 1)", "lambda": "1", "gamma, p": "1, 1", "theta_t": "b = 1"}
    gap = result["tangency gap" if fails == "tangent" else "upper gap"]
    where = "; ".join(f"{name}: {value}" for name, value in point.items())
    if gap > 0 and fails == "tangent":
        before, after = result["profile before"], result["profile after"]
        grows = Step(
            f"$\\mathcal{{W}}(\\theta_{{t+1}}) = {after} > {before} = \\mathcal{{W}}(\\theta_t)$", "no descent"
        )
        tangency = Step(f"$W(\\omega_{{t+1}}, \\theta_t) - \\mathcal{{W}}(\\theta_t) = {gap} > 0$", where)
        return proved("exact instance", tangency, *([grows] if after > before else []))
    if fails == "above":
        always = {"above": best_response("above", response="any")}
    elif potentials == "linear":
        always = {"exact": linear_exact()}
    else:
        always = {"the average is a best response": decide("identity", lambda: _average(clients), [])}
        always |= {"so": best_response("tangent")}
    if gap < 0 or any(verdict.status != "proved" for verdict in always.values()):
        return undecided("exact instance", Step(f"the gap is {gap}", where))
    says = f"the gap is ${gap} \\geq 0$ here, and no instance fails it"
    return refuted("exact instance", Witness(point, says), *conjunction(always).evidence)


def _average(clients: str) -> Sequence[Step]:
    """Σ_i μ_i ω_i = ω for a best response ω of the pooled W: clients that are "equal" have a common one."""
    first, second = sp.symbols("mu_1 mu_2")
    ours = atoms(r"\omega") * 3 if clients == "equal" else atoms(r"\omega_1", r"\omega_2", r"\omega_3")
    mean = first * ours[0] + second * ours[1] + (1 - first - second) * ours[2]
    return [same_vector(mean, atoms(r"\omega")[0], "weights that sum to 1; three clients, termwise for any number")]


def server_above(claim: Literal["above", "tangent"] = "above", pick: Literal["max", "min"] = "min") -> Verdict:
    """For every ω, Σ_i μ_i W_i(ω, θ) is `claim` ("above", or "tangent": equal) Σ_i μ_i 𝒲_i(θ), 𝒲_i = `pick`_ω W_i."""
    weights = sp.symbols("mu_1:4", nonnegative=True)
    values, profiles = scalars("W_1", "W_2", "W_3"), scalars(*(rf"\mathcal{{W}}_{k}" for k in (1, 2, 3)))
    side = 1 if pick == "min" else -1  # a value lies above a minimum over ω, and below a maximum
    given = {
        f"client {k + 1}": Hypothesis(side * (W - low), rf"$\mathcal{{W}}_{k + 1}$ is a {pick}imum over ω")
        for k, (W, low) in enumerate(zip(values, profiles, strict=True))
    }
    target = sp.Add(*(m * (W - low) for m, W, low in zip(weights, values, profiles, strict=True)))

    def prove() -> Sequence[Step]:
        used = dict(zip(given, weights, strict=True))
        return (*verify(target, given, used, equality=claim == "tangent"), Step("for every n", "termwise"))

    def fails() -> Witness | None:  # W_i(ω) at the fixed θ for ω = 0, 1, 2; the average of the responses 0 and 2 is 1
        clients = ((0, 2, 3), (3, 2, 0))
        bound = sum(F(1, 2) * (min if pick == "min" else max)(W) for W in clients)
        holds = {"above": lambda value: value >= bound, "tangent": lambda value: value == bound}[claim]
        value = sum(F(1, 2) * W[1] for W in clients)
        point = {
            "W_1(0), W_1(1), W_1(2)": "0, 2, 3",
            "W_2(0), W_2(1), W_2(2)": "3, 2, 0",
            "mu": "1/2, 1/2",
            "omega": "1",
        }
        return (
            None
            if holds(value)
            else Witness(point, f"the mean of the $W_i$ is ${value}$, that of the profiles ${bound}$")
        )

    return decide("certificate", prove, [fails])


SLOPES = {"linear": lambda omega: omega, "1/omega": lambda omega: atoms(f"c({omega.latex()})")[0]}
"""The coefficients of the b_k, a linear or another function c of the parameter."""
SETTING = {"potentials": "linear", "gamma": "1", "parameters": "free", "target": "common"}


def linear_exact(**form: str) -> Verdict:
    """f_ω = Σ_k ω_k b_k: Σ_i μ_i ω_i(θ_t) minimises W(·, θ_t), so Algorithm 3 with γ = p = 1 is exact MM on 𝒲.

    The forms leave `SETTING`: potentials "1/omega", gamma "1/2", parameters ">= 0", or each client's "own" target Q_i.
    """
    setting = {**SETTING, **form}

    def prove() -> Sequence[Step]:
        size, gamma = range(3), sp.sympify(setting["gamma"])
        weights = [*sp.symbols("mu_1 mu_2"), 1 - sum(sp.symbols("mu_1 mu_2"))]
        delta, old = atoms(r"\delta", r"\omega_t")
        data, rises = atoms("d_1", "d_2", "d_3"), atoms("r_1", "r_2", "r_3")
        operators = [operator(f"A_{i + 1}") for i in size]
        if setting["target"] == "common":
            operators, rises = [operator("A")] * 3, atoms("r") * 3
        own, free = SLOPES[setting["potentials"]], setting["parameters"] == "free"
        answers = [atoms(name)[0] for name in (r"\omega_1", r"\omega_2", r"\omega_3")]
        forces = atoms(r"\nu_1", r"\nu_2", r"\nu_3") if not free else (Vector({}),) * 3  # of the constraints
        mean = lambda parts: sum((weights[i] * parts[i] for i in size), Vector({}))  # noqa: E731
        server = own((1 - gamma) * old + gamma * mean(answers))  # the coefficients of the b_k at the server

        def slope(i: int, coefficients: Vector) -> Vector:
            """Of W_i(·, θ_t) in the coefficients."""
            return 2 * lam * operators[i](coefficients) - rises[i] + data[i]

        at_answers = mean([slope(i, own(answers[i])) - forces[i] for i in size])  # 0, as each client is stationary
        pooled = mean([slope(i, server) for i in size])
        A = operators[0]
        shape = Step(
            r"$W_i(\omega, \theta_t) = c + \lambda \langle \omega, A \omega \rangle - \langle \omega, r - d_i \rangle$",
            r"$A_{jk} = E_Q \langle \nabla b_j, \nabla b_k \rangle(\nabla f_{\theta_t}(Y))$ and $r$ depend on Q and "
            r"$\theta_t$ only, $d_i = E_{P_i}[b(X)]$",
        )
        line = same_vector(
            pooled, at_answers,
            r"$\sum_i \mu_i = 1$; three clients with symbolic weights, termwise for any number",
            r"the slope of $\sum_i \mu_i W_i$ at $\omega_{t+1}$ is the mean of the clients' slopes, all 0",
        )  # fmt: skip
        quadratic = r"$\langle \delta, A\delta \rangle = E_Q \|\sum_k \delta_k \nabla b_k\|^2$"
        convex = {"psd": Hypothesis(inner(delta, A(delta)), quadratic)}
        says = (
            r"at a zero of the slope $W(\omega + \delta) - W(\omega) = \lambda \langle \delta, A \delta \rangle \geq 0$"
        )
        minimum = verify(lam * inner(delta, A(delta)), convex, {"psd": lam}, says=says)
        return (
            shape,
            line,
            *minimum,
            Step("so $W(\\omega_{t+1}, \\cdot)$ is tangent and above", "rows ot-tangent, ot-majorize"),
        )

    return decide("certificate", prove, [lambda: _averaged(setting)])


def _averaged(setting: dict[str, str]) -> Witness | None:
    """W(mean of the responses) − min W ≥ 0 at θ_t, for quadratic potentials, Q = N(0, 1) (or 1, 3), λ = 1, b = 1."""
    own = setting["target"] == "own"
    moments, targets = (
        ((Q(9), Q(1, 5)), (1, 1)) if setting["parameters"] == ">= 0" else (MOMENTS, (1, 3) if own else (1, 1))
    )
    values = [CLIENT.subs({lam: 1, v: m, q: t, b: 1}) for m, t in zip(moments, targets, strict=True)]
    change = PARAMETERS[setting["potentials"]]

    free = sp.Symbol("a_free", real=True)
    values = [value.subs(a, free) for value in values]
    roots = [sp.solve(sp.diff(value, free), free)[0] for value in values]
    answers = [max(root, sp.S.Zero) if setting["parameters"] == ">= 0" else root for root in roots]
    mean = sum(change(r) for r in answers) / 2
    gamma = sp.sympify(setting["gamma"])
    slope = change((1 - gamma) * change(Q(2)) + gamma * mean)  # from ω_t with a = 2
    pooled = sp.Add(*values) / 2
    best_slope = sp.solve(sp.diff(pooled, free), free)[0]
    gap = pooled.subs(free, slope) - pooled.subs(free, best_slope)
    if gap == 0:
        return None
    point = {"f_omega": POTENTIAL[setting["potentials"]], "E_i X^2": f"{moments[0]}, {moments[1]}", "mu": "1/2, 1/2"}
    point |= {"E_i Y^2": f"{targets[0]}, {targets[1]}", "lambda": "1", "theta_t": "b = 1", "gamma": str(gamma)}
    return Witness(point, f"$W(\\omega_{{t+1}}, \\theta_t) - \\mathcal{{W}}(\\theta_t) = {gap}$", {"a": str(slope)})
