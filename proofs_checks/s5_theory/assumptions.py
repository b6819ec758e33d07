"""Assumptions A1, A6(ii), A8(i) in the paper's examples, strong convexity and MM-2, and what the projection does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, inner, operator, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction, proved, refuted
from fedmm_edu.symbolic.decide.convexity import decide_convex, decide_convex_set
from fedmm_edu.symbolic.decide.domain import Domain, relations_of
from fedmm_edu.symbolic.decide.inequality import decide_defined
from proofs_checks.shared.tools import agreed, tried

theta, lam = sp.Symbol("theta", real=True), sp.Symbol("lambda", positive=True)
s, s1, s2, m = sp.symbols("s s_1 s_2 m", real=True)
a, b = sp.symbols("a b", positive=True)


# ------------------------------------------------------------------------------------------- A1, example by example


def convex_surrogates(larger: Literal["", "Poisson 1", "Poisson 2", "s_1", "their sum", "weights"] = "") -> Verdict:
    """ψ − ⟨s, φ⟩ is convex on Θ for all s ∈ 𝒮 in each example; `larger` names a condition on 𝒮 that is dropped."""
    exp = sp.exp(theta)
    one = [] if larger == "Poisson 1" else [s2 < 0]
    two = [] if larger == "Poisson 2" else [s < 0]
    weight, rest = sp.symbols("s_2l sigma", real=True)
    rho = sp.Symbol("rho", positive=True)
    verdict = conjunction(
        {
            "Remark 1": decide_convex(1 / theta + s * theta, [theta], Domain.of([theta > 0, s > 0])),
            "Poisson, first": decide_convex(-s1 * theta - s2 * exp, [theta], Domain.of([s1 > 0, *one])),
            "Poisson, second": decide_convex(-m * theta - s * exp, [theta], Domain.of([m > 0, *two])),
            "Example 1": _quadratic("$1/\\rho > 0$", 1 / rho),
            "mixture": proved("identity", *_mixture_blocks()),
            "mixture, block l < L": _quadratic("" if larger == "weights" else "$s_{2,l} \\geq 0$ on 𝒮", weight),
            "mixture, block L": _quadratic(
                "" if larger == "their sum" else "$\\sigma = \\sum_l s_{2,l} \\leq 1$ on 𝒮", 1 - rest
            ),
            "dictionary": _quadratic("", s1)
            if larger == "s_1"
            else _quadratic("$s_1 \\succeq 0$: $s_1 = R^\\top R$", sp.S(2)),
        }
    )
    return agreed(verdict, *tried("midpoints, in Remark 1, both Poisson strategies and the mixture", _midpoints()))


def _midpoints() -> Iterator[tuple[sp.Expr, sp.Expr]]:
    """u at the middle of two points, and the mean of u there.

    Poisson: −s_2 e^θ with s_2 = −3 in x = e^θ, where the middle is the geometric mean; −s_1 θ is linear and cancels.
    """
    for low, high in ((sp.Integer(1), sp.Integer(4)), (sp.Integer(4), sp.Integer(16)), (sp.Integer(1), sp.Integer(16))):
        middle, root = (low + high) / 2, sp.sqrt(low * high)
        for u, between in (
            (lambda x: 1 / x + 3 * x, middle),  # Remark 1, s = 3
            (lambda x: x**2 / 8 - 5 * x, middle),  # one column of the mixture, s_{2,l} = 1/4
            (lambda x: 3 * x, root),
        ):
            yield u(between), (u(low) + u(high)) / 2


def _mixture_blocks() -> Sequence[Step]:
    """ψ − ⟨s, φ⟩ of Appendix C.2 (with L − 1 blocks m_l in φ) as a sum of quadratics, written out for L = 3.

    Each l < L enters ψ − ⟨s, φ⟩ separately, so that more components add terms of the same form.
    """
    m_1, m_2, m_L, mean, s_1, s_2 = atoms("m_1", "m_2", "m_L", "E Z", "s_{1,1}", "s_{1,2}")
    G1, G2, GL = operator("G_1"), operator("G_2"), operator("G_L")
    q1, q2, qL, w1, w2 = sp.symbols("q_1 q_2 q_L s_21 s_22", real=True)  # q_l = m_lᵀ G_l m_l, G_l = Γ_l^{-1}
    u = qL / 2 - inner(mean, GL(m_L)) + (w1 * (q1 - qL) + w2 * (q2 - qL)) / 2
    u -= inner(s_1, G1(m_1) - GL(m_L)) + inner(s_2, G2(m_2) - GL(m_L))
    blocks = (w1 * q1 + w2 * q2 + (1 - w1 - w2) * qL) / 2
    linear = inner(s_1, G1(m_1)) + inner(s_2, G2(m_2)) + inner(mean - s_1 - s_2, GL(m_L))
    says = "$\\frac{1}{2} \\sum_{l<L} s_{2,l} q_l + \\frac{1}{2} (1-\\sum_l s_{2,l}) q_L$ minus a linear function"
    return verify(u - blocks + linear, {}, {}, equality=True, says=says)


def _quadratic(sign: str, weight: sp.Expr) -> Verdict:
    """weight·‖Rx‖²/2 − ⟨l, x⟩ is convex: every example but three is a sum of such terms (R of any size)."""
    (x, d, linear), R = atoms("x", "d", "l"), operator("R")
    share = a / (a + b)

    def prove() -> Sequence[Step]:
        u = [weight * square(R(v)) / 2 - inner(linear, v) for v in (x, x + d, x + d * (1 - share))]
        return verify(
            share * u[0] + (1 - share) * u[1] - u[2],
            {"sign": Hypothesis(weight, sign)} if sign else {},
            {"sign": a * b / (a + b) ** 2 * square(R(d)) / 2},
            says="$\\lambda u(x) + (1-\\lambda) u(x+d) \\geq u(x + (1-\\lambda) d)$ with $\\lambda = a/(a+b)$",
        )

    def concave() -> Witness | None:
        """One dimension, R = 1, l = 0: u = wθ²/2 at −1, 0, 1 for a weight w < 0, if the set allows one."""
        free = weight.free_symbols
        low = next((v for v in (-1, 2) if not sign and free and weight.subs(dict.fromkeys(free, v)) < 0), None)
        if low is None:
            return None
        w = weight.subs(dict.fromkeys(free, low))
        says = f"$u(\\theta) = {sp.latex(w * theta**2 / 2)}$ has $u(0) = 0 > {w / 2} = (u(-1) + u(1))/2$"
        return Witness({str(next(iter(free))): str(low)}, says)

    return decide("certificate", prove, [concave])


# ----------------------------------------------------------------------------------------------- A6(ii) and A8(i)

r = sp.Symbol("r", positive=True)
# One component j of h along a ray s(r) of 𝒮: (instance, s(r), why S̄_j is what it is at T(s(r)), S̄_j, s_j(r)).
RAYS: dict[str, tuple[str, str, str, sp.Expr, sp.Expr]] = {
    "Remark 1": ("Z = 1", "r", "$\\bar S = Z$", sp.S.One, r),
    "Example 1": (
        "f = theta^2/2, g = 0, rho = 1",
        "r",
        "$\\bar S = T(s) - \\rho \\nabla f(T(s))$, $T(s) = s$",
        r - r,
        r,
    ),
    "Poisson, first": ("Z = 1", "(r, -1)", "$\\bar S_1 = Z$", sp.S.One, r),
    "Poisson, second": ("h = 0", "-r", "$\\bar S = -e^h$", -sp.S.One, -r),
    "mixture": ("L = 2, p = 1, Z = 0", "(r, 1/2)", "$\\bar S_1 = Z \\, P(h = 1 | Z)$", sp.S.Zero, r),
    "dictionary": (
        "p = K = 1, chi(h) = |h|, g = 0",
        "(r, 0)",
        "$T(s) = s_2/s_1 = 0$, $M(Z, 0) = 0$, $\\bar S_1 = M^2$",
        sp.S.Zero,
        r,
    ),
}


def bounded_field(sets: Literal["bounded", "printed"], bound: Literal["diam", "diam/2"] = "diam") -> Verdict:
    """sup_𝒮 ‖h‖ < ∞: for the examples' "printed" 𝒮, or for "bounded" 𝒮 with E S̄ ∈ 𝒮, where `bound` bounds it."""
    diameter = sp.Symbol("D", nonnegative=True)
    limit = {"diam": diameter, "diam/2": diameter / 2}[bound]

    def prove() -> Sequence[Step]:
        size = sp.Symbol(r"{\|h(s)\|}", nonnegative=True)
        line = Hypothesis(diameter - size, "$E_\\pi[\\bar S(Z, T(s))]$ and $s$ are points of 𝒮 (MM-1), of diameter D")
        given = {"diameter": line} if sets == "bounded" else {}
        return verify(limit - size, given, {"diameter": 1}, says="$\\|h(s)\\| \\leq \\mathrm{diam}(\\mathcal{S})$")

    def fails() -> Witness | None:
        """𝒮 = [0, 1], S̄ = 1 (as in Remark 1 with Z = 1), s = 0."""
        h = sp.Integer(1) - 0
        says = f"$\\|h(s)\\| = {h}$ exceeds the bound ${limit.subs(diameter, 1)}$"
        return Witness({"S": "[0, 1]", "S_bar": "1", "s": "0"}, says) if h > limit.subs(diameter, 1) else None

    verdict = decide("certificate", prove, [fails if sets == "bounded" else _unbounded])
    if sets == "printed":
        return replace(verdict, evidence=(*verdict.evidence, *_rays()))
    grid = [sp.Rational(k, 4) for k in range(5)]
    fields = [(abs(mean - at), limit.subs(diameter, 1)) for mean, at in product(grid, repeat=2)]
    if verdict.status != "proved":
        return verdict
    return agreed(verdict, *tried(r"pairs of $E_\pi[\bar S]$ and $s$ in $[0, 1]$", fields))


def _fields() -> dict[str, sp.Expr]:
    """h_j along the ray of each example, where it grows without bound."""
    fields = {name: mean - at for name, (*_, mean, at) in RAYS.items()}
    return {name: field for name, field in fields.items() if abs(sp.limit(field, r, sp.oo)) == sp.oo}


def _rays() -> Sequence[Step]:
    return [
        Step(
            f"{name}: $h_j(s) = {sp.latex(field)}$ is unbounded",
            f"{RAYS[name][0]}; $s = {RAYS[name][1]}$: {RAYS[name][2]}",
        )
        for name, field in _fields().items()
    ]


def _unbounded() -> Witness | None:
    """Whatever the bound M, the field exceeds it at r = M + 2; here checked for the ray of Example 1."""
    field, bound = _fields().get("Example 1"), sp.Symbol("M", positive=True)
    if field is None or sp.expand(abs(field.subs(r, bound + 2)) - bound - 2) != 0:
        return None
    where, at, *_ = RAYS["Example 1"]
    point = {"example": "Example 1", "instance": where, "s": at, "r": "M + 2, for any M > 0"}
    return Witness(point, f"$h(s) = {sp.latex(field)}$, so that $|h(s)| = M + 2 > M$")


def closed_sets(
    toy: Literal["closed at 0", "closed at eps", "open at 0"] = "open at 0",
    poisson_1: Literal["closed at 0", "closed at eps", "open at 0"] = "open at 0",
    poisson_2: Literal["closed at -lambda", "closed at 0", "open at 0"] = "open at 0",
) -> Verdict:
    """𝒮 is closed and convex, and T is defined on it. The three half-lines start at 0 ("open" or "closed") or at ε."""
    eps = sp.Symbol("epsilon", positive=True)
    ends = {"open at 0": (sp.S.Zero, True), "closed at 0": (sp.S.Zero, False), "closed at eps": (eps, False)}
    over = {**ends, "closed at -lambda": (-lam, False)}  # of −s for the negative half-lines
    low, first, second = ends[toy], ends[poisson_1], over[poisson_2]
    parts = {
        "Remark 1": _half_line(low, 1 / sp.sqrt(s), s, s),
        "Poisson, first": _half_line(first, sp.log(s1 / (lam - s2)), s1, s1, [s2 <= 0]),
        "Poisson, second": _half_line(second, sp.log(1 / (lam - s)), -s, s),
    }
    closed = "cited: relations $\\leq$ between continuous functions define a closed set"
    weights = [relation for r in (s1 >= 0, s2 >= 0, s1 + s2 <= 1) for relation in relations_of(r)]
    parts |= {
        "mixture, weights for L = 3": decide_convex_set(weights, [s1, s2], Domain.of([])),
        "dictionary": proved("certificate", *_semidefinite()),
        "the others": proved("derivation", Step("and Example 1, $\\mathbb{R}^q$", closed)),
    }
    return conjunction(parts)


def _semidefinite() -> Sequence[Step]:
    """λA + (1−λ)C is positive semidefinite where A and C are: one vector u of any size at a time."""
    (u,), A, C = atoms("u"), operator("A"), operator("C")
    share = a / (a + b)
    given = {"A": Hypothesis(inner(u, A(u)), "A ⪰ 0"), "C": Hypothesis(inner(u, C(u)), "C ⪰ 0")}
    mixed = inner(u, A(u) * share + C(u) * (1 - share))
    says = "$u^\\top (\\lambda A + (1-\\lambda) C) u \\geq 0$ for all u, with $\\lambda = a/(a+b)$"
    return verify(mixed, given, {"A": share, "C": b / (a + b)}, says=says)


def _half_line(
    end: tuple[sp.Expr, bool], T: sp.Expr, side: sp.Expr, x: sp.Symbol, also: Sequence[sp.Basic] = ()
) -> Verdict:
    """{side ≥ low} (or >): refuted where a point has no projection or T no value."""
    low, is_open = end
    if is_open:
        y = sp.Symbol("y", positive=True)  # a point of (0, ∞); y/2 is nearer to −1
        closer = verify((y + 1) ** 2 - (y / 2 + 1) ** 2, {}, {}, [(sp.Rational(3, 4), y), (1, sp.sqrt(y))])
        says = "no point of the open half-line is nearest to it: halving the distance to 0 always comes nearer"
        return refuted("certificate", Witness({"projected": "-1", "onto": "the open half-line"}, says), *closer)
    domain = Domain.of([side >= low, lam > 0, *also])
    defined = decide_defined(T, domain)
    return conjunction(
        {
            f"${sp.latex(side)} \\geq {sp.latex(low)}$": proved(
                "affine", Step("a closed half-line", "contains its end")
            ),
            "T": defined,
        }
    )
