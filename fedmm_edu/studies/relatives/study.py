"""`fedmm reproduce relatives`: who wins at what, on six problems, with all clients and with half of them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fedmm_edu.datasets.movielens import find
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.studies.judging import judge_all
from fedmm_edu.studies.relatives.criteria import EVERYONE, EXPECTED, FIELDS, HALF, HIGH, LOW, place_of
from fedmm_edu.studies.relatives.field import Field, Size, field_of
from fedmm_edu.studies.relatives.page import outcome, page_of, winners
from fedmm_edu.studies.relatives.problems import CUTS
from fedmm_edu.studies.relatives.record import recorded_lines
from fedmm_edu.studies.study import Part, Study, given, versions
from fedmm_edu.studies.tasks import Pool
from fedmm_edu.text.plain import plain

LESS = {"dictionary": (5, 10), "movielens": (16, 4)}
"""Fields of which a part of the rounds and passes is run, and at most so many settings."""


@dataclass(frozen=True)
class StudyPlan:
    """How much is run: seeds that are reported and seeds that are tuned on, rounds and passes, settings, the fields."""

    seeds: int = 3
    rounds: int = 1000
    passes: int = 2000
    settings: int = 10
    fields: tuple[str, ...] = FIELDS
    halves: bool = True
    tuning: int = 2

    def __post_init__(self) -> None:
        for name in ("seeds", "rounds", "passes", "settings", "tuning"):
            as_count(name, getattr(self, name))

    def quick(self) -> StudyPlan:
        """Under a minute, to see that it works: its verdicts say nothing."""
        return replace(self, seeds=1, rounds=60, passes=80, settings=2, fields=("quadratic:l1", "mixture:personal"),
                       halves=False, tuning=1)  # fmt: skip

    def size(self, name: str) -> Size:
        """What is run of a field; less of dictionaries, whose rounds take long (`LESS`)."""
        part, settings = LESS.get(name, (1, self.settings))
        rounds, passes = (max(1, each // part) for each in (self.rounds, self.passes))
        return Size((LOW, HIGH), rounds, passes, min(settings, self.settings), self.seeds, self.tuning)

    @property
    def places(self) -> list[tuple[str, str, int]]:
        """The name of each field, who takes part, and how many are active, 0 for all."""
        who = ((EVERYONE, 0), (HALF, CUTS // 2)) if self.halves else ((EVERYONE, 0),)
        return [(name, says, active) for name in self.fields for says, active in who]


def plan_of(args: Namespace) -> StudyPlan:
    """The plan that the options ask for; MovieLens where FEDMM_DATA names it."""
    if args.data_dir is not None:
        raise InvalidInput("relatives reads MovieLens where FEDMM_DATA names its folder: set it, not --data-dir.")
    plan = StudyPlan().quick() if args.quick else StudyPlan()
    if find(None) is None:
        plan = replace(plan, fields=tuple(name for name in plan.fields if name != "movielens"))
    return replace(plan, **given(StudyPlan, args))


def found_by(plan: StudyPlan, pool: Pool) -> Mapping[str, Field]:
    """Every field."""
    return {place_of(name, who): field_of(name, active, plan.size(name), pool) for name, who, active in plan.places}


def results(plan: StudyPlan, pool: Pool) -> Part:
    """The page, the numbers, the record."""
    found = found_by(plan, pool)
    page, numbers = page_of(plan_words(plan), found)
    about: dict[str, Any] = {**numbers, "plan": asdict(plan), "versions": versions("fedmm-edu", "numpy", "scipy")}
    text = "\n\n".join([*outcome(found, judge_all(EXPECTED, found)), *winners(found, LOW), *winners(found, HIGH)])
    return Part("relatives", page, about, recorded_lines(found), plain(text))


def plan_words(plan: StudyPlan) -> str:
    """What was run, and that it is not the full run where it is not."""
    left = [name for name in FIELDS if name not in plan.fields]
    full = replace(plan, fields=FIELDS) == StudyPlan()
    words = (f"At most {plan.rounds} rounds and {plan.passes} passes of each client over its data a run, and at most "
             f"{plan.settings} settings of each relative, tuned on {plan.tuning} seed{'s' * (plan.tuning > 1)}; the "
             f"{plan.seeds} next ones are reported.")  # fmt: skip
    less = [f"on {name} a {part}th of the rounds, {settings} settings" for name, (part, settings) in LESS.items()]
    words += f" Less {', and '.join(less)}."
    if not full or left:
        without = f", without {', '.join(left)}" if left else ""
        words += f" **Not the full run{without}:** a call without these options goes on from here."
    return words


STUDY = Study(
    out=Path("results/relatives"), plan=plan_of, parts={"relatives": results}, figures=("relatives",),
    recorded=lambda plan: {"plan": asdict(plan)},
)  # fmt: skip
