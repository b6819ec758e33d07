"""Performance estimation problems (PEPit) of T rounds: suprema over all functions of a class, in any dimension.

The quadratic surrogate with ρ = L = 1: T(s) = s without a penalty, h = −∇f. Each is a semidefinite program, and what it
starts from has size one. Unbiased messages are doubled or lost, each with chance 1/2 (ω = 1), and all outcomes are
followed; biased ones are any C(x) with ‖C(x) − x‖² ≤ (1 − a)‖x‖².
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import product
from typing import Any

from fedmm_edu.theory import Flat, LocalRounds, scaffold

MU = 0.1
FLAT = Flat(1.0, 1.0, 2.0, 0.0, 1)
"""L_T = ℓ = 1, as own-lip-convex has it."""


class Program:
    """A performance estimation problem, and what its parts are called here."""

    def __init__(self) -> None:
        self.pepit, self.classes = import_module("PEPit"), import_module("PEPit.functions")
        self.problem: Any = self.pepit.PEP()

    def function(self, kind: str, **constants: float) -> Any:
        return self.problem.declare_function(getattr(self.classes, kind), **constants)

    def solve(self, start: Any, metric: Any) -> float:
        """sup of `metric` over `start` ≤ 1; the dual value, an upper bound up to the solver's tolerance."""
        self.problem.set_initial_condition(start <= 1)
        self.problem.set_performance_metric(metric)
        return float(self.problem.solve(wrapper="cvxpy", solver="CLARABEL", verbose=0))


# ------------------------------------------------------------------------------------ sums over rounds, f not convex


def descent(gamma: float) -> Callable[[int], float]:
    """The mean of ‖h‖² for f with MM-1 alone: f lies below its parabolas, and is bounded from below by 0."""

    def worst(T: int) -> float:
        P = Program()
        x, seen = P.pepit.Point(), []
        for _ in range(T + 1):
            slope, value = P.pepit.Point(), P.pepit.Expression()
            seen.append((x, slope, value))
            x = x - gamma * slope
        for (at, g, f), (to, _, f_to) in product(seen, seen):
            P.problem.add_constraint(f_to <= f + g * (to - at) + (to - at) ** 2 / 2)
            P.problem.add_constraint(f - g**2 / 2 >= 0)
        return P.solve(seen[0][2], sum(g**2 for _, g, _ in seen[:T]) / T)

    return worst


def ef21(gamma: float, a: float, n: int) -> Callable[[int], float]:
    """The mean of ‖h‖² for n clients with biased messages, V_{0,i} = h_i(Ŝ_0), and f_i smooth."""

    def worst(T: int) -> float:
        P = Program()
        fs = [P.function("SmoothFunction", L=1.0) for _ in range(n)]
        s, V, total, first = P.problem.set_initial_point(), [], 0.0, None
        for t in range(T + 1):
            h = [-1.0 * f.gradient(s) for f in fs]
            mean, value = sum(h[1:], h[0]) / n, sum((f(s) for f in fs[1:]), fs[0](s)) / n
            P.problem.add_constraint(value - mean**2 / 2 >= 0)
            first, total = value if t == 0 else first, total + mean**2 / T * (t < T)
            V = h if t == 0 else [keep(P, a, v, x) for v, x in zip(V, h, strict=True)]
            s = s + gamma * sum(V[1:], V[0]) / n
        return P.solve(first, total)

    return worst


def keep(P: Program, a: float, v: Any, h: Any) -> Any:
    """V + C(h − V) for any message with this contraction."""
    sent = P.pepit.Point()
    P.problem.add_constraint((sent - (h - v)) ** 2 <= (1.0 - a) * (h - v) ** 2)
    return v + sent


def lossy_sum(gamma: Callable[[int], float], alpha: float) -> Callable[[int], float]:
    """The mean of E‖h‖² for one client whose messages are doubled or lost, V_0 = h(Ŝ_0), and f smooth."""

    def worst(T: int) -> float:
        P = Program()
        f, s = P.function("SmoothFunction", L=1.0), P.problem.set_initial_point()
        first, nodes, total = f(s), [(s, -1.0 * f.gradient(s))], 0.0
        for t in range(T + 1):
            for at, _ in nodes:
                P.problem.add_constraint(f(at) - f.gradient(at) ** 2 / 2 >= 0)
                total = total + f.gradient(at) ** 2 / (T * len(nodes)) * (t < T)
            if t < T:
                nodes = tree_step(f, nodes, gamma(T), alpha, exact=t == 0)
        return P.solve(first, total)

    return worst


def tree_step(f: Any, nodes: list[tuple[Any, Any]], gamma: float, alpha: float, *, exact: bool = False) -> list[Any]:
    """(Ŝ, V) after both outcomes of a message from each node; after one where Δ = 0."""
    found = []
    for s, V in nodes:
        delta = -1.0 * f.gradient(s) - V
        found += (
            [(s + gamma * V, V)] if exact else [(s + gamma * (V + c * delta), V + alpha * c * delta) for c in (0, 2)]
        )
    return found


def shrunk(T: int) -> float:
    """own-lip: the mean of ‖h‖² for convex f and any convex g, from W_0 − min W + a‖h(Ŝ_0)‖² ≤ 1, γ = 1/2."""
    P = Program()
    f, g = P.function("SmoothConvexFunction", L=1.0), P.function("ConvexFunction")
    least, s = (f + g)((f + g).stationary_point()), P.problem.set_initial_point()
    total, first = 0.0, None
    for t in range(T):
        theta, _, at = import_module("PEPit.primitive_steps").proximal_step(s, g, 1.0)
        slope, value = f.oracle(theta)
        h = theta - slope - s
        first = at + value - least + FLAT.a * h**2 if t == 0 else first
        total, s = total + h**2 / T, s + 0.5 * h
    return P.solve(first, total)


# ------------------------------------------------------------------------------------------------------- linear rates


def lossy_rate(gamma: float, alpha: float) -> Callable[[int], float]:
    """E‖Ŝ_T − s_⋆‖² from 1 for f strongly convex, messages doubled or lost, V_0 = h(s_⋆) = 0."""

    def worst(T: int) -> float:
        P = Program()
        f = P.function("SmoothStronglyConvexFunction", mu=MU, L=1.0)
        root, s = f.stationary_point(), P.problem.set_initial_point()
        nodes = [(s, 0.0 * s)]
        for _ in range(T):
            nodes = tree_step(f, nodes, gamma, alpha)
        return P.solve((s - root) ** 2, sum((at - root) ** 2 for at, _ in nodes) / len(nodes))

    return worst


def ef21_rate(gamma: float, a: float, kind: str, metric: Callable[[Any, Any, Any], Any]) -> Callable[[int], float]:
    """The last `metric` from 1, one client with biased messages, V_0 = h(Ŝ_0); "PL" asks PL of the iterates."""

    def worst(T: int) -> float:
        P = Program()
        f = P.function("SmoothFunction", L=1.0) if kind == "PL" else P.function(kind, mu=MU, L=1.0)
        root, start = f.stationary_point(), P.problem.set_initial_point()
        s = start
        V = -1.0 * f.gradient(s)
        for t in range(T):
            h = -1.0 * f.gradient(s)
            if kind == "PL":
                P.problem.add_constraint(h**2 >= 2.0 * MU * (f(s) - f(root)))
                P.problem.add_constraint(f(s) - h**2 / 2 >= f(root))
            V = h if t == 0 else keep(P, a, V, h)
            s = s + gamma * V
        if kind == "PL":
            P.problem.add_constraint(f.gradient(s) ** 2 >= 2.0 * MU * (f(s) - f(root)))
        return P.solve(metric(f, start, root), metric(f, s, root))

    return worst


def far(f: Any, s: Any, root: Any) -> Any:
    return (s - root) ** 2


def high(f: Any, s: Any, root: Any) -> Any:
    return f(s) - f(root)


def nesterov(start: str) -> Callable[[int], float]:
    """f(x_T) − min f by acceleration with t_k = (k + 1)/2, f convex.

    From ‖x_0 − x_⋆‖ ≤ 1 ("distance"), or from f(x_0) − min f ≤ 1, with f strongly convex ("strong") or with
    f(x_0) − min f ≥ (μ/2)‖x_0 − x_⋆‖² alone ("growth").
    """

    def worst(T: int) -> float:
        P = Program()
        strong = {"mu": MU} if start == "strong" else {}
        f = P.function("SmoothStronglyConvexFunction" if strong else "SmoothConvexFunction", L=1.0, **strong)
        root, first = f.stationary_point(), P.problem.set_initial_point()
        if start == "growth":
            P.problem.add_constraint(high(f, first, root) >= MU / 2 * far(f, first, root))
        x = z = first
        for k in range(1, T + 1):
            t = (k + 1) / 2
            y = (1 - 1 / t) * x + z / t
            x = y - f.gradient(y)
            z = z + t * (x - y)
        size = far if start == "distance" else high
        return P.solve(size(f, first, root), high(f, x, root))

    return worst


def local_steps(gamma: float, c: LocalRounds) -> Callable[[int], float]:
    """E[Ψ_T] of own-scaffold-rate from 1, two clients, one or both of them in a round; all outcomes are followed."""
    weight = scaffold(c).weight(gamma)

    def worst(T: int) -> float:
        P = Program()
        fs = [P.function("SmoothStronglyConvexFunction", mu=MU, L=1.0) for _ in range(2)]
        root = (fs[0] + fs[1]).stationary_point()
        ends = [f.gradient(root) for f in fs]
        x, held = P.problem.set_initial_point(), [P.problem.set_initial_point() for _ in fs]

        def value(at: Any, kept: list[Any]) -> Any:
            G = sum((k - e) ** 2 for k, e in zip(kept, ends, strict=True)) / 2
            return (at - root) ** 2 + weight * G

        start, nodes = value(x, held), [(x, held)]
        for _ in range(T):
            nodes = [after for at, kept in nodes for after in _local_round(fs, at, kept, gamma, c)]
        return P.solve(start, sum(value(*node) for node in nodes) / len(nodes))

    return worst


def _local_round(fs: list[Any], x: Any, held: list[Any], gamma: float, c: LocalRounds) -> list[tuple[Any, list[Any]]]:
    """x and the c_i after each choice of clients."""
    moved, kept = [], []
    for f, own in zip(fs, held, strict=True):
        y, slopes = x, []
        for _ in range(c.K):
            slopes.append(f.gradient(y))
            y = y - gamma * (slopes[-1] - own + (held[0] + held[1]) / 2)
        moved, kept = [*moved, y - x], [*kept, sum(slopes[1:], slopes[0]) / c.K]
    if c.active == 2:
        return [(x + (moved[0] + moved[1]) / 2, kept)]
    return [(x + moved[0], [kept[0], held[1]]), (x + moved[1], [held[0], kept[1]])]
