"""The report: `verdicts.json` and one self-contained page that a student can read without a network."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from fedmm_edu.files import write_text
from fedmm_edu.text.tables import marked
from proofs_checks.report.columns import ON_PAGE, label
from proofs_checks.report.markup import Html, el, item, join, rich
from proofs_checks.report.records import Record, counts, to_json
from proofs_checks.report.row_page import row

TITLE = "What holds in “Federated Majorize-Minimization: Beyond Parameter Aggregation”"
WORDS = {
    "proved": "The statement holds. The evidence is exact (an identity, a sign argument, a certificate, a derivation) "
    "and a program has checked it.",
    "refuted": "The statement fails as it is printed. The evidence is a witness: a point, in exact numbers, at which "
    "its hypotheses hold and its claim does not. An amended statement stands beside it, and is proved.",
    "supported": "No counterexample turned up where we looked, but this is numbers, not a proof.",
    "open": "Neither proved nor refuted here.",
}
KINDS = {
    "result": "A result or an algorithm, as a reader would use it, changes",
    "hypothesis": "A hypothesis is missing",
    "formula": "A formula is wrong",
    "wording": "The wording is off",
}


def write_report(
    folder: str | Path, records: Sequence[Record], *, notice: str = "", assumptions: Html | None = None
) -> Path:
    """Write `index.html` and `verdicts.json` into `folder`; the path of the page.

    `notice` heads the page; `assumptions`, the section made by `matrix()`, follows the corrections.
    """
    write_text(Path(folder) / "verdicts.json", to_json(records))
    return write_text(Path(folder) / "index.html", page(records, notice=notice, assumptions=assumptions))


def page(records: Sequence[Record], *, notice: str = "", assumptions: Html | None = None) -> str:
    """The whole page as HTML text."""
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", TITLE),
        el("style", _asset("rows.css"), _asset("report.css")),
    )
    body = el(
        "body",
        el("header", el("h1", TITLE), _notice(notice), _introduction(records)),
        el("main", _unexpected(records), _corrections(records), assumptions, _controls(records), _sections(records)),
        el("script", _asset("report.js")),
    )
    return "<!doctype html>\n" + el("html", head, body, lang="en") + "\n"


def _asset(name: str) -> Html:
    """A file beside this one, as it is: style and script elements hold raw text."""
    return Html(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def _notice(text: str) -> Html | None:
    return el("p", text, class_="notice", role="status") if text else None


def _introduction(records: Sequence[Record]) -> Html:
    found = counts(records)
    return join(
        el(
            "p",
            "Each row below is one checkable statement of the paper. A program judged it and says how it knows. "
            "That answer, a verdict, is one of four words:",
        ),
        el("dl", *(_word(status, found[status]) for status in found), class_="words"),
        el(
            "p",
            "Open a row to see the statement with its hypotheses and the evidence, step by step. A ",
            el("dfn", "witness"),
            " is a point you can check with pencil and paper. A ",
            el("dfn", "mutant"),
            " is the same statement made false on purpose: a check that cannot refute it would prove anything. The ",
            el("dfn", "non-vacuity"),
            " instance satisfies every hypothesis, so the statement is not true merely because nothing fulfils it.",
        ),
        el("p", "“L 391” is line 391 of the paper's LaTeX source.", class_="small"),
    )


def _word(status: str, count: int) -> Html:
    return el("div", el("dt", label(status), el("b", str(count), class_="count")), el("dd", WORDS[status]))


def _unexpected(records: Sequence[Record]) -> Html | None:
    rows = [record for record in records if not record["as_expected"]]
    if not rows:
        return None
    items = (
        item(el("a", record["id"], href=f"#{record['id']}"), ": ", rich("; ".join(record["problems"])))
        for record in rows
    )
    return el("section", el("h2", "Not as expected"), el("ul", *items), id="unexpected", class_="unexpected")


def _corrections(records: Sequence[Record]) -> Html | None:
    """One line per refuted row, by what it touches and then in the order of the paper."""
    rows = [record for record in records if record["verdict"] == "refuted" and record["amended"]]
    if not rows:
        return None
    groups = []
    for kind, title in KINDS.items():
        lines = [_correction(record) for record in rows if record["amended"]["kind"] == kind]
        if lines:
            groups.append(join(el("h3", f"{title} ({len(lines)})"), el("ol", *lines)))
    text = "Printed → amended; what matters most comes first. Each line leads to its witness."
    return el("section", el("h2", "What to correct in the paper"), el("p", text), *groups, id="corrections")


def _correction(record: Record) -> Html:
    return item(
        el("a", record["lines"] or record["where"], href=f"#{record['id']}"),
        " ",
        el("span", rich(record["statement"]), class_="printed"),
        el("div", el("span", "→ ", class_="arrow"), rich(record["amended"]["statement"]), class_="repaired"),
    )


def _controls(records: Sequence[Record]) -> Html:
    """Filter buttons; the script shows them, for without it they would do nothing."""
    found = counts(records)
    buttons = [el("button", "all", type="button", data_show="all", aria_pressed="true")]
    for status in found:
        if found[status]:
            text = f"{marked(status)} ({found[status]})"
            buttons.append(el("button", text, type="button", data_show=status, aria_pressed="false"))
    buttons.append(el("button", "open every row", type="button", data_expand=True, aria_pressed="false"))
    return el("div", *buttons, class_="controls", role="group", aria_label="Show rows by verdict", hidden=True)


def _sections(records: Sequence[Record]) -> Html:
    return join(
        *(
            el("section", el("h2", rich(title)), _heading(), *map(row, rows), class_="rows")
            for title, rows in groupby(records, key=lambda record: record["section"])
        )
    )


def _heading() -> Html:
    return el("div", *(el("span", column.title) for column in ON_PAGE), class_="heading", aria_hidden="true")
