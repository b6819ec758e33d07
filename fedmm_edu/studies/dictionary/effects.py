"""Beyond Section 6: what participation, bits, heterogeneity and the number of clients do, one factor at a time.

On the heterogeneous synthetic data, with the largest β of the range. Where n varies, half of the clients are active and
share 500 samples a round, so that each n sees as many; n = 1 is centralised online dictionary learning (Mairal et al.,
2010) with the γ_t and the quantisation of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.figures.dictionary import draw_effects
from fedmm_edu.studies.dictionary.criteria import level
from fedmm_edu.studies.dictionary.pool import Pool
from fedmm_edu.studies.dictionary.reproduce import Plan, together
from fedmm_edu.studies.dictionary.runs import Run, Task
from fedmm_edu.studies.dictionary.section import Section

SEEDS = 3
SAMPLES = 500


@dataclass(frozen=True, eq=False)
class Effect:
    """One factor: for each of its values and each algorithm, what each run ended with, shape (seeds,).

    objective: (28). surrogate: the geometric mean of the surrogate update over the last quarter of the rounds.
    megabytes: sent by the clients.
    """

    factor: str
    values: tuple[str, ...]
    ends: Mapping[str, Mapping[str, Mapping[str, Array]]]

    def plain(self) -> dict:
        """Plain values, for a file."""
        ends = {
            value: {arm: {name: list(map(float, of)) for name, of in end.items()} for arm, end in arms.items()}
            for value, arms in self.ends.items()
        }
        return asdict(replace(self, ends=ends))


def effects(plan: Plan, pool: Pool) -> list[Effect]:
    """All factors."""
    base = replace(plan.arms("fig1", "heterogeneous")["fedmm"], beta=max(plan.betas))
    found = []
    for factor, settings in factors(base).items():
        tasks = {
            (value, arm): [replace(task, naive=arm == "naive", seed=seed) for seed in range(min(plan.seeds, SEEDS))]
            for value, task in settings.items()
            for arm in ("fedmm", "naive")
        }
        runs = pool.run((task for of in tasks.values() for task in of), f"effect of {factor}")
        ends = {
            value: {arm: _ends([runs[task] for task in tasks[value, arm]]) for arm in ("fedmm", "naive")}
            for value in settings
        }
        found.append(Effect(factor, tuple(settings), ends))
    return found


ABOUT = """\
One factor at a time, on the heterogeneous synthetic data, {seeds} runs, {rounds} rounds, β = {beta:g}. Above: the
objective at the end. Below: the geometric mean of the surrogate update over the last quarter of the rounds.
Heterogeneity: parts at random; clusters of which every other sample is exchanged; clusters. Where n varies, half of
the clients share 500 samples a round."""


def section(plan: Plan, pool: Pool) -> Section:
    """The four factors in one picture."""
    found = effects(plan, pool)
    return Section(
        name="effects",
        title="Participation, bits, heterogeneity, number of clients",
        about=ABOUT.format(seeds=min(plan.seeds, SEEDS), rounds=plan.rounds, beta=max(plan.betas)),
        numbers={effect.factor: effect.plain() for effect in found},
        draw=lambda: draw_effects(found),
        caption="Four factors",
    )


def factors(base: Task) -> dict[str, dict[str, Task]]:
    """The tasks of each factor, by the name of its value."""
    source = base.source
    sizes = {n: (max(1, n // 2), SAMPLES // max(1, n // 2)) for n in (1, 10, 20, 50)}
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


def _ends(of: list[Run]) -> dict[str, Array]:
    curves = together(of)
    return {
        "objective": curves.objective[:, -1],
        "surrogate": level(curves.surrogate, curves.part(0.75, 1.0)),
        "megabytes": np.array([run.bits[-1] / 8e6 for run in of]),
    }
