"""A problem written down in SymPy: the definition that checkers read and numeric kernels come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.decide.definedness import require_supported
from fedmm_edu.symbolic.decide.domain import Domain, assumed, real, relations_of
from fedmm_edu.symbolic.formulas import SET_FIELDS, Formulas, require_apart, tau_of
from fedmm_edu.symbolic.functions.table import PIECED

Formula = TypeVar("Formula", bound=sp.Basic)


def solved(statements: Sequence[sp.Basic], symbols: Sequence[sp.Symbol]) -> dict[sp.Symbol, sp.Expr]:
    """What the affine equations of a set say: some of the symbols, the last ones first, in terms of the others.

    An equation that is not affine in the symbols, or gives none of them without dividing by a constant, is left out.
    """
    found: dict[sp.Symbol, sp.Expr] = {}
    for r in relations_of(*statements):
        expr = sp.expand(r.expr.xreplace(found))
        pieced = any(piece.free_symbols & set(symbols) for piece in expr.atoms(*PIECED))
        if r.op != "==" or pieced or any(sp.diff(expr, x, y) != 0 for x in symbols for y in symbols):
            continue
        x = next((x for x in reversed(symbols) if sp.diff(expr, x).is_Rational and sp.diff(expr, x) != 0), None)
        if x is not None:
            value = sp.expand(x - expr / sp.diff(expr, x))
            found = {y: sp.expand(e.xreplace({x: value})) for y, e in found.items()} | {x: value}
    return found


@dataclass(frozen=True, init=False)  # its fields are those of `Formulas`
class Model(Formulas):
    """ψ, φ, S̄, 𝒮, Θ, g, ℓ of MM-1 and MM-2, as SymPy expressions.

    theta, z, s: symbols of the parameter (d of them), of one sample (p) and of the surrogate (q).
    loss: ℓ(z, θ); g, psi: in θ (default 0); phi: q expressions in θ.
    S_bar: q expressions in z and θ, where θ stands for the expansion point τ.
    T: d expressions in s, or None to have it derived from ∇(g + ψ − ⟨s, φ⟩) = 0.
    Theta, S, Z: relations that define Θ, 𝒮 and the set of possible samples (none: the whole space). `Eq(a, b)` is an
    equation: `Eq(theta1 + theta2, 1)` with `theta1 > 0` and `theta2 > 0` makes Θ a simplex.
    given: relations on constants and samples under which everything is claimed (`rho > 0`, `rho*x**2 <= 1`).

    A decimal such as 0.1 is the exact number that it shows, 1/10. Assumptions of symbols
    (`symbols("theta", positive=True)`) become relations of the set that the symbol belongs to, and every symbol is
    replaced by the real symbol of the same name; relations that are always true are dropped.
    """

    theta: tuple[sp.Symbol, ...]
    z: tuple[sp.Symbol, ...]
    s: tuple[sp.Symbol, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        require_apart(self.name, self)
        for entry in (self.loss, self.psi, self.g, *self.phi, *self.S_bar, *(self.T or ())):
            require_supported(entry)
        self._assumptions_to_relations()
        self._check_equations()

    def _check_equations(self) -> None:
        for key, name in (("Theta", "theta"), ("S", "s")):
            symbols = getattr(self, name)
            found = solved(getattr(self, key), symbols)
            for r in (r for r in relations_of(*getattr(self, key)) if r.op == "=="):
                rest = sp.expand(r.expr.xreplace(found))
                if rest.is_Rational and rest != 0:
                    raise InvalidInput(
                        f"{self.name}: the equations of {key} contradict each other at {r}: correct one."
                    )
                if rest != 0 and not rest.free_symbols & set(symbols):
                    raise InvalidInput(
                        f"{self.name}: the equations of {key} leave {rest} = 0, which no {name} solves: "
                        "put it into given."
                    )
            if len(found) == len(symbols):
                raise InvalidInput(
                    f"{self.name}: the equations of {key} leave one point: put its numbers in, or drop an equation."
                )

    def _assumptions_to_relations(self) -> None:
        owner = {x: key for key, name in (("Theta", "theta"), ("S", "s"), ("Z", "z")) for x in getattr(self, name)}
        parts = {key: [r for r in getattr(self, key) if r is not sp.true] for key in SET_FIELDS}
        for key, relations in parts.items():
            if any(r is sp.false for r in relations):
                raise InvalidInput(f"{self.name}: a relation of {key} is always false, so {key} is empty: correct it.")
        symbols = sorted(self._symbols(), key=str)
        if len({x.name for x in symbols}) < len(symbols):
            twice = next(x.name for x, y in pairwise(symbols) if x.name == y.name)
            raise InvalidInput(
                f"{self.name}: two different symbols are called {twice}: create it once and use that one."
            )
        for x in symbols:
            parts[owner.get(x, "given")] += assumed(x)
        for key in SET_FIELDS:
            object.__setattr__(self, key, tuple(dict.fromkeys(real(r) for r in parts[key])))
        for key in ("theta", "z", "s", "phi", "S_bar", "T"):
            if getattr(self, key) is not None:
                object.__setattr__(self, key, tuple(real(entry) for entry in getattr(self, key)))
        for key in ("loss", "psi", "g"):
            object.__setattr__(self, key, real(getattr(self, key)))

    def _symbols(self) -> set[sp.Symbol]:
        return set().union(*(entry.free_symbols for entry in self._formulas()))

    @property
    def tau(self) -> tuple[sp.Symbol, ...]:
        """Symbols of the expansion point τ, one per symbol of theta."""
        return tau_of(self.theta, self._symbols())

    def at_tau(self, expr: Formula) -> Formula:
        """The expression with τ in the place of θ."""
        return expr.xreplace(dict(zip(self.theta, self.tau, strict=True)))

    def space(self, *sets: str) -> Domain:
        """The domain of the named sets ("Theta", "S", "Z", and "tau" for τ ∈ Θ) under the `given` relations."""
        relations, variables = list(self.given), []
        for key in sets:
            if key == "tau":
                relations += [self.at_tau(r) for r in self.Theta]
                variables += self.tau
            else:
                relations += getattr(self, key)
                variables += getattr(self, {"Theta": "theta", "S": "s", "Z": "z"}[key])
        return Domain.of(relations, variables)

    @property
    def surrogate(self) -> sp.Expr:
        """J_s(θ) = g(θ) + ψ(θ) − ⟨s, φ(θ)⟩, what T(s) minimises (MM-2)."""
        return self.g + self.psi - sum(s * phi for s, phi in zip(self.s, self.phi, strict=True))

    @property
    def constants(self) -> tuple[sp.Symbol, ...]:
        """Every other free symbol (step sizes, penalty weights, points of a latent law …), sorted by name."""
        return tuple(sorted(self._symbols() - set(self.theta) - set(self.z) - set(self.s), key=str))
