"""What other algorithms are, or are not, in the words of SA-SSMM: online dictionary learning, stochastic MM,
federated matrix factorisation, Newton, and averages of sparse models."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import CertificateFails, decide, verify
from fedmm_edu.proofs.gram import atoms
from fedmm_edu.proofs.gram import square as gram_square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction, proved, refuted, undecided
from fedmm_edu.symbolic.decide.inequality import decide_nonnegative
from proofs_checks.s2_3_dictionary.codes import soft
from proofs_checks.shared.iterates import NAMES, induction
from proofs_checks.shared.tools import settle
from proofs_checks.shared.traces import Matrix, inner, letter, square, trace

Q = sp.Rational


# ---------------------------------------------------------------------------------------- online dictionary learning

RUN = (Q(8), Q(-6), Q(5))  # samples for p = K = 1, with the penalty |h| of ½(x − Dh)² + |h| and D_0 = 1/2


def odl_step(step: str, start: Literal["any", "first oracle"] = "any") -> Verdict:
    """T(Ŝ_t) = D_t for all t ≥ 0, where γ_t = step(t), T(Ŝ_0) = D_0 with s⁽¹⁾ ≻ 0, and D_t minimises
    ½Tr(D'DA_t) − Tr(D'B_t) over the dictionaries, A_t = Σ_{j≤t} h_j h_j', B_t = Σ_{j≤t} x_j h_j'.

    `start` "first oracle": T(Ŝ_t) = D_{t+1}, from Ŝ_0 = (h_1h_1', x_1h_1'): a round before with the step 1.
    """
    if start == "first oracle":
        earlier = sp.sympify(step, {"t": sp.Symbol("t")}).subs(sp.Symbol("t"), sp.Symbol("t") - 1)
        if earlier.subs(sp.Symbol("t"), 1) != 1:
            return undecided("induction on t")  # the round before would have another step than the others
        return odl_step(str(earlier))
    found = _odl_difference(sp.sympify(step, {"t": sp.Symbol("t")}))
    weight = sp.sympify(step, NAMES)
    sums = induction(weight, sp.S.Zero, weight, weight)  # of Ŝ_0, the earlier and the last sample
    theta, s1, s2, D, c = *map(letter, ("theta", "s1", "s2", "D_0")), sp.Symbol("c", positive=True)
    J = lambda a, b: trace(theta.T @ theta @ a) - 2 * trace(theta.T @ b)  # noqa: E731
    residuals = {
        **{rf"$\hat S_t = \gamma_t (A_t, B_t)$, whatever $\hat S_0$: {line}": left for line, left in sums.items()},
        r"$J_{cs} = cJ_s$, so $T(cs) = T(s)$ for $c > 0$, where MM-2 holds at $s$": J(c * s1, c * s2) - c * J(s1, s2),
        r"$J_{(I, D_0)}(\theta) = \|\theta - D_0\|^2 - \|D_0\|^2$, so $T((I, D_0)) = D_0$": (
            square(theta) - 2 * inner(theta, D) - square(theta - D) + square(D)
        ),
    }
    why = "exact (the sums by induction), as $g$ is an indicator and $\\psi = 0$; equal dictionaries give equal codes"
    return settle("induction on t", residuals, why, found)


def _odl_difference(step: sp.Expr) -> Witness | None:
    """Both algorithms for p = K = 1 on three samples: the first t at which they have different dictionaries."""
    t, D, A, B, s1, s2 = sp.Symbol("t"), Q(1, 2), Q(0), Q(0), Q(1), Q(1, 2)
    for now, x in enumerate(RUN, start=1):
        h = soft(D * x, sp.S.One) / D**2  # the same for both, as long as their dictionaries agree
        gamma = step.subs({t: now, sp.Symbol("c"): Q(1, 2)})
        A, B = A + h**2, B + x * h
        s1, s2 = s1 + gamma * (h**2 - s1), s2 + gamma * (x * h - s2)
        D, mirror = (sp.Max(-1, sp.Min(1, b / a)) for a, b in ((A, B), (s1, s2)))
        if mirror != D:
            point = {"p, K": "1, 1", "lambda": "1", "D_0": "1/2", "Shat_0": "(1, 1/2)", "x": str(RUN[:now])}
            says = f"$D_{{{now}}} = {D}$, but $T(\\hat S_{{{now}}}) = {mirror}$ with $\\gamma_{{{now}}} = {gamma}$"
            return Witness(point, says)
    return None


# ------------------------------------------------------------------------------------- stochastic MM of Mairal (2013)


def stochastic_mm(
    first_step: Literal["1", "free"], start: Literal["T(S_0) = theta_0", "U_0 = g_0 + const"], in_class: bool
) -> Verdict:
    """T(Ŝ_n) = θ_n, where ḡ_n = (1 − γ_n)ḡ_{n−1} + γ_n U_n and ḡ_0 = ρ/2·‖θ − θ_0‖² for some ρ > 0.

    `first_step` is γ_1 ("free": any in (0, 1], or "1"); `start`: Ŝ_0 with "T(S_0) = theta_0", or one with
    "U_0 = g_0 + const"; `in_class`: the U_n (up to constants) are strongly convex with a smooth error, as asked there.
    """
    gap, u, gamma = sp.symbols("D_{n-1} u gamma_n")
    g1 = {"1": sp.S.One, "free": sp.Symbol("gamma_1")}[first_step]
    initial = sp.S.Zero if start == "U_0 = g_0 + const" else sp.Symbol("D_0")
    recursion = ((1 - gamma) * (gap + u) + gamma * sp.Symbol("U_n")) - ((1 - gamma) * u + gamma * sp.Symbol("U_n"))
    residuals = {
        r"$D_n = \bar U_n - \bar g_n$ obeys $D_n = (1 - \gamma_n)D_{n-1}$": recursion - (1 - gamma) * gap,
        r"$D_1 = (1 - \gamma_1)D_0$ is constant in $\theta$, so $D_n$ is for $n \geq 1$": (1 - g1) * initial,
    }
    why = "identity; functions that differ by a constant have the same minimisers, so the next surrogates agree, too"
    same = settle("induction on n", residuals, why, _no_rho(g1) if initial != 0 else None)
    if same.status == "refuted":
        return same
    allowed = decide("certificate", lambda: _strong(in_class), [lambda: None if in_class else _not_strongly_convex()])
    return conjunction({"the iterates": same, "the surrogates": allowed})


def _strong(in_class: bool) -> Sequence[Step]:
    """U_n'' ≥ m for some m > 0: assumed of the class, or asked of the toy's U = 1/θ + zθ."""
    least, theta = sp.symbols("m theta", positive=True)
    assumed = sp.Symbol("{U_n''}", real=True)
    curvature = assumed if in_class else sp.diff(1 / theta, theta, 2)
    given = {"class": Hypothesis(assumed - least, "the class of surrogates that the algorithm asks for")}
    return verify(curvature - least, given, {"class": 1}, says="the $U_n$ are strongly convex")


def _no_rho(first: sp.Expr) -> Witness | None:
    """ℓ = ½(θ − z)², g = |θ|, ψ = ½θ², φ = θ, S̄ = z, Ŝ_0 = 3: no ρ gives θ_1 for both Z_1 = 0 and Z_1 = −6."""
    gamma = first.subs(sp.Symbol("gamma_1"), Q(1, 2))
    rho, start = sp.Symbol("rho", positive=True), soft(sp.Integer(3), sp.S.One)

    def fits(z: int) -> list[sp.Expr]:
        """The ρ > 0 whose first step, soft((1−γ)ρθ_0 + γz, γ)/((1−γ)ρ + γ), is T(Ŝ_1)."""
        ours = soft((1 - gamma) * 3 + gamma * z, sp.S.One)
        pull, weight = (1 - gamma) * rho * start + gamma * z, (1 - gamma) * rho + gamma
        return sp.solve(sp.Eq(pull - gamma * sp.sign(ours), weight * ours), rho)  # ours ≠ 0: optimality there

    if gamma == 1:
        return None
    both = [value for value in fits(0) if value in fits(-6)]
    if both:
        return None
    point = {"l": "(theta - z)^2/2", "g": "|theta|", "Shat_0": "3", "theta_0": str(start), "gamma_1": str(gamma)}
    needed = [", ".join(map(str, fits(z))) or "none" for z in (0, -6)]
    says = (
        f"$T(\\hat S_1) = \\theta_1$ needs $\\rho = {needed[0]}$ if $Z_1 = 0$, but $\\rho = {needed[1]}$ if $Z_1 = -6$"
    )
    return Witness({**point, "Z_1": "0 or -6"}, says)


def _not_strongly_convex() -> Witness | None:
    """The toy of Remark 1: U = 1/θ + zθ on (0, ∞) has U'' = 2/θ³, below any m > 0 for large θ."""
    theta = sp.Symbol("theta", positive=True)
    curvature = sp.diff(1 / theta, theta, 2)
    if sp.limit(curvature, theta, sp.oo) != 0:
        return None
    says = (
        f"$U'' = {sp.latex(curvature)} \\to 0$ as $\\theta \\to \\infty$: not strongly convex, so not a surrogate there"
    )
    return Witness({"l(z, theta)": "z*theta + 1/theta", "z": "1", "U": "1/theta + theta", "theta": "-> oo"}, says)


# --------------------------------------------------------------------------------- federated matrix factorisation etc.


def fmf_oracles(normaliser: str, weight: str) -> Verdict:
    """E_{π_i}[S̄] = normaliser·Σ_j (h_ij h_ij', Z_ij h_ij'), and Σ_i weight·E_{π_i}[S̄] is the mean of all N."""
    N_i, N, n = sp.symbols("N_i N n", positive=True)
    names = {"N_i": N_i, "N": N, "n": n}
    share, mu = (sp.sympify(text, names) for text in (normaliser, weight))
    residuals = {
        "the coefficient of each sample of client $i$ in $E_{\\pi_i}$": share - 1 / N_i,
        "its coefficient in $\\sum_i \\mu_i E_{\\pi_i}$ is $1/N$": mu * share - 1 / N,
    }
    found, codes = None, ((F(1),), (F(2), F(3)))  # p = K = 1; the codes of clients with 1 and 2 samples
    for batch in codes:
        at = {N_i: len(batch), N: 3, n: 2}
        claimed, true = sum(h * h for h in batch) * F(str(share.subs(at))), sum(h * h for h in batch) / len(batch)
        if claimed != true and found is None:
            found = Witness(
                {"N_i": str(len(batch)), "h": str(tuple(map(str, batch)))}, f"${claimed}$ is not the mean ${true}$"
            )
    pooled = sum(F(str(mu.subs({N_i: len(b), N: 3, n: 2}))) * sum(h * h for h in b) / len(b) for b in codes)
    if found is None and pooled != F(14, 3):
        found = Witness({"N_1, N_2": "1, 2", "h": "1; 2, 3"}, f"the sum is ${pooled}$, the mean over all is $14/3$")
    return settle(
        "linearity of the expectation", residuals, "termwise, for any n and N_i; both parts of S alike", found
    )


def fmf_inner(inside: Literal["argmin", "min", "zero"]) -> Verdict:
    """(23) with `inside` the codes ("argmin"), "min" or the value at h = "zero" is (14) for the pooled samples."""
    theta, h, z = sp.symbols("theta h z", real=True)
    value = (z - theta * h) ** 2 + h**2  # p = K = 1, χ = h², one sample
    code = theta * z / (theta**2 + 1)
    least = sp.cancel(value.subs(h, code))
    printed = {"argmin": code, "min": least, "zero": value.subs(h, 0)}[inside]
    ends = [_least_end(e.subs(z, 2), theta) for e in (printed, least)]
    found = None
    if ends[0] != ends[1]:
        point = {"p, K, N": "1, 1, 1", "chi": "h^2", "Z": "2", "Theta": "[0, 1]"}
        says = (f"the minimum over $h$ is ${sp.latex(least.subs(z, 2))}$, least at $\\theta = {ends[1]}$; "
                f"the printed term is ${sp.latex(printed.subs(z, 2))}$, least at $\\theta = {ends[0]}$")  # fmt: skip
        found = Witness(point, says)
    N_i, N = sp.symbols("N_i N", positive=True)
    why = "termwise, for any n and N_i, when all $\\mathcal{H}_i$ are equal"
    residuals = {
        "$\\sum_i \\mu_i f_i = N^{-1}\\sum_i\\sum_j \\min_h$: the weight of a sample": N_i / N * (1 / N_i) - 1 / N,
        "the printed term is the loss $\\min_h \\|Z - \\theta h\\|^2 + \\chi(h)$": printed - least,
    }
    return settle("identity", residuals, why, found)


def _least_end(expr: sp.Expr, theta: sp.Symbol) -> int:
    """The end of [0, 1] at which a monotone function of θ is least."""
    unit = [theta >= 0, theta <= 1]
    for end, sign in ((0, 1), (1, -1)):
        if decide_nonnegative(sign * sp.diff(expr, theta), unit).status == "proved":
            return end
    raise InvalidInput(f"{expr} is not monotone on [0, 1]: choose another instance.")


def newton(
    sent: Literal["models", "steps"],
    points: Literal["common", "own"],
    weights: Literal["different", "the same"] = "the same",
) -> Verdict:
    """The server's step is Newton's on Σ μ_i f_i at θ. `sent`: "models" (gradients and Hessians) or "steps";
    `points`: the clients' θ is "common" or "own"; `weights` of gradients and Hessians."""
    mu, size = sp.symbols("mu1:4", positive=True), range(3)
    nu = mu if weights == "the same" else sp.symbols("nu1:4", positive=True)  # of the Hessians
    at = "" if points == "common" else "'"  # taken at θ, or at the client's own θ'
    g, H = ([letter(f"{name}_{i}{at}") for i in size] for name in "gH")
    true_g, true_H = ([letter(f"{name}_{i}") for i in size] for name in "gH")

    def combine(w: Sequence[sp.Symbol], parts: Sequence[Matrix]) -> Matrix:
        return sum((w[i] * parts[i] for i in size[1:]), w[0] * parts[0])

    if sent == "models":
        u = letter("u")  # any step: equal models have equal stationary points
        model = lambda a, A: inner(a, u) + trace(u.T @ A @ u) / 2  # noqa: E731
        residual = model(combine(mu, g), combine(nu, H)) - sum(mu[i] * model(true_g[i], true_H[i]) for i in size)
    else:
        v, steps = letter("v"), [letter(f"u_{i}") for i in size]  # H_i u_i = g_i, tested against any v
        own = sum(mu[i] * inner(v, H[i] @ steps[i]) for i in size)
        residual = inner(v, combine(nu, true_H) @ combine(mu, steps)) - own
    return settle(
        "identity",
        {"the server's step solves the equation of Newton's on $\\sum_i \\mu_i f_i$ at $\\theta$": residual},
        "the quadratic models agree; derivatives are linear, termwise for any n and d",
        _newton_difference(sent, points, weights),
    )


def _newton_difference(sent: str, points: str, weights: str) -> Witness | None:
    """f_1 = θ²/2 + θ⁴/4, f_2 = (θ − 3)², μ = 1/2, at θ = 1 (client 1 at 3 if on its own)."""
    theta, half = sp.Symbol("theta"), Q(1, 2)
    f = (theta**2 / 2 + theta**4 / 4, (theta - 3) ** 2)
    at = (Q(3) if points == "own" else Q(1), Q(1))
    slope, bend = ([sp.diff(f[i], theta, k).subs(theta, at[i]) for i in (0, 1)] for k in (1, 2))
    mean = half * (f[0] + f[1])
    true = 1 - (sp.diff(mean, theta) / sp.diff(mean, theta, 2)).subs(theta, 1)
    mu = (Q(1, 4), Q(3, 4)) if weights != "the same" else (half, half)
    if sent == "models":
        step = 1 - half * sum(slope) / sum(w * b for w, b in zip(mu, bend, strict=True))
    else:
        step = half * sum(1 - a / b for a, b in zip(slope, bend, strict=True))
    if step == true:
        return None
    point = {"f_1": str(f[0]), "f_2": str(f[1]), "mu": "1/2, 1/2", "theta": "1", "clients at": str(at)}
    return Witness(point, f"Newton's step gives ${true}$, the server's ${step}$")


SPACES = {"R^q": sp.Reals, "half-line": sp.Interval(0, sp.oo)}
"""𝒮 for q = 1; the argument is the same in every coordinate."""


def no_projection(space: Literal["R^q", "half-line"], definite: bool) -> Verdict:
    """argmin_{s ∈ 𝒮} (s − x)'B(s − x) is x for every x: 𝒮 is "R^q" or "half-line"; B ≻ 0 (`definite`) or only ⪰ 0."""
    least = sp.Symbol("b", positive=True) if definite else sp.Symbol("b", nonnegative=True)  # of B's eigenvalues

    def prove() -> Sequence[Step]:
        (e,) = atoms("s-x")
        form = sp.Symbol(r"{\langle s-x, B(s-x) \rangle}", real=True)
        given = {"least": Hypothesis(form - least * gram_square(e), "b bounds the eigenvalues of B from below")}
        steps = verify(form - least * gram_square(e), given, {"least": 1}, says=r"$\geq b\|s-x\|^2$, and 0 at $s = x$")
        if not least.is_positive:
            raise CertificateFails(f"b = {least} may be 0, and then other s give 0, too.")
        if not sp.Reals.is_subset(SPACES[space]):
            raise CertificateFails(f"x ranges over $R^q$, which is not inside $\\mathcal{{S}}$ = {SPACES[space]}.")
        return (*steps, Step(r"$> 0$ for $s \neq x$, and $x \in \mathcal{S}$", "b > 0; every x lies in 𝒮"))

    def search() -> Witness | None:
        """q = 1: B = 1, or B = 0 where that is allowed; x = −1 and the points −1, 0, 1 of 𝒮."""
        B, x = (1 if definite else 0), -1
        value = {s: B * (s - x) ** 2 for s in (-1, 0, 1) if SPACES[space].contains(s) == sp.true}
        best = [s for s in value if value[s] == min(value.values())]
        if best == [x]:
            return None
        point = {"q": "1", "S": str(SPACES[space]), "B": str(B), "x": str(x)}
        return Witness(point, f"among -1, 0, 1 the minimisers are ${', '.join(map(str, best))}$, not $x$ alone")

    return decide("certificate", prove, [search])


def averages_of_sparse(quantifier: str) -> Verdict:
    """Averages of clients' sparse models "may" lose, or "never" lose, a zero that all clients' models have room for:
    g = ‖·‖₁ and ρ = 1, so that each client's model is a soft threshold; zeros of the average are counted."""
    mirrors = ((Q(3), Q(1, 2)), (Q(1, 2), Q(3)))
    models = [tuple(soft(s, sp.S.One) for s in mirror) for mirror in mirrors]
    average = tuple(sum(column) / 2 for column in zip(*models, strict=True))
    zeros = [list(model).count(0) for model in (*models, average)]
    lost = min(zeros[:2]) > zeros[2]
    point = {"g": "|theta|_1", "rho": "1", "s_1": str(mirrors[0]), "s_2": str(mirrors[1]), "mu": "1/2, 1/2"}
    says = (
        f"the models ${models[0]}$, ${models[1]}$ have {zeros[0]} zero each, their average ${average}$ has {zeros[2]}"
    )
    if quantifier == "never":
        return refuted("exact instance", Witness(point, says)) if lost else undecided("exact instance")
    return proved("exact instance", Step(says, str(point))) if lost else undecided("exact instance")
