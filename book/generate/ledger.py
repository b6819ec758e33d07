"""The ledger's pages: an overview, one page a section, what to correct in the paper, and from its lines to rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from book.generate.text import myst, raw, slug, table
from fedmm_edu.text.tables import MARKS
from proofs_checks.reading import Reading
from proofs_checks.report.letter import TO_AUTHORS, Correction, greeting, letter
from proofs_checks.report.markup import el
from proofs_checks.report.matrix import matrix
from proofs_checks.report.page import WORDS
from proofs_checks.report.records import Record, counts, of_paper, ours, readings, shown
from proofs_checks.report.row_page import body
from proofs_checks.typeset import typeset

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
    """What the words mean, and how many sentences of each there are in each section; ours apart."""
    words = table(
        ["reading", "sentences", "what it says"],
        ([_badge(reading.literal, reading.mark, reading.value), str(count), reading.means]
         for reading, count in readings(records).items()),
    )  # fmt: skip
    own = table(
        ["verdict", "rows of ours", "what it says"],
        ([_badge(status), str(count), WORDS[status]] for status, count in counts(ours(records)).items() if count),
    )
    parts = [(title, some) for title, some in sections.items() if of_paper(some)]
    by_section = table(
        ["section of the paper", *(f"{reading.mark} {reading.value}" for reading in Reading)],
        (
            [_link(title), *(str(count or "") for count in readings(some).values())]
            for title, some in filter(None, parts)
        ),
    )
    beside = [f"- {_link(title)}: {len(some)} rows" for title, some in sections.items() if ours(some)]
    lead = (
        f"# The ledger\n\n{len(of_paper(records))} rows are about sentences of the paper, and quote its words; "
        f"{len(ours(records))} are results of ours beside it. A program judged each one and says how it knows. A "
        "sentence of the paper is read word for word and, where that matters, with all that is in force around it:\n"
    )
    return "\n".join(
        [lead, words, INTRODUCTION, "## Section by section\n", by_section, "## Ours, beside the paper\n", own, *beside]
    )


def _link(title: str) -> str:
    return f"[{myst(title)}]({slug(title)}.md)"


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
        f"## `{record['id']}` {' '.join(shown(record))}\n",
        f"{place} · {record['method']}\n",
        *(f"> {myst(typeset(quote['text']))}\n" for quote in record["quote"]),
        f"{myst(record['statement'])}\n",
    ]
    if amended:
        lines.append(f"**Amended, and {amended['verdict']}:** {myst(amended['statement'])}\n")
    return "\n".join([*lines, raw(details)])


def corrections(records: Sequence[Record]) -> str:
    """The letter to the authors, what matters most first."""
    found = letter(records)
    parts = [f"# {TO_AUTHORS}\n", f"{myst(greeting(records, found))}\n"]
    for title, entries in found.items():
        parts += [f"## {title} ({len(entries)})\n", *map(_correction, entries)]
    return "\n".join(parts)


def _correction(entry: Correction) -> str:
    links = ", ".join(f"{{row}}`{row}`" for row in entry.rows)
    lines = [
        f"**{myst(entry.places)}** · {links} · {entry.reading.mark} {entry.reading.value}\n",
        f"- “{myst(entry.printed)}”",
        f"- *We would write:* {myst(entry.instead)}",
    ]
    if entry.by_hand:
        lines.append(f"- *By hand:* {myst(entry.by_hand)}")
    return "\n".join([*lines, ""])


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
            _badge(record["verdict"], *shown(record)),
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


def _badge(status: str, mark: str = "", word: str = "") -> str:
    return f"{{bdg-{_COLOURS[status]}}}`{mark or MARKS[status]} {word or status}`"


_COLOURS = {"proved": "success-line", "refuted": "danger-line", "supported": "info-line", "open": "secondary-line"}


def assumptions_page() -> str:
    """The matrix example × assumption, with A4 and A5 for messages and clients; each place is looked for anew."""
    lead = (
        "Which of A1 to A8 each example satisfies: the constant of what holds, the place at which what fails fails.\n"
    )
    return f"# Examples and assumptions\n\n{lead}" + raw(el("div", matrix(), class_="ledger"))
