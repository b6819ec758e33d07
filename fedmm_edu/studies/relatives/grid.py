"""What is tried of each relative: the same lists for all, and as many settings of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import FullBatch
from fedmm_edu.relatives import Demand, Relative, Scales
from fedmm_edu.studies.relatives.problems import Contest
from fedmm_edu.studies.relatives.race import Knobs, on, problem_for
from fedmm_edu.surrogate import Surrogate

LISTS: Mapping[str, tuple[Any, ...]] = {
    "gamma": (1.0, 0.5, 0.2, 0.05),
    "eta": (0.3, 1.0, 1.8),
    "steps": (1, 4, 16),
    "p": (0.5, 0.2, 0.05),
    "pull": (0.1, 1.0),
    "compressor": ("none", "8 bits", "random quarter", "top quarter"),
}
"""The values of each setting; η in units of 1/L, the pull (λ of FedProx, a of FedDyn) in units of L."""


def hessians(problem: Surrogate, contest: Contest, theta: Array) -> Array | None:
    """∇²f_i(θ) by central differences of gradients, shape (n, d, d); None where there are no gradients, or d > 100."""
    if problem.d > 100:
        return None
    clients, h = contest.clients, 1e-4 * (1.0 + float(np.abs(theta).max()))

    def gradients(at: Array) -> Array:
        return np.stack([problem.gradient(at, problem.mean_S_bar(z, at)) for z in clients])

    try:
        pairs = [(gradients(theta + h * e), gradients(theta - h * e)) for e in np.eye(problem.d)]
    except InvalidInput:
        return None
    found = np.stack([(up - down) / (2.0 * h) for up, down in pairs], axis=2)
    return (found + np.swapaxes(found, 1, 2)) / 2.0


def scales(problem: Surrogate, contest: Contest) -> Scales | None:
    """L, L̃ and the strong convexity of f at the start: exact where f_i is quadratic, else what is seen there."""
    if (found := hessians(problem, contest, contest.start)) is None:
        return None
    each, mu = np.array([np.linalg.norm(H, 2) for H in found]), contest.clients.mu
    least = float(np.linalg.eigvalsh(np.tensordot(mu, found, 1))[0])
    return Scales(
        float(each.max()), float(np.sqrt(mu @ each**2)), max(least, 0.0), len(mu), problem.d, contest.constants
    )


def why_not(relative: Relative, contest: Contest, active: int) -> str:
    """What the relative needs and the problem has not; empty where it runs."""
    probes: Mapping[Demand, Callable[[Surrogate], object]] = {
        Demand.GRADIENT: lambda it: it.gradient(contest.start, it.mean_S_bar(contest.clients[0], contest.start)),
        Demand.PROX: lambda it: it.prox_g(contest.start, 1.0),
    }
    if Demand.MIXTURE in relative.needs:
        return "it fits weights of each client's own: another W"
    try:
        problem = problem_for(relative, contest)
        for demand, probe in probes.items():
            if demand in relative.needs:
                probe(problem)
        on(relative, contest, Knobs(active=active), 0, FullBatch())
    except InvalidInput as error:
        said = str(error).rpartition(":")[0]
        return f"g = 0 is needed, and {said}" if Demand.NO_PENALTY in relative.needs else said
    return ""


def takes(relative: Relative, contest: Contest) -> frozenset[str]:
    """The settings that are tried: γ where there is no η, or where the server keeps moments; else γ = 1."""
    found = relative.takes(contest.problem, len(contest.clients)) & LISTS.keys()
    fed = on(relative, contest, Knobs(), 0, FullBatch())
    return found | {"gamma"} if "eta" not in found or fed.server.start(fed.dim).size else found


def choices(relative: Relative, contest: Contest, size: Scales | None, most: int, active: int) -> list[Knobs]:
    """All settings that fit, or `most` of them, drawn with one seed for all relatives."""
    names, L = sorted(takes(relative, contest)), 1.0 if size is None else size.L
    units = {"eta": 1.0 / L, "pull": L}
    lists = [[value * units.get(name, 1) if name in units else value for value in LISTS[name]] for name in names]
    found = [replace(Knobs(active=active), **dict(zip(names, values, strict=True))) for values in product(*lists)]
    found = [choice for choice in found if _fits(relative, contest, choice)]
    kept = np.sort(np.random.default_rng(0).permutation(len(found))[:most])
    return [found[k] for k in kept]


def _fits(relative: Relative, contest: Contest, choice: Knobs) -> bool:
    try:
        on(relative, contest, choice, 0, FullBatch())
    except InvalidInput:
        return False
    return True


def from_theory(relative: Relative, contest: Contest, size: Scales | None, choice: Knobs) -> Knobs | None:
    """The setting that the entry's own theorem gives, the rest as in `choice`; None where it gives none."""
    if relative.theory is None or size is None:
        return None
    try:
        given = relative.theory(size, choice.tuning(size.d, 0, FullBatch()))
    except InvalidInput:  # a biased compressor, of which the theorem says nothing
        return None
    return replace(choice, **given) if given else None
