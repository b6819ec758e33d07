"""Which theorem bounds a run: what is known of the task, and what each theorem asks, admits and promises."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module

import numpy as np

from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.announced import Requirement
from fedmm_edu.convex_sets import Product, PSDCone, WholeSpace
from fedmm_edu.errors import InvalidInput
from fedmm_edu.estimators.fitting import Channel, FitTask, Trace
from fedmm_edu.examples.dictionary import DictionaryLearning, Unconstrained
from fedmm_edu.federation import Draws, Purpose
from fedmm_edu.theory import (
    Constants,
    Flat,
    Terms,
    any_projection,
    best_own,
    bound,
    largest_gamma,
    own_bound,
    without_A7,
)  # fmt: skip
from fedmm_edu.theory.assumptions import Cell
from fedmm_edu.theory.hypotheses import NUMBERS, Assumption, Number, Problem, with_constants

DRAWS = 2048
"""Messages from which the bias of a compressor is looked for."""
FORMULA = "the example's formula"
FAR = 70.0
"""Powers of ten that a constant may be from 1: formulas have fourth powers."""


@dataclass(frozen=True)
class Outcome:
    """What a theorem says of a run: why it does not apply ("" if it does), the steps it admits, and its bound.

    measure: what is bounded; row: where it is proved; observed: the measure on this run, where it was seen.
    """

    theorem: str
    measure: str
    why_not: str
    row: str = ""
    admits: float | None = None
    bound: float | None = None
    observed: float | None = None
    rests_on: tuple[str, ...] = ()

    @property
    def applies(self) -> bool:
        """Whether the theorem covers the run as it was."""
        return not self.why_not


def known_of(task: FitTask, channel: Channel, start: float | None = None, variates: float | None = None) -> Problem:
    """What Theorem 1 and its relatives ask, of this task over this channel; `start` is W(T(Ŝ_0)), `variates` G₀."""
    n, mu, q = len(task.clients), task.clients.mu, task.problem.q
    numbers, cells, unknown = _numbers(task, math.sqrt(n * float(mu @ mu)))
    holds, why = task.majorises
    rows = [
        Assumption("MM-1", "given" if holds else "fails", why),
        Assumption("MM-2", "given", f"T is that of the example {task.example!r}"),
    ]
    for name in ("A1", "A2"):
        rows.append(_row(name, cells.get(name), unknown))
    rows += channel_rows(channel, q, n)
    rows += with_constants(numbers, _row("A8", cells.get("A8"), unknown))
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


def _numbers(task: FitTask, spread: float) -> tuple[dict[str, Number], Mapping[str, Cell], str]:
    """The constants on all of 𝒮, the cells from which they come, and why there are none."""
    nothing = Number(None, "unknown", "")
    found: dict[str, Number] = dict.fromkeys(NUMBERS, nothing)
    noise = "" if task.sigma == 0.0 else ", and noise is added of this size"
    found["sigma"] = Number(task.sigma, "proved", f"every row is used in each round{noise or ': σ = 0'}")
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


def channel_rows(channel: Channel, q: int, n: int) -> tuple[Assumption, Assumption]:
    """A4 and A5 of n clients who send q numbers."""
    return _compression(channel, q), _participation(channel, n)


def _compression(channel: Channel, q: int) -> Assumption:
    """A4, which numbers can refute: the mean and the spread of many messages of one random vector."""
    if channel.omega == 0.0:
        return Assumption("A4", "proved", "messages travel as they are: ω = 0")
    m = max(64, min(DRAWS, 2**22 // q))
    draws = Draws(0, 1, np.arange(m))
    x = np.tile(Draws(0, 0, np.arange(1))(Purpose.DATA, q) - 0.5, (m, 1))
    error = channel.compressor.compress(x, draws) - x
    size = float(x[0] @ x[0])
    mean, spread = error.mean(axis=0), (error**2).sum(axis=1) / size
    noise = error.std(axis=0) / math.sqrt(m)
    biased = np.abs(mean) > 8.0 * noise + 1e-12 * math.sqrt(size)
    if biased.any():
        j = int(np.argmax(np.abs(mean)))
        return Assumption(
            "A4", "fails", f"biased: the mean of {m} messages misses coordinate {j} by {mean[j]:.3g}, 8 standard "
            f"errors are {8 * noise[j]:.1g}"
        )  # fmt: skip
    if spread.mean() > channel.omega + 8.0 * spread.std() / math.sqrt(m) + 1e-12:
        return Assumption("A4", "fails", f"E‖Q(x) − x‖²/‖x‖² is {spread.mean():.3g}, more than ω = {channel.omega:.3g}")
    return Assumption(
        "A4", "given", f"ω = {channel.omega:.4g} as the compressor says; {m} messages show neither bias nor more spread"
    )


def _participation(channel: Channel, n: int) -> Assumption:
    """A5, which numbers can refute: chances that differ, or clients that do not choose for themselves."""
    law, p = channel.participation, channel.participation.probability(n)
    if (p == 1.0).all():
        return Assumption("A5", "proved", "everyone takes part in every round: p = 1")
    if (p != p[0]).any():
        return Assumption("A5", "fails", f"chances differ between clients, from {p.min():.3g} to {p.max():.3g}")
    counts = np.array([law.active(Draws(0, t, np.arange(n))).sum() for t in range(1, 257)], dtype=np.float64)
    apart = n * p[0] * (1.0 - p[0])
    if n > 1 and abs(counts.var() / apart - 1.0) > 8.0 * math.sqrt(3.0 / len(counts)):
        return Assumption(
            "A5", "fails", f"clients do not choose independently: the number that takes part has the variance "
            f"{counts.var():.3g}, independent ones {apart:.3g}"
        )  # fmt: skip
    return Assumption("A5", "given", f"each client with probability {p[0]:g}, as the law says")


# ------------------------------------------------------------------------------------------- theorems


def _ask(problem: Problem, rows: tuple[str, ...] | None, numbers: tuple[str, ...]) -> str:
    """Why a theorem that asks for these rows and numbers does not apply; empty where it does."""
    failing = [h for h in problem.hypotheses if h.status == "fails" and h.needed and (rows is None or h.name in rows)]
    if failing:
        return "; ".join(f"{h.name} fails: {h.why}" for h in failing)
    values = {name: problem.numbers[name].value for name in numbers}
    missing = [name for name, value in values.items() if value is None]
    extreme = [name for name, value in values.items() if value and FAR < abs(math.log10(value)) < math.inf]
    if missing:
        return f"not known: {', '.join(missing)}"
    return f"its formulas leave the floats: {', '.join(extreme)}" if extreme else ""


def _taken(problem: Problem, rows: tuple[str, ...] | None) -> tuple[str, ...]:
    """The rows that are neither proved nor given, and that a bound rests on all the same."""
    return tuple(h.name for h in problem.hypotheses if h.status == "unknown" and (rows is None or h.name in rows))


FLAT_ROWS = ("MM-1", "MM-2", "A3", "A4", "A5", "A6(i)", "A8")


def _constants(problem: Problem) -> Constants:
    return Constants(n=problem.n, **{name: float(problem.numbers[name].value or 0.0) for name in NUMBERS})


@dataclass(frozen=True)
class _Offer:
    """A theorem on this problem: why it does not apply at all, the steps that it admits, its best one, its bound."""

    theorem: str
    measure: str
    why_not: str
    rows: tuple[str, ...] | None = None
    row: str = ""
    admits: float = 0.0
    open_end: bool = False
    best: Callable[[], float] = lambda: 0.0
    bound: Callable[[float, int, float, float], float] = lambda *_: math.nan


def _offers(problem: Problem, task: FitTask, channel: Channel) -> list[_Offer]:
    together, alpha = channel.omega_p, channel.alpha or None
    measure = "mean of E‖h(Ŝ_t)‖² in the norm of B(Ŝ_t)"
    why = _ask(problem, None, NUMBERS)
    whole = "" if isinstance(task.problem.S, WholeSpace) else "it projects in the norm of B(Ŝ_t), this run in ‖·‖"
    offers = []
    if why or whole:
        offers.append(_Offer("Theorem 1", measure, why or whole))
    else:
        c = _constants(problem)
        most = largest_gamma(c, together, alpha)
        offers.append(
            _Offer(
                "Theorem 1", measure, "", None, "thm1-A" if together == 0.0 else "thm1-B-best", most, most < 1.0,
                lambda: most / 2.0,
                lambda gamma, T, gap, G: bound(c, gamma=gamma, rounds=T, initial_gap=gap, omega_p=together, alpha=alpha,
                                               initial_variates=G).total,
            )
        )  # fmt: skip
    if why:
        offers.append(_Offer("any projection", measure, why))
    else:
        c = _constants(problem)
        offers.append(_own("any projection", measure, None, any_projection(c, together, alpha), c, 0.0))
    why = _ask(problem, FLAT_ROWS, ("L_T", "ell", "L", "sigma"))
    measure = "mean of E‖h(Ŝ_t)‖²"
    if why:
        offers.append(_Offer("without A7", measure, why))
    else:
        L_T, ell, L, sigma = (float(problem.numbers[name].value or 0.0) for name in ("L_T", "ell", "L", "sigma"))
        flat = Flat(L_T, ell, L, sigma, problem.n)
        offers.append(_own("without A7", measure, FLAT_ROWS, without_A7(flat, together, alpha), flat, flat.a))
    return offers


def _own(name: str, measure: str, rows: tuple[str, ...] | None, terms: Terms, c, weight: float) -> _Offer:
    """An offer of `theory.own`; `weight`: what Δ gets for each ‖h(Ŝ_0)‖²."""
    sizes = terms.most * np.logspace(0.0, -8.0, 4001)
    admitted = [float(gamma) for gamma in sizes if terms.left(float(gamma)) > 0.0]
    most = admitted[0] if admitted else 0.0

    def total(gamma: float, T: int, gap: float, G: float) -> float:
        return own_bound(terms, c, gamma=gamma, rounds=T, initial_gap=gap, initial_variates=G).total

    return _Offer(
        name, measure, "" if admitted else "no step size is admitted", rows, terms.row, most, False,
        lambda: best_own(terms, c, rounds=1, initial_gap=1.0)[0], total,
    )  # fmt: skip


def longest_step(task: FitTask, channel: Channel) -> float:
    """The γ of "auto": 1 for exact messages; the longest of the best steps of the theorems; else 1/(1 + 6ω_p/n)."""
    if channel.exact or channel.chosen is not None:
        return 1.0
    offers = [offer for offer in _offers(known_of(task, channel), task, channel) if not offer.why_not]
    if offers:
        return max(offer.best() for offer in offers)
    return 1.0 / (1.0 + 6.0 * channel.omega_p / len(task.clients))


def outcomes(problem: Problem, task: FitTask, channel: Channel, gamma: StepSize, trace: Trace) -> list[Outcome]:
    """What each theorem says of this run."""
    step = None if callable(gamma) else float(gamma)
    found = [_descent(problem, channel, trace, step)]
    h0 = float(trace.moved[0]) if channel.exact and len(trace.moved) else None
    seen = float(np.mean(trace.moved**2)) if channel.exact and len(trace.moved) else None
    for offer in _offers(problem, task, channel):
        why = offer.why_not
        if not why and step is None:
            why = "it is worded for constant steps, and γ_t changes"
        if not why and step is not None and not (step < offer.admits or (step == offer.admits and not offer.open_end)):
            why = f"γ = {step:g} is not admitted, which needs γ {'<' if offer.open_end else '≤'} {offer.admits:.4g}"
        total, rests = None, _taken(problem, offer.rows)
        if not why:
            gap, G = problem.gap.value, problem.variates.value
            if offer.theorem == "without A7" and gap is not None:
                flat = {name: float(problem.numbers[name].value or 0.0) for name in ("L_T", "ell", "L", "sigma")}
                gap = None if h0 is None and G is None else gap + Flat(**flat, n=problem.n).a * _first(h0, G, problem.n)
            if gap is None or (G is None and not channel.exact):
                why = "not known: " + ("a lower bound of W" if gap is None else "the start of the control variates")
            else:
                total = offer.bound(float(step or 1.0), max(trace.rounds, 1), gap, G or 0.0)
        admits = offer.admits if not offer.why_not else None
        lip = offer.theorem == "without A7"
        found.append(Outcome(offer.theorem, offer.measure, why, offer.row, admits, total, seen if lip else None, rests))
    return found


def _first(h0: float | None, G: float | None, n: int) -> float:
    """An upper bound of ‖h(Ŝ_0)‖²: seen where messages are exact, else n Σ μ_i²‖h_i(Ŝ_0)‖² by Cauchy and Schwarz."""
    return h0**2 if h0 is not None else n * float(G or 0.0)


def _descent(problem: Problem, channel: Channel, trace: Trace, step: float | None) -> Outcome:
    """MM in 𝒮 with exact messages: W(T(Ŝ_t)) never grows, and its decrease bounds that of the surrogates."""
    measure = "mean decrease of the surrogate, J_s(θ_t) − min J_s, a round"
    failing = "; ".join(f"{h.name} fails" for h in problem.hypotheses if h.name[:2] == "MM" and h.status == "fails")
    why = failing or ("" if channel.exact else "messages are compressed or noisy, or not everyone takes part")
    if not why and step != 1.0:
        why = "it is about γ = 1"
    total = None
    if not why:
        total = float(trace.objective[0] - trace.objective[-1]) / max(trace.rounds, 1)
    return Outcome("descent of MM", measure, why, "mm-s-descent", 1.0 if channel.exact and not failing else None, total)


def beyond(problem: Problem, found: list[Outcome], gamma: StepSize, trace: Trace) -> list[str]:
    """The sentences that say how a run left its theorems; none where one of them covers it."""
    said = []
    for h in problem.hypotheses:
        if h.status == "fails" and h.name in ("MM-1", "A4"):
            said.append(f"{h.name} fails, which every theorem here assumes: {h.why}.")
    steps = {o.theorem: o.admits for o in found if o.admits and o.theorem != "descent of MM"}
    used = trace.gamma if callable(gamma) else float(gamma)
    if not said and steps and not any(o.applies for o in found) and all(used > most for most in steps.values()):
        name = max(steps, key=lambda key: steps[key] or 0.0)
        said.append(
            f"γ = {used:g} is beyond every theorem that applies to this data: {name} admits γ ≤ {steps[name]:.4g}."
        )
    if not said and not any(o.applies for o in found):
        exact, least = found[0], found[-1]
        said.append(
            f"no theorem here covers this run. {exact.theorem!r} does not: {exact.why_not}; nor does {least.theorem!r}"
            f", which asks least of the others: {least.why_not}."
        )
    return said
