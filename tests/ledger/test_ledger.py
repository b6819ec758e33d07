"""The whole ledger, run once as `fedmm verify --mutants` runs it, and every row of it looked at."""

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from fedmm_edu.errors import InvalidInput
from proofs_checks import index, sections
from proofs_checks.appendix_d_lemmas import claims as lemmas
from proofs_checks.index import listed
from proofs_checks.report import page, records_of
from proofs_checks.report.records import source_of
from proofs_checks.runner import Row, run
from tests.ledger.words import folders

INVENTORY = Path(__file__).with_name("inventory.txt").read_text(encoding="utf-8").split()
CLAIMS = [claim for _, claims in sections() for claim in claims]


STOPS = [
    *(c.id for c in lemmas.CLAIMS if not c.id.startswith(("lem2", "prop2-X", "eq46"))),
    "thm1-A", "thm1-B-combination", "thm1-B-line4", "a0-sum",
    "A3", "A3-past", "alg2-unbiased", "alg2-reduces", "noise-nb", "leaves-S-cv",
]  # fmt: skip
"""Rows whose certificate fails for a false form by itself, beside the witness."""


@pytest.fixture(scope="module")
def rows(request) -> dict[str, Row]:
    """The rows by id, each judged once, as `fedmm verify --mutants` does; only those that the chosen tests look at."""
    here = [item for item in request.session.items if item.path == request.path and "rows" in item.fixturenames]
    names = [item.callspec.params.get("name") if hasattr(item, "callspec") else None for item in here]
    return {row.claim.id: row for row in run([c for c in CLAIMS if None in names or c.id in names], mutants=True)}


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


@pytest.mark.parametrize("name", STOPS)
def test_the_proof_of_a_false_form_fails_by_itself(name, rows):
    """Beside the exact witness, the evidence says where the certificate, or the derivation, of the false form stops."""
    for verdict in rows[name].mutants.values():
        assert any("the derivation stops" in step.claim or "fails" in step.claim for step in verdict.evidence)


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
    assert {source_of(claim.check) for claim in CLAIMS} <= anchors


def test_every_proved_claim_has_a_mutant():
    """A check that nothing can fail says nothing (the same is asked of refuted claims, for their amended form)."""
    assert [c.id for c in CLAIMS if c.expected in ("proved", "refuted") and not c.mutants] == []


def test_ids_are_known_before_any_row_is_imported():
    """The list is that of the rows; what no row is called is told at once, by either command, with what is near."""
    assert listed() == folders()
    assert list(listed()) == sorted(claim.id for claim in CLAIMS)
    code = "import sys; from fedmm_edu.cli import main; print(main(sys.argv[1:]), 'sympy' in sys.modules)"
    for command in (["verify", "lem44"], ["verify", "lem4", "lem44"], ["certificate", "show", "lem44"]):
        told = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
        assert told.stdout == "2 False\n", command
        assert "no statement has the id 'lem44': did you mean lem4" in told.stderr


def test_an_id_that_is_not_listed_yet_is_looked_for_in_the_sources(monkeypatch):
    """A new row, or one of a new model, can be judged before the list is written anew."""
    monkeypatch.setattr(index, "listed", lambda: {"prop2": "appendix_d_theorem"})
    index.require_listed(["prop2", "lem4", "own-any-step", "example-toy-new"])
    with pytest.raises(InvalidInput, match="no statement has the id 'prop22': did you mean prop2"):
        index.require_listed(["lem4", "prop22"])
