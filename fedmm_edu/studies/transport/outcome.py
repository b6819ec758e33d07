"""What comes out of Section 7, in sentences and a picture: made from the curves, as every number of the page is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.studies.judging import Judged
from fedmm_edu.studies.transport.setting import METHODS
from fedmm_edu.studies.transport.statements import AXES, Compared, Key, Panel

UVPAtEnd = Mapping[tuple[int, str], Mapping[str, Array]]
"""UVP at the horizon, shape (seeds,), by dimension and λ, and by method; ∞ of a run that died before."""
LinearScores = Mapping[int, Mapping[str, float]]


def ends_of(panels: Mapping[int, Panel], horizon: int) -> UVPAtEnd:
    """With what the runs end after so many rounds, for each λ that all methods share."""
    return {
        (d, lam): {name: of.upto("t", horizon).uvp[:, -1] for name, of in arms.items()}
        for d, panel in panels.items()
        for lam, arms in panel.items()
        if lam != "own"
    }


def who_ends_lower(ends: UVPAtEnd, references: LinearScores, horizon: int) -> str:
    """Who ends lower, with which λ, and how that compares with the linear map."""
    ours, adaptive, theirs = METHODS
    lower = {
        name: {key: bool(of[name].mean() < of[theirs].mean()) for key, of in ends.items()} for name in (ours, adaptive)
    }
    total = len(ends)
    by_lam = {lam: [held for (_, at), held in lower[ours].items() if at == lam] for _, lam in ends}
    lams = " and ".join(f"{sum(held)} of {len(held)} dimensions with λ = {lam}" for lam, held in by_lam.items())
    best = {d: min(float(of[name].mean()) for (at, _), of in ends.items() if at == d for name in of) for d, _ in ends}
    beside = ", ".join(f"{best[d]:.3g} % (linear {references[d]['linear']:.3g} %) for d = {d}" for d in best)
    return (f"After {horizon} rounds the mean UVP of {ours} is below that of {theirs} in {lams}; with an adaptive "
            f"server it is so in {sum(lower[adaptive].values())} of all {total}. The least of all means, beside "
            f"that of the linear map, which needs means and covariances alone: {beside}.")  # fmt: skip


def unexpected(judged: Sequence[Judged[Key, Compared]], ends: UVPAtEnd, horizon: int) -> list[str]:
    """Where what is said does not hold at equal rounds, and which runs died."""
    items = []
    for one in judged:
        here = {(d, lam): of.holds for (lam, axis, d), of in one.findings.items() if axis == "t" and lam != "own"}
        wrong = [f"d = {d}, λ = {lam}" for (d, lam), held in here.items() if not held]
        if wrong:
            items.append(f"- Section 7 says: {one.statement.says}. At equal {AXES['t']} so in "
                         f"{len(here) - len(wrong)} of {len(here)} settings; not for {'; '.join(wrong)}.")  # fmt: skip
    for name in METHODS:
        dead = {key: int((~np.isfinite(of[name])).sum()) for key, of in ends.items()}
        if any(dead.values()):
            where = "; ".join(f"{count} of {len(ends[key][name])} for d = {key[0]}, λ = {key[1]}"
                              for key, count in dead.items() if count)  # fmt: skip
            items.append(f"- Runs of {name} died or diverged within {horizon} rounds: {where}.")
    return items
