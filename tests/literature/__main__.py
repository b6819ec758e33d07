"""`python -m tests.literature`: judge each surrogate in a process of its own, print the table, keep the record.

`python -m tests.literature NAME …` judges those whose names begin so, `--new` those that the record lacks as they are.
"""

from __future__ import annotations

import resource
import sys
import time

from fedmm_edu.symbolic import check_model
from fedmm_edu.text.tables import table, terminal_width
from tests.literature import ENTRIES
from tests.literature.inquiry import Inquiry
from tests.literature.record import RECORD, Found, conclusion, summary

LIMIT = 120
"""Seconds of processor time after which a model is given up; the goal is half of it."""


def judge(name: str) -> Found:
    """The verdicts and the processor time, that of solvers in child processes included."""
    entry, began = ENTRIES[name], _spent()
    rows = check_model(entry.model)
    said = {row: verdict.status for row, verdict in rows.items()}
    return Found(entry.source, entry.breaks, entry.digest, said, round(_spent() - began, 1))


def _spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def given_up(name: str) -> Found:
    """No verdicts in time."""
    entry = ENTRIES[name]
    return Found(entry.source, entry.breaks, entry.digest, {}, float(LIMIT))


def main() -> int:
    """1 if a right surrogate is refuted, or a wrong one is not."""
    inquiry = Inquiry(
        "tests.literature", RECORD, Found, [*ENTRIES], judge, given_up,
        lambda found: f"{conclusion(found)}, {found.seconds} s", LIMIT,
    )  # fmt: skip
    shown = inquiry.run(__doc__)
    if shown is None:
        return 0
    cells = [(name, f.source, f.breaks or "right", conclusion(f), f"{f.seconds:.1f}") for name, f in shown.items()]
    heads = ("surrogate", "source", "truth", "verdict", "s")
    print(table(heads, cells, columns=terminal_width(), shares=(28, 24, 16, 24, 8)))
    print(f"\n{summary(shown)}")
    return int(any(f.mistaken for f in shown.values()))


if __name__ == "__main__":
    sys.exit(main())
