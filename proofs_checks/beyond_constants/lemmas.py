"""Three lines that the derivations about A7 (`hyp:DL2`) share, each a certificate in every dimension."""

from __future__ import annotations

from itertools import combinations

import sympy as sp

from fedmm_edu.proofs.certificate import verify
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step


def no_v_min(why: str) -> tuple[Step, ...]:
    """u'B(s)u = 0 for some u ≠ 0 contradicts A7(ii): v_min‖u‖² ≤ 0."""
    (u,) = atoms("u")
    least, form = sp.Symbol("v_min", positive=True), sp.Symbol(r"{u^\top B u}", real=True)
    given = {
        "A7(ii)": Hypothesis(form - least * square(u), "A7(ii) at s"),
        "kernel": Hypothesis(form, why, equality=True),
    }
    says = r"$-v_{min}\|u\|^2 \geq 0$ with $u \neq 0$: no $v_{min} > 0$"
    return verify(-least * square(u), given, {"A7(ii)": 1, "kernel": -1}, says=says)


def resolvent(least: sp.Expr, why: str) -> tuple[Step, ...]:
    """⟨W, E⟩ ≤ ‖W‖²/least and ‖E‖ ≤ ‖W‖/least for E = A⁻¹W with A ⪰ least·I."""
    W, E = atoms("W", "E")
    given = {"definite": Hypothesis(inner(W, E) - least * square(E), why)}
    name = sp.latex(least)
    return (
        *verify(
            square(W) - least * inner(W, E), given, {"definite": least}, [(1, W - least * E)],
            says=rf"${name}\langle W, E\rangle \leq \|W\|^2$",
        ),
        *verify(
            square(W) - least**2 * square(E), given, {"definite": 2 * least}, [(1, W - least * E)],
            says=rf"${name}\|E\| \leq \|W\|$",
        ),
    )  # fmt: skip


def mixed_move(bound: sp.Expr, first: str, second: str, small: str) -> tuple[Step, ...]:
    """‖first − second‖² ≤ (1 + bound²)(‖first‖² + ‖small‖²) if ‖second‖ ≤ bound·‖small‖."""
    a, b, c = atoms(first, second, small)
    given = {
        "bounded": Hypothesis(bound**2 * square(c) - square(b), rf"$\|{second}\| \leq {sp.latex(bound)}\|{small}\|$")
    }
    return verify(
        (1 + bound**2) * (square(a) + square(c)) - square(a - b), given, {"bounded": 1 + 1 / bound**2},
        [(1, bound * a + b / bound)], says=r"$\|W\|^2 \leq (1 + R^2)\|s'-s\|^2$ (of this block)",
    )  # fmt: skip


def sum_of_moves(largest: int = 4) -> tuple[Step, ...]:
    """‖Σ_k U_k‖² ≤ n Σ_k ‖U_k‖² for n vectors: n Σ‖U_k‖² − ‖ΣU_k‖² = Σ_{j<k} ‖U_j − U_k‖²."""
    steps: tuple[Step, ...] = ()
    for n in range(1, largest):
        U = atoms(*(f"U_{k}" for k in range(n)))
        total = sum(U[1:], U[0])
        target = n * sum(square(x) for x in U) - square(total)
        says = rf"$\|\sum_\ell U_\ell\|^2 \leq {n}\sum_\ell\|U_\ell\|^2$, $L = {n + 1}$"
        steps = (*steps, *verify(target, {}, {}, [(1, a - b) for a, b in combinations(U, 2)], says=says)[-1:])
    return (*steps, Step(r"$\|\sum_{\ell<L} U_\ell\|^2 \leq (L-1)\sum_\ell\|U_\ell\|^2$", "Cauchy-Schwarz; every L"))
