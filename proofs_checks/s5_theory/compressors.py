"""Which random maps are compressors in the sense of A4(ω): E Q(s) = s and E‖Q(s) − s‖² ≤ ω‖s‖² for all s ∈ ℝ^q.

Proofs hold for every dimension; refutations sum over all outcomes of an operator at one point, in exact fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction as F
from itertools import combinations, product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction, proved, refuted, undecided
from proofs_checks.shared.tools import APART, agreed, settle

Point = tuple[F, ...]
Law = list[tuple[Point, F]]
HALF = F(1, 2)
q, k, omega, p = sp.symbols("q k omega p", positive=True)


def violates(at: Point, law: Law, bound: F, **shown: object) -> Witness | None:
    """What is wrong with A4(bound) at one point, for the finite law of Q(at)."""
    mean = tuple(sum((w * x[j] for x, w in law), F(0)) for j in range(len(at)))
    error = sum(w * sum((a - b) ** 2 for a, b in zip(x, at, strict=True)) for x, w in law)
    limit = bound * sum(a * a for a in at)
    point = {"s": _read(at)} | {name: str(value) for name, value in shown.items()}
    if mean != at:
        return Witness(point, f"$E[Q(s)] = ({_read(mean)})$ differs from s")
    if error > limit:
        return Witness(point, f"$E\\|Q(s)-s\\|^2 = {error} > {limit} = \\omega \\|s\\|^2$")
    return None


def _read(values: Iterable[F]) -> str:
    return ", ".join(map(str, values))


# ------------------------------------------------------------------------------------------------ sparsification


def rand_k(scale: str = "q/k", factor: str = "q/k - 1") -> Verdict:
    """Keep k of q coordinates, chosen uniformly, times `scale`: A4 with ω = `factor`, for all 1 ≤ k ≤ q."""
    a, w = (sp.sympify(text, {"q": q, "k": k}) for text in (scale, factor))
    G = sp.gamma  # C(q−1, k−1)/C(q, k) in Gamma functions, which SymPy reduces exactly
    kept = sp.gammasimp(G(q) / (G(k) * G(q - k + 1)) * G(k + 1) * G(q - k + 1) / G(q + 1))
    at, (size, number) = (F(1), F(2), F(-1)), (3, 2)
    value = {text: F(str(sp.sympify(text).subs({"q": size, "k": number}))) for text in (scale, factor)}
    subsets = list(combinations(range(size), number))
    law = [(tuple(x * value[scale] * (j in B) for j, x in enumerate(at)), F(1, len(subsets))) for B in subsets]
    verdict = settle(
        "linearity of the expectation",
        {
            "$P(j \\text{ is kept}) \\cdot a = 1$, so $E[Q(s)] = s$": a * kept - 1,
            "$E(Q(s)_j - s_j)^2 = (a^2 P(j \\text{ is kept}) - 1) s_j^2 = \\omega s_j^2$": a**2 * kept - 1 - w,
        },
        f"a is the scale; a coordinate is kept with probability $\\binom{{q-1}}{{k-1}} / \\binom{{q}}{{k}} = {kept}$",
        violates(at, law, value[factor], q=size, k=number, omega=value[factor]),
    )
    listed = (
        f"A4({value[factor]}) at s = ({_read(at)}) for q = {size}, k = {number}: all {len(subsets)} outcomes summed"
    )
    return agreed(verdict, Step(listed, APART))


# ------------------------------------------------------------------------------------------------- quantisation

LENGTH = 4  # of the block in exact instances


def block(exponents: str, factor: str) -> Verdict:
    """x_j → ±‖x‖_r with probability |x_j|/‖x‖_r, else 0: A4 with ω = `factor` for blocks of B, all r in a range.

    `exponents`: "1 <= r <= 2" or "r >= 2"; with e = 1/r in the first range, ω may depend on B and e.
    """
    B, N, S, M, K = sp.symbols("B N S M K", positive=True)
    e = sp.Symbol("e", positive=True)
    growth, why = {
        "1 <= r <= 2": (K, "cited, power means: $\\|x\\|_r \\leq K \\|x\\|_2$ with $K = B^{1/r-1/2}$"),
        "r >= 2": (sp.S.One, "cited: $\\|x\\|_r \\leq \\|x\\|_2$ for $r \\geq 2$"),
    }[exponents]
    w = sp.sympify(factor, {"B": B, "e": e})

    def prove() -> Sequence[Step]:
        ones, x = atoms("{(1,...,1)}", "|x|")
        total = sp.Symbol("T", real=True)  # stands for ‖x‖₁ = ⟨1, |x|⟩ in the combination below
        cauchy = B * square(x) - inner(ones, x) ** 2
        combination = square(B * x - total * ones).subs(total, inner(ones, x)).subs(square(ones), B)
        schwarz = verify(cauchy - combination / B, {}, {}, equality=True, says="$\\|x\\|_1^2 \\leq B \\|x\\|_2^2$")
        given = {
            "one": Hypothesis(sp.sqrt(B) * N - S, "the line above, for $S = \\|x\\|_1$ and $N = \\|x\\|_2$"),
            "r": Hypothesis(growth * N - M, f"{why}, for $M = \\|x\\|_r$"),
        }
        bound = verify(
            (1 + w.subs(B**e, K * sp.sqrt(B))) * N**2 - S * M,
            given,
            {"one": growth * N, "r": S},
            says="$E\\|Q(x)-x\\|^2 = \\|x\\|_1 \\|x\\|_r - \\|x\\|_2^2 \\leq \\omega \\|x\\|_2^2$",
        )
        return (*_block_moments(), *schwarz, *bound)

    verdict = decide("certificate", prove, [lambda: _block_fails(exponents, w.subs(B, LENGTH), e)])
    listed = "A4(ω) at the blocks (1, 1, 1, 1) and (2, 0, 0, 0), at both ends of the range of r: all outcomes summed"
    return agreed(verdict, Step(listed, APART))


def _block_moments() -> Sequence[Step]:
    """Mean and variance of one coordinate, from its two outcomes."""
    size, norm = sp.symbols("|x_j| ||x||_r", positive=True)
    chance = size / norm
    verify(chance * norm - size, {}, {}, equality=True)
    says = "$E[Q(x)_j] = x_j$ and $E(Q(x)_j - x_j)^2 = |x_j| \\, \\|x\\|_r - x_j^2$"
    variance = chance * (norm - size) ** 2 + (1 - chance) * size**2
    return verify(variance - (size * norm - size**2), {}, {}, equality=True, says=says)


def _block_fails(exponents: str, w: sp.Expr, e: sp.Symbol) -> Witness | None:
    """The constant block of length 4 and the block (2, 0, 0, 0), for each exponent with a rational norm there."""
    norms = {"1 <= r <= 2": {"1": (4, 2), "2": (2, 2)}, "r >= 2": {"2": (2, 2), "oo": (1, 2)}}[exponents]
    for r, lengths in norms.items():
        for at, norm in zip(((F(1),) * 4, (F(2), F(0), F(0), F(0))), lengths, strict=True):
            outcomes = [((x, F(1)),) if x in (0, norm) else ((F(norm), x / norm), (F(0), 1 - x / norm)) for x in at]
            law: Law = []
            for choice in product(*outcomes):
                weight = F(1)
                for _, chance in choice:
                    weight *= chance
                law.append((tuple(x for x, _ in choice), weight))
            bound = F(str(w.subs(e, 0 if r == "oo" else sp.Rational(1, int(r)))))
            if (found := violates(at, law, bound, r=r, B=LENGTH, omega=bound)) is not None:
                return found
    return None


def examples(scale: str = "q/k", factor: str = "q/k - 1", low: str = "B**e - 1", high: str = "sqrt(B) - 1") -> Verdict:
    """Rand-k and block-quantisation satisfy A4, each with its ω."""
    parts = {"rand-k": rand_k(scale, factor), "block-r, 1 <= r <= 2": block("1 <= r <= 2", low)}
    return conjunction({**parts, "block-r, r >= 2": block("r >= 2", high)})


def rounding(step: Literal["fixed", "scaled", "scaled, to nearest"], factor: str = "q/(4*L**2)") -> Verdict:
    """Each |s_j| rounded at random to a neighbouring multiple of `step`: A4 with ω = `factor`, for all q and L ≥ 1.

    step: "fixed" = 1 whatever s is; "scaled" = max_j |s_j|/L; "scaled, to nearest": not at random.
    """
    t, d, m, L = sp.symbols("t delta m L", positive=True)
    w = sp.sympify(factor, {"q": q, "L": L})

    size = {"fixed": sp.S.One, "scaled": m / L, "scaled, to nearest": m / L}[step]
    up = sp.S.One if step == "scaled, to nearest" else t / d  # P(up) at t above a multiple of δ; nearest: t ≥ δ/2

    def prove() -> Sequence[Step]:
        variance = up * (d - t) ** 2 + (1 - up) * t**2
        mean = verify(up * d - t, {}, {}, equality=True, says="$E[Q(s)_j] = s_j$")
        says = "$E(Q(s)_j - s_j)^2 \\leq \\delta^2/4$"
        each = verify(d**2 / 4 - variance, {}, {}, [(1, t - d / 2)], says=says)
        total = sp.Symbol("N", nonnegative=True)
        given = {"max": Hypothesis(total - m**2, "$\\max_j |s_j|^2 \\leq \\|s\\|^2$, here $N = \\|s\\|^2$")}
        says = f"$q \\delta^2/4 \\leq \\omega \\|s\\|^2$ with $\\delta = {sp.latex(size)}$, $m = \\max_j |s_j|$"
        return (*mean, *each, *verify(w * total - q * size**2 / 4, given, {"max": q / (4 * L**2)}, says=says))

    verdict = decide("certificate", prove, [lambda: _rounding_fails(step, w.subs({q: 2, L: 1}))])
    return agreed(verdict, Step("A4(ω) at s = (1, 1/2) for L = 1: both outcomes summed", APART))


def _rounding_fails(step: str, bound: sp.Expr) -> Witness | None:
    """q = 2, L = 1: a coordinate t in (0, 1) becomes 1 with probability t, at s = (1, 1/2) or, with a fixed step, at
    a point so near to zero that it breaks A4(ω) for the ω in question, whatever it is."""
    if step == "fixed":
        near = 1 / (2 + 2 * omega)
        excess = near * (1 - near) - omega * near**2
        if not all(
            violates((at := F(str(near.subs(omega, w))),), [((F(1),), at), ((F(0),), 1 - at)], w) for w in TRIED
        ):
            return None
        values = {"variance minus omega s^2": str(sp.factor(excess))}
        says = "the variance is $s(1-s)$, more than $\\omega s^2$ for every $\\omega \\geq 0$"
        point = {"q": "1", "grid": "integers", "omega": "any", "s": "1/(2+2 omega)"}
        return Witness(point, says, values) if sp.cancel(excess - near / 2) == 0 else None
    w, at = F(str(bound)), (F(1), HALF)
    up = F(1) if step == "scaled, to nearest" else HALF
    law = [((F(1), F(1)), up), ((F(1), F(0)), 1 - up)]
    return violates(at, law, w, step=step, L=1, omega=w)


TRIED = (F(0), F(1, 2), F(1), F(100))  # values of ω at which the fixed grid is also tried outcome by outcome


# ---------------------------------------------------------------------------------- no compression, participation


def no_compression(factor: str = "0", unique: bool = False, points: Literal["every", "some"] = "every") -> Verdict:
    """Q satisfies A4(`factor`) if and only if Q(s) = s almost surely, for every s, or for some.

    `unique`: and satisfies it for no other ω.
    """
    w = sp.Rational(factor)
    size, error = sp.symbols("N E", nonnegative=True)  # ‖s‖² and E‖Q(s) − s‖²
    other = sp.Symbol("omega'", positive=True)

    def prove() -> Sequence[Step]:
        given = {"A4": Hypothesis(w * size - error, f"A4({w})")}
        zero = verify(-error, given, {"A4": 1}, says="$E\\|Q(s)-s\\|^2 \\leq 0$")
        surely = Step(
            "$Q(s) = s$ almost surely", "cited: a non-negative random variable of mean 0 vanishes almost surely"
        )
        known = 0 if points == "every" else error  # at an s with Q(s) = s, or at any other
        back = verify(w * size - error.subs(error, known), {}, {}, says=f"conversely, $Q(s) = s$ satisfies A4({w})")
        # no other ω: the identity would have to break A4(ω'), 0 > ω' N, for N > 0
        alone = verify(-other * size, {}, {}, says="and no other A4") if unique else ()
        return (*zero, surely, *back, *alone)

    def fails() -> Witness | None:
        keep_one: Law = [((F(2), F(0)), HALF), ((F(0), F(4)), HALF)]  # rand-1 of 2 at s = (1, 2)
        if violates((F(1), F(2)), keep_one, F(str(w))) is None:
            says = f"rand-1 satisfies A4({w}) here, but $Q(s) \\neq s$"
            return Witness({"s": "1, 2", "Q": "rand-1 of 2", "omega": str(w)}, says)
        if points == "some" and violates((F(1), F(2)), keep_one, F(str(w))) is not None:
            says = f"rand-1 has $Q(0) = 0$, and breaks A4({w}) at (1, 2)"
            return Witness({"s": "0, 0", "Q": "rand-1 of 2", "omega": str(w)}, says)
        if unique and violates((F(1), F(2)), [((F(1), F(2)), F(1))], F(1)) is None:
            return Witness({"Q": "identity", "omega": "1"}, "$Q(s) = s$ satisfies A4(1), too")
        return None

    return decide("derivation", prove, [fails])


def sends(what: Literal["Q", "Q/p", "Q/p**2"]) -> Verdict:
    """Sending `what` ("Q" or "Q/p") with probability p, else nothing, is unbiased and satisfies A4(ω_p)."""
    a = {"Q": sp.S.One, "Q/p": 1 / p, "Q/p**2": 1 / p**2}[what]
    limit = omega + (1 + omega) * (1 - p) / p
    # E‖U a Q‖² ≤ a² p (1 + ω)‖s‖² and E[U a Q] = a p s, with equality for some Q
    variance = a**2 * p * (1 + omega) - 2 * a * p + 1
    law: Law = [((F(1) * F(str(a.subs(p, HALF))),), HALF), ((F(0),), HALF)]
    verdict = settle(
        "linearity of the expectation",
        {
            "mean: $E[U a Q(s)] = a p s = s$": a * p - 1,
            "$E\\|U a Q(s) - s\\|^2 \\leq \\omega_p \\|s\\|^2$": variance - limit,
        },
        "U is Bernoulli(p), independent of Q; $E\\|Q(s)\\|^2 \\leq (1+\\omega)\\|s\\|^2$",
        violates((F(1),), law, F(1), p="1/2", Q="identity"),
    )
    return agreed(verdict, Step("A4(1) at s = 1 for Q the identity and p = 1/2: both outcomes summed", APART))


# ------------------------------------------------------------------------------------- quantised PSD matrices


def quantised_psd(stays: Literal["always leaves", "may leave", "never leaves"]) -> Verdict:
    """The entrywise quantisation of a positive semidefinite matrix "may leave", "never leaves", "always leaves" 𝓜⁺.

    A = vvᵀ with v = (1, 1/2); each entry t in (0, 1) becomes 1 with probability t, independently, off-diagonal entries
    once for both (so that symmetry is not lost): random rounding with one level, ω finite.
    """
    A = sp.Matrix([1, sp.Rational(1, 2)]) * sp.Matrix([[1, sp.Rational(1, 2)]])
    outcomes, mean = {}, sp.zeros(2)
    for off, last in product((0, 1), repeat=2):
        chance = (A[0, 1] if off else 1 - A[0, 1]) * (A[1, 1] if last else 1 - A[1, 1])
        matrix = sp.Matrix([[1, off], [off, last]])
        outcomes[(off, last)] = (chance, matrix)
        mean += chance * matrix
    psd = {key: matrix.det() >= 0 and matrix[1, 1] >= 0 for key, (_, matrix) in outcomes.items()}
    out = [(w, M) for key, (w, M) in outcomes.items() if not psd[key] and w > 0]
    inside = [(w, M) for key, (w, M) in outcomes.items() if psd[key] and w > 0]
    if not (mean == A and A.det() == 0 and A[1, 1] > 0):
        return undecided("exact instance")
    against = {"may leave": [], "never leaves": out, "always leaves": inside}[stays]
    if against:
        w, M = against[0]
        says = f"${sp.latex(M)}$ has probability ${w}$ and determinant ${M.det()}$"
        return refuted("exact instance", Witness({"A": str(A.tolist())}, says))
    if not out:
        return undecided("exact instance")
    w, M = out[0]
    says = f"$Q(A) = {sp.latex(M)}$ with probability ${w}$; its determinant is ${M.det()} < 0$"
    u = sp.Matrix([1, -1])
    negative = Step(f"$u^\\top Q(A) u = {(u.T * M * u)[0]} < 0$ for $u = (1, -1)$", "without determinants")
    return proved(
        "exact instance", Step(says, f"$A = {sp.latex(A)} = vv^\\top \\succeq 0$ and $E[Q(A)] = A$"), negative
    )
