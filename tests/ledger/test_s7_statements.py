"""The rows about the figure of Section 7: each judges the recorded curves, and would judge others otherwise."""

import json
import re
from dataclasses import asdict
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from fedmm_edu.studies.record import Recorded
from fedmm_edu.studies.transport.figure import TransportPlan
from fedmm_edu.studies.transport.statements import SECTION_7, ScoreCurves, judge_scores
from proofs_checks.s7_transport import runs as transport_runs
from proofs_checks.s7_transport.statements import ROWS

PAGE = Path(__file__).parents[2] / "book" / "transport_results.md"
T = np.array([0, 10, 20, 30])
SECONDS = np.tile(T / 10.0, (3, 1))
LOW = ScoreCurves(T, SECONDS, np.array([[90, 20, 11, 10], [91, 21, 12, 11], [92, 22, 13, 12]], dtype=float))
HIGH = ScoreCurves(T, SECONDS, LOW.uvp + np.array([0.0, 20.0, 20.0, 20.0]))
SETTINGS = list(product((16, 32, 64), ("0", "1", "own")))


def panels(worse=()):
    """FedMM-OT below FedAdam, but in the settings (d, λ) of `worse`."""
    found = {d: {} for d in (16, 32, 64)}
    for d, lam in SETTINGS:
        pair = (HIGH, LOW) if (d, lam) in worse else (LOW, HIGH)
        found[d][lam] = dict(zip(("FedMM-OT", "FedAdam"), pair, strict=True))
    return found


@pytest.fixture
def put(monkeypatch):
    """Puts curves in the place of those that are recorded."""
    return lambda found: monkeypatch.setattr(transport_runs, "recorded", lambda: Recorded({}, found))


@pytest.mark.parametrize("statement", SECTION_7, ids=lambda s: s.id)
def test_a_row_is_supported_where_every_setting_shows_it_and_else_open(statement, put):
    """And said of the runs themselves, it is refuted by a setting that does not; so is the opposite."""
    put(panels())
    assert transport_runs.outperforms(statement.id).status == "supported"
    opposite = transport_runs.outperforms(statement.id, ours="FedAdam", theirs="FedMM-OT", of="these runs")
    assert opposite.status == "refuted"
    for wrong in SETTINGS:
        put(panels([wrong]))
        assert transport_runs.outperforms(statement.id).status == "open"
        verdict = transport_runs.outperforms(statement.id, of="these runs")
        assert verdict.status == "refuted"
        assert verdict.witness is not None
        assert (verdict.witness.point["d"], verdict.witness.point["λ"]) == wrong


def test_every_statement_has_a_row():
    assert [row.id for row in ROWS] == [f"exp-{statement.id}" for statement in SECTION_7]


def test_the_record_is_of_the_full_plan():
    """The settings that `fedmm reproduce fig3` has by default, on the benchmark."""
    assert transport_runs.recorded().about == json.loads(json.dumps(asdict(TransportPlan())))


def test_page_and_ledger_say_the_same():
    """The verdicts about FedMM-OT on the committed page are those of the recorded curves, and so is the evidence."""
    page = PAGE.read_text(encoding="utf-8")
    for judged in judge_scores(transport_runs.recorded().panels, "FedMM-OT"):
        heading = rf"### {re.escape(judged.statement.says)} \({judged.statement.line}\): \*\*{judged.verdict}\*\*"
        assert re.search(heading, page)
        for finding in judged.findings.values():
            assert finding.evidence in page
