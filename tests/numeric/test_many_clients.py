"""Rounds over many clients at once: the numbers of each client alone, whatever the blocks, the memory or the path."""

import itertools
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from fedmm_edu.algorithms import Constant, FedMM, run
from fedmm_edu.algorithms import fedmm as fedmm_module
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.curvature import SecondOrder
from fedmm_edu.examples.gram import client_products, dense
from fedmm_edu.examples.loglinear import LogLinear
from fedmm_edu.examples.quadratic import L1, Quadratic
from fedmm_edu.examples.quadratic.losses import EACH_LOSS, LeastSquares
from fedmm_edu.examples.robust import RobustRegression
from fedmm_edu.federation import (
    Bernoulli,
    BlockQuantization,
    Clients,
    CustomLaw,
    Draws,
    FullBatch,
    MiniBatch,
    Purpose,
    Stream,
    TopK,
    UniformQuantization,
    compiled,
    compression,
    kept,
    oracles,
    uniforms,
)
from fedmm_edu.federation import (
    clients as clients_module,
)
from fedmm_edu.federation import (
    draws as draws_module,
)
from fedmm_edu.federation.compression import add_to_rows
from fedmm_edu.federation.kept import smallest
from fedmm_edu.federation.oracles import subsets
from fedmm_edu.rows import segment_products
from tests.numeric.instances import every_case, floyd, instance, seeds


@contextmanager
def numpy_alone() -> Iterator[None]:
    """The code that stands beside each compiled loop."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (draws_module, compression, oracles, clients_module):
            patch.setattr(module, "compiled_for", lambda size: None)
        yield


lists_of_clients = st.lists(st.integers(0, 5), min_size=1, max_size=6, unique=True).map(sorted)


@every_case
@given(seed=seeds, who=lists_of_clients)
@settings(max_examples=20)
def test_many_clients_at_once_get_what_each_gets_alone(case, seed, who):
    """`mean_S_bars` and `Ts` against `mean_S_bar` and `T`, for clients of different sizes; alone, to the bit."""
    it = instance(case, seed, n=6)
    names, offsets = it.clients.rows(np.array(who))
    together = it.problem.mean_S_bars(it.clients.z[names], offsets, it.theta, names)
    each = [it.problem.mean_S_bar(it.clients[i], it.theta) for i in who]
    np.testing.assert_allclose(together, each, rtol=1e-12, atol=1e-12)
    for i, found in zip(who, together, strict=True):
        alone, offsets = it.clients.rows(np.array([i]))
        np.testing.assert_array_equal(it.problem.mean_S_bars(it.clients.z[alone], offsets, it.theta, alone)[0], found)
    np.testing.assert_allclose(it.problem.Ts(together), [it.problem.T(s) for s in together], rtol=1e-11, atol=1e-12)


@every_case
@given(seed=seeds, size=st.integers(1, 3))
@settings(max_examples=10)
def test_clients_of_one_size_get_to_the_bit_what_each_gets_alone(case, seed, size):
    rng = np.random.default_rng(seed)
    clients = Clients.of_rows(case.draw_z(rng, 3 * size), [size] * 3)
    problem, theta = case.problem(clients), case.draw_theta(rng)
    together = problem.mean_S_bars(clients.z, clients.offsets, theta)
    alone = [problem.mean_S_bars(z, np.array([0, size]), theta)[0] for z in clients]
    np.testing.assert_array_equal(together, alone)


@every_case
@given(seed=seeds, who=st.lists(st.integers(0, 5), min_size=9, max_size=9))
@settings(max_examples=15)
def test_any_split_of_the_data_gives_the_centralised_step(case, seed, who):
    """Eq. `agg_in_S` for random splits, one-sample clients among them; parts without samples are refused by name."""
    rng = np.random.default_rng(seed)
    z, theta = case.draw_z(rng, 9), case.draw_theta(rng)
    parts = [z[np.array(who) == i] for i in range(6)]
    if any(len(part) == 0 for part in parts):
        with pytest.raises(InvalidInput, match="holds no samples"):
            Clients.of(parts)
    clients = Clients.of([part for part in parts if len(part)])
    problem = case.problem(clients)
    fed = FedMM(problem, clients, Constant(1.0))
    start = problem.project(problem.mean_S_bar(z, theta))
    np.testing.assert_allclose(
        fed.step(fed.init(start)).x, problem.mean_S_bar(z, problem.T(start)), rtol=1e-11, atol=1e-11
    )


def test_a_round_needs_no_more_memory_than_its_docstring_says(monkeypatch):
    """Beside the state: some blocks, and some bytes a client; never a second array of n q numbers."""
    monkeypatch.setattr(clients_module, "BLOCK", 2**14)
    n, samples, d = 20_000, 4, 30
    problem, clients = lasso((samples,) * n, d=d)
    fed = busy(problem, clients, oracle=FullBatch(), participation=Bernoulli(0.3))
    before = fed.init(np.zeros(d))
    state = fed.step(before)
    after = fed.step(state, onto=before)  # compiles what there is to compile
    tracemalloc.start()
    fed.step(after, onto=state)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 8 * (8 * 2**14 + 6 * n) < 8 * n * d


def lasso(sizes=(4, 4, 4, 4, 4, 4), d=3, seed=0):
    z = np.random.default_rng(seed).normal(size=(sum(sizes), d + 1))
    return Quadratic(d, 0.05, penalty=L1(0.1)), Clients.of_rows(z, sizes)


def busy(problem, clients, **changes):
    parts = {
        "oracle": MiniBatch(2),
        "participation": Bernoulli(0.5),
        "compressor": UniformQuantization(4),
        "alpha": 0.3,
        "beyond_theorem": True,
    }
    return FedMM(problem, clients, Constant(0.2), **(parts | changes))


@pytest.mark.parametrize("sizes", [(7,) * 9, (1, 40, 3, 40, 17, 2, 5, 33, 4)], ids=["equal", "unequal"])
@pytest.mark.parametrize(
    ("problem", "draw_y"),
    [
        *((Quadratic(30 * loss.outputs, 0.1, loss), loss.draw) for loss in EACH_LOSS),
        *((SecondOrder(30 * loss.outputs, 0.1, loss), loss.draw) for loss in EACH_LOSS),
        (RobustRegression(30, 0.1), EACH_LOSS[0].draw),
        (LogLinear(30, 200.0), lambda rng, n: rng.poisson(3.0, n)),
    ],
)
def test_many_features_change_no_bit_either(problem, draw_y, sizes):
    """BLAS adds up a row of a matrix in another order where other rows stand beside it."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(sum(sizes), 30))
    clients = Clients.of_rows(np.column_stack([x, draw_y(rng, len(x))]), sizes)
    theta = rng.normal(size=problem.d) / 30.0
    together = problem.mean_S_bars(clients.z, clients.offsets, theta)
    for z, found in zip(clients, together, strict=True):
        np.testing.assert_array_equal(problem.mean_S_bars(z, np.array([0, len(z)]), theta)[0], found)


@given(seed=seeds, m=st.integers(1, 60), top=st.integers(1, 6), d=st.integers(1, 9), layout=st.sampled_from("CFV"))
@settings(max_examples=60)
def test_segments_of_one_size_taken_together_get_the_bits_of_each_alone(seed, m, top, d, layout):
    """Whatever the sizes, and whether rows are contiguous, a view of wider ones, or columns."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, top + 1, m) + 600 * (rng.random(m) < 0.05)  # a few large ones, which go alone
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    wide = rng.normal(size=(offsets[-1], d + 1))
    x, w = {"C": wide[:, 1:].copy(), "F": np.asfortranarray(wide[:, 1:]), "V": wide[:, 1:]}[layout], wide[:, 0]
    cuts = [slice(*pair) for pair in itertools.pairwise(offsets)]
    assert segment_products(w, x, offsets).tobytes() == np.stack([w[cut] @ x[cut] for cut in cuts]).tobytes()
    squares = client_products(x, x, offsets)
    assert squares.tobytes() == np.stack([x[cut].T @ x[cut] for cut in cuts]).tobytes()
    assert (squares == squares.transpose(0, 2, 1)).all()
    mixed = client_products(x, w[:, None], offsets)
    assert mixed.tobytes() == np.stack([x[cut].T @ w[cut][:, None] for cut in cuts]).tobytes()


@pytest.mark.parametrize("oracle", [FullBatch(), MiniBatch(3), Stream(2)], ids=repr)
@pytest.mark.parametrize("block", [1, 40, 2**20])
def test_blocks_change_no_more_than_rounding(monkeypatch, oracle, block):
    """How many clients are taken at a time is a matter of memory."""
    problem, clients = lasso((2, 5, 1, 3, 9, 4))
    expected = run(busy(problem, clients, oracle=oracle), busy(problem, clients).init(np.ones(3)), 20)[0]
    monkeypatch.setattr(clients_module, "BLOCK", block)
    fed = busy(problem, clients, oracle=oracle)
    assert len(list(clients.blocks(np.arange(6), 3))) == {1: 6, 40: 3, 2**20: 1}[block]
    state, _ = run(fed, fed.init(np.ones(3)), 20)
    np.testing.assert_allclose(state.x, expected.x, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(state.V_clients, expected.V_clients, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("block", [1, 40, 2**20])
def test_control_variates_may_start_at_the_mean_field(monkeypatch, block):
    """V_{0,i} = h_i(Ŝ_0) = E_{π_i}[S̄(Z, T(Ŝ_0))] − Ŝ_0, client by client; 𝒯(θ) is the mean of all, block by block."""
    monkeypatch.setattr(clients_module, "BLOCK", block)
    problem, clients = lasso((2, 5, 1, 3, 9, 4))
    x = np.linspace(-1, 1, 3)
    each = np.array([problem.mean_S_bar(z, problem.T(x)) for z in clients])
    state = busy(problem, clients).init(x, "mean_field")
    np.testing.assert_allclose(state.V_clients, each - x, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(state.V_server, clients.mu @ (each - x), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(clients.mean_S_bar(problem, problem.T(x)), clients.mu @ each, rtol=1e-13, atol=1e-14)


def test_blocks_cut_who_into_runs_that_fit():
    clients = Clients.of_rows(np.zeros((60, 4)), [3] * 20)
    for q in (1, 12, 10**6, 10**9):
        cuts = list(clients.blocks(np.arange(20), q))
        assert np.concatenate([np.arange(20)[cut] for cut in cuts]).tolist() == list(range(20))
        sizes = [len(np.arange(20)[cut]) for cut in cuts]
        assert all(size == 1 or size * max(q, 12) <= clients_module.BLOCK for size in sizes)


@given(seed=seeds, p=st.sampled_from([0.1, 0.5, 1.0]), alpha=st.sampled_from([0.0, 0.4]), few=st.sampled_from([0, 18]))
@settings(max_examples=60)
def test_a_step_onto_used_memory_is_a_step(seed, p, alpha, few):
    """`onto` saves a copy and changes no bit, also when nobody was active for a while."""
    problem, clients = lasso()
    fed = busy(problem, clients, participation=Bernoulli(p), alpha=alpha, seed=seed)
    pure = [fed.init(np.ones(3), np.arange(18.0).reshape(6, 3))]
    for _ in range(12):
        pure.append(fed.step(pure[-1]))
    start = fed.init(np.ones(3), np.arange(18.0).reshape(6, 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fedmm_module, "FEW", few)  # so many numbers are copied as a whole
        state, _ = run(fed, start, 12)
    assert (state.x == pure[-1].x).all()
    assert (state.V_clients == pure[-1].V_clients).all()
    assert (start.V_clients == np.arange(18.0).reshape(6, 3)).all()  # the caller's state is as it was


def test_the_state_that_a_step_starts_from_is_left_alone(monkeypatch):
    """Also when it shares V_clients with the state given up, because nobody was active between the two."""
    monkeypatch.setattr(fedmm_module, "FEW", 0)
    problem, clients = lasso()
    nobody, some = CustomLaw(lambda u: np.zeros(6, dtype=bool), 0.5), CustomLaw(lambda u: np.arange(6) < 3, 0.5)
    before = busy(problem, clients).init(np.ones(3), np.arange(18.0).reshape(6, 3))
    state = busy(problem, clients, participation=nobody).step(before)
    after = busy(problem, clients, participation=some).step(state, onto=before)
    assert (state.V_clients == np.arange(18.0).reshape(6, 3)).all()
    assert ((after.V_clients != state.V_clients).all(axis=1) == (np.arange(6) < 3)).all()


def test_onto_refuses_a_state_that_is_not_the_one_before():
    problem, clients = lasso()
    fed = busy(problem, clients)
    start = fed.init(np.ones(3))
    later = fed.step(fed.step(start))
    with pytest.raises(InvalidInput, match="t = 1"):
        fed.step(later, onto=start)


@given(seed=st.integers(0, 2**64 - 1), round=st.integers(0, 2**32 - 1), m=st.integers(1, 5), size=st.integers(1, 9))
def test_compiled_draws_are_the_same_bits(seed, round, m, size):
    """The compiled loop and the NumPy code are one generator, odd sizes included."""
    who = np.arange(3, 3 + m)
    fast = compiled.uniforms(size, *draws_module.philox_words(seed, round, Purpose.ORACLE), who.astype(np.uint64))
    with numpy_alone():
        assert (fast == uniforms(seed, Purpose.ORACLE, who, round, size)).all()


@given(seed=st.integers(0, 2**64 - 1), round=st.integers(0, 2**32 - 1), size=st.integers(1, 9), turn=st.integers(0, 9),
       more=st.sampled_from([0, 1, 9, 3000]))  # fmt: skip
def test_draws_of_several_rounds_at_a_time_are_the_same_bits(seed, round, size, turn, more):
    """Few numbers are drawn for some rounds at once, and what is returned is the caller's own."""
    who = np.array([5, 0, 11])
    with numpy_alone():
        few = uniforms(seed, Purpose.ORACLE, who, round, size, turn)
        known = uniforms(seed, Purpose.ORACLE, who, round, size, turn, below=12 + more)
        far = uniforms(seed, Purpose.ORACLE, [5, 2**31, 11], round, size, turn)  # too far apart for that
    one = compiled.uniforms(size, *draws_module.philox_words(seed, round, Purpose.ORACLE, turn), who.astype(np.uint64))
    assert few.tobytes() == known.tobytes() == one.tobytes()
    assert (far[[0, 2]] == few[[0, 2]]).all()
    few[:] = 0.0
    with numpy_alone():
        assert uniforms(seed, Purpose.ORACLE, who, round, size, turn).tobytes() == one.tobytes()


@given(seed=seeds, b=st.integers(2, 12), m=st.integers(1, 4), q=st.integers(1, 9), zeros=st.booleans())
def test_compiled_quantization_is_the_same_bits(seed, b, m, q, zeros):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(m, q)) * 10.0 ** rng.integers(-300, 300, size=(m, 1))
    draws = Draws(seed, 5, np.arange(2, 2 + m))
    origin, variates, rows = rng.normal(size=q), rng.normal(size=(2 * m, q)), rng.permutation(2 * m)[:m]
    if zeros:  # a row whose difference is 0
        x[0], variates[rows[0]] = origin, 0.0
    kind, asked = UniformQuantization(b), draws.clients.astype(np.uint64)
    with numpy_alone():
        plain = kind.compress(x - origin - variates[rows], draws)
    name = draws_module.philox_words(seed, 5, Purpose.COMPRESSION)
    fast = compiled.quantize(x, origin, variates, rows, float(kind.levels), *name, asked)
    assert (fast == plain).all()
    assert (np.signbit(fast) == np.signbit(plain)).all()


@given(seed=seeds, block=st.integers(1, 11), p=st.sampled_from([1.0, 1.5, 2.0, np.inf]), q=st.integers(1, 30))
def test_compiled_block_quantization_is_the_same_bits(seed, block, p, q):
    """And both are one block after the other."""
    rng = np.random.default_rng(seed)
    x, draws = np.round(rng.normal(size=(3, q)), 1), Draws(seed, 5, np.arange(2, 5))
    kind, u = BlockQuantization(block, p), draws(Purpose.COMPRESSION, q)
    with numpy_alone():
        plain, norms = kind.compress(x, draws), kind.split(x, x)[0]
    fast = compiled.keep_signs(x, u, norms, block)
    for j, start in enumerate(range(0, q, block)):
        part = slice(start, start + block)
        norm = np.linalg.norm(x[:, part], ord=p, axis=1, keepdims=True)
        alone = np.where(u[:, part] * norm < np.abs(x[:, part]), np.sign(x[:, part]) * norm, 0.0)
        assert norms[:, j].tobytes() == norm.tobytes()
        assert plain[:, part].tobytes() == fast[:, part].tobytes() == alone.tobytes()


@pytest.mark.parametrize("q", [3, 2**14])
def test_a_compressor_with_a_compress_of_its_own_sends_that(q):
    """The compiled loop repeats the compress of UniformQuantization, and stands in for no other."""

    class Doubled(UniformQuantization):
        def compress(self, x, draw):
            return 2.0 * x

    x, nothing = np.ones((1, q)), np.zeros((1, q))
    sent = Doubled(8).messages(x, nothing[0], nothing, np.array([0]), Draws(0, 1, np.array([0])))
    assert (sent == 2.0).all()


@pytest.mark.parametrize("long", [1, 2**15])
@given(seed=seeds, m=st.integers(1, 3), q=st.integers(1, 40), values=st.integers(1, 60), data=st.data())
def test_partial_selection_is_that_of_a_stable_sort(long, seed, m, q, values, data):
    """Ties, rows of equal keys, NaN and ∞ among them; the places of a message are found by it, too.

    So where rows count as long, and a sample of every third key says where to look, or misleads.
    """
    k = data.draw(st.integers(1, q))
    keys = np.random.default_rng(seed).integers(0, values, size=(m, q)).astype(float)
    keys[keys == values - 1] = np.nan
    keys[keys == values - 2] = np.inf
    sorted_out = np.zeros((m, q), dtype=bool)
    np.put_along_axis(sorted_out, np.argsort(keys, axis=1, kind="stable")[:, :k], True, axis=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "_LONG", long)
        patch.setattr(kept, "_STRIDE", 3)
        assert (smallest(keys, k) == sorted_out).all()
        assert smallest(keys > 2, k).sum(axis=1).tolist() == [k] * m


@pytest.mark.parametrize("k", [1, 3, 40])
def test_what_is_kept_is_the_same_gathered_or_not(k, monkeypatch):
    """To the sign of zeros, and beside entries that are not finite."""
    x = np.random.default_rng(k).normal(size=(2, 40))
    x[:, :3] = -0.0, np.inf, np.nan
    chosen = smallest(np.abs(np.nan_to_num(x)), k)
    found = []
    for few in (0, 100):
        monkeypatch.setattr(kept, "_SPARSE", few)
        found.append(TopK(k).keep(x, chosen, 1.5))
    assert found[0].tobytes() == found[1].tobytes()


@given(seed=seeds, m=st.integers(1, 4), q=st.integers(1, 5))
def test_compiled_control_variates_are_the_same_bits(seed, m, q):
    rng = np.random.default_rng(seed)
    variates, rows, gains, messages = (
        rng.normal(size=(6, q)),
        rng.permutation(6)[:m],
        rng.random(m),
        rng.normal(size=(m, q)),
    )
    plain, fast = variates.copy(), variates.copy()
    with numpy_alone():
        add_to_rows(plain, rows, gains, messages)
    compiled.add_to_rows(fast, rows, gains, messages)
    assert (fast == plain).all()


@given(seed=seeds, m=st.integers(1, 4), b=st.integers(1, 9), more=st.integers(1, 9))
def test_compiled_subsets_are_the_same(seed, m, b, more):
    rng = np.random.default_rng(seed)
    u, sizes = rng.random((m, b)), rng.integers(b + 1, b + 1 + more, m)
    with numpy_alone():
        plain = subsets(u, sizes)
    fast = compiled.subsets(u, sizes)
    assert (fast.dtype, fast.tolist()) == (plain.dtype, plain.tolist())


def test_compiled_loops_are_loaded_when_they_repay_it_and_then_used_for_everything(monkeypatch):
    monkeypatch.setattr(draws_module, "_asked", 0)
    few, many = draws_module.WORTH_COMPILING - 1, draws_module.WORTH_LOADING
    assert draws_module.compiled_for(few) is None
    assert draws_module.compiled_for(few + 1) is compiled
    assert draws_module.compiled_for(1) is compiled
    monkeypatch.setattr(draws_module, "_asked", 0)
    asked = [draws_module.compiled_for(few) for _ in range(many // few + 1)]
    assert asked[:-1] == [None] * (many // few)
    assert asked[-1] is compiled


def test_large_clients_are_read_where_they_lie_to_the_same_bits(monkeypatch):
    """Least squares client by client, another problem run by run."""
    clients = Clients.of_rows(np.random.default_rng(0).normal(size=(12, 4)), [3, 1, 6, 2])
    theta, draws, asked = np.array([1.0, -2.0, 0.5]), Draws(0, 1, np.array([0, 2, 3])), []
    problems = Quadratic(3, 0.1), RobustRegression(3, 0.1)
    together = [FullBatch()(problem, clients, theta, draws) for problem in problems]
    monkeypatch.setattr(oracles, "LARGE", 1)
    monkeypatch.setattr(LeastSquares, "fit", _told(LeastSquares.fit, asked))
    monkeypatch.setattr(RobustRegression, "mean_S_bars", _told(RobustRegression.mean_S_bars, asked))
    for problem, expected in zip(problems, together, strict=True):
        np.testing.assert_array_equal(FullBatch()(problem, clients, theta, draws), expected)
    assert [len(z) for z in asked] == [3, 6, 2, 3, 8]
    assert all(np.shares_memory(z, clients.z) for z in asked)


@every_case
@given(seed=seeds, sizes=st.lists(st.integers(1, 5), min_size=1, max_size=5))
@settings(max_examples=10)
def test_clients_apart_get_to_the_bit_what_they_get_together(case, seed, sizes):
    rng = np.random.default_rng(seed)
    clients = Clients.of_rows(case.draw_z(rng, sum(sizes)), sizes)
    problem, theta, who = case.problem(clients), case.draw_theta(rng), np.flatnonzero(rng.random(len(sizes)) < 0.7)
    cuts = [slice(*cut) for cut in itertools.pairwise(clients.offsets.tolist())]
    together = problem.mean_S_bars(clients.z, clients.offsets, theta)
    if who.size:
        apart = problem.mean_S_bars_apart(clients.z, [cuts[i] for i in who], theta)
        np.testing.assert_array_equal(apart, together[who])


@given(
    seed=seeds, sizes=st.lists(st.integers(1, 4), min_size=4, max_size=8), equal=st.booleans(), named=st.booleans(),
    kind=st.sampled_from(["rows", "columns", "sparse"]), fast=st.booleans(),
)  # fmt: skip
@settings(max_examples=100)
def test_rows_of_clients_are_theirs_however_they_are_copied(seed, sizes, equal, named, kind, fast):
    """Copied one by one, client by client, compiled or not, with names or without, in their order and by size."""
    rng = np.random.default_rng(seed)
    sizes = np.full(len(sizes), 3) if equal else np.array(sizes)
    z = np.asarray(rng.normal(size=(sizes.sum(), 2)), order="F" if kind == "columns" else "C")
    z.setflags(write=False)
    clients = Clients.of_rows(sparse.csr_array(z) if kind == "sparse" else z, sizes)
    who = np.sort(rng.permutation(len(sizes))[: rng.integers(1, len(sizes) + 1)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draws_module, "_asked", draws_module.WORTH_LOADING if fast else 0)
        as_they_are = (*clients.held(who, named=named), np.arange(len(who)))
        by_size = clients.held_by_size(who, named=named)
    for rows, names, offsets, place in (as_they_are, by_size):
        for i, at in zip(who, place, strict=True):
            cut = slice(offsets[at], offsets[at + 1])
            np.testing.assert_array_equal(dense(rows[cut]), z[clients.offsets[i] : clients.offsets[i + 1]])
        assert offsets[-1] == rows.shape[0] == sizes[who].sum()
        if named:
            np.testing.assert_array_equal(z[names], dense(rows))
    assert np.diff(by_size[2]).tolist() == sorted(sizes[who])


@given(seed=seeds, many=st.sampled_from([2, 1000]))
@settings(max_examples=20)
def test_unequal_clients_get_the_same_bits_in_any_order(seed, many):
    """Few of them as they stand, many with those of one size together."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, 12)
    clients = Clients.of_rows(rng.normal(size=(sizes.sum(), 4)), sizes)
    problem, theta, who = Quadratic(3, 0.1), rng.normal(size=3), np.sort(rng.permutation(12)[: rng.integers(1, 13)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(oracles, "MANY", many)
        together = FullBatch()(problem, clients, theta, Draws(0, 1, who))
    alone = [problem.mean_S_bars(clients[i], np.array([0, sizes[i]]), theta)[0] for i in who]
    np.testing.assert_array_equal(together, alone)


def _told(method, asked):
    """The method, which notes the samples that it is given."""

    def noting(self, z, *rest):
        asked.append(z)
        return method(self, z, *rest)

    return noting


@every_case
def test_samples_without_names_are_looked_at(case):
    """Those with names are rows of `Clients`, which refuses such samples."""
    rng = np.random.default_rng(0)
    z = case.draw_z(rng, 4)
    problem, theta = case.problem(Clients.of([z])), case.draw_theta(rng)
    z[2, 0] = np.nan
    with pytest.raises(InvalidInput, match="nan"):
        problem.mean_S_bars(z, np.array([0, 2, 4]), theta)


@given(seed=seeds, sizes=st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_products_of_sparse_samples_are_those_of_each_client_alone(seed, sizes):
    rng, offsets = np.random.default_rng(seed), np.cumsum([0, *sizes])
    a = sparse.random_array((offsets[-1], 4), density=0.3, format="csr", rng=rng)
    b = rng.normal(size=(offsets[-1], 3))
    cuts = [slice(*ends) for ends in itertools.pairwise(offsets)]
    np.testing.assert_array_equal(client_products(a, b, offsets), [a[cut].T @ b[cut] for cut in cuts])


def test_subsets_are_floyds_and_uniform():
    """Each subset arises from an equal volume of uniforms: exact over a grid that resolves the two draws."""
    counts = {}
    grid = [(a + 0.5) / 12 for a in range(12)]
    for u in itertools.product(grid, grid):
        found = tuple(subsets(np.array([u]), np.array([4]))[0])
        assert list(found) == floyd(np.array(u), 4)
        counts[found] = counts.get(found, 0) + 1
    assert counts == dict.fromkeys(itertools.combinations(range(4), 2), 24)


def test_minibatch_takes_all_samples_of_small_clients_and_b_of_the_others():
    clients = Clients.of_rows(np.arange(12.0)[:, None], [2, 7, 3])
    names, offsets = MiniBatch(3).rows(clients, Draws(0, 1, np.arange(3)))
    assert offsets.tolist() == [0, 2, 5, 8]
    assert isinstance(names, np.ndarray)
    assert names[:2].tolist() == [0, 1]
    assert names[5:].tolist() == [9, 10, 11]
    assert len({*names[2:5].tolist()} & {*range(2, 9)}) == 3


def test_sparse_samples_stay_sparse_and_damaged_ones_are_refused():
    dense = np.array([[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]])
    clients = Clients.of([sparse.coo_array(dense[:1]), dense[1:]])
    assert sparse.issparse(clients.z)
    assert (clients[1].toarray() == dense[1:]).all()
    twice = sparse.csr_array((np.array([1.0, 1.0, 1.0]), np.array([1, 1, 0]), np.array([0, 2, 3, 3])), shape=(3, 2))
    assert (Clients.of([twice]).z.data == [2.0, 1.0]).all()  # an entry that is stored in two parts is one number
    dense[0, 1] = np.nan
    with pytest.raises(InvalidInput, match="stored entries of z"):
        Clients.of_rows(sparse.csr_array(dense), [3])


@pytest.mark.parametrize(
    ("sizes", "words"), [([3, 0], "client 1 holds no samples"), ([2, 2], "3 rows"), ([1.5, 1.5], "count every row")]
)
def test_sizes_must_count_every_row_once(sizes, words):
    with pytest.raises(InvalidInput, match=words):
        Clients.of_rows(np.ones((3, 2)), sizes)
