"""Beyond Theorem 1: biased messages, linear rates (DIANA's, under PL), local steps, and relatives that are FedMM."""

from __future__ import annotations

from functools import partial

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.beyond_messages import accelerated as accelerated
from proofs_checks.beyond_messages import accelerated_messages as accelerated_messages
from proofs_checks.beyond_messages import message as message
from proofs_checks.beyond_messages import private as private
from proofs_checks.beyond_messages import proxskip as proxskip
from proofs_checks.beyond_messages import rates as rates
from proofs_checks.beyond_messages import step as step
from proofs_checks.beyond_messages.claims_linear import LINEAR
from proofs_checks.beyond_messages.claims_relatives import RELATIVES
from proofs_checks.beyond_theorem.line import line_instance
from proofs_checks.beyond_theorem.rows import ANY_MAP, C_BAR, MEAN, MODEL, NUMBERS, OWN, row
from proofs_checks.ledger import Amended, Claim, Form, each_dropped
from proofs_checks.reading import Reading

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
    *RELATIVES,
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
        "With messages that lose something: own-accelerated-message, own-accelerated-clients.",
    ),
    row(
        "own-accelerated-message",
        "One client whose messages lose something, $\\eta = ‹step›$, $\\zeta = ‹pull›$: "
        "$E[t^2(W(x^+)-W_\\star) + \\frac{1}{2\\zeta}\\|z^+-x_\\star\\|^2] \\leq ‹speed·›(t_-^2(W(x)-W_\\star) + "
        "\\frac{1}{2\\zeta}\\|z-x_\\star\\|^2)$.",
        [
            "$y = (1-\\frac{1}{t})x+\\frac{z}{t}$, $x^+ = y-\\eta G$, $z^+ = z-\\zeta tG$, $g = 0$, "
            "$W = f$, $t \\geq 1$; "
            "$x_\\star$ minimises f",
            "‹hypotheses: smooth=f is L-smooth; unbiased=$E[G] = \\nabla f(y)$; t=$t^2-t \\leq t_-^2$›",
        ],
        accelerated_messages.lyapunov,
        accelerated_messages.lossy_instance,
        {
            "a hundredth better": {"speed": "99/100"},
            "the step of messages in full": {"step": "1/L"},
            "the other step K times as long": {"pull": "1/(L*K)"},
            "wrong sign": {"speed": "-1"},
            **each_dropped(accelerated_messages.LOSSY),
        },
        lines="L 485-493, L 696-704",
        note="A4 gives $K = 1+\\omega_p$ for one client, or where all $f_i$ are the same, without control variates: "
        "$W(x_T)-W_\\star \\leq 2LK^2\\|x_0-x_\\star\\|^2/T^2$, K times the rounds of messages in "
        "full, as for ACGD (Li, "
        "Kovalev, Qian and Richtárik, ICML 2020).",
    ),
    Claim(
        id="own-accelerated-clients",
        where=OWN,
        lines="L 485-493, L 696-704",
        statement="The same for two clients, even with exact control variates $V_i = h_i(s_\\star)$: for some $\\eta, "
        "\\zeta > 0$ and all $t \\geq 1$, $E[\\Psi^+] \\leq ‹speed·›\\Psi$ with the Ψ of "
        "own-accelerated-message, for all "
        "convex, 2-smooth $f_i$ with one common minimiser.",
        hypotheses=("the messages are doubled or lost, each by a coin of its own ($\\omega = 1$)",),
        check=accelerated_messages.several,
        expected="refuted",
        reading=Reading.FALSE,
        non_vacuity=accelerated_messages.two_instance,
        amended=Amended(
            kind="hypothesis",
            statement="True for one client, with η = 1/(LK) and ζ = 1/(LK²).",
            form={"clients": "one"},
            differs="One client.",
            matters="Noise is of the size of $\\sum_i\\mu_i^2\\|\\nabla f_i(y)\\|^2$, which may exceed $\\|\\nabla "
            "f(y)\\|^2$ by the condition number, and $t^2$ times it is what z moves. A weight of the control variates' "
            "error only adds to the left. Acceleration with compression needs another scheme, such as ADIANA, in "
            "which messages are about a second, slower point.",
        ),
        mutants={
            "two clients": {},
            "one, a hundredth better": {"clients": "one", "speed": "99/100"},
            "one, wrong sign": {"clients": "one", "speed": "-1"},
        },
        kinds={"two clients": "hypothesis"},
        note="The smallest instance: $f_{1,2} = (\\sqrt m x_1 \\pm x_2)^2/2$ from $x = z = (1,0)$; "
        "for every η and ζ some m "
        "and t make Ψ rise. It is one round; that runs of the scheme lose acceleration is not shown.",
    ),
]
