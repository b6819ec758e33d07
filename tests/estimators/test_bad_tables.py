"""Every estimator on every kind of bad table: the model that a good one gives, a finite model, or a clear error."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

from fedmm_edu import FedMMError
from fedmm_edu.estimators import FederatedTransportMap
from fedmm_edu.estimators.dictionary import Factorisation
from tests.estimators.cases import EVERY, patients

BRIEF = {"max_iter": 25, "n_init": 1}
ALL = [*EVERY, FederatedTransportMap((4, 4, 4), batch=8, server_steps=1, pretraining=5, max_iter=3)]
"""Rounds are few: what comes of a table shows in the first ones."""
each = pytest.mark.parametrize("model", ALL, ids=lambda model: type(model).__name__)


def fitted(model: Any, table: pd.DataFrame) -> Any:
    """A fit to a table with `target` and `hospital`; y is what the estimator takes for one."""
    own = clone(model)
    own.set_params(**{name: value for name, value in BRIEF.items() if name in own.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rounds
        if isinstance(own, FederatedTransportMap):
            return own.fit(table.drop(columns="target"), None, "hospital")
        return own.fit(table, "target", "hospital")


def used(model: Any, table: pd.DataFrame) -> np.ndarray:
    """What a fitted model makes of the columns of a table."""
    use = model.predict if hasattr(model, "predict") else model.transform
    return np.asarray(use(table.drop(columns=["target", "hospital"])))


def numbers(model: Any) -> dict[str, np.ndarray]:
    """The fitted arrays of floats."""
    found = {name: np.asarray(value) for name, value in vars(model).items() if name.endswith("_")}
    return {name: value for name, value in found.items() if value.dtype.kind == "f"}


def small(rows: int = 24) -> pd.DataFrame:
    """Rows of three hospitals and three classes; counts among the columns."""
    table = patients("iris").iloc[:rows].reset_index(drop=True)
    return table.assign(count=np.arange(rows) % 5)


KINDS = {
    "a client with one row": lambda t: t.assign(hospital=["lonely", *t["hospital"][1:]]),
    "clients with one row each": lambda t: t.assign(hospital=np.arange(len(t))),
    "one client": lambda t: t.assign(hospital="only"),
    "a constant column": lambda t: t.assign(count=7.0),
    "a column constant for each client": lambda t: t.assign(
        count=t["hospital"].map({"north": 1, "south": 2, "west": 3})
    ),
    "a column twice": lambda t: t.assign(copy=t["count"]),
    "equal rows": lambda t: pd.concat([t.iloc[:6]] * 4, ignore_index=True),
    "large": lambda t: scaled(t, 1e150),
    "small": lambda t: scaled(t, 1e-150),
    "one column large": lambda t: t.assign(count=t["count"] * 1e150),
    "one column small": lambda t: t.assign(count=t["count"] * 1e-150),
    "large beside small": lambda t: t.assign(count=t["count"] * 1e150, other=t["count"][::-1].to_numpy() * 1e-150),
    "far from zero": lambda t: t.assign(count=t["count"] + 1e12),
    "more columns than rows": lambda t: t.iloc[:6].assign(**{f"c{k}": np.cos(k + np.arange(6)) ** 2 for k in range(8)}),
    "booleans": lambda t: t.assign(count=t["count"] > 2),
    "names that are numbers and text": lambda t: t.assign(hospital=[1, "b", 2.5] * (len(t) // 3)),
    "a label that one client alone has": lambda t: t.assign(
        target=np.where(t["hospital"] == "north", 2, t["target"] % 2)
    ),
}

APART = ("one column large", "one column small", "large beside small")
"""What a dictionary refuses, whose atoms have one unit for all columns."""


def scaled(table: pd.DataFrame, factor: float) -> pd.DataFrame:
    columns = table.columns.difference(["target", "hospital"])
    return table.assign(**{name: table[name] * factor for name in columns})


@each
@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_is_odd_gives_a_finite_model(model, kind):
    """Nothing overflows, and every client counts."""
    table = KINDS[kind](small())
    if isinstance(model, Factorisation) and kind in APART:
        with pytest.raises(FedMMError, match=r"columns differ in size, from .* to .*: an atom"):
            fitted(model, table)
        return
    made = fitted(model, table)
    assert [name for name, value in numbers(made).items() if not np.isfinite(value).all()] == []
    assert used(made, table).shape[0] == len(table)
    if used(made, table).dtype.kind == "f":
        assert np.isfinite(used(made, table)).all()
    if hasattr(made, "clients_"):
        assert set(map(str, made.clients_)) == set(map(str, table["hospital"]))
    if is_classifier(made):
        assert set(made.classes_) == set(table["target"])


@each
def test_integers_are_the_numbers_they_are(model):
    table = small()
    whole = table.assign(**{name: (10 * table[name]).round() for name in table.columns[:4]})
    floats, integers = (fitted(model, whole.astype(dict.fromkeys(table.columns[:4], kind))) for kind in (float, int))
    for name, value in numbers(floats).items():
        np.testing.assert_array_equal(getattr(integers, name), value)


BAD = {
    "text": (lambda t: t.assign(count="few"), r"\['count'\] hold text"),
    "a date": (lambda t: t.assign(count=pd.Timestamp("2020-01-01")), r"\['count'\] hold text or dates"),
    "infinity": (lambda t: t.assign(count=np.inf), r"row 0, column 'count' holds inf"),
    "no rows": (lambda t: t.iloc[:0], "0 sample"),
    "no columns": (lambda t: t[["target", "hospital"]], "X has 0 features beside"),
    "no client in a row": (lambda t: t.assign(hospital=[None, *t["hospital"][1:]]), "row 0 has no client"),
}


@each
@pytest.mark.parametrize("kind", BAD)
def test_a_table_that_cannot_be_read_is_refused(model, kind):
    change, says = BAD[kind]
    with pytest.raises(ValueError, match=says):
        fitted(model, change(small()))


@each
def test_a_hole_is_named_where_it_is_not_allowed(model):
    """In a column, and in the target of whoever needs one."""
    table = small()
    holed = table.assign(count=table["count"].where(table.index != 4))
    if model.__sklearn_tags__().input_tags.allow_nan:
        assert np.isfinite(fitted(model, holed).transform(table)).all()
    else:
        with pytest.raises(FedMMError, match="row 4, column 'count' holds nan"):
            fitted(model, holed)
    if model.__sklearn_tags__().target_tags.required:
        with pytest.raises(FedMMError, match="row 3, column 'y' holds nan"):
            fitted(model, table.assign(target=table["target"].where(table.index != 3)))
