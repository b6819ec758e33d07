"""Section 2.3, continued: dictionary learning as a variational surrogate, and the algorithms it is compared with."""

from __future__ import annotations

import sympy as sp

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.s2_3_dictionary.codes import huber, is_code, lasso_scale, smooth, soft, unique_codes
from proofs_checks.s2_3_dictionary.dictionary import codes, decomposition, minimiser, mirror, oracle_in_S, unit_ball
from proofs_checks.s4_related.related import odl_step, stochastic_mm
from proofs_checks.shared.tools import instance

SECTION = "Section 2.3, continued: dictionary learning"
WHERE = "Section 2.3, dictionary learning"


def _dictionary() -> Witness:
    """p = 1, K = 2, an elastic net: one code, used by both atoms."""
    h = (sp.Rational(1, 2),) * 2
    return instance(
        {"p, K": "1, 2", "theta": "1, 1", "Z": "7/4", "chi": "|h|_1/2 + |h|^2/2", "h": "1/2, 1/2"},
        "a dictionary with two equal atoms, whose code is unique by the ridge part of the penalty",
        {"h is the code": is_code(h, sp.Rational(7, 4), (1, 1), sp.Rational(1), sp.Rational(1, 2))},
    )


def _mirrors() -> Witness:
    s1, s2 = sp.Matrix([[2, 1], [1, 2]]), sp.Matrix([[1, 0], [3, 1]])
    T = s2 * s1.inv()
    return instance(
        {"p, K": "2, 2", "s1": s1.tolist(), "s2": s2.tolist(), "g": "0", "T(s)": T.tolist()},
        "a mirror parameter with $s^{(1)} \\succ 0$",
        {"s1 > 0": s1[0, 0] > 0 and s1.det() > 0, "the gradient is 0": 2 * (T * s1 - s2) == sp.zeros(2)},
    )


def _lasso() -> Witness:
    return instance(
        {"p, K": "1, 1", "theta": "1", "Z": "2", "lambda": "1", "h": "3/2"},
        "one atom: the code is a soft threshold",
        {"h is the code": is_code((soft(sp.Integer(2), sp.Rational(1, 2)),), sp.Integer(2), (1,), 1, 0)},
    )


def _ball() -> Witness:
    theta, s1, s2 = sp.Rational(1, 2), 2, 1
    return instance(
        {"p, K": "1, 1", "s": "2, 1", "theta": "1/2"},
        "here the minimiser lies inside the ball",
        {"|theta| < 1": abs(theta) < 1, "the gradient is 0": 2 * (s1 * theta - s2) == 0},
    )


def _quadratic_losses() -> Witness:
    theta, z = sp.symbols("theta z")
    U = theta**2 / 2 - z * theta
    return instance(
        {"l": "(theta - z)^2/2", "g": "|theta|", "psi": "theta^2/2", "phi": "theta", "S_bar": "z"},
        "the surrogates are the penalised losses themselves, up to a constant, and strongly convex",
        {
            "U = l + const": sp.expand((theta - z) ** 2 / 2 - U - z**2 / 2) == 0,
            "strongly convex": sp.diff(U, theta, 2) == 1,
        },
    )


CLAIMS = [
    Claim(
        id="huber",
        where="Section 2.3, dictionary learning",
        statement=r"Huber regression is a variational surrogate: with $S = (xx^\top, (y-h)x)$, $\phi = (-\frac{1}{2} "
        r"\theta\theta^\top, \theta)$, $\psi = 0$ and $\xi = \frac{1}{2}(y-h)^2 + \delta|h|$, the Huber loss of $y - "
        r"x^\top\theta$ is $\min_h \psi - \langle S, \phi \rangle + \xi$, attained only at the soft threshold of $y - "
        r"x^\top\theta$ at $\delta$.",
        check=huber,
        form={"threshold": "delta", "phi": ("-1/2", "1")},
        mutants={
            "threshold 2δ": {"threshold": "2*delta"},
            "φ without ½": {"phi": ("-1", "1")},
            "φ with 2θ": {"phi": ("-1/2", "2")},
        },
        non_vacuity=_lasso,
        hypotheses=(r"$E\|x\|^2 < \infty$, $E|y|\,\|x\| < \infty$ for MM-1",),
        note="The paper names the example only; the surrogate here is one way to write it. MM-1 is then Example 3.",
    ),
    Claim(
        id="dl-decomp",
        where=WHERE + ", eq. (15)",
        statement=r"$\|Z-\theta h\|^2 + \chi(h) = Z^\top Z + \chi(h) - 2Z^\top\theta h + h^\top\theta^\top\theta h = "
        r"\psi - \langle S, \phi \rangle + \xi$ with $\psi = 0$, $S = (hh^\top, Zh^\top)$, $\phi = (-\theta^\top"
        r"\theta, 2\theta)$, $\xi = Z^\top Z + \chi(h)$.",
        check=decomposition,
        form={"psi": "0", "phi": ("-1", "2")},
        mutants={
            "φ = (θ'θ, 2θ)": {"phi": ("1", "2")},
            "φ = (−θ'θ, θ)": {"phi": ("-1", "1")},
            "φ = (−θ'θ, −2θ)": {"phi": ("-1", "-2")},
            "ψ = 1": {"psi": "1"},
        },
        non_vacuity=_dictionary,
        note=r"For all $p$ and $K$. The pairing is the sum of the Frobenius products of the two blocks.",
    ),
    Claim(
        id="dl-M",
        where=WHERE + ", eq. (16)",
        statement=r"$M(Z,\tau) = \mathrm{argmin}_h\, \chi(h) + \mathrm{Tr}(\tau^\top\tau hh^\top) - 2\langle \tau^\top "
        r"Z, h \rangle$ minimises $\tilde\ell(Z, h, \tau)$.",
        check=codes,
        form={"quadratic": "1", "linear": "-2"},
        mutants={
            "without the 2": {"linear": "-1"},
            "other sign": {"linear": "2"},
            "twice the quadratic part": {"quadratic": "2"},
        },
        non_vacuity=_dictionary,
        hypotheses=("the minimiser exists and is unique (see dl-uniqueness)",),
    ),
    Claim(
        id="dl-S",
        where=WHERE + ", below (16) and eq. (18)",
        statement=r"$S(Z,h)$ and the oracle (18), a mean over a batch, lie in the convex set $\mathcal{S} = "
        r"\mathcal{M}_K^+ \times \mathbb{R}^{p \times K}$.",
        check=oracle_in_S,
        form={"factor": "h", "weights": "mean"},
        mutants={
            "products of two codes": {"factor": "k"},
            "differences of oracles": {"weights": "difference"},
        },
        non_vacuity=_dictionary,
        note=r"Differences, such as $\Delta_{t+1,i}$ of Algorithm 2, do leave $\mathcal{S}$: hence its projection.",
    ),
    Claim(
        id="dl-T",
        where=WHERE + ", eq. (17)",
        statement=r"$T(s) = \mathrm{argmin}_\theta\, g(\theta) + \mathrm{Tr}(\theta^\top\theta s^{(1)}) - "
        r"2\mathrm{Tr}(\theta^\top s^{(2)})$ is the $T$ of MM-2.",
        check=mirror,
        form={"quadratic": "1", "linear": "-2"},
        mutants={
            "without the 2": {"linear": "-1"},
            "other sign": {"linear": "2"},
            "quadratic part with a minus": {"quadratic": "-1"},
        },
        non_vacuity=_mirrors,
        hypotheses=("the minimiser exists and is unique (see dl-mm2)",),
    ),
    Claim(
        id="dl-mm2",
        where=WHERE + ", eq. (17); Section 4",
        lines="L 469-474, L 646",
        statement=r"MM-2 holds on $\mathcal{S} = \mathcal{M}_K^+ \times \mathbb{R}^{p \times K}$ for every penalty "
        r"$g$ of (14), such as $g = 0$: the function in (17) has exactly one minimiser for each $s$.",
        check=minimiser,
        form={"domain": "s1 >= 0", "ridge": "0", "formula": "0"},
        reading=Reading.NEEDS,
        context=Context(
            "The penalty $g$ of (14) is free, $g = 0$ included; “assuming that the minimizer exists and is "
            "unique” (L 469) is said of the codes."
        ),
        amended=Amended(
            kind="hypothesis",
            statement=r"With $g = \eta\|\theta\|^2$, $\eta > 0$, MM-2 holds on all of $\mathcal{S}$ and $T(s) = "
            r"s^{(2)}(s^{(1)} + \eta I)^{-1}$.",
            form={"domain": "s1 >= 0", "ridge": "eta", "formula": "eta"},
            differs=r"A strongly convex $g$. (With $g = 0$ one needs $s^{(1)} \succ 0$; then $T(s) = "
            r"s^{(2)}(s^{(1)})^{-1}$; but that set of $s$ is open, and one cannot project onto it.)",
            matters="Yes: one mini-batch with fewer samples than atoms gives a singular first block, and $T$ is "
            "undefined there. The experiments have $\\eta > 0$.",
        ),
        mutants={
            "the formula with 2η": {"formula": "2*eta"},
            "the formula without η": {"formula": "0"},
            "s1 ≻ 0, the formula with η for g = 0": {"domain": "s1 > 0", "ridge": "0"},
        },
        non_vacuity=_mirrors,
        note=r"By completing the square, for all $p$, $K$. Section 4 says that MM-1 and MM-2 are satisfied.",
    ),
    Claim(
        id="dl-uniqueness",
        where=WHERE + ", eq. (16) with the penalty of online dictionary learning",
        lines="L 466-469, L 483, L 486-487",
        statement="An assumption. It is met for $\\chi = \\lambda\\|\\cdot\\|_1 + \\kappa\\|\\cdot\\|^2$, $\\kappa "
        "> 0$: the minimiser in (16) exists and is unique for all $Z$ and $\\tau$.",
        differs="The paper assumes uniqueness and then takes $\\chi = \\lambda\\|\\cdot\\|_1$, which does not "
        "grant it (first mutant); $\\kappa > 0$ is ours.",
        check=unique_codes,
        form={"penalty": "elastic net"},
        mutants={"no penalty": {"penalty": "none"}, "the $\\ell_1$ penalty alone": {"penalty": "l1"}},
        non_vacuity=_dictionary,
        note="With $\\kappa = 0$ a minimiser exists, and is unique where the atoms with $|2\\tau_k^\\top(Z - "
        "\\tau h)| = \\lambda$ are linearly independent. MM-1 does not need uniqueness: any measurable "
        "choice of a minimiser will do (ex3-mm1). A2 does (dl-A2).",
    ),
    Claim(
        id="dl-A2",
        where="A2 for dictionary learning",
        lines="L 355, L 483, L 818-822",
        statement="An assumption. For dictionary learning it is met with $\\kappa > 0$ and $E\\|Z\\|^2 < \\infty$: "
        "$f(\\theta) = E[\\min_h \\|Z-\\theta h\\|^2 + \\lambda\\|h\\|_1 + \\kappa\\|h\\|^2]$ is C$^1$, "
        "with gradient $-2E[(Z - \\theta h)h^\\top]$ at $h = M(Z,\\theta)$.",
        differs="The paper assumes A2 and does not say where its examples meet it; with the $\\ell_1$ penalty of "
        "its experiments $f$ may have kinks (first mutant).",
        check=smooth,
        form={"penalty": "elastic net"},
        mutants={"no penalty": {"penalty": "none"}, "the $\\ell_1$ penalty alone": {"penalty": "l1"}},
        non_vacuity=_dictionary,
        note="A2 is a hypothesis of Proposition 1 and of Theorem 1. With the $\\ell_1$ penalty there are "
        "kinks where two codes compete: shown for $p = 1$, $K = 2$ and one observation, with exact "
        "directional derivatives, inside the unit balls.",
    ),
    Claim(
        id="odl-set",
        where=WHERE + ", online dictionary learning",
        statement=r"With $g$ the indicator of $\{\theta : \|\theta_{\cdot k}\|^2 < 1 \text{ for "
        r"‹columns: every=all; some=some› } k\}$: $g$ is proper, lower semicontinuous and convex, and MM-2 holds.",
        check=unit_ball,
        form={"relation": "<", "domain": "s1 >= 0"},
        reading=Reading.SLIP,
        amended=Amended(
            kind="hypothesis",
            statement=r"With $\leq 1$ in place of $< 1$ it is proper, lower semicontinuous and convex, a minimiser "
            r"exists for every $s$, and it is unique for $s^{(1)} \succ 0$.",
            form={"relation": "<=", "domain": "s1 > 0"},
            differs=r"The closed ball, as in the cited algorithm, and $s^{(1)} \succ 0$ for uniqueness.",
            matters="Yes: atoms are normalised at almost every solution, and those points are not in the open set.",
        ),
        mutants={
            "the open ball, s1 ≻ 0": {"relation": "<"},
            "the closed ball, any s": {"domain": "s1 >= 0"},
            "the sphere": {"relation": "="},
        },
        non_vacuity=_ball,
        note="For all $p$ and $K$.",
    ),
    Claim(
        id="odl-step",
        where=WHERE + ", online dictionary learning",
        lines="L 482-486",
        statement=r"With $\gamma_{t+1} = 1/(t+2)$ and one sample per step, $\{T(\hat S_t)\}$ is the sequence $\{D_t\}$ "
        r"of Algorithm 1 of Mairal et al. (2010), from any $\hat S_0$ at which MM-2 gives $T(\hat S_0) = D_0$.",
        check=odl_step,
        form={"step": "1/(t+1)"},
        reading=Reading.DEPENDS,
        context=Context(
            "Started from the statistics of the first sample, $\\hat S_0 = (h_1h_1^\\top, x_1h_1^\\top)$, "
            "the sequence is $D_1, D_2, \\dots$",
            {"step": "1/(t+1)", "start": "first oracle"},
        ),
        amended=Amended(
            kind="result",
            statement=r"The same with $\gamma_{t+1} = 1/(t+1)$, for instance from $\hat S_0 = (I, D_0)$.",
            form={"step": "1/t"},
            differs=r"Their algorithm starts from $A_0 = B_0 = 0$, so $D_1$ depends on the first sample only: "
            r"$\gamma_1 = 1$. With $1/(t+2)$, $\hat S_t$ is a multiple of $\hat S_0 + (A_t, B_t)$: their algorithm "
            r"started from $(A_0, B_0) = \hat S_0$. The two agree if $\hat S_0 = 0$, where every $\theta$ minimises "
            r"and $T(\hat S_0)$ is not defined.",
            matters="A little: the start is forgotten at the rate $1/t$.",
        ),
        mutants={
            "1/(t+3)": {"step": "1/(t+2)"},
            "constant": {"step": "c"},
            "2/(t+2)": {"step": "2/(t+1)"},
        },
        non_vacuity=_lasso,
        hypotheses=(
            r"$g$ is the indicator of the closed set of dictionaries (odl-set)",
            r"the same codes are computed on both sides (odl-lambda), one for each sample and dictionary",
            r"$A_t \succ 0$ for $t \geq 1$, or the same choice among several minimisers",
        ),
        note="Algorithm 1 as published: $A_t = A_{t-1} + h_t h_t^\\top$, $B_t = B_{t-1} + x_t h_t^\\top$, and $D_t$ "
        "minimises $\\frac{1}{2} \\mathrm{Tr}(D^\\top D A_t) - \\mathrm{Tr}(D^\\top B_t)$.",
    ),
    Claim(
        id="odl-lambda",
        where=WHERE + ", online dictionary learning",
        lines="L 483, L 486-487",
        statement=r"The codes of Mairal et al. (2010), $\mathrm{argmin}_h \frac{1}{2}\|Z-\theta h\|^2 + \lambda "
        r"\|h\|_1$ with their $\lambda$, are $M(Z,\theta) = \mathrm{argmin}_h \|Z-\theta h\|^2 + \lambda\|h\|_1$.",
        check=lasso_scale,
        form={"lam": "lambda_"},
        reading=Reading.DEPENDS,
        context=Context("“For some $\\lambda > 0$” (L 483) need not be their λ: twice theirs will do.", "amended"),
        amended=Amended(
            statement=r"They are $\mathrm{argmin}_h \|Z-\theta h\|^2 + 2\lambda\|h\|_1$: the setting is $\chi = "
            r"2\lambda\|\cdot\|_1$.",
            form={"lam": "2*lambda_"},
            differs="A factor 2 in the weight of the penalty, for their fit has a factor ½.",
            matters="For anyone who copies λ from one to the other: the codes are thresholded at half the level.",
        ),
        mutants={"half of λ": {"lam": "lambda_/2"}},
        non_vacuity=_lasso,
        note="Line 483 says 'for some $\\lambda > 0$'. Read as a λ of its own, not theirs, it is right, and the "
        "amended statement says which one. Either way it is a lasso, to which LARS applies.",
    ),
    Claim(
        id="mairal2013",
        where="Section 2.3, end",
        statement=r"The mirror sequence of SA-SSMM with (19) and the oracles $\bar S(Z_{t+1}, \theta_t)$ is the "
        r"sequence of Algorithm 1 of Mairal (2013) with weights $\gamma_t$ and $\theta_0 = T(\hat S_0)$.",
        check=stochastic_mm,
        form={"first_step": "free", "start": "T(S_0) = theta_0", "in_class": False},
        reading=Reading.NEEDS,
        context=Context("MM-1, MM-2 and (19) are counted."),
        amended=Amended(
            kind="hypothesis",
            statement=r"It is if $\gamma_1 = 1$ and the $U_t$, up to constants, belong to the surrogates of that "
            r"algorithm: strongly convex, with a differentiable error whose gradient is Lipschitz.",
            form={"first_step": "1", "start": "T(S_0) = theta_0", "in_class": True},
            differs=r"That algorithm starts from $\bar g_0 = \frac{\rho}{2}\|\theta - \theta_0\|^2$, SA-SSMM from "
            r"$\bar U_0 = g + \psi - \langle \hat S_0, \phi \rangle$; only $\gamma_1 = 1$, or $\bar U_0 = \bar g_0$ up "
            r"to a constant, removes the difference. And it asks more of a surrogate than (19).",
            matters="For the iterates, while the start is remembered; for the theory, since its convergence results "
            "need that class.",
        ),
        mutants={
            "γ_1 free": {"first_step": "free"},
            "any surrogate of (19)": {"in_class": False},
            "the same start, any surrogate": {"first_step": "free", "start": "U_0 = g_0 + const", "in_class": False},
        },
        non_vacuity=_quadratic_losses,
        hypotheses=(r"$\ell(z,\cdot) + g$ is what that algorithm calls $f_n$",),
        note=r"By induction on the difference of the two averaged surrogates, for every $\psi$, $\phi$ and $g$.",
    ),
]
