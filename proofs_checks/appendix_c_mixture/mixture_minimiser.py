"""Appendix C.2: the set 𝒮 of surrogates, its minimiser T (MM-2), and ψ when there are clients."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, inner, operator, scalars, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction
from proofs_checks.appendix_c_mixture.mixture import dot, phi_at, psi_at, show
from proofs_checks.shared.tools import instance, settle

Q = sp.Rational
GAMMA = (Q(1), Q(4), Q(1, 4))  # the covariances of the exact instances, p = 1 and L = 3


# ------------------------------------------------------------------------------------------------------ the set 𝒮


def surrogate_set(
    total: str = "1", s1: Literal["free", "positive"] = "free", s2: Literal["[0, 1]", "{0, 1}"] = "[0, 1]"
) -> Verdict:
    """𝒮 = {s_2 ∈ `s2` entrywise, Σ s_2 ≤ total, s_1 `s1`} is convex and contains E_π[S̄(Z, τ)] for every τ and π."""
    bound = sp.sympify(total)
    searches = [lambda: _mixed_point(s2), lambda: _outside(bound, s1, s2)]

    def entries() -> tuple[Step, ...]:
        v, w, a = sp.symbols("v w alpha", real=True)  # entries of two points, and a weight

        def inside(x: sp.Expr) -> sp.Expr:
            """What defines `s2`: x(1 − x) ≥ 0 for the interval, = 0 for its two ends."""
            return x * (1 - x)

        ends = s2 == "{0, 1}"
        given = {
            "v": Hypothesis(inside(v), rf"$s_{{2,\ell}} \in {s2}$", equality=ends),
            "w": Hypothesis(inside(w), rf"$s'_{{2,\ell}} \in {s2}$", equality=ends),
            "weights": Hypothesis(a * (1 - a), r"$0 \leq \alpha \leq 1$"),
        }
        between = inside(a * v + (1 - a) * w)
        if ends:
            return verify(between, given, {"v": a, "w": 1 - a}, equality=True)
        rest = a * inside(v) + (1 - a) * inside(w) + a * (1 - a) * (v - w) ** 2
        same = verify(between - rest, {}, {}, equality=True, says=rf"the middle of two entries: ${sp.latex(rest)}$")
        return (*same, Step(rf"is $\geq 0$, so it lies in ${s2}$, too", r"$0 \leq \alpha \leq 1$: each term is"))

    def convex() -> tuple[Step, ...]:
        sigma, other, a, b = sp.symbols("sigma sigma' alpha beta", nonnegative=True)
        given = {
            "s": Hypothesis(bound - sigma, r"$s \in \mathcal{S}$, $\sigma = \sum_\ell s_{2,\ell}$"),
            "s'": Hypothesis(bound - other, r"$s' \in \mathcal{S}$"),
            "weights": Hypothesis(a + b - 1, r"$\alpha + \beta = 1$", equality=True),
        }
        says = r"$\mathcal{S}$ is convex: $\sum_\ell (\alpha s + \beta s')_{2,\ell} \leq " + sp.latex(bound) + "$"
        used = {"s": a, "s'": b, "weights": -bound}
        lines = verify(bound - a * sigma - b * other, given, used, says=says)
        return (*lines, *entries())

    def contains() -> tuple[Step, ...]:
        first, last = sp.symbols("w_1 w_L", positive=True)
        share = first / (first + last)  # first: the sum over ℓ < L of ν_ℓ p_ℓ
        given = {"last": Hypothesis(last / (first + last), "the share of component L")}
        says = r"$\sum_{\ell < L} \bar S_{2,\ell} = 1 - \bar S_{2,L} \leq 1$, the responsibilities being $\geq 0$"
        lines = verify(bound - share, given, {"last": 1}, says=says)
        z = sp.Symbol("z", real=True)
        signs = () if s1 == "free" else verify(share * z, {}, {}, says=r"$\bar S_1 > 0$, a share times an observation")
        whole = Step(r"$E_\pi[\bar S(Z, \tau)] \in \mathcal{S}$", r"$\mathcal{S}$ is convex and closed")
        return (*lines, *signs, whole)

    return decide("certificate", lambda: (*convex(), *contains()), searches)


ALLOWED = {"[0, 1]": lambda v: 0 <= v <= 1, "{0, 1}": lambda v: v in (0, 1)}


def _mixed_point(s2: str) -> Witness | None:
    """The middle of two points of 𝒮 for L = 2."""
    middle = (F(0) + F(1)) / 2
    if ALLOWED[s2](middle):
        return None
    return Witness({"L": "2", "s_2": "0 and 1"}, f"the middle has $s_2 = {middle}$, which is not in {s2}")


def _outside(bound: sp.Expr, s1: str, s2: str) -> Witness | None:
    """L = 2, equal means and covariances, ν = (3/4, 1/4), one observation z = −1: the responsibilities are ν."""
    z, share = -1, Q(3, 4) / (Q(3, 4) + Q(1, 4))
    inside = share <= bound and ALLOWED[s2](share) and (s1 == "free" or share * z > 0)
    if inside:
        return None
    point = {"p, L": "1, 2", "nu": "3/4, 1/4", "m": "(0, 0)", "Gamma": "(1, 1)", "Z": str(z)}
    return Witness(point, rf"$\bar S = (\bar S_1, \bar S_2) = ({share * z}, {share})$ is outside")


# ---------------------------------------------------------------------------------------------------- the minimiser

PRINTED_T = {"matrix": "w + lam*Gamma", "weight": "1 - sigma2", "vector": "m - sigma1"}


def minimiser(
    matrix: str,
    weight: str,
    vector: Literal["-sigma1", "m", "m - sigma1"],
    last: Literal["L", "L-1"] = "L-1",
    penalty: Literal["> 0", ">= 0"] = "> 0",
) -> Verdict:
    """T(s) with columns `matrix`⁻¹ s_{1,ℓ} (w = s_{2,ℓ}), and `matrix`⁻¹ `vector` for ℓ = L (w = `weight`), is the
    unique minimiser of g + ψ − ⟨s, φ⟩ for every s ∈ 𝒮, every p and L; `last` is the index in the last block of φ.
    """
    w, lam, gamma, m, sigma1, sigma2 = sp.symbols("w lam Gamma m sigma1 sigma2")
    names = {"w": w, "lam": lam, "Gamma": gamma, "m": m, "sigma1": sigma1, "sigma2": sigma2}
    A, w_L, u_L = (sp.sympify(text, names) for text in (matrix, weight, vector))
    residuals = {
        r"$\Gamma_\ell^{-1} \cdot$ matrix $= w \Gamma_\ell^{-1} + \lambda$": A / gamma - w / gamma - lam,
        "the weight of $m_L^\\top \\Gamma_L^{-1} m_L$ in $2(\\psi - \\langle s, \\phi\\rangle)$": w_L - (1 - sigma2),
        "the vector that meets $\\Gamma_L^{-1} m_L$": u_L - (m - sigma1),
        **_separation(last),
    }
    why = "exact; polynomials in $\\Gamma_\\ell$ commute, so it is treated as a number"
    found = settle("identity", residuals, why, _not_stationary(A, w_L, u_L, names, last))
    if found.status != "proved":
        return found
    column = decide("certificate", lambda: _column(penalty), [lambda: _no_minimum(penalty, last)])
    return conjunction({"the columns": found, "MM-2 for each column": column})


def _separation(last: str) -> dict[str, sp.Expr]:
    """ψ − ⟨s, φ⟩ is a sum over columns of w_ℓ m_ℓᵀΓ_ℓ⁻¹m_ℓ/2 − u_ℓᵀΓ_ℓ⁻¹m_ℓ, for L = 2, 3, 4 and any p.

    Vectors of dimension one stand for all: every product is u ↦ uᵀΓ_ℓ⁻¹m_ℓ, linear in u, and is named c_ℓ·u.
    """
    residuals = {}
    for size in (2, 3, 4):
        c, quad = sp.symbols(f"c1:{size + 1}"), sp.symbols(f"q1:{size + 1}")
        s1, s2, mean = sp.symbols(f"s_11:1{size}"), sp.symbols(f"s_21:2{size}"), sp.Symbol("m")
        index = [*range(size - 2), size - 2 if last == "L-1" else size - 1]
        inside = sum(s1[k] * (c[index[k]] - c[-1]) - s2[k] * (quad[k] - quad[-1]) / 2 for k in range(size - 1))
        ours = -mean * c[-1] + quad[-1] / 2 - inside
        columns = sum(s2[k] * quad[k] / 2 - s1[k] * c[k] for k in range(size - 1))
        rest = (1 - sum(s2)) * quad[-1] / 2 - (mean - sum(s1)) * c[-1]
        residuals[f"the surrogate is a sum over columns, $L = {size}$ (termwise, so for every L)"] = (
            ours - columns - rest
        )
    return residuals


def _column(penalty: str) -> tuple[Step, ...]:
    """J(T + δ) − J(T) ≥ (λ/2)‖δ‖² for J(m) = (λ/2)‖m‖² + (w/2) mᵀGm − uᵀGm, G = Γ⁻¹, when wGT + λT = Gu."""
    T, delta, u = atoms("T", r"\delta", "u")
    G = operator(r"\Gamma^{-1}")
    w = sp.Symbol("w", nonnegative=True)
    lam = sp.Symbol("lambda", positive=True) if penalty == "> 0" else sp.Symbol("lambda", nonnegative=True)

    def J(m):
        return lam * square(m) / 2 + w * inner(m, G(m)) / 2 - inner(u, G(m))

    given = {
        "stationary": Hypothesis(inner(delta, w * G(T) + lam * T - G(u)), "the definition of $T$", equality=True),
        "symmetric": Hypothesis(inner(T, G(delta)) - inner(delta, G(T)), r"$\Gamma$ is symmetric", equality=True),
        "symmetric u": Hypothesis(inner(u, G(delta)) - inner(delta, G(u)), r"$\Gamma$ is symmetric", equality=True),
        "definite": Hypothesis(inner(delta, G(delta)), r"$\Gamma$ is positive definite"),
    }
    used = {"stationary": 1, "symmetric": w / 2, "symmetric u": -1, "definite": w / 2}
    says = r"$J(T + \delta) - J(T) \geq (\lambda/2) \|\delta\|^2$"
    weights = Step(r"$w = s_{2,\ell} \geq 0$ and $w = 1 - \sum_\ell s_{2,\ell} \geq 0$", r"$s \in \mathcal{S}$")
    lines = verify(J(T + delta) - J(T) - lam * square(delta) / 2, given, used, says=says)
    (rise,) = scalars(r"J(T+\delta) - J(T)")
    other = {
        "growth": Hypothesis(rise - lam * square(delta) / 2, "the line before"),
        "no worse": Hypothesis(-rise, r"if $T + \delta$ were a minimiser, too"),
    }
    alone = r"then $\|\delta\|^2 \leq 0$: the minimiser is unique"
    return (weights, *lines, *verify(-square(delta), other, {"growth": 2 / lam, "no worse": 2 / lam}, says=alone))


def _surrogate(weight: sp.Expr, s: tuple[sp.Expr, ...], m: tuple[sp.Symbol, ...], last: str) -> sp.Expr:
    """g + ψ − ⟨s, φ⟩ with g = weight/2·‖m‖², for p = 1, L = 3, `GAMMA` and E Z = 1/2."""
    return weight / 2 * dot(m, m) + psi_at("-b + a/2", m, GAMMA, Q(1, 2)) - dot(s, phi_at(m, GAMMA, last, Q(1, 2)))


def _no_minimum(penalty: str, last: str) -> Witness | None:
    """λ = 0 at s_2 = (0, 1/2): the surrogate is linear in the first column."""
    m = sp.symbols("m_1:4")
    slope = sp.diff(_surrogate(sp.S.Zero, (Q(1), Q(0), Q(0), Q(1, 2)), m, last), m[0])
    if penalty == "> 0" or not slope.is_Rational or slope == 0:
        return None
    point = {"p, L": "1, 3", "Gamma": show(GAMMA), "lambda": "0", "s": "(1, 0, 0, 1/2)"}
    return Witness(point, f"the derivative in $m_1$ is ${slope}$ everywhere: there is no minimiser")


def _not_stationary(A: sp.Expr, w_L: sp.Expr, u_L: sp.Expr, names: dict[str, sp.Symbol], last: str) -> Witness | None:
    """p = 1, L = 3, Γ = (1, 4, 1/4), λ = 2: a point s ∈ 𝒮 at which the slope of g + ψ − ⟨s, φ⟩ at T(s) is not 0."""
    gamma, lam, mean = GAMMA, Q(2), Q(1, 2)
    m = sp.symbols("m_1:4")
    for s in ((Q(1), Q(3), Q(1, 2), Q(1, 4)), (Q(-1), Q(2), Q(0), Q(1, 3))):
        at = {"lam": lam, "m": mean, "sigma1": s[0] + s[1], "sigma2": s[2] + s[3]}
        value = {names[name]: number for name, number in at.items()}
        pairs = [(s[2], s[0]), (s[3], s[1]), (w_L.subs(value), u_L.subs(value))]
        T = [u / A.subs({**value, names["w"]: w, names["Gamma"]: g}) for (w, u), g in zip(pairs, gamma, strict=True)]
        surrogate = _surrogate(lam, s, m, last)
        slopes = [sp.diff(surrogate, x).subs(dict(zip(m, T, strict=True))) for x in m]
        if any(slopes):
            column = next(k for k, slope in enumerate(slopes) if slope)
            point = {"p, L": "1, 3", "Gamma": show(gamma), "lambda": "2", "E Z": "1/2", "s": show(s)}
            says = f"the derivative in $m_{column + 1}$ at $T(s)$ is ${slopes[column]}$, not 0"
            return Witness(point, says, {"T(s)": show(T)})
    return None


def surrogate_point() -> Witness:
    s1, s2, gamma, lam, mean = (Q(1), Q(3)), (Q(1, 2), Q(1, 4)), GAMMA, Q(2), Q(1, 2)
    columns = [(u, w) for u, w in zip(s1, s2, strict=True)] + [(mean - sum(s1), 1 - sum(s2))]
    T = [u / (w + lam * g) for (u, w), g in zip(columns, gamma, strict=True)]
    return instance(
        {
            "p, L": "1, 3",
            "s_1": show(s1),
            "s_2": show(s2),
            "Gamma": show(gamma),
            "lambda": lam,
            "E Z": mean,
            "T(s)": show(T),
        },
        f"a point of $\\mathcal{{S}}$ and its minimiser $T(s) = {show(T)}$",
        {
            "s_2 >= 0": min(s2) >= 0,
            "sum of s_2 <= 1": sum(s2) <= 1,
            "Gamma > 0": min(gamma) > 0,
            "lambda > 0": lam > 0,
            "stationary": all((w / g + lam) * t == u / g for (u, w), g, t in zip(columns, gamma, T, strict=True)),
        },
    )


# ------------------------------------------------------------------------------------------------------ the clients


def client_psi(client: str, server: str = "mu_i*k_i") -> Verdict:
    """MM-1 for each f_i with ψ_i = −m_LᵀΓ_L⁻¹k_i + ½m_LᵀΓ_L⁻¹m_L, k_i = `client`, and Σ_i `server` = E_π[Z].

    The gap of f_i with k_i is its gap with m_i = E_{π_i}[Z], which is right by the row gmm-phi and is 0 at θ = τ, plus
    ⟨m_i − k_i, Γ_L⁻¹(m_L − m_L^τ)⟩: of both signs near θ = τ unless k_i = m_i.
    """
    mu, mi, m, k = sp.symbols("mu_i m_i m k_i")
    mean = sp.sympify(client, {"m_i": mi, "m": m})
    summand = sp.sympify(server, {"mu_i": mu, "k_i": k}).subs(k, mean)
    found = None
    for own, move in ((1, 1), (1, -1), (3, 1), (3, -1)):  # L = 1, Γ = 1: f_i is a quadratic, its own surrogate
        gap = (mi - mean).subs({mi: own, m: 2}) * move
        if found is None and gap < 0:
            point = {"p, L": "1, 1", "Gamma": "1", "mu": "1/2, 1/2", "E_i Z": "1, 3", "m - m^tau": str(move)}
            found = Witness(point, f"the gap of MM-1 for the client with mean {own} is ${gap}$")
    total = sum(summand.subs({mu: Q(1, 2), mi: own, m: 2}) for own in (1, 3))
    if found is None and total != 2:
        point = {"mu": "1/2, 1/2", "E_i Z": "1, 3"}
        found = Witness(point, f"the server's $\\psi$ has ${total}$ in place of $E_\\pi[Z] = 2$")
    return settle(
        "identity",
        {
            "$\\psi_i$ holds the mean of client $i$: $k_i = E_{\\pi_i}[Z]$": mean - mi,
            "the server's $\\psi$ is that of the pooled objective": summand.subs(m, mi) - mu * mi,
        },
        "termwise, for every number of clients",
        found,
    )
