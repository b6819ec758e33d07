"""The source files as pages, so that rows and the reference can lead to lines of them without a network."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from book.generate.ledger import source_page
from book.generate.tree import ROOT

FOLDERS = ("fedmm_edu", "proofs_checks")
STYLE = """\
body { margin: 0 auto; max-width: 76rem; padding: 1rem; background: #fff; color: #1d2230; font: 1rem/1.5 sans-serif; }
h1 { font-size: 1.2rem; overflow-wrap: anywhere; } a { color: #0a58a8; } pre { line-height: 1.35; }
.highlight { overflow-x: auto; font-size: .85rem; }
:target { background: #fff3c4; }
@media print { body { max-width: none; font-size: 9pt; } pre { white-space: pre-wrap; } }
"""
DARK = "body { background: #121212; color: #e6e8ee; } a { color: #8ab8ff; } :target { background: #4a3f12; }\n"
PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{name}</title><link rel="stylesheet" href="{up}source.css"></head>
<body><nav><a href="{up}../index.html">the course</a> · <a href="{up}../api/index.html">reference</a></nav>
<main><h1>{name}</h1>
{code}</main></body></html>
"""


def source_pages() -> dict[str, str]:
    """A page for every Python file of the project, and their style, by the address below `source/`."""
    formatter, dark = (HtmlFormatter(linespans="L", style=f"a11y-high-contrast-{mode}") for mode in ("light", "dark"))
    at_night = f"@media screen and (prefers-color-scheme: dark) {{\n{dark.get_style_defs('.highlight')}\n{DARK}}}\n"
    pages = {"source.css": f"{STYLE}{formatter.get_style_defs('.highlight')}\n{at_night}"}
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            name = str(file.relative_to(ROOT))
            pages[f"{name}.html"] = _page(file, name, formatter)
    return pages


def is_source(target: str) -> bool:
    """Whether "path:line" names a line of a Python file that has a page."""
    file, _, line = target.partition(":")
    path = ROOT / file
    if not (file.startswith(FOLDERS) and path.suffix == ".py" and path.is_file()):
        return False
    return 1 <= int(line or 1) <= len(path.read_text(encoding="utf-8").splitlines())


@cache
def defined(module: str, name: str) -> str | None:
    """ "path:line" of the class or function `name` of a module; None for what no line defines."""
    first, *members = name.split(".")
    found = getattr(sys.modules.get(module), first, None)
    for member in members:
        found = inspect.getattr_static(found, member, None)
    found = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
    try:
        function = inspect.unwrap(found)  # type: ignore[arg-type]
        file = Path(inspect.getsourcefile(function) or "")
        line = (
            function.__code__.co_firstlineno if hasattr(function, "__code__") else inspect.getsourcelines(function)[1]
        )
    except (TypeError, OSError):
        return None
    return f"{file.relative_to(ROOT)}:{line}" if file.is_relative_to(ROOT) else None


def linked_source(domain: str, names: Mapping[str, str]) -> str | None:
    """Where the word [source] leads on a page of the reference, for Sphinx' linkcode."""
    place = defined(names["module"], names["fullname"]) if domain == "py" else None
    return f"../{source_page(place)}" if place and is_source(place) else None


def _page(file: Path, name: str, formatter: HtmlFormatter) -> str:
    code = highlight(file.read_text(encoding="utf-8"), PythonLexer(), formatter)
    code = code.replace('<div class="highlight">', '<div class="highlight" tabindex="0">')  # as it scrolls
    return PAGE.format(name=escape(name), up="../" * name.count("/"), code=code)
