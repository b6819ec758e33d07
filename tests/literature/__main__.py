"""`python -m tests.literature`: judge each surrogate in a process of its own, print the table, keep the record.

`python -m tests.literature NAME …` judges those whose names begin so, `--new` those that the record lacks as they are.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

from fedmm_edu.files import write_text
from fedmm_edu.symbolic import check_model
from fedmm_edu.text.tables import table, terminal_width
from tests.literature import ENTRIES
from tests.literature.record import RECORD, Found, conclusion, read, summary

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


def apart(name: str) -> Found:
    """`judge` in another process; no verdicts where that takes longer than `LIMIT`."""
    command = [sys.executable, "-m", "tests.literature", "--judge", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return Found(**json.loads(done.stdout))
    if done.returncode not in (-signal.SIGXCPU, -signal.SIGKILL):
        raise RuntimeError(f"{name}: {done.stderr}")
    entry = ENTRIES[name]
    return Found(entry.source, entry.breaks, entry.digest, {}, float(LIMIT))


def main() -> int:
    """1 if a right surrogate is refuted, or a wrong one is not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="beginnings of names (default: all)")
    parser.add_argument("--new", action="store_true", help="only those without a record of their present form")
    parser.add_argument("--judge", metavar="NAME", help="judge one here, and print JSON")
    args = parser.parse_args()
    if args.judge is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
        print(json.dumps(vars(judge(args.judge))))
        return 0
    known = read()
    wanted = [name for name in ENTRIES if not args.names or name.startswith(tuple(args.names))]
    if args.new:
        wanted = [name for name in wanted if name not in known or known[name].digest != ENTRIES[name].digest]
    for k, name in enumerate(wanted, 1):
        known[name] = apart(name)
        write(known)
        print(
            f"{k}/{len(wanted)} {name}: {conclusion(known[name])}, {known[name].seconds} s", file=sys.stderr, flush=True
        )
    shown = {name: known[name] for name in ENTRIES if name in known}
    cells = [(name, f.source, f.breaks or "right", conclusion(f), f"{f.seconds:.1f}") for name, f in shown.items()]
    heads = ("surrogate", "source", "truth", "verdict", "s")
    print(table(heads, cells, columns=terminal_width(), shares=(28, 24, 16, 24, 8)))
    print(f"\n{summary(shown)}")
    return int(any(f.mistaken for f in shown.values()))


def write(known: Mapping[str, Found]) -> None:
    """The record, in the order of the entries."""
    found: dict[str, Any] = {name: vars(known[name]) for name in ENTRIES if name in known}
    write_text(RECORD, json.dumps(found, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
