"""`HostedFit`, `HostedMoments`: the model of all rows together, of which no host but its own sees any."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from fedmm_edu import InvalidInput, StateMismatch
from fedmm_edu.distributed import Fault, Misbehaving, federate, one_round
from fedmm_edu.distributed.wiretap import Wiretap
from fedmm_edu.estimators import (
    FederatedGaussianMixture,
    FederatedHuber,
    FederatedKMeans,
    FederatedLasso,
    FederatedLogisticRegression,
    FederatedRidge,
    FederatedScaler,
    GaussianMechanism,
    HostedFit,
    HostedMoments,
    PooledMoments,
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
        (lambda: HostedFit(FederatedRidge(step=0.5), sizes, COLUMNS, "target"), "without privacy and known"),
        (lambda: HostedFit(FederatedKMeans(2), sizes, COLUMNS), "FederatedKMeans: give a linear model or"),
        (lambda: HostedFit(model, sizes, COLUMNS), "y = None with FederatedRidge"),
        (lambda: HostedFit(FederatedGaussianMixture(2, privacy=NUMBERS), sizes, COLUMNS), "n_init = 4"),
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


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of two packages under Flower
@pytest.mark.parametrize("secure", [False, True])
def test_moments_are_those_of_all_rows(secure, tmp_path):
    """Two rounds: means, then moments about them. Under masks to what the grid can tell."""
    table, parts = tables(False)
    columns = [*COLUMNS, "target"]
    about = {"center": [0, 0, 0, 100.0], "scale": [0.05, 0.05, 0.05, 80.0]} if secure else {}
    asked = HostedMoments({name: len(part) for name, part in parts.items()}, columns, secure_sum=secure, **about)
    job = asked.job(parts.__getitem__)
    tap = Wiretap(job.in_process())
    known = asked.found(federate(job.plan, tap, job.start, asked.rounds))
    exact = table[columns].to_numpy()
    rtol = 1e-5 if secure else 1e-12
    np.testing.assert_allclose(known.mean, exact.mean(axis=0), rtol=rtol, atol=1e-6 * exact.std(axis=0).min())
    away = exact - exact.mean(axis=0)
    np.testing.assert_allclose(known.of(columns)[1] * 442, (away / away.std(axis=0)).T @ (away / away.std(axis=0)),
                               rtol=0, atol=1e-2 if secure else 1e-9)  # fmt: skip
    scaler, pooled = known.scaler(), FederatedScaler().fit(table[columns])
    np.testing.assert_allclose(scaler.transform(table[columns]), pooled.transform(table[columns]), atol=10 * rtol)
    assert PooledMoments.load(known.save(tmp_path / "moments.json")) == known
    own = [mean for part in parts.values() for mean in part[columns].mean()]
    told = b"".join(tap.tape)
    assert [np.float64(mean).tobytes() in told for mean in own] == [not secure] * len(own)


@pytest.fixture(scope="module")
def known():
    """Moments of all columns."""
    _, parts = tables(False)
    asked = HostedMoments({name: len(part) for name, part in parts.items()}, [*COLUMNS, "target"])
    job = asked.job(parts.__getitem__)
    return asked.found(federate(job.plan, job.in_process(), job.start, 2))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@no_theorem
@pytest.mark.parametrize(
    ("model", "rounds"),
    [
        (FederatedRidge(1.0), 60),
        (FederatedLasso(2.0, fit_intercept=False), 40),
        (FederatedHuber(40.0, alpha=0.01), 60),
        (FederatedLogisticRegression(C=0.1), 60),
        (FederatedLasso(2.0, secure_sum=True, step=1.0), 26),
    ],
    ids=["ridge", "lasso", "huber", "classes", "secure sum"],
)
def test_with_moments_alone_it_is_the_fit_of_all_rows(model, rounds, known):
    """No unit, step or start is asked of the rows themselves."""
    labelled = isinstance(model, FederatedLogisticRegression)
    table, parts = tables(labelled)
    sizes = {name: len(part) for name, part in parts.items()}
    hosted = HostedFit(model, sizes, COLUMNS, "target", ["c", "b", "a"] if labelled else None, known)
    job = hosted.job(parts.__getitem__)
    there = hosted.fitted(job, federate(job.plan, job.in_process(), job.start, rounds))
    here = clone(model).set_params(secure_sum=False).fit(table, "target", clients="hospital")
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=2e-4, atol=2e-4 * np.abs(here.coef_).max())
    np.testing.assert_allclose(there.intercept_, here.intercept_, rtol=2e-4, atol=1e-3)


def test_a_hosted_mixture_finds_the_components():
    """From its moments: the likelihood and the groups of the fit to all rows."""
    table = patients("iris").drop(columns="target")
    parts = {str(name): part.drop(columns="hospital") for name, part in table.groupby("hospital")}
    sizes, columns = {name: len(part) for name, part in parts.items()}, [*table.columns[:-1]]
    asked = HostedMoments(sizes, columns)
    job = asked.job(parts.__getitem__)
    moments = asked.found(federate(job.plan, job.in_process(), job.start, 2))
    hosted = HostedFit(FederatedGaussianMixture(2, n_init=1), sizes, columns, known=moments)
    job = hosted.job(parts.__getitem__)
    there = hosted.fitted(job, federate(job.plan, job.in_process(), job.start, 40))
    here = FederatedGaussianMixture(2).fit(table, clients="hospital")
    assert there.score(table[columns]) == pytest.approx(here.score(table[columns]), abs=1e-3)
    np.testing.assert_array_equal(there.predict(table[columns]) == there.predict(table[columns].iloc[:1]),
                                  here.predict(table[columns]) == here.predict(table[columns].iloc[:1]))  # fmt: skip


@pytest.mark.parametrize("away", [0, 1])
def test_moments_are_those_of_all_rows_or_none(away):
    """A node that is away in a round, or whose numbers are refused, leaves no moments of the others in silence."""
    x = {"a": pd.DataFrame({"x": [1.0, 2.0]}), "b": pd.DataFrame({"x": [4.0, 5.0]})}
    asked = HostedMoments({"a": 2, "b": 2}, ["x"])
    job = asked.job(x.__getitem__)
    state, nodes = job.start, job.in_process()
    for t in range(2):
        engine = Misbehaving(nodes.nodes, lambda c, k, t=t: Fault.LOSE_REPLY if (t, k) == (away, 1) else None)
        state, _ = one_round(job.plan, engine, state, attempts=1)
    with pytest.raises(InvalidInput, match="3 of 2 x 2 answers came in 2 rounds"):
        asked.found(state)
    x["b"].loc[0, "x"] = 1e200
    with pytest.raises(InvalidInput, match="2 of 2 x 2 answers"):
        asked.found(federate(job.plan, job.in_process(), job.start, 2))


def test_moments_that_do_not_serve_are_refused(known, tmp_path):
    _, parts = tables(False)
    sizes = {name: len(part) for name, part in parts.items()}
    model = FederatedRidge(1.0)
    for made, says in (
        (lambda: HostedMoments({"north": 0}, COLUMNS), r"sizes\['north'\] = 0"),
        (lambda: HostedMoments(sizes, COLUMNS, scale=[1.0, 0.0, 1.0]), "give positive numbers"),
        (lambda: HostedMoments(sizes, ["hospital"]).job(parts.__getitem__).data(0), "hold text"),
        (lambda: HostedFit(model, sizes, ["age"], "target", known=known).job(parts.__getitem__), "no moments of"),
        (
            lambda: HostedMoments(sizes, COLUMNS).found(HostedMoments(sizes, COLUMNS).job(parts.get).start),
            "0 of 3 x 2 answers came in 0 rounds",
        ),
    ):
        with pytest.raises(InvalidInput, match=says):
            made()
    path = tmp_path / "moments.json"
    for text in ("", "{}", '{"columns": ["a"], "mean": [1], "second": [1], "rows": 1, "rounding": [0]}'):
        path.write_text(text)
        with pytest.raises(StateMismatch, match="holds no moments"):
            PooledMoments.load(path)
