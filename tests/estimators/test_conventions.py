"""Every estimator keeps scikit-learn's conventions: its own checks, pipelines, searches, clones, frames out."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import check_estimator

from fedmm_edu.estimators import (
    FederatedElasticNet,
    FederatedGaussianMixture,
    FederatedHuber,
    FederatedKMeans,
    FederatedLasso,
    FederatedNMF,
    FederatedRidge,
    FederatedScaler,
)
from tests.estimators.cases import EVERY, FITTED_BY_ROUNDS, by_rounds, every, no_theorem, not_converged, patients


@not_converged
@pytest.mark.parametrize(
    "model", [*(type(model)() for model in EVERY), FederatedGaussianMixture(2, n_init=1)], ids=lambda m: repr(m)
)
def test_every_check_of_scikit_learn_passes(model):
    """With the defaults, and a mixture of more than one Gaussian; nothing is expected to fail."""
    found = check_estimator(model, on_skip=None)
    assert {check["status"] for check in found} <= {"passed", "skipped"}
    assert [c["check_name"] for c in found if c["status"] == "skipped"] in ([], ["check_array_api_input"])


ALIKE = FederatedLasso, FederatedElasticNet, FederatedHuber, FederatedNMF
"""They differ from ridge regression, or dictionaries, in loss and penalty alone, of which a channel knows nothing."""


@not_converged
@no_theorem
@pytest.mark.parametrize("model", [m for m in FITTED_BY_ROUNDS if type(m) not in ALIKE], ids=lambda m: type(m).__name__)
def test_every_check_passes_over_a_lossy_channel(model):
    """Eight bits a number; the rounds are few, since here nothing has to converge."""
    lossy = clone(model).set_params(compress=8, max_iter=10)
    promised = "sample_weight"  # equal fits to equal data: draws of the channel differ between tables of other sizes
    found = check_estimator(lossy, on_skip=None, on_fail=None)
    failed = [c for c in found if c["status"] == "failed" and promised not in c["check_name"]]
    assert [c["check_name"] for c in failed] == []


@every
def test_settings_by_position_are_the_models_own(model):
    """What all share is given by name: a first argument is never a number of rounds."""
    kinds = {p.name: p.kind for p in inspect.signature(type(model)).parameters.values()}
    shared = {"max_iter", "tol", "step", "compress", "participation", "n_init", "engine", "callback", "verbose"}
    assert {name for name, kind in kinds.items() if kind != inspect.Parameter.KEYWORD_ONLY}.isdisjoint(shared)
    assert [f.name for f in fields(model) if f.name in vars(model)] == [f.name for f in fields(model)]


@every
def test_a_default_is_that_of_the_nearest_class_that_sets_one(model):
    """With two bases the fields of a dataclass may come from either; attributes come from the nearest."""
    for field in fields(model):
        owner = next(each for each in type(model).__mro__ if field.name in inspect.get_annotations(each))
        assert field.default == vars(owner)[field.name]


@not_converged
@by_rounds
def test_pickle_and_clone(model):
    """A clone is unfitted with the same settings; a pickled model predicts the same."""
    table = patients("iris")
    fitted = clone(model).fit(table, "target", clients="hospital")
    again = pickle.loads(pickle.dumps(fitted))
    for name in ("predict", "transform"):
        if hasattr(fitted, name):
            new = table.drop(columns="target")
            np.testing.assert_array_equal(getattr(again, name)(new), getattr(fitted, name)(new))
    assert not hasattr(clone(fitted), "certificate_")


def test_pipeline_with_clients_for_each_step():
    table = patients()
    X, who = table.drop(columns=["target", "hospital"]), table["hospital"]
    steps = Pipeline([("scale", FederatedScaler()), ("model", FederatedRidge(1.0))])
    steps.fit(X, table["target"], scale__clients=who, model__clients=who)
    assert list(steps[-1].clients_) == ["north", "south", "west"]
    assert steps.score(X, table["target"]) > 0.5


def test_grid_search_splits_the_clients_with_the_rows():
    table = patients()
    X, who = table.drop(columns=["target", "hospital"]), table["hospital"].to_numpy()
    search = GridSearchCV(FederatedLasso(), {"alpha": [0.1, 50.0], "compress": [None, 12]}, cv=3)
    search.fit(X, table["target"], clients=who)
    assert search.best_params_["alpha"] == 0.1
    assert search.best_estimator_.n_clients_ == 3
    assert (cross_val_score(FederatedRidge(), X, table["target"]) > 0.2).all()


@pytest.mark.parametrize("model", [m for m in EVERY if hasattr(m, "transform")], ids=lambda m: type(m).__name__)
@not_converged
def test_pandas_out(model):
    """`set_output` gives frames with names of columns, and the index of what went in."""
    table = patients("wine")
    table.index = table.index + 100
    fitted = clone(model).set_output(transform="pandas").fit(table, "target", clients="hospital")
    made = fitted.transform(table)
    assert isinstance(made, pd.DataFrame)
    assert list(made.index) == list(table.index)
    assert list(made.columns) == list(fitted.get_feature_names_out())


@not_converged
@by_rounds
def test_the_order_of_rows_and_tables_does_not_matter(model):
    """One table with a column, the same rows in another order, or a list of tables: the same fit, up to rounding."""
    table = patients("iris")
    one = clone(model).fit(table, "target", clients="hospital")
    other = clone(model).fit(table.sample(frac=1.0, random_state=5), "target", clients="hospital")
    parts = dict(list(table.drop(columns="hospital").groupby(table["hospital"])))
    parts["west"] = parts["west"][parts["west"].columns[::-1]]
    listed = clone(model).fit(parts, "target")
    for each in (other, listed):
        np.testing.assert_allclose(each.surrogate_, one.surrogate_, rtol=1e-7, atol=1e-9)
        assert each.n_iter_ == one.n_iter_
    assert list(listed.clients_) == list(one.clients_)


@not_converged
@no_theorem
@by_rounds
def test_a_fit_repeats_bit_for_bit(model):
    table = patients("iris")
    noisy = clone(model).set_params(compress=8, participation=0.6, max_iter=30)
    fits = [clone(noisy).fit(table, "target", clients="hospital").surrogate_ for _ in range(2)]
    np.testing.assert_array_equal(*fits)
    other = clone(noisy).set_params(random_state=1).fit(table, "target", clients="hospital").surrogate_
    assert (fits[0] != other).any()


def test_labels_stand_in_the_order_of_the_table():
    table = patients("iris")
    model = FederatedKMeans(3).fit(table, "target", clients="hospital")
    np.testing.assert_array_equal(model.labels_, model.predict(table.drop(columns="target")))
