"""The report: a page that any browser reads alone, and records that say the same."""

import base64
import hashlib
import json
import re
from argparse import Namespace
from html.parser import HTMLParser

import numpy as np
import pytest

from fedmm_edu.examples import examples
from fedmm_edu.federation import Bernoulli, CustomLaw, FixedSize, Identity, RandK
from fedmm_edu.proofs.verdict import Step, Witness, proved, refuted
from proofs_checks.commands.verify import report
from proofs_checks.report import matrix as matrices
from proofs_checks.report.laws import judge_compressor, judge_participation
from proofs_checks.report.markup import MATH, VOID, el, formula, mathml, rich
from proofs_checks.report.page import page, write_report
from proofs_checks.report.records import counts, record_of, to_json
from proofs_checks.runner.judge import claims_of
from proofs_checks.runner.run import Row
from proofs_checks.typeset import variable
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
        record_of("Part <1>", Row(amgm, bad, amended=good, charitable=bad, mutants={"4": good}, non_vacuity=point)),
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


def test_the_page_runs_its_own_script_and_no_other(records):
    """What the policy allows are the hashes of its one script and its one style, as a browser takes them."""
    text = page(records)
    ((policy,),) = [re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)]
    for kind in ("script", "style"):
        (inside,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, flags=re.DOTALL)
        code = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{kind}-src &#x27;sha256-{code}&#x27;;" in policy
    assert policy.startswith("default-src &#x27;none&#x27;;")
    assert not re.search(r"<[^>]*\s(style|on[a-z]+)=", text)


def test_every_row_has_an_anchor_and_every_link_a_target(records):
    """An id occurs once, and each link leads to one."""
    walk = Walk(page(records))
    assert len(walk.ids) == len(set(walk.ids))
    assert {record["id"] for record in records} <= set(walk.ids)
    assert {link[1:] for link in walk.links} <= set(walk.ids)


def test_the_code_of_a_check_stands_once_and_its_rows_lead_to_it(records):
    """However many rows it judges."""
    text = page([*records, {**records[0], "id": "again"}])
    assert text.count(f'href="#{records[0]["source"]}"') > 1
    for record in records:
        assert text.count(f'<pre id="{record["source"]}">{el("code", record["code"])}</pre>') == 1


def test_every_formula_is_rendered(records):
    """No dollar sign is left where a reader would see it."""
    assert "$" not in "".join(Walk(page(records)).text)


def test_page_shows_the_repair_and_the_surprise(records):
    """A refuted row shows printed, witness and amended; an unexpected one heads the page with its reason."""
    seen = "".join(Walk(page(records)).text)
    for text in (
        "A letter to the authors",
        "The paper says",
        "Read charitably",
        "2 in place of 3",
        "the bound is used at",
        "Not as expected",
    ):
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
    assert (first["own"], first["reading"], second["reading"]) == (False, "holds", "false")
    assert second["quote"][0] == {
        "first": 12,
        "last": 13,
        "sha256": second["quote"][0]["sha256"],
        "text": "$3xy \\leq x^2\n+ y^2$",
    }
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
    assert "".join(Walk(rich(variable(name))).text) == seen


@pytest.mark.parametrize(
    ("latex", "has"),
    [
        (r"\sum_{t=1}^T a_t", '<munderover><mo movablelimits="true">∑</mo>'),
        (r"\prod_i a_i", '<munder><mo movablelimits="true">∏</mo>'),
        (r"a - \min f", 'lspace="0.167em" rspace="0.167em">min</mo>'),
        (r"\bar{S}", '<mover accent="true"><mi>S</mi><mo stretchy="false">¯</mo>'),
        (r"\hat{S}", '<mo stretchy="false">^</mo>'),
        ("f(x)", '<mo stretchy="false">(</mo>'),  # else it is drawn larger, whatever stands beside it
        (r"\left(\frac12\right)^2", "<mrow><mo>(</mo><mfrac>"),
        (r"\mathrm{prox}_g", "<mi>prox</mi>"),
        ("f(x^2)", '<mo stretchy="false">(</mo>'),
        (r"f(\sum x)", '<mo stretchy="false">(</mo>'),
        ("|x|/2", '<mo stretchy="false" lspace="0" rspace="0">|</mo><mo lspace="0" rspace="0">/</mo>'),
        ("(-x - y)", '<mo form="prefix">−</mo><mi>x</mi><mo>−</mo><mi>y</mi>'),
        ("a := -b", '<mo>:=</mo><mo form="prefix">−</mo>'),
        (r"-\infty", "<mi>∞</mi>"),
        (r"\widehat{S}", '<mo stretchy="true">^</mo>'),
        (r"\big\langle s, \phi\big\rangle", ">⟨</mo>"),
        ("\\begin{aligned}\n&a \\\\\n&\\quad + b\n\\end{aligned}", "text-align: left"),
    ],
)
def test_what_the_converter_leaves_is_mended(latex, has):
    """Limits of sums, spaces of operators and signs, brackets with a size, aligned lines."""
    assert has in (mathml(latex, display=True) or "")


def test_a_display_is_one_formula_and_a_line_may_break_within_text():
    apart, within = mathml("a = b + c", display=True), mathml("a = b + c")
    assert apart is not None
    assert within is not None
    assert (apart.count("<math"), within.count("<math")) == (1, 3)
    assert apart.startswith('<math display="block">')


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


@pytest.fixture(scope="module")
def found():
    """The rows of the matrix, once for all tests: they hunt through every example."""
    return list(matrices.rows())


@pytest.fixture
def assumptions(found):
    """The section on assumptions."""
    return matrices.matrix(found)


class Tables(HTMLParser):
    """The cells of each table, row by row."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables, self.inside = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("th", "td")

    def handle_data(self, data):
        if self.inside:
            self.tables[-1][-1][-1] += data


def test_the_matrix_has_a_row_for_each_case_and_a_column_for_each_assumption(assumptions):
    """No cell is empty, and the section is a part of the page like any other."""
    head, *body = Tables(assumptions).tables[0]
    assert head == ["example", *(f"A{k}" for k in range(1, 9))]
    assert [row[0] for row in body] == [f"{e.name}: {case}" for e in examples() for case in e.cases]
    for row in body:
        assert len(row) == 9
        assert all(cell.startswith(("✓ holds", "✗ fails")) for cell in row[1:4] + row[6:])
        assert row[4:6] == ["–", "–"]
    walk = Walk(page([], assumptions=assumptions))
    assert walk.stack == []
    assert walk.ids.count("assumptions") == 1
    assert "assumptions" not in Walk(page([])).ids


@pytest.mark.parametrize(
    ("ids", "notice", "ledger", "there"),
    [
        ([], "", "proofs_checks", True),
        (["mm1"], "", "proofs_checks", False),
        ([], "interrupted", "proofs_checks", False),
        ([], "", "tests.ledger.sample_ledger", False),
    ],
)
def test_only_a_whole_run_of_the_papers_ledger_shows_the_matrix(monkeypatch, tmp_path, ids, notice, ledger, there):
    """Other runs stay quick, and say nothing about the paper's examples."""
    monkeypatch.setattr(matrices, "matrix", lambda: el("section", id="assumptions"))
    args = Namespace(ids=ids, ledger=ledger, json=None, report=tmp_path)
    assert report(args, [], [], notice=notice) == 0
    assert ('<section id="assumptions">' in (tmp_path / "index.html").read_text(encoding="utf-8")) == there


def test_what_fails_in_the_matrix_has_a_reason_and_a_place(found):
    """Each cell without a bound was seen to be large at a place, which the page shows."""
    for row in found:
        assert {failure.name for failure in row.failures} == {name for name, c in row.cells.items() if not c.holds}
        shown = ["".join(Walk(line).text) for line in matrices._failures(row)]
        for failure, line in zip(row.failures, shown, strict=True):
            assert failure.seen >= (0.01 if failure.name == "A2" else 1e4)
            assert failure.cell.why in line
            assert re.search(r" at (s|θ) = \(.+\), (s'|τ) = \(.+\)", line)


def test_the_laws_of_messages_and_clients_are_judged(assumptions):
    """All compressors of the package satisfy A4; of the laws, those with independent and equal chances satisfy A5."""
    verdicts = {row[0]: row[2] for row in Tables(assumptions).tables[1][1:]}
    failing = {name for name, verdict in verdicts.items() if verdict != "✓ holds"}
    assert failing == {
        "FixedSize(1)", "FixedSize(2)", "CustomLaw: chances ½, ¼, ¼", "CustomLaw: all with chance ½, or none",
    }  # fmt: skip
    assert len(verdicts) == 13


def test_a_law_is_judged_by_what_it_does():
    """A biased compressor, an understated ω, a pair that is dependent although singles look right: none passes."""

    class Biased(Identity):
        def compress(self, x, draw):
            return 0.9 * x

    class Modest(RandK):
        def omega(self, q):
            return 2.9

    assert "off x" in judge_compressor(Biased()).why
    assert not judge_compressor(Modest(1)).holds
    assert judge_compressor(RandK(1)).why == "E‖Q(x) − x‖²/‖x‖² reaches 3 of ω = 3"
    assert judge_participation(Bernoulli(0.7), (0.7,)).why == "p = 0.7, independent"
    assert judge_participation(FixedSize(3), ()).holds  # all of three: p = 1
    assert judge_participation(FixedSize(1), ()).why.startswith("active clients {1, 2, 3} have chance 0;")

    def pairwise_independent(u):
        heads = u < 0.5
        return np.array([heads[0], heads[1], heads[0] != heads[1]])

    assert not judge_participation(CustomLaw(pairwise_independent, 0.5), (0.5,)).holds
