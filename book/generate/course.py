"""The course in one file to print or to read offline: a PDF with contents to click, made of the built pages.

A Chromium prints it: formulas, figures and styles are those of the site; links between its pages lead within it, links
to other pages to the deployment that `FEDMM_SITE_URL` names, if it does.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urldefrag

from book.generate.downloads import PDF, lessons
from book.generate.excerpts import ARTICLE
from book.generate.found import home_of_site
from book.generate.text import slug
from fedmm_edu.errors import FedMMError, MissingExtra
from proofs_checks.report.markup import Html, el, join

AFTER = ("theorem1", "glossary", "bibliography")
"""What follows the lessons."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
TITLE = "Federated majorize-minimization: the course"
HEADING = re.compile(r"<h1>(.*?)<a class=\"headerlink\"", re.DOTALL)
SCRIPT = re.compile(r'<script(?! type="module").*?</script>|<link rel="preload"[^>]*as="script"[^>]*>', re.DOTALL)
"""What a page does not need on paper: all but its figures, which draw themselves."""
ADDRESS = re.compile(r'\b(href|src|id|for|aria-labelledby)="([^"]*)"')
STYLE = """
.course > section { break-before: page; }
.course .contents a { text-decoration: none; }
.course .contents li { margin: .5rem 0; }
.course > h1 { font-size: 1.8rem; }
.course :is(h1, h2, h3) { padding-top: .5em; }
body { padding: 0 !important; }
"""
"""A bookmark of the PDF is what is painted of its heading: twice, if a letter reaches over the top of a sheet."""


def course(html: Path, title: str, home: str = "") -> str:
    """One page of all chapters, each id and link renamed, that lies in the folder of the built site."""
    chapters = {name: (html / f"{name}.html").read_text(encoding="utf-8") for name in chapter_names()}
    head = next(iter(chapters.values())).partition("<body")[0]
    up = posixpath.relpath(".", posixpath.dirname(next(iter(chapters))))
    head = re.sub(rf'(href|src)="{re.escape(up)}/', r'\1="', head)
    head = SCRIPT.sub("", re.sub(r"<title>.*?</title>", el("title", title), head, flags=re.DOTALL))
    articles = {name: _article(name, page) for name, page in chapters.items()}
    contents = (el("li", el("a", _title(text), href=f"#{slug(name)}")) for name, text in articles.items())
    parts = (el("section", _renamed(name, text, chapters, home), id=slug(name)) for name, text in articles.items())
    body = el("main", el("h1", title), el("ol", *contents, class_="contents"), *parts, class_="bd-article course")
    return head.replace("</head>", join(el("style", Html(STYLE)), Html("</head>"))) + el(
        "body", el("div", body, class_="bd-content")
    )


def chapter_names() -> list[str]:
    """The pages of the course, in their order."""
    return [*(f"lessons/{lesson.stem}" for lesson in lessons()), *AFTER]


def _article(name: str, page: str) -> str:
    """What a page says."""
    article = ARTICLE.search(page)
    if article is None:
        raise FedMMError(f"the built page {name}.html has no article: build the site with the theme of this project.")
    return SCRIPT.sub("", article[1])


def _title(article: str) -> Html:
    found = HEADING.search(article)
    return Html(found[1] if found else "")


def _renamed(name: str, article: str, chapters: Iterable[str], home: str) -> Html:
    """The article of a page, with ids of its own, and every address as it is from the site's root."""
    known = {f"{chapter}.html": slug(chapter) for chapter in chapters}
    here = posixpath.dirname(name)

    def rename(found: re.Match[str]) -> str:
        kind, value = found[1], found[2]
        if kind in ("id", "for", "aria-labelledby"):
            return f'{kind}="{slug(name)}-{value}"'
        if re.match(r"[a-z][a-z+.-]*:", value):
            return found[0]
        file, place = urldefrag(value)
        path = posixpath.normpath(posixpath.join(here, file)) if file else f"{name}.html"
        if path in known:
            return f'{kind}="#{known[path]}{"-" + place if place else ""}"'
        if kind == "src":
            return f'src="{path}"'
        return f'href="{home}{path}{"#" + place if place else ""}"' if home else ""

    return Html(ADDRESS.sub(rename, article))


def require_browser() -> str:
    """The Chromium that prints; `MissingExtra` without one: ask before minutes of building."""
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    raise MissingExtra(f"a PDF needs a Chromium to print it: install one of {', '.join(BROWSERS)}.")


def print_course(html: Path) -> Path:
    """Write the PDF into the built site; its path."""
    browser = require_browser()
    source, target = html / "course.html", html / PDF
    target.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(course(html, TITLE, home_of_site()), encoding="utf-8")
    try:
        with tempfile.TemporaryDirectory() as profile:
            command = [
                browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                "--virtual-time-budget=20000", "--run-all-compositor-stages-before-draw", "--no-pdf-header-footer",
                "--generate-pdf-document-outline", f"--print-to-pdf={target}", source.as_uri(),
            ]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    finally:
        source.unlink()
    if done.returncode or not target.is_file():
        raise FedMMError(f"{browser} printed no PDF (status {done.returncode}): {done.stderr.strip()[-300:]}")
    return target
