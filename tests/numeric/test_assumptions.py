"""The matrix example × assumption: what is said to hold is hunted for a violation, what is said to fail must fail."""

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from fedmm_edu.examples import examples
from fedmm_edu.theory.assumptions import QUANTITIES, Place, hunt, lookout, random_place, value
from tests.numeric.instances import instance, seeds

CASES = {f"{example.name}: {name}": (example, case) for example in examples() for name, case in example.cases.items()}
every_example = pytest.mark.parametrize(("example", "case"), CASES.values(), ids=CASES.keys())
GROWTH = 1e4
"""How far above its value at an ordinary place a quantity without a bound must be seen."""


def cells_of(example, case, it):
    return example.assumptions().cells(it.problem, it.clients)


def places(example, it):
    """Places of all sizes, in 𝒮 at random and where the example itself would look."""

    @st.composite
    def draw(draw):
        size, gap = draw(st.integers(0, 9)), draw(st.integers(0, 9))
        if draw(st.booleans()):
            width = 2.0**-gap if size == 0 else 10.0 ** (size - gap)
            special = list(example.assumptions().places(it.problem, it.clients, width))
            if special:
                return special[draw(st.integers(0, len(special) - 1))]
        rng = np.random.default_rng(draw(st.integers(0, 99)))
        return random_place(it.problem, rng, ordinary(it), 10.0**size - 1.0, 10.0**-gap)

    return draw()


def ordinary(it):
    return Place(it.s, it.s, (it.theta, it.tau))


@every_example
def test_every_assumption_has_a_cell_with_a_reason(example, case):
    it = instance(case, seed=1)
    cells = cells_of(example, case, it)
    assert set(cells) == set(QUANTITIES)
    assert all(cell.why and cell.bound >= 0.0 for cell in cells.values())


@every_example
@pytest.mark.parametrize("gap", [10.0, 0.1, 1e-3, 1e-6])
def test_the_places_of_an_example_lie_in_its_sets_and_can_be_evaluated(example, case, gap):
    """A place that the kernel refuses would refute nothing."""
    it = instance(case, seed=2)
    for place in example.assumptions().places(it.problem, it.clients, gap):
        for s in (place.s, place.t):
            it.problem.S_bar(it.clients.z, it.problem.T(s))
        for theta in place.parameters or ():
            it.problem.in_Theta(theta)


@every_example
@given(data=st.data(), seed=seeds)
@settings(max_examples=40)
def test_what_holds_survives_a_hunt(example, case, data, seed):
    """No place in 𝒮 and Θ brings a quantity above the constant that the example states."""
    it = instance(case, seed)
    place = data.draw(places(example, it))
    for name, cell in cells_of(example, case, it).items():
        if cell.holds:
            limit = cell.bound * (1 + 1e-6) or QUANTITIES[name].zero
            assert value(name, it.problem, it.clients, place) <= limit, name


@every_example
def test_the_constants_of_A7_are_nearly_attained(example, case):
    """A hunt would notice a constant half as large."""
    it = instance(case, seed=1)
    seen = lookout(it.problem, it.clients, example.assumptions().places, (it.theta, it.tau))
    for name, cell in cells_of(example, case, it).items():
        if name.startswith("A7") and cell.holds:
            assert hunt(name, it.problem, it.clients, seen)[0] >= cell.bound / 2, name


FAILING = [
    pytest.param(example, case, name, id=f"{label}, {name}")
    for label, (example, case) in CASES.items()
    for name, cell in cells_of(example, case, instance(case, seed=1)).items()
    if not cell.holds
]


@pytest.mark.parametrize(("example", "case", "name"), FAILING)
def test_what_fails_is_seen_to_fail(example, case, name):
    """The quantity exceeds any constant: a place is found at which it is huge."""
    it = instance(case, seed=1)
    nearby = random_place(it.problem, np.random.default_rng(0), ordinary(it), 1.0, 0.1)
    usual = min(1.0, value(name, it.problem, it.clients, nearby))
    huge = max(GROWTH * usual, 10 * QUANTITIES[name].zero)
    found = find(
        places(example, it),
        lambda place: value(name, it.problem, it.clients, place) > huge,
        settings=settings(max_examples=4000, database=None, derandomize=True, phases=[Phase.generate],
                          suppress_health_check=list(HealthCheck)),
    )  # fmt: skip
    assert value(name, it.problem, it.clients, found) > huge
