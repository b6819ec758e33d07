"""The control variates: Lemma `lem:controlvariate` and the recursion of G_t (Prop. `prop:varcont-PP2`).

The notation and the rules of the conditional expectation are those of `variance`; x_i = V_{t,i} − h_i(Ŝ_t).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction as F
from functools import partial
from itertools import product

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.expectation import linear_image
from fedmm_edu.proofs.gram import atoms, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.agents import COMPRESSED, HALF, Round
from proofs_checks.appendix_d_lemmas.variance import (
    DELTA,
    IN_FORCE,
    ROOT,
    SENT,
    VARIANCE,
    Compared,
    L,
    X,
    agreement,
    alpha,
    eta,
    exact,
    gamma,
    moments,
    mu,
    omega_p,
    parse,
    rules,
    search,
    sigma,
    v_max,
    v_min,
    variance_lines,
)
from proofs_checks.shared.tools import instance, tried


def convexity_identity(sign: int = -1, last: str = "a*(1-a)") -> Verdict:
    """‖(1−α)x + αy‖² = (1−α)‖x‖² + α‖y‖² + sign·last·‖x − y‖², for every real α."""
    a = sp.Symbol("alpha", real=True)
    x, y = atoms("x", "y")
    factor = sign * sp.sympify(last, {"a": a})
    target = square((1 - a) * x + a * y) - (1 - a) * square(x) - a * square(y) - factor * square(x - y)

    def values() -> Iterator[tuple[dict[str, str], sp.Expr]]:
        for at, u, v in product((sp.Rational(1, 2), sp.Integer(2), sp.Integer(-1)), (0, 1), (0, 1, 3)):
            value = ((1 - at) * u + at * v) ** 2 - (1 - at) * u**2 - at * v**2 - factor.subs(a, at) * (u - v) ** 2
            yield {"alpha": str(at), "x": str(u), "y": str(v)}, value

    def prove() -> Sequence[Step]:
        return (*verify(target, {}, {}, equality=True), *tried("points on the line", ((x, 0) for _, x in values())))

    def fails() -> Witness | None:
        wrong = next(((point, value) for point, value in values() if value != 0), None)
        return None if wrong is None else Witness(wrong[0], f"left minus right is ${wrong[1]}$")

    return decide("identity", prove, [fails])


def young(own: str = "1 + eta", other: str = "1 + 1/eta", low: str = "0") -> Verdict:
    """‖a + b‖² ≤ other·‖a‖² + own·‖b‖² for every β = 1 + η with η > `low` (printed: own = β, other = β/(β−1))."""
    c, d = parse(own), parse(other)
    u, w = atoms("b", "a")
    above = sp.Symbol("kappa", positive=True)  # every η > low is low + κ
    h = above + sp.Rational(low)

    def prove() -> Sequence[Step]:
        target = c.subs(eta, h) * square(u) + d.subs(eta, h) * square(w) - square(u + w)
        says = rf"$\|a+b\|^2 \leq$ the right side, $\beta = 1 + {sp.latex(h)}$"
        steps = verify(target, {}, {}, [(1 / h, h * u - w)], says=says)
        return (*steps, *tried("points on the line", (pair for _, pair in values())))

    def values() -> Iterator[tuple[dict[str, str], tuple[sp.Expr, sp.Expr]]]:
        etas = [sp.Rational(x) for x in ("1", "1/2", "-1/2") if sp.Rational(x) > sp.Rational(low)]
        for at, x, y in product(etas, (0, 1, 2), (0, 1, 2)):
            right = c.subs(eta, at) * x**2 + d.subs(eta, at) * y**2
            yield {"beta": str(1 + at), "a": str(y), "b": str(x)}, (sp.Integer(x + y) ** 2, right)

    def fails() -> Witness | None:
        for point, (left, right) in values():
            if left > right:
                return Witness(point, f"${left} > {right}$")
        return None

    return decide("certificate", prove, [fails])


PRINTED_VARIATE = ("A3", "A4", "A5", "α ≥ 0")


def control_variate(
    hypotheses: Sequence[str] = PRINTED_VARIATE, own: str = "1 - a", noise: str = "a", last: str = "a*(a*(1+w) - 1)"
) -> Verdict:
    """E‖V_{t+1,i} − h_i(Ŝ_t)‖² ≤ own·‖V_{t,i} − h_i(Ŝ_t)‖² + noise·σ_i² + last·E‖Δ_{t+1,i}‖²."""
    coefficients = [parse(text) for text in (own, noise, last)]

    def compare(r: Round) -> Compared:
        left = r.mean(lambda _, sent: (r.V[0] + r.alpha * sent[0] - r.h[0]) ** 2)
        terms = ((r.V[0] - r.h[0]) ** 2, r.draws.sigma2[0], r.mean(lambda deltas, _: deltas[0] ** 2))
        return left, sum((exact(c, r) * term for c, term in zip(coefficients, terms, strict=True)), F(0))

    says = r"$E\|V_{t+1,1} - h_1(\hat S_t)\|^2$"
    return decide(
        "certificate",
        lambda: (*control_variate_lines(hypotheses, *coefficients), *agreement(hypotheses, compare)),
        [lambda: search(hypotheses, compare, says)],
    )


def control_variate_lines(hypotheses: Sequence[str], own: sp.Expr, noise: sp.Expr, last: sp.Expr) -> Sequence[Step]:
    """Lemma `lem:controlvariate`: equality up to A3 and Lemma 1; without "α ≥ 0", α is any real number."""
    rate = alpha if "α ≥ 0" in hypotheses else sp.Symbol("alpha", real=True)
    E = rules(hypotheses)
    left = E.of(square(X + rate * (DELTA + SENT)))
    target = (own * square(X) + noise * sigma**2 + last * E.of(square(DELTA))).xreplace({alpha: rate}) - left
    says = r"Lemma `lem:controlvariate`: $E\|V_{t+1,i} - h_i(\hat S_t)\|^2$ is at most its right side"
    return verify(target, moments(E, hypotheses), {"Lemma 1": rate**2, "A3": rate}, says=says)


RECURSION = (*VARIANCE, "A6", "α ≥ 0", "α ≤ 1/(1+ω_p)")
PRINTED_RECURSION = (*IN_FORCE, "A6", "A7", "α ≥ 0", "α ≤ 1/(1+ω_p)")


def recursion(
    hypotheses: Sequence[str] = RECURSION, error: str = "2", rate: str = "1 - a", noise: str = "a", sign: int = 1
) -> Verdict:
    """E[G_{t+1} | F_t] ≤ β(rate + K ω_p)G_t + sign·error·β/(β−1) (L²/n)γ²/v_min Ē + β(noise + K(1+ω_p))σ²/n,

    with K = error/(β−1)·(v_max/v_min)(L²/n)γ² and every β = 1 + η > 1.
    """
    e, r_, c = parse(error), parse(rate), parse(noise)

    def compare(r: Round, eta_at: F) -> Compared:
        n, beta = r.draws.n, 1 + eta_at

        def after(_: list[F], sent: list[F]) -> F:
            shift = r.gamma * r.H(sent)
            errors = ((V + r.alpha * m - h - r.slope * shift) / n for V, m, h in zip(r.V, sent, r.h, strict=True))
            return sum((error**2 for error in errors), F(0))

        spread, G = r.sums
        K = exact(e, r) / eta_at * r.v_max / r.v_min * r.L**2 / n * r.gamma**2
        bound = beta * (exact(r_, r) + K * r.draws.omega_p) * G
        bound += sign * exact(e, r) * beta / eta_at / r.v_min * r.L**2 / n * r.gamma**2 * r.b * r.field**2
        return r.mean(after), bound + beta * (exact(c, r) + K * (1 + r.draws.omega_p)) * spread

    def fails() -> Witness | None:
        searches = (
            search(hypotheses, lambda r, at=at: compare(r, at), rf"$E[G_{{t+1}}]$ for $\beta = {1 + at}$")
            for at in ETAS
        )
        return next((found for found in searches if found is not None), None)

    def prove() -> Sequence[Step]:
        lines = recursion_lines(hypotheses, e, r_, c, sign)
        words = [
            Step(rf"$\beta = {1 + at}$: {step.claim}", step.why)
            for at in ETAS
            for step in agreement(hypotheses, lambda r, at=at: compare(r, at))
        ]
        return (*lines, *words)

    at_corner = partial(corner, error=e, rate=r_, noise=c, sign=sign)
    return decide("certificate", prove, [fails, at_corner])


def corner(error: sp.Expr, rate: sp.Expr, noise: sp.Expr, sign: int) -> Witness | None:
    """One agent, α = 0, γ = 1, h_1 = h(Ŝ_t) + (s − Ŝ_t), and a step that ends at a corner of the triangle 𝒮.

    Ŝ_t + h projects to the corner (1, 0); noise ±(1/2, 1/2) moves the projection along one edge or not at all.
    """
    triangle = [sp.Matrix(vertex) for vertex in ((0, 0), (1, 0), (2, 1))]
    start, h, n = sp.zeros(2, 1), sp.Matrix([2, -1]), sp.Matrix([HALF.numerator, HALF.numerator]) / HALF.denominator
    images = {0: sp.Matrix([1, 0]), 1: sp.Matrix([1, 0]) + n, -1: sp.Matrix([1, 0])}
    for k, image in images.items():  # Lemma 3 characterises the projection; the vertices suffice
        if any((image - start - h - k * n).dot(vertex - image) < 0 for vertex in triangle):
            raise InvalidInput(f"{list(image)} is not the projection: correct the instance.")
    moved, bar, spread, eta_at = (
        (images[1].dot(images[1]) + images[-1].dot(images[-1])) / 2,
        1,
        n.dot(n),
        sp.Integer(32),
    )
    at_zero = [c.subs({alpha: 0, omega_p: 0}) for c in (error, rate, noise)]
    e, _, c = at_zero  # V_1 = h_1(Ŝ_t), so G_t = 0 and G_{t+1} = ‖Ŝ_{t+1} − Ŝ_t‖²
    bound = sign * e * (1 + 1 / eta_at) * bar + (1 + eta_at) * (c + e / eta_at) * spread
    if moved <= bound:
        return None
    point = {"S": "triangle (0,0), (1,0), (2,1)", "Shat": "0, 0", "h": "2, -1", "noise": "(1/2, 1/2) or its negative"}
    point |= {"n": "1", "alpha": "0", "gamma": "1", "L": "1", "B_t": "identity", "V_1": "h_1(Shat)", "beta": "33"}
    return Witness(point, f"$E[G_{{t+1}}] = {moved} > {bound}$; $\\bar E = 1$")


ETAS = (F(1), F(1, 8), F(4))


def recursion_lines(hypotheses: Sequence[str], e: sp.Expr, rate: sp.Expr, noise: sp.Expr, sign: int) -> Sequence[Step]:
    """Young, Lemma `lem:controlvariate`, A6, A7(ii); then the sum over agents, Lemma 3's corollary and (52).

    A hypothesis that is dropped takes its line with it.
    """
    beta, split = 1 + eta, 1 + 1 / eta
    U, D, P, E_t, bar, nu, x = sp.symbols(r"U D P E_t {\bar{E}} nu x", nonnegative=True)  # see the reasons below
    after, G_next, G, spread, lipschitz = sp.symbols("W G' G Sigma Lambda", nonnegative=True)
    move, change = atoms(r"\Delta \hat S", r"\Delta h_i")
    smooth = {
        "A6": Hypothesis(
            L**2 * square(move) - square(change), r"A6(i), $\Delta h_i = h_i(\hat S_{t+1}) - h_i(\hat S_t)$"
        ),
        "A7, A8": Hypothesis(square(ROOT(move)) - v_min * square(move), r"A7(ii) and A8(ii)"),
    }
    says = r"$\|h_i(\hat S_{t+1}) - h_i(\hat S_t)\|^2 \leq v_{\min}^{-1} L_i^2 \gamma_{t+1}^2 E_{t+1}$"
    bounded = L**2 / v_min * square(ROOT(move)) - square(change)
    change_lines = verify(bounded, assumed(smooth, hypotheses), {"A6": 1, "A7, A8": L**2 / v_min}, says=says)
    lemma = control_variate_lines(hypotheses, 1 - alpha, alpha, alpha * (alpha * (1 + omega_p) - 1))
    client = {
        "Young": Hypothesis(beta * U + split * D - after, r"Young for $W = E\|V_{t+1,i} - h_i(\hat S_{t+1})\|^2$"),
        "lemma": Hypothesis(
            (1 - alpha) * x + alpha * sigma**2 + alpha * (alpha * (1 + omega_p) - 1) * P - U,
            r"Lemma `lem:controlvariate`: $U = E\|V_{t+1,i} - h_i(\hat S_t)\|^2$, $x = \|x_i\|^2$, "
            r"$P = E\|\Delta_{t+1,i}\|^2$",
        ),
        "α ≤ 1/(1+ω_p)": Hypothesis(1 - alpha * (1 + omega_p), r"$\alpha \leq 1/(1+\omega_p)$"),
        "moved": Hypothesis(
            L**2 / v_min * gamma**2 * E_t - D,
            r"the first lines: $D = E\|h_i(\hat S_{t+1}) - h_i(\hat S_t)\|^2$, $E_t = E[E_{t+1} \mid F_t]$",
        ),
    }
    bound = beta * (1 - alpha) * x + beta * alpha * sigma**2 + split * L**2 / v_min * gamma**2 * E_t - after
    factors = {"Young": mu**2, "lemma": beta * mu**2, "α ≤ 1/(1+ω_p)": beta * mu**2 * alpha * P, "moved": split * mu**2}
    each = verify(mu**2 * bound, assumed(client, hypotheses), factors)
    sums = {mu**2 * x: G, mu**2 * sigma**2: spread, mu**2 * L**2: lipschitz, mu**2 * after: G_next}
    lines = {
        "sum": Hypothesis(
            linear_image(sp.expand(mu**2 * bound), sums, fixes_constants=False),
            r"sum over $i$ of the last line: $\Sigma = \sigma^2/n$, $\Lambda = L^2/n$, $G' = E[G_{t+1} \mid F_t]$",
        ),
        "A8": Hypothesis(
            2 * bar + 2 * nu - E_t,
            r"the corollary of Lemma 3: $E_{t+1} \leq 2\bar E_{t+1} + 2\|H - h\|_{B_t}^2$, $\nu$ its mean",
        ),
        "variance": Hypothesis(
            v_max * ((1 + omega_p) * spread + omega_p * G) - nu,
            r"Proposition `prop:update_error`, eq. `varianceoracle`",
        ),
    }
    K = e / eta * v_max / v_min * lipschitz * gamma**2
    target = beta * (rate + K * omega_p) * G + beta * (noise + K * (1 + omega_p)) * spread - G_next
    target += sign * e * split / v_min * lipschitz * gamma**2 * bar
    share = split / v_min * lipschitz * gamma**2
    says = r"eq. `induction:Gt`, with $\beta = 1 + \eta$"
    total = verify(target, assumed(lines, hypotheses), {"sum": 1, "A8": share, "variance": 2 * share}, says=says)
    return (*change_lines, *young().evidence, *lemma, *each, *variance_lines(hypotheses, 1 + omega_p, omega_p), *total)


def contraction(rate: str = "1 - a/4", step: str = "a**2/32") -> Verdict:
    """β(1 − α + Kω_p) ≤ rate with β = 1 + α/2, where ω_p (v_max/v_min)(L²/n)γ² ≤ step ("oo": any), for all α > 0."""
    alpha = sp.Symbol("alpha", positive=True)
    load = sp.Symbol("ell", nonnegative=True)  # ω_p (v_max/v_min)(L²/n)γ², so that Kω_p = 2ℓ/(β−1) = 4ℓ/α
    bound, most = (sp.sympify(text, {"a": alpha}) for text in (rate, step))

    def factor(at: sp.Expr, loaded: sp.Expr) -> sp.Expr:
        return (1 + at / 2) * (1 - at + 4 * loaded / at)

    def prove() -> Sequence[Step]:
        why = rf"the steps are so small that $\ell \leq {sp.latex(most)}$"
        given = {} if most == sp.oo else {"step": Hypothesis(most - load, why)}
        squares = [(alpha / 8, sp.S.One), (sp.Rational(7, 16), alpha)]
        says = r"$\beta(1-\alpha+K\omega_p) \leq 1 - \alpha/4$ for $\beta = 1 + \alpha/2$"
        steps = verify(bound - factor(alpha, load), given, {"step": (1 + alpha / 2) * 4 / alpha}, squares, says=says)
        return (*steps, *tried("values of α, the steps as large as they may be", (pair for _, pair in values())))

    def values() -> Iterator[tuple[dict[str, str], tuple[sp.Expr, sp.Expr]]]:
        for at in map(sp.Rational, ("1/2", "1/8", "1", "1/3", "7/8")):
            loaded = sp.S.One if most == sp.oo else most.subs(alpha, at)
            yield {"alpha": str(at), "load": str(loaded)}, (factor(at, loaded), bound.subs(alpha, at))

    def fails() -> Witness | None:
        for point, (left, right) in values():
            if left > right:
                return Witness(point, f"${left} > {right}$")
        return None

    return decide("certificate", prove, [fails])


def contraction_instance() -> Witness:
    """α = 1/2, ω_p = 1, v_min = v_max, L²/n = 1/2 and γ = 1/8: ℓ = 1/128 = α²/32, and the factor is 45/64 < 7/8."""
    rate, step = sp.Rational(1, 2), sp.Rational(1, 8)
    load = step**2 / 2
    factor = (1 + rate / 2) * (1 - rate + 4 * load / rate)
    holds = {"ell <= alpha^2/32": load <= rate**2 / 32, "the factor is 45/64": factor == sp.Rational(45, 64)}
    return instance({"alpha": rate, "omega_p": 1, "L^2/n": "1/2", "gamma": step, "ell": load}, "small steps", holds)


def assumed(lines: Mapping[str, Hypothesis], hypotheses: Sequence[str]) -> dict[str, Hypothesis]:
    """The lines that remain: one that is named after hypotheses ("A7, A8") needs all of them, any other needs none."""
    return {name: line for name, line in lines.items() if set(name.split(", ")) & set(RECURSION) <= set(hypotheses)}


def round_instance() -> Witness:
    """A round of two agents that satisfies every hypothesis of this file, with noise and compression."""
    round_ = Round(COMPRESSED, (F(1), F(-1)), (F(0), F(0)), slope=HALF)
    variance = round_.mean(lambda _, sent: (round_.H(sent) - round_.field) ** 2)
    holds = {name: name in round_.facts() for name in RECURSION} | {"H is random": variance > 0}
    return instance(round_.point(), "two agents, noise and compression, summed over all 16 outcomes", holds)
