"""Beyond Theorem 1: biased messages, linear rates (DIANA's, under PL), local steps, and relatives that are FedMM."""

from __future__ import annotations

from functools import partial

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.beyond_messages import message as message
from proofs_checks.beyond_messages import private as private
from proofs_checks.beyond_messages import rates as rates
from proofs_checks.beyond_messages import step as step
from proofs_checks.beyond_messages.claims_faster import FASTER
from proofs_checks.beyond_messages.claims_linear import LINEAR
from proofs_checks.beyond_messages.claims_relatives import RELATIVES
from proofs_checks.beyond_theorem.line import line_instance
from proofs_checks.beyond_theorem.rows import C_BAR, NUMBERS, row
from proofs_checks.ledger import Form, each_dropped

SECTION = "What is sent, beyond Theorem 1: biased messages, linear rates and local steps"

CHANNEL = "$V_{t+1,i} = V_{t,i} + C(S_i - \\hat S_t - V_{t,i})$ with probability p, else $V_{t,i}$; $H_{t+1} = V_{t+1}$"
CONTRACTION = "$E\\|C(x)-x\\|^2 \\leq (1-a)\\|x\\|^2$ for every x, $0 < a \\leq 1$; C may be biased, clients dependent"
EXACT = "exact oracles: $S_i = \\hat S_t + h_i(\\hat S_t)$"
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
        ["‹hypotheses›", C_BAR],
        step.kept_move,
        moved,
        {
            "3/5 of the decrease": {"gain": "3/5"},
            "a quarter of the drift": {"drift": "1/4"},
            "2/5 of the error": {"error": "2/5"},
            "the error subtracted": {"error": "-1/2"},
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
    *FASTER,
    *RELATIVES,
    row(
        "own-private-sensitivity",
        "The mean $\\bar S_i(\\theta) = \\theta - \\rho \\nabla f_i(\\theta)$ over the N rows of a client moves by at "
        "most $‹factor·↓› \\rho \\delta R/N$, at every θ, when one row is exchanged for any other.",
        ["$\\ell(Z,\\theta) = c(u, y)$ with $u = \\langle x, \\theta\\rangle$", "‹hypotheses›"],
        private.sensitivity,
        private.attained,
        {"a fifth less": {"factor": "8/5"}, "a negative number": {"factor": "-2"}},
        lines="L 680-694",
        note="Attained. Gaussian noise of a multiple of this in each number makes what the client sends differentially "
        "private, and is the $\\sigma_i^2$ of A3. With several outputs u, the norm of the slope is meant.",
    ),
    row(
        "own-private-mixture",
        "The mean $\\bar S_i(\\theta)$ of a mixture's statistics $\\bar S(Z,\\theta) = (r_\\ell\\tilde Z\\tilde "
        "Z^\\top)_\\ell$, $\\tilde Z = (Z, 1)$, over the N rows of a client moves by at most $‹factor·↓›\\sqrt 2 "
        "R^2/N$, at every θ, when "
        "one row is exchanged for any other.",
        ["$r_\\ell$ the responsibilities of Z at θ, in the norm $\\sum_\\ell\\|M_\\ell\\|_F^2$", "‹hypotheses›"],
        private.mixture_sensitivity,
        private.mixture_attained,
        {"a fifth less": {"factor": "4/5"}, "a negative number": {"factor": "-1"}},
        lines="L 680-694",
        note="Attained where responsibilities are 0 and 1, to which posteriors come as near as one likes. It holds for "
        "any law over the components that depends on the row and θ alone. $M_\\ell$ is sent as its upper triangle, off "
        "the diagonal times $\\sqrt 2$, so that norms of what is sent are these.",
    ),
]
