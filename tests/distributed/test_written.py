"""A job as a file gives the plan back, to the same key, for every estimator; what is no job or no data is refused."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import dataclass, replace
from multiprocessing import AuthenticationError

import numpy as np
import pytest
from sklearn.base import clone

from fedmm_edu import Clients, FedMM, InvalidInput, StateMismatch
from fedmm_edu.distributed import Engine, InMemory, Job, Node, federate, part
from fedmm_edu.distributed.jobs import job_of
from fedmm_edu.distributed.relay import called, frames, line_in, relay, send
from fedmm_edu.estimators import FederatedGaussianMixture, FederatedKMeans, FederatedLasso, FederatedRidge
from fedmm_edu.examples.toy import Toy
from fedmm_edu.federation import UniformQuantization
from tests.estimators.cases import by_rounds, no_theorem, not_converged, patients


@pytest.fixture
def job() -> Job:
    clients = Clients.of([np.array([[z]]) for z in (1.0, 2.0, 4.0, 9.0)])
    return Job.of(FedMM(Toy(), clients, 0.5, compressor=UniformQuantization(8), alpha=0.5), np.array([1.0]), nodes=2)


class Files(Engine):
    """Nodes that know nothing but their file."""

    def __init__(self, folder, plan, data) -> None:
        job = Job(plan, np.zeros(plan.dim), data)
        files = [job.write(folder / f"{k}.npz", k) for k in range(len(plan.nodes))]
        jobs = [job_of(str(file), len(files)) for file in files]
        self.nodes = [Node(job.plan, k, job.data(k), InMemory()) for k, job in enumerate(jobs)]

    def exchange(self, requests):
        for k, raw in requests.items():
            yield k, self.nodes[k].answer(raw)


@not_converged
@no_theorem
@by_rounds
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_nodes_that_know_their_file_alone_fit_the_same_model(model, weighted, tmp_path):
    """Every part of every estimator's plan travels: s is bit for bit that of nodes in this process."""
    table = patients("iris")
    weights = np.linspace(1.0, 2.0, len(table)) if weighted else None
    given = clone(model).set_params(max_iter=4, compress=8, participation=0.7)
    here = clone(given).set_params(engine="nodes").fit(table, "target", "hospital", weights)

    def engine(fed, plan):
        return Files(tmp_path, plan, lambda k: part(fed.clients, plan.nodes[k]))

    there = clone(given).set_params(engine=engine).fit(table, "target", "hospital", weights)
    np.testing.assert_array_equal(there.surrogate_, here.surrogate_)


@not_converged
def test_prices_and_relatives_travel_too(tmp_path):
    table = patients("iris")
    equal = np.arange(len(table)) % 3
    for model in (
        FederatedKMeans(3, balanced=True, n_init=1, max_iter=3),
        FederatedRidge(relative="scaffold", max_iter=3),
    ):
        made = []

        def engine(fed, plan, made=made):
            made.append(Files(tmp_path, plan, lambda k: part(fed.clients, plan.nodes[k])))
            return made[0]

        x, y = table.drop(columns=["target", "hospital"]), table["target"]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("warnings.warn", lambda *args, **kwargs: None)
            there = clone(model).set_params(engine=engine).fit(x, y, clients=equal)
            here = clone(model).set_params(engine="nodes").fit(x, y, clients=equal)
        assert len(made) == 1
        np.testing.assert_array_equal(there.surrogate_, here.surrogate_)


def test_the_server_has_no_rows_and_a_node_its_own(job, tmp_path):
    files = [job.write(tmp_path / f"{k}.npz", k) for k in (0, 1, None)]
    assert [file.stat().st_mode & 0o077 for file in files] == [0, 0, 0]
    again = [Job.read(file) for file in files]
    assert {each.plan.key for each in again} == {job.plan.key}
    np.testing.assert_array_equal(again[1].data(1).z, job.data(1).z)
    np.testing.assert_array_equal(again[2].start.x, job.start.x)
    with pytest.raises(InvalidInput, match="holds the data of node 1, and node 0 asks"):
        again[1].data(0)
    with pytest.raises(InvalidInput, match="holds no data, and node 0 asks"):
        again[2].data(0)
    with pytest.raises(InvalidInput, match="has 2 nodes, and 3 take part"):
        job_of(str(files[0]), 3)
    with pytest.raises(InvalidInput, match=r"let it end with \.npz"):
        job.write(tmp_path / "job", 0)


@dataclass(frozen=True)
class Own(UniformQuantization):
    """Somebody's own class."""


def test_what_is_no_data_is_named(job, tmp_path):
    """A class or function of one's own cannot be written; the message says what to do, and no file is left."""
    for part_, says in (({"compressor": Own(8)}, "the plan, compressor is Own"), ({"gamma": lambda t: 0.5}, "gamma")):
        with pytest.raises(InvalidInput, match=rf"{says}.* which is no data.* module:function"):
            replace(job, plan=replace(job.plan, **part_)).write(tmp_path / "own.npz", 0)
    assert not list(tmp_path.iterdir())
    table = patients("iris")
    with pytest.raises(InvalidInput, match="the plan, compressor is Own"):
        FederatedLasso(0.1, compress=Own(8), engine="flower").fit(table, "target", clients="hospital")


def changed(file, change):
    """The file with another head, or array."""
    with np.load(file) as found:
        arrays = {name: found[name] for name in found.files}
    head = json.loads(str(arrays["head"]))
    change(head, arrays)
    np.savez(file, **arrays | {"head": np.array(json.dumps(head))})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda head, arrays: head["plan"].update({"class": "os:system"}), "os:system is no class of this package"),
        (lambda head, arrays: head["plan"].update({"class": "fedmm_edu.cli:main"}), "is no class of this package"),
        (lambda head, arrays: head["plan"].update({"class": "fedmm_edu.distributed.plan:np"}), "no class"),
        (lambda head, arrays: head["plan"].update({"class": "fedmm_edu.distributed.engine:Plan"}), "no class"),
        (lambda head, arrays: head["plan"].update({"class": "fedmm_edu.federation.none:Plan"}), "No module"),
        (lambda head, arrays: head.update(plan=head["plan"]["holds"]["problem"]), "it holds a Toy"),
        (lambda head, arrays: head["plan"]["holds"].update(seed=1), "another version of this package, or is damaged"),
        (lambda head, arrays: head["plan"]["holds"].pop("problem"), "holds no job"),
        (lambda head, arrays: arrays.pop("array_0"), "holds no job"),
        (lambda head, arrays: arrays.update(z=np.full((2, 1), np.nan)), "holds no job"),
        (lambda head, arrays: head.pop("V"), "holds no job"),
    ],
)
def test_a_file_that_is_no_job_is_refused(job, tmp_path, change, says):
    """Nothing in it is run, and no plan comes of it but the one that was written."""
    file = job.write(tmp_path / "0.npz", 0)
    changed(file, lambda head, arrays: None)
    assert Job.read(file).plan.key == job.plan.key
    changed(file, change)
    with pytest.raises(StateMismatch, match=says):
        Job.read(file)
    file.write_bytes(b"PK")
    with pytest.raises(StateMismatch, match="is not a job"):
        Job.read(file)


class Over(Engine):
    """The engine at the other end of a line."""

    def __init__(self, line) -> None:
        self.line = line

    def exchange(self, requests):
        send(self.line, requests.items())
        yield from frames(self.line)


def connected(address, secret):
    while True:
        try:
            return called(address, secret)
        except (ConnectionRefusedError, FileNotFoundError):
            pass


@pytest.mark.parametrize("depth", [1, 40])
def test_a_relay_passes_on_what_it_is_asked(job, tmp_path, depth):
    """The same run over a line to another thread; a stranger does not disturb it, and it ends with its caller. The line
    is a socket in the folder, or a port where the folder's name is too long for one."""
    folder = tmp_path.joinpath(*["deep"] * depth)
    folder.mkdir(parents=True)
    address = line_in(folder)
    assert address.startswith("127.0.0.1:") == (depth == 40 or sys.platform == "win32")
    other = threading.Thread(target=relay, args=(job.in_process(), address, b"known to both"), daemon=True)
    other.start()
    with pytest.raises(AuthenticationError):
        connected(address, b"guessed")
    with connected(address, b"known to both") as line:
        over = federate(job.plan, Over(line), job.start, 12)
    other.join(20)
    assert not other.is_alive()
    np.testing.assert_array_equal(over.x, federate(job.plan, job.in_process(), job.start, 12).x)


def test_a_fit_ends_what_its_engine_started():
    """An engine that a fit made is closed at its end, after an error, too."""
    closed = []

    class Closing(Engine):
        def exchange(self, requests):
            raise ZeroDivisionError

        def close(self):
            closed.append(1)

    with pytest.raises(ZeroDivisionError):
        FederatedGaussianMixture(2, n_init=1, engine=lambda fed, plan: Closing()).fit(
            patients("iris"), "target", clients="hospital"
        )
    assert closed == [1]
