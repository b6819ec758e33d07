"""One English: what people read in lessons, guides and the hours of lessons is spelled as in Britain."""

import re

import pytest

from book.generate.tree import ROOT

AMERICAN = re.compile(
    r"\b\w*(?:(?:minim|maxim|optim|general|normal|regular|recogn|organ|real|summar|random|initial|parametr)iz(?!er_)"
    r"|analyz|behavior|favor|neighbor|center(?!ed\b)|labeled|modeled|canceled|traveled)\w*|\b(?:colors?|gray)\b",
    re.IGNORECASE,
)
TERMS = re.compile(
    r"majori[sz]e-minimi[sz]ation|expectation[- ]maximization|`[^`]*`|\$[^$]*\$|\]\([^)]*\)|\bminimizes\b",
    re.IGNORECASE,
)
"""Terms of the paper, code, formulas, addresses, and the name of a row of `fedmm check`."""
CELL = re.compile(r"^(`{3,})\{(?:code-cell|raw)\}.*?^\1 *$", re.MULTILINE | re.DOTALL)
FOLDERS = (
    "notebooks/*.md",
    "book/teaching/*.md",
    "book/howto/*.md",
    "book/explorables/*.md",
    "fedmm_edu/classroom/hours/*.toml",
)
PAGES = [page for folder in FOLDERS for page in sorted(ROOT.glob(folder))]


def american(text: str) -> list[str]:
    """Words in another spelling, terms and code aside."""
    return AMERICAN.findall(TERMS.sub("", CELL.sub("", text)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_a_page_is_in_british_english(page):
    assert american(page.read_text("utf-8")) == []


def test_the_other_spelling_is_seen_and_terms_are_not():
    text = "We minimize the color of its center. Majorize-minimization has `color` and $center$; it minimises."
    assert [word.lower() for word in american(text)] == ["minimize", "color", "center"]
