"""The page of the literature's surrogates, from the record that `python -m tests.literature` keeps."""

from __future__ import annotations

from book.generate.text import myst, table
from tests.literature.record import Found, conclusion, read, summary

LEAD = """\
# Surrogates of the literature

What `fedmm check` says of {count} surrogates, right ones and ones with a plausible mistake. {says}

*Proved* means every row of MM-1 and MM-2. The seconds are processor time of one core, solvers included. The models are
data, in `tests/literature`; `python -m tests.literature` judges them again and renews this table.
"""


def literature_page() -> str:
    """One section for the right surrogates and one for the wrong ones."""
    found = read()
    right = {name: entry for name, entry in found.items() if not entry.breaks}
    wrong = {name: entry for name, entry in found.items() if entry.breaks}
    lead = LEAD.format(count=len(found), says=myst(summary(found)))
    heads = ("Surrogate", "Source", "Verdict", "Seconds")
    parts = [lead, "## Right ones\n", table(heads, [_row(name, entry) for name, entry in right.items()])]
    heads = ("Surrogate: mistake", "What it breaks", "Verdict", "Seconds")
    parts += ["## Wrong ones\n", table(heads, [_row(name, entry) for name, entry in wrong.items()])]
    return "\n".join(parts)


def _row(name: str, found: Found) -> list[str]:
    return [myst(name), myst(found.breaks or found.source), myst(conclusion(found)), f"{found.seconds:.1f}"]
