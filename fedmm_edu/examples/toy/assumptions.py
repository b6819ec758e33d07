"""A1 to A8 for the toy on 𝒮 = [a, b]: φ∘T(s) = −s^(−1/2), h_i(s) = E_{π_i}[Z] − s."""

from __future__ import annotations

from collections.abc import Iterator

from fedmm_edu.convex_sets import Box
from fedmm_edu.examples.toy.kernel import Toy
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place


def cells(problem: Toy, clients: Clients) -> dict[str, Cell]:
    """Each quantity's supremum on 𝒮."""
    box = Box.of(problem.S)
    low, high = float(box.low[0]), float(box.high[0])
    mean = float(clients.mean_S_bar(problem, problem.T(box.low))[0])
    return {
        "A1": Cell(0.0, "1/θ + sθ is convex"),
        "A2": Cell(0.0, "f(θ) = E[Z]θ + 1/θ is smooth"),
        "A3": Cell(max(float(z.var()) for z in clients), "S̄ = Z does not depend on s"),
        "A6(i)": Cell(1.0, "h_i(s) = E[Z] − s"),
        "A6(ii)": Cell(max(high - mean, mean - low), "h is affine on an interval"),
        "A7: C_star": Cell(0.375 * low**-2.5, "half the largest |(φ∘T)''| = (3/4) s^(−5/2)"),
        "A7: C_star_star": Cell(0.5 * low**-1.5, "the largest (φ∘T)' = s^(−3/2)/2"),
        "A7: 1/v_min": Cell(2.0 * high**1.5, "the smallest (φ∘T)' = s^(−3/2)/2"),
        "A8": Cell(0.0, "a closed interval"),
    }


def places(problem: Toy, clients: Clients, gap: float) -> Iterator[Place]:
    """The ends of 𝒮, each with a neighbour."""
    box = Box.of(problem.S)
    low, high = box.low, box.high
    yield Place(low, problem.project(low * (1.0 + gap)))
    yield Place(high, problem.project(high / (1.0 + gap)))
