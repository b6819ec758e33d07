"""A7's matrix B(s) (`hyp:DL2`) is the derivative of a gradient: symmetric and positive semidefinite if MM-2 holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, derive, verify
from fedmm_edu.proofs.gram import Vector, atoms, inner, operator, scalars, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.beyond_constants.theory import MINIMISES


def gradient(
    kind: Literal["diagonal", "symmetric, nsd", "symmetric, pd", "symmetric, psd"],
    hypotheses: Sequence[str] = (MINIMISES,),
) -> Verdict:
    """F is monotone, and its derivative B has each property in `kind` ("symmetric", "psd", "pd", "nsd", "diagonal")."""

    def convex() -> Sequence[Step]:
        own, new = scalars("c(T(s))", "c(T(s'))")
        s, t, F, G = atoms("s", "s'", "F(s)", "F(s')")
        given = {
            "s": Hypothesis(
                (new - inner(s, G)) - (own - inner(s, F)), "T(s) minimises $J_s = c - \\langle s, \\phi\\rangle$"
            ),
            "s'": Hypothesis((own - inner(t, F)) - (new - inner(t, G)), "T(s') minimises $J_{s'}$"),
        }
        V = {"s": inner(s, F) - own, "s'": inner(t, G) - new}
        return (
            *verify(
                inner(t - s, G - F), given, {"s": 1, "s'": 1}, says=r"$\langle s'-s, F(s')-F(s)\rangle \geq 0$"
            ),
            *verify(
                V["s'"] - V["s"] - inner(t - s, F), given, {"s'": 1},
                says=r"$V(s') \geq V(s) + \langle F(s), s'-s\rangle$ for $V(s) = -\min_\theta J_s(\theta)$",
            ),
            Step(
                r"$\sum_k \langle F(x_k), x_{k+1} - x_k\rangle \leq V(x_n) - V(x_0) = 0$",
                "the sum of the line above on a closed path $x_0, …, x_n = x_0$",
            ),
        )  # fmt: skip

    def properties() -> Sequence[Step]:
        return [step for name in kind.split(", ") for step in PROPERTIES[name]()]

    return decide(
        "derivation",
        lambda: derive(hypotheses, (MINIMISES, convex), ("", properties)),
        [lambda: _no_such_hessian(kind, hypotheses)],
    )


u, v = atoms("u", "v")
B = operator("B")
PIECES = sp.Symbol("N", positive=True, integer=True)


def _edge(start: Vector, along: Vector) -> sp.Expr:
    """Σ_k ⟨along/N, B(start + k·along/N)⟩ over k = 0, …, N − 1: one edge of a path, cut into N pieces."""
    k = sp.Symbol("k", integer=True)
    share = sp.summation(k / PIECES**2, (k, 0, PIECES - 1))
    return inner(along, B(start)) + inner(along, B(along)) * share


def _around(first: Vector, second: Vector) -> Hypothesis:
    """The path 0 → first → first + second → second → 0, scaled by t → 0 where F(s + tx) = F(s) + tBx + o(t)."""
    corners = (Vector({}), first, first + second, second)
    edges = (_edge(x, e) for x, e in zip(corners, (first, second, -first, -second), strict=True))
    where = rf"the closed path along ${first.latex()}$, ${second.latex()}$ in N pieces per edge, over $t^2$"
    return Hypothesis(-sp.Add(*edges), where + r", as $t \to 0$")


def _symmetric() -> Sequence[Step]:
    """⟨v, Bu⟩ − ⟨u, Bv⟩ ≤ (⟨u, Bu⟩ + ⟨v, Bv⟩)/N for both orders of u and v and every N."""
    steps: list[Step] = []
    for a, b in ((u, v), (v, u)):
        bound = (inner(u, B(u)) + inner(v, B(v))) / PIECES
        target = bound - (inner(b, B(a)) - inner(a, B(b)))
        gap = rf"\langle {b.latex()}, B{a.latex()}\rangle - \langle {a.latex()}, B{b.latex()}\rangle"
        says = rf"${gap} \leq \frac{{1}}{{N}}(\langle u, Bu\rangle + \langle v, Bv\rangle)$"
        steps += verify(target, {"path": _around(a, b)}, {"path": 1}, says=says)
    return (*steps, Step("so $\\langle v, Bu\\rangle = \\langle u, Bv\\rangle$ for all u, v", "let N grow"))


def _form_is(least: sp.Expr, says: str, sign: int = 1) -> Sequence[Step]:
    """sign·⟨u, Bu⟩ ≥ least·‖u‖² from monotony along s + tu."""
    monotone = {
        "monotone": Hypothesis(inner(u, B(u)), r"$\langle tu, F(s+tu)-F(s)\rangle/t^2 \to \langle u, Bu\rangle$")
    }
    return verify(sign * inner(u, B(u)) - least * square(u), monotone, {"monotone": 1}, says=says)


def _diagonal() -> Sequence[Step]:
    """⟨v, Bu⟩ = 0 for orthogonal u and v, from the same inequalities."""
    given = {
        "path": _around(u, v),
        "back": _around(v, u),
        "orthogonal": Hypothesis(inner(u, v), r"$u \perp v$", equality=True),
    }
    return verify(inner(v, B(u)), given, {"path": 1, "back": 1, "orthogonal": 1}, says=r"$\langle v, Bu\rangle \geq 0$")


PROPERTIES: dict[str, Callable[[], Sequence[Step]]] = {
    "symmetric": _symmetric,
    "nsd": lambda: _form_is(sp.S.Zero, r"$-\langle u, Bu\rangle \geq 0$", sign=-1),
    "psd": lambda: _form_is(sp.S.Zero, r"$\langle u, Bu\rangle \geq 0$"),
    "pd": lambda: _form_is(sp.Symbol("c", positive=True), r"$\langle u, Bu\rangle \geq c\|u\|^2$ for some $c > 0$"),
    "diagonal": _diagonal,
}


def _no_such_hessian(kind: str, hypotheses: Sequence[str]) -> Witness | None:
    """φ = (θ, θ²)-like instances: F from a minimiser with a full singular B; and a T that minimises nothing."""
    a, b = sp.symbols("s_1 s_2", positive=True)
    matrices = {"phi = (theta, exp(theta)), T = log(s_1/s_2), s = (1, 1)": sp.Matrix([sp.log(a / b), a / b])}
    jacobians = {
        name: F.jacobian([a, b]).subs({a: 1, b: 1}) * sp.diag(1, -1) for name, F in matrices.items()
    }  # J_s = s_2 e^θ − s_1 θ: the second coordinate of s in A7 is −s_2
    if MINIMISES not in hypotheses:
        jacobians["phi = theta, T(s) = (-s_2, s_1), which minimises nothing"] = sp.Matrix([[0, -1], [1, 0]])
    for name, matrix in jacobians.items():
        even = (matrix + matrix.T) / 2
        facts = {
            "diagonal": matrix.is_diagonal(),
            "symmetric": matrix == matrix.T,
            "nsd": even.det() >= 0 and even.trace() <= 0,
            "psd": even.det() >= 0 and even.trace() >= 0,
            "pd": even.det() > 0 and even.trace() > 0,
        }
        missing = next((part for part in kind.split(", ") if not facts[part]), None)
        if missing is not None:
            return Witness({"instance": name}, f"B is ${sp.latex(matrix)}$, which is not {missing}")
    return None
