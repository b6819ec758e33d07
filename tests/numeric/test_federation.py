"""What compression, participation and named randomness promise; finite laws are enumerated exactly."""

import inspect
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.stats import kstest

from fedmm_edu.algorithms import FedMM
from fedmm_edu.errors import InvalidInput, OutOfScale
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import (
    Bernoulli,
    BlockQuantization,
    Clients,
    CustomLaw,
    Draws,
    Everyone,
    FixedScaleQuantization,
    FixedSize,
    Identity,
    MiniBatch,
    Purpose,
    RandK,
    Stream,
    UniformQuantization,
    WithParticipation,
    compression,
    omega_p,
    uniforms,
)
from fedmm_edu.federation.draws import philox
from fedmm_edu.theory import covered

Q = 4
COMPRESSORS = [
    Identity(),
    RandK(1),
    RandK(3),
    UniformQuantization(2),
    UniformQuantization(3),
    UniformQuantization(8),
    BlockQuantization(4),
    BlockQuantization(3, p=1.0),
    BlockQuantization(2, p=1.5),
    BlockQuantization(3, p=math.inf),
    WithParticipation(UniformQuantization(2), 0.3),
    WithParticipation(RandK(2), 0.75),
]
every_compressor = pytest.mark.parametrize("compressor", COMPRESSORS, ids=repr)
vectors = arrays(np.float64, Q, elements=st.floats(-4, 4, allow_nan=False).map(lambda v: round(v, 3)))


def law(compressor, x):
    """The exact law of Q(x): (probability, value) pairs, from what `compress` does on each cell of the uniforms.

    A rounding operator is constant between the thresholds at which a coordinate switches, and rand-k depends on the
    order of the uniforms alone; so one evaluation per cell, weighted by the volume of the cell, is the whole law.
    """
    if isinstance(compressor, WithParticipation):
        p = compressor.p
        for chance, u in ((p, p / 2), (1 - p, (1 + p) / 2)):
            for inner_chance, point in cells(compressor.inner, x):
                yield chance * inner_chance, evaluate(compressor, x, point, u)
    else:
        for chance, point in cells(compressor, x):
            yield chance, evaluate(compressor, x, point)


def cells(compressor, x):
    if compressor.by_order:
        orders = list(itertools.permutations(range(Q)))
        return [(1 / len(orders), (np.array(order) + 0.5) / Q) for order in orders]
    thresholds = [switch(compressor, x, j) for j in range(Q)]
    sides = itertools.product(*([(t, t / 2), (1 - t, (1 + t) / 2)] for t in thresholds))
    return [(math.prod(w for w, _ in side), np.array([u for _, u in side])) for side in sides]


def switch(compressor, x, j):
    """The u at which coordinate j of Q(x) changes, found by bisection on `compress` itself."""

    def value(u):
        return evaluate(compressor, x, np.full(Q, u))[j]

    low, high = 0.0, 1.0 - 2.0**-53
    if value(low) == value(high):
        return 1.0
    start = value(low)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if value(middle) == start else (low, middle)
    return high


def evaluate(compressor, x, point, participation=0.0):
    def draw(purpose, size):
        row = [participation] if purpose is Purpose.PARTICIPATION else point[:size]
        return np.array([row])

    return compressor.compress(x[None, :], draw)[0]


@every_compressor
@settings(max_examples=15)
@given(x=vectors)
def test_compression_is_unbiased_with_variance_at_most_omega(compressor, x):
    """A4: E[Q(x)] = x and E‖Q(x) − x‖² ≤ ω‖x‖², over the whole law."""
    outcomes = list(law(compressor, x))
    assert sum(p for p, _ in outcomes) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(sum(p * value for p, value in outcomes), x, atol=1e-11)
    variance = sum(p * np.sum((value - x) ** 2) for p, value in outcomes)
    assert variance <= compressor.omega(Q) * float(x @ x) + 1e-10


def test_every_compressor_is_listed():
    """Each that is written in the file has its law enumerated, but one: it is another from round to round."""
    classes = (of for _, of in inspect.getmembers(compression, inspect.isclass))
    written = {of for of in classes if of.__module__ == compression.__name__}
    assert {type(of) for of in COMPRESSORS} == written - {compression.Sometimes}


@pytest.mark.parametrize(
    ("compressor", "worst"),
    [
        (RandK(3), np.array([1.0, -2.0, 0.5, 3.0])),
        (BlockQuantization(4), np.ones(4)),
        (BlockQuantization(4, p=1.0), -np.ones(4)),
        (BlockQuantization(4, p=1.5), np.ones(4)),
        (BlockQuantization(4, p=math.inf), np.array([3.0, 1.0, 1.0, 1.0])),
        (WithParticipation(RandK(2), 0.25), np.ones(4)),
    ],
    ids=repr,
)
def test_omega_is_attained(compressor, worst):
    """ω is the smallest valid constant: at the vector that the docstring names, variance = ω‖x‖²."""
    variance = sum(p * np.sum((value - worst) ** 2) for p, value in law(compressor, worst))
    assert variance == pytest.approx(compressor.omega(Q) * float(worst @ worst), rel=1e-9)


@pytest.mark.parametrize("b", [2, 3, 5])
def test_omega_of_uniform_quantization_is_attained_where_the_docstring_says(b):
    compressor = UniformQuantization(b)
    a = compressor.levels**2 / (Q - 1)
    t = math.sqrt(a * a + a) - a
    worst = np.array([compressor.levels, t, -t, t])
    variance = sum(p * np.sum((value - worst) ** 2) for p, value in law(compressor, worst))
    assert variance == pytest.approx(compressor.omega(Q) * float(worst @ worst), rel=1e-9)

    def ratio(x):
        unit = np.abs(np.append(x, 1.0)) / max(1.0, np.abs(x).max()) * compressor.levels
        return -np.sum((unit % 1) * (1 - unit % 1)) / np.sum(unit**2)

    best = min(minimize(ratio, start, method="Nelder-Mead").fun for start in np.random.default_rng(0).random((20, 3)))
    assert -best <= compressor.omega(Q) * (1 + 1e-9)


@settings(max_examples=25)
@given(x=vectors, b=st.sampled_from([4, 5, 8]))
def test_rounding_on_a_common_grid_is_unbiased_and_its_error_does_not_grow_with_the_row(x, b):
    """E[Q(x)] = x and E‖Q(x) − x‖² ≤ q h²/4 over the whole law; every value is a multiple of h, and comes back."""
    compressor = FixedScaleQuantization(b, 8.0)
    h = compressor.grid
    assert h == 8.0 / 2 ** (b - 1)
    outcomes = list(law(compressor, x))
    np.testing.assert_allclose(sum(p * value for p, value in outcomes), x, atol=1e-11)
    assert sum(p * np.sum((value - x) ** 2) for p, value in outcomes) <= Q * h**2 / 4 + 1e-12
    for _, value in outcomes:
        assert (value / h == np.rint(value / h)).all()
        raw = compressor.encode(x[None], value[None])
        assert len(raw) == -(-Q * b // 8)
        np.testing.assert_array_equal(compressor.decode(raw, 1, Q)[0], value)


def test_the_error_of_a_common_grid_is_attained_halfway_and_is_no_factor_of_the_row():
    compressor = FixedScaleQuantization(4, 8.0)
    worst = np.array([0.5, -1.5, 6.5, 0.5])
    variance = sum(p * np.sum((value - worst) ** 2) for p, value in law(compressor, worst))
    assert variance == pytest.approx(Q / 4)
    with pytest.raises(InvalidInput, match=r"A4 fails. It is noise of the oracle, of variance at most q h²/4 = 1 \(A3"):
        compressor.omega(Q)
    clients = Clients.of([np.ones((2, 3))] * 2)
    fed = FedMM(Quadratic(2, 0.1), clients, 0.5, compressor=compressor, alpha=1.0)
    with pytest.raises(InvalidInput, match="does not cover compressor = FixedScaleQuantization"):
        covered(fed)


def test_a_row_beyond_the_common_grid_is_refused_and_the_grid_gets_finer():
    compressor = FixedScaleQuantization(4, 8.0, halve_every=5)
    draws = Draws(0, 0, np.arange(1))
    edge = np.full((1, Q), -7.0)
    np.testing.assert_array_equal(compressor.compress(edge, draws), edge)
    with pytest.raises(OutOfScale, match=r"an entry of 7.01, and the scale of its round is 8: choose a larger scale"):
        compressor.compress(edge * 1.002, draws)
    assert [compressor.of_round(Draws(0, t, np.arange(1))).scale for t in (1, 4, 5, 9, 10)] == [8.0, 8.0, 4.0, 4.0, 2.0]
    for wrong in ({"scale": 3.0}, {"b": 1}, {"halve_every": 0}, {"scale": np.nan}):
        with pytest.raises(InvalidInput):
            FixedScaleQuantization(**wrong)
    assert compressor.of_round(Draws(0, 10_000, np.arange(1))).scale == 8.0 * 2.0**-30


@given(omega=st.floats(0, 10), p=st.floats(0.01, 1))
def test_omega_p_is_the_variance_factor_of_participation_after_compression(omega, p):
    assert omega_p(omega, p) == pytest.approx((1 + omega) / p - 1, rel=1e-12, abs=1e-12)
    assert omega_p(omega, 1.0) == omega


def test_bits_are_counted_from_the_message():
    assert Identity().bits(10) == 640
    assert RandK(2).bits(16) == 2 * (64 + 4)
    assert UniformQuantization(8).bits(1000) == 8 * 1000 + 64
    assert BlockQuantization(4).bits(10) == 2 * 10 + 3 * 64


def test_quantization_keeps_zeros_and_needs_no_more_than_b_bits():
    x = np.array([[0.0, 1.0, -1.0, 0.3], [0.0, 0.0, 0.0, 0.0]])
    out = UniformQuantization(3).compress(x, lambda purpose, size: np.full((2, size), 1.0 - 2.0**-53))
    assert (out[0, 0], out[1].any()) == (0.0, False)
    assert set(np.round(out[0] * 3)) <= {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0}


def test_philox_agrees_with_the_published_known_answers():
    """The vectors of the reference implementation of Philox4x32-10."""
    known = [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ]
    for counter, key, answer in known:
        words = philox([np.array([w], dtype=np.uint64) for w in counter], key)
        assert tuple(int(w[0]) for w in words) == answer


@given(seed=st.integers(0, 2**64 - 1), t=st.integers(0, 2**32 - 1), who=st.permutations(range(6)))
def test_a_draw_depends_on_its_name_alone(seed, t, who):
    everyone = uniforms(seed, Purpose.COMPRESSION, range(6), t, 5)
    some = uniforms(seed, Purpose.COMPRESSION, who[:3], t, 3)
    assert (some == everyone[who[:3], :3]).all()
    assert ((everyone >= 0) & (everyone < 1)).all()
    assert not (uniforms(seed, Purpose.ORACLE, range(6), t, 5) == everyone).any()


def test_draws_look_uniform_and_independent():
    u = uniforms(12345, Purpose.ORACLE, range(200), 7, 500)
    assert kstest(u.ravel(), "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(u[:-1].ravel(), u[1:].ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(u[:, :-1].ravel(), u[:, 1:].ravel())[0, 1]) < 0.02
    later = uniforms(12345, Purpose.ORACLE, range(200), 8, 500)
    assert abs(np.corrcoef(u.ravel(), later.ravel())[0, 1]) < 0.02


@pytest.mark.parametrize(
    "law_",
    [
        Everyone(),
        Bernoulli(0.3),
        FixedSize(2),
        CustomLaw(lambda u: u < np.array([0.1, 0.5, 0.9, 1, 0.2, 0.4]), (0.1, 0.5, 0.9, 1.0, 0.2, 0.4)),
    ],
    ids=lambda law_: type(law_).__name__,
)
def test_each_client_is_active_with_its_stated_probability(law_):
    rounds = 4000
    masks = np.array([law_.active(Draws(3, t, np.arange(6))) for t in range(rounds)])
    p = law_.probability(6)
    assert (np.abs(masks.mean(axis=0) - p) <= 4.5 * np.sqrt(p * (1 - p) / rounds) + 1e-12).all()
    if isinstance(law_, FixedSize):
        assert (masks.sum(axis=1) == law_.m).all()


def test_minibatches_are_uniform_without_replacement_and_streams_with():
    clients = Clients.of([np.arange(5.0)[:, None]])
    one = np.array([0])
    for b in (2, 4):  # also one less than there are
        batches = [MiniBatch(b).rows(clients, Draws(0, t, one))[0] for t in range(3000)]
        assert all(len(set(batch)) == b for batch in batches)
        share = np.bincount(np.concatenate(batches), minlength=5) / 3000
        assert (np.abs(share - b / 5) < 4.5 * math.sqrt(b / 5 * (1 - b / 5) / 3000)).all()
    stream = np.concatenate([Stream(4).rows(clients, Draws(0, t, one))[0] for t in range(3000)])
    share = np.bincount(stream, minlength=5) / stream.size
    assert (np.abs(share - 0.2) < 4.5 * math.sqrt(0.16 / 12000)).all()
    for b in (9, 5000):  # more than anybody holds: nobody draws, however many numbers that would be
        assert MiniBatch(b).rows(clients, Draws(0, 0, one))[0].tolist() == [0, 1, 2, 3, 4]


def test_pooled_samples_carry_the_weights_of_the_mixture():
    clients = Clients.of([[[1.0]], [[2.0], [4.0]]], mu=[0.5, 0.5])
    z, weights = clients.pooled()
    assert z[:, 0].tolist() == [1.0, 2.0, 4.0]
    assert weights.tolist() == [0.5, 0.25, 0.25]
    assert Clients.of([[[1.0]], [[2.0], [4.0]]]).mu.tolist() == [1 / 3, 2 / 3]
