"""Rows on getting there in fewer rounds or messages: local steps (ProxSkip, SCAFFOLD), Nesterov's acceleration."""

from __future__ import annotations

from proofs_checks.beyond_messages import accelerated as accelerated
from proofs_checks.beyond_messages import accelerated_messages as accelerated_messages
from proofs_checks.beyond_messages import open_runs as open_runs
from proofs_checks.beyond_messages import proxskip as proxskip
from proofs_checks.beyond_messages import scaffold as scaffold
from proofs_checks.beyond_theorem.rows import row
from proofs_checks.ledger import Amended, Claim, each_dropped
from proofs_checks.reading import Reading

FASTER = [
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
        "own-scaffold-rate",
        "SCAFFOLD with K local steps, option II, m of n clients: $E\\Psi_{t+1} \\leq \\max(1-\\frac{v\\mu}{L},\\, "
        "1-p+\\frac{A}{b})\\Psi_t + \\frac{v}{L^2}(\\frac{v}{n}+\\nu v+pb+\\chi(1-\\frac{1}{K})u^2)\\sigma^2$ for "
        "$\\Psi_t = E\\|x_t-x_\\star\\|^2 + \\frac{bv}{L^2}\\cdot"
        "\\frac{1}{n}\\sum_i E\\|c_i-\\nabla f_i(x_\\star)\\|^2$, $A = (1-\\frac{1}{K})u^2+\\nu v$.",
        [
            "$u = \\eta KL$, $v = \\eta_g u$, $p = \\frac{m}{n}$, $\\nu = \\frac{2(n-m)}{m(n-1)}$ (0 for $m = n$), "
            "$\\chi = \\frac{1}{2K}\\sum_{l<K}\\frac{1}{l}$; $b > 0$, $A+v+pb \\leq 1$",
            "the algorithm as in own-scaffold, the m clients drawn uniformly (two with chance "
            "$\\frac{m(m-1)}{n(n-1)}$), $c = \\frac{1}{n}\\sum_ic_i$; $g = 0$",
            "gradients are unbiased given the past, independent between clients, and their variances at most σ² in the "
            "mean over clients",
            "each $f_i$ convex and L-smooth, $f(x)-f(x_\\star) \\geq \\frac{\\mu}{2}\\|x-x_\\star\\|^2$",
        ],
        scaffold.rate,
        scaffold.scaffold_instance,
        {
            "twice as fast": {"pull": "1 - 2*v*m/L"},
            "local steps forgotten": {"keep": "1 - p + nu*v/b"},
            "absent clients forgotten": {"keep": "1 - p + drift/b"},
            "99/100 of the noise": {"level": f"99/100*({scaffold.LEVEL})"},
            "the noise of c_i forgotten": {"level": "v/L**2*(v/n + nu*v + chi*drift)"},
            "the noise subtracted": {"level": f"-({scaffold.LEVEL})"},
            "wrong sign": {"pull": "v*m/L - 1"},
            **each_dropped(scaffold.SCAFFOLD),
        },
        lines="L 560",
        note="$b = A/(p-\\frac{v\\mu}{L})$ is best where the condition admits it: the factor is $1-\\frac{v\\mu}{L}$ "
        "then, and noise of second order in the step. With exact gradients, everyone and $\\eta_g = 1$ it is a rate "
        "for $\\eta < \\frac{1}{2KL}$. The clients may differ as they like. Local steps gain nothing in this bound: a "
        "round of K = 1 is as good; nor do they make the noise smaller, where the published theorem (Karimireddy et "
        "al., ICML 2020) divides it by K.",
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
        "own-accelerated-restart",
        "Acceleration with restarts: after $T \\geq 1$ rounds of own-accelerated with $t_k = \\frac{k+1}{2}$ "
        "from $z_0 = x_0$, $W(x_T)-W_\\star \\leq ‹sign·›\\frac{4L}{\\mu(T+1)^2}(W(x_0)-W_\\star)$.",
        [
            "‹hypotheses: rounds=every round as in own-accelerated; restart=$z_0 = x_0$; "
            "growth=$W(x)-W_\\star \\geq \\frac{\\mu}{2}\\|x-x_\\star\\|^2$›",
        ],
        accelerated.restart,
        accelerated.restart_instance,
        {
            "a fortieth": {"factor": "L/(10*mu*(T+1)**2)"},
            "the root of the condition number": {"factor": "4*sqrt(L/mu)/(T+1)**2"},
            "T to the third": {"factor": "8*L/(mu*(T+1)**3)"},
            "wrong sign": {"sign": -1},
        },
        lines="L 485-493",
        note="Blocks of $T+1 \\geq \\sqrt{8L/\\mu}$ rounds halve the gap each: a linear rate with $\\sqrt{L/\\mu}$ in "
        "place of $L/\\mu$, best with $T+1 \\approx 2e\\sqrt{L/\\mu}$. μ is of f, of g or of both together.",
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
        },
        lines="L 485-493, L 696-704",
        note="A4 gives $K = 1+\\omega_p$ for one client, or where all $f_i$ are the same, without control variates: "
        "$W(x_T)-W_\\star \\leq 2LK^2\\|x_0-x_\\star\\|^2/T^2$, K times the rounds of messages in "
        "full, as for ACGD (Li, "
        "Kovalev, Qian and Richtárik, ICML 2020).",
    ),
    Claim(
        id="own-accelerated-clients",
        lines="L 485-493, L 696-704",
        statement="The same for two clients, even with exact control variates $V_i = h_i(s_\\star)$: for some $\\eta, "
        "\\zeta > 0$ and all $t \\geq 1$, $E[\\Psi^+] \\leq ‹speed·›\\Psi$ with the Ψ of "
        "own-accelerated-message, for all "
        "convex, 2-smooth $f_i$ with one common minimiser.",
        hypotheses=("the messages are doubled or lost, each by a coin of its own ($\\omega = 1$)",),
        check=accelerated_messages.several,
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
            "two clients": {"clients": "two"},
            "one, a hundredth better": {"speed": "99/100"},
            "one, wrong sign": {"speed": "-1"},
        },
        kinds={"two clients": "hypothesis"},
        note="The smallest instance: $f_{1,2} = (\\sqrt m x_1 \\pm x_2)^2/2$ from $x = z = (1,0)$; "
        "for every η and ζ some m "
        "and t make Ψ rise. It is one round; for runs see own-accelerated-runs.",
    ),
    Claim(
        id="own-accelerated-runs",
        lines="L 485-493, L 696-704",
        statement="Over runs, though, two clients keep acceleration: with $\\eta = \\frac{1}{‹K›L}$, $\\zeta = "
        "\\frac{1}{‹K›^2L}$, $t_k = \\frac{k+1}{2}$ and exact control variates, $E[W(x_T)]-W_\\star \\leq "
        "‹size·›\\frac{8L\\|x_0-x_\\star\\|^2}{(T+1)^‹power›}$, the bound of own-accelerated-message for $K = 2$.",
        hypotheses=(
            "$f_{1,2}(x) = \\frac{1}{2}(\\sqrt m x_1 \\pm x_2)^2$ with $m \\leq 1$, so that f is 1-smooth",
            "the messages are doubled or lost, each by a coin of its own, with mean ‹arrives·›$\\nabla f_i(y)$",
        ),
        check=open_runs.accelerated,
        expected="open",
        non_vacuity=open_runs.runs_instance,
        mutants={
            "a tenth": {"size": "1/10"},
            "T to the third": {"power": 3},
            "the steps of messages in full": {"K": "1"},
            "all messages lost": {"arrives": "0"},
            "wrong sign": {"size": "-1"},
        },
        kinds={"all messages lost": "hypothesis"},
        note="The instance on which Ψ rises in own-accelerated-clients: the noise that moves z across is contracted "
        "there by the curvature of f, which no Lyapunov function of that kind sees.",
    ),
]
