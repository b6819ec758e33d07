"""Beyond Section 6: what participation, bits, heterogeneity and the number of clients do, one factor at a time.

On the heterogeneous synthetic data, with the largest β of the range. Where n varies, half of the clients are active and
share 500 samples a round, so that each n sees as many; n = 1 is centralised online dictionary learning (Mairal et al.,
2010) with the γ_t and the quantisation of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.studies.dictionary.central import A_ROUND
from fedmm_edu.studies.dictionary.criteria import Curves, level
from fedmm_edu.studies.dictionary.figures import DictionaryPlan
from fedmm_edu.studies.dictionary.pictures import EndValues, draw_effects
from fedmm_edu.studies.dictionary.runs import DictionaryRun, DictionaryTask
from fedmm_edu.studies.study import Block, Part, Picture, SideBySide
from fedmm_edu.studies.tasks import Pool

ABOUT = """\
One factor at a time, on the heterogeneous synthetic data, {seeds} runs, {rounds} rounds, β = {beta:g}. Above: the
objective at the end. Below: the geometric mean of the surrogate update over the last quarter of the rounds.
Heterogeneity: parts at random; clusters of which every other sample is exchanged; clusters. Where n varies, half of
the clients share 500 samples a round."""


def effects(plan: DictionaryPlan, pool: Pool) -> dict[str, EndValues]:
    """For each factor, each of its values and each algorithm, what each run ended with, shape (seeds,).

    objective: (28). surrogate: the geometric mean of the surrogate update over the last quarter of the rounds.
    megabytes: sent by the clients.
    """
    found: dict[str, EndValues] = {}
    for factor, settings in factor_tasks(plan.largest("heterogeneous")["fedmm"]).items():
        tasks = {
            (value, arm): [replace(task, naive=arm == "naive", seed=seed) for seed in plan.few]
            for value, task in settings.items()
            for arm in ("fedmm", "naive")
        }
        runs = pool.run(tasks, f"effect of {factor}")
        found[factor] = {value: {arm: _ends(runs[value, arm]) for arm in ("fedmm", "naive")} for value in settings}
    return found


def results(plan: DictionaryPlan, pool: Pool) -> Part:
    """The four factors, a picture each."""
    found = effects(plan, pool)
    about = ABOUT.format(seeds=len(plan.few), rounds=plan.rounds, beta=max(plan.betas))
    numbers = {
        factor: {"factor": factor, "values": list(of), "ends": {
            value: {arm: {name: end.tolist() for name, end in ends.items()} for arm, ends in arms.items()}
            for value, arms in of.items()
        }}
        for factor, of in found.items()
    }  # fmt: skip
    return Part("effects", page(found, about), numbers)


def page(found: Mapping[str, EndValues], about: str) -> list[Block]:
    """A picture for each factor."""
    pictures = [
        Picture(f"effects_{factor.partition(' ')[0]}.png", f"Ends of both algorithms by {factor}",
                partial(draw_effects, factor, ends, legend=k == 0))
        for k, (factor, ends) in enumerate(found.items())
    ]  # fmt: skip
    return ["## Participation, bits, heterogeneity, number of clients", SideBySide(pictures, about)]


def factor_tasks(base: DictionaryTask) -> dict[str, dict[str, DictionaryTask]]:
    """The tasks of each factor, by the name of its value."""
    source = base.source
    sizes = {n: (max(1, n // 2), A_ROUND // max(1, n // 2)) for n in (1, 10, 20, 50)}
    return {
        "participation p": {f"{m / 20:g}": replace(base, active=m) for m in (2, 5, 10, 20)},
        "bits per coordinate": {str(b or 64): replace(base, bits=b) for b in (2, 4, 8, 0)},
        "heterogeneity": {
            says: replace(base, source=replace(source, split=split))
            for says, split in (("none", "random"), ("half", "half"), ("clusters", "balanced"))
        },
        "clients n": {
            str(n): replace(base, source=replace(source, clients=n), active=active, batch=batch)
            for n, (active, batch) in sizes.items()
        },
    }


def _ends(of: Sequence[DictionaryRun]) -> dict[str, Array]:
    curves = Curves.of(of)
    return {
        "objective": curves.objective[:, -1],
        "surrogate": level(curves.surrogate, curves.part(0.75, 1.0)),
        "megabytes": np.array([run.bits[-1] / 8e6 for run in of]),
    }
