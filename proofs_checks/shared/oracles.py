"""What an oracle of SA-SSMM must be: unbiased, and in 𝒮. Why it must be averaged in 𝒮, not in Θ."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import combinations, product
from typing import Literal

import sympy as sp

from fedmm_edu.errors import needs
from fedmm_edu.proofs.certificate import CertificateFails, decide, same_vector, verify
from fedmm_edu.proofs.gram import atoms as vectors
from fedmm_edu.proofs.gram import scalars
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.iterates import induction, t
from proofs_checks.shared.tools import settle

HALF = sp.Rational(1, 2)
S, s, m = sp.symbols("S s m", real=True)


def unbiased(oracle: str, target: str) -> Verdict:
    """E[oracle] = target for every law of S with mean m (coordinatewise), where m = E_π[S̄(Z, T(s))]."""
    value, wanted = (sp.sympify(text, {"S": S, "s": s, "m": m}) for text in (oracle, target))
    moments = {0: sp.S.One, 1: m}  # E is linear and E[1] = 1; other moments are free
    powers = sp.Poly(value, S).terms()
    mean = sum(factor * moments.get(k, sp.Symbol(f"E[S^{k}]", real=True)) for (k,), factor in powers)
    return settle(
        "linearity of the expectation",
        {f"$E[{oracle}] = {target}$": mean - wanted},
        "E[aS + b] = aE[S] + b for every law with mean m, conditionally on the past",
        _biased_law(value, wanted),
    )


def _biased_law(value: sp.Expr, wanted: sp.Expr) -> Witness | None:
    """A two-point law of S (at 0 and 2, mean 1) and a point s at which the oracle misses its target."""
    for at in (sp.Rational(1, 3), sp.Integer(5)):
        mean = sum(HALF * value.subs({S: atom, s: at}) for atom in (0, 2))
        goal = wanted.subs({m: 1, s: at})
        if mean != goal:
            return Witness(
                {"S": "0 or 2, each with probability 1/2", "s": str(at)},
                f"the oracle has mean ${mean}$, its target is ${goal}$",
            )
    return None


# Maps T: ℝ → ℝ with the convex g of which they are the proximal map for ρ = 1 (Example 1).
MAPS = {
    "theta**2/2": lambda x: x / 2,
    "(theta - 1)**2/2": lambda x: (x + 1) / 2,
    "indicator of [0, oo)": lambda x: sp.Max(x, 0),
}
LAWS = ((-1, 1), (1, 3))  # two points, each with probability 1/2


def bias(unless: Literal["affine", "linear"], laws: Literal["every", "some"]) -> Verdict:
    """For every T: if T is `unless`, T(S) is unbiased for T(E[S]) whatever the law of S; if not, then it is biased
    for `laws` ("every" non-degenerate law, or "some" law)."""
    a, b = sp.symbols("a b", real=True)
    law, atoms = sp.symbols("p1:4", real=True), sp.symbols("s1:4", real=True)
    general = {"affine": a * S + b, "linear": a * S}[unless]

    def prove() -> Sequence[Step]:
        mean = sum(w * x for w, x in zip(law, atoms, strict=True))
        error = sum(w * general.subs(S, x) for w, x in zip(law, atoms, strict=True)) - general.subs(S, mean)
        says = f"$T(s) = {sp.latex(general)}$: $E[T(S)] - T(E[S]) = 0$, termwise, so for any number of atoms"
        none = verify(error.subs(law[-1], 1 - sum(law[:-1])), {}, {}, equality=True, says=says)
        # the converse: T unbiased for the laws in question is affine, and so of the form above
        some, other = _two_point_bias("p", "x", "y"), _two_point_bias("r", "u", "v")
        given = {
            "unbiased": Hypothesis(some if laws == "some" else other, f"no bias, negating “{laws} law”", equality=True)
        }
        says = (
            "no bias gives $p\\,T(x) + (1-p)\\,T(y) = T(px + (1-p)y)$ for all $x, y, p$: T is affine, $T(s) = as + b$"
        )
        affine = verify(some, given, {"unbiased": 1}, equality=True, says=says)
        form = verify(a * S + b - general, {}, {}, equality=True, says=f"T is {unless}")
        return (*none, *affine, *form)

    return decide("identity", prove, [lambda: _bias_counterexample(unless, laws)])


def _two_point_bias(p: str, x: str, y: str) -> sp.Expr:
    """E[T(S)] − T(E[S]) for S = x with probability p, else y."""
    weight = sp.Symbol(p, real=True)
    one, two, middle = scalars(f"T({x})", f"T({y})", f"T({p}{x}+(1-{p}){y})")
    return weight * one + (1 - weight) * two - middle


def _bias_counterexample(unless: str, laws: str) -> Witness | None:
    x = sp.Symbol("x", real=True)
    for g, T in MAPS.items():
        affine = T(x).is_polynomial(x) and sp.degree(T(x), x) <= 1
        inside = affine and (unless == "affine" or T(sp.Integer(0)) == 0)
        biases = {law: HALF * sum(T(sp.Integer(v)) for v in law) - T(HALF * sum(map(sp.Integer, law))) for law in LAWS}
        if inside and any(biases.values()):
            wrong = next(law for law in LAWS if biases[law])
        elif not inside and laws == "every" and 0 in biases.values():
            wrong = next(law for law in LAWS if biases[law] == 0)
        elif not inside and affine:  # affine maps have no bias for any law
            wrong = LAWS[0]
        else:
            continue
        return Witness(
            {"rho": "1", "g": g, "T(s)": str(T(s)), "S": f"{wrong[0]} or {wrong[1]}, each with probability 1/2"},
            f"$T$ is {'' if inside else 'not '}{unless}, and $E[T(S)] - T(E[S]) = {biases[wrong]}$",
        )
    return None


def online(fresh: bool) -> Verdict:
    """E[S̄(Z_{t+1}, T(Ŝ_t)) | past] = E_π[S̄(Z, T(Ŝ_t))], where Z_{t+1} is independent of the past or the last sample."""
    size = range(3)
    law = sp.symbols("p1:4")
    oracle = sp.MatrixSymbol("S_bar", 3, 3)  # S_bar[k, i] = S̄(z_k, T(ŝ)) after the past in which Z_t = z_i
    given = [[law[k] if fresh else sp.Integer(k == i) for k in size] for i in size]  # P(Z_{t+1} = z_k | Z_t = z_i)
    residuals = {
        f"conditionally on $Z_t = z_{i + 1}$": sp.Add(*((given[i][k] - law[k]) * oracle[k, i] for k in size))
        for i in size
    }
    return settle(
        "identity",
        residuals,
        "the coefficient of each $\\bar S(z_k, \\cdot)$ is its probability under π, termwise for any finite law",
        _stale_oracle(fresh),
    )


def _stale_oracle(fresh: bool) -> Witness | None:
    """S̄(z, τ) = z with Z ∈ {0, 2}, each with probability 1/2: the oracle's mean given Z_t, beside its target."""
    values, law = (F(0), F(2)), (F(1, 2), F(1, 2))
    target = sum(w * v for w, v in zip(law, values, strict=True))
    for last in (0, 1):
        given = law if fresh else tuple(F(k == last) for k in (0, 1))
        mean = sum(w * v for w, v in zip(given, values, strict=True))
        if mean != target:
            point = {"S_bar(z, tau)": "z", "Z": "0 or 2, each with probability 1/2", "Z_t": str(values[last])}
            return Witness(
                point, f"given $Z_t = {values[last]}$ the oracle has mean ${mean}$, its target is ${target}$"
            )
    return None


def minibatch(normaliser: str, draw: Literal["unequal draws", "uniform draws", "uniform subset"]) -> Verdict:
    """E[normaliser · Σ_{j∈B} x_j] = N^{-1} Σ_j x_j, for all N, 1 ≤ b ≤ N and x, where B is drawn by `draw`."""
    N, b, q = sp.symbols("N b q_j", positive=True)
    binomial = sp.gamma  # C(N−1, b−1)/C(N, b) in Gamma functions, which SymPy reduces exactly
    share = binomial(N) / (binomial(b) * binomial(N - b + 1)) * binomial(b + 1) * binomial(N - b + 1) / binomial(N + 1)
    expected = {"uniform subset": sp.gammasimp(share), "uniform draws": b / N, "unequal draws": b * q}[draw]
    residual = sp.sympify(normaliser, {"b": b, "N": N}) * expected - 1 / N
    return settle(
        "linearity of the expectation",
        {f"$E[\\#\\{{j \\in B\\}}] = {sp.latex(expected)}$ for each $j$": residual},
        "the coefficient of $x_j$ in the mean must be $1/N$ for each $j$",
        _enumerated(normaliser, draw),
    )


def _enumerated(normaliser: str, draw: str) -> Witness | None:
    """All batches of size 2 out of 3 samples, each with its probability."""
    x, b, N = (F(1), F(4), F(16)), F(2), F(3)
    q = (F(1, 2), F(1, 4), F(1, 4)) if draw == "unequal draws" else (F(1, 3),) * 3
    subsets = list(combinations(range(3), 2))
    law = (
        [(B, F(1, len(subsets))) for B in subsets]
        if draw == "uniform subset"
        else [(B, q[B[0]] * q[B[1]]) for B in product(range(3), repeat=2)]
    )
    scale = {"1/b": 1 / b, "1/N": 1 / N, "1/(b+1)": 1 / (b + 1)}[normaliser]
    mean, target = sum(weight * scale * sum(x[k] for k in B) for B, weight in law), sum(x) / N
    if mean == target:
        return None
    return Witness(
        {"x": "(1, 4, 16)", "b": "2", "draw": draw, "probabilities": ", ".join(map(str, q))},
        f"summing over all {len(law)} batches, the oracle has mean ${mean}$, its target is ${target}$",
    )


def stays_inside(gamma_max: str = "1", convex: bool = True, oracle_inside: bool = True) -> Verdict:
    """Ŝ ∈ 𝒮 and 0 < γ ≤ gamma_max imply Ŝ + γ(S − Ŝ) ∈ 𝒮, for convex 𝒮 (or any) and S ∈ 𝒮 (or anywhere).

    𝒮 = {d = 0} for its distance d ≥ 0; convex: d(ax + by) ≤ a d(x) + b d(y) for a, b ≥ 0 with a + b = 1.
    """
    size = sp.Symbol("gamma", positive=True)
    old, new, after = sp.symbols(r"{d(\hat{S})} d(S) {d(\hat{S}+\gamma(S-\hat{S}))}", nonnegative=True)

    def prove() -> Sequence[Step]:
        at, towards = vectors(r"\hat S", "S")
        moved, same = at + size * (towards - at), (1 - size) * at + size * towards
        whole = same_vector(moved, same, "weights $1-\\gamma$ and $\\gamma$, which sum to 1")
        step = {"step": Hypothesis(sp.Rational(gamma_max) - size, f"$\\gamma \\leq {gamma_max}$")}
        room = [(1 - sp.Rational(gamma_max), sp.S.One)] if sp.Rational(gamma_max) != 1 else []
        weight = verify(1 - size, step, {"step": 1}, room, says="the weights are $\\geq 0$")
        lines = {
            "convex": Hypothesis((1 - size) * old + size * new - after, "𝒮 is convex, for weights as above"),
            "old": Hypothesis(-old, "$\\hat S \\in \\mathcal{S}$", equality=True),
            "new": Hypothesis(-new, "$S \\in \\mathcal{S}$", equality=True),
        }
        held = {"convex": convex, "old": True, "new": oracle_inside}
        given = {name: line for name, line in lines.items() if held[name]}
        used = {"convex": 1, "old": 1 - size, "new": size}
        says = "the distance of $\\hat S + \\gamma(S-\\hat S)$ from 𝒮 is 0; then induction on t"
        return (whole, *weight, *verify(-after, given, used, says=says))

    return decide("certificate", prove, [lambda: _leaves(gamma_max, convex, oracle_inside)])


def _leaves(gamma_max: str, convex: bool, oracle_inside: bool) -> Witness | None:
    """A point that z3 finds for 𝒮 = [0, 1], or [0, 1] ∪ [2, 3] where 𝒮 need not be convex."""
    with needs("check", "a point that leaves 𝒮"):
        import z3

    own = z3.Context()  # else the point depends on what was solved before
    g, x, y = z3.Reals("gamma Shat S", own)
    step = z3.And(g > 0, g <= z3.RealVal(gamma_max, own))

    def inside(v: z3.ArithRef) -> z3.BoolRef:
        unit = z3.And(v >= 0, v <= 1)
        return unit if convex else z3.Or(unit, z3.And(v >= 2, v <= 3))

    search = z3.Solver(ctx=own)
    search.add(step, inside(x), z3.Not(inside(x + g * (y - x))), inside(y) if oracle_inside else y <= 9)
    if search.check() == z3.sat:
        model = search.model()
        values = {str(v): model.eval(v, model_completion=True).as_fraction() for v in (g, x, y)}
        after = values["Shat"] + values["gamma"] * (values["S"] - values["Shat"])
        where = "[0, 1]" if convex else "[0, 1] ∪ [2, 3]"
        point = {"set": where, **{name: str(value) for name, value in values.items()}}
        return Witness(point, f"$\\hat S_{{t+1}} = {after}$ lies outside {where}")
    return None


ROOTS = {"1/sqrt(s)": lambda s: 1 / sp.sqrt(s), "(s + 1)/2": lambda s: (s + 1) / 2}
"""Two maps T: that of Remark 1, and an affine one."""


def average_of_biased(space: Literal["S", "Theta"], T: str = "1/sqrt(s)") -> Verdict:
    """SA with γ_t = 1/t and oracles S̄(z, τ) = z of E_π[Z], Z = 1 or 49: the Θ-valued scheme x_{t+1} = x_t +
    γ_{t+1}(T(S_{t+1}) − x_t), or T of the 𝒮-valued one (`space`), converges, but not to T(E_π[Z])."""
    law, transport = (sp.Integer(1), sp.Integer(49)), ROOTS[T]
    root = transport(HALF * sum(law))
    limit = HALF * sum(map(transport, law)) if space == "Theta" else root
    weights = induction(1 / t, sp.S.Zero, 1 / t, 1 / t)  # of x_0, of each earlier oracle and of the last one

    def prove() -> Sequence[Step]:
        mean = [
            step
            for name, left in weights.items()
            for step in verify(left, {}, {}, equality=True, says=f"$x_t$ is the mean of the first t oracles: {name}")
        ]
        room = sp.Abs(limit - root)
        if not room.is_positive:
            raise CertificateFails(f"the limit ${limit}$ is $T(E_\\pi[Z])$.")
        apart = Step(f"${limit} \\neq {root} = T(E_\\pi[Z])$, the only root", f"they differ by ${room}$")
        law_of_large_numbers = Step(f"$x_t \\to {limit}$ almost surely", "the law of large numbers (cited)")
        return (*mean, law_of_large_numbers, apart)

    def search() -> Witness | None:
        if limit != root:
            return None
        point = {"T(s)": T, "Z": "1 or 49, each with probability 1/2", "space": space}
        return Witness(point, f"the scheme converges to ${limit}$, which is $T(E_\\pi[Z])$")

    return decide("induction on t", prove, [search])
