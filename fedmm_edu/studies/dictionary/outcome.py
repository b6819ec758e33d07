"""What comes out of Section 6, in a sentence for each figure: made from the curves, as every number of the page is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.studies.dictionary.criteria import Curves, Runs, level, middle
from fedmm_edu.studies.dictionary.statements import SETTING, Panels

RANGE = (0.001, 0.05)
"""Where the paper tunes β."""
PAIRS = {"fig1": ("fedmm", "naive"), "fig2": ("alpha = 0.01", "alpha = 0")}
"""What each figure compares: the first is drawn as a solid line."""
NAMES = {"fedmm": "FedMM", "naive": "the naive algorithm", "alpha = 0.01": "FedMM with control variates",
         "alpha = 0": "FedMM without"}  # fmt: skip
COMPARED = ("objective", "parameter", "surrogate")


def last(curves: Curves, metric: str) -> Array:
    """With what runs end, shape (seeds,): the final objective, or the level of an update over the last quarter."""
    values = getattr(curves, metric)
    return values[:, -1] if metric == "objective" else level(values, curves.part(0.75, 1.0))


def ratios(figure: str, runs: Runs, metric: str) -> Array:
    """The end of the figure's first algorithm over that of its second, per run; NaN where neither is finite."""
    first, second = (last(runs[name], metric) for name in PAIRS[figure])
    with np.errstate(invalid="ignore", divide="ignore"):
        return first / second


def data_in_words(data: str) -> str:
    """A data set in a sentence."""
    return SETTING.get(data, data)


def with_commas(parts: Iterable[str]) -> str:
    """With commas, and an “and” before the last."""
    *first, end = parts
    return f"{', '.join(first)} and {end}" if first else end


def what_comes_out(figure: str, panels: Panels) -> str:
    """What comes out of one figure."""
    return _spaces(panels) if figure == "fig1" else _variates(panels)


def _spaces(panels: Panels) -> str:
    of = {data: ratios("fig1", runs, "objective") for data, runs in panels.items()}
    who = with_commas(
        f"in {(held < 1.0).sum()} of {held.size} runs on {data_in_words(data)} data" for data, held in of.items()
    )
    gap = max(abs(middle(held) - 1.0) for held in of.values())
    return (f"At the end FedMM has the lower objective {who}, and in the median the two objectives are nowhere more "
            f"than {100 * gap:.2g} % apart.")  # fmt: skip


def _variates(panels: Panels) -> str:
    moved = max(abs(middle(ratios("fig2", runs, "objective")) - 1.0) for runs in panels.values())
    said = (f"the {metric} update × {_each(panels, 'fig2', metric)}" for metric in ("parameter", "surrogate"))
    return (f"Control variates move the final objective by {100 * moved:.1g} % at most, and in the last quarter of the "
            f"rounds they make {with_commas(said)}.")  # fmt: skip


def _each(panels: Panels, figure: str, metric: str) -> str:
    """The median ratio on each data set."""
    return with_commas(
        f"{middle(ratios(figure, runs, metric)):.3g} ({data_in_words(data)})" for data, runs in panels.items()
    )


def where_beta_lies(betas: Mapping[str, Mapping[str, float]], tried: Iterable[float]) -> str:
    """Where the tuned β lies in what was tried."""
    every, most = [beta for arms in betas.values() for beta in arms.values()], max(tried)
    end = "the end of the paper's range" if most == max(RANGE) else "the largest that was tried"
    lines = "in every line" if set(every) == {most} else f"in {every.count(most)} of {len(every)} lines"
    return f"β is {end}, {most:g}, {lines}"


def to_see(figure: str, panels: Panels, betas: str, seeds: int) -> str:
    """What a figure shows: who ends lower, and what the lines are."""
    first, second = PAIRS[figure]
    ends = {data: [last(runs[name], "objective").mean() for name in (first, second)] for data, runs in panels.items()}
    lower = {
        NAMES[first]: [data_in_words(data) for data, (ours, theirs) in ends.items() if ours < theirs],
        NAMES[second]: [data_in_words(data) for data, (ours, theirs) in ends.items() if not ours < theirs],
    }
    who = with_commas(f"that of {name} on {with_commas(data)}" for name, data in lower.items() if data)
    return (f"The mean objective that ends lower is {who}. In the last quarter of the rounds the surrogate update of "
            f"{NAMES[first]} (solid line) is × {_each(panels, figure, 'surrogate')} that of {NAMES[second]} (dashed). "
            f"Means of {seeds} runs, bands of one standard deviation; {betas}.")  # fmt: skip
