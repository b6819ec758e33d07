"""The rows about the figures of Section 6: each judges the recorded curves, and would judge others otherwise."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fedmm_edu.studies.dictionary import SECTION_6, judge_figure
from fedmm_edu.studies.dictionary.figures import DictionaryPlan
from fedmm_edu.studies.record import Recorded
from proofs_checks.s6_experiments import runs as experiments_runs
from proofs_checks.s6_experiments.statements import ROWS
from tests.experiments.test_statements import YES_AND_NO

ROOT = Path(__file__).parents[2]
BY_ID = {statement.id: statement for statement in SECTION_6}


def test_every_statement_has_a_row():
    """All but the one that cv-homogeneous judges exactly; the monotone decay has its older name."""
    ids = [f"exp-{statement.id}" for statement in SECTION_6 if statement.id != "cv-cancel"]
    assert [row.id for row in ROWS] == ["dl-monotone", *ids[1:]]
    assert ids[0] == "exp-objective-monotone"


def test_a_row_says_what_was_seen():
    """How many rounds are recorded, and that each tuned β is an end of the range."""
    steps = experiments_runs.reported("surrogate-decays").evidence
    told = next(step for step in steps if step.claim.startswith("seen at"))
    assert "54 recorded rounds of 2000" in told.claim or "54 or" in told.claim or "or 54" in told.claim
    assert told.why.endswith("the end of the paper's range [0.001, 0.05]")


@pytest.fixture
def curves(monkeypatch):
    """Puts curves in the place of those that are recorded."""

    def put(statement, panels):
        about = {"plan": {"rounds": 9, "real_rounds": 9}, "beta": {"homogeneous": {"fedmm": 0.05}}}
        found = {statement.figure: Recorded(about, panels)}
        monkeypatch.setattr(experiments_runs, "recorded", lambda: found)

    return put


@pytest.mark.parametrize("statement", SECTION_6, ids=lambda s: s.id)
def test_a_row_is_supported_where_all_data_show_it_and_else_open(statement, curves):
    """And said of the runs themselves, it is refuted by the data that do not show it."""
    yes, no = YES_AND_NO[statement.id]
    curves(statement, dict.fromkeys(statement.settings, yes))
    assert experiments_runs.reported(statement.id).status == "supported"
    for wrong in statement.settings:
        curves(statement, dict.fromkeys(statement.settings, yes) | {wrong: no})
        assert experiments_runs.reported(statement.id).status == "open"
        verdict = experiments_runs.reported(statement.id, of="these runs")
        assert verdict.status == "refuted"
        assert verdict.witness is not None
        assert verdict.witness.point["data"] == wrong


def test_one_data_set_less_is_no_support(curves):
    """A statement about three data sets is not supported by two."""
    yes, _ = YES_AND_NO["objective-better"]
    curves(BY_ID["objective-better"], {"homogeneous": yes, "heterogeneous": yes})
    for of in ("Section 6", "these runs"):
        assert experiments_runs.reported("objective-better", of=of).status == "open"


def test_the_recorded_numbers_decide(curves):
    """Two of ten runs of the recorded curves turned round, and what was supported is open."""
    panels = experiments_runs.recorded()["fig1"].panels
    runs = panels["movielens"]
    values = runs["fedmm"].surrogate.copy()
    values[:2, 1:] = values[:2, :0:-1]
    spoilt = {**runs, "fedmm": replace(runs["fedmm"], surrogate=values)}
    assert experiments_runs.reported("surrogate-decays").status == "supported"
    curves(BY_ID["surrogate-decays"], {**panels, "movielens": spoilt})
    assert experiments_runs.reported("surrogate-decays").status == "open"


def test_changes_of_curves():
    """Backwards: the last recorded round first, the start in its place. Late: three records behind."""
    runs, _ = YES_AND_NO["cv-objective"]
    first = runs["alpha = 0"].surrogate
    turned = experiments_runs.backwards(runs)["alpha = 0"].surrogate
    assert np.array_equal(turned[:, 1:], first[:, :0:-1])
    assert np.isnan(turned[:, 0]).all()
    late = experiments_runs.late(runs)
    assert late["alpha = 0"] is runs["alpha = 0"]
    assert np.array_equal(late["alpha = 0.01"].objective[:, 4:], runs["alpha = 0.01"].objective[:, 1:-3])


def test_the_record_is_of_the_full_plan():
    """Ten runs with the settings that `fedmm reproduce` has by default."""
    for found in experiments_runs.recorded().values():
        plan = {**found.about["plan"], "betas": tuple(found.about["plan"]["betas"])}
        assert DictionaryPlan(**plan) == DictionaryPlan()


def test_page_and_ledger_say_the_same():
    """The verdicts on the committed page are those of the recorded curves, and so is the evidence."""
    page = (ROOT / "book" / "dictionary_results.md").read_text(encoding="utf-8")
    written = dict(re.findall(r"`([a-z-]+)`\).*\*\*([a-z ]+)\*\* \|$", page, re.MULTILINE))
    found = [j for figure, of in experiments_runs.recorded().items() for j in judge_figure(of.panels, figure)]
    assert written == {j.statement.id: j.verdict for j in found}
    for judged in found:
        for finding in judged.findings.values():
            assert finding.evidence.replace("|", "\\|") in page
