"""Compression, absence, engines, streams, callbacks and files."""

from __future__ import annotations

import io
import multiprocessing
import os
import zipfile
from collections.abc import Iterator, Mapping

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from sklearn.base import clone

from fedmm_edu import BeyondTheorem, Diverged, InvalidInput, StateMismatch, UniformQuantization
from fedmm_edu.distributed import Engine, InMemory, Node, part
from fedmm_edu.estimators import (
    FederatedDictionaryLearning,
    FederatedGaussianMixture,
    FederatedKMeans,
    FederatedLasso,
    FederatedLogisticRegression,
    FederatedNMF,
    FederatedPoisson,
    FederatedRidge,
    FederatedScaler,
)
from fedmm_edu.estimators.rows import Standard
from fedmm_edu.estimators.weighted import Weighted
from fedmm_edu.examples.loglinear import LogLinear
from fedmm_edu.federation import Bernoulli, RandK
from tests.estimators.cases import by_rounds, every, no_theorem, not_converged, patients


@pytest.mark.parametrize(
    "channel", [{"compress": 8}, {"participation": 0.6}, {"compress": RandK(5), "participation": 0.8}]
)
def test_a_lossy_channel_finds_the_exact_model(channel):
    """Control variates take the noise away: the lasso of exact messages to 1e-5, and the bits are those of the wire."""
    table = patients()
    exact = FederatedLasso(0.5, tol=1e-10).fit(table, "target", clients="hospital")
    lossy = FederatedLasso(0.5, tol=1e-7, max_iter=100_000, **channel).fit(table, "target", clients="hospital")
    np.testing.assert_allclose(lossy.coef_, exact.coef_, rtol=0, atol=1e-5 * np.abs(exact.coef_).max())
    assert lossy.certificate_.theorem is not None
    if channel == {"compress": 8}:
        q, n, T = 10, 3, lossy.n_iter_
        assert f"{n * T * (64 + 8 * q)} bits" in dict(lossy.certificate_.run)["sent to the server"]


@not_converged
@no_theorem
@by_rounds
def test_messages_between_nodes_are_the_same_run(model):
    """The protocol's bytes in place of arrays: the same rounds, s, θ and bits."""
    table = patients("iris")
    for settings in ({}, {"compress": 8, "participation": 0.7}):
        given = clone(model).set_params(max_iter=25, **settings)
        here = clone(given).fit(table, "target", clients="hospital")
        there = clone(given).set_params(engine="nodes").fit(table, "target", clients="hospital")
        assert there.n_iter_ == here.n_iter_
        np.testing.assert_allclose(there.surrogate_, here.surrogate_, rtol=1e-9, atol=1e-11)
        kept = [pair for pair in here.certificate_.run if pair[0] != "largest rise of W"]  # nodes do not send W
        assert [pair for pair in there.certificate_.run if pair[0] != "largest rise of W"] == kept


def serve(pipe, node: Node) -> None:
    """A node in a process of its own: it answers bytes with bytes, until it is told None."""
    while (raw := pipe.recv()) is not None:
        pipe.send(node.answer(raw))


class Processes(Engine):
    """Each node in a process of its own, which holds its rows alone."""

    def __init__(self, fed, plan) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipes, self.running = [], []
        for k, who in enumerate(plan.nodes):
            ours, theirs = context.Pipe()
            node = Node(plan, k, part(fed.clients, who), InMemory())
            process = context.Process(target=serve, args=(theirs, node), daemon=True)
            process.start()
            self.pipes.append(ours)
            self.running.append(process)

    def exchange(self, requests: Mapping[int, bytes]) -> Iterator[tuple[int | None, bytes]]:
        for k, raw in requests.items():
            self.pipes[k].send(raw)
        for k in requests:
            yield k, self.pipes[k].recv()

    def close(self) -> None:
        for pipe, process in zip(self.pipes, self.running, strict=True):
            pipe.send(None)
            process.join(30)


def test_processes_of_their_own_fit_the_same_model():
    """A user's engine over operating-system processes: the mixture of one process."""
    table, made = patients("iris"), []

    def engine(fed, plan) -> Engine:
        made.append(Processes(fed, plan))
        return made[-1]

    settings = {"n_init": 1, "max_iter": 8, "tol": 0.1}
    here = FederatedGaussianMixture(2, **settings).fit(table, "target", clients="hospital")
    there = FederatedGaussianMixture(2, engine=engine, **settings).fit(table, "target", clients="hospital")
    np.testing.assert_allclose(there.means_, here.means_, rtol=1e-12)
    assert [process.exitcode for process in made[0].running] == [0, 0, 0]


def test_a_step_beyond_the_theorems_is_warned_of():
    """With the largest step that is admitted; none for "auto"."""
    table = patients()
    with pytest.warns(BeyondTheorem, match=r"γ = 1 is beyond every theorem .* admits γ ≤ 0\.\d"):
        FederatedLasso(0.5, participation=0.5, step=1.0, max_iter=50, tol=np.inf).fit(
            table, "target", clients="hospital"
        )


class Rounding(UniformQuantization):
    """Rounds down: biased."""

    def compress(self, x, draw):
        return super().compress(x, lambda purpose, k: np.zeros_like(draw(purpose, k)) + 0.999999)


def test_a_biased_channel_is_warned_of():
    table = patients()
    with pytest.warns(BeyondTheorem, match="A4 fails, which every theorem here assumes: biased"):
        FederatedLasso(0.5, compress=Rounding(4), tol=np.inf).fit(table, "target", clients="hospital")


@not_converged
@by_rounds
def test_callbacks_see_each_round_and_may_end_it(model, capsys):
    told = []
    table = patients("iris")
    fitted = clone(model).set_params(callback=lambda p: told.append((p.t, p.active, p.theta())) or p.t == 3, tol=0.0)
    fitted.set_params(verbose=1).fit(table, "target", clients="hospital")
    assert [t for t, *_ in told] == [1, 2, 3]
    assert {active for _, active, _ in told} == {3}
    assert fitted.n_iter_ == 3
    assert capsys.readouterr().err


@pytest.mark.parametrize(
    ("model", "far"),
    [
        (FederatedRidge(1e-3), 0.02),
        (FederatedPoisson(alpha=0.1, max_iter=300), 0.05),
        (FederatedKMeans(3), 0.02),
        (FederatedGaussianMixture(2), 0.05),
        (FederatedDictionaryLearning(2, alpha=0.1), 0.05),
        (FederatedNMF(2), 0.05),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, float) else "",
)
@not_converged
def test_a_stream_comes_near_the_fit(model, far):
    """Batches of 50 rows, some epochs: the score of the stream is near that of the fit from the same start."""
    table = patients("iris")
    X, y = table.drop(columns=["target", "hospital"]), table["target"]
    stream = clone(model)
    rng = np.random.default_rng(0)
    batches = 400 if isinstance(model, FederatedPoisson) else 200
    for _ in range(batches):
        some = rng.choice(len(table), 50, replace=False)
        stream.partial_fit(table.iloc[some], "target", clients="hospital")
    fitted = clone(model).fit(table, "target", clients="hospital")
    scores = [float(each.score(X, y)) for each in (stream, fitted)]
    assert abs(scores[0] - scores[1]) <= far * abs(scores[1])
    assert stream.n_iter_ == batches
    assert not hasattr(stream, "certificate_")
    stream.fit(table, "target", clients="hospital")
    np.testing.assert_array_equal(stream.surrogate_, fitted.surrogate_)


def test_a_stream_bears_a_steeper_batch_and_a_moved_mean():
    """ρ shrinks where a later batch needs it; the intercept follows means that the first batch did not have."""
    rng = np.random.default_rng(0)
    model = FederatedRidge(1e-6)
    for t in range(2000):
        x = rng.normal(size=(30, 2)) * (1.0 if t < 5 else 4.0) + (0.0 if t < 5 else 3.0)
        model.partial_fit(x, x @ [1.0, -2.0] + 5.0)
    np.testing.assert_allclose(model.coef_, [1.0, -2.0], atol=0.02)
    assert model.intercept_ == pytest.approx(5.0, abs=0.1)


def test_a_stream_bears_a_longer_row():
    """R grows where a later batch needs it, with θ as it was."""
    rng = np.random.default_rng(0)
    model = FederatedPoisson(alpha=0.0)
    for t in range(300):
        x = rng.uniform(-1.0, 1.0, size=(60, 2)) * (0.3 if t < 5 else 1.0)
        model.partial_fit(x, rng.poisson(np.exp(x @ [1.0, -0.5] + 0.7)))
    np.testing.assert_allclose(model.coef_, [1.0, -0.5], atol=0.05)
    assert model.intercept_ == pytest.approx(0.7, abs=0.05)
    standard, R = Standard(model.center_, model.scale_, model.scale_**2, 0.0), model.R_
    rows = model._read(np.array([[5.0, 5.0], [-1.0, 0.5]]), [1.0, 2.0], None, None, reset=False)
    task, moved = model._next(rows, model._design(rows, standard, True), model.surrogate_)
    assert task.problem.R > 2.0 * R
    np.testing.assert_allclose(task.problem.T(moved), LogLinear(3, R).T(model.surrogate_), rtol=1e-9)


@hypothesis.settings(max_examples=40)
@hypothesis.given(seed=st.integers(0, 2**32 - 1), alpha=st.floats(0.01, 5.0), free=st.booleans())
def test_the_box_of_counts_holds_what_is_as_good_as_the_start(seed, alpha, free):
    """Along any ray from the start, to the last point with W ≤ W_0."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(12, 2))
    counts = rng.poisson(2.0, 12) + (np.arange(12) == 0)
    model = FederatedPoisson(alpha=alpha, fit_intercept=free)
    task = model._task(model._read(x, counts, rng.integers(0, 3, 12), rng.uniform(0.5, 2.0, 12)))
    box, start = task.plain.Theta, task.start(0)
    everywhere = Weighted(LogLinear(len(start), task.plain.R, task.plain.eta))
    W0 = task.clients.objective(everywhere, start)
    for ray in rng.normal(size=(8, len(start))):
        far, step = 0.0, 4.0
        while step > 1e-9:
            further = start + (far + step) * ray
            far, step = (far + step, step) if task.clients.objective(everywhere, further) <= W0 else (far, step / 2.0)
        assert box.contains(start + far * ray)


@pytest.mark.parametrize("slope", [0.3, -1.0])
def test_the_box_of_counts_is_no_larger_than_its_proof(slope):
    """One feature, y = e^{θx}, and the penalty with which θ is as good as 0: θ is the end of the box."""
    x = np.linspace(-1.0, 1.0, 40)[:, None]
    y = np.exp(slope * x[:, 0])
    model = FederatedPoisson(alpha=2.0 * (1.0 - float((y - y * np.log(y)).mean())) / slope**2, fit_intercept=False)
    box, end = model._task(model._read(x, y, None, None)).plain.Theta, slope * float(x.std())
    np.testing.assert_allclose([box.low, box.high], [[-abs(end)], [abs(end)]], rtol=1e-6)


@not_converged
@no_theorem
def test_counts_over_a_lossy_channel():
    """Sixteen bits find the exact model; four or eight are too few, but leave no coefficient without a value."""
    table = patients("iris")
    exact = FederatedPoisson(alpha=1.0).fit(table, "target", clients="hospital")
    lossy = FederatedPoisson(alpha=1.0, compress=16).fit(table, "target", clients="hospital")
    np.testing.assert_allclose(lossy.coef_, exact.coef_, rtol=0, atol=1e-3 * np.abs(exact.coef_).max())
    for seed in range(8):
        few = FederatedPoisson(alpha=0.1, compress=4 + seed % 2 * 4, max_iter=60, random_state=seed)
        few.fit(table, "target", clients="hospital")
        assert np.isfinite(few.objective_)


def test_a_stream_of_classes_is_told_them_at_first():
    """A class that was not named, or other names later, are errors; with names a first batch may lack one.

    With γ = 1 and all rows in each batch the stream is the fit.
    """
    x = np.random.default_rng(0).normal(size=(40, 2))
    y = np.where(x[:, 0] > 0.7, "high", np.where(x[:, 0] < -0.7, "low", "middle"))
    few = y != "low"
    model = FederatedLogisticRegression().partial_fit(x[few], y[few])
    with pytest.raises(InvalidInput, match=r"class 'low', which is none of .*classes="):
        model.partial_fit(x, y)
    told = FederatedLogisticRegression(step=1.0).partial_fit(x[few], y[few], classes=["low", "middle", "high"])
    for _ in range(400):
        told.partial_fit(x, y)
    assert list(told.classes_) == ["high", "low", "middle"]
    assert told.score(x, y) > 0.8
    np.testing.assert_allclose(told.coef_, FederatedLogisticRegression().fit(x, y).coef_, atol=1e-5)
    with pytest.raises(InvalidInput, match="the stream began with"):
        told.partial_fit(x, y, classes=["low", "middle"])
    with pytest.raises(InvalidInput, match="all rows are of one class, 'low'"):
        FederatedLogisticRegression().fit(x[:3], ["low"] * 3)


def test_balanced_clusters_refuse_a_lossy_channel():
    """Their prices come from exact counts of all clients."""
    table = patients("iris")
    for given in ({"compress": 8}, {"participation": 0.5}):
        with pytest.raises(InvalidInput, match=rf"{next(iter(given))} = .* with balanced = True"):
            FederatedKMeans(3, balanced=True, **given).fit(table, "target", clients="hospital")


def test_what_is_sent_before_the_rounds_is_counted():
    """The lasso: of 3 clients p + 1 columns' sizes, counts, sums and squares, the weight of rows, E[xxᵀ], and S̄(0)."""
    p, n = 10, 3
    model = FederatedLasso(0.1).fit(patients(), "target", clients="hospital")
    numbers = n * (4 * (p + 1) + 1 + (p + 1) * p // 2 + p)
    assert dict(model.certificate_.run)["sent before the rounds"].startswith(f"{64 * numbers} bits")
    priced = FederatedKMeans(3, balanced=True, n_init=1).fit(patients("iris"), "target", clients="hospital")
    plain = FederatedKMeans(3, n_init=1).fit(patients("iris"), "target", clients="hospital")
    bits = [int(dict(m.certificate_.run)["sent before the rounds"].split()[0]) for m in (priced, plain)]
    exchanges = int(dict(priced.certificate_.data)["prices of the clusters"].split()[0])
    assert bits[0] - bits[1] >= exchanges * 64 * 3 * (3 * 3 + 2 * 3)


@pytest.mark.parametrize(
    "model", [FederatedGaussianMixture(2, n_init=1), FederatedDictionaryLearning(2, alpha=0.5), FederatedNMF(2)],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
@not_converged
def test_a_lossy_channel_that_no_theorem_covers_is_warned_of(model):
    table, lossy = patients("iris"), clone(model).set_params(compress=8, max_iter=3)
    with pytest.warns(BeyondTheorem, match=r"no theorem here covers this run.*messages are compressed.*A6\(i\) fails"):
        lossy.fit(table, "target", clients="hospital")
    clone(model).set_params(max_iter=3).fit(table, "target", clients="hospital")


@not_converged
@every
def test_a_file_gives_the_model_back(model, tmp_path):
    """The same settings, predictions and certificate; the file holds no pickle, and streams go on from it."""
    table = patients("iris")
    fitted = clone(model)
    if "compress" in fitted.get_params():
        fitted.set_params(compress=8, participation=Bernoulli(0.9), max_iter=10, step=0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *args, **kwargs: None)
        fitted.fit(table, "target", clients="hospital")
    path = fitted.save(tmp_path / "model.npz")
    again = type(model).load(path)
    assert repr(again) == repr(fitted)
    assert vars(again).keys() == vars(fitted).keys()
    use = "predict" if hasattr(model, "predict") else "transform"
    np.testing.assert_array_equal(getattr(again, use)(table), getattr(fitted, use)(table))
    if hasattr(fitted, "certificate_"):
        assert again.certificate_ == fitted.certificate_
        assert str(again.certificate_) == str(fitted.certificate_)
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)
    if hasattr(model, "partial_fit"):
        for each in (fitted, again):
            each.partial_fit(table, "target", clients="hospital")
            each.partial_fit(table, "target", clients="hospital")
        np.testing.assert_array_equal(getattr(again, use)(table), getattr(fitted, use)(table))


def test_a_stream_goes_on_from_its_file(tmp_path):
    table = patients("iris")
    one = FederatedKMeans(2).partial_fit(table, clients="hospital")
    other = FederatedKMeans.load(one.save(tmp_path / "stream.npz"))
    for each in (one, other):
        each.partial_fit(table, clients="hospital")
    np.testing.assert_array_equal(one.cluster_centers_, other.cluster_centers_)


class Code:
    """Makes a folder when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_files_that_are_none_are_refused(tmp_path):
    table = patients("iris")
    path = FederatedScaler().fit(table, "target", clients="hospital").save(tmp_path / "scaler.npz")
    with pytest.raises(StateMismatch, match=r"holds a FederatedScaler .* not a FederatedLasso"):
        FederatedLasso.load(path)
    (tmp_path / "cut.npz").write_bytes(path.read_bytes()[:200])
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    pickled = io.BytesIO()
    np.savez(pickled, head=np.array([Code(str(tmp_path / "ran"))], dtype=object))
    (tmp_path / "code.npz").write_bytes(pickled.getvalue())
    for name in ("cut.npz", "other.npz", "code.npz", "none.npz"):
        with pytest.raises(StateMismatch, match="is not a saved estimator"):
            FederatedScaler.load(tmp_path / name)
    assert not (tmp_path / "ran").exists()
    assert zipfile.is_zipfile(path)
    own = FederatedLasso(compress=Rounding(8), tol=np.inf)
    with pytest.warns(BeyondTheorem):
        own.fit(table, "target", clients="hospital")
    with pytest.raises(InvalidInput, match=r"compress = .* cannot be written"):
        own.save(tmp_path / "own.npz")
    assert not (tmp_path / "own.npz").exists()


def test_divergence_is_an_error_with_a_name():
    """The last line of defence: rounding a step that overflows is told as divergence, not as a model."""
    table = patients()

    class Wild(UniformQuantization):
        def compress(self, x, draw):
            return x * 1e200

    with pytest.raises(Diverged, match="FederatedLasso: the run diverged"):
        FederatedLasso(0.1, compress=Wild(8), step=1.0).fit(table, "target", clients="hospital")
