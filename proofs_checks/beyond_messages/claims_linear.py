"""Rows on linear rates: DIANA's and one for biased messages, where −h is strongly monotone, and those under PL."""

from __future__ import annotations

from functools import partial

from proofs_checks.beyond_messages import biased_monotone as biased_monotone
from proofs_checks.beyond_messages import interpolated as interpolated
from proofs_checks.beyond_messages import linear as linear
from proofs_checks.beyond_messages import monotone as monotone
from proofs_checks.beyond_messages import open_runs as open_runs
from proofs_checks.beyond_messages import quadratic as quadratic
from proofs_checks.beyond_theorem.rows import ANY_MAP, NUMBERS, row
from proofs_checks.ledger import Claim, each_dropped

C_BAR = "$\\bar C$ as there"
UNBIASED = (
    "Algorithm 2; A3, A4($\\omega$), A5($p$); oracles independent between agents, compressors independent as maps"
)
TARGETS = "$G_t = \\sum_i\\mu_i^2\\|V_{t,i}-h_i(s_\\star)\\|^2$, $h(s_\\star) = 0$, $d = \\hat S_t-s_\\star$"
BIG_K = (
    "$K(1-\\alpha(1+\\omega_p)) \\geq \\omega_p$, $K \\geq 0$, $\\alpha > 0$: $K = 2\\omega_p$ for $\\alpha = "
    "\\frac{1}{2(1+\\omega_p)}$"
)
PL = "PL: $\\|h(s)\\|_{B(s)}^2 \\geq 2m(W(T(s))-\\min W)$ on 𝒮"
SHORT = "$y = \\omega_p\\frac{L^2}{n}\\frac{\\gamma^2}{(1-q)^2}$, $q = \\sqrt{1-\\alpha}$, and the factor $A \\geq 0$"


def pl_row(name: str, kind: linear.LinearKind, says: str, weight: str, hypotheses: list[str], note: str) -> Claim:
    """A linear rate under PL for one kind of step; A is `left`."""
    level = "(1+\\omega_p)(1+2‹y›)+2\\omega_p\\frac{1+q}{q}"
    spread = "y\\frac{v_{\\max}}{v_{\\min}}" if kind.endswith("B_t") else "y"
    cost = {"any projection": "\\frac{\\gamma}{2}v_{\\max}", "no projection": "\\bar C\\gamma^2"}.get(
        kind, "(\\frac{1}{2}+\\frac{\\bar C}{v_{\\min}})v_{\\max}\\gamma^2"
    )
    return row(
        name,
        f"$\\Psi_{{t+1}} \\leq \\max(1-2mA,\\, 1-(1-q)(\\frac{{1}}{{2}}-{spread}))\\Psi_t + "
        f"({level.replace('‹y›', spread)}){cost}\\frac{{\\sigma^2}}{{n}}$ for $\\Psi_t = E[W_t]-\\min W + {weight}\\, "
        f"E[G_t]$, "
        f"{says}.",
        [*hypotheses, "$0 < \\alpha \\leq 1/(1+\\omega_p)$, $\\omega_p > 0$, $L > 0$, a constant step", PL, SHORT],
        partial(linear.linear, kind),
        partial(linear.linear_instance, kind),
        {
            "5/4 of the rate": {"speed": "1 - 5/2*m*left"},
            "the control variates faster": {"keep": "1 - (1-q)"},
            "less noise": {"level": "(1+omega)/2"},
            "the noise subtracted": {"level": f"-({linear.LEVEL})"},
            **{f"without: {part}": {"without": part} for part in linear.RULES},
        },
        note=f"{note} {NUMBERS}",
    )


LINEAR = [
    row(
        "own-diana-client",
        "$K E\\|V_{t+1,i}-h_i(s_\\star)\\|^2 + \\alpha E\\|n_i+q_i\\|^2 \\leq "
        "K(1-\\alpha)\\|V_{t,i}-h_i(s_\\star)\\|^2 + "
        "K\\alpha\\|h_i(\\hat S_t)-h_i(s_\\star)\\|^2 + \\alpha(1+\\omega_p)(1+\\alpha K)\\sigma_i^2$.",
        [
            "Algorithm 2; A3, A4($\\omega$), A5($p$)",
            BIG_K,
            "$n_i + q_i$ is what agent i adds to the error of $H_{t+1}$",
        ],
        monotone.client,
        partial(monotone.affine_instance, monotone.CLIENT),
        {
            "a hundredth less kept": {"keep": "99/100*(1-a)"},
            "half of the change": {"change": "a/2"},
            "99/100 of the noise": {"noise": f"99/100*{monotone.NOISY}"},
            "the noise subtracted": {"noise": f"-{monotone.NOISY}"},
            **each_dropped(monotone.CLIENT),
        },
        lines="L 560-564, L 1547-1564",
        note="For α below $1/(1+\\omega_p)$ the update of $V_i$ leaves something over, and that pays for the whole "
        "variance of the message: hence no factor 2 of Young's inequality, here or below.",
    ),
    row(
        "own-diana-rate",
        "$\\Psi_{t+1} \\leq \\max(1-\\gamma m(2-\\gamma(\\ell+K\\lambda)),\\, 1-\\alpha)\\Psi_t + "
        "(1+\\omega_p)(1+\\alpha K)\\gamma^2\\frac{\\sigma^2}{n}$ for $\\Psi_t = E\\|\\hat S_t-s_\\star\\|^2 + "
        "\\frac{K}{\\alpha}\\gamma^2E[G_t]$.",
        [
            UNBIASED,
            TARGETS,
            BIG_K,
            "$-\\langle h(\\hat S_t), d\\rangle \\geq m\\|d\\|^2$; with ℓ and λ it is at least $\\|h(\\hat "
            "S_t)\\|^2/\\ell$ and "
            "$\\sum_i\\mu_i^2\\|h_i(\\hat S_t)-h_i(s_\\star)\\|^2/\\lambda$",
            "$\\|\\Pi(x)-s_\\star\\| \\leq \\|x-s_\\star\\|$: the Euclidean projection; $\\gamma(\\ell+K\\lambda) "
            "\\leq 2$",
        ],
        monotone.diana,
        monotone.affine_instance,
        {
            "the messages forgotten": {"drift": "1 - g*m*(2 - g*l)"},
            "a hundredth faster": {"drift": f"99/100*({monotone.DRIFT})"},
            "control variates a hundredth faster": {"keep": "99/100*(1-a)"},
            "99/100 of the noise": {"noise": f"99/100*{monotone.NOISY}"},
            "the noise subtracted": {"noise": f"-{monotone.NOISY}"},
            **each_dropped(monotone.DIANA),
        },
        lines="L 239, L 560-564",
        note="Neither MM-1 nor A7 is used. For $g = 0$ and the quadratic surrogate $m = \\rho\\mu$, $\\ell = \\rho L$, "
        "$\\lambda = \\rho L/n$, and this is DIANA: its published rate, $\\max(1-\\gamma\\mu, "
        "1-\\frac{1}{2(1+\\omega)})$ for steps up to "
        "$\\frac{1}{L(1+6\\omega/n)}$, holds here up to $\\frac{1}{L(1+2\\omega/n)}$, with α half as large. For EM "
        "near $s_\\star$, in the metric in "
        "which $-h'$ is symmetric, $m = 1-$ the largest fraction of missing information and $\\ell = 1$: for $\\gamma "
        "= 1$ and no messages lost the "
        "factor is that fraction. The mutants are refuted by exact rounds of the algorithm, in which the line is an "
        "equality.",
    ),
    row(
        "own-diana-sharp",
        "With $b = 1+\\frac{K\\lambda}{\\ell}$ the factor $1-\\gamma m(2-\\gamma bm)$ may stand in own-diana-rate, for "
        "$\\gamma b(\\ell+m) \\leq 2$.",
        [
            UNBIASED,
            TARGETS,
            BIG_K,
            "$0 < m < \\ell$, $\\|h(\\hat S_t)\\|^2 \\leq (\\ell+m)D-m\\ell\\|d\\|^2$, $D = "
            "-\\langle h(\\hat S_t), d\\rangle$, and $\\sum_i\\mu_i^2\\|h_i(\\hat S_t)-h_i(s_\\star)\\|^2 \\leq "
            "\\frac{\\lambda}{\\ell}((\\ell+m)D-m\\ell\\|d\\|^2)$",
            "$\\|\\Pi(x)-s_\\star\\| \\leq \\|x-s_\\star\\|$: the Euclidean projection",
        ],
        interpolated.sharp,
        interpolated.sharp_instance,
        {
            "the messages forgotten": {"drift": "1 - g*m*(2 - g*m)"},
            "a hundredth faster": {"drift": f"99/100*({interpolated.DRIFT})"},
            "control variates a hundredth faster": {"keep": "99/100*(1-a)"},
            "the noise subtracted": {"noise": f"-{monotone.NOISY}"},
            **each_dropped(interpolated.SHARP),
        },
        lines="L 239, L 560-564",
        note="For least squares without penalty and μ-strongly convex, L-smooth $f_i$: $m = \\rho\\mu$, $\\ell = "
        "\\rho L$. This is the worst case "
        "that performance estimation finds, so that no better factor exists; without compression it is $(1-\\gamma "
        "m)^2$.",
    ),
    row(
        "own-diana-cocoercive",
        "For the quadratic surrogate with f convex and L-smooth and any convex g: $\\|h(s)-h(s')\\|^2 \\leq "
        "-\\frac{4}{4-\\rho L}\\langle h(s)-h(s'), s-s'\\rangle$, $\\rho L < 4$; of each $h_i$, too.",
        ["$h(s) = T(s)-\\rho\\nabla f(T(s))-s$, T the prox of ρg"],
        quadratic.cocoercive,
        partial(quadratic.plane_instance, quadratic.SMOOTH),
        {
            "99/100": {"ell": "99/100*4/(4-c)"},
            "wrong sign": {"sign": -1},
            **each_dropped(quadratic.SMOOTH),
        },
        lines="L 485-493",
        note="So own-diana-rate holds with $\\ell = \\frac{4}{4-\\rho L}$ and $\\lambda = \\ell\\max_i\\mu_i$, "
        "whatever g "
        "is: $\\ell = \\frac{4}{3}$ for "
        "$\\rho = 1/L$; with $g = 0$, $\\ell = \\rho L$.",
    ),
    row(
        "own-diana-monotone",
        "If f is also μ-strongly convex and $\\rho L \\leq 1$: $-\\langle h(s)-h(s'), s-s'\\rangle \\geq "
        "\\rho\\mu\\|s-s'\\|^2$.",
        ["$h(s) = T(s)-\\rho\\nabla f(T(s))-s$, T the prox of ρg, g convex", "$\\rho\\mu < 1$"],
        quadratic.monotone,
        partial(quadratic.plane_instance, quadratic.STRONG),
        {
            "a hundredth more": {"rate": "101/100*m"},
            "wrong sign": {"sign": -1},
            **each_dropped(quadratic.STRONG),
        },
        lines="L 485-493",
        note="So own-diana-rate holds with $m = \\rho\\mu$; f is the mean over all clients, none of which need be "
        "strongly "
        "convex.",
    ),
    pl_row(
        "own-pl",
        "any projection",
        "$A = \\frac{\\gamma}{2}(1-2y\\frac{v_{\\max}}{v_{\\min}})$",
        "(1+q)\\frac{\\omega_p}{\\alpha}v_{\\max}\\gamma",
        [
            "what own-any assumes of model, oracles and messages",
            ANY_MAP,
            f"$\\gamma \\leq \\min(1, \\frac{{v_{{\\min}}}}{{2\\bar C}})$; {C_BAR}",
        ],
        "The Lyapunov function of own-any; without compression the factor is $1-\\gamma m$.",
    ),
    pl_row(
        "own-pl-free",
        "no projection",
        "$A = \\gamma(1-\\frac{\\bar C}{v_{\\min}}\\gamma(1+2y))$",
        "2(1+q)\\frac{\\omega_p}{\\alpha}\\bar C\\gamma^2",
        ["what own-free assumes of model, oracles and messages", "no projection is active", C_BAR],
        "The Lyapunov function of own-free; the floor of noise falls with γ.",
    ),
    pl_row(
        "own-pl-projected",
        "projection in the norm of B_t",
        "$A = \\gamma(1-\\frac{\\bar C}{v_{\\min}}\\gamma) - (1+\\frac{2\\bar "
        "C}{v_{\\min}})\\frac{v_{\\max}}{v_{\\min}}y\\gamma^2$",
        "2(1+q)(\\frac{1}{2}+\\frac{\\bar C}{v_{\\min}})\\frac{\\omega_p}{\\alpha}v_{\\max}\\gamma^2",
        ["what own-projected assumes of model, oracles and messages", "$\\gamma \\leq \\frac{1}{2}$", C_BAR],
        "The Lyapunov function of own-projected; PL is asked of $\\bar E_t$, which is $\\|h\\|_B^2$ for $\\gamma "
        "\\leq 1$.",
    ),
    row(
        "own-biased-monotone",
        "Biased messages: $\\Psi_{t+1} \\leq (1-\\gamma m)\\Psi_t + \\gamma(\\frac{2}{m}+2\\gamma+w(\\frac{1}{q}+"
        "\\frac{2\\gamma^2\\tilde L^2}{1-q}))\\nu$ for $\\Psi_t = E\\|\\hat S_t-s_\\star\\|^2 + w\\gamma E[G_t]$.",
        [
            "EF21-MM as in own-biased; $E\\|H_{t+1}-h(\\hat S_t)\\|^2 \\leq q^2E[G_t]+\\nu$ and the recursion of $G_t "
            "= "
            "\\sum_i\\mu_i\\|V_{t,i}-h_i(\\hat S_t)\\|^2$, as there",
            "$h(s_\\star) = 0$, $-\\langle h(s), s-s_\\star\\rangle \\geq m\\|s-s_\\star\\|^2$ and $\\geq "
            "\\|h(s)\\|^2/\\ell$; Π "
            "is nonexpansive",
            "$w(1-\\gamma m-q-\\frac{2\\gamma^2\\tilde L^2q^2}{1-q}) \\geq q^2(\\frac{2}{m}+2\\gamma)$",
            "$\\frac{1}{2\\ell} \\geq 2\\gamma + \\frac{2w\\gamma^2\\tilde L^2}{1-q}$",
        ],
        biased_monotone.rate,
        biased_monotone.rate_instance,
        {
            "twice as fast": {"speed": "1 - 2*g*m"},
            "wrong sign": {"speed": "g*m - 1"},
            "less noise": {"level": "g*w"},
            "the noise subtracted": {"level": f"-({biased_monotone.LEVEL})"},
            **each_dropped(biased_monotone.RULES),
        },
        lines="L 560",
        note="Neither MM-1 nor A7: Example 1 with any penalty and Top-k, where own-biased-linear fails as $v_{\\min} "
        "= 0$. The "
        "steps are of order $(1-q)\\sqrt{m}$, so that the rounds grow like $m^{-3/2}$; own-biased-pace says that steps "
        "need not depend on m.",
    ),
    Claim(
        id="own-biased-pace",
        lines="L 560",
        statement="Biased messages, at a pace that does not depend on m: EF21-MM with Top-1, $\\gamma = "
        "\\frac{‹step›}{\\ell}$ and $V_0 = h(\\hat S_0)$ has $\\|\\hat S_t-s_\\star\\|^2 \\leq "
        "‹size·›(1-‹speed·›\\gamma m)^t\\|\\hat S_0-s_\\star\\|^2$.",
        hypotheses=(
            "one client, $h(s) = -A(s-s_\\star)$ in the plane, nothing projected",
            "‹hypotheses: monotone=$\\langle Ad, d\\rangle \\geq m\\|d\\|^2$; "
            "cocoercive=$\\langle Ad, d\\rangle \\geq \\|Ad\\|^2/\\ell$›",
        ),
        check=open_runs.pace,
        expected="open",
        non_vacuity=open_runs.pace_instance,
        mutants={
            "three times as fast": {"speed": "3"},
            "steps of whole rounds": {"step": "1"},
            "a tenth": {"size": "1/10"},
            "wrong sign": {"size": "-1"},
        },
        note="The smallest instance of what resists in own-biased-monotone, whose steps are of order $\\sqrt m$: with "
        "rotation, as cocoercivity allows it, h is no gradient, and own-biased-linear does not apply.",
    ),
]
