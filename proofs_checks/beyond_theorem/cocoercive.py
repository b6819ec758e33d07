"""φ∘T is cocoercive when it is Lipschitz (Baillon and Haddad), on a convex set with interior points, by MM-2 alone."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from fedmm_edu.proofs.certificate import decide, derive, verify
from fedmm_edu.proofs.expectation import linear_image
from fedmm_edu.proofs.gram import atoms, gram, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.monotony import MOVE, D
from proofs_checks.beyond_theorem.gap import quadratic_bound
from proofs_checks.beyond_theorem.kinds import LT

COCOERCIVE = ("MM-2", "Lipschitz", "𝒮 convex", "interior points")


def cocoercive(hypotheses: Sequence[str] = COCOERCIVE, scale: str = "1", sign: int = 1) -> Verdict:
    """sign·⟨s' − s, F(s') − F(s)⟩ ≥ scale·‖F(s') − F(s)‖²/L_T for s, s' ∈ 𝒮, F = φ∘T (Baillon and Haddad, on a set)."""
    k = sp.Rational(scale)

    def prove() -> Sequence[Step]:
        return derive(
            hypotheses,
            ("Lipschitz", slope),
            (
                "MM-2; Lipschitz; 𝒮 convex",
                lambda: quadratic_bound(LT / 2, LT, "the line above, for the pair $s_j, s'$"),
            ),
            ("MM-2; interior points", near),
            ("𝒮 convex; interior points", lambda: pieces(k, sign)),
        )

    return decide("derivation", prove, [lambda: _not_cocoercive(hypotheses, k, sign)])


def slope() -> Sequence[Step]:
    given = {"Lipschitz": Hypothesis(LT**2 * square(MOVE) - square(D), r"$\|D\| \leq L_T \|\Delta s\|$")}
    target = LT * square(MOVE) - inner(MOVE, D)
    says = r"$\langle \Delta s, D \rangle \leq L_T\|\Delta s\|^2$ for every pair"
    return verify(target, given, {"Lipschitz": 1 / (2 * LT)}, [(1 / (2 * LT), LT * MOVE - D)], says=says)


def near() -> Sequence[Step]:
    """For x, y whose neighbourhood lies in 𝒮: the quadratic bound at z = y − (F(y) − F(x))/L_T, and MM-2 at x."""
    V, V_, Vz, Vw = sp.symbols("V(x) V(y) V(z) V(w)", real=True)
    F_ = atoms("F(x)")[0] + D
    Fx = atoms("F(x)")[0]
    z, w = MOVE - D / LT, D / LT  # relative to x; w is the same point with x and y exchanged
    given = {
        "bound y": Hypothesis(
            V_ + inner(F_, z - MOVE) + LT / 2 * square(z - MOVE) - Vz, r"the bound above at $y$, $z = y - D/L_T$"
        ),
        "bound x": Hypothesis(V + inner(Fx, w) + LT / 2 * square(w) - Vw, r"the bound above at $x$, $w = x + D/L_T$"),
        "MM-2 x": Hypothesis(Vz - V - inner(Fx, z), r"MM-2: $V(z) \geq V(x) + \langle F(x), z - x \rangle$"),
        "MM-2 y": Hypothesis(Vw - V_ - inner(F_, w - MOVE), r"MM-2: $V(w) \geq V(y) + \langle F(y), w - y \rangle$"),
    }
    target = inner(MOVE, D) - square(D) / LT
    says = (
        r"$\langle y-x, F(y)-F(x) \rangle \geq \|F(y)-F(x)\|^2/L_T$ for interior $x, y$ so close that $z, w \in "
        r"\mathcal{S}$"
    )
    return verify(target, given, dict.fromkeys(given, 1), says=says)


def pieces(scale: sp.Expr, sign: int) -> Sequence[Step]:
    """Any two interior points: N pieces of the segment, Σ_j D_j = D; the boundary by continuity."""
    N = sp.Symbol("N", positive=True)
    step, part = atoms(r"\Delta s", "D_j")
    given = {"near": Hypothesis(inner(step, part) / N - square(part) / LT, "the line above for one of N pieces")}
    target = inner(step, part) / N - (2 * inner(part, D) / N - square(D) / N**2) / LT
    one = verify(target, given, {"near": 1}, [(1 / LT, part - D / N)], says=r"each piece, as $\|D_j - D/N\|^2 \geq 0$")
    (whole,), (move,), (own,) = D.coefficients, step.coefficients, part.coefficients
    sums = {gram(move, own): inner(step, D), gram(own, whole): square(D), square(D): N * square(D)}
    total = linear_image(sp.expand(target), sums, fixes_constants=False)
    says = r"summed over $j$ and multiplied by $N$: $\langle \Delta s, D \rangle \geq \|D\|^2/L_T$"
    line = {"sum": Hypothesis(total, r"the sum of the $N$ lines, $\sum_j D_j = D$")}
    last = verify(sign * inner(step, D) - scale * square(D) / LT, line, {"sum": N}, says=says)
    limit = Step("the same on the boundary of 𝒮", "move both points towards an interior point; $F$ is continuous")
    return (*one, *last, limit)


def _not_cocoercive(hypotheses: Sequence[str], scale: sp.Expr, sign: int) -> Witness | None:
    """Linear maps F(s) = Ms, from s = 0: MM-2 holds for symmetric psd M.

    On {0} × ℝ also for T(s) = 10 s_1 + s_2 with φ = (10θ, θ).
    """
    maps = {
        "identity": (sp.eye(2), {"MM-2", "Lipschitz", "interior points"}, sp.Matrix([1, 1])),
        "rotation": (sp.Matrix([[0, -1], [1, 0]]), {"Lipschitz", "interior points"}, sp.Matrix([1, 0])),
        "three times": (3 * sp.eye(2), {"MM-2", "interior points"}, sp.Matrix([1, 0])),
        "10 s_1 + s_2, and S the line s_1 = 0": (
            sp.Matrix([[100, 10], [10, 1]]) / sp.sqrt(101),
            {"MM-2", "Lipschitz"},
            sp.Matrix([0, 1]),
        ),
    }
    for name, (M, facts, move) in maps.items():
        change = M * move
        left, right = sign * move.dot(change), scale * change.dot(change)
        if set(hypotheses) <= facts | {"𝒮 convex"} and left < right:
            word = "" if sign == 1 else "-"
            says = f"${word}\\langle \\Delta s, D \\rangle = {left} < {right}$, with $L_T = 1$"
            return Witness({"F": name, "M": str(M.tolist()), "s": "0, 0", "s'": str(list(move))}, says)
    return None
