"""Section 2.3: what SA-SSMM is for the quadratic surrogate, for EM, and for surrogates of each ℓ(z, ·)."""

from __future__ import annotations

from fractions import Fraction as F

import sympy as sp

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.s2_3_special_cases.em import incremental, is_em, m_step, two_sequences
from proofs_checks.s2_3_special_cases.proximal_gradient import EQ12, proximal, tilde, total_weight
from proofs_checks.s2_3_special_cases.structured import pointwise, quadratic_gap, recursion, tangent
from proofs_checks.shared.iterates import ORACLES, START, STEPS, Gamma, closed_form, gamma, numeric
from proofs_checks.shared.tools import instance

SECTION = "Section 2.3: SA-SSMM on few examples and related work"


def _pg_instance() -> Witness:
    """f = ½(θ − 1)², g = ½θ², ρ = 1/2: MM-1 and MM-2 of Example 1 hold, and the iterates move."""
    th, tau, s = sp.symbols("theta tau s")
    f, S_bar = (lambda x: (x - 1) ** 2 / 2), tau - (tau - 1) / 2
    gap = f(tau) + th**2 - tau**2 - S_bar * 2 * (th - tau) - f(th)
    return instance(
        {"f": "(theta-1)**2/2", "g": "theta**2/2", "rho": "1/2", "L_f": "1"},
        "Example 1 with a ridge penalty",
        {
            "rho <= 1/L_f": F(1, 2) <= 1,
            "MM-1: the gap is (theta-tau)^2/2": sp.expand(gap - (th - tau) ** 2 / 2) == 0,
            "MM-2: T(s) = 2s/3": sp.solve(sp.diff(th**2 / 2 + th**2 - 2 * s * th, th), th) == [2 * s / 3],
        },
    )


def _iterate_instance() -> Witness:
    total = sum(numeric(gamma(k) * Gamma(k + 1, 4), {}) for k in range(1, 5))
    return instance(
        {"gamma": STEPS, "Shat_0": START, "S": ORACLES},
        f"four steps in $(0, 1)$: the weights add up to ${total}$",
        {"gamma in (0, 1]": all(0 < x <= 1 for x in STEPS), "Gamma_{1:4} > 0": numeric(Gamma(1, 4), {}) > 0},
    )


def _em_instance() -> Witness:
    at, factor = F(3, 2), {1: F(1), 2: F(2, 3)}  # factor = e^{−c(h)}
    weight = {h: at**h * factor[h] for h in (1, 2)}
    mean = (weight[1] + 2 * weight[2]) / (weight[1] + weight[2])
    return instance(
        {"H": "{1, 2}", "mu": "1/2, 1/2", "-log p": "theta - h log(theta) + c(h)", "exp(-c)": "1, 2/3", "theta_t": at},
        "ψ = θ, φ = log θ, S = h on Θ = (0, ∞); $3/2$ is the fixed point of EM",
        {"p > 0": min(weight.values()) > 0, "c depends on h": factor[1] != factor[2], "fixed point": mean == at},
    )


def _loss_instance() -> Witness:
    th, tau = sp.symbols("theta tau")
    gaps = [sp.expand(quadratic_gap(z, th, tau)) for z in (sp.Integer(0), sp.Rational(1, 2))]
    squares = [sp.expand(c * (th - tau) ** 2) for c in (sp.Rational(1, 2), sp.Rational(1, 4))]
    return instance(
        {
            "l(z, theta)": "z*theta**2/2",
            "Z": "0 or 1/2, each with probability 1/2",
            "psi": "theta**2/2",
            "phi": "theta",
            "S_bar": "(1 - z)*tau",
        },
        "(19) holds with the gap $(1-z)(\\theta-\\tau)^2/2$",
        {"the gaps are (theta-tau)^2/2 and (theta-tau)^2/4": gaps == squares},
    )


EXAMPLE_1 = ("Example 1, $\\rho \\in (0, 1/L_f]$", "$g$ proper, lower semicontinuous and convex: Prox is defined")

CLAIMS = [
    Claim(
        id="pg-theta",
        where="Section 2.3, proximal gradient",
        statement="(7) applied to Example 1 is $\\theta_{t+1} = \\mathrm{Prox}_{\\rho g}(\\theta_t - \\rho \\nabla "
        "f(\\theta_t))$.",
        hypotheses=EXAMPLE_1,
        check=proximal,
        form={"scheme": "theta", "printed": "prox(theta - rho*Df(theta))"},
        non_vacuity=_pg_instance,
        mutants={
            "ascent": {"printed": "prox(theta + rho*Df(theta))"},
            "step 1 in place of ρ": {"printed": "prox(theta - Df(theta))"},
            "gradient step after the proximal step": {"printed": "prox(theta) - rho*Df(prox(theta))"},
        },
    ),
    Claim(
        id="pg-gd",
        where="Section 2.3, proximal gradient",
        statement="When $g = 0$ it is gradient descent with the constant step size $\\rho$.",
        hypotheses=("Example 1 with $g = 0$",),
        check=proximal,
        form={"scheme": "theta, g = 0", "printed": "theta - rho*Df(theta)"},
        non_vacuity=_pg_instance,
        mutants={"step 1/ρ": {"printed": "theta - Df(theta)/rho"}},
    ),
    Claim(
        id="pg-s",
        where="Section 2.3, proximal gradient",
        statement="(8) applied to Example 1 is $s_{t+1} = s_{t+1/2} - \\rho \\nabla f(s_{t+1/2})$ with "
        "$s_{t+1/2} = \\mathrm{Prox}_{\\rho g}(s_t)$.",
        hypotheses=EXAMPLE_1,
        check=proximal,
        form={"scheme": "s", "printed": "prox(s) - rho*Df(prox(s))"},
        non_vacuity=_pg_instance,
        mutants={
            "gradient at s_t": {"printed": "prox(s) - rho*Df(s)"},
            "proximal step last": {"printed": "prox(s - rho*Df(s))"},
        },
    ),
    Claim(
        id="pg-ssmm",
        where="Section 2.3, proximal gradient",
        statement="Line 4 of the algorithm is $\\hat S_{t+1} = \\hat S_t - \\gamma_{t+1}(\\hat S_{t+1/2} - \\rho "
        "G_{t+1} - \\hat S_t)$ "
        "with $\\hat S_{t+1/2} = \\mathrm{Prox}_{\\rho g}(\\hat S_t)$ and $G_{t+1}$ an oracle of $\\nabla f(\\hat "
        "S_{t+1/2})$.",
        hypotheses=EXAMPLE_1,
        check=proximal,
        form={"scheme": "SA-SSMM", "printed": "Shat - gamma*(prox(Shat) - rho*G - Shat)"},
        reading=Reading.SLIP,
        non_vacuity=_pg_instance,
        amended=Amended(
            kind="result",
            statement="$\\hat S_{t+1} = \\hat S_t + \\gamma_{t+1}(\\hat S_{t+1/2} - \\rho G_{t+1} - \\hat S_t)$.",
            form={"scheme": "SA-SSMM", "printed": "Shat + gamma*(prox(Shat) - rho*G - Shat)"},
            differs="The sign in front of $\\gamma_{t+1}$ is $+$.",
            matters="With the printed sign the iterate runs away from the fixed point: for $g = 0$ it reads "
            "$\\hat S_{t+1} = \\hat S_t + \\gamma_{t+1} \\rho G_{t+1}$, gradient ascent.",
        ),
        mutants={
            "ρ forgotten": {"printed": "Shat + gamma*(prox(Shat) - G - Shat)"},
            "ascent": {"printed": "Shat + gamma*(prox(Shat) + rho*G - Shat)"},
            "proximal step forgotten": {"printed": "Shat - gamma*rho*G"},
        },
    ),
    Claim(
        id="eq12",
        where="eq. (12)",
        statement="$\\hat S_{t+1} = \\Gamma_{1:t+1} \\hat S_0 + \\sum_{j=1}^t \\gamma_j \\Gamma_{j+1:t+1} S_j + "
        "\\gamma_{t+1} S_{t+1}$ with $\\Gamma_{r:r'} = \\prod_{l=r}^{r'} (1-\\gamma_l)$.",
        hypotheses=("Algorithm 1, with any steps $\\gamma_j$",),
        check=closed_form,
        form=EQ12,
        non_vacuity=_iterate_instance,
        mutants={
            "Γ from j": {"weight": "gamma(j)*Gamma(j,t)"},
            "Γ from 2": {"initial": "Gamma(2,t)"},
            "γ_t forgotten": {"last": "1"},
        },
    ),
    Claim(
        id="pg-tilde",
        where="Section 2.3, below (12)",
        statement="$\\theta_{t+1} = \\mathrm{Prox}_{\\rho g}(\\tilde\\theta_t - \\rho \\tilde G_{t+1})$ where "
        "$\\tilde\\theta_t = \\sum_{j=1}^t \\gamma_j \\Gamma_{j+1:t+1} \\theta_{j-1} + \\gamma_{t+1} \\theta_t$ and "
        "$\\tilde G_{t+1} = \\Gamma_{1:t+1} \\hat S_0 + \\sum_{j=1}^t \\gamma_j \\Gamma_{j+1:t+1} G_j + "
        "\\gamma_{t+1} G_{t+1}$.",
        hypotheses=EXAMPLE_1,
        check=tilde,
        form={"initial_theta": "0", "initial_G": "Gamma(1,t)"},
        reading=Reading.SLIP,
        non_vacuity=_pg_instance,
        amended=Amended(
            kind="result",
            statement="The same with $\\tilde\\theta_t = \\Gamma_{1:t+1} \\hat S_0 + \\sum_{j=1}^t \\gamma_j "
            "\\Gamma_{j+1:t+1} \\theta_{j-1} + \\gamma_{t+1} \\theta_t$ and $\\tilde G_{t+1} = \\sum_{j=1}^t \\gamma_j "
            "\\Gamma_{j+1:t+1} G_j + \\gamma_{t+1} G_{t+1}$.",
            form={"initial_theta": "Gamma(1,t)", "initial_G": "0"},
            differs="$\\Gamma_{1:t+1} \\hat S_0$ belongs to $\\tilde\\theta_t$, not to $\\tilde G_{t+1}$, which is "
            "multiplied by $-\\rho$.",
            matters="The printed argument of Prox is off by $(1+\\rho) \\Gamma_{1:t+1} \\hat S_0$: right only if some "
            "$\\gamma_j = 1$, $j \\leq t+1$, or $\\hat S_0 = 0$. A start is a point, not a gradient.",
        ),
        mutants={
            "Ŝ_0 in both": {"initial_G": "Gamma(1,t)"},
            "Ŝ_0 in neither": {"initial_theta": "0"},
        },
        note="With $\\gamma_1 = 1$ all these forms coincide, as $\\Gamma_{1:t+1} = 0$; the printed one as well.",
    ),
    Claim(
        id="own-pg-tilde-first-step",
        where="Section 2.3, below (12)",
        lines="L 419-421",
        statement="If $\\gamma_1 = 1$, the printed $\\tilde\\theta_t$ and $\\tilde G_{t+1}$ are right.",
        hypotheses=EXAMPLE_1,
        check=tilde,
        form={"initial_theta": "0", "initial_G": "Gamma(1,t)", "first_step_is_one": True},
        non_vacuity=_pg_instance,
        mutants={
            "without $\\gamma_1 = 1$": {"first_step_is_one": False},
            "a term that does not vanish": {"initial_G": "1"},
        },
    ),
    Claim(
        id="pg-tilde-weights",
        where="Section 2.3, below (12)",
        lines="L 420-421",
        statement="$\\tilde\\theta_t$ is a weighted average of $\\theta_0, \\dots, \\theta_t$ and $\\tilde G_{t+1}$ "
        "one of $G_1, \\dots, G_{t+1}$: the weights are ≥ 0 and $\\sum_{j=1}^{t+1} \\gamma_j \\Gamma_{j+1:t+1} = 1$.",
        hypotheses=("$\\gamma_j \\in (0, 1]$, as in Algorithm 1",),
        check=total_weight,
        form={"total": "1", "with_initial": "1"},
        reading=Reading.DEPENDS,
        context=Context(
            "A “weighted average” may leave out the weight of the start, $\\Gamma_{1:t+1}$, which fades.", "amended"
        ),
        non_vacuity=_iterate_instance,
        amended=Amended(
            kind="hypothesis",
            statement="The weights are ≥ 0 and $\\sum_{j=1}^{t+1} \\gamma_j \\Gamma_{j+1:t+1} = 1 - \\Gamma_{1:t+1}$; "
            "together with the weight $\\Gamma_{1:t+1}$ of $\\hat S_0$ they add up to 1.",
            form={"total": "1 - Gamma(1,t)", "with_initial": "1"},
            differs="The total is $1 - \\Gamma_{1:t+1}$, not 1.",
            matters="They are averages only once some $\\gamma_j = 1$, as with $\\gamma_1 = 1$. Otherwise the "
            "gradients are shrunk by "
            "$1 - \\Gamma_{1:t+1}$, and only $\\tilde\\theta_t$ with its share of $\\hat S_0$ is an average.",
        ),
        mutants={
            "1 − Γ_{2:t}": {"total": "1 - Gamma(2,t)"},
            "start counted twice": {"with_initial": "1 + Gamma(1,t)"},
        },
    ),
    Claim(
        id="em-theta",
        where="eq. (13)",
        statement="(7) applied to Example 2 is $\\theta_{t+1} = \\mathrm{argmax}_\\theta \\langle E_\\pi[\\int S(Z, h) "
        "\\mu(dh | Z, \\theta_t)], \\phi(\\theta)\\rangle - g(\\theta) - \\psi(\\theta)$.",
        hypotheses=("Example 2 and MM-2",),
        check=m_step,
        form={"printed": "inner - g - psi", "extremum": "max"},
        non_vacuity=_em_instance,
        mutants={
            "minimised": {"extremum": "min"},
            "penalty rewarded": {"printed": "inner + g - psi"},
            "ψ forgotten": {"printed": "inner - g"},
        },
    ),
    Claim(
        id="em-classical",
        where="Section 2.3, EM",
        statement="When $g = 0$ this is EM: the E-step is the posterior mean of the complete log-likelihood, the "
        "M-step its argmax.",
        hypotheses=(
            "$-\\log p(z,h,\\theta) = \\psi(\\theta) - \\langle S(z,h), \\phi(\\theta)\\rangle$ up to an additive term "
            "$c(z,h)$ independent of $\\theta$ (Example 2)",
            "$\\mu(dh | z, \\tau) \\propto \\exp\\langle S(z,h), \\phi(\\tau)\\rangle \\mu(dh)$, as printed in "
            "Example 2",
        ),
        check=is_em,
        form={"log_weight": "inner"},
        reading=Reading.SLIP,
        non_vacuity=_em_instance,
        amended=Amended(
            kind="result",
            statement="When $g = 0$ this is EM, with $\\mu(dh | z, \\tau) \\propto p(z,h,\\tau) \\mu(dh)$.",
            form={"log_weight": "inner - psi - c"},
            differs="The law of $h$ is proportional to $p(z, h, \\tau)$, not to $\\exp\\langle S(z,h), "
            "\\phi(\\tau)\\rangle$: the additive term $c(z, h)$ is independent of $\\theta$, but not of $h$.",
            matters="With the printed law, (13) leaves the minimiser of $f$ and increases $f$. The same slip drops "
            "$e^{Zh}$ from the Poisson example of Appendix C.1.",
            same_as="ex2-posterior",
        ),
        mutants={"sign of c": {"log_weight": "inner + c"}},
        note="If $c$ does not depend on $h$, both laws are the same. For $g \\neq 0$ add $-g$ to both criteria: "
        "the MAP version.",
    ),
    Claim(
        id="em-e-steps",
        where="Section 2.3, EM",
        statement="If (7) gives the successive M-steps $\\theta_t$, then (8) gives the successive E-steps: "
        "$s_t = E_\\pi[\\bar S(Z, \\theta_t)]$ and $\\theta_{t+1} = T(s_t)$.",
        hypotheses=("$s_0 = E_\\pi[\\bar S(Z, \\theta_0)]$",),
        check=two_sequences,
        form={"shift": 0},
        non_vacuity=_em_instance,
        mutants={"one step ahead": {"shift": 1}},
    ),
    Claim(
        id="em-incremental",
        where="Section 2.3, stochastic EM",
        statement="With $\\gamma_t = 1$ Algorithm 1 covers Incremental EM, which keeps a table $S_1, \\dots, S_N$ and "
        "refreshes one entry per step, $\\hat S_t = N^{-1} \\sum_j S_j$. Its oracle, the mean of the refreshed table, "
        "has the conditional mean $\\hat S_t + N^{-1} h(\\hat S_t)$.",
        hypotheses=("the entry is drawn uniformly and refreshed by $\\bar S(Z_J, T(\\hat S_t))$",),
        check=incremental,
        form={"mean": "S + h/N"},
        non_vacuity=_em_instance,
        mutants={
            "an unbiased oracle": {"mean": "S + h"},
            "always the same entry": {"draw": "first"},
        },
        note="So it is a biased oracle of $E_\\pi[\\bar S(Z, T(\\hat S_t))] = \\hat S_t + h(\\hat S_t)$, unlike those "
        "of Section 2.2 (first mutant): the step is $1/N$ in effect, and the roots of $h$ are the same. Online EM "
        "(Cappé and Moulines) is Algorithm 1 with $\\gamma_t < 1$ and the oracle of row ssmm-online.",
    ),
    Claim(
        id="eq19-mm1",
        where="eq. (19)",
        lines="L 490-500",
        statement="If (19) holds for ‹points: every=every; some=some› $z$, then MM-1 holds.",
        hypotheses=("$E_\\pi[|\\ell(Z, \\theta)|] < \\infty$ and $E_\\pi[|\\bar S(Z, \\tau)|] < \\infty$",),
        check=pointwise,
        form={"direction": "to the mean"},
        non_vacuity=_loss_instance,
        mutants={
            "the converse": {"direction": "from the mean"},
            "weights of any sign": {"law": "signed"},
        },
        note="The converse fails: Example 1 needs $\\rho \\leq 1/L$ for the gradient of $f$ only, not for each "
        "$\\ell(z, \\cdot)$.",
    ),
    Claim(
        id="ubar-recursion",
        where="Section 2.3, structured surrogates",
        statement="$\\bar U_{t+1} = (1-\\gamma_{t+1}) \\bar U_t + \\gamma_{t+1} U_{t+1}$, where $\\bar U_t = g + \\psi "
        "- \\langle \\hat S_t, \\phi\\rangle$ and $U_t = g + \\psi - \\langle S_t, \\phi\\rangle$.",
        check=recursion,
        form={"old": "1 - gamma", "new": "gamma"},
        non_vacuity=_iterate_instance,
        mutants={
            "weights swapped": {"old": "gamma", "new": "1 - gamma"},
            "weights not adding to 1": {"old": "1"},
        },
        note="$\\theta_{t+1} = \\mathrm{argmin} \\bar U_{t+1}$ is the definition of $T(\\hat S_{t+1})$ in MM-2.",
    ),
    Claim(
        id="ubar-tangent",
        where="Section 2.3, online surrogates",
        statement="Up to a constant, $U_{t+1}$ majorises $\\ell(Z_{t+1}, \\cdot) + g$ and is tangent to it at "
        "$\\theta_t$: the constant "
        "is $\\ell(Z_{t+1}, \\theta_t) - \\psi(\\theta_t) + \\langle S_{t+1}, \\phi(\\theta_t)\\rangle$.",
        hypotheses=("(19)", "$S_{t+1} = \\bar S(Z_{t+1}, \\theta_t)$"),
        check=tangent,
        form={"constant": "l_0 - psi_0 + inner_0"},
        non_vacuity=_loss_instance,
        mutants={"sign of the inner product": {"constant": "l_0 - psi_0 - inner_0"}, "no constant": {"constant": "0"}},
    ),
]
