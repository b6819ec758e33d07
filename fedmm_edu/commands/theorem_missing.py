"""What a theorem lacks, in words, why it is lacking here, and the row in which the theorem fails without it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fedmm_edu.theory.hypotheses import Problem


class Asked(NamedTuple):
    """What it says, and a row of the ledger with the mutant that drops it and is refuted by an instance ("": none)."""

    means: str
    row: str
    mutant: str


CURVED = "φ∘T has a derivative B(s) that is Lipschitz on 𝒮, with v_min > 0 below it and v_max above"
HYPOTHESES: Mapping[str, Asked] = {
    "MM-1": Asked("the surrogate touches f and lies above it, S̄ stays in 𝒮", "own-lip-unbiased", "MM-1 dropped"),
    "MM-2": Asked("T(s) is the one minimiser of g + ψ − ⟨s, φ⟩", "own-lip-unbiased", "MM-2 dropped"),
    "A3": Asked("oracles are unbiased, with a bounded variance", "own-noise-plain", "A3 dropped"),
    "A4": Asked("messages are unbiased, E‖Q(x) − x‖² ≤ ω‖x‖²", "own-noise-plain", "A4 dropped"),
    "A6(i)": Asked("each h_i is Lipschitz on 𝒮", "own-variates", "A6 dropped"),
    "A6(ii)": Asked("h is bounded on 𝒮; else no step is short enough", "own-any-step", "γ ≤ v_min/(2C̄) dropped"),
    "A7": Asked(CURVED, "own-any-step", "A7 dropped"),
    "A8": Asked("𝒮 is closed and convex: there is a projection", "A8-closed", "the sets as printed"),
    "v_min": Asked(CURVED, "own-any-step", "A7 dropped"),
    "v_max": Asked("φ∘T is Lipschitz on 𝒮", "own-seminorm", "v_max dropped"),
    "C_star": Asked("the derivative of φ∘T is Lipschitz on 𝒮", "own-any-step", "A7 dropped"),
    "C_star_star": Asked("φ∘T is Lipschitz on 𝒮", "own-any-step", "A7 dropped"),
    "sup_h": Asked("h is bounded on 𝒮; else no step is short enough", "own-any-step", "γ ≤ v_min/(2C̄) dropped"),
    "L": Asked("each h_i is Lipschitz on 𝒮", "own-variates", "A6 dropped"),
    "sigma": Asked("oracles are unbiased, with a bounded variance", "own-noise-plain", "A3 dropped"),
    "gap": Asked("W∘T has a lower bound on 𝒮, and Δ is known", "", ""),
    "L_T": Asked("φ∘T is Lipschitz on 𝒮", "own-lip-step", "Lipschitz dropped"),
    "ell": Asked("the mean oracle moves at most ℓ times as far as φ∘T", "own-lip-step", "S̄ Lipschitz dropped"),
    "lam": Asked("the mean oracle is Lipschitz in the seminorm of B(s)", "own-seminorm", "oracle dropped"),
    "pl": Asked("‖h(s)‖²_B ≥ 2m(W(T(s)) − min W) on 𝒮", "own-pl", "without: PL"),
    "monotone": Asked("−⟨h(s), s − s_⋆⟩ ≥ m‖s − s_⋆‖²", "own-diana-rate", "monotone dropped"),
    "cocoercive": Asked("each −h_i is cocoercive about s_⋆", "own-diana-rate", "cocoercive dropped"),
    "condition": Asked("f is convex and W grows about θ_⋆", "own-accelerated-restart", "growth dropped"),
}
"""By the name of an assumption, or of the constant with which it holds."""


def as_lacking(problem: Problem, names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Of each name that is a hypothesis: what it means, why it is lacking here, and the row and mutant without it."""
    here = {key: number.how for key, number in {**problem.numbers, **problem.own, "gap": problem.gap}.items()}
    here |= {row.name: row.why for row in problem.hypotheses}
    return {
        name: {**HYPOTHESES[name]._asdict(), "here": here.get(name, "not given")}
        for name in dict.fromkeys(names)
        if name in HYPOTHESES
    }


def as_cells(lacking: Mapping[str, Mapping[str, str]]) -> list[tuple[str, str, str, str]]:
    """Name, meaning, why it is lacking, and where it fails without it, as cells of a table."""
    return [
        (name, one["means"], one["here"], f"{one['row']}, {one['mutant']}" if one["row"] else "—")
        for name, one in lacking.items()
    ]
