"""What the projection onto 𝒮 does to the mean field, which bias it has; and MM-2 by strong convexity (Section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, derive, same_vector, verify
from fedmm_edu.proofs.gram import atoms, inner, operator, scalars, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.oracles import bias, stays_inside
from proofs_checks.shared.tools import APART, agreed

HALF = F(1, 2)


def projected_field(
    gamma_max: str = "1", oracle_inside: bool = True, bound: Literal["v_max", "v_min"] = "v_min"
) -> Verdict:
    """Ē_{t+1} = ‖Π(Ŝ + γh(Ŝ), B) − Ŝ‖²_B/γ² equals ‖h(Ŝ)‖²_B and is ≥ bound·‖h(Ŝ)‖², for Ŝ ∈ 𝒮, 0 < γ ≤ gamma_max.

    `oracle_inside`: E_π[S̄(Z, T(Ŝ))] ∈ 𝒮, which MM-1 gives for a closed convex 𝒮.
    """

    def prove() -> Sequence[Step]:
        inside = stays_inside(gamma_max=gamma_max, oracle_inside=oracle_inside)
        if inside.status != "proved":
            why = inside.evidence[-1].why
            raise CertificateFails(f"$\\hat S + \\gamma h(\\hat S)$ may lie outside 𝒮, Π be active: {why}")
        (h,), R = atoms("h"), operator("B^{1/2}")
        gamma, low, high = sp.symbols("gamma v_min v_max", positive=True)
        step = Step(
            "$\\Pi(\\hat S + \\gamma h, B) = \\hat S + \\gamma h$",
            "A8: 𝒮 is closed and convex, and a point of 𝒮 is its own unique projection",
        )
        equal = verify(
            square(R(h * gamma)) / gamma**2 - square(R(h)), {}, {}, equality=True, says="$\\bar E = \\|h\\|_B^2$"
        )
        given = {"A7": Hypothesis(square(R(h)) - low * square(h), "A7(ii)")}
        factor = {"v_min": low, "v_max": high}[bound]
        words = f"$\\bar E \\geq {sp.latex(factor)} \\|h\\|^2$"
        return (
            *inside.evidence,
            step,
            *equal,
            *verify(square(R(h)) - factor * square(h), given, {"A7": 1}, says=words),
        )

    verdict = decide("derivation", prove, [lambda: next(_active_projections(gamma_max, oracle_inside, bound), None)])
    listed = "both hold at all points of a grid on $[0, 1]^2$ with B = diag(1, 4), where Π clips each coordinate"
    return agreed(verdict, Step(listed, APART))


def _active_projections(gamma_max: str, oracle_inside: bool, bound: str) -> Iterator[Witness]:
    """𝒮 = [0, 1]², B = diag(1, 4) (so v_min = 1, v_max = 4), where Π clips each coordinate."""
    B, grid = (F(1), F(4)), (F(0), HALF, F(1))
    least = {"v_min": F(1), "v_max": F(4)}[bound]
    targets = grid if oracle_inside else (*grid, F(2))
    for at, mean, size in product(product(grid, repeat=2), product(targets, repeat=2), (HALF, F(gamma_max))):
        h = [x - y for x, y in zip(mean, at, strict=True)]
        moved = [min(max(y + size * x, F(0)), F(1)) - y for x, y in zip(h, at, strict=True)]
        error = sum(w * x * x for w, x in zip(B, moved, strict=True)) / size**2
        norm_B, norm = (sum(w * x * x for w, x in zip(W, h, strict=True)) for W in (B, (F(1), F(1))))
        if error < least * norm or error != norm_B:
            point = {"S": "[0, 1]^2", "B": "diag(1, 4)", "Shat": f"{at[0]}, {at[1]}", "gamma": str(size)}
            shown = {**point, "E S_bar": f"{mean[0]}, {mean[1]}"}
            yield Witness(shown, f"$\\bar E = {error}$, $\\|h\\|_B^2 = {norm_B}$, $\\|h\\|^2 = {norm}$")


LAWS = {"-1 or 1": (F(-1), F(1)), "0 or 1": (F(0), F(1))}  # each value with probability 1/2
SETS = {"a point {0}": (F(0), F(0)), "[0, 1]": (F(0), F(1)), "the line": (F(-9), F(9))}  # no law reaches ±9


def projection_bias(
    unless: Literal["an affine subspace", "convex", "the whole space"], laws: Literal["every", "some"] = "some"
) -> Verdict:
    """E Π(Ŝ, B) = Π(E Ŝ, B) for every law of Ŝ if 𝒮 is `unless`; else it fails for `laws` ("some" or "every") law."""
    verdict = decide(
        "derivation",
        lambda: (*_no_bias(unless), *_fixed_points(unless, laws)),
        [lambda: _projections(unless, laws)],
    )
    names = ", ".join(SETS)
    return agreed(verdict, Step(f"clipping two laws of $\\hat S$ to {names}: a bias exactly where it is stated", APART))


def _projections(unless: str, laws: str) -> Witness | None:
    """An interval and a law of Ŝ on which the projection's bias is not as claimed."""
    flat = {"an affine subspace": ("a point {0}", "the line"), "the whole space": ("the line",), "convex": tuple(SETS)}
    for name, (low, high) in SETS.items():
        gaps = {}
        for law, values in LAWS.items():
            clipped = [min(max(x, low), high) for x in values]
            gaps[law] = sum(clipped) / 2 - min(max(sum(values) / 2, low), high)
        exact, biased = ([law for law, gap in gaps.items() if (gap == 0) == zero] for zero in (True, False))
        against = biased if name in flat[unless] else exact if laws == "every" or not biased else []
        if against:
            point = {"S": name, "Shat": f"{against[0]}, each with probability 1/2"}
            says = f"$E[\\Pi(\\hat S)] - \\Pi(E[\\hat S]) = {gaps[against[0]]}$"
            if name not in flat[unless]:
                says += ", for this and every other law" if not biased else ""
            return Witness(point, says)
    return None


def _no_bias(unless: str) -> Sequence[Step]:
    """E Π(Ŝ) = Π(E Ŝ) on 𝒮, for Ŝ with two values: what Lemma 3 says of the three projections gives ‖E Π − Π E‖ = 0.

    On an affine subspace each Π(x) − x is orthogonal to it; on a convex set there are the inequalities of Lemma 3 only.
    """
    one, two, image, x, y = atoms(r"\Pi_1", r"\Pi_2", r"\Pi", "x_1", "x_2")
    R, share = operator("B^{1/2}"), sp.Symbol("lambda", positive=True)
    mean, start = share * one + (1 - share) * two, share * x + (1 - share) * y
    flat = unless != "convex"
    towards = (image - mean,) * 3 if flat else (mean - image, image - one, image - two)
    rows = zip(("mean", "x_1", "x_2"), (image - start, one - x, two - y), towards, strict=True)
    why = "$\\Pi(x) - x$ is orthogonal to 𝒮" if flat else "Lemma 3"
    given = {name: Hypothesis(inner(R(move), R(to)), why, equality=flat) for name, move, to in rows}
    used = {"mean": 1, "x_1": -share, "x_2": share - 1}
    says = "$\\|\\Pi(E \\hat S) - E \\Pi(\\hat S)\\|_B^2 = 0$ for two values; termwise, so for any finite law"
    return verify(square(R(image - mean)), given, used, equality=True, says=says)


def _fixed_points(unless: str, laws: Literal["every", "some"]) -> Sequence[Step]:
    """If Π has no bias it is affine, and then 𝒮, the set of its fixed points, is `unless`."""
    affine = bias("affine", laws)
    if affine.status != "proved":
        raise CertificateFails(f"no bias for one law does not make Π affine: {affine.evidence[-1].why}")
    x, y, z, moved = atoms("x", "y", "z", r"\Pi(z)")
    share = sp.Symbol("lambda", real=True)
    if unless == "the whole space":
        return (same_vector(moved, z, "an affine Π need not fix a point z that is not known to be in 𝒮"),)
    fixed = {"x": x, "y": y}  # Π(x) = x and Π(y) = y
    image = share * fixed["x"] + (1 - share) * fixed["y"]  # Π is affine
    says = "$\\Pi(\\lambda x + (1-\\lambda) y) = \\lambda x + (1-\\lambda) y$ for x, y in 𝒮: an affine subspace"
    return (
        *affine.evidence,
        same_vector(image, share * x + (1 - share) * y, "𝒮 is the set of fixed points of Π", says),
    )


def strongly_convex(
    hypotheses: Sequence[Literal["convex", "lower semicontinuous", "strictly convex", "strongly convex"]],
) -> Verdict:
    """A proper function J_s = g + ψ − ⟨s, φ⟩ on Θ with `hypotheses` has exactly one minimiser."""

    def unique() -> Sequence[Step]:
        x, y = atoms("x", "y")
        left, right, middle = scalars("J(x)", "J(y)", "J((x+y)/2)")
        modulus = sp.Symbol("m", positive=True)
        given = {
            "strong": Hypothesis((left + right) / 2 - modulus * square(x - y) / 8 - middle, "strong convexity"),
            "x": Hypothesis(middle - left, "x minimises J"),
            "y": Hypothesis(middle - right, "y minimises J"),
        }
        says = "$-m\\|x-y\\|^2/8 \\geq 0$: two minimisers coincide"
        used = {"strong": 1, "x": sp.S.Half, "y": sp.S.Half}
        return verify(-modulus * square(x - y) / 8, given, used, says=says)

    def coercive() -> Sequence[Step]:
        """J(x) ≥ Rc − (R−1)J(x_0) + mR(R−1)/2 at ‖x − x_0‖ = R > 1, from the point u at distance 1 on the segment."""
        far, start, unit, least = scalars("J(x)", "J(x_0)", "J(u)", "c")
        modulus, excess = sp.symbols("m (R-1)", positive=True)
        R = 1 + excess
        given = {
            "strong": Hypothesis(
                (1 - 1 / R) * start + far / R - modulus / 2 * (1 - 1 / R) / R * R**2 - unit,
                "strong convexity at $u = x_0 + (x - x_0)/R$, $\\|x - x_0\\| = R$",
            ),
            "least": Hypothesis(unit - least, "c is the minimum of J on the unit ball around $x_0$"),
        }
        bound = R * least - excess * start + modulus / 2 * R * excess
        says = "$J(x) \\geq Rc - (R-1)J(x_0) + mR(R-1)/2$, which grows with R: J is coercive"
        return verify(far - bound, given, {"strong": R, "least": R}, says=says)

    ball = Step(
        "J has a minimum on every closed ball that meets its domain, so J is bounded below there",
        "cited: Weierstrass, for a lower semicontinuous function on a compact set",
    )
    existence = Step(
        "a minimiser exists, as MM-2 asks",
        "J is coercive: all its small values lie in one ball; cited: Weierstrass on it",
    )
    both = "strongly convex; lower semicontinuous"
    lines = (("strongly convex", unique), ("lower semicontinuous", ball), (both, coercive), (both, existence))
    return decide("derivation", lambda: derive(hypotheses, *lines), [lambda: _no_unique_minimiser(hypotheses)])


def _no_unique_minimiser(hypotheses: Sequence[str]) -> Witness | None:
    """Functions with, each, some of the properties, and no minimiser or many."""
    x = sp.Symbol("x", nonnegative=True)
    # ψ = θ² on (0, 1], ψ(0) = 1, φ = 0, g = indicator of [0, 1]; f = ψ satisfies MM-1 with equality, A1 and A2
    if "lower semicontinuous" not in hypotheses and sp.limit(x**2, x, 0) < 1:
        _raised_end_point()
        says = "$\\inf J = 0$ is not attained; J is strongly convex with modulus 2, also at its raised end point, and "
        says += "smooth on $(0, 1)$: A1 holds"
        return Witness({"Theta": "[0, 1]", "psi": "theta^2 for theta > 0, psi(0) = 1", "phi": "0", "f": "psi"}, says)
    if "strongly convex" in hypotheses:
        return None
    if "strictly convex" not in hypotheses:
        return Witness({"Theta": "[0, 1]", "psi": "0", "phi": "0"}, "every point of $[0, 1]$ minimises $J = 0$")
    decay = sp.exp(-x)
    if sp.diff(decay, x, 2).is_positive and sp.limit(decay, x, sp.oo) == 0:
        return Witness({"Theta": "R", "psi": "exp(-theta)", "phi": "0"}, "$\\inf J = 0$ is not attained")
    return None


def _raised_end_point() -> Sequence[Step]:
    """t J(y) + (1 − t) J(0) − J(ty) ≥ t(1 − t) y² with J = θ² on (0, 1], J(0) = 1 and 0 < t < 1: modulus 2."""
    y, t = sp.symbols("y t", positive=True)
    gap = t * y**2 + (1 - t) * 1 - (t * y) ** 2 - t * (1 - t) * y**2
    return verify(gap, {"t": Hypothesis(1 - t, "$t < 1$")}, {"t": 1})
