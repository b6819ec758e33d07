"""What own-lip needs in place of A7, for dictionary learning: L_T and ℓ, for all p and K and every convex penalty χ.

L_T and ℓ are those of `constants_lipschitz`; the codes of a sample are M(z, θ) of `eq:MF:tool1`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.beyond_constants.dictionary import F_DL, require_zero, s1, s2
from proofs_checks.beyond_constants.lemmas import mixed_move, resolvent
from proofs_checks.beyond_constants.lipschitz import R, require_size
from proofs_checks.shared.tools import instance
from proofs_checks.shared.traces import letter

Q = sp.Rational
delta, mu, size_h, size_z = sp.symbols("delta mu r_h r_z", positive=True)


def dictionary(L_T: str, ell: str, without: Literal["", "definite"] = "") -> Verdict:
    """L_T where s⁽¹⁾ ⪰ δI, ‖T(s)‖ ≤ R; ℓ where T(s)ᵀT(s) ⪰ μI, codes have norms up to r_h and samples up to r_z.

    `without="definite"`: T(s)ᵀT(s) may be singular.
    """
    names = {"delta": delta, "mu": mu, "R": R, "r_h": size_h, "r_z": size_z}
    lip, oracle = sp.sympify(L_T, names), sp.sympify(ell, names)

    def prove() -> Sequence[Step]:
        require_size(oracle, "ell")
        return (*_squares(lip), *_codes(without), *_products(oracle))

    return decide("words and certificates", prove, [lambda: _steep(lip), lambda: _fast_code(oracle, without)])


def _squares(lip: sp.Expr) -> Sequence[Step]:
    """‖F(s') − F(s)‖ ≤ 2κ‖E‖ ≤ 2κ²‖s' − s‖/δ with E = T(s') − T(s), F = (−TᵀT, 2T) and κ² = 1 + R²."""
    T, E = letter("T"), letter("E")
    require_zero((T + E).T @ (T + E) - T.T @ T - (E.T @ (T + E) + T.T @ E), "the change of TᵀT does not factor")
    e, x, f, r = sp.symbols(r"e x {\|\Delta{F}\|} {\|s'-s\|}", nonnegative=True)
    kappa = sp.sqrt(1 + R**2)
    product = {
        "product": Hypothesis(2 * R * e - x, r"$x = \|\Delta (T^\top T)\|$, $e = \|E\|$, $\|T\|, \|T'\| \leq R$")
    }
    lines = {
        "F": Hypothesis(2 * kappa * e - f, "the line above, square roots"),
        "E": Hypothesis(kappa * r / delta - e, r"$\delta\|E\| \leq \|W\| \leq \kappa\|s'-s\|$"),
        "size": Hypothesis(r, "a norm"),
    }
    slack = sp.expand(lip - 2 * (1 + R**2) / delta)
    return (
        Step(r"$\Delta(T^\top T) = E^\top T' + T^\top E$", "words: all p, K"),
        *verify(
            4 * (1 + R**2) * e**2 - x**2 - 4 * e**2, product, {"product": 2 * R * e + x},
            says=r"$\|\Delta F\|^2 = x^2 + 4e^2 \leq 4 \kappa^2 e^2$",
        ),
        *resolvent(delta, r"$E s'^{(1)} = W = U^{(2)} - T U^{(1)}$ (own-A7-dl-upper), $s'^{(1)} \succeq \delta I$"),
        *mixed_move(R, "U^{(2)}", r"T U^{(1)}", "U^{(1)}"),
        *verify(
            lip * r - f, lines, {"F": 1, "E": 2 * kappa, "size": slack},
            says=rf"$\|F(s')-F(s)\| \leq {sp.latex(lip)} \|s'-s\|$",
        ),
    )  # fmt: skip


def _codes(without: str) -> Sequence[Step]:
    """μ‖Δh‖ ≤ ‖Δθᵀz − ΔG h‖ for the codes h of z: G = θᵀθ, and 2θᵀz − 2Gh ∈ ∂χ(h), monotone for convex χ."""
    move, new, rest = atoms(r"\Delta h", r"G'\Delta h", r"\Delta\theta^\top z - \Delta G h")
    given = {
        "monotone": Hypothesis(inner(rest - new, move), r"$\partial\chi$ is monotone; both codes are optimal"),
        "definite": Hypothesis(inner(new, move) - mu * square(move), r"$G' = \theta'^\top\theta' \succeq \mu I$"),
    }
    given = {name: line for name, line in given.items() if name != without}
    return verify(
        square(rest) - mu**2 * square(move), given, {"monotone": 2 * mu, "definite": 2 * mu}, [(1, rest - mu * move)],
        says=r"$\mu\|\Delta h\| \leq \|\Delta\theta^\top z - \Delta G\,h\|$",
    )  # fmt: skip


def _products(claimed: sp.Expr) -> Sequence[Step]:
    """S̄ = (hhᵀ, zhᵀ) and φ = (−G, 2θ): ‖ΔS̄‖² ≤ (4r_h² + r_z²)‖Δh‖², ‖Δφ‖² = ‖ΔG‖² + 4‖Δθ‖²."""
    a, d, e, x, y = sp.symbols(r"{\|\Delta{h}\|} {\|\Delta\theta\|} {\|\Delta{G}\|} x y", nonnegative=True)
    both = 4 * size_h**2 + size_z**2
    given = {
        "code": Hypothesis(size_z * d + size_h * e - mu * a, "the line above"),
        "hh": Hypothesis(2 * size_h * a - x, r"$x = \|h'h'^\top - hh^\top\|$"),
        "zh": Hypothesis(size_z * a - y, r"$y = \|z (h'-h)^\top\|$"),
    }
    used = {
        "hh": 2 * size_h * a + x, "zh": size_z * a + y,
        "code": both / mu**2 * (size_z * d + size_h * e + mu * a),
    }  # fmt: skip
    squares = [(both / mu**2, 2 * size_h * d - size_z * e / 2)]
    surplus = sp.expand(claimed**2 - both**2 / (4 * mu**2))
    rest = [(surplus, e), (4 * surplus, d)]
    says = rf"$\|\Delta\bar S(z, \cdot)\| \leq {sp.latex(claimed)} \|\Delta\phi\|$; the mean over z keeps it"
    return verify(claimed**2 * (e**2 + 4 * d**2) - x**2 - y**2, given, used, [*squares, *rest], says=says)


def _steep(lip: sp.Expr) -> Witness | None:
    """p = K = 1, δ = 1, s = (1, R): B has rank one, and its one eigenvalue is its trace."""
    for bound in (Q(1, 10), Q(2)):
        value = F_DL.jacobian([s1, s2]).trace().subs({s1: Q(1), s2: bound})
        claimed = lip.subs({delta: 1, R: bound})
        if value > claimed:
            point = {"p, K": "1, 1", "delta": "1", "R": str(bound), "s": f"(1, {bound})"}
            return Witness(point, f"F has the slope ${value} > {claimed}$ there")
    return None


def _fast_code(claimed: sp.Expr, without: str) -> Witness | None:
    """p = K = 1, χ = 0, z = 1: h = 1/θ, S̄ = (θ⁻², θ⁻¹) and φ = (−θ², 2θ), by their derivatives at θ."""
    x = sp.Symbol("theta", positive=True)
    S_bar, phi = sp.Matrix([x**-2, 1 / x]), sp.Matrix([-(x**2), 2 * x])
    for theta in (Q(3, 2), Q(1, 10)):
        least = Q(1) if without else theta**2
        value = claimed.subs({mu: least, size_h: 1 / theta, size_z: 1})
        found = sp.sqrt(sum((S_bar.diff(x).subs(x, theta)[k]) ** 2 for k in (0, 1)))
        found /= sp.sqrt(sum((phi.diff(x).subs(x, theta)[k]) ** 2 for k in (0, 1)))
        if value < 0 or found**2 > value**2:
            point = {"p, K": "1, 1", "chi": "0", "z": "1", "theta": str(theta), "mu": str(least)}
            point |= {"r_h": str(1 / theta), "r_z": "1"}
            return Witness(
                point, f"$\\|\\Delta\\bar S\\|/\\|\\Delta\\phi\\| \\to {sp.latex(found)}$, claimed ${value}$"
            )
    return None


def dictionary_instance() -> Witness:
    """p = K = 1, χ = |h|: θ = 1 and z = 2 have the code 3/2, as 0 ∈ |h|' + 2h − 4 there."""
    theta, z, h = Q(1), Q(2), Q(3, 2)
    return instance(
        {"p, K": "1, 1", "chi": "|h|", "theta": theta, "z": z, "h": h, "mu": 1, "r_h": "3/2", "r_z": 2, "delta": 1},
        "a dictionary and a code",
        {"optimal": 1 + 2 * theta**2 * h - 2 * theta * z == 0, "theta'theta >= mu": theta**2 >= 1},
    )
