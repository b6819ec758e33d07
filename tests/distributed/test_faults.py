"""Faults: V = Σ μ_i V_i survives all of them, and so does the limit."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.distributed import (
    Fault,
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
from fedmm_edu.distributed.state import invariant_gap
from fedmm_edu.federation import Everyone
from tests.distributed.federations import error, limit, nodes_of, regression

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


def _gap(plan, engine, state):
    return invariant_gap(state, [node.at(state.base[k].tobytes()).V for k, node in engine.nodes.items()], plan)


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
    assert _gap(plan, engine, state) < 1e-12


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
    assert _gap(plan, engine, state) < 1e-12


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
    assert _gap(plan, engine, state) < 1e-12
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
    assert _gap(plan, nodes, state) < 1e-12


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
