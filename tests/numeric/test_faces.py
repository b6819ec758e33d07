"""A thing owns its faces: one that is left out is named, with class and file; one class is enough for a new thing."""

import inspect
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from fedmm_edu.algorithms import AggregationSpace, ServerStep
from fedmm_edu.convex_sets import ConvexSet
from fedmm_edu.distributed import Engine, Plan, Store, federate
from fedmm_edu.errors import InvalidInput, MissingFace
from fedmm_edu.federation import (
    Compressor,
    Everyone,
    FullBatch,
    Layout,
    MiniBatch,
    Oracle,
    Participation,
    Purpose,
    Stream,
    UniformQuantization,
)
from fedmm_edu.surrogate import Surrogate
from tests.distributed.federations import nodes_of, regression


@pytest.mark.parametrize(
    ("interface", "face"),
    [
        (Surrogate, "`S_bar` of Surrogate"),
        (ConvexSet, "`contains` of ConvexSet"),
        (Oracle, "`rows` of Oracle"),
        (Compressor, "`omega` of Compressor"),
        (Participation, "`probability` of Participation"),
        (AggregationSpace, "`point` of AggregationSpace"),
        (ServerStep, "`move` of ServerStep"),
        (Engine, "`exchange` of Engine"),
        (Store, "`write` of Store"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_missing_face_is_named_with_its_class_and_file(interface, face):
    class Own(interface):
        pass

    with pytest.raises(MissingFace, match=r"Own \(.*test_faces\.py\) lacks") as caught:
        Own()
    assert face in str(caught.value)
    assert all(f"`{name}`" in str(caught.value) for name in interface.__abstractmethods__)


@dataclass(frozen=True)
class Coin(Compressor):
    """Everything times two, or nothing, on one draw a row: ω = 1. Its rows travel as floats."""

    def compress(self, x, draw):
        return np.where(draw(Purpose.COMPRESSION, 1) < 0.5, 2.0 * x, 0.0)

    def omega(self, q):
        return 1.0


@dataclass(frozen=True)
class Flagged(Coin):
    """The same, honest in bits: a row is one flag and, where it is sent, it must be the ones that all clients know."""

    def compress(self, x, draw):
        return np.where(draw(Purpose.COMPRESSION, 1) < 0.5, 2.0, 0.0) * np.ones_like(x)

    def layout(self, q):
        return Layout(0, 1, 1)

    def split(self, x, sent):
        return np.empty((len(x), 0)), (sent[:, :1] > 0).astype(np.uint64)

    def join(self, floats, codes, q):
        return 2.0 * np.repeat(codes.astype(float), q, axis=1)


def test_an_own_compressor_without_a_wire_form_travels_as_floats():
    """Bit for bit the in-process run, and 64 bits a number are counted."""
    fed = regression(compressor=Coin(), alpha=0.2)
    plan, engine, state = nodes_of(fed)
    expected = fed.init(np.zeros(fed.dim))
    for _ in range(8):
        expected = fed.step(expected)
    state = federate(plan, engine, state, 8)
    np.testing.assert_array_equal(state.x, expected.x)
    assert Coin().bits(5) == 320
    assert 8 * state.rows_up == expected.bits_up


def test_a_wire_form_of_ones_own_is_counted_and_one_that_lies_is_refused_by_the_plan():
    assert (Flagged().bits(7), len(Flagged().encode(np.zeros((9, 7)), np.zeros((9, 7))))) == (1, 2)

    @dataclass(frozen=True)
    class Cheap(Coin):
        def bits(self, q):
            return q

    @dataclass(frozen=True)
    class Rounded(Coin):
        def split(self, x, sent):
            return np.round(sent, 1), np.empty((len(sent), 0), np.uint64)

    @dataclass(frozen=True)
    class Shapeless(Coin):
        def layout(self, q):
            return Layout(q - 1)

    for wrong, why in ((Cheap(), "counts 3 bits"), (Rounded(), "cannot be sent"), (Shapeless(), "make them agree")):
        fed = regression(compressor=wrong, alpha=0.2)
        fed.step(fed.init(np.zeros(fed.dim)))  # in one process nothing travels
        with pytest.raises(InvalidInput, match=why):
            Plan.of(fed, 2)


def test_oracles_say_their_variance_or_that_they_do_not():
    """In units of the variance of one sample: sampling without and with replacement."""
    assert [FullBatch().variance_factor(6), Stream(4).variance_factor(6)] == [0, Fraction(1, 4)]
    assert [MiniBatch(b).variance_factor(6) for b in (2, 6, 9)] == [Fraction(4, 10), 0, 0]

    @dataclass(frozen=True)
    class Own(Oracle):
        def rows(self, clients, draws):
            return clients.rows(draws.clients)

    with pytest.raises(InvalidInput, match=r"Own\(\) does not say its `variance_factor`"):
        Own().variance_factor(6)


def test_a_class_shows_how_it_is_made():
    """The arguments of a leaf, also where reference pages look for them; on the thing itself those of its call."""
    for leaf, names in ((UniformQuantization, ["b"]), (Everyone, [])):
        assert list(inspect.signature(leaf).parameters) == names
        assert list(getattr(leaf, "__signature__").parameters) == names  # noqa: B009  (types know of no such attribute)
    assert list(inspect.signature(MiniBatch(3)).parameters)[:2] == ["problem", "clients"]
