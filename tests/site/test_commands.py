"""What `python -m book` does besides building: optional parts say what they need, failed steps are named."""

import ast
import json
import re

import jupytext
import pytest

import book.__main__ as command
from book.__main__ import drop_old_outputs, drop_old_pages
from book.generate import computed, lite
from book.generate.computed import kept
from book.generate.downloads import PDF, add_downloads, lessons
from book.generate.launch import launch_places, with_launch
from book.generate.source import linked
from book.generate.tree import Tree
from fedmm_edu.errors import FedMMError, MissingExtra


def test_pages_without_a_source_go(tmp_path):
    """Sphinx leaves the pages of deleted sources; what it makes itself, and what is copied as it is, stays."""
    tree, html = Tree(tmp_path / "source"), tmp_path / "html"
    for name in ("index.md", "api/new.md", "extra/source/a.py.html"):
        tree.write(name, "")
    stay = {"index.html", "api/new.html", "source/a.py.html", "search.html", "searchindex.js", "_static/x.html"}
    for name in (*stay, "api/old.html", "source/b.py.html", "lessons/old.woff2", "lite/index.html"):
        (html / name).parent.mkdir(parents=True, exist_ok=True)
        (html / name).touch()
    drop_old_pages(html, tree)
    assert {str(path.relative_to(html)) for path in html.rglob("*") if path.is_file()} == stay


def test_what_cells_have_shown_goes_when_the_code_changes(tmp_path, monkeypatch):
    """The caches of outputs know the text of cells, not the package that they call."""
    monkeypatch.setattr(command, "BUILD", tmp_path)
    for code, stays in (("one", False), ("one", True), ("two", False)):
        for folder in (".jupyter_cache", ".doctrees", "vendor"):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / "output").touch()
        monkeypatch.setattr(command, "key", lambda paths, code=code: code)
        drop_old_outputs()
        assert (tmp_path / ".jupyter_cache" / "output").exists() == stays
        assert (tmp_path / ".doctrees" / "output").exists() == stays
        assert (tmp_path / "vendor" / "output").exists()


def test_lessons_link_to_the_rows_that_they_list():
    """Only in that paragraph, and only what is the name of a row."""
    lesson = "See `A5`.\n**Rows of the ledger:** `A5` and\n`x`; `A4`.\n\n`A5` again"
    expected = "See `A5`.\n**Rows of the ledger:** {row}`A5` and\n`x`; {row}`A4`.\n\n`A5` again"
    assert linked(lesson, {"A4", "A5"}) == expected


def test_a_live_lesson_says_what_it_needs_and_loads_it_first():
    """The browser's kernel by its name, so that no dialog asks; then all cells of the lesson as they are."""
    before = lessons()[4]
    made = lite.for_browser(jupytext.read(before))
    assert made.metadata["kernelspec"]["name"] == "python"
    note, load, *rest = made.cells
    assert "Without a network" in note.source
    compile(load.source, "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert [cell.source for cell in rest] == [cell.source for cell in jupytext.read(before).cells]


def test_live_lessons_are_listed_where_they_are_built(tmp_path):
    """The default site leads to no live lesson, and to no PDF."""
    for live in (False, True):
        tree = Tree(tmp_path / str(live))
        add_downloads(tree, launch_places(live, ""), pdf=live)
        page = (tree.folder / "downloads.md").read_text(encoding="utf-8")
        assert page.count("lite/lab/index.html?path=") == len(lessons()) * live
        assert page.count(PDF) == live


def test_a_deployment_names_where_lessons_run():
    """Each place is a link below the title, with the lesson's name in its address; what is no address is refused."""
    given = "Binder=https://hub.example/v2/gh/o/r/main?urlpath=lab/tree/notebooks/{lesson}.md Our_hub=http://h/{lesson}.ipynb"
    places = launch_places(True, given)
    shown = with_launch("---\nx: 1\n---\n# Title\n\nText.", "05_aggregate_where", places)
    assert re.findall(r'href="([^"]*)">([^<]*)<', shown) == [
        ("../lite/lab/index.html?path=05_aggregate_where.ipynb", "in the browser"),
        ("https://hub.example/v2/gh/o/r/main?urlpath=lab/tree/notebooks/05_aggregate_where.md", "Binder"),
        ("http://h/05_aggregate_where.ipynb", "Our hub"),
    ]
    assert shown.index("# Title") < shown.index("Run this lesson") < shown.index("Text.")
    assert with_launch("# Title\n", "x", launch_places(False, "")) == "# Title\n"
    for wrong in (
        "Binder",
        "=https://h/{lesson}",
        "Binder=javascript://h/{lesson}",
        "Binder=https://h/x",
        "B=/{lesson}",
    ):
        with pytest.raises(FedMMError, match="FEDMM_LAUNCH has"):
            launch_places(False, wrong)


def test_live_kernels_name_their_extra(monkeypatch):
    monkeypatch.setattr(lite, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"fedmm-edu\[lite\]"):
        lite.require_lite()


def test_pages_are_kept_until_the_code_changes(tmp_path, monkeypatch):
    """The same code: not made again. Other code, or a damaged file: made again."""
    monkeypatch.setattr(computed, "BUILD", tmp_path)
    now = ["one"]
    monkeypatch.setattr(computed, "key", lambda paths: now[0])
    made = []
    for state, times in (("one", 1), ("one", 1), ("two", 2)):
        now[0] = state
        assert kept("pages", lambda: made.append(1) or {"a.md": "text"}) == {"a.md": "text"}
        assert len(made) == times
    (tmp_path / "computed" / "pages.json").write_text('{"digest": "two"', encoding="utf-8")
    assert kept("pages", lambda: made.append(1) or {"a.md": "new"}) == {"a.md": "new"}


def test_a_ledger_with_surprises_stops_the_build(tmp_path, monkeypatch):
    """An unexpected verdict is an error with the command's last lines."""

    class Failed:
        returncode, stdout = 1, "1 of 314 rows are not as expected"

    monkeypatch.setattr(computed, "REPORT", tmp_path)
    monkeypatch.setattr(computed.subprocess, "run", lambda *args, **kwargs: Failed)
    with pytest.raises(FedMMError, match="not as expected"):
        computed.verdicts()
    Failed.returncode = 0
    (tmp_path / "verdicts.json").write_text(json.dumps([{"id": "x"}]), encoding="utf-8")
    assert computed.verdicts() == [{"id": "x"}]
