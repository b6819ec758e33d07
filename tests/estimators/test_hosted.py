"""`HostedFit`: the model of all rows together, of which no host but its own sees any."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from fedmm_edu import InvalidInput
from fedmm_edu.distributed import federate
from fedmm_edu.estimators import (
    FederatedHuber,
    FederatedKMeans,
    FederatedLasso,
    FederatedLogisticRegression,
    FederatedRidge,
    GaussianMechanism,
    HostedFit,
)
from tests.estimators.cases import no_theorem, patients

COLUMNS = ["bmi", "bp", "s5"]
NUMBERS = GaussianMechanism(8.0, 1e-5, [0.0, 0.0, 0.0, 150.0], [0.05, 0.05, 0.05, 80.0], rounds=6, seed=1)
LABELS = GaussianMechanism(8.0, 1e-5, [0.0, 0.0, 0.0], [0.05, 0.05, 0.05], rounds=6, seed=1)


def tables(labelled: bool):
    """A table for each hospital; of three labels the north lacks one."""
    table = patients()[[*COLUMNS, "target", "hospital"]]
    if labelled:
        table = table.assign(
            target=np.where(table["bmi"] > 0.03, "a", np.where(table["hospital"] == "north", "b", "c"))
        )
    return table, {str(name): part for name, part in table.groupby("hospital")}


@no_theorem
@pytest.mark.parametrize(
    "model",
    [
        FederatedRidge(1.0, privacy=NUMBERS, compress=12),
        FederatedLasso(0.5, privacy=NUMBERS, step=0.5, fit_intercept=True),
        FederatedHuber(1.0, alpha=0.1, privacy=NUMBERS, step=0.5, participation=0.7),
        FederatedLogisticRegression(privacy=LABELS),
    ],
    ids=lambda model: type(model).__name__,
)
def test_it_is_the_model_of_all_rows_bit_for_bit(model):
    """Over nodes, each of which reads its own table alone; prediction drops the target as after `fit`."""
    labelled = isinstance(model, FederatedLogisticRegression)
    table, parts = tables(labelled)
    sizes = {name: len(part) for name, part in parts.items()}
    hosted = HostedFit(model, sizes, COLUMNS, "target", ["c", "b", "a"] if labelled else None)
    asked = []
    job = hosted.job(lambda name: asked.append(name) or parts[name][["target", "hospital", *COLUMNS[::-1]]])
    assert asked == []
    one = job.data(1)
    assert (asked, len(one.z)) == (["south"], sizes["south"])
    state = federate(job.plan, job.in_process(), job.start, 6)
    there, here = hosted.fitted(job, state), clone(model).fit(table, "target", clients="hospital")
    for name in ("coef_", "intercept_", "surrogate_", "n_iter_", "clients_"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
    np.testing.assert_array_equal(there.predict(table[[*COLUMNS, "target"]]), here.predict(table[COLUMNS]))
    assert not hasattr(there, "certificate_")


def test_all_hosts_must_know_the_same():
    """Another size, unit or seed is another plan, whose messages are refused."""
    model = FederatedRidge(1.0, privacy=NUMBERS, step=0.5)
    sizes = {"north": 10, "south": 20}

    def key(model=model, sizes=sizes, columns=COLUMNS):
        return HostedFit(model, sizes, columns, "target").job(lambda name: None).plan.key

    assert key() == key(sizes=dict(reversed(sizes.items())))
    assert key() != key(sizes=sizes | {"north": 11})
    assert key() != key(clone(model).set_params(random_state=1))
    assert key() != key(clone(model).set_params(alpha=2.0))


def test_what_does_not_fit_is_refused():
    table, parts = tables(False)
    sizes = {name: len(part) for name, part in parts.items()}
    model = FederatedRidge(1.0, privacy=NUMBERS, step=0.5)
    for made, says in (
        (lambda: HostedFit(FederatedRidge(step=0.5), sizes, COLUMNS, "target"), "FederatedRidge without privacy"),
        (lambda: HostedFit(FederatedKMeans(2), sizes, COLUMNS, "target"), "FederatedKMeans without privacy"),
        (lambda: HostedFit(model, sizes, COLUMNS, "target", ["a"]), "classes = "),
        (lambda: HostedFit(model, {"north": 0}, COLUMNS, "target"), r"sizes\['north'\] = 0"),
        (lambda: HostedFit(model, sizes, ["bmi"], "target").job(lambda name: table), "privacy: center has 4"),
    ):
        with pytest.raises(InvalidInput, match=says):
            made()
    hosted = HostedFit(model, sizes, COLUMNS, "target")
    for read, says in (
        (lambda name: parts[name].iloc[1:], r"the table of north has \d+ rows, and \d+ were announced"),
        (lambda name: parts[name].drop(columns="bp"), r"the table of north lacks the columns \['bp'\]"),
        (lambda name: parts[name].assign(bp="high"), "hold text"),
    ):
        with pytest.raises(InvalidInput, match=says):
            hosted.job(read).data(0)
    labels = HostedFit(FederatedLogisticRegression(privacy=LABELS, step=0.5), sizes, COLUMNS, "target", ["a", "b"]).job(
        lambda name: tables(True)[1][name]
    )
    with pytest.raises(InvalidInput, match="the class 'c', which is none of"):
        labels.data(1)
