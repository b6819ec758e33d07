"""Would another choice, where the paper leaves one open, change what is found about the first figure?

One choice at a time, on the synthetic data, with fewer runs and the largest β of the range, which the tuning prefers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fedmm_edu.experiments.dictionary.pool import Pool
from fedmm_edu.experiments.dictionary.reproduce import Plan, Reproduction, reproduce
from fedmm_edu.experiments.dictionary.statements import SYNTHETIC

SEEDS = 3


def variations(plan: Plan) -> dict[str, dict[str, Any]]:
    """What is changed in the plan, by name; each name says it."""
    return {
        "as in the figure": {},
        "four times the rounds": {"rounds": 4 * plan.rounds},
        "a quarter of the rounds": {"rounds": max(plan.rows, plan.rounds // 4)},
        "β = 0.5, ten times the range": {"betas": (0.5,)},
        "p = 10": {"p": 10},
        "p = 50": {"p": 50},
        "other data": {"data_seed": plan.data_seed + 1},
        "parts at random": {"split": "random"},
        "start at samples": {"start": "samples"},
        "start apart": {"start": "apart"},
        "V₀ = h(Ŝ₀)": {"variates": "mean_field"},
    }


def ablation(plan: Plan, pool: Pool) -> dict[str, Reproduction]:
    """The first figure on the synthetic data under each variation."""
    base = replace(plan, seeds=min(plan.seeds, SEEDS), betas=(max(plan.betas),))
    return {
        name: reproduce("fig1", replace(base, **changes), pool, data=SYNTHETIC)
        for name, changes in variations(plan).items()
    }
