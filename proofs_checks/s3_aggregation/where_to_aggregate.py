"""The federated objective, and aggregation in 𝒮 and in Θ compared with the centralised algorithm."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import pairwise
from typing import Literal

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, proved, refuted, undecided
from proofs_checks.shared.oracles import MAPS
from proofs_checks.shared.tools import settle, vanishes

Q = sp.Rational
theta, tau = sp.symbols("theta tau", positive=True)


def pooled_objective(mu: str, clients: Literal["every", "some"] = "every") -> Verdict:
    """Σ_i μ_i f_i = E_π[ℓ(Z, ·)] for the union π of all samples, of which every client has N_i ≥ 1, or only some."""
    Ni = sp.Symbol("N_i", positive=True) if clients == "every" else sp.Symbol("N_i", nonnegative=True)
    N, n = sp.symbols("N n", positive=True)
    weight = sp.sympify(mu, {"N_i": Ni, "N": N, "n": n})
    found = None
    for counts in ((1, 2), (3, 3)) if clients == "every" else ((1, 2), (0, 2)):
        weights = [weight.subs({Ni: k, N: sum(counts), n: 2}) for k in counts]
        if 0 in counts:
            says = "client 1 has no sample: $f_1$ would divide by $N_1 = 0$"
        elif all(w / k == Q(1, sum(counts)) for w, k in zip(weights, counts, strict=True)) and sum(weights) == 1:
            continue
        else:
            own = weights[0] / counts[0]
            says = f"a sample of client 1 has weight ${own}$ on the left, $1/{sum(counts)}$ on the right"
        found = found or Witness({"N_1, N_2": str(counts), "mu": ", ".join(map(str, weights))}, says)
    residual = weight / Ni - 1 / N if Ni.is_nonzero else None  # 1/N_i must exist
    return settle(
        "identity",
        {"$\\mu_i \\cdot (1/N_i) = 1/N$": residual},
        "the coefficient of each $\\ell(z_{ij}, \\theta)$ on both sides, so for all n and all N_i ≥ 1; "
        "the penalty g is the same on both sides",
        found,
    )


def client_surrogates(client: str, server: str) -> Verdict:
    """Poisson strategy 2: MM-1 holds for each f_i with ψ_i = −client·θ, and Σ_i server = E_π[Z] for the server's ψ.

    m_i = E_{π_i}[Z], m = Σ_i μ_i m_i = E_π[Z], k_i stands for `client`. Here f_i(θ) = −m_iθ + F_i(θ), where F_i
    has the tangent majorant of φ = e^θ; so the gap of MM-1 is that of F_i plus (m_i − client)(θ − τ).
    """
    mu, mi, m, k = sp.symbols("mu_i m_i m k_i")
    slope = sp.sympify(client, {"m_i": mi, "m": m})
    summand = sp.sympify(server, {"mu_i": mu, "k_i": k}).subs(k, slope)
    total = summand.subs(m, mi) - mu * mi  # Σ μ_i m = m = Σ μ_i m_i
    return settle(
        "identity",
        {
            "$\\psi_i$ has the slope of $f_i$'s linear part: tangent at $\\tau$": slope - mi,
            "the server's $\\psi$ is that of the pooled objective": total,
        },
        "termwise, so for every number of clients; the gap of the pooled MM-1 is then $\\sum_i \\mu_i$ gap$_i$ ≥ 0",
        _client_gap(slope, summand, (mu, mi, m)),
    )


def _client_gap(slope: sp.Expr, summand: sp.Expr, symbols: tuple[sp.Symbol, ...]) -> Witness | None:
    """h = 0, so f_i(θ) = −m_iθ + e^θ and F_i is its own majorant; μ = (1/2, 1/2), means 1 and 3."""
    mu, mi, m = symbols
    point = {"h": "0", "mu": "1/2, 1/2", "E_1 Z, E_2 Z": "1, 3"}
    gaps = {}
    for client, mean in ((1, 1), (2, 3)):
        for move in (-1, 1):
            gaps[client, move] = (mi - slope).subs({mi: mean, m: 2}) * move
    (client, move), least = min(gaps.items(), key=lambda item: item[1])
    if least < 0:
        return Witness(
            {**point, "theta": "0", "tau": str(-move)},
            f"the gap of MM-1 for client {client} is $(m_{client} - k_{client})(\\theta - \\tau) = {least}$",
        )
    pooled = sum(summand.subs({mu: Q(1, 2), mi: mean, m: 2}) for mean in (1, 3))
    if pooled != 2:
        return Witness(point, f"the server's $\\psi$ has slope ${-pooled}$, the pooled one $-2$")
    return None


# ------------------------------------------------------------------------------------------------- 𝒮 against Θ


def aggregate(
    space: Literal["S", "Theta"], mixture: Literal["equal weights", "sum mu_i pi_i"] = "sum mu_i pi_i"
) -> Verdict:
    """The mirror of the aggregated iterate is T(E_π[S̄(Z, θ)]) for π = `mixture`: one step of centralised MM."""
    size = range(3)
    mu, S, law = sp.symbols("mu1:4"), sp.symbols("S1:4"), [sp.symbols(f"p_{i}_1:4") for i in size]
    T = sp.Function("T")
    shares = mu if mixture == "sum mu_i pi_i" else (Q(1, 3),) * 3
    local = [sum(law[i][k] * S[k] for k in size) for i in size]
    pooled = sum(sum(shares[i] * law[i][k] for i in size) * S[k] for k in size)
    residual = sp.expand(T(sp.expand(sum(mu[i] * local[i] for i in size))) - T(sp.expand(pooled)))
    if space == "Theta":
        residual = sum(mu[i] * T(local[i]) for i in size) - T(sp.expand(pooled))
    one = sp.symbols("f_tau dpsi dphi")
    upper = [sp.Symbol(f"f_{i}") + one[1] - local[i] * one[2] for i in size]
    joint = sum(mu[i] * sp.Symbol(f"f_{i}") for i in size) + one[1] - sum(mu[i] * local[i] for i in size) * one[2]
    sums = {mu[2]: 1 - mu[0] - mu[1]}
    majorant = (sum(mu[i] * upper[i] for i in size) - joint).subs(sums)
    return settle(
        "linearity of the expectation",
        {
            "$T(\\sum_i \\mu_i E_{\\pi_i}[\\bar S]) = T(E_\\pi[\\bar S])$": residual,
            "the pooled majorant is $\\sum_i \\mu_i$ times the clients'": majorant,
        },
        "the coefficient of each $\\bar S(z_k, \\cdot)$ is $\\sum_i \\mu_i \\pi_i(z_k)$, termwise in clients and "
        "samples; T arbitrary",
        _toy_difference(space, mixture),
    )


def _toy_difference(space: str, mixture: str) -> Witness | None:
    """Remark 1 with E_1 Z = 1 and E_2 Z = 49, weights chosen so that the centralised value is T(25) = 1/5."""
    means, half = (Q(1), Q(49)), (Q(1, 2), Q(1, 2))
    mu = half if mixture == "sum mu_i pi_i" else (Q(1, 4), Q(3, 4))
    s = sum(w * x for w, x in zip(mu, means, strict=True))
    value = 1 / sp.sqrt(s) if space == "S" else sum(w / sp.sqrt(x) for w, x in zip(mu, means, strict=True))
    if value == Q(1, 5):
        return None
    point = {"problem": "Remark 1", "mu": ", ".join(map(str, mu)), "E_i Z": "1, 49"}
    return Witness(point, f"the aggregated step gives ${sp.latex(value)}$, the centralised one $T(25) = 1/5$")


def differs(where: Literal["always", "for some problem", "never", "whenever clients differ"]) -> Verdict:
    """Σ_i μ_i T(S_i) ≠ T(Σ_i μ_i S_i) "for some problem", "whenever clients differ", "always" or "never"."""
    root = lambda x: 1 / sp.sqrt(x)  # noqa: E731
    ridge = MAPS["(theta - 1)**2/2"]
    problems = {
        "Remark 1, T(s) = s^(-1/2)": (root, (1, 49)),
        "Remark 1, equal clients": (root, (25, 25)),
        "f_i quadratic, g = (theta-1)^2/2, T(s) = (s+1)/2": (ridge, (1, 49)),
    }
    gaps = {}
    for name, (T, (a, b)) in problems.items():
        gaps[name] = (T(Q(a)) + T(Q(b))) / 2 - T(Q(a + b, 2)), a != b
    covered = False
    for name, (gap, heterogeneous) in gaps.items():
        point = {"problem": name, "S_1, S_2": ", ".join(map(str, problems[name][1])), "mu": "1/2, 1/2"}
        covered, wanted = {
            "always": (True, True),
            "whenever clients differ": (heterogeneous, True),
            "never": (True, False),
            "for some problem": (False, True),
        }[where]  # the problems that the form speaks of, and whether the gap is to be nonzero there
        if covered and (gap != 0) != wanted:
            return refuted("exact instance", Witness(point, f"aggregated minus centralised is ${gap}$"))
    name = next(iter(gaps))
    if covered or gaps[name][0] == 0:  # instances prove nothing for all problems
        return undecided("exact instance")
    return proved(
        "exact instance",
        Step(
            f"{name}, $S = (1, 49)$: aggregated minus centralised is ${gaps[name][0]}$",
            "$\\frac{1}{2}(1 + 1/7) = 4/7$, but $T(25) = 1/5$: one instance is enough",
        ),
    )


def diverges(T: str, clients: tuple[tuple[str, str], ...], start: str = "0") -> Verdict:
    """θ_{t+1} = ½ Σ_i T(c_iθ_t + k_i) diverges from θ_0 = start, though 𝒮-aggregation reaches W's unique minimiser.

    Two clients (c_i, k_i) with μ_i = ½ and S̄(τ) = c_iτ + k_i; T is "1/sqrt(s)" (Remark 1) or, with ρ = 1,
    "prox of max(theta, 0)".
    """
    lines = [(F(c), F(k)) for c, k in clients]
    pieces = [piece for c, k in lines if (piece := _branch(T, c, k, F(start))) is not None]
    if len(pieces) < len(lines):
        return undecided("calculus")
    slope, shift = (
        sum((piece[side] for piece in pieces), F(0)) / 2 for side in (0, 1)
    )  # M(θ) = slope·θ + shift on [start, ∞)
    point = {
        "T": T,
        "S_bar_i(tau)": "; ".join(f"{c}*tau + {k}" if c else str(k) for c, k in lines),
        "mu": "1/2, 1/2",
        "theta_0": start,
    }
    run = [F(start)]
    for _ in range(20):  # the recursion itself, without the pieces
        run.append(sum((_value(T, c * run[-1] + k) for c, k in lines), F(0)) / 2)
    seen = Step(
        f"20 rounds in fractions: ${', '.join(map(str, run[:4]))}, …, {run[-1]}$", "T evaluated, not its pieces"
    )
    if slope == 0 or (0 < slope < 1 and slope * F(start) + shift >= F(start)):
        limit = shift / (1 - slope)
        if any(abs(b - limit) != slope * abs(a - limit) for a, b in pairwise(run[1:])):
            raise InvalidInput(f"the run {run[:4]} and the limit {limit} disagree: one of them is wrong.")
        what = "is constant from t = 1 on" if slope == 0 else f"contracts by ${slope}$ per step"
        fixed = Step(
            f"$M(\\theta) = {slope}\\theta + {shift}$ and $M({limit}) = {limit}$", "one affine piece; induction on t"
        )
        witness = Witness(point, f"the sequence {what} and converges to ${limit}$")
        return refuted("exact recursion", witness, fixed, seen)
    if slope == 1 and shift == 0:
        return refuted("exact recursion", Witness(point, f"the sequence stays at ${start}$"), seen)
    if not (slope == 1 and shift > 0 and run[-1] == F(start) + 20 * shift):
        return undecided("exact recursion")
    return _against_pooled(T, lines, shift, start)


def _value(T: str, s: F) -> F:
    """T(s) exactly; `InvalidInput` where it is irrational."""
    if T != "1/sqrt(s)":
        return prox_half_line(s)
    root = sp.sqrt(Q(s.numerator, s.denominator))
    if not isinstance(root, sp.Rational) or root == 0:
        raise InvalidInput(f"T({s}) is no fraction: choose clients whose means are squares.")
    return 1 / F(int(root.p), int(root.q))


def _branch(T: str, c: F, k: F, start: F) -> tuple[F, F] | None:
    """T(cθ + k) as slope and shift on [start, ∞), or None where it is not affine there."""
    if c == 0:
        return F(0), _value(T, k)
    return (c, k - 1) if T != "1/sqrt(s)" and c > 0 and c * start + k >= 1 else None


def prox_half_line(s: F) -> F:
    """The minimiser of max(θ, 0) + (θ − s)²/2: s − 1 above 1, s below 0, else 0."""
    return s - 1 if s > 1 else min(s, F(0))


def _against_pooled(T: str, lines: list[tuple[F, F]], shift: F, start: str) -> Verdict:
    """The other half of `diverges`: MM-1 for each client, W's unique minimiser 0, and 𝒮-aggregation."""
    gaps = []
    for c, k in lines:
        f = lambda x, c=c, k=k: (1 - Q(c)) * x**2 / 2 - Q(k) * x  # noqa: E731  ∇f(τ) = τ − S̄(τ)
        gap = f(tau) + (theta**2 - tau**2) / 2 - (Q(c) * tau + Q(k)) * (theta - tau) - f(theta)
        gaps.append(vanishes(gap - Q(c) * (theta - tau) ** 2 / 2) and 0 <= c <= 2)
    curvature, left = sum(1 - c for c, _ in lines) / 2, -sum(k for _, k in lines) / 2
    runs = {}
    for begin in (F(0), F(2), F(-3)):
        x, steps = begin, 0
        while x != 0 and steps < 50:
            x, steps = _value(T, sum((c * x + k for c, k in lines), F(0)) / 2), steps + 1
        runs[str(begin)] = steps if x == 0 else None
    if not (all(gaps) and curvature == 0 and left < 0 < left + 1 and None not in runs.values()):
        return undecided("exact recursion")
    return proved(
        "exact recursion",
        Step(
            "MM-1 holds for each client, with the gap $c_i(\\theta-\\tau)^2/2$ and $|f_i''| = |1-c_i| \\leq 1$",
            "identity",
        ),
        Step(
            f"aggregation in Θ: $\\theta_t = \\theta_0 + {shift}\\,t \\to \\infty$ from $\\theta_0 = {start}$",
            "both clients stay on one affine piece of T for all larger θ; induction on t",
        ),
        Step(
            f"$f + g$ has slope ${left}$ for $\\theta < 0$ and ${left + 1}$ for $\\theta > 0$: unique minimiser 0",
            "identity",
        ),
        Step(f"aggregation in 𝒮 reaches 0 (steps by start: {runs}) and stays", "exact runs"),
    )
