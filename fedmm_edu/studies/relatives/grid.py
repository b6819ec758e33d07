"""What is tried of each relative: the same lists for all, and as many settings of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import FullBatch
from fedmm_edu.relatives import Demand, Folded, Relative, Scales
from fedmm_edu.studies.relatives.problems import Contest
from fedmm_edu.studies.relatives.race import Knobs, on, problem_for
from fedmm_edu.surrogate import Surrogate

LISTS: Mapping[str, tuple[Any, ...]] = {
    "gamma": (1.0, 0.5, 0.2, 0.05),
    "eta": (0.3, 1.0, 1.8),
    "steps": (1, 4, 16),
    "p": (0.5, 0.2, 0.05),
    "pull": (0.1, 1.0),
    "rho": (0.3, 1.0, 1.8),
    "compressor": ("none", "8 bits", "random quarter", "top quarter"),
    "downlink": ("floats", "differences"),
}
"""The values of each setting; η and ρ in units of 1/L, the pull (λ of FedProx, a of FedDyn) in units of L."""
STEPS = frozenset({"eta", "rho"})
"""Who has one of them has γ = 1, unless its server keeps moments."""


MANY, POWERS = 100, 30
"""In more dimensions no Hessian is formed: L_i is found by so many powers of it."""


def hessians(problem: Surrogate, contest: Contest, theta: Array) -> Array | None:
    """∇²f_i(θ) by central differences of gradients, shape (n, d, d); None where there are no gradients, or d > MANY."""
    if problem.d > MANY:
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
    """L, L̃ and the strong convexity of f at the start: exact where f_i is quadratic, else what is seen there.

    In more than MANY dimensions L_i by powers of ∇²f_i, and 0 for the strong convexity.
    """
    if problem.d > MANY:
        return _by_powers(problem, contest)
    if (found := hessians(problem, contest, contest.start)) is None:
        return None
    each, mu = np.array([np.linalg.norm(H, 2) for H in found]), contest.clients.mu
    least = float(np.linalg.eigvalsh(np.tensordot(mu, found, 1))[0])
    return Scales(
        float(each.max()), float(np.sqrt(mu @ each**2)), max(least, 0.0), len(mu), problem.d, contest.constants,
        contest.curvature,
    )  # fmt: skip


@lru_cache(maxsize=16)
def _scales_once(contest: Contest, folded: bool) -> Scales | None:
    return scales(Folded(contest.problem, contest.start) if folded else contest.problem, contest)


def scales_of(relative: Relative, contest: Contest) -> Scales | None:
    """`scales` of the problem that the relative is given, worked out once."""
    return _scales_once(contest, Demand.NO_PENALTY in relative.needs)


def _by_powers(problem: Surrogate, contest: Contest) -> Scales | None:
    theta, clients = contest.start, contest.clients
    h = 1e-4 * (1.0 + float(np.abs(theta).max()))
    each = np.zeros(len(clients))
    for i, z in enumerate(clients):
        v = np.random.default_rng(i).normal(size=problem.d)
        for _ in range(POWERS):
            v /= np.linalg.norm(v)
            try:
                up, down = (problem.gradient(at, problem.mean_S_bar(z, at)) for at in (theta + h * v, theta - h * v))
            except InvalidInput:
                return None
            v = (up - down) / (2.0 * h)
        each[i] = np.linalg.norm(v)
    L_mean = float(np.sqrt(clients.mu @ each**2))
    return Scales(float(each.max()), L_mean, 0.0, len(each), problem.d, contest.constants)


def why_not(relative: Relative, contest: Contest, active: int) -> str:
    """What the relative needs and the problem has not; empty where it runs."""
    probes: Mapping[Demand, Callable[[Surrogate], object]] = {
        Demand.GRADIENT: lambda it: it.gradient(contest.start, it.mean_S_bar(contest.clients[0], contest.start)),
        Demand.PROX: lambda it: it.prox_g(contest.start, 1.0),
    }
    if (Demand.MIXTURE in relative.needs) != contest.personal:
        own = "it fits weights of each client's own: another W"
        return "its weights are common: another W" if contest.personal else own
    try:
        problem = problem_for(relative, contest)
    except InvalidInput as error:
        return f"g = 0 is needed, and {str(error).rpartition(':')[0]}"
    try:
        for demand, probe in probes.items():
            if demand in relative.needs:
                probe(problem)
        on(relative, contest, Knobs(active=active), 0, FullBatch())
    except InvalidInput as error:
        return str(error).rpartition(":")[0]
    return ""


def takes(relative: Relative, contest: Contest) -> frozenset[str]:
    """The settings that are tried: γ where there is no η and no ρ, or where the server keeps moments; else γ = 1."""
    found = relative.takes(contest.problem, len(contest.clients)) & LISTS.keys()
    if not _has_rho(contest.problem):
        found -= {"rho"}
    fed = on(relative, contest, Knobs(), 0, FullBatch())
    return found | {"gamma"} if not found & STEPS or fed.server.start(fed.dim).size else found


def _has_rho(problem: Surrogate) -> bool:
    try:
        problem.scaled_rho(0.5)
    except InvalidInput:
        return False
    return True


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
    if (choice.downlink, choice.compressor) == ("differences", "none"):
        return False  # all floats to all: what "floats" sends to those who are active
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
    return replace(choice, **{"rho": 1.0, "downlink": "floats", **given}) if given else None
