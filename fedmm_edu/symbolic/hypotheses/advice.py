"""What to do next: for a refuted row the smallest repair that is then proved, for an open one what would settle it.

A repair is a change of one part of the model. It is offered only where the row that was refuted is proved for the
changed model (and the slopes, where the change touches them); nothing is offered on a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Verdict
from fedmm_edu.symbolic.component_model import ComponentModel
from fedmm_edu.symbolic.decide.domain import Relation, relations_of
from fedmm_edu.symbolic.decide.smt import StoppedByClock
from fedmm_edu.symbolic.functions.table import PIECED
from fedmm_edu.symbolic.hypotheses.check import check_model
from fedmm_edu.symbolic.hypotheses.mm1 import derive_S_bar
from fedmm_edu.symbolic.hypotheses.mm2 import derive_T
from fedmm_edu.symbolic.model import Model

TANGENT, MAJORIZES, IN_S = "MM-1: tangent", "MM-1: majorizes", "MM-1: S_bar in S"
IN_THETA, MINIMIZES = "MM-2: T in Theta", "MM-2: T minimizes"
FACTORS = (sp.Integer(2), sp.Rational(1, 2), sp.Integer(-1), sp.Integer(4), sp.Rational(1, 4))
"""What a surrogate of the right form is most often off by: a half, a sign, a square of these."""


class Repair(NamedTuple):
    """A changed model, the rows that it must have proved, and what it is in words."""

    model: Model
    rows: tuple[str, ...]
    says: str


def advice(model: Model | ComponentModel, rows: Mapping[str, Verdict], *, seed: int = 0) -> dict[str, str]:
    """One sentence for each row that is not proved, of what to do next."""
    return dict(each_advice(model, rows, seed=seed))


def each_advice(
    model: Model | ComponentModel, rows: Mapping[str, Verdict], *, seed: int = 0
) -> Iterator[tuple[str, str]]:
    """The sentences of `advice`, each with its row as soon as it is found."""
    if isinstance(model, ComponentModel):
        yield from _of_components(model, rows, seed)
        return
    for row, verdict in rows.items():
        if rows["defined"].status == "refuted" and row != "defined":
            continue  # what the other rows say rests on it
        if verdict.status == "refuted":
            yield row, _repaired(model, row, seed) or HANDS[row]
        elif verdict.status != "proved":
            yield row, _settled(model, row, rows)


def _of_components(model: ComponentModel, rows: Mapping[str, Verdict], seed: int) -> Iterator[tuple[str, str]]:
    """What repairs the model of two components, which is a hint at what repairs all."""
    for row, verdict in rows.items():
        if verdict.status == "refuted":
            found = _repaired(model.at(2), row, seed)
            yield row, f"with {model.length} = 2, {found}" if found else HANDS[row]
        elif verdict.status != "proved":
            yield row, f"no counterexample is known; {model.name}.at(3), of three components, is read in more ways."


def _repaired(model: Model, row: str, seed: int) -> str:
    """The first repair of the row that is proved."""
    for repair in REPAIRS[row](model, seed) if row in REPAIRS else ():
        try:
            judged = check_model(repair.model, rows=repair.rows, seed=seed)
        except (InvalidInput, StoppedByClock):  # an empty set, or too much to ask
            continue
        if all(judged[name].status == "proved" for name in ("defined", *repair.rows)):
            return f"proved with {repair.says}."
    return ""


# ---------------------------------------------------------------------------------------------------- repairs of a row


def _changed(model: Model, **changes: Any) -> Model | None:
    try:
        return replace(model, **changes)
    except InvalidInput:
        return None


def _slopes(model: Model, seed: int) -> Iterator[Repair]:
    """S̄ off by a factor, as a whole or in one entry; S̄ from tangency."""
    q = len(model.s)
    for factor in FACTORS:
        for entries in dict.fromkeys((tuple(range(q)), *((j,) for j in range(q)))):
            S_bar = tuple(factor * e if j in entries else e for j, e in enumerate(model.S_bar))
            what = "S_bar" if len(entries) == q else f"entry {entries[0] + 1} of S_bar"
            if (new := _changed(model, S_bar=S_bar)) is not None:
                yield Repair(new, (TANGENT,), f"{factor} times {what}")
    try:
        S_bar = derive_S_bar(model)
    except InvalidInput:
        return
    if (new := _changed(model, S_bar=S_bar)) is not None:
        yield Repair(new, (TANGENT,), f"S_bar = {_shown(S_bar)}, from the slopes")


def _curvature(model: Model, seed: int) -> Iterator[Repair]:
    """More curvature with the same slopes: c times ψ, and (c − 1)∇ψ(τ) into S̄ where φ(θ) = θ; a smaller Θ."""
    if model.phi == model.theta and model.psi != 0:
        for c in (2, 4, 8):
            S_bar = tuple(
                sp.factor(e + (c - 1) * sp.diff(model.psi, x)) for e, x in zip(model.S_bar, model.theta, strict=True)
            )
            if (new := _changed(model, psi=c * model.psi, S_bar=S_bar, T=None)) is not None:
                yield Repair(
                    new,
                    (TANGENT, MAJORIZES),
                    f"psi = {c * model.psi} and S_bar = {_shown(S_bar)}, {c} times the curvature",
                )
    for repair in _slopes(model, seed):
        yield repair._replace(rows=(TANGENT, MAJORIZES))
    for x in model.theta:
        for part in (x >= 0, x <= 0):
            if (new := _changed(model, Theta=(*model.Theta, part))) is not None:
                yield Repair(new, (MAJORIZES,), f"Theta cut down to {part}")


def _into_S(model: Model, seed: int) -> Iterator[Repair]:
    """An open relation closed; samples for which it holds, where τ plays no part."""
    S = relations_of(*model.S)
    if any(r.op == ">" for r in S):
        closed = tuple(Relation(r.expr, ">=" if r.op == ">" else r.op).statement for r in S)
        if (new := _changed(model, S=closed)) is not None:
            yield Repair(new, (IN_S,), f"the closed S, {_shown(closed)} (T must then be defined on its boundary)")
    at = dict(zip(model.s, model.S_bar, strict=True))
    needed = tuple(r.at(at).statement for r in S)
    needed = tuple(n for n in needed if n not in (sp.true, sp.false) and not n.free_symbols & set(model.theta))
    if needed and (new := _changed(model, Z=(*model.Z, *needed))) is not None:
        yield Repair(new, (IN_S,), f"samples with {_shown(needed)} only (write it into Z)")


def _opened(model: Model, key: str) -> Iterator[tuple[Model, tuple[sp.Basic, ...]]]:
    """The set without its boundary, if it has any."""
    relations = relations_of(*getattr(model, key))
    inner = tuple(r.inner.statement for r in relations)
    if any(r.op == ">=" for r in relations) and (new := _changed(model, **{key: inner})) is not None:
        yield new, inner


def _inside(model: Model, seed: int) -> Iterator[Repair]:
    """A term without a value on the boundary of a set."""
    for key in ("S", "Theta", "Z"):
        for new, inner in _opened(model, key):
            yield Repair(new, (), f"the open {key}, {_shown(inner)}: a term has no value on its boundary only")


def _into_Theta(model: Model, seed: int) -> Iterator[Repair]:
    """T cut off at the ends of an interval."""
    yield from _clipped(model)
    yield from _other_T(model, seed, IN_THETA, MINIMIZES)


def _smaller(model: Model, seed: int) -> Iterator[Repair]:
    """T that is right inside 𝒮, T cut off at the ends of Θ, the T that the slopes give."""
    for new, inner in _opened(model, "S"):
        says = f"the open S, {_shown(inner)}: T is right inside, and has no value, or is wrong, on the boundary only"
        yield Repair(new, (MINIMIZES,), says)
    yield from _clipped(model)
    yield from _other_T(model, seed, MINIMIZES)


def _clipped(model: Model) -> Iterator[Repair]:
    T, changed = list(model.T or ()), False
    for r in relations_of(*model.Theta):
        own = [k for k, x in enumerate(model.theta) if r.expr.has(x)]
        slope = sp.diff(r.expr, model.theta[own[0]]) if len(own) == 1 else sp.nan
        if r.op == ">=" and slope.is_Rational and slope != 0:
            k = own[0]
            end = -(r.expr - slope * model.theta[k]) / slope
            T[k] = sp.Max(T[k], end) if slope > 0 else sp.Min(T[k], end)
            changed = True
    if changed and (new := _changed(model, T=tuple(T))) is not None:
        yield Repair(new, (IN_THETA, MINIMIZES), f"T = {_shown(T)}: T cut off at the ends of Theta")


def _other_T(model: Model, seed: int, *rows: str) -> Iterator[Repair]:
    try:
        T = derive_T(replace(model, T=None), seed=seed)
    except InvalidInput:
        return
    yield Repair(replace(model, T=T), rows, f"T = {_shown(T)}, where the slope of J_s vanishes")


REPAIRS: Mapping[str, Callable[[Model, int], Iterator[Repair]]] = {
    "defined": _inside,
    TANGENT: _slopes,
    MAJORIZES: _curvature,
    IN_S: _into_S,
    IN_THETA: _into_Theta,
    MINIMIZES: _smaller,
}


def _shown(entries: Any) -> str:
    parts = [str(e) for e in entries]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


# ----------------------------------------------------------------------------------------------- where nothing is found

HANDS = {
    "defined": "cut the set down to where the term has a value: write the relation that it needs into that set.",
    "S convex": "take a convex 𝒮 that contains every S_bar(z, tau): surrogates are averaged in it.",
    TANGENT: "no factor repairs S_bar: compare its entries with the slope of the loss at the point above.",
    MAJORIZES: "no multiple of psi and no half-line was found on which it holds: bound the samples, or bend psi more.",
    IN_S: "widen 𝒮, or cut Z down to samples that keep S_bar inside.",
    IN_THETA: "T leaves Theta: minimise J_s over Theta, not over the whole space, or cut 𝒮 down.",
    MINIMIZES: "compare T with the theta above, where J_s is smaller; a T that is left out is derived where possible.",
    "MM-2: unique": "add a strictly convex term to g, or cut Theta down to one of the minimisers.",
    "A1: convex": "MM-1 and MM-2 do not need it; the theorems do: other parameters (natural ones) may make it convex.",
}


def _settled(model: Model, row: str, rows: Mapping[str, Verdict]) -> str:
    """What would decide an open or supported row."""
    if rows["defined"].status != "proved" and row != "defined":
        return 'first make every term defined: this row follows the row "defined".'
    if model.T is None and row.startswith("MM-2"):
        return "state T: it was not found from the slopes of J_s."
    parts = (model.loss, model.psi, model.g, *model.phi, *model.S_bar, *(model.T or ()))
    if any(part.has(*PIECED, sp.Piecewise) for part in parts):
        return (
            "fix the sign of what stands in Abs, sign, Max, Min or Piecewise, by Theta and Z: a piece alone is smooth."
        )
    if model.constants:
        names = ", ".join(x.name for x in model.constants)
        return f"put numbers in for {names}: with fewer symbols it may be decided; no counterexample is known."
    return "no counterexample is known; a proof needs an inequality that the search lacks: bound Theta or Z."
