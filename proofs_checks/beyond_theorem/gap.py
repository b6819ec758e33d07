"""The surrogate gap Ξ(s, s') of Proposition 2, at half the paper's cost: a smooth convex function's linearisation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F

import sympy as sp

from fedmm_edu.proofs.certificate import decide, derive, verify
from fedmm_edu.proofs.gram import atoms, inner, scalars, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict
from proofs_checks.beyond_theorem.line import LINES, Line
from proofs_checks.shared.exact import first_failing

C2 = sp.Symbol(r"C_{\star\star}", positive=True)


def quadratic_bound(constant: sp.Expr, slope: sp.Expr, why: str) -> tuple[Step, ...]:
    """V(s) ≤ V(s') + ⟨F(s'), s − s'⟩ + constant·‖s − s'‖² from ⟨x' − x, F(x') − F(x)⟩ ≤ slope·‖x' − x‖² on 𝒮.

    V = −min J_s has subgradient F = φ∘T (MM-2). The segment is cut into N pieces, and N → ∞.
    """
    N, j = sp.symbols("N j", positive=True)
    step, F0, Fj = atoms("u", "F(s')", "F_j")
    (rise,) = scalars("V_j - V_{j-1}")
    given = {
        "MM-2": Hypothesis(
            inner(Fj, step) / N - rise, r"MM-2 at $s_j$: $V(s_{j-1}) \geq V(s_j) - \langle F_j, u/N \rangle$"
        ),
        "slope": Hypothesis(slope * (j / N) ** 2 * square(step) - inner(Fj - F0, step) * j / N, why),
    }
    most = inner(F0, step) / N + slope * j / N**2 * square(step)
    piece = verify(most - rise, given, {"MM-2": 1, "slope": 1 / j}, says=r"piece $j$, with $u = s - s'$")
    total = sp.summation(j, (j, 1, N)) / N**2
    limit = sp.limit(total, N, sp.oo) * slope
    pair = sp.Symbol(r"{\|u\|^2}", nonnegative=True)
    last = verify((constant - limit) * pair, {}, {}, equality=True, says=r"so the limit is the claimed constant")
    return (
        Step("the points $s_j = s' + ju/N$ lie in 𝒮", "𝒮 is convex"),
        *piece,
        Step(
            rf"summed: $V(s)-V(s') - \langle F(s'), u \rangle \leq {sp.latex(sp.factor(total * slope))} \|u\|^2$",
            rf"$\sum_{{j \leq N}} j = N(N+1)/2$; for $N \to \infty$: ${sp.latex(limit)} \|u\|^2$",
        ),
        *last,
    )


GAP = ("MM-2", "A7", "𝒮 convex")


def surrogate_gap(constant: str = "1/2", hypotheses: Sequence[str] = GAP) -> Verdict:
    """Ξ(s, s') ≤ constant·C_⋆⋆‖s' − s‖², where the paper has the constant 1."""
    claimed = sp.Rational(constant) * C2

    def prove() -> Sequence[Step]:
        return derive(hypotheses, ("; ".join(GAP), lambda: gap_lines(claimed)))

    def wrong(line: Line) -> str | None:
        to = line.move(F(0))
        change = line.value(line.sign * to) - line.value(line.sign * line.s)
        xi = line.W(to) - line.W(line.s) + line.h * change  # an equality for k = 1, as MM-1 is one
        bound = F(constant) * line.constants[3] * (to - line.s) ** 2
        return rf"$\Xi = {xi} > {bound}$" if xi > bound else None

    return decide("derivation", prove, [lambda: first_failing(LINES, (*hypotheses, "MM-1"), wrong)])


def gap_lines(claimed: sp.Expr) -> Sequence[Step]:
    why = r"A7(i), second line, for the pair $s_j, s'$"
    return (
        Step(
            r"$\Xi(s,s') = V(s) - V(s') - \langle F(s'), s - s' \rangle$",
            r"with $V(s) = -\mathcal{L}(s,s)$: prop2-Xi-equality",
        ),
        *quadratic_bound(claimed, C2, why),
    )


def own_gap(hypotheses: Sequence[str]) -> Sequence[Step]:
    return surrogate_gap(hypotheses=[name for name in GAP if name in hypotheses]).evidence
