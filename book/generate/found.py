"""What search engines and links to a page show: a description of each page, and where the site lives, if it is told.

`FEDMM_SITE_URL` names the address of a deployment: with it pages have their canonical address and a card with a
picture, and there are `sitemap.xml` and a page for addresses that do not exist.
"""

from __future__ import annotations

import os
from pathlib import Path
from xml.sax.saxutils import escape

from docutils import nodes
from sphinx.application import Sphinx

from proofs_checks.report.markup import el, join

CARD = "figures/quadratic/figure.png"
"""The picture of a link to the site."""
LONGEST = 160
"""Characters of a description that a result of a search shows."""


def description(doctree: nodes.document) -> str:
    """The first paragraph of a page, its formulas in LaTeX, cut at a word."""
    first = next((node for node in doctree.findall(nodes.paragraph) if len(node.astext()) > 40), None)
    text = " ".join(first.astext().split()) if first is not None else ""
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} …"


def describe(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Into the head of each page with text: what it is about, and the card of a link to it."""
    if doctree is None or not (text := description(doctree)):
        return
    home = app.config.html_baseurl
    tags = {"og:title": context["title"], "og:description": text, "og:type": "article"}
    if home:
        tags |= {"og:url": f"{home}{pagename}.html", "og:image": f"{home}_images/{Path(CARD).name}"}
    found = [el("meta", name="description", content=text)]
    found += [el("meta", property=name, content=value) for name, value in tags.items()]
    context["metatags"] = f"{context.get('metatags', '')}{join(*found)}"


def list_pages(app: Sphinx, exception: Exception | None) -> None:
    """The map of the site, and what stands where there is no page: both need its address."""
    home, out = app.config.html_baseurl, Path(app.outdir)
    if exception is not None or not home:
        return
    places = "".join(f"<url><loc>{escape(home + name)}.html</loc></url>" for name in sorted(app.env.found_docs))
    head = '<?xml version="1.0" encoding="utf-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    (out / "sitemap.xml").write_text(f"{head}{places}</urlset>", encoding="utf-8")
    (out / "robots.txt").write_text(f"Sitemap: {home}sitemap.xml\n", encoding="utf-8")
    page = el(
        "html",
        el(
            "head",
            el("meta", charset="utf-8"),
            el("title", "No such page"),
            el("meta", name="robots", content="noindex"),
        ),
        el(
            "body",
            el("h1", "No such page"),
            el("p", "It may have moved: ", el("a", app.config.project, href=home), "."),
        ),
        lang="en",
    )
    (out / "404.html").write_text(f"<!doctype html>\n{page}\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, object]:
    """Register both; the address ends with one slash."""
    if home := os.environ.get("FEDMM_SITE_URL", ""):
        app.config["html_baseurl"] = home.rstrip("/") + "/"
    app.connect("html-page-context", describe)
    app.connect("build-finished", list_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
