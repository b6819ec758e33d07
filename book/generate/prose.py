"""The lint of hand-written pages: a measured number in prose must come from a computation.

A number counts as measured if it is a decimal fraction, or has a unit of time, memory or share: "0.632", "28 %", "5 s".
Such a number goes stale unseen when code changes; print it in a cell, or take it with `glue`. Not measured are whole
numbers without a unit ("ten clients", "8 bits", "Lemma 3"), settings ("γ = 0.2"), numbers of sections and versions, the
planned time of a lesson, and everything in formulas and code, which are statements and inputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

NOT_PROSE = re.compile(
    r"\A---\n.*?\n---\n"  # front matter
    r"|^(`{3,}|~{3,})(?!\{(?:admonition|note|exercise|solution|prf)).*?^\1\s*$"  # code
    r"|\$\$.*?\$\$|\$[^$\n]+(?:\n[^$\n]+)?\$"  # formulas, on two lines at most
    r"|\{[\w:.-]+\}`[^`]*`|`[^`\n]*(?:\n[^`\n]+)?`"  # roles and inline code
    r"|\]\([^)]*\)|<[^>]*>|^:\w[\w-]*:.*?$",  # targets of links, tags, options
    re.DOTALL | re.MULTILINE,
)
NAMES = re.compile(
    r"\b(?:Sections?|Appendix|Appendices|Table|Figure|Algorithm|eqs?\.|Python|Flower|version)\s+[\w.]+"
    r"(?:(?:,| and| to)\s+\d[\w.]*)*"
    r"|[=≤≥<>] ?-?\d[\d.]*|\bTime: [^.]*"
)
MEASURED = re.compile(
    r"(?<![\w.⁻-])\d[\d,.]*(?:e[-+]?\d+)?\s*"
    r"(?:%|‰|(?:ns|µs|ms|s|sec|seconds?|minutes?|hours?|[kMGT]B|bytes?|GiB|MiB)\b)"
    r"|(?<![\w.])\d+\.\d+(?:e[-+]?\d+)?(?![\w.]\w)"
)


def measured_numbers(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of each bare measured number of a page.

    >>> list(measured_numbers("Lemma 3 of Section 2.3: with $\\\\gamma = 0.5$ it takes 12 s, and `0.1` is 3.6 % off."))
    [(1, '12 s'), (1, '3.6 %')]
    """
    blank = NOT_PROSE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    blank = NAMES.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), blank)
    for match in MEASURED.finditer(blank):
        yield blank.count("\n", 0, match.start()) + 1, match[0]
