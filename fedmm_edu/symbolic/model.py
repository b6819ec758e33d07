"""A problem written down in SymPy: the definition that checkers read and numeric kernels come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import sympy as sp

from fedmm_edu.errors import InvalidInput


def _tuple(value) -> tuple:
    items = tuple(value) if isinstance(value, Iterable) else (value,)
    return tuple(sp.sympify(item) for item in items)


@dataclass(frozen=True)
class Model:
    """ψ, φ, S̄, 𝒮, Θ, g, ℓ of MM-1 and MM-2, as SymPy expressions.

    theta, z, s: symbols of the parameter (d of them), of one sample (p) and of the surrogate (q).
    loss: ℓ(z, θ); g, psi: in θ (default 0); phi: q expressions in θ.
    S_bar: q expressions in z and θ, where θ stands for the expansion point τ.
    T: d expressions in s, or None to have it derived from ∇(g + ψ − ⟨s, φ⟩) = 0.
    Theta, S, Z: relations that define Θ, 𝒮 and the set of possible samples (none: the whole space).
    given: relations on constants and samples under which everything is claimed (`rho > 0`, `rho*x**2 <= 1`).
    """

    theta: tuple[sp.Symbol, ...]
    z: tuple[sp.Symbol, ...]
    s: tuple[sp.Symbol, ...]
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

    def __post_init__(self) -> None:
        for key in ("theta", "z", "s", "phi", "S_bar", "Theta", "S", "Z", "given"):
            object.__setattr__(self, key, _tuple(getattr(self, key)))
        for key in ("loss", "psi", "g"):
            object.__setattr__(self, key, sp.sympify(getattr(self, key)))
        if self.T is not None:
            object.__setattr__(self, "T", _tuple(self.T))
        self._check_lengths()
        self._check_symbols()

    def _check_lengths(self) -> None:
        q, d = len(self.s), len(self.theta)
        for key, expected, of in (("phi", q, "s"), ("S_bar", q, "s"), ("T", d, "theta")):
            entries = getattr(self, key)
            if entries is not None and len(entries) != expected:
                raise InvalidInput(
                    f"{self.name}: {key} has {len(entries)} entries but {of} has {expected} symbols: "
                    f"give {key} one entry per symbol of {of}."
                )

    def _check_symbols(self) -> None:
        theta, z, s = set(self.theta), set(self.z), set(self.s)
        if len(theta) + len(z) + len(s) != len(theta | z | s):
            raise InvalidInput(f"{self.name}: theta, z and s share a symbol: use distinct names.")
        allowed = {"psi": s | z, "g": s | z, "phi": s | z, "loss": s, "S_bar": s, "T": theta | z}
        for key, forbidden in allowed.items():
            value = getattr(self, key)
            for entry in () if value is None else value if isinstance(value, tuple) else (value,):
                extra = entry.free_symbols & forbidden
                if extra:
                    names = ", ".join(sorted(map(str, extra)))
                    raise InvalidInput(f"{self.name}: {key} contains {names}, which it must not depend on.")

    @property
    def constants(self) -> tuple[sp.Symbol, ...]:
        """Every other free symbol (step sizes, penalty weights, points of a latent law …), sorted by name."""
        entries = (self.loss, self.psi, self.g, *self.phi, *self.S_bar, *(self.T or ()), *self.given)
        free = set().union(*(entry.free_symbols for entry in entries))
        return tuple(sorted(free - set(self.theta) - set(self.z) - set(self.s), key=str))
