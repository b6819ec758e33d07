"""The source files as pages, so that a row can lead to the line of its check without a network."""

from __future__ import annotations

from html import escape
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from book.generate.tree import ROOT

FOLDERS = ("fedmm_edu", "proofs_checks")
STYLE = """\
body { margin: 0 auto; max-width: 76rem; padding: 1rem; background: #fff; color: #1d2230; font: 1rem/1.5 sans-serif; }
h1 { font-size: 1.2rem; overflow-wrap: anywhere; } a { color: #0a58a8; } pre { line-height: 1.35; }
.highlight { overflow-x: auto; font-size: .85rem; }
:target { background: #fff3c4; } @media print { body { max-width: none; font-size: 9pt; } }
"""
PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title><link rel="stylesheet" href="{up}source.css"></head>
<body><nav><a href="{up}../index.html">the course</a> · <a href="{up}../api/index.html">reference</a></nav>
<main><h1>{name}</h1>
{code}</main></body></html>
"""


def source_pages() -> dict[str, str]:
    """A page for every Python file of the project, and their style, by the address below `source/`."""
    formatter = HtmlFormatter(linespans="L", style="a11y-high-contrast-light")
    pages = {"source.css": STYLE + formatter.get_style_defs(".highlight")}
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


def _page(file: Path, name: str, formatter: HtmlFormatter) -> str:
    code = highlight(file.read_text(encoding="utf-8"), PythonLexer(), formatter)
    code = code.replace('<div class="highlight">', '<div class="highlight" tabindex="0">')  # as it scrolls
    return PAGE.format(name=escape(name), up="../" * name.count("/"), code=code)
