"""Section 2: MM-1, and the quadratic, Jensen and variational surrogates (Examples 1 to 3, Appendix A)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import decide, derive, same_vector, verify
from fedmm_edu.proofs.gram import atoms, inner, scalars
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.s2_surrogates import jensen, quadratic

SECTION = "Section 2 and Appendix A: linearly parameterised surrogates"

HALF = sp.Rational(1, 2)

# ------------------------------------------------------------------------------------ a mean of points of 𝒮 is in 𝒮

MEAN_HYPOTHESES = ("convex", "integrable", "finite dimension")


@dataclass(frozen=True)
class Law:
    """X = points(k) with probability weights(k), 1 ≤ k ≤ count, in the set S ⊂ ℝ.

    S = None stands for c00, the sequences with finitely many non-zero terms; X is then the k-th unit vector.
    """

    name: str
    weights: Callable[[sp.Symbol], sp.Expr]
    points: Callable[[sp.Symbol], sp.Expr]
    S: sp.Set | None
    count: sp.Expr = sp.oo

    def sum(self, term: Callable[[sp.Symbol], sp.Expr]) -> sp.Expr:
        k = sp.Symbol("k", integer=True, positive=True)
        return sp.summation(term(k), (k, 1, self.count))

    def mean(self) -> sp.Expr:
        return self.sum(lambda k: self.weights(k) * self.points(k))

    def facts(self) -> set[str]:
        if self.sum(self.weights) != 1:
            raise InvalidInput(f"the law {self.name} does not have mass one: correct its weights.")
        if self.S is None:
            return {"convex", "integrable"}  # c00 is a vector space, and ‖X‖ = 1 always
        convex = {"convex"} if isinstance(self.S, sp.Interval) else set()
        return {"finite dimension"} | convex | ({"integrable"} if self.mean().is_finite else set())

    def escapes(self, hypotheses: Sequence[str]) -> Witness | None:
        """The law as a witness, if it satisfies `hypotheses` and its mean is not in S."""
        if not set(hypotheses) <= self.facts():
            return None
        if self.S is None:  # the k-th coordinate of the mean is the k-th weight: positive for all k, so not in c00
            inside = self.weights(sp.Symbol("k", integer=True, positive=True)).is_positive is not True
            mean = "the sequence (1/2, 1/4, 1/8, ...)"
        else:
            inside, mean = self.S.contains(self.mean()) == sp.true, str(self.mean())
        says = r"the values lie in $\mathcal{S}$, as is assumed of them; the mean does not"
        return None if inside else Witness({"law": self.name, "S": str(self.S or "c00")}, says, {"mean": mean})


LAWS = (
    Law("2^-k with probability 2^-k", lambda k: HALF**k, lambda k: HALF**k, sp.Interval.open(0, 1)),
    Law("0 or 1 with probability 1/2", lambda k: HALF, lambda k: k - 1, sp.FiniteSet(0, 1), sp.Integer(2)),
    Law("2^k with probability 2^-k", lambda k: HALF**k, lambda k: sp.Integer(2) ** k, sp.Interval.open(0, sp.oo)),
    Law("k-th unit vector with probability 2^-k", lambda k: HALF**k, lambda k: sp.S.One, None),
)


PARTLY_OUTSIDE = Law(
    "0 or 2 with probability 1/2", lambda k: HALF, lambda k: 2 * (k - 1), sp.Interval(0, HALF), sp.Integer(2)
)
"""A value in the set, and one outside."""


def _three_points() -> Sequence[Step]:
    """Σ_{k ≤ 3} w_k x_k as a two-point combination of x_3 and a mean of the others: the step of an induction."""
    w1, w2 = sp.symbols("w_1 w_2", positive=True)
    w3 = 1 - w1 - w2
    x1, x2, x3 = atoms("x_1", "x_2", "x_3")
    others = (w1 * x1 + w2 * x2) / (w1 + w2)
    same_vector(w1 * x1 + w2 * x2 + w3 * x3, (1 - w3) * others + w3 * x3, "regrouping")
    claim = r"a finite law: $w_1 x_1 + w_2 x_2 + w_3 x_3 = (1-w_3) x' + w_3 x_3$ with $x'$ a mean of $x_1, x_2$"
    return [Step(claim, "coefficients compared exactly; induction on the number of points, by convexity")]


def check_mean(hypotheses: Sequence[str] = MEAN_HYPOTHESES, samples: Literal["every", "some"] = "every") -> Verdict:
    """S̄(Z, τ) ∈ 𝒮 for every Z, or for some, implies E_π[S̄(Z, τ)] ∈ 𝒮 (X stands for S̄(Z, τ))."""
    separation = "proper separation of a point and a convex set in finite dimension (no closedness needed)"
    lines = (
        ("convex", _three_points),
        (
            "integrable",
            Step(r"every law: let $m = E X$, suppose $m \notin \mathcal{S}$", "we look for a contradiction"),
        ),
        (
            "convex; finite dimension",
            Step(r"some $u$ has $\langle u, x-m \rangle \geq 0$ on $\mathcal{S}$, not always zero there", separation),
        ),
        (
            "integrable; every sample",
            Step(
                r"$E \langle u, X-m \rangle = 0$, so $X \in \mathcal{S} \cap \{x : \langle u, x-m \rangle = 0\}$ a.s.",
                "linearity of the mean; a non-negative variable of mean zero vanishes almost surely",
            ),
        ),
        (
            "finite dimension",
            Step(
                r"hence $m \in \mathcal{S}$, a contradiction", "this convex set has smaller dimension: induction on it"
            ),
        ),
    )
    searches = [partial(law.escapes, hypotheses) for law in (LAWS if samples == "every" else (PARTLY_OUTSIDE,))]
    return decide("derivation", lambda: derive((*hypotheses, f"{samples} sample"), *lines), searches)


def mean_instance() -> Witness:
    law = LAWS[0]
    if law.facts() != set(MEAN_HYPOTHESES) or law.S is None or law.S.contains(law.mean()) != sp.true:
        raise InvalidInput(f"the law {law.name} is no instance: its set must be convex and hold its mean.")
    says = "a convex set that is not closed, and an integrable law on it"
    return Witness({"law": law.name, "S": "(0, 1)"}, says, {"mean": str(law.mean())})


# ------------------------------------------------------------------------------------------ Example 3: variational


def check_variational(chosen: Literal["any point", "minimises", "minimises without xi"] = "minimises") -> Verdict:
    """MM-1 with S̄ = S(Z, M(Z, τ)), where M(Z, τ) "minimises", is "any point", or "minimises without xi"."""
    S, at_theta, at_tau = atoms("S", r"\phi(\theta)", r"\phi(\tau)")
    psi, psi_tau, xi, loss, loss_tau = scalars(r"\psi(\theta)", r"\psi(\tau)", r"\xi", r"\ell(\theta)", r"\ell(\tau)")
    below = psi - inner(S, at_theta) + xi - loss
    attained = psi_tau - inner(S, at_tau) + xi - loss_tau
    given = {"below": Hypothesis(below, r"$\ell$ is a minimum over $h$, here below the value at $h = M(Z,\tau)$")}
    if chosen == "minimises":
        given["attained"] = Hypothesis(attained, r"$M(Z,\tau)$ attains the minimum at $\tau$", equality=True)
    gap = loss_tau + psi - psi_tau - inner(S, at_theta - at_tau) - loss

    def fails(theta: sp.Rational, tau: sp.Rational) -> Witness | None:
        """h ∈ {0, 1}, ψ = φ = θ², S = ξ = h: the two branches are θ² and 1, and ℓ = min(θ², 1)."""

        def branch(h: int, at: sp.Rational, with_xi: bool = True) -> sp.Expr:
            return at**2 - h * at**2 + (h if with_xi else 0)

        least = min(branch(h, tau, chosen != "minimises without xi") for h in (0, 1))
        picks = [h for h in (0, 1) if chosen == "any point" or branch(h, tau, chosen == "minimises") == least]
        for h in picks:
            value = min(tau**2, 1) + branch(h, theta) - branch(h, tau) - min(theta**2, sp.S.One)
            if value < 0:
                point = {"loss": "min(theta^2, 1)", "theta": str(theta), "tau": str(tau), "M": str(h)}
                return Witness(point, f"the gap of MM-1 is ${value}$", {"gap": str(value)})
        return None

    grid = [sp.Rational(k, 4) for k in (0, 2, 3, 4, 8)]
    prove = partial(verify, gap, given, {"below": 1, "attained": -1})
    return decide("certificate", prove, [partial(fails, *pair) for pair in product(grid, grid)])


def variational_instance() -> Witness:
    """min(θ², 1): at τ = 1/2 the first branch is the unique minimiser."""
    first, second = HALF**2, sp.S.One
    if not first < second:
        raise InvalidInput("at this tau the first branch is not the unique minimiser: take |tau| < 1.")
    return Witness({"loss": "min(theta^2, 1)", "tau": "1/2", "M": "0"}, "two branches, the minimiser is unique")


# ------------------------------------------------------------------------------------------------------- the claims

INTEGRABLE = r"all integrals below exist and $E_\pi \| \bar S(Z, \tau) \| < \infty$"
LATENT = r"$-\log p(Z,h,\theta) = \psi(\theta) - \langle S(Z,h), \phi(\theta) \rangle + c(Z,h)$"
BAYES = (
    r"$\mu(dh \mid Z, \tau) = \frac{p(Z,h,\tau)}{\int p(Z,u,\tau) \mu(du)} \, \mu(dh)$, which equals the printed "
    r"formula when $c(Z,h)$ does not depend on $h$."
)
MISSING_FACTOR = (
    r"The factor $e^{-c(Z,h)}$ is missing. $c$ may depend on $h$ (L 294 only asks that it not depend on $\theta$); "
    r"where it does not, the factor cancels."
)
PRINTED = r"$\mu(dh \mid Z, \tau) \propto \exp \langle S(Z,h), \phi(\tau) \rangle \, \mu(dh)$"
POSTERIOR_FORMS = {
    "the prior law instead": {"kind": "mu"},
    "the square of p": {"kind": "p^2"},
}

CLAIMS = [
    Claim(
        id="mm1-expectation-in-S",
        where="Section 2, MM-1; used in (7), (8), (9)",
        lines="L 254-261",
        statement=r"If $\bar S(Z,\tau) \in \mathcal{S}$ for ‹samples: every=every; some=some› $Z$, "
        r"$\mathcal{S} \subset \mathbb{R}^q$ is convex and $E_\pi \| \bar S(Z,\tau) \| < \infty$, then "
        r"$E_\pi[\bar S(Z,\tau)] \in \mathcal{S}$.",
        check=check_mean,
        mutants={
            f"not assumed: {name}": {"hypotheses": tuple(other for other in MEAN_HYPOTHESES if other != name)}
            for name in MEAN_HYPOTHESES
        },
        non_vacuity=mean_instance,
        note=r"The paper uses this silently. It needs neither a closed nor an open $\mathcal{S}$, but it does need "
        r"finite dimension. Finite laws: exact, by two-point convexity. Other laws: a derivation that cites the "
        r"separation theorem.",
    ),
    Claim(
        id="ex1-descent-lemma",
        where="Appendix A.1, first display, first inequality",
        lines="L 1003-1005",
        statement=r"$f(\theta) \leq f(\tau) + \langle \nabla f(\tau), \theta-\tau \rangle + \frac{L_f}{2} "
        r"\|\theta-\tau\|^2$ for $\theta, \tau \in \Theta$.",
        check=quadratic.check_descent_lemma,
        mutants={
            "constant L/4": {"constant": sp.Rational(1, 4)},
            "a domain that is not convex": {"hypotheses": ("Lipschitz",)},
            "a gradient that is not Lipschitz": {"hypotheses": ("convex",)},
        },
        non_vacuity=quadratic.smooth_instance,
        hypotheses=(
            r"$\nabla f$ is $L_f$-Lipschitz on $\Theta$",
            r"$\Theta$ is convex, being the domain of a convex $g$",
        ),
        note=r"Convexity of $\Theta$ is needed and never mentioned in this place; it holds because $\Theta$ is the "
        r"domain of $g$.",
    ),
    Claim(
        id="ex1-ineq",
        where="Example 1; Appendix A.1, first display",
        lines="L 277, L 1003-1006",
        statement=r"$f(\theta) \leq f(\tau) + \langle \nabla f(\tau), \theta-\tau \rangle + \frac{1}{2\rho} "
        r"\|\theta-\tau\|^2$ on $\Theta$ for every $\rho \in (0, 1/L_f]$.",
        check=quadratic.check_quadratic_bound,
        mutants={"steps up to 2/L": {"largest": sp.Integer(2)}, "steps up to 3/(2L)": {"largest": sp.Rational(3, 2)}},
        non_vacuity=quadratic.smooth_instance,
        hypotheses=(r"$\nabla f$ is $L_f$-Lipschitz on the convex set $\Theta$",),
        note=r"For $L_f = 0$ read $1/L_f$ as $+\infty$ and take any finite $\rho$. Convexity of $f$ is not used.",
    ),
    Claim(
        id="ex1-identity",
        where="Appendix A.1, second display",
        statement=r"$\langle \nabla f(\tau), \theta-\tau \rangle + \frac{1}{2\rho} \|\theta-\tau\|^2 = \frac{1}{2\rho} "
        r"(\|\theta\|^2 - \|\tau\|^2) - \frac{1}{\rho} \langle \tau - \rho \nabla f(\tau), \theta-\tau \rangle$.",
        check=quadratic.check_identity,
        mutants={"the sign of the gradient": {"sign": 1}, "without the factor 1/rho": {"factor": sp.S.One}},
        non_vacuity=quadratic.smooth_instance,
        hypotheses=(r"$\rho > 0$",),
    ),
    Claim(
        id="ex1-mm1",
        where="Example 1; Appendix A.1, third display",
        lines="L 278-281, L 1013-1018",
        statement=r"MM-1 holds with $\psi(\theta) = \frac{1}{2\rho} \|\theta\|^2$, $\phi(\theta) = \frac{1}{\rho} "
        r"\theta$, $\bar S(Z,\tau) = \tau - \rho G(Z,\tau)$.",
        check=quadratic.check_example1,
        mutants={"the sign of the gradient": {"sign": 1}, "without the factor 1/rho": {"scale": sp.S.One}},
        non_vacuity=quadratic.smooth_instance,
        hypotheses=(r"$\nabla f(\tau) = E_\pi[G(Z,\tau)]$, with $G(\cdot,\tau)$ integrable", r"$\rho \in (0, 1/L_f]$"),
        note=r"With $\mathcal{S} = \mathbb{R}^d$. $E_\pi[\bar S(Z,\tau)] = \tau - \rho \nabla f(\tau)$ by linearity.",
    ),
    Claim(
        id="ex1-complete-square",
        where="Appendix A.1",
        statement=r"$\frac{1}{2} \|\theta\|^2 - \langle s, \theta \rangle = \frac{1}{2} \|\theta-s\|^2 - \frac{1}{2} "
        r"\|s\|^2$.",
        check=quadratic.check_complete_square,
        mutants={"the sign of the constant": {"constant": HALF}, "no constant": {"constant": sp.S.Zero}},
        non_vacuity=quadratic.prox_instance,
    ),
    Claim(
        id="ex1-T-prox",
        where="Example 1; Appendix A.1, last display",
        lines="L 283-285, L 1020-1024",
        statement=r"$T(s) = \mathrm{argmin}_\theta (g(\theta) + \frac{1}{2\rho} \|\theta\|^2 - \frac{1}{\rho} \langle "
        r"s, \theta \rangle) = \mathrm{prox}_{\rho g}(s)$, a single point for every $s \in \mathbb{R}^d$.",
        check=quadratic.check_prox,
        mutants={
            "prox of g instead of rho g": {"weight": "1"},
            "g is not convex": {"hypotheses": ("lower semicontinuous",)},
            "g is not lower semicontinuous": {"hypotheses": ("convex",)},
        },
        non_vacuity=quadratic.prox_instance,
        hypotheses=("$g$ is proper, convex and lower semicontinuous",),
        note="The identity and uniqueness are exact in every dimension; existence cites Weierstrass' theorem. $T$ is "
        "continuous (a prox is 1-Lipschitz), hence measurable: MM-2 holds.",
    ),
    Claim(
        id="ex2-posterior",
        where="Example 2, the law of h given Z",
        lines="L 300-304",
        statement=rf"If {LATENT}, then {PRINTED} is the law of $h$ given $Z$ under $\tau$.",
        check=jensen.check_posterior,
        reading=Reading.SLIP,
        form={"kind": "exp<S,phi>"},
        amended=Amended(
            kind="result",
            statement=rf"The law of $h$ given $Z$ is {BAYES}",
            form={"kind": "p"},
            differs=MISSING_FACTOR,
            matters=r"For users, yes: a model with an $h$-dependent base density gets a wrong E-step, such as "
            r"the Gaussian mixture of Appendix C.2 with unequal covariances (gmm-posterior).",
        ),
        mutants=POSTERIOR_FORMS,
        non_vacuity=jensen.latent_instance,
        hypotheses=(r"$p > 0$, $0 < \int p(Z,h,\tau) \mu(dh) < \infty$",),
    ),
    Claim(
        id="ex2-ratio",
        where="Appendix A.2, first display",
        statement=r"$\ell(Z,\theta) - \ell(Z,\tau) = -\log \int \frac{p(Z,h,\theta)}{p(Z,h,\tau)} \, \mu(dh \mid Z, "
        r"\tau)$ with " + PRINTED + ".",
        check=jensen.check_ratio,
        reading=Reading.SLIP,
        form={"kind": "exp<S,phi>"},
        amended=Amended(
            kind="formula",
            statement=rf"The identity holds with {BAYES}",
            form={"kind": "p"},
            differs=MISSING_FACTOR,
            matters="It is the first line of the proof of MM-1.",
            same_as="ex2-posterior",
        ),
        mutants=POSTERIOR_FORMS,
        non_vacuity=jensen.latent_instance,
        hypotheses=(LATENT, INTEGRABLE),
    ),
    Claim(
        id="ex2-jensen",
        where="Appendix A.2, second display",
        statement=r"$-\log \int r \, d\nu \leq -\int \log r \, d\nu$ for a probability measure $\nu$ and $r > 0$, here "
        r"$r = p(Z,h,\theta)/p(Z,h,\tau)$ and $\nu = \mu(dh \mid Z, \tau)$.",
        check=jensen.check_jensen,
        mutants={"a measure of another mass": {"total": "free"}, "the other direction": {"direction": ">="}},
        non_vacuity=jensen.latent_instance,
        hypotheses=(INTEGRABLE,),
        note="Holds for every probability measure, so for the printed law too; what fails there is the display before.",
    ),
    Claim(
        id="ex2-mm1",
        where="Example 2; Appendix A.2, (34)",
        lines="L 289-302, L 1040-1044",
        statement=rf"If {LATENT}, then MM-1 holds with $\bar S(Z,\tau) = \int S(Z,h) \, \mu(dh \mid Z, \tau)$ and "
        rf"{PRINTED}.",
        check=jensen.check_mm1,
        reading=Reading.SLIP,
        form={"kind": "exp<S,phi>"},
        amended=Amended(
            kind="result",
            statement=rf"MM-1 holds with $\bar S(Z,\tau) = \int S(Z,h) \, \mu(dh \mid Z, \tau)$ and {BAYES}",
            form={"kind": "p"},
            differs=MISSING_FACTOR,
            matters="For users, yes: with the printed law the surrogate can lie below the objective, and descent is "
            "lost. Either use the law in terms of $p$, or ask that $c$ not depend on $h$ (put $e^{-c}$ into $\\mu$).",
            same_as="ex2-posterior",
        ),
        mutants=POSTERIOR_FORMS,
        non_vacuity=jensen.latent_instance,
        hypotheses=(LATENT, INTEGRABLE, r"a convex $\mathcal{S}$ that contains every $\bar S(Z,\tau)$"),
        note="Exact for two and three latent values with symbolic masses and statistics of every dimension; the same "
        "lines "
        "integrate for every law. In the witness the gap changes sign between the tangency point and the point shown.",
    ),
    Claim(
        id="ex2-normaliser",
        where="Example 2, text after the posterior law",
        statement=r"$\exp(\psi)$ is the normalising constant and is fully determined by $S(Z,h)$ and $\phi$.",
        check=jensen.check_normaliser,
        reading=Reading.DEPENDS,
        context=Context(
            "The base measure μ is part of the model: it is the same for all that $S$ and $\\phi$ are.", "amended"
        ),
        form={"same_base": "no"},
        amended=Amended(
            kind="hypothesis",
            statement=r"$\exp(\psi(\theta)) = \int \exp \langle S, \phi(\theta) \rangle \, d\nu$ is determined by $S$, "
            r"$\phi$ and the base measure $\nu$, which is $e^{-c(Z,h)}$ times the dominating measure of $(Z,h)$.",
            form={"same_base": "yes"},
            differs="The base measure is part of the data of an exponential family.",
            matters=r"Little: no proof uses the sentence, and with $c = 0$ and a measure fixed once for all it is "
            r"right. It matters to a person who computes $\psi$ from $S$ and $\phi$ alone.",
        ),
        mutants={"base measures of equal mass": {"same_base": "mass"}},
        non_vacuity=jensen.latent_instance,
    ),
    Claim(
        id="ex3-mm1",
        where="Example 3; Appendix A.3, (35)-(37)",
        lines="L 307-317, L 1050-1069",
        statement=r"If $\ell(Z,\theta) = \min_h \psi(\theta) - \langle S(Z,h), \phi(\theta) \rangle + \xi(Z,h)$ and "
        r"$M(Z,\theta)$ is the minimiser, then MM-1 holds with $\bar S(Z,\tau) = S(Z, M(Z,\tau))$.",
        check=check_variational,
        mutants={
            "any point instead of the minimiser": {"chosen": "any point"},
            "the minimiser without xi": {"chosen": "minimises without xi"},
        },
        non_vacuity=variational_instance,
        hypotheses=(
            INTEGRABLE,
            r"$M(\cdot,\tau)$ is measurable",
            r"a convex $\mathcal{S}$ that contains every $\bar S(Z,\tau)$",
        ),
        note=r"Uniqueness of the minimiser is not used: any measurable choice of one will do. Line 314 writes "
        r"$\tilde\ell(Z,\theta,h)$ with the last two arguments in the other order than its definition.",
    ),
]
