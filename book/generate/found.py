"""What search engines and links to a page show: a description of each page, and where the site lives, if it is told.

`FEDMM_SITE_URL` names the address of a deployment: with it pages have their canonical address and a card with a
picture, and there are `sitemap.xml` and a page for addresses that do not exist. `FEDMM_LINKS` names what stands at the
foot of each page, with spaces between the links, each as NAME=ADDRESS, where `{page}` stands for the name of the page
and `{file}` for the file that it is written in (a page that a program writes has no such link):

    FEDMM_LINKS="Repository=https://HOST/O/R Edit_this_page=https://HOST/O/R/edit/main/{file}"
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Sequence
from urllib.parse import quote
from xml.sax.saxutils import escape

from book.generate.launch import Place, named_addresses
from book.generate.tree import BOOK, ROOT, Tree
from proofs_checks.report.markup import Html, el, join

PICTURE, CARD = BOOK / "figures" / "quadratic" / "figure.png", "pictures/card.png"
"""The picture of a link to the site, and where the site has it."""
LINKS = "FEDMM_LINKS"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
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
        card |= {"og:url": f"{home}{name}.html", "og:image": home + CARD}
    return join(
        el("meta", name="description", content=text),
        el("meta", name="twitter:card", content="summary_large_image") if home else None,
        *(el("meta", property=key, content=value) for key, value in card.items()),
    )


def footer_links(given: str | None = None) -> tuple[Place, ...]:
    """Those of this build; `given`: the variable's value."""
    return named_addresses(LINKS, given, "", "Edit=https://HOST/OWNER/REPOSITORY/edit/main/{file}")


def foot(name: str, cite: str, links: Sequence[Place]) -> Html:
    """Below the page `name`: the version, how to cite it (at the address `cite`), and the links of this deployment."""
    file = written_in(name)
    shown = [
        el("a", link.name, href=link.address.replace("{page}", quote(name)).replace("{file}", file or ""))
        for link in links
        if file or "{file}" not in link.address
    ]
    return join(f"fedmm-edu {VERSION} · ", el("a", "How to cite", href=cite), *(join(" · ", link) for link in shown))


def written_in(name: str) -> str | None:
    """The file of the repository in which a page is written by hand; None where a program writes it."""
    place = f"notebooks/{name.removeprefix('lessons/')}.md" if name.startswith("lessons/") else f"book/{name}.md"
    return place if (ROOT / place).is_file() else None


def home_of_site() -> str:
    """The address of the deployment, which ends with a slash; "" where none is named."""
    home = os.environ.get("FEDMM_SITE_URL", "")
    return home and home.rstrip("/") + "/"


def add_deployed(tree: Tree, pages: Iterable[str], home: str) -> None:
    """Write the map of the site, and what stands where there is no page, into its root; nothing without a `home`."""
    places = "".join(f"<url><loc>{escape(home + name)}.html</loc></url>" for name in sorted(pages))
    head = '<?xml version="1.0" encoding="utf-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    files = {
        "sitemap.xml": f"{head}{places}</urlset>",
        "robots.txt": f"Sitemap: {home}sitemap.xml\n",
        "404.html": f"<!doctype html>\n{no_such_page(home)}\n",
    }
    for name, text in files.items() if home else ():
        tree.write(f"extra/{name}", text)


def no_such_page(home: str) -> Html:
    """It is shown at any address, and so leads home by whole ones."""
    meta = {"viewport": "width=device-width, initial-scale=1", "color-scheme": "light dark", "robots": "noindex"}
    style = "body { font: 1.1rem/1.6 system-ui; margin: 15vh auto; max-width: 30rem; padding: 0 1rem }"
    ways = (el("a", "Go to the first page", href=home), ", or ", el("a", "search", href=f"{home}search.html"), ".")
    head = el(
        "head",
        el("meta", charset="utf-8"),
        *(el("meta", name=key, content=value) for key, value in meta.items()),
        el("title", "No such page"),
        el("style", style),
    )
    return el("html", head, el("body", el("h1", "No such page"), el("p", "It may have moved. ", *ways)), lang="en")
