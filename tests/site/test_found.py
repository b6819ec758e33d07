"""What a search and a link show of a page; how the toolkit is cited."""

import re
import tomllib

from book.generate.found import LONGEST, deployed, description, tags
from book.generate.tree import BOOK, ROOT

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


def test_a_deployment_has_a_map_and_a_page_for_what_is_not_there():
    files = deployed({"index", "a/b"}, HOME, "Course")
    assert re.findall(r"<loc>(.*?)</loc>", files["sitemap.xml"]) == [f"{HOME}a/b.html", f"{HOME}index.html"]
    assert HOME in files["404.html"]
    assert f"{HOME}sitemap.xml" in files["robots.txt"]


def test_the_version_that_is_cited_is_the_one_that_is_here():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version = {{{version}}}" in (BOOK / "references.bib").read_text(encoding="utf-8")
