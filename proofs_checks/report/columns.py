"""The columns of the table of verdicts, in a terminal and on the page: one entry each, and the page's widths in CSS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from fedmm_edu.text.plain import plain
from fedmm_edu.text.tables import MARKS, table, terminal_width
from proofs_checks.reading import Reading
from proofs_checks.report.markup import Html, el, join, rich
from proofs_checks.report.records import Record, of_paper, ours, shown


class Column(NamedTuple):
    """Its title, its share of a terminal's width, and what it says of a record in a terminal and on a page."""

    title: str
    share: int
    plain: Callable[[Record], str]
    html: Callable[[Record], Html]


def label(status: str, mark: str = "", word: str = "") -> Html:
    """A verdict by symbol, word and colour: none of the three is needed to read the other two."""
    symbol = el("span", mark or MARKS[status], aria_hidden="true")
    return el("span", symbol, f" {word or status}", class_=f"verdict {status}")


def label_of_reading(reading: Reading) -> Html:
    """The word for how a sentence of the paper fares."""
    return label(reading.literal, reading.mark, reading.value)


def _surprise(record: Record) -> Html | None:
    return None if record["as_expected"] else el("strong", "not as expected", class_="surprise")


def _place(record: Record) -> Html:
    return join(rich(record["where"]), f" · {record['lines']}" if record["lines"] else None)


COLUMNS = (
    Column("statement", 52, lambda record: f"{record['id']}\n{plain(record['statement'])}",
           lambda record: el("span", rich(record["statement"]), class_="statement")),
    Column("where", 20, lambda record: f"{plain(record['where'])}\n{record['lines']}".strip(),
           lambda record: el("span", _place(record), class_="where")),
    Column("verdict", 13,
           lambda record: " ".join(shown(record)) + ("" if record["as_expected"] else "\n(unexpected)"),
           lambda record: el("span", label(record["verdict"], *shown(record)), _surprise(record))),
    Column("how we know", 15, lambda record: record["method"],
           lambda record: el("span", record["method"], class_="method")),
)  # fmt: skip
"""In the order of a terminal; a page begins with the verdict."""
ON_PAGE = sorted(COLUMNS, key=lambda column: column.title != "verdict")


def verdict_table(records: Sequence[Record]) -> str:
    """The table as wide as the terminal: the paper's sentences, then results of ours under their own head."""
    parts = (("the paper's statement", of_paper(records)), ("ours, beside the paper", ours(records)))
    return "\n\n".join(_table(title, found) for title, found in parts if found)


def _table(title: str, records: Sequence[Record]) -> str:
    titles, shares = [column.title for column in COLUMNS], [column.share for column in COLUMNS]
    rows = [[column.plain(record) for column in COLUMNS] for record in records]
    return table([title, *titles[1:]], rows, columns=terminal_width(), shares=shares)
