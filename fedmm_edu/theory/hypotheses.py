"""What Theorem 1 assumes and asks to be known, each with a status and a reason."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fedmm_edu.errors import InvalidInput
from fedmm_edu.theory.theorem1 import Constants

Grounds = Literal["proved", "given", "fails", "unknown"]
NUMBERS = ("v_min", "v_max", "C_star", "C_star_star", "sup_h", "L", "sigma")


@dataclass(frozen=True)
class Assumption:
    """One assumption: proved here, given by the caller, failing, or not known.

    `needed` is False where the theorem holds without it (A6(ii) where C_⋆ = 0).
    """

    name: str
    status: Grounds
    why: str
    needed: bool = True


@dataclass(frozen=True)
class Number:
    """A constant of the theorem as far as known: an upper bound (of v_min a lower one), None where there is none.

    `status` is that of the statement "the constant is at most `value`". No number below `limit` has the property either
    (of v_min: none above); None where that is not known.
    """

    value: float | None
    status: Grounds
    how: str
    limit: float | None = None

    def allow(self, name: str, told: float) -> Number:
        """The number that a person gives in place of this one; `InvalidInput` where it contradicts the limit."""
        if self.limit is not None and (told > self.limit if name == "v_min" else told < self.limit):
            side = "at most" if name == "v_min" else "at least"
            raise InvalidInput(
                f"{name} = {told:g} contradicts this model on this 𝒮: it is {side} {self.limit:g} ({self.how}); "
                "leave the flag out, or give a 𝒮 on which it holds."
            )
        return Number(told, "given", "given", self.limit)


@dataclass(frozen=True)
class Problem:
    """What is known of a problem before compression, participation and step sizes are chosen.

    `own` are the numbers that theorems without A7 ask for: L_T, ell, lam, h0, monotone, cocoercive, as far as derived.
    whole: whether 𝒮 is the whole space, so that no projection is ever active; taken as given where only numbers are.
    """

    title: str
    n: int
    q: int
    hypotheses: tuple[Assumption, ...]
    numbers: Mapping[str, Number]
    gap: Number
    variates: Number
    notes: tuple[str, ...] = field(default=())
    lightest: float | None = None
    own: Mapping[str, Number] = field(default_factory=dict)
    whole: bool = True

    @property
    def mu_min(self) -> float:
        """The smallest μ_i: `lightest`, or 1/n where all are equal (None)."""
        return 1.0 / self.n if self.lightest is None else self.lightest

    @property
    def mu_max(self) -> float:
        """An upper bound of every μ_i: what the others, none lighter than `mu_min`, leave."""
        return 1.0 - (self.n - 1) * self.mu_min

    def failing(self) -> list[str]:
        """The assumptions that fail and are needed."""
        return [row.name for row in self.hypotheses if row.status == "fails" and row.needed]

    def missing(self) -> list[str]:
        """The numbers that are not known."""
        known = {**self.numbers, "gap": self.gap, "variates": self.variates}
        return [name for name, number in known.items() if number.value is None]

    def unproved(self) -> dict[str, str]:
        """What a bound would rest on though it is neither proved nor given: the name, and what is known instead."""
        known = {**self.numbers, "gap": self.gap, "variates": self.variates}
        found = {name: number.how for name, number in known.items() if number.status == "unknown"}
        rows = {row.name: row.why for row in self.hypotheses if row.status == "unknown" and row.needed}
        return found | {name: why for name, why in rows.items() if why not in found.values()}

    def constants(self) -> Constants:
        """The constants of the theorem; `InvalidInput` where an assumption fails or a number is missing."""
        if self.failing():
            raise InvalidInput(
                f"Theorem 1 does not apply: {', '.join(self.failing())} fails; change what makes it fail."
            )
        if self.missing():
            raise InvalidInput(f"no value for {', '.join(self.missing())}: give one, or data from which it follows.")
        return Constants(n=self.n, **{name: float(self.numbers[name].value or 0.0) for name in NUMBERS})


def given_problem(n: int, q: int, numbers: Mapping[str, float | None], gap: float | None, variates: float) -> Problem:
    """A problem of which only numbers are told: A1 to A3 and A6 to A8 are taken as given."""
    rows = tuple(
        Assumption(name, "given", "taken as given with its constants") for name in ("MM-1", "MM-2", "A1", "A2")
    )
    told = {name: Number(numbers.get(name), "given", "given") for name in NUMBERS}
    if told["sup_h"].value is None and told["C_star"].value == 0.0:
        told["sup_h"] = Number(math.inf, "given", "not needed: C_star = 0")
    rows += with_constants(told)
    return Problem(
        "given constants", n, q, rows, told, Number(gap, "given", "given"), Number(variates, "given", "given")
    )


def with_constants(numbers: Mapping[str, Number], A8: Assumption | None = None) -> tuple[Assumption, ...]:
    """The rows A3, A6, A7 and A8 that follow from what is known of the constants."""
    rows = [_row("A3", [numbers["sigma"]]), _row("A6(i)", [numbers["L"]])]
    sup_h, bend = numbers["sup_h"], numbers["C_star"].value
    unneeded = bend == 0.0
    if sup_h.value == math.inf:
        why = "sup‖h‖ is infinite" + (", not needed: it is multiplied by C_⋆ = 0" if unneeded else "")
        rows.append(Assumption("A6(ii)", "fails", why, needed=not unneeded))
    else:
        rows.append(_row("A6(ii)", [sup_h]))
    rows.append(_row("A7", [numbers[name] for name in ("v_min", "v_max", "C_star", "C_star_star")]))
    rows.append(A8 or Assumption("A8", "given", "taken as given"))
    return tuple(rows)


def federation(omega: float | None, how: str, p: float) -> tuple[Assumption, ...]:
    """The rows A4 and A5 for a compression of factor ω (None: a biased one) and participation with probability p."""
    unbiased = (
        Assumption("A4", "given" if how == "given" else "proved", f"ω = {omega:.6g}, {how}")
        if omega is not None
        else Assumption("A4", "fails", how)
    )
    return (
        unbiased,
        Assumption("A5", "given", "everyone takes part" if p == 1.0 else f"each client independently, p = {p:.6g}"),
    )


def _row(name: str, numbers: Sequence[Number]) -> Assumption:
    """The weakest of several statements."""
    if any(number.status == "fails" for number in numbers):
        return Assumption(name, "fails", next(number.how for number in numbers if number.status == "fails"))
    order = {"unknown": 0, "given": 1, "proved": 2}
    weakest = min(numbers, key=lambda number: 0 if number.value is None else order[number.status])
    status: Grounds = "unknown" if weakest.value is None else weakest.status
    return Assumption(name, status, weakest.how)
