"""`python -m tests.numeric.worst_cases`: what performance estimation (PEPit) says of one round, for worst_cases.json.

PEPit brings a convex solver and half a gigabyte, so that it is no dependency: this file runs where it is installed, and
the tests read what it found. The quadratic surrogate with ρ = L = 1, s⁺ = s + γH. A message is doubled or lost: Q(x) is
2x or 0 with equal chances (ω = 1), and the mean over all outcomes is maximised over μ-strongly convex, L-smooth f_i.
"""

from __future__ import annotations

import json
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".json")
ALPHA, K = 0.25, 2.0
"""α = 1/(2(1 + ω)) and K = 2ω for ω = 1."""


def exact(mu: float, gamma: float, prox: bool) -> float:
    """sup ‖s⁺ − s_⋆‖² over ‖s − s_⋆‖ ≤ 1, one client and nothing lost; with `prox` for every convex g."""
    pep, classes = import_module("PEPit"), import_module("PEPit.functions")
    problem: Any = pep.PEP()
    f = problem.declare_function(classes.SmoothStronglyConvexFunction, mu=mu, L=1.0)
    g = problem.declare_function(classes.ConvexFunction) if prox else None
    theta = (f + g).stationary_point() if prox else f.stationary_point()
    root = theta - f.gradient(theta) if prox else theta
    s = problem.set_initial_point()
    problem.set_initial_condition((s - root) ** 2 <= 1)
    at = import_module("PEPit.primitive_steps").proximal_step(s, g, 1.0)[0] if prox else s
    problem.set_performance_metric((s + gamma * (at - f.gradient(at) - s) - root) ** 2)
    return problem.solve(wrapper="cvxpy", solver="CLARABEL", verbose=0)


def doubled_or_lost(mu: float, gamma: float, n: int) -> float:
    """sup of the mean of Ψ⁺ = ‖s⁺ − s_⋆‖² + (K/α)γ²G⁺ over Ψ ≤ 1, for n equal clients with control variates."""
    pep, classes = import_module("PEPit"), import_module("PEPit.functions")
    problem: Any = pep.PEP()
    fs = [problem.declare_function(classes.SmoothStronglyConvexFunction, mu=mu, L=1.0) for _ in range(n)]
    root = sum(fs[1:], fs[0]).stationary_point()
    s = problem.set_initial_point()
    V, targets = [problem.set_initial_point() for _ in fs], [-1.0 * f.gradient(root) for f in fs]
    fields = [-1.0 * f.gradient(s) for f in fs]
    weight = K / ALPHA * gamma**2 / n**2

    def value(at: Any, held: list[Any]) -> Any:
        return (at - root) ** 2 + weight * sum((v - t) ** 2 for v, t in zip(held, targets, strict=True))

    problem.set_initial_condition(value(s, V) <= 1)
    total = 0.0
    for outcome in product((0.0, 2.0), repeat=n):
        sent = [c * (h - v) for c, h, v in zip(outcome, fields, V, strict=True)]
        H = sum((v + m for v, m in zip(V[1:], sent[1:], strict=True)), V[0] + sent[0]) / n
        total = total + value(s + gamma * H, [v + ALPHA * m for v, m in zip(V, sent, strict=True)]) / 2**n
    problem.set_performance_metric(total)
    return problem.solve(wrapper="cvxpy", solver="CLARABEL", verbose=0)


def main() -> None:
    found = [
        {"mu": mu, "gamma": gamma, "n": 1, "omega": 0, "prox": prox, "worst": exact(mu, gamma, prox)}
        for mu, gamma, prox in product((0.1, 0.5), (0.25, 0.5, 0.9), (False, True))
    ]
    found += [
        {"mu": mu, "gamma": gamma, "n": n, "omega": 1, "prox": False, "worst": doubled_or_lost(mu, gamma, n)}
        for mu, gamma, n in product((0.1, 0.5), (0.1, 0.2, 0.3), (1, 2))
    ]
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
