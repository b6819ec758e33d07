"""How rows of this section are made, and words that several of them share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from fedmm_edu.proofs.verdict import Verdict, Witness
from proofs_checks.beyond_theorem import stated as stated
from proofs_checks.beyond_theorem import sum as total
from proofs_checks.beyond_theorem.kinds import KINDS, KindName
from proofs_checks.ledger import Claim, Falsifies, Form

C_BAR = "$\\bar C = \\frac{1}{2} C_{\\star\\star} + C_\\star M$"
MODEL = "MM-1, MM-2, A7; 𝒮 closed and convex"
MEAN = "$E_\\pi[\\bar S(Z, T(\\hat S_t))] \\in \\mathcal{S}$ (MM-1)"
ANY_MAP = (
    "Π maps into 𝒮 and $\\|\\Pi(x) - m\\| \\leq \\|x - m\\|$ for $m \\in \\mathcal{S}$: the Euclidean projection does"
)
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
        lines=lines,
        statement=statement,
        hypotheses=tuple(hypotheses),
        check=check,
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
    return replace(claim, form=form)


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
