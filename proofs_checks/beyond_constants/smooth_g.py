"""A7 (`hyp:DL2`) for the quadratic surrogate with a smooth convex g: the derivative of prox_{ρg}/ρ and its bounds.

a and A bound the eigenvalues of ∇²g: a‖w‖² ≤ ⟨w, ∇²g w⟩ ≤ A‖w‖², 0 ≤ a ≤ A; L is a Lipschitz constant of ∇²g.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, same_vector, verify
from fedmm_edu.proofs.gram import Vector, atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.tools import instance, vanishes

Q = sp.Rational
rho = sp.Symbol("rho", positive=True)
least, spread, L = sp.symbols("a k L", nonnegative=True)
most = least + spread
NAMES = {"rho": rho, "a": least, "A": most, "L": L}


@cache
def parse(text: str) -> sp.Expr:
    return sp.sympify(text, NAMES)


# A symmetric matrix H: ⟨w, Hw⟩ = ⟨Hw, w⟩ is one Gram symbol of the atoms w and Hw.
w, Hw = atoms("w", "Hw")
u = w + rho * Hw  # w = (I + ρH)⁻¹u
SPECTRUM = {
    "above a": Hypothesis(inner(w, Hw) - least * square(w), "the eigenvalues of H are at least a"),
    "below A": Hypothesis(most * square(w) - inner(w, Hw), "the eigenvalues of H are at most A"),
    "above a, at Hw": Hypothesis(square(Hw) - least * inner(w, Hw), r"$H(H-aI) \succeq 0$"),
    "below A, at Hw": Hypothesis(most * inner(w, Hw) - square(Hw), r"$H(AI-H) \succeq 0$"),
}


def eigenvalues(v_min: str, v_max: str, without: Literal["", "A"] = "") -> Verdict:
    """v_min‖u‖² ≤ ⟨u, ρ⁻¹(I + ρH)⁻¹u⟩ ≤ v_max‖u‖² in every dimension, and both bounds are attained.

    `without="A"`: the eigenvalues of H may exceed A.
    """
    given = {name: line for name, line in SPECTRUM.items() if not without or "below" not in name}
    low, high = parse(v_min), parse(v_max)
    top, bottom = 1 / (rho * (1 + rho * least)), 1 / (rho * (1 + rho * most))

    def prove() -> Sequence[Step]:
        value = inner(u, w) / rho
        upper, lower = (rho * (1 + rho * end) for end in (least, most))
        steps = verify(
            square(u) - upper * value, given, {"above a": rho, "above a, at Hw": rho**2},
            says=rf"A7(ii): $\langle u, B u\rangle \leq {sp.latex(top)} \|u\|^2$",
        ) + verify(
            lower * value - square(u), given, {"below A": rho, "below A, at Hw": rho**2},
            says=rf"A7(ii): $\langle u, B u\rangle \geq {sp.latex(bottom)} \|u\|^2$",
        )  # fmt: skip
        for name, claimed, right in (("v_max", high, top), ("v_min", low, bottom)):
            if not vanishes(claimed - right):
                raise CertificateFails(f"{name} = {claimed} is not the bound {right} just derived.")
        return (
            *steps,
            Step(
                "both are attained", "by eigenvectors u: $Hu = au$ gives the largest, $Hu = Au$ the smallest quotient"
            ),
        )

    return decide("Gram certificate", prove, [lambda: _diagonal(low, high, 1 if without else 0)])


def _diagonal(low: sp.Expr, high: sp.Expr, more: int) -> Witness | None:
    """g = ½(aθ₁² + (A + more)θ₂²), so B = diag(1/(ρ(1 + ρa)), 1/(ρ(1 + ρ(A + more)))): are these the two numbers?"""
    for step, a, k in product((Q(1), Q(1, 2)), (Q(0), Q(1)), (Q(0), Q(2))):
        at = {rho: step, least: a, spread: k}
        true = [1 / (step * (1 + step * end)) for end in (a + k + more, a)]
        claimed = [value.subs(at) for value in (low, high)]
        if claimed != true:
            point = {"g": f"({a}*theta_1**2 + {a + k + more}*theta_2**2)/2", "rho": str(step)}
            says = f"B is diagonal; the best $v_{{min}}, v_{{max}}$ are ${true[0]}, {true[1]}$"
            return Witness(point, f"{says}, claimed ${claimed[0]}, {claimed[1]}$")
    return None


def remainder(C_star: str, without: Literal["", "inverse"] = "") -> Verdict:
    """C_⋆ for g ∈ C² with L-Lipschitz Hessian and ∇²g ⪰ aI: B(s) = ρ⁻¹(I + ρ∇²g(T(s)))⁻¹; and it is the best for d = 1.

    With x = T(s), y = T(s'), H = ∇²g(x), r = ∇g(y) − ∇g(x) − H(y − x): s' − s = (I + ρH)(y − x) + ρr.
    `without="inverse"`: ∇²g need not be L-Lipschitz, so that nothing bounds r.
    """
    claimed, right = parse(C_star), L / (2 * (1 + rho * least) ** 3)

    def prove() -> Sequence[Step]:
        s, new, x, y, gx, gy, Hd = atoms("s", "s'", "x", "y", r"\nabla g(x)", r"\nabla g(y)", "H(y-x)")
        r = gy - gx - Hd
        optimality = {"s": x + rho * gx, "s'": y + rho * gy}
        e = _put(new - s, optimality)
        move, n, size, shrink = sp.symbols("move n size c", nonnegative=True)
        # ‖y − x‖ ≤ c‖u‖, ‖(I + ρH)⁻¹‖ ≤ c = 1/(1 + ρa), ‖r‖ ≤ L‖y − x‖²/2: the product of the three
        given = {
            "inverse": Hypothesis(shrink * rho * L * move**2 / 2 - n, "$n = \\|(I+\\rho H)^{-1}\\rho r\\|$"),
            "prox": Hypothesis(shrink * size - move, r"prox shrinks distances by $c = 1/(1+\rho a)$"),
        }
        given = {name: line for name, line in given.items() if name != without}
        bound = shrink**3 * rho * L * size**2 / 2
        multiplier = shrink * rho * L * (move + shrink * size) / 2
        if not vanishes((bound / (rho * size**2)).subs(shrink, 1 / (1 + rho * least)) - right):
            raise CertificateFails("the bound on the remainder is not the constant.")
        if not vanishes(claimed - right):
            raise CertificateFails(f"C_star = {claimed} is not the constant {right} just derived.")
        return (
            same_vector(e, (y - x) + rho * Hd + rho * r, "optimality of T at s and s', definition of r"),
            Step(r"so $y - x - (I+\rho H)^{-1}(s'-s) = -(I+\rho H)^{-1} \rho r$", "the line above times the inverse"),
            Step(r"$\|r\| \leq \frac{L}{2}\|y-x\|^2$", r"$r = \int_0^1 (\nabla^2 g(x+t(y-x)) - H)(y-x)\,dt$"),
            Step(r"$\|(I+\rho H)^{-1}\| \leq c = 1/(1+\rho a)$", r"$H \succeq aI$"),
            *verify(
                bound - n, given, {"inverse": 1, "prox": multiplier}, says=r"$n \leq \frac{1}{2} c^3 \rho L \|s'-s\|^2$"
            ),
            *_shrinks(),
            *_sharp(),
        )

    return decide("derivation", prove, [lambda: _cubic(claimed, 2 if without else 1)])


def _put(vector: Vector, values: dict[str, Vector]) -> Vector:
    total = Vector({})
    for name, coefficient in vector.coefficients.items():
        total = total + coefficient * values[name]
    return total


def _shrinks() -> tuple[Step, ...]:
    """‖y − x‖ ≤ ‖s' − s‖/(1 + ρa): with D = ∇g(y) − ∇g(x), ⟨y − x, D⟩ ≥ a‖y − x‖² and ‖D‖² ≥ a⟨y − x, D⟩."""
    m, D = atoms("y-x", "D")
    given = {
        "strong": Hypothesis(inner(m, D) - least * square(m), "g − a‖·‖²/2 is convex"),
        "gradient": Hypothesis(
            square(D) - least * inner(m, D), r"$D = \bar H(y-x)$ with $\bar H = \int_0^1 \nabla^2 g \succeq aI$"
        ),
    }
    target = square(m + rho * D) - (1 + rho * least) ** 2 * square(m)
    multipliers = {"strong": 2 * rho + rho**2 * least, "gradient": rho**2}
    return verify(target, given, multipliers, says=r"$(1+\rho a)\|y-x\| \leq \|s'-s\|$")


def _sharp() -> tuple[Step, ...]:
    """d = 1, g = aθ²/2 + Lθ³/6 on θ ≥ 0: the bend ½|F''| at s = 0 is L/(2(1 + ρa)³)."""
    x = sp.Symbol("theta", nonnegative=True)
    g = least * x**2 / 2 + L * x**3 / 6
    s = x + rho * sp.diff(g, x)
    slope = 1 / (rho * sp.diff(s, x))  # dF/ds with F = θ/ρ
    bend = sp.diff(slope, x) / sp.diff(s, x) / 2
    if not vanishes(bend.subs(x, 0) + L / (2 * (1 + rho * least) ** 3)):
        raise CertificateFails("the bend of the cubic example is not the constant.")
    return (
        Step(
            r"best possible: $g = a\theta^2/2 + L|\theta|^3/6$ has $\frac{1}{2}|F''(0^+)| = L/(2(1+\rho a)^3)$",
            "exact; the quotient of the pairs $s = 0, s' \\to 0^+$ tends to it",
        ),
    )


def _cubic(claimed: sp.Expr, times: int) -> Witness | None:
    """g = aθ²/2 + times·L|θ|³/6 at θ = 0 and θ' > 0: the quotient exceeds the claim, or a smaller constant serves."""
    for step, a, lip in product((Q(1), Q(1, 2)), (Q(0), Q(1)), (Q(1), Q(3))):
        at = {rho: step, least: a, L: lip}
        value, best = claimed.subs(at), times * lip / (2 * (1 + step * a) ** 3)
        new = Q(1, 10**6)
        move = new + step * (a * new + times * lip * new**2 / 2)
        quotient = abs(new / step - move / (step * (1 + step * a))) / move**2
        if quotient > value or value > best:
            point = {"g": f"{a}*theta**2/2 + {times * lip}*|theta|**3/6", "rho": str(step), "s": "0", "T(s')": str(new)}
            word = "the quotient of the pair exceeds it" if quotient > value else f"${best}$ serves already"
            return Witness(point, f"claimed $C_\\star = {value}$; {word}", {"quotient": str(quotient)})
    return None


def diagonal_instance() -> Witness:
    """g = ½(θ₁² + 3θ₂²) and ρ = 1/2."""
    values = [1 / (Q(1, 2) * (1 + Q(1, 2) * a)) for a in (1, 3)]
    return instance(
        {"g": "(theta_1**2 + 3*theta_2**2)/2", "rho": "1/2", "a": 1, "A": 3, "L": 0},
        f"$B = \\mathrm{{diag}}({values[0]}, {values[1]})$",
        {"0 <= a <= A": True, "B positive definite": min(values) > 0, "not a multiple of I": len(set(values)) == 2},
    )
