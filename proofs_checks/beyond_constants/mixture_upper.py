"""A7(i) (`hyp:DL2`) for mixtures of L Gaussians in ℝ^p, for all L and p: the remainder of each column, exactly.

Γ_ℓ⁻¹ is a formal symmetric map, so that each identity between columns of T(s) holds in every dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, same_vector, verify
from fedmm_edu.proofs.gram import Vector, atoms, inner, operator
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.beyond_constants.lemmas import mixed_move, resolvent, sum_of_moves
from proofs_checks.shared.tools import instance

Q = sp.Rational

lam, g, R = sp.symbols("lambda g R", positive=True)
extra = sp.Symbol("k", nonnegative=True)
L = extra + 2  # any L ≥ 2
NAMES = {"lam": lam, "g": g, "R": R}
KAPPA = sp.sqrt(1 + R**2)


def mixture_upper(C_star: str, C_starstar: str, without: Literal["", "own"] = "") -> Verdict:
    """A7(i) for all L, p and all pairs whose means have norms up to R; g bounds the eigenvalues of every Γ_ℓ⁻¹.

    `without="own"`: nothing bounds the means, nor the terms of the sum over ℓ < L.

    With E = m' − m for one column and (U, ω) the change of (s_{1,ℓ}, s_{2,ℓ}): (λ + w'Γ⁻¹)E = Γ⁻¹(U − ωm) exactly.
    """
    first, second = (sp.sympify(text, {**NAMES, "L": L}) for text in (C_star, C_starstar))

    def prove() -> Sequence[Step]:
        own, last, size = sp.symbols("X X_L N", real=True)  # Σ over ℓ < L, the term of ℓ = L, ‖s' − s‖²
        bound = g**2 * (1 + R**2) / lam
        given = {
            "own": Hypothesis(
                bound * size - own, "the lines above, $\\|\\Gamma^{-1}x\\| \\leq g\\|x\\|$, summed over $\\ell < L$"
            ),
            "last": Hypothesis(bound * (L - 1) * size - last, "the same for $\\ell = L$: $U_L = -\\sum U_\\ell$"),
            "size": Hypothesis(size, r"$N = \|s'-s\|^2$"),
        }
        given = {name: line for name, line in given.items() if name != without}
        slack = sp.cancel(second - L * bound)
        return (
            *_column_identities(),
            *resolvent(lam, r"$W = \Gamma^{-1}(U - \omega m)$, $\lambda + w'\Gamma^{-1} \succeq \lambda$"),
            *mixed_move(R, "U", r"\omega m", r"\omega"),
            *sum_of_moves(),
            *verify(second * size - own - last, given, {"own": 1, "last": 1, "size": slack},
                    says=rf"A7(i): $\langle s'-s, F(s')-F(s)\rangle \leq {sp.latex(second)} N$"),
            *_column_remainder(),
            *_all_columns(first),
        )  # fmt: skip

    return decide("Gram certificates", prove, [lambda: _pair_above(C_star, C_starstar, without)])


def _column_identities() -> tuple[Step, ...]:
    """Exact identities for one column: the change of the minimiser, the pairing and the remainder."""
    m, E, u, U, z = atoms("m", "E", "u", "U", "z")
    w, omega, weight = sp.symbols("w omega lambda", real=True)
    G = operator(r"\Gamma^{-1}")
    stationary = lambda c, x, vector: weight * x + c * G(x) - G(vector)  # noqa: E731
    change = stationary(w + omega, m + E, u + U) - stationary(w, m, u)
    forward = weight * E + (w + omega) * G(E) - G(U - omega * m)
    symmetric = {"symmetric": Hypothesis(inner(E, G(m)) - inner(m, G(E)), "Γ is symmetric", equality=True)}
    square_of = lambda x: inner(x, G(x))  # noqa: E731
    pairing = 2 * inner(G(E), U) - omega * (square_of(m + E) - square_of(m))
    split = inner(G(E), U - omega * m) + inner(G(E), U - omega * (m + E))
    linear = lambda x: weight * x + w * G(x)  # noqa: E731
    rest = (linear(E - z) + omega * G(E)) - (forward - (linear(z) - G(U - omega * m)))
    return (
        same_vector(change, forward, "stationarity at s and s'", says=(
            r"$(\lambda + w'\Gamma^{-1})E = \Gamma^{-1}(U - \omega m)$ for $E = m' - m$")),
        same_vector(rest, Vector({}), "with $z = Dm\\,u$: $(\\lambda + w\\Gamma^{-1})z = \\Gamma^{-1}(U - \\omega m)$",
                    says=r"$(\lambda + w\Gamma^{-1})(E - z) = -\omega\Gamma^{-1}E$: of second order"),
        *verify(pairing - split, symmetric, {"symmetric": -omega}, equality=True,
                says=r"the pairing of a column is $\frac{1}{2}\langle \Gamma^{-1}E, W + W'\rangle$, "
                r"$W = U - \omega m$, $W' = U - \omega m'$"),
    )  # fmt: skip


def _column_remainder() -> tuple[Step, ...]:
    """c(m) = (Γ⁻¹m, −½m'Γ⁻¹m): its remainder n ≤ gκy + ½ge² ≤ (3/2)g³κ²a²/λ², with a = ‖(U, ω)‖, κ² = 1 + R²."""
    m, E, z = atoms("m", "E", "z")
    G = operator(r"\Gamma^{-1}")
    quadratic = -(inner(m + E, G(m + E)) - inner(m, G(m))) / 2 + (inner(m, G(z)) + inner(z, G(m))) / 2
    stated = -(inner(m, G(E - z)) + inner(E - z, G(m))) / 2 - inner(E, G(E)) / 2
    n, y, e, a = sp.symbols("n y e a", nonnegative=True)
    most = g * KAPPA * a / lam
    given = {
        "remainder": Hypothesis(g * KAPPA * y + g * e**2 / 2 - n, r"$y = \|E - z\|$, $\|m\| \leq R$"),
        "y": Hypothesis(
            g * a * e / lam - y, r"$\|(\lambda + w\Gamma^{-1})^{-1}\omega\Gamma^{-1}E\| \leq (g/\lambda)ae$"
        ),
        "e": Hypothesis(most - e, r"$e = \|E\| \leq (g/\lambda)\|U - \omega m\|$"),
    }
    used = {"remainder": 1, "y": g * KAPPA, "e": g * (3 * most + e) / 2}
    return (
        *verify(quadratic - stated, {}, {}, equality=True, says=(
            r"remainder of $-\frac{1}{2}m^\top\Gamma^{-1}m$: $-\langle m, \Gamma^{-1}(E-z)\rangle "
            r"- \frac{1}{2}E^\top\Gamma^{-1}E$, of second order")),
        *verify(Q(3, 2) * g * most**2 - n, given, used, says=r"$n \leq \frac{3}{2} g^3 \kappa^2 a^2/\lambda^2$"),
    )  # fmt: skip


def _all_columns(claimed: sp.Expr) -> tuple[Step, ...]:
    """‖(n_ℓ − n_L)_ℓ‖ ≤ Σ_ℓ ‖n_ℓ‖ + √(L−1)‖n_L‖ ≤ claimed·‖s' − s‖²."""
    n, own, last, size = sp.symbols("n n_{<L} n_L N", nonnegative=True)
    one = Q(3, 2) * g**3 * (1 + R**2) / lam**2
    given = {
        "triangle": Hypothesis(
            own + sp.sqrt(L - 1) * last - n, "triangle inequality; $\\|\\cdot\\|_2 \\leq \\|\\cdot\\|_1$"
        ),
        "own": Hypothesis(one * size - own, "the line above, summed over $\\ell < L$"),
        "last": Hypothesis(one * (L - 1) * size - last, "the line above for $\\ell = L$, $a_L^2 \\leq (L-1)N$"),
        "size": Hypothesis(size, r"$N = \|s'-s\|^2$"),
    }
    slack = sp.expand(claimed - one * (1 + (L - 1) ** Q(3, 2)))
    used = {"triangle": 1, "own": 1, "last": sp.sqrt(L - 1), "size": slack}
    return verify(claimed * size - n, given, used, says=rf"$n \leq {sp.latex(claimed)} N$")


def _pair_above(C_star: str, C_starstar: str, without: str) -> Witness | None:
    """L = 2, p = 1, Γ = 1, λ = 1, E[Z] = 0 near s = (0, 0): exact pairs at which a claim is exceeded (R = 1/10)."""
    at = {"lam": Q(1), "g": Q(1), "R": Q(1, 10), "L": Q(2)}
    first, second = (sp.sympify(text, at) for text in (C_star, C_starstar))
    x, y = sp.symbols("x y")
    T = (x / (y + 1), -x / (2 - y))
    F = sp.Matrix([T[0] - T[1], -(T[0] ** 2 - T[1] ** 2) / 2])
    start = sp.Matrix([Q(10) if without else Q(0), Q(0)])
    old = {x: start[0], y: start[1]}
    B = F.jacobian([x, y]).subs(old)
    for a, b in ((1, 0), (0, 1), (1, 1), (1, -1), (2, 1)):
        move = Q(1, 10**4) * sp.Matrix([a, b])
        new = {x: start[0] + move[0], y: start[1] + move[1]}
        if new[y] < 0 or (not without and max(abs(t.subs(new)) for t in T) > at["R"]):
            continue
        change, length = F.subs(new) - F.subs(old), move.dot(move)
        rest = change - B * move
        point = {
            "L, p": "2, 1",
            "Gamma, lambda": "1, 1",
            "E Z": "0",
            "R": "1/10",
            "s": str(tuple(start)),
            "s'": str(tuple(start + move)),
        }
        if rest.dot(rest) > (first * length) ** 2:
            return Witness(point, f"the remainder exceeds $C_\\star\\|s'-s\\|^2$ with $C_\\star = {first}$")
        if abs(change.dot(move)) > second * length:
            return Witness(
                point, f"the pairing exceeds $C_{{\\star\\star}}\\|s'-s\\|^2$ with $C_{{\\star\\star}} = {second}$"
            )
    return None


def upper_instance() -> Witness:
    """L = 2, p = 1, Γ = λ = 1, E[Z] = 0: two points of 𝒮 with means up to R = 1."""
    points = ((Q(0), Q(0)), (Q(1, 2), Q(1, 4)))
    means = [m for x, y in points for m in (x / (y + 1), -x / (2 - y))]
    return instance(
        {"L, p": "2, 1", "Gamma, lambda": "1, 1", "E Z": 0, "R": 1, "s, s'": points},
        "two points of 𝒮",
        {"0 <= s2 <= 1": all(0 <= y <= 1 for _, y in points), "means up to R": max(map(abs, means)) <= 1},
    )
