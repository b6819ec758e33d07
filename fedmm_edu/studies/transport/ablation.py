"""Partial participation with and without control variates, local steps, server steps: FedMM-OT, one at a time.

On the log-sum-exp pair in 16 dimensions, short runs, the rates of `fedmm run transport`. With an adaptive server: the
plain server's rate is the largest that p = 1, K = 1 and M = 10 bear, and almost any change kills the network. The
clients' rate counts for K > 1 only, since Adam on H does not feel the size of one step.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

from matplotlib.figure import Figure

from fedmm_edu.figures import stack
from fedmm_edu.figures.transport import draw_scores
from fedmm_edu.studies.record import nested
from fedmm_edu.studies.study import Part, Picture, markdown_table
from fedmm_edu.studies.tasks import Pool
from fedmm_edu.studies.transport.figure import TransportPlan
from fedmm_edu.studies.transport.runs import TransportTask
from fedmm_edu.studies.transport.setting import METHODS, OTMethod, federation_of
from fedmm_edu.studies.transport.statements import ScoreCurves
from fedmm_edu.transport import UnboundedObjective

ROUNDS = 100
CLIENT_RATE = 1e-3


def variations() -> dict[str, dict[str, OTMethod]]:
    """The methods of each factor, by the name of its value."""
    base = replace(METHODS["FedMM-OT, adaptive server"], rate=CLIENT_RATE)
    full = replace(base, lam=1.0)
    return {
        "participation": {
            "p = 1": base,
            "p = 0.5, α = 0": replace(base, p=0.5),
            "p = 0.5, α = 0.1": replace(base, p=0.5, alpha=0.1),
            "p = 0.2, α = 0": replace(base, p=0.2),
            "p = 0.2, α = 0.1": replace(base, p=0.2, alpha=0.1),
        },
        "local steps": {
            "K = 1, λ = 1": full,
            "K = 4, λ = 1": replace(full, K=4),
            "K = 10, λ = 1": replace(full, K=10),
            "K = 1, λ = 0": base,
            "K = 10, λ = 0": replace(base, K=10),
        },
        "server steps": {f"M = {M}": replace(base, M=M) for M in (1, 3, 10, 30)},
    }


def results(plan: TransportPlan, pool: Pool) -> Part:
    """A panel and lines of a table for each factor."""
    base, rounds = replace(plan.base, d=16, pair="log-sum-exp"), min(plan.rounds, ROUNDS)
    every = max(1, rounds // plan.rows)
    tasks = {
        (factor, value): [TransportTask(method, replace(base, seed=seed), rounds, every) for seed in range(plan.seeds)]
        for factor, values in variations().items()
        for value, method in values.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnboundedObjective)  # K = 10 with λ = 0 is here to be seen
        runs = pool.run(tasks, "one thing at a time")
    found: dict[str, dict[str, ScoreCurves]] = nested({key: ScoreCurves.of(of) for key, of in runs.items()})
    references = federation_of(base).references()
    page = (
        "## Participation, local steps, server steps",
        Picture(
            "fig3_ablation.png",
            "UVP over rounds by participation, by local steps and by server steps",
            lambda: _draw(found, references),
        ),
        f"FedMM-OT with an adaptive server on the log-sum-exp pair, d = 16, {ROUNDS} rounds or fewer, one factor at a "
        f"time, with the rates of `fedmm run transport`, chosen for p = 1, K = 1, M = 10 (clients: {CLIENT_RATE:g}, "
        "which counts for K > 1 only). UVP in %, mean [least, largest] of the runs.",
        _table(found),
    )
    return Part("fig3_ablation", page)


def _draw(found: dict[str, dict[str, ScoreCurves]], references: dict[str, float]) -> Figure:
    figure, axes = stack(len(found))
    for ax, (factor, values) in zip(axes, found.items(), strict=True):
        draw_scores(ax, {name: (of.t, of.uvp) for name, of in values.items()}, references, xlabel="round")
        ax.set_title(f"UVP in %: {factor}", loc="left")
    return figure


def _table(found: dict[str, dict[str, ScoreCurves]]) -> str:
    rows = []
    for factor, values in found.items():
        for value, of in values.items():
            last, best = of.uvp[:, -1], of.uvp.min(axis=1)
            ends = [f"{v.mean():.3g} [{v.min():.3g}, {v.max():.3g}]" for v in (last, best)]
            rows.append((factor, value, *ends, f"{of.seconds[:, -1].mean():.1f}"))
    return markdown_table(("factor", "value", "last", "best", "CPU seconds"), rows)
