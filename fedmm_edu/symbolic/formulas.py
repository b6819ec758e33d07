"""What models are written with: the formulas of MM-1 and MM-2, entries and numbers as they come, and how they fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import sympy as sp
from sympy.functions.special.delta_functions import Heaviside

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.decide.domain import fresh

Entry = TypeVar("Entry")
Many = Entry | Sequence[Entry]
SET_FIELDS = ("Theta", "S", "Z", "given")
LIST_FIELDS = ("theta", "z", "s", "phi", "S_bar", "T", *SET_FIELDS)
FORMULA_FIELDS = ("loss", "psi", "g")
FOLLOWS = {"phi": "s", "S_bar": "s", "T": "theta"}
"""Of what there is one formula for each symbol."""
DIGITS = 12
"""A floating-point number that shows more digits than these is the rounded result of some computation."""


def entries_of(value) -> tuple:
    items = tuple(value) if isinstance(value, Iterable) else (value,)
    return tuple(map(exact_of, items))


def exact_of(value) -> sp.Basic:
    """The value as SymPy's, each floating-point number as the decimal that it shows: 0.1 is 1/10.

    A Heaviside step, as SymPy's derivatives of Max and Min have it, is written with `sign`: it is ½ at 0.
    """
    expr = sp.sympify(value)
    if expr.has(Heaviside):
        expr = expr.replace(Heaviside, lambda x, at: (1 + sp.sign(x)) / 2 if at == sp.S.Half else Heaviside(x, at))
    return expr.xreplace({x: _decimal(x) for x in expr.atoms(sp.Float)})


def _decimal(x: sp.Float) -> sp.Rational:
    digits = str(x).partition("e")[0].replace(".", "").strip("-0")
    if len(digits) > DIGITS:
        raise InvalidInput(
            f"{x} is rounded: write an exact number in its place, as Rational(1, 3) or sqrt(2); "
            f"a decimal of at most {DIGITS} digits is read as it stands."
        )
    return sp.Rational(str(x))


@dataclass(frozen=True)
class Formulas:
    """The formulas; `Model` says what each is. One entry may stand without its list, a number for an expression."""

    theta: tuple[sp.Expr, ...]
    z: tuple[sp.Expr, ...]
    s: tuple[sp.Expr, ...]
    loss: sp.Expr
    phi: tuple[sp.Expr, ...]
    S_bar: tuple[sp.Expr, ...]
    psi: sp.Expr = sp.S.Zero
    g: sp.Expr = sp.S.Zero
    T: tuple[sp.Expr, ...] | None = None
    Theta: tuple[sp.Basic, ...] = field(default=())
    S: tuple[sp.Basic, ...] = field(default=())
    Z: tuple[sp.Basic, ...] = field(default=())
    given: tuple[sp.Basic, ...] = field(default=())
    name: str = "model"

    if TYPE_CHECKING:  # what may be given: `__post_init__` makes the fields of it

        def __init__(
            self,
            *,
            theta: Many[sp.Expr],
            z: Many[sp.Expr],
            s: Many[sp.Expr],
            loss: sp.Expr | int,
            phi: Many[sp.Expr | int],
            S_bar: Many[sp.Expr | int],
            psi: sp.Expr | int = 0,
            g: sp.Expr | int = 0,
            T: Many[sp.Expr | int] | None = None,
            Theta: Many[sp.Basic] = (),
            S: Many[sp.Basic] = (),
            Z: Many[sp.Basic] = (),
            given: Many[sp.Basic] = (),
            name: str = "model",
        ) -> None: ...

    def __post_init__(self) -> None:
        for key in LIST_FIELDS:
            if getattr(self, key) is not None:
                object.__setattr__(self, key, entries_of(getattr(self, key)))
        for key in FORMULA_FIELDS:
            object.__setattr__(self, key, exact_of(getattr(self, key)))
        for key, of in FOLLOWS.items():
            formulas, symbols = getattr(self, key), getattr(self, of)
            if formulas is not None and len(formulas) != len(symbols):
                raise InvalidInput(
                    f"{self.name}: {key} has {len(formulas)} entries but {of} has {len(symbols)} symbols: "
                    f"give {key} one entry per symbol of {of}."
                )

    def _formulas(self) -> list[Any]:
        """Everything that is written, θ, z and s among it."""
        return [e for key in (*FORMULA_FIELDS, *LIST_FIELDS) for e in as_entries(getattr(self, key))]


def require_apart(name: str, found: Any) -> None:
    """`InvalidInput` where θ, z and s share a symbol, or a formula or set depends on what it must not depend on."""
    theta, z, s = set(found.theta), set(found.z), set(found.s)
    if len(theta) + len(z) + len(s) != len(theta | z | s):
        raise InvalidInput(f"{name}: theta, z and s share a symbol: use distinct names.")
    for key, forbidden in {"psi": s | z, "g": s | z, "phi": s | z, "loss": s, "S_bar": s, "T": theta | z}.items():
        for entry in as_entries(getattr(found, key)):
            if extra := entry.free_symbols & forbidden:
                names = ", ".join(sorted(map(str, extra)))
                raise InvalidInput(f"{name}: {key} contains {names}, which it must not depend on.")
    for key, forbidden in {"Theta": s | z, "S": theta | z, "Z": theta | s, "given": theta | s}.items():
        for relation in getattr(found, key):
            for x in sorted(relation.free_symbols & forbidden, key=str):
                raise InvalidInput(
                    f"{name}: {relation} of {key} depends on {x}: a set of MM-1 and MM-2 is the same for all "
                    f"theta, s and z; write a condition on {x} into the set that {x} belongs to."
                )


def as_entries(value: Any) -> tuple[Any, ...]:
    """The entries of one formula, of several or of none."""
    return value if isinstance(value, tuple) else () if value is None else (value,)


def tau_of(theta: Iterable[sp.Symbol], used: Iterable[sp.Basic]) -> tuple[sp.Symbol, ...]:
    """Symbols of the expansion point τ, one per symbol of theta, that are not among those `used`."""
    return fresh([x.name.replace("theta", "tau") if "theta" in x.name else f"tau_{x.name}" for x in theta], used)
