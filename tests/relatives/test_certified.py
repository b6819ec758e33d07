"""Rates that are proved: no run is above its bound, the factor is the row's, nothing is promised beyond a theorem."""

from functools import cache

import numpy as np
import pytest

from fedmm_edu.federation import FullBatch
from fedmm_edu.relatives import relatives
from fedmm_edu.studies.relatives import Given
from fedmm_edu.studies.relatives.certified import Promise, promised
from fedmm_edu.studies.relatives.grid import scales
from fedmm_edu.studies.relatives.race import Knobs, Measures, Race, problem_for

RIDGE, LAM = Given("quadratic:ridge"), 0.05
CONTEST = RIDGE.contest()
assert CONTEST.curvature is not None
LONGEST = 1.0 / CONTEST.curvature.folded


@cache
def star() -> Measures:
    """A run to the end."""
    return Race(RIDGE, "fedmm", Knobs(), 0, 4000, -np.inf).make()


def asked(key: str, choice: Knobs, seed: int = 1, rounds: int = 150) -> Promise | None:
    relative = relatives()[key]
    run = Race(RIDGE, key, choice, seed, rounds, -np.inf).make()
    size = scales(problem_for(relative, CONTEST), CONTEST)
    return promised(relative, CONTEST, size, choice, run, float(star().objective.min()), star().theta)


def promise(key: str, choice: Knobs, seed: int = 1, rounds: int = 150) -> Promise:
    """What is proved, where something is."""
    found = asked(key, choice, seed, rounds)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("key", "choice", "factor"),
    [
        ("fedmm", Knobs(gamma=0.5), 1.0 - 0.5 * LAM * LONGEST),
        ("ef21", Knobs(eta=0.1 * LONGEST, compressor="top quarter"), 1.0 - 0.1 * LAM * LONGEST),
    ],
)
def test_no_round_is_above_its_bound(key, choice, factor):
    found = promise(key, choice)
    assert found.rate.factor == pytest.approx(factor, rel=1e-12)
    gaps = found.run.objective - star().objective.min()
    assert (gaps <= found.rate.first * found.rate.factor ** np.arange(len(gaps)) * (1 + 1e-9)).all()
    assert gaps[-1] > found.rate.first * 1e-6  # there is something to bound


def test_the_mean_of_scaffnew_is_below_its_bound():
    """After k gradient steps, k random: E[factor^−k Ψ_k] ≤ Ψ_0 at each round, so the weighted mean is bounded."""
    choice = Knobs(eta=LONGEST, p=0.3)
    runs = [promise("scaffnew", choice, seed, 40) for seed in range(1, 9)]
    rate = runs[0].rate
    assert rate.factor == pytest.approx(max(1.0 - LAM * LONGEST, 1.0 - 0.09), rel=1e-12)
    steps = np.array([one.run.gradients / 10 for one in runs])
    gaps = np.array([one.run.objective for one in runs]) - star().objective.min()
    assert (np.mean(gaps * rate.factor**-steps, axis=0) <= rate.first).all()


@pytest.mark.parametrize(
    ("key", "choice"),
    [
        ("fedmm", Knobs(rho=1.8)),
        ("fedmm", Knobs(active=5)),
        ("fedmm", Knobs(compressor="8 bits")),
        ("fedmm", Knobs(downlink="differences", compressor="8 bits")),
        ("ef21", Knobs(eta=LONGEST, compressor="top quarter")),
        ("scaffnew", Knobs(eta=1.1 * LONGEST, p=0.3)),
        ("diana", Knobs(eta=0.1)),
    ],
)
def test_nothing_is_promised_beyond_a_theorem(key, choice):
    assert asked(key, choice, rounds=2) is None


def test_the_cost_of_a_promise_is_that_of_its_rounds():
    """By hand: the least k with first·factor^k ≤ gap, times the bits of a round, and those before the first."""
    found = promise("fedmm", Knobs())
    gap = 1e-3 * found.rate.first
    k = next(k for k in range(10**5) if found.rate.factor**k <= 1e-3)
    assert found.cost(gap, "rounds") == k + 1
    assert found.cost(gap, "bits up") == 10 * 10 * 64 * (k + 1)
    assert found.cost(gap, "bits") == 10 * 64 * (20 + 30 * k)
    costs, bounds = found.path("rounds", gap)
    assert bounds[-1] <= gap * (1 + 1e-12) < bounds[-2]
    assert costs[-1] == k + 1
    toss = promise("scaffnew", Knobs(eta=LONGEST, p=0.25), rounds=30)
    steps = toss.rate.steps(gap)
    assert toss.cost(gap, "gradients") == 10 * steps
    assert toss.cost(gap, "rounds") == 0.25 * steps  # in the mean over the coins


def test_the_promise_uses_settings_that_are_its_own():
    """The words of the setting, and the tuning that a theorem is asked with."""
    found = promise("ef21", Knobs(eta=0.1 * LONGEST, compressor="top quarter"))
    assert "top quarter" in found.says
    assert found.choice.tuning(10, 0, FullBatch()).eta == 0.1 * LONGEST
