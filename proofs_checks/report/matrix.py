"""The matrix example × assumption: which of A1 to A8 hold for each numeric case, and a place for each that fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fedmm_edu.errors import Array
from fedmm_edu.examples import Case, Example, examples
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import QUANTITIES, Cell, Place, hunt
from proofs_checks.report.markup import Html, el, item

ASSUMPTIONS = [f"A{k}" for k in range(1, 9)]
MARKS = {True: "✓ holds", False: "✗ fails", None: "–"}


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
        cells = [self.cells[name].holds for name, quantity in QUANTITIES.items() if quantity.assumption == assumption]
        return all(cells) if cells else None


def rows(seed: int = 0) -> Iterator[Row]:
    """A row for every registered case, with data drawn from `seed`."""
    for example in examples():
        for name, case in example.cases.items():
            yield _row(example, name, case, np.random.default_rng(seed))


def _row(example: Example, name: str, case: Case, rng: np.random.Generator) -> Row:
    clients = Clients.of([case.draw_z(rng, size) for size in (4, 7, 10)])
    problem, parameters = case.problem(clients), (case.draw_theta(rng), case.draw_theta(rng))
    module = example.assumptions()
    cells = module.cells(problem, clients)
    failures = tuple(
        Failure(quantity, cell, *hunt(quantity, problem, clients, module.pairs, parameters))
        for quantity, cell in cells.items()
        if not cell.holds
    )
    return Row(example, name, cells, failures)


def matrix() -> Html:
    """The matrix as a table, and under it the reason and a place for each assumption that fails."""
    found = list(rows())
    head = el("tr", el("th", "example", scope="col"), *(el("th", name, scope="col") for name in ASSUMPTIONS))
    return el(
        "section",
        el("h2", "Which example satisfies which assumption"),
        el(
            "p",
            "Numeric cases of the examples, on the set 𝒮 that each uses. A cell that holds comes with a constant, and "
            "the tests hunt for a place that exceeds it; for one that fails, a place is shown at which the bounded "
            "quantity is already huge. A4 and A5 speak of messages and clients, not of examples.",
        ),
        el("div", el("table", el("thead", head), el("tbody", *map(_table_row, found))), class_="scroll"),
        el("details", el("summary", "Why, and where they fail"), el("ul", *_reasons(found)), class_="code"),
        id="assumptions",
        class_="matrix",
    )


def _table_row(row: Row) -> Html:
    cells = []
    for assumption in ASSUMPTIONS:
        holds = row.holds(assumption)
        style = {True: "verdict proved", False: "verdict refuted", None: "small"}[holds]
        cells.append(el("td", MARKS[holds], class_=style))
    return el("tr", el("th", f"{row.example.name}: {row.case}", scope="row"), *cells)


def _reasons(found: list[Row]) -> Iterator[Html]:
    for row in found:
        for failure in row.failures:
            says = QUANTITIES[failure.name].says
            yield item(
                el("b", f"{row.example.name}: {row.case}, {failure.name}. "),
                f"{failure.cell.why[0].upper()}{failure.cell.why[1:]}. ",
                f"Seen: {says} = {failure.seen:.3g} at s = {_short(failure.place.s)}, s' = {_short(failure.place.t)}.",
            )


def _short(x: Array) -> str:
    shown = ", ".join(f"{v:.6g}" for v in x[:4])
    return f"({shown}{', …' if len(x) > 4 else ''})"
