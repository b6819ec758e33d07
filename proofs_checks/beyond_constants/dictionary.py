"""A7 (`hyp:DL2`) for dictionary learning with g = 0: B(s) of Appendix E.3, its kernel for all p and K, what survives.

T(s) = s⁽²⁾(s⁽¹⁾)⁻¹ is p × K and φ(θ) = (−θ'θ, 2θ). Identities are between words in matrices of any size; norms are
those of the paper's inner product Trace(A'B).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, nonnegative, verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.beyond_constants.lemmas import no_v_min
from proofs_checks.shared.tools import instance, settle, vanishes
from proofs_checks.shared.traces import Matrix, letter

Q = sp.Rational
s1 = sp.Symbol("s_1", positive=True)
s2 = sp.Symbol("s_2", real=True)

# ------------------------------------------------------------------------------------------------- p = K = 1, eq. E.3

U = s2 / s1  # T(s) for p = K = 1
F_DL = sp.Matrix([-(U**2), 2 * U])  # φ(u) = (−u², 2u)


def dictionary_B(entries: Sequence[Sequence[str]], factor: str, direction: Sequence[str]) -> Verdict:
    """p = K = 1: B(s) = entries = factor·v vᵀ with v = direction, all in s1, s2."""
    names = {"s1": s1, "s2": s2}
    B = sp.Matrix([[sp.sympify(text, names) for text in row] for row in entries])
    v = sp.Matrix([sp.sympify(text, names) for text in direction])
    jacobian = F_DL.jacobian([s1, s2])
    rank_one = sp.sympify(factor, names) * v * v.T
    residuals = {f"entry {i + 1}, {j + 1}: $\\partial_{j + 1} (\\phi \\circ T)_{i + 1}$": B[i, j] - jacobian[i, j]
                 for i in range(2) for j in range(2)}  # fmt: skip
    residuals |= {
        f"entry {i + 1}, {j + 1} of the rank-one form": B[i, j] - rank_one[i, j] for i, j in ((0, 0), (0, 1), (1, 1))
    }
    at = {s1: Q(1), s2: Q(2)}
    found, true, claimed = None, jacobian.subs(at), B.subs(at)
    if claimed != true:
        move = sp.Matrix([0, Q(1, 1000)]) if claimed[:, 1] != true[:, 1] else sp.Matrix([Q(1, 1000), 0])
        change = F_DL.subs({s1: 1 + move[0], s2: 2 + move[1]}, simultaneous=True) - F_DL.subs(at)
        quotient = [value * 1000 for value in change]
        says = f"the difference quotient of $\\phi \\circ T$ along this move is {quotient}; the stated B gives"
        point = {"s": "(1, 2)", "s'-s": str(tuple(move))}
        found = Witness(
            point, f"{says} {[value * 1000 for value in claimed * move]}", {"derivative": str(true.tolist())}
        )
    elif rank_one.subs(at) != true:
        found = Witness({"s": "(1, 2)"}, f"the product is ${sp.latex(rank_one.subs(at))}$, B is ${sp.latex(true)}$")
    why = "exact differentiation of $(-u^2, 2u)$ at $u = s_2/s_1$"
    return settle("differentiation", residuals, why, found)


def dictionary_instance() -> Witness:
    at = {s1: Q(1), s2: Q(2)}
    return instance(
        {"p, K": "1, 1", "s": "(1, 2)"}, "$T(s) = 2$", {"s1 > 0": at[s1] > 0, "T(s) = s2/s1": U.subs(at) == 2}
    )


def dictionary_B_general(first: str, second: str, shift: str = "-1") -> Verdict:
    """B(s)(U1, U2) = (`first`·(T'z + z'T), `second`·z) with z = (U2 + `shift`·T U1)(s⁽¹⁾)⁻¹, for all p and K.

    z is the derivative of T along (U1, U2): from T s⁽¹⁾ = s⁽²⁾ the product rule gives z s⁽¹⁾ + T U1 = U2.
    """
    a, b, c = (sp.sympify(text) for text in (first, second, shift))
    T, z, U1, t = *map(letter, ("T", "z", "U1")), sp.Symbol("t", real=True)
    old = letter("s1")
    along = (T + t * z) @ (old + t * U1) - T @ old  # s⁽²⁾(t) − s⁽²⁾ = tU2 + o(t)
    U2 = Matrix({word: sp.diff(value, t).subs(t, 0) for word, value in along.terms.items()})
    phi = (-(T + t * z).T @ (T + t * z), 2 * (T + t * z))
    slope = [Matrix({word: sp.diff(value, t).subs(t, 0) for word, value in part.terms.items()}) for part in phi]
    gaps = {
        r"$z s^{(1)} = U^{(2)} - T U^{(1)}$": z @ old - (U2 + c * (T @ U1)),
        r"the first block of $D\phi(T)z$": slope[0] - a * (T.T @ z + z.T @ T),
        r"the second block of $D\phi(T)z$": slope[1] - b * z,
    }
    residuals = {name: sp.Add(*(abs(value) for value in gap.terms.values())) for name, gap in gaps.items()}
    s = sp.Matrix([Q(2), Q(3)])  # p = K = 1: s = (2, 3), along (1, 1)
    derivative = F_DL.jacobian([s1, s2]).subs({s1: s[0], s2: s[1]}) * sp.ones(2, 1)
    slope_at, value = (1 + c * s[1] / s[0]) / s[0], s[1] / s[0]
    stated = sp.Matrix([a * 2 * value * slope_at, b * slope_at])
    found = None
    if stated != derivative:
        found = Witness({"p, K": "1, 1", "s": "(2, 3)", "u": "(1, 1)"}, f"${list(stated)}$ is not ${list(derivative)}$")
    return settle("words", residuals, "coefficient by coefficient of words in matrices: all p, K", found)


# ------------------------------------------------------------------------------------------------- the kernel of B(s)


def dictionary_singular(moves: Sequence[str] = ("s1", "s2"), kernel: Sequence[int] = (1, 1)) -> Verdict:
    """B(s) is singular for all p, K and g = 0: it annihilates (kernel_1·s1, kernel_2·s2); `moves`: what varies."""

    def prove() -> Sequence[Step]:
        t = sp.Symbol("t", positive=True)
        theta, first, second = map(letter, ("theta", "s1", "s2"))
        a, b = (
            1 + t * weight if name in moves else sp.S.One for name, weight in zip(("s1", "s2"), kernel, strict=True)
        )
        gradient = lambda x, y: theta @ x - y  # noqa: E731  half of ∇J_s(θ), J_s = Tr(θ'θ s1) − 2 Tr(θ's2)
        require_zero(gradient(a * first, b * second) - a * gradient(first, second), "T(s) moves along this direction")
        p, size = sp.symbols("p K", integer=True, positive=True)
        surplus = sp.expand(size * (size + 1) / 2 + p * size - p * size)
        if not nonnegative(surplus - size / 2) or nonnegative(-surplus):
            raise CertificateFails(f"q - d = {surplus} is not visibly positive.")
        return (
            Step(
                rf"$\nabla J_{{s'}}(\theta) = ({sp.latex(a)})\nabla J_s(\theta)$ for $s' = ({sp.latex(a)})s$",
                "words in matrices, so for all p, K",
            ),
            Step(r"so $T((1+t)s) = T(s)$, and $B(s)s = \frac{d}{dt}\phi(T(s+ts)) = 0$, $s \neq 0$", "both are convex"),
            *no_v_min("the line above, with $u = s$"),
            Step(rf"second method: $q - d = K(K+1)/2 + pK - pK = {sp.latex(surplus)} > 0$", "own-A7-dimension"),
        )

    def search() -> Witness | None:
        """p = K = 1 at s = (2, 3): B restricted to what varies, applied to the stated vector."""
        rows = [k for k, name in enumerate(("s1", "s2")) if name in moves]
        B = F_DL.jacobian([s1, s2]).subs({s1: Q(2), s2: Q(3)}).extract(rows, rows)
        vector = sp.Matrix([(Q(2), Q(3))[k] * kernel[k] for k in rows])
        if not any(B * vector):
            return None
        point = {"p, K": "1, 1", "s": "(2, 3)", "varies": ", ".join(moves), "vector": str(vector.T.tolist()[0])}
        word = "has full rank" if B.rank() == len(rows) else "is singular along another vector"
        return Witness(point, f"B maps this vector to ${sp.latex(B * vector)}$, not to 0; it {word}")

    return decide("derivation", prove, [search])


def require_zero(matrix: Matrix, otherwise: str) -> None:
    """`CertificateFails` unless every word of the matrix has the coefficient 0."""
    left = {word: c for word, c in matrix.terms.items() if not vanishes(c)}
    if left:
        words = " + ".join(
            f"({c}) {' '.join(name + chr(39) * flip for name, flip in word)}" for word, c in left.items()
        )
        raise CertificateFails(f"{otherwise}: {words} is left.")


# ------------------------------------------------------------------------------------------- what survives on the image


def dictionary_image(bound: str, sign: int = 1, without: Literal["", "H"] = "") -> Verdict:
    """The smallest eigenvalue ≠ 0 of sign·B(s) is at least `bound`, for the extreme eigenvalues low, top of s⁽¹⁾.

    `without="H"`: the eigenvalues of s⁽¹⁾ may exceed top.
    """
    low, spread = sp.symbols("low spread", positive=True)
    top = low + spread
    claimed = sp.sympify(bound, {"low": low, "top": top})

    def prove() -> Sequence[Step]:
        kappa, n, h, mm = sp.symbols(r"\kappa n h M", nonnegative=True)
        given = {
            "eigenvalue": Hypothesis(kappa * h - mm, r"$z^\top M z = \kappa z^\top H z$", equality=True),
            "phi": Hypothesis(mm - 4 * n, r"$M = D\phi^\top D\phi \succeq 4I$: φ contains $2\theta$"),
            "H": Hypothesis(2 * top * n - h, r"$H = \nabla^2 J_s = 2 s^{(1)} \otimes I_p$"),
            "size": Hypothesis(n, r"$n = \|z\|^2$"),
        }
        given = {name: line for name, line in given.items() if name != without}
        used = {"eigenvalue": 1, "phi": 1, "H": kappa, "size": sp.cancel(4 - 2 * top * claimed)}
        return (
            Step(r"$B = D\phi \, H^{-1} D\phi^\top$ at $T(s)$", "implicit differentiation of $\\nabla J_s(T(s)) = 0$"),
            Step(r"$Bv = \kappa v \neq 0$, $z = H^{-1} D\phi^\top v$: $\kappa H z = M z$", "times $D\\phi^\\top$"),
            *verify(
                2 * top * (sign * kappa - claimed) * n,
                given,
                used,
                says=rf"A7(ii) on the image: $\kappa \geq {sp.latex(claimed)}$",
            ),
        )

    def search() -> Witness | None:
        """p = 1, K = 2, s⁽²⁾ = 0, s⁽¹⁾ = diag(1, 3) (without "H": 30): T = 0 and B = diag(0, 2·(s⁽¹⁾)⁻¹)."""
        largest = 30 if without else 3
        a, b, c, x, y = sp.symbols("a b c x y", real=True)
        theta = sp.Matrix([[x, y]]) * sp.Matrix([[a, b], [b, c]]).inv()
        F = sp.Matrix([2 * theta[0], 2 * theta[1]])
        B = F.jacobian([x, y]).subs({a: 1, b: 0, c: largest, x: 0, y: 0})
        least, value = min(sign * B[0, 0], sign * B[1, 1]), sp.sympify(bound, {"low": 1, "top": 3})
        if value <= least:
            return None
        return Witness(
            {"p, K": "1, 2", "s^(1)": f"diag(1, {largest})", "s^(2)": "0", "top": "3"},
            f"{'-' * (sign < 0)}B has the eigenvalue ${least} < {value}$",
        )

    return decide("certificate", prove, [search])
