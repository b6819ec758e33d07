"""Which theorem bounds a run: what each asks, admits and promises."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.convex_sets import WholeSpace
from fedmm_edu.estimators.channel import Channel
from fedmm_edu.estimators.fitting import FitTask, Trace
from fedmm_edu.estimators.known import known_of
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
from fedmm_edu.theory.hypotheses import NUMBERS, Problem
from fedmm_edu.theory.own import admitted_steps

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


def _values(problem: Problem, names: tuple[str, ...]) -> dict[str, float]:
    return {name: float(problem.numbers[name].value or 0.0) for name in names}


@dataclass(frozen=True)
class _Offer:
    """A theorem on this problem: why it does not apply at all, the steps that it admits, its best one, its bound.

    weight: what its Δ has besides for each ‖h(Ŝ_0)‖².
    """

    theorem: str
    measure: str
    why_not: str
    rows: tuple[str, ...] | None = None
    row: str = ""
    admits: float = 0.0
    open_end: bool = False
    best: Callable[[], float] = lambda: 0.0
    bound: Callable[[float, int, float, float], float] = lambda *_: math.nan
    weight: float = 0.0


IN_B, EUCLIDEAN = "mean of E‖h(Ŝ_t)‖² in the norm of B(Ŝ_t)", "mean of E‖h(Ŝ_t)‖²"
FLAT_ROWS = ("MM-1", "MM-2", "A3", "A4", "A5", "A6(i)", "A8")
FLAT_NUMBERS = ("L_T", "ell", "L", "sigma")


def _offers(problem: Problem, task: FitTask, channel: Channel) -> list[_Offer]:
    together, alpha = channel.omega_p, channel.alpha or None
    why = _ask(problem, None, NUMBERS)
    whole = "" if isinstance(task.problem.S, WholeSpace) else "it projects in the norm of B(Ŝ_t), this run in ‖·‖"
    offers = [_Offer("Theorem 1", IN_B, why or whole), _Offer("any projection", IN_B, why)]
    if not why:
        c = Constants(n=problem.n, **_values(problem, NUMBERS))
        offers[1] = _own(offers[1], any_projection(c, together, alpha), c)
        offers[0] = offers[0] if whole else _printed(offers[0], c, together, alpha)
    flat = _Offer("without A7", EUCLIDEAN, _ask(problem, FLAT_ROWS, FLAT_NUMBERS), FLAT_ROWS)
    if not flat.why_not:
        known = Flat(**_values(problem, FLAT_NUMBERS), n=problem.n)
        flat = replace(_own(flat, without_A7(known, together, alpha), known), weight=known.a)
    return [*offers, flat]


def _printed(offer: _Offer, c: Constants, together: float, alpha: float | None) -> _Offer:
    """Theorem 1 as it is printed, of which the best step is half of the largest."""
    most = largest_gamma(c, together, alpha)

    def total(gamma: float, T: int, gap: float, G: float) -> float:
        at = {"initial_gap": gap, "initial_variates": G, "omega_p": together, "alpha": alpha}
        return bound(c, gamma=gamma, rounds=T, **at).total

    row = "thm1-A" if together == 0.0 else "thm1-B-best"
    return replace(offer, row=row, admits=most, open_end=most < 1.0, best=lambda: most / 2.0, bound=total)


def _own(offer: _Offer, terms: Terms, c: Constants | Flat) -> _Offer:
    """An offer of `theory.own`."""
    sizes, _ = admitted_steps(terms)
    if not len(sizes):
        return replace(offer, why_not="no step size is admitted")

    def total(gamma: float, T: int, gap: float, G: float) -> float:
        return own_bound(terms, c, gamma=gamma, rounds=T, initial_gap=gap, initial_variates=G).total

    def best() -> float:
        return best_own(terms, c, rounds=1, initial_gap=1.0)[0]

    return replace(offer, row=terms.row, admits=float(sizes[0]), best=best, bound=total)


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
            if offer.weight and gap is not None:
                gap = None if h0 is None and G is None else gap + offer.weight * _first(h0, G, problem.n)
            if gap is None or (G is None and not channel.exact):
                why = "not known: " + ("a lower bound of W" if gap is None else "the start of the control variates")
            else:
                total = offer.bound(float(step or 1.0), max(trace.rounds, 1), gap, G or 0.0)
        admits = offer.admits if not offer.why_not else None
        observed = seen if offer.measure == EUCLIDEAN else None
        found.append(Outcome(offer.theorem, offer.measure, why, offer.row, admits, total, observed, rests))
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
    failing = [h for h in problem.hypotheses if h.status == "fails" and h.name in ("MM-1", "A4")]
    said = [f"{h.name} fails, which every theorem here assumes: {h.why}." for h in failing]
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
