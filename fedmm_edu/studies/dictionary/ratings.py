"""Beyond Section 6: how well withheld ratings of MovieLens are predicted by the dictionaries that FedMM learns.

A tenth of the ratings is withheld: the clusters and the dictionary are made without them. In the model (28) of the
paper a missing rating is the number 0, so that a withheld one is learned as 0. Two predictions θh of the withheld
rating of a user, which differ in the code h:

    zeros      h of the whole row, with 0 for what is missing, as in (28)
    observed   h of the observed entries alone: argmin_h ½ Σ_{j observed} (z_j − (θh)_j)² + λ‖h‖₁, kept in [1, 5]

The first one answers which movies a user has rated rather than how: it is also scored by the chance that a withheld
movie stands before one that the user did not rate (the area under the curve).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from scipy.stats import rankdata

from fedmm_edu.arrays import Array
from fedmm_edu.examples.dictionary import SparseCodes
from fedmm_edu.studies.dictionary.data import LAMBDA, OBSERVED, Data, load_source
from fedmm_edu.studies.dictionary.figures import DictionaryPlan
from fedmm_edu.studies.dictionary.runs import DictionaryTask
from fedmm_edu.studies.study import Part, markdown_table
from fedmm_edu.studies.tasks import Pool

CODER = SparseCodes(LAMBDA)


def tasks(plan: DictionaryPlan) -> dict[str, DictionaryTask]:
    """FedMM and the naive algorithm on what is left of the ratings, with seed 0 and the largest β."""
    arms = plan.largest("movielens")
    return {name: replace(arm, source=replace(arm.source, name=OBSERVED)) for name, arm in arms.items()}


def from_zeros(z: Array, theta: Array) -> Array:
    """θh with the codes of whole rows: shape (N, p)."""
    return CODER.encode(z, theta, 0.5, start=None, tol=1e-8) @ theta.T


def from_observed(z: Array, theta: Array) -> Array:
    """θh with the codes of the entries that are not 0, kept in [1, 5]: shape (N, p)."""
    found = np.empty_like(z)
    for row, out in zip(z, found, strict=True):
        seen = row > 0
        h = CODER.encode(row[None, seen], np.ascontiguousarray(theta[seen]), 0.5, start=None, tol=1e-8)[0]
        out[:] = theta @ h
    return np.clip(found, 1.0, 5.0)


def means(z: Array) -> dict[str, Array]:
    """What needs no dictionary: the mean rating, that of the movie, and that plus what the user gives above it."""
    seen = z > 0
    overall = float(z[seen].mean())
    counts = seen.sum(axis=0)
    movie = np.where(counts > 0, z.sum(axis=0) / np.maximum(counts, 1), overall)
    user = ((z - movie) * seen).sum(axis=1) / np.maximum(seen.sum(axis=1), 1)
    return {
        "mean rating": np.full(z.shape, overall),
        "mean of the movie": np.broadcast_to(movie, z.shape),
        "mean of the movie and of the user": np.clip(movie + user[:, None], 1.0, 5.0),
    }


def rmse(predicted: Array, held: Array) -> float:
    """The root of the mean squared error over the withheld ratings, those that are not 0 in `held`."""
    where = held > 0
    return float(np.sqrt(np.mean((predicted[where] - held[where]) ** 2)))


def ranking(scores: Array, z: Array, held: Array) -> float:
    """The chance that a withheld movie has a higher score than one without a rating: mean over users who have both."""
    found = []
    for score, seen, kept in zip(scores, z > 0, held > 0, strict=True):
        ranks, m = rankdata(score[~seen]), int(kept.sum())
        others = len(ranks) - m
        if m and others:
            found.append((ranks[kept[~seen]].sum() - m * (m + 1) / 2) / (m * others))
    return float(np.mean(found))


PREDICTORS: Mapping[str, Callable[[Array, Array], Array]] = {
    "observed entries": from_observed,
    "missing = 0, as in (28)": from_zeros,
}


def scores(data: Data, dictionaries: Mapping[str, list[Array]]) -> dict[str, dict[str, list[float]]]:
    """For each way to predict: the error, and the ranking where it makes one; a number for each dictionary."""
    z, held = data.pool, data.held
    assert held is not None
    found = {name: {"rmse": [rmse(predicted, held)]} for name, predicted in means(z).items()}
    found["number of ratings of the movie"] = {
        "ranking": [ranking(np.broadcast_to((z > 0).sum(axis=0), z.shape), z, held)]
    }
    for arm, of in dictionaries.items():
        for says, predict in PREDICTORS.items():
            predicted = [predict(z, theta) for theta in of]
            found[f"{arm}, {says}"] = {
                "rmse": [rmse(each, held) for each in predicted],
                "ranking": [ranking(each, z, held) for each in predicted],
            }
    return found


ABOUT = """\
{held} ratings, a tenth of those of the 5000 users for the 500 movies, are withheld before clusters and dictionary are
made; {seeds} runs of each algorithm, β = {beta:g}. The model (28) takes a missing rating for the number 0: a withheld
rating is learned as 0, and the prediction θh from a whole row says rather whether a user rated a movie than how. So
the code of a user is also fitted to the observed entries alone, with the same θ and λ, which the paper does not do.
The last column is the chance that a withheld movie stands before one that the user did not rate."""


def results(plan: DictionaryPlan, pool: Pool) -> Part:
    """A table of errors; without MovieLens it says so."""
    title = "## Withheld ratings of MovieLens"
    if plan.real != "movielens":
        return Part("ratings", (title, "Not run: the files of MovieLens were not named."), {})
    of = {name: [replace(task, seed=seed) for seed in plan.few] for name, task in tasks(plan).items()}
    runs = pool.run(of, "withheld ratings")
    data = load_source(of["fedmm"][0].source, pool.folder)
    assert data.held is not None
    found = scores(data, {name: [run.theta for run in arm] for name, arm in runs.items()})
    rows = [(name, _cell(values, "rmse"), _cell(values, "ranking")) for name, values in found.items()]
    made = markdown_table(("prediction", "root mean squared error", "withheld before not rated"), rows)
    about = ABOUT.format(held=np.count_nonzero(data.held), seeds=len(plan.few), beta=max(plan.betas))
    return Part("ratings", (title, about, made), found)


def _cell(values: Mapping[str, list[float]], name: str) -> str:
    if name not in values:
        return "–"
    of = np.array(values[name])
    return f"{of.mean():.3f}" + (f" ± {of.std():.3f}" if of.size > 1 else "")
