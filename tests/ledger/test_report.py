"""The report: a page that any browser reads alone, and records that say the same."""

import json
import re
from html.parser import HTMLParser

import pytest

from fedmm_edu.symbolic.verdict import Step, Witness, proved, refuted
from proofs_checks.report.markup import MATH, VOID, el, formula, mathml, rich
from proofs_checks.report.page import page, write_report
from proofs_checks.report.records import counts, record_of, to_json
from proofs_checks.report.row_page import symbol
from proofs_checks.runner.judge import claims_of
from proofs_checks.runner.run import Row
from tests.ledger import sample_ledger

HOSTILE = "<script>alert('x')</script> & \"quotes\" $a < b$"


@pytest.fixture
def records():
    """A proved row, a refuted one with hostile texts, and an unexpected one."""
    square, amgm = sample_ledger.GOOD
    point = Witness({"x": "1/2", "<i>": HOSTILE}, HOSTILE)
    good = proved("identity", Step("$x^2 \\ge 0$", HOSTILE))
    bad = refuted("evaluation", point, Step(HOSTILE, "so"))
    return [
        record_of("Part <1>", Row(square, good, mutants={"b = 1": bad, "c = 0": bad}, non_vacuity=point)),
        record_of("Part <1>", Row(amgm, bad, amended=good, mutants={"4": good}, non_vacuity=point)),
        record_of("Part 2", Row(sample_ledger.ODD[-1], bad)),
    ]


class Walk(HTMLParser):
    """Checks balance while it collects ids, links and the text outside code, script and style."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.stack, self.ids, self.links, self.text, self.scripts = [], [], [], [], 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids.extend([found["id"]] if "id" in found else [])
        self.links.extend(value for key, value in attrs if key in ("href", "src", "srcset", "action"))
        self.scripts += tag == "script"
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if not {"code", "script", "style"} & set(self.stack):
            self.text.append(data)


def test_page_is_balanced_self_contained_and_escaped(records):
    """Every element closes, nothing is fetched from elsewhere, and no text becomes an element."""
    text = page(records, notice=HOSTILE)
    walk = Walk(text)
    assert walk.stack == []
    assert walk.scripts == 1
    assert all(link.startswith("#") for link in walk.links)
    assert not re.search(r"https?:|url\(|@import", text)
    assert "<script>alert" not in text


def test_every_row_has_an_anchor_and_every_link_a_target(records):
    """An id occurs once, and each link leads to one."""
    walk = Walk(page(records))
    assert len(walk.ids) == len(set(walk.ids))
    assert {record["id"] for record in records} <= set(walk.ids)
    assert {link[1:] for link in walk.links} <= set(walk.ids)


def test_every_formula_is_rendered(records):
    """No dollar sign is left where a reader would see it."""
    assert "$" not in "".join(Walk(page(records)).text)


def test_page_shows_the_repair_and_the_surprise(records):
    """A refuted row shows printed, witness and amended; an unexpected one heads the page with its reason."""
    seen = "".join(Walk(page(records)).text)
    for text in ("What to correct in the paper", "2 in place of 3", "the bound is used at", "Not as expected"):
        assert text in seen
    assert "expected proved, found refuted (evaluation)" in seen


def test_json_holds_every_field(records, tmp_path):
    """What is written is what was found, under the names that other programs rely on."""
    write_report(tmp_path / "deep" / "folder", records)
    found = json.loads((tmp_path / "deep" / "folder" / "verdicts.json").read_text(encoding="utf-8"))
    assert found == records
    first, second, third = found
    assert (first["mutants_run"], first["mutants_refuted"]) == (2, 2)
    assert second["amended"]["verdict"] == "proved"
    assert second["mutants_refuted"] == 0
    assert not second["as_expected"]
    assert first["source"].startswith("tests/ledger/sample_ledger.py:")
    assert third["non_vacuity"]["found"] is False
    assert counts(found) == {"proved": 1, "refuted": 2, "supported": 0, "open": 0}


def test_records_do_not_depend_on_anything_but_the_rows(records):
    """The same rows give the same text."""
    assert to_json(records) == to_json(json.loads(to_json(records)))


@pytest.mark.parametrize("latex", [r"\frac{1", r"\nosuchcommand x", r"x}"])
def test_a_formula_that_does_not_convert_is_shown_as_code(latex):
    """Half a formula, or one with an unknown command, is never shown as if it were right."""
    assert mathml(latex) is None
    assert formula(latex) == el("code", latex)


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("theta", "θ"),
        ("theta_{t+1}", "θt+1"),
        ("s_1", "s1"),
        ("s'", "s′"),
        ("gap", "gap"),
        ("E_1 of it", "E_1 of it"),
    ],
)
def test_a_variable_is_shown_as_the_paper_writes_it(name, seen):
    """Names of variables are formulas; other names are text, as they are."""
    assert "".join(Walk(symbol(name)).text) == seen


def test_punctuation_stays_with_its_formula():
    """No line of the page begins with a full stop."""
    assert rich("if $x$, $y$.").count('class="tight"') == 2
    assert "".join(Walk(rich("if $x = 1$.")).text) == "if x=1."


def test_a_dollar_can_be_written():
    """An escaped dollar sign is no formula."""
    assert rich(r"costs \$5 or \$6") == "costs $5 or $6"


def renders(text):
    """Whether each formula of `text` becomes MathML and no dollar sign is left over."""
    pieces = MATH.split(text)
    return "$" not in "".join(pieces[::2]) and all(mathml(latex) is not None for latex in pieces[1::2])


def test_every_formula_of_the_ledger_converts():
    """The page shows each $…$ of the real ledger as a formula, not as source."""
    for name, claim in claims_of("proofs_checks").items():
        amended = claim.amended
        texts = [claim.where, claim.statement, claim.note, *claim.hypotheses, *claim.mutants]
        texts += [amended.statement, amended.differs, amended.matters] if amended else []
        assert [text for text in texts if not renders(text)] == [], name
