"""The matrix example × assumption, and A4 and A5 for messages and clients: what holds, why, and where it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.examples import Case, Example, examples
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import QUANTITIES, Cell, Place, hunt, lookout
from proofs_checks.report.laws import COMPRESSORS, PARTICIPATIONS, Judged, judge_compressor, judge_participation
from proofs_checks.report.markup import Html, el, item, join

__all__ = ["ASSUMPTIONS", "Row"]

ASSUMPTIONS = [f"A{k}" for k in range(1, 9)]
"""A1 to A8, as LaTeX counts them."""
MARKS = {True: "✓ holds", False: "✗ fails", None: "–"}
STYLES = {True: "verdict proved", False: "verdict refuted", None: "small"}


@dataclass(frozen=True, eq=False)
class Failure:
    """A quantity without a bound, and the place at which it was seen to be large."""

    name: str
    cell: Cell
    seen: float
    place: Place


@dataclass(frozen=True, eq=False)
class Row:
    """One numeric case: its cells by quantity, and what fails."""

    example: Example
    case: str
    cells: dict[str, Cell]
    failures: tuple[Failure, ...]

    def holds(self, assumption: str) -> bool | None:
        """Whether every quantity of the assumption is bounded; None for one that is not about the example."""
        return all(self.cells[name].holds for name in _parts(assumption)) if _parts(assumption) else None

    def broken(self, assumption: str) -> list[str]:
        """Which parts of the assumption fail, where it has several."""
        names = [name for name in _parts(assumption) if len(_parts(assumption)) > 1 and not self.cells[name].holds]
        return [name.removeprefix(assumption).removeprefix(": ") for name in names]


def _parts(assumption: str) -> list[str]:
    return [name for name, quantity in QUANTITIES.items() if quantity.assumption == assumption]


def rows(seed: int = 0) -> Iterator[Row]:
    """A row for every registered case, with data drawn from `seed`."""
    for example in examples():
        for name, case in example.cases.items():
            yield _row(example, name, case, np.random.default_rng(seed))


def _row(example: Example, name: str, case: Case, rng: np.random.Generator) -> Row:
    clients = Clients.of([case.draw_z(rng, size) for size in (4, 7, 10)])
    problem, parameters = case.problem(clients), (case.draw_theta(rng), case.draw_theta(rng))
    module = example.assumptions()
    cells, seen = module.cells(problem, clients), lookout(problem, clients, module.places, parameters)
    failures = tuple(
        Failure(quantity, cell, *hunt(quantity, problem, clients, seen))
        for quantity, cell in cells.items()
        if not cell.holds
    )
    return Row(example, name, cells, failures)


def matrix(found: Sequence[Row] | None = None) -> Html:
    """The section of the report: two tables, each with its reasons.

    Without `found`, the `rows` are made here, which takes seconds: each place is looked for.
    """
    found = list(rows()) if found is None else found
    return el(
        "section",
        el("h2", "Which example satisfies which assumption"),
        el(
            "p",
            "Numeric cases of the examples, on the set 𝒮 that each uses. A cell that holds comes with a constant and "
            "its proof, and the tests hunt for a place that exceeds it; for one that fails, a place is shown at which "
            "the bounded quantity is already huge. A1 is read as convexity, A3 as the variance of one sample. A4 and "
            "A5 speak of messages and clients, not of examples: see below.",
        ),
        of_examples(found),
        el("h3", "A4 and A5: messages and clients"),
        el(
            "p",
            "The whole law of each, enumerated: what compressors do to vectors of length 4 (A4), which of three "
            "clients are active (A5).",
        ),
        _table(["law", "assumption", "verdict", "numbers"], list(_laws())),
        id="assumptions",
        class_="matrix",
    )


def of_examples(found: Sequence[Row]) -> Html:
    """Which of A1 to A8 each of the cases satisfies, why what fails fails, and the constants of what holds."""
    return join(
        _table(["example", *ASSUMPTIONS], [_cells(row) for row in found]),
        _folded("Why what fails fails, and where", found, _failures),
        _folded("The constants of what holds", found, _constants),
    )


def _folded(title: str, found: Sequence[Row], lines: Callable[[Row], Iterator[Html]]) -> Html | None:
    items = list(_by_example(found, lines))
    return el("details", el("summary", title), *items, class_="code") if items else None


def _table(head: list[str], body: list[list[Html]]) -> Html:
    return el(
        "table",
        el("thead", el("tr", *(el("th", name, scope="col") for name in head))),
        el("tbody", *(el("tr", *cells) for cells in body)),
        tabindex="0",  # on a narrow screen it scrolls, by keyboard too
    )


def _cells(row: Row) -> list[Html]:
    name = el("th", f"{row.example.name}: {row.case}", scope="row")
    return [name, *(_mark(row.holds(assumption), row.broken(assumption)) for assumption in ASSUMPTIONS)]


def _mark(holds: bool | None, broken: list[str] | None = None) -> Html:
    parts = el("div", ", ".join(broken), class_="parts") if broken else None
    return el("td", el("span", MARKS[holds], class_=STYLES[holds]), parts)


def _laws() -> Iterator[list[Html]]:
    judged: list[tuple[str, str, Judged]] = [(repr(one), "A4", judge_compressor(one)) for one in COMPRESSORS]
    judged += [(name, "A5", judge_participation(law, switches)) for name, law, switches in PARTICIPATIONS]
    for name, assumption, found in judged:
        yield [el("th", name, scope="row"), el("td", assumption), _mark(found.holds), el("td", found.why)]


def _by_example(found: Sequence[Row], lines: Callable[[Row], Iterator[Html]]) -> Iterator[Html]:
    for name, some in groupby(found, key=lambda row: row.example.title):
        items = [line for row in some for line in lines(row)]
        if items:
            yield el("h4", name)
            yield el("ul", *items)


def _failures(row: Row) -> Iterator[Html]:
    for failure in row.failures:
        quantity, place = QUANTITIES[failure.name], failure.place
        points = zip(("θ", "τ"), place.parameters or (), strict=False) if quantity.of_theta else None
        where = ", ".join(f"{k} = {_short(x)}" for k, x in points or (("s", place.s), ("s'", place.t)))
        yield item(
            el("b", f"{row.case}, {failure.name}: "),
            f"{failure.cell.why}. Seen: {quantity.says} = {failure.seen:.3g} at {where}.",
        )


def _constants(row: Row) -> Iterator[Html]:
    for name, cell in row.cells.items():
        if cell.holds:
            says = f"{QUANTITIES[name].says} ≤ {cell.bound:.4g}; "
            yield item(el("b", f"{row.case}, {name}: "), says, cell.why)


def _short(x: Array) -> str:
    shown = ", ".join(f"{v:.9g}" for v in x[:12])
    return f"({shown}{', …' if len(x) > 12 else ''})"
