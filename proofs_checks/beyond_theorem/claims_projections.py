"""Theorem 1 with any projection, with none, and with the paper's; what each norm is good for."""

from __future__ import annotations

from proofs_checks.beyond_theorem import geometry as geometry
from proofs_checks.beyond_theorem.rows import LEFT, MEAN, MODEL, NO_PROJECTION, full_row, mean_row, row, theorem_row
from proofs_checks.ledger import Amended, Claim
from proofs_checks.reading import Reading

STEP_HALF = "$\\gamma_t \\leq \\frac{1}{2}$"

ANY = [
    full_row(
        "own-any-A",
        "any projection",
        "",
        ["the hypotheses of own-any-step"],
        LEFT,
    ),
    theorem_row(
        "own-any",
        "any projection",
        "Theorem 1 with the Euclidean projection (or any other): ",
        [
            "the hypotheses of own-any-step",
        ],
        {
            "1 in place of 2": {"left": "gamma/2*(1-(1+q)**2*omega/alpha**2*K*gamma**2)"},
            "twice the left side": {"left": "gamma*(1-2*(1+q)**2*omega/alpha**2*K*gamma**2)"},
            "a third of the initial term": {"initial": "(1+q)/3*omega*vmax/alpha"},
            "a third of the noise": {"level": "1/2*(1+2*omega)*vmax"},
        },
        f"{LEFT} Theorem 1 has $\\frac{{1}}{{4}}(1 - \\frac{{2\\bar C}}{{v_{{\\min}}}}\\gamma_t - 64\\ldots)$, 4 and "
        f"$2(1+5\\omega_p)$; note that $1+q < 2$.",
    ),
    mean_row(
        "own-any-mean",
        "any projection",
        ["own-any", "τ uniform on $\\{0, \\dots, T-1\\}$, independent of the path"],
        "Corollary 1 has 8, 32 and $16(1+5\\omega_p)$.",
    ),
]

FREE = [
    full_row(
        "own-free-A",
        "no projection",
        "Theorem 1 (A) with $\\gamma_t^2$: ",
        [
            "the hypotheses of own-free-step",
            "$\\gamma_t < v_{\\min}/\\bar C$, $\\gamma_t \\leq 1$, oracles in 𝒮",
        ],
        "For $\\omega_p = 0$ and oracles in 𝒮 no projection is ever active (alg2-reduces): Theorem 1 (A) improves by "
        "a factor $\\gamma_t$ in the noise.",
    ),
    theorem_row(
        "own-free",
        "no projection",
        "",
        [
            "the hypotheses of own-free-step",
            NO_PROJECTION,
        ],
        {
            "C̄ in place of 2C̄": {"left": "gamma*(1-c*gamma)"},
            "twice the left side": {"left": "2*gamma*(1-2*c*gamma)"},
            "half of the initial term": {"initial": "(1+q)*omega*C/alpha"},
            "half of the noise": {"level": "3/2*(1+2*omega)*C"},
            "without: positivity": {"without": "positivity"},
        },
        "$v_{\\max}$ does not enter.",
    ),
    mean_row(
        "own-free-mean",
        "no projection",
        ["own-free", "τ uniform on $\\{0, \\dots, T-1\\}$, independent of the path"],
        "So $\\gamma = \\gamma_0/\\sqrt T$ gives the rate $1/\\sqrt T$, and no floor of noise is left.",
    ),
]

PROJECTED = [
    full_row(
        "own-projected-A",
        "projection in the norm of B_t",
        "",
        ["the hypotheses of own-projected-step"],
        "Here the oracles themselves may lie outside 𝒮; their means may not.",
    ),
    theorem_row(
        "own-projected",
        "projection in the norm of B_t",
        "Theorem 1 for the paper's algorithm, with $\\gamma_t^2$ in the noise: ",
        ["the hypotheses of own-projected-step", STEP_HALF],
        {
            "a quarter of the drift": {"left": "gamma*(1-c/2*gamma)"},
            "twice the left side": {"left": "2*gamma*(1-(1/2+2*c)*gamma)"},
            "half of the initial term": {"initial": "(1+q)*omega*(1/2+c)*vmax/alpha"},
            "half of the noise": {"level": "3/2*(1+2*omega)*(1/2+c)*vmax"},
            "without: positivity": {"without": "positivity"},
        },
        "The hypotheses are those of Theorem 1 as amended, and $\\gamma_t \\leq 1/2$. It follows that the noise of "
        "Theorem 1, of order "
        "$\\sum\\gamma_t$, is not forced by the projection (L 811).",
    ),
    mean_row(
        "own-projected-mean",
        "projection in the norm of B_t",
        ["own-projected", "τ uniform on $\\{1, \\dots, T\\}$, independent of the path"],
        "Corollary 1 has the noise $16(1+5\\omega_p)v_{\\max}\\sigma^2/n$, which no choice of T and γ makes small. "
        "Here $\\gamma = \\gamma_0/\\sqrt T$ does.",
    ),
]

GEOMETRY = [
    Claim(
        id="own-euclid-noise",
        lines="L 811",
        statement="Noise of order $\\gamma^2$ with the Euclidean projection: for some $K$ and all $\\gamma \\leq "
        "\\frac{1}{2}$, $E[W_{t+1} \\mid F_t] \\leq "
        "W_t - \\gamma(1 - K\\gamma)\\|h\\|_{B_t}^2 + K\\gamma^2 E[\\|H_{t+1}-h\\|^2 \\mid F_t]$.",
        hypotheses=(f"{MODEL}, as in own-projected-step", MEAN, "$E[H_{t+1} \\mid F_t] = h(\\hat S_t)$"),
        check=geometry.noise_order,
        reading=Reading.FALSE,
        non_vacuity=geometry.plane_instance,
        amended=Amended(
            kind="hypothesis",
            statement="True for the projection in the norm of $B_t$.",
            form={"projection": "B_t"},
            differs="The norm of the projection is that of A8.",
            matters="This is what the geometry of $B_t$ is good for: not for a theorem at all (own-any), but for "
            "noise of order $\\gamma^2$. "
            "The counterexample is one round; whether a sum over rounds is of order $\\sum\\gamma_t^2$ all the same "
            "is open.",
        ),
        mutants={
            "Euclidean, too": {"projection": "Euclidean"},
            "noise of order γ³": {"power": 3},
            "noise subtracted": {"sign": -1},
        },
        kinds={"Euclidean, too": "hypothesis"},
        note="With the Euclidean projection the bias is normal to the boundary in the wrong metric, and has a part "
        "along $B_t h$.",
    ),
    Claim(
        id="own-outside",
        lines="L 811",
        statement="Where $E\\bar S$ may lie outside 𝒮 (a set cut down by hand), an exact step with the Euclidean "
        "projection has $W_{t+1} \\leq W_t - "
        "(\\frac{1}{\\gamma} - \\frac{\\bar C}{v_{\\min}})\\|\\hat S_{t+1}-\\hat S_t\\|_{B_t}^2$: small steps never "
        "increase $f+g$.",
        hypotheses=(MODEL, "$H_{t+1} = h(\\hat S_t)$"),
        check=geometry.outside,
        reading=Reading.FALSE,
        non_vacuity=geometry.plane_instance,
        amended=Amended(
            kind="hypothesis",
            statement="True for the projection in the norm of $B_t$.",
            form={"projection": "B_t"},
            differs="The norm of the projection is that of A8.",
            matters="On such a set the Euclidean projection can climb without any noise, however small the step: the "
            "hypothesis $E\\bar S \\in "
            "\\mathcal{S}$ of own-any cannot be dropped, as that of A8 can.",
        ),
        mutants={
            "Euclidean, too": {"projection": "Euclidean"},
            "2/γ in place of 1/γ": {"slack": "2"},
            "C̄ with the other sign": {"drift": "-1"},
        },
        kinds={"Euclidean, too": "hypothesis"},
    ),
    row(
        "own-box",
        "If 𝒮 is a product of intervals and B diagonal, the projection in the norm of B is the Euclidean one: "
        "$\\langle p - x, y - p \\rangle_B \\geq 0$ for all $y \\in \\mathcal{S}$.",
        ["$B = \\mathrm{diag}(b_1, \\dots, b_q)$, $b_j > 0$"],
        geometry.same_projection,
        geometry.plane_instance,
        {
            "any B": {"B": "any"},
            "𝒮 a line": {"S": "line"},
            "strictly positive": {"wanted": "> 0"},
            "wrong sign": {"wanted": "<= 0"},
        },
        lines="L 726-733",
        note="So own-projected holds for the Euclidean projection there; on an interval (q = 1) always.",
        kinds={"any B": "hypothesis", "𝒮 a line": "hypothesis"},
    ),
]
