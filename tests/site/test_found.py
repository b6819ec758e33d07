"""What a search and a link show of a page; how the toolkit is cited."""

import re
import tomllib
from types import SimpleNamespace

from docutils import nodes
from docutils.utils import new_document

from book.generate.found import LONGEST, describe, description, list_pages
from book.generate.tree import BOOK, ROOT


def page(*paragraphs):
    document = new_document("page")
    document.extend(nodes.paragraph("", text) for text in paragraphs)
    return document


def test_a_page_is_described_by_its_first_real_paragraph():
    """Short ones are labels; a long one ends at a word."""
    told = description(page("Short.", "word " * 60, "another paragraph that is long enough to be one"))
    assert told.startswith("word word")
    assert told.endswith("word …")
    assert len(told) <= LONGEST + 2
    assert description(page("Short.")) == ""


def test_what_a_description_says_is_escaped_and_addresses_need_a_home():
    shown = page('A "quoted" <b>paragraph</b> & more, long enough to be taken for one')
    app = SimpleNamespace(config=SimpleNamespace(html_baseurl=""))
    context = {"title": "T"}
    describe(app, "index", "page.html", context, shown)
    assert "<b>" not in context["metatags"]
    assert "&quot;quoted&quot;" in context["metatags"]
    assert "og:url" not in context["metatags"]
    app.config.html_baseurl = "https://example.org/course/"
    describe(app, "a/b", "page.html", context, shown)
    assert 'content="https://example.org/course/a/b.html"' in context["metatags"]


def test_a_deployment_has_a_map_and_a_page_for_what_is_not_there(tmp_path):
    config = SimpleNamespace(html_baseurl="", project="Course")
    app = SimpleNamespace(config=config, outdir=tmp_path, env=SimpleNamespace(found_docs={"index", "a/b"}))
    list_pages(app, None)
    assert not list(tmp_path.iterdir())
    config.html_baseurl = "https://example.org/course/"
    list_pages(app, None)
    places = re.findall(r"<loc>(.*?)</loc>", (tmp_path / "sitemap.xml").read_text(encoding="utf-8"))
    assert places == ["https://example.org/course/a/b.html", "https://example.org/course/index.html"]
    assert "https://example.org/course/" in (tmp_path / "404.html").read_text(encoding="utf-8")


def test_the_version_that_is_cited_is_the_one_that_is_here():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8"), (BOOK / "references.bib").read_text(encoding="utf-8")
    assert f"version: {version}\n" in cited[0]
    assert f"version = {{{version}}}" in cited[1]
