"""The adapter to Flower: its ServerApp and ClientApp over a grid in memory, with node ids as random as Flower's."""

import subprocess
import sys
import tomllib
import warnings
from dataclasses import replace

import numpy as np
import pytest

from fedmm_edu.distributed import InProcess, NobodyAnswered, federate
from fedmm_edu.distributed.jobs import full_name, job_of
from fedmm_edu.distributed.messages import Refusal, Request, from_bytes, to_bytes
from fedmm_edu.distributed.plan import NEW
from fedmm_edu.distributed.secret import write_secret
from fedmm_edu.distributed.state import load_checkpoint
from fedmm_edu.errors import InvalidInput
from fedmm_edu.files import write_bytes
from fedmm_edu.studies.faults.jobs import JOBS
from tests.distributed import federations

with warnings.catch_warnings():  # two packages under Flower deprecate each other
    warnings.simplefilter("ignore", DeprecationWarning)
    from flwr.app import ConfigRecord, Context, Error, Message, RecordDict
    from flwr.serverapp import Grid
    from flwr.supercore.task_identity import TaskIdentity

    from fedmm_edu.distributed.flower import (
        BYTES,
        RECORD,
        GridEngine,
        RunConfig,
        make_client_app,
        make_server_app,
        serve,
    )
    from fedmm_edu.distributed.loopback import write_app

DICTIONARY = full_name("dictionary", JOBS)


class LocalGrid(Grid):
    """Delivers messages to ClientApps in this process; `ids[k]` is where node k lives, `silent` do not answer.

    Behind an id of `dead` the process ends with an error, as Flower reports it: from another sender.
    """

    def __init__(self, settings, ids):
        self.settings, self.ids, self.silent, self.dead, self.trains = settings, dict(ids), set(), set(), []
        self.app, self.waiting, self.own = make_client_app(settings), {}, {}

    def get_node_ids(self):
        return list(self.ids.values())

    def push_messages(self, messages):
        return [self._push(message) for message in messages]

    def _push(self, message):
        node_id, name = message.metadata.dst_node_id, f"message-{len(self.waiting)}"
        message.metadata.__dict__["_message_id"] = name
        k = next(k for k, known in self.ids.items() if known == node_id)
        context = Context(1, node_id, {"partition-id": k, **self.own.get(k, {})}, RecordDict(), {})
        reply = None
        if k in self.dead:
            reply = Message(Error(code=0, reason="the process ended"), reply_to=message)
            reply.metadata.__dict__["_src_node_id"] = 1
        elif k not in self.silent:
            self.trains += [k] if message.metadata.message_type == "train" else []
            reply = self.app(message, context)
        self.waiting[name] = reply
        return name

    def pull_messages(self, message_ids):
        found = {name: self.waiting[name] for name in message_ids if self.waiting[name] is not None}
        self.waiting |= dict.fromkeys(found)
        return list(found.values())

    def send_and_receive(self, messages, *, timeout=None):
        return self.pull_messages(self.push_messages(messages))

    def create_message(self, *args, **kwargs):
        raise NotImplementedError

    def set_run(self, run):
        raise NotImplementedError

    @property
    def run(self):
        raise NotImplementedError


@pytest.fixture(autouse=True)
def _a_run(monkeypatch):
    """Flower makes messages inside a run only."""
    for name in ("_task_id", "_run_id", "_node_id"):
        monkeypatch.setattr(TaskIdentity, name, 1)


@pytest.fixture
def settings(tmp_path):
    return RunConfig(DICTIONARY, 3, 5, timeout=0.05, wait=0.05, state=str(tmp_path), checkpoint=str(tmp_path / "s"))


def _fault_free(settings):
    job = job_of(settings.job, settings.nodes)
    nodes = job.in_process().nodes
    return job, job.start, federate(job.plan, InProcess(nodes), job.start, settings.rounds)


IDS = {0: 771, 1: 5, 2: 2**62}


@pytest.mark.parametrize(("name", "first"), [(DICTIONARY, 1), ("tests.distributed.federations:opened", 0)])
def test_the_apps_follow_the_in_process_trajectory(settings, name, first):
    """ServerApp and ClientApps, state on disk: the same iterates bit for bit, one message a node and round; so from
    V_{0,i} = 0 and, with a round 0, from h_i(Ŝ_0)."""
    settings = replace(settings, job=name)
    job, start, expected = _fault_free(settings)
    grid, lines = LocalGrid(settings, IDS), []
    make_server_app(settings, lines.append)(grid, Context(1, 0, {}, RecordDict(), {}))
    state = load_checkpoint(settings.checkpoint, job.plan, start)
    np.testing.assert_array_equal(state.x, expected.x)
    assert (state.bytes_up, state.bytes_down) == (expected.bytes_up, expected.bytes_down)
    assert [line.split(":")[0] for line in lines[1:]] == [f"round {t}/5" for t in range(first, 6)]
    assert len(grid.trains) == sum(int(line.split("of")[-1].split()[0]) for line in lines[1:])
    assert lines[0] == "3 of 3 nodes are there"


def test_a_message_lives_as_long_as_somebody_waits_for_it(settings):
    """Flower drops a request when its time is up, so that a node that was away meets no heap of old ones."""
    lives = []

    class Listening(LocalGrid):
        def _push(self, message):
            lives.append(message.metadata.ttl)
            return super()._push(message)

    serve(Listening(settings, IDS), settings, lambda line: None)
    assert set(lives) == {settings.timeout}


def test_a_node_that_is_gone_and_comes_back_under_a_new_id_is_found(settings):
    """While it is away the rounds go on without it; when it is back it goes on from its file, without re-basing."""
    grid, lines = LocalGrid(settings, IDS), []

    def show(line):
        lines.append(line)
        if "round 2/" in line:
            del grid.ids[1]
        if "round 4/" in line:
            grid.ids[1] = 99

    serve(grid, settings, show)
    assert [line.split(": ")[1] for line in lines[3:]] == [
        "2 of 3 nodes answered, without [1]",
        "2 of 3 nodes answered, without [1]",
        "3 of 3 nodes answered",
    ]


def test_silence_and_errors_of_the_engine_are_absences(settings):
    """A node that says nothing in time, and one whose process ended, are left out; no answer is invented."""
    grid, lines = LocalGrid(settings, IDS), []

    def show(line):
        lines.append(line)
        if "round 1/" in line:
            grid.silent, grid.dead = {0}, {2}

    serve(grid, settings, show)
    assert lines[2] == "round 2/5: 1 of 3 nodes answered, without [0, 2]"


@pytest.mark.parametrize("first", ["real", "false"])
def test_a_node_that_turns_up_twice_does_not_push_out_the_real_one(settings, first):
    """A second id says that it is node 1 and answers nothing: the real one is asked; where it comes first, it is
    passed over once; and when it is gone, nothing is left of it."""
    lines = []

    class Twice(LocalGrid):
        def get_node_ids(self):
            ids = super().get_node_ids()
            return ids if self.gone else [9, *ids] if self.both or first == "real" else [9, *ids[:1], *ids[2:]]

        def _push(self, message):
            if message.metadata.dst_node_id != 9:
                return super()._push(message)
            self.ids, kept = {1: 9}, self.ids
            self.silent = {1} if message.metadata.message_type == "train" else set()
            name = super()._push(message)
            self.ids, self.silent = kept, set()
            return name

    grid = Twice(settings, IDS)
    grid.both = grid.gone = False

    def show(line):
        lines.append(line)
        grid.both = True
        grid.gone = "round 3/" in line

    serve(grid, settings, show)
    rounds = [line for line in lines if line.startswith("round")]
    assert any("2 nodes say that they are node 1" in line for line in lines)
    assert all("3 of 3 nodes answered" in line for line in rounds[1:])


def test_a_node_makes_its_own_job_and_follows_its_own_plan(settings, tmp_path):
    """What the run names cannot replace what the node's own configuration says."""
    client = make_client_app(replace(settings, job="os:system"))
    plan = job_of(DICTIONARY, 3).plan
    request = to_bytes(
        Request(plan.key, b"", 0, 1, NEW, np.zeros(1), np.zeros(1), np.zeros(0), np.array([0]), np.ones(1))
    )

    def answer(**own):
        message = Message(RecordDict({RECORD: ConfigRecord({BYTES: request})}), dst_node_id=5, message_type="train")
        message.metadata.__dict__["_message_id"] = "m"
        context = Context(1, 5, {"partition-id": 0, "state": str(tmp_path), **own}, RecordDict(), {})
        return from_bytes(client(message, context).content[RECORD][BYTES], Refusal)

    assert "x has shape" in answer(job=DICTIONARY, plan=plan.key).reason
    with pytest.raises(InvalidInput, match="was given the plan 0000"):
        answer(job=DICTIONARY, plan="0" * 64)


def test_a_node_with_a_secret_obeys_nobody_without_it(settings, tmp_path, monkeypatch):
    """A run whose server has another secret gets no round done; with the same one, all is as before."""
    job, start, expected = _fault_free(settings)
    ours, theirs = write_secret(tmp_path / "ours"), write_secret(tmp_path / "theirs")
    assert ours.stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("FEDMM_SECRET_FILE", str(ours))

    class Elsewhere(LocalGrid):
        def _push(self, message):
            with pytest.MonkeyPatch.context() as other:
                other.setenv("FEDMM_SECRET_FILE", str(theirs))
                return super()._push(message)

    with pytest.raises(NobodyAnswered, match="another secret"):
        serve(Elsewhere(settings, IDS), settings, lambda line: None)
    serve(LocalGrid(settings, IDS), settings, lambda line: None)
    np.testing.assert_array_equal(load_checkpoint(settings.checkpoint, job.plan, start).x, expected.x)


def test_nodes_have_their_identity_from_their_own_configuration(settings, tmp_path):
    """Secure sums whose keys are signed by the key that each node's configuration names, a file of its owner alone."""
    settings = replace(settings, job="tests.distributed.federations:signed", rounds=2)
    job, grid = federations.signed(3), LocalGrid(settings, IDS)
    for k, key in enumerate(federations.private_keys(3)):
        file = write_bytes(tmp_path / f"key-{k}", key, private=True)
        grid.own[k] = {"identity": str(file)}
    lines = []
    serve(grid, settings, lines.append)
    assert lines[-1] == "round 2/2: 3 of 3 nodes answered"
    expected = federations.secure().init(np.zeros(job.plan.dim))
    for _ in range(2):
        expected = federations.secure().step(expected)
    np.testing.assert_array_equal(load_checkpoint(settings.checkpoint, job.plan, job.start).x, expected.x)
    (tmp_path / "key-0").chmod(0o644)
    with pytest.raises(InvalidInput, match=r"identity = .* may be read or changed by others"):
        serve(grid, replace(settings, rounds=3), lines.append)


def test_a_foreign_record_is_no_answer(settings):
    """A reply without our record, or with something else than bytes in it, is as good as none."""

    class Foreign(LocalGrid):
        def pull_messages(self, message_ids):
            messages = list(super().pull_messages(message_ids))
            for message in messages:
                if message.metadata.message_type == "train":
                    message.content = RecordDict({RECORD: ConfigRecord({BYTES: 3})})
            return messages

    engine = GridEngine(Foreign(settings, IDS), 3, 0.05)
    assert list(engine.exchange({0: b"", 1: b""})) == []


def test_only_the_protocols_bytes_travel(settings):
    """Every message of training holds one record with one entry of bytes, in both directions; a query, a number."""
    seen = []

    class Listening(LocalGrid):
        def _push(self, message):
            name = super()._push(message)
            seen.append((message.metadata.message_type, message.content, self.waiting[name].content))
            return name

    serve(Listening(settings, IDS), settings, lambda line: None)
    for kind, down, up in seen:
        if kind == "query":
            assert (len(down), list(up), dict(up[RECORD]).keys()) == (0, [RECORD], {"node"})
        else:
            assert list(down) == list(up) == [RECORD]
            assert dict(down[RECORD]).keys() == dict(up[RECORD]).keys() == {BYTES}


def test_the_app_that_is_written_holds_the_settings(settings, tmp_path):
    """What `flwr run` reads gives back the same settings."""
    found = tomllib.loads((write_app(tmp_path / "app", settings) / "pyproject.toml").read_text())
    assert RunConfig.of(found["tool"]["flwr"]["app"]["config"]) == settings
    with pytest.raises(InvalidInput, match="'round': 3"):
        RunConfig.of({"round": 3})


@pytest.mark.parametrize("name", [r"C:\new\users", 'a "quoted" place', "tab\tand\nline", "Ŝ — \x7f", "'"])
def test_any_path_is_valid_in_what_flwr_reads(tmp_path, settings, name):
    """Quotes, backslashes, line breaks: the app's configuration and the node's give them back."""
    odd = replace(settings, state=name, checkpoint=f"{name}/server")
    found = tomllib.loads((write_app(tmp_path / "app", odd) / "pyproject.toml").read_text("utf-8"))
    assert RunConfig.of(found["tool"]["flwr"]["app"]["config"]) == odd


def test_without_flower_the_extra_is_named():
    """The protocol works without Flower; the adapter says which extra it needs."""
    code = (
        "import sys; sys.modules['flwr'] = None\n"
        "import fedmm_edu.distributed, fedmm_edu.distributed.jobs, fedmm_edu.cli\n"
        "from fedmm_edu.errors import MissingExtra\n"
        "try:\n    import fedmm_edu.distributed.flower\n"
        "except MissingExtra as error:\n    print(error)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "fedmm-edu[distributed]" in found.stdout


def test_the_processes_can_be_imported_where_there_is_no_signal_9():
    """Windows has neither SIGKILL nor process groups: nothing looks for them before a process is to end."""
    code = (
        "import os, signal\n"
        "import fedmm_edu.distributed.flower\n"
        "del signal.SIGKILL, os.killpg\n"
        "import fedmm_edu.distributed.loopback\n"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
