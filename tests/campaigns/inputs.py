"""What a person may hand to the library: odd arrays, numbers and names for each of its doors.

Each call gives a finite answer, or raises an error of ours; it never changes what it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

import numpy as np
from scipy import sparse

from fedmm_edu.algorithms import Adam, Constant, FedMM, Harmonic, RandBlock, SqrtDecay, mm, run, sa_ssmm
from fedmm_edu.convex_sets import Box, ColumnBalls, PSDCone, Simplex
from fedmm_edu.examples.dictionary import DictionaryLearning, OneHot, UnitBall
from fedmm_edu.examples.quadratic import L1, LeastSquares, Logistic, Quadratic, admissible_rho
from fedmm_edu.federation import (
    Bernoulli,
    BlockQuantization,
    Clients,
    FixedSize,
    MiniBatch,
    RandK,
    Stream,
    UniformQuantization,
)
from tests.campaigns.campaign import Try

WHOLE = np.random.default_rng(0).normal(size=(12, 4))


def _arrays() -> dict[str, Any]:
    """Samples, weights and vectors of every kind that is not meant, and of some that are."""
    csr = sparse.csr_array(WHOLE)
    unsorted = sparse.csr_array((np.ones(3), np.array([2, 0, 0]), np.array([0, 2, 3])), shape=(2, 4))
    return {
        "right": WHOLE.copy(), "csr": csr, "csr with duplicates": unsorted, "coo": sparse.coo_array(WHOLE),
        "masked": np.ma.array(WHOLE, mask=WHOLE > 1), "masked, nothing": np.ma.array(WHOLE),
        "complex": WHOLE * (1 + 0j),
        "complex csr": sparse.csr_array(WHOLE * 1j), "integers": (9 * WHOLE).astype(int), "booleans": WHOLE > 0,
        "objects": WHOLE.astype(object), "words": WHOLE.astype(str), "halves": WHOLE.astype(np.float16),
        "Fortran": np.asfortranarray(WHOLE), "strided": np.repeat(WHOLE, 2, axis=1)[:, ::2],
        "swapped": WHOLE.astype(">f8"),
        "read-only": _frozen(WHOLE), "nan": WHOLE * np.nan, "huge": WHOLE * 1e300, "tiny": WHOLE * 1e-300,
        "one row": WHOLE[:1], "one column": WHOLE[:, :1], "no rows": WHOLE[:0], "no columns": WHOLE[:, :0],
        "flat": WHOLE.ravel(), "cube": WHOLE[None], "scalar": 3.0, "list": WHOLE.tolist(), "ragged": [[1.0], [1.0,
        2.0]],
        "None": None, "text": "1 2 3", "bytes": b"12345678", "dict": {"z": 1}, "set": {1.0, 2.0},
        "generator": (x for x in [1.0]),
        "empty": [], "dates": np.array(["2020-01-01"], dtype="M8[D]"), "N×1 weights": np.full((3, 1), 1 / 3),
        "weights": np.full(3, 1 / 3), "negative weights": np.array([1.5, -0.25, -0.25]), "three": np.zeros(3),
        "a column": np.zeros((3, 1)), "four": np.ones(4) / 4,
        "record": np.zeros(3, dtype=[("a", float)]), "infinite": np.array([np.inf, 0.0, 0.0]), "ℂ three": np.zeros(3,
        complex),
    }  # fmt: skip


NUMBERS: tuple[Any, ...] = (
    -1, 0, 1, 2, 3, 2.0, 2.5, -0.5, 0.5, 1e308, 1e-308, 5e-324, np.nan, np.inf, -np.inf, True, None, "2", "x", 2**70,
    1 + 0j,
    np.float64(2), np.int8(2), np.array(2), np.array([2]), [2], b"2", np.datetime64("2020"), object(),
)  # fmt: skip


def _frozen(array: np.ndarray) -> np.ndarray:
    copy = array.copy()
    copy.setflags(write=False)
    return copy


@cache
def _fed() -> FedMM:
    return FedMM(Quadratic(3, 0.1, penalty=L1(0.1)), Clients.of([WHOLE[:5], WHOLE[5:9], WHOLE[9:]]), 0.5, alpha=0.2)


def _clients(z: Any, weights: Any = None) -> Any:
    return Clients.of([z, z, z], weights)


def _moved(clients: Clients) -> Any:
    fed = FedMM(Quadratic(3, 0.1), clients, 0.5)
    return fed.step(fed.init(np.zeros(3))).x


def _dictionary(p: Any) -> DictionaryLearning:
    return DictionaryLearning(p, 1, OneHot(), UnitBall())


def _first(fed: FedMM) -> Any:
    return fed.step(fed.init(np.zeros(3))).x


def _floats(given: Any) -> Any:
    """What a kernel is called with: finite floats, of a shape that may be wrong."""
    fits = isinstance(given, np.ndarray) and given.dtype == np.float64 and np.isfinite(given).all()
    return np.asarray(given) if fits else np.zeros(3)


ARRAY_DOORS: dict[str, Callable[[Any], Any]] = {
    "Clients.of([z, z, z])": lambda z: _moved(_clients(z)),
    "Clients.of(z)": lambda z: _moved(Clients.of(z)),
    "Clients.of(…, mu)": lambda mu: _moved(_clients(WHOLE, mu)),
    "Clients.of_rows(z, [5, 7])": lambda z: _moved(Clients.of_rows(z, [5, 7])),
    "Clients.of_rows(…, sizes)": lambda sizes: _moved(Clients.of_rows(WHOLE, sizes)),
    "fed.init(x)": lambda x: _fed().step(_fed().init(x)).x,
    "fed.init(…, V)": lambda V: _fed().step(_fed().init(np.zeros(3), V)).x,
    "fed.point(theta)": lambda theta: _fed().point(theta),
    "mm(z)": lambda z: _first(mm(Quadratic(3, 0.1), z)),
    "sa_ssmm(z)": lambda z: (
        (f := sa_ssmm(Quadratic(3, 0.1), z, gamma=Harmonic(), oracle=Stream(1))).step(f.init(np.zeros(3))).x
    ),
    "admissible_rho": lambda z: admissible_rho(LeastSquares(), _clients(z)),
    "Quadratic.S_bar(…, theta)": lambda theta: Quadratic(3, 0.1).S_bar(WHOLE, _floats(theta)),
    "Quadratic.loss(…, theta)": lambda theta: Quadratic(3, 0.1).loss(WHOLE, _floats(theta)),
    "Box(low, …).project": lambda low: Box(low, np.ones(3) * 9).project(np.zeros(3)),
    "Simplex.project": lambda x: Simplex(3).project(x),
    "PSDCone.project": lambda x: PSDCone(2).project(x),
    "ColumnBalls.project": lambda x: ColumnBalls(3, 1).project(x),
    "project(x, B)": lambda B: Quadratic(3, 0.1).project(np.ones(3), B),
    "Dictionary.T": lambda s: _dictionary(2).T(s),
    "Quadratic.T": lambda s: Quadratic(3, 0.1).T(s),
}
NUMBER_DOORS: dict[str, Callable[[Any], Any]] = {
    "Quadratic(d)": lambda d: Quadratic(d, 0.1).T(np.zeros(3)),
    "Quadratic(…, rho)": lambda rho: Quadratic(3, rho).T(np.zeros(3)),
    "L1": lambda weight: Quadratic(3, 0.1, penalty=L1(weight)).T(np.ones(3)),
    "MiniBatch(b)": lambda b: _with(oracle=MiniBatch(b)),
    "Stream(b)": lambda b: _with(oracle=Stream(b)),
    "Bernoulli(p)": lambda p: _with(participation=Bernoulli(p)),
    "FixedSize(m)": lambda m: _with(participation=FixedSize(m)),
    "UniformQuantization(bits)": lambda bits: _with(compressor=UniformQuantization(bits)),
    "BlockQuantization(size)": lambda size: _with(compressor=BlockQuantization(size)),
    "RandK(k)": lambda k: _with(compressor=RandK(k)),
    "RandBlock(size)": lambda size: _with(compressor=RandBlock(size)),
    "gamma": lambda gamma: _with(gamma=gamma),
    "Constant": lambda gamma: _with(gamma=Constant(gamma)),
    "SqrtDecay": lambda beta: _with(gamma=SqrtDecay(beta)),
    "alpha": lambda alpha: _with(alpha=alpha),
    "seed": lambda seed: _with(seed=seed),
    "metric": lambda metric: _with(metric=metric),
    "Adam(beta1)": lambda beta: _with(server=Adam(beta)),
    "Adam(tau)": lambda tau: _with(server=Adam(tau=tau)),
    "run(rounds)": lambda rounds: run(_fed(), _fed().init(np.zeros(3)), rounds if _small(rounds) else 3)[0].x,
    "run(every)": lambda every: run(_fed(), _fed().init(np.zeros(3)), 3, every=every)[0].x,
    "run(checkpoint_every)": lambda every: run(_fed(), _fed().init(np.zeros(3)), 3, checkpoint_every=every)[0].x,
    "Box(low, high)": lambda high: Box([0.0], [high]).project(np.ones(1)),
    "Simplex(dim)": lambda dim: Simplex(dim if _small(dim) else 3).project(np.zeros(3)),
    "Simplex(total)": lambda total: Simplex(3, total).project(np.zeros(3)),
    "PSDCone(K)": lambda K: PSDCone(K).project(np.zeros(4)),
    "ColumnBalls(p, K)": lambda p: ColumnBalls(p, 1).project(np.zeros(2)),
    "Dictionary(p, K)": lambda p: _dictionary(p).q,
    "Logistic": lambda z: Quadratic(3, 0.1, Logistic()).S_bar(z, np.zeros(3)),
}


def _small(value: Any) -> bool:
    return not (isinstance(value, (int, float)) and value > 1000)


def _with(**parts: Any) -> Any:
    fed = FedMM(_fed().problem, _fed().clients, **{"gamma": 0.5, **parts, "beyond_theorem": True})
    return fed.step(fed.step(fed.init(np.zeros(3)))).x


def tries(rng: Random) -> Iterator[Try]:
    """Every door with every odd thing, in an order of the seed's; again and again."""
    while True:
        arrays = [(name, call, what) for name, call in ARRAY_DOORS.items() for what in _arrays()]
        numbers = [(name, call, k) for name, call in NUMBER_DOORS.items() for k in range(len(NUMBERS))]
        pairs = [*arrays, *numbers]
        rng.shuffle(pairs)
        for name, call, what in pairs:
            given = _arrays()[what] if isinstance(what, str) else NUMBERS[what]
            yield Try(f"{name} ← {what if isinstance(what, str) else repr(given)}", lambda c=call, g=given: _hold(c, g))


def _hold(call: Callable[[Any], Any], given: Any) -> str | None:
    before = _content(given)
    try:
        answer = call(given)
    finally:
        if _content(given) != before:
            return "what was given has changed"  # noqa: B012  (worse than any error)
    found = np.asarray(answer)
    if found.dtype.kind not in "fiu" or not np.isfinite(found).all():
        return f"the answer is {found}"
    again = found.copy()
    if isinstance(given, np.ndarray) and given.flags.writeable and given.dtype.kind == "f" and given.size:
        given += 1.0
        if not np.array_equal(np.asarray(answer), again):
            return "the answer changes with what was given"
    return None


def _content(given: Any) -> Any:
    if sparse.issparse(given):
        return tuple(
            np.asarray(part).tobytes()
            for part in (given.data, *(getattr(given, n) for n in ("indices", "indptr") if hasattr(given, n)))
        )
    if isinstance(given, np.ndarray):
        return given.tobytes()
    return repr(given)
