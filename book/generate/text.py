"""Texts of the package (words, $LaTeX$ and `code`) as MyST Markdown, and small pieces of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from proofs_checks.report.markup import CODE, MATH

SPECIAL = re.compile(r"([\\`*_\[\]<>#|{}~^&])")


def myst(text: str) -> str:
    """`text` as inline Markdown: formulas and code stay what they are, everything else is taken literally.

    >>> print(myst("if $a_1 < b$, *not* `x_1`"))
    if $a_1 < b$, \\*not\\* `x_1`
    """
    pieces = MATH.split(text)  # text, formula, text, …
    return "".join(f"${piece.strip()}$" if k % 2 else _words(piece) for k, piece in enumerate(pieces))


def _words(text: str) -> str:
    pieces = CODE.split(text.replace(r"\$", "$"))
    return "".join(f"`{piece}`" if k % 2 else SPECIAL.sub(r"\\\1", piece) for k, piece in enumerate(pieces))


def raw(html: str) -> str:
    """HTML as it is, between blank lines."""
    return f"\n```{{raw}} html\n{html}\n```\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown cells; a `list-table`, as a cell may hold a bar."""
    lines = [":::{list-table}", ":header-rows: 1", ":class: wide", ""]
    for row in (head, *rows):
        lines += [("* - " if k == 0 else "  - ") + cell.replace("\n", " ") for k, cell in enumerate(row)]
    return "\n".join([*lines, ":::", ""])


def slug(title: str) -> str:
    """A file's name from a title: what stands before its first colon, in small letters and hyphens.

    >>> slug("Section 2.3, continued: dictionary learning")
    'section-2-3-continued'
    """
    return "-".join(re.findall(r"\w+", title.partition(":")[0].lower()))
