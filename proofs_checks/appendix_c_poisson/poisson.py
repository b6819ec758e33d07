"""Poisson observations with a hidden log-intensity h: the MAP criterion, its surrogates and their minimisers."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction
from proofs_checks.shared.tools import settle, vanishes

theta, tau, h, z, delta = sp.symbols("theta tau h z delta", real=True)
Q = sp.Rational
lam, m, x, y = sp.symbols("lambda m x y", positive=True)
NAMES = {"theta": theta, "h": h, "z": z, "lam": lam, "m": m}
LATENT = (0, sp.log(2))  # the two points of h in every exact instance below, each with probability 1/2
COMPLETE = "z*(theta + h) - exp(theta + h)"  # log of the Poisson density with intensity e^{θ+h}, up to log z!
PRINTED = "z*theta - exp(theta)*exp(h)"  # the exponent in (43)


def parse(text: str, **more: sp.Symbol) -> sp.Expr:
    return sp.sympify(text, {**NAMES, **more})


def free_of(expr: sp.Expr, *symbols: sp.Symbol) -> dict[str, sp.Expr]:
    """The derivatives of `expr` that must vanish for it not to depend on `symbols`."""
    return {f"the difference does not depend on {symbol}": sp.diff(expr, symbol) for symbol in symbols}


# ------------------------------------------------------------------------------------------------------ the objective


def likelihood(exponent: str) -> Verdict:
    """θ ↦ −E log ∫ exp(exponent) dμ(h) is the negative log-likelihood up to a constant, whatever μ and the data.

    That is so exactly if the exponent differs from log of the Poisson density by something free of θ and of h.
    """
    log_density = z * (theta + h) - sp.exp(theta + h) - sp.loggamma(z + 1)
    form = parse(exponent)
    return settle(
        "identity",
        free_of(log_density - form, theta, h),
        "exact; what depends on z alone leaves the integral as a factor and the criterion as a constant",
        _no_common_minimiser(form),
    )


def _no_common_minimiser(form: sp.Expr) -> Witness | None:
    """h = 0 or log 2, one observation z = 2, λ = 1: do the form and the MAP criterion share a stationary point?

    In x = e^θ and y = e^{−x} both derivatives are rational; where their difference has coefficients of one sign
    only, it vanishes nowhere on x, y > 0.
    """
    slopes = [_slope(expr) for expr in (form, parse(COMPLETE))]
    difference = sp.cancel(slopes[1] - slopes[0])
    signs = [{sp.sign(c) for c in sp.Poly(part, x, y).coeffs()} for part in sp.fraction(difference)]
    if difference == 0 or max(map(len, signs)) > 1:
        return None
    roots = [_root(slope) for slope in slopes]
    return Witness(
        {"h": "0 or log 2, each with probability 1/2", "Z": "2", "lambda": "1"},
        f"with $x = e^\\theta$, $y = e^{{-x}}$ the derivatives in x differ by ${sp.latex(difference)} \\neq 0$ "
        f"everywhere: "
        "no minimiser of the one is a minimiser of the other",
        {"stationary point of the statement, x": roots[0], "MAP estimator, x": roots[1]},
    )


def _slope(form: sp.Expr) -> sp.Expr:
    """d/dx of −log ∫ exp(form) dμ(h) + λx at z = 2, λ = 1, as a rational function of x = e^θ and y = e^{−x}."""
    terms = [sp.exp(sp.expand(form.subs({z: 2, h: point}).subs(theta, sp.log(x)))) for point in LATENT]
    slope = -sp.diff(sum(terms), x) / sum(terms) + 1
    return sp.cancel(
        sp.expand(slope)
        .subs(sp.exp(-x), y)
        .replace(lambda e: isinstance(e, sp.exp), lambda e: y ** sp.cancel(-e.args[0] / x))
    )


def _root(slope: sp.Expr) -> str:
    """A rational interval on which the slope changes sign from − to +, certified in ball arithmetic."""
    from flint import arb

    value = sp.lambdify((x, y), sp.together(slope), modules=[{}])

    def sign(at: F) -> arb:
        point = arb(at.numerator) / at.denominator
        return value(point, (-point).exp())

    low, high = F(1, 64), F(64)
    if not (sign(low) < 0 and sign(high) > 0):
        return "no sign change found"
    while high - low > F(1, 1000):
        mid = (low + high) / 2
        low, high = (mid, high) if sign(mid) < 0 else (low, mid)
    return f"[{low}, {high}]" if sign(low) < 0 and sign(high) > 0 else "not certified"


def map_weight(penalty: str) -> Verdict:
    """(1/N) Σ_j loss_j + penalty·e^θ has the minimisers of Σ_j loss_j + λe^θ, minus the log posterior of N samples."""
    N, mean_loss, growth = sp.symbols("N L E", positive=True)
    weight = parse(penalty, N=N)
    residual = N * (mean_loss + weight * growth) - (N * mean_loss + lam * growth)
    # h = 0 and two observations z = 1: the criteria are a(x − log x) + bx with x = e^θ, least at x = a/(a + b).
    at = {N: 2, lam: 1}
    ours, right = 1 / (1 + weight.subs(at)), Q(2, 3)
    found = None
    if ours != right:
        found = Witness(
            {"h": "0", "N": "2", "Z_1, Z_2": "1, 1", "lambda": "1"},
            f"the criterion is least at $e^\\theta = {ours}$, the posterior largest at $e^\\theta = {right}$",
        )
    return settle(
        "identity",
        {"N times the criterion is minus the log posterior": residual},
        "a positive factor N changes no minimiser",
        found,
    )


# ------------------------------------------------------------------------------------------------------- MM-1, MM-2


def majorizes(
    exponent: str,
    phi: tuple[str, ...],
    S: tuple[str, ...],
    weight: str,
    psi: str = "0",
) -> Verdict:
    """MM-1 for ℓ = −log ∫ exp(exponent) dμ(h), with S̄(z, τ) the mean of S(z, h) under a law ∝ exp(weight at τ) dμ(h).

    m in `psi` is E_π[Z]; what is affine in z has the mean with z replaced by m.
    """
    log_p, w = parse(exponent), parse(weight)
    ph, stat, ps = [parse(text) for text in phi], [parse(text) for text in S], parse(psi)
    leftover = sp.expand(log_p + ps - sum(a * b for a, b in zip(stat, ph, strict=True)))
    unmixed = leftover  # z may be replaced by its mean only where it does not multiply a function of h and θ
    if ps.has(m):
        leftover = leftover.subs(z, m) if sp.degree(leftover, z) <= 1 else sp.nan
    r1, u = sp.symbols("r_1 u", positive=True)
    ratios = sp.symbols("R_1 R_2", positive=True)
    mean = r1 * ratios[0] + (1 - r1) * ratios[1]
    return settle(
        "Jensen's inequality",
        {
            "$-\\log p = \\psi - \\langle S, \\phi\\rangle$ plus terms free of θ": sp.diff(leftover, theta),
            "those terms are free of θ for each h": sp.diff(unmixed, theta, h),
            "the law of h is the posterior: $\\log$ weight $- \\log p$ is free of h": sp.diff(w - log_p, h),
            "$u - 1 - \\log u \\geq 0$: its derivative is $(u-1)/u$, its value at 1 is 0": sp.diff(u - 1 - sp.log(u), u)
            - (u - 1) / u,
            "$\\sum_h r_h (R_h/\\bar R - 1) = 0$, so $\\log \\sum_h r_h R_h \\geq \\sum_h r_h \\log R_h$": r1
            * (ratios[0] / mean - 1)
            + (1 - r1) * (ratios[1] / mean - 1),
        },
        "exact; $R_h = p(z,h,\\theta)/p(z,h,\\tau)$, and the same with integrals for any law of h",
        _negative_gap(log_p, ph, stat, w, ps),
    )


def _negative_gap(
    log_p: sp.Expr, phi: list[sp.Expr], S: list[sp.Expr], weight: sp.Expr, psi: sp.Expr
) -> Witness | None:
    """A point (z, e^τ, e^θ) at which the gap of MM-1 is certainly negative, h being 0 or log 2; π is δ_z."""
    from flint import arb

    functions = {"exp": lambda v: arb(v).exp(), "log": lambda v: arb(v).log()}
    names = (theta, h, z, m)
    log_p_at, weight_at, psi_at, *rest = (
        sp.lambdify(names, expr, modules=[functions]) for expr in (log_p, weight, psi, *phi, *S)
    )
    phi_at, S_at = rest[: len(phi)], rest[len(phi) :]
    points = (arb(0), arb(2).log())

    def loss(at: arb, count: int) -> arb:
        return -sum((log_p_at(at, point, count, count).exp() for point in points), arb(0)).log()

    for count in (1, 2):
        for before, after in ((1, 2), (2, 1), (F(1, 8), 1), (1, F(9, 8)), (1, F(7, 8))):
            old, new = (arb(F(v).numerator).log() - arb(F(v).denominator).log() for v in (before, after))
            weights = [arb(weight_at(old, point, count, count)).exp() for point in points]
            S_bar = [
                sum((w * f(old, point, count, count) for w, point in zip(weights, points, strict=True)), arb(0))
                / sum(weights, arb(0))
                for f in S_at
            ]
            rise = sum((s * (f(new, 0, 0, 0) - f(old, 0, 0, 0)) for s, f in zip(S_bar, phi_at, strict=True)), arb(0))
            gap = loss(old, count) + psi_at(new, 0, 0, count) - psi_at(old, 0, 0, count) - rise - loss(new, count)
            if gap < 0:
                point = {
                    "h": "0 or log 2, each with probability 1/2",
                    "Z": str(count),
                    "e^tau": str(before),
                    "e^theta": str(after),
                }
                return Witness(point, "the gap of MM-1 is negative", {"gap": gap.str(6)})
    return None


RELATIONS = {"s1 > 0": lambda value: value > 0, "s1 >= 0": lambda value: value >= 0}


def minimiser(T: str, first: Literal["s1 > 0", "s1 >= 0"] = "s1 > 0") -> Verdict:
    """For s2 < 0 < λ and `first`, T is the only minimiser over ℝ of λe^θ − s1·θ − s2·e^θ."""
    s1, a = sp.symbols("s1 a", positive=True)  # a = λ − s2 > 0
    s2 = lam - a
    at = parse(T, s1=s1, m=s1, s2=s2, s=s2)  # the second strategy calls s1 m, and s2 s
    J = lam * sp.exp(theta) - s1 * theta - s2 * sp.exp(theta)
    excess = J.subs(theta, at + delta) - J.subs(theta, at) - s1 * (sp.exp(delta) - 1 - delta)
    found = None
    for numbers in ({s1: 1, lam: 2, a: 3}, {s1: 2, lam: 3, a: 4}):
        value = at.subs(numbers)
        slope = sp.diff(J, theta).subs(numbers).subs(theta, value)
        if found is None and slope != 0:
            point = {"s1": str(numbers[s1]), "s2": str(s2.subs(numbers)), "lambda": str(numbers[lam])}
            found = Witness(point, f"the derivative at $T(s) = {sp.latex(value)}$ is ${sp.latex(slope)}$, not 0")
    residuals = {
        "$J(T(s) + \\delta) - J(T(s)) = s_1(e^\\delta - 1 - \\delta)$": excess,
        "$e^\\delta - 1 - \\delta$ has the derivative $e^\\delta - 1$: > 0 but for $\\delta = 0$ (MM-2)": sp.diff(
            sp.exp(delta) - 1 - delta, delta
        )
        - (sp.exp(delta) - 1),
    }
    for edge in [sp.S.Zero] if RELATIONS[first](0) else []:  # s1 = 0 belongs to 𝒮: is T a minimiser there?
        value = sp.limit(at, s1, edge, "+")
        slope = sp.expand(sp.diff(J.subs(s1, edge), theta))
        where = f"T(s), $s_1 = {edge}$" if value.is_finite else f"any θ, $s_1 = {edge}$"
        residuals[f"the derivative at {where}"] = slope.subs(theta, value) if value.is_finite else slope
        if found is None and slope.is_positive:  # J strictly increases, so nothing is its minimiser
            numbers = {lam: 1, a: 2}
            says = f"the derivative is ${sp.latex(slope.subs(numbers))} > 0$ for all θ, and T(s) tends to ${value}$"
            found = Witness({"s1": str(edge), "s2": "-1", "lambda": "1"}, f"{says}: no minimiser")
    return settle("identity", residuals, "exact, with $\\lambda - s_2 > 0$", found)


def range_of_S_bar(
    first: Literal["(0, oo)", "[0, oo)", "[1, oo)"],
    mean: Literal["(0, oo)", "[1, oo)"],
    second: Literal["(-oo, 0)", "(0, oo)"] = "(-oo, 0)",
) -> Verdict:
    """S̄(z, τ), z ∈ ℕ, lies in `first` × `second`, and the first component of E_π[S̄] in `mean` if E_π[Z] > 0."""
    claimed = {name: _interval(text) for name, text in (("first", first), ("mean", mean), ("second", second))}

    def prove() -> tuple[Step, ...]:
        u, a = sp.symbols("u a", positive=True)  # u = e^h, a = e^τ
        peak = sp.diff(u * sp.exp(-a * u), u) - (1 - a * u) * sp.exp(-a * u)  # u·e^{−au} is largest at u = 1/a
        if not vanishes(peak):
            raise CertificateFails("the maximum of u exp(-au) is not at 1/a.")
        w, c = sp.symbols("w c", positive=True)  # weights and values e^h of two points
        low = -(w * u + c * a) / (w + c)
        values = {
            "first": (sp.Naturals0, "$\\bar S_1(z, \\tau) = z$ for every law of h: $S_1$ is free of h"),
            "mean": (sp.Interval.open(0, sp.oo), "$E_\\pi[\\bar S_1] = E_\\pi[Z]$, any number > 0"),
            "second": (
                sp.Interval.open(-sp.oo, 0),
                f"${sp.latex(low)} < 0$: minus a mean of $e^h > 0$, "
                "finite as $e^h \\exp(-e^\\tau e^h) \\leq e^{-1-\\tau}$",
            ),
        }
        if low.is_negative is not True:
            raise CertificateFails("the mean of -e^h is not visibly negative.")
        steps = []
        for name, (image, why) in values.items():
            if not _inside(image, claimed[name]):
                raise CertificateFails(
                    f"the values fill ${sp.latex(image)} \\not\\subseteq {sp.latex(claimed[name])}$."
                )
            steps.append(Step(f"${sp.latex(image)} \\subseteq {sp.latex(claimed[name])}$", why))
        return tuple(steps)

    return decide("derivation", prove, [lambda: _outside(claimed)])


def _inside(image: sp.Set, interval: sp.Interval) -> bool:
    """Whether image ⊆ interval, for ℕ (its least element decides) or an interval."""
    if image is sp.Naturals0:
        return interval.contains(0) == sp.true and interval.sup == sp.oo
    return image.is_subset(interval) is True


def _outside(claimed: dict[str, sp.Interval]) -> Witness | None:
    """A value of S̄, or of its mean, outside: z = 0, 1, 2; two points of h; a law of Z with a small mean."""
    k = sp.Symbol("k", integer=True, nonnegative=True)
    law = sp.exp(-1) / sp.factorial(k)  # Poisson with intensity e^{θ+h} = 1
    for z_value in range(3):
        if claimed["first"].contains(z_value) != sp.true:
            chance = law.subs(k, z_value)
            says = f"$\\bar S_1 = {z_value}$, and z = {z_value} has the probability ${sp.latex(chance)} > 0$"
            return Witness({"z": str(z_value), "theta + h": "0"}, says, {"P(z)": str(chance)})
    second = -sum(sp.Rational(1, 2) * value for value in (1, 2))
    if claimed["second"].contains(second) != sp.true:
        return Witness({"e^h": "1 or 2, equally likely"}, f"$\\bar S_2 = -(1 + 2)/2 = {second}$")
    rare = sp.Rational(1, 10**6)
    if claimed["mean"].contains(rare) != sp.true:
        return Witness({"Z": "1 once in a million samples, else 0"}, f"$E_\\pi[\\bar S_1] = {rare}$")
    return None


def _interval(text: str) -> sp.Interval:
    low, high = text.strip("()[]").split(",")
    return sp.Interval(sp.sympify(low), sp.sympify(high), text[0] == "(", text[-1] == ")")


def component(which: int) -> Verdict:
    """The component of S̄(z, τ) with this number has the mean E_π[Z], whatever τ and the law of h."""
    w1, w2 = (sp.Function(f"w_{k}")(tau) for k in (1, 2))  # posterior weights of two points h, any functions of τ
    S = {1: (z, z), 2: (-sp.exp(sp.Symbol("h_1")), -sp.exp(sp.Symbol("h_2")))}[which]
    mean = (w1 * S[0] + w2 * S[1]) / (w1 + w2)
    found = None
    value = mean.subs({w1: 1, w2: 1, sp.Symbol("h_1"): 0, sp.Symbol("h_2"): sp.log(2), z: 1})
    if value != 1:
        found = Witness({"e^h": "1 or 2, equally likely a posteriori", "z": "1"}, f"the component is ${value}$, not 1")
    return settle(
        "identity",
        {"$\\sum_h w_h S(z, h) / \\sum_h w_h = z$": mean - z},
        "termwise for any weights, then the mean over π",
        found,
    )


def second_strategy(psi: str, T: str, mean_Z: Literal["m > 0", "m >= 0"]) -> Verdict:
    """The second setting: MM-1 with this ψ, φ = e^θ, S = −e^h, and MM-2 with this T for all s < 0, m = E_π[Z]."""
    first = "s1 > 0" if mean_Z == "m > 0" else "s1 >= 0"
    return conjunction(
        {
            "MM-1": majorizes(PRINTED, ("exp(theta)",), ("-exp(h)",), PRINTED, psi),
            "MM-2, with $s_1 = E_\\pi[Z]$": minimiser(T, first),
        }
    )


def same_map(T1: str, T2: str) -> Verdict:
    """T1(E_π[Z], s) = T2(s): both strategies give the same iterates."""
    s = sp.Symbol("s", negative=True)
    one, two = (parse(text, s1=m, s2=s, s=s) for text in (T1, T2))
    at = {m: 2, s: -1, lam: 3}
    found = None
    if one.subs(at) != two.subs(at):
        found = Witness(
            {"E Z": "2", "s": "-1", "lambda": "3"}, f"${sp.latex(one.subs(at))}$ against ${sp.latex(two.subs(at))}$"
        )
    return settle("identity", {"$T_1(E_\\pi[Z], s) = T_2(s)$": one - two}, "and $\\bar S_2$ is the same in both", found)
