"""No number, sign, hypothesis, quantifier or quoted word that a reader sees can be edited alone."""

from __future__ import annotations

import random
import re
import tempfile
from dataclasses import replace
from pathlib import Path

from fedmm_edu.errors import InvalidInput
from proofs_checks.ledger import Claim
from proofs_checks.quotes import quotes
from tests.ledger.words import (  # fmt: skip
    FORMULA,
    HYPOTHESIS,
    NUMBER,
    ROWS,
    SEALS,
    Piece,
    lines,
    pieces,
    rests_on,
    seal,
    unjudged,
)

SEED, EDITS = 19, 50
SIGN = re.compile(r"\\leq|\\geq|(?<=[\s})])[+-](?=\s)|[<>=]")
FLIPPED = {"\\leq": "\\geq", "\\geq": "\\leq", "+": "-", "-": "+", "<": ">", ">": "<", "=": "\\neq"}
QUANTIFIER = re.compile(r"\b(?:every|all|any|some|each|no|if)\b")
SWAPPED = {"every": "some", "all": "some", "any": "one", "some": "every", "each": "one", "no": "every", "if": "only if"}
WORD = re.compile(r"[A-Za-z]{3,}")
KINDS = ("number", "sign", "hypothesis", "quantifier", "quoted word")


def test_words_and_form_are_sealed_together() -> None:
    """Who edits one of them reads both again: `python -m tests.ledger.words` writes the seals and what only they keep.

    Every number and hypothesis of the words is in the row's judged data: else it would stand beside the seal.
    """
    found = lines()
    assert SEALS.read_text(encoding="utf-8").split("\n")[:-1] == found
    assert [line for line in found if len(line.split()) > 2] == []


def test_data_of_a_row_are_its_own() -> None:
    """A number of another row of the same check, or of its docstring, does not count."""
    claim = ROWS["lem4"]
    assert unjudged(claim) == set()
    edited = replace(claim, statement=r"$x \leq 64 y$ under A8")
    assert unjudged(edited) == {"64", "A8"}
    assert seal(edited) != seal(claim)
    assert seal(replace(claim, form={"noise": "2*a"}, mutants={"a": {}})) != seal(claim)


def test_hypotheses_of_a_row_that_is_named_are_judged_with_it() -> None:
    """A3 stands in own-noise-plain, on which own-any-A rests; A2 does not; “without” is judged by what is assumed."""
    claim = ROWS["own-any-A"]
    assert rests_on("as in own-noise-plain and Propositions 2 and 3, by A3") == {"own-noise-plain", "prop2", "prop3"}
    edited = tuple(text.replace("A3, oracles", "A2, oracles") for text in claim.template[1:])
    assert (unjudged(claim), unjudged(replace(claim, hypotheses=edited))) == (set(), {"A2"})
    assert unjudged(replace(ROWS["own-lip-step"], statement="Without A7, without MM-1")) == {"MM-1"}


def edits_of(text: str, kind: str) -> list[str]:
    """The words after each edit of this kind that can be made in them."""
    found = []
    if kind in ("number", "sign"):
        for formula in FORMULA.finditer(text):
            for match in (NUMBER if kind == "number" else SIGN).finditer(text, formula.start(1), formula.end(1)):
                found.append((match, FLIPPED[match[0]] if kind == "sign" else f"{13 + 2 * float(match[0]):g}"))
    elif kind == "hypothesis":
        for match in HYPOTHESIS.finditer(text):
            digit = int(match[0][-1])
            found.append((match, f"A{digit % 8 + 1}" if match[0][0] == "A" else f"MM-{3 - digit}"))
    else:
        found = [(match, SWAPPED[match[0]]) for match in QUANTIFIER.finditer(text)]
    return [text[: match.start()] + new + text[match.end() :] for match, new in found]


def whole(piece: Piece) -> str:
    """The words of a piece; one that a slot cut out of a formula is a formula."""
    return piece.text if "$" in piece.text and piece.text.count("$") % 2 == 0 else f"${piece.text}$"


def edited_words(claim: Claim, kind: str, draw: random.Random) -> str | None:
    """How an edit of this kind at a random place of what is read is caught; None where the row has none to make."""
    possible = [(piece, words) for piece in pieces(claim) for words in edits_of(whole(piece), kind)]
    if not possible:
        return None
    piece, words = draw.choice(possible)
    typed = words if whole(piece) == piece.text else words[1:-1]
    template = [text.replace(piece.source, typed, 1) for text in claim.template]
    try:
        edited = replace(claim, statement=template[0], hypotheses=tuple(template[1:]))
    except InvalidInput:
        return "the row does not load"
    if unjudged(edited) - unjudged(claim):
        return "not in the judged data"
    if piece.slot and piece.source not in "".join(edited.template):
        return "a slot is gone" if seal(edited) != seal(claim) else "slips"
    return "seal" if seal(edited) != seal(claim) else "slips"


def edited_quote(claim: Claim, draw: random.Random, folder: Path) -> str | None:
    """Whether the ledger loads a quotation of which one word is another; None where the row quotes nothing."""
    found = [(quote, match) for quote in claim.quote for match in WORD.finditer(quote.text)]
    if not found:
        return None
    quote, match = draw.choice(found)
    edited = f"{quote.text[: match.start()]}other{quote.text[match.end() :]}"
    home = Path(tempfile.mkdtemp(dir=folder))
    (home / "quotes.txt").write_text(quote.entry(claim.id).replace(quote.text, edited), encoding="utf-8")
    try:
        quotes(home / "quotes.txt")
    except InvalidInput:
        return "hash of the quotation"
    return "slips"


def caught(count: int, seed: int, folder: Path) -> list[tuple[str, str, str]]:
    """Row, kind and catch of `count` seeded edits."""
    draw, found = random.Random(seed), []
    while len(found) < count:
        claim, kind = ROWS[draw.choice(list(ROWS))], draw.choice(KINDS)
        how = edited_quote(claim, draw, folder) if kind == "quoted word" else edited_words(claim, kind, draw)
        found += [] if how is None else [(claim.id, kind, how)]
    return found


def test_fifty_edits_are_caught(tmp_path: Path) -> None:
    """At random rows, of every kind: each fails, by its row's data, by its seal or by the hash of its quotation."""
    found = caught(EDITS, SEED, tmp_path)
    assert {kind for _, kind, _ in found} == set(KINDS)
    assert [edit for edit in found if edit[2] == "slips"] == []
    assert {"not in the judged data", "seal", "hash of the quotation"} <= {how for *_, how in found}
