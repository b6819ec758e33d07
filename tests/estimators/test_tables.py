"""Tables of all kinds: the right model, or an error that names the place and what to do; never a wrong model."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import Lasso

from fedmm_edu.errors import InvalidInput
from fedmm_edu.estimators import FederatedGaussianMixture, FederatedKMeans, FederatedLasso, FederatedScaler
from tests.estimators.cases import by_rounds, every, not_converged, patients


def small(rows: int = 40) -> pd.DataFrame:
    return patients("iris").iloc[:rows].reset_index(drop=True)


def tables() -> dict[str, pd.DataFrame]:
    table = small()
    return {str(name): part.drop(columns="hospital") for name, part in table.groupby("hospital")}


@every
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: t.rename(columns={t.columns[1]: "width"}), "lacks the columns .* and has \\['width'\\] besides"),
        (lambda t: t.drop(columns=t.columns[1]), "lacks the columns"),
        (lambda t: t.assign(extra=1.0), "has \\['extra'\\] besides"),
        (lambda t: t.iloc[:0], "client west has no rows"),
        (lambda t: t.to_numpy(), "some clients bring a DataFrame"),
        (lambda t: pd.concat([t, t[[t.columns[0]]]], axis=1), "twice"),
    ],
)
def test_a_table_that_differs_is_refused(model, change, says):
    """Nothing is stacked in silence."""
    parts = tables()
    parts["west"] = change(parts["west"])
    with pytest.raises(InvalidInput, match=says):
        clone(model).fit(parts, "target")


@every
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"clients": "clinic"}, "clients = 'clinic': X has the columns"),
        ({"clients": ["a", "b"]}, "2 labels for 40 rows"),
        ({"clients": [None] * 40}, "row 0 has no client"),
        ({"clients": np.zeros((40, 2))}, "one label a row"),
        (
            {"clients": "hospital", "sample_weight": np.zeros(40)},
            "at least one non-zero",
        ),
    ],
)
def test_clients_that_cannot_be_told_apart(model, given, says):
    table = small()
    if not isinstance(given["clients"], str):
        table = table.drop(columns="hospital")
    with pytest.raises(ValueError, match=says):
        clone(model).fit(table, "target", **given)


@every
def test_text_and_holes_are_named(model):
    """The column of a text, and row and column of a hole, where holes are not allowed."""
    table = small()
    with pytest.raises(InvalidInput, match=r"the columns \['sex'\] hold text"):
        clone(model).fit(table.assign(sex="f"), "target", clients="hospital")
    holed = table.copy()
    holed.iloc[7, 2] = np.nan
    if not clone(model).__sklearn_tags__().input_tags.allow_nan:
        with pytest.raises(InvalidInput, match=re.escape(f"row 7, column {table.columns[2]!r} holds nan")):
            clone(model).fit(holed, "target", clients="hospital")
    endless = table.copy()
    endless.iloc[3, 0] = np.inf
    with pytest.raises(InvalidInput, match=r"row 3, column .* holds inf"):
        clone(model).fit(endless, "target", clients="hospital")
    with pytest.raises(ValueError, match=r"y = 'disease': X has the columns"):
        clone(model).fit(table, "disease", clients="hospital")


@not_converged
@every
def test_a_client_with_one_row_a_constant_column_and_integers(model):
    """All of them at once leave the fit finite, and the constant column without effect."""
    table = small().assign(one=7, count=np.arange(40))
    table.loc[0, "hospital"] = "lonely"
    fitted = clone(model).fit(table, "target", clients="hospital")
    for value in vars(fitted).values():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            assert np.isfinite(value).all()
    if hasattr(fitted, "clients_"):
        assert "lonely" in fitted.clients_
    if isinstance(model, FederatedLasso):
        assert fitted.coef_[list(fitted.feature_names_in_).index("one")] == 0.0


@not_converged
@by_rounds
def test_columns_at_prediction_are_those_of_the_fit(model):
    """Missing or permuted columns are refused; those of clients and target may stay."""
    table = small()
    fitted = clone(model).fit(table, "target", clients="hospital")
    use = fitted.predict if hasattr(fitted, "predict") else fitted.transform
    plain = table.drop(columns=["hospital", "target"])
    np.testing.assert_array_equal(use(table), use(plain))
    with pytest.raises(ValueError, match="feature names"):
        use(plain[plain.columns[::-1]])
    with pytest.raises(ValueError, match="feature"):
        use(plain.drop(columns=plain.columns[0]))


@pytest.mark.parametrize("power", [-150, -40, 40, 150])
def test_units_do_not_matter(power):
    """Columns of size 1e±150: the model in other units is the same model, in all columns or in one."""
    table, factor = patients("diabetes"), 10.0**power
    X, y, who = table.drop(columns=["target", "hospital"]), table["target"], table["hospital"]
    one = FederatedLasso(0.1, tol=1e-11).fit(X, y, clients=who)
    scaled = FederatedLasso(0.1 * factor, tol=1e-11).fit(X * factor, y, clients=who)
    np.testing.assert_allclose(scaled.coef_ * factor, one.coef_, rtol=1e-7, atol=1e-7 * np.abs(one.coef_).max())
    mixed = X.copy()
    mixed.iloc[:, 2] *= factor
    part = FederatedLasso(0.0, tol=1e-11).fit(mixed, y, clients=who)
    free = FederatedLasso(0.0, tol=1e-11).fit(X, y, clients=who)
    np.testing.assert_allclose(part.predict(mixed), free.predict(X), rtol=1e-6)
    first = FederatedGaussianMixture(2, n_init=1).fit(X, clients=who)
    second = FederatedGaussianMixture(2, n_init=1).fit(X * factor, clients=who)
    np.testing.assert_allclose(second.predict_proba(X * factor), first.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(second.means_ / factor, first.means_, rtol=1e-6, atol=1e-6)
    centres = [FederatedKMeans(3).fit(X * f, clients=who).labels_ for f in (1.0, factor)]
    np.testing.assert_array_equal(*centres)
    scaled, plain = (FederatedScaler().fit(x, clients=who).transform(x) for x in (X * factor, X))
    np.testing.assert_allclose(scaled, plain, rtol=1e-7, atol=1e-9)


def test_what_leaves_the_floats_is_an_error():
    """y of 1e200 over columns of 1e-200: coefficients have no value in floats."""
    table = patients("diabetes")
    X, y = table.drop(columns=["target", "hospital"]), table["target"]
    with pytest.raises(InvalidInput, match="leaves the floats"):
        FederatedLasso(0.0).fit(X * 1e-200, y * 1e200, clients=table["hospital"])


def test_columns_of_very_different_size_need_few_rounds():
    """Standardised inside: a column a million times larger changes neither the model nor the rounds of a free fit."""
    table = patients("diabetes")
    X, y = table.drop(columns=["target", "hospital"]), table["target"]
    wide = X.copy()
    wide.iloc[:, 0] *= 1e6
    ours = FederatedLasso(0.01, tol=1e-11).fit(wide, y, clients=table["hospital"])
    theirs = Lasso(0.01, tol=1e-12, max_iter=10**6).fit(wide, y)
    np.testing.assert_allclose(ours.predict(wide), theirs.predict(wide), rtol=1e-6)
    free = [FederatedLasso(0.0, tol=1e-9).fit(x, y, clients=table["hospital"]).n_iter_ for x in (X, wide)]
    assert abs(free[0] - free[1]) <= 2


def test_more_components_than_rows_and_wrong_settings():
    table = small(3)
    for model in (FederatedGaussianMixture(5), FederatedKMeans(5)):
        with pytest.raises(InvalidInput, match="5 components or clusters for 3 rows"):
            model.fit(table, "target", clients="hospital")
    for settings, says in (
        ({"step": "fast"}, "choose 'auto'"), ({"step": 2.0}, "outside"), ({"tol": -1.0}, "tol"),
        ({"max_iter": 0}, "max_iter"), ({"engine": "carrier pigeon"}, "engine"), ({"compress": 1}, "compress"),
        ({"participation": 0.0}, "p = 0.0"), ({"alpha": -1.0}, "alpha"), ({"n_init": 0}, "n_init"),
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match=says):
            FederatedLasso().set_params(**settings).fit(small(), "target", clients="hospital")
