"""What no proof covers and no instance refutes, in exact runs of affine h in the plane: the pace of EF21-MM, and
acceleration with two clients.

own-biased-monotone asks for steps of order √m, own-accelerated-clients shows that Nesterov's Lyapunov function rises in
one round: neither says that a run needs more rounds than these rows claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product
from typing import Literal

from fedmm_edu.proofs.verdict import Step, Verdict, Witness, refuted, undecided
from proofs_checks.shared.tools import instance

Vector = tuple[F, ...]
Matrix = tuple[Vector, ...]
ONE, ZERO = F(1), F(0)
STARTS = ((ONE, ZERO), (ZERO, ONE), (ONE, ONE), (F(3), -ONE))


def dot(u: Vector, v: Vector) -> F:
    return sum((a * b for a, b in zip(u, v, strict=True)), ZERO)


def image(A: Matrix, v: Vector) -> Vector:
    return tuple(dot(row, v) for row in A)


def times(A: Matrix, B: Matrix) -> Matrix:
    columns = tuple(zip(*B, strict=True))
    return tuple(tuple(dot(row, column) for column in columns) for row in A)


def congruent(A: Matrix, M: Matrix) -> Matrix:
    """AMAᵀ."""
    return times(times(A, M), tuple(zip(*A, strict=True)))


# ------------------------------------------------------------------------------------------------------ biased messages


@dataclass(frozen=True)
class Field:
    """h(s) = −A(s − s_⋆) of one client, claimed to be m-strongly monotone and 1-cocoercive."""

    A: Matrix
    m: F

    def facts(self) -> dict[str, bool]:
        (a, b), (c, d) = self.A
        (p, q), (_, r) = times(tuple(zip(*self.A, strict=True)), self.A)
        lower, upper = (a - self.m, (b + c) / 2, d - self.m), (a - p, (b + c) / 2 - q, d - r)
        return {
            name: x >= 0 and z >= 0 and x * z >= y * y
            for name, (x, y, z) in {"monotone": lower, "cocoercive": upper}.items()
        }

    def distances(self, start: Vector, gamma: F, rounds: int) -> Iterator[F]:
        """‖Ŝ_t − s_⋆‖² for t = 1, 2, … from V_0 = h(Ŝ_0); a message is the larger coordinate (Top-1)."""
        d, V = start, tuple(-x for x in image(self.A, start))
        for _ in range(rounds):
            news = tuple(-x - y for x, y in zip(image(self.A, d), V, strict=True))
            k = 0 if abs(news[0]) >= abs(news[1]) else 1
            V = tuple(y + (x if j == k else 0) for j, (x, y) in enumerate(zip(news, V, strict=True)))
            d = tuple(x + gamma * y for x, y in zip(d, V, strict=True))
            yield dot(d, d)


def fields() -> Iterator[Field]:
    """As much rotation as cocoercivity allows, m = 1/(k² + 1); two lengths on turned axes. Then two wrong ones."""
    for k in (1, 2, 3, 7):
        m = F(1, k * k + 1)
        yield Field(((m, k * m), (-k * m, m)), m)
        for c, s in ((ONE, ZERO), (F(3, 5), F(4, 5)), (F(-4, 5), F(3, 5))):
            yield Field(((c * c * m + s * s, c * s * (m - 1)), (c * s * (m - 1), s * s * m + c * c)), m)
    yield Field(((ZERO, ZERO), (ZERO, ZERO)), F(1, 2))
    yield Field(((F(1, 2), F(20)), (F(-20), F(1, 2))), F(1, 2))


PACE_RULES = ("monotone", "cocoercive")


def pace(hypotheses: Sequence[str] = PACE_RULES, step: str = "1/16", speed: str = "1", size: str = "1") -> Verdict:
    """‖Ŝ_t − s_⋆‖² ≤ size·(1 − speed·γm)^t ‖Ŝ_0 − s_⋆‖² for γ = `step` and t ≤ 60."""
    gamma, tried = F(step), 0
    for field, start in product(fields(), STARTS):
        if not all(field.facts()[name] for name in hypotheses):
            continue
        bound = F(size) * dot(start, start)
        for t, distance in enumerate(field.distances(start, gamma, 60), 1):
            bound *= 1 - F(speed) * gamma * field.m
            if distance > bound:
                point = {"A": str([[str(x) for x in row] for row in field.A]), "m": str(field.m), "t": str(t)}
                return refuted("exact instance", Witness(point, f"{float(distance):.4g} > {float(bound):.4g}"))
        tried += 1
    return undecided(
        "exact runs",
        Step(
            "tried: the lines of own-biased-monotone",
            r"Young's inequality pays for $\langle e, d\rangle$ with $\frac{2}{m}\|e\|^2$, so that w is of order $1/m$ "
            r"and the condition on the step leaves $\gamma \sim \sqrt m$",
        ),
        Step("neither proved nor refuted", f"the bound holds along {tried} exact runs of 60 rounds"),
    )


def pace_instance() -> Witness:
    """A field with as much rotation as there can be, of which a message is a part only."""
    field = next(fields())
    return instance({"A": field.A, "m": field.m}, "a rotation that shrinks", field.facts())


# ------------------------------------------------------------------------------------------- acceleration, two clients


def clients() -> Iterator[tuple[F, tuple[Matrix, Matrix]]]:
    """√m and the second derivatives of f_i = (√m x_1 ± x_2)²/2, so that f = (m x_1² + x_2²)/2 is 1-smooth."""
    for r in (ONE, F(1, 2), F(1, 4), F(1, 10)):
        yield r, (((r * r, r), (r, ONE)), ((r * r, -r), (-r, ONE)))


def values(r: F, each: Sequence[Matrix], start: Vector, K: F, arrives: F) -> Iterator[F]:
    """E[W(x_t)] for t = 1, 2, …, exactly, by the second moments of (x, z); η = 1/K, ζ = 1/K², size_t = (t + 1)/2.

    Each client's message is doubled or lost, with mean `arrives`·∇f_i: E[G] = arrives·∇f, and independent rests.
    """
    eta, zeta, mean = 1 / K, 1 / K**2, ((r * r, ZERO), (ZERO, ONE))
    both = (*start, *start)
    M: Matrix = tuple(tuple(a * b for b in both) for a in both)
    for t in range(1, 25):
        w = F(2, t + 1)
        y: Matrix = tuple(tuple((1 - w if k == j else w if k == j + 2 else ZERO) for k in range(4)) for j in range(2))

        def moved(H: Matrix, keep: F, y: Matrix = y, w: F = w) -> Matrix:
            G = times(H, y)
            first = [tuple(keep * a - eta * b for a, b in zip(y[j], G[j], strict=True)) for j in range(2)]
            second = [tuple((keep if k == j + 2 else ZERO) - zeta / w * G[j][k] for k in range(4)) for j in range(2)]
            return (*first, *second)

        after = congruent(moved(tuple(tuple(arrives * a for a in row) for row in mean), ONE), M)
        parts = [after]
        if arrives:
            parts += [congruent(moved(tuple(tuple(a / 2 for a in row) for row in H), ZERO), M) for H in each]
        M = tuple(tuple(sum((P[i][j] for P in parts), ZERO) for j in range(4)) for i in range(4))
        yield (r * r * M[0][0] + M[1][1]) / 2


def accelerated(size: str = "1", K: str = "2", power: int = 2, arrives: Literal["0", "1"] = "1") -> Verdict:
    """E[W(x_T)] − W_⋆ ≤ size·2LK²‖x_0 − x_⋆‖²/(T+1)^power for T ≤ 24, K = 2 on the right, `K` in the steps."""
    tried = 0
    for (r, each), start in product(clients(), STARTS):
        for T, value in enumerate(values(r, each, start, F(K), F(arrives)), 1):
            bound = F(size) * 8 * dot(start, start) / (T + 1) ** power
            if value > bound:
                point = {"sqrt(m)": str(r), "x_0": ", ".join(map(str, start)), "T": str(T)}
                return refuted("exact instance", Witness(point, f"{float(value):.4g} > {float(bound):.4g}"))
        tried += 1
    return undecided(
        "exact runs",
        Step(
            "tried: Nesterov's Lyapunov function",
            "with any constant steps and any weight of the control variates' error it rises in one round "
            "(own-accelerated-clients); likewise with weights that grow like t and t²",
        ),
        Step("neither proved nor refuted", f"the bound holds along {tried} runs of 24 rounds, all outcomes counted"),
    )


def runs_instance() -> Witness:
    """The clients of own-accelerated-clients."""
    r, (first, second) = list(clients())[1]
    holds = {"f_i convex": first[0][0] * first[1][1] == first[0][1] ** 2, "they differ": first != second}
    return instance({"sqrt(m)": r, "f_i": "(sqrt(m)*x_1 ± x_2)^2/2"}, "two clients in the plane", holds)
