"""The figure of Section 7, which the paper's source lacks: which runs it needs, its curves, what stands beside it.

Every method has the same rounds; FedAdam, whose round costs less, `longer` times as many, so that it can be compared at
equal CPU seconds, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np

from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.studies.judging import Judged
from fedmm_edu.studies.record import rounded
from fedmm_edu.studies.study import Block, Part, Picture, SideBySide, markdown_table, versions
from fedmm_edu.studies.tasks import Pool
from fedmm_edu.studies.transport.outcome import LinearScores, ends_of, unexpected, who_ends_lower
from fedmm_edu.studies.transport.pictures import draw_dimensions, draw_ends
from fedmm_edu.studies.transport.record import score_lines
from fedmm_edu.studies.transport.runs import TransportRun, TransportTask
from fedmm_edu.studies.transport.setting import METHODS, OTMethod, Setting, federation_of
from fedmm_edu.studies.transport.statements import AXES, Compared, Key, Panel, ScoreCurves, judge_scores
from fedmm_edu.studies.transport.tuning import TUNING_SEED, Tuned, tune
from fedmm_edu.text.tables import table, terminal_width

SEEN = """\
UVP in % after {rounds} rounds, lower is better: a sign at the mean, a bar from the least run to the largest; hollow at
the right edge where a run died. The grey line of a row is the linear map: who is right of it has learned less than
means and covariances tell."""
TRIALS = {1: 3, 2: 8}
"""Settings that tuning tries, about, by the number of rates."""
Arm = tuple[int, float, str]
"""Dimension, λ and method of a curve."""


@dataclass(frozen=True)
class TransportPlan:
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

    def quick(self) -> TransportPlan:
        """One dimension of the embedded pair, two seeds and few rounds: to see that all works."""
        base = replace(self.base, pair="log-sum-exp", samples=1000, target=2000)
        return replace(self, dimensions=(16,), seeds=2, rounds=40, tuning_rounds=12, rows=10, base=base)

    @property
    def every(self) -> int:
        return max(1, self.rounds // self.rows)

    def tuning(self, method: OTMethod, d: int) -> TransportTask:
        """The run that scores a setting of rates."""
        setting = replace(self.base, d=d, seed=TUNING_SEED)
        return TransportTask(method, setting, self.tuning_rounds, self.tuning_rounds)

    def tasks(self, method: OTMethod, d: int) -> list[TransportTask]:
        """The runs of one curve."""
        rounds = self.rounds * (self.longer if method.joint else 1)
        return [
            TransportTask(method, replace(self.base, d=d, seed=seed), rounds, self.every) for seed in range(self.seeds)
        ]

    @property
    def arms(self) -> list[Arm]:
        """Dimension, λ and method of each curve."""
        return [(d, lam, name) for d in self.dimensions for lam in self.lams for name in METHODS]


@dataclass(frozen=True, eq=False)
class Figure3:
    """Runs and tuning of each arm (d, λ, method); identity and linear scores of each d."""

    plan: TransportPlan
    runs: Mapping[Arm, Sequence[TransportRun]]
    tuned: Mapping[Arm, Tuned]
    references: Mapping[int, Mapping[str, float]]

    @cached_property
    def panels(self) -> dict[int, Panel]:
        """The curves by dimension, λ and method; under "own" each method with the λ of its lesser UVP in tuning."""
        found: dict[int, Panel] = {}
        for d in self.plan.dimensions:
            of = {lam: {name: ScoreCurves.of(self.runs[d, lam, name]) for name in METHODS} for lam in self.plan.lams}
            own = {name: min(of, key=lambda lam, at=(d, name): self.tuned[at[0], lam, at[1]].uvp) for name in METHODS}
            at_own = {name: of[lam][name] for name, lam in own.items()}
            found[d] = {**{f"{lam:g}": curves for lam, curves in of.items()}, "own": at_own}
        return found

    @cached_property
    def judged(self) -> list[Judged[Key, Compared]]:
        """All sentences about FedMM-OT, and with an adaptive server in its place."""
        return [j for ours in METHODS if ours != "FedAdam" for j in judge_scores(self.panels, ours)]

    def manifest(self) -> dict:
        """Settings, versions, chosen rates and judgements, as plain values."""
        return {
            "plan": asdict(self.plan),
            "seeds": list(range(self.plan.seeds)),
            "tuning_seed": TUNING_SEED,
            "references": self.references,
            "tuning": {
                f"{name}, λ = {lam:g}, d = {d}": {
                    "chosen": of.method.words, "uvp": {method.words: rounded(uvp) for method, uvp in of.tried}
                }
                for (d, lam, name), of in self.tuned.items()
            },
            "statements": [j.plain(lambda key: f"λ = {key[0]}, {key[1]}, d = {key[2]}") for j in self.judged],
            "versions": versions("fedmm-edu", "numpy", "scipy", "torch", "matplotlib"),
        }  # fmt: skip

    def part(self) -> Part:
        """Both pictures, scores, verdicts and rates."""
        plan = self.plan
        return Part(
            "fig3", [*figure_blocks(self.panels, self.references, plan), self._scores(), *verdicts(self.judged),
                     "## Learning rates", self._rates()],
            self.manifest(), score_lines(self.panels), self._text(), **beginning(self.panels, self.references, plan),
        )  # fmt: skip

    def _text(self) -> str:
        """Verdicts, and the numbers that decide them."""
        rows = [
            (j.statement.says, j.about["ours"], j.verdict,
             "\n".join(f"λ = {lam}, equal {AXES[axis]}, d = {d}: {f}" for (lam, axis, d), f in j.findings.items()))
            for j in self.judged
        ]  # fmt: skip
        header = ("Section 7 says", "of", "verdict", "measured")
        return table(header, rows, columns=terminal_width(), shares=(30, 15, 15, 60))

    def _scores(self) -> str:
        """Last and best values at the horizon, means over the seeds."""
        rows = []
        for d, lam in product(self.plan.dimensions, self.plan.lams):
            cells = []
            for name in METHODS:
                of = self.runs[d, lam, name]
                within = [run.t <= self.plan.rounds for run in of]
                uvp, seconds, bits = (
                    [getattr(run, column)[kept] for run, kept in zip(of, within, strict=True)]
                    for column in ("uvp", "seconds", "bits")
                )
                last, took, sent = (np.mean([ends[-1] for ends in column]) for column in (uvp, seconds, bits))
                best = np.mean([values.min() for values in uvp])
                cells.append(f"{last:.3g} ({best:.3g}); {took:.0f} s; {sent / 8e6:.3g} MB")
            rows.append([d, f"{lam:g}", *cells, *(f"{value:.3g}" for value in self.references[d].values())])
        return markdown_table(("d", "λ", *METHODS, "identity", "linear"), rows)

    def _rates(self) -> str:
        rows = [
            (d, f"{lam:g}", name, of.method.words, "; ".join(f"{method.words}: {uvp:.3g}" for method, uvp in of.tried))
            for (d, lam, name), of in self.tuned.items()
        ]
        return markdown_table(("d", "λ", "method", "chosen", "UVP in tuning, of all that was tried"), rows)


def beginning(panels: Mapping[int, Panel], references: LinearScores, plan: TransportPlan) -> dict[str, Any]:
    """What stands above all else: fields of the part."""
    ends = ends_of(panels, plan.rounds)
    picture = Picture("outcome.png", "UVP at the end by dimension, λ and method, mean with least and largest run",
                      partial(draw_ends, ends, references), caption=SEEN.format(rounds=plan.rounds))  # fmt: skip
    judged = judge_scores(panels, next(iter(METHODS)))
    return {"answer": who_ends_lower(ends, references, plan.rounds), "lead": [picture], "judged": judged,
            "unexpected": unexpected(judged, ends, plan.rounds)}  # fmt: skip


def figure_blocks(panels: Mapping[int, Panel], references: LinearScores, plan: TransportPlan) -> list[Block]:
    """The curves, a column of panels for each dimension, over rounds and over CPU seconds."""
    shown = {d: {lam: of for lam, of in panel.items() if lam != "own"} for d, panel in panels.items()}

    def row(axis: str, end: str, caption: str) -> SideBySide:
        return SideBySide([
            Picture(f"fig3_{d}{end}.png", f"UVP over {AXES[axis]}, d = {d}",
                    partial(draw_dimensions, {d: panel}, {d: references[d]}, axis))
            for d, panel in shown.items()
        ], caption)  # fmt: skip

    return [
        "## UVP over rounds, and over CPU seconds",
        row("t", "", "Mean, least and largest of the runs, a panel for each λ; a line that ends early died. Who is "
            "below the dashed grey line has learned more than the linear map."),
        row("seconds", "_seconds", "The same against CPU seconds of one thread, as far as all methods go."),
        f"UVP in %, mean over the runs, within {plan.rounds} rounds: last (best); CPU seconds; MB sent by clients.",
    ]  # fmt: skip


def verdicts(judged: Sequence[Judged[Key, Compared]]) -> list[str]:
    """Each sentence with what was found."""
    return [block for j in judged for block in verdict_blocks(j)]


def verdict_blocks(j: Judged[Key, Compared]) -> list[str]:
    """What is said, and a table of what was found: a column for each dimension."""
    s, ours = j.statement, j.about["ours"]
    of = "" if ours == "FedMM-OT" else f" — {ours} in its place"
    dimensions = sorted({d for _, _, d in j.findings})
    rows = [
        [lam, AXES[axis], *(j.findings[lam, axis, d] for d in dimensions)]
        for lam, axis in dict.fromkeys((lam, axis) for lam, axis, _ in j.findings)
    ]
    return [
        f"### {s.says} ({s.line}){of}: **{j.verdict}**",
        f"Criterion: {s.criterion}.",
        markdown_table(("λ", "at equal", *(f"d = {d}" for d in dimensions)), rows),
    ]


def make_figure3(plan: TransportPlan, pool: Pool) -> Figure3:
    """Tune each arm, each method from the rates that it had in the arm before, and run all seeds."""
    methods = {arm: replace(METHODS[arm[2]], lam=arm[1]) for arm in plan.arms}
    for (d, _, _), method in methods.items():
        pool.expect(plan.tuning(method, d), TRIALS[len(method.rates)])
        for task in plan.tasks(method, d):
            pool.expect(task)
    tuned: dict[Arm, Tuned] = {}
    latest: dict[str, Tuned] = {}
    for (d, lam, name), method in methods.items():

        def end(tried: OTMethod, d: int = d, name: str = name) -> float:
            return float(pool.one(plan.tuning(tried, d), f"tuning {name}").uvp[-1])

        tuned[d, lam, name] = latest[name] = found = tune(method, end, latest.get(name))
        pool.expect(plan.tuning(method, d), len(found.tried) - TRIALS[len(method.rates)])
    runs: dict[Arm, list[TransportRun]] = {arm: [] for arm in methods}
    for seed, arm in product(range(plan.seeds), sorted(methods, key=lambda arm: arm[0])):
        runs[arm].append(pool.one(plan.tasks(tuned[arm].method, arm[0])[seed], arm[2]))
    references = {d: federation_of(replace(plan.base, d=d), pool.folder).references() for d in plan.dimensions}
    return Figure3(plan, runs, tuned, references)
