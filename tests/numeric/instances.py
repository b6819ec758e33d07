"""Every registered case, and random instances of it: the one list over which the property tests run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import strategies as st

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples import Case, examples
from fedmm_edu.federation import Clients
from fedmm_edu.surrogate import Surrogate

CASES = {f"{example.name}: {name}": case for example in examples() for name, case in example.cases.items()}


def _each(cases: dict[str, Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases.values(), ids=cases.keys())


every_case = _each(CASES)
every_surrogate = _each({name: case for name, case in CASES.items() if case.majorizes})
every_other = _each({name: case for name, case in CASES.items() if not case.majorizes})
"""What is registered although it lies below f somewhere."""
seeds = st.integers(0, 2**32 - 1)


@dataclass
class Instance:
    """Clients with random data and weights, the problem that fits them, and random points of Θ and 𝒮."""

    problem: Surrogate
    clients: Clients
    theta: Array
    tau: Array
    s: Array


def instance(case: Case, seed: int, n: int = 3, least: int = 1) -> Instance:
    """A random instance with n clients of different sizes (from `least` samples on) and different weights."""
    rng = np.random.default_rng(seed)
    mu = rng.dirichlet(np.ones(n))
    clients = Clients.of([case.draw_z(rng, least + 3 * i) for i in range(n)], mu / mu.sum())
    problem = case.problem(clients)
    theta, tau = case.draw_theta(rng), case.draw_theta(rng)
    near, far = (clients.mean_S_bar(problem, t) for t in (theta, tau))
    return Instance(problem, clients, theta, tau, near + rng.uniform() * (far - near))


def refusals(*cases: tuple[Callable[[], object], str]):
    """A test that each call is refused, in the words beside it: they name the value and the rule that it breaks."""

    @pytest.mark.parametrize(("call", "says"), cases)
    def refused(call, says):
        with pytest.raises(InvalidInput, match=says):
            call()

    return refused


def floyd(u: Array, size: int) -> list[int]:
    """Floyd's uniform subset of {0, …, size − 1} from the uniforms u, with a plain set: in ascending order."""
    chosen: set[int] = set()
    for k, draw in zip(range(size - len(u), size), u, strict=True):
        j = int(draw * (k + 1))
        chosen.add(k if j in chosen else j)
    return sorted(chosen)
