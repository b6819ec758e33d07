"""A7 (`hyp:DL2`) where s is a number: the toy of Remark 1 and Poisson in its second strategy, exactly.

In a chart s = s(x) with x from p to p + w both φ∘T are c/x: Poisson with x = λ − s, p = λ, w = M; the toy with
x = √s, p = √a, p + w = √b. Quotients of pairs are then rational functions of x, x' and p, and the sign of a bound is
read off from the coefficients of a polynomial in quantities ≥ 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.examples import examples
from fedmm_edu.proofs.certificate import CertificateFails, decide, nonnegative
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.tools import instance, settle, vanishes

Q = sp.Rational
ScalarCase = Literal["poisson", "toy"]
ConstantName = Literal["C_star", "C_starstar", "v_max", "v_min"]
NAMES = ("v_min", "v_max", "C_star", "C_starstar")
m, lam, p = sp.symbols("m lambda p", positive=True)
i, j, k = sp.symbols("i j k", nonnegative=True)
x, y = sp.symbols("x y", positive=True)
s, t = sp.symbols("s t", real=True)


@dataclass(frozen=True)
class Scalar:
    """φ∘T = F(s) on 𝒮, the chart s(x), x ∈ [p, p + w], and the paper's names for p and w in statements."""

    title: str
    F: sp.Expr
    chart: sp.Expr
    names: Callable[[sp.Expr, sp.Expr], dict[str, sp.Expr]]

    def along(self, at: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
        """F and s at x = at."""
        point = self.chart.subs(x, at)
        return self.F.subs(s, point), point

    @property
    def slope(self) -> sp.Expr:
        """B = dF/ds in the chart."""
        return sp.cancel(sp.diff(self.along(x)[0], x) / sp.diff(self.chart, x))

    def quotient(self, name: str) -> sp.Expr:
        """What the constant bounds: B(s), or the quotient of a pair x, y (signed)."""
        (F0, s0), (F1, s1) = self.along(x), self.along(y)
        if name in ("v_min", "v_max"):
            return self.slope
        if name == "C_starstar":
            return sp.cancel((F1 - F0) / (s1 - s0))
        return sp.cancel((F1 - F0 - self.slope * (s1 - s0)) / (s1 - s0) ** 2)


def _phi_of_T(example: str, model: str) -> sp.Expr:
    """φ(T(s)) of a registered model with one coordinate."""
    found = next(entry for entry in examples() if entry.name == example).models()[model]
    value = found.phi[0].xreplace(dict(zip(found.theta, found.T or (), strict=True)))
    return value.subs({z: symbol for z in value.free_symbols for symbol in (s, m, lam) if z.name == symbol.name})


CASES = {
    "poisson": Scalar(
        "Poisson, second strategy",
        _phi_of_T("poisson", "printed, strategy 2"),
        lam - x,
        lambda low, width: {"lam": low, "M": width, "m": m},
    ),
    "toy": Scalar(
        "the toy of Remark 1",
        _phi_of_T("toy", "toy"),
        x**2,
        lambda low, width: {"a": low**2, "b": (low + width) ** 2, "sqrt_a": low, "sqrt_b": low + width},
    ),
}
GRID = tuple(map(Q, ("1/2", "1", "2")))
SHARES = tuple(map(Q, ("0", "1/100", "1/2", "1")))


def bound(
    case: ScalarCase,
    name: ConstantName,
    value: str,
    best: bool = False,
) -> Verdict:
    """The constant `name` of A7 may be `value` for every law, every λ and 𝒮; with `best`, no better one is valid."""
    scalar = CASES[case]
    quotient = scalar.quotient(name)

    def prove() -> Sequence[Step]:
        # v_min: B decreases in x, so it is least at x = p + w = x + k; the others are largest at x = y = p
        if name == "v_min":
            claimed = sp.sympify(value, scalar.names(p, i + k))
            gaps, extreme = [_low(quotient) - claimed], quotient.subs(x, p + i + k)
        else:
            claimed = sp.sympify(value, scalar.names(p, i + j + k))
            gaps = [claimed - sign * _low(quotient) for sign in (1, -1)]
            extreme = quotient.subs({x: p, y: p})
        for gap in gaps:
            if not nonnegative(positive_form(gap)):
                raise CertificateFails(f"${sp.latex(sp.factor(gap))}$ is not visibly >= 0.")
        steps = [
            Step(rf"the quotient is exactly ${sp.latex(sp.factor(quotient))}$", "x, y: the chart of s and s'; "
                                                                                "cancelled"),
            *(Step(rf"${sp.latex(positive_form(gap))} \geq 0$", "polynomials with coefficients >= 0 in i, j, k >= 0")
              for gap in gaps),
        ]  # fmt: skip
        if best:
            if not (vanishes(claimed - extreme) or vanishes(claimed + extreme)):
                raise CertificateFails(f"{claimed} is not the extreme value {extreme}.")
            where = "x = p + w" if name == "v_min" else "x = y = p"
            attained = "attained" if name in ("v_min", "v_max") else "a limit of pairs s' -> s, and not attained"
            steps.append(Step(f"it is the value at ${where}$: {attained}", "the quotient is continuous there"))
            if name.startswith("C_"):
                steps.append(_strict(gaps, value))
        return steps

    return decide("factorisation", prove, [lambda: _beaten(scalar, name, value, best)])


def _low(quotient: sp.Expr) -> sp.Expr:
    return quotient.subs({x: p + i, y: p + j})


def positive_form(gap: sp.Expr) -> sp.Expr:
    """The same value as a quotient of expanded polynomials over a product of factors."""
    top, bottom = sp.fraction(sp.factor(gap))
    return sp.expand(top) / bottom


def _strict(gaps: Sequence[sp.Expr], value: str) -> Step:
    """The gap vanishes only at i = j = 0, that is s = s'."""
    for gap in gaps:
        top = sp.expand(sp.fraction(sp.factor(gap))[0])
        alone = [top.subs(other, 0) for other in (i, j)]
        if 0 in alone or top.subs({i: 0, j: 0}) < 0:
            raise CertificateFails(f"{value} may be attained: the gap does not grow with i or with j alone.")
    return Step("strictly smaller for every pair s != s'", "the numerator has positive terms in i alone and in j alone")


def _beaten(scalar: Scalar, name: str, value: str, best: bool) -> Witness | None:
    """Exact numbers at which the bound fails; with `best`, also a certainly valid better bound."""
    quotient = scalar.quotient(name)
    for low, width, mean in product(GRID, GRID, GRID):
        at = {p: low, lam: low, m: mean}
        claimed = sp.sympify(value, scalar.names(p, sp.Symbol("w"))).subs({**at, sp.Symbol("w"): width})
        extreme = abs(quotient.subs({x: low + width if name == "v_min" else low, y: low}).subs(at))
        for a, b in product(SHARES, SHARES):
            if a == b and name.startswith("C_"):
                continue
            points = {x: low + a * width, y: low + b * width}
            found = quotient.subs(points).subs(at)
            if found < claimed if name == "v_min" else abs(found) > claimed:
                shown = {key: e.subs(at) for key, e in scalar.names(low, width).items()}
                point = {**{key: str(e) for key, e in shown.items()}, "s": str(scalar.chart.subs(points).subs(at))}
                if name.startswith("C_"):
                    point["s'"] = str(scalar.chart.subs(x, points[y]).subs(at))
                return Witness(point, f"the quotient is ${found}$, the stated {name} is ${claimed}$")
        if best and claimed != extreme:
            return Witness(
                {"p": str(low), "w": str(width), "m": str(mean)}, f"the best is ${extreme}$, not ${claimed}$"
            )
    return None


# ------------------------------------------------------------------------------------- the paper's displayed expansion


def expansion(linear: str, quadratic: str) -> Verdict:
    """φ(T(t)) − φ(T(s)) = linear·(t − s) + quadratic·(t − s)², and equals m(t − s)/((λ − s)(λ − t)), for s, t < λ."""
    F = CASES["poisson"].F
    names = {"m": m, "lam": lam, "s": s, "t": t}
    a, b = (sp.sympify(text, names) for text in (linear, quadratic))
    difference = F.subs(s, t) - F
    right = a * (t - s) + b * (t - s) ** 2
    found = None
    for numbers in ({m: Q(2), lam: Q(1), s: Q(-1), t: Q(-3)}, {m: Q(1, 2), lam: Q(2), s: Q(0), t: Q(-1)}):
        left_value, right_value = difference.subs(numbers), right.subs(numbers)
        if found is None and left_value != right_value:
            point = {
                name: str(value) for name, value in zip(("E Z", "lambda", "s", "s'"), numbers.values(), strict=True)
            }
            found = Witness(point, f"the left-hand side is ${left_value}$, the right-hand side ${right_value}$")
    return settle(
        "identity",
        {
            "$m(1/(\\lambda-s') - 1/(\\lambda-s)) = \\frac{m}{\\lambda-s} \\frac{s'-s}{\\lambda-s'}$": difference
            - m / (lam - s) * (t - s) / (lam - t),
            "the expansion in powers of $s'-s$": difference - right,
        },
        "exact, by common denominators; $m = E_\\pi[Z]$, and $\\phi \\circ T$ is composed from the model",
        found,
    )


def derivative(B: str) -> Verdict:
    """B(s) is dφ∘T/ds, the only number for which the remainder is of second order."""
    F = CASES["poisson"].F
    claimed = sp.sympify(B, {"m": m, "lam": lam, "s": s})
    true = sp.diff(F, s)
    found = None
    at = {m: Q(2), lam: Q(1), s: Q(-3)}
    gap = (true - claimed).subs(at)
    if gap != 0:
        says = f"$\\phi \\circ T$ has the slope ${true.subs(at)}$, B is ${claimed.subs(at)}$: the remainder is about"
        found = Witness({"E Z": "2", "lambda": "1", "s": "-3"}, f"{says} ${gap}(s'-s)$, not of second order")
    return settle(
        "differentiation",
        {
            "$B(s) = (\\phi \\circ T)'(s)$": claimed - true,
            "the remainder is a multiple of $(s'-s)^2$": sp.cancel(F.subs(s, t) - F - claimed * (t - s))
            - m * (t - s) ** 2 / ((lam - s) ** 2 * (lam - t)),
        },
        "exact; own-A7-B-unique: nothing else serves at interior points",
        found,
    )


def poisson_instance() -> Witness:
    mean, weight, M, at = Q(2), Q(1), Q(3), Q(-1)
    return instance(
        {"E Z": mean, "lambda": weight, "M": M, "s": at},
        f"$B(s) = {mean / (weight - at) ** 2}$",
        {"E Z > 0": mean > 0, "lambda > 0": weight > 0, "s in [-M, 0]": -M <= at <= 0},
    )


def toy_instance() -> Witness:
    a, b = Q(1), Q(4)
    return instance(
        {"S": "[1, 4]"},
        "$B(1) = 1/2$, $B(4) = 1/16$",
        {"0 < a < b": 0 < a < b, "1/2 sqrt(b)^-3": Q(1, 16) == Q(1, 2) / 8},
    )
