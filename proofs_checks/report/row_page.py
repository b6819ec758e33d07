"""One row of the report page: a line that opens to the statement, the evidence and everything the check was put to."""

from __future__ import annotations

from collections.abc import Mapping

from proofs_checks.report.columns import ON_PAGE, label
from proofs_checks.report.markup import Html, el, item, join, rich
from proofs_checks.report.records import Record
from proofs_checks.report.second_kernel import TEXT
from proofs_checks.typeset import typeset, value, variable


def row(record: Record) -> Html:
    """The row of one statement, with its id as anchor."""
    return el(
        "details",
        el("summary", *(column.html(record) for column in ON_PAGE)),
        el("div", body(record, el("a", el("code", record["source"]), href=f"#{record['source']}")), class_="body"),
        id=record["id"],
        data_verdict="ours" if record["own"] else record["reading"],
    )


def body(record: Record, source: Html) -> Html:
    """What a row opens to; `source` links to the source of its check."""
    amended = record["amended"]
    return join(
        _list("problems", "Not as expected", record["problems"]),
        _quotation(record),
        _repair(record) if amended else None,
        _optional_text("How our statement differs from the words", record["differs"]),
        _charitable(record),
        _list("hypotheses", "Hypotheses", record["hypotheses"]),
        _list("hypotheses", "Of these not needed: proved without it", record["idle"]),
        _list("hypotheses", "Of these not shown to be needed", record["undecided"]),
        _list("hypotheses", "Tight: refuted if it is a hundredth better", record["tight"]),
        _block("Evidence", _steps(record)),
        None if amended else _optional("Witness", record["witness"]),
        _block("Evidence for the amended statement", _steps(amended)) if amended else None,
        el("p", TEXT, class_="note") if record.get("second_kernel") else None,
        _mutants(record["mutants"]),
        _block("Non-vacuity: an instance of the hypotheses", _instance(record["non_vacuity"])),
        el("p", rich(record["note"]), class_="note") if record["note"] else None,
        el(
            "p",
            "Id ",
            el("a", el("code", record["id"]), href=f"#{record['id']}"),
            " · checked by ",
            source,
            f" in {record['seconds']:.2f} s · ",
            el("code", f"fedmm verify {record['id']} --mutants"),
            class_="small",
        ),
    )


def _quotation(record: Record) -> Html | None:
    """The paper's own words, span by span, as it sets them."""
    if not record["quote"]:
        return None
    spans = (
        el("blockquote", rich(typeset(quote["text"])), el("cite", f" {lines_of(quote)}"), class_="scroll")
        for quote in record["quote"]
    )
    return _block("The paper says", join(*spans))


def lines_of(quote: Record) -> str:
    """ "L 672-676"."""
    first, last = quote["first"], quote["last"]
    return f"L {first}" if first == last else f"L {first}-{last}"


def _charitable(record: Record) -> Html | None:
    """The printed sentence read with its context, and what comes of it."""
    found = record["charitable"]
    if found is None:
        return None
    witness = found["witness"]
    why = el("span", rich(witness["says"]), class_="why") if witness and found["verdict"] == "refuted" else None
    return _block("Read charitably", el("p", rich(found["says"]), " ", label(found["verdict"]), why))


def _optional_text(title: str, text: str) -> Html | None:
    return _block(title, el("p", rich(text))) if text else None


def _repair(record: Record) -> Html:
    """Printed statement, witness and amended statement side by side, then what differs and why it matters."""
    amended = record["amended"]
    return join(
        el(
            "div",
            el("div", el("h3", "Judged"), el("p", rich(record["statement"])), class_="printed"),
            el("div", el("h3", "Witness"), _witness(record["witness"]), class_="fails"),
            el("div", el("h3", "Amended ", label(amended["verdict"])), el("p", rich(amended["statement"]))),
            class_="repair",
        ),
        _block("What differs", el("p", rich(amended["differs"]))),
        _block("Why it matters", el("p", rich(amended["matters"]))),
    )


def _block(title: str, content: Html) -> Html:
    return el("div", el("h3", title), content, class_="block")


def _optional(title: str, witness: Record | None) -> Html | None:
    return None if witness is None else _block(title, _witness(witness))


def _list(kind: str, title: str, texts: list[str]) -> Html | None:
    if not texts:
        return None
    return el("div", el("h3", title), el("ul", *(item(rich(text)) for text in texts)), class_=f"block {kind}")


def _steps(found: Record) -> Html:
    steps = (item(rich(step["claim"]), el("span", rich(step["why"]), class_="why")) for step in found["evidence"])
    how = el("p", "How we know: ", el("b", found["method"]), ".")
    return join(how, el("ol", *steps, class_="steps") if found["evidence"] else None, _missing(found))


def _missing(found: Record) -> Html | None:
    """What keeps the verdict from being proved, where that is not the last step."""
    missing = found["missing"]
    if missing is None or missing in found["evidence"][-1:]:
        return None
    return el("p", "What is missing: ", rich(missing["claim"]), el("span", rich(missing["why"]), class_="why"))


def _witness(witness: Record | None) -> Html:
    if witness is None:
        return el("p", "none")
    return join(el("p", rich(witness["says"])), _values(witness["point"], "at"), _values(witness["values"], "there"))


def _values(values: Mapping[str, str], title: str) -> Html | None:
    """Variables and their exact values as a small table."""
    if not values:
        return None
    rows = (el("tr", el("th", rich(variable(name))), el("td", _value(text))) for name, text in values.items())
    return el("table", el("caption", title), el("tbody", *rows))


def _value(text: str) -> Html:
    shown = value(text)
    return rich(shown) if "$" in shown else el("code", shown)


def _instance(found: Record) -> Html:
    return _witness(found) if found["found"] else _steps(found)


def _mutants(mutants: Mapping[str, Record]) -> Html | None:
    """Each mutant with its outcome; nothing when they were not run."""
    if not mutants:
        return None
    items = (
        item(rich(name), " ", label(found["verdict"]), " ", _mutant_detail(found)) for name, found in mutants.items()
    )
    return _block("Mutants: false on purpose, each must be refuted", el("ul", *items))


def _mutant_detail(found: Record) -> Html:
    if found["witness"] is not None:
        return el("span", rich(found["witness"]["says"]), class_="why")
    return join(*(el("span", rich(step["claim"]), class_="why") for step in found["evidence"]))
