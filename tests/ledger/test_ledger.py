"""The whole ledger, run once as `fedmm verify --mutants` runs it, and every row of it looked at."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

import proofs_checks
from proofs_checks import sections
from proofs_checks.report import page, records_of

INVENTORY = (Path(proofs_checks.__file__).parent / "inventory.txt").read_text(encoding="utf-8").split()
CLAIMS = [claim for _, claims in sections() for claim in claims]


@pytest.fixture(scope="module")
def html(rows) -> str:
    return page(records_of(sections(), list(rows.values())))


@pytest.mark.parametrize("name", [claim.id for claim in CLAIMS])
def test_row(name, rows):
    """The printed form gets the expected verdict; the amended form is proved; an instance satisfies the hypotheses;
    every mutant is refuted at a point."""
    row = rows[name]
    assert not row.problems
    assert row.as_expected
    for mutant, verdict in (row.mutants or {}).items():
        assert verdict.status == "refuted", mutant
        assert verdict.witness is not None, mutant
        assert verdict.witness.point, mutant


def test_statement_map(html):
    """Every statement of the paper's inventory has one claim, and every claim a row of the report and its source."""

    anchors: set[str | None] = set()

    class Anchors(HTMLParser):
        def handle_starttag(self, tag, attrs):
            anchors.add(dict(attrs).get("id"))

    Anchors().feed(html)
    ids = [claim.id for claim in CLAIMS]
    assert len(ids) == len(set(ids))
    assert set(INVENTORY) <= set(ids)
    assert set(ids) <= anchors
    assert html.count("The check itself") == len(ids)


def test_every_proved_claim_has_a_mutant():
    """A check that nothing can fail says nothing (the same is asked of refuted claims, for their amended form)."""
    assert [c.id for c in CLAIMS if c.expected in ("proved", "refuted") and not c.mutants] == []
