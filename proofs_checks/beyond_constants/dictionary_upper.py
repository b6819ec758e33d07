"""A7(i) (`hyp:DL2`) for dictionary learning with g = 0, all p and K, where s⁽¹⁾ ⪰ δI: the remainder, exactly.

Norms are those of the paper's inner product Trace(A'B).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.beyond_constants.dictionary import F_DL, require_zero, s1, s2
from proofs_checks.beyond_constants.lemmas import mixed_move, resolvent
from proofs_checks.shared.tools import instance, vanishes
from proofs_checks.shared.traces import inner, letter, square

Q = sp.Rational
delta, R = sp.symbols("delta R", positive=True)


def dictionary_upper(C_star: str, C_starstar: str, without: Literal["", "one"] = "") -> Verdict:
    """A7(i) for all p, K and all pairs with s⁽¹⁾ ⪰ δI and ‖T(s)‖ ≤ R (operator norm); C_⋆⋆ cannot be improved.

    `without="one"`: nothing bounds T(s), nor the first of the two terms.

    With E = T' − T and u = s' − s = (U1, U2): the remainder is exactly Dφ(T)Y − (E'E, 0) with Y s⁽¹⁾ = −E U1.
    """
    first, second = (sp.sympify(text, {"delta": delta, "R": R}) for text in (C_star, C_starstar))

    def prove() -> Sequence[Step]:
        size = sp.Symbol("N", nonnegative=True)  # ‖s' − s‖²
        one, two = sp.symbols("X X'", real=True)  # the two terms of the second inequality
        given = {
            "one": Hypothesis((1 + R**2) / delta * size - one, "the lines above, at T"),
            "two": Hypothesis((1 + R**2) / delta * size - two, "the same with s and s' exchanged"),
            "size": Hypothesis(size, r"$N = \|s'-s\|^2$"),
        }
        given = {name: line for name, line in given.items() if name != without}
        slack = sp.cancel(second - 2 * (1 + R**2) / delta)
        best = F_DL.jacobian([s1, s2]).trace().subs({s1: delta, s2: delta * R})  # rank one: its one eigenvalue
        if not vanishes(second - best):
            raise CertificateFails(f"for p = K = 1 the best constant is {best}, not {second}.")
        return (
            *_exact_words(),
            *resolvent(delta, r"$E s'^{(1)} = W$, $s'^{(1)} \succeq \delta I$"),
            *mixed_move(R, "U^{(2)}", r"T U^{(1)}", "U^{(1)}"),
            *verify(second * size - one - two, given, {"one": 1, "two": 1, "size": slack}, says=r"$C_{\star\star}$"),
            Step(rf"for p = K = 1, $\lambda_{{max}}(B) = {sp.latex(best)}$ at $s = (\delta, \delta R)$", "its trace"),
            *_second_order(first),
        )

    return decide("words and certificates", prove, [lambda: _pair_above(first, second, without)])


def _exact_words() -> tuple[Step, ...]:
    """The identities behind A7(i); s⁽¹⁾ = r'r, s'⁽¹⁾ = q'q, T s⁽¹⁾ = s⁽²⁾ and z = DT(s)u, z s⁽¹⁾ = U2 − T U1."""
    T, E, Y, r, q = map(letter, ("T", "E", "Y", "r", "q"))
    old, new = r.T @ r, q.T @ q
    U1, U2 = new - old, (T + E) @ new - T @ old
    W = U2 - T @ U1
    require_zero(E @ new - W, "E s'(1) is not U2 - T U1")
    pairing = -inner(U1, (T + E).T @ (T + E) - T.T @ T) + 2 * inner(U2, E)
    if not vanishes(pairing - square(E @ r.T) - square(E @ q.T)) or not vanishes(square(E @ q.T) - inner(W, E)):
        raise CertificateFails("the pairing of A7(i) is not the sum of the two excesses.")
    z = E - Y
    block = -((T + E).T @ (T + E) - T.T @ T) + T.T @ z + z.T @ T
    require_zero(block + T.T @ Y + Y.T @ T + E.T @ E, "the remainder does not factor")
    require_zero((E @ old - W) + E @ U1, "Y s(1) is not -E U1")
    A = letter("A")
    if not vanishes(4 * square(A) - square(A + A.T) - square(A - A.T)):
        raise CertificateFails("the symmetric part is not bounded.")
    return (
        Step(r"$E s'^{(1)} = W := U^{(2)} - T U^{(1)}$, where $E = T(s') - T(s)$, $u = s'-s$", "words: all p, K"),
        Step(
            r"$\langle u, F(s')-F(s)\rangle = \langle W, E\rangle + \langle W', E\rangle$",
            r"$W' = U^{(2)} - T(s')U^{(1)}$; both are $\|E (s^{(1)})^{1/2}\|^2 + \|E (s'^{(1)})^{1/2}\|^2$",
        ),
        Step(
            r"$F(s')-F(s)-B(s)u = D\phi(T)Y - (E^\top E, 0)$, $Y s^{(1)} = -E U^{(1)}$",
            "exact: each term is a product of two factors of the order of u",
        ),
        Step(r"$\|T^\top Y + Y^\top T\| \leq 2\|T^\top Y\|$", r"$4\|A\|^2 - \|A+A^\top\|^2 = \|A-A^\top\|^2$"),
    )


def _second_order(claimed: sp.Expr) -> tuple[Step, ...]:
    """‖remainder‖ ≤ 2κy + e² ≤ claimed·‖u‖², κ² = 1 + R², e = ‖E‖ ≤ κ‖u‖/δ, y = ‖Y‖ ≤ e‖u‖/δ."""
    n, y, e, r = sp.symbols(r"n y e {\|u\|}", nonnegative=True)
    kappa = sp.sqrt(1 + R**2)
    most = kappa * r / delta
    given = {
        "remainder": Hypothesis(2 * kappa * y + e**2 - n, r"$\|D\phi(T)Y\| \leq 2\kappa\|Y\|$, $\kappa^2 = 1 + R^2$"),
        "Y": Hypothesis(e * r / delta - y, r"$s^{(1)} \succeq \delta I$"),
        "E": Hypothesis(most - e, r"$\|E\| \leq \|W\|/\delta \leq \kappa\|u\|/\delta$"),
        "size": Hypothesis(r**2, "a square"),
    }
    slack = sp.cancel(claimed - 3 * (1 + R**2) / delta**2)
    used = {"remainder": 1, "Y": 2 * kappa, "E": 3 * most + e, "size": slack}
    return verify(claimed * r**2 - n, given, used, says=rf"$n \leq {sp.latex(claimed)} \|u\|^2$")


def _pair_above(first: sp.Expr, second: sp.Expr, without: str) -> Witness | None:
    """p = K = 1, δ = 1: exact pairs at which a claim is exceeded, or a smaller C_⋆⋆ that serves there."""
    for bound, (a, b) in product((Q(1, 10), Q(1), Q(3)), ((5, 7), (0, 1), (1, 0), (1, -1), (1, -2))):
        at = {delta: Q(1), R: bound}
        for base in (Q(0), 10 * bound if without else bound):
            s, move = sp.Matrix([Q(1), base]), Q(1, 10**4) * sp.Matrix([a, b])
            new = s + move
            if not without and abs(new[1] / new[0]) > bound:
                continue
            values = [F_DL.subs({s1: x[0], s2: x[1]}, simultaneous=True) for x in (s, new)]
            B = F_DL.jacobian([s1, s2]).subs({s1: s[0], s2: s[1]}, simultaneous=True)
            change, length = values[1] - values[0], move.dot(move)
            rest = change - B * move
            point = {"p, K": "1, 1", "delta": "1", "R": str(bound), "s": str(tuple(s)), "s'": str(tuple(new))}
            if rest.dot(rest) > (first.subs(at) * length) ** 2:
                return Witness(
                    point, f"the remainder exceeds $C_\\star\\|s'-s\\|^2$ with $C_\\star = {first.subs(at)}$"
                )
            if abs(change.dot(move)) > second.subs(at) * length:
                return Witness(
                    point, f"the pairing exceeds $C_{{\\star\\star}}\\|s'-s\\|^2$ = ${second.subs(at) * length}$"
                )
        best = 2 * (1 + bound**2)
        if second.subs(at) > best:
            return Witness(
                {"p, K": "1, 1", "delta": "1", "R": str(bound)}, f"$C_{{\\star\\star}} = {best}$ serves already"
            )
    return None


def upper_instance() -> Witness:
    """p = K = 1: two points with s⁽¹⁾ ≥ 1 and |T| ≤ 2."""
    points = ((Q(1), Q(2)), (Q(3), Q(-1)))
    return instance(
        {"p, K": "1, 1", "delta": 1, "R": 2, "s, s'": points},
        "two points of 𝒮",
        {"s1 >= delta": min(x for x, _ in points) >= 1, "|T(s)| <= R": max(abs(y / x) for x, y in points) <= 2},
    )
