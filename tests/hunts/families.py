"""Random surrogates of one coordinate that are right by construction, each with ways to break it.

Every family is a theorem: a quadratic bound with the right curvature, EM of a finite mixture, a concave function of a
square (reweighting), a difference of convex functions, an exponential family with an explicit mean map. A break changes
one thing, and names the row that is then false for at least one admissible point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import sympy as sp

from fedmm_edu.symbolic import Model
from fedmm_edu.symbolic.formulas import FORMULA_FIELDS, LIST_FIELDS

Q = sp.Rational
theta, z, s, s1, s2 = sp.symbols("theta z s s_1 s_2", real=True)


@dataclass(frozen=True)
class Break:
    """What is changed, the model after it, and the row that is false now."""

    what: str
    model: Model
    row: str


@dataclass(frozen=True)
class Sample:
    """A right model and its breaks."""

    family: str
    model: Model
    breaks: tuple[Break, ...]


def number(rng: Random, low: int = 1, high: int = 5) -> sp.Rational:
    """A positive rational with small parts."""
    return Q(rng.randint(low, high), rng.randint(1, 4))


def curved(rng: Random) -> tuple[sp.Expr, sp.Expr, sp.Rational, list]:
    """A convex smooth loss in the product zθ or the residual z − θ, its slope, its curvature bound, and Z."""
    a, b = number(rng), number(rng)
    kinds: list[Callable[[], tuple]] = [
        lambda: (a * (z - theta) ** 2 / 2, a, []),
        lambda: (a * sp.sqrt(b**2 + (z - theta) ** 2), a / b, []),
        lambda: (a * (z * theta - 1) ** 2 / 2, a * b**2, [z <= b, z >= -b]),
        lambda: (a * sp.log(1 + sp.exp(z - theta)), a / 4, []),
        lambda: (a * (sp.log(1 + sp.exp(theta)) - z * theta), a / 4, []),
    ]
    loss, bound, Z = rng.choice(kinds)()
    return loss, sp.diff(loss, theta), bound, Z


def penalty(rng: Random, rho: sp.Rational) -> tuple[sp.Expr, sp.Expr, tuple]:
    """g, its proximal point T(s) for the step rho, and Θ."""
    eta, low, high = number(rng), -number(rng), number(rng)
    kinds = [
        (sp.S.Zero, s, ()),
        (eta * theta**2 / 2, s / (1 + eta * rho), ()),
        (eta * sp.Abs(theta), sp.sign(s) * sp.Max(sp.Abs(s) - eta * rho, 0), ()),
        (sp.S.Zero, sp.Min(sp.Max(s, low), high), (theta >= low, theta <= high)),
        (eta * theta, sp.Max(s - eta * rho, 0), (theta >= 0,)),
    ]
    return rng.choice(kinds)


def quadratic_bound(rng: Random) -> Sample:
    """ψ = θ²/(2ρ), φ = θ/ρ, S̄ = τ − ρ∇ℓ(z, τ), with ρ times the curvature at most one; T is the proximal map."""
    loss, slope, bound, Z = curved(rng)
    rho = rng.choice([Q(1), Q(1, 2), Q(3, 4)]) / bound
    g, T, Theta = penalty(rng, rho)
    step = theta - rho * slope
    model = Model(
        theta=theta, z=z, s=s, loss=loss, g=g, psi=theta**2 / (2 * rho), phi=theta / rho, S_bar=step, T=T,
        Theta=Theta, Z=Z,
    )  # fmt: skip
    breaks = [
        Break("the slope has the wrong factor", replace(model, S_bar=theta - 2 * rho * slope), "MM-1: tangent"),
        Break("the slope has the wrong sign", replace(model, S_bar=theta + rho * slope), "MM-1: tangent"),
        Break("T is shifted", replace(model, T=(next(iter(model.T or ())) + Q(1, 7),)), "MM-2: T minimizes"),
    ]
    if loss.is_polynomial(theta):  # its curvature bound is attained for every z (for some z, if it depends on z)
        long = 3 / (2 * bound)
        wrong = replace(
            model, psi=theta**2 / (2 * long), phi=(theta / long,), S_bar=(theta - long * slope,), g=sp.S.Zero,
            T=(s,), Theta=(),
        )  # fmt: skip
        breaks.append(Break("the step is too long", wrong, "MM-1: majorizes"))
    return Sample("quadratic bound", model, tuple(breaks))


def mixture(rng: Random) -> Sample:
    """EM of Σ_k w_k exp(b_k zθ − c_k θ²/2): S̄ = (Σ r_k b_k z, Σ r_k c_k) with the posterior weights r_k."""
    w = [number(rng) for _ in range(2)]
    b, c = ([number(rng) for _ in w] for _ in range(2))
    b = [v * rng.choice([1, -1]) for v in b]
    if len(set(zip(b, c, strict=True))) == 1:
        b[0] += 1
    p = [wk * sp.exp(bk * z * theta - ck * theta**2 / 2) for wk, bk, ck in zip(w, b, c, strict=True)]
    total = sum(p)
    r = [pk / total for pk in p]
    S_bar = (sum(rk * bk * z for rk, bk in zip(r, b, strict=True)), sum(rk * ck for rk, ck in zip(r, c, strict=True)))
    eta = rng.choice([Q(0), number(rng)])
    model = Model(
        theta=theta, z=z, s=[s1, s2], loss=-sp.log(total), g=eta * theta**2 / 2, phi=[theta, -(theta**2) / 2],
        S_bar=S_bar, T=s1 / (s2 + eta), S=[s2 >= min(c)],
    )  # fmt: skip
    return Sample("mixture", model, (
        Break("a moment has the wrong factor", replace(model, S_bar=(2 * S_bar[0], S_bar[1])), "MM-1: tangent"),
        Break("T forgets its denominator", replace(model, T=(s1 / (s2 + eta + 1),)), "MM-2: T minimizes"),
    ))  # fmt: skip


def reweighting(rng: Random) -> Sample:
    """ℓ = h((z − θ)²) with h concave and increasing, so h(u) ≤ h(v) + h'(v)(u − v): S̄ = 2h'(·)(z, 1)."""
    u, a, b = sp.Symbol("u", positive=True), number(rng), number(rng)
    h = rng.choice([a * sp.log(b + u), a * sp.sqrt(b + u), a * u / (b + u), a * u, a * sp.log(1 + u / b) + u / 2])
    square = (z - theta) ** 2
    weight = 2 * sp.diff(h, u).subs(u, square)
    eta = number(rng)
    model = Model(
        theta=theta, z=z, s=[s1, s2], loss=h.subs(u, square), g=eta * theta**2 / 2, psi=h.subs(u, square) * 0,
        phi=[theta, -(theta**2) / 2], S_bar=[weight * z, weight], T=s1 / (s2 + eta), S=[s2 >= 0],
    )  # fmt: skip
    unpenalised = sp.Piecewise((s1 / s2, s2 > 0), (0, True))
    return Sample("reweighting", model, (
        Break("half the weight", replace(model, S_bar=(weight * z / 2, weight / 2)), "MM-1: tangent"),
        Break("the weight in one entry only", replace(model, S_bar=(2 * weight * z, weight)), "MM-1: tangent"),
        Break("T without the penalty", replace(model, T=(unpenalised,)), "MM-2: T minimizes"),
    ))  # fmt: skip


def difference(rng: Random) -> Sample:
    """ℓ = aθ²/2 − zθ − h(θ) with h convex and smooth, linearised at τ: S̄ = z + h'(τ), T = s/a."""
    a, b, c = number(rng), number(rng), number(rng)
    h = rng.choice([
        b * sp.sqrt(c + theta**2), b * sp.log(1 + sp.exp(theta)), b * theta**2, b * sp.exp(c * theta), b * theta**4,
    ])  # fmt: skip
    model = Model(
        theta=theta, z=z, s=s, loss=a * theta**2 / 2 - z * theta - h, psi=a * theta**2 / 2, phi=theta,
        S_bar=z + sp.diff(h, theta), T=s / a,
    )  # fmt: skip
    return Sample("difference of convex functions", model, (
        Break("h counts with the wrong sign", replace(model, S_bar=(z - sp.diff(h, theta),)), "MM-1: tangent"),
        Break("h is added, not subtracted", replace(model, loss=a * theta**2 / 2 - z * theta + h,
              S_bar=(z - sp.diff(h, theta),)), "MM-1: majorizes"),
        Break("T squared", replace(model, T=(s * sp.Abs(s) / a,)), "MM-2: T minimizes"),
    ))  # fmt: skip


def family(rng: Random) -> Sample:
    """ℓ = ψ(θ) − zφ(θ) itself, T the inverse of ψ'/φ': an exponential family in its mean parameter."""
    a = number(rng)
    psi, phi, T, Theta, S, Z, off = rng.choice([
        (a * sp.exp(theta), theta, sp.log(s / a), (), (s > 0,), (z > 0,), sp.log(s / a) + 1),
        (-a * sp.log(theta), -theta, a / s, (theta > 0,), (s > 0,), (z > 0,), a / s**2 + a / s),
        (a / theta, -theta, sp.sqrt(a / s), (theta > 0,), (s > 0,), (z > 0,), sp.cbrt(a / s)),
        (theta * sp.log(theta), theta, sp.exp(s - 1), (theta > 0,), (), (), sp.exp(s)),
        (a * theta**2 / 2, theta, s / a, (), (), (), s / a + s**2),
        (a * theta**4 / 4, theta, sp.sign(s) * sp.cbrt(sp.Abs(s) / a), (), (), (), sp.sign(s) * sp.sqrt(sp.Abs(s) / a)),
        (a * (theta + 1) ** 3 / 3, theta, sp.sqrt(sp.Max(s, 0) / a) - 1, (theta >= -1,), (), (),
         sp.Piecewise((sp.sqrt(s / a) - 1, s >= 0), (5, True))),
        (a * sp.log(1 + sp.exp(theta)), theta, sp.log(s / (a - s)), (), (s > 0, s < a), (z > 0, z < a), sp.log(s / a)),
    ])  # fmt: skip
    model = Model(
        theta=theta, z=z, s=s, loss=psi - z * phi, psi=psi, phi=phi, S_bar=z, T=T, Theta=Theta, S=S, Z=Z
    )  # fmt: skip
    return Sample("exponential family", model, (
        Break("another T", replace(model, T=(off,)), "MM-2: T minimizes"),
        Break("S_bar doubled", replace(model, S_bar=(2 * z,), S=(), T=None), "MM-1: tangent"),
    ))  # fmt: skip


FAMILIES = (quadratic_bound, mixture, reweighting, difference, family)


def moved(sample: Sample, rng: Random) -> Sample:
    """The same problem in the parameter (θ + b)/a and with loss, ψ and g times a constant: a composition."""
    a, b, k = rng.choice([Q(1), Q(2), Q(-1), Q(1, 2)]), rng.choice([Q(0), Q(1), Q(-1, 2)]), number(rng)
    swap = {theta: (theta + b) / a}

    def change(model: Model) -> Model:
        T = None if model.T is None else tuple(a * entry - b for entry in model.T)
        phi, S_bar = (tuple(e.xreplace(swap) for e in part) for part in (model.phi, model.S_bar))
        return replace(
            model, loss=k * model.loss.xreplace(swap), psi=k * model.psi.xreplace(swap), g=k * model.g.xreplace(swap),
            phi=tuple(k * e for e in phi), S_bar=S_bar, Theta=tuple(r.xreplace(swap) for r in model.Theta), T=T,
        )  # fmt: skip

    breaks = tuple(Break(found.what, change(found.model), found.row) for found in sample.breaks)
    return Sample(f"{sample.family}, moved", change(sample.model), breaks)


def separable(first: Sample, second: Sample) -> Sample:
    """The sum of two problems in coordinates of their own; broken where the first is."""

    def renamed(model: Model, k: int) -> Model:
        names = {x: sp.Symbol(f"{x.name}_{k}", real=True) for x in (*model.theta, *model.z, *model.s)}
        parts: dict[str, Any] = {key: getattr(model, key).xreplace(names) for key in FORMULA_FIELDS}
        lists = {key: value for key in LIST_FIELDS if (value := getattr(model, key)) is not None}
        return Model(**parts, **{key: tuple(e.xreplace(names) for e in value) for key, value in lists.items()})

    def joined(one: Model, two: Model) -> Model:
        one, two = renamed(one, 1), renamed(two, 2)
        fields = [
            key for key in (*FORMULA_FIELDS, *LIST_FIELDS) if key != "T" or (one.T is not None and two.T is not None)
        ]
        return Model(**{key: getattr(one, key) + getattr(two, key) for key in fields})

    breaks = tuple(Break(found.what, joined(found.model, second.model), found.row) for found in first.breaks)
    return Sample(f"{first.family} + {second.family}", joined(first.model, second.model), breaks)


def samples(seed: int, *, pairs: bool = True) -> Iterator[Sample]:
    """Random samples without end, the same for the same seed."""
    for k in range(10**9):
        rng = Random(f"{seed} {k}")
        sample = rng.choice(FAMILIES)(rng)
        kind = rng.random()
        if kind < 0.3:
            sample = moved(sample, rng)
        elif pairs and kind < 0.4:
            sample = separable(sample, rng.choice((difference, family))(rng))
        yield sample
