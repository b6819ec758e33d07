"""The constants of Theorem 1 for a SymPy model with finite data: exact, or enclosed by ball arithmetic.

A7's constants come from the service of `fedmm constants`, the hypotheses from `fedmm check`, and the rest from the
samples (`on_data`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Clients, Oracle
from fedmm_edu.proofs.verdict import Step, Verdict, proved, undecided
from fedmm_edu.symbolic.constants.derive import constants
from fedmm_edu.symbolic.constants.region import Side, on_region, restricted
from fedmm_edu.symbolic.functions.reading import read_formula
from fedmm_edu.symbolic.functions.table import PIECED
from fedmm_edu.symbolic.hypotheses.check import check_model
from fedmm_edu.symbolic.hypotheses.mm2 import with_T
from fedmm_edu.symbolic.model import Model
from fedmm_edu.theory.flat import flat_numbers, images
from fedmm_edu.theory.growth import Reach, reach
from fedmm_edu.theory.hypotheses import Assumption, Number, Problem, with_constants
from fedmm_edu.theory.on_data import OnData
from fedmm_edu.theory.rounding import up

__all__ = ["describe"]

IN_S = "MM-1: S_bar in S"
ALONG_RUNS = Step("for these samples and a box around T(𝒮)", "no run meets others")
SAMPLES = 200
"""Different samples up to which S̄ ∈ 𝒮 is judged one by one."""


def describe(
    model: Model,
    clients: Clients,
    oracle: Oracle,
    *,
    S: Sequence[tuple[Any, Any]] | None = None,
    values: Mapping[str, Any] | None = None,
    start: Sequence[float] | None = None,
    variates: str = "mean_field",
) -> Problem:
    """What Theorem 1 asks, for this model on 𝒮 with these clients and this oracle.

    `start` is Ŝ_0 (default: the middle of 𝒮, or 0 on the whole line); `variates` V_{0,i}: "zero" or "mean_field".
    `InvalidInput` for a start outside 𝒮, or constants of the model without numbers.
    """
    model, values = with_T(model), dict(values or {})
    unset = [x.name for x in model.constants if x.name not in values]
    if unset:
        raise InvalidInput(f"{model.name}: no number for {', '.join(unset)}: give each, as in --set {unset[0]}=1/2.")
    if clients.z.shape[1] != len(model.z):
        names = ", ".join(map(str, model.z))
        raise InvalidInput(f"the samples have {clients.z.shape[1]} columns; {model.name} has {len(model.z)}: {names}.")
    found = constants(model, S=S, values=values)
    place = on_region(model, S, values)
    data = OnData(model, values, place, clients)
    checked = _checked(restricted(model, S, values), data)
    numbers, s0 = _of_A7(found), _start(place.region, start)
    own = flat_numbers(data, numbers["v_max"], numbers["C_star"], s0, oracle)
    if data.kinks:  # what is known of h comes by way of θ
        numbers |= {"sup_h": Number(None, "unknown", "h has kinks"), "L": Number(None, "unknown", own["ell"].how)}
        numbers["sigma"] = own["sigma"]
    else:
        numbers |= {"sup_h": data.sup_h(), "L": data.L(), "sigma": data.sigma(oracle)}
    for name in ("L", "sigma"):
        numbers[name] = _surer(numbers[name], own.pop(name, None))
    gap, distance = _surer(data.gap(s0), own.pop("gap", None)), data.variates(s0, variates)
    closed = all(side.low_closed or side.low == -sp.oo for side in place.region.values()) and all(
        side.high_closed or side.high == sp.oo for side in place.region.values()
    )
    A8 = Assumption("A8", "proved" if closed else "fails", "𝒮 is a closed box; project in the norm of B(Ŝ_t)"
                    if closed else "𝒮 is not closed: give a closed 𝒮 inside it")  # fmt: skip
    rows = (*_of_model(model, checked, data), *with_constants(numbers, A8))
    shown = ", ".join(f"{x} in {side}" for x, side in place.region.items())
    return Problem(
        f"{model.name}, 𝒮 = {{{shown}}}",
        len(clients),
        len(model.s),
        rows,
        numbers,
        gap,
        distance,
        (f"Ŝ_0 = {', '.join(f'{v:.6g}' for v in map(float, s0.values()))}", f"V_0 = {variates}"),
        float(clients.mu.min()),
        own,
        all(side.low == -sp.oo and side.high == sp.oo for side in place.region.values()),
    )


def _checked(model: Model, data: OnData) -> dict[str, Verdict]:
    """The rows of `fedmm check` on this 𝒮, S̄ ∈ 𝒮 asked of these samples and of T(𝒮) where it fails for others.

    π is the law of the samples, and no run leaves T(𝒮). Where S̄(z, τ) ∈ 𝒮 does not hold for all z and τ of the model it
    is judged for τ in a box around T(𝒮) and z in the smallest box around the samples, then for each sample.
    """
    found = check_model(model)
    if found[IN_S].status == "proved":
        return found
    box = images(data)
    if box is not None and _stays(data, reach(data, box)):
        return found | {IN_S: proved("balls", ALONG_RUNS)}
    near = [r for x, (low, high) in (box or {}).items() for r in (x >= _short(low, -1), x <= _short(high, 1))]
    model = replace(model, Theta=(*model.Theta, *near))
    rows = [tuple(data.sample(row).values()) for row in dict.fromkeys(map(tuple, data.clients.z.tolist()))]
    around = [r for x, column in zip(model.z, zip(*rows, strict=True), strict=True)
              for r in (x >= min(column), x <= max(column))]  # fmt: skip
    try:
        verdict = check_model(replace(model, Z=(*model.Z, *around)), rows=(IN_S,))[IN_S]
        if verdict.status == "refuted" and len(rows) <= SAMPLES:
            for row in rows:
                at = tuple(sp.Eq(x, v) for x, v in zip(model.z, row, strict=True))
                verdict = check_model(replace(model, Z=(*model.Z, *at)), rows=(IN_S,))[IN_S]
                if verdict.status != "proved":
                    break
        elif verdict.status == "refuted":
            verdict = undecided("samples", Step("S̄ ∈ 𝒮 at every sample", f"more than {SAMPLES} different samples"))
    except InvalidInput as error:  # samples that the model excludes
        verdict = undecided("samples", Step("S̄ ∈ 𝒮 at every sample", str(error)))
    return found | {IN_S: replace(verdict, evidence=(*verdict.evidence, ALONG_RUNS))}


def _stays(data: OnData, at: Reach) -> bool:
    """Whether S̄(z, τ) lies in the box 𝒮 for every sample z and every τ that T(𝒮) is known to lie among."""
    if data.box is None or data.clients.z.shape[0] > SAMPLES:
        return False
    for row in data.clients.z:
        values = data.sample(row)
        for entry, (low, high) in zip(data.S_bar, data.box.values(), strict=True):
            ends = [at.above(sign * entry.xreplace(values)) for sign in (-1, 1)]
            if any(end is None or end > most for end, most in zip(ends, (-low, high), strict=True)):
                return False
    return True


def _short(end: Fraction, side: int) -> sp.Rational:
    """A number with four digits after the point, below (side −1) or above (1) the end."""
    return sp.Rational(side * math.ceil(side * end * 10**4), 10**4)


def _of_model(model: Model, checked: Mapping[str, Verdict], data: OnData) -> list[Assumption]:
    """MM-1, MM-2, A1 and A2, from the rows of `fedmm check`."""
    bad = data.violations()
    rows = [_from_verdicts(name, checked, data) for name in ("MM-1", "MM-2", "A1")]
    if bad:
        rows[0] = Assumption("MM-1", "unknown", f"{bad}: MM-1 may still hold for the mean over the samples")
    smooth = checked["defined"].status == "proved" and not model.loss.has(*PIECED, sp.Piecewise)
    A2 = Assumption("A2", "proved" if smooth else "unknown", "the formula of the loss is smooth where it is defined"
                    if smooth else "the formula of the loss has kinks or is not shown to be defined")  # fmt: skip
    return [*rows, A2]


def _from_verdicts(name: str, checked: Mapping[str, Verdict], data: OnData) -> Assumption:
    rows = {row: verdict for row, verdict in checked.items() if row.startswith(name) or row in ("defined", "S convex")}
    refuted = [row for row, verdict in rows.items() if verdict.status == "refuted"]
    open_ = [row for row, verdict in rows.items() if verdict.status not in ("proved", "refuted")]
    if refuted:
        witness = rows[refuted[0]].witness
        at = "" if witness is None else " at " + ", ".join(f"{x} = {v}" for x, v in witness.point.items())
        return Assumption(name, "fails", f"refuted on this 𝒮: {', '.join(refuted)}{at}; see `fedmm check`")
    if open_:
        return Assumption(name, "unknown", f"not proved: {', '.join(open_)}; see `fedmm check`")
    partly = IN_S in rows and ALONG_RUNS in rows[IN_S].evidence
    where = f", but S̄ ∈ 𝒮 {ALONG_RUNS.claim} alone" if partly else ""
    return Assumption(name, "proved", f"every row of `fedmm check` is proved on this 𝒮{where}")


def _surer(number: Number, other: Number | None) -> Number:
    """The other one where only that is proved."""
    return other if other is not None and number.status == "unknown" and other.status == "proved" else number


def _of_A7(found) -> dict[str, Number]:
    numbers = {}
    for ours, theirs in (("v_min", "v_min"), ("v_max", "v_max"), ("C_star", "C_star"), ("C_star_star", "C_starstar")):
        row = found[theirs]
        if row.verdict.status == "refuted":
            says = row.verdict.witness.says if row.verdict.witness is not None else "none exists"
            numbers[ours] = Number(None, "fails", f"no {ours}: {says}")
        elif row.verdict.status == "open":
            numbers[ours] = Number(None, "unknown", f"{ours} was not found; see `fedmm constants`")
        else:
            low, sure = ours == "v_min", row.verdict.status == "proved"
            how, best = f"{row.value} ({row.verdict.method})", _read(row.value, low=not low)
            how, ground = (how, "proved") if sure else (f"{ours} = {how}, without a certificate", "unknown")
            numbers[ours] = Number(_read(row.value, low=low), ground, how, limit=best)
    return numbers


def _read(text: str, *, low: bool) -> float:
    """An exact value, or the lower or the upper end of an enclosure, rounded outward."""
    end = read_formula(text.strip("[]").split(",")[0 if low else -1], sp.Symbol)
    return -up(-end) if low else up(end)


def _start(region: Mapping[sp.Symbol, Side], start: Sequence[float] | None) -> dict[sp.Symbol, sp.Rational]:
    """Ŝ_0 as exact numbers."""
    if start is None:
        middles = [_inside(side) for side in region.values()]
    else:
        middles = [Fraction(str(value)) for value in start]
    if len(middles) != len(region):
        raise InvalidInput(f"the start has {len(middles)} numbers, s has {len(region)}: give one for each.")
    point = {x: sp.Rational(m.numerator, m.denominator) for x, m in zip(region, middles, strict=True)}
    for x, side in region.items():
        if not (side.low < point[x] < side.high or (side.low_closed and point[x] == side.low)
                or (side.high_closed and point[x] == side.high)):  # fmt: skip
            raise InvalidInput(f"the start {x} = {point[x]} lies outside {side}: choose a start in 𝒮.")
    return point


def _inside(side: Side) -> Fraction:
    """The middle of an interval; on a half-line the point 1 from its end, on the whole line 0."""
    low, high = side.low, side.high
    if low.is_finite and high.is_finite:
        middle = sp.nsimplify((low + high) / 2, rational=True)
    else:
        middle = low + 1 if low.is_finite else high - 1 if high.is_finite else sp.S.Zero
    return Fraction(str(sp.Rational(middle)))
