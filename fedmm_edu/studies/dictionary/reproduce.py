"""The two figures of Section 6: which runs they need, their curves, and what is written beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product

import numpy as np

from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.studies.dictionary.criteria import Curves
from fedmm_edu.studies.dictionary.data import REAL, Source
from fedmm_edu.studies.dictionary.pool import Pool, choose_beta
from fedmm_edu.studies.dictionary.runs import Run, Task
from fedmm_edu.studies.dictionary.statements import Judged, judge
from fedmm_edu.studies.runs import versions

FIGURES = {"fig1": "Impact of the aggregation space", "fig2": "Impact of control variates"}
FIRST_TUNING_SEED = 1000


@dataclass(frozen=True)
class Plan:
    """The settings of the reproduction; what the paper fixes has no field here but in `Task` and `data`.

    rounds, real_rounds: T_max for the synthetic and the real data. betas: the grid of β, in [0.001, 0.05] in the paper.
    tuning: number of runs for the choice of β, with seeds of their own. rows: recorded rounds of a run, about. active:
    clients in a round, 10 in the paper; another number is for the ablation.
    """

    seeds: int = 10
    rounds: int = 2000
    real_rounds: int = 500
    betas: tuple[float, ...] = (0.001, 0.005, 0.02, 0.05)
    tuning: int = 1
    real: str = "movielens"
    p: int = 20
    active: int = 10
    split: str = "balanced"
    choose: str = "most"
    data_seed: int = 0
    start: str = "shared"
    variates: str = "zero"
    rows: int = 50

    def __post_init__(self) -> None:
        as_count("seeds", self.seeds, high=FIRST_TUNING_SEED)
        as_count("tuning", self.tuning)
        as_count("rows", self.rows, low=10)  # the criteria look at tenths of a run
        as_count("rounds", self.rounds, low=self.rows)
        as_count("real_rounds", self.real_rounds, low=self.rows)
        if self.real not in REAL:
            raise InvalidInput(f"real = {self.real!r}: choose one of {', '.join(REAL)}.")
        if not self.betas:
            raise InvalidInput("betas is empty: give at least one β.")
        for beta in self.betas:
            in_interval("beta", beta, low=0.0, high=1.5, open_low=True)  # then γ_1 ≤ 1

    def quick(self) -> Plan:
        """Two seeds and few rounds: to see that all works, and for lessons."""
        return replace(self, seeds=min(self.seeds, 2), rounds=200, real_rounds=40, betas=(0.02, 0.05), rows=20)

    @property
    def data(self) -> tuple[str, ...]:
        """The rows of each figure."""
        return ("homogeneous", "heterogeneous", self.real)

    def arms(self, figure: str, data: str) -> dict[str, Task]:
        """The algorithms of one panel, as tasks whose β and seed are to be filled in."""
        source = Source(data, p=self.p, split=self.split, choose=self.choose, seed=self.data_seed)
        rounds = self.real_rounds if data in REAL else self.rounds
        base = Task(source, False, self.betas[0], 0, rounds, active=self.active, variates=self.variates,
                    start=self.start, rows=self.rows)  # fmt: skip
        if figure == "fig1":
            return {"fedmm": base, "naive": replace(base, naive=True)}
        full = replace(base, bits=0, batch=0, variates="zero")
        return {"alpha = 0": replace(full, alpha=0.0), "alpha = 0.01": full}


@dataclass(frozen=True, eq=False)
class Reproduction:
    """One figure: curves and last dictionaries by data set and algorithm, the chosen β with the objective of each β."""

    figure: str
    plan: Plan
    curves: dict[str, dict[str, Curves]]
    runs: dict[str, dict[str, list[Run]]]
    betas: dict[str, dict[str, float]]
    tuned: dict[str, dict[str, dict[float, float]]]
    judged: list[Judged] = field(default_factory=list)

    def manifest(self) -> dict:
        """Settings, versions, chosen step sizes and judgements, as plain values."""
        return {
            "figure": self.figure,
            "plan": asdict(self.plan),
            "seeds": list(range(self.plan.seeds)),
            "tuning_seeds": [FIRST_TUNING_SEED + k for k in range(self.plan.tuning)],
            "beta": self.betas,
            "final_objective_by_beta": self.tuned,
            "statements": [
                {"id": j.statement.id, "verdict": j.verdict}
                | {name: {"holds": f.holds, "evidence": f.evidence} for name, f in j.findings.items()}
                for j in self.judged
            ],
            "versions": versions("fedmm-edu", "numpy", "scipy", "scikit-learn", "matplotlib"),
        }


def reproduce(figure: str, plan: Plan, pool: Pool, *, data: Sequence[str] | None = None) -> Reproduction:
    """Choose β for each algorithm and data set (default: all of the plan), run all seeds, and judge what is said.

    Where there is one β only, nothing is tuned.
    """
    if figure not in FIGURES:
        raise InvalidInput(f"there is no figure {figure!r}: choose one of {', '.join(FIGURES)}.")
    names = plan.data if data is None else data
    arms = {(kind, name): arm for kind in names for name, arm in plan.arms(figure, kind).items()}
    trials = pool.run((trial for arm in arms.values() for trial in _trials(arm, plan)), f"{figure}, choosing β")
    chosen: dict[tuple[str, str], tuple[float, dict[float, float]]] = {
        key: (plan.betas[0], {})
        if len(plan.betas) == 1
        else choose_beta({beta: [trials[t] for t in _trials(arm, plan) if t.beta == beta] for beta in plan.betas})
        for key, arm in arms.items()
    }
    final = {
        key: [replace(arm, beta=chosen[key][0], seed=seed) for seed in range(plan.seeds)] for key, arm in arms.items()
    }
    runs = pool.run((task for tasks in final.values() for task in tasks), figure)
    found: dict[str, dict] = {part: {kind: {} for kind in names} for part in ("curves", "runs", "betas", "tuned")}
    for (kind, name), tasks in final.items():
        of = [runs[task] for task in tasks]
        found["runs"][kind][name] = of
        found["curves"][kind][name] = together(of)
        found["betas"][kind][name], found["tuned"][kind][name] = chosen[kind, name]
    return Reproduction(figure, plan, **found, judged=judge(found["curves"], figure))


def _trials(arm: Task, plan: Plan) -> Iterator[Task]:
    """The runs that choose β."""
    for beta, k in product(plan.betas if len(plan.betas) > 1 else (), range(plan.tuning)):
        yield replace(arm, beta=beta, seed=FIRST_TUNING_SEED + k)


def together(runs: list[Run]) -> Curves:
    """The runs of several seeds as one set of curves."""
    rows = {name: np.stack([getattr(run, name) for run in runs]) for name in ("objective", "parameter", "surrogate")}
    return Curves(runs[0].t, np.mean([run.bits for run in runs], axis=0), **rows)
