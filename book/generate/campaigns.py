"""The page of the campaigns, from the record that `python -m tests.campaigns --record` keeps."""

from __future__ import annotations

import inspect

from book.generate.text import myst, table
from tests.campaigns import FULL
from tests.campaigns.record import read

LEAD = """\
# Bad input, by the thousand

{tried} tries by seeded generators: {held} held, {slow} ran out of time, {failed} failed. A try *holds* where the
promise below the table is kept; it is *out of time* after ten seconds of one processor, which is no failure.

"""
END = """
The generators are in `tests/campaigns`. `make campaigns` makes them all again, with other tries where it is given
another `--seed`; with `--record` it renews this table. Every run of the tests makes a short campaign of each kind, and
plants failures that the campaign has to find: a parser that raises something else, a server that takes any number, a
node that commits what was not accepted, a reader that lets errors pass, an array that is changed in place, a command
with a traceback, an error without a sentence.
"""


def campaigns_page() -> str:
    """One row for each campaign."""
    found = read()
    kinds = "tried", "held", "slow", "failed"
    totals = {kind: f"{sum(getattr(one, kind) for one in found.values()):,}" for kind in kinds}
    heads = ("Campaign", "Tried", "Held", "Out of time", "Failed", "Seconds", "Seed")
    rows, promises = [], []
    for name, one in found.items():
        promise = (inspect.getdoc(inspect.getmodule(FULL[name].tries)) or "").split("\n\n")[0].replace("\n", " ")
        counts = [f"{n:,}" for n in (one.tried, one.held, one.slow, one.failed, one.seconds)]
        rows.append([myst(name), *counts, str(one.seed)])
        promises.append(f"- *{myst(name)}:* {myst(promise)}")
    return "\n".join([LEAD.format(**totals) + table(heads, rows), "", *promises, END])
