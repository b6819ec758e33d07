"""The two figures of Section 6: which runs they need, their curves, and what is written beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product
from typing import Literal

import numpy as np

from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.studies.dictionary.criteria import Curves, Runs
from fedmm_edu.studies.dictionary.data import REAL, Source
from fedmm_edu.studies.dictionary.outcome import (
    COMPARED,
    data_in_words,
    ratios,
    to_see,
    what_comes_out,
    where_beta_lies,
)
from fedmm_edu.studies.dictionary.pictures import draw_metrics, draw_outcome
from fedmm_edu.studies.dictionary.record import figure_lines
from fedmm_edu.studies.dictionary.runs import DictionaryTask
from fedmm_edu.studies.dictionary.statements import SETTING, judge_figure
from fedmm_edu.studies.judging import Judged, contrary
from fedmm_edu.studies.record import nested
from fedmm_edu.studies.study import Part, Picture, SideBySide, markdown_table, versions
from fedmm_edu.studies.tasks import Pool
from fedmm_edu.text.tables import table, terminal_width

TITLES = {"fig1": "Impact of the aggregation space", "fig2": "Impact of control variates"}
LEAD = """\
Left of the line FedMM's value is the smaller one: above, the objective at the end, and below, on an axis of its own,
the two updates over the last quarter of the rounds; a dot for each run."""
FIRST_TUNING_SEED, FEW = 1000, 3
"""The seed of the first tuning run, and the number of runs of what goes beyond the figures."""


@dataclass(frozen=True)
class DictionaryPlan:
    """The settings of the figures; what the paper fixes has no field here but in `DictionaryTask` and `data`.

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
    choose: Literal["most", "random"] = "most"
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

    def quick(self) -> DictionaryPlan:
        """Two seeds and few rounds: to see that all works, and for lessons."""
        return replace(self, seeds=min(self.seeds, 2), rounds=200, real_rounds=40, betas=(0.02, 0.05), rows=20)

    @property
    def data(self) -> tuple[str, ...]:
        """The rows of each figure."""
        return ("homogeneous", "heterogeneous", self.real)

    def arms(self, figure: str, data: str) -> dict[str, DictionaryTask]:
        """The algorithms of one panel, as tasks whose β and seed are to be filled in."""
        source = Source(data, p=self.p, split=self.split, choose=self.choose, seed=self.data_seed)
        rounds = self.real_rounds if data in REAL else self.rounds
        base = DictionaryTask(source, False, self.betas[0], 0, rounds, active=self.active, variates=self.variates,
                              start=self.start, rows=self.rows)  # fmt: skip
        if figure == "fig1":
            return {"fedmm": base, "naive": replace(base, naive=True)}
        full = replace(base, bits=0, batch=0, variates="zero")
        return {"alpha = 0": replace(full, alpha=0.0), "alpha = 0.01": full}

    @property
    def few(self) -> range:
        """The seeds of what goes beyond the figures."""
        return range(min(self.seeds, FEW))

    def largest(self, data: str) -> dict[str, DictionaryTask]:
        """The algorithms of the first figure with the largest β."""
        return {name: replace(arm, beta=max(self.betas)) for name, arm in self.arms("fig1", data).items()}


@dataclass(frozen=True, eq=False)
class Figure:
    """Curves by data set and algorithm, the chosen β with the final objective of each that was tried, and verdicts."""

    name: str
    plan: DictionaryPlan
    curves: Mapping[str, Mapping[str, Curves]]
    betas: Mapping[str, Mapping[str, float]]
    tuned: Mapping[str, Mapping[str, Mapping[float, float]]]
    judged: Sequence[Judged[str, Runs]]

    def manifest(self) -> dict:
        """Settings, versions, chosen step sizes and judgements, as plain values."""
        return {
            "figure": self.name,
            "plan": asdict(self.plan),
            "seeds": list(range(self.plan.seeds)),
            "tuning_seeds": [FIRST_TUNING_SEED + k for k in range(self.plan.tuning)],
            "beta": self.betas,
            "final_objective_by_beta": self.tuned,
            "statements": [judged.plain() for judged in self.judged],
            "versions": versions("fedmm-edu", "numpy", "scipy", "scikit-learn", "matplotlib"),
        }

    def part(self) -> Part:
        """The pictures, the verdicts and the step sizes."""
        title, betas = TITLES[self.name], where_beta_lies(self.betas, self.plan.betas)
        seen = to_see(self.name, self.curves, betas, self.plan.seeds)
        sent = {data: {curves.bits[-1] for curves in arms.values()} for data, arms in self.curves.items()}
        differ = [data for data, bits in sent.items() if len(bits) > 1]
        page = (
            f"## {title}",
            SideBySide(self._pictures("t", self.curves), seen),
            SideBySide(self._pictures("bits", differ), f"The same against megabytes sent by the clients; {betas}.")
            if differ
            else "Both algorithms send the same number of bits, so that over megabytes the curves are the same.",
            self._verdicts(),
            self._step_sizes(),
        )
        numbers = self.manifest()
        return Part(
            self.name, page, numbers, figure_lines(self.name, numbers, self.curves), self._text(),
            lead=self._lead(betas), answer=what_comes_out(self.name, self.curves), judged=self.judged,
            unexpected=contrary(self.judged, "Section 6 says", data_in_words),
        )  # fmt: skip

    def _lead(self, betas: str) -> list[Picture]:
        """What comes out of the first figure, in one picture."""
        if self.name != next(iter(TITLES)):
            return []
        ends = {
            data_in_words(data): {metric: ratios(self.name, runs, metric) for metric in COMPARED}
            for data, runs in self.curves.items()
        }
        says, caption = "Ends of FedMM over ends of the naive algorithm", f"{LEAD} Here {betas}."
        return [Picture("outcome.png", says, lambda: draw_outcome(ends), caption=caption)]

    def _pictures(self, against: str, names: Iterable[str]) -> list[Picture]:
        """A column of panels for each of these data sets."""
        over, end = ("rounds", "") if against == "t" else ("megabytes", "_bits")
        return [
            Picture(f"{self.name}_{data}{end}.png", f"{TITLES[self.name]}, {data_in_words(data)} data, over {over}",
                    partial(draw_metrics, {data: self.curves[data]}, against=against))
            for data in names
        ]  # fmt: skip

    def _text(self) -> str:
        """Verdicts, with the numbers that decide them, and the chosen step sizes."""
        rows = [(j.statement.says, j.verdict, "\n".join(_measured(j))) for j in self.judged]
        body = table(("Section 6 says", "verdict", "measured"), rows, columns=terminal_width(), shares=(36, 14, 50))
        betas = "; ".join(
            f"{data}: " + ", ".join(f"{name} {beta:g}" for name, beta in arms.items())
            for data, arms in self.betas.items()
        )
        return f"{TITLES[self.name]}: {self.plan.seeds} runs of each curve\n\n{body}\n\nchosen β — {betas}"

    def _verdicts(self) -> str:
        rows = []
        for j in self.judged:
            sentence = f"{j.statement.says} ({j.statement.line}, `{j.statement.id}`)"
            cells = (sentence, j.statement.criterion, "<br>".join(_measured(j)) or "–")
            rows.append([*cells, f"**{j.verdict}**"])
        return markdown_table(("Section 6 says", "criterion", "measured", "verdict"), rows)

    def _step_sizes(self) -> str:
        rows = [
            (SETTING.get(data, data), name, f"{self.betas[data][name]:g}",
             ", ".join(f"{beta:g}: {value:.4g}" for beta, value in ends.items()) or "–")
            for data, arms in self.tuned.items()
            for name, ends in arms.items()
        ]  # fmt: skip
        return markdown_table(("data", "algorithm", "chosen β", "final objective in tuning, by β"), rows)


def _measured(j: Judged[str, Runs]) -> list[str]:
    return [f"{SETTING[name]}: {finding}" for name, finding in j.findings.items()]


def make_figure(name: str, plan: DictionaryPlan, pool: Pool, *, data: Sequence[str] | None = None) -> Figure:
    """Choose β for each algorithm and data set (default: all of the plan), run all seeds, and judge what is said.

    β has the least final objective, on average over the tuning runs (the smallest of equal ones). Where there is one β
    only, nothing is tuned.
    """
    arms = {(kind, arm): task for kind in data or plan.data for arm, task in plan.arms(name, kind).items()}
    is_tuned, seeds = len(plan.betas) > 1, range(plan.tuning)
    betas = sorted(plan.betas) if is_tuned else []
    tried = {
        (*key, beta): [replace(task, beta=beta, seed=FIRST_TUNING_SEED + k) for k in seeds]
        for (key, task), beta in product(arms.items(), betas)
    }
    trials = pool.run(tried, f"{name}, choosing β")
    ends = {
        key: {beta: float(np.mean([run.objective[-1] for run in trials[*key, beta]])) for beta in betas} for key in arms
    }
    chosen = {key: min(of, key=lambda beta, of=of: of[beta]) if of else plan.betas[0] for key, of in ends.items()}
    final = {
        key: [replace(task, beta=chosen[key], seed=seed) for seed in range(plan.seeds)] for key, task in arms.items()
    }
    curves = nested({key: Curves.of(of) for key, of in pool.run(final, name).items()})
    return Figure(name, plan, curves, nested(chosen), nested(ends), judge_figure(curves, name))
