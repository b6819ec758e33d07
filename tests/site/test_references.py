"""Every cross-reference of a hand-written page leads somewhere: rows, sources, lines and labels of the paper, pages."""

import posixpath
import re
from functools import cache
from importlib import import_module

import pytest

from book.generate.glossary import ASSUMPTIONS, TERMS, place
from book.generate.ledger import line_ranges
from book.generate.sources import is_source, linked_source
from book.generate.tree import BOOK, ROOT
from proofs_checks import sections
from tests.site.pages import generated, written

PAGES = written()
LABEL = re.compile(r"`((?:eq|hyp|lem|prop|theo|ex|algo?|rem|assumption|sec|fig|app|coro|line|def)(?::[\w-]+)+)`")
every_page = pytest.mark.parametrize("name", PAGES)


@cache
def claims():
    return [claim for _, found in sections() for claim in found]


@cache
def labels() -> str:
    """All texts of the ledger and of the glossary that name labels."""
    texts = [f"{c.where} {c.lines} {c.statement} {c.note} {' '.join(c.hypotheses)}" for c in claims()]
    return " ".join([*texts, *(term.label for term in (*TERMS, *ASSUMPTIONS))])


def text_of(name):
    return PAGES[name].read_text(encoding="utf-8")


@every_page
def test_rows_exist(name):
    """{row}`id`, and row("id") in a lesson, name a row of the ledger."""
    found = re.findall(r"\{row\}`(?:[^`<]*<)?([^`<>]+)>?`", text_of(name)) + re.findall(
        r'\brow\("([^"]+)"\)', text_of(name)
    )
    assert set(found) <= {claim.id for claim in claims()}


@every_page
def test_sources_exist(name):
    """{src}`path:line` names a line that is there."""
    for target in re.findall(r"\{src\}`(?:[^`<]*<)?([^`<>]+)>?`", text_of(name)):
        assert is_source(target), target


@every_page
def test_paper_lines_are_judged(name):
    """“L 811” lies within, or next to, lines that a row of the ledger or the glossary names."""
    texts = [*(claim.lines for claim in claims()), *(term.lines for term in (*TERMS, *ASSUMPTIONS))]
    judged = [pair for text in texts for pair in line_ranges(text)]
    for line in map(int, re.findall(r"\bL (\d{3,})", text_of(name))):
        assert any(first - 3 <= line <= last + 3 for first, last in judged), f"L {line}"


@every_page
def test_labels_are_the_papers(name):
    """A label of the paper is one that the ledger or the glossary places."""
    for label in LABEL.findall(text_of(name)):
        assert label in labels() or label.partition(":")[2] in labels(), label


@every_page
def test_links_lead_to_pages_and_pictures(name):
    """A relative link has its target among the written pages, the generated ones, or the files beside them."""
    here = posixpath.dirname(name)
    known = set(PAGES) | generated()
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text_of(name)):
        address = posixpath.normpath(posixpath.join(here, target))
        assert address in known or (BOOK / address).is_file(), target


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.symbol)
def test_names_of_the_glossary_exist(term):
    """Each name in code is an attribute, and has a source line."""
    assert term.names
    for path in term.names:
        module, _, attribute = path.partition(":")
        assert is_source(place(module, attribute)), path


def test_unknown_sources_are_refused():
    assert not is_source("fedmm_edu/surrogate.py:100000")
    assert not is_source("fedmm_edu/no_such_file.py")
    assert not is_source("/etc/passwd")


def test_the_reference_leads_to_the_line_where_a_name_is_defined():
    """Classes, methods and functions, also those that the front door loads when they are used; not values."""
    for module, name, line in (
        ("fedmm_edu", "run", "def run("),
        ("fedmm_edu.algorithms", "FedMM", "class FedMM"),
        ("fedmm_edu.federation", "Clients.of", "@classmethod"),
        ("fedmm_edu.surrogate", "Surrogate.T", "@abstractmethod"),
    ):
        import_module(module)
        link = linked_source("py", {"module": module, "fullname": name})
        assert link is not None
        file, _, number = link.removeprefix("../source/").partition(".html#L-")
        found = (ROOT / file).read_text(encoding="utf-8").splitlines()[int(number) - 1 :]
        assert found[0].strip().startswith(("@", line))
        assert any(text.strip().startswith(f"def {name.rpartition('.')[2]}(") or line in text for text in found[:4])
    for module, name in (("fedmm_edu.federation", "Bernoulli.covered"), ("fedmm_edu.federation", "nothing")):
        assert linked_source("py", {"module": module, "fullname": name}) is None
