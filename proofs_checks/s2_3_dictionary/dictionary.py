"""Dictionary learning, eqs. (14)-(18): the decomposition, the two minimisations, and where MM-2 holds.

Z is a column of p entries, h one of K, θ is p × K, s^{(1)} is K × K and s^{(2)} is p × K: identities hold for all p, K.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, verify
from fedmm_edu.proofs.gram import scalars
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.tools import settle, vanishes
from proofs_checks.shared.traces import identity, inner, letter, square, trace

Q = sp.Rational
Z, H = sp.Matrix([1, 2]), sp.Matrix([3, -1])
THETA = sp.Matrix([[1, 2], [0, 1]])
ALL_SIZES = "expanded into words that are equal up to rotation and transposition, so for all $p$ and $K$"


def decomposition(psi: str, phi: tuple[str, str]) -> Verdict:
    """‖Z − θh‖² = Z'Z − 2Z'θh + h'θ'θh = ψ − ⟨S(Z, h), φ(θ)⟩ + Z'Z, with S = (hh', Zh'), φ = (phi₁·θ'θ, phi₂·θ)."""
    first, second = map(sp.sympify, phi)

    def residual(z, theta, h):
        pairing = first * inner(h @ h.T, theta.T @ theta) + second * inner(z @ h.T, theta)
        return square(z - theta @ h) - (sp.sympify(psi) - pairing + square(z))

    def expanded(z, theta, h):
        return square(z - theta @ h) - square(z) + 2 * trace(z.T @ theta @ h) - trace(h.T @ theta.T @ theta @ h)

    at = {"Z": Z, "theta": THETA, "h": H}
    first_line = identity(
        r"$\|Z-\theta h\|^2 = Z^\top Z - 2Z^\top\theta h + h^\top\theta^\top\theta h$", expanded, at, ""
    )
    if first_line.status != "proved":
        return first_line
    says = r"$\|Z-\theta h\|^2 + \chi(h) = \psi(\theta) - \langle S(Z,h), \phi(\theta) \rangle + \xi(Z,h)$"
    return identity(says, residual, at, ALL_SIZES)


def codes(quadratic: str, linear: str) -> Verdict:
    """argmin_h ℓ̃(Z, h, τ) = argmin_h χ(h) + quadratic·Tr(τ'τhh') + linear·⟨τ'Z, h⟩: they differ by Z'Z only."""
    q, l = map(sp.sympify, (quadratic, linear))
    z, tau, h = map(letter, ("Z", "tau", "h"))
    residual = square(z - tau @ h) - square(z) - q * trace(tau.T @ tau @ h @ h.T) - l * inner(tau.T @ z, h)
    found = None
    if q + 1 <= 0 or -l / (q + 1) != 1:  # p = K = 1, χ = h², Z = 2, τ = 1: (2 − h)² + h² is least at h = 1
        point = {"p, K": "1, 1", "chi": "h^2", "Z": "2", "tau": "1"}
        found = Witness(point, f"the code is $1$, which does not minimise $({q + 1})h^2 + ({2 * l})h$")
    return settle("trace identity", {r"the difference is $Z^\top Z$, free of $h$": residual}, ALL_SIZES, found)


SURROGATE = r"$g + \psi - \langle s, \phi \rangle$, whose minimiser MM-2 calls $T(s)$, is this function of $\theta$"


def mirror(quadratic: str, linear: str) -> Verdict:
    """g + ψ − ⟨s, φ⟩ = g + quadratic·Tr(θ'θ s⁽¹⁾) + linear·Tr(θ's⁽²⁾), for s⁽¹⁾ symmetric or not."""
    q, l = map(sp.sympify, (quadratic, linear))

    def residual(theta, s1, s2):
        surrogate = -inner(s1, -theta.T @ theta) - inner(s2, 2 * theta)
        return surrogate - q * trace(theta.T @ theta @ s1) - l * trace(theta.T @ s2)

    found = None
    if q <= 0 or -l / (2 * q) != 1:  # p = K = 1, g = 0, s = (1, 1): θ² − 2θ is least at θ = 1
        point = {"p, K": "1, 1", "g": "0", "s": "1, 1"}
        found = Witness(point, f"$T(s) = 1$ minimises $\\theta^2 - 2\\theta$, but not $({q})\\theta^2 + ({l})\\theta$")
    left = residual(*map(letter, ("theta", "s1", "s2")))
    return settle("trace identity", {SURROGATE: left}, ALL_SIZES, found)


def oracle_in_S(factor: Literal["h", "k"], weights: Literal["difference", "mean"]) -> Verdict:
    """Σ_i w_i h_i x_i' lies in M_K^+, with x_i = h_i ("h") or another vector ("k"), and w_i = 1/b ("mean") or ±1/b."""
    u, h, k = map(letter, ("u", "h", "k"))
    x = h if factor == "h" else k
    weight = sp.Symbol("w", nonnegative=True) if weights == "mean" else sp.Symbol("w", real=True)
    residuals = {
        r"$u^\top (hx^\top) u = \|h^\top u\|^2$": trace(u.T @ (h @ x.T) @ u) - square(h.T @ u),
        r"$w \|h^\top u\|^2$ has the sign of the weight $w \geq 0$": sp.Abs(weight) - weight,
    }
    found = None
    for one, w in ((1, 1), (-1, 1), (1, -1)):  # K = b = 1, h = 1
        if (factor == "h" and one != 1) or (weights == "mean" and w != 1):
            continue
        if w * one < 0 and found is None:
            found = Witness({"K, b": "1, 1", "h": "1", "x": str(one), "w": str(w)}, f"the sum is ${w * one} < 0$")
    return settle("trace identity", residuals, "for every $u$: a sum of squares is ≥ 0, for all $K$ and $b$", found)


# ------------------------------------------------------------------------------------------------------------- MM-2

SMALL = (  # pairs (s⁽¹⁾, s⁽²⁾) with s⁽¹⁾ ⪰ 0
    (sp.Matrix([[0]]), sp.Matrix([[1]])),
    (sp.Matrix([[0]]), sp.Matrix([[0]])),
    (sp.diag(1, 0), sp.Matrix([[1, 0]])),
    (sp.Matrix([[2]]), sp.Matrix([[3]])),
    (sp.Matrix([[2, 1], [1, 3]]), sp.Matrix([[1, 0], [0, 1]])),
)


def minimiser(domain: Literal["s1 > 0", "s1 >= 0"], ridge: Literal["0", "eta"], formula: str) -> Verdict:
    """With g = ridge·‖θ‖²: for all s in `domain`, T(s) = s⁽²⁾(s⁽¹⁾ + formula·I)^{-1} is the one minimiser of (17).

    `domain` is "s1 >= 0" (all of M_K^+) or "s1 > 0"; `ridge` and `formula` are numbers or multiples of eta > 0.
    """
    eta = sp.Symbol("eta", positive=True)
    r, k = (sp.sympify(text, {"eta": eta}) for text in (ridge, formula))

    def prove() -> Sequence[Step]:
        definite = _invertible(domain, r)
        theta, D, R = map(letter, ("theta", "D", "R"))  # s1 + rI = R'R and s2 = D(s1 + kI) = D(R'R + (k − r)I)

        def J(x):
            quadratic = r * square(x) + trace(x.T @ x @ R.T @ R) - r * square(x)
            return quadratic - 2 * trace(x.T @ D @ R.T @ R) - 2 * (k - r) * trace(x.T @ D)

        if not vanishes(J(theta) - J(D) - square((theta - D) @ R.T)):
            raise CertificateFails(f"the square cannot be completed at $D = s^{{(2)}}(s^{{(1)}} + ({k})I)^{{-1}}$.")
        return (
            *definite,
            Step(
                r"$s^{(1)} + rI = R^\top R$ with $R$ invertible, where $g = r\|\theta\|^2$", "it is positive definite"
            ),
            Step(r"$J(\theta) - J(D) = \|(\theta - D) R^\top\|^2 \geq 0$ for $D = s^{(2)} (R^\top R)^{-1}$", ALL_SIZES),
            Step(r"equality only if $(\theta - D)R^\top = 0$, that is $\theta = D$: MM-2 at $s$", "R is invertible"),
        )

    def counterexamples() -> Iterator[Witness | None]:
        for s1, s2 in SMALL:
            if domain == "s1 >= 0" or s1.det() > 0:
                yield _no_minimiser(s1, s2, r.subs(eta, 1), k.subs(eta, 1))

    return decide("completing the square", prove, [lambda: next((w for w in counterexamples() if w), None)])


def _invertible(domain: str, r: sp.Expr) -> Sequence[Step]:
    """‖u‖² ≤ u'(s⁽¹⁾ + rI)u/(b + r) for all u, where b bounds the eigenvalues of s⁽¹⁾ from below on `domain`."""
    b = sp.Symbol("b", positive=True) if domain == "s1 > 0" else sp.Symbol("b", nonnegative=True)
    u, form = scalars(r"\|u\|^2", r"u^\top s^{(1)} u")
    given = {"least eigenvalue": Hypothesis(form - b * u, r"$b$ is the least eigenvalue of $s^{(1)}$")}
    says = r"$\|u\|^2 \leq u^\top (s^{(1)} + rI) u / (b + r)$, so $s^{(1)} + rI$ has no kernel"
    return verify((form + r * u) / (b + r) - u, given, {"least eigenvalue": 1 / (b + r)}, says=says)


def _no_minimiser(s1: sp.Matrix, s2: sp.Matrix, r: sp.Expr, k: sp.Expr) -> Witness | None:
    """How MM-2 fails at s with g = r‖θ‖²: unbounded below, many minimisers, or another minimiser than the formula's."""
    A, point = s1 + r * sp.eye(s1.rows), {"s1": str(s1.tolist()), "s2": str(s2.tolist()), "g": f"{r}*|theta|^2"}
    if A.det() == 0:
        v = A.nullspace()[0]
        slope = s2 * v  # along θ = c·v' the function is −2⟨c, s2 v⟩
        if any(slope):
            where = f"$\\theta = t\\,s^{{(2)}}vv^\\top$ with $v = {sp.latex(v.T)}^\\top$"
            says = f"along {where} the function is $-{2 * slope.dot(slope)}\\,t$: no minimiser"
            return Witness(point, says)
        return Witness(
            point, f"adding $cv^\\top$ with $v = {sp.latex(v.T)}^\\top$ changes nothing: no unique minimiser"
        )
    formula = s1 + k * sp.eye(s1.rows)
    true = s2 * A.inv()
    if formula.det() == 0 or s2 * formula.inv() != true:
        return Witness(
            point,
            f"the minimiser is ${sp.latex(true)}$, where the gradient $2(\\theta({sp.latex(A)}) - s^{{(2)}})$ is 0",
        )
    return None


def unit_ball(
    relation: Literal["<", "<=", "="],
    domain: Literal["s1 > 0", "s1 >= 0"],
    columns: Literal["every", "some"] = "every",
) -> Verdict:
    """g is proper, lsc, convex; MM-2 holds on `domain`; g is the indicator of a set of dictionaries θ.

    The set has those with ‖θ_k‖² `relation` 1 for every column k, or for some.
    """
    near, far, middle, limit = scalars(r"\|a\|^2", r"\|b\|^2", r"\|\frac{a+b}{2}\|^2", r"\|\theta\|^2")
    inside = sp.Symbol("epsilon", positive=True) if relation == "<" else sp.S.Zero  # ‖θ‖² < 1: some ε is left
    exact = relation == "="

    def within(norm: sp.Expr, room: sp.Expr, why: str) -> Hypothesis:
        return Hypothesis(1 - norm - room, why, equality=exact)

    def convex() -> Sequence[Step]:
        given = {
            "a": within(near, inside, "$a$ is in the set (one column)"),
            **({"b": within(far, inside, "$b$ is in the set")} if columns == "every" else {}),
            "midpoint": Hypothesis((near + far) / 2 - middle, r"$\|\cdot\|^2$ is convex"),
        }
        used = {"a": Q(1, 2), "b": Q(1, 2), "midpoint": 1}
        says = "$g$ is proper and convex: with two points the set has the one between; 0 lies in it"
        return verify(1 - middle - inside, given, used, equality=exact, says=says)

    def closed() -> Sequence[Step]:
        given = {
            "limit": within(limit, sp.S.Zero, r"$\theta$ is a limit of points of the set, $\|\cdot\|^2$ is continuous")
        }
        says = "$g$ is lower semicontinuous, and a minimiser exists for every $s$: the set is closed, so compact"
        return verify(1 - limit - inside, given, {"limit": 1}, equality=exact, says=says)

    def prove() -> Sequence[Step]:
        return (*convex(), *closed(), *_unique(domain))

    return decide("certificate", prove, [lambda: _union_fails(columns), lambda: _ball_fails(relation, domain)])


def _unique(domain: str) -> Sequence[Step]:
    """Two minimisers a, b of J(θ) = Tr(θ'θ s⁽¹⁾) − 2Tr(θ's⁽²⁾) on a convex set agree, s⁽¹⁾ = R'R."""
    a, b, R, s2 = map(letter, ("a", "b", "R", "s2"))
    J = lambda x: trace(x.T @ x @ R.T @ R) - 2 * trace(x.T @ s2)  # noqa: E731
    excess = (J(a) + J(b)) / 2 - J((a + b) * Q(1, 2))
    moved = square((a - b) @ R.T)
    says = r"$\frac{1}{2}(J(a) + J(b)) - J(\frac{a+b}{2}) = \frac{1}{4}\|(a-b)R^\top\|^2$"
    line = verify(excess - moved / 4, {}, {}, equality=True, says=f"{says}; {ALL_SIZES}")
    least = sp.Symbol("b", positive=True) if domain == "s1 > 0" else sp.Symbol("b", nonnegative=True)
    gap, spread = scalars(r"\|(a-b)R^\top\|^2", r"\|a-b\|^2")
    given = {
        "least eigenvalue": Hypothesis(gap - least * spread, r"$b$ is the least eigenvalue of $s^{(1)}$"),
        "minimisers": Hypothesis(-gap / 4, "the point between two minimisers does not do better"),
    }
    says = r"the minimiser is unique, as MM-2 asks: $\|a - b\|^2 \leq 0$"
    return (*line, *verify(-spread, given, {"least eigenvalue": 1 / least, "minimisers": 4 / least}, says=says))


def _union_fails(columns: str) -> Witness | None:
    """p = 1, K = 2: two dictionaries with a column in the ball each, and the one between."""
    if columns == "every":
        return None
    point = {"p, K": "1, 2", "a": "0, 9", "b": "9, 0"}
    return Witness(point, r"$g(a) = g(b) = 0$, and $g(\frac{a+b}{2}) = \infty$ at $(9/2, 9/2)$: $g$ is not convex")


def _ball_fails(relation: str, domain: str) -> Witness | None:
    """p = K = 1: minimisers of J(θ) = s1·θ² − 2·s2·θ on the open or closed interval, or on its end points."""
    for s1, s2 in ((Q(1), Q(2)), (Q(1), Q(0)), (Q(0), Q(0))):
        if domain == "s1 > 0" and s1 == 0:
            continue
        ends = [] if relation == "<" else [Q(-1), Q(1)]
        inside = [] if relation == "=" else [Q(0), Q(1, 2)] if s1 == s2 == 0 else [s2 / s1]
        points = ends + [x for x in inside if abs(x) < 1]  # end points and stationary points (two of them if J = 0)
        J = {x: s1 * x**2 - 2 * s2 * x for x in points}
        best = [x for x in points if J[x] == min(J.values())]
        point = {"p, K": "1, 1", "s": f"{s1}, {s2}"}
        if not best:
            says = f"$J$ is stationary at ${s2 / s1}$ only, outside: no minimiser; $g(1 - 1/n) = 0$, $g(1) = \\infty$"
            return Witness(point, says)
        if len(best) > 1:
            return Witness(point, f"$J = {J[best[0]]}$ at ${best[0]}$ and at ${best[1]}$: two minimisers")
    return None
