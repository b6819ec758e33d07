"""One trajectory: without faults the nodes and the server do what `FedMM.step` does, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

from fedmm_edu.algorithms import Adam, FedMM, ParameterSpace
from fedmm_edu.distributed import (
    Fault,
    File,
    InProcess,
    Misbehaving,
    NobodyAnswered,
    Node,
    Plan,
    ServerState,
    federate,
    in_process,
    one_round,
    part,
)
from fedmm_edu.errors import Diverged, InvalidInput, StateMismatch
from fedmm_edu.examples.mixture import EXAMPLE as MIXTURE
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import (
    BlockQuantization,
    Clients,
    FixedSize,
    Identity,
    MiniBatch,
    RandK,
    Stream,
    UniformQuantization,
    WithParticipation,
)
from tests.distributed.federations import error, gap, limit, nodes_of, regression, variates

PARTS = {
    "8 bits": {},
    "3 bits, mini-batches": {"compressor": UniformQuantization(3), "oracle": MiniBatch(4)},
    "k of q, stream": {"compressor": RandK(2), "oracle": Stream(3)},
    "blocks, fixed size": {"compressor": BlockQuantization(3), "participation": FixedSize(4)},
    "no compression, no control variates": {"compressor": Identity(), "alpha": 0.0},
    "in Θ": {"space": ParameterSpace()},
    "B-norm": {"metric": "B"},
    "adaptive server": {"server": Adam()},
}


@pytest.mark.parametrize("K", [1, 2, 6])
@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS.keys())
def test_equals_the_in_process_run(parts, K):
    """Ŝ_t, V_t, the moments and every V_i are those of `FedMM.step`; what travels is what `bits` says."""
    fed = regression(**parts)
    plan, engine, state = nodes_of(fed, K)
    expected, rounded = fed.init(np.zeros(fed.dim)), 0
    for _ in range(12):
        expected = fed.step(expected)
        state, report = one_round(plan, engine, state)
        rounded += 15 * len(report.arrived)  # the last byte of the floats' and of the codes' part is filled
        np.testing.assert_array_equal(state.x, expected.x)
    np.testing.assert_array_equal(state.V, expected.V_server)
    np.testing.assert_array_equal(state.moments, expected.moments)
    np.testing.assert_array_equal(np.concatenate(variates(engine, state)), expected.V_clients)
    assert expected.bits_up <= 8 * state.rows_up <= expected.bits_up + rounded
    assert gap(plan, engine, state) < 1e-14


@pytest.mark.parametrize("K", [1, 2, 6])
@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS.keys())
def test_control_variates_that_start_at_h_equal_those_of_the_in_process_run(parts, K):
    """V_{0,i} = h_i(Ŝ_0) bit for bit; V_0, a sum over nodes of their sums, and what follows, to rounding."""
    fed, x = regression(**parts), np.ones(3)
    plan, engine, _ = nodes_of(fed, K)
    state, report = one_round(plan, engine, ServerState.start(plan, x, "mean_field"))
    expected = fed.init(x, "mean_field")
    assert (report.t, state.t, report.arrived) == (0, 0, tuple(range(K)))
    np.testing.assert_array_equal(np.concatenate(variates(engine, state)), expected.V_clients)
    np.testing.assert_array_equal(state.x, expected.x)
    assert gap(plan, engine, state) < 1e-15
    assert state.rows_up == K * 8 * fed.dim
    for _ in range(12):
        expected = fed.step(expected)
        state, report = one_round(plan, engine, state)
    np.testing.assert_allclose(state.x, expected.x, rtol=0, atol=1e-13)
    np.testing.assert_allclose(state.V, expected.V_server, rtol=0, atol=1e-13)
    with pytest.raises(InvalidInput, match="V = 'ones'"):
        ServerState.start(plan, x, "ones")  # pyright: ignore[reportArgumentType]


def test_a_node_that_misses_the_opening_starts_at_zero():
    """The others start at h_i, V is the sum of what arrived, and the limit is the same."""
    fed = regression()
    plan, nodes, start = nodes_of(fed, V="mean_field")
    engine = Misbehaving(nodes.nodes, lambda c, k: Fault.LOSE_REPLY if k == 1 and c <= 2 else None)
    state, report = one_round(plan, engine, start)
    V = fed.init(start.x, "mean_field").V_clients.copy()
    V[plan.nodes[1]] = 0.0
    assert report.arrived == (0, 2)
    np.testing.assert_allclose(state.V, plan.mu @ V, rtol=0, atol=1e-15)
    state = federate(plan, engine, state, 60)
    assert error(state.x, limit(fed)) < 1e-9


def test_equals_the_in_process_run_where_nodes_hold_scattered_clients():
    """Which node holds which clients changes nothing."""
    fed = regression()
    plan = Plan.of(fed, [np.array([0, 3, 5]), np.array([1]), np.array([2, 4])])
    state = federate(plan, in_process(fed, plan), ServerState.start(plan, np.zeros(fed.dim)), 10)
    expected = fed.init(np.zeros(fed.dim))
    for _ in range(10):
        expected = fed.step(expected)
    np.testing.assert_array_equal(state.x, expected.x)


def test_a_mixture_equals_the_in_process_run_to_rounding():
    """A kernel whose sums depend on who else is asked: the same trajectory up to rounding."""
    case = MIXTURE.cases["means, L = 3, p = 2"]
    rng = np.random.default_rng(0)
    clients = Clients.of([case.draw_z(rng, 9) for _ in range(5)])
    quadratic = regression()
    fed = FedMM(case.problem(clients), clients, quadratic.gamma, compressor=UniformQuantization(12), alpha=0.3)
    x = fed.point(case.draw_theta(rng))
    plan = Plan.of(fed, 2)
    state = federate(plan, in_process(fed, plan), ServerState.start(plan, x), 15)
    expected = fed.init(x)
    for _ in range(15):
        expected = fed.step(expected)
    np.testing.assert_allclose(state.x, expected.x, rtol=0, atol=1e-12)


def _on_disk(fed, plan, folder):
    states = [File(folder / f"node-{k}") for k in range(len(plan.nodes))]
    return InProcess({k: Node(plan, k, part(fed.clients, who), states[k]) for k, who in enumerate(plan.nodes)})


@pytest.mark.parametrize("V", ["zero", "mean_field"])
@pytest.mark.parametrize("when", ["mid-round", "in the first round", "after the checkpoint", "before the checkpoint"])
def test_server_and_nodes_that_were_killed_go_on_bit_for_bit(tmp_path, when, V):
    """All processes gone, what is on disk remains: the run ends where an uninterrupted one does."""
    fed = regression()
    plan, engine, start = nodes_of(fed, V=V)
    expected = federate(plan, engine, start, 12)

    class Killed(Exception):
        pass

    class Dying(InProcess):
        def exchange(self, requests):
            for answer in super().exchange(requests):
                yield answer
                if dying[0] == {"mid-round": 7, "in the first round": 0}.get(when):
                    raise Killed

    def save_and_die(state, report):
        dying[0] = state.t + 1
        if when == "after the checkpoint" and state.t == 7:
            raise Killed

    dying, file = [0], tmp_path / "server"
    disk = Dying(_on_disk(fed, plan, tmp_path).nodes)
    if when == "before the checkpoint":
        state = federate(plan, disk, start, 6, checkpoint=file)
        one_round(plan, disk, state)  # the nodes have answered round 7, the server has not written it
    else:
        with pytest.raises(Killed):
            federate(plan, disk, start, 12, checkpoint=file, after_round=save_and_die)
    state = federate(plan, _on_disk(fed, plan, tmp_path), start, 12, checkpoint=file)
    np.testing.assert_array_equal(state.x, expected.x)
    np.testing.assert_array_equal(state.V, expected.V)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    """Another plan, another start or a damaged file are no checkpoint of this run."""
    fed, file = regression(), tmp_path / "server"
    plan, engine, start = nodes_of(fed)
    federate(plan, engine, start, 2, checkpoint=file)
    other = nodes_of(regression(alpha=0.3))
    with pytest.raises(StateMismatch, match="another plan or start"):
        federate(*other, 2, checkpoint=file)
    with pytest.raises(StateMismatch, match="another plan or start"):
        federate(plan, engine, ServerState.start(plan, np.ones(fed.dim)), 2, checkpoint=file)
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(StateMismatch, match="checksum"):
        federate(plan, engine, start, 2, checkpoint=file)


def test_plans_that_cannot_be():
    """A client on two nodes or on none, more nodes than clients, an operator that is no format of the wire."""
    fed = regression()
    for nodes in ([np.arange(5)], [np.arange(6), np.array([2])], [np.arange(6)[::-1]]):
        with pytest.raises(InvalidInput, match=r"each client on one node|ascending"):
            Plan.of(fed, nodes)
    with pytest.raises(InvalidInput, match="nodes = 7"):
        Plan.of(fed, 7)
    with pytest.raises(InvalidInput, match=r"no form on the wire: use participation=Bernoulli\(0.5\)"):
        Plan.of(regression(compressor=WithParticipation(Identity(), 0.5), beyond_theorem=True), 2)


def test_divergence_over_nodes_is_called_divergence():
    """A rho far too large: the nodes refuse to send what is not finite, and the error says why."""
    fed = regression()
    fed = replace(fed, problem=Quadratic(fed.problem.d, 1e6), alpha=0.0, compressor=Identity())
    plan, engine, start = nodes_of(fed)
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises((NobodyAnswered, Diverged), match="diverged"):
        federate(plan, engine, start, 400)
