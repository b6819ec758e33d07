"""The whole source of the site, put together in `book/_build/source`."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import groupby

from book.generate.api import api_pages
from book.generate.campaigns import campaigns_page
from book.generate.chain import chain
from book.generate.chain_map import chain_page
from book.generate.checker import TITLE, add_checker
from book.generate.computed import REPORT, kept, verdicts
from book.generate.downloads import add_downloads, lessons
from book.generate.examples import example_pages
from book.generate.exercises import with_directives
from book.generate.found import CARD, PICTURE, add_deployed, home_of_site
from book.generate.glossary import glossary_page
from book.generate.home import home_page
from book.generate.hours import with_hour
from book.generate.launch import launch_places, with_launch
from book.generate.ledger import assumptions_page, ledger_pages, page_of
from book.generate.literature import literature_page
from book.generate.pictures import make_pictures
from book.generate.relatives import relatives_page
from book.generate.sources import source_pages
from book.generate.timings import timings_page
from book.generate.toc import toc
from book.generate.tree import BOOK, BUILD, ROOT, Tree
from book.generate.vendor import SITE, fetch
from book.generate.worst_cases import worst_cases_page
from proofs_checks.report.records import Record

GENERATED = ("_build", "generate", "teaching", "__pycache__", "checker", "checker.md", "index.md")
"""What lies in `book/` and is no page of the site, or not as it stands."""
RAW = {"idea": "extra/pictures/", "favicon": "extra/"}
"""Pictures that are asked for by raw HTML or by the browser itself: copied as they are."""


def assemble(lite: bool = False, pdf: bool = False) -> Tree:
    """Write the sources, with links to live lessons and to a PDF if wanted; what has not changed keeps its time."""
    tree = Tree(BUILD / "source")
    for path in sorted(BOOK.iterdir()):
        if path.name not in GENERATED and path.suffix != ".py":
            tree.copy(path)
    for path in sorted((BOOK / "teaching").glob("*.md")):
        tree.write(f"teaching/{path.name}", with_hour(path.read_text(encoding="utf-8")))
    tree.write("index.md", home_page())
    records = verdicts()
    ids = {record["id"] for record in records}
    places = launch_places(lite)
    for lesson in lessons():
        text = with_directives(lesson.read_text(encoding="utf-8"), lesson.name[:2])
        tree.write(f"lessons/{lesson.name}", with_launch(linked(text, ids), lesson.stem, places))
    for package in SITE:
        for file in fetch(package).iterdir():
            if file.name != "integrity":
                tree.copy(file, f"vendor/{file.name}")
    for name, text in _generated(records).items():
        tree.write(name, text)
    for name, text in source_pages().items():
        tree.write(f"extra/source/{name}", text)
    for name in ("index.html", "verdicts.json"):
        tree.copy(REPORT / name, f"extra/report/{name}")
    tree.copy(PICTURE, f"extra/{CARD}")
    add_checker(tree)
    _pictures(tree)
    add_downloads(tree, places, pdf)
    tree.write("static/ledger.css", _row_style())
    pages = {str(path.relative_to(tree.folder).with_suffix("")) for path in tree.written if path.suffix == ".md"}
    add_deployed(tree, pages, home_of_site())
    tree.write("_toc.yml", toc(pages, [page for page, _ in groupby(records, key=page_of)]))
    tree.prune()
    return tree


def linked(lesson: str, ids: Collection[str]) -> str:
    """The lesson with links to the rows in its list of them, and to the checker: in JupyterLab they lead nowhere."""

    def with_links(paragraph: re.Match[str]) -> str:
        return re.sub(r"`([^`]+)`", lambda name: f"{{row}}{name[0]}" if name[1] in ids else name[0], paragraph[0])

    lesson = lesson.replace(f"*{TITLE}*", f"[{TITLE}](../checker.md)")
    return re.sub(r"(?ms)^\*\*Rows of the ledger:\*\*.*?(?=\n\n|\Z)", with_links, lesson)


def _generated(records: list[Record]) -> dict[str, str]:
    """The pages made from records, certificates, models and docstrings."""
    by_id = {record["id"]: record for record in records}
    return {
        **kept(
            "models",
            lambda: {
                **example_pages(),
                "theorem1.md": chain_page(chain(), by_id),
                "ledger/assumptions.md": assumptions_page(),
            },
        ),
        **kept("reference", lambda: {**api_pages(), "glossary.md": glossary_page()}),
        "literature.md": literature_page(),
        "campaigns.md": campaigns_page(),
        "relatives.md": relatives_page(),
        "timings.md": timings_page(),
        "worst_cases.md": worst_cases_page(),
        **ledger_pages(records),
    }


def _pictures(tree: Tree) -> None:
    folder = BUILD / "computed" / "pictures"
    kept("pictures", lambda: make_pictures(folder) or {})
    for file in sorted(folder.iterdir()):
        tree.copy(file, f"{RAW.get(file.stem, 'pictures/')}{file.name}")
    tree.copy(ROOT / "benchmarks" / "figure.png", "pictures/benchmarks.png")
    tree.copy(ROOT / "benchmarks" / "history.png", "pictures/benchmarks_history.png")


def _row_style() -> str:
    """The style of the report's rows, inside elements of the class `ledger` only."""
    rows = (ROOT / "proofs_checks" / "report" / "rows.css").read_text(encoding="utf-8")
    return f".ledger {{\n{rows}}}\n"
