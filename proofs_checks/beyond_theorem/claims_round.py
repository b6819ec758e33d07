"""One round: the step, the noise, the control variates."""

from __future__ import annotations

from functools import partial

from proofs_checks.appendix_d_lemmas.control_variates import round_instance
from proofs_checks.beyond_theorem import gap as gap
from proofs_checks.beyond_theorem import step as step
from proofs_checks.beyond_theorem import variates as variates
from proofs_checks.beyond_theorem.line import line_instance
from proofs_checks.beyond_theorem.rows import C_BAR, row

ROUND = [
    row(
        "own-gap-half",
        "$\\Xi(s, s') \\leq ‹constant·↓›C_{\\star\\star}\\|s'-s\\|^2$: in Proposition 2, $\\bar "
        "C = ‹constant·›C_{\\star\\star} + C_\\star \\sup\\|h\\|$ will do.",
        ["‹hypotheses›"],
        gap.surrogate_gap,
        partial(line_instance, (*gap.GAP, "MM-1")),
        {
            "2/5": {"constant": "2/5"},
            "wrong sign": {"constant": "-1/2"},
        },
        lines="L 1408-1425",
        note="The paper has $C_{\\star\\star}$ (prop2-Xi and prop2-A7-second). Ξ is the error of a linearisation of "
        "the convex "
        "$V = -\\min_\\theta J$, and half of $\\langle s'-s, \\phi'-\\phi\\rangle$ is lost when it is bounded by the "
        "latter.",
    ),
    row(
        "own-any-step",
        "For every Π as below: $E[W_{t+1} \\mid F_t] \\leq W_t - ‹gain·›\\gamma\\|h(\\hat "
        "S_t)\\|_{B_t}^2 ‹+error·›\\gamma v_{\\max} E[\\|H_{t+1}-h(\\hat S_t)\\|^2 \\mid F_t]$, "
        "where $B_t = B(\\hat S_t)$ appears in the proof only.",
        ["‹hypotheses›", C_BAR],
        step.any_projection,
        partial(line_instance, step.ANY, projected=True),
        {
            "3/5 of the decrease": {"gain": "3/5"},
            "2/5 of the noise": {"error": "2/5"},
            "noise subtracted": {"error": "-1/2"},
        },
        undecided=("γ ≤ 1",),
        lines="L 1372-1381",
        note="Proposition 2 has $\\frac{1}{4}(1 - 2\\bar C\\gamma/v_{\\min})$ on the left and $1 - \\bar "
        "C\\gamma/v_{\\min}$ on the right, "
        "and needs the projection in the norm of $B_t$. The idea: $m = \\hat S_t + \\gamma h$ lies in 𝒮, so the "
        "projection brings "
        "$\\hat S_{t+1}$ no farther from $m$ than the noise did. $\\gamma \\leq 1$ is Algorithm 2's, and that it is "
        "needed is "
        "not shown.",
    ),
    row(
        "own-free-step",
        "If no projection is active, $E[W_{t+1} \\mid F_t] \\leq W_t - \\gamma(1 - "
        "‹drift·›\\frac{\\bar C}{v_{\\min}}\\gamma)\\|h(\\hat S_t)\\|_{B_t}^2 ‹+noise·›\\bar "
        "C\\gamma^2 E[\\|H_{t+1}-h(\\hat S_t)\\|^2 \\mid F_t]$.",
        ["‹hypotheses›", C_BAR],
        step.unbiased_step,
        partial(line_instance, step.UNBIASED),
        {
            "a quarter of the drift": {"drift": "1/4"},
            "half of the noise": {"noise": "1/2"},
            "noise subtracted": {"noise": "-1"},
        },
        undecided=("𝒮 convex",),
        lines="L 1372-1381",
        note="With full participation and without compression no projection is ever active (alg2-reduces); with "
        "$\\mathcal{S} = "
        "\\mathbb{R}^q$ neither. That 𝒮 must be convex here is not shown.",
    ),
    row(
        "own-projected-step",
        "With the projection of the paper, active or not: $E[W_{t+1} \\mid F_t] \\leq W_t - "
        "\\gamma(1 - ‹drift·›\\frac{\\bar C}{v_{\\min}}\\gamma)\\|h(\\hat S_t)\\|_{B_t}^2 + "
        "‹noise·|c=\\frac{\\bar C}{v_{\\min}}›\\gamma‹^power› E[\\|H_{t+1}-h(\\hat S_t)\\|_{B_t}^2 \\mid F_t]$.",
        ["‹hypotheses: retraction=Π is the projection in the norm of $B_t = B(\\hat S_t)$ (A8)›", C_BAR],
        step.projected_step,
        partial(line_instance, step.PROJECTED, projected=True),
        {
            "a quarter of the drift": {"drift": "1/4"},
            "1/4 in place of 1/2 + C̄/v_min": {"noise": "1/4"},
            "1/2 in place of it": {"noise": "1/2"},
            "noise subtracted": {"noise": "-1/2 - c"},
            "noise of order γ³": {"power": 3},
        },
        undecided=("γ ≤ 1/2",),
        lines="L 811, L 1372-1381",
        note="The projection is biased, as L 811 says; but its bias $\\delta = E[\\Pi(\\cdot)] - m$ has $\\langle h, "
        "\\delta \\rangle_{B_t} "
        "\\geq -\\frac{\\gamma^2}{4(1-\\gamma)} E\\|H-h\\|_{B_t}^2$: the projection inequality at the point $\\hat "
        "S_t + h$ of 𝒮. So it costs "
        "noise of order $\\gamma^2$ and not γ. The two norms have to agree: see own-euclid-noise.",
    ),
]

VARIATES = [
    row(
        "own-noise-plain",
        "$E[\\|H_{t+1}-h(\\hat S_t)\\|^2 \\mid F_t] \\leq ‹noise·↓›\\frac{\\sigma^2}{n} "
        "‹+bias·↓›G_t$, in the Euclidean norm.",
        ["‹hypotheses›"],
        variates.direction,
        round_instance,
        {
            "ω_p forgotten": {"noise": "1"},
            "half of ω_p": {"bias": "w/2"},
            "wrong sign": {"noise": "1-w"},
        },
        lines="L 1452-1459",
        note="Proposition 3 (as amended) without $v_{\\max}$, A7 and A8.",
    ),
    row(
        "own-moved",
        "$E[\\|\\hat S_{t+1}-\\hat S_t\\|^2 \\mid F_t] \\leq ‹factor·↓›\\gamma^2(\\|h(\\hat "
        "S_t)\\|^2 + E[\\|H_{t+1}-h(\\hat S_t)\\|^2 \\mid F_t])$.",
        ["‹hypotheses›"],
        variates.moved,
        partial(line_instance, variates.MOVED, projected=True),
        {
            "9/10": {"factor": "9/10"},
            "wrong sign": {"factor": "-1"},
        },
        lines="L 1731-1740",
        note="In place of the corollary of Lemma 3, $E_{t+1} \\leq 2\\bar E_{t+1} + 2\\|H-h\\|^2$: compare with "
        "$\\hat S_t$ itself, a point of 𝒮, "
        "and the factors 2 disappear.",
    ),
    row(
        "own-moved-B",
        "With the projection in the norm of $B_t$: $E[\\|\\hat S_{t+1}-\\hat S_t\\|^2 \\mid "
        "F_t] \\leq ‹factor·↓›\\frac{\\gamma^2}{v_{\\min}}(\\|h(\\hat S_t)\\|_{B_t}^2 + "
        "v_{\\max} E[\\|H_{t+1}-h(\\hat S_t)\\|^2 \\mid F_t])$.",
        ["‹hypotheses: retraction=Π is the projection in the norm of $B_t = B(\\hat S_t)$ (A8)›"],
        variates.moved_in_norm,
        partial(line_instance, (*variates.MOVED, "A7"), projected=True),
        {
            "9/10": {"factor": "9/10"},
            "wrong sign": {"factor": "-1"},
        },
        undecided=("A7",),
        lines="L 1731-1740",
    ),
    row(
        "own-variates",
        "For every $\\eta > 0$, with $\\beta = 1 + \\eta$: $E[G_{t+1} \\mid F_t] \\leq \\beta "
        "‹rate·›G_t + \\beta ‹noise·›\\frac{\\sigma^2}{n} ‹+split·›\\frac{L^2}{n}E[\\|\\hat "
        "S_{t+1}-\\hat S_t\\|^2 \\mid F_t]$, whatever the projection.",
        ["‹hypotheses›"],
        variates.recursion,
        round_instance,
        {
            "contraction 1 − 2α": {"rate": "1-2*a"},
            "half of the noise": {"noise": "a/2"},
            "noise subtracted": {"noise": "-a"},
            "1/(β − 1)": {"split": "1/eta"},
        },
        lines="L 1547-1564",
        note="Proposition 4 before the projection, A7 and A8 come in; agents need not be independent.",
    ),
]
