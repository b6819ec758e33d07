"""A row quotes the paper word for word, and says no more than its check judges."""

from __future__ import annotations

import inspect
import os
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from fedmm_edu.errors import InvalidInput
from proofs_checks import sections
from proofs_checks.arguments import NAME, require_known
from proofs_checks.ledger import Claim, Context
from proofs_checks.quotes import FILES, LONGEST, Quote, cut, quoted, quotes
from proofs_checks.reading import Reading
from proofs_checks.report.markup import MATH, mathml
from proofs_checks.typeset import typeset

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = {claim.id: claim for _, claims in sections() for claim in claims}
PAPER = [claim for claim in CLAIMS.values() if not claim.own]
DATA = os.environ.get("FEDMM_DATA")
SOURCES = [*([Path(DATA).parent] if DATA else []), ROOT.parent / "shared"]


FOUND = [file for folder in SOURCES if (file := folder / "paper" / "paper.tex").is_file()]
"""The paper's source, which is not ours to hand on: where it is at hand, each quotation is compared with it."""

if FOUND:

    @pytest.mark.parametrize("claim", PAPER, ids=lambda claim: claim.id)
    def test_a_quotation_is_a_span_of_the_source(claim: Claim) -> None:
        """Line by line and letter by letter, at the lines that it names."""
        source = FOUND[0].read_text(encoding="utf-8").split("\n")
        for quote in claim.quote:
            assert quote.text in "\n".join(source[quote.first - 1 : quote.last])
            assert quote.text.count("\n") == quote.last - quote.first


def test_the_words_for_a_sentence_are_these_eight() -> None:
    """A reader meets no ninth; what the paper assumes is judged by whether, and where, it can be met."""
    assert [reading.value for reading in Reading] == [
        "holds", "false", "needs a hypothesis", "slip", "depends on reading", "does not follow", "supported", "open",
    ]  # fmt: skip


def test_every_entry_of_every_section_is_sealed(tmp_path: Path) -> None:
    """Without the source, too: one letter of any quotation changed, and its section's quotations do not load."""
    assert len(FILES) > 10
    for file in FILES:
        whole = file.read_text(encoding="utf-8")
        for row, spans in quotes(file).items():
            text = spans[0].text
            at = re.search(r"[A-Za-z]", text)
            assert at is not None
            edited = text[: at.start()] + text[at.start()].swapcase() + text[at.end() :]
            folder = tmp_path / file.parent.name / row
            folder.mkdir(parents=True)
            (folder / "quotes.txt").write_text(whole.replace(text, edited, 1), encoding="utf-8")
            with pytest.raises(InvalidInput, match="not those that were hashed"):
                quotes(folder / "quotes.txt")


def test_every_quotation_belongs_to_a_row() -> None:
    """Nothing is quoted that no row is about, nothing in two sections, and what is quoted is short."""
    found = [entry for file in FILES for entry in quotes(file).items()]
    assert sorted(found) == sorted((claim.id, claim.quote) for claim in PAPER)
    assert max(len(quote.text) for _, spans in found for quote in spans) < LONGEST


@pytest.mark.parametrize("change", [("linear", "affine"), ("L 232", "L 233"), ("$", "")])
def test_an_edited_quotation_does_not_load(tmp_path: Path, change: tuple[str, str]) -> None:
    """A word, a line or a sign that is changed no longer fits its hash, without the source at hand."""
    text = (ROOT / "proofs_checks/s1_introduction/quotes.txt").read_text(encoding="utf-8")
    assert change[0] in text
    (tmp_path / "quotes.txt").write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(InvalidInput, match="not those that were hashed"):
        quotes(tmp_path / "quotes.txt")


def test_a_quotation_is_cut_by_its_first_and_last_words(tmp_path: Path) -> None:
    """What `cut` makes can be read again; words that are not there are an error."""
    quote = cut("One.\nTwo and\nthree.", 2, "Two", "three")
    assert quote == Quote(2, 3, "Two and\nthree")
    (tmp_path / "quotes.txt").write_text(quote.entry("here"), encoding="utf-8")
    assert quotes(tmp_path / "quotes.txt") == {"here": (quote,)}
    with pytest.raises(InvalidInput, match="a quotation for 'there'"):
        quoted("there")
    with pytest.raises(InvalidInput, match="line 1"):
        cut("One.\nTwo", 1, "Two")


@pytest.mark.parametrize("claim", PAPER, ids=lambda claim: claim.id)
def test_a_quotation_can_be_set(claim: Claim) -> None:
    """Every macro is written out, every formula converts, every reference has its number."""
    for quote in claim.quote:
        pieces = MATH.split(typeset(quote.text))
        assert [formula for formula in pieces[1::2] if mathml(formula) is None] == []
        assert not re.search(r"[\\${}?]", "".join(pieces[::2]))


def test_ours_is_told_by_its_id() -> None:
    """A row of ours quotes nothing; one about the paper cannot go without its words."""
    claim = CLAIMS["A3"]
    assert replace(claim, quote=()) == claim
    assert replace(claim, lines="").lines == "L 666-670, L 676-679"
    with pytest.raises(InvalidInput, match="a quotation for 'A33'"):
        replace(claim, id="A33", quote=())
    with pytest.raises(InvalidInput, match="is ours by its id"):
        replace(claim, id="own-A3")


def test_reading_and_verdict_go_together() -> None:
    """What holds is proved, what fails says how; *false*, *needs* and *depends* say what is in force."""
    false, depends = CLAIMS["A7-quadratic"], CLAIMS["prop2"]
    with pytest.raises(InvalidInput, match="word for word"):
        replace(false, reading=Reading.HOLDS)
    with pytest.raises(InvalidInput, match="how the refuted sentence reads"):
        replace(false, reading=None)
    with pytest.raises(InvalidInput, match="give amended="):
        replace(false, amended=None)
    with pytest.raises(InvalidInput, match="in force"):
        replace(depends, context=None)
    assert depends.amended is not None
    assert depends.charitable == depends.amended.form
    assert replace(false, context=Context("nothing more")).charitable == false.form


WORDS = [
    (claim, name, value, part)
    for claim in CLAIMS.values()
    for name, value in claim.form.items()
    for part in (value if isinstance(value, tuple) else (value,))
    if isinstance(part, str) and NAME.search(part)
]


def test_a_misspelt_word_is_an_error_at_import() -> None:
    """Every word, and every name in a formula, of every form, with a letter too many."""
    assert len(WORDS) > 250
    for claim, name, value, part in WORDS:
        longest = max(NAME.findall(part), key=len)
        wrong = part.replace(longest, f"{longest}x", 1)
        given = tuple(wrong if each == part else each for each in value) if isinstance(value, tuple) else wrong
        if claim.id.startswith("example-"):
            with pytest.raises(InvalidInput):  # the registry refuses it
                claim.check(**{**claim.form, name: given})
            continue
        with pytest.raises(InvalidInput, match="knows"):
            require_known(claim.id, claim.check, {**claim.form, name: given})
    with pytest.raises(InvalidInput, match="no argument 'hypothesis'"):
        require_known("A3", CLAIMS["A3"].check, {"hypothesis": ()})


FREE_NUMBERS = {
    "A5-experiments", "dl-exp-sizes", "cv-homogeneous",
}  # fmt: skip
"""Rows in whose hand-written words stands a number that their check has in another form. May only shrink."""
NOT_NUMBERS = (
    r"[_^]\{[^{}]*\}|[_^]\S",  # indices and powers
    r"\(\d+\)|L \d+(?:-\d+)?",  # equations and lines
    r"(?:Section|Appendix|Proposition|Theorem|Lemma|Example|Remark|Algorithm|Corollary)s? [A-Z]?\.?[\d.]+",
    r"(?<![\w.])(?:A|MM-)\d+",
)


def numbers_read(claim: Claim) -> set[str]:
    """The numbers in the formulas of statement and hypotheses, 0 and 1 apart."""
    text = " ".join(
        formula for words in (claim.statement, *claim.hypotheses) for formula in re.findall(r"\$(.+?)\$", words)
    )
    for pattern in NOT_NUMBERS:
        text = re.sub(pattern, "", text)
    return set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?", text)) - {"0", "1"}


def numbers_judged(claim: Claim) -> set[str]:
    """The numbers in the judged form, and in the source of the check."""
    check = claim.check
    while isinstance(check, partial):
        check = check.func
    module = inspect.getmodule(inspect.unwrap(check))
    assert module is not None
    return set(re.findall(r"\d+(?:\.\d+)?", repr(claim.form) + inspect.getsource(module)))


def test_free_words_hold_no_number_of_their_own() -> None:
    """Each number that a reader sees is one that is judged; the list of those that are not found there shrinks."""
    written = [claim for claim in CLAIMS.values() if not claim.id.startswith("example-")]  # those are made from models
    strange = {claim.id for claim in written if numbers_read(claim) - numbers_judged(claim)}
    assert strange == FREE_NUMBERS
    edited = replace(CLAIMS["cor1"], statement=CLAIMS["cor1"].statement.replace("32", "31"))
    assert numbers_read(edited) - numbers_judged(edited) == {"31"}


@pytest.mark.parametrize(
    ("name", "reading"),
    [
        ("aggr-Theta-noconv", Reading.HOLDS), ("aggr-Theta-reference", Reading.SLIP), ("A3", Reading.HOLDS),
        ("prop2", Reading.DEPENDS), ("prop3", Reading.DEPENDS), ("prop4", Reading.DEPENDS), ("thm1-A", Reading.HOLDS),
        ("mm2-strong", Reading.DEPENDS), ("cor-limits", Reading.DEPENDS), ("odl-step", Reading.DEPENDS),
        ("ot-uvp", Reading.DEPENDS), ("a0-final", Reading.NO_PROOF), ("noise-nb", Reading.HOLDS),
        ("cv-homogeneous", Reading.FALSE), ("prop1-ii", Reading.SLIP),
    ],
)  # fmt: skip
def test_one_standard_for_all(name: str, reading: Reading) -> None:
    """The rows at which strictness and fairness pull apart."""
    assert CLAIMS[name].reading is reading


def test_one_slip_is_one_correction() -> None:
    """A row that repeats a slip names a row of the paper that shows it first, and is no lead itself."""
    for claim in PAPER:
        lead = claim.amended.same_as if claim.amended else ""
        if lead:
            first = CLAIMS[lead]
            assert first.amended
            assert not first.amended.same_as
