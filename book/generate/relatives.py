"""A card for each relative of FedMM and for each system that is no choice of the six parts, from the registry."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from book.generate.notation import formulas
from book.generate.text import myst, slug, table
from fedmm_edu.algorithms import FedMM
from fedmm_edu.federation import RandK
from fedmm_edu.relatives import ELSEWHERE, KINDS, Elsewhere, Relative, Tuning, entries
from fedmm_edu.widgets.explorables.relatives import specimen

LEAD = """\
# The relatives of FedMM

One loop, six parts: what a client does in a round, what it remembers, from which reference differences are taken,
through which channel, how the server steps, and the space in which all this happens. Each card is a choice of the six;
what stands in **bold** is where it differs from Algorithm 2. Cards are made from the registry `fedmm_edu.relatives`,
whose entries are tested against the definition in the literature. `fedmm compare` runs them side by side, and
[a study](relatives_results.md) says who wins at what.
"""
ROW = re.compile(r"\bown-[a-z-]+[a-z]")
"""A row of the ledger, as docstrings name it."""
LINK = r"{row}`\g<0>`"


def relatives_page() -> str:
    """The table of all, then the cards by kind, then those that are elsewhere."""
    rows = [
        [f"[{myst(each.name)}](#{anchor(each)})", myst(formulas(each.ends.says)), _lines(each.lines)]
        for module in KINDS.values()
        for each in entries(module)
    ]
    parts = [LEAD, table(("system", "where it ends", "in the paper"), rows)]
    for title, module in KINDS.items():
        parts += [f"## {title}\n", *(card(each, source(module, each)) for each in entries(module))]
    parts += ["## Not on the loop, or not as an entry\n", *map(elsewhere, ELSEWHERE)]
    return "\n".join(parts)


def anchor(each: Relative | Elsewhere) -> str:
    """The name of its card."""
    return f"relative-{slug(each.key)}"


def _lines(lines: tuple[int, ...]) -> str:
    return ", ".join(f"L {line}" for line in lines) or "not named"


def card(each: Relative, code: str) -> str:
    """What it is, its six parts, what it needs, where it ends, what it equals, its rate and its known bugs."""
    facts = [
        ("Source", f"{myst(each.source)}; in the paper: {_lines(each.lines)}"),
        (
            "Needs",
            "; ".join(myst(demand.value) for demand in sorted(each.needs, key=lambda d: d.name)) or "nothing more",
        ),
        ("Ends", myst(formulas(each.ends.says))),
        ("Equals", myst(formulas(each.equals)) or "no other entry"),
        ("Shown in", f"{{row}}`{each.row}`" if each.row else "its tests, against its definition"),
        ("Rate", _rate(each)),
        (
            "Known bugs",
            "; ".join(f"{myst(formulas(bug.says))} ({myst(bug.seen)})" for bug in each.bugs) or "none known",
        ),
    ]
    shown = [[name, f"**{value}**" if other else value] for name, value, other in parts_of(each)]
    return "\n".join([
        f"({anchor(each)})=", f"### {myst(each.name)}\n", *(f"- {name}: {text}" for name, text in facts), "",
        table(("part", "choice"), shown), f"```python\n{code}\n```\n",
    ])  # fmt: skip


def _rate(each: Relative) -> str:
    said = myst(formulas(each.rate)) or "none is stated here"
    if each.certified is None:
        return said
    proved = myst(formulas(" ".join((each.certified.__doc__ or "").split())))
    return f"{said}. Proved: {ROW.sub(LINK, proved)}"


def parts_of(each: Relative) -> Iterator[tuple[str, str, bool]]:
    """Each of the six parts, its choice in code, and whether Algorithm 2 has another one; K = 4, Rand-2, everyone."""
    problem, clients = specimen(each)
    at = Tuning(eta=0.1, steps=4, p=0.25, compressor=RandK(2), alpha=0.5)
    made, plain = each.on(problem, clients, at), FedMM(problem, clients, 1.0, alpha=0.5)
    k = len(made.work.start(made.problem, made.dim))
    keeps = [f"{k} numbers"] if k else []
    keeps += ["$V_i$" if made.alpha else "$V_i = V_{0,i}$" if each.V != "zero" else ""]
    memory = ", ".join(filter(None, keeps)) or "none"
    yield "local work", f"`{made.work!r}`", made.work != plain.work
    yield "client memory", memory, k > 0 or not made.alpha
    yield "reference", f"`{made.reference!r}`", made.reference != plain.reference
    up, down = type(made.compressor).__name__, type(made.downlink).__name__
    takes = "any compressor" if "compressor" in each.takes(made.problem, len(made.clients)) else "floats"
    yield "channel", f"up: {takes} (`{up}` here); down: `{down}`", type(made.downlink) is not type(plain.downlink)
    yield "server step", f"`{made.server!r}`", made.server != plain.server
    yield "space", f"`{made.space!r}`", made.space != plain.space


def source(module: ModuleType, each: Relative) -> str:
    """The lines of the entry."""
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    name = next(name for name, value in vars(module).items() if value is each)
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            return "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno])
    raise LookupError(name)


def elsewhere(each: Elsewhere) -> str:
    """What it is, and what is missing."""
    return "\n".join([
        f"({anchor(each)})=", f"### {myst(each.name)}\n",
        f"- Source: {myst(each.source)}; in the paper: {_lines(each.lines)}",
        f"- Missing: {myst(formulas(each.missing))}", "",
    ])  # fmt: skip
