"""𝒮 as a box, ends numbers or expressions in constants, inside the 𝒮 of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.decide.domain import Domain, Relation, relations_of
from fedmm_edu.symbolic.decide.inequality import decide_nonnegative, domain_point
from fedmm_edu.symbolic.functions.reading import read_formula
from fedmm_edu.symbolic.model import Model

FARTHEST = 300
"""Powers of ten that a number of 𝒮 or of a constant may be from 1."""
Exact = TypeVar("Exact", bound=sp.Expr)


class Side(NamedTuple):
    """One coordinate's interval; an end that is not `closed` does not belong to 𝒮."""

    low: sp.Expr
    high: sp.Expr
    low_closed: bool = True
    high_closed: bool = True

    def __str__(self) -> str:
        return f"{'[' if self.low_closed else '('}{self.low}, {self.high}{']' if self.high_closed else ')'}"


Region = Mapping[sp.Symbol, Side]
"""The interval of each symbol of s; the symbols are those of the domain that comes with it."""


class OnRegion(NamedTuple):
    """Where constants are asked for: φ∘T with numbers put in, 𝒮, its interior as a domain, and what is assumed.

    `assumed` is the last as relations, `on_S` with those of 𝒮, ends included.

    `T` (in s), `theta` and `slope_of_phi` (Dφ, q × d, in theta) are the parts of B = Dφ(T(s))·DT(s).
    """

    F: tuple[sp.Expr, ...]
    T: tuple[sp.Expr, ...]
    theta: tuple[sp.Symbol, ...]
    slope_of_phi: sp.Matrix
    region: Region
    domain: Domain
    given: tuple[sp.Basic, ...]
    assumed: tuple[Relation, ...]

    @property
    def on_S(self) -> tuple[Relation, ...]:
        found = list(self.assumed)
        for x, side in self.region.items():
            if side.low != -sp.oo:
                found.append(Relation(x - side.low, ">=" if side.low_closed else ">"))
            if side.high != sp.oo:
                found.append(Relation(side.high - x, ">=" if side.high_closed else ">"))
        return tuple(found)


def on_region(model: Model, S: Sequence[tuple[Any, Any]] | None, values: Mapping[str, Any]) -> OnRegion:
    """The place for a model with T, `values` for some of its constants, and the box S (default: the model's own 𝒮).

    Relations that involve samples are left out of `given`: what is proved does not need them.
    """
    numbers = _numbers(model, values)
    given = [r.xreplace(numbers) for r in model.given if not r.free_symbols & set(model.z)]
    if any(r == sp.false for r in given):
        raise InvalidInput(f"{model.name}: the values {dict(values)} violate {model.given}: choose others.")
    given = [r for r in given if r != sp.true]
    box = _own_box(model, numbers) if S is None else _given_box(model, S)
    box = {
        x: side._replace(low=side.low.xreplace(numbers), high=side.high.xreplace(numbers)) for x, side in box.items()
    }
    inside, bounds = [], []
    for x, side in box.items():
        order = sp.sympify(side.low < side.high)
        if order == sp.false:
            raise InvalidInput(f"{model.name}: {x} in {side} has no interior point: A7 fixes no B(s) there; widen it.")
        if order != sp.true and not _known(side.high - side.low, given):
            bounds.append(order if side.low.free_symbols and side.high.free_symbols else side.high - side.low > 0)
        inside += [x > side.low] if side.low != -sp.oo else []
        inside += [x < side.high] if side.high != sp.oo else []
    if S is not None:
        bounds += _within(model, numbers, box, [*given, *bounds, *inside])
    T = dict(zip(model.theta, model.T or (), strict=True))
    F = tuple(phi.xreplace(T).xreplace(numbers) for phi in model.phi)
    symbols = set().union(*(entry.free_symbols for entry in F))
    kept = [r for r in dict.fromkeys((*given, *bounds)) if r.free_symbols <= symbols | _symbols(box)]
    domain = Domain.of([*kept, *inside], [*model.s, *symbols])
    domain_point(domain)  # refuses relations that contradict each other
    region = {domain.lift(x): Side(domain.lift(side.low), domain.lift(side.high), *side[2:]) for x, side in box.items()}
    slope = sp.Matrix(model.phi).jacobian(list(model.theta)).xreplace(numbers)
    slope = slope.applyfunc(lambda entry: entry.xreplace({x: domain.lift(x) for x in entry.free_symbols - set(T)}))
    inverse = tuple(domain.lift(entry.xreplace(numbers)) for entry in T.values())
    own = {x for x in symbols | _symbols(box) if x not in set(model.s)}
    assumed = tuple(Relation(domain.lift(r.expr), r.op) for r in Domain.of(kept, own).relations)
    return OnRegion(tuple(map(domain.lift, F)), inverse, model.theta, slope, region, domain, tuple(kept), assumed)


def restricted(model: Model, S: Sequence[tuple[Any, Any]] | None, values: Mapping[str, Any]) -> Model:
    """The model with `values` put in and 𝒮 cut down to the box: what a check of MM-1 and MM-2 is to judge.

    `InvalidInput` as `on_region`, which looks at whether the box lies in the model's 𝒮.
    """
    numbers = _numbers(model, values)
    sides = [] if S is None else list(_given_box(model, S).items())
    box = [x >= side.low for x, side in sides if side.low != -sp.oo]
    box += [x <= side.high for x, side in sides if side.high != sp.oo]
    found: dict[str, Any] = {}
    for key in ("loss", "psi", "g", "phi", "S_bar", "T", "Theta", "S", "Z", "given"):
        value = getattr(model, key)
        if isinstance(value, tuple):
            found[key] = tuple(entry.xreplace(numbers) for entry in (*value, *(box if key == "S" else ())))
        else:
            found[key] = None if value is None else value.xreplace(numbers)
    return replace(model, **found)


def _known(expr: sp.Expr, given: Sequence[sp.Basic]) -> bool:
    return decide_nonnegative(expr, given, strict=True).status == "proved"


def _symbols(box: Mapping[sp.Symbol, Side]) -> set[sp.Basic]:
    return set().union(*(end.free_symbols for side in box.values() for end in side[:2]))


def _numbers(model: Model, values: Mapping[str, Any]) -> dict[sp.Symbol, sp.Rational]:
    known = {x.name: x for x in model.constants}
    unknown = sorted(set(values) - known.keys())
    if unknown:
        raise InvalidInput(f"{model.name} has no constant {', '.join(unknown)}: its constants are {sorted(known)}.")
    return {known[name]: exact_number(name, value) for name, value in values.items()}


def exact_number(name: str, value: Any) -> sp.Rational:
    """The value as an exact number; `InvalidInput` with the constant's name where it is none."""
    try:
        found = sp.Rational(str(value))
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise InvalidInput(f"{name} = {value} is not an exact number: write 3, 0.25 or 1/4.") from error
    return _in_floats(name, found)


def _in_floats(name: str, value: Exact) -> Exact:
    """The value, all of whose numbers floats can hold, zero among them."""
    for number in value.atoms(sp.Rational):
        if number != 0 and not sp.Integer(10) ** -FARTHEST <= abs(number) <= sp.Integer(10) ** FARTHEST:
            raise InvalidInput(f"{name:.100} has a number beyond 10^±{FARTHEST}, where floats end: choose other units.")
    return value


def parse_end(text: Any) -> sp.Expr:
    """An end of an interval: a number, oo, or an expression in constants such as "-M" or "lambda/2"."""
    if isinstance(text, sp.Expr):
        return _in_floats(str(text), text.xreplace({x: sp.Symbol(x.name, real=True) for x in text.free_symbols}))
    end = read_formula(str(text), lambda name: sp.Symbol(name, real=True))
    if (end.is_real is False and end not in (sp.oo, -sp.oo)) or end in (sp.nan, sp.zoo):
        raise InvalidInput(f"{text!r} is no real number: write a number, oo, or an expression like -M.")
    return _in_floats(str(text), end)


def _given_box(model: Model, S: Sequence[tuple[Any, Any]]) -> dict[sp.Symbol, Side]:
    if len(S) != len(model.s):
        names = ", ".join(map(str, model.s))
        raise InvalidInput(f"{model.name}: S has {len(S)} intervals, s has {len(model.s)} coordinates ({names}).")
    box = {}
    for x, pair in zip(model.s, S, strict=True):
        low, high = (parse_end(end) for end in pair)
        taken = (low.free_symbols | high.free_symbols) & {*model.s, *model.theta, *model.z}
        if taken:
            raise InvalidInput(f"{model.name}: the interval of {x} depends on {taken.pop()}: use other names in it.")
        box[x] = Side(low, high, low != -sp.oo, high != sp.oo)
    return box


def _own_box(model: Model, numbers: Mapping) -> dict[sp.Symbol, Side]:
    box = {x: Side(-sp.oo, sp.oo, False, False) for x in model.s}
    for relation in relations_of(*model.S):
        own = relation.expr.free_symbols & set(model.s)
        _require_interior(model, relation)
        x = next(iter(own)) if len(own) == 1 else None
        slope = sp.diff(relation.expr, x) if x is not None else sp.nan
        if x is None or not slope.is_Rational or slope == 0 or relation.op not in (">", ">="):
            raise InvalidInput(f"{model.name}: 𝒮 ({relation}) is not a box: give S, an interval for each coordinate.")
        bound, closed = sp.expand(-relation.expr.subs(x, 0) / slope), relation.op == ">="
        side = box[x]
        old = side.low if slope > 0 else side.high
        if old not in (sp.oo, -sp.oo):
            raise InvalidInput(f"{model.name}: two relations bound {x} on one side: give S.")
        box[x] = (
            side._replace(low=bound, low_closed=closed) if slope > 0 else side._replace(high=bound, high_closed=closed)
        )
    return box


def _require_interior(model: Model, relation: Relation) -> None:
    if relation.op == "==":
        raise InvalidInput(
            f"{model.name}: 𝒮 satisfies {relation}, so it has no interior point, and A7 leaves B(s) open across it: "
            "write the model with fewer coordinates of s."
        )


def _within(model: Model, numbers: Mapping, box: Mapping[sp.Symbol, Side], known: Iterable[sp.Basic]) -> list[sp.Basic]:
    """What must hold of constants for the box to lie in the closure of the model's 𝒮; `InvalidInput` if it cannot."""
    needed: list[sp.Basic] = []
    for relation in relations_of(*model.S):
        _require_interior(model, relation)
        expr = relation.expr.xreplace(dict(numbers))
        ends = _least_over(expr, box)
        if ends is None:
            relation = Relation(expr, ">=" if relation.op in (">", ">=") else relation.op)
            if decide_nonnegative(expr, known).status == "proved" and relation.op == ">=":
                continue
        elif ends.is_number:
            if ends >= 0:
                continue
        else:
            needed.append(sp.Gt(ends, 0))
            continue
        shown = ", ".join(f"{x} in {side}" for x, side in box.items())
        raise InvalidInput(f"{model.name}: {shown} is not shown to lie in the model's 𝒮, which needs {relation}.")
    return needed


def _least_over(expr: sp.Expr, box: Mapping[sp.Symbol, Side]) -> sp.Expr | None:
    """The least value over the box of an expression that is affine in s with numeric slopes; None for others."""
    least = sp.expand(expr)
    for x, side in box.items():
        slope = sp.diff(least, x)
        if not slope.is_Rational:
            return None
        least = sp.expand(least - slope * x) + (0 if slope == 0 else slope * (side.low if slope > 0 else side.high))
    return least
