"""What results of a search quote where no page may be asked for: a browser opens no file for a script, on a USB stick.

The page of results takes the words of all pages from one script then; over HTTP it asks for each page, as ever.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import unescape
from pathlib import Path

FILE = "excerpts.js"
ARTICLE = re.compile(r'<article class="bd-article[^>]*>(.*)</article>', re.DOTALL)
UNSEEN = re.compile(r'<(script|style|noscript)\b.*?</\1>|<a class="headerlink".*?</a>|<[^>]*>', re.DOTALL)


def words(page: str) -> str:
    """What a page says, without its menus; "" where it has no article."""
    article = ARTICLE.search(page)
    return " ".join(unescape(UNSEEN.sub(" ", article[1])).split()) if article else ""


def excerpts(out: Path, names: Iterable[str]) -> str:
    """The script: the words of each page, by its name."""
    found = {name: words((out / f"{name}.html").read_text(encoding="utf-8")) for name in sorted(names)}
    return f"window.excerpts = {json.dumps(found, ensure_ascii=False)};\n"
