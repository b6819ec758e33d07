"""The ledger's pages: an overview, one page a section, what to correct in the paper, and from its lines to rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from book.generate.text import myst, raw, slug, table
from fedmm_edu.text.tables import marked
from proofs_checks.report.markup import el
from proofs_checks.report.matrix import matrix
from proofs_checks.report.page import KINDS, WORDS
from proofs_checks.report.records import Record, counts
from proofs_checks.report.row_page import body

INTRODUCTION = """\
A **witness** is a point that you can check with pencil and paper. A **mutant** is a statement made false on purpose: a
check that cannot refute it would prove anything. The **non-vacuity** instance satisfies every hypothesis, so that the
statement is not true merely because nothing fulfils it. “L 391” is line 391 of the paper's LaTeX source.

All of it on <a href="../report/index.html">one page</a>, and as <a href="../report/verdicts.json">data</a>. Every row
is computed again by `fedmm verify ID --mutants`.
"""


def page_of(record: Record) -> str:
    """The document of a row's section, without suffix."""
    return f"ledger/{slug(record['section'])}"


def source_page(source: str) -> str:
    """The address, from the site's root, of a line of a source file: "proofs_checks/ledger.py:12"."""
    file, _, line = source.partition(":")
    return f"source/{file}.html" + (f"#L-{line}" if line else "")


def ledger_pages(records: Sequence[Record]) -> dict[str, str]:
    """The pages made from records, by the name of their file."""
    sections = {title: list(rows) for title, rows in groupby(records, key=lambda record: record["section"])}
    pages = {f"{page_of(rows[0])}.md": section_page(title, rows) for title, rows in sections.items()}
    return {
        "ledger/index.md": overview(records, sections),
        "ledger/corrections.md": corrections(records),
        "ledger/lines.md": lines_page(records),
        **pages,
    }


def overview(records: Sequence[Record], sections: dict[str, list[Record]]) -> str:
    """What a verdict is, and how many of each there are in each section."""
    found = counts(records)
    words = table(
        ["verdict", "rows", "what it says"],
        ([_badge(status), str(found[status]), WORDS[status]] for status in found),
    )
    rows = []
    for title, some in sections.items():
        each = counts(some)
        link = f"[{myst(title)}]({slug(title)}.md)"
        rows.append([link, *(str(each[status] or "") for status in each)])
    by_section = table(["section", *(marked(status) for status in found)], rows)
    lead = (
        "# The ledger\n\nEach row is one checkable statement of the paper, or one of ours beyond it. A program judged "
        "it and says how it knows. That answer, a verdict, is one of four words:\n"
    )
    return "\n".join([lead, words, INTRODUCTION, "## Section by section\n", by_section])


def section_page(title: str, rows: Sequence[Record]) -> str:
    """One section: each claim with statement, verdict, evidence, witness, amended statement, and its check's source."""
    return "\n".join([f"# {myst(title)}\n", *map(_row, rows)])


def _row(record: Record) -> str:
    place = myst(" · ".join(filter(None, (record["where"], record["lines"]))))
    href = f"../{source_page(record['source'])}"
    source = el("a", el("code", record["source"]), href=href)
    head = el("span", id=record["id"], class_="row-anchor")
    details = el(
        "details", el("summary", "Evidence, ", "witness, " * bool(record["witness"]), "mutants"),
        el("div", body(record, source), class_="body"), class_="ledger", data_row=record["id"],
    )  # fmt: skip
    amended = record["amended"]
    lines = [
        raw(head),
        f"## `{record['id']}` {marked(record['verdict'])}\n",
        f"{place} · {record['method']}\n",
        f"{myst(record['statement'])}\n",
    ]
    if amended:
        lines.append(f"**Amended, and {amended['verdict']}:** {myst(amended['statement'])}\n")
    return "\n".join([*lines, raw(details)])


def corrections(records: Sequence[Record]) -> str:
    """One entry per refuted row, what matters most first."""
    parts = [
        "# What to correct in the paper\n",
        "Every statement here fails as it is printed, at a witness in exact numbers; the amended statement is proved "
        "by the same check. What matters most comes first. The link leads to witness and proof.\n",
    ]
    for kind, title in KINDS.items():
        rows = [record for record in records if record["amended"] and record["amended"]["kind"] == kind]
        if rows:
            parts += [f"## {title} ({len(rows)})\n", *map(_correction, rows)]
    return "\n".join(parts)


def _correction(record: Record) -> str:
    amended, place = record["amended"], myst(f"{record['where']} · {record['lines']}".strip(" ·"))
    return (
        f"**{{row}}`{record['id']}`** · {place}\n\n"
        f"- *Printed:* {myst(record['statement'])}\n"
        f"- *Amended:* {myst(amended['statement'])}\n"
        f"- *Why it matters:* {myst(amended['matters'])}\n"
    )


def lines_page(records: Sequence[Record]) -> str:
    """From the lines of the paper's source to the rows that judge them, in the order of the paper."""
    placed = sorted(
        ((first, last, record) for record in records for first, last in line_ranges(record["lines"])),
        key=lambda entry: entry[:2],
    )
    rows = [
        [
            f"L {a}" if a == b else f"L {a}–{b}",
            f"{{row}}`{record['id']}`",
            _badge(record["verdict"]),
            myst(record["where"]),
        ]
        for a, b, record in placed
    ]
    lead = "# From the paper's lines to the rows\n\nLines are those of the paper's LaTeX source.\n"
    return "\n".join([lead, table(["lines", "row", "verdict", "place"], rows)])


def line_ranges(lines: str) -> Iterator[tuple[int, int]]:
    """The ranges that "L 685, L 1242-1266" names."""
    for first, last in re.findall(r"(\d+)(?:\s*[-–]\s*(\d+))?", lines):
        yield int(first), int(last or first)


def _badge(status: str) -> str:
    return f"{{bdg-{_COLOURS[status]}}}`{marked(status)}`"


_COLOURS = {"proved": "success-line", "refuted": "danger-line", "supported": "info-line", "open": "secondary-line"}


def assumptions_page() -> str:
    """The matrix example × assumption, with A4 and A5 for messages and clients; each place is looked for anew."""
    return "# Examples and assumptions\n" + raw(el("div", matrix(), class_="ledger"))
