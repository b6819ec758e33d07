"""What one would write to the authors: each correction once, with all its places, what matters first.

An entry has three lines: what stands there, what we would write, and a point at which a person can see it by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proofs_checks.reading import Reading
from proofs_checks.report.records import Record, of_paper, readings
from proofs_checks.typeset import typeset, value, variable

TO_AUTHORS = "A letter to the authors"
HEADINGS = {
    "result": "What a reader who uses a result or an algorithm would notice",
    "hypothesis": "Hypotheses",
    "formula": "Formulas",
    "wording": "Wording",
    "depends": "Where a word more would help",
}
"""The parts of the letter; in the last one the sentences are right under one reading and not under another."""


@dataclass(frozen=True)
class Correction:
    """One correction. The texts have formulas between dollar signs; `rows` are the ids, the one that shows it first."""

    heading: str
    reading: Reading
    rows: tuple[str, ...]
    places: str
    printed: str
    instead: str
    by_hand: str


def letter(records: Sequence[Record]) -> dict[str, list[Correction]]:
    """The corrections by their headings, those without an entry left out."""
    found: dict[str, list[Correction]] = {title: [] for title in HEADINGS.values()}
    rows = [record for record in of_paper(records) if record["amended"]]
    for lead in rows:
        if not lead["amended"]["same_as"]:
            entry = _correction(lead, [r for r in rows if r["amended"]["same_as"] == lead["id"]])
            found[entry.heading].append(entry)
    return {title: entries for title, entries in found.items() if entries}


def greeting(records: Sequence[Record], corrections: Mapping[str, Sequence[Correction]]) -> str:
    """How the letter begins: what holds comes before what does not."""
    paper, words = of_paper(records), readings(records)
    count = sum(map(len, corrections.values()))
    theorem = [record["reading"] == Reading.HOLDS.value for record in paper if record["id"].startswith("thm1-")]
    among = ", Theorem 1 among them" if theorem and all(theorem) else ""
    return (
        f"Dear authors, we went through {len(paper)} checkable statements of your paper with a program that says how "
        f"it knows. {words[Reading.HOLDS]} of them hold as they are printed{among}. What follows is what we would "
        f"change, {count} remarks, what matters most first: what stands there, what we would write, and a point at "
        "which you can check it by hand. The links lead to the whole evidence."
    )


def _correction(lead: Record, others: Sequence[Record]) -> Correction:
    amended, reading = lead["amended"], Reading(lead["reading"])
    heading = "depends" if reading is Reading.DEPENDS else amended["kind"]
    places = [f"{lead['where']}, {lead['lines']}", *(f"also {record['lines']}" for record in others)]
    return Correction(
        HEADINGS[heading],
        reading,
        tuple(record["id"] for record in (lead, *others)),
        "; ".join(places),
        " … ".join(typeset(quote["text"]) for quote in lead["quote"]),
        amended["statement"],
        _by_hand(lead),
    )


def _by_hand(record: Record) -> str:
    """The witness in a sentence: its point, and what happens there."""
    witness = record["witness"]
    if witness is None:
        return ""
    point = "; ".join(f"{variable(name)}: {value(text)}" for name, text in witness["point"].items())
    return f"{witness['says']} ({point})." if point else f"{witness['says']}."
