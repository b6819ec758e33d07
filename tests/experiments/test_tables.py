"""The study of real tables: its page is what its record says, and its ways are what they are called."""

import json
from pathlib import Path

import numpy as np
import pytest

from fedmm_edu.errors import InvalidInput
from fedmm_edu.studies import tables
from fedmm_edu.studies.study import markdown

BOOK = Path(__file__).parents[2] / "book"


def recorded():
    return json.loads((BOOK / "figures" / "tables" / "tables.json").read_text("utf-8"))


def test_the_page_is_what_was_recorded():
    """Verdicts and numbers are computed from the runs; the plan is the one of the command as it stands."""
    found = recorded()
    runs = {name: {way: [tables.Fit(**run) for run in of] for way, of in ways.items()}
            for name, ways in found["runs"].items()}  # fmt: skip
    assert (BOOK / "tables_results.md").read_text("utf-8") == markdown(
        tables.told(runs, found["settings"]).page, "figures/tables"
    )
    plan = tables.TablesPlan()
    assert found["settings"] == {"splits": plan.splits, "rounds": plan.rounds, "only": plan.only, "seed": plan.seed}
    assert list(runs) == list(tables.TABLES)
    assert all(list(ways) == list(tables.WAYS) for ways in runs.values())


def test_a_criterion_can_fail_and_hold():
    score = {way: np.array([0.9, 0.8]) for way in tables.WAYS}
    first = [criterion.judge(score).holds for criterion in tables.CRITERIA]
    assert first == [True, True, False, False, False]
    worse = score | {"federated": np.array([0.95, 0.9]), "federated, lossy": np.array([0.5, 0.5])}
    assert [criterion.judge(worse).holds for criterion in tables.CRITERIA] == [False, False, True, True, True]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_small_run_ends_where_the_recorded_one_did(tmp_path):
    """One split of wine: rounds and bits exactly; scores but for rounding, as products of other BLAS kernels round
    otherwise; a fifth of the rows, at least two classes, with the smallest client."""
    plan = tables.TablesPlan(splits=1, only="wine", page=tmp_path / "page.md")
    part = tables.compare_ways(plan)
    again = recorded()["runs"]["wine"]
    for way, runs in part.numbers["runs"]["wine"].items():
        assert runs[0]["score"] == pytest.approx(again[way][0]["score"], rel=1e-13), way
        for name in ("kb", "rounds", "theorem"):
            assert runs[0][name] == again[way][0][name], (way, name)
    assert (tmp_path / "page.md").read_text("utf-8").startswith("# Real tables")
    who = tables._clients(np.random.default_rng(0).normal(size=400))
    np.testing.assert_allclose(np.bincount(who), [20, 40, 60, 100, 180], atol=1)
    with pytest.raises(InvalidInput, match="choose one of breast cancer"):
        tables.compare_ways(tables.TablesPlan(only="nobody"))
