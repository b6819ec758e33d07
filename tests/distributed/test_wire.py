"""What travels: containers that refuse every other byte, and rows that cost what `Compressor.bits` says."""

import hmac

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.algorithms import RandBlock
from fedmm_edu.distributed import Round
from fedmm_edu.distributed.codec import MAGIC, pack, printable, unpack
from fedmm_edu.distributed.messages import Refusal, to_bytes
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import BlockQuantization, Draws, Identity, RandK, ScaledSign, TopK, UniformQuantization
from fedmm_edu.federation.packing import pack_bits, unpack_bits
from tests.distributed.federations import nodes_of, regression

COMPRESSORS = [
    Identity(), *(UniformQuantization(b) for b in (2, 3, 7, 8, 12, 16, 31, 32)), RandK(1), RandK(3), TopK(1), TopK(3),
    ScaledSign(), RandBlock(1), RandBlock(5), BlockQuantization(2), BlockQuantization(4, np.inf),
    BlockQuantization(3, 1.0),
]  # fmt: skip
FIELDS = {"t": "int", "name": "str", "x": "f8:1", "raw": "u1:1", "who": "i8:2"}
FINITE = st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 5e-324, 1e-200])


def _container(t=3, x=(1.0, -2.0)):
    values = {"x": np.array(x), "raw": np.arange(3, dtype=np.uint8), "who": np.arange(4).reshape(2, 2)}
    return pack("Kind", {"t": t, "name": "Ŝ", **values})


@given(t=st.integers(1 - 2**63, 2**63 - 1), x=st.lists(st.floats(allow_nan=True), max_size=5))
def test_a_container_gives_back_what_was_put_in(t, x):
    """Numbers of 64 bits, texts and arrays, bit for bit."""
    found = unpack(_container(t, x), "Kind", FIELDS)
    assert (found["t"], found["name"]) == (t, "Ŝ")
    assert found["x"].tobytes() == np.array(x, dtype=np.float64).tobytes()
    assert found["who"].tolist() == [[0, 1], [2, 3]]


@given(place=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_a_flipped_bit_is_found(place, bit):
    """No bit of a container can change unseen."""
    raw = bytearray(_container())
    raw[place % len(raw)] ^= 1 << bit
    with pytest.raises(InvalidInput):
        unpack(bytes(raw), "Kind", FIELDS)


@pytest.mark.parametrize(
    ("kind", "fields", "why"),
    [
        ("Other", FIELDS, "is a 'Kind'"),
        ("Kind", FIELDS | {"more": "int"}, "other fields"),
        ("Kind", {k: v for k, v in FIELDS.items() if k != "t"}, "other fields"),
        ("Kind", FIELDS | {"t": "str"}, "t = 3 is no str"),
        ("Kind", FIELDS | {"x": "f8:2"}, "x is an array"),
        ("Kind", FIELDS | {"x": "i8:1"}, "x is an array"),
    ],
)
def test_other_fields_are_refused_by_name(kind, fields, why):
    """The kind, the names, the types and the dimensions are all part of the contract."""
    with pytest.raises(InvalidInput, match=why):
        unpack(_container(), kind, fields)


@given(width=st.integers(1, 32), seed=st.integers(0, 99), count=st.integers(0, 20))
def test_codes_take_their_width(width, seed, count):
    """`count` codes of `width` bits take ⌈count·width/8⌉ bytes, and come back."""
    codes = np.random.default_rng(seed).integers(0, 2**width, count, dtype=np.uint64)
    raw = pack_bits(codes, width)
    assert len(raw) == -(-count * width // 8)
    assert unpack_bits(raw, count, width).tolist() == codes.tolist()


@pytest.mark.parametrize("compressor", COMPRESSORS, ids=repr)
@given(x=st.lists(st.lists(FINITE, min_size=5, max_size=5), min_size=1, max_size=4), seed=st.integers(0, 2**32))
def test_rows_come_back_and_cost_what_bits_says(compressor, x, seed):
    """Decoding gives the compressed rows (a zero may lose its sign); the size is `bits`, filled to a byte."""
    rows = np.array(x)
    m, q = rows.shape
    sent = compressor.compress(rows, Draws(seed, 1, np.arange(m)))
    raw = compressor.encode(rows, sent)
    np.testing.assert_array_equal(compressor.decode(raw, m, q), sent)
    assert 0 <= 8 * len(raw) - m * compressor.bits(q) < 8
    for wrong in (raw[:-1], raw + b"\0"):
        with pytest.raises(InvalidInput, match="expected"):
            compressor.decode(wrong, m, q)


def test_rows_that_no_compressor_makes_are_refused():
    """Not a number, a negative scale, places out of order, a fourth sign, filling bits that are not zero."""

    def floats(*values):
        return np.array(values).tobytes()

    for compressor, raw, q in (
        (Identity(), floats(1.0, np.inf), 2),
        (UniformQuantization(8), floats(np.nan) + b"\1\1", 2),
        (UniformQuantization(8), floats(-1.0) + b"\1\1", 2),
        (UniformQuantization(3), floats(1.0) + b"\xff", 2),
        (RandK(2), floats(1.0, 2.0) + pack_bits(np.array([3, 1], dtype=np.uint64), 2), 4),
        (RandK(2), floats(1.0, 2.0) + pack_bits(np.array([1, 3], dtype=np.uint64), 2), 3),
        (BlockQuantization(2), floats(1.0) + b"\3", 2),
    ):
        with pytest.raises(InvalidInput):
            compressor.decode(raw, 1, q)


def test_rows_of_another_compressor_cannot_be_encoded():
    """A format that would change a row refuses it."""
    rows = np.array([[0.1, 0.7, -0.3]])
    with pytest.raises(InvalidInput, match="none that UniformQuantization"):
        UniformQuantization(3).encode(rows, rows)


def test_what_was_made_with_another_secret_is_refused():
    values = {"t": 3, "name": "Ŝ"}
    raw = pack("Kind", values, b"ours")
    assert unpack(raw, "Kind", {"t": "int", "name": "str"}, b"ours") == values
    for other in (b"", b"theirs"):
        with pytest.raises(InvalidInput, match="another secret"):
            unpack(raw, "Kind", {"t": "int", "name": "str"}, other)


HEADERS = [
    "null", "[]", "3", '{"kind": "Kind"}', '{"kind": ["Kind"], "plain": {}, "arrays": []}', "[" * 100_000, "1" * 5000,
    *('{"kind": "Kind", "plain": {"t": 1}, "arrays": ' + arrays + "}" for arrays in (
        "3", "[[]]", "[[[], 1, 2]]", '[["x", "f8", 3]]', f'[["x", "f8", [0, {2**63 - 1}, {2**63 - 1}]]]',
        '[["x", "f8", [true]]]', '[["x", {}, [0]]]', '[["x", "f8", [1e9]]]',
    )),
    *('{"kind": "Kind", "plain": {"t": ' + t + '}, "arrays": [["x", "f8", [0]]]}' for t in ("1e400", "true", "1" * 30)),
    '"\\ud800"',
]  # fmt: skip


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_that_nobody_writes_is_refused_by_one_error(header):
    """Whoever has the secret may still be wrong: no other exception leaves the parser."""
    body = len(header).to_bytes(4, "little") + header.encode()
    raw = MAGIC + hmac.digest(b"", body, "sha256") + body
    for fields in ({"t": "int", "x": "f8:1"}, {"t": "int", "x": "f8:3"}, {"t": "int"}):
        with pytest.raises(InvalidInput) as error:
            unpack(raw, "Kind", fields)
        assert len(str(error.value)) < 500


@given(text=st.text(max_size=400) | st.binary(max_size=9), most=st.integers(1, 300))
def test_what_somebody_sends_is_shown_on_one_line(text, most):
    found = printable(text, most)
    assert len(found) <= most
    assert found.isprintable()


def test_a_node_cannot_forge_a_line_of_the_log():
    """A reason of many lines and characters is one short line in the report, whoever sends it."""
    plan, nodes, start = nodes_of(regression())
    forged = to_bytes(Refusal(plan.key, 1, "no\nround 8/8: 3 of 3 nodes answered\r\u2028" + "x" * 10**5))
    current = Round(plan, start)
    for k, raw in current.requests().items():
        current.offer(k, forged if k == 1 else nodes.nodes[k].answer(raw))
    _, report = current.close()
    ((k, why),) = report.refused
    assert k == 1
    assert why.isprintable()
    assert len(why) <= 300
