"""The runner: right rows in the right order, and no check that can take the result of another with it."""

import multiprocessing
import os
from dataclasses import replace

import pytest

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Verdict, Witness
from proofs_checks import require_good_ids
from proofs_checks.runner.aside import Aside
from proofs_checks.runner.run import Interrupted, run
from tests.ledger import sample_ledger

SOURCE = "tests.ledger.sample_ledger"


@pytest.fixture(scope="module")
def rows():
    """Every row of the sample ledger, the misbehaving ones and all mutants included, by id."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(sample_ledger.ODD_SWITCH, "1")
        claims = sample_ledger.GOOD + sample_ledger.ODD
        heard = []
        found = run(claims, jobs=2, mutants=True, source=SOURCE, time_limit=5, on_result=heard.append)
    assert [row.claim.id for row in found] == [claim.id for claim in claims]
    assert sorted(row.claim.id for row in heard) == sorted(claim.id for claim in claims)
    return {row.claim.id: row for row in found}


def test_a_proved_row(rows):
    """A true claim is proved, its mutants refuted, each with a witness that differs in value."""
    row = rows["square"]
    assert row.as_expected
    assert row.verdict.status == "proved"
    assert {name: verdict.status for name, verdict in row.mutants.items()} == {"b = 1": "refuted", "c = 0": "refuted"}
    assert row.mutants["b = 1"].witness.values == {"left": "4", "right": "3"}
    assert isinstance(row.non_vacuity, Witness)


def test_a_refuted_row_carries_a_proved_amendment(rows):
    """The printed form is refuted and the amended form proved by the same check."""
    row = rows["amgm"]
    assert row.as_expected
    assert (row.verdict.status, row.amended.status) == ("refuted", "proved")


@pytest.mark.parametrize(
    ("name", "method", "says"),
    [
        ("raises", "error", "ZeroDivisionError: 1/0 in the check"),
        ("dies", "error", "the process ended with exit code 7"),
        ("hangs", "time limit", "no answer in time"),
        ("unpicklable", "error", "cannot pickle"),
        ("wrong-type", "error", "expected a Verdict"),
    ],
)
def test_a_misbehaving_check_is_open_and_quoted(rows, name, method, says):
    """It costs its own verdict only, is never as expected, and its mutant does not count as refuted."""
    row = rows[name]
    assert (row.verdict.status, row.verdict.method) == ("open", method)
    assert says in row.verdict.evidence[0].claim
    assert not row.as_expected
    assert row.mutants["itself"].status == "open"
    assert len(row.problems) == 2


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("vacuous", "no instance satisfies the hypotheses: open (error: ValueError: the hypotheses contradict"),
        ("mutant-survives", "mutant “1” is not refuted: proved (factorisation)"),
        ("surprise", "expected proved, found refuted (evaluation)"),
    ],
)
def test_each_way_to_be_unexpected_is_named(rows, name, problem):
    """A verdict alone is not enough: hypotheses must be satisfiable and mutants refuted."""
    (found,) = rows[name].problems
    assert found.startswith(problem)


def test_mutants_are_run_only_on_request():
    """Without `mutants`, none is run and the row says so by None, not by an empty success."""
    (row,) = run(sample_ledger.GOOD[:1], jobs=1, source=SOURCE)
    assert row.mutants is None
    assert row.as_expected


def test_an_interruption_keeps_what_was_found():
    """Ctrl-C after the first row: that row is whole, the rest is marked as not run, and no process stays."""

    def stop(row):
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        run(sample_ledger.GOOD, jobs=1, source=SOURCE, on_result=stop)
    first, second = caught.value.rows
    assert first.as_expected
    assert (second.verdict.status, second.verdict.method) == ("open", "not run")
    assert isinstance(second.non_vacuity, Verdict)
    assert not second.as_expected
    assert multiprocessing.active_children() == []


def test_bad_settings_are_refused():
    """Zero processes, no time and repeated ids each get a message that names the value."""
    with pytest.raises(InvalidInput, match="jobs = 0"):
        run(sample_ledger.GOOD, jobs=0, source=SOURCE)
    with pytest.raises(InvalidInput, match=r"time_limit = -1"):
        run(sample_ledger.GOOD, jobs=1, source=SOURCE, time_limit=-1)
    with pytest.raises(InvalidInput, match="more than once: square"):
        require_good_ids([*sample_ledger.GOOD, sample_ledger.GOOD[0]])
    with pytest.raises(InvalidInput, match="without spaces"):
        require_good_ids([replace(sample_ledger.GOOD[0], id="two words")])


def where():
    """The process in which this runs."""
    return os.getpid()


def only_here():
    """Nothing comes of it in a process of its own."""
    if multiprocessing.parent_process() is not None:
        os._exit(1)
    return "here"


def test_what_is_made_aside_comes_from_another_process_or_from_this_one():
    """And no process is left."""
    assert Aside(where).result() != os.getpid()
    assert Aside(only_here).result() == "here"
    assert multiprocessing.active_children() == []
