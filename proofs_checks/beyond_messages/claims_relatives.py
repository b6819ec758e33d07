"""Rows on relatives: named systems that are FedMM, or differ from it in one part."""

from __future__ import annotations

from functools import partial

from proofs_checks.beyond_messages import composite as composite
from proofs_checks.beyond_messages import personal as personal
from proofs_checks.beyond_messages import relatives as relatives
from proofs_checks.beyond_messages import remembered as remembered
from proofs_checks.beyond_theorem.rows import row

RELATIVES = [
    row(
        "own-scaffold",
        "SCAFFOLD, option II, is FedMM in Θ with $V_{t,i} = -\\eta K c_i$, $\\alpha = p = \\frac{m}{n}$ and $\\gamma = "
        "\\eta_g$: an active client aims at $\\theta_t$ less η times the sum of its K gradients.",
        [
            "$\\mu_i = \\frac{1}{n}$, m clients in each round",
            "$c_i^+ = c_i - c + \\frac{x-y_K}{\\eta K}$, $c^+ = c + "
            "\\frac{1}{n}\\sum_{A}(c_i^+-c_i)$, $x^+ = x + \\frac{\\eta_g}{m}\\sum_{A}(y_K-x)$",
        ],
        relatives.scaffold,
        relatives.rounds_instance,
        {
            "the sign of pfl 0.6.0": {"drift": "-1"},
            "α = 1": {"size": "1"},
            "clients send c_i": {"sent": "value"},
            "divided by m": {"over": "m"},
            "any weights": {"weights": "any"},
        },
        lines="L 560",
        note="K = 1: FedMM with the quadratic surrogate. d numbers go up: the change of $c_i$ follows from $y_K$.",
    ),
    row(
        "own-ef21",
        "EF21 is FedMM with the quadratic surrogate of ρ = η, g = 0, γ = α = 1, everyone, a server step along "
        "$V_{t+1}$ and C in the place of Quant: $V_{t,i} = -\\eta g_i$.",
        [
            "$C(cu) = cC(u)$ for every number c (Top-k; scaled sign)",
            "$g_i^+ = g_i + C(\\nabla f_i - g_i)$, $x^+ = x - \\eta\\sum_i\\mu_i g_i^+$",
        ],
        partial(relatives.shifted, name="EF21", direction="new"),
        relatives.rounds_instance,
        {"along the old g": {"direction": "old"}, "C not homogeneous": {"scale": "1"}},
        lines="L 560",
        note="Unbiasedness, A4, is not used: own-biased is the theorem for it.",
    ),
    row(
        "own-diana",
        "DIANA is FedMM with the quadratic surrogate of ρ = η, g = 0, γ = 1, everyone: $V_{t,i} = -\\eta h_i$.",
        [
            "$Q(cu) = cQ(u)$ in law for every number c",
            "$h_i^+ = h_i + \\alpha Q(\\nabla f_i - h_i)$, $x^+ = x - \\eta\\sum_i\\mu_i(h_i + Q(\\nabla f_i-h_i))$",
        ],
        partial(relatives.shifted, name="DIANA", direction="both"),
        relatives.rounds_instance,
        {"along the new h": {"direction": "new"}, "along the old h": {"direction": "old"}},
        lines="L 239, L 560-564",
    ),
    row(
        "own-marina",
        "MARINA is FedMM with the quadratic surrogate of ρ = η, g = 0, γ = α = 1, everyone, $V_{t,i} = -\\eta g_i$: "
        "after heads clients send in full, after tails they aim at $\\theta_t + V_{t,i} - "
        "\\eta(\\nabla f_i(\\theta_t) - \\nabla f_i(\\theta_{t-1}))$.",
        [
            "$Q(cu) = cQ(u)$ for every number c",
            "one coin for all: $g_i^+ = \\nabla f_i(\\theta_t)$ after heads, else $g_i^+ = g_i + Q(\\nabla "
            "f_i(\\theta_t) - \\nabla f_i(\\theta_{t-1}))$; $\\theta_{t+1} = \\theta_t - \\eta\\sum_i\\mu_i g_i^+$",
        ],
        remembered.marina,
        relatives.rounds_instance,
        {
            "clients that remember nothing": {"aim": "plain"},
            "differences since the last full round": {"since": "full"},
            "α = 1/2": {"size": "1/2"},
            "compressed after heads, too": {"heads": "sent"},
            "Q not homogeneous": {"scale": "1"},
        },
        lines="L 811",
        note="$E[\\sum_i\\mu_i g_i^+ | \\text{past}] \\neq \\nabla f(\\theta_t)$: what is aimed at after tails is no "
        "unbiased oracle of $\\bar S$, so Theorem 1 is not about it.",
    ),
    row(
        "own-mcm",
        "MCM is FedMM with the quadratic surrogate of ρ = η, g = 0, γ = 1, everyone, $V_{t,i} = -\\eta h_i$, whose "
        "clients see $\\hat x_t = w_t + C(x_t - w_t)$ and differ from it, $r_t = \\hat x_t$, while the server moves "
        "its own $x_t$: H without $r_t - x_t$.",
        [
            "$Q(cu) = cQ(u)$ in law for every number c; C is any map",
            "$h_i^+ = h_i + \\alpha Q(\\nabla f_i(\\hat x_t) - h_i)$, $x^+ = x - \\eta\\sum_i\\mu_i(h_i + Q(\\nabla "
            "f_i(\\hat x_t) - h_i))$, $w^+ = w + \\beta C(x - w)$",
        ],
        remembered.mcm,
        relatives.rounds_instance,
        {
            "differences from the server's own x": {"reference": "x"},
            "the server goes on from what clients see": {"moves": "seen"},
            "β = 1": {"down": "1"},
            "along the old h": {"direction": "old"},
        },
        lines="L 560",
        note="C = the identity: own-diana. A server that goes on from $\\hat x_t$ is the downlink of Artemis.",
    ),
    row(
        "own-feddyn",
        "FedDyn is FedMM in Θ with $V_{t,i} = -\\frac{g_i}{a}$, α = p, $S_i = \\theta_t - \\frac{1}{a}\\nabla "
        "f_i(\\theta_i)$, but for $V_{t+1}$ where Algorithm 2 has $V_t$.",
        [
            "$\\mu_i = \\frac{1}{n}$, m clients in each round",
            "$\\theta_i$ minimises $f_i - \\langle g_i, \\cdot\\rangle + "
            "\\frac{a}{2}\\|\\cdot-\\theta_t\\|^2$, $g_i^+ = g_i - a(\\theta_i-\\theta_t)$",
            "$h^+ = h - "
            "\\frac{a}{n}\\sum_A(\\theta_i-\\theta_t)$, $\\theta_{t+1} = "
            "\\frac{1}{m}\\sum_A\\theta_i - \\frac{1}{a}h^+$",
        ],
        relatives.feddyn,
        relatives.rounds_instance,
        {"with V_t": {"direction": "old"}, "α = 1": {"size": "1"}, "wrong sign": {"drift": "-1"}},
        lines="L 560",
    ),
    row(
        "own-two-proxes",
        "FedMiD with K = 1 and one client ends on $\\frac{1}{2}(\\theta-3)^2 + |\\theta|$ at 1, the minimiser of "
        "f + 2g, for every $0 < \\eta < 1$; that of f + g is 2.",
        ["a proximal step of size η at the client, and one at the server"],
        relatives.two_proxes,
        relatives.rounds_instance,
        {"at the minimiser of f + g": {"ends": "2"}, "one prox": {"proxes": 1}},
        lines="L 624-629",
    ),
    row(
        "own-limit",
        "Where FedAvg's rounds end, everyone active and g = 0: $\\sum_i \\mu_i Q_i \\nabla f_i(\\theta) = 0$ with "
        "$Q_i = \\eta\\sum_{k<K}(I-\\eta H_i)^k$, as $y_K - \\theta = -Q_i\\nabla f_i(\\theta)$.",
        ["$f_i$ quadratic with Hessian $H_i$"],
        relatives.ends_of_fedavg,
        relatives.rounds_instance,
        {
            "the same Q for all": {"weights": "common"},
            "half of the step": {"step": "1/2"},
            "wrong sign": {"step": "-1"},
        },
        lines="L 233, L 560",
        note="$Q_i = I$, as for FedMM, means that rounds end at the optimum; here that is so for K = 1.",
    ),
    row(
        "own-gdci",
        "GDCI, $\\theta_{t+1} = (1-\\gamma)\\theta_t + \\gamma\\sum_i\\mu_i Q(\\theta_t - \\eta\\nabla "
        "f_i(\\theta_t))$, is FedMM "
        "with the quadratic surrogate of ρ = η, g = 0, $V_{t,i} = 0$ and the reference 0 in the place of $\\hat S_t$.",
        ["everyone; Q is any map, random or not, unbiased or not"],
        composite.gdci,
        relatives.rounds_instance,
        {
            "differences from Ŝ_t": {"reference": "x"},
            "control variates that stay": {"memory": "V"},
            "not damped": {"damped": "1"},
        },
        lines="L 560",
        note="So what is compressed is the iterate, not its change: where $\\theta_\\star \\neq 0$ the variance of Q "
        "stays.",
    ),
    row(
        "own-prox-diana-differs",
        "prox-DIANA is FedMM with the quadratic surrogate of ρ = η, γ = 1 and the reference $r_t = \\theta_t$; with "
        "$r_t = "
        "\\hat S_t$, as Algorithm 2 has it, there are f, g and a channel for which it is not.",
        [
            "$h_i^+ = h_i + \\alpha Q(\\nabla f_i(\\theta_t) - h_i)$, $\\theta_{t+1} = \\mathrm{prox}_{\\eta "
            "g}(\\theta_t - \\eta\\sum_i\\mu_i(h_i + Q(\\nabla f_i - h_i)))$",
            "$Q(cu) = cQ(u)$ in law for every number c; everyone",
        ],
        composite.prox_diana_differs,
        composite.penalised,
        {"it differs for g = 0, too": {"penalty": "0"}},
        lines="L 239, L 564",
        note="Without compression both make the same rounds. For g = 0, $\\theta_t = \\hat S_t$, and this is "
        "own-diana.",
    ),
    row(
        "own-prox-diana",
        "With $r_t = \\theta_t$ FedMM moves to $\\theta_t - \\eta\\sum_i\\mu_i(h_i + Q(\\nabla f_i - h_i))$, and T is "
        "$\\mathrm{prox}_{\\eta g}$: the step of prox-DIANA, with $V_{t,i} = -\\eta h_i$.",
        ["$Q(cu) = cQ(u)$ in law for every number c; everyone; γ = 1, ρ = η"],
        composite.prox_diana,
        composite.penalised,
        {"reference Ŝ_t": {"reference": "x"}, "half of the step": {"size": "1/2"}, "uphill": {"size": "-1"}},
        lines="L 239, L 564",
    ),
    row(
        "own-feddualavg",
        "FedDualAvg with K = 1: $\\theta_t$ minimises $\\langle s_t, \\theta\\rangle + g(\\theta) + "
        "\\frac{1}{2\\eta t}\\|\\theta - z_0\\|^2$, where $s_{t+1} = s_t + \\frac{1}{t+1}(\\sum_i\\mu_i\\nabla "
        "f_i(\\theta_t) - s_t)$: SA-SSMM with $\\gamma_t = \\frac{1}{t}$ on tangent planes.",
        [
            "everyone; the Euclidean mirror map",
            "$z_{t+1} = z_t - \\eta\\sum_i\\mu_i\\nabla f_i(\\theta_t)$, $\\theta_t = \\mathrm{prox}_{\\eta t g}(z_t)$",
        ],
        composite.feddualavg,
        composite.penalised,
        {
            "γ = 1": {"step": "1"},
            "a step later": {"step": "1/(t + 2)"},
            "g not weighed": {"weight": "eta"},
            "g twice": {"weight": "2*eta*t"},
            "uphill": {"sign": -1},
        },
        lines="L 624-629",
        note="The planes lie below convex $f_i$: what is averaged are no majorisers, and the last term, which fades, "
        "stands "
        "in for them.",
    ),
    row(
        "own-marfoq-not-monotone",
        "FedEM of Marfoq et al. with an exact M-step may raise its objective: for two coins with $p = (\\frac{1}{4}, "
        "\\frac{3}{4})$ and two clients with the weights $(\\frac{1}{4}, \\frac{3}{4})$ and $(\\frac{3}{4}, "
        "\\frac{1}{4})$, who saw heads and tails, a round takes the likelihood from $\\frac{25}{64}$ to "
        "$\\frac{1}{4}$.",
        ["everyone; the clients' minimisers are averaged in Θ, and each keeps its own weights"],
        personal.rises,
        personal.coins_instance,
        {
            "averaged in 𝒮": {"space": "S"},
            "equal clients": {"clients": "equal"},
            "to a fifth": {"after": "1/5"},
        },
        lines="L 533, L 632-633",
        note="Averaged in 𝒮 the same round takes it up to 1681/2500, as own-personal-monotone says that it must.",
    ),
    row(
        "own-personal-monotone",
        "A mixture with weights of each client's own, aggregated in 𝒮 with γ = 1 and everyone, is EM for $(\\theta, "
        "\\pi_1, "
        "\\dots, \\pi_n)$: $W_{t+1} \\leq W_t - \\sum_i\\mu_i \\mathrm{KL}(\\pi_{t+1,i} \\,\\|\\, \\pi_{t,i})$.",
        ["‹hypotheses›"],
        personal.falls,
        personal.coins_instance,
        {"a fifth more": {"gain": "6/5"}, "it rises": {"sign": -1}},
        lines="L 632-633",
        note="$W$ is the mean of $-\\log\\sum_l \\pi_{i,l} f_l(Z; \\theta)$ over clients and their samples, plus g. "
        "What "
        "the own weights gain is their divergence; what the common components gain comes on top.",
    ),
]
