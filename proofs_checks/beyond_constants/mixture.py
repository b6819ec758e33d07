"""A7 (`hyp:DL2`) for mixtures of L Gaussians in ℝ^p (Appendix C.2): where B(s) is singular, and A7(i) for all L and p.

Γ_ℓ⁻¹ is a formal symmetric map, so that each identity between columns of T(s) holds in every dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, same_vector, verify
from fedmm_edu.proofs.gram import Vector, atoms, inner
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.tools import instance, settle

Q = sp.Rational
SIZES = (2, 3, 4, 5)

# ------------------------------------------------------------------------------------------------ where it is singular

Means = Sequence[Sequence[int]]
CONFIGURATIONS: tuple[Means, ...] = (
    ((0,), (1,)), ((1,), (1,)), ((0,), (1,), (2,)), ((1, 1), (2, 2)), ((0, 0), (1, 0), (0, 1)),
    ((1, 0), (2, 0), (3, 0)), ((1, 0), (0, 1), (1, 1)), ((0, 0), (1, 0), (0, 1), (1, 1)),
)  # fmt: skip

Family = Sequence[Vector]
CONDITIONS: dict[str, Callable[[Sequence[Vector]], list[Family]]] = {
    "affinely independent": lambda m: [[x - m[-1] for x in m[:-1]]],
    "linearly independent": lambda m: [list(m)],
    "distinct": lambda m: [[x - y] for x, y in combinations(m, 2)],
    "L <= p + 1": lambda m: [],
    "affinely dependent": lambda m: [],
}
"""What a condition asks of means m_1, …, m_L: that each of these families of vectors is linearly independent."""


def _rows(family: Family, names: Sequence[str]) -> sp.Matrix:
    """The family as coefficients in the means, one row per vector."""
    return sp.Matrix([[x.coefficients.get(name, sp.S.Zero) for name in names] for x in family])


def mixture_rank(
    condition: Literal["L <= p + 1", "affinely dependent", "affinely independent", "distinct", "linearly independent"],
) -> Verdict:
    """L means in ℝ^p, φ of Appendix C.2: B(s) is positive definite exactly if the means T(s) satisfy `condition`."""

    def prove() -> Sequence[Step]:
        steps = [step for L in SIZES for step in _kernel_is(condition, L)]
        return (
            Step(r"$B = D\phi\,H^{-1} D\phi^\top$, $H = \nabla^2 J_s \succ 0$", "implicit differentiation: pd iff "
                                                                                "$D\\phi^\\top$ is injective"),
            *_termwise(),
            *steps,
            Step(r"$L - 1$ independent vectors of $\mathbb{R}^p$: $L - 1 \leq p$", "own-A7-dimension"),
        )  # fmt: skip

    return decide("derivation", prove, [partial(_rank_search, condition, means) for means in CONFIGURATIONS])


def _termwise() -> tuple[Step, ...]:
    """⟨(a, b), dφ⟩ for one ℓ < L: the coefficients of v_ℓ = Γ_ℓ⁻¹dm_ℓ and of v_L = Γ_L⁻¹dm_L."""
    a, m, last, v, v_last = atoms("a_l", "m_l", "m_L", "v_l", "v_L")
    b = sp.Symbol("b_l", real=True)
    differential = inner(a, v - v_last) - b * (inner(m, v) - inner(last, v_last))
    stated = inner(a - b * m, v) - inner(a - b * last, v_last)
    lines = verify(
        differential - stated, {}, {}, equality=True,
        says=r"$\langle (a_\ell, b_\ell), d\phi\rangle = \langle a_\ell - b_\ell m_\ell, v_\ell\rangle "
             r"- \langle a_\ell - b_\ell m_L, v_L\rangle$, $v_\ell = \Gamma_\ell^{-1}dm_\ell$",
    )  # fmt: skip
    return (
        *lines,
        Step(r"it vanishes for all $dm$ iff $a_\ell = b_\ell m_\ell$ and $\sum_\ell (a_\ell - b_\ell m_L) = 0$",
             "the v's are free; sum over $\\ell < L$"),
        same_vector((b * m) - b * last, b * (m - last), "the first equation put into the second", says=(
            r"$D\phi^\top$ is injective iff $\sum_\ell b_\ell(m_\ell - m_L) = 0$ forces $b = 0$")),
    )  # fmt: skip


def _kernel_is(condition: str, L: int) -> list[Step]:
    """For these L: `condition` says that the vectors m_ℓ − m_L are independent, no less and no more."""
    names = [f"m_{k}" for k in range(1, L + 1)]
    means = atoms(*names)
    wanted = _rows([x - means[-1] for x in means[:-1]], names)
    families = [_rows(family, names) for family in CONDITIONS[condition](means)]
    for rows in families:  # independent m_ℓ − m_L ⇒ the family rows = C·wanted is, if C has full row rank
        if wanted.col_join(rows).rank() > wanted.rank() or rows.rank() < rows.rows:
            raise CertificateFails(f"L = {L}: the condition asks for more than independent $m_\\ell - m_L$.")
    if all(rows.rank() < wanted.rank() for rows in families):
        raise CertificateFails(f"L = {L}: no family of the condition generates every $m_\\ell - m_L$.")
    return [Step(f"L = {L}: the condition is the independence of the $m_\\ell - m_L$", "both generate the same space")]


def _holds(condition: str, means: Means) -> bool:
    """The condition at numbers."""
    rank = lambda points: sp.Matrix([list(x) for x in points]).rank()  # noqa: E731
    shifted = [[x - y for x, y in zip(point, means[-1], strict=True)] for point in means[:-1]]
    return {
        "affinely independent": rank(shifted) == len(means) - 1,
        "linearly independent": rank(means) == len(means),
        "distinct": len(set(map(tuple, means))) == len(means),
        "affinely dependent": rank(shifted) < len(means) - 1,
        "L <= p + 1": len(means) <= len(means[0]) + 1,
    }[condition]


def _rank_search(condition: str, means: Means) -> Witness | None:
    L, p = len(means), len(means[0])
    J = mixture_jacobian(means)
    definite = J.rank() == J.rows
    if definite == _holds(condition, means):
        return None
    word = "positive definite" if definite else "singular"
    point = {"L, p": f"{L}, {p}", "means": str(means), "Gamma_l": "(l + 1) I"}
    return Witness(point, f"$D\\phi$ has rank {J.rank()} of {J.rows}: B is {word}")


def mixture_jacobian(means: Means) -> sp.Matrix:
    """Dφ at the means by differentiation, Γ_ℓ = (ℓ + 1)I."""
    L, p = len(means), len(means[0])
    x = [[sp.Symbol(f"x_{k}{j}", real=True) for j in range(p)] for k in range(L)]
    scaled = [[entry / (k + 2) for entry in row] for k, row in enumerate(x)]
    norm = [sum(v * w for v, w in zip(row, other, strict=True)) for row, other in zip(x, scaled, strict=True)]
    phi = [scaled[k][j] - scaled[-1][j] for k in range(L - 1) for j in range(p)]
    phi += [-(norm[k] - norm[-1]) / 2 for k in range(L - 1)]
    flat = [entry for row in x for entry in row]
    return sp.Matrix(phi).jacobian(flat).subs(dict(zip(flat, [v for point in means for v in point], strict=True)))


def mixture_two(determinant: str, zero_at: str) -> Verdict:
    """L = 2, p = 1: det B(s) = determinant (m1, m2 = T(s)), which vanishes at s1 = zero_at for each s2 in [0, 1]."""
    a, b, lam = sp.symbols("Gamma_1 Gamma_2 lambda", positive=True)
    x, y, mean = sp.symbols("s_1 s_2 m", real=True)
    T = (x / (y + lam * a), (mean - x) / (1 - y + lam * b))
    m1, m2, D1, D2 = sp.symbols("m1 m2 D1 D2")  # T(s), and D1 = s2 + λΓ1, D2 = 1 − s2 + λΓ2
    values = {m1: T[0], m2: T[1], D1: y + lam * a, D2: 1 - y + lam * b}
    DT = sp.Matrix([[1 / D1, -m1 / D1], [-1 / D2, m2 / D2]])
    Dphi = sp.Matrix([m1 / a - m2 / b, -(m1**2 / a - m2**2 / b) / 2]).jacobian([m1, m2])
    det = sp.factor((Dphi * DT).det())
    names = {"G1": a, "G2": b, "lam": lam, "s2": y, "m": mean, "m1": m1, "m2": m2}
    claimed, root = (sp.sympify(text, names) for text in (determinant, zero_at))
    inside = {y + lam * a: D1, 1 - y + lam * b: D2}
    at = {a: Q(1), b: Q(2), lam: Q(1), x: Q(3), y: Q(1, 2), mean: Q(1)}
    point = {str(key): str(value) for key, value in at.items()}
    true, stated, zero = (e.subs(values).subs(at) for e in (det, claimed, det.subs(values).subs(x, root)))
    found = None
    if true != stated:
        found = Witness(point, f"$\\det B = {true}$, claimed ${stated}$")
    elif zero != 0:
        del point["s_1"]
        found = Witness(point, f"at $s_1 = {root.subs(at)}$, $\\det B = {zero} \\neq 0$")
    residuals = {f"$\\partial_{j + 1} T_{i + 1}$": sp.diff(T[i], (x, y)[j]) - DT[i, j].subs(values)
                 for i in range(2) for j in range(2)}  # fmt: skip
    residuals["$\\det(D\\phi \\cdot DT)$"] = det - claimed.subs(inside)
    residuals["$T_1 = T_2$ at the stated $s_1$, so that no $v_{\\min} > 0$ serves A7(ii)"] = (T[0] - T[1]).subs(x, root)
    return settle(
        "differentiation", residuals, "exact; $T_1 - T_2$ increases with $s_1 \\in R$: it vanishes once", found
    )


def mixture_instance() -> Witness:
    means = ((0, 0), (1, 0), (0, 1))
    J = mixture_jacobian(means)
    return instance({"L, p": "3, 2", "means": means}, "affinely independent", {"full rank": J.rank() == J.rows == 6})


# ------------------------------------------------------------------------------------------------ B(s), for all L, p


def mixture_B(own: str, last: str) -> Verdict:
    """B = `own`·blockdiag(M_1, …, M_{L−1}) + `last`·(11ᵀ) ⊗ M_L.

    M_ℓ = D_ℓ Γ_ℓ⁻¹(λ + w_ℓΓ_ℓ⁻¹)⁻¹Γ_ℓ⁻¹ D_ℓᵀ with D_ℓ = (I; −m_ℓᵀ).

    By differentiation for small sizes (diagonal Γ); for all L, p the change of one column is the row
    own-A7-mixture-upper's, F_ℓ = c_ℓ − c_L, and the column L moves by minus the sum of the others.
    """
    residuals, found = {}, None
    for size, p in ((2, 1), (3, 1), (2, 2)):
        gap = _stated(size, p, sp.sympify(own), sp.sympify(last)) - _differentiated(size, p)
        residuals |= {
            f"L = {size}, p = {p}: entry {i + 1}, {j + 1}": gap[i, j]
            for i in range(gap.rows)
            for j in range(i, gap.rows)
        }
        at = {x: Q(k + 1, 5) for k, x in enumerate(sorted(gap.free_symbols, key=str))}
        wrong = next(((i, j) for i in range(gap.rows) for j in range(gap.rows) if gap[i, j].subs(at) != 0), None)
        if found is None and wrong is not None:
            point = {"L, p": f"{size}, {p}", **{str(x): str(value) for x, value in at.items()}}
            says = f"entry {wrong[0] + 1}, {wrong[1] + 1} differs from the derivative by ${gap[wrong].subs(at)}$"
            found = Witness(point, says)
    return settle("differentiation", residuals, "exact, in every entry", found)


def _problem(size: int, p: int) -> tuple[list, list, list, sp.Symbol]:
    """s_1 (columns, the last one E[Z] minus their sum), s_2 and its complement, the diagonals of Γ_ℓ, and λ."""
    mean = sp.symbols(f"m1:{p + 1}", real=True)
    first = [sp.symbols(f"u{k}_1:{p + 1}", real=True) for k in range(1, size)]
    shares = list(sp.symbols(f"w1:{size}", positive=True))
    diagonals = [sp.symbols(f"G{k}_1:{p + 1}", positive=True) for k in range(1, size + 1)]
    columns = [*first, tuple(mean[j] - sum(column[j] for column in first) for j in range(p))]
    return columns, [*shares, 1 - sum(shares)], diagonals, sp.Symbol("lambda", positive=True)


def _means(size: int, p: int) -> list[list[sp.Expr]]:
    columns, shares, diagonals, weight = _problem(size, p)
    return [[u / (w + weight * G) for u, G in zip(column, diagonal, strict=True)]
            for column, w, diagonal in zip(columns, shares, diagonals, strict=True)]  # fmt: skip


def _differentiated(size: int, p: int) -> sp.Matrix:
    """D(φ∘T), the coordinates of s block by block: (s_{1,ℓ}, s_{2,ℓ}) for ℓ < L."""
    columns, shares, diagonals, _ = _problem(size, p)
    blocks = []
    for m, diagonal in zip(_means(size, p), diagonals, strict=True):
        scaled = [x / G for x, G in zip(m, diagonal, strict=True)]
        blocks.append([*scaled, -sum(x * y for x, y in zip(m, scaled, strict=True)) / 2])
    F = [a - b for block in blocks[:-1] for a, b in zip(block, blocks[-1], strict=True)]
    s = [x for column, w in zip(columns[:-1], shares[:-1], strict=True) for x in (*column, w)]
    return sp.Matrix(F).jacobian(s)


def _stated(size: int, p: int, own: sp.Expr, last: sp.Expr) -> sp.Matrix:
    _, shares, diagonals, weight = _problem(size, p)
    M = []
    for m, w, diagonal in zip(_means(size, p), shares, diagonals, strict=True):
        D = sp.eye(p).col_join(-sp.Matrix([m]))
        middle = sp.diag(*(1 / (G * (weight * G + w)) for G in diagonal))  # Γ⁻¹(λ + wΓ⁻¹)⁻¹Γ⁻¹
        M.append(D * middle * D.T)
    everywhere = sp.kronecker_product(sp.ones(size - 1), M[-1])
    return own * sp.diag(*M[:-1]) + last * everywhere
