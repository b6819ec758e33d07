"""What is judged of runs with falling steps: Section 7's sentences by the criteria they have, and three goals of ours.

All of it was written before a run with these settings was seen. A run is judged at its own end, where its steps are
near zero: what is held equal (rounds, bytes, CPU time) sets its length, and is not cut out of a longer curve.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

from fedmm_edu.arrays import Array
from fedmm_edu.studies.judging import Finding, Judged, Statement, judge_all
from fedmm_edu.studies.transport.scheduled import (
    BASES,
    EQUAL,
    FEDADAM,
    FEDMM_OT,
    FEDMM_OT_ADAPTIVE,
    Scheduled,
)
from fedmm_edu.studies.transport.statements import SECTION_7, Compared, ScoreCurves
from fedmm_edu.transport import CENTRALISED

HOUR_SECONDS = 3600.0
FALLING = "cosine"
"""The schedule by which Section 7's sentences are judged."""


class Ended(Compared):
    """Two methods whose runs are judged at their own ends."""

    def reached(self) -> tuple[ScoreCurves, ScoreCurves]:
        return self.ours, self.theirs


class Where(NamedTuple):
    """A setting in which a sentence is judged: the dimension, and what else tells it from others."""

    d: int
    what: str


def judge_section_7(found: Scheduled, ours: str, schedule: str = FALLING) -> list[Judged[Where, Compared]]:
    """The sentences about the figure, with `ours` in the place of FedMM-OT, forward and inverse."""
    pairs: dict[Where, Compared] = {
        Where(d, f"{way}, equal {equal}"): Ended(
            found.of(d, schedule, ours, equal).ways[way], found.of(d, schedule, FEDADAM, equal).ways[way], axis
        )
        for d in found.plan.dimensions
        for way in ("forward", "inverse")
        for equal, axis in EQUAL.items()
    }
    return judge_all(SECTION_7, pairs, {"ours": ours, "schedule": schedule})


def spread(values: Array) -> str:
    """Mean, least and largest."""
    return f"{values.mean():.3g} [{values.min():.3g}, {values.max():.3g}]"


def falls_lower(pair: Compared) -> Finding:
    """Every run with steps that fall ends below every run with constant ones."""
    falling, constant = (of.uvp[:, -1] for of in pair.reached())
    return Finding(bool(falling.max() < constant.min()), f"{spread(falling)} against {spread(constant)}")


class Published(NamedTuple):
    """Runs, and the score of a solver that holds all data."""

    curves: ScoreCurves
    score: float


def beats_published(of: Published) -> Finding:
    """Every run ends below, within an hour of one core."""
    uvp, seconds = of.curves.uvp[:, -1], of.curves.seconds[:, -1]
    holds = bool(uvp.max() < of.score and seconds.max() <= HOUR_SECONDS)
    return Finding(holds, f"{spread(uvp)} against {of.score:g}, in {seconds.max() / 60:.1f} CPU minutes at most")


HELPS: Statement[Compared] = Statement(
    "schedule-helps", "schedules", "a goal of ours", "steps that fall end lower than constant ones",
    "at equal rounds, each with its own tuned step, every run below every run", falls_lower,
)  # fmt: skip
BEATS: Statement[Published] = Statement(
    "beats-centralised", "schedules", "a goal of ours",
    "FedMM-OT with an adaptive server ends below the published centralised score of MMv2 within an hour of one core",
    "every run below, none longer than 3600 CPU seconds", beats_published,
)  # fmt: skip


def judge_schedules(found: Scheduled) -> list[Judged[Where, Compared]]:
    """Whether falling steps help, by method, dimension and way; nothing where only one kind was run."""
    if not {FALLING, "constant"} <= set(found.plan.schedules):
        return []

    def pair(d: int, name: str, way: str) -> Compared:
        falling, constant = (found.of(d, kind, name, "rounds").ways[way] for kind in (FALLING, "constant"))
        return Ended(falling, constant, "t")

    pairs = {
        Where(d, f"{name}, {way}"): pair(d, name, way)
        for d in found.plan.dimensions
        for name in BASES
        for way in ("forward", "inverse")
    }
    return judge_all([HELPS], pairs)


def judge_published(curves: Mapping[Where, ScoreCurves], runs: str) -> list[Judged[Where, Published]]:
    """Whether the published scores are beaten, in each dimension that has one; nothing where none has. runs: which."""
    published = CENTRALISED["MMv2"]
    found = {at: Published(of, published[at.d]) for at, of in curves.items() if at.d in published}
    return judge_all([BEATS], found, {"runs": runs}) if found else []


def lower_on_average(found: Scheduled, ours: str) -> tuple[int, int]:
    """In how many comparisons, of how many, the mean of `ours` ends below FedAdam's."""
    held = []
    for (d, way), equal in product(product(found.plan.dimensions, ("forward", "inverse")), EQUAL):
        mean, theirs = (found.of(d, FALLING, name, equal).ways[way].uvp[:, -1].mean() for name in (ours, FEDADAM))
        held.append(bool(mean < theirs))
    return sum(held), len(held)


FEDMM_OTS = (FEDMM_OT, FEDMM_OT_ADAPTIVE)
"""Who is compared with FedAdam."""
