"""Section 7: the dual problem (30), its parametric form, and the gradient of a conjugate.

Proofs are for convex potentials in every dimension. Counterexamples are mostly the quadratic potentials f_ω(x) = ax²/2
and f_θ(y) = by²/2 on the line, with E_P[X²] = v and E_Q[Y²] = q: then ∇f_ω(x) = ax, f_ω^c(y) = y²/(2a).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, derive, same_vector, verify
from fedmm_edu.proofs.gram import Vector, atoms, inner, scalars, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.tools import instance, settle

Q = sp.Rational
a, b, v, q, lam = sp.symbols("a b v q lambda", positive=True)
LOSS = a * v / 2 + b * q - a * b**2 * q / 2  # the objective of (31)
CYCLE = (a * b - 1) ** 2 * q  # R_Q
DUAL = a * v / 2 + q / (2 * a)  # minus the objective of (30)
x = sp.Symbol("x", real=True)


def least(expr: sp.Expr, symbol: sp.Symbol) -> sp.Expr | None:
    """The only minimiser of `expr` over symbol > 0, when expr → ∞ or stays above it at both ends; else None."""
    roots = [root for root in sp.solve(sp.diff(expr, symbol), symbol) if root.is_positive]
    if len(roots) != 1:
        return None
    ends = [sp.limit(expr, symbol, end) for end in (0, sp.oo)]
    return roots[0] if all(end > expr.subs(symbol, roots[0]) for end in ends) else None


def quadratic_instance() -> Witness:
    at = {v: 1, q: 4}
    slope = least(DUAL.subs(at), a) or sp.S.Zero
    return instance(
        {"P": "N(0, 1)", "Q": "N(0, 4)", "f": f"{slope}x^2/2"},
        "the gradient 2x maps P to Q",
        {"the best slope is 2": slope == 2, "pushes the variance": slope**2 * 1 == 4},
    )


# ------------------------------------------------------------------------------------------------------- the dual

MOMENTS = ("densities", "second moments")


def primal_dual(
    extremum: Literal["argmax", "argmin"] = "argmax",
    transport: Literal["grad f", "grad f^c"] = "grad f",
    inverse: Literal["grad f", "grad f^c"] = "grad f^c",
    hypotheses: Sequence[str] = MOMENTS,
) -> Verdict:
    """f* = `extremum` of −E_P f − E_Q f^c gives m* = `transport` and (m*)^{-1} = `inverse` at f = f*."""
    f, fc, product, best = scalars(r"E_P f(X)", r"E_Q f^c(Y)", r"E_P\langle X, m(X) \rangle", r"D_0")
    gap = Hypothesis(
        f + fc - product, r"$f(x) + f^c(y) \geq \langle x, y \rangle$ at $y = m(x)$, integrated, $m \circ P = Q$"
    )
    brenier = Hypothesis(-product - best, r"$m = \nabla f_0$ and $D_0 = -E_P f_0 - E_Q f_0^c$: equality", equality=True)
    gain = (best + f + fc) * (1 if extremum == "argmax" else -1)  # of f_0 over f, as the form claims it

    def weak() -> Sequence[Step]:
        u, m = atoms("x", "m(x)")
        cost = square(u - m) / 2 - square(u) / 2 - square(m) / 2 + inner(u, m)
        says = r"$E\|X - m(X)\|^2/2 = (E\|X\|^2 + E\|Y\|^2)/2 - E\langle X, m(X) \rangle$: (29) maximises the last term"
        return (*verify(cost, {}, {}, equality=True, says=says), *verify(
            gain, {"Fenchel-Young": gap, "Brenier": brenier}, {"Fenchel-Young": 1, "Brenier": -1},
            says=r"$D_0 \geq -E_P f - E_Q f^c$ for every convex $f$: $f_0$ solves (30) and $\nabla f_0$ solves (29)",
        ))  # fmt: skip

    exists = Step(r"$\nabla f_0 \circ P = Q$ for some convex $f_0$", "Brenier's theorem: P has a density (cited)")

    def the_map() -> Sequence[Step]:
        pushes = [
            same_vector(_after(transport), _after("grad f"), r"Brenier's map is $\nabla f_0$", "$m = \\nabla f_0$")
        ]
        (point,) = atoms("x")
        why = r"$\nabla f^c(\nabla f(x)) = x$, as $y \in \partial f(x)$ if and only if $x \in \partial f^c(y)$"
        return [*pushes, same_vector(_after(inverse, transport), point, why, "the inverse after $m$ is the identity")]

    unique = Step(
        r"any solution $f^*$ of (30) has $\nabla f^* = \nabla f_0$ P-a.e.",
        r"$f^*(x) + f^{*c}(\nabla f_0(x)) - \langle x, \nabla f_0(x) \rangle \geq 0$ has mean 0, so $\nabla f_0(x) \in "
        r"\partial f^*(x) = \{\nabla f^*(x)\}$ P-a.e., a convex function being differentiable a.e.",
    )
    inverses = Step(
        r"$(m^*)^{-1} = \nabla f^{*c}$ Q-a.e.",
        r"$y \in \partial f(x)$ if and only if $x \in \partial f^c(y)$; Q has a density",
    )
    return decide(
        "derivation",
        lambda: derive(
            hypotheses,
            ("densities", exists),
            ("second moments", weak),
            ("", the_map),
            ("", unique),
            ("densities", inverses),
        ),
        [lambda: _gaussian(extremum, transport, inverse), lambda: _bad_law(hypotheses)],
    )


def _after(*maps: str) -> Vector:
    """The point maps[0](maps[1](… x)), where ∇f and ∇f^c cancel next to each other."""
    word: list[str] = []
    for name in reversed(maps):  # from the inside out
        if word and {word[-1], name} == {"grad f", "grad f^c"}:
            word.pop()
        else:
            word.append(name)
    text = "x"
    for name in word:
        text = rf"\{name.replace('grad', 'nabla')}({text})"
    return atoms(text)[0]


def _gaussian(extremum: str, transport: str, inverse: str) -> Witness | None:
    """P = N(0, 1), Q = N(0, 4), f = ax²/2."""
    point, objective = {"P": "N(0, 1)", "Q": "N(0, 4)", "f": "a x^2/2"}, -DUAL.subs({v: 1, q: 4})
    best = least(-objective if extremum == "argmax" else objective, a)
    if best is None:
        return Witness(point, f"${sp.latex(objective)}$ has no {extremum} over $a > 0$")
    slopes = {"grad f": best, "grad f^c": 1 / best}
    m, back = slopes[transport], slopes[inverse]
    if m**2 * 1 != 4:
        return Witness(point, f"$a = {best}$, so the map is ${m}x$: it gives the variance ${m**2}$, not 4")
    return None if m * back == 1 else Witness(point, f"the map is ${m}x$, its inverse is not ${back}x$")


def _bad_law(hypotheses: Sequence[str]) -> Witness | None:
    if "second moments" not in hypotheses:
        n = sp.Symbol("n", positive=True)
        moment = sp.limit(sp.integrate(x**2 / (1 + x**2), (x, 0, n)), n, sp.oo) * 2 / sp.pi
        point = {"P, Q": "Cauchy, density 1/(pi(1 + x^2))", "f": "x^2"}
        says = (
            r"$f(x) + f^c(x) \geq x^2$, of infinite mean: (30) is $-\infty$ for every $f$, so $x^2$ solves it, "
            r"but $\nabla f(x) = 2x$ does not map P to Q"
        )
        return Witness(point, says) if moment == sp.oo else None
    if "densities" not in hypotheses:
        images = {0}  # of any map: m(0) alone
        point = {"P": "the atom 0", "Q": "-1 or 1, each with probability 1/2"}
        return Witness(point, "a map sends 0 to one point: no $m \\circ P$ is Q") if len(images) < 2 else None
    return None


def makkuva(
    inner_extremum: Literal["max", "min"] = "max", outer: Literal["argmax", "argmin"] = "argmin", sign: int = 1
) -> Verdict:
    """`outer` over ω of E_P f_ω + sign·E_Q `inner_extremum`_x {⟨x, Y⟩ − f_ω(x)} is (30) over the family (f_ω)."""
    f, conjugate, lower = scalars("E_P f", "E_Q f^c", r"E_Q \min_x \{\langle x, Y \rangle - f(x)\}")
    objective = f + sign * (conjugate if inner_extremum == "max" else lower)
    maximised = objective if outer == "argmax" else -objective
    right, found = least(DUAL.subs({v: 1, q: 4}), a), None
    if inner_extremum == "max":
        value = (a * v / 2 + sign * q / (2 * a)).subs({v: 1, q: 4})
        solution = least(value if outer == "argmin" else -value, a)
        says = f"the problem has {'no solution' if solution is None else f'the solution a = {solution}'}"
    else:
        solution, says = None, "$\\min_x \\{xy - ax^2/2\\} = -\\infty$"
    if solution != right:
        found = Witness({"P": "N(0, 1)", "Q": "N(0, 4)", "f": "a x^2/2"}, f"{says}, (30) has $a = {right}$")
    return settle(
        "identity",
        {"what is maximised is the objective of (30)": maximised - (-f - conjugate)},
        "the inner maximum is $f_\\omega^c(Y)$ by definition; minimising is maximising the negative",
        found,
    )


def conjugate_gradient(
    where: Literal["everywhere", "interior"], strict: bool = True, extremum: Literal["argmax", "argmin"] = "argmax"
) -> Verdict:
    """∇f^c(u) = `extremum`_x ⟨u, x⟩ − f(x) for convex f, for u `where` ("everywhere", or "interior" of dom f^c)."""
    u, y, z = atoms("u", "x", "x'")
    fx, fz, fm, top, ball = scalars("f(x)", "f(x')", r"f(\frac{x+x'}{2})", "f^c(u)", "B")
    gain, radius = sp.symbols("epsilon rho", positive=True)
    room = radius if where == "interior" else 0  # f^c is finite, and so bounded by some B, on the ball around u

    def exists() -> Sequence[Step]:
        length = sp.Symbol(r"\|x\|", nonnegative=True)
        facts = {
            "ball": Hypothesis(
                ball - inner(u, y) - room * length + fx,
                r"Fenchel-Young at $u + \rho x/\|x\|$, where $f^c \leq B$: $f^c$ is finite within $\rho$ of $u$",
            ),
            "level": Hypothesis(inner(u, y) - fx - top + 1, r"$\langle u, x \rangle - f(x) \geq f^c(u) - 1$"),
        }
        used = {"ball": 1 / radius, "level": 1 / radius}
        says = "a maximising sequence is bounded, and $f$ is continuous: the maximum is attained"
        return verify((ball - top + 1) / radius - length, facts, used, says=says)

    def best() -> Sequence[Step]:
        fenchel = {"young": Hypothesis(fx + top - inner(u, y), "Fenchel-Young")}
        side = 1 if extremum == "argmax" else -1
        says = r"no $x$ gives more than $f^c(u)$; equality if and only if $x \in \partial f^c(u)$, $f$ being closed"
        return verify(side * (top - inner(u, y) + fx), fenchel, {"young": 1}, says=says)

    def unique() -> Sequence[Step]:
        facts = {
            "x": Hypothesis(inner(u, y) - fx - top, "$x$ attains the maximum", equality=True),
            "x'": Hypothesis(inner(u, z) - fz - top, "$x' \\neq x$ attains it too", equality=True),
            "convex": Hypothesis((fx + fz) / 2 - fm - (gain if strict else 0), "$f$ is strictly convex"),
        }
        target = inner(u, (y + z) / 2) - fm - top - gain
        says = "the midpoint would give more than the maximum: the maximiser is unique"
        return verify(target, facts, {"x": Q(1, 2), "x'": Q(1, 2), "convex": 1}, says=says)

    gradient = Step(r"$f^c$ is differentiable at $u$, with this gradient", "its subdifferential is one point")
    return decide(
        "certificate",
        lambda: (*exists(), *best(), *unique(), gradient),
        [lambda: _exponential(where), lambda: _flat(strict), lambda: _ascent(extremum)],
    )


def _exponential(where: str) -> Witness | None:
    """f = e^x at u = 0, on the boundary of dom f^c."""
    attained = sp.solveset(-sp.diff(sp.exp(x), x), x, sp.S.Reals)
    supremum = sp.limit(-sp.exp(x), x, -sp.oo)
    if where == "interior" or attained != sp.S.EmptySet:
        return None
    return Witness(
        {"f": "exp(x)", "u": "0"}, f"the supremum ${supremum}$ of $-e^x$ is not attained: there is no argmax"
    )


def _flat(strict: bool) -> Witness | None:
    """f = max(0, |x| − 1) at u = 0, inside dom f^c = [−1, 1]."""
    values = {point: -sp.Max(0, abs(sp.Integer(point)) - 1) for point in (-1, 0, 1)}
    if strict or len(set(values.values())) > 1:
        return None
    return Witness(
        {"f": "max(0, |x| - 1)", "u": "0"},
        "$-1$, 0 and 1 all attain the maximum 0, and $f^c = |u|$ has no gradient at 0",
    )


def _ascent(extremum: str) -> Witness | None:
    ends = sp.limit(x - x**2 / 2, x, sp.oo)
    return (
        Witness({"f": "x^2/2", "u": "1"}, f"$x - x^2/2$ tends to ${sp.latex(ends)}$") if extremum == "argmin" else None
    )
