"""Beyond Theorem 1: any projection, noise with Σγ² in place of Σγ, and FedMM without A7."""

from __future__ import annotations

from proofs_checks.beyond_theorem import cocoercive as cocoercive
from proofs_checks.beyond_theorem import growth as growth
from proofs_checks.beyond_theorem import image as image
from proofs_checks.beyond_theorem import lipschitz as lipschitz
from proofs_checks.beyond_theorem import prox as prox
from proofs_checks.beyond_theorem import step as step
from proofs_checks.beyond_theorem.claims_projections import ANY, FREE, GEOMETRY, PROJECTED
from proofs_checks.beyond_theorem.claims_round import ROUND, VARIATES
from proofs_checks.beyond_theorem.claims_seminorm import SEMINORM
from proofs_checks.beyond_theorem.rows import FLAT, full_row, mean_row, row, theorem_row
from proofs_checks.ledger import Amended, Claim, each_dropped, without
from proofs_checks.reading import Reading

SECTION = "Beyond Theorem 1"

LIPSCHITZ = [
    row(
        "own-cocoercive",
        "$\\langle s'-s, \\phi(T(s'))-\\phi(T(s)) \\rangle \\geq "
        "‹sign·›‹scale·↑›\\|\\phi(T(s'))-\\phi(T(s))\\|^2/L_T$.",
        ["‹hypotheses›"],
        cocoercive.cocoercive,
        prox.round_instance,
        {
            "11/10": {"scale": "11/10"},
            "wrong sign": {"sign": -1},
            "MM-2 dropped": without(cocoercive.COCOERCIVE, "MM-2"),
            "another L_T": without(cocoercive.COCOERCIVE, "Lipschitz"),
            "𝒮 without interior": without(cocoercive.COCOERCIVE, "interior points"),
        },
        undecided=("𝒮 convex",),
        lines="L 712-722",
        note="The theorem of Baillon and Haddad, on a convex set: $\\phi \\circ T$ is the gradient of a convex "
        "function there. It needs no derivative.",
    ),
    row(
        "own-lip-step",
        "Without A7: with $a = 1/(8L_T\\ell^2)$ and $\\Phi_t = W_t + a\\|h(\\hat S_t)\\|^2$, "
        "$E[\\Phi_{t+1} \\mid F_t] \\leq \\Phi_t - ‹gain·›a\\gamma\\|h(\\hat S_t)\\|^2 + "
        "‹error·›\\gamma E[\\|H_{t+1}-h(\\hat S_t)\\|^2 \\mid F_t]$.",
        ["‹hypotheses: γ ≤ 1/2=$0 < \\gamma \\leq 1/2$›"],
        lipschitz.lyapunov,
        prox.round_instance,
        {
            "twice the decrease": {"gain": "2"},
            "a third of the noise": {"error": "LT/3"},
            "noise subtracted": {"error": "-LT - 1/(4*LT*ell**2)"},
        },
        undecided=(
            "𝒮 convex",
            "interior points",
        ),
        lines="L 1372-1381",
        note="No $v_{\\min}$, $C_\\star$, $\\sup\\|h\\|$ and no small step: A6(ii), A7 and A8(ii) are gone. Where T "
        "does not move, $f+g$ does not decrease, "
        "but h shrinks by the factor $1-\\gamma$.",
    ),
    full_row(
        "own-lip-A",
        "Lipschitz, without A7",
        "",
        ["the hypotheses of own-lip-step"],
        "In the derivation $W_t$ stands for $\\Phi_t$.",
    ),
    theorem_row(
        "own-lip",
        "Lipschitz, without A7",
        "Theorem 1 without A7: ",
        [
            "the hypotheses of own-lip-step",
        ],
        {
            "half as much again on the left": {
                "left": "3*a/2*gamma*(1-3*(1+4*LT**2*ell**2)*(1+q)**2*omega/alpha**2*L2n*gamma**2)"
            },
            "half of the initial term": {"initial": "3/4*(1+q)*omega*(LT+2*a)/alpha"},
            "half of the noise": {"level": "9/8*(1+2*omega)*(LT+2*a)"},
        },
        "In the derivation $W_t$ stands for $\\Phi_t$, and $\\bar E_t$ for $\\|h(\\hat S_{t-1})\\|^2$.",
    ),
    mean_row(
        "own-lip-mean",
        "Lipschitz, without A7",
        ["own-lip", "τ uniform on $\\{0, \\dots, T-1\\}$, independent of the path"],
        "$(L_T+2a)/a = 8L_T^2\\ell^2+2$ has no unit.",
    ),
    row(
        "own-lip-prox",
        "Example 1 with any convex g, $\\nabla f$ $L_f$-Lipschitz and $\\rho L_f \\leq 1$ satisfies the hypotheses "
        "of own-lip with $L_T = 1/\\rho$, $\\ell = "
        "2\\rho$: then $a = 1/(32\\rho)$, and $8L_T^2\\ell^2+2 = 34$.",
        [
            "$\\phi(\\theta) = \\theta/\\rho$, $\\bar S(\\theta) = \\theta - \\rho\\nabla f(\\theta)$, $T = "
            "\\mathrm{prox}_{\\rho g}$"
        ],
        lipschitz.proximal,
        prox.round_instance,
        {
            "1/(2ρ)": {"LT_": "1/(2*rho)"},
            "ℓ = ρ": {"ell_": "rho"},
            "ℓ = −2ρ": {"ell_": "-2*rho"},
            "g not convex": {"convex": False},
            "a = 1/(16ρ)": {"weight": "1/(16*rho)"},
            "33 in place of 34": {"paid": "33"},
        },
        lines="L 1890-1904",
        note="A7 fails for $g = \\lambda\\|\\cdot\\|_1$ (own-A7-l1) and for constraints (own-A7-indicator); both are "
        "covered here, for every λ.",
    ),
    row(
        "own-lip-convex",
        "For convex f the mean oracle of Example 1 is nonexpansive in θ: "
        "$\\|E\\bar S(Z,\\theta')-E\\bar S(Z,\\theta)\\| \\leq ‹ell_·›\\|\\theta'-\\theta\\|$, so that $\\ell_S = 1$ "
        "in own-lip-growth, and $\\ell = \\rho$ in own-lip.",
        [
            "$\\bar S(\\theta) = \\theta-\\rho\\nabla f(\\theta)$",
            "‹hypotheses: f convex=f is convex; smooth=∇f is L-Lipschitz; ρL ≤ 2=$\\rho L \\leq 2$›",
        ],
        lipschitz.nonexpansive,
        lipschitz.nonexpansive_instance,
        {"nine tenths": {"ell_": "9/10"}, "a negative number": {"ell_": "-1"}},
        lines="L 1890-1904",
        note="With $\\ell_\\phi = \\kappa = 1/\\rho$: $a = 1/(8\\rho)$, and $8L_T^2\\ell^2+2 = 10$ in the place of 34 "
        "of own-lip-prox. Attained where f is flat.",
    ),
    row(
        "own-lip-ell",
        "Where $\\|\\phi(\\theta')-\\phi(\\theta)\\|^2 \\geq \\sum_k\\kappa_k^2(\\theta'_k-\\theta_k)^2$ and "
        "$\\|E\\bar S(Z,\\theta')-E\\bar "
        "S(Z,\\theta)\\|^2 \\leq \\ell^2\\sum_k\\kappa_k^2(\\theta'_k-\\theta_k)^2$ on a box that contains T(𝒮), ℓ "
        "serves own-lip, and "
        "$h_i$ is Lipschitz with $L_i = 1+\\ell L_T$.",
        [
            "$\\kappa_k^2 = \\sum_j\\inf\\phi_j'^2$ over components $\\phi_j$ that depend on $\\theta_k$ alone, with "
            "slopes of one sign",
            "φ∘T is $L_T$-Lipschitz: $L_T = v_{\\max}$ where φ∘T has a derivative B and 𝒮 is convex (own-A7-best)",
        ],
        image.image,
        image.image_instance,
        {
            "99/100": {"factor": "99/100"},
            "L = ℓ L_T": {"field": "ell*LT"},
            "wrong sign": {"sign": -1},
            **each_dropped(image.IMAGE),
        },
        lines="L 753-776",
        note="No $v_{\\min}$: q may be larger than d. So `fedmm theorem` finds $L_T$, ℓ and L of Student-t "
        "regression, IRLS and mixtures, for "
        "which $B(s)$ has rank at most $d < q$ and Theorem 1 says nothing.",
    ),
    row(
        "own-lip-growth",
        "Without derivatives: with $L_T = \\ell_\\phi^2/\\kappa$, $\\ell = \\ell_S/\\ell_\\phi$, hence "
        "$a = \\kappa/(8\\ell_S^2)$, and $\\Phi_t = W_t + a\\|h(\\hat S_t)\\|^2$, $E[\\Phi_{t+1} \\mid F_t] \\leq "
        "\\Phi_t - ‹gain·›a\\gamma\\|h(\\hat S_t)\\|^2 + (‹error›)\\gamma E[\\|H_{t+1}-h(\\hat S_t)\\|^2 \\mid F_t]$, "
        "so that own-lip holds with them; and $\\|h(s')-h(s)\\| \\leq (‹field›)\\|s'-s\\|$.",
        ["‹hypotheses›"],
        growth.lyapunov,
        growth.growth_instance,
        {
            "twice the decrease": {"gain": "2"},
            "a third of the noise": {"error": "slope**2/kappa/3"},
            "noise subtracted": {"error": "-slope**2/kappa - kappa/(4*oracle**2)"},
            "h without the 1": {"field": "slope*oracle/kappa"},
        },
        undecided=("𝒮 convex",),
        lines="L 712-722",
        note="Growth is what strong convexity of $J_s = g + \\psi - \\langle s, \\phi \\rangle$ on a convex Θ gives, "
        "with kinks of g and constraints: soft thresholding, projections, every $\\phi(\\theta) = A\\theta$. 𝒮 may be "
        "unbounded, and q larger than d. For Example 1, $\\kappa = \\ell_\\phi = 1/\\rho$; for convex f see "
        "own-lip-convex.",
    ),
    row(
        "own-lip-unbiased",
        "$E[W_{t+1} \\mid F_t] \\leq W_t - \\frac{1-\\gamma}{\\gamma L_T}E[\\|\\phi(T(\\hat "
        "S_{t+1}))-\\phi(T(\\hat S_t))\\|^2 \\mid F_t] ‹+scale·↓›L_T\\gamma‹^power› "
        "E[\\|H_{t+1}-h(\\hat S_t)\\|^2 \\mid F_t]$.",
        ["‹hypotheses›"],
        lipschitz.unbiased,
        prox.round_instance,
        {
            "3/4 of the noise": {"scale": "3/4"},
            "noise subtracted": {"scale": "-1"},
            "γ² in place of γ": {"power": 2},
            **{f"{name} dropped": without(lipschitz.NOISE, name) for name in ("MM-1", "MM-2", "Lipschitz", "unbiased")},
        },
        undecided=(
            "𝒮 convex",
            "interior points",
            "no projection",
            "γ ≤ 1",
        ),
        lines="L 1372-1381",
        note="Needs no ℓ. The measure on the left is the progress of $\\phi(T(\\hat S_t))$ itself.",
    ),
    Claim(
        id="own-lip-order",
        lines="L 1372-1381",
        statement="Without A7, noise of order $\\gamma^2$: for some $K$ and all $\\gamma \\leq 1$, $E[W_{t+1} \\mid "
        "F_t] \\leq W_t + K\\gamma^2 E[\\|H_{t+1}-h\\|^2 "
        "\\mid F_t]$ if no projection is active.",
        hypotheses=(FLAT, "$E[H_{t+1} \\mid F_t] = h(\\hat S_t)$"),
        check=lipschitz.noise_order,
        reading=Reading.FALSE,
        non_vacuity=prox.round_instance,
        amended=Amended(
            kind="formula",
            statement="With $L_T\\gamma$ in place of $K\\gamma^2$.",
            form={"power": 1},
            differs="One power of γ.",
            matters="At a kink of T the noise moves θ to one side only, and $f+g$ rises in the first order of γ. The "
            "first line of A7(i) is what rules "
            "this out.",
        ),
        mutants={
            "γ²": {"power": 2},
            "γ³": {"power": 3},
            "noise subtracted": {"sign": -1},
            "MM-1 dropped": {**without(lipschitz.NOISE, "MM-1")},
        },
        note="One round. Whether sums over rounds are of order $\\sum\\gamma_t^2$ is open.",
    ),
    Claim(
        id="own-lip-measure",
        lines="L 741-745",
        statement="$\\phi(T(s+\\gamma h(s))) = \\phi(T(s))$ only at stationary T(s), for every $\\gamma \\in (0,1]$: "
        "the progress of $\\phi \\circ T$ in one exact "
        "step measures stationarity.",
        hypotheses=("MM-2", "A1, A2 for Proposition 1"),
        check=lipschitz.measure,
        reading=Reading.FALSE,
        non_vacuity=prox.round_instance,
        amended=Amended(
            kind="formula",
            statement="True for $\\gamma = 1$: $\\phi(T(s+h(s))) = \\phi(T(s))$ only if T(s) is a fixed point of MM.",
            form={"step": "1"},
            differs="A whole step.",
            matters="Where T is locally constant a short step changes $\\hat S_t$ but not $T(\\hat S_t)$. Hence "
            "own-lip controls h, and needs ℓ.",
        ),
        mutants={"any γ": {"step": "gamma"}, "half a step": {"step": "1/2"}, "wrong sign": {"step": "-1"}},
        kinds={"any γ": "hypothesis"},
    ),
]

CLAIMS = [*ROUND, *VARIATES, *ANY, *FREE, *PROJECTED, *GEOMETRY, *LIPSCHITZ, *SEMINORM]
