"""What `run` records unless told otherwise: so seldom that it costs little, counted, not timed, all columns alike."""

from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.algorithms import (
    ITERATES,
    STANDARD,
    ControlledSteps,
    DualSteps,
    DynamicSteps,
    ErrorFeedback,
    FedMM,
    Fixed,
    FreshDifferences,
    Geometric,
    LocalSteps,
    ParameterSpace,
    ProximalSteps,
    Surrogates,
    VFromIterates,
    affordable,
    incremental,
    run,
)
from fedmm_edu.algorithms.fingerprint import fingerprint
from fedmm_edu.algorithms.run import A_ROUND, A_ROW, SHARE
from fedmm_edu.errors import StateMismatch
from fedmm_edu.examples.dictionary import DictionaryLearning, SparseCodes, UnitBall
from fedmm_edu.examples.quadratic import L1, Quadratic
from fedmm_edu.federation import (
    Bernoulli,
    Clients,
    CustomLaw,
    Everyone,
    FixedSize,
    FullBatch,
    MiniBatch,
    Oracle,
    Stream,
    UniformQuantization,
    WithNoise,
)
from fedmm_edu.relatives.folded import Folded
from tests.numeric.instances import seeds

D = 4
OBJECTIVE = {"objective": STANDARD["objective"]}
UPDATES = {"surrogate_update": STANDARD["surrogate_update"]}
CHEAP = {name: of for name, of in STANDARD.items() if name != "objective"}
OWN = {"own": lambda fed, before, after: after.x[0]}

laws = st.one_of(
    st.just(Everyone()),
    st.floats(0.01, 1.0).map(Bernoulli),
    st.integers(1, 3).map(FixedSize),
    st.tuples(*[st.floats(0.01, 1.0)] * 3).map(lambda p: CustomLaw(lambda u: u < p, p)),
)
oracles = st.one_of(
    st.just(FullBatch()), st.integers(1, 900).map(MiniBatch), st.integers(1, 900).map(Stream),
    st.just(WithNoise(0.1, seed=1)),
)  # fmt: skip
sizes_of_three = st.lists(st.integers(1, 900), min_size=3, max_size=3)


def clients(sizes=(300, 500, 200), d=D) -> Clients:
    return Clients.of_rows(np.random.default_rng(1).normal(size=(sum(sizes), d + 1)), sizes)


def regression(held: Clients | None = None, **parts) -> FedMM:
    return FedMM(Quadratic(D, 0.1, penalty=L1(0.1)), held or clients(), 0.3, **parts)


def named(oracle: Oracle, held: Clients, seed: int = 0) -> np.ndarray:
    """How many rows each client is told to average, when all are asked."""
    fed = regression(held, oracle=oracle, seed=seed)
    return np.diff(oracle.rows(held, fed.draws(5))[1])


@settings(max_examples=60, deadline=None)
@given(laws, oracles, sizes_of_three, st.integers(1, 4), st.sampled_from([STANDARD, OBJECTIVE, CHEAP, OWN, {}]))
def test_a_row_looks_at_its_share_of_the_rounds_and_no_round_more_is_left_out(law, oracle, sizes, K, columns):
    """Numbers counted by hand: of samples p + d each, and what a round or a row has besides; k is the smallest."""
    held = clients(sizes)
    fed = regression(held, participation=law, oracle=oracle, work=LocalSteps(0.1, Fixed(K)))
    asked = K * sum(p * rows for p, rows in zip(law.probability(3), named(oracle, held), strict=True))
    looked = sum(sizes) if columns not in (CHEAP, {}) else 0
    rounds = D + A_ROUND + (D + 1 + D) * asked
    row = max(rounds, D + A_ROW + (D + 1 + D) * looked)
    k = affordable(fed, columns)
    assert k >= SHARE
    assert row <= k * rounds / SHARE * (1 + 1e-9)
    assert k == SHARE or row > (k - 1) * rounds / SHARE * (1 - 1e-9)


def test_the_rule_on_known_settings():
    """Few samples cost what a round, and a row four times, cost anyway; many are what counts."""
    large, tiny = clients([5000] * 20), clients([10] * 3)
    assert affordable(regression(large, participation=Bernoulli(0.5), oracle=MiniBatch(500))) == 187
    assert affordable(regression(large, participation=FixedSize(10))) == 21
    assert affordable(regression(large)) == 11
    assert [affordable(regression(tiny), of) for of in (STANDARD, CHEAP)] == [39, 38]
    assert affordable(regression(tiny, oracle=Stream(1))) == 41
    assert affordable(regression(large), CHEAP) == affordable(regression(large), ITERATES) == 10
    assert affordable(regression(large), OWN) == affordable(regression(large), OBJECTIVE)
    assert affordable(regression(large, work=LocalSteps(0.1, Fixed(4)))) == 10
    inside = regression(large, space=ParameterSpace())
    assert [affordable(inside, of) for of in (OBJECTIVE, UPDATES, STANDARD, ITERATES)] == [11, 21, 31, 10]
    assert affordable(incremental(Quadratic(D, 0.1), large.z[:1000])) == 37  # x holds all s_j


def test_a_loss_that_starts_anew_counts_twice():
    """Rounds start at remembered codes, which the objective cannot; also where a penalty is folded in."""
    held = clients([5000] * 4, d=5)
    cold, warm = (DictionaryLearning(6, 3, SparseCodes(0.1), UnitBall(0.1), remember=on) for on in (False, True))
    assert [affordable(FedMM(problem, held, 0.3)) for problem in (cold, warm)] == [11, 21]
    assert Folded(Quadratic(D, 0.1), np.zeros(D)).loss_in_S_bars == 1.0


@settings(max_examples=30, deadline=None)
@given(oracles, sizes_of_three, seeds)
def test_oracles_look_at_as_many_samples_as_they_say(oracle, sizes, seed):
    held = clients(sizes)
    np.testing.assert_array_equal(oracle.samples(held), named(oracle, held, seed))


@dataclass(frozen=True)
class Counted(Oracle):
    """All samples, and how often a client was asked."""

    asked: list[int] = field(default_factory=list)

    def rows(self, clients, draws):
        return clients.rows(draws.clients)

    def __call__(self, problem, clients, theta, draws):
        self.asked.append(len(draws.clients))
        return super().__call__(problem, clients, theta, draws)


STEPS = LocalSteps(0.1, Fixed(3))
WORKS = (
    Surrogates(), STEPS, ControlledSteps(0.1, Fixed(2)), DynamicSteps(0.1, 0.1, Fixed(4)), ProximalSteps(0.1, Fixed(5)),
    DualSteps(0.1, 0.1, Fixed(2)), ErrorFeedback(STEPS), FreshDifferences(0.5, STEPS), VFromIterates(0.3, STEPS),
)  # fmt: skip


@pytest.mark.parametrize("work", WORKS, ids=lambda work: type(work).__name__)
def test_work_asks_its_oracle_as_often_as_it_says(work):
    oracle = Counted()
    fed = regression(oracle=oracle, work=work, space=ParameterSpace())
    assert fed.samples_a_round == 1000 * work.asks
    fed.step(fed.init(np.zeros(D)))
    assert sum(oracle.asked) == 3 * work.asks
    assert LocalSteps(0.1, Geometric(0.25)).asks == 4.0


class Looking(Quadratic):
    """Counts the samples at which rounds and rows look."""

    def __init__(self, d: int) -> None:
        super().__init__(d, 0.1)
        self.seen = {"loss": 0, "S_bar": 0}

    def loss(self, z, theta):
        self.seen["loss"] += len(z)
        return super().loss(z, theta)

    def mean_S_bars(self, z, offsets, theta, names=None):
        self.seen["S_bar"] += len(z)
        return super().mean_S_bars(z, offsets, theta, names)


@pytest.mark.parametrize("oracle", [FullBatch(), MiniBatch(40)], ids=repr)
def test_the_rows_of_a_run_look_at_less_than_a_fifth_of_its_samples(oracle):
    """Counted as the run goes, over 3 k rounds in which as many clients take part as are expected."""
    problem = Looking(500)
    fed = FedMM(problem, clients([200] * 6, d=500), 0.1, oracle, FixedSize(3))
    rounds = 3 * affordable(fed)
    run(fed, fed.init(np.zeros(500)), rounds)
    assert problem.seen["S_bar"] == rounds * fed.samples_a_round
    assert problem.seen["loss"] == 4 * 1200
    assert problem.seen["loss"] < problem.seen["S_bar"] / 5


def lossy(**parts) -> FedMM:
    return regression(clients([9, 4, 7]), oracle=MiniBatch(2), participation=Bernoulli(0.5),
                      compressor=UniformQuantization(4), alpha=0.1, seed=3, **parts)  # fmt: skip


@pytest.mark.parametrize("rounds", [0, 1, 81, 82, 83])
def test_columns_share_their_rounds_and_no_row_is_half_empty(rounds):
    """Start, every k-th round, the last; each row is that of the run that records all; two runs are the same bits."""
    fed = lossy()
    start, k = fed.init(np.zeros(D)), affordable(fed)
    state, history = run(fed, start, rounds)
    assert history.t.tolist() == sorted({*range(0, rounds + 1, k), rounds})
    again, whole = run(fed, start, rounds)[1], run(fed, start, rounds, every=1)
    np.testing.assert_array_equal(state.x, whole[0].x)
    for name, column in history.columns.items():
        assert len(column) == len(history.t)
        assert np.isfinite(column[1:]).all()
        np.testing.assert_array_equal(column, again.columns[name], err_msg=name)
        np.testing.assert_array_equal(column, whole[1].columns[name][history.t.astype(int)], err_msg=name)
    assert np.isfinite(history.objective).all()


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=3))
def test_a_run_that_goes_on_records_what_one_run_does(tmp_path_factory, legs):
    """But for the last row of each leg, which is kept where no k-th round is."""
    fed, file = lossy(), tmp_path_factory.mktemp("legs") / "run.npz"
    start, k, ends = fed.init(np.zeros(D)), affordable(fed), np.cumsum(legs).tolist()
    histories = [run(fed, start, end, checkpoint=file)[1] for end in ends]
    whole = run(fed, start, ends[-1])[1]
    assert histories[-1].t.tolist() == sorted({*whole.t.tolist(), *ends})
    kept = (histories[-1].t % k == 0) | (histories[-1].t == ends[-1])
    for name, column in histories[-1].columns.items():
        np.testing.assert_array_equal(column[kept], whole.columns[name], err_msg=name)
    for one, other in pairwise(histories):
        assert set(one.t) <= set(other.t)


def test_a_file_knows_the_rounds_that_are_recorded_and_not_who_chose_them(tmp_path):
    """A file of `every=1` is one of the time when that was the default; the default is the k that it comes to."""
    fed = lossy()
    start, k = fed.init(np.zeros(D)), affordable(fed)
    for every in (1, k):
        run(fed, start, 3, every=every, checkpoint=tmp_path / f"{every}.npz")
        with np.load(tmp_path / f"{every}.npz") as saved:
            assert str(saved["fingerprint"]) == fingerprint((fed, start, every, tuple(STANDARD.items())))
    assert run(fed, start, 6, every=1, checkpoint=tmp_path / "1.npz")[1].t.tolist() == list(range(7))
    assert run(fed, start, 6, checkpoint=tmp_path / f"{k}.npz")[1].t.tolist() == [0, 3, 6]
    with pytest.raises(StateMismatch, match="other settings"):
        run(fed, start, 9, checkpoint=tmp_path / "1.npz")


def test_any_mapping_of_columns_will_do():
    """A column need not be hashable, nor the mapping a dictionary."""

    @dataclass
    class Scaled:
        by: float

        def __call__(self, fed, before, after):
            return self.by * after.x[0]

    fed = lossy()
    columns = MappingProxyType({"scaled": Scaled(2.0), **OBJECTIVE})
    assert affordable(fed, columns) == affordable(fed, {**OWN, **OBJECTIVE})
    assert len(run(fed, fed.init(np.ones(D)), 3, columns=columns)[1].scaled) == 2
