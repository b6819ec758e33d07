"""Beyond Theorem 1: any projection, noise with Σγ² in place of Σγ, and FedMM without A7."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from fedmm_edu.proofs.verdict import Verdict, Witness
from proofs_checks.appendix_d_lemmas.control_variates import round_instance
from proofs_checks.beyond_theorem import cocoercive as cocoercive
from proofs_checks.beyond_theorem import gap as gap
from proofs_checks.beyond_theorem import geometry as geometry
from proofs_checks.beyond_theorem import growth as growth
from proofs_checks.beyond_theorem import image as image
from proofs_checks.beyond_theorem import lipschitz as lipschitz
from proofs_checks.beyond_theorem import prox as prox
from proofs_checks.beyond_theorem import stated as stated
from proofs_checks.beyond_theorem import step as step
from proofs_checks.beyond_theorem import sum as total
from proofs_checks.beyond_theorem import variates as variates
from proofs_checks.beyond_theorem.kinds import KINDS, KindName
from proofs_checks.beyond_theorem.line import line_instance
from proofs_checks.ledger import Amended, Claim, Falsifies, Form, each_dropped, without
from proofs_checks.reading import Reading

SECTION = "Beyond Theorem 1"

OWN = "our own"
C_BAR = "$\\bar C = \\frac{1}{2} C_{\\star\\star} + C_\\star \\sup_{\\mathcal{S}}\\|h\\|$, finite by A6(ii)"
MODEL = "MM-1, MM-2, A7; 𝒮 closed and convex"
MEAN = "$E_\\pi[\\bar S(Z, T(\\hat S_t))] \\in \\mathcal{S}$ (MM-1)"
ANY_MAP = (
    "Π maps into 𝒮 and $\\|\\Pi(x) - m\\| \\leq \\|x - m\\|$ for $m \\in \\mathcal{S}$: the Euclidean projection does"
)
IN_NORM = "Π is the projection in the norm of $B_t = B(\\hat S_t)$ (A8)"
AGENTS = "A3, A4($\\omega$), A5($p$), A6; oracles independent between agents, compressors independent as maps"
RANGE = (
    "$0 < \\alpha \\leq 1/(1+\\omega_p)$, $\\omega_p > 0$, $q = \\sqrt{1-\\alpha}$, $0 < \\gamma_{t+1} \\leq \\gamma_t$"
)
FLAT = "MM-1, MM-2; $\\phi \\circ T$ is $L_T$-Lipschitz on 𝒮, which is closed, convex and has interior points"
ORACLE = "$\\|E\\bar S(Z,T(s'))-E\\bar S(Z,T(s))\\| \\leq \\ell\\|\\phi(T(s'))-\\phi(T(s))\\|$"
NO_PROJECTION = "no projection is active: $\\hat S_t + \\gamma_{t+1}H_{t+1} \\in \\mathcal{S}$ in every outcome"
LEFT = (
    "The value left of the inequality is $E\\|h(\\hat S_{t-1})\\|^2_{B_{t-1}} = E[\\bar E_t]$ for $\\gamma_t "
    "\\leq 1$ (barE-identity)."
)
NUMBERS = "The mutants are refuted by numbers that satisfy the one-step inequalities, not by runs of the algorithm."


def row(
    name: str,
    statement: str,
    hypotheses: Sequence[str],
    check: Callable[..., Verdict],
    instance: Callable[[], Witness],
    mutants: Mapping[str, Form],
    *,
    lines: str = "L 753-776",
    note: str = "",
    kinds: Mapping[str, Falsifies] | None = None,
    undecided: tuple[str, ...] = (),
) -> Claim:
    """A proved claim of ours."""
    return Claim(
        id=name,
        where=OWN,
        lines=lines,
        statement=statement,
        hypotheses=tuple(hypotheses),
        check=check,
        expected="proved",
        non_vacuity=instance,
        mutants=mutants,
        note=note,
        kinds=kinds or {},
        undecided=undecided,
    )


def full_row(name: str, kind: KindName, says: str, hypotheses: Sequence[str], note: str = "") -> Claim:
    """The case ω_p = 0 of a theorem."""
    mutants: dict[str, Form] = {
        "a fifth more on the left": {"gain": "6/5"},
        "four fifths of the noise": {"level": "4/5"},
        "the noise subtracted": {"level": "-1"},
        "for every ω_p": {"without": "ω_p = 0"},
        "without the one-step inequality": {"without": "one step"},
        "without the bound of the noise": {"without": "noise"},
    }
    check, held = partial(total.full, kind), partial(total.numbers, kind)
    return row(
        name,
        f"{says}{stated.full_words(kind, check)}",
        [*hypotheses, "$\\omega_p = 0$; A3, oracles independent between agents, as in own-noise-plain"],
        check,
        held,
        mutants,
        note=f"{note} {NUMBERS}".strip(),
    )


def theorem_row(
    name: str, kind: KindName, says: str, hypotheses: Sequence[str], mutants: Mapping[str, Form], note: str
) -> Claim:
    """The case ω_p > 0 of a theorem; `mutants` besides those that drop a hypothesis or subtract the noise."""
    form = {part: getattr(KINDS[kind], part) for part in ("left", "initial", "level")}
    names = ("one step", "noise", "control variates", "steps do not increase")
    words = f"{says}{stated.theorem_words(kind, form)}"
    used = stated.theorem_hypotheses(kind, form)
    dropped: dict[str, Form] = {f"without: {part}": {"without": part} for part in names}
    every = {**mutants, "the noise subtracted": {"level": f"-({form['level']})"}, **dropped}
    check, held = partial(total.theorem, kind), partial(total.numbers, kind)
    claim = row(name, words, [*hypotheses, AGENTS, *used], check, held, every, note=f"{note} {NUMBERS}")
    return replace(claim, form=form, mutants={label: {**form, **wrong} for label, wrong in every.items()})


def mean_row(name: str, kind: KindName, hypotheses: Sequence[str], note: str = "") -> Claim:
    """A theorem for a constant step, averaged over T rounds."""
    mutants: dict[str, Form] = {
        "9/10 of the factor": {"factor": "9/5"},
        "wrong sign": {"factor": "-2"},
        "without the condition on γ": {"without": "half"},
    }
    check, held = partial(total.average, kind), partial(total.numbers, kind)
    statement, condition = stated.mean_words(kind, check)
    return row(name, statement, [*hypotheses, condition], check, held, mutants, lines="L 779-792", note=note)


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
            **each_dropped(gap.GAP),
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
            **each_dropped(step.ANY, "γ ≤ 1"),
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
            **each_dropped(step.UNBIASED, "𝒮 convex"),
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
            **each_dropped(step.PROJECTED, "γ ≤ 1/2"),
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
            **each_dropped(variates.DIRECTION),
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
            **each_dropped(variates.MOVED),
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
            **each_dropped((*variates.MOVED, "A7"), "A7"),
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
            **each_dropped(variates.RECURSION, "α ≥ 0"),
        },
        lines="L 1547-1564",
        note="Proposition 4 before the projection, A7 and A8 come in; agents need not be independent.",
    ),
]

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

STEP_HALF = "$\\gamma_t \\leq \\frac{1}{2}$"
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
        where=OWN,
        lines="L 811",
        statement="Noise of order $\\gamma^2$ with the Euclidean projection: for some $K$ and all $\\gamma \\leq "
        "\\frac{1}{2}$, $E[W_{t+1} \\mid F_t] \\leq "
        "W_t - \\gamma(1 - K\\gamma)\\|h\\|_{B_t}^2 + K\\gamma^2 E[\\|H_{t+1}-h\\|^2 \\mid F_t]$.",
        hypotheses=(f"{MODEL}, as in own-projected-step", MEAN, "$E[H_{t+1} \\mid F_t] = h(\\hat S_t)$"),
        check=geometry.noise_order,
        expected="refuted",
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
            "noise of order γ³": {"projection": "B_t", "power": 3},
            "noise subtracted": {"projection": "B_t", "sign": -1},
        },
        kinds={"Euclidean, too": "hypothesis"},
        note="With the Euclidean projection the bias is normal to the boundary in the wrong metric, and has a part "
        "along $B_t h$.",
    ),
    Claim(
        id="own-outside",
        where=OWN,
        lines="L 811",
        statement="Where $E\\bar S$ may lie outside 𝒮 (a set cut down by hand), an exact step with the Euclidean "
        "projection has $W_{t+1} \\leq W_t - "
        "(\\frac{1}{\\gamma} - \\frac{\\bar C}{v_{\\min}})\\|\\hat S_{t+1}-\\hat S_t\\|_{B_t}^2$: small steps never "
        "increase $f+g$.",
        hypotheses=(MODEL, "$H_{t+1} = h(\\hat S_t)$"),
        check=geometry.outside,
        expected="refuted",
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
            "2/γ in place of 1/γ": {"projection": "B_t", "slack": "2"},
            "C̄ with the other sign": {"projection": "B_t", "drift": "-1"},
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
            **each_dropped(prox.FULL, "𝒮 convex", "interior points"),
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
        },
        lines="L 1890-1904",
        note="A7 fails for $g = \\lambda\\|\\cdot\\|_1$ (own-A7-l1) and for constraints (own-A7-indicator); both are "
        "covered here, for every λ.",
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
            **each_dropped(growth.GROWTH, "𝒮 convex"),
        },
        undecided=("𝒮 convex",),
        lines="L 712-722",
        note="Growth is what strong convexity of $J_s = g + \\psi - \\langle s, \\phi \\rangle$ on a convex Θ gives, "
        "with kinks of g and constraints: soft thresholding, projections, every $\\phi(\\theta) = A\\theta$. 𝒮 may be "
        "unbounded, and q larger than d. For Example 1, $\\kappa = \\ell_\\phi = 1/\\rho$; for convex f $\\ell_S = 1$: "
        "half of ℓ of own-lip-prox.",
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
        where=OWN,
        lines="L 1372-1381",
        statement="Without A7, noise of order $\\gamma^2$: for some $K$ and all $\\gamma \\leq 1$, $E[W_{t+1} \\mid "
        "F_t] \\leq W_t + K\\gamma^2 E[\\|H_{t+1}-h\\|^2 "
        "\\mid F_t]$ if no projection is active.",
        hypotheses=(FLAT, "$E[H_{t+1} \\mid F_t] = h(\\hat S_t)$"),
        check=lipschitz.noise_order,
        expected="refuted",
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
            "noise subtracted": {"power": 1, "sign": -1},
            "MM-1 dropped": {"power": 1, **without(lipschitz.NOISE, "MM-1")},
        },
        note="One round. Whether sums over rounds are of order $\\sum\\gamma_t^2$ is open.",
    ),
    Claim(
        id="own-lip-measure",
        where=OWN,
        lines="L 741-745",
        statement="$\\phi(T(s+\\gamma h(s))) = \\phi(T(s))$ only at stationary T(s), for every $\\gamma \\in (0,1]$: "
        "the progress of $\\phi \\circ T$ in one exact "
        "step measures stationarity.",
        hypotheses=("MM-2", "A1, A2 for Proposition 1"),
        check=lipschitz.measure,
        expected="refuted",
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

CLAIMS = [*ROUND, *VARIATES, *ANY, *FREE, *PROJECTED, *GEOMETRY, *LIPSCHITZ]
