"""The course as one page to print, and the words that a search quotes: made of built pages, here of two small ones."""

import re

import pytest

from book.generate import course
from book.generate.excerpts import excerpts, words
from fedmm_edu.errors import FedMMError, MissingExtra

HEAD = """<html><head><title>t</title><link rel="stylesheet" href="../_static/a.css">
<script src="../_static/b.js"></script></head>"""
ONE = """<body><h1>print</h1><article class="bd-article"><section id="one">
<h1>First &amp; best<a class="headerlink" href="#one">#</a></h1>
<p id="p">See <a href="../glossary.html#s">s</a>, <a href="#p">here</a>, <a href="02_b.html">on</a>,
<a href="../timings.html#x">fast</a>, <a href="https://example.org/">out</a>.</p><img src="../_images/i.png">
<script>kernelName = 1</script><script type="module">draw()</script></section></article></body></html>"""
TWO = """<body><article class="bd-article"><section id="two">
<h1>Second<a class="headerlink" href="#two">#</a></h1><i id="p"></i></section></article></body>"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Three pages; the course is of them."""
    monkeypatch.setattr(course, "chapter_names", lambda: ["lessons/01_a", "lessons/02_b", "glossary"])
    (tmp_path / "lessons").mkdir()
    for name, text in (("lessons/01_a", ONE), ("lessons/02_b", TWO), ("glossary", TWO.replace('id="p"', 'id="s"'))):
        (tmp_path / f"{name}.html").write_text(HEAD + text, encoding="utf-8")
    return tmp_path


def test_links_of_the_course_lead_within_it_or_to_the_deployment(site):
    """Every id once, every link to an id that is there; files are found from the root; only figures keep a script."""
    page = course.course(site, "The course", "https://example.org/site/")
    ids, links = re.findall(r'\bid="([^"]*)"', page), re.findall(r'\bhref="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    assert [link for link in links if not link.startswith("#")] == [
        "_static/a.css", "https://example.org/site/timings.html#x", "https://example.org/"
    ]  # fmt: skip
    assert re.findall(r'<li><a href="#([\w-]+)">(.*?)</a>', page) == [
        ("lessons-01_a", "First &amp; best"), ("lessons-02_b", "Second"), ("glossary", "Second")
    ]  # fmt: skip
    assert 'src="_images/i.png"' in page
    assert re.findall(r"<script[^>]*>", page) == ['<script type="module">']
    assert "timings" not in course.course(site, "The course")


def test_a_page_without_an_article_stops_it(site):
    (site / "glossary.html").write_text("<body></body>", encoding="utf-8")
    with pytest.raises(FedMMError, match=r"glossary\.html has no article"):
        course.course(site, "The course")


def test_without_a_chromium_the_error_names_some(monkeypatch):
    monkeypatch.setattr(course.shutil, "which", lambda name: None)
    with pytest.raises(MissingExtra, match="install one of chromium"):
        course.require_browser()


def test_excerpts_are_the_words_of_a_page(site):
    """Neither menus nor scripts, and signs as they are read."""
    assert words(ONE).startswith("First & best See s , here , on")
    assert "kernelName" not in words(ONE)
    assert "draw" not in words(ONE)
    text = excerpts(site, ["glossary", "lessons/01_a"])
    assert text.startswith('window.excerpts = {"glossary": "Second", "lessons/01_a": "First & best')
