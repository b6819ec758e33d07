"""What a search and a link show of a page; how the toolkit is cited."""

import re
import shutil

import pytest

from book.__main__ import drop_old_pages
from book.generate.found import (
    CARD,
    LONGEST,
    VERSION,
    add_deployed,
    description,
    foot,
    footer_links,
    home_of_site,
    tags,
)
from book.generate.tree import BOOK, ROOT, Tree
from fedmm_edu.errors import FedMMError

HOME = "https://example.org/course/"


def test_a_page_is_described_by_its_first_real_paragraph():
    """Short ones are labels; a long one ends at a word."""
    told = description(["Short.", "word\n" * 60, "another paragraph that is long enough to be one"])
    assert told.startswith("word word")
    assert told.endswith("word …")
    assert len(told) <= LONGEST + 2
    assert description(["Short."]) == ""


def test_what_a_description_says_is_escaped_and_addresses_need_a_home():
    written = tags("a/b", "T", 'A "quoted" <b>paragraph</b> & more')
    assert "<b>" not in written
    assert "&quot;quoted&quot;" in written
    assert "og:url" not in written
    assert f'content="{HOME}a/b.html"' in tags("a/b", "T", "text", HOME)
    assert f'property="og:image" content="{HOME}{CARD}"' in tags("a/b", "T", "text", HOME)


def test_a_page_ends_with_its_version_how_to_cite_it_and_the_links_of_its_deployment():
    """A page that a program writes cannot be edited; what is no address is refused."""
    given = "Repository=https://h/r Edit_this_page=https://h/edit/{file} Feedback=https://h/new?title={page}"
    files = {
        "lessons/03_two_spaces": "notebooks/03_two_spaces.md",
        "howto/own_data": "book/howto/own_data.md",
        "index": "book/index.md",
        "ledger/index": None,
    }
    for page, file in files.items():
        shown = foot(page, "x.html#how-to-cite", footer_links(given))
        assert re.findall(r'href="([^"]*)">([^<]*)<', shown) == [
            ("x.html#how-to-cite", "How to cite"),
            ("https://h/r", "Repository"),
            *([(f"https://h/edit/{file}", "Edit this page")] if file else []),
            (f"https://h/new?title={page}", "Feedback"),
        ]
    assert f"fedmm-edu {VERSION}" in foot("index", "x.html", ())
    for wrong in ("Edit", "Edit=ftp://h/{file}", "=https://h", "Edit=javascript:alert(1)"):
        with pytest.raises(FedMMError, match="FEDMM_LINKS has"):
            footer_links(wrong)


def test_a_deployment_has_a_map_and_a_page_for_what_is_not_there(tmp_path):
    """They lie where they are copied from into the site's root, and stay there when old pages go."""
    tree, html = Tree(tmp_path / "source"), tmp_path / "html"
    add_deployed(tree, {"index", "a/b"}, "")
    assert tree.written == set()
    add_deployed(tree, {"index", "a/b"}, HOME)
    shutil.copytree(tree.folder / "extra", html)
    drop_old_pages(html, tree)
    places = (html / "sitemap.xml").read_text(encoding="utf-8")
    assert re.findall(r"<loc>(.*?)</loc>", places) == [f"{HOME}a/b.html", f"{HOME}index.html"]
    assert f'href="{HOME}search.html"' in (html / "404.html").read_text(encoding="utf-8")
    assert f"{HOME}sitemap.xml" in (html / "robots.txt").read_text(encoding="utf-8")


def test_the_address_of_a_deployment_ends_with_a_slash(monkeypatch):
    for given, home in (("", ""), ("https://h/x", "https://h/x/"), ("https://h/x/", "https://h/x/")):
        monkeypatch.setenv("FEDMM_SITE_URL", given)
        assert home_of_site() == home


def test_the_version_that_is_cited_is_the_one_that_is_here():
    assert f"version: {VERSION}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version = {{{VERSION}}}" in (BOOK / "references.bib").read_text(encoding="utf-8")
