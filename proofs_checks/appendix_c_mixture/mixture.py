"""Appendix C.2, mixture of L Gaussians in ℝ^p with unknown means: the criterion, its surrogate and its minimiser.

Proofs hold for every p and L: they use the numbers zz_h = zᵀΓ_h⁻¹z, zm_h = zᵀΓ_h⁻¹m_h, mm_h = m_hᵀΓ_h⁻¹m_h and
D_h = det Γ_h only, and there are three kinds of h: some ℓ < L − 1, L − 1, and L. Counterexamples are exact points of
the instance with p = 1, L = 3 below, evaluated from the displays themselves and not from these numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, inner, operator
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Verdict, Witness, conjunction
from fedmm_edu.symbolic.decide import balls
from proofs_checks.s2_surrogates import jensen
from proofs_checks.shared.tools import instance, settle

Q = sp.Rational
KINDS = {"ell": r"$h = \ell < L - 1$", "L-1": "$h = L - 1$", "L": "$h = L$"}  # and their names in LaTeX
zz, zm, mm, D = ({h: sp.Symbol(f"{name}_{h}", positive=True) for h in KINDS} for name in ("zz", "zm", "mm", "D"))
mean_zm = sp.Symbol("E_zm_L", real=True)  # E_π[Z]ᵀΓ_L⁻¹m_L
ANY = "for each kind of h, so for every p and every L"
PSI = "-b + a/2"  # b = m_Lᵀ Γ_L⁻¹ E_π[Z], a = m_Lᵀ Γ_L⁻¹ m_L, as displayed

# ------------------------------------------------------------------------------------------ the instance p = 1, L = 3

NU = (Q(1, 2), Q(1, 4), Q(1, 4))
GAMMA = {"different": (Q(1), Q(4), Q(1, 4)), "equal": (Q(1), Q(1), Q(1))}
DATA = (Q(-1), Q(2))  # the atoms of π, each with probability 1/2
MEANS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (1, 2, -1), (Q(1, 2), Q(-1, 2), 0))
Means = Sequence[sp.Expr | int]


def phi_at(m: Means, gamma: Sequence[sp.Expr], last: str, half: sp.Expr) -> list[sp.Expr]:
    """φ(θ): the vector blocks, the last one with the index `last`, then the scalar blocks."""
    slope, square = ([x**power / g for x, g in zip(m, gamma, strict=True)] for power in (1, 2))
    blocks = [slope[0] - slope[2], slope[{"L-1": 1, "L": 2}[last]] - slope[2]]
    return [*blocks, *(-half * (square[k] - square[2]) for k in (0, 1))]


def S_at(z: sp.Expr, h: int) -> list[sp.Expr]:
    indicator = [sp.Integer(h == k) for k in (0, 1)]
    return [z * indicator[0], z * indicator[1], *indicator]


def psi_at(psi: str, m: Means, gamma: Sequence[sp.Expr], mean: sp.Expr) -> sp.Expr:
    return sp.sympify(psi, {"a": m[2] ** 2 / gamma[2], "b": m[2] * mean / gamma[2]})


def dot(u: Sequence[sp.Expr], v: Sequence[sp.Expr]) -> sp.Expr:
    return sp.Add(*(a * b for a, b in zip(u, v, strict=True)))


def show(m: Means) -> str:
    return f"({', '.join(map(str, m))})"


def mixture_instance() -> Witness:
    gamma = GAMMA["different"]
    return instance(
        {"p, L": "1, 3", "nu": show(NU), "Gamma": show(gamma), "Z": show(DATA), "lambda": 1},
        "three components with different covariances, two observations",
        {
            "the weights sum to 1": sum(NU) == 1,
            "positive": min(*NU, *gamma) > 0,
            "different": len(set(gamma)) == 3,
            "E Z is not 0": sum(DATA) != 0,
        },
    )


# ---------------------------------------------------------------------------------------------------- the criterion


def criterion(factor: str) -> Verdict:
    """−E log Σ ν_ℓ·factor(det Γ_ℓ)·exp(−q_ℓ/2) is minus the mean log-likelihood, up to a constant."""
    d, q, p = sp.symbols("D q p", positive=True)
    log_density = -p * sp.log(2 * sp.pi) / 2 - sp.log(d) / 2 - q / 2
    difference = sp.expand_log(sp.log(sp.sympify(factor, {"D": d})) - q / 2 - log_density)
    # Γ = (1, 4), ν = (1/2, 1/2), z − m = (1, 2), so q = 1 for both components: the shares are rational.
    shares = [[F(1, 2) * F(w) for w in (f(1), f(4))] for f in (sp.Lambda(d, 1 / sp.sqrt(d)), _function(factor, d))]
    slopes = [-weights[0] / sum(weights) for weights in shares]
    found = None
    if slopes[0] != slopes[1]:
        found = Witness(
            {"p, L": "1, 2", "nu": "1/2, 1/2", "Gamma": "1, 4", "z - m": "1, 2"},
            f"the derivative in $m_1$ is ${slopes[1]}$, that of minus the log-likelihood is ${slopes[0]}$",
        )
    return settle(
        "identity",
        {
            "$\\log$ term $- \\log$ density does not depend on $\\Gamma_\\ell$": sp.diff(difference, d),
            "nor on the means": sp.diff(difference, q),
        },
        "so it is the same constant $(p/2) \\log 2\\pi$ for every component, and leaves the logarithm",
        found,
    )


def _function(text: str, symbol: sp.Symbol) -> sp.Lambda:
    return sp.Lambda(symbol, sp.sympify(text, {"D": symbol}))


def two_displays(mass: str, factor: str = "1/sqrt(D)") -> Verdict:
    """Σ_ℓ ν_ℓ D_ℓ^{−1/2} e_ℓ = ∫ factor·e_h μ(dh) for μ({ℓ}) = mass, with e_ℓ = exp(−q_ℓ/2)."""
    nu, d, e, L = sp.symbols("nu D e L", positive=True)
    right = sp.sympify(mass, {"nu": nu, "L": L}) * sp.sympify(factor, {"D": d}) * e
    at = [{nu: Q(1, 3), d: 1, e: 1, L: 2}, {nu: Q(2, 3), d: 4, e: 1, L: 2}]
    sums = [sum(expr.subs(point) for point in at) for expr in (nu / sp.sqrt(d) * e, right)]
    found = None
    if sums[0] != sums[1]:
        point = {"L": "2", "nu": "1/3, 2/3", "det Gamma": "1, 4", "z": "m_1 = m_2"}
        found = Witness(point, f"the sum is ${sums[0]}$, the integral ${sums[1]}$")
    why = "termwise: the integral against a law on $\\{1, \\dots, L\\}$ is the sum of the values times the masses"
    return settle("identity", {"the terms of ℓ agree": nu / sp.sqrt(d) * e - right}, why, found)


def square_identity(cross: str = "-2", symmetric: bool = True) -> Verdict:
    """(z − m)ᵀA(z − m) = zᵀAz + mᵀAm + cross·⟨z, Am⟩, A = Γ_h⁻¹."""
    z, m = atoms("Z", "m_h")
    A, factor = operator(r"\Gamma_h^{-1}"), sp.sympify(cross)
    target = inner(z - m, A(z - m)) - inner(z, A(z)) - inner(m, A(m)) - factor * inner(z, A(m))
    symmetry = Hypothesis(inner(z, A(m)) - inner(m, A(z)), r"$\Gamma_h$ is symmetric", equality=True)

    def fails() -> Witness | None:
        matrix = sp.Matrix([[2, 1], [1 if symmetric else 0, 2]])
        u, v = sp.Matrix([1, 0]), sp.Matrix([0, 1])
        left = ((u - v).T * matrix * (u - v))[0]
        right = (u.T * matrix * u + v.T * matrix * v + factor * u.T * matrix * v)[0]
        point = {"Gamma_h^{-1}": str(matrix.tolist()), "Z": "(1, 0)", "m_h": "(0, 1)"}
        return None if left == right else Witness(point, f"${left}$ on the left, ${right}$ on the right")

    given = {"symmetric": symmetry} if symmetric else {}
    return decide("identity", lambda: verify(target, given, {"symmetric": 1}, equality=True), [fails])


def indicators(reference: Literal["1", "L"] = "L", remainder: Literal["0", "1", "L"] = "L") -> Verdict:
    """⟨ξ, χ(h)⟩ = Σ_{ℓ<L} 1_ℓ(h) ⟨ξ, χ(ℓ) − χ(reference)⟩ + ⟨ξ, χ(remainder)⟩, for vectors and (ξ = 1) scalars."""
    xi, *chi = atoms(r"\xi", r"\chi(1)", r"\chi(k)", r"\chi(L)")
    value = {**dict(zip(("1", "k", "L"), chi, strict=True)), "0": chi[0] * 0}  # "0": no remainder
    residuals, numbers = {}, {"1": Q(2), "k": Q(3), "L": Q(5), "0": Q(0)}
    found = None
    for h, active in (("1", 1), ("k", 1), ("L", 0)):
        rest = value[h] - active * (value[h] - value[reference]) - value[remainder]
        residuals[f"$h = {h}$: {'one indicator is' if active else 'no indicator among the first L-1 is'} 1"] = inner(
            xi, rest
        )
        right = active * (numbers[h] - numbers[reference]) + numbers[remainder]
        if found is None and right != numbers[h]:
            point = {"L": "3", "xi": "1", "chi": "(2, 3, 5)", "h": {"1": "1", "k": "2", "L": "3"}[h]}
            found = Witness(point, f"the right side is ${right}$, the left side ${numbers[h]}$")
    return settle("identity", residuals, "all other indicators vanish, so for every L and every dimension of ξ", found)


# -------------------------------------------------------------------------------------------------- the surrogate


def log_p(h: str) -> sp.Expr:
    return -(zz[h] - 2 * zm[h] + mm[h]) / 2 - sp.log(D[h]) / 2


def inner_S_phi(h: str, last: str, half: sp.Expr) -> sp.Expr:
    """⟨S(z, h), φ(θ)⟩: block h of φ, for h < L; the L-th indicator is not among the blocks."""
    if h == "L":
        return sp.S.Zero
    return zm[last if h == "L-1" else h] - zm["L"] - half * (mm[h] - mm["L"])


def decomposition(
    ex2: Literal["E[Z], each z", "E[Z], in the mean", "z"],
    last: Literal["L", "L-1"] = "L-1",
    half: str = "1/2",
    psi: str = PSI,
) -> Verdict:
    """−log p(z, h, θ) = ψ(θ) − ⟨S(z, h), φ(θ)⟩ + ½ zᵀΓ_h⁻¹z + ½ log det Γ_h.

    `ex2`: ψ has z in place of E_π[Z] ("z"); ψ has E_π[Z], for each z ("E[Z], each z"), or up to a term free of h with
    mean 0 under π ("E[Z], in the mean"), as MM-1 asks.
    """
    factor = sp.sympify(half)
    left = _leftover(last, factor, psi, ex2 != "z")
    residuals = {KINDS[h]: value for h, value in left.items()}
    if ex2 == "E[Z], in the mean":
        residuals = _mean_identities(left)
    return settle("identity", residuals, ANY, _moving_leftover(ex2, last, factor, psi))


def _leftover(last: str, half: sp.Expr, psi: str, with_mean: bool) -> dict[str, sp.Expr]:
    """−log p − ψ + ⟨S, φ⟩ minus its part that is free of θ."""
    ps = sp.sympify(psi, {"a": mm["L"], "b": mean_zm if with_mean else zm["L"]})
    return {h: -log_p(h) - ps + inner_S_phi(h, last, half) - (zz[h] + sp.log(D[h])) / 2 for h in KINDS}


def _mean_identities(left: dict[str, sp.Expr]) -> dict[str, sp.Expr]:
    """What makes a `_leftover` vanish in the mean under π, whatever the law of h given z."""
    free = {
        f"{KINDS[h]}: $-\\log p - \\psi + \\langle S, \\phi\\rangle$ depends on θ as for $h = L$": left[h] - left["L"]
        for h in KINDS
        if h != "L"
    }
    return {**free, "its mean under π is free of θ": left["L"].subs(zm["L"], mean_zm)}


def _moving_leftover(ex2: str, last: str, half: sp.Expr, psi: str) -> Witness | None:
    """Two points θ between which −log p − ψ + ⟨S, φ⟩ (or its mean over π and uniform h) differs."""
    gamma, mean = GAMMA["different"], sum(DATA, sp.S.Zero) / 2

    def leftover(m: Means, z: sp.Expr, h: int) -> sp.Expr:
        centre = z if ex2 == "z" else mean
        inside = dot(S_at(z, h), phi_at(m, gamma, last, half))
        return (z - m[h]) ** 2 / gamma[h] / 2 - psi_at(psi, m, gamma, centre) + inside

    for m, h in product(MEANS, range(3)):
        moves = [leftover(m, z, h) - leftover(MEANS[0], z, h) for z in DATA]
        moves = [sum(moves) / 2] if ex2 == "E[Z], in the mean" else moves
        if any(moves):
            z = "mean over -1 and 2" if len(moves) == 1 else str(next(z for z, d in zip(DATA, moves, strict=True) if d))
            point = {"p, L": "1, 3", "Gamma": show(gamma), "Z": z, "h": str(h + 1), "theta": f"(0, 0, 0) and {show(m)}"}
            says = f"$-\\log p - \\psi + \\langle S, \\phi\\rangle$ differs by ${next(filter(None, moves))}$"
            return Witness(point, says)
    return None


WEIGHTS = ("exp<S,phi>", "p", "without det", "without zz", "nu")


def log_weight(weight: str, h: str, last: str, half: sp.Expr) -> sp.Expr:
    """log of the density, with respect to ν, of the law of h given z (up to a constant)."""
    return {
        "exp<S,phi>": inner_S_phi(h, last, half),
        "p": log_p(h),
        "without det": log_p(h) + sp.log(D[h]) / 2,
        "without zz": log_p(h) + zz[h] / 2,
        "nu": sp.S.Zero,
    }[weight]


def majorizes(
    weight: str,
    last: Literal["L", "L-1"] = "L-1",
    half: str = "1/2",
    psi: str = PSI,
    covariances: Literal["different", "equal"] = "different",
) -> Verdict:
    """MM-1 with these φ, ψ and S̄(z, τ) = Σ_h w_h(z, τ) S(z, h), w_h ∝ ν_h·weight at τ."""
    factor = sp.sympify(half)
    same = {} if covariances == "different" else {table[h]: table["L"] for table in (zz, D) for h in KINDS}
    law = {h: log_weight(weight, h, last, factor) - log_p(h) for h in KINDS}
    residuals = {
        f"{KINDS[h]}: $\\log$ weight $- \\log p$ as for $h = L$, so the law of $h$ is the posterior": (
            law[h] - law["L"]
        ).subs(same)
        for h in KINDS
        if h != "L"
    }
    residuals |= _mean_identities(_leftover(last, factor, psi, True))
    identities = settle("identity", residuals, ANY, _negative_gap(weight, last, factor, psi, GAMMA[covariances]))
    if identities.status != "proved":
        return identities
    return conjunction({"the form asked for": identities, "then Example 2": jensen.check_mm1("p")})


def _negative_gap(weight: str, last: str, half: sp.Expr, psi: str, gamma: Sequence[sp.Expr]) -> Witness | None:
    """Two points at which the gap of MM-1 is certainly negative, in ball arithmetic."""
    mean = sum(DATA, sp.S.Zero) / 2

    def exponent(m: Means, z: sp.Expr, h: int) -> sp.Expr:
        return -((z - m[h]) ** 2) / gamma[h] / 2

    def density(m: Means, z: sp.Expr, h: int) -> sp.Expr:
        own = {
            "exp<S,phi>": sp.exp(dot(S_at(z, h), phi_at(m, gamma, last, half))),
            "p": sp.exp(exponent(m, z, h)) / sp.sqrt(gamma[h]),
            "without det": sp.exp(exponent(m, z, h)),
            "without zz": sp.exp(exponent(m, z, h) + z**2 / gamma[h] / 2) / sp.sqrt(gamma[h]),
            "nu": sp.S.One,
        }[weight]
        return NU[h] * own

    def loss(m: Means) -> sp.Expr:
        likelihoods = (sum((NU[h] / sp.sqrt(gamma[h]) * sp.exp(exponent(m, z, h)) for h in range(3)), sp.S.Zero)
                       for z in DATA)  # fmt: skip
        return -sum((sp.log(likelihood) for likelihood in likelihoods), sp.S.Zero) / len(DATA)

    for tau, theta in product(MEANS, MEANS):
        tables = [([density(tau, z, h) for h in range(3)], [S_at(z, h) for h in range(3)]) for z in DATA]
        rise = [b - a for a, b in zip(*(phi_at(m, gamma, last, half) for m in (tau, theta)), strict=True)]
        S_bar_rise = [sum(w * dot(S, rise) for w, S in zip(ws, Ss, strict=True)) / sum(ws) for ws, Ss in tables]
        pull = sum(S_bar_rise) / len(DATA)
        gap = loss(tau) - loss(theta) + psi_at(psi, theta, gamma, mean) - psi_at(psi, tau, gamma, mean) - pull
        if tau != theta and balls.sign(gap, {}) == -1:
            point = {"p, L": "1, 3", "nu": show(NU), "Gamma": show(gamma), "Z": f"{show(DATA)}, equally likely"}
            point |= {"tau": show(tau), "theta": show(theta)}
            return Witness(point, f"the gap of MM-1 is in ${balls.show(gap, {})}$", {"gap": balls.show(gap, {})})
    return None
