"""The checks behind Example 2 (Jensen surrogate): which law of the latent variable makes MM-1 hold.

The latent variable takes K values with masses m_k = μ({k}), and p_k(θ) = κ_k exp(⟨S_k, φ(θ)⟩ − ψ(θ)): the factor
κ_k = e^{−c_k} comes from the additive term c(Z, h) of −log p that does not depend on θ (L 294). Everything is exact:
the symbols are e_k = exp⟨S_k, φ(τ)⟩ and r_k = p_k(θ)/p_k(τ), and log r_k = ⟨S_k, φ(θ) − φ(τ)⟩ − (ψ(θ) − ψ(τ)) does
not see c_k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from math import lcm
from typing import Literal

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import Vector, atom, inner, scalars
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness

POSTERIORS = ("exp<S,phi>", "p", "mu", "p^2")
ADDITIVE = ("depends on h", "free of h")
TANGENT_TO_LOG = r"$\log x \leq x - 1$ at $x = r_k/R$"
SIZES = (2, 3)
ANY_LAW = Step(
    r"for every latent law: replace $\sum_k w_k (\cdot)$ by $\int (\cdot) \, \mu(dh \mid Z, \tau)$",
    r"the same lines integrate: only $\int \mu(dh \mid Z, \tau) = 1$ and $\int r \, \mu(dh \mid Z, \tau) = R$ are "
    r"used, and both are the definition of the posterior law when it is proportional to $p(Z, h, \tau) \mu(dh)$",
)


def every_law() -> tuple[Step, ...]:
    """Jensen's inequality for any law ν with ∫dν = 1 and ∫r dν = R, from the pointwise tangent inequality."""
    mass, mean, log_mean, log_R = scalars(r"\int d\nu", r"\int r \, d\nu", r"\int \log r \, d\nu", r"\log R")
    R = sp.Symbol("R", positive=True)
    given = {
        "integrated": Hypothesis(
            mean / R - mass - log_mean + mass * log_R, r"$\log x \leq x - 1$ at $x = r/R$, integrated"
        ),
        "mass": Hypothesis(mass - 1, r"$\nu$ is a probability", equality=True),
        "mean": Hypothesis(mean - R, r"$R$ is the mean of $r$", equality=True),
    }
    says = r"for every latent law $\nu = \mu(dh \mid Z, \tau)$: $\log R - \int \log r \, d\nu \geq 0$"
    return verify(log_R - log_mean, given, {"integrated": 1, "mass": 1 - log_R, "mean": -1 / R}, says=says)


def posterior(kind: str, m: Sequence, kappa: Sequence, e: Sequence) -> list[sp.Expr]:
    """The weights of μ(dh | Z, τ): ∝ exp⟨S, φ(τ)⟩ μ as printed (L 301), ∝ p μ (Bayes), ∝ μ, or ∝ p² μ."""
    if kind not in POSTERIORS:
        raise InvalidInput(f"posterior {kind!r} is unknown: choose one of {POSTERIORS}.")
    masses = {
        "exp<S,phi>": [a * b for a, b in zip(m, e, strict=True)],
        "p": [a * k * b for a, k, b in zip(m, kappa, e, strict=True)],
        "mu": list(m),
        "p^2": [a * (k * b) ** 2 for a, k, b in zip(m, kappa, e, strict=True)],
    }[kind]
    return [mass / sp.Add(*masses) for mass in masses]


def latent_symbols(size: int, additive: str) -> tuple[list, list, list, list]:
    """Positive symbols m_k, κ_k, e_k, r_k; one κ for all k when the additive term does not depend on h."""
    if additive not in ADDITIVE:
        raise InvalidInput(f"additive term {additive!r} is unknown: choose one of {ADDITIVE}.")
    names = ("m", "kappa", "e", "r")
    m, kappa, e, r = ([sp.Symbol(f"{name}_{k}", positive=True) for k in range(size)] for name in names)
    return m, kappa if additive == "depends on h" else [kappa[0]] * size, e, r


def marginal_ratio(m: Sequence, kappa: Sequence, e: Sequence, r: Sequence) -> sp.Expr:
    """R = ∫p(Z, h, θ)μ(dh) / ∫p(Z, h, τ)μ(dh) = exp(ℓ(Z, τ) − ℓ(Z, θ))."""
    at_tau = [a * k * b for a, k, b in zip(m, kappa, e, strict=True)]
    return sp.Add(*(mass * ratio for mass, ratio in zip(at_tau, r, strict=True))) / sp.Add(*at_tau)


def two_point_laws(additive: str) -> Iterator[tuple[tuple, tuple, sp.Rational]]:
    """Instances h ∈ {0, 1} with S(Z, h) = h, φ(θ) = θ, τ = 0: (m, κ, x) with x = e^θ = r_1, r_0 = 1."""
    one = sp.S.One
    kappas = ((one, one), (one, 2 * one)) if additive == "depends on h" else ((one, one),)
    yield from product(((one, one), (one, 3 * one)), kappas, (one / 2, 2 * one, 4 * one))


def described(m: tuple, kappa: tuple, x: sp.Expr) -> dict[str, str]:
    point = {"h": "0 or 1", "S(Z,h)": "h", "phi(theta)": "theta", "tau": "0", "exp(theta)": str(x)}
    return {**point, "mu": f"{m[0]}, {m[1]}", "exp(-c(Z,h))": f"{kappa[0]}, {kappa[1]}"}


def exp_multiple(R: sp.Expr, weights: Sequence, ratios: Sequence) -> tuple[sp.Expr, int]:
    """exp(N·(log R − Σ w_k log r_k)), a rational, and the N that clears the denominators of the weights."""
    N = lcm(*(int(sp.Rational(w).q) for w in weights))
    return sp.Mul(R**N, *(r ** (-N * w) for r, w in zip(ratios, weights, strict=True))), N


def search(additive: str, fails: Callable[..., Witness | None]) -> list[Callable[[], Witness | None]]:
    """One search per two-point law; at τ = 0 all e_k are 1 and r = (1, x)."""
    one = sp.S.One
    return [partial(fails, m, kappa, (one, one), (one, x)) for m, kappa, x in two_point_laws(additive)]


def check_mm1(kind: Literal["exp<S,phi>", "mu", "p", "p^2"], additive: str = "depends on h") -> Verdict:
    """MM-1 of Example 2 for one sample: ℓ(τ) + ψ(θ) − ψ(τ) − ⟨S̄, φ(θ) − φ(τ)⟩ − ℓ(θ) ≥ 0 with S̄ = Σ w_k S_k."""

    def prove() -> tuple[Step, ...]:
        steps: list[Step] = []
        for size in SIZES:
            m, kappa, e, r = latent_symbols(size, additive)
            w, R = posterior(kind, m, kappa, e), marginal_ratio(m, kappa, e, r)
            log_R, dpsi = scalars(r"\log R", r"\psi(\theta)-\psi(\tau)")
            S, dphi = [atom(f"S_{k}") for k in range(size)], atom(r"\phi(\theta)-\phi(\tau)")
            log_r = [inner(S_k, dphi) - dpsi for S_k in S]
            given = {f"log {k}": Hypothesis(r[k] / R - 1 - log_r[k] + log_R, TANGENT_TO_LOG) for k in range(size)}
            s_bar = sum((w[k] * S[k] for k in range(size)), Vector({}))
            gap = log_R + dpsi - inner(s_bar, dphi)
            says = rf"the gap of MM-1 is $\sum_k w_k (r_k/R - 1 - \log(r_k/R)) \geq 0$ for {size} latent values"
            steps.append(verify(gap, given, {f"log {k}": w[k] for k in range(size)}, says=says)[-1])
        tangent = Step(r"$\log x \leq x - 1$ for $x > 0$", "the tangent line of the concave logarithm at 1")
        return (tangent, *steps, ANY_LAW, *every_law())

    def fails(m, kappa, e, r) -> Witness | None:
        w, R = posterior(kind, m, kappa, e), marginal_ratio(m, kappa, e, r)
        value, N = exp_multiple(R, w, r)
        if value >= 1:
            return None
        says = rf"$\exp({N} \cdot \mathrm{{gap}}) = {value} < 1$: the surrogate lies below $f$"
        return Witness(described(m, kappa, r[1]), says, {"S_bar": str(w[1]), f"exp({N} gap)": str(value)})

    return decide("certificate", prove, search(additive, fails))


def check_posterior(kind: Literal["exp<S,phi>", "mu", "p", "p^2"], additive: str = "depends on h") -> Verdict:
    """μ(dh | Z, τ) is the conditional law of h given Z: its weights are p_k(τ)m_k / Σ_j p_j(τ)m_j."""

    def prove() -> tuple[Step, ...]:
        m, kappa, e, _ = latent_symbols(3, additive)
        joint = [mass * k * x for mass, k, x in zip(m, kappa, e, strict=True)]  # p(Z, h, τ) μ({h})
        steps: list[Step] = []
        for h, (w, mass) in enumerate(zip(posterior(kind, m, kappa, e), joint, strict=True)):
            says = rf"$P(h={h} \mid Z) \sum_u p(Z,u,\tau) \mu(\{{u\}}) = p(Z,{h},\tau) \mu(\{{{h}\}})$"
            steps.extend(verify(w * sp.Add(*joint) - mass, {}, {}, equality=True, says=says))
        return tuple(steps)

    def fails(m, kappa, e, r) -> Witness | None:
        w, bayes = posterior(kind, m, kappa, e), posterior("p", m, kappa, e)
        says = f"the formula gives $P(h=1 \\mid Z) = {w[1]}$, Bayes' rule gives ${bayes[1]}$"
        values = {"formula": str(w[1]), "Bayes": str(bayes[1])}
        return None if w == bayes else Witness(described(m, kappa, r[1]), says, values)

    return decide("identity", prove, search(additive, fails))


def check_ratio(kind: Literal["exp<S,phi>", "mu", "p", "p^2"], additive: str = "depends on h") -> Verdict:
    """ℓ(Z, θ) − ℓ(Z, τ) = −log ∫ p(Z, h, θ)/p(Z, h, τ) μ(dh | Z, τ), that is Σ w_k r_k = R."""

    def prove() -> tuple[Step, ...]:
        steps = []
        for size in SIZES:
            m, kappa, e, r = latent_symbols(size, additive)
            mean = sp.Add(*(a * b for a, b in zip(posterior(kind, m, kappa, e), r, strict=True)))
            says = rf"$\sum_k w_k r_k = R$ for {size} latent values"
            steps.extend(verify(mean - marginal_ratio(m, kappa, e, r), {}, {}, equality=True, says=says))
        return (*steps, ANY_LAW)

    def fails(m, kappa, e, r) -> Witness | None:
        mean = sp.Add(*(a * b for a, b in zip(posterior(kind, m, kappa, e), r, strict=True)))
        R = marginal_ratio(m, kappa, e, r)
        says = f"the integral is ${mean}$, but $\\exp(\\ell(Z,\\tau) - \\ell(Z,\\theta)) = {R}$"
        values = {"integral": str(mean), "ratio": str(R)}
        return None if mean == R else Witness(described(m, kappa, r[1]), says, values)

    return decide("identity", prove, search(additive, fails))


def check_jensen(total: Literal["free", "one"] = "one", direction: Literal["<=", ">="] = "<=") -> Verdict:
    """−log ∫ r dν ≤ −∫ log r dν for a probability measure ν (weights w_k)."""

    def prove() -> tuple[Step, ...]:
        v = sp.symbols("v_0 v_1 v_2", positive=True)
        r = sp.symbols("r_0 r_1 r_2", positive=True)
        w = [v_k / sp.Add(*v) for v_k in v] if total == "one" else list(v)
        R = sp.Add(*(a * b for a, b in zip(w, r, strict=True)))
        log_R, *log_r = scalars(r"\log R", r"\log r_0", r"\log r_1", r"\log r_2")
        given = {f"log {k}": Hypothesis(r[k] / R - 1 - log_r[k] + log_R, TANGENT_TO_LOG) for k in range(3)}
        gap = log_R - sp.Add(*(a * b for a, b in zip(w, log_r, strict=True)))
        target = gap if direction == "<=" else -gap
        says = r"$\log R - \sum_k w_k \log r_k = \sum_k w_k (r_k/R - 1 - \log(r_k/R)) \geq 0$ with $R = \sum_k w_k r_k$"
        return (verify(target, given, {f"log {k}": w[k] for k in range(3)}, says=says)[-1], *every_law())

    def fails(w: tuple, r: tuple) -> Witness | None:
        R = sp.Add(*(a * b for a, b in zip(w, r, strict=True)))
        value, N = exp_multiple(R, w, r)
        if (value >= 1) if direction == "<=" else (value <= 1):
            return None
        says = rf"$\exp({N}(\log R - \sum_k w_k \log r_k)) = {value}$"
        return Witness({"w": f"{w[0]}, {w[1]}", "r": f"{r[0]}, {r[1]}"}, says, {"value": str(value)})

    half, quarter, one = sp.Rational(1, 2), sp.Rational(1, 4), sp.S.One
    weights = (half, half) if total == "one" else (quarter, quarter)
    return decide("certificate", prove, [partial(fails, weights, r) for r in ((one, one), (one, 4 * one))])


def check_normaliser(same_base: Literal["mass", "no", "yes"]) -> Verdict:
    """Two models with the same S and φ have the same e^ψ; `same_base`: what else they share ("no", "mass", "yes").

    Both densities integrate to one, which is e^ψ = Σ_k b_k e_k with the base measure b_k = m_k e^{−c_k}.
    """

    def prove() -> tuple[Step, ...]:
        e = sp.symbols("e_0 e_1", positive=True)
        b, other = sp.symbols("b_0 b_1", positive=True), sp.symbols("b'_0 b'_1", positive=True)
        first, second = scalars(r"e^{\psi}", r"e^{\psi'}")
        ties = {
            f"b_{k} = b'_{k}": Hypothesis(b[k] - other[k], "the base measures agree", equality=True) for k in range(2)
        }
        mass = {"mass": Hypothesis(b[0] + b[1] - other[0] - other[1], "the total masses agree", equality=True)}
        given = {
            "first": Hypothesis(first - b[0] * e[0] - b[1] * e[1], "the first law has mass one", equality=True),
            "second": Hypothesis(second - other[0] * e[0] - other[1] * e[1], "so has the second", equality=True),
            **{"no": {}, "mass": mass, "yes": ties}[same_base],
        }
        used = {"first": 1, "second": -1, "b_0 = b'_0": e[0], "b_1 = b'_1": e[1]}
        integral = r"$e^{\psi(\theta)} = \int e^{\langle S, \phi(\theta) \rangle} e^{-c} d\mu$"
        general = Step(integral, "the same lines with an integral in place of the sum, for every base measure")
        return (*verify(first - second, given, used, equality=True), general)

    def fails(b: tuple, other: tuple, x: sp.Expr) -> Witness | None:
        holds = {"no": True, "mass": sum(b) == sum(other), "yes": b == other}[same_base]
        first, second = b[0] + b[1] * x, other[0] + other[1] * x
        if not holds or first == second:
            return None
        point = {"S": "0, 1", "phi(theta)": "theta", "exp(theta)": str(x), "base": f"{b}", "other base": f"{other}"}
        values = {"exp(psi)": str(first), "exp(psi')": str(second)}
        return Witness(point, f"same $S$ and $\\phi$, but $e^\\psi = {first}$ and $e^{{\\psi'}} = {second}$", values)

    one, two, three = sp.S.One, sp.Integer(2), sp.Integer(3)
    cases = (((one, one), (one, one), one), ((one, one), (one, two), one), ((two, two), (one, three), two))
    return decide("identity", prove, [partial(fails, *case) for case in cases])


def latent_instance() -> Witness:
    """Two latent values, c(Z, h) depending on h, and −log p of the stated form: p_k is positive and finite."""
    m, kappa, x = (sp.S.One, sp.S.One), (sp.S.One, sp.Integer(2)), sp.Rational(1, 2)
    p = [kappa[k] * x**k for k in range(2)]
    if not all(value > 0 for value in p) or sp.Add(*p) != 2:
        raise InvalidInput("the latent instance is not positive: choose positive masses.")
    return Witness(described(m, kappa, x), "a positive $p$ and a bounded $S$: all integrals are finite sums")
