"""The codes M(Z, θ) of dictionary learning: when they are unique, when f is C¹; and the Huber loss as a minimum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import sympy as sp

from fedmm_edu.examples.quadratic.penalties import soft
from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import scalars
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from fedmm_edu.symbolic.decide.inequality import decide_nonnegative
from proofs_checks.shared.tools import settle
from proofs_checks.shared.traces import inner, letter, square

Q = sp.Rational
DELTA = sp.Symbol("delta", positive=True)
PENALTIES = {"l1": (1, 0), "elastic net": (1, 1), "ridge": (0, 1), "none": (0, 0)}
"""χ(h) = λ‖h‖₁ + κ‖h‖²: whether λ > 0 and whether κ > 0."""


def is_code(h: Sequence, z: sp.Expr, tau: Sequence, lam: sp.Expr | int, kappa: sp.Expr | int) -> bool:
    """Whether h minimises (z − τh)² + λ‖h‖₁ + κ‖h‖² for p = 1: 0 lies in the subdifferential, which is exact."""
    r = z - sum(t * x for t, x in zip(tau, h, strict=True))
    slopes = [-2 * t * r + 2 * kappa * x for t, x in zip(tau, h, strict=True)]
    return all(slope == -lam * sp.sign(x) if x != 0 else abs(slope) <= lam for slope, x in zip(slopes, h, strict=True))


def unique_codes(penalty: Literal["elastic net", "l1", "none"]) -> Verdict:
    """argmin_h ‖Z − τh‖² + χ(h) exists and is unique, for all Z and τ."""
    l1, strong = PENALTIES[penalty]

    searches = [lambda: _two_codes(sp.Integer(l1), sp.Integer(strong))]
    return decide("certificate", lambda: _strictly_convex(strong), searches)


def _strictly_convex(strong: int) -> Sequence[Step]:
    """Two minimisers a, b of ‖Z − τh‖² + λ‖h‖₁ + κ‖h‖² agree; κ > 0 if `strong`, else κ = 0."""
    z, tau, a, b = map(letter, ("Z", "tau", "a", "b"))
    least = sp.Symbol("kappa", positive=True)
    kappa = least if strong else sp.S.Zero
    F = lambda h: square(z - tau @ h) + kappa * square(h)  # noqa: E731
    left = (F(a) + F(b)) / 2 - F((a + b) * Q(1, 2))
    says = (
        r"with $F(h) = \|Z - \tau h\|^2 + \kappa\|h\|^2$: $\frac{1}{2}(F(a) + F(b)) - F(\frac{a+b}{2}) = "
        r"\frac{1}{4}\|\tau(a-b)\|^2 + \frac{\kappa}{4}\|a-b\|^2$, for all p and K"
    )
    line = verify(left - square(tau @ (a - b)) / 4 - kappa * square(a - b) / 4, {}, {}, equality=True, says=says)
    moved, spread, sparse = scalars(r"\|\tau(a-b)\|^2", r"\|a-b\|^2", "L")
    given = {
        "minimisers": Hypothesis(-(moved + kappa * spread) / 4 - sparse, "the point between does not do better"),
        "convex": Hypothesis(sparse, r"$L$, the same excess of $\lambda\|\cdot\|_1$, is $\geq 0$: it is convex"),
        "square": Hypothesis(moved, "a square"),
    }
    used = {"minimisers": 4 / least, "convex": 4 / least, "square": 1 / least}
    one = r"two minimisers agree, $\|a - b\|^2 \leq 0$; and there is one, by continuity and $F \geq \kappa\|h\|^2$"
    return (*line, *verify(-spread, given, used, says=one))


def _bounded(l1: int, strong: int) -> Sequence[Step]:
    """The code is bounded by Z: λ‖h‖₁ + κ‖h‖² ≤ ‖Z‖², the value at h = 0, where λ or κ is positive."""
    rate, root = sp.symbols("lambda b", positive=True)
    size, norm = scalars(r"\|h\|", r"\|Z\|^2", nonnegative=True)
    if strong:
        line = Hypothesis(root**2 - size**2, r"$\kappa\|h\|^2 \leq \|Z\|^2$ at the code, $b^2 = \|Z\|^2/\kappa$")
        return verify(root - size, {"code": line}, {"code": 1 / (root + size)}, says=r"$\|h\| \leq b$")
    line = Hypothesis(norm - l1 * rate * size, r"$\lambda\|h\| \leq \lambda\|h\|_1 \leq \|Z\|^2$ at the code")
    return verify(norm / rate - size, {"code": line}, {"code": 1 / rate}, says=r"$\|h\| \leq \|Z\|^2/\lambda$")


def _two_codes(lam: sp.Expr, kappa: sp.Expr) -> Witness | None:
    """p = 1, two equal atoms, Z = 2: every code on a grid that satisfies the optimality condition exactly."""
    grid = [Q(k, 4) for k in range(9)]
    found = [(a, b) for a in grid for b in grid if is_code((a, b), sp.Integer(2), (1, 1), lam, kappa)]
    if len(found) < 2:
        return None
    point = {"p, K": "1, 2", "tau": "1, 1", "Z": "2", "chi": f"{lam}*|h|_1 + {kappa}*|h|^2"}
    shown = " and ".join(f"({a}, {b})" for a, b in (found[0], found[-1]))
    return Witness(point, f"$h = {shown}$ both minimise (0 lies in the subdifferential)")


def smooth(penalty: Literal["elastic net", "l1", "none"]) -> Verdict:
    """f(θ) = E[min_h ‖Z − θh‖² + χ(h)] is C¹, for every law with E‖Z‖² < ∞."""
    l1, strong = PENALTIES[penalty]

    def bracket() -> Sequence[Step]:
        z, theta, move, h = map(letter, ("Z", "theta", "Delta", "h"))
        gradient = -2 * (z - theta @ h) @ h.T
        change = square(z - (theta + move) @ h) - square(z - theta @ h)
        why = r"the minimum at $\theta+\Delta$ is below the value of the code of $\theta$, and the other way round"
        return [
            *verify(change - inner(gradient, move) - square(move @ h), {}, {}, equality=True, says=(
                r"$\tilde\ell(\theta+\Delta, h) = \tilde\ell(\theta, h) + \langle -2(Z-\theta h)h^\top, \Delta "
                r"\rangle + \|\Delta h\|^2$, for all p and K")),
            Step(r"$\ell(\theta+\Delta) - \ell(\theta)$ lies between this for $h = M(Z,\theta+\Delta)$ and for "
                 r"$h = M(Z,\theta)$", why),
        ]  # fmt: skip

    def prove() -> Sequence[Step]:
        return (
            *_bounded(l1, strong),
            *_strictly_convex(strong),
            Step(
                r"$\theta \mapsto M(Z,\theta)$ is continuous", "codes are bounded, limits of codes are codes: one each"
            ),
            *bracket(),
            Step(r"$\ell(Z,\cdot)$ is C$^1$ with gradient $-2(Z-\theta h)h^\top$ at the code", "both bounds"),
            Step(r"so is $f$", r"the gradient is at most $2\|Z\|^2/\sqrt{\kappa}$, whose mean is finite"),
        )

    return decide("envelope", prove, [lambda: _kink(l1, strong), lambda: _jump(l1, strong)])


def _kink(lam: int, kappa: int) -> Witness | None:
    """χ = λ‖·‖₁ + κ‖·‖², p = 1, K = 2, Z = 2 on the line θ(t) = ½(1 + t, 1 − t): the one-sided derivatives at t = 0."""
    t, z = sp.Symbol("t", real=True), 2
    m, other, near = (1 + t) / 2, (1 - t) / 2, [t >= 0, t <= Q(1, 2)]
    code = (z * m - Q(lam, 2)) / (m**2 + kappa)  # the best code that uses the first atom only, if it is ≥ 0
    r = z - m * code
    signs = (code, lam - 2 * other * r, lam + 2 * other * r)  # optimal: 0 lies in the subdifferential
    if any(decide_nonnegative(e, near).status != "proved" for e in signs):
        return None
    slope = sp.diff(r**2 + lam * code + kappa * code**2, t).subs(t, 0)
    if slope == 0:
        return None
    point = {"p, K": "1, 2", "chi": f"{lam}*|h|_1", "Z": "2", "theta": "1/2, 1/2", "direction": "1/2, -1/2"}
    says = f"the derivative is ${slope}$ to the right and, the atoms changing roles, ${-slope}$ to the left: a kink"
    return Witness(point, says, {"code for t >= 0": f"({sp.factor(code)}, 0)"})


def _jump(lam: int, kappa: int) -> Witness | None:
    """χ = λ|h| + κh², p = K = 1, Z = 1: the limit of ℓ at θ = 0 beside ℓ(0) = 1."""
    if lam:
        return None  # the code is 0 for |θ| ≤ λ/2, so ℓ is constant around 0
    theta = sp.Symbol("theta", positive=True)
    code = theta / (theta**2 + kappa)
    limit = sp.limit((1 - theta * code) ** 2 + kappa * code**2, theta, 0)
    if limit == 1:
        return None
    point = {"p, K": "1, 1", "chi": "0", "Z": "1", "theta": "0"}
    return Witness(point, f"$\\ell(0) = 1$, and $\\ell(\\theta) \\to {limit}$ as $\\theta \\to 0$: not continuous")


def lasso_scale(lam: str) -> Verdict:
    """½‖Z − θh‖² + λ‖h‖₁ and ‖Z − θh‖² + lam·‖h‖₁ have the same minimisers, for every λ > 0; lam in terms of λ."""
    lambda_, norm = sp.Symbol("lambda", positive=True), sp.Symbol("|h|_1", nonnegative=True)
    other = sp.sympify(lam, {"lambda_": lambda_})
    fit = square(letter("Z") - letter("theta") @ letter("h"))
    theirs, ours = soft(sp.Integer(2), sp.S.One), soft(sp.Integer(2), other.subs(lambda_, 1) / 2)
    found = None
    if theirs != ours:
        point = {"p, K": "1, 1", "theta": "1", "Z": "2", "lambda": "1"}
        found = Witness(
            point, f"the codes are ${theirs}$ and ${ours}$ (soft thresholds at 1 and {other.subs(lambda_, 1)}/2)"
        )
    says = r"$\|Z-\theta h\|^2 + c\|h\|_1 = 2\,(\frac{1}{2}\|Z-\theta h\|^2 + \lambda\|h\|_1)$"
    return settle("identity", {says: fit + other * norm - 2 * (fit / 2 + lambda_ * norm)}, "positive multiples", found)


# ------------------------------------------------------------------------------------------------------------ Huber


def huber(threshold: str, phi: tuple[str, str]) -> Verdict:
    """Huber_δ(y − x'θ) = min_h ½(y − x'θ − h)² + δ|h|, attained only at the soft threshold of y − x'θ at `threshold`;
    and this is ψ − ⟨S, φ⟩ + ξ with ψ = 0, S = (xx', (y − h)x), φ = (phi₁·θθ', phi₂·θ), ξ = ½(y − h)² + δ|h|."""
    level = sp.sympify(threshold, {"delta": DELTA})
    first, second = map(sp.sympify, phi)
    e, x, theta = letter("(y-h)"), letter("x"), letter("theta")  # y − h as a 1 × 1 letter: it commutes in a trace
    pairing = first * inner(x @ x.T, theta @ theta.T) + second * inner(x @ e, theta)
    residual = square(e - x.T @ theta) / 2 - (-pairing + square(e) / 2)

    def prove() -> Sequence[Step]:
        says = r"$\frac{1}{2}(y - x^\top\theta - h)^2 + \delta|h| = -\langle S, \phi(\theta) \rangle + \xi$"
        return (
            *verify(residual, {}, {}, equality=True, says=f"{says}, in every dimension"),
            *_huber_cases(level),
            Step(
                "MM-1 holds with $\\bar S(Z, \\tau) = S(Z, M(Z, \\tau))$", "Example 3: an upper bound, exact at $\\tau$"
            ),
        )

    return decide("certificate", prove, [lambda: _not_huber(level, first, second)])


def _huber_cases(level: sp.Expr) -> tuple[Step, ...]:
    """½(r − h)² + δ|h| − Huber(r) ≥ 0, and = 0 only at the soft threshold of r at `level` = δ: r ≥ δ, −δ ≤ r ≤ δ;
    r ≤ −δ by symmetry."""
    h, r = sp.symbols("h r", real=True)
    a, delta = sp.symbols("a delta", nonnegative=True)  # a = |h|
    modulus = {"h <= |h|": Hypothesis(a - h, "$a = |h|$"), "-h <= |h|": Hypothesis(a + h, "$a = |h|$")}
    value = (r - h) ** 2 / 2 + delta * a
    up, down = sp.symbols("u v", nonnegative=True)  # u = δ − r and v = δ + r where |r| ≤ δ
    between = {delta: (up + down) / 2, r: (down - up) / 2}
    linear = delta * r - delta**2 / 2
    at_r = r"$r \geq \delta$: at least $\delta r - \delta^2/2$, and equal only at $h = r - \delta$"
    at_0 = r"$|r| \leq \delta$: at least $r^2/2$, and equal only at $h = 0$"
    outer = verify(
        value - linear, modulus, {"h <= |h|": delta}, [(Q(1, 2), r - h - level.subs(DELTA, delta))], says=at_r
    )
    gap, multipliers = (value - r**2 / 2).subs(between), {"h <= |h|": down / 2, "-h <= |h|": up / 2}
    inside = verify(gap, modulus, multipliers, [(Q(1, 2), h)], says=at_0)
    return (*outer, *inside, Step(r"$r \leq -\delta$: by symmetry", r"$(r, h) \mapsto (-r, -h)$"))


def _not_huber(level: sp.Expr, first: sp.Expr, second: sp.Expr) -> Witness | None:
    """x = 1, δ = 1: the claimed minimiser and decomposition at a few residuals r = y − θ."""
    for y, theta in ((3, 1), (2, 1), (-2, 1), (1, 2), (1, 1)):
        r = sp.Integer(y - theta)
        h, best = soft(r, level.subs(DELTA, 1)), soft(r, sp.S.One)
        value = lambda c: (r - c) ** 2 / 2 + abs(c)  # noqa: B023, E731
        split = -(first * theta**2 + second * (y - h) * theta) + Q(1, 2) * (y - h) ** 2 + abs(h)
        point = {"x": "1", "y": str(y), "theta": str(theta), "delta": "1"}
        if value(h) != value(best):
            return Witness(point, f"at $h = {h}$ the value is ${value(h)}$, at $h = {best}$ it is ${value(best)}$")
        if split != value(h):
            return Witness(point, f"at $h = {h}$ the decomposition gives ${split}$, the function is ${value(h)}$")
    return None
