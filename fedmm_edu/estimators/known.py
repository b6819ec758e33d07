"""What is known of the task of a fit: the rows and numbers that theorems ask for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module

from fedmm_edu.announced import Requirement
from fedmm_edu.convex_sets import Product, PSDCone, WholeSpace
from fedmm_edu.errors import InvalidInput
from fedmm_edu.estimators.channel import Channel
from fedmm_edu.estimators.fitting import FitTask
from fedmm_edu.examples.dictionary import DictionaryLearning, Unconstrained
from fedmm_edu.theory.assumptions import Cell
from fedmm_edu.theory.hypotheses import NUMBERS, Assumption, Number, Problem, with_constants

FORMULA = "the example's formula"


def known_of(task: FitTask, channel: Channel, start: float | None = None, variates: float | None = None) -> Problem:
    """What Theorem 1 and its relatives ask, of this task over this channel; `start` is W(T(Ŝ_0)), `variates` G₀."""
    n, mu, q = len(task.clients), task.clients.mu, task.problem.q
    numbers, cells, unknown = _numbers(task, channel.sigma, math.sqrt(n * float(mu @ mu)))
    holds, why = task.majorises
    rows = [
        Assumption("MM-1", "given" if holds else "fails", why),
        Assumption("MM-2", "given", f"T is that of the example {task.example!r}"),
        *(_row(name, cells.get(name), unknown) for name in ("A1", "A2")),
        *channel.rows(q, n),
        *with_constants(numbers, _row("A8", cells.get("A8"), unknown)),
    ]
    gap = Number(None, "unknown", "no lower bound of W is known")
    if task.floor is not None and start is not None:
        gap = Number(max(start - task.floor, 0.0), "given", f"W(T(Ŝ_0)) less the lower bound {task.floor:g} of W")
    moved = Number(variates, "given", "V_{0,i} = 0" if variates is not None else "not known")
    return Problem(task.example, n, q, tuple(rows), numbers, gap, moved)


def met(task: FitTask) -> frozenset[Requirement]:
    """What rows of a ledger may ask, and holds of this task: what it says itself, and what its problem shows."""
    S = task.plain.S
    blocks = [type(part) for part in S.factors] if isinstance(S, Product) else [type(S)]
    found: set[Requirement] = set(task.meets)
    atoms = task.plain.atoms if isinstance(task.plain, DictionaryLearning) else None
    if isinstance(atoms, Unconstrained) and atoms.eta > 0.0:
        found.add("g = eta |theta|^2, eta > 0")
    printed = {"quadratic": [WholeSpace], "dictionary": [PSDCone, WholeSpace]}.get(task.example)
    if blocks == printed:
        found.add("the set S of the paper")
    return frozenset(found)


OF_DATA = ("A2", "A3", "A6(i)", "A6(ii)")
"""Cells whose bound, or whose reason, depends on the samples."""


def _numbers(task: FitTask, sigma: float, spread: float) -> tuple[dict[str, Number], Mapping[str, Cell], str]:
    """The constants on all of 𝒮, the cells from which they come, and why there are none."""
    nothing = Number(None, "unknown", "")
    found: dict[str, Number] = dict.fromkeys(NUMBERS, nothing)
    noise = "" if sigma == 0.0 else ", and noise is added of this size, which rounding to a grid counts among"
    found["sigma"] = Number(sigma, "proved", f"every row is used in each round{noise or ': σ = 0'}")
    found["L_T"] = found["ell"] = nothing
    if task.flat is not None:
        found["L_T"], found["ell"] = (Number(value, "given", FORMULA) for value in task.flat)
    cells: Mapping[str, Cell] = {}
    why = ""
    try:
        cells = import_module(f"fedmm_edu.examples.{task.example}.assumptions").cells(task.plain, task.of)
        if task.foreign:
            cells = {name: cell for name, cell in cells.items() if name not in OF_DATA}
    except InvalidInput as error:
        why = str(error)
        return {name: replace(number, how=number.how or why) for name, number in found.items()}, cells, why
    bend, steep, flat = (cells[f"A7: {name}"] for name in ("C_star", "C_star_star", "1/v_min"))
    found["C_star"], found["C_star_star"], found["v_max"] = _number(bend), _number(steep), _number(steep)
    found["v_min"] = replace(_number(flat), value=None if flat.bound == math.inf else 1.0 / flat.bound)
    if task.foreign:
        return {name: replace(n, how=n.how or task.foreign) for name, n in found.items()}, cells, task.foreign
    found["L"] = _number(task.field or cells["A6(i)"], spread)
    field = cells["A6(ii)"]
    found["sup_h"] = Number(field.bound, "given", f"{FORMULA}: {field.why}")
    return found, cells, ""


def _number(cell: Cell, factor: float = 1.0) -> Number:
    if not cell.holds:
        return Number(None, "fails", cell.why)
    return Number(cell.bound * factor, "given", f"{FORMULA}: {cell.why}")


def _row(name: str, cell: Cell | None, unknown: str) -> Assumption:
    if cell is None:
        return Assumption(name, "unknown", unknown or "the example says nothing of it")
    return Assumption(name, "given" if cell.holds else "fails", cell.why)
