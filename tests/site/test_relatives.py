"""The cards of the relatives: each entry of the registry has one, with all that it says, and so has each elsewhere."""

import re

import pytest

from book.generate.notation import formulas
from book.generate.relatives import anchor, parts_of, relatives_page, source
from book.generate.text import myst
from fedmm_edu.relatives import ELSEWHERE, KINDS, entries, relatives
from proofs_checks import sections

PAGE = relatives_page()
CARDS = dict(re.findall(r"^\((relative-[\w-]+)\)=\n(.*?)(?=^\(relative-|^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
ROWS = {claim.id for _, claims in sections() for claim in claims}
EVERY = [(module, each) for module in KINDS.values() for each in entries(module)]


def test_the_kinds_hold_every_entry_once():
    assert sorted(each.key for _, each in EVERY) == sorted(relatives())
    assert len(CARDS) == len(EVERY) + len(ELSEWHERE)


@pytest.mark.parametrize(("module", "each"), EVERY, ids=[each.key for _, each in EVERY])
def test_a_card_says_what_the_entry_says(module, each):
    """Name, source, lines, needs, end, equality, rate, bugs, the code; six parts, of which some are another's."""
    card = CARDS[anchor(each)]
    said = [each.name, each.source, *map(formulas, (each.ends.says, each.equals, each.rate))]
    said += [demand.value for demand in each.needs]
    said += [text for bug in each.bugs for text in (formulas(bug.says), bug.seen)]
    assert all(myst(text) in card for text in said)
    assert all(f"L {line}" in card for line in each.lines)
    assert source(module, each) in card
    parts = list(parts_of(each))
    assert len({name for name, _, _ in parts}) == 6
    assert any(other for _, _, other in parts) == (each.key != "fedmm")
    assert not each.row or (f"{{row}}`{each.row}`" in card and each.row in ROWS)
    assert (each.certified is not None) == ("Proved: {row}`own-" in card)


@pytest.mark.parametrize("each", ELSEWHERE, ids=[each.key for each in ELSEWHERE])
def test_what_is_elsewhere_says_what_is_missing(each):
    card = CARDS[anchor(each)]
    assert myst(formulas(each.missing)) in card
    assert myst(each.source) in card
