"""Faults: V = Σ μ_i V_i survives all of them, and so does the limit."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.distributed import (
    Fault,
    File,
    InMemory,
    InProcess,
    Misbehaving,
    NobodyAnswered,
    Node,
    Round,
    federate,
    one_round,
)
from fedmm_edu.distributed.messages import Lost, Reply, Request, from_bytes, to_bytes
from fedmm_edu.distributed.plan import NEW
from fedmm_edu.distributed.screen import FACTOR
from fedmm_edu.distributed.state import load_checkpoint
from fedmm_edu.errors import Diverged, InvalidInput
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import Clients, Everyone, Identity
from tests.distributed.federations import D, error, gap, limit, nodes_of, regression

FED = regression()
ALL = regression(participation=Everyone())
LIMIT = limit(FED)
LOSSLESS = [fault for fault in Fault if fault.keeps_state]


def _shares_are_right(plan, engine, state):
    """Every node whose history is the accepted one holds the V_i whose weighted sum the server keeps for it."""
    for k, node in engine.nodes.items():
        kept = node.at(state.base[k].tobytes())
        if kept is not None:
            np.testing.assert_allclose(plan.mu[plan.nodes[k]] @ kept.V, state.W[k], rtol=0, atol=1e-12)
    np.testing.assert_allclose(state.V, state.W.sum(axis=0), rtol=0, atol=1e-12)


def _schedule(faults):
    """`faults[c]` meets node k in exchange c, for (k, fault) = faults[c]; no fault after the last."""
    return lambda c, k: faults[c - 1][1] if c <= len(faults) and faults[c - 1][0] == k else None


one_fault = st.tuples(st.integers(0, 2), st.sampled_from(Fault) | st.none())


@settings(max_examples=20)
@given(
    faults=st.lists(one_fault, max_size=30),
    attempts=st.integers(1, 3),
    delay=st.integers(1, 9),
    V=st.sampled_from(["zero", "mean_field"]),
)
def test_no_schedule_of_faults_breaks_the_invariant_or_the_limit(faults, attempts, delay, V):
    """In every round Σ_{i ∈ k} μ_i V_i = W_k wherever node and server name the same history, and V = Σ W_k; when the
    faults have ended the run reaches the fault-free limit, and no share is lost."""
    plan, nodes, state = nodes_of(FED, V=V)
    engine = Misbehaving(nodes.nodes, _schedule(faults), delay)
    for _ in range(90):
        try:
            state, _ = one_round(plan, engine, state, attempts=attempts)
        except NobodyAnswered:
            continue  # the round is still open, and asked again
        _shares_are_right(plan, engine, state)
    assert error(state.x, LIMIT) < 1e-8
    assert gap(plan, engine, state) < 1e-12


@settings(max_examples=6)
@given(rate=st.floats(0.0, 0.4), seed=st.integers(0, 999))
def test_faults_that_never_end_leave_the_limit_alone_as_long_as_no_state_is_lost(rate, seed):
    """Lost, repeated, delayed, damaged and false messages all the way: the limit is reached, without re-basing."""
    rng, rebased = np.random.default_rng(seed), []
    plan, nodes, start = nodes_of(FED)
    engine = Misbehaving(nodes.nodes, lambda c, k: rng.choice(LOSSLESS) if rng.random() < rate else None)
    state = federate(plan, engine, start, 110, attempts=4, after_round=lambda s, report: rebased.extend(report.rebased))
    assert error(state.x, LIMIT) < 1e-10
    assert rebased == []
    assert gap(plan, engine, state) < 1e-12


slow = st.sampled_from([Fault.DELAY_REQUEST, Fault.ECHO_REQUEST, Fault.LOSE_REPLY]) | st.none()


@settings(max_examples=20)
@given(faults=st.lists(st.lists(slow, min_size=3, max_size=3), min_size=5, max_size=30), delay=st.integers(1, 5))
def test_late_requests_change_nothing(faults, delay):
    """Requests that arrive after newer ones, of other rounds and histories, are refused by name: no node is re-based,
    and every answer that the server used is in V_i."""
    plan, nodes, state = nodes_of(ALL)
    engine, refused = Misbehaving(nodes.nodes, lambda c, k: faults[c - 1][k] if c <= len(faults) else None, delay), []
    for _ in range(len(faults) + 6):
        try:
            state, report = one_round(plan, engine, state, attempts=1)
        except NobodyAnswered:
            continue
        assert report.rebased == ()
        refused += report.refused
        _shares_are_right(plan, engine, state)
    assert gap(plan, engine, state) < 1e-12
    assert all("late" in why or "answered in this round" in why for _, why in refused)


def test_a_server_that_goes_back_begins_a_session():
    """Within a session an earlier round is late; in a new one it is obeyed, from V_i = 0."""
    plan, nodes, start = nodes_of(ALL)
    earlier, _ = one_round(plan, nodes, start)
    later, _ = one_round(plan, nodes, earlier)
    one_round(plan, nodes, later)
    with pytest.raises(NobodyAnswered, match="round 2 comes after that of round 3"):
        one_round(plan, nodes, earlier)
    state, report = one_round(plan, nodes, replace(earlier, session=b"another"))
    assert (report.rebased, state.t) == ((0, 1, 2), 2)
    assert gap(plan, nodes, state) < 1e-12


@pytest.mark.parametrize("fault", Fault)
def test_each_fault_is_met_and_survived(fault):
    """Every kind of fault alone, on one node, in a third of all exchanges for 45 rounds."""
    plan, nodes, start = nodes_of(FED)
    engine = Misbehaving(nodes.nodes, lambda c, k: fault if k == 1 and c % 3 == 0 and c < 45 else None)
    state = federate(plan, engine, start, 110)
    assert engine.injected[fault] >= 10
    assert error(state.x, LIMIT) < 1e-8


class CommitsAtOnce:
    """A node as Algorithm 2 reads literally: V_i moves when the reply leaves, and nobody names histories."""

    def __init__(self, node):
        self.node, self.V, self.store = node, np.zeros((len(node.data), node.plan.dim)), InMemory()

    def answer(self, raw):
        node, request = self.node, from_bytes(raw, Request)
        places, told = node._places(request), node._told(request)
        rows, _ = node._rows(request, told, replace(node._first(), V=self.V), places)
        sent = node.plan.compressor.decode(rows, len(places), node.plan.dim)
        self.V[places] += (node.plan.alpha / request.p)[:, None] * sent
        return to_bytes(Reply(request.key, request.node, request.t, request.base, rows))


def test_without_the_protocol_lost_replies_bias_the_limit():
    """The reason for it all: commit on sending, lose 5 % of the replies, and the limit is another one."""
    plan, nodes, start = nodes_of(FED)
    for node_of, low, high in ((CommitsAtOnce, 1e-3, 1.0), (lambda node: node, 0.0, 1e-10)):
        rng = np.random.default_rng(3)
        engine = Misbehaving(
            {k: node_of(node) for k, node in nodes.nodes.items()},
            lambda c, k, rng=rng: Fault.LOSE_REPLY if rng.random() < 0.05 and c < 100 else None,
        )
        state = federate(plan, engine, start, 180, attempts=1)
        assert low <= error(state.x, LIMIT) < high


def test_equally_likely_losses_keep_H_unbiased():
    """Over all ways to lose one of three replies, the mean of H is what it is when none is lost."""
    plan, _, start = nodes_of(replace(ALL, alpha=0.0))
    moves = []
    for lost in (None, 0, 1, 2):
        nodes = nodes_of(replace(ALL, alpha=0.0))[1].nodes
        engine = Misbehaving(nodes, lambda c, k, lost=lost: Fault.LOSE_REPLY if k == lost else None)
        state, report = one_round(plan, engine, start, attempts=1)
        assert len(report.asked) == 3
        moves.append(state.x - start.x)
    np.testing.assert_allclose(np.mean(moves[1:], axis=0), moves[0], atol=1e-14)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (Fault.NOT_A_NUMBER, "the rows hold nan"),
        (Fault.WRONG_SHAPE, "bytes for . rows of length 3"),
        (Fault.FOREIGN_KEY, "it runs the plan 00000000"),
        (Fault.DAMAGE_REPLY, "checksum|do not begin"),
        (Fault.REPEAT_REPLY, "answered in this round already"),
        (Fault.DAMAGE_REQUEST, "it refused the request: .*(checksum|do not begin)"),
    ],
)
def test_what_is_refused_is_refused_by_name(fault, why):
    """The report names the node and the reason, and the round goes on with the others."""
    plan, nodes, start = nodes_of(ALL)
    engine = Misbehaving(nodes.nodes, lambda c, k: fault if k == 1 else None)
    _, report = one_round(plan, engine, start, attempts=1)
    assert {k for k, _ in report.refused} == {1}
    assert re.search(why, report.refused[0][1])
    assert {0, 2} <= set(report.arrived)


def test_late_and_foreign_answers_are_recognised():
    """An answer of the round before, a false sender and a node that was not asked count for nothing."""
    plan, nodes, start = nodes_of(ALL)
    first = Round(plan, start)
    answers = {k: nodes.nodes[k].answer(raw) for k, raw in first.requests().items()}
    for k, raw in answers.items():
        assert first.offer(k, raw) == "used"
    state, _ = first.close()
    second = Round(plan, state)
    assert "late" in second.offer(1, answers[1])
    assert "signs as node 1" in second.offer(0, answers[1])
    assert "not asked" in second.offer(None, to_bytes(Reply(plan.key, 99, 2, bytes(32), b"")))
    assert second.requests().keys() == {0, 1, 2}
    with pytest.raises(NobodyAnswered, match="late"):
        second.close()


def test_an_answer_from_before_a_re_basing_is_turned_away():
    """A node answers, loses its state, and says so first: what it computed from the old V_i no longer fits V."""
    plan, nodes, start = nodes_of(ALL)
    state, _ = one_round(plan, nodes, start)
    current = Round(plan, state)
    request = current.requests()[1]
    old, base = nodes.nodes[1].answer(request), state.base[1].tobytes()
    lost = to_bytes(Lost(plan.key, 1, 2, base))
    assert current.offer(1, lost) == "re-based"
    for stale in (old, lost):
        assert "another history" in current.offer(1, stale)
    nothing = to_bytes(Lost(plan.key, 1, 2, NEW))
    assert "nothing to lose" in current.offer(1, nothing)
    assert current.offer(1, nodes.nodes[1].answer(current.requests()[1])) == "used"


def test_a_node_answers_twice_with_the_same_bytes():
    """The same request gets the same reply, from the file, not from a second computation."""
    plan, nodes, start = nodes_of(FED)
    node = nodes.nodes[0]
    request = Round(plan, start).requests()[0]
    assert node.answer(request) == node.answer(request)
    without = Node(plan, 0, node.data, node.store)
    object.__setattr__(without, "_rows", None)  # it must not compute
    assert without.answer(request) == node.answer(request)


def test_nothing_but_compressed_messages_leaves_a_node():
    """What travels up in 20 rounds: key, node, round, history, and b bits a coordinate; no sample, no float of it."""
    fed, seen = regression(), []

    class Listening(InProcess):
        def exchange(self, requests):
            for k, raw in super().exchange(requests):
                seen.append((k, requests[k], raw))
                yield k, raw

    plan, nodes, start = nodes_of(fed)
    federate(plan, Listening(nodes.nodes), start, 20)
    samples = {value.tobytes() for value in fed.clients.z.ravel()}
    assert len(seen) > 40
    for k, request, raw in seen:
        reply, asked = from_bytes(raw, Reply), from_bytes(request, Request)
        m = len(asked.clients)
        assert len(reply.rows) == m * (8 + fed.dim)  # a scale and 8 bits a coordinate
        assert (reply.key, reply.node, reply.t, reply.base) == (plan.key, k, asked.t, asked.base)
        assert len(raw) - len(reply.rows) < 400  # the names and the checksum: the same for every data set
        assert not any(value in raw or value in request for value in samples)


class Lying(InProcess):
    """Node 1 multiplies the first number of its rows in some rounds; the others are honest."""

    def __init__(self, nodes, lie):
        super().__init__(nodes)
        object.__setattr__(self, "lie", lie)

    def exchange(self, requests):
        for k, raw in super().exchange(requests):
            message = from_bytes(raw, Reply, Lost)
            if k == 1 and isinstance(message, Reply):
                first = np.frombuffer(message.rows[:8]) * self.lie(message.t)
                raw = to_bytes(replace(message, rows=first.tobytes() + message.rows[8:]))
            yield k, raw


@pytest.mark.parametrize("V", ["zero", "mean_field"])
@pytest.mark.parametrize("size", [1e9, 1e10, 1e15, 1e300])
def test_a_wrong_number_does_no_lasting_harm(size, V):
    """Finite and absurd, in three rounds: each is turned away by name, V keeps its digits, and the limit is reached."""
    plan, nodes, start = nodes_of(ALL, V=V)
    engine, refused = Lying(nodes.nodes, lambda t: size if t in (2, 4, 5) else 1.0), []
    state = federate(plan, engine, start, 90, after_round=lambda state, report: refused.extend(report.refused))
    assert [k for k, why in refused if "is the most that is taken" in why] == [1, 1, 1]
    assert error(state.x, LIMIT) < 1e-10
    assert gap(plan, nodes, state) < 1e-14


def test_a_liar_cannot_creep_up():
    """Each reply is a thousand times the one before: what is accepted stays below FACTOR honest replies."""
    plan, nodes, start = nodes_of(ALL)
    state = federate(plan, Lying(nodes.nodes, lambda t: 1e3**t), start, 40)
    honest = max(state.sizes[0], state.sizes[2])
    assert state.sizes[1] <= FACTOR * honest
    assert np.abs(state.V).max() <= FACTOR * honest


def test_honest_nodes_of_other_scales_are_heard():
    """A node whose data are a hundred times as large, and one that has nothing to say, take part in every round."""
    clients = [scale * block for scale, block in zip((1.0, 1.0, 1.0, 1.0, 100.0, 0.0), FED.clients, strict=True)]
    fed = replace(ALL, clients=Clients.of(clients), problem=Quadratic(D, 1e-5))
    plan, nodes, start = nodes_of(fed, K=6)
    seen = []
    federate(plan, nodes, start, 30, after_round=lambda state, report: seen.append(report))
    assert all(report.arrived == (0, 1, 2, 3, 4, 5) and not report.refused for report in seen)


def test_a_round_in_which_only_a_liar_is_asked_goes_on():
    plan, nodes, start = nodes_of(ALL)
    state, _ = one_round(plan, nodes, start)
    current = Round(plan, state)
    current._who = {1: current._who[1]}
    raw = nodes.nodes[1].answer(current.requests()[1])
    message = from_bytes(raw, Reply)
    huge = to_bytes(replace(message, rows=np.array([1e30]).tobytes() + message.rows[8:]))
    assert current.offer(1, huge) == "used"
    after, report = current.close()
    assert (after.t, report.arrived, [k for k, _ in report.refused]) == (2, (), [1])
    np.testing.assert_array_equal(after.W, state.W)


def test_a_divergence_is_called_one_and_the_checkpoint_keeps_the_last_good_state(tmp_path):
    """A step that is too large: the error says so, and how to go on; what is on disk can be gone on from."""
    fed = replace(ALL, problem=Quadratic(D, 1e150), compressor=Identity())
    plan, nodes, start = nodes_of(fed)
    file = tmp_path / "server"
    with pytest.raises((Diverged, NobodyAnswered), match=r"diverged.*smaller gamma"):
        federate(plan, nodes, start, 90, checkpoint=file, patience=1)
    state = load_checkpoint(file, plan, start)
    assert np.isfinite(Round(plan, state).plan.theta(state)).all()


def test_a_file_of_somebody_elses_is_not_written_over(tmp_path):
    """A key that lies where a node's state would: it stays; a torn state, and zeros after a power failure, do not."""
    plan, nodes, start = nodes_of(FED)
    request = Round(plan, start).requests()[0]
    for content, taken in ((b"-----BEGIN KEY-----", False), (b"", True), (bytes(99), True), (b"FMM1torn", True)):
        (tmp_path / "node-0").write_bytes(content)
        node = replace(nodes.nodes[0], store=File(tmp_path / "node-0"))
        if taken:
            assert node.answer(request) == nodes.nodes[0].answer(request)
        else:
            with pytest.raises(InvalidInput, match="no state of a node"):
                node.answer(request)
            assert (tmp_path / "node-0").read_bytes() == content
