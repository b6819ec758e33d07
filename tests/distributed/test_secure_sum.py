"""A secure sum: the run is the same to the last bit, V stays Σ μ_i V_i, and messages tell the sum alone."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from fedmm_edu.cli import main
from fedmm_edu.distributed import Fault, Misbehaving, NobodyAnswered, ServerState, federate, one_round
from fedmm_edu.distributed import gathering as gathering_module
from fedmm_edu.distributed import veil as veil_module
from fedmm_edu.distributed.messages import ANSWERS, Ask, Refusal, Reply, SumStep, from_bytes, to_bytes
from fedmm_edu.distributed.wiretap import Wiretap
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Bernoulli, Clients, FixedScaleQuantization, FixedSize
from fedmm_edu.federation.packing import pack_bits, with_sign
from fedmm_edu.studies.attack import jobs
from fedmm_edu.studies.attack.listen import attack
from tests.distributed.federations import error, gap, limit, nodes_of, regression, secure, variates, with_identities
from tests.distributed.test_page import PAGE

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of two packages under Flower


@pytest.mark.parametrize("K", [2, 3])
def test_equals_the_in_process_run_bit_for_bit(K):
    fed = secure(compressor=FixedScaleQuantization(12, 4.0, halve_every=2))
    plan, engine, state = nodes_of(fed, K)
    expected = fed.init(np.zeros(fed.dim))
    for _ in range(5):
        expected = fed.step(expected)
        state, report = one_round(plan, engine, state)
        assert report.arrived == tuple(range(K))
        np.testing.assert_array_equal(state.x, expected.x)
    np.testing.assert_array_equal(state.V, expected.V_server)
    np.testing.assert_array_equal(np.concatenate(variates(engine, state)), expected.V_clients)
    assert state.W.size == 0
    assert 8 * state.rows_up == 5 * K * 8 * -(-plan.width * plan.dim // 8)


def test_in_one_process_it_converges_and_v_is_the_sum():
    """The rounding shrinks with the scale: the limit is that of centralised MM, and V = Σ μ_i V_i to the last bits."""
    fed = secure(compressor=FixedScaleQuantization(16, 4.0, halve_every=5), alpha=1.0)
    state = fed.init(np.zeros(fed.dim))
    for _ in range(100):
        state = fed.step(state)
    assert error(state.x, limit(fed)) < 1e-7
    assert np.abs(state.V_server - fed.clients.mu @ state.V_clients).max() < 1e-16
    assert state.bits_up == 100 * 6 * fed.dim * (16 + 3 + 1 + 16)


@pytest.mark.parametrize("step", SumStep)
def test_a_node_that_drops_out_in_any_step_is_a_term_less(step):
    """Before the terms: the sum is of the others. After: it counts, and is opened without it. V is right in each."""
    fed = secure()
    plan, nodes, state = with_identities(nodes_of(fed, 4)) if step is SumStep.AGREE else nodes_of(fed, 4)
    state, _ = one_round(plan, nodes, state, attempts=1)
    held = variates(nodes, state)
    engine = Misbehaving(
        nodes.nodes, lambda c, k: Fault.LOSE_REPLY if k == 0 and c == plan.steps.index(step) + 1 else None
    )
    after, report = one_round(plan, engine, state, attempts=1)
    counts = step in (SumStep.AGREE, SumStep.OPEN)
    assert report.arrived == ((0,) if counts else ()) + (1, 2, 3)
    moved = sum(plan.mu[plan.nodes[k]] @ (variates(nodes, after)[k] - held[k]) for k in report.arrived)
    np.testing.assert_allclose(after.V, state.V + moved, rtol=0, atol=1e-15)
    assert np.abs(moved).max() > 1e-3
    after, report = one_round(plan, nodes, after, attempts=1)
    assert report.arrived == (0, 1, 2, 3)
    assert report.rebased == ()
    assert gap(plan, nodes, after) < 1e-15


def test_faults_of_all_kinds_break_no_sum():
    """What is lost, late, twice, damaged, or gone from a node's disk; V = Σ μ_i V_i whenever all nodes have theirs."""
    rng, fed = Random(1), secure()
    plan, nodes, state = nodes_of(fed, 3)
    kinds, faulty = list(Fault), True
    engine = Misbehaving(nodes.nodes, lambda c, k: rng.choice(kinds) if faulty and rng.random() < 0.12 else None, 5)
    gaps, rebased = [], set()
    for round_ in range(20):
        faulty = round_ < 17
        try:
            state, report = one_round(plan, engine, state, attempts=2)
        except NobodyAnswered:
            continue
        rebased.update(report.rebased)
        gaps.append(gap(plan, engine, state))
    assert sum(engine.injected.values()) > 15
    assert np.nanmax(gaps) < 1e-15
    assert gaps[-1] < 1e-15
    assert rebased


def test_a_lost_state_makes_all_nodes_start_again():
    """Nobody but the node knew what of V was its: V = 0 everywhere, the node is named, and the limit is the same."""
    fed = secure(compressor=FixedScaleQuantization(16, 4.0, halve_every=12))
    plan, engine, start = nodes_of(fed, 2)
    state = federate(plan, engine, start, 4)
    engine.nodes[1].store.write(b"")
    state, report = one_round(plan, engine, state)
    assert report.rebased == (1,)
    assert gap(plan, engine, state) < 1e-15
    state = federate(plan, engine, state, 20)
    assert error(state.x, limit(fed)) < 1e-2


def test_too_few_nodes_open_nothing():
    """Two of four are no majority: the round is not closed, and the next one goes on from where all were."""
    plan, nodes, start = nodes_of(secure(), 4)
    engine = Misbehaving(nodes.nodes, lambda c, k: Fault.LOSE_REQUEST if k > 1 and c >= 4 else None)
    with pytest.raises(NobodyAnswered, match="2 nodes take part in the secure sum, and it needs 3 of 4"):
        one_round(plan, engine, start, attempts=1)
    state, report = one_round(plan, nodes, start)
    assert report.arrived == (0, 1, 2, 3)
    assert gap(plan, nodes, state) < 1e-15


def played(plan, engine, start):
    """One round, and the asks and answers of node 0 by their step."""
    tap = Wiretap(engine)
    state, _ = one_round(plan, tap, start)
    asks = [raw for raw in tap.tape if _kind(raw) is Ask]
    return state, {ask.step: (ask, raw) for raw in asks if (ask := from_bytes(raw, Ask)).node == 0}, tap.tape


def _kind(raw):
    return type(from_bytes(raw, Ask, *ANSWERS))


def test_a_node_answers_each_step_once():
    """The same bytes have the same answer; another request, or another set of survivors, has none."""
    plan, engine, start = nodes_of(secure(), 3)
    _, asks, tape = played(plan, engine, start)
    node = engine.nodes[0]
    opening, raw = asks[SumStep.OPEN]
    assert node.answer(raw) in tape
    for other in (
        replace(opening, nodes=opening.nodes[:2]),  # would open the seed of one whose key is opened
        replace(opening, tag=bytes(16)),
        asks[SumStep.TERMS][0],
        replace(asks[SumStep.TERMS][0], inner=b""),
    ):
        assert isinstance(from_bytes(node.answer(to_bytes(other)), *ANSWERS), Refusal)
    kept = node.store.read()
    bare = asks[SumStep.TERMS][0].inner
    assert "it is a 'Request', expected a 'Ask'" in from_bytes(node.answer(bare), *ANSWERS).reason
    assert node.store.read() == kept


def test_terms_look_random_and_hide_what_is_sent():
    """Two runs of one plan: the same sums, other terms; no term is the sum's, and bits are as often 0 as 1."""
    plan, _, start = nodes_of(secure(), 3)
    heard, ends = [], []
    for _ in range(2):
        _, engine, _ = nodes_of(secure(), 3)
        state, _, tape = played(plan, engine, start)
        heard.append([from_bytes(raw, Reply).rows for raw in tape if _kind(raw) is Reply])
        ends.append(state.x)
    np.testing.assert_array_equal(*ends)
    assert len({*heard[0], *heard[1]}) == 6
    from fedmm_edu.distributed.masks import mask_of, new_seed

    bits = np.unpackbits(mask_of(new_seed(), 4000, 20).astype("<u4").view(np.uint8), bitorder="little")
    share = bits.reshape(4000, 32).mean(axis=0)
    assert np.abs(share[:20] - 0.5).max() < 0.05
    assert not share[20:].any()


def test_the_attack_fails_and_would_not_without_masks(monkeypatch):
    """The control first: the same run whose masks are all zero gives away V_i to the bit, and the records."""
    masked = attack(jobs.secure(6), 4, starts=1, looks=1)
    for found in masked:
        assert found.V > 1.0
        assert found.statistic > 1.0
        assert len(found.guesses[-1].z) == 0
    for module in (veil_module, gathering_module):
        monkeypatch.setattr(module, "mask_of", lambda seed, q, width: np.zeros(q, np.uint64))
        monkeypatch.setattr(module, "mask_between", lambda private, public, q, width: np.zeros(q, np.uint64))
    for found in attack(jobs.secure(6), 12, starts=3, looks=1):
        assert found.V == 0.0
        assert found.statistic < 1e-3
        assert (len(found.guesses[-1].z) > 0) == (found.records == 1)
        if found.records == 1:
            assert found.errors[-1] < 1e-2


def test_the_command_prints_what_the_page_quotes(capsys):
    assert main(["attack", "secure", "--rounds", "2", "--starts", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] in PAGE


def test_what_cannot_be_a_secure_sum_is_refused():
    with pytest.raises(InvalidInput, match=r"rows of UniformQuantization\(b=8\) have none in common: use"):
        secure(compressor=regression().compressor)
    for law in (Bernoulli(0.5), FixedSize(3)):
        with pytest.raises(InvalidInput, match="can be solved for what each has sent"):
            secure(participation=law)
    with pytest.raises(InvalidInput, match="with one client"):
        replace(secure(), clients=Clients.of([np.ones((2, 4))]))
    with pytest.raises(InvalidInput, match="with one node"):
        nodes_of(secure(), 1)
    plan, _, start = nodes_of(secure(), 2)
    with pytest.raises(InvalidInput, match="opening sends sums in the clear"):
        ServerState.start(plan, start.x, "mean_field")
    assert plan.key != nodes_of(secure(secure_sum=False), 2)[0].key


def test_a_term_beyond_the_scale_is_named_without_its_numbers():
    plan, engine, start = nodes_of(secure(compressor=FixedScaleQuantization(16, 2.0**-20)), 2)
    with pytest.raises(NobodyAnswered, match="its term is beyond the scale: choose a larger one") as caught:
        one_round(plan, engine, start)
    assert "an entry of" not in str(caught.value)


def test_a_sum_that_no_clients_can_make_counts_for_nobody():
    """A node that sends nonsense spoils the round, is not named, and leaves no gap in V."""
    plan, nodes, start = nodes_of(secure(), 3)
    state, _ = one_round(plan, nodes, start)

    class Liar(Wiretap):
        def exchange(self, requests):
            for k, raw in super().exchange(requests):
                message = from_bytes(raw, *ANSWERS)
                if k == 1 and isinstance(message, Reply):
                    far = np.full(plan.dim, 1 << (plan.width - 1), np.uint64)
                    rows = np.frombuffer(message.rows, np.uint8) ^ np.frombuffer(pack_bits(far, plan.width), np.uint8)
                    raw = to_bytes(replace(message, rows=rows.tobytes()))
                yield k, raw

    after, report = one_round(plan, Liar(nodes), state)
    assert report.arrived == ()
    assert [k for k, _ in report.refused] == [-1]
    assert "larger than what its clients may send" in report.refused[0][1]
    np.testing.assert_array_equal(after.V, state.V)
    after, report = one_round(plan, nodes, after)
    assert report.arrived == (0, 1, 2)
    assert gap(plan, nodes, after) < 1e-15


def test_integers_with_signs_come_back():
    numbers = np.array([0, 1, -1, 2**18, -(2**19)])
    codes = numbers.astype(np.uint64) & np.uint64(2**20 - 1)
    np.testing.assert_array_equal(with_sign(codes, 20), numbers)
