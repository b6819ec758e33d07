"""The report: `verdicts.json` and one self-contained page that a student can read without a network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from fedmm_edu.files import write_text
from proofs_checks.reading import Reading
from proofs_checks.report.columns import ON_PAGE, label_of_reading
from proofs_checks.report.letter import TO_AUTHORS, Correction, greeting, letter
from proofs_checks.report.markup import Html, el, item, join, rich
from proofs_checks.report.records import Record, counts, of_paper, ours, readings, to_json
from proofs_checks.report.row_page import row

TITLE = "What holds in “Federated Majorize-Minimization: Beyond Parameter Aggregation”"
WORDS = {
    "proved": "The statement holds. The evidence is exact (an identity, a sign argument, a certificate, a derivation) "
    "and a program has checked it.",
    "refuted": "The statement fails, taken word for word. The evidence is a witness: a point, in exact numbers, at "
    "which its hypotheses hold and its claim does not. An amended statement stands beside it, and is proved.",
    "supported": "No counterexample turned up where we looked, but this is numbers, not a proof.",
    "open": "Neither proved nor refuted here.",
}
"""The four verdicts of `verdicts.json`."""

HEAD = 500
"""In the first so many bytes of a page stands what it was made from."""


def write_report(
    folder: str | Path,
    records: Sequence[Record],
    *,
    notice: str = "",
    assumptions: Callable[[], Html] | None = None,
    key: str = "",
) -> Path:
    """Write `index.html` and `verdicts.json` into `folder`; the path of the page.

    `notice` heads the page; `assumptions` makes the section that follows the corrections (`matrix`). `key` stands for
    the files that make the page: where it is given, a page of the same key and rows is left as it is.
    """
    text, file = to_json(records), Path(folder) / "index.html"
    whole = f"{key} {notice} {assumptions is not None} {text}"
    made_from = sha256(whole.encode()).hexdigest() if key else ""
    write_text(Path(folder) / "verdicts.json", text)
    if made_from and file.is_file() and made_from.encode() in file.read_bytes()[:HEAD]:
        return file
    section = assumptions() if assumptions else None
    return write_text(file, page(records, notice=notice, assumptions=section, made_from=made_from))


def page(records: Sequence[Record], *, notice: str = "", assumptions: Html | None = None, made_from: str = "") -> str:
    """The whole page as HTML text. Nothing runs in it, and nothing is fetched, but its own script and style."""
    script, style = _asset("report.js"), join(_asset("rows.css"), _asset("report.css"))
    policy = f"default-src 'none'; script-src {_hashed(script)}; style-src {_hashed(style)}; base-uri 'none'"
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="made-from", content=made_from) if made_from else None,
        el("meta", http_equiv="Content-Security-Policy", content=f"{policy}; form-action 'none'"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el(
            "meta",
            name="description",
            content="Each checkable statement of the paper, judged by a program",
        ),
        el("title", TITLE),
        el("style", style),
    )
    body = el(
        "body",
        el("header", el("h1", TITLE), _notice(notice), _introduction(records)),
        el(
            "main",
            _unexpected(records),
            _corrections(records),
            assumptions,
            _controls(records),
            _sections(records),
            _checks(records),
        ),
        el("script", script),
    )
    return "<!doctype html>\n" + el("html", head, body, lang="en") + "\n"


def _asset(name: str) -> Html:
    """A file beside this one, as it is: style and script elements hold raw text."""
    return Html(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def _hashed(text: Html) -> str:
    """By which a policy allows an element of just this text."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _notice(text: str) -> Html | None:
    return el("p", text, class_="notice", role="status") if text else None


def _introduction(records: Sequence[Record]) -> Html:
    told = ", ".join(f"{count} {status}" for status, count in counts(ours(records)).items() if count)
    return join(
        el(
            "p",
            f"Each row below is one checkable statement: {len(of_paper(records))} are about sentences of the paper, "
            f"and quote its words; {len(ours(records))} are results of ours beside it ({told}). A program judged each "
            "one and says how it knows. A sentence of the paper is read word for word and, where that matters, with "
            "all that is in force around it. What comes of it is one of eight words:",
        ),
        el("dl", *(_word(reading, found) for reading, found in readings(records).items()), class_="words"),
        el(
            "p",
            "Open a row to see the words, the statement with its hypotheses and the evidence, step by step. A ",
            el("dfn", "witness"),
            " is a point you can check with pencil and paper. A ",
            el("dfn", "mutant"),
            " is the same statement made false on purpose: a check that cannot refute it would prove anything. The ",
            el("dfn", "non-vacuity"),
            " instance satisfies every hypothesis, so the statement is not true merely because nothing fulfils it.",
        ),
        el("p", "“L 391” is line 391 of the paper's LaTeX source.", class_="small"),
    )


def _word(reading: Reading, count: int) -> Html:
    return el("div", el("dt", label_of_reading(reading), el("b", str(count), class_="count")), el("dd", reading.means))


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
    """The letter to the authors."""
    found = letter(records)
    if not found:
        return None
    groups = [
        join(el("h3", f"{title} ({len(entries)})"), el("ol", *map(_correction, entries)))
        for title, entries in found.items()
    ]
    return el("section", el("h2", TO_AUTHORS), el("p", greeting(records, found)), *groups, id="corrections")


def _correction(entry: Correction) -> Html:
    links = (join(" ", el("a", el("code", row), href=f"#{row}")) for row in entry.rows)
    return item(
        el("div", el("b", rich(entry.places)), *links, " ", label_of_reading(entry.reading)),
        el("div", "“", rich(entry.printed), "”", class_="printed"),
        el("div", el("span", "→ ", class_="arrow"), rich(entry.instead), class_="repaired"),
        el("div", "By hand: ", rich(entry.by_hand)) if entry.by_hand else None,
    )


def _controls(records: Sequence[Record]) -> Html:
    """Filter buttons; the script shows them, for without it they would do nothing."""
    buttons = [el("button", "all", type="button", data_show="all", aria_pressed="true")]
    for reading, count in readings(records).items():
        if count:
            text = f"{reading.mark} {reading.value} ({count})"
            buttons.append(el("button", text, type="button", data_show=reading.value, aria_pressed="false"))
    if own := len(ours(records)):
        buttons.append(el("button", f"ours ({own})", type="button", data_show="ours", aria_pressed="false"))
    buttons.append(el("button", "open every row", type="button", data_expand=True, aria_pressed="false"))
    return el("div", *buttons, class_="controls", role="group", aria_label="Show rows by how they read", hidden=True)


def _sections(records: Sequence[Record]) -> Html:
    return join(
        *(
            el("section", el("h2", rich(title)), _heading(), *map(row, rows), class_="rows")
            for title, rows in groupby(records, key=lambda record: record["section"])
        )
    )


def _heading() -> Html:
    return el("div", *(el("span", column.title) for column in ON_PAGE), class_="heading", aria_hidden="true")


def _checks(records: Sequence[Record]) -> Html:
    """The code of each check, once: what a row leads to opens there."""
    codes = {record["source"]: record["code"] for record in records}
    checks = (
        el("details", el("summary", el("code", source)), el("pre", el("code", code), id=source), class_="code")
        for source, code in codes.items()
    )
    return el("section", el("h2", "The checks"), el("p", "What judges the rows; each row leads to its own."), *checks)
