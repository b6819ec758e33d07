"""Square roots in certificates: SymPy folds √t·√t into t by itself, Coq has to be told."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from fedmm_edu.proofs.gram import Vector, square
from fedmm_edu.proofs.recording import Certificate

HALF = sp.Rational(1, 2)


def root_terms(certificate: Certificate, exprs: Iterable[sp.Expr]) -> list[tuple[sp.Expr, sp.Expr]]:
    """Pairs (q, t) with target = Σ m E + Σ c b² + Σ q·((√t)² − t), every √t taken as a number of its own.

    [] where no square root occurs. What the pairs do not account for is left to Coq to refuse.
    """
    radicands = sorted({p.base for e in exprs for p in e.atoms(sp.Pow) if _is_root(p)}, key=sp.default_sort_key)
    roots = {t: sp.Dummy("root", nonnegative=True) for t in radicands}
    if not roots:
        return []

    def opened(expr: sp.Expr | int) -> sp.Expr:
        return sp.sympify(expr).replace(_is_root, lambda e: roots[e.base] ** (2 * e.exp))

    rest = opened(certificate.target)
    rest -= sp.Add(*(opened(used.multiplier) * opened(used.hypothesis.expr) for used in certificate.used))
    for weight, base in certificate.squares:
        if isinstance(base, Vector):
            rest -= opened(weight) * square(Vector({a: opened(c) for a, c in base.coefficients.items()}))
        else:
            rest -= opened(weight) * opened(base) ** 2
    top, bottom = sp.fraction(sp.together(rest))
    quotients, _ = sp.reduced(top, [root**2 - t for t, root in roots.items()], *roots.values())
    back = {root: sp.Pow(t, HALF) for t, root in roots.items()}
    return [((q / bottom).xreplace(back), t) for q, t in zip(quotients, roots, strict=True)]


def _is_root(expr: sp.Basic) -> bool:
    return isinstance(expr, sp.Pow) and isinstance(expr.exp, sp.Rational) and expr.exp.q == 2
