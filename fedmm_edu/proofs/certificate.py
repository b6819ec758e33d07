"""A small kernel that checks certificates of inequalities.

A certificate of `target ≥ 0` under hypotheses E_i ≥ 0 (or E_i = 0) is an identity

    target = Σ_i m_i E_i + Σ_j c_j b_j² + Σ_k ⟨Q_k, Gram_k⟩,     m_i ≥ 0 where E_i ≥ 0,  c_j ≥ 0,  Q_k ⪰ 0,

and this file checks exactly that: the identity by expansion to zero, each sign from the way the expression is built
(`nonnegative`), each Q by an exact LDLᵀ. It searches for nothing and trusts no simplifier with a sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp
from sympy.core.exprtools import factor_terms

from fedmm_edu.errors import FedMMError
from fedmm_edu.proofs.gram import Vector, square
from fedmm_edu.proofs.identity import is_identity
from fedmm_edu.proofs.recording import Hypothesis, record
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, proved, refuted, undecided

__all__ = ["CertificateFails", "Psd", "derive", "verify"]


class CertificateFails(FedMMError):
    """A certificate does not prove its target; the message names the step."""


@dataclass(frozen=True)
class Psd:
    """Σ_ij matrix_ij ⟨items_i, items_j⟩ with a positive semidefinite matrix; items are vectors or real scalars."""

    matrix: sp.Matrix
    items: Sequence[Vector | sp.Expr]


def nonnegative(expr: sp.Expr) -> bool:
    """Whether `expr ≥ 0` can be read off from how it is built: a sum, product or power of non-negative parts.

    >>> x = sp.Symbol("x", real=True)
    >>> nonnegative(2 * x**2 + 1), nonnegative(x), nonnegative(x - x**2)
    (True, False, False)
    """
    if expr.is_Rational or expr.is_Symbol:
        return expr.is_nonnegative is True
    if expr.is_Add or expr.is_Mul:
        return all(nonnegative(part) for part in expr.args)
    if isinstance(expr, sp.Pow) and expr.exp.is_Rational:
        if expr.exp.is_negative and expr.base.is_nonzero is not True:
            return False
        return nonnegative(expr.base) or (expr.exp.is_even is True and expr.base.is_real is True)
    return isinstance(expr, sp.Abs) or (isinstance(expr, sp.exp) and expr.args[0].is_real is True)


def verify(
    target: sp.Expr | int,
    hypotheses: Mapping[str, Hypothesis],
    multipliers: Mapping[str, sp.Expr | int],
    squares: Iterable[tuple[sp.Expr | int, Vector | sp.Expr | int]] = (),
    psd: Iterable[Psd] = (),
    *,
    equality: bool = False,
    says: str = "",
) -> tuple[Step, ...]:
    """The steps that prove `target ≥ 0` (`= 0` with `equality`), or `CertificateFails` naming the step that fails.

    `multipliers` maps names of hypotheses to m_i; `squares` are pairs (c_j, b_j); `says` words the conclusion.
    """
    remainder, steps = sp.sympify(target), []
    if any(e.has(sp.Float) for e in (remainder, *(sp.sympify(h.expr) for h in hypotheses.values()))):
        raise CertificateFails("the statement has a rounded number (a float): write it as a fraction.")
    for name, multiplier in multipliers.items():
        if name not in hypotheses:
            raise CertificateFails(f"the derivation needs {name!r}, which is not assumed.")
        used, m = hypotheses[name], sp.sympify(multiplier)
        if equality and not used.equality:
            raise CertificateFails(f"{name!r} is an inequality: an equality follows from equalities only.")
        if used.expr.is_negative or (used.equality and used.expr.is_nonzero):
            raise CertificateFails(f"{name!r} contradicts the declared signs, so that everything would follow from it.")
        require_defined(m, f"the multiplier of {name!r}")
        if not used.equality and not nonnegative(m):
            raise CertificateFails(f"the multiplier ${sp.latex(m)}$ of {name!r} is not visibly >= 0: correct it.")
        remainder -= m * used.expr
        relation = "=" if used.equality else r"\geq"
        factor = "" if m == 1 else f"; used with the factor ${sp.latex(m)}$"
        steps.append(Step(f"${sp.latex(used.expr)} {relation} 0$", used.why + factor))
    parts = [*squares, *(pair for block in psd for pair in ldl_squares(block))]
    for weight, base in parts:
        if equality:
            raise CertificateFails("a square proves no equality: leave it out.")
        if not nonnegative(sp.sympify(weight)):
            raise CertificateFails(f"the weight ${sp.latex(sp.sympify(weight))}$ of a square is not visibly >= 0.")
        for part in base.coefficients.values() if isinstance(base, Vector) else [base]:
            require_defined(sp.sympify(part), "a square")
            require_real(sp.sympify(part))
        require_defined(sp.sympify(weight), "a square")
        value, shown = (square(base), base.latex()) if isinstance(base, Vector) else (base**2, sp.latex(base))
        remainder -= weight * value
        steps.append(Step(rf"${sp.latex(sp.sympify(weight))} \, \| {shown} \|^2 \geq 0$", "a square"))
    if not is_identity(remainder):
        left = sp.latex(factor_terms(sp.expand(remainder)))  # factoring a long one takes seconds
        raise CertificateFails(f"the identity fails: the target minus its parts leaves ${left}$.")
    record(target, hypotheses, multipliers, parts, equality=equality, says=says)
    relation = "=" if equality else r"\geq"
    ground = "the sum of the lines above, expanded exactly" if steps else "both sides agree after exact expansion"
    return (*steps, Step(says or f"${sp.latex(target)} {relation} 0$", ground))


def require_defined(expr: sp.Expr, where: str) -> None:
    """`CertificateFails` when `expr` divides by what is not visibly nonzero: −1 = (−1/E)·E would follow from E = 0."""
    if expr.has(sp.Float):
        raise CertificateFails(f"{where} has a rounded number (a float): write it as a fraction.")
    for power in expr.atoms(sp.Pow):
        if power.exp.is_nonnegative is not True and power.base.is_nonzero is not True:
            which = f"${sp.latex(power.base)}$, which is not visibly nonzero"
            raise CertificateFails(f"{where} divides by {which}.")


def require_real(base: sp.Expr) -> None:
    """`CertificateFails` when base is not visibly real (i² = −1 is a square too)."""
    if base.is_real is not True:
        raise CertificateFails(f"the base {base} of a square is not visibly real: declare its symbols real.")


def ldl_squares(block: Psd) -> list[tuple[sp.Expr, Vector | sp.Expr]]:
    """The block as Σ_k pivot_k · ‖combination_k‖² by exact LDLᵀ; `CertificateFails` where a pivot is negative."""
    matrix, items = sp.Matrix(block.matrix), list(block.items)
    if matrix.shape != (len(items), len(items)) or matrix != matrix.T:
        raise CertificateFails(f"a matrix of shape {matrix.shape} over {len(items)} items: make it symmetric.")
    squares = []
    for k in range(len(items)):
        pivot = sp.cancel(matrix[k, k])
        row = [sp.cancel(matrix[k, j]) for j in range(len(items))]
        if pivot == 0:
            if any(entry != 0 for entry in row):
                raise CertificateFails(f"pivot {k} is 0 but its row is not: the matrix is not positive semidefinite.")
            continue
        if not nonnegative(pivot):
            raise CertificateFails(
                f"pivot {k} is ${sp.latex(pivot)}$, not visibly >= 0: the matrix is not positive semidefinite."
            )
        combination = sum((items[j] * (row[j] / pivot) for j in range(k + 1, len(items))), items[k])
        squares.append((pivot, combination))
        matrix = matrix - sp.Matrix(row) * sp.Matrix([row]) / pivot
    return squares


def same_vector(left: Vector, right: Vector, why: str, says: str = "") -> Step:
    """The step `left = right` for formal vectors (worded by `says`), or `CertificateFails` with their difference."""
    if not (left - right).is_zero:
        raise CertificateFails(f"the two sides differ by ${(left - right).latex()}$: {why}.")
    return Step(says or f"${left.latex()} = {right.latex()}$", why)


def derive(given: Iterable[str], *lines: tuple[str, Step | Callable[[], Sequence[Step]]]) -> tuple[Step, ...]:
    """The steps of a derivation in words, each with the hypotheses it needs (names separated by "; ", or "").

    A line is `(needs, step)` or `(needs, callable)`, the callable checking something exactly and returning its steps.
    `CertificateFails` when a line needs a hypothesis that is not among `given`.
    """
    present, steps = set(given), []
    for needs, line in lines:
        missing = [name for name in needs.split("; ") if name and name not in present]
        if missing:
            raise CertificateFails(f"the derivation needs {missing[0]!r}, which is not assumed.")
        steps.extend([line] if isinstance(line, Step) else line())
    return tuple(steps)


def decide(
    method: str,
    prove: Callable[[], Sequence[Step]],
    counterexamples: Iterable[Callable[[], Witness | None]],
) -> Verdict:
    """Refuted by the first counterexample; else proved by `prove`; else open, with the reason.

    Both are always run: a proof *and* a counterexample means that one of them is wrong, and raises.
    """
    witness = next((found for search in counterexamples if (found := search()) is not None), None)
    try:
        steps = tuple(prove())
    except CertificateFails as failure:
        reason = Step("the derivation stops", str(failure))
        return undecided(method, reason) if witness is None else refuted("exact witness", witness, reason)
    if witness is not None:
        raise FedMMError(f"{method} proves what {witness.point} refutes: one of the two is wrong; inspect both.")
    return proved(method, *steps)
