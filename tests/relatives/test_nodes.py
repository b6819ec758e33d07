"""Relatives over nodes: the in-process trajectory bit for bit, also where nodes are killed; and what they send."""

import numpy as np
import pytest

from fedmm_edu.algorithms import FedMM
from fedmm_edu.distributed import (
    Engine,
    Fault,
    File,
    Misbehaving,
    Node,
    Plan,
    ServerState,
    federate,
    in_process,
    one_round,
    part,
)
from fedmm_edu.distributed.messages import Request, from_bytes
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Bernoulli, ByActiveWeight, Clients
from fedmm_edu.relatives import Relative, relatives
from tests.distributed.federations import gap, held
from tests.relatives.case import problem
from tests.relatives.test_definitions import ROUNDS, on_the_loop

TRAVELLING = [r for r in relatives().values() if r.key != "mcm"]
over_nodes = pytest.mark.parametrize("relative", TRAVELLING, ids=lambda r: r.key)


class Mortal(Engine):
    """Nodes that are processes with a file each: before or after the answer is written, a process may die.

    `dies(c, k)` says "before" or "after" for node k in exchange c; the next request meets a new process, which knows
    the file alone.
    """

    def __init__(self, fed: FedMM, plan: Plan, folder, dies) -> None:
        self.fed, self.plan, self.folder, self.dies = fed, plan, folder, dies
        self.exchanges, self.deaths = 0, []

    def node(self, k: int) -> Node:
        return Node(self.plan, k, part(self.fed.clients, self.plan.nodes[k]), File(self.folder / f"node-{k}"))

    @property
    def nodes(self) -> dict[int, Node]:
        return {k: self.node(k) for k in range(len(self.plan.nodes))}

    def exchange(self, requests):
        self.exchanges += 1
        for k, raw in requests.items():
            death = self.dies(self.exchanges, k)
            self.deaths += [death] if death else []
            if death != "before":
                answer = self.node(k).answer(raw)
                if death is None:
                    yield k, answer


def every_other(c: int, k: int) -> str | None:
    """Every other request to a node kills it: twice before it has written, twice after it."""
    return ("before", "after")[c // 2 % 2] if (c + k) % 2 == 0 else None


def opened(relative: Relative, plan: Plan, x: np.ndarray) -> ServerState:
    return ServerState.start(plan, x, relative.V)


def in_one_process(relative: Relative):
    """The state after `ROUNDS` rounds; V_0 is summed as the server of three nodes sums it."""
    fed, state = on_the_loop(relative)
    start = state
    for _ in range(ROUNDS):
        state = fed.step(state)
    return fed, start, state


@over_nodes
def test_nodes_that_are_killed_end_where_one_process_does(relative, tmp_path):
    """Every other request kills a process, before or after it has written: x, V_i and memories are as in one process.

    Bit for bit where V_0 = 0; V_0 = h(x_0) is a sum over nodes of their sums, equal to rounding.
    """
    fed, start, expected = in_one_process(relative)
    plan = Plan.of(fed, 3)
    engine = Mortal(fed, plan, tmp_path, every_other)
    state = federate(plan, engine, opened(relative, plan, start.x), ROUNDS, attempts=6)
    assert min(engine.deaths.count(when) for when in ("before", "after")) >= 3
    kept = held(engine, state)
    V, memory = (np.concatenate([getattr(node, name) for node in kept]) for name in ("V", "memory"))
    found = {"x": state.x, "V": state.V, "V_i": V, "memory": memory}
    wanted = {"x": expected.x, "V": expected.V_server, "V_i": expected.V_clients, "memory": expected.memory}
    for name, value in wanted.items():
        if relative.V == "zero":
            np.testing.assert_array_equal(found[name], value, err_msg=name)
        else:
            np.testing.assert_allclose(found[name], value, rtol=0, atol=1e-14, err_msg=name)
    assert gap(plan, engine, state) < 1e-13


@pytest.mark.parametrize("key", ["scaffold", "ef21", "marina", "ef-sgd", "feddyn"])
def test_with_V_that_starts_at_zero_it_is_bit_for_bit(key, tmp_path):
    """The same for V_0 = 0, where nothing is summed in another order."""
    relative = relatives()[key]
    fed, start, _ = in_one_process(relative)
    expected = fed.init(start.x)
    for _ in range(ROUNDS):
        expected = fed.step(expected)
    plan = Plan.of(fed, 3)
    engine = Mortal(fed, plan, tmp_path, every_other)
    state = federate(plan, engine, ServerState.start(plan, start.x), ROUNDS, attempts=6)
    kept = held(engine, state)
    np.testing.assert_array_equal(state.x, expected.x)
    np.testing.assert_array_equal(np.concatenate([node.V for node in kept]), expected.V_clients)
    np.testing.assert_array_equal(np.concatenate([node.memory for node in kept]), expected.memory)


@over_nodes
def test_bits_counted_are_bytes_on_the_wire(relative):
    """One node a client: the rows up, filled to whole bytes, and the numbers of the requests down."""
    fed, state = on_the_loop(relative)
    plan = Plan.of(fed, len(fed.clients))
    engine = in_process(fed, plan)
    server, down, filled = opened(relative, plan, state.x), [], 0

    class Counting(Engine):
        def exchange(self, requests):
            for raw in requests.values():
                asked = from_bytes(raw, Request)
                if asked.t:
                    down.append(asked.x.nbytes + asked.theta.nbytes + asked.V.nbytes)
            return engine.exchange(requests)

    opening = 0
    for t in range(1 - (relative.V != "zero"), ROUNDS + 1):
        server, report = one_round(plan, Counting(), server)
        if t:
            state, filled = fed.step(state), filled + len(report.arrived)
        else:
            opening = server.rows_up
    assert state.bits_down == 8 * sum(down)
    assert state.bits_up <= 8 * (server.rows_up - opening) <= state.bits_up + 7 * filled


def test_averages_by_the_active_weight_travel():
    """Clients with other weights and a random number of them: the divisor of the round is the same on nodes."""
    rng = np.random.default_rng(0)
    clients = Clients.of([rng.normal(size=(5, 4)) for _ in range(5)], np.array([0.1, 0.1, 0.2, 0.2, 0.4]))
    fed = FedMM(
        problem(0.0), clients, 0.5, participation=ByActiveWeight(Bernoulli(0.6)), alpha=0.1, beyond_theorem=True
    )
    state = fed.init(np.ones(3))
    for _ in range(ROUNDS):
        state = fed.step(state)
    plan = Plan.of(fed, 3)
    server = federate(plan, in_process(fed, plan), ServerState.start(plan, np.ones(3)), ROUNDS)
    np.testing.assert_array_equal(server.x, state.x)
    np.testing.assert_allclose(server.V, state.V_server, rtol=0, atol=1e-15)


def test_a_memory_that_is_lost_is_re_based():
    """A node that loses its file starts from V_i = 0 and from the first memory; V = Σ μ_i V_i stays."""
    fed, start = on_the_loop(relatives()["marina"])
    plan = Plan.of(fed, 3)
    engine = Misbehaving(in_process(fed, plan).nodes, lambda c, k: Fault.WIPE if (c, k) == (4, 1) else None)
    rebased = []
    state = federate(plan, engine, ServerState.start(plan, start.x), ROUNDS,
                     after_round=lambda s, report: rebased.extend(report.rebased))  # fmt: skip
    assert rebased == [1]
    assert gap(plan, engine, state) < 1e-13


def test_a_downlink_that_does_not_travel_is_refused_by_name():
    fed, _ = on_the_loop(relatives()["mcm"])
    with pytest.raises(InvalidInput, match=r"Differences.* has no form on the wire"):
        Plan.of(fed, 2)
