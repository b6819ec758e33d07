"""`fedmm run tables`: real tables cut into unequal clients that differ, and five ways to fit one linear model.

The rows of a table are sorted by one column and cut into five clients, so that each sees another part of the column's
range and the largest has nine times the rows of the smallest. A quarter of all rows, drawn at random, is for testing.
`CRITERIA` were written before any run with these settings was seen.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from fedmm_edu.arrays import Array, Indices
from fedmm_edu.errors import InvalidInput, as_count, needs
from fedmm_edu.figures.style import panels
from fedmm_edu.figures.tables import draw_scores_of
from fedmm_edu.files import write_text
from fedmm_edu.studies.judging import Finding
from fedmm_edu.studies.study import Experiment, Part, Picture, SideBySide, markdown, markdown_table, versions

with needs("estimators", "the study of tables"):
    from sklearn import datasets
    from sklearn.linear_model import LogisticRegression, Ridge

    from fedmm_edu.estimators import FederatedLogisticRegression, FederatedRidge

SEEN = """\
A point for each split, a line at the mean; further right is better. Compare each row with the first one, for which all
rows were in one place."""
SHARES = (0.05, 0.1, 0.15, 0.25, 0.45)
"""Of the rows: what each client holds, in the order of the column that they differ in."""


class Sheet(NamedTuple):
    """A table: what loads it, the column that clients differ in, and whether the target is a number."""

    load: str
    column: int
    number: bool


TABLES: Mapping[str, Sheet] = {
    "breast cancer": Sheet("load_breast_cancer", 0, False),
    "diabetes": Sheet("load_diabetes", 2, True),
    "wine": Sheet("load_wine", 0, False),
    "digits": Sheet("load_digits", 34, False),
}
"""They ship with scikit-learn: mean radius, body mass index, alcohol, and the pixel in row 4, column 2."""
WAYS = ("pooled", "federated", "federated, lossy", "aggregated in Θ", "mean of local models", "local alone")
"""What each of them is, `_explained` says on the page."""


@dataclass(frozen=True)
class TablesPlan:
    """The options."""

    splits: Annotated[int, "random splits into rows for training and for testing"] = 5
    rounds: Annotated[int, "most rounds of a run"] = 600
    only: Annotated[str, "the name of one table, or all"] = "all"
    seed: Annotated[int, "of the splits and of all draws"] = 0
    page: Annotated[Path | None, "write the page to this file"] = None


class Fit(NamedTuple):
    """One fit: score on the test rows (accuracy, or R² where the target is a number), kB sent to the server, CPU
    seconds, rounds, and which theorem covers it."""

    score: float
    kb: float
    seconds: float
    rounds: int
    theorem: str


Fits = Mapping[str, Mapping[str, Sequence[Fit]]]
"""Of each table, of each way: one run for each split."""


@dataclass(frozen=True)
class Criterion:
    """A sentence, what decides it, and for which way."""

    says: str
    criterion: str
    judge: Callable[[Mapping[str, Array]], Finding]


def _near(way: str, most: float) -> Callable[[Mapping[str, Array]], Finding]:
    def judge(score: Mapping[str, Array]) -> Finding:
        gap = float(np.abs(score[way] - score["pooled"]).mean())
        return Finding(gap <= most, f"{gap:.4f}")

    return judge


def _below(way: str, least: float) -> Callable[[Mapping[str, Array]], Finding]:
    def judge(score: Mapping[str, Array]) -> Finding:
        gap = float((score["federated"] - score[way]).mean())
        return Finding(gap >= least, f"{gap:.3f}")

    return judge


CRITERIA = (
    Criterion(
        "The federated model is the pooled one", "mean |difference of scores| ≤ 0.005", _near("federated", 0.005)
    ),
    Criterion(
        "A lossy channel costs next to nothing", "mean |difference from pooled| ≤ 0.01", _near("federated, lossy", 0.01)
    ),
    Criterion("A client alone does worse", "by 0.02 or more on average", _below("local alone", 0.02)),
    Criterion("Averaging local models does worse", "by 0.02 or more on average", _below("mean of local models", 0.02)),
    Criterion("Aggregating in Θ does worse", "by 0.02 or more on average", _below("aggregated in Θ", 0.02)),
)


def compare_ways(plan: TablesPlan) -> Part:
    """All tables, all ways, all splits."""
    as_count("splits", plan.splits)
    as_count("rounds", plan.rounds)
    if plan.only != "all" and plan.only not in TABLES:
        raise InvalidInput(f"only = {plan.only!r}: choose one of {', '.join(TABLES)}, or all.")
    names = list(TABLES) if plan.only == "all" else [plan.only]
    found: dict[str, dict[str, list[Fit]]] = {}
    for name in names:
        print(f"{name}: {plan.splits} splits")
        runs = [_ways(TABLES[name], plan, plan.seed + split) for split in range(plan.splits)]
        found[name] = {way: [run[way] for run in runs] for way in WAYS}
    part = told(found, {k: v for k, v in asdict(plan).items() if k != "page"})
    if plan.page is not None:
        write_text(plan.page, markdown(part.page, "figures/tables"))
    return part


def told(found: Fits, settings: Mapping[str, Any]) -> Part:
    """What was found, as page, picture, numbers and words."""
    head = ("table", "way", "score", "kB up", "CPU s", "rounds", "theorem that covers the run")
    rows = []
    for name, ways in found.items():
        for way, runs in ways.items():
            kb, seconds, rounds = (np.mean([getattr(run, k) for run in runs]) for k in ("kb", "seconds", "rounds"))
            score = np.array([run.score for run in runs])
            cell = f"{score.mean():.3f} [{score.min():.3f}, {score.max():.3f}]"
            theorems = " / ".join(dict.fromkeys(run.theorem for run in runs))
            rows.append((name, way, cell, f"{kb:.1f}", f"{seconds:.2f}", f"{rounds:.0f}", theorems))
    judged = [(c, {name: c.judge(_scores(ways)) for name, ways in found.items()}) for c in CRITERIA]
    verdicts = [(f"{c.says}: {c.criterion}", *(f"{finding}" for finding in by.values())) for c, by in judged]
    opening = " ".join(f"{c.says}: in {sum(f.holds for f in by.values())} of {len(by)} tables." for c, by in judged)
    numbers = {
        "settings": dict(settings), "versions": versions("numpy", "scikit-learn"),
        "runs": {name: {way: [run._asdict() for run in runs] for way, runs in ways.items()}
                 for name, ways in found.items()},
    }  # fmt: skip
    pictures = [
        Picture(
            f"{name.replace(' ', '_')}.png", f"Scores of all ways on all splits: {name}", partial(_picture, name, ways)
        )
        for name, ways in found.items()
    ]
    page = [
        "# Real tables, cut into clients that differ",
        "% Made by `fedmm run tables --page`; do not edit.",
        opening,
        SideBySide(pictures, SEEN),
        (__doc__ or "").partition("\n")[2].strip(),
        markdown_table(("criterion", *found), verdicts),
        "Scores are accuracies, of diabetes R²: mean [least, largest] over the splits. All ways are given the columns "
        "in the units of all training rows, which local models would not have. What is sent before the rounds "
        "(sizes, means, variances, Gram matrices) is counted. CPU seconds are those of the machine at hand.",
        markdown_table(head, rows),
        *(f"**{way}** {says.strip()}" for way, says in _explained()),
    ]
    text = "\n".join([opening, *(" | ".join(row) for row in verdicts)])
    return Part("tables", page=page, numbers=numbers, text=text)


def _explained() -> list[tuple[str, str]]:
    return [
        ("pooled:", "scikit-learn on all training rows, in the units of all."),
        ("federated:", "the estimator of this package on the five clients; **lossy:** with 8 bits a number, and each "
         "client in a round with the chance 0.6."),
        ("aggregated in Θ:", "the naive algorithm, which averages parameters in each round. With a ridge penalty T is "
         "linear, so that the mean of T(s) is T of the mean: it is FedMM but for the step ρ, which here is that of the "
         "worst client; where T bends (the lasso, mixtures, dictionaries) it is not."),
        ("mean of local models:", "of the coefficients that each client fits alone, weighted by its rows; of a client "
         "that lacks a class, these are left out of the mean."),
        ("local alone:", "each client with its own model on the common test rows; the mean of their scores, weighted "
         "by rows."),
    ]  # fmt: skip


def _scores(ways: Mapping[str, Sequence[Fit]]) -> dict[str, Array]:
    return {way: np.array([run.score for run in runs]) for way, runs in ways.items()}


def _picture(name: str, ways: Mapping[str, Sequence[Fit]]) -> Figure:
    figure, (ax,) = panels(1, width=4.6, height=2.6)
    scores = _scores(ways)
    least = float(scores["pooled"].min()) - 0.4
    draw_scores_of(ax, {way: values.tolist() for way, values in scores.items()}, name, least)
    return figure


def _ways(data: Sheet, plan: TablesPlan, seed: int) -> dict[str, Fit]:
    """Every way on one split."""
    table = getattr(datasets, data.load)()
    x, y = np.asarray(table["data"], dtype=np.float64), np.asarray(table["target"])
    order = np.random.default_rng(seed).permutation(len(x))
    test, train = order[: len(x) // 4], order[len(x) // 4 :]
    who, center, spread = _clients(x[train, data.column]), x[train].mean(axis=0), x[train].std(axis=0)
    x = (x - center) / np.where(spread > 0.0, spread, 1.0)
    held, asked = (x[train], y[train]), (x[test], y[test])
    federated = _model(data, plan, seed)
    found = {"pooled": _pooled(data, held, asked)}
    for way, settings in (
        ("federated", {}), ("federated, lossy", {"compress": 8, "participation": 0.6}),
        ("aggregated in Θ", {"relative": "naive"}),
    ):  # fmt: skip
        found[way] = _fit(federated(**settings), held, who, asked)[1]
    local = []
    for k in range(len(SHARES)):
        mine = who == k
        if data.number or len(np.unique(y[train][mine])) > 1:
            alone = held[0][mine], held[1][mine]
            local.append((int(mine.sum()), *_fit(federated(), alone, None, asked)))
        else:  # a client of one class says it of every row
            said = float((asked[1] == y[train][mine][0]).mean())
            local.append((int(mine.sum()), None, Fit(said, 0.0, 0.0, 0, "—")))
    return found | _of_local(data, local, asked)


def _clients(column: Array) -> Indices:
    """Which client holds each row: sorted by the column, ties by their order, cut by `SHARES`."""
    place = np.empty(len(column), dtype=np.int64)
    place[np.argsort(column, kind="stable")] = np.arange(len(column))
    return np.searchsorted(np.cumsum(SHARES)[:-1] * len(column), place, side="right")


def _model(data: Sheet, plan: TablesPlan, seed: int) -> Callable[..., Any]:
    def make(**settings: Any):
        common = {"max_iter": plan.rounds, "tol": 1e-6, "random_state": seed, **settings}
        return FederatedRidge(1.0, **common) if data.number else FederatedLogisticRegression(C=1.0, **common)

    return make


def _pooled(data: Sheet, held: tuple[Array, Array], asked: tuple[Array, Array]) -> Fit:
    """The centralised scikit-learn estimator with the same penalty."""
    began = time.process_time()
    model = (Ridge(1.0) if data.number else LogisticRegression(C=1.0, max_iter=10_000)).fit(*held)
    return Fit(float(model.score(*asked)), 0.0, time.process_time() - began, 0, "—")


def _fit(model: Any, held: tuple[Array, Array], who: Indices | None, asked: tuple[Array, Array]) -> tuple[Any, Fit]:
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # beyond a theorem, or not converged: the page says both
        model.fit(*held, clients=who)
    seconds = time.process_time() - began
    run = dict(model.certificate_.run)
    bits = sum(int(run[name].split()[0]) for name in ("sent before the rounds", "sent to the server"))
    theorem = model.certificate_.theorem
    named = "none" if theorem is None else theorem.theorem
    return model, Fit(float(model.score(*asked)), bits / 8e3, seconds, int(model.n_iter_), named)


def _of_local(data: Sheet, local: Sequence[tuple[int, Any, Fit]], asked: tuple[Array, Array]) -> dict[str, Fit]:
    """The mean of local models, and local models alone."""
    rows = np.array([n for n, _, _ in local], dtype=np.float64)
    alone = float(rows @ [run.score for _, _, run in local] / rows.sum())
    seconds = sum(run.seconds for _, _, run in local)
    x, y = asked
    classes = np.unique(y)
    score, kb = np.zeros((len(x), 1 if data.number else len(classes))), 0.0
    weight = np.zeros(score.shape[1])
    for n, model, _ in local:
        if model is None:
            continue
        kb += 8e-3 * (np.size(model.coef_) + np.size(model.intercept_))
        if data.number:
            score[:, 0] += n * model.predict(x)
            weight += n
            continue
        found = model.decision_function(x)
        found = np.column_stack([-found, found]) if found.ndim == 1 else found
        places = np.searchsorted(classes, model.classes_)
        score[:, places] += n * found
        weight[places] += n
    score = np.where(weight > 0.0, score / np.maximum(weight, 1.0), -math.inf)
    if data.number:
        value = 1.0 - float(((y - score[:, 0]) ** 2).sum() / ((y - y.mean()) ** 2).sum())
    else:
        value = float((classes[np.argmax(score, axis=1)] == y).mean())
    return {
        "mean of local models": Fit(value, kb, seconds, 1, "—"), "local alone": Fit(alone, 0.0, seconds, 0, "—"),
    }  # fmt: skip


EXPERIMENT = Experiment(TablesPlan, compare_ways, Path("results/tables"))
