"""Rows in the seminorm of B(s), singular wherever q > d: one round, λ, active projections, and what resists."""

from __future__ import annotations

from proofs_checks.beyond_theorem import seminorm as seminorm
from proofs_checks.beyond_theorem import seminorm_growth as seminorm_growth
from proofs_checks.beyond_theorem import seminorm_open as seminorm_open
from proofs_checks.beyond_theorem import seminorm_projected as seminorm_projected
from proofs_checks.beyond_theorem.rows import NO_PROJECTION, NUMBERS, row
from proofs_checks.ledger import Claim, each_dropped

SEMINORM = [
    row(
        "own-seminorm",
        "In the seminorm of $B(s)$, singular or not, with compression: $E\\Psi_{t+1} \\leq E\\Psi_t - "
        "\\gamma(1-(C+2\\kappa\\lambda^2)\\gamma)E\\|h(\\hat S_t)\\|_{B_t}^2 - \\frac{\\kappa}{4}\\gamma^2"
        "E\\|h(\\hat S_t)\\|^2 + ((1+\\omega_p)Q+c\\tau)\\gamma^2\\frac{\\sigma^2}{n}$ for "
        "$\\Psi_t = W_t + \\kappa\\gamma\\|h(\\hat S_t)\\|^2 + c\\gamma^2G_t$, with "
        "$Q = Cv_{\\max}+2\\kappa(1+\\lambda^2v_{\\max})+\\frac{3}{4}\\kappa$.",
        [
            "$W(T(s')) \\leq W(T(s)) - \\langle h(s),\\Delta s\\rangle_{B(s)} + C\\|\\Delta s\\|_{B(s)}^2 + "
            "\\frac{\\kappa}{4}\\|\\Delta s\\|^2$, $0 \\preceq B(s) \\preceq v_{\\max}I$",
            "$\\|E\\bar S(Z,T(s'))-E\\bar S(Z,T(s))\\| \\leq \\lambda\\|\\Delta s\\|_{B(s)}$; " + NO_PROJECTION,
            "unbiased messages, $E\\|H-h\\|^2 \\leq \\omega_pG_t+(1+\\omega_p)\\frac{\\sigma^2}{n}$ (own-noise-plain); "
            "$E[G_{t+1}] \\leq \\varrho G_t + M\\gamma^2E\\|H\\|^2 + \\tau\\frac{\\sigma^2}{n}$ (own-variates)",
            "$c(1-\\varrho) \\geq \\omega_pQ$, $cM\\gamma^2 \\leq \\frac{\\kappa}{2}$, $0 < \\gamma \\leq 1$, constant",
        ],
        seminorm.one_round,
        seminorm.seminorm_instance,
        {
            "twice the decrease": {"gain": f"2*({seminorm.GAIN})"},
            "sixteen times the plain norm": {"held": "4*kappa"},
            "the noise subtracted": {"level": f"-({seminorm.LEVEL})"},
            **each_dropped(seminorm.SEMINORM),
        },
        lines="L 712-722, L 753-776",
        note="No $v_{\\min}$, and noise of second order, where own-lip has first. The first hypothesis holds with "
        "$C = \\frac{1}{2}$ where $\\phi(T(s)) = Bs$; a remainder $C'\\|h\\|_B\\|\\Delta s\\|_B\\|\\Delta s\\|$, as of "
        "$T(s) = s_1/s_2$, is in it for every κ, with $C'^2\\sup\\|h\\|_B^2/\\kappa$ more in C. " + NUMBERS,
    ),
    row(
        "own-seminorm-growth",
        "$\\|E\\bar S(Z,T(s'))-E\\bar S(Z,T(s))\\|^2 \\leq "
        "‹factor·›\\frac{\\ell_S^2\\Lambda}{\\kappa^2}\\|\\Delta s\\|_{B(s)}^2$: own-seminorm holds with "
        "$\\lambda = \\ell_S\\sqrt{\\Lambda}/\\kappa$.",
        [
            "‹hypotheses: growth=$J_s = g+\\psi-\\langle s,\\phi\\rangle$ is κ-strongly convex between points of T(𝒮), "
            "for $s \\in \\mathcal{S}$; curvature=$\\nabla^2J_s(T(s)) \\preceq \\Lambda I$; "
            "oracle=the mean oracle is $\\ell_S$-Lipschitz in θ›"
        ],
        seminorm_growth.in_seminorm,
        seminorm_growth.curve_instance,
        {"99/100": {"factor": "99/100"}, "wrong sign": {"factor": "-1"}},
        lines="L 712-722",
        note="$B(s) = J_\\phi(\\nabla^2J_s)^{-1}J_\\phi^\\top$ at T(s), so that $\\|\\Delta s\\|_{B(s)} \\geq "
        "\\|J_\\phi^\\top\\Delta s\\|/\\sqrt\\Lambda$. Approached by a $J_s''$ that is Λ at T(s) and κ beyond. Where "
        "φ∘T is "
        "affine, $\\lambda^2 = L_T\\ell^2$ of own-lip. `fedmm theorem` derives both.",
    ),
    row(
        "own-seminorm-projected",
        "With active projections, in the norm of $D_t = B(\\hat S_t)+2\\kappa\\gamma(1-\\gamma)I$: "
        "$E\\Psi_{t+1} \\leq E\\Psi_t - \\gamma(1-2K\\gamma)E\\|h(\\hat S_t)\\|_{B_t}^2 - "
        "\\frac{\\kappa}{4}\\gamma^2E\\|h(\\hat S_t)\\|^2 + "
        "((1+\\omega_p)Q+c\\tau)\\gamma^2\\frac{\\sigma^2}{n}$ for the Ψ of own-seminorm, with "
        "$K = C+\\frac{5}{4}\\kappa\\lambda^2$ and $Q = (\\frac{5}{2}+2K)(v_{\\max}+\\frac{\\kappa}{2})$.",
        [
            "$W(T(s')) \\leq W(T(s)) - \\langle h(s),\\Delta s\\rangle_{B(s)} + C\\|\\Delta s\\|_{B(s)}^2$, "
            "$0 \\preceq B(s) \\preceq v_{\\max}I$",
            "$\\|E\\bar S(Z,T(s'))-E\\bar S(Z,T(s))\\| \\leq \\lambda\\|\\Delta s\\|_{B(s)}$; 𝒮 closed and convex, "
            "$E_\\pi[\\bar S(Z, T(\\hat S_t))] \\in \\mathcal{S}$",
            "unbiased messages, $E\\|H-h\\|^2 \\leq \\omega_pG_t+(1+\\omega_p)\\frac{\\sigma^2}{n}$ (own-noise-plain); "
            "$E[G_{t+1}] \\leq \\varrho G_t + ME\\|\\hat S_{t+1}-\\hat S_t\\|^2 + \\tau\\frac{\\sigma^2}{n}$ "
            "(own-variates)",
            "$c(1-\\varrho) \\geq \\omega_pQ$, $cM\\gamma \\leq \\frac{\\kappa}{4}$, $0 < \\gamma \\leq "
            "\\frac{1}{2}$, constant",
        ],
        seminorm_projected.one_round,
        seminorm_projected.clipped_instance,
        {
            "twice the decrease": {"gain": f"2*({seminorm_projected.GAIN})"},
            "sixteen times the plain norm": {"held": "4*kappa"},
            "the noise subtracted": {"level": f"-({seminorm_projected.LEVEL})"},
            **each_dropped(seminorm_projected.HYPOTHESES),
        },
        lines="L 712-722, L 753-776",
        note="In a seminorm there is no projection; in the norm of $D_t$ there is, and $\\kappa\\gamma\\|h\\|^2$ "
        "pays for "
        "its bias. The first hypothesis holds with $C = \\frac{1}{2}$ where $\\phi(T(s)) = Bs$. With a remainder "
        "$\\frac{\\kappa}{4}\\|\\Delta s\\|^2$ besides, as own-seminorm allows it, see own-seminorm-remainder. "
        + NUMBERS,
    ),
    Claim(
        id="own-seminorm-remainder",
        lines="L 712-722, L 753-776",
        statement="Noise of second order where projections are active and $T(s) = s_1/s_2$: with the projection in "
        "the norm of "
        "$D_t = B(\\hat S_t)+2\\gamma(1-\\gamma)I$, $E[W_{t+1}+\\gamma\\|h(\\hat S_{t+1})\\|^2] \\leq "
        "W_t+\\gamma\\|h(\\hat "
        "S_t)\\|^2 + ‹size·›\\gamma‹^power›E\\|H_{t+1}-h(\\hat S_t)\\|^2$ in every round of one client.",
        hypotheses=(
            "messages are doubled or lost, $E[H_{t+1}] = h(\\hat S_t)$",
            "$\\bar S \\equiv (a, w)$, $J_s = s_2\\theta^2/2-s_1\\theta$; 𝒮 a half-plane within $s_2 \\geq 1/4$",
        ),
        check=seminorm_open.second_order,
        expected="open",
        non_vacuity=seminorm_open.ray_instance,
        mutants={
            "of third order": {"power": 3},
            "biased messages": {"unbiased": False},
            "a tenth": {"size": "1/10"},
            "the noise subtracted": {"size": "-32"},
        },
        note="What resists in own-seminorm-projected is a remainder in the plain norm, of which this is the smallest "
        "instance, two coordinates of s and one of θ. Young's inequality with the weight $\\sqrt\\gamma$ leaves "
        "noise of "
        "order $\\gamma^{3/2}$.",
    ),
]
