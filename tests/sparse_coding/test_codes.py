"""Codes: optimal by an independent certificate, the same however they are computed, refused by name where undefined."""

import sys

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Lasso

from fedmm_edu.errors import InvalidInput
from fedmm_edu.sparse_coding import CodePenalty, codes, kkt_violation

METHODS = ("compiled", "reference")


def optimality_gap(z, theta, penalty, h):
    """Written from the definition, one coefficient at a time: the distance of −gradient to the subdifferential."""
    worst = np.zeros(len(z))
    for n in range(len(z)):
        for k in range(theta.shape[1]):
            slope = theta[:, k] @ (theta @ h[n] - z[n]) + penalty.ridge * h[n, k]
            if h[n, k] > 0:
                gap = abs(slope + penalty.lam)
            elif h[n, k] < 0:
                gap = np.inf if penalty.nonnegative else abs(slope - penalty.lam)
            elif penalty.nonnegative:
                gap = max(-slope - penalty.lam, 0.0)
            else:
                gap = max(abs(slope) - penalty.lam, 0.0)
            worst[n] = max(worst[n], gap)
    return worst


def objective(z, theta, penalty, h):
    """½‖z − θh‖² + χ(h) of each row."""
    return 0.5 * ((z - h @ theta.T) ** 2).sum(axis=1) + penalty.value(h)


def draw(seed, n, p, size):
    """Samples with zeros among their entries, and a dictionary."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.7), rng.normal(size=(p, size))


PENALTIES = st.builds(CodePenalty, st.sampled_from([0.03, 0.3, 1.5]), st.sampled_from([0.0, 0.4]), st.booleans())
PROBLEMS = st.builds(draw, st.integers(0, 2**32), st.integers(0, 6), st.integers(1, 9), st.integers(1, 20))


@given(PROBLEMS, PENALTIES)
def test_codes_are_optimal(problem, penalty):
    """Any shape, K > p included: every code passes the optimality condition, and its violation is what is reported."""
    z, theta = problem
    found = codes(z, theta, penalty, method="compiled")
    gap = optimality_gap(z, theta, penalty, found.h)
    assert (gap <= 1e-10).all()
    np.testing.assert_allclose(found.violation, gap, atol=1e-12)
    np.testing.assert_allclose(kkt_violation(z, theta, penalty, found.h), gap, atol=1e-12)


@settings(max_examples=30)
@given(PROBLEMS, PENALTIES)
def test_compiled_agrees_with_reference(problem, penalty):
    """Both methods reach the same objective, and the same code where it is unique (a ridge)."""
    z, theta = problem
    first, second = (codes(z, theta, penalty, method=method) for method in METHODS)
    np.testing.assert_allclose(*(objective(z, theta, penalty, r.h) for r in (first, second)), atol=1e-10, rtol=0)
    if penalty.ridge > 0:
        np.testing.assert_allclose(first.h, second.h, atol=1e-9)


@given(PROBLEMS, PENALTIES, st.integers(0, 2**32))
def test_warm_equals_cold(problem, penalty, seed):
    """From a near or a random start: certified, and bit for bit the cold code wherever the sign pattern is the same."""
    z, theta = problem
    rng = np.random.default_rng(seed)
    cold = codes(z, theta, penalty, method="compiled").h
    near = codes(z, theta + 0.05 * rng.normal(size=theta.shape), penalty, method="compiled").h
    for start in (near, rng.normal(size=cold.shape), -cold, np.zeros_like(cold)):
        warm = codes(z, theta, penalty, start=start, method="compiled")
        assert (optimality_gap(z, theta, penalty, warm.h) <= 1e-10).all()
        same = (np.sign(warm.h) == np.sign(cold)).all(axis=1)
        assert warm.h[same].tobytes() == cold[same].tobytes()  # signs of zeros, too
        np.testing.assert_allclose(*(objective(z, theta, penalty, h) for h in (warm.h, cold)), atol=1e-10, rtol=0)


FAR = {
    "permuted": lambda cold, rng, at: cold[rng.permutation(len(cold))],
    "a tenth of the penalty": lambda cold, rng, at: at(0.1, 0.0),
    "all ones": lambda cold, rng, at: np.ones_like(cold),
    "atoms moved by a tenth": lambda cold, rng, at: at(1.0, 0.1),
    "against": lambda cold, rng, at: -cold,
}


@pytest.mark.parametrize("coherence", [0.0, 0.9999])
@pytest.mark.parametrize("far", FAR)
def test_a_far_start_costs_little(far, coherence):
    """At most a fifth more solves and events than without a start, and the same codes."""
    rng = np.random.default_rng(10)
    theta = np.sqrt(1 - coherence) * rng.normal(size=(40, 60)) + np.sqrt(coherence) * rng.normal(size=(40, 1))
    z = rng.normal(size=(80, 60)) * (rng.random((80, 60)) < 0.1) @ theta.T + 0.1 * rng.normal(size=(80, 40))
    lam = 0.1 * np.abs(z @ theta).max(axis=1).mean()

    def at(share, move):
        moved = theta + move * rng.normal(size=theta.shape)
        return codes(z, moved, CodePenalty(share * lam), method="compiled").h

    cold = codes(z, theta, CodePenalty(lam), method="compiled")
    start = FAR[far](cold.h, rng, at)
    warm = codes(z, theta, CodePenalty(lam), start=start, method="compiled", threads=1)
    assert warm.iterations.sum() <= 1.2 * cold.iterations.sum()
    assert (warm.h == cold.h).all()


def test_a_near_start_is_used():
    """From the codes themselves one solve is enough; from those of a near dictionary, a few."""
    z, theta = draw(11, 60, 20, 30)
    cold = codes(z, theta, CodePenalty(0.3), method="compiled")
    assert (codes(z, theta, CodePenalty(0.3), start=cold.h, method="compiled").iterations == 1).all()
    near = codes(z, theta + 1e-3, CodePenalty(0.3), method="compiled").h
    warm = codes(z, theta, CodePenalty(0.3), start=near, method="compiled")
    assert warm.iterations.sum() < cold.iterations.sum() / 3


def test_a_start_turns_what_stands_wrong_before_it_solves():
    """One solve is enough for more rows than those whose start uses the atoms of the code."""
    rng = np.random.default_rng(19)
    theta, z = rng.normal(size=(40, 80)) / np.sqrt(40), rng.normal(size=(200, 40))
    moved = theta + 0.02 * rng.normal(size=theta.shape) / np.sqrt(40)
    start, cold = (codes(z, atoms, CodePenalty(0.6), method="compiled").h for atoms in (moved, theta))
    warm = codes(z, theta, CodePenalty(0.6), start=start, method="compiled")
    right = ((start != 0) == (cold != 0)).all(axis=1)
    assert (warm.iterations == 1).sum() > right.sum() + 10


@settings(max_examples=40)
@given(PROBLEMS, PENALTIES, st.integers(0, 2**32))
def test_a_tie_is_not_decided_by_the_start(problem, penalty, seed):
    """Doubled atoms have many codes; from any start, alone or in a batch, it is the one that no start gives."""
    z, theta = problem
    theta = np.hstack([theta, theta])
    rng = np.random.default_rng(seed)
    cold = codes(z, theta, penalty, method="compiled").h
    for start in (np.roll(cold, theta.shape[1] // 2, axis=1), rng.normal(size=cold.shape)):
        assert (codes(z, theta, penalty, start=start, method="compiled").h == cold).all()
        for n in range(len(z)):
            alone = codes(z[[n]], theta, penalty, start=start[[n]], method="compiled").h
            assert (alone == cold[[n]]).all()


def test_the_certificate_of_the_kernel_sees_what_is_wrong():
    """On vectors as it meets them: like the definition, infinite below h ≥ 0, and with a margin of zero at a tie."""
    from numba import njit

    from fedmm_edu.sparse_coding.scan import optimality

    look = njit(lambda h, g, diagonal, positive: optimality(h, g, diagonal, 0.5, positive, 1))
    h, g = np.array([2.0, -1.0, *[0.0] * 6]), np.array([0.5, -0.5, 0.2, -0.4, *[0.0] * 4])
    diagonal = np.array([1.0, 0.03, *[1.0] * 6])
    np.testing.assert_allclose(look(h, g, diagonal, False), (0.0, 0.03))
    assert look(h, g, diagonal, True)[0] == np.inf
    assert look(abs(h), abs(g), diagonal, True)[0] == 0.0
    g[3] = -0.5  # the atom may enter, at no cost
    np.testing.assert_allclose(look(h, g, diagonal, False), (0.0, 0.0))
    g[3] = -0.9
    np.testing.assert_allclose(look(h, g, diagonal, False)[0], 0.4)
    g[3] = np.nan
    assert look(h, g, diagonal, False)[0] == np.inf


@pytest.mark.parametrize("nonnegative", [False, True])
def test_equal_atoms_that_leave_together_keep_their_signs(nonnegative):
    """A ridge makes equal atoms share a coefficient: where one is zero, so is the other, and none is below h ≥ 0."""
    rng = np.random.default_rng(18)
    for size in range(10, 30):
        half = rng.normal(size=(30, size)) + 0.5 * rng.normal(size=(30, 1))
        theta, z = np.hstack([half, half]), rng.normal(size=(200, 30))
        most = float(np.abs(z @ half).max())
        penalty = CodePenalty(1e-3 * most, float((half**2).sum() / size), nonnegative)
        cold = codes(z, theta, penalty, method="compiled").h
        assert (kkt_violation(z, theta, penalty, cold) <= 1e-10).all()
        start = cold * np.tile(rng.random((200, size)) < 0.85, 2)
        assert codes(z, theta, penalty, start=start, method="compiled").h.tobytes() == cold.tobytes()


@pytest.mark.parametrize("full", [1.0, 0.1])
@pytest.mark.parametrize("size", [20, 40, 130])
def test_products_in_blocks_give_the_bits_of_rows(size, full):
    """More rows of θ than a block holds, samples that fill no block, one at a time, CSR: the same bits."""
    rng = np.random.default_rng(size)
    theta = rng.normal(size=(300, size)) / np.sqrt(300)
    z = rng.normal(size=(43, 300)) * (rng.random((43, 300)) < full)
    whole = codes(z, theta, CodePenalty(0.5), method="compiled").h
    assert np.count_nonzero(whole)
    assert (codes(sp.csr_array(z), theta, CodePenalty(0.5), method="compiled").h == whole).all()
    for n in range(0, 43, 6):
        assert (codes(z[[n]], theta, CodePenalty(0.5), method="compiled").h == whole[n]).all()


@pytest.mark.parametrize("coherence", [0.0, 0.5])
@pytest.mark.parametrize("shape", [(300, 5), (300, 21), (11, 70), (300, 70), (261, 300)])
def test_rows_formed_when_they_are_needed_give_the_bits_of_all(shape, coherence):
    """Alone or in a few, dense or CSR, with one atom in use or many: the rows of a batch that forms all beforehand."""
    rng = np.random.default_rng(13)
    theta = rng.normal(size=shape) + np.sqrt(coherence) * rng.normal(size=(shape[0], 1))
    theta /= np.linalg.norm(theta, axis=0)
    z = rng.normal(size=(shape[1] + 9, shape[0]))
    z[0, ::3] = 0.0
    for lam in (0.3, 1.0, 1.7):
        whole = codes(z, theta, CodePenalty(lam), method="compiled").h
        assert np.count_nonzero(whole)
        for rows in ([0], [1], [2, 0, 3], [*range(9)]):
            for samples in (z[rows], sp.csr_array(z[rows])):
                assert (codes(samples, theta, CodePenalty(lam), method="compiled").h == whole[rows]).all()


@pytest.mark.parametrize("shape", [(4, 2), (30, 20), (30, 90)])
@pytest.mark.parametrize("rows", [0, 1, 3, 40])
def test_an_atom_that_is_not_finite_is_refused(shape, rows):
    """Wherever the entry stands, however many samples, on any number of threads, with products of θ or without."""
    z, theta = draw(14, rows, *shape)
    for place in ((0, 0), (shape[0] - 1, shape[1] - 1), (shape[0] // 2, shape[1] // 2)):
        for value in (np.nan, np.inf, -np.inf):
            wrong = theta.copy()
            wrong[place] = value
            for penalty in (CodePenalty(0.3), CodePenalty(0.0, 0.3), CodePenalty(0.0)):
                for samples, threads in ((z, 1), (z, 2), (sp.csr_array(z), 1)):
                    with pytest.raises(InvalidInput, match=rf"theta\[\({place[0]}, {place[1]}\)\] is {value}"):
                        codes(samples, wrong, penalty, method="compiled", threads=threads)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("shape", [(4, 2), (30, 20), (30, 90)])
@pytest.mark.parametrize("rows", [1, 3, 40])
def test_a_sample_or_a_start_that_is_not_finite_is_refused(shape, rows, value):
    """Wherever the entry stands, though an atom has a zero there; and in a start that the batch no longer tries."""
    z, theta = draw(14, rows, *shape)
    theta[:, 0], theta[0] = 0.0, 0.0
    far, penalty = 50.0 * np.random.default_rng(1).normal(size=(rows, shape[1])), CodePenalty(0.3)
    for n, k in ((0, 0), (rows - 1, -1), (rows // 2, 1)):
        wrong, start = z.copy(), far.copy()
        wrong[n, k], start[n, k] = value, value
        at = rf"\[\({n}, {k % shape[0]}\)\] is {value}"
        for threads in (1, 2):
            with pytest.raises(InvalidInput, match="z" + at):
                codes(wrong, theta, penalty, method="compiled", threads=threads)
            with pytest.raises(InvalidInput, match=rf"z\.data.* is {value}"):
                codes(sp.csr_array(wrong), theta, penalty, method="compiled", threads=threads, start=far)
            with pytest.raises(InvalidInput, match=rf"start\[\({n}, {k % shape[1]}\)\] is {value}"):
                codes(z, theta, penalty, method="compiled", threads=threads, start=start)


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("rows", [1, 3, 40])
def test_products_that_overflow_are_not_certified(rows, nonnegative):
    """θᵀz is infinite in one atom, in the first or in all of them, though samples and atoms are finite."""
    z, theta = draw(16, rows, 4, 9)
    for atoms in ([5], [0], slice(None)):
        large, samples = theta.copy(), z.copy()
        large[:, atoms], samples[-1] = 1e4, 1e305
        with pytest.raises(InvalidInput, match=f"1 of {rows} codes are not optimal"):
            codes(samples, large, CodePenalty(0.3, nonnegative=nonnegative), method="compiled")


@pytest.mark.parametrize("rows", [1, 40])
def test_atoms_whose_squares_overflow_are_finite(rows):
    """They are not refused as input; that their codes cannot be certified is said."""
    z, theta = draw(15, rows, 4, 2)
    theta[1, 1] = 1e200
    with pytest.raises(InvalidInput, match="are not optimal"):
        codes(z, theta, CodePenalty(0.3), method="compiled")
    tried = codes(z, theta, CodePenalty(0.3), method="compiled", uncertified="return")
    assert np.median(tried.violation) > 1e100


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("ridge", [0.0, 0.2])
def test_pursuit_ends_at_the_code_of_the_path(ridge, nonnegative):
    """A batch jumps to the patterns of its codes, a sample alone takes the path: the same bits."""
    rng = np.random.default_rng(12)
    theta = rng.normal(size=(40, 90)) / np.sqrt(40)
    z, penalty = rng.normal(size=(30, 40)), CodePenalty(0.6, ridge, nonnegative)
    batch = codes(z, theta, penalty, method="compiled")
    alone = [codes(z[[n]], theta, penalty, method="compiled") for n in range(30)]
    assert np.count_nonzero(batch.h) > 90
    assert (batch.h == np.vstack([one.h for one in alone])).all()
    assert (batch.iterations != np.concatenate([one.iterations for one in alone])).any()


def test_memory_of_one_call_is_not_seen_by_the_next():
    """Scratch is kept: after a larger, a smaller or a lonely one, each call gives the bits of its first time."""
    problems = [
        (*draw(n + p + size, n, p, size), CodePenalty(0.3)) for n, p, size in ((9, 30, 70), (5, 4, 3), (1, 20, 90))
    ]
    first = [codes(*problem, method="compiled").h for problem in problems]
    for k in (2, 0, 1, 0, 2, 1):
        assert (codes(*problems[k], method="compiled").h == first[k]).all()


def test_read_only_memory_compiles_nothing_anew():
    """Samples, dictionary and start that may not be written, as of a memory map: the same bits, by the same code."""
    from fedmm_edu.sparse_coding import kernel

    z, theta = draw(3, 20, 6, 8)

    def compiled() -> int:
        return len(vars(kernel.solve_rows)["overloads"])

    plain = codes(z, theta, CodePenalty(0.1), start=np.ones((20, 8)), method="compiled").h
    known = compiled()
    rows, start = sp.csr_array(z), np.ones((20, 8))
    for array in (z, theta, start, rows.data, rows.indices, rows.indptr):
        array.setflags(write=False)
    for samples in (z, rows):
        assert (codes(samples, theta, CodePenalty(0.1), start=start, method="compiled").h == plain).all()
    assert compiled() == known


def test_compiling_is_said_once(capsys, monkeypatch):
    """On a terminal alone, for functions of the kernel and no others."""
    import numba

    from fedmm_edu.sparse_coding import compiled

    def compile_one(module: str, step: int) -> None:
        function = numba.njit(lambda x: x + step)
        vars(function)["py_func"].__module__ = module
        function(1)

    monkeypatch.setattr(compiled._ANNOUNCEMENT, "said", False)
    compile_one(compiled.kernel.__name__, 1)  # stderr is a file
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    compile_one("elsewhere", 2)
    assert capsys.readouterr().err == ""
    for step in (3, 4):
        compile_one(compiled.kernel.__name__, step)
    assert capsys.readouterr().err.count("compiling the sparse coder") == 1


def test_the_cache_watches_every_file_of_the_room():
    """What numba keeps belongs to one state of all source files: the function encloses their fingerprint."""
    from fedmm_edu.sparse_coding import kernel

    enclosed = kernel.solve_rows.py_func.__closure__  # pyright: ignore[reportFunctionMemberAccess]
    assert [cell.cell_contents for cell in enclosed] == [kernel._fingerprint()]


@given(PROBLEMS, PENALTIES, st.data())
def test_a_code_depends_on_its_row_alone(problem, penalty, data):
    """Bit for bit: any part of the batch, any number of threads, dense or CSR with unsorted and doubled entries."""
    z, theta = problem
    whole = codes(z, theta, penalty, method="compiled").h
    part = np.array(data.draw(st.lists(st.integers(0, max(len(z) - 1, 0)), max_size=4)) if len(z) else [], dtype=int)
    assert (codes(z[part], theta, penalty, method="compiled").h == whole[part]).all()
    assert (codes(z, theta, penalty, method="compiled", threads=2).h == whole).all()
    assert (codes(sp.csr_array(z), theta, penalty, method="compiled").h == whole).all()
    row, column = np.nonzero(z)
    turned = sp.csr_array(
        (
            z[row, column][::-1] / 2,
            column[::-1],
            np.r_[0, np.cumsum(np.bincount(row, minlength=len(z))[::-1])],
        ),
        shape=z.shape,
    )
    twice = turned[::-1] + turned[::-1] if len(z) else turned
    assert (codes(twice, theta, penalty, method="compiled").h == whole).all()


def test_two_threads_take_a_large_batch():
    """A batch that is cut into pieces gives the bits of one piece."""
    z, theta = draw(5, 400, 12, 30)
    one, two = (codes(z, theta, CodePenalty(0.1), method="compiled", threads=t).h for t in (1, 2))
    assert (one == two).all()


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("lam", [0.05, 1.0])
def test_objective_of_scikit_learn(lam, nonnegative):
    """The minimum agrees with `Lasso` to 1e-10 per sample."""
    z, theta = draw(1, 20, 12, 8)
    penalty = CodePenalty(lam, nonnegative=nonnegative)
    model = Lasso(lam / 12, fit_intercept=False, tol=1e-14, max_iter=100_000, positive=nonnegative)
    peer = np.array([model.fit(theta, row).coef_ for row in z])
    for method in METHODS:
        ours = objective(z, theta, penalty, codes(z, theta, penalty, method=method).h)
        np.testing.assert_allclose(ours, objective(z, theta, penalty, peer), atol=1e-10, rtol=0)


@pytest.mark.parametrize("method", METHODS)
def test_least_squares_without_penalty(method):
    """λ = ridge = 0, independent atoms: ordinary and non-negative least squares."""
    z, theta = draw(2, 15, 9, 5)
    free = codes(z, theta, CodePenalty(0.0), method=method).h
    np.testing.assert_allclose(free, np.linalg.lstsq(theta, z.T, rcond=None)[0].T, atol=1e-10)
    bound = codes(z, theta, CodePenalty(0.0, nonnegative=True), method=method).h
    np.testing.assert_allclose(bound, [scipy.optimize.nnls(theta, row)[0] for row in z], atol=1e-10)


def test_the_loss_without_one_half_has_twice_the_lam():
    """L 487 writes ‖z − θh‖² + λ'‖h‖₁: its minimisers are the codes with λ = λ'/2."""
    z, theta = draw(3, 10, 6, 4)
    h = codes(z, theta, CodePenalty(0.35)).h
    slope = 2 * (h @ theta.T - z) @ theta
    assert (np.abs(slope + 0.7 * np.sign(h))[h != 0] <= 1e-9).all()
    assert (np.abs(slope)[h == 0] <= 0.7 + 1e-9).all()
    assert 0 < np.count_nonzero(h) < h.size


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("penalty", [CodePenalty(0.1), CodePenalty(0.1, nonnegative=True), CodePenalty(0.1, 0.2)])
def test_dependent_and_zero_atoms(method, penalty):
    """Doubled, opposite and zero atoms: a certified minimiser, 0 at the zero atom, the same at each call."""
    z, theta = draw(4, 12, 4, 3)
    theta = np.hstack([theta, theta, -theta, theta[:, :1] + theta[:, 1:2], np.zeros((4, 1))])
    first = codes(z, theta, penalty, method=method)
    assert (optimality_gap(z, theta, penalty, first.h) <= 1e-10).all()
    assert (first.h[:, -1] == 0).all()
    assert (codes(z, theta, penalty, method=method).h == first.h).all()
    start = np.ones_like(first.h)
    warm = codes(z, theta, penalty, method=method, start=start)
    assert (optimality_gap(z, theta, penalty, warm.h) <= 1e-10).all()


@pytest.mark.parametrize("scale", [1e-8, 1e-3, 1e3])
def test_scales_within_rounding(scale):
    """Scaled data and penalty give the scaled codes."""
    z, theta = draw(6, 10, 5, 8)
    one = codes(z, theta, CodePenalty(0.2), method="compiled").h
    other = codes(scale * z, theta, CodePenalty(0.2 * scale), method="compiled").h
    np.testing.assert_allclose(
        other, scale * one, rtol=0, atol=max(1e-9 * scale, 1e-10) if scale < 1e-5 else 1e-9 * scale
    )


@pytest.mark.parametrize("method", METHODS)
def test_what_rounding_cannot_certify_is_said(method):
    """At 1e9 no code is optimal to 1e-10: the error names a sample, its violation and rounding, or gives the codes."""
    z, theta = draw(7, 6, 5, 4)
    penalty = CodePenalty(0.1)
    with pytest.raises(InvalidInput, match=r"violation .* rounding"):
        codes(1e9 * z, theta, penalty, method=method, max_iterations=200)
    given_back = codes(1e9 * z, theta, penalty, method=method, max_iterations=200, uncertified="return")
    assert (given_back.violation > 1e-10).any()
    assert (optimality_gap(1e9 * z, theta, penalty, given_back.h) <= 1e-4).all()
    assert (codes(1e9 * z, theta, penalty, method=method, tol=1e-4).violation <= 1e-4).all()


def test_too_few_iterations_are_refused():
    """A limit that stops the solver is an error that names the limit."""
    z, theta = draw(8, 5, 6, 12)
    with pytest.raises(InvalidInput, match="raise max_iterations"):
        codes(z, theta, CodePenalty(0.01), method="compiled", max_iterations=1)


def test_kkt_violation_sees_what_is_wrong():
    """A moved code, and a negative one where h ≥ 0 is asked, are not optimal."""
    z, theta = draw(9, 4, 5, 3)
    h = codes(z, theta, CodePenalty(0.1)).h
    assert (kkt_violation(z, theta, CodePenalty(0.1), h + 0.01) > 1e-4).all()
    assert (kkt_violation(z, theta, CodePenalty(0.1, nonnegative=True), -np.ones_like(h)) == np.inf).all()


Z, THETA = draw(0, 3, 4, 2)


@pytest.mark.parametrize(
    ("match", "call"),
    [
        ("lam", lambda: CodePenalty(-0.1)),
        ("lam", lambda: CodePenalty(np.nan)),
        ("ridge", lambda: CodePenalty(0.1, -1.0)),
        ("z has shape", lambda: codes(Z[:, :3], THETA, CodePenalty(0.1))),
        ("z has shape", lambda: codes(sp.csr_array(Z[:, :3]), THETA, CodePenalty(0.1))),
        ("theta has shape", lambda: codes(Z, THETA[0], CodePenalty(0.1))),
        ("theta has shape", lambda: codes(Z, THETA[:, :0], CodePenalty(0.1))),
        (r"z\[\(0, 0\)\] is nan", lambda: codes(np.full((3, 4), np.nan), THETA, CodePenalty(0.1))),
        (r"z\.data.* is inf", lambda: codes(sp.csr_array(np.full((3, 4), np.inf)), THETA, CodePenalty(0.1))),
        ("theta", lambda: codes(Z, np.full((4, 2), np.inf), CodePenalty(0.1))),
        ("start has shape", lambda: codes(Z, THETA, CodePenalty(0.1), start=np.zeros((3, 3)))),
        ("start", lambda: codes(Z, THETA, CodePenalty(0.1), start=np.full((3, 2), np.nan))),
        ("tol", lambda: codes(Z, THETA, CodePenalty(0.1), tol=0.0)),
        ("max_iterations", lambda: codes(Z, THETA, CodePenalty(0.1), max_iterations=0)),
        ("threads", lambda: codes(Z, THETA, CodePenalty(0.1), threads=0)),
        ("method", lambda: codes(Z, THETA, CodePenalty(0.1), method="fast")),
        ("uncertified", lambda: codes(Z, THETA, CodePenalty(0.1), uncertified="hide")),
        ("linearly dependent", lambda: codes(Z, np.hstack([THETA, THETA]), CodePenalty(0.0))),
        ("linearly dependent", lambda: codes(Z[:, :1], THETA[:1], CodePenalty(0.0, nonnegative=True))),
    ],
)
def test_bad_input_is_refused_by_name(match, call):
    """Every refusal is an `InvalidInput` that names the value."""
    with pytest.raises(InvalidInput, match=match):
        call()
