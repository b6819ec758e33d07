"""The figure of Section 7, which the paper's source lacks: which runs it needs, its curves, what stands beside it.

Every method has the same rounds; FedAdam, whose round costs less, `longer` times as many, so that it can be compared at
equal CPU seconds, too.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path

import numpy as np

from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.studies.runs import rounded, versions
from fedmm_edu.studies.transport.record import record
from fedmm_edu.studies.transport.runs import Run, Task, Worker
from fedmm_edu.studies.transport.setting import METHODS, Method, Setting, federation
from fedmm_edu.studies.transport.statements import Curves, Judged, Panel, judge
from fedmm_edu.studies.transport.tuning import TUNING_SEED, Tuned, describe, tune

TRIALS = {1: 3, 2: 8}
"""Settings that tuning tries, about, by the number of rates."""
Arm = tuple[int, float, str]
"""Dimension, λ and method of a curve."""


@dataclass(frozen=True)
class Plan:
    """The settings of the figure. rounds: its horizon, the choice that sets the CPU budget (300: 25 minutes of one
    core in all); tuning_rounds: those of a run that tunes; longer: see above; rows: recorded rounds of a run, about.
    """

    dimensions: tuple[int, ...] = (16, 32, 64)
    lams: tuple[float, ...] = (0.0, 1.0)
    seeds: int = 3
    rounds: int = 300
    tuning_rounds: int = 100
    longer: int = 2
    rows: int = 24
    base: Setting = field(default_factory=lambda: Setting(pair="benchmark"))

    def __post_init__(self) -> None:
        as_count("seeds", self.seeds, high=TUNING_SEED)
        for name in ("rounds", "tuning_rounds", "longer", "rows"):
            as_count(name, getattr(self, name))
        if self.rows > self.rounds:
            raise InvalidInput(f"rows = {self.rows} of {self.rounds} rounds: record at most every round.")

    def quick(self) -> Plan:
        """One dimension of the embedded pair, two seeds and few rounds: to see that all works."""
        base = replace(self.base, pair="log-sum-exp", samples=1000, target=2000)
        return replace(self, dimensions=(16,), seeds=2, rounds=40, tuning_rounds=12, rows=10, base=base)

    @property
    def every(self) -> int:
        return max(1, self.rounds // self.rows)

    def tuning(self, method: Method, d: int) -> Task:
        """The run that scores a setting of rates."""
        setting = replace(self.base, d=d, seed=TUNING_SEED)
        return Task(method, setting, self.tuning_rounds, self.tuning_rounds)

    def tasks(self, method: Method, d: int) -> list[Task]:
        """The runs of one curve."""
        rounds = self.rounds * (self.longer if method.joint else 1)
        return [Task(method, replace(self.base, d=d, seed=seed), rounds, self.every) for seed in range(self.seeds)]

    @property
    def arms(self) -> list[Arm]:
        """Dimension, λ and method of each curve."""
        return [(d, lam, name) for d in self.dimensions for lam in self.lams for name in METHODS]


@dataclass(frozen=True, eq=False)
class Figure3:
    """Runs and tuning of each arm (d, λ, method); identity and linear scores of each d; what was judged."""

    plan: Plan
    runs: dict[Arm, list[Run]]
    tuned: dict[Arm, Tuned]
    references: dict[int, dict[str, float]]
    judged: list[Judged]

    def manifest(self) -> dict:
        """Settings, versions, chosen rates and judgements, as plain values."""
        return {
            "plan": asdict(self.plan),
            "seeds": list(range(self.plan.seeds)),
            "tuning_seed": TUNING_SEED,
            "references": self.references,
            "tuning": {
                _name(arm): {"chosen": describe(of.method), "uvp": {describe(m): rounded(v) for m, v in of.tried}}
                for arm, of in self.tuned.items()
            },
            "statements": [
                {"id": j.statement.id, "ours": j.ours, "verdict": j.verdict}
                | {f"λ = {lam}, {axis}, d = {d}": f._asdict() for (lam, axis, d), f in j.findings.items()}
                for j in self.judged
            ],
            "versions": versions("fedmm-edu", "numpy", "scipy", "torch", "matplotlib"),
        }

    def panels(self) -> dict[int, Panel]:
        """The curves by dimension, λ and method; under "own" each method with the λ of its lesser UVP in tuning."""
        found: dict[int, dict[str, dict[str, Curves]]] = {}
        for d in self.plan.dimensions:
            of = {lam: {name: stacked(self.runs[d, lam, name]) for name in METHODS} for lam in self.plan.lams}
            found[d] = {f"{lam:g}": curves for lam, curves in of.items()}
            own = {name: min(of, key=lambda lam, at=(d, name): self.tuned[at[0], lam, at[1]].uvp) for name in METHODS}
            found[d]["own"] = {name: of[lam][name] for name, lam in own.items()}
        return found

    def record(self) -> str:
        """The curves as text."""
        return record(asdict(self.plan), self.panels())


def _name(arm: Arm) -> str:
    return f"{arm[2]}, λ = {arm[1]:g}, d = {arm[0]}"


def reproduce(plan: Plan, cache: Path, folder: Path | None = None) -> Figure3:
    """Tune each arm, run all seeds, and judge what is said. Finished runs are read from `cache`."""
    methods = {arm: replace(METHODS[arm[2]], lam=arm[1]) for arm in plan.arms}
    trials = {arm: TRIALS[len(method.rates)] * [plan.tuning(method, arm[0])] for arm, method in methods.items()}
    expected = [task for arm, method in methods.items() for task in trials[arm] + plan.tasks(method, arm[0])]
    do = Worker(cache, folder, expected)
    tuned: dict[Arm, Tuned] = {}
    for arm, method in methods.items():
        tuned[arm] = _tune(arm, method, plan, do, list(tuned.items()))
        do.expected(trials[arm][0], len(tuned[arm].tried) - len(trials[arm]))
    runs: dict[Arm, list[Run]] = {arm: [] for arm in methods}
    for seed, arm in product(range(plan.seeds), sorted(methods, key=lambda arm: arm[0])):
        runs[arm].append(do(plan.tasks(tuned[arm].method, arm[0])[seed], arm[2]))
    references = {d: federation(replace(plan.base, d=d), folder).references() for d in plan.dimensions}
    found = Figure3(plan, runs, tuned, references, [])
    return replace(found, judged=[j for ours in METHODS if ours != "FedAdam" for j in judge(found.panels(), ours)])


def _tune(arm: Arm, method: Method, plan: Plan, do: Worker, earlier: list[tuple[Arm, Tuned]]) -> Tuned:
    """The rates of one arm, from those that the method had in the arm before."""
    d, _, name = arm
    before = [of for other, of in earlier if other[2] == name]

    def end(tried: Method) -> float:
        return float(do(plan.tuning(tried, d), f"tuning {name}").uvp[-1])

    return tune(method, end, before[-1] if before else None)


def stacked(runs: list[Run]) -> Curves:
    """The runs of several seeds as one set of curves."""
    return Curves(runs[0].t, np.stack([run.seconds for run in runs]), np.stack([run.uvp for run in runs]))
