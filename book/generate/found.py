"""What search engines and links to a page show: a description of each page, and where the site lives, if it is told.

`FEDMM_SITE_URL` names the address of a deployment: with it pages have their canonical address and a card with a
picture, and there are `sitemap.xml` and a page for addresses that do not exist.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape

from proofs_checks.report.markup import Html, el, join

CARD = "figures/quadratic/figure.png"
"""The picture of a link to the site."""
LABEL, LONGEST = 40, 160
"""Characters of a paragraph that may be a label only; of a description that a result of a search shows."""


def description(paragraphs: Iterable[str]) -> str:
    """The first real paragraph of a page, cut at a word; "" where it has none."""
    text = next((line for line in (" ".join(text.split()) for text in paragraphs) if len(line) > LABEL), "")
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} …"


def tags(name: str, title: str, text: str, home: str = "") -> Html:
    """For the head of the page `name`: what it is about, and the card of a link to it; `home` ends with a slash."""
    card = {"og:title": title, "og:description": text, "og:type": "article"}
    if home:
        card |= {"og:url": f"{home}{name}.html", "og:image": f"{home}_images/{Path(CARD).name}"}
    return join(
        el("meta", name="description", content=text),
        *(el("meta", property=key, content=value) for key, value in card.items()),
    )


def deployed(names: Iterable[str], home: str, project: str) -> dict[str, str]:
    """The map of the site, and what stands where there is no page, by the names of their files."""
    places = "".join(f"<url><loc>{escape(home + name)}.html</loc></url>" for name in sorted(names))
    head = '<?xml version="1.0" encoding="utf-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    noindex = el("meta", name="robots", content="noindex")
    page = el(
        "html",
        el("head", el("meta", charset="utf-8"), el("title", "No such page"), noindex),
        el("body", el("h1", "No such page"), el("p", "It may have moved: ", el("a", project, href=home), ".")),
        lang="en",
    )
    return {
        "sitemap.xml": f"{head}{places}</urlset>",
        "robots.txt": f"Sitemap: {home}sitemap.xml\n",
        "404.html": f"<!doctype html>\n{page}\n",
    }
