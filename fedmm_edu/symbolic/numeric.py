"""A running numeric kernel from the symbolic definition of a problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import sympy as sp

from fedmm_edu.arrays import Array, as_array
from fedmm_edu.convex_sets import Box, ConvexSet, WholeSpace
from fedmm_edu.errors import InvalidInput
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.symbolic.decide.domain import Relation, relations_of
from fedmm_edu.symbolic.functions.table import NUMPY, PIECED
from fedmm_edu.symbolic.hypotheses.mm2 import with_T
from fedmm_edu.symbolic.model import Model

OPEN_END = 1e-9
"""An open end a of an interval is closed at a ± OPEN_END · max(1, |a|): projections need closed sets."""


def kernel(
    model: Model,
    constants: Mapping[str, float] | None = None,
    *,
    S: ConvexSet | None = None,
    Theta: ConvexSet | None = None,
) -> Surrogate:
    """The model as a `Surrogate` with numbers for its constants; a missing T is derived.

    𝒮 and Θ are boxes read off the relations with one variable (see `OPEN_END`); other sets must be passed. The formulas
    are evaluated as written, so a loss such as log(exp(a) + exp(b)) overflows where a and b are large.
    Raises `InvalidInput` for missing or unknown constants, for constants that violate `given`, for sets not boxes.
    """
    values = {x: (constants or {}).get(x.name) for x in model.constants}
    missing = [x.name for x, value in values.items() if value is None]
    unknown = sorted(set(constants or {}) - {x.name for x in values})
    if missing or unknown:
        what = f"no value for {', '.join(missing)}" if missing else f"unknown constants {', '.join(unknown)}"
        raise InvalidInput(f"{model.name}: {what}: pass constants={{name: value}} for {[x.name for x in values]}.")
    numbers = {
        x: sp.Float(as_array(x.name, value, shape=()).item(), 17) for x, value in values.items() if value is not None
    }
    for statement in model.given:
        if statement.free_symbols <= numbers.keys() and statement.xreplace(numbers) is sp.false:
            raise InvalidInput(f"{model.name}: the constants violate {statement}: choose others.")
    S = _box("S", model, model.S, model.s, numbers) if S is None else S
    Theta = _box("Theta", model, model.Theta, model.theta, numbers) if Theta is None else Theta
    return _Generated(with_T(model), numbers, S, Theta)


class _Generated(Surrogate):
    """The methods of `Surrogate`, each one lambdified expression."""

    def __init__(self, model: Model, numbers: dict[sp.Symbol, sp.Float], S: ConvexSet, Theta: ConvexSet) -> None:
        for name, found, wanted in (("S", S.dim, len(model.s)), ("Theta", Theta.dim, len(model.theta))):
            if found != wanted:
                raise InvalidInput(
                    f"{model.name}: {name} has dimension {found}, the model {wanted}: pass a set that fits."
                )
        self.model, self.S, self.Theta = model, S, Theta
        both = (*model.z, *model.theta)
        self._S_bar = _function(both, model.S_bar, numbers)
        self._loss = _function(both, (model.loss,), numbers)
        self._T = _function(model.s, model.T or (), numbers)
        self._phi = _function(model.theta, model.phi, numbers)
        self._psi = _function(model.theta, (model.psi,), numbers)
        self._g = _function(model.theta, (model.g,), numbers)
        self._kinked = model.g.has(*PIECED)
        smooth = sp.S.Zero if self._kinked else model.g
        self._grad_g = _function(model.theta, [sp.diff(smooth, x) for x in model.theta], numbers)
        self._grad_psi = _function(model.theta, [sp.diff(model.psi, x) for x in model.theta], numbers)
        self._jac_phi = _function(model.theta, [sp.diff(f, x) for f in model.phi for x in model.theta], numbers)

    def S_bar(self, z: Array, theta: Array) -> Array:
        return self._over_samples(self._S_bar, z, theta)

    def loss(self, z: Array, theta: Array) -> Array:
        return self._over_samples(self._loss, z, theta)[:, 0]

    def T(self, s: Array) -> Array:
        return np.array(self._T(*self.in_S(s)), dtype=np.float64)

    def phi(self, theta: Array) -> Array:
        return np.array(self._phi(*self._theta(theta)), dtype=np.float64)

    def psi(self, theta: Array) -> float:
        return float(self._psi(*self._theta(theta))[0])

    def grad_psi(self, theta: Array) -> Array:
        return np.array(self._grad_psi(*self._theta(theta)), dtype=np.float64)

    def jac_phi(self, theta: Array) -> Array:
        return np.array(self._jac_phi(*self._theta(theta)), dtype=np.float64).reshape(self.q, self.d)

    def grad_g(self, theta: Array) -> Array:
        if self._kinked:
            return super().grad_g(theta)
        return np.array(self._grad_g(*self._theta(theta)), dtype=np.float64)

    def g(self, theta: Array) -> float:
        theta = self._theta(theta)
        return float(self._g(*theta)[0]) if self.Theta.contains(theta) else float("inf")

    def _theta(self, theta: Array) -> Array:
        return as_array("theta", theta, shape=(self.d,))

    def _over_samples(self, function: Callable, z: Array, theta: Array) -> Array:
        z = as_array("z", z, shape=(None, len(self.model.z)))
        columns = [np.broadcast_to(entry, len(z)) for entry in function(*z.T, *self._theta(theta))]
        return np.stack(columns, axis=1).astype(np.float64)


def _function(
    arguments: Sequence[sp.Symbol], exprs: Sequence[sp.Expr], numbers: Mapping[sp.Symbol, sp.Float]
) -> Callable[..., list]:
    return sp.lambdify(list(arguments), [sp.sympify(expr).xreplace(dict(numbers)) for expr in exprs], NUMPY, cse=True)


def _box(
    name: str, model: Model, statements: Sequence[sp.Basic], variables: Sequence[sp.Symbol], numbers: Mapping
) -> ConvexSet:
    low, high = np.full(len(variables), -np.inf), np.full(len(variables), np.inf)
    for relation in relations_of(*statements):
        j, bound, is_low = _bound(name, model, relation.at(numbers), variables)
        shift = OPEN_END * max(1.0, abs(bound)) if relation.op == ">" else 0.0
        if is_low:
            low[j] = max(low[j], bound + shift)
        else:
            high[j] = min(high[j], bound - shift)
    return Box(low, high) if statements else WholeSpace(len(variables))


def _bound(name: str, model: Model, r: Relation, variables: Sequence[sp.Symbol]) -> tuple[int, float, bool]:
    """(j, bound, is_low) for a relation that says variable j ≥ bound (is_low) or ≤ bound."""
    if r.op in (">", ">=") and len(r.expr.free_symbols) == 1:
        (x,) = r.expr.free_symbols
        slope = sp.diff(r.expr, x)
        if x in variables and slope.is_number and slope != 0:
            return variables.index(x), float(-r.expr.subs(x, 0) / slope), bool(slope > 0)
    raise InvalidInput(f"{model.name}: {name} is not a box ({r}): pass {name}=a ConvexSet.")
