"""What Section 6 says about its two figures, with a numerical criterion for each sentence.

Each is judged in each data setting that it speaks of, by a criterion that was fixed before any run was seen, and that
is printed beside the answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from fedmm_edu.studies.dictionary.criteria import (
    Runs,
    better,
    both_ways,
    decays,
    exactly_cancel,
    lower,
    monotone,
    naive_diverges,
    naive_faster,
    overtaken,
    same_objective,
    unstable,
)
from fedmm_edu.studies.judging import Judged, Statement, judge_all

SYNTHETIC = ("homogeneous", "heterogeneous")
ALL_DATA = (*SYNTHETIC, "movielens")
SETTING = {"homogeneous": "homogeneous", "heterogeneous": "heterogeneous", "movielens": "MovieLens"}
Panels = Mapping[str, Runs]
"""Curves by data set and by algorithm."""


DECAYS = "level of the last quarter of the rounds below that of the first, in most seeds"
SECTION_6: tuple[Statement[Runs], ...] = (
    Statement(
        "objective-monotone", "fig1", "L 836", "FedMM's objective decays monotonically in all settings",
        "the mean over the seeds falls, and rises between recorded rounds by at most 0.1 % of its fall",
        monotone, ALL_DATA,
    ),
    Statement(
        "naive-diverges", "fig1", "L 836", "the naive algorithm's objective diverges in the heterogeneous setting",
        "the mean over the seeds ends (last tenth) more than 5 % above its least value, and above the tenth before",
        naive_diverges, ("heterogeneous",),
    ),
    Statement(
        "objective-better", "fig1", "L 836", "FedMM achieves the better objective in all settings",
        "lower final objective in most seeds, paired", better, ALL_DATA,
    ),
    Statement(
        "parameter-decays", "fig1", "L 838", "the parameter update decays for both algorithms", DECAYS,
        decays(("fedmm", "naive"), "parameter"), ALL_DATA,
    ),
    Statement(
        "parameter-faster", "fig1", "L 838", "on synthetic data the naive algorithm's parameter update decays faster",
        "last quarter over first quarter smaller than FedMM's, in most seeds", naive_faster, SYNTHETIC,
    ),
    Statement(
        "parameter-overtaken", "fig1", "L 838",
        "on MovieLens FedMM's parameter update is ahead at first, and finally beaten by the naive algorithm's",
        "lower level in (0.1 T, 0.25 T], higher level in the last tenth, each in most seeds",
        overtaken, ("movielens",),
    ),
    Statement(
        "surrogate-decays", "fig1", "L 840", "FedMM's surrogate update decays on all data", DECAYS,
        decays(("fedmm",), "surrogate"), ALL_DATA,
    ),
    Statement(
        "surrogate-naive-diverges", "fig1", "L 840",
        "the naive algorithm's surrogate update diverges on synthetic data",
        "level of the last quarter of the rounds above that of the first, in most seeds",
        decays(("naive",), "surrogate", up=True), SYNTHETIC,
    ),
    Statement(
        "surrogate-naive-unstable", "fig1", "L 840",
        "on MovieLens the naive algorithm's surrogate update decays steadily at first, and then becomes more unstable",
        "lower in the second quarter than in the first in most seeds; mean |Δ log| between recorded rounds in the last "
        "quarter more than twice that in the second", unstable, ("movielens",),
    ),
    Statement(
        "naive-both-ways", "fig1", "L 840",
        "the naive algorithm converges in the parameter update and diverges in the surrogate update",
        "level of the last quarter below, respectively above, that of the first, in most seeds", both_ways, SYNTHETIC,
    ),
    Statement(
        "cv-objective", "fig2", "L 854", "control variates have no effect on the objective",
        "mean objectives differ nowhere by more than 1 % of the fall", same_objective, ALL_DATA,
    ),
    Statement(
        "cv-cancel", "fig2", "L 854", "in the homogeneous setting the control variates cancel out exactly",
        "all updates equal to 1e-9 of their size, in every run", exactly_cancel, ("homogeneous",),
    ),
    Statement(
        "cv-lower", "fig2", "L 854",
        "in the heterogeneous settings control variates bring both updates to significantly lower values",
        "lower level in the last quarter in most seeds, and the median at most half, for both updates",
        lower, ("heterogeneous", "movielens"),
    ),
)  # fmt: skip
"""All sentences."""


def judge_figure(panels: Panels, figure: str) -> list[Judged[str, Runs]]:
    """All sentences about one figure."""
    return judge_all([s for s in SECTION_6 if s.figure == figure], panels)
