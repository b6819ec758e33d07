"""Section 1: what a surrogate is for, and why surrogates may be averaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, inner, scalars
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.beyond_messages.personal import coins_instance
from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.s1_introduction.encompassing import marfoq

SECTION = "Section 1: Introduction"

x = sp.Symbol("theta", real=True)
HALF = sp.Rational(1, 2)


def nonnegative_quadratic(expr: sp.Expr) -> bool:
    """Whether a polynomial of degree at most 2 in θ is ≥ 0 on ℝ: completing the square, exactly."""
    a, b, c = (sp.Poly(expr, x).coeff_monomial(x**k) for k in (2, 1, 0))
    return bool(b == 0 and c >= 0) if a == 0 else bool(a > 0 and c - b**2 / (4 * a) >= 0)


# ------------------------------------------------------------------------------------------- one MM step descends


@dataclass(frozen=True)
class Step1D:
    """One MM step on the line with quadratic f, U_t, g: which hypotheses hold is computed, not declared."""

    f: sp.Expr
    U: sp.Expr
    g: sp.Expr
    start: sp.Rational
    end: sp.Rational

    def facts(self) -> set[str]:
        total = self.U + self.g
        tests = {
            "tangent": (self.U - self.f).subs(x, self.start) == 0,
            "majorises": nonnegative_quadratic(self.U - self.f),
            "minimises": nonnegative_quadratic(total - total.subs(x, self.end)),
        }
        return {name for name, holds in tests.items() if holds}

    def ascends(self, hypotheses: Sequence[str]) -> Witness | None:
        """The step as a witness, if it satisfies `hypotheses` and yet increases f + g."""
        before, after = ((self.f + self.g).subs(x, point) for point in (self.start, self.end))
        if not set(hypotheses) <= self.facts() or after <= before:
            return None
        values = {"before": str(before), "after": str(after)}
        return Witness(self.point(), f"$f+g$ grows from ${before}$ to ${after}$", values)

    def point(self) -> dict[str, str]:
        parts = {"f": self.f, "U_t": self.U, "g": self.g, "theta_t": self.start, "theta_{t+1}": self.end}
        return {name: str(value) for name, value in parts.items()}


MM_STEPS = (
    Step1D(x**2 / 2, x**2 / 2 + (x - 1) ** 2 / 2, x**2 / 2, sp.S.One, sp.Rational(1, 3)),  # a proper MM step
    Step1D(x**2 / 2, HALF + (x - 1) + (x - 1) ** 2 / 6, sp.S.Zero, sp.S.One, sp.Integer(-2)),  # too flat to majorise
    Step1D(x**2 / 2, (x - 1) ** 2 + 1, sp.S.Zero, sp.S.Zero, sp.S.One),  # above f, but not tangent at the start
    Step1D(x**2 / 2, x**2, sp.S.Zero, sp.S.Zero, sp.S.One),  # a good surrogate, not minimised
)


def check_descent(hypotheses: Sequence[str] = ("tangent", "majorises", "minimises")) -> Verdict:
    """f + g does not increase over one step, as a certificate in the six values it involves."""
    now, after = r"(\theta_t)", r"(\theta_{t+1})"
    f0, f1, U0, U1, g0, g1 = scalars("f" + now, "f" + after, "U_t" + now, "U_t" + after, "g" + now, "g" + after)
    known = {
        "tangent": Hypothesis(U0 - f0, "the surrogate equals $f$ at the current iterate", equality=True),
        "majorises": Hypothesis(U1 - f1, r"the surrogate lies above $f$, here at $\theta_{t+1}$"),
        "minimises": Hypothesis(U0 + g0 - U1 - g1, r"$\theta_{t+1}$ minimises $U_t + g$, here against $\theta_t$"),
    }
    given = {name: known[name] for name in hypotheses}
    multipliers = {"tangent": -1, "majorises": 1, "minimises": 1}
    return decide(
        "certificate",
        lambda: verify(f0 + g0 - f1 - g1, given, multipliers),
        [lambda step=step: step.ascends(hypotheses) for step in MM_STEPS],
    )


def descent_instance() -> Witness:
    step = MM_STEPS[0]
    if step.facts() != {"tangent", "majorises", "minimises"}:
        raise InvalidInput(f"the instance satisfies only {sorted(step.facts())}: choose another one.")
    return Witness(step.point(), r"tangent, above $f$, and minimised by $\theta_{t+1}$: all three verified exactly")


# ------------------------------------------------------------------------------------- is the surrogate linear in s?

A, RHO = HALF, sp.S.One  # Example 1 with f(θ) = θ²/4 and ρ = 1 ≤ 1/L_f = 2
f_toy = A * x**2 / 2


def mirror_of(tau: sp.Expr) -> sp.Expr:
    """s_τ = τ − ρ f'(τ), the mirror parameter of Example 1."""
    return tau - RHO * A * tau


def exact_surrogate(s: sp.Expr) -> sp.Expr:
    """U(θ, s) of Example 1 with its constant, so that f(τ) = U(τ, s_τ): here θ²/2 − sθ + s²."""
    tau = s / (1 - RHO * A)
    return f_toy.subs(x, tau) + A * tau * (x - tau) + (x - tau) ** 2 / (2 * RHO)


def require_majoriser(tau: sp.Rational) -> None:
    """U(·, s_τ) is tangent to f at τ and above f: the hypothesis of L 230, or `InvalidInput`."""
    gap = sp.expand(exact_surrogate(mirror_of(tau)) - f_toy)
    if gap.subs(x, tau) != 0 or not nonnegative_quadratic(gap):
        raise InvalidInput(f"U(., s_tau) is no tangent majoriser of f at tau = {tau}: choose rho <= 1/L_f.")


SHAPES = ("linear", "affine", "linear up to a constant", "affine up to a constant")


def check_linear(shape: Literal["affine", "affine up to a constant", "linear", "linear up to a constant"]) -> Verdict:
    """U(θ, s) = ψ(θ) − ⟨s, φ(θ)⟩ + c(s) has the given shape in s, whatever c is.

    "up to a constant": differences U(θ, s) − U(θ', s) have it, so that c(s) does not matter.
    """
    if shape not in SHAPES:
        raise InvalidInput(f"shape {shape!r} is unknown: choose one of {SHAPES}.")
    a, b = sp.symbols("a b", real=True)
    if shape.startswith("affine"):
        b = 1 - a
    modulo_constants = shape.endswith("constant")

    def prove() -> tuple[Step, ...]:
        s, r, phi, phi2 = atoms("s", "s'", r"\phi(\theta)", r"\phi(\theta')")
        psi, psi2, c_s, c_r, c_mix = scalars(r"\psi(\theta)", r"\psi(\theta')", "c(s)", "c(s')", "c(as+bs')")

        def defect(at_phi, at_psi):
            def U(mirror, c):
                return at_psi - inner(mirror, at_phi) + c

            return U(a * s + b * r, c_mix) - a * U(s, c_s) - b * U(r, c_r)

        target = defect(phi, psi) - (defect(phi2, psi2) if modulo_constants else 0)
        same = r"U(\theta, as+bs') - aU(\theta, s) - bU(\theta, s')"
        says = f"${same}$ does not depend on $\\theta$" if modulo_constants else f"${same} = 0$"
        return verify(target, {}, {}, equality=True, says=says)

    def example1() -> Witness | None:
        s, r = mirror_of(sp.Integer(2)), mirror_of(sp.Integer(-2))
        for tau in (2, -2):
            require_majoriser(sp.Integer(tau))
        for alpha in (HALF, sp.S.One):
            beta = b.subs(a, alpha) if shape.startswith("affine") else alpha
            apart = alpha * exact_surrogate(s) + beta * exact_surrogate(r)
            D = sp.expand(exact_surrogate(alpha * s + beta * r) - apart)
            failing = sp.diff(D, x).subs(x, 1) if modulo_constants else D.subs(x, 1)
            if failing != 0:
                point = {"f": "theta^2/4", "rho": "1", "s": str(s), "s'": str(r), "a": str(alpha), "b": str(beta)}
                says = f"$U(\\theta, as+bs') - aU(\\theta, s) - bU(\\theta, s') = {sp.latex(D)}$ in Example 1"
                return Witness(point, says, {"defect": str(D)})
        return None

    return decide("identity", prove, [example1])


def linear_instance() -> Witness:
    require_majoriser(sp.Integer(2))
    require_majoriser(sp.Integer(-2))
    point = {"f": "theta^2/4", "rho": "1", "s": "1", "s'": "-1"}
    return Witness(point, "both surrogates are tangent majorisers of $f$")


# ------------------------------------------------------------------------------------- averaging s averages surrogates


def check_aggregation(
    weights: Literal["free", "sum to one"] = "sum to one", constants: Literal["averaged", "of the mean"] = "averaged"
) -> Verdict:
    """Σ μ_i U_i(θ) = ψ(θ) − ⟨Σ μ_i s_i, φ(θ)⟩ + c with U_i = ψ − ⟨s_i, φ⟩ + c_i.

    `constants`: c is the average Σ μ_i c_i, or ("of the mean") the constant that U(·, Σ μ_i s_i) has by tangency.
    """
    m = sp.Symbol("m", positive=True)
    rest = {"sum to one": 1 - m, "free": sp.Symbol("k", positive=True)}[weights]

    def prove() -> tuple[Step, ...]:
        s, r, phi = atoms("s", "s'", r"\phi")
        psi, c_s, c_r, c_mean = scalars(r"\psi", "c_1", "c_2", r"c(\bar s)")
        c = {"averaged": m * c_s + rest * c_r, "of the mean": c_mean}[constants]
        left = m * (psi - inner(s, phi) + c_s) + rest * (psi - inner(r, phi) + c_r)
        says = r"for two agents with weights $m$ and $1-m$ the two sides agree"
        pair = verify(left - (psi - inner(m * s + rest * r, phi) + c), {}, {}, equality=True, says=says)
        more = Step(
            r"for $n$ agents: $\sum_{i \leq n} \mu_i s_i = (1-\mu_n) s' + \mu_n s_n$, $s'$ the mean of the others",
            r"induction on $n$: the weights $\mu_i/(1-\mu_n)$ of the others are positive and sum to one",
        )
        return (*pair, more)

    def example1() -> Witness | None:
        s, r = sp.S.One, -sp.S.One
        mu, nu = (HALF, HALF) if weights == "sum to one" else (sp.S.One, sp.S.One)
        average = mu * exact_surrogate(s) + nu * exact_surrogate(r)
        mean = exact_surrogate(mu * s + nu * r)
        if constants == "averaged":  # keep ψ − ⟨s̄, φ⟩, replace the constant by the average
            mean = mean - mean.subs(x, 0) + average.subs(x, 0)
        gap = sp.expand(average - mean)
        if gap.subs(x, 1) == 0:
            return None
        point = {"f": "theta^2/4", "rho": "1", "s_1": "1", "s_2": "-1", "mu_1": str(mu), "mu_2": str(nu)}
        return Witness(point, f"the two sides differ by ${sp.latex(gap)}$", {"difference": str(gap)})

    return decide("identity and induction", prove, [example1])


CLAIMS = [
    Claim(
        id="intro-mm-descent",
        where="Section 1, the MM step",
        lines="L 221",
        statement=r"If $f(\theta_t) = U_t(\theta_t)$, $f \leq U_t$ on $\Theta$ and $\theta_{t+1}$ minimises $U_t + g$, "
        r"then $(f+g)(\theta_{t+1}) \leq (f+g)(\theta_t)$.",
        check=check_descent,
        mutants={
            "the surrogate is not tangent": {"hypotheses": ("majorises", "minimises")},
            "the surrogate does not majorise": {"hypotheses": ("tangent", "minimises")},
            "the surrogate is not minimised": {"hypotheses": ("tangent", "majorises")},
        },
        non_vacuity=descent_instance,
        hypotheses=(r"$\theta_t \in \Theta$", r"the minimiser $\theta_{t+1}$ exists"),
        note=r"Proved for every $f$, $g$, $U_t$ and every dimension; convexity is not used.",
    ),
    Claim(
        id="intro-linear-s",
        where="Section 1, main motivation",
        lines="L 230, L 232",
        statement=r"For every $\theta$ there is $s_\theta$ with $f(\theta) = U(\theta, s_\theta)$ and "
        r"$f \leq U(\cdot, s_\theta)$, and $U(\theta, s)$ is linear in $s$.",
        check=check_linear,
        reading=Reading.DEPENDS,
        context=Context(
            "“Linear” is often said of what is affine, and a constant $c(s)$ without θ moves no minimiser.", "amended"
        ),
        form={"shape": "linear"},
        amended=Amended(
            kind="wording",
            statement=r"$U(\theta, s) = \psi(\theta) - \langle s, \phi(\theta) \rangle + c(s)$: affine in $s$ up to a "
            r"constant $c(s)$ that does not depend on $\theta$, hence with minimisers that do not depend on $c$.",
            form={"shape": "affine up to a constant"},
            differs=r"Affine instead of linear (because of $\psi$), and only up to the constant $c(s_\tau) = f(\tau) - "
            r"\psi(\tau) + \langle s_\tau, \phi(\tau) \rangle$, which tangency fixes and which is not affine in $s$: "
            r"it is $s^2$ for $f(\theta) = \theta^2/4$, $\rho = 1$ in Example 1.",
            matters="For the method, no: minimisers do not see the constant. For the sentence that averaging mirror "
            "parameters averages upper bounds, yes: it does so up to a constant.",
        ),
        mutants={
            "affine, with the constant": {"shape": "affine"},
            "linear up to a constant": {"shape": "linear up to a constant"},
        },
        non_vacuity=linear_instance,
        note=r"One can restore affinity by carrying the constant along: with the mirror parameter $(s, c)$ and "
        r"features $(\phi, -1)$ the surrogate is affine, at the price of one more number to send.",
    ),
    Claim(
        id="intro-aggregation",
        where="Section 1, main motivation",
        lines="L 228, L 232",
        statement=r"With $U_i(\theta) = \psi(\theta) - \langle s_i, \phi(\theta) \rangle + c_i$ and $\sum_i \mu_i = "
        r"1$: $\sum_i \mu_i U_i(\theta) = \psi(\theta) - \langle \sum_i \mu_i s_i, \phi(\theta) \rangle + \sum_i \mu_i "
        r"c_i$.",
        check=check_aggregation,
        mutants={
            "weights that do not sum to one": {"weights": "free"},
            "the constant belongs to the mean": {"constants": "of the mean"},
        },
        non_vacuity=linear_instance,
        hypotheses=(r"$\mu_i > 0$, $\sum_i \mu_i = 1$",),
        note="The constants are averaged, too; they are not the constant that tangency gives to the averaged mirror "
        "parameter (second mutant).",
    ),
    Claim(
        id="intro-encompassing",
        where="Section 1, contributions",
        statement=r"FedEM of Marfoq et al. is a particular case of FedMM: with aggregation in $\mathcal{S}$, as in "
        r"Algorithm 2, some γ and $\hat S_t$ make its rounds.",
        check=marfoq,
        form={"space": "S"},
        reading=Reading.DEPENDS,
        amended=Amended(
            kind="wording",
            statement=r"With aggregation in Θ, γ = 1, $V_{t,i} = 0$ and everyone the loop makes its rounds: "
            r"$\theta_{t+1} = \sum_i \mu_i T(S_i)$. In $\mathcal{S}$ its model has another algorithm, whose objective "
            r"falls.",
            form={"space": "Theta"},
            differs="Θ in the place of 𝒮: what the paper sets its algorithm apart from.",
            matters="The two agree on the model, not on the rounds: in Θ the objective may rise.",
        ),
        context=Context(
            "The sentence says “modifications or extensions”, and Section 4 says in what: the aggregation of FedEM "
            "“occurs in the original parameter space Θ, rather than in the surrogate space” (L 633).",
            "amended",
        ),
        mutants={"half of a step": {"step": "1/2"}},
        non_vacuity=coins_instance,
        differs="Of the systems that are named, the one for which the words are disputable: FedEM of Dieuleveut et al. "
        "is judged by fedem-projection, federated matrix factorization by fmf-oracles.",
        note="Rows own-marfoq-not-monotone and own-personal-monotone say what the difference does.",
    ),
]
