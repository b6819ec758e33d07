"""The criteria by which Section 6 is judged: each one says yes to curves that show it, and no to curves that do not."""

import numpy as np
import pytest

from fedmm_edu.studies.dictionary import SECTION_6, Curves, judge_figure
from fedmm_edu.studies.dictionary.criteria import decay, level

T = np.arange(0.0, 101.0)
FALL, RISE, FLAT = 1.0 / (1.0 + T), 1.0 + T, np.ones_like(T)
SLOW = (1.0 + T) ** -0.5
TURN = np.where(T < 50, 1.0 / (1.0 + T), (1.0 / 51) * np.exp(2 * np.sin(3 * T)))
WAVE = 2.0 - 0.01 * T + 0.02 * np.sin(T)
DIP = np.abs(T - 50.0) + 10.0


def runs(objective=FALL, parameter=FALL, surrogate=FALL, seeds=10):
    """Curves that are the same for each seed; row 0 has no updates."""

    def rows(values):
        return np.tile(np.asarray(values, dtype=float), (seeds, 1))

    updates = [rows(values) for values in (parameter, surrogate)]
    for values in updates:
        values[:, 0] = np.nan
    return Curves(T, T * 8e6, rows(objective), *updates)


def pair(first: Curves, second: Curves, names: tuple[str, str] = ("fedmm", "naive")) -> dict[str, Curves]:
    return dict(zip(names, (first, second), strict=True))


CV = ("alpha = 0", "alpha = 0.01")
YES_AND_NO = {
    "objective-monotone": (pair(runs(), runs()), pair(runs(objective=WAVE), runs())),
    "naive-diverges": (pair(runs(), runs(objective=DIP)), pair(runs(), runs())),
    "objective-better": (pair(runs(), runs(objective=SLOW)), pair(runs(objective=SLOW), runs())),
    "parameter-decays": (pair(runs(), runs()), pair(runs(), runs(parameter=RISE))),
    "parameter-faster": (pair(runs(parameter=SLOW), runs()), pair(runs(), runs(parameter=SLOW))),
    "parameter-overtaken": (pair(runs(parameter=0.2 * SLOW), runs()), pair(runs(), runs())),
    "surrogate-decays": (pair(runs(), runs()), pair(runs(surrogate=RISE), runs())),
    "surrogate-naive-diverges": (pair(runs(), runs(surrogate=RISE)), pair(runs(), runs())),
    "surrogate-naive-unstable": (pair(runs(), runs(surrogate=TURN)), pair(runs(), runs())),
    "naive-both-ways": (pair(runs(), runs(surrogate=RISE)), pair(runs(), runs(parameter=RISE, surrogate=RISE))),
    "cv-objective": (pair(runs(), runs(), CV), pair(runs(), runs(objective=SLOW), CV)),
    "cv-cancel": (pair(runs(), runs(), CV), pair(runs(), runs(surrogate=FALL * (1 + 1e-8)), CV)),
    "cv-lower": (
        pair(runs(parameter=SLOW, surrogate=SLOW), runs(parameter=SLOW / 4, surrogate=SLOW / 4), CV),
        pair(runs(parameter=SLOW, surrogate=SLOW), runs(parameter=SLOW / 4, surrogate=SLOW / 1.5), CV),
    ),
}


def test_every_statement_is_tried():
    assert {s.id for s in SECTION_6} == set(YES_AND_NO)


@pytest.mark.parametrize("statement", SECTION_6, ids=lambda s: s.id)
def test_a_criterion_tells_curves_that_show_it_from_curves_that_do_not(statement):
    yes, no = (statement.judge(panel) for panel in YES_AND_NO[statement.id])
    assert yes.holds
    assert not no.holds


@pytest.mark.parametrize(("same", "holds"), [(9, True), (8, False)])
def test_most_seeds_are_nine_of_ten(same, holds):
    ours, naive = runs(objective=SLOW), runs(objective=SLOW)
    ours.objective[:same, -1] -= 0.01
    ours.objective[same:, -1] += 0.01
    statement = next(s for s in SECTION_6 if s.id == "objective-better")
    assert statement.judge(pair(ours, naive)).holds is holds


def test_a_diverged_run_counts_as_divergence_and_not_as_decay():
    broken = np.where(T > 60, np.inf, FALL)
    panel = pair(runs(), runs(broken, broken, broken))
    found = {j.statement.id: j.findings["heterogeneous"].holds for j in judge_figure({"heterogeneous": panel}, "fig1")
             if j.findings}  # fmt: skip
    assert found["naive-diverges"]
    assert found["surrogate-naive-diverges"]
    assert found["objective-better"]
    assert not found["parameter-decays"]


def test_verdicts_over_several_data_sets():
    yes, no = YES_AND_NO["objective-better"]

    def verdict(**panels):
        return next(j.verdict for j in judge_figure(panels, "fig1") if j.statement.id == "objective-better")

    assert verdict(homogeneous=yes, heterogeneous=yes, movielens=yes) == "reproduced"
    assert verdict(homogeneous=yes, heterogeneous=no, movielens=yes) == "depends"
    assert verdict(homogeneous=no, heterogeneous=no, movielens=no) == "not reproduced"
    assert verdict(homogeneous=yes, heterogeneous=yes, patches=yes) == "not run"


def test_levels_are_geometric_means():
    curves = runs(surrogate=np.where(T <= 25, 8.0, np.where(T % 2 == 0, 2.0, 0.5)))
    np.testing.assert_allclose(level(curves.surrogate, curves.part(0.75, 1.0)), 2.0 ** (1 / 25))
    np.testing.assert_allclose(decay(curves, curves.surrogate), 2.0 ** (1 / 25) / 8.0)
