"""Beyond Theorem 1: biased messages, linear rates (DIANA's, under PL), local steps, and relatives that are FedMM."""

from __future__ import annotations

from functools import partial

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.beyond_messages import accelerated as accelerated
from proofs_checks.beyond_messages import message as message
from proofs_checks.beyond_messages import private as private
from proofs_checks.beyond_messages import proxskip as proxskip
from proofs_checks.beyond_messages import rates as rates
from proofs_checks.beyond_messages import relatives as relatives
from proofs_checks.beyond_messages import step as step
from proofs_checks.beyond_messages.claims_linear import LINEAR
from proofs_checks.beyond_theorem.claims import ANY_MAP, C_BAR, MEAN, MODEL, NUMBERS, row
from proofs_checks.beyond_theorem.line import line_instance
from proofs_checks.ledger import Form, each_dropped

SECTION = "What is sent, beyond Theorem 1: biased messages, linear rates and local steps"

CHANNEL = "$V_{t+1,i} = V_{t,i} + C(S_i - \\hat S_t - V_{t,i})$ with probability p, else $V_{t,i}$; $H_{t+1} = V_{t+1}$"
CONTRACTION = "$E\\|C(x)-x\\|^2 \\leq (1-a)\\|x\\|^2$ for every x, $0 < a \\leq 1$; C may be biased, clients dependent"
EXACT = "exact oracles: $S_i = \\hat S_t + h_i(\\hat S_t)$"
FINITE = C_BAR.replace("finite by A6(ii)", "finite")
G = "$G_t = \\sum_i \\mu_i\\|V_{t,i}-h_i(\\hat S_t)\\|^2$, $\\tilde L^2 = \\sum_i \\mu_i L_i^2$"
DIRECTION = "$E\\|H_{t+1}-h(\\hat S_t)\\|^2 \\leq q^2 E[G_t] + \\nu$, $0 < q < 1$, and with it the recursion of $G_t$"
EXACT_NU = (
    "$q^2 = 1-pa$ and $\\nu = 0$ for exact oracles (own-biased-error); $q^2 = (1+\\eta)(1-pa)$ and $\\nu = "
    "p((1+\\eta)(1-a)+1+1/\\eta)\\sum_i\\mu_i\\sigma_i^2$ under A3 (own-biased-error-noise), for "
    "every $\\eta > 0$ with $q < 1$."
)
BRACKET = (
    "$1 - \\frac{2\\bar C}{v_{\\min}}\\gamma - (\\frac{q}{r-q})^2\\frac{v_{\\max}}{v_{\\min}}\\tilde L^2\\gamma^2 "
    "\\geq 0$"
)


def left_out(*spared: str) -> dict[str, Form]:
    """A mutant for each of the rules of one round but the spared ones."""
    return {f"without: {name}": {"without": name} for name in rates.RULES if name not in spared}


ONE_ROUND: dict[str, Form] = {
    "longer steps": {"bend": f"9/10*{rates.BEND}"},
    "half of the noise": {"level": f"{rates.LEVEL}/2"},
    "the noise subtracted": {"level": f"-{rates.LEVEL}"},
}
"""What falsifies the sum over rounds and the linear rate alike: both are one round."""
LESS = f"9/10*{rates.WEIGHT}"


def moved() -> Witness:
    return line_instance(step.MOVED, projected=True)


CLAIMS = [
    row(
        "own-biased-error",
        "$E[\\|H_{t+1}-h(\\hat S_t)\\|^2 \\mid F_t] \\leq (1-pa)G_t$: absent clients are one more contraction.",
        [CHANNEL, CONTRACTION, EXACT, "A5(p)", "$\\sum_i\\mu_i = 1$", G],
        message.error,
        partial(message.round_instance, message.ERROR),
        {
            "participation forgotten": {"factor": "1 - a"},
            "twice the contraction": {"factor": "1 - 2*p*a"},
            "wrong sign": {"factor": "p*a - 1"},
            **each_dropped(message.ERROR),
        },
        lines="L 560, L 690-694",
        note="A4 asks for unbiased messages; Top-k is none, with $a = k/q$. Unbiased messages divided by $1+\\omega$ "
        "are contractions with $a = 1/(1+\\omega)$. No average over clients is gained: their errors may all agree.",
    ),
    row(
        "own-biased-error-noise",
        "With oracles of variance $\\sigma_i^2$, for every $\\eta > 0$: $E[\\|V_{t+1,i}-h_i(\\hat S_t)\\|^2 \\mid F_t] "
        "\\leq (1+\\eta)(1-pa)\\|V_{t,i}-h_i(\\hat S_t)\\|^2 + p((1+\\eta)(1-a)+1+\\frac{1}{\\eta})\\sigma_i^2$.",
        [CHANNEL, CONTRACTION, "A3, A5(p)"],
        message.noisy_error,
        partial(message.round_instance, message.NOISY),
        {
            "half of the contraction": {"factor": "(1 + eta)*(1 - p*a)/2"},
            "without 1/η": {"level": "p*((1 + eta)*(1 - a) + 1)"},
            "wrong sign": {"level": "-p*((1 + eta)*(1 - a) + 1 + 1/eta)"},
            **each_dropped(message.NOISY),
        },
        lines="L 560, L 680-694",
    ),
    row(
        "own-biased-variates",
        "For every $\\beta > 1$: $E[G_{t+1} \\mid F_t] \\leq \\beta(1-pa)G_t + \\frac{\\beta}{\\beta-1}\\tilde L^2 "
        "E[\\|\\hat S_{t+1}-\\hat S_t\\|^2 \\mid F_t]$, whatever the step.",
        [CHANNEL, CONTRACTION, EXACT, "A5(p), A6(i)", G],
        message.recursion,
        partial(message.round_instance, message.RECURSION),
        {
            "participation forgotten": {"rate": "1 - a"},
            "twice the contraction": {"rate": "1 - 2*p*a"},
            "1/(β − 1)": {"split": "1/eta"},
            "wrong sign": {"split": "-1 - 1/eta"},
            **each_dropped(message.RECURSION),
        },
        lines="L 1547-1564",
    ),
    row(
        "own-biased-step",
        "For every direction H, unbiased or not, and every outcome: $W_{t+1} \\leq W_t - \\frac{\\gamma}{2}\\|h(\\hat "
        "S_t)\\|_{B_t}^2 - (\\frac{v_{\\min}}{2\\gamma} - \\bar C)\\|\\hat S_{t+1}-\\hat S_t\\|^2 + "
        "\\frac{\\gamma}{2}v_{\\max}\\|H-h(\\hat S_t)\\|^2$.",
        [MODEL, MEAN, ANY_MAP, "$0 < \\gamma \\leq 1$", FINITE],
        step.kept_move,
        moved,
        {
            "3/5 of the decrease": {"gain": "3/5"},
            "a quarter of the drift": {"drift": "1/4"},
            "2/5 of the error": {"error": "2/5"},
            "the error subtracted": {"error": "-1/2"},
            **each_dropped(step.MOVED, "γ ≤ 1"),
        },
        lines="L 1372-1381",
        note="own-any-step without the last term but one; that term pays for the control variates.",
    ),
    row(
        "own-biased",
        "EF21-MM: $\\sum_{t=1}^T\\frac{\\gamma_t}{2}E\\|h(\\hat S_{t-1})\\|_{B_{t-1}}^2 \\leq E[W_0]-\\min(f+g) + "
        "\\frac{v_{\\max}q^2}{2(1-q)}\\gamma_1 E[G_0] + \\frac{v_{\\max}}{2(1-q)}\\nu\\sum_{t=1}^T\\gamma_t$.",
        [
            "the hypotheses of own-biased-step; used: own-biased-error, own-biased-variates",
            DIRECTION,
            f"{BRACKET} with $r = 1$, for every $\\gamma_t$; steps do not increase",
        ],
        rates.rate,
        partial(rates.numbers, "rate"),
        {
            "a fiftieth more on the left": {"gain": "51/100"},
            "9/10 of the initial term": {"initial": LESS},
            **ONE_ROUND,
            **left_out("PL"),
        },
        note=f"{EXACT_NU} For the quadratic surrogate this is EF21's theorem, with its step $1/(L+\\tilde L q/(1-q))$. "
        f"The noise does not fall with n nor with γ. {NUMBERS}",
    ),
    row(
        "own-biased-linear",
        "If $\\|h(s)\\|_{B(s)}^2 \\geq 2m(W(T(s))-\\min W)$ on 𝒮 (PL) and $r^2 = 1-\\gamma m > q^2$: "
        "$\\Psi_{t+1} \\leq (1-\\gamma m)\\Psi_t + \\frac{r\\,v_{\\max}}{2(r-q)}\\gamma\\nu$ for "
        "$\\Psi_t = E[W_t]-\\min W + \\frac{v_{\\max}q^2}{2r(r-q)}\\gamma E[G_t]$.",
        ["the hypotheses of own-biased, a constant step, PL", BRACKET],
        rates.linear,
        partial(rates.numbers, "linear"),
        {
            "faster": {"speed": "r**3"},
            "9/10 of the weight": {"weight": LESS},
            **ONE_ROUND,
            **left_out("steps do not increase"),
        },
        note=f"{EXACT_NU} Without compression and with everyone $q \\to 0$, and $1-\\gamma m$ is the rate of MM "
        f"itself. {NUMBERS}",
    ),
    row(
        "own-biased-best",
        "$\\frac{\\beta}{(\\beta-1)(r^2-\\beta q^2)} \\geq \\frac{1}{(r-q)^2}$ for $1 < \\beta < r^2/q^2$: of all β in "
        "own-biased-variates, $\\beta = r/q$ admits the longest steps, in own-biased ($r = 1$) and own-biased-linear.",
        ["$0 < q < r$", "$1 < \\beta < r^2/q^2$"],
        rates.best,
        partial(rates.numbers, "rate"),
        {
            "a hundredth more": {"factor": "101/100"},
            "wrong sign": {"sign": -1},
            "β < 1 too": {"without": "β > 1"},
        },
        note="With the weight c of $G_t$ that β asks for, the condition on the step has "
        "$\\frac{\\beta q^2}{(\\beta-1)(r^2-\\beta q^2)}$ in place of $(\\frac{q}{r-q})^2$. The mutants of own-biased "
        "say more: numbers that satisfy the inequalities for every β at once leave no better constant.",
    ),
    *LINEAR,
    row(
        "own-proxskip",
        "ProxSkip: $E\\Psi_{t+1} \\leq \\max(1-\\gamma m,\\, 1-p^2)\\Psi_t$ for $\\Psi_t = \\|x_t-x_\\star\\|^2 + "
        "\\frac{\\gamma^2}{p^2}\\|h_t-h_\\star\\|^2$.",
        [
            "$\\hat x = x_t - \\gamma(\\nabla f(x_t)-h_t)$; with probability p, $x_{t+1} = P(\\hat x - "
            "\\frac{\\gamma}{p}h_t)$, P firmly nonexpansive, else $x_{t+1} = \\hat x$; $h_{t+1} = h_t + "
            "\\frac{p}{\\gamma}(x_{t+1}-\\hat x)$",
            "f m-strongly convex and $L_f$-smooth, $0 < \\gamma \\leq 1/L_f$; $h_\\star = \\nabla f(x_\\star)$, "
            "$x_\\star = P(x_\\star-\\frac{\\gamma}{p}h_\\star)$",
        ],
        proxskip.proxskip,
        proxskip.one_instance,
        {
            "faster in x": {"drift": "1-2*gamma*m"},
            "faster in h": {"dual": "1-2*p**2"},
            "wrong sign": {"drift": "gamma*m-1"},
            **each_dropped(proxskip.PROXSKIP),
        },
        lines="L 619-623",
        note="Scaffnew: P is the mean over clients. The two factors are best possible each.",
    ),
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
        "own-private-sensitivity",
        "The mean $\\bar S_i(\\theta) = \\theta - \\rho \\nabla f_i(\\theta)$ over the N rows of a client moves by at "
        "most $‹factor·↓› \\rho \\delta R/N$, at every θ, when one row is exchanged for any other.",
        ["$\\ell(Z,\\theta) = c(u, y)$ with $u = \\langle x, \\theta\\rangle$", "‹hypotheses›"],
        private.sensitivity,
        private.attained,
        {"a fifth less": {"factor": "8/5"}, "a negative number": {"factor": "-2"}, **each_dropped(private.BOUNDED)},
        lines="L 680-694",
        note="Attained. Gaussian noise of a multiple of this in each number makes what the client sends differentially "
        "private, and is the $\\sigma_i^2$ of A3. With several outputs u, the norm of the slope is meant.",
    ),
    row(
        "own-accelerated",
        "Nesterov's acceleration for the quadratic surrogate and one client: $t^2(W(x^+)-W_\\star) + "
        "\\frac{L}{2}\\|z^+-x_\\star\\|^2 "
        "\\leq t_-^2(W(x)-W_\\star) + \\frac{L}{2}\\|z-x_\\star\\|^2$, $W = f+g$.",
        [
            "$y = (1-\\frac{1}{t})x+\\frac{z}{t}$, $x^+ = \\mathrm{prox}_{g/L}(y-\\nabla f(y)/L)$, $z^+ = z+t(x^+-y)$",
            "f convex, MM-1 with $\\rho = 1/L$, g convex; $t \\geq 1$, $t^2-t \\leq t_-^2$; $x_\\star$ minimises W",
        ],
        accelerated.lyapunov,
        accelerated.lyapunov_instance,
        {
            "a hundredth better": {"speed": "99/100"},
            "a fifth of the distance": {"weight": "1/5"},
            "wrong sign": {"sign": -1},
            **each_dropped(accelerated.NESTEROV),
        },
        lines="L 485-493",
        note="With $t_T \\geq T/2$: $W(x_T)-W_\\star \\leq 2L\\|x_0-x_\\star\\|^2/T^2$. Convexity of f is needed, "
        "MM-1 and MM-2 alone do not do: for "
        "$f = -\\theta^2/4$ on $[-1,1]$, $L = 1$, from the minimiser $x = 1$ with $z = -1$, $t = 2$, the step ends at "
        "the maximiser 0, where MM stays at 1. "
        "With messages that lose something no such row is proved: G_t follows y, and its weight would have to grow "
        "like $t^2$.",
    ),
]
