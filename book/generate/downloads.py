"""Each lesson as a notebook to download, and as one without the solutions of its exercises."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import jupytext
from nbformat import NotebookNode

from book.generate.launch import LITE, Place
from book.generate.text import table
from book.generate.tree import ROOT, Tree

PDF = "download/course.pdf"
"""Where `book.generate.course` puts it."""
SOLUTION = re.compile(r"^\s*# Solution", re.MULTILINE)
SOLUTIONS_IN_TEXT = re.compile(r"(?ms)^(`{3,}|:{3,})\{admonition\} Solutions?\n.*?^\1\s*$\n?")
"""How a lesson marks a solution: a code cell with this comment, or a folded block of text."""

LIVE = """\
**In the browser**: JupyterLab with a Python that runs in your browser. Running a cell loads Python and its packages
from the network, tens of megabytes; no other page of this site asks for anything elsewhere. z3, cvc5 and PyTorch have
no build for the browser: cells that need them stop there, in lessons 7 and 10 most of them.
"""


def lessons() -> list[Path]:
    """The lessons, in their order."""
    return sorted((ROOT / "notebooks").glob("[0-9]*.md"))


def title(lesson: Path) -> str:
    """The first heading of a lesson."""
    return next(line[2:] for line in lesson.read_text(encoding="utf-8").splitlines() if line.startswith("# "))


def without_solutions(notebook: NotebookNode) -> NotebookNode:
    """The notebook less its solutions: what is left is to be filled in."""
    kept = [cell for cell in notebook.cells if not (cell.cell_type == "code" and SOLUTION.search(cell.source))]
    for cell in kept:
        if cell.cell_type == "markdown":
            cell.source = SOLUTIONS_IN_TEXT.sub("", cell.source)
    notebook.cells = kept
    return notebook


def add_downloads(tree: Tree, places: Sequence[Place], pdf: bool = False) -> None:
    """Write the notebooks below `extra/download`, and their page: where they run; with `pdf`, the course on paper."""
    rows = []
    for lesson in lessons():
        notebook = jupytext.read(lesson)
        tree.write(f"extra/download/{lesson.stem}.ipynb", _text(notebook))
        tree.write(f"extra/download/{lesson.stem}_exercises.ipynb", _text(without_solutions(notebook)))
        links = (
            f'<a href="download/{lesson.stem}{end}.ipynb" download>{what}</a>'
            for end, what in (("", "with solutions"), ("_exercises", "exercises only"))
        )
        runs = (place.link(lesson.stem) for place in places)
        rows.append([f"[{title(lesson)}](lessons/{lesson.stem}.md)", *links, *runs])
    lead = (
        "# Downloads\n\nEach lesson as a Jupyter notebook, and the same without the solutions of its exercises. They "
        "need the package: in a copy of the project, `make lab` or `pip install '.[lab,transport]'`; lesson 10 "
        "computes with PyTorch. Any page prints readably: menus and buttons stay off the paper.\n"
    )
    data = (
        '## Data\n\n- <a href="report/verdicts.json" download>verdicts.json</a>: every row of the ledger with its '
        "evidence\n"
        '- <a href="report/index.html">the whole ledger on one page</a>, which any browser reads without this site\n'
    )
    paper = f'\n**On paper:** <a href="{PDF}" download>the course as one PDF</a>, with contents to click.\n'
    whole = paper if pdf else ""
    head = ["lesson", "notebook", "to fill in", *("runs" for _ in places)]
    tree.write("downloads.md", "\n".join([lead, whole, LIVE if LITE in places else "", table(head, rows), data]))


def _text(notebook: NotebookNode) -> str:
    return jupytext.writes(notebook, fmt="ipynb") + "\n"
