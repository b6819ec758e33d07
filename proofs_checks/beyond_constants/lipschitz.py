"""What own-lip needs in place of A7, for Gaussian mixtures: L_T and ℓ, for all L and p.

L_T is a Lipschitz constant of F = φ∘T on 𝒮, ℓ one of the mean oracle in φ: ‖E S̄(Z, τ') − E S̄(Z, τ)‖ ≤ ℓ‖φ(τ') − φ(τ)‖.
Refutations are derivatives at exact points.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, nonnegative, verify
from fedmm_edu.proofs.gram import atoms, inner, operator, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.beyond_constants.lemmas import mixed_move, resolvent, sum_of_moves
from proofs_checks.shared.tools import instance

Q = sp.Rational
n = sp.Symbol(r"{\|\Delta\phi\|}", nonnegative=True)
lam, g, R = sp.symbols("lambda g R", positive=True)
m2 = sp.Symbol(r"{\|z\|^2}", nonnegative=True)
L = sp.Symbol("k", nonnegative=True) + 2  # any L ≥ 2


def require_size(value: sp.Expr, name: str) -> None:
    """`CertificateFails` for a constant that is not visibly ≥ 0: no norm is below a negative number."""
    if not nonnegative(value):
        raise CertificateFails(f"{name} = ${sp.latex(value)}$ is not visibly >= 0.")


def mixture(L_T: str, ell: str, without: Literal["", "pair"] = "") -> Verdict:
    """L_T where the means T(s) have norms up to R, and ℓ for all means; m2 = E‖Z‖², g bounds all Γ_ℓ⁻¹.

    `without="pair"`: nothing bounds the means, nor |mᵀΓ⁻¹m − m'ᵀΓ⁻¹m'|.
    """
    lip, oracle = sp.sympify(L_T, {"lam": lam, "g": g, "R": R, "L": L}), sp.sympify(ell, {"m2": m2})

    def prove() -> Sequence[Step]:
        require_size(oracle, "ell")
        return (*_columns(lip, without), *_posterior(), *_softmax(), *_mean_oracle(oracle))

    return decide("certificates", prove, [lambda: _steep_mixture(L_T, without), lambda: _fast_posterior(oracle)])


def _columns(lip: sp.Expr, without: str) -> Sequence[Step]:
    """‖F(s') − F(s)‖ ≤ Σ over columns of ‖Δc_ℓ‖, c(m) = (Γ⁻¹m, −½mᵀΓ⁻¹m), each at most g²κ²/λ times its move."""
    m, E = atoms("m", "E")
    G = operator(r"\Gamma^{-1}")
    symmetric = {"symmetric": Hypothesis(inner(E, G(m)) - inner(m, G(E)), "Γ is symmetric", equality=True)}
    change = inner(m + E, G(m + E)) - inner(m, G(m)) - inner(2 * m + E, G(E))
    e, x, y, c, a = sp.symbols(r"e x y {\|\Delta{c}\|} a", nonnegative=True)
    kappa = sp.sqrt(1 + R**2)
    size = {
        "pair": Hypothesis(g * R * e - x, r"$x = |\langle (m+m')/2, \Gamma^{-1}E \rangle|$, $\|m\|, \|m'\| \leq R$"),
        "linear": Hypothesis(g * e - y, r"$y = \|\Gamma^{-1}E\|$, $e = \|E\|$"),
    }
    size = {name: line for name, line in size.items() if name != without}
    one = {
        "c": Hypothesis(g * kappa * e - c, "the line above, square roots"),
        "E": Hypothesis(g * kappa * a / lam - e, r"$\lambda\|E\| \leq g\|W\|$, $\|W\| \leq \kappa a$"),
    }
    own, last, total, r = sp.symbols(r"c_{<L} c_L {\|\Delta{F}\|} {\|s'-s\|}", nonnegative=True)
    most = g**2 * (1 + R**2) / lam
    every = {
        "triangle": Hypothesis(own + sp.sqrt(L - 1) * last - total, r"$F_\ell = c_\ell - c_L$, $\ell < L$"),
        "own": Hypothesis(most * r - own, r"the line above for $\ell < L$"),
        "last": Hypothesis(
            most * sp.sqrt(L - 1) * r - last, r"the line above for $L$: $a_L \leq \sqrt{L-1}\,\|s'-s\|$"
        ),
        "size": Hypothesis(r, "a norm"),
    }
    slack = sp.expand(lip - L * most)
    return (
        *verify(
            change, symmetric, {"symmetric": 1}, equality=True,
            says=r"$m'^\top\Gamma^{-1}m' - m^\top\Gamma^{-1}m = \langle m + m', \Gamma^{-1}E \rangle$, $E = m' - m$",
        ),
        *verify(
            g**2 * (1 + R**2) * e**2 - x**2 - y**2, size, {"pair": g * R * e + x, "linear": g * e + y},
            says=r"$\|\Delta c\|^2 \leq g^2 \kappa^2 e^2$, $\kappa^2 = 1 + R^2$",
        ),
        *resolvent(lam, r"$W = \Gamma^{-1}(U - \omega m)$, $\lambda + w'\Gamma^{-1} \succeq \lambda$"),
        *mixed_move(R, "U", r"\omega m", r"\omega"),
        *sum_of_moves(),
        *verify(most * a - c, one, {"c": 1, "E": g * kappa}, says=r"$\|\Delta c\| \leq g^2 \kappa^2 a/\lambda$"),
        *verify(
            lip * r - total, every, {"triangle": 1, "own": 1, "last": sp.sqrt(L - 1), "size": slack},
            says=rf"$\|F(s')-F(s)\| \leq {sp.latex(lip)} \|s'-s\|$",
        ),
    )  # fmt: skip


def _posterior() -> Sequence[Step]:
    """The log-odds of ℓ against L are ⟨(z, 1), φ_ℓ⟩ up to what does not depend on the means."""
    z, m, last = atoms("z", "m_l", "m_L")
    G, H = operator(r"\Gamma_l^{-1}"), operator(r"\Gamma_L^{-1}")
    odds = -inner(z - m, G(z - m)) / 2 + inner(z - last, H(z - last)) / 2
    free = -inner(z, G(z)) / 2 + inner(z, H(z)) / 2
    linear = inner(z, G(m) - H(last)) - (inner(m, G(m)) - inner(last, H(last))) / 2
    given = {
        "l": Hypothesis(inner(m, G(z)) - inner(z, G(m)), r"$\Gamma_\ell$ is symmetric", equality=True),
        "L": Hypothesis(inner(last, H(z)) - inner(z, H(last)), r"$\Gamma_L$ is symmetric", equality=True),
    }
    says = r"the log-odds of $\ell$ against $L$ are $\langle (z, 1), \phi_\ell \rangle$ plus a constant"
    return verify(odds - free - linear, given, {"l": Q(1, 2), "L": -Q(1, 2)}, equality=True, says=says)


def _softmax(largest: int = 4) -> Sequence[Step]:
    """The derivative of the posterior in the log-odds, J = diag(w) − wwᵀ, is psd and at most ½: ‖Jv‖ ≤ ½‖v‖."""
    steps: tuple[Step, ...] = ()
    for count in range(2, largest + 1):
        w = sp.symbols(f"w1:{count + 1}", nonnegative=True)
        v = sp.symbols(f"v1:{count + 1}", real=True)
        weighted = sum((a * x**2 for a, x in zip(w, v, strict=True)), sp.S.Zero)
        form = weighted - sum((a * x for a, x in zip(w, v, strict=True)), sp.S.Zero) ** 2
        one = {"sum": Hypothesis(1 - sum(w, sp.S.Zero), r"$\sum_\ell w_\ell = 1$", equality=True)}
        pairs = [(w[j] * w[k], v[j] + v[k]) for j, k in combinations(range(count), 2)]
        ends = [(Q(1, 2), x * (2 * a - 1)) for a, x in zip(w, v, strict=True)]
        says = rf"$\langle v, Jv \rangle \leq \frac{{1}}{{2}}\|v\|^2$, $L = {count}$"
        half = sum((x**2 for x in v), sp.S.Zero) / 2
        steps += verify(half - form, one, {"sum": weighted}, [*pairs, *ends], says=says)
    v, Jv = atoms("v", "Jv")
    given = {
        "half": Hypothesis(square(v) / 2 - inner(v, Jv), "the line above, termwise for every L"),
        "top": Hypothesis(inner(v, Jv) / 2 - square(Jv), r"$J(\frac{1}{2}I - J) \succeq 0$: J is psd, at most ½"),
    }
    says = r"$\|Jv\| \leq \frac{1}{2}\|v\|$"
    return (*steps, *verify(square(v) / 4 - square(Jv), given, {"half": Q(1, 2), "top": 1}, says=says))


def _mean_oracle(claimed: sp.Expr) -> Sequence[Step]:
    """S̄(z, ·) is (w_ℓ)_{ℓ<L} times (z, 1), and the log-odds move by ⟨(z, 1), Δφ_ℓ⟩."""
    x, y, v = sp.symbols(r"{\|\Delta\bar{S}\|} {\|\Delta{w}\|} {\|v\|}", nonnegative=True)
    long = sp.sqrt(1 + m2)
    given = {
        "S": Hypothesis(long * y - x, r"$\bar S(z, \cdot) = (w_\ell)_{\ell < L} \otimes (z, 1)$"),
        "w": Hypothesis(v / 2 - y, "the line above along the segment"),
        "v": Hypothesis(long * n - v, r"$v_\ell = \langle (z, 1), \Delta\phi_\ell \rangle$"),
        "size": Hypothesis(n, "a norm"),
    }
    used = {"S": 1, "w": long, "v": long / 2, "size": sp.expand(claimed - (1 + m2) / 2)}
    says = rf"$\|\Delta\bar S(z, \cdot)\| \leq ({sp.latex(claimed)}) \|\Delta\phi\|$; take the mean over z"
    return verify(claimed * n - x, given, used, says=says)


def _steep_mixture(L_T: str, without: str) -> Witness | None:
    """L = 2, p = 1, Γ = λ = 1, E[Z] = 0, R = 1/10: a diagonal entry of B, the derivative of F, above the claim."""
    claimed = sp.sympify(L_T, {"lam": 1, "g": 1, "R": Q(1, 10), "L": 2})
    x, y = sp.symbols("x y")
    T = (x / (y + 1), -x / (2 - y))
    B = sp.Matrix([T[0] - T[1], -(T[0] ** 2 - T[1] ** 2) / 2]).jacobian([x, y])
    B = B.subs({x: Q(10) if without else Q(0), y: Q(0)})
    largest = max(B[0, 0], B[1, 1])
    if largest <= claimed:
        return None
    point = {"L, p": "2, 1", "Gamma, lambda": "1, 1", "E Z": "0", "R": "1/10", "s": f"({10 if without else 0}, 0)"}
    return Witness(point, f"B has the diagonal entry ${largest} > {claimed}$: F is steeper than that")


def _fast_posterior(claimed: sp.Expr) -> Witness | None:
    """L = 3, p = 1, Γ = 1, ν = (49, 49, 2)/100, all means 0 and z = 10: the derivative along (1, −1, 0)."""
    z, w = Q(10), sp.Matrix([Q(49, 100), Q(49, 100)])
    J, move = sp.diag(*w) - w * w.T, sp.Matrix([1, -1])
    found = (J * (z * move)).norm() * sp.sqrt(1 + z**2) / move.norm()
    value = claimed.subs(m2, z**2)
    if value >= 0 and found**2 <= value**2:
        return None
    point = {"L, p": "3, 1", "Gamma": "1", "nu": "(49, 49, 2)/100", "z": "10", "means": "0, moving along (1, -1, 0)"}
    return Witness(point, f"$\\|\\Delta\\bar S\\|/\\|\\Delta\\phi\\| \\to {sp.latex(found)}$, claimed ${value}$")


def mixture_instance() -> Witness:
    """L = 2, p = 1, Γ = λ = 1, E[Z] = 0: a point of 𝒮 with means up to R = 1."""
    means = (Q(1, 2) / (Q(1, 4) + 1), -Q(1, 2) / (2 - Q(1, 4)))
    return instance(
        {"L, p": "2, 1", "Gamma, lambda": "1, 1", "E Z": 0, "R": 1, "s": "(1/2, 1/4)", "z": 3},
        "a point of 𝒮 and a sample",
        {"means up to R": max(map(abs, means)) <= 1},
    )
