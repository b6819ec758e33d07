"""Exact instances of the setting of Section 2, on which general statements are tried.

Each instance is a few rational functions. Which of MM-1, MM-2, A1 and A2 it satisfies is *decided* (by z3, over all
parameters), never declared; so a counterexample to a statement is an instance that satisfies its hypotheses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import sympy as sp

from fedmm_edu.errors import InvalidInput, needs
from fedmm_edu.proofs.certificate import decide, derive
from fedmm_edu.proofs.verdict import Step, Verdict, Witness

Point = tuple[sp.Expr, ...]
Interval = tuple[sp.Expr, sp.Expr]
THETA = sp.symbols("theta_1 theta_2", real=True)
TAU = sp.symbols("tau_1 tau_2", real=True)
MIRROR = sp.symbols("s_1 s_2", real=True)
x, y = THETA
s1, s2 = MIRROR
WHOLE = (-sp.oo, sp.oo)
Q = sp.Rational


@dataclass(frozen=True)
class Instance:
    """f, ψ, φ and E_π[S̄(Z, ·)] in θ; g = l1·Σ|θ_j| on a box Θ, +∞ outside; 𝒮 by relations; T in s.

    `mirror`: s = 1/t² where T is rational in t but not in s; T and the relations of 𝒮 are then written in t = s_1.
    `thetas`, `mirrors`: the points of Θ and the values of s (or t) at which conclusions are evaluated.
    """

    name: str
    f: sp.Expr
    psi: sp.Expr
    phi: Point
    s_bar: Point
    T: Point
    S: tuple[sp.Basic, ...] = ()
    box: tuple[Interval, ...] = (WHOLE,)
    l1: sp.Expr = sp.S.Zero
    mirror: Point | None = None
    thetas: tuple[Point, ...] = ()
    mirrors: tuple[Point, ...] = ()

    @property
    def d(self) -> int:
        return len(self.box)

    @property
    def q(self) -> int:
        return len(self.phi)

    @property
    def theta(self) -> Point:
        return THETA[: self.d]

    @property
    def s(self) -> Point:
        return self.mirror or MIRROR[: self.q]

    # ---------------------------------------------------------------------------------------- values at a point

    def at(self, expr: sp.Expr, theta: Point) -> sp.Expr:
        return sp.sympify(expr).subs(dict(zip(self.theta, theta, strict=True)))

    def mean_S_bar(self, theta: Point) -> Point:
        return tuple(sp.nsimplify(self.at(entry, theta)) for entry in self.s_bar)

    def to_s(self, t: Point) -> Point:
        return tuple(sp.sympify(entry).subs(dict(zip(MIRROR, t, strict=False))) for entry in self.s)

    def _parameter(self, s: Point) -> Point:
        """The t with s = mirror(t), by an exact square root of s = 1/t²; s itself where there is no `mirror`."""
        return (1 / sp.sqrt(s[0]),) if self.mirror else s

    def in_S(self, s: Point) -> bool:
        if self.mirror and not s[0] > 0:
            return False
        values = dict(zip(MIRROR, self._parameter(s), strict=False))
        return all(relation.subs(values) == sp.true for relation in self.S)

    def T_of(self, s: Point) -> Point:
        t = dict(zip(MIRROR, self._parameter(s), strict=False))
        return tuple(sp.sympify(entry).subs(t) for entry in self.T)

    def mean_field(self, s: Point) -> Point:
        return tuple(a - b for a, b in zip(self.mean_S_bar(self.T_of(s)), s, strict=True))

    def penalty(self, theta: Point | None = None) -> sp.Expr:
        return self.l1 * sp.Add(*(sp.Abs(entry) for entry in theta or self.theta))

    def u(self, s: Iterable[sp.Expr]) -> sp.Expr:
        """ψ − ⟨s, φ⟩ as an expression in θ."""
        return self.psi - sp.Add(*(a * b for a, b in zip(s, self.phi, strict=True)))

    def objective(self, theta: Point) -> sp.Expr:
        return self.at(self.f, theta) + self.penalty(theta)

    def gradient(self, expr: sp.Expr, theta: Point) -> sp.Matrix:
        return sp.Matrix([self.at(sp.diff(expr, symbol), theta) for symbol in self.theta])

    def jacobian(self, theta: Point) -> sp.Matrix:
        """J_φ(θ), q × d as the paper defines it (L 246-247)."""
        return sp.Matrix([[self.at(sp.diff(entry, symbol), theta) for symbol in self.theta] for entry in self.phi])

    def times_jacobian(self, theta: Point, vector: Point, transpose: bool) -> sp.Matrix | None:
        """J_φ(θ)ᵀ·vector, or without the transpose; None where that product does not exist (q ≠ d)."""
        J = self.jacobian(theta).T if transpose else self.jacobian(theta)
        return J * sp.Matrix(vector) if J.shape[1] == len(vector) and J.shape[0] == self.d else None

    def subgradients(self, theta: Point) -> list[Interval]:
        """∂g(θ), one interval per coordinate: ±l1 or [−l1, l1], plus the normal cone of the box."""
        intervals = []
        for value, (low, high) in zip(theta, self.box, strict=True):
            slopes = (-self.l1, self.l1) if value == 0 else (self.l1 * sp.sign(value),) * 2
            intervals.append((-sp.oo if value == low else slopes[0], sp.oo if value == high else slopes[1]))
        return intervals

    def in_subdifferential(self, vector: sp.Matrix, theta: Point) -> bool:
        return all(low <= entry <= high for entry, (low, high) in zip(vector, self.subgradients(theta), strict=True))

    def interior(self, theta: Point) -> bool:
        return all(low < value < high for value, (low, high) in zip(theta, self.box, strict=True))

    # ------------------------------------------------------------------------------------------------- hypotheses

    @cached_property
    def facts(self) -> frozenset[str]:
        """Which of MM-1, MM-2, A1 and A2 hold, each decided over all θ, τ and s."""
        tests = {"MM-1": self._mm1, "MM-2": self._mm2, "A1": self._a1, "A2": self._a2}
        return frozenset(name for name, test in tests.items() if test())

    def _box(self, point: Point) -> list[sp.Basic]:
        above = (sp.Ge(v, low) for v, (low, _) in zip(point, self.box, strict=True) if low.is_finite)
        return [*above, *(sp.Le(v, high) for v, (_, high) in zip(point, self.box, strict=True) if high.is_finite)]

    def _move(self, expr: sp.Expr, point: Point) -> sp.Expr:
        return sp.sympify(expr).subs(dict(zip(self.theta, point, strict=True)), simultaneous=True)

    def _mm1(self) -> bool:
        tau = TAU[: self.d]
        s = tuple(self._move(entry, tau) for entry in self.s_bar)
        gap = self._move(self.f, tau) - self.f + self.u(s) - self._move(self.psi, tau)
        gap += sp.Add(*(a * self._move(b, tau) for a, b in zip(s, self.phi, strict=True)))
        inside = [relation.subs(dict(zip(MIRROR, self._parameter(s), strict=False))) for relation in self.S]
        return valid(self._box(self.theta) + self._box(tau), sp.And(gap >= 0, *inside))

    def _mm2(self) -> bool:
        best = self.T
        value = self.penalty() + self.u(self.s)
        gap = value - self._move(self.u(self.s), best) - self.penalty(best)
        same = sp.And(*(sp.Eq(a, b) for a, b in zip(self.theta, best, strict=True)))
        return valid([*self.S, *self._box(self.theta)], sp.Or(same, gap > 0)) and valid(
            list(self.S), sp.And(*self._box(best))
        )

    def _a1(self) -> bool:
        tau = TAU[: self.d]
        weight = sp.Symbol("weight", real=True)
        middle = tuple(weight * a + (1 - weight) * b for a, b in zip(self.theta, tau, strict=True))
        u = self.u(self.s)
        gap = weight * u + (1 - weight) * self._move(u, tau) - self._move(u, middle)
        given = [*self.S, *self._box(self.theta), *self._box(tau), weight >= 0, weight <= 1]
        return self._smooth(self.psi, *self.phi) and valid(given, gap >= 0)

    def _a2(self) -> bool:
        return self._smooth(self.f)

    def _smooth(self, *entries: sp.Expr) -> bool:
        """C¹ in the interior: rational with a denominator that does not vanish, up to jumps at boundary points."""
        for entry in map(sp.sympify, entries):
            jumps = {pair.args[1].rhs for piece in entry.atoms(sp.Piecewise) for pair in piece.args[:-1]}
            if any(self.interior((point,)) for point in jumps):
                return False
            denominator = sp.denom(sp.together(otherwise(entry)))
            if not valid(self._box(self.theta), sp.Ne(denominator, 0)):
                return False
        return True

    def witness(self, says: str, point: dict[str, object], **values: object) -> Witness:
        """This instance at `point` as a witness."""
        where = {"instance": self.name, **{key: _text(value) for key, value in point.items()}}
        return Witness(where, says, {key: _text(value) for key, value in values.items()})


def _text(value: object) -> str:
    entries = tuple(value) if isinstance(value, (tuple, sp.MatrixBase)) else (value,)
    return ", ".join(map(str, entries))


def otherwise(expr: sp.Expr) -> sp.Expr:
    """`expr` with each jump removed: a piecewise part replaced by its last branch."""
    return sp.sympify(expr).replace(lambda e: isinstance(e, sp.Piecewise), lambda e: e.args[-1][0])


def jump(point: sp.Expr | int, there: sp.Expr | int, elsewhere: sp.Expr | int) -> sp.Expr:
    """`there` at θ = point, `elsewhere` at every other θ."""
    return sp.Piecewise((there, sp.Eq(x, point)), (elsewhere, True))


def valid(given: Sequence[sp.Basic], conclusion: sp.Basic) -> bool:
    """Whether `given` implies `conclusion` for all real values (z3); `InvalidInput` when z3 cannot tell."""
    with needs("check", "deciding what an instance satisfies"):
        import z3

    solver = z3.Solver()
    solver.set("timeout", 20_000)
    solver.add(*(to_z3(relation) for relation in given), z3.Not(to_z3(conclusion)))
    answer = solver.check()
    if answer == z3.unknown:
        raise InvalidInput(f"z3 cannot decide {conclusion}: give a simpler instance.")
    return answer == z3.unsat


def to_z3(expr: sp.Basic):
    """A SymPy term or relation of rational functions, |·| and piecewise parts as a z3 one."""
    import z3

    expr = sp.sympify(expr)
    if expr in (sp.true, sp.false):
        return z3.BoolVal(bool(expr))
    if expr.is_Symbol:
        return z3.Real(str(expr))
    if isinstance(expr, sp.Rational):
        return z3.Q(int(expr.p), int(expr.q))
    if isinstance(expr, sp.Pow):
        base, exponent = to_z3(expr.base), int(expr.exp)
        power = z3.Product([base] * abs(exponent))
        return power if exponent > 0 else 1 / power
    if isinstance(expr, sp.Piecewise):
        value = to_z3(expr.args[-1][0])
        for branch, condition in reversed([pair.args for pair in expr.args[:-1]]):
            value = z3.If(to_z3(condition), to_z3(branch), value)
        return value
    args = [to_z3(arg) for arg in expr.args]
    build = {
        sp.Add: z3.Sum, sp.Mul: z3.Product, sp.And: z3.And, sp.Or: z3.Or, sp.Not: z3.Not,
        sp.Abs: lambda a: z3.If(a >= 0, a, -a),
        sp.Equality: lambda a, b: a == b, sp.Unequality: lambda a, b: a != b,
        sp.GreaterThan: lambda a, b: a >= b, sp.StrictGreaterThan: lambda a, b: a > b,
        sp.LessThan: lambda a, b: a <= b, sp.StrictLessThan: lambda a, b: a < b,
    }  # fmt: skip
    if type(expr) not in build:
        raise InvalidInput(f"{expr} is not made of rational functions, |.| and cases: give it so.")
    return build[type(expr)](*args)


def grid(*values: object) -> tuple[Point, ...]:
    return tuple((sp.sympify(value),) for value in values)


SHEAR = Instance(  # d = q = 2, φ(θ) = Aθ with A = [[1, 1], [0, 1]]: the Jacobian is not symmetric
    "f = |theta|^2/2 - theta_1, psi = |theta|^2, phi = (theta_1 + theta_2, theta_2)",
    f=(x**2 + y**2) / 2 - x, psi=x**2 + y**2, phi=(x + y, y), s_bar=(x + 1, y - x - 1), T=(s1 / 2, (s1 + s2) / 2),
    box=(WHOLE, WHOLE), thetas=((Q(1), Q(0)), (Q(0), Q(1)), (Q(2), Q(-1))),
    mirrors=((Q(2), Q(-2)), (Q(0), Q(1)), (Q(3), Q(1))),
)  # fmt: skip
TOY = Instance(
    "f = theta + 1/theta (Z = 1), Theta = [1/4, 4]",
    f=x + 1 / x, psi=1 / x, phi=(-x,), s_bar=(sp.S.One,), T=(s1,), mirror=(1 / s1**2,), S=(s1 >= Q(1, 4), s1 <= 4),
    box=((Q(1, 4), Q(4)),), thetas=grid("1/4", "1/2", 1, 2, 4), mirrors=grid("1/4", "1/2", 1, 2, 4),
)  # fmt: skip
LASSO = Instance(
    "f = (theta - 2)^2/2, g = |theta|, rho = 1/2",
    f=(x - 2) ** 2 / 2, psi=x**2, phi=(2 * x,), s_bar=(x / 2 + 1,), l1=sp.S.One,
    T=(sp.Piecewise((s1 - Q(1, 2), s1 > Q(1, 2)), (s1 + Q(1, 2), s1 < -Q(1, 2)), (0, True)),),
    thetas=grid(-1, 0, "1/2", 1, 2), mirrors=grid(-2, "-1/2", 0, "1/4", "3/2", 3),
)  # fmt: skip
CURVATURE = Instance(
    "f = theta^2/2, psi = 2 theta^2, phi = (theta, theta^2), S = R x [0, 1]",
    f=x**2 / 2, psi=2 * x**2, phi=(x, x**2), s_bar=(2 * x, Q(1, 2)), T=(s1 / (4 - 2 * s2),), S=(s2 >= 0, s2 <= 1),
    thetas=grid(-1, 0, 1, 3), mirrors=((Q(0), Q(1, 2)), (Q(1), Q(0)), (Q(2), Q(1)), (Q(-3), Q(1, 2))),
)  # fmt: skip
JUMP = Instance(
    "f = theta^2/2, psi = 2 theta^2, phi = (theta, theta^2), S_bar = (theta, 1) but (0, 0) at 0",
    f=x**2 / 2, psi=2 * x**2, phi=(x, x**2), s_bar=(x, jump(0, 0, 1)), T=(s1 / (4 - 2 * s2),), S=(s2 >= 0, s2 <= 1),
    thetas=grid(-1, 0, 1, 3), mirrors=((Q(0), Q(0)), (Q(0), Q(1)), (Q(1), Q(0)), (Q(2), Q(1))),
)  # fmt: skip
NOT_LSC = Instance(
    "Theta = [0, 1], f = (theta - 1/2)^2/2 and psi = theta^2, both plus 1 at 0, phi = theta",
    f=(x - Q(1, 2)) ** 2 / 2 + jump(0, 1, 0), psi=x**2 + jump(0, 1, 0), phi=(x,), s_bar=(x + Q(1, 2),), T=(s1 / 2,),
    S=(s1 >= Q(1, 2), s1 <= Q(3, 2)), box=((Q(0), Q(1)),), thetas=grid(0, "1/4", "1/2", 1),
    mirrors=grid("1/2", 1, "3/2"),
)  # fmt: skip
EDGE = Instance(
    "Theta = [0, 1], f = -theta, psi = theta^2, phi = theta, S_bar = 2 theta + 1 but 0 at 0",
    f=-x, psi=x**2, phi=(x,), s_bar=(jump(0, 0, 2 * x + 1),), T=(sp.Piecewise((s1 / 2, s1 <= 2), (1, True)),),
    S=(s1 >= 0, s1 <= 3), box=((Q(0), Q(1)),), thetas=grid(0, "1/2", 1), mirrors=grid(0, 1, 2, 3),
)  # fmt: skip
SOUND = (SHEAR, TOY, LASSO, CURVATURE, JUMP, NOT_LSC, EDGE)
"""Instances that satisfy MM-1, MM-2, A1 and A2."""

WRONG_STEP = Instance(
    "f = theta^2/2 with rho = 3 > 1/L_f",
    f=x**2 / 2, psi=x**2 / 6, phi=(x / 3,), s_bar=(-2 * x,), T=(s1,), thetas=grid(0, 1, 2), mirrors=grid(-1, 0, 1),
)  # fmt: skip
WRONG_ORACLE = Instance(
    "f = theta^2/2, rho = 1/2, S_bar = theta/2 + 1 (gradient off by 2)",
    f=x**2 / 2, psi=x**2, phi=(2 * x,), s_bar=(x / 2 + 1,), T=(s1,), thetas=grid(0, 1, 2), mirrors=grid(0, 1, 2),
)  # fmt: skip
WRONG_T = Instance(
    "f = theta^2/2, rho = 1/2, T(s) = s + 1 instead of s",
    f=x**2 / 2, psi=x**2, phi=(2 * x,), s_bar=(x / 2,), T=(s1 + 1,), thetas=grid(0, 1, 2), mirrors=grid(0, 1, 2),
)  # fmt: skip
NOT_CONVEX = Instance(
    "f = psi = 3 theta^4 - 4 theta^3 - 12 theta^2, phi = theta, S = {0}",
    f=3 * x**4 - 4 * x**3 - 12 * x**2, psi=3 * x**4 - 4 * x**3 - 12 * x**2, phi=(x,), s_bar=(sp.S.Zero,),
    T=(sp.Integer(2),),
    S=(sp.Eq(s1, 0),), thetas=grid(-1, 0, 2), mirrors=grid(0),
)  # fmt: skip
FAULTY = (WRONG_STEP, WRONG_ORACLE, WRONG_T, NOT_CONVEX)
"""Instances that violate one hypothesis each: what happens without it."""

INSTANCES = SOUND + FAULTY

ALL = ("MM-1", "MM-2", "A1", "A2")
INTERIOR = (*ALL, "interior")
Fails = Callable[[Instance], Witness | None]
Line = tuple[str, Step | Callable[[], Sequence[Step]]]


def try_and_derive(
    hypotheses: Sequence[str], fails: Fails, *lines: Line, applies: Callable[[Instance], bool] = lambda _: True
) -> Verdict:
    """Try the statement on every instance that satisfies `hypotheses` (and `applies`), then derive it from them."""
    tried = [i for i in INSTANCES if set(ALL) & set(hypotheses) <= i.facts and applies(i)]
    names = "; ".join(instance.name for instance in tried)
    trial = Step(f"tried exactly on {len(tried)} instance(s) that satisfy the hypotheses: none fails", names)
    prove = partial(derive, hypotheses, *lines, ("", trial))
    return decide("derivation", prove, [partial(fails, instance) for instance in tried])


def sound_instance() -> Witness:
    """An instance with MM-1, MM-2, A1 and A2, a root of h, and a mirror parameter that is no root."""
    roots = [s for s in map(SHEAR.to_s, SHEAR.mirrors) if not any(SHEAR.mean_field(s))]
    if SHEAR.facts != set(ALL) or not 0 < len(roots) < len(SHEAR.mirrors):
        raise InvalidInput(f"{SHEAR.name} satisfies {sorted(SHEAR.facts)} and has roots {roots}: correct it.")
    says = r"MM-1, MM-2, A1 and A2 hold for all parameters (z3), $\Theta = \mathbb{R}^2$"
    return SHEAR.witness(says, {"root of h": roots[0]})
