"""A problem whose formulas are sums over L components: a mixture of L laws, a dictionary of L atoms, L coordinates.

The formulas are read twice: `at(3)` is the `Model` of three components, and `generic` has the symbols of one component,
whichever, with `Total(p)` for a sum of p over them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import sympy as sp
from sympy.tensor.indexed import Indexed

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.decide.definedness import require_supported
from fedmm_edu.symbolic.decide.domain import Domain, assumed, real, relations_of
from fedmm_edu.symbolic.formulas import (
    FOLLOWS,
    FORMULA_FIELDS,
    LIST_FIELDS,
    SET_FIELDS,
    Formulas,
    as_entries,
    require_apart,
    tau_of,
)
from fedmm_edu.symbolic.model import Model

_OWNERS = {"theta": "Theta", "z": "Z", "s": "S"}


class Total(sp.Function):
    """Σ_l of its argument, which is written for one component."""

    nargs = 1
    is_real = True


class Generic(NamedTuple):
    """A model in the symbols of one component (`own`) and those that all components share."""

    theta: tuple[sp.Symbol, ...]
    z: tuple[sp.Symbol, ...]
    s: tuple[sp.Symbol, ...]
    phi: tuple[sp.Expr, ...]
    S_bar: tuple[sp.Expr, ...]
    T: tuple[sp.Expr, ...] | None
    Theta: tuple[sp.Basic, ...]
    S: tuple[sp.Basic, ...]
    Z: tuple[sp.Basic, ...]
    given: tuple[sp.Basic, ...]
    loss: sp.Expr
    psi: sp.Expr
    g: sp.Expr
    own: tuple[sp.Symbol, ...]
    length: sp.Symbol
    """L, the number of components."""
    tau: tuple[sp.Symbol, ...]

    def at_tau(self, expr: Any) -> Any:
        """The expression with τ in the place of θ."""
        return expr.xreplace(dict(zip(self.theta, self.tau, strict=True)))

    def inner(self, left: Sequence[sp.Expr], right: Sequence[sp.Expr]) -> sp.Expr:
        """⟨left, right⟩ over the entries of s: those of a component summed over them all."""
        products = [(x in self.own, a * b) for x, a, b in zip(self.s, left, right, strict=True)]
        own = sp.Add(*(e for of_one, e in products if of_one))
        return sp.Add(*(e for of_one, e in products if not of_one)) + (Total(own) if own != 0 else 0)

    @property
    def surrogate(self) -> sp.Expr:
        """J_s(θ) = g(θ) + ψ(θ) − ⟨s, φ(θ)⟩."""
        return self.g + self.psi - self.inner(self.s, self.phi)

    @property
    def constants(self) -> tuple[sp.Symbol, ...]:
        """Every symbol but those of θ, z and s, L and τ among them."""
        found = set().union(*(e.free_symbols for value in self for e in as_entries(value)))
        return tuple(sorted(found - {*self.theta, *self.z, *self.s}, key=str))


@dataclass(frozen=True, init=False)  # its fields are those of `Formulas`
class ComponentModel(Formulas):
    """ψ, φ, S̄, 𝒮, Θ, g, ℓ of MM-1 and MM-2 for every number L of components.

    Formulas as `Model` is, with `theta = IndexedBase("theta")` and `theta[l]` for an entry of a component, and
    `Sum(…, (l, 1, L))` for a sum over all of them, l and L integer symbols. An entry of theta, z or s with the index l
    stands for L symbols, and its entry of phi, S_bar or T for L formulas; the entries without an index are shared. A
    relation with the index l holds for every component. loss, psi and g have the index in sums only.
    Raises `InvalidInput` for a sum that is not from 1 to L over one index, or an index elsewhere.

    >>> from sympy import IndexedBase, Sum, symbols
    >>> l, L = symbols("l L", integer=True, positive=True)
    >>> theta, s, z = IndexedBase("theta"), IndexedBase("s"), IndexedBase("z")
    >>> mean = ComponentModel(theta=theta[l], z=z[l], s=s[l], loss=Sum((theta[l] - z[l]) ** 2, (l, 1, L)) / 2,
    ...                       psi=Sum(theta[l] ** 2, (l, 1, L)) / 2, phi=theta[l], S_bar=z[l], T=s[l])
    >>> mean.at(2).psi
    theta1**2/2 + theta2**2/2
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_indices()
        found = self.generic
        for part in (found.loss, found.psi, found.g, *found.phi, *found.S_bar, *(found.T or ())):
            require_supported(part.replace(Total, lambda body: body))
        require_apart(self.name, found)
        relations_of(*(statement for key in SET_FIELDS for statement in getattr(found, key)))

    # ------------------------------------------------------------------------------------------------ as it is written

    @cached_property
    def index(self) -> sp.Symbol:
        """l, the index that theta has."""
        found: set[Any] = {x for entry in self.theta if isinstance(entry, Indexed) for x in entry.indices}
        if len(found) != 1 or not all(isinstance(x, sp.Symbol) for x in found):
            raise InvalidInput(
                f"{self.name}: theta = {self.theta} has not one index: write theta[l] with "
                'theta = IndexedBase("theta") and l = symbols("l", integer=True), or a Model where nothing is summed.'
            )
        return found.pop()

    @cached_property
    def length(self) -> sp.Symbol:
        """L, up to which the sums go."""
        found: set[Any] = {limits[2] for e in self._formulas() for total in e.atoms(sp.Sum) for limits in total.limits}
        if len(found) > 1 or not all(isinstance(x, sp.Symbol) for x in found):
            said = ", ".join(sorted(map(str, found)))
            raise InvalidInput(
                f"{self.name}: the sums go up to {said}: let all of them go up to one symbol L, the number of "
                "components; what has another number (rows, terms) is written as so many symbols."
            )
        return found.pop() if found else sp.Symbol("L", integer=True, positive=True)

    def _check_indices(self) -> None:
        for key in ("theta", "z", "s"):
            for entry in getattr(self, key):
                if not isinstance(entry, sp.Symbol | Indexed):
                    raise InvalidInput(f"{self.name}: {entry} of {key} is no symbol: write x, or x[{self.index}].")
        for key in FORMULA_FIELDS:
            if self.index in getattr(self, key).free_symbols:
                raise InvalidInput(f"{self.name}: {key} has {self.index} outside a sum: write Sum(…, (l, 1, L)).")
        for key, of in FOLLOWS.items():
            for entry, symbol in zip(getattr(self, key) or (), getattr(self, of), strict=bool(getattr(self, key))):
                if self.index in entry.free_symbols and not isinstance(symbol, Indexed):
                    raise InvalidInput(
                        f"{self.name}: {entry} of {key} has {self.index} outside a sum, and {symbol} has no index."
                    )
        for expr in self._formulas():
            for total in expr.atoms(sp.Sum):
                self._check_sum(total)
            for entry in expr.atoms(Indexed):
                if len(entry.indices) != 1 or not isinstance(entry.indices[0], sp.Symbol):
                    raise InvalidInput(f"{self.name}: {entry}: an entry has one index, {self.index}.")
            free = {x for x in expr.free_symbols if isinstance(x, Indexed)}
            other = {x for entry in free for x in entry.indices} - {self.index}
            if other:
                raise InvalidInput(f"{self.name}: the index {other.pop()} belongs to no sum: use {self.index}.")

    def _check_sum(self, total: Any) -> None:
        inside = {x for e in total.function.free_symbols if isinstance(e, Indexed) for x in e.indices}
        if len(total.limits) > 1 or inside - {total.limits[0][0]}:
            raise InvalidInput(
                f"{self.name}: {total} is a sum over pairs of components, or over two sets of indices: what a sum adds "
                "has the index of this sum alone. Write the sum of a[l]*a[m] over l < m as "
                "(Sum(a[l], (l, 1, L))**2 - Sum(a[l]**2, (l, 1, L)))/2, and rows beside the components as so many "
                "symbols; Model takes any formula for a number of components."
            )
        if len(total.limits[0]) != 3 or total.limits[0][1] != 1:
            raise InvalidInput(f"{self.name}: {total} is not from 1 to L over one index: write Sum(…, (l, 1, L)).")
        if any(x in inner.limits[0][1:] for inner in total.function.atoms(sp.Sum) for x in (total.limits[0][0],)):
            raise InvalidInput(f"{self.name}: {total} has an inner sum up to an index: let every sum go up to L.")

    def at(self, n: int) -> Model:
        """The model of n components: theta[l] becomes theta1, theta2, …, and a sum its n terms."""
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            raise InvalidInput(f"{self.name}: {n!r} components: give an integer from 1.")
        names = {x.name for e in self._formulas() for x in e.free_symbols if type(x) is sp.Symbol}
        names -= {e.base.label.name for e in self._entries()}
        clash = names & {f"{e.base.label.name}{k}" for e in self._entries() for k in range(1, n + 1)}
        if clash:
            raise InvalidInput(f"{self.name}: {clash.pop()} is a symbol and the entry of a component: rename one.")

        def each(value: Any) -> Any:
            if not isinstance(value, tuple):
                return None if value is None else self._at(value, n, None)
            out: list[Any] = []
            for entry in value:
                repeated = self.index in entry.free_symbols
                out += [self._at(entry, n, k) for k in (range(1, n + 1) if repeated else (None,))]
            return tuple(out)

        parts = {key: each(getattr(self, key)) for key in (*LIST_FIELDS, *FORMULA_FIELDS)}
        for key, of in FOLLOWS.items():  # a formula without the index that belongs to entries with one
            if parts[key] is not None:
                parts[key] = tuple(
                    self._at(e, n, k)
                    for e, x in zip(getattr(self, key), getattr(self, of), strict=True)
                    for k in range(1, n + 1 if isinstance(x, Indexed) else 2)
                )
        return Model(**parts, name=f"{self.name}, {self.length} = {n}")

    @property
    def constants(self) -> tuple[sp.Symbol, ...]:
        """What asks for these, a kernel or the constants of a theorem, needs a number of components: `InvalidInput`."""
        raise InvalidInput(f"{self.name} has any number of components: take a number of them, as {self.name}.at(3).")

    def space(self, *sets: str) -> Domain:
        """As `constants`: `InvalidInput`."""
        raise InvalidInput(f"{self.name} has any number of components: take a number of them, as {self.name}.at(3).")

    def _entries(self) -> set[Any]:
        return {entry for e in self._formulas() for entry in e.atoms(Indexed)}

    def _at(self, expr: Any, n: int, k: int | None) -> Any:
        def unrolled(body: Any, m: sp.Symbol) -> Any:
            return sp.Add(*(body.xreplace({m: sp.Integer(j)}) for j in range(1, n + 1)))

        out = _without_sums(expr.xreplace({self.length: sp.Integer(n)}), unrolled)
        out = out if k is None else out.xreplace({self.index: sp.Integer(k)})
        known = {entry: _entry(entry, str(entry.indices[0])) for entry in out.atoms(Indexed)}
        return out.xreplace(known)

    # ----------------------------------------------------------------------------------- in the symbols of a component

    @cached_property
    def generic(self) -> Generic:
        """The same formulas for one component, whichever."""
        names = {f"{e.base.label.name}_{self.index}" for e in self._entries()}
        clash = {x.name for e in self._formulas() for x in e.free_symbols if isinstance(x, sp.Symbol)} & names
        if clash:
            raise InvalidInput(f"{self.name}: {clash.pop()} is a symbol and the name of an entry here: rename it.")
        parts: dict[str, Any] = {key: tuple(map(self._read, getattr(self, key) or ())) for key in LIST_FIELDS}
        parts |= {key: self._read(getattr(self, key)) for key in FORMULA_FIELDS}
        length = sp.Symbol(self.length.name, real=True)
        if any(length in e.free_symbols for value in parts.values() for e in as_entries(value)):
            parts["given"] += (sp.Ge(length, 1),)
        for symbol in self._variables():
            owner = next((_OWNERS[key] for key in _OWNERS if real(symbol) in parts[key]), "given")
            parts[owner] = (*parts[owner], *assumed(symbol))
        tau = tau_of(parts["theta"], [e for value in parts.values() for e in as_entries(value)])
        parts["T"] = None if self.T is None else parts["T"]
        own = {sp.Symbol(name, real=True) for name in names}
        own |= {end for x, end in zip(parts["theta"], tau, strict=True) if x in own}
        return Generic(**parts, own=tuple(sorted(own, key=str)), length=length, tau=tau)

    def _variables(self) -> list[sp.Symbol]:
        """What stands for a number, with what is assumed of it; entries by the names that they have here."""
        found = {x for e in self._formulas() for x in e.free_symbols if type(x) is sp.Symbol or isinstance(x, Indexed)}
        bound = {self.index, self.length, *(entry.base.label for entry in self._entries())}
        bound |= {t.limits[0][0] for e in self._formulas() for t in e.atoms(sp.Sum)}
        symbols = {_entry(x, self.index.name) if isinstance(x, Indexed) else x for x in found - bound}
        return sorted(symbols, key=str)

    def _read(self, expr: Any) -> Any:
        return self._plain(_without_sums(expr, lambda body, m: Total(self._plain(body.xreplace({m: self.index})))))

    def _plain(self, expr: Any) -> Any:
        known = {entry: real(_entry(entry, self.index.name)) for entry in expr.atoms(Indexed)}
        return real(expr.xreplace(known))

    def indexed(self, expr: sp.Expr) -> sp.Expr:
        """A formula in the symbols of `generic` as it is written in the model."""
        names = {x.name: x for e in self._formulas() for x in e.free_symbols if type(x) is sp.Symbol}
        names |= {_entry(e, self.index.name).name: e for e in self.theta + self.s if isinstance(e, Indexed)}
        names |= {_entry(e, self.index.name).name: e for e in self._entries() if e.indices == (self.index,)}
        return expr.xreplace({x: names[x.name] for x in expr.free_symbols})


def _without_sums(expr: Any, written: Callable[[Any, sp.Symbol], Any]) -> Any:
    """The expression with what is `written` for each sum, of its term and its index, inner sums first."""
    while sums := expr.atoms(sp.Sum):
        inner = next(t for t in sums if not t.function.has(sp.Sum))
        expr = expr.xreplace({inner: written(inner.function, inner.limits[0][0])})
    return expr


def _entry(entry: Any, index: str) -> sp.Symbol:
    """The symbol of x[l], with what is assumed of it."""
    apart = "" if index.isdigit() else "_"
    assumptions = {key: True for key in ("positive", "nonnegative", "negative") if getattr(entry, f"is_{key}")}
    return sp.Symbol(f"{entry.base.label.name}{apart}{index}", **(assumptions or {"real": True}))
