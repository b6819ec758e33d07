"""Algorithm 2 on a tiny problem in exact fractions, every random outcome enumerated; shares no code with the kernels.

Least squares in two dimensions, 𝒮 = ℝ², g = 0, two clients with two samples each: an active client (probability p)
draws one of its samples and sends one of the two coordinates of Δ, times two (ω = 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product

Vector = tuple[F, ...]
DATA = (((1, F(1, 2), 2), (F(-1, 2), 1, 1)), ((F(1, 2), 1, -1), (1, -1, 3)))
MU, P, OMEGA, RHO = (F(1, 3), F(2, 3)), F(1, 2), F(1), F(1, 4)
OMEGA_P = OMEGA + (1 + OMEGA) * (1 - P) / P


def add(*vectors: Vector) -> Vector:
    return tuple(sum(entries, F(0)) for entries in zip(*vectors, strict=True))


def scale(factor: F, vector: Vector) -> Vector:
    return tuple(factor * entry for entry in vector)


def square(vector: Vector) -> F:
    return sum((entry * entry for entry in vector), F(0))


def S_bar(z, s: Vector) -> Vector:
    slope = z[0] * s[0] + z[1] * s[1] - z[2]
    return (s[0] - RHO * slope * z[0], s[1] - RHO * slope * z[1])


def h_i(i: int, s: Vector) -> Vector:
    return add(scale(F(1, 2), add(*(S_bar(z, s) for z in DATA[i]))), scale(F(-1), s))


def h(s: Vector) -> Vector:
    return add(*(scale(MU[i], h_i(i, s)) for i in range(2)))


def W(s: Vector) -> F:
    return sum((MU[i] * (z[0] * s[0] + z[1] * s[1] - z[2]) ** 2 / 4 for i in range(2) for z in DATA[i]), F(0))


def variance(i: int, s: Vector) -> F:
    """σ_i² at s."""
    centre = add(h_i(i, s), s)
    return sum((square(add(S_bar(z, s), scale(F(-1), centre))) for z in DATA[i]), F(0)) / 2


def lipschitz(i: int) -> F:
    """A bound on L_i²: the squared Frobenius norm of ρ E_i[x xᵀ]."""
    A = [[sum((F(z[a]) * z[b] for z in DATA[i]), F(0)) / 2 for b in range(2)] for a in range(2)]
    return RHO**2 * sum((entry**2 for row in A for entry in row), F(0))


@dataclass(frozen=True)
class Node:
    """Ŝ_t, V_{t,i} and V_t."""

    s: Vector
    V: tuple[Vector, Vector]
    V_server: Vector


@dataclass(frozen=True)
class Outcome:
    """One outcome of a round with its probability, H_{t+1} and the state after it."""

    chance: F
    H: Vector
    after: Node


def outcomes(node: Node, alpha: F, gamma: F) -> list[Outcome]:
    """Every outcome of one round."""
    zero = (F(0), F(0))
    choices = [[(1 - P, zero)], [(1 - P, zero)]]
    for i in range(2):
        for z, j in product(DATA[i], range(2)):
            delta = add(S_bar(z, node.s), scale(F(-1), node.s), scale(F(-1), node.V[i]))
            choices[i].append((P / 4, tuple(2 * delta[k] if k == j else F(0) for k in range(2))))
    found = []
    for (c0, m0), (c1, m1) in product(*choices):
        received = add(scale(MU[0] / P, m0), scale(MU[1] / P, m1))
        H = add(node.V_server, received)
        V = tuple(add(old, scale(alpha / P, m)) for old, m in zip(node.V, (m0, m1), strict=True))
        after = Node(add(node.s, scale(gamma, H)), V, add(node.V_server, scale(alpha, received)))
        found.append(Outcome(c0 * c1, H, after))
    return found
