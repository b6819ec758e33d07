"""The matrix example × assumption: what is said to hold is hunted for a violation, what is said to fail must fail."""

import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from fedmm_edu.examples import examples
from fedmm_edu.theory.assumptions import QUANTITIES, Place, random_place, value
from tests.numeric.instances import instance, seeds

CASES = [
    pytest.param(example, case, id=f"{example.name}: {name}")
    for example in examples()
    for name, case in example.cases.items()
]
every_example = pytest.mark.parametrize(("example", "case"), CASES)
GROWTH = 1e4
"""How far above its value at an ordinary place a quantity without a bound must be seen."""


def cells_of(example, case, it):
    return example.assumptions().cells(it.problem, it.clients)


def places(example, it):
    """Places of all sizes, in 𝒮 at random and where the example itself would look."""

    @st.composite
    def draw(draw):
        seed, size, gap = draw(st.integers(0, 99)), draw(st.integers(0, 9)), draw(st.integers(0, 9))
        ordinary = Place(it.s, it.s, it.theta, it.tau)
        if draw(st.booleans()):
            special = list(example.assumptions().pairs(it.problem, 2.0**-gap if size == 0 else 10.0 ** (size - gap)))
            if special:
                s, t = special[draw(st.integers(0, len(special) - 1))]
                return Place(it.problem.project(s), it.problem.project(t), it.theta, it.tau)
        return random_place(it.problem, np.random.default_rng(seed), ordinary, 10.0**size - 1.0, 10.0**-gap)

    return draw()


@every_example
def test_every_assumption_has_a_cell_with_a_reason(example, case):
    it = instance(case, seed=1)
    cells = cells_of(example, case, it)
    assert set(cells) == set(QUANTITIES)
    assert all(cell.why and cell.bound >= 0.0 for cell in cells.values())


@every_example
@given(data=st.data(), seed=seeds)
@settings(max_examples=60)
def test_what_holds_survives_a_hunt(example, case, data, seed):
    """No place in 𝒮 and Θ brings a quantity above the constant that the example states."""
    it = instance(case, seed)
    place = data.draw(places(example, it))
    for name, cell in cells_of(example, case, it).items():
        if cell.holds:
            limit = cell.bound * (1 + 1e-6) or QUANTITIES[name].zero
            assert value(name, it.problem, it.clients, place) <= limit, name


FAILING = [
    pytest.param(*param.values, name, id=f"{param.id}, {name}")
    for param in CASES
    for name, cell in cells_of(*param.values, instance(param.values[1], seed=1)).items()
    if not cell.holds
]


@pytest.mark.parametrize(("example", "case", "name"), FAILING)
def test_what_fails_is_seen_to_fail(example, case, name):
    """The quantity exceeds any constant: a place is found, and shrunk, at which it is huge."""
    it = instance(case, seed=1)
    ordinary = random_place(it.problem, np.random.default_rng(0), Place(it.s, it.s, it.theta, it.tau), 1.0, 0.1)
    usual = min(1.0, value(name, it.problem, it.clients, ordinary))
    found = find(
        places(example, it),
        lambda place: value(name, it.problem, it.clients, place) > GROWTH * usual,
        settings=settings(max_examples=4000, database=None, derandomize=True, suppress_health_check=list(HealthCheck)),
    )
    assert value(name, it.problem, it.clients, found) > GROWTH * usual
