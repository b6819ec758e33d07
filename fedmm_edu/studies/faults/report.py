"""The report on faults of the page "Many machines": two pictures, and the tables beside them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from fedmm_edu.arrays import Array
from fedmm_edu.distributed.faults import Fault
from fedmm_edu.figures import faults as figures
from fedmm_edu.figures.style import stack
from fedmm_edu.files import write_text
from fedmm_edu.studies.faults.jobs import JOBS, dictionary
from fedmm_edu.studies.faults.survival import (
    FAULTY,
    Reference,
    Survival,
    biased_limit,
    reference,
    survive,
    without_answers,
)
from fedmm_edu.studies.study import Part, Picture, markdown

RUNS = (("dictionary", 80, 0.0), ("dictionary", 80, 0.1), ("dictionary", 80, 0.3), ("dictionary", 80, 0.6),
        ("regression", 900, 0.3))  # fmt: skip
"""job, rounds, share of the messages that meet a fault."""
NODES, ATTEMPTS = 4, 3
ANSWERS, ROUNDS, ALPHA = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0), 400, 0.4
"""How often node 0 answers, in runs of so many rounds, with this α or with 0."""
CURVE = tuple(np.linspace(0.05, 1.0, 20).round(2))
"""Where the prediction is drawn as well."""


def write_report(folder: Path, show: Callable[[str], None]) -> None:
    """Run everything, and write `faults.md`, `faults.png`, `drop_out.md` and `drop_out.png` into `folder`."""
    for make in (_faults, _drop_out):
        found = make(show)
        found.write(folder, dpi=100)
        write_text(folder / f"{found.name}.md", markdown(found.words, ""))
        for suffix in ("png", "md"):
            show(f"wrote {folder / found.name}.{suffix}")


def _faults(show: Callable[[str], None]) -> Part:
    """Runs that meet faults until `FAULTY`: the error over rounds, and what was injected."""
    references = {name: reference(JOBS[name](NODES), 1) for name in dict.fromkeys(run[0] for run in RUNS)}
    found = []
    for name, rounds, rate in RUNS:
        show(f"{name}: {rounds} rounds, faults on {rate:.0%} of the messages")
        found.append(((name, rounds, rate), survive(JOBS[name](NODES), rate, rounds, attempts=ATTEMPTS)))

    def draw() -> Figure:
        first = RUNS[0][0]
        errors = {
            f"{rate:g}": _errors(references[name], survival.path)
            for (name, _, rate), survival in found if name == first
        }  # fmt: skip
        figure, (above, below) = stack(2)
        figures.draw_errors(above, errors, FAULTY * RUNS[0][1], "share of the messages that meet a fault")
        figures.draw_injected(below, {fault.value: sum(s.injected.get(fault, 0) for _, s in found) for fault in Fault})
        return figure

    lines = [
        "| job, rounds, share of the messages | faults | refused | re-basings | error against the fault-free limit |",
        "|---|---:|---:|---:|---:|",
        *(_line(run, references[run[0]], survival) for run, survival in found),
    ]
    return Part("faults", (Picture("faults.png", "Error over rounds, and faults", draw), "\n".join(lines)))


def _line(run: tuple[str, int, float], reference: Reference, survival: Survival) -> str:
    name, rounds, rate = run
    faults, error = sum(survival.injected.values()), reference.error(survival.state.x)
    return f"| {name}, {rounds}, {rate:g} | {faults} | {survival.refused} | {survival.rebased} | {error:.1e} |"


def _drop_out(show: Callable[[str], None]) -> Part:
    """Runs in which node 0 answers now and then: over rounds, and the end against how often it answers.

    The end of a run is the mean of Ŝ_t over its second half: without control variates Ŝ_t goes on moving around it.
    """
    job = dictionary(NODES)
    exact, names = reference(job, 1), {0.0: "α = 0", ALPHA: f"α = {ALPHA}"}
    paths = {}
    for a, r in product(names, ANSWERS):
        show(f"dictionary: {ROUNDS} rounds, {names[a]}, node 0 answers with probability {r:g}")
        paths[a, r] = without_answers(job, 0, r, a, ROUNDS)
    ends = {names[a]: [exact.error(paths[a, r][ROUNDS // 2 :].mean(axis=0)) for r in ANSWERS] for a in names}
    bias = {r: exact.error(biased_limit(job, 0, r)) for r in sorted({*ANSWERS, *CURVE})}

    def draw() -> Figure:
        shown = ANSWERS[1]
        figure, (above, below) = stack(2)
        over = {names[a]: _errors(exact, paths[a, shown]) for a in names}
        figures.draw_drop_out(above, over, bias[shown])
        above.set_title(f"node 0 answers with probability {shown:g}", fontsize=10)
        figures.draw_bias(below, ANSWERS, ends, np.array(list(bias.items())))
        return figure

    lines = [
        "| node 0 answers with probability | " + " | ".join(f"{r:g}" for r in ANSWERS) + " |",
        "|---|" + "---:|" * len(ANSWERS),
        "| bias that the weights predict for α = 0 | " + " | ".join(f"{bias[r]:.1e}" for r in ANSWERS) + " |",
        *(f"| {name} | " + " | ".join(f"{end:.1e}" for end in found) + " |" for name, found in ends.items()),
    ]
    return Part("drop_out", (Picture("drop_out.png", "Errors where a node drops out", draw), "\n".join(lines)))


def _errors(exact: Reference, path: Array) -> Array:
    return np.array([exact.error(x) for x in path])
