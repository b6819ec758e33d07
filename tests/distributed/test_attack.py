"""What the messages of a run say: V_i to the bit, whatever was lost; and the data of clients with one record."""

import functools
import operator
import struct

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from fedmm_edu.algorithms import FedMM, ParameterSpace
from fedmm_edu.cli import main
from fedmm_edu.distributed import Fault, Job, Misbehaving, Places, Plan, federate
from fedmm_edu.distributed.wiretap import Overheard, Wiretap
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import Clients, WithNoise
from fedmm_edu.studies.attack import jobs
from fedmm_edu.studies.attack.listen import attack, listened
from fedmm_edu.studies.attack.records import one_record
from tests.distributed.federations import nodes_of, regression
from tests.distributed.test_page import PAGE


def held(engine, heard):
    """V_i of the nodes, in the histories up to which they were heard."""
    return np.concatenate([node.at(heard.base(k)).V for k, node in engine.nodes.items()])


@pytest.mark.parametrize("V", ["zero", "mean_field"])
def test_control_variates_are_rebuilt(V):
    """To the bit from V_{0,i} = 0; from h_i(Ŝ_0) up to the rounding of μ_i V_{0,i}, where a client is alone."""
    plan, engine, start = nodes_of(regression(), 6, V)
    tap = Wiretap(engine)
    federate(plan, tap, start, 12)
    heard = Overheard.of(plan, tap.tape)
    found, truth = heard.V, held(engine, heard)
    assert np.abs(truth).min() > 0.0
    np.testing.assert_allclose(found, truth, rtol=0.0 if V == "zero" else 1e-12)


def test_control_variates_are_rebuilt_whatever_happens_to_messages():
    """All kinds of faults, several clients a node: what a node committed is what the next request names."""
    plan, engine, start = nodes_of(regression(), 3)
    rng, kinds = np.random.default_rng(4), list(Fault)
    faulty = Misbehaving(engine.nodes, lambda c, k: kinds[rng.integers(len(kinds))] if rng.random() < 0.5 else None)
    tap = Wiretap(faulty)
    federate(plan, tap, start, 40, attempts=4)
    heard = Overheard.of(plan, tap.tape)
    assert len(faulty.injected) == len(kinds)
    held_there = {k: node.at(heard.base(k)) for k, node in engine.nodes.items()}
    known = {k: state.V for k, state in held_there.items() if state is not None}
    assert known
    for k, V in known.items():
        np.testing.assert_array_equal(heard.V[plan.nodes[k]], V)


@pytest.mark.parametrize(("name", "fit", "near"), [("regression", 2, 1e-4), ("mixture", 1, 1e-5)])
def test_records_are_rebuilt(name, fit, near):
    """One record: found to many digits, in least squares up to its sign, which no gradient tells. Of forty: none."""
    for found in attack(jobs.HEARD[name](6), 30, starts=4, looks=1):
        assert found.V == 0.0
        assert found.statistic <= 1e-4
        if found.records == 1:
            assert len(found.guesses[-1].z) == fit
            assert found.errors[-1] <= near
        else:
            assert len(found.guesses[-1].z) == 0


def test_the_rebuilding_has_no_access_to_the_nodes():
    """The same from a plan without data and a tape that was written down."""
    job = jobs.regression(6)
    tap = Wiretap(job.in_process())
    federate(job.plan, tap, job.start, 8)
    blind = Plan.of(_settings(job), 6)
    assert blind.key == job.plan.key
    assert isinstance(blind.clients, Places)
    whole = Overheard.of(job.plan, tap.tape)
    alone = Overheard.of(blind, [bytes(raw) for raw in tap.tape])
    np.testing.assert_array_equal(alone.V, whole.V)
    assert [len(seen) for seen in alone.seen] == [len(seen) for seen in whole.seen]
    assert not Overheard.of(blind, [raw[:-1] for raw in tap.tape]).V.any()


def _settings(job):
    """The settings of the job, with other data."""
    plan = job.plan
    clients = Clients.of([np.ones((size, jobs.P)) for size in jobs.SIZES])
    return FedMM(
        plan.problem, clients, plan.gamma, participation=plan.participation, compressor=plan.compressor,
        alpha=plan.alpha, seed=plan.seed,
    )  # fmt: skip


def test_the_command_prints_what_the_page_quotes(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["attack", "--out", str(tmp_path / "picture.png")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "\n".join(lines[:-1]) in PAGE
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_noise_hides_records():
    """The best fit of one record to noisy statistics, however good it is asked to be, is far from the record."""
    plan = jobs.regression(6).plan
    clients = Clients.of([jobs.regression(6).data(k).z for k in range(6)])
    moves = 2.0 * plan.problem.rho * 2.0  # rows of norm 2, slopes up to 1; of a multiplier of 1
    fed = FedMM(plan.problem, clients, plan.gamma, oracle=WithNoise(moves, seed=1), compressor=plan.compressor)
    heard, _ = listened(Job.of(fed, np.zeros(2), 6), 20)
    for i in range(4):
        best = one_record(plan.problem, heard.seen[i], jobs.P, np.inf, clients[i] * 1.01)
        assert best.error(clients[i][0]) > 0.05


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # two packages under Flower deprecate each other
def test_why_masks_of_flower_are_not_used():
    """What the page says of `pseudo_rand_gen` in Flower 1.41: should this fail, look again whether it serves."""
    from flwr.common.secure_aggregation.secaggplus_utils import pseudo_rand_gen

    key, turned = bytes(range(32)), bytes(range(4, 32)) + bytes(range(4))
    masks = [pseudo_rand_gen(each, 2**32, [(9,)])[0] for each in (key, turned)]
    np.testing.assert_array_equal(masks[0], masks[1])
    folded = [functools.reduce(operator.xor, struct.unpack("<11I", key)) for key in _shared_keys(40)]
    assert max(folded) < 2**31
    assert functools.reduce(operator.or_, folded) == 0x7F7F7F7F  # 28 bits of 256
    seed = folded[0]
    drawn = np.random.RandomState(seed).randint(0, 2**32 - 1, (5,), dtype=np.int64)
    np.testing.assert_array_equal(pseudo_rand_gen(struct.pack("<I", seed), 2**32, [(5,)])[0], drawn)
    assert set(pseudo_rand_gen(key, 4, [(2000,)])[0].tolist()) == {0, 1, 2}


def _shared_keys(count):
    from flwr.common.secure_aggregation.crypto.symmetric_encryption import generate_shared_key

    for _ in range(count):
        mine, theirs = (ec.generate_private_key(ec.SECP384R1()) for _ in range(2))
        yield generate_shared_key(mine, theirs.public_key())


def test_messages_that_are_no_surrogates_are_refused():
    clients = Clients.of([np.ones((2, 3))] * 2)
    fed = FedMM(Quadratic(2, 0.1), clients, 0.5, space=ParameterSpace())
    with pytest.raises(InvalidInput, match="records are rebuilt from surrogates"):
        attack(Job.of(fed, np.zeros(2), 2), 3)
    assert main(["attack", "nobody"]) == 2
    assert main(["attack", "--starts", "0"]) == 2
