"""Each relative on the loop is what the literature defines, and no bug of the museum is.

Adding an entry adds a definition (in `definitions.py`), a tuning here, and with them all these tests.
"""

from dataclasses import replace

import numpy as np
import pytest

from fedmm_edu.algorithms import Adam, run
from fedmm_edu.algorithms.memories import VFromIterates
from fedmm_edu.algorithms.server import HeavyBall, Yogi
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Bernoulli, Clients, CustomLaw, RandK, TopK
from fedmm_edu.relatives import Demand, Relative, Tuning, relatives
from tests.relatives.case import LAM, Case, clients, mixed_clients, mixture, problem
from tests.relatives.definitions import DEFINITIONS

START = np.array([1.0, -2.0, 0.5])
ROUNDS = 12
PLAIN = Tuning(eta=0.05, steps=4, active=3, seed=3)
TUNINGS: dict[str, Tuning] = {
    "fedmm": replace(PLAIN, compressor=RandK(2), alpha=0.2, gamma=0.7),
    "naive": replace(PLAIN, compressor=RandK(2), alpha=0.2, gamma=0.7),
    "accelerated": replace(PLAIN, active=None, alpha=0.0),
    "fedavg": replace(PLAIN, compressor=RandK(2)),
    "fedprox": PLAIN,
    "scaffold": replace(PLAIN, gamma=1.4),
    "scaffnew": replace(PLAIN, active=None, p=0.3),
    "feddyn": PLAIN,
    "fedavgm": replace(PLAIN, gamma=0.6),
    "fedadam": replace(PLAIN, gamma=0.1),
    "fedyogi": replace(PLAIN, gamma=0.1),
    "fedadagrad": replace(PLAIN, gamma=0.1),
    "proxskip": replace(PLAIN, active=None, p=0.3),
    "fedmid": replace(PLAIN, gamma=0.7),
    "feddualavg": replace(PLAIN, gamma=1.3),
    "qsgd": replace(PLAIN, compressor=RandK(2)),
    "gdci": replace(PLAIN, active=None, compressor=RandK(2), gamma=0.4),
    "diana": replace(PLAIN, active=None, compressor=RandK(2), alpha=0.4),
    "prox-diana": replace(PLAIN, active=None, compressor=RandK(2), alpha=0.4),
    "ef21": replace(PLAIN, compressor=TopK(1)),
    "marina": replace(PLAIN, active=None, compressor=RandK(2), p=0.3),
    "ef-sgd": replace(PLAIN, active=None, compressor=TopK(1)),
    "marfoq": replace(PLAIN, active=None),
    "marfoq-in-s": replace(PLAIN, active=None),
    "mcm": replace(PLAIN, active=None, compressor=RandK(2), alpha=0.4),
}
every_relative = pytest.mark.parametrize("relative", relatives().values(), ids=relatives().keys())


def penalty(relative: Relative) -> float:
    """λ of the ℓ1 penalty in the tests of a relative: 0 for those that have no place for g."""
    return 0.0 if Demand.NO_PENALTY in relative.needs else LAM


def on_the_loop(relative: Relative):
    if Demand.MIXTURE in relative.needs:
        fed = relative.on(mixture(), mixed_clients(), TUNINGS[relative.key])
        return fed, relative.start(fed, np.array([-0.5, 0.3, 2.0, 1.0]))
    fed = relative.on(problem(penalty(relative)), clients(), TUNINGS[relative.key])
    return fed, relative.start(fed, START)


def test_each_entry_has_its_definition_and_tuning():
    assert relatives().keys() == DEFINITIONS.keys() == TUNINGS.keys()


@every_relative
def test_the_loop_is_the_definition(relative):
    """θ_1, …, θ_T to 1e-12."""
    fed, state = on_the_loop(relative)
    expected = DEFINITIONS[relative.key](Case(TUNINGS[relative.key], penalty(relative)), state.x, ROUNDS)
    assert len(expected) == ROUNDS
    for theta in expected:
        state = fed.step(state)
        np.testing.assert_allclose(fed.theta(state), theta, rtol=1e-12, atol=1e-12)
    assert np.abs(expected[-1] - expected[0]).max() > 1e-2


@pytest.mark.parametrize(
    ("relative", "bug"), [pytest.param(r, b, id=f"{r.key}: {b.key}") for r in relatives().values() for b in r.bugs]
)
def test_a_bug_of_the_museum_is_not_the_loop(relative, bug):
    """The definition with the bug is another trajectory than the one without, and than the loop."""
    fed, state = on_the_loop(relative)
    wrong = DEFINITIONS[relative.key](Case(TUNINGS[relative.key], penalty(relative), bug.key), state.x, ROUNDS)
    ends = run(fed, state, ROUNDS, columns={"theta": lambda fed, before, after: fed.theta(after)}, every=1)[1].theta[1:]
    assert np.abs(ends - np.array(wrong)).max() > 1e-4


@every_relative
def test_V_is_the_weighted_mean_of_what_clients_hold(relative):
    fed, state = on_the_loop(relative)
    for _ in range(ROUNDS):
        state = fed.step(state)
        np.testing.assert_allclose(state.V_server, fed.clients.mu @ state.V_clients, rtol=0, atol=1e-12)


@every_relative
def test_a_run_that_was_interrupted_ends_bit_for_bit(relative, tmp_path):
    fed, state = on_the_loop(relative)
    columns = {"theta": lambda fed, before, after: fed.theta(after)}
    whole, _ = run(fed, state, ROUNDS, columns=columns)
    file = tmp_path / "run.npz"
    run(fed, state, 5, columns=columns, every=(), checkpoint=file)
    resumed, _ = run(fed, state, ROUNDS, columns=columns, every=(), checkpoint=file)
    for name, value in whole.arrays().items():
        np.testing.assert_array_equal(resumed.arrays()[name], value, err_msg=name)


def test_what_a_relative_needs_is_refused_by_name():
    weighted = Clients.of([np.array(z) for z in clients()], np.array([0.1, 0.2, 0.3, 0.2, 0.2]))
    with pytest.raises(InvalidInput, match=r"SCAFFOLD.* needs equal weights"):
        relatives()["scaffold"].on(problem(0.0), weighted, PLAIN)
    with pytest.raises(InvalidInput, match="Scaffnew needs all clients"):
        relatives()["scaffnew"].on(problem(0.0), clients(), PLAIN)
    unlike = CustomLaw(lambda u: u < 0.5, (0.1, 0.2, 0.3, 0.2, 0.2))
    for key, tuning, says in (
        ("feddualavg", replace(PLAIN, gamma=lambda t: 1 / t), "must be one number"),
        ("fedadam", replace(PLAIN, server=Yogi()), r"give Adam\(…\)"),
        ("scaffold", replace(PLAIN, active=unlike), "the same for all"),
        ("marina", replace(PLAIN, active=Bernoulli(0.5)), "needs all clients"),
        ("scaffold", replace(PLAIN, gamma=-1.0), "give a positive number|gamma = -1"),
    ):
        with pytest.raises(InvalidInput, match=says):
            relatives()[key].on(problem(0.3 if key == "feddualavg" else 0.0), clients(), tuning)


def test_constants_of_the_server_and_the_law_of_a_round_are_ones_own():
    """FedAdam with τ, FedAvgM with β, SCAFFOLD with Bernoulli(p): what is given is what runs."""
    fed = relatives()["fedadam"].on(problem(0.0), clients(), replace(PLAIN, server=Adam(tau=0.1)))
    assert fed.server == Adam(tau=0.1)
    heavy = relatives()["fedavgm"].on(problem(0.0), clients(), replace(PLAIN, server=HeavyBall(0.0), gamma=1.0))
    plain = relatives()["fedavg"].on(problem(0.0), clients(), PLAIN)
    ends = [run(fed, fed.init(START), ROUNDS, columns={})[0].x for fed in (heavy, plain)]
    np.testing.assert_array_equal(*ends)
    fed = relatives()["scaffold"].on(problem(0.0), clients(), replace(PLAIN, active=Bernoulli(0.5)))
    assert (fed.participation, fed.alpha) == (Bernoulli(0.5), 0.5)


@pytest.mark.parametrize("key", ["scaffnew", "proxskip"])
def test_clients_who_know_x_work_V_out(key):
    """With γ = 0.7, too: the rounds are those of clients to whom V_t is sent, and d numbers come down, not 2d."""
    tuning = replace(TUNINGS[key], gamma=0.7)
    fed = relatives()[key].on(problem(penalty(relatives()[key])), clients(), tuning)
    assert isinstance(fed.work, VFromIterates)
    told = replace(fed, work=fed.work.inner)
    ends = [run(each, relatives()[key].start(each, START), ROUNDS, columns={})[0] for each in (fed, told)]
    np.testing.assert_allclose(ends[0].x, ends[1].x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ends[0].V_clients, ends[1].V_clients, rtol=1e-12, atol=1e-12)
    assert 2 * ends[0].bits_down == ends[1].bits_down
