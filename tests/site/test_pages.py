"""What is generated says what its source says: rows, map, contents, downloads."""

import json
from pathlib import Path

import jupytext
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from book.generate.chain import ASSUMPTIONS, READ, ROWS, chain, ranks, sources
from book.generate.chain_map import draw, places, statement
from book.generate.downloads import lessons, without_solutions
from book.generate.examples import LONG, abbreviated
from book.generate.ledger import corrections, ledger_pages, line_ranges, page_of, section_page
from book.generate.text import myst, slug
from book.generate.toc import toc
from book.generate.tree import Tree
from fedmm_edu.examples import examples
from fedmm_edu.proofs.verdict import Step, Witness, proved, refuted
from proofs_checks import sections
from proofs_checks.report.markup import rich
from proofs_checks.report.records import record_of
from proofs_checks.runner.run import Row
from tests.ledger import sample_ledger

HOSTILE = "<script>alert(1)</script> *a* [b](c) | d_e"


@pytest.fixture
def records():
    """A proved row and a refuted one with its amendment, with hostile texts."""
    square, amgm = sample_ledger.GOOD
    point = Witness({"x": "1/2"}, HOSTILE)
    good, bad = proved("identity", Step("$x^2 \\ge 0$", HOSTILE)), refuted("evaluation", point, Step(HOSTILE, "so"))
    return [
        record_of("Part 1: squares", Row(square, good, mutants={"b = 1": bad}, non_vacuity=point)),
        record_of("Part 1: squares", Row(amgm, bad, amended=good, mutants={"4": bad}, non_vacuity=point)),
    ]


def test_a_row_has_its_anchor_statement_verdict_witness_and_source(records):
    text = section_page("Part 1: squares", records)
    for record in records:
        assert f'<span id="{record["id"]}"' in text
        assert myst(record["statement"]) in text
        assert f'href="../source/{record["source"].partition(":")[0]}.html#L-' in text
    assert "✗ false" in text
    assert "> for all $\\theta$ we have" in text
    assert "**Amended, and proved:**" in text
    assert "<script>alert" not in text


def test_corrections_lead_to_rows(records):
    """One entry for the refuted row, with the role that becomes a link."""
    text = corrections(records)
    assert text.count("{row}`") == 1
    assert records[1]["id"] in text


def test_ledger_has_a_page_for_each_section(records):
    assert {"ledger/part-1.md", "ledger/index.md", "ledger/corrections.md", "ledger/lines.md"} == set(
        ledger_pages(records)
    )
    assert page_of(records[0]) == "ledger/part-1"


def test_sections_of_the_ledger_have_pages_of_their_own():
    """No two titles share a file."""
    names = [slug(title) for title, _ in sections()]
    assert len(set(names)) == len(names)


@given(st.text(st.sampled_from("*_[]()<>#|{}~^!&;\\ab1.-:/ é∈"), min_size=1).filter(lambda text: text == text.strip()))
def test_words_are_taken_literally(text):
    """Text without formulas and code reads as it was written, whatever Markdown would make of it."""
    inline = MarkdownIt("commonmark").parseInline(myst(text))[0].children
    assert all(token.type == "text" for token in inline or ())
    assert "".join(token.content for token in inline or ()) == text


def test_formulas_and_code_stay():
    assert myst(r"a_b $x_1 * y$ and `c_d*`") == r"a\_b $x_1 * y$ and `c_d*`"


def test_line_ranges():
    assert list(line_ranges("L 685, L 1242-1266")) == [(685, 685), (1242, 1266)]


def test_the_map_is_what_the_certificates_use():
    """Theorem 1 (B) rests on Propositions 2 to 4, (A) on 2 and 3; no row rests on a later one; nothing is lost."""
    found = chain()
    rests = {row: {use.source for use in found.uses if use.row == row} for row in ROWS}
    assert rests["thm1-B"] == {"prop2", "prop3", "prop4"}
    assert rests["thm1-A"] == {"prop2", "prop3"}
    assert {"MM-1", "MM-2", "A7(i)", "A6(ii)", "cor2-i", "cor2-ii"} <= rests["prop2"]
    assert "A6(i)" in rests["prop4"]
    order = [*ASSUMPTIONS, *ROWS]
    assert all(order.index(source) < order.index(row) for row, some in rests.items() for source in some)
    assert {use.source for use in found.uses} >= set(ASSUMPTIONS)
    column = ranks(found.uses)
    assert all(column[use.source] < column[use.row] for use in found.uses)


def test_the_map_reads_every_wording():
    """Each pattern of `READ` reads something that a certificate says today: a dead one would hide a lost arrow."""
    whys = [use.why for use in chain().uses]
    for pattern, nodes in READ:
        assert any(set(nodes) <= set(sources(why)) for why in whys), pattern


def test_boxes_do_not_overlap_and_lead_to_rows():
    found = chain()
    place = list(places(found).values())
    assert all(abs(x - u) > 150 or abs(y - v) > 34 for k, (x, y) in enumerate(place) for u, v in place[:k])
    picture = draw(found, {row: f"ledger/{row}" for row in ROWS})
    assert picture.count("<a ") == len(ROWS) + len(ASSUMPTIONS)
    assert picture.count("<path ") == len(found.uses)


def test_theorem_1_is_stated_as_its_rows_have_it(records):
    """Statement and hypotheses of a proved row; of a refuted one the amended statement, with the printed one below."""
    proved_, refuted_ = ({**record, "id": row} for record, row in zip(records, ("thm1-A", "cor1"), strict=True))
    text = statement(proved_, "theorem")
    assert text.startswith("::::{prf:theorem} 1 (A) of the paper, {row}`thm1-A`\n")
    assert rich(proved_["statement"]) in text
    assert all(myst(hypothesis) in text for hypothesis in proved_["hypotheses"])
    assert "*Proved as printed.*" in text
    text = statement(refuted_, "corollary")
    amended, _, printed = text.partition("*Printed:*")
    assert rich(refuted_["amended"]["statement"]) in amended
    assert rich(refuted_["statement"]) in printed
    assert "*Refuted as printed.*" in text


@pytest.mark.parametrize("lesson", lessons(), ids=lambda path: path.stem)
def test_exercises_come_without_solutions(lesson):
    """No cell of the exercise notebook contains a solution, and every other cell is there."""
    before = jupytext.read(lesson)
    after = without_solutions(jupytext.read(lesson))
    left = "\n".join(cell.source for cell in after.cells)
    assert "olution of exercise" not in left
    assert ".confirm(" not in left
    assert "{admonition} Solution" not in left
    assert 0 < len(after.cells) <= len(before.cells)
    assert left.count(".check(None)") == "\n".join(cell.source for cell in before.cells).count(".check(None)")


def test_the_contents_take_what_is_there():
    """A new lesson and a new guide join, in the order of their names; an empty part is left out."""
    pages = {"lessons/12_new", "lessons/01_a", "howto/x", "many_machines", "figures/machines/scale"}
    parts = {part["caption"]: part["chapters"] for part in json.loads(toc(pages, ["ledger/one"]))["parts"]}
    assert parts["Lessons"] == [{"file": "lessons/01_a"}, {"file": "lessons/12_new"}]
    assert parts["How to"] == [{"file": "howto/x"}]
    assert parts["For the engineer"] == [{"file": "many_machines"}]
    assert {"file": "ledger/one"} in parts["What holds"][1]["sections"]
    assert not {"Figures to play with", "For the researcher", "For the teacher"} & set(parts)


def test_a_tree_holds_what_was_written_and_keeps_times(tmp_path):
    """An unchanged file is not touched, a leftover goes, a folder is copied without caches."""
    first = Tree(tmp_path / "out")
    first.write("a/b.md", "same")
    first.write("old.md", "old")
    time = (tmp_path / "out/a/b.md").stat().st_mtime_ns
    (tmp_path / "in/__pycache__").mkdir(parents=True)
    Path(tmp_path / "in/c.md").write_text("c", encoding="utf-8")
    Path(tmp_path / "in/__pycache__/d.pyc").write_text("d", encoding="utf-8")
    second = Tree(tmp_path / "out")
    second.write("a/b.md", "same")
    second.copy(tmp_path / "in", "new")
    second.prune()
    left = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert left == ["a/b.md", "new/c.md"]
    assert (tmp_path / "out/a/b.md").stat().st_mtime_ns == time


def test_long_formulas_name_what_they_repeat():
    """Put back, the parts give the formula; each rests on those before it only; a short formula stays."""
    shortened = 0
    for model in (model for example in examples() for model in example.models().values()):
        whole = sp.Matrix([model.at_tau(entry) for entry in model.S_bar])
        short, parts = abbreviated(whole)
        assert bool(parts) == (sp.count_ops(whole) > LONG)
        shortened += bool(parts)
        for k, part in enumerate(parts.values()):
            assert part.free_symbols <= whole.free_symbols | set(list(parts)[:k])
        for name, part in reversed(parts.items()):
            short = short.xreplace({name: part})
        assert isinstance(short, sp.Matrix)
        assert sp.simplify(short - whole) == sp.zeros(*whole.shape)
    assert shortened > 1
