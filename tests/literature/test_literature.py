"""The record of the literature's surrogates is of these models and says nothing false; the quick are judged again."""

from __future__ import annotations

import pytest

from book.generate.literature import literature_page
from fedmm_edu.symbolic import ROWS
from tests.literature import ENTRIES
from tests.literature.__main__ import judge
from tests.literature.record import BEYOND_MM, read

RECORD = read()
QUICK = sorted((name for name, found in RECORD.items() if found.rows), key=lambda name: RECORD[name].seconds)[:24]
"""Those that took least processor time when the record was made."""


def test_the_record_is_of_these_models():
    """Renew it with `python -m tests.literature --new`."""
    assert {name: found.digest for name, found in RECORD.items()} == {name: e.digest for name, e in ENTRIES.items()}


def test_there_are_many_of_both_kinds():
    right = [entry for entry in ENTRIES.values() if not entry.breaks]
    assert len(ENTRIES) >= 60
    assert len(right) >= 40
    assert len(ENTRIES) - len(right) >= 20
    assert {entry.breaks for entry in ENTRIES.values()} <= {"", *ROWS} - {BEYOND_MM}


@pytest.mark.parametrize("name", RECORD)
def test_no_verdict_of_the_record_is_false(name):
    """A right surrogate has no refuted row of MM-1 and MM-2, a wrong one has, and its broken row is not proved."""
    assert not RECORD[name].mistaken


@pytest.mark.parametrize("name", QUICK)
def test_the_quickest_are_judged_as_in_the_record(name):
    assert judge(name).rows == dict(RECORD[name].rows)


def test_the_page_shows_all():
    page = literature_page()
    assert all(name.split(":")[0] in page for name in ENTRIES if "|" not in name and "-" not in name)
    assert page.count("refuted:") >= sum(bool(entry.breaks) for entry in ENTRIES.values())
