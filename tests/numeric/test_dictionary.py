"""Dictionary learning: T against independent minimisers, MM-1 within the codes' accuracy, k-means, online learning."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import nnls
from sklearn.cluster import KMeans

from fedmm_edu.algorithms import Constant, FedMM, Harmonic, mm, run, sa_ssmm
from fedmm_edu.algorithms.fingerprint import fingerprint
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples import examples
from fedmm_edu.examples.dictionary import DictionaryLearning, NonNegative, OneHot, SparseCodes, Unconstrained, UnitBall
from fedmm_edu.federation import Bernoulli, Clients, Draws, MiniBatch, Stream, UniformQuantization
from fedmm_edu.sparse_coding import CodePenalty, codes
from fedmm_edu.surrogate import majorization_gap
from fedmm_edu.symbolic import kernel
from tests.numeric.instances import refusals

seeds = st.integers(0, 2**32 - 1)
EPS = np.finfo(np.float64).eps


def statistics(seed, p, K, N=None):
    """s = (HᵀH, ZᵀH)/N of random codes, N ≥ K unless given, of a random size."""
    rng = np.random.default_rng(seed)
    N = K + 3 if N is None else N
    h, z = 10.0 ** rng.uniform(-1, 1) * rng.normal(size=(N, K)), 3 * rng.normal(size=(N, p))
    return np.concatenate([(h.T @ h).ravel(), (z.T @ h).ravel()]) / N


def descend(A, b, move, sweeps=20000):
    """Algorithm 2 of Mairal et al. (2010): column by column, u = θ_k + (b_k − θA_k)/A_kk, then `move(u)`."""
    theta = np.zeros_like(b)
    for _ in range(sweeps):
        before = theta.copy()
        for k in range(len(A)):
            theta[:, k] = move(theta[:, k] + (b[:, k] - theta @ A[:, k]) / A[k, k])
        if np.abs(theta - before).max() <= 1e-15:
            break
    return theta


def into_ball(u):
    return u / max(1.0, np.linalg.norm(u))


def lasso_code(z, theta, lam, sweeps=5000):
    """argmin_h ½‖z − θh‖² + λ‖h‖₁ by coordinate descent."""
    h = np.zeros(theta.shape[1])
    for _ in range(sweeps):
        before = h.copy()
        for k, atom in enumerate(theta.T):
            slope = atom @ (z - theta @ h) + (atom @ atom) * h[k]
            h[k] = np.sign(slope) * max(abs(slope) - lam, 0.0) / (atom @ atom) if atom.any() else 0.0
        if np.abs(h - before).max() <= 1e-16:
            break
    return h


# ------------------------------------------------------------------------------------------------------------ MM-1


@given(
    seed=seeds, p=st.integers(1, 5), K=st.integers(1, 7), lam=st.floats(0.01, 2.0), half=st.booleans(),
    tol=st.sampled_from([1e-4, 1e-8, 1e-12]),
)  # fmt: skip
@settings(max_examples=60)
def test_mm1_holds_up_to_the_accuracy_of_the_codes(seed, p, K, lam, half, tol):
    """gap(θ) ≥ −ε, ε being the excess of the code h of θ over the optimal one h⋆.

    With v the violation of the optimality condition of F = ½‖Z − θ·‖² + λ'‖·‖₁, λ' = λ/(2c), by convexity
    F(h) − F(h⋆) ≤ v‖h − h⋆‖₁, and λ'‖h⋆‖₁ ≤ F(0) = ½‖Z‖²: hence ε = 2c v(‖h‖₁ + ‖Z‖²/(2λ')).
    """
    rng = np.random.default_rng(seed)
    c = 0.5 if half else 1.0
    problem = DictionaryLearning(p, K, SparseCodes(lam), Unconstrained(0.1), half=half, tol=tol)
    z, theta, tau = rng.normal(size=(6, p)), rng.normal(size=p * K), rng.normal(size=p * K)
    found = codes(z, theta.reshape(p, K), CodePenalty(lam / (2 * c)), tol=tol)
    squares = (z**2).sum(axis=1)
    excess = 2 * c * found.violation * (np.abs(found.h).sum(axis=1) + squares * c / lam)
    size = squares.mean() + np.abs(problem.mean_S_bar(z, tau)) @ np.abs(problem.phi(theta) - problem.phi(tau))
    rounding = 8 * (p + K) * EPS * size
    assert majorization_gap(problem, z, theta, tau) >= -excess.mean() - rounding
    assert abs(majorization_gap(problem, z, tau, tau)) <= rounding


@given(seed=seeds)
def test_both_conventions_are_one_problem(seed):
    """c = 1 with (λ, κ, η) is twice c = ½ with halves: same codes, same statistics, same T, twice the loss."""
    rng = np.random.default_rng(seed)
    z, theta = rng.normal(size=(5, 3)), rng.normal(size=6)
    plain = DictionaryLearning(3, 2, SparseCodes(0.4, 0.6), Unconstrained(0.3), half=False)
    half = DictionaryLearning(3, 2, SparseCodes(0.2, 0.3), Unconstrained(0.15))
    s = plain.mean_S_bar(z, theta)
    np.testing.assert_array_equal(plain.split(s)[0], plain.split(s)[0].T)
    np.testing.assert_allclose(half.mean_S_bar(z, theta), s, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(half.T(s), plain.T(s), rtol=1e-12)
    np.testing.assert_allclose(2 * half.loss(z, theta), plain.loss(z, theta), rtol=1e-12)
    np.testing.assert_allclose(2 * half.phi(theta), plain.phi(theta), rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("one atom", DictionaryLearning(1, 1, SparseCodes(0.0, 0.7), Unconstrained(0.3))),
        (
            "one atom, as in Section 2.3",
            DictionaryLearning(1, 1, SparseCodes(0.0, 1.4), Unconstrained(0.3), half=False),
        ),
        ("one atom, unit ball", DictionaryLearning(1, 1, SparseCodes(0.0, 0.7), UnitBall(0.3))),
        ("one atom, non-negative", DictionaryLearning(1, 1, SparseCodes(0.0, 0.7, True), NonNegative(0.3))),
        ("one atom, two dimensions", DictionaryLearning(2, 1, SparseCodes(0.0, 0.7), Unconstrained(0.3))),
    ],
)
def test_the_kernel_is_the_sympy_model(name, problem):
    """Loss, S̄, φ, g and T of the definition that the ledger proves, at random points."""
    model = next(e for e in examples() if e.name == "dictionary").models()[name]
    defined = kernel(model, {"kappa": 0.7, "eta": 0.3})
    rng = np.random.default_rng(2)
    for _ in range(5):
        z, theta = np.abs(rng.normal(size=(6, problem.p))), problem.Theta.project(np.abs(rng.normal(size=problem.d)))
        s = np.concatenate([np.abs(rng.normal(size=1)), 2 * rng.normal(size=problem.p)])
        np.testing.assert_allclose(problem.loss(z, theta), defined.loss(z, theta), rtol=1e-11)
        np.testing.assert_allclose(problem.S_bar(z, theta), defined.S_bar(z, theta), rtol=1e-11, atol=1e-14)
        np.testing.assert_allclose(problem.phi(theta), defined.phi(theta), rtol=1e-14)
        np.testing.assert_allclose(problem.T(s), defined.T(s), rtol=1e-12, atol=1e-14)
        assert problem.g(theta) == pytest.approx(defined.g(theta), rel=1e-14)


# ------------------------------------------------------------------------------------------------------------ MM-2


@given(seed=seeds, p=st.integers(1, 5), K=st.integers(1, 5), eta=st.floats(1e-3, 2.0), half=st.booleans())
@settings(max_examples=40)
def test_T_of_the_ridge_is_the_closed_form(seed, p, K, eta, half):
    """s₂(s₁ + (η/c)I)⁻¹ by explicit inversion, also for singular s₁; its surrogate has gradient zero."""
    problem = DictionaryLearning(p, K, SparseCodes(0.1), Unconstrained(eta), half=half)
    s = statistics(seed, p, K, N=2)
    s1, s2 = problem.split(s)
    theta = problem.T(s).reshape(p, K)
    regular = s1 + eta / (0.5 if half else 1.0) * np.eye(K)
    np.testing.assert_allclose(theta, s2 @ np.linalg.inv(regular), rtol=1e-8, atol=1e-10)
    assert np.abs(theta @ regular - s2).max() <= 1e-12 * (np.abs(theta).max() * np.abs(regular).max() + 1)


@given(seed=seeds, p=st.integers(1, 6), K=st.integers(1, 5), eta=st.sampled_from([0.0, 0.01]))
@settings(max_examples=60)
def test_T_in_the_unit_ball_is_the_limit_of_block_coordinate_descent(seed, p, K, eta):
    """No worse than the iteration of Mairal et al., and at the same point."""
    problem = DictionaryLearning(p, K, SparseCodes(0.1), UnitBall(eta))
    s = statistics(seed, p, K)
    s1, s2 = problem.split(s)
    A = s1 + 2 * eta * np.eye(K)
    theta, slow = problem.T(s).reshape(p, K), descend(A, s2, into_ball, sweeps=2000)
    value = [0.5 * np.sum(t @ A * t) - np.sum(t * s2) for t in (theta, slow)]
    assert value[0] <= value[1] + 1e-13 * (1 + abs(value[1]))
    assert np.linalg.norm(theta, axis=0).max() <= 1 + 8 * EPS
    strong = np.linalg.eigvalsh(A)[0]  # ½ strong ‖θ − θ⋆‖² is at most the excess of the slower one
    assert 0.5 * strong * np.sum((theta - slow) ** 2) <= value[1] - value[0] + 1e-13 * (1 + abs(value[1]))


@pytest.mark.parametrize("seed", [55, 61, 62])
def test_T_in_the_unit_ball_when_atoms_compete(seed):
    """Codes that are nearly equal: multipliers rise and fall again on the way to T(s)."""
    rng = np.random.default_rng(seed)
    h = rng.normal(size=(8, 1)) + 0.3 * rng.normal(size=(8, 3))
    A, b = h.T @ h / 8, 5 * rng.normal(size=(2, 3))
    theta = DictionaryLearning(2, 3, SparseCodes(0.1), UnitBall()).T(np.concatenate([A.ravel(), b.ravel()]))
    np.testing.assert_allclose(theta.reshape(2, 3), descend(A, b, into_ball), atol=1e-10)


@given(seed=seeds, p=st.integers(1, 5), K=st.integers(1, 5))
@settings(max_examples=60)
def test_T_without_negative_entries_is_least_squares_row_by_row(seed, p, K):
    """Against Lawson and Hanson's algorithm on A = RᵀR."""
    problem = DictionaryLearning(p, K, SparseCodes(0.1), NonNegative(0.05))
    s = statistics(seed, p, K)
    s1, s2 = problem.split(s)
    R = np.linalg.cholesky(s1 + 0.1 * np.eye(K)).T
    expected = [nnls(R, np.linalg.solve(R.T, row))[0] for row in s2]
    np.testing.assert_allclose(problem.T(s).reshape(p, K), expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("atoms", [Unconstrained(0.1), UnitBall(0.1), NonNegative(0.1)], ids=repr)
def test_an_atom_that_no_code_uses_becomes_zero(atoms):
    """With η > 0, T is defined on all of 𝒮; the other atoms are what they would be without it."""
    three, two = (DictionaryLearning(2, K, SparseCodes(0.1), atoms) for K in (3, 2))
    s1, s2 = two.split(statistics(5, 2, 2))
    padded = np.concatenate([np.pad(s1, (0, 1)).ravel(), np.pad(s2, ((0, 0), (0, 1))).ravel()])
    theta = three.T(padded).reshape(2, 3)
    np.testing.assert_array_equal(theta[:, 2], [0.0, 0.0])
    np.testing.assert_allclose(theta[:, :2].ravel(), two.T(np.concatenate([s1.ravel(), s2.ravel()])), atol=1e-12)
    np.testing.assert_array_equal(three.T(np.zeros(15)), np.zeros(6))


@pytest.mark.parametrize("atoms", [Unconstrained(0.0), UnitBall(0.0), NonNegative(0.0)], ids=repr)
def test_without_eta_a_singular_s1_is_refused_and_a_regular_one_is_not(atoms):
    """Then T(s) would not be unique (MM-2): two samples cannot determine three atoms."""
    problem = DictionaryLearning(2, 3, SparseCodes(0.1), atoms)
    with pytest.raises(InvalidInput, match="s₁ is singular"):
        problem.T(statistics(0, 2, 3, N=2))
    assert problem.Theta.contains(problem.T(statistics(0, 2, 3)), tol=1e-12)


# ---------------------------------------------------------------------------------------------------------- k-means


@given(seed=seeds, K=st.integers(1, 5))
@settings(max_examples=30)
def test_one_round_of_k_means_is_one_step_of_lloyd(seed, K):
    """η = 0 and no empty cluster: T(S̄(θ)) is scikit-learn's update of the same centres."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(40, 3))
    centres = z[rng.choice(40, K, replace=False)]
    problem = DictionaryLearning(3, K, OneHot(), Unconstrained(0.0))
    fed = mm(problem, z)
    theirs = KMeans(K, init=centres, n_init=1, max_iter=1, tol=0.0, algorithm="lloyd").fit(z)
    np.testing.assert_allclose(
        fed.theta(fed.init(fed.point(centres.T.ravel()))).reshape(3, K).T, theirs.cluster_centers_
    )
    distances = ((z[:, None, :] - centres[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(problem.loss(z, centres.T.ravel()), 0.5 * distances.min(axis=1), atol=1e-12)


def test_federated_k_means_ends_where_scikit_learn_ends():
    """Clients with one cluster each: aggregation in 𝒮 is Lloyd's algorithm on all data."""
    rng = np.random.default_rng(3)
    data = [rng.normal(loc=mean, size=(size, 2)) for mean, size in (((0, 0), 30), ((4, 0), 20), ((0, 5), 10))]
    z = np.vstack(data)
    problem = DictionaryLearning(2, 3, OneHot(), Unconstrained(0.0))
    fed = FedMM(problem, Clients.of(data), Constant(1.0))
    state, _ = run(fed, fed.init(fed.point(z[[0, 1, 2]].T.ravel())), 60)
    theirs = KMeans(3, init=z[:3], n_init=1, tol=0.0, algorithm="lloyd").fit(z)
    np.testing.assert_allclose(fed.theta(state).reshape(2, 3).T, theirs.cluster_centers_, rtol=1e-12)
    inertia = float(theirs.inertia_ or 0.0)
    assert fed.clients.objective(problem, fed.theta(state)) == pytest.approx(0.5 * inertia / len(z))


# -------------------------------------------------------------------------------------------------- online learning


def recursion(fed, lam, rounds, start, update):
    """Algorithm 1 of Mairal et al. (2010): A += mean hhᵀ, B += mean xhᵀ over the batch, then D = `update(A, B, t)`."""
    A, B, D = start
    for t in range(1, rounds + 1):
        names, _ = fed.oracle.rows(fed.clients, Draws(fed.seed, t, np.arange(1)))
        batch = fed.clients.z[names]
        h = np.array([lasso_code(x, D, lam) for x in batch])
        A, B = A + h.T @ h / len(batch), B + batch.T @ h / len(batch)
        D = update(A, B, t)
        yield np.concatenate([A.ravel(), B.ravel()]), D.ravel()


@pytest.mark.parametrize("b", [1, 4])
def test_sa_ssmm_with_harmonic_steps_is_online_dictionary_learning(b):
    """γ_t = 1/t: Ŝ_t = (A_t, B_t)/t and T(Ŝ_t) = D_t, for the ridge; s₁ is singular for a while, so η > 0."""
    p, K, lam, eta = 3, 4, 0.2, 0.05
    rng = np.random.default_rng(1)
    z, D0 = rng.normal(size=(30, p)), rng.normal(size=(p, K))
    problem = DictionaryLearning(p, K, SparseCodes(lam), Unconstrained(eta), tol=1e-12)
    fed = sa_ssmm(problem, z, gamma=Harmonic(), oracle=Stream(b), seed=5)
    state = fed.init(np.concatenate([np.eye(K).ravel(), (D0 * (1 + 2 * eta)).ravel()]))
    np.testing.assert_allclose(fed.theta(state), D0.ravel(), rtol=1e-14)

    def update(A, B, t):  # the minimiser of ½Tr(DᵀDA) − Tr(DᵀB) + tη‖D‖²
        return B @ np.linalg.inv(A + 2 * t * eta * np.eye(K))

    for t, (AB, D) in enumerate(recursion(fed, lam, 15, (0.0, 0.0, D0), update), 1):
        state = fed.step(state)
        np.testing.assert_allclose(state.x * t, AB, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(fed.theta(state), D, rtol=1e-7, atol=1e-7)


def test_sa_ssmm_in_the_unit_ball_is_online_dictionary_learning_started_at_the_identity():
    """γ_{t+1} = 1/(t + 2) from (I, D₀), the rule that the paper prints: Ŝ_t = (I + A_t, D₀ + B_t)/(t + 1), s₁ ≻ 0."""
    p, K, lam = 3, 4, 0.15
    rng = np.random.default_rng(2)
    z, D0 = rng.normal(size=(30, p)), rng.normal(size=(p, K))
    D0 /= np.linalg.norm(D0, axis=0)
    problem = DictionaryLearning(p, K, SparseCodes(lam), UnitBall(), tol=1e-12)
    fed = sa_ssmm(problem, z, gamma=lambda t: 1.0 / (t + 1), oracle=Stream(1), seed=9)
    state = fed.init(np.concatenate([np.eye(K).ravel(), D0.ravel()]))
    start = (np.eye(K), D0, D0)
    for t, (AB, D) in enumerate(recursion(fed, lam, 15, start, lambda A, B, t: descend(A, B, into_ball)), 1):
        state = fed.step(state)
        np.testing.assert_allclose(state.x * (t + 1), AB, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(fed.theta(state), D, rtol=1e-6, atol=1e-6)


# ------------------------------------------------------------------------------------------------ data and federation


def ratings(rng, N, p, share=0.3):
    """Sparse rows; the first one is empty."""
    z = np.where(rng.uniform(size=(N, p)) < share, rng.integers(1, 6, (N, p)), 0).astype(float)
    z[0] = 0.0
    return z


@pytest.mark.parametrize(
    ("coder", "atoms"), [(SparseCodes(0.5), Unconstrained(0.2)), (OneHot(), Unconstrained(0.1))], ids=["l1", "k-means"]
)
def test_sparse_data_is_the_same_data(coder, atoms):
    """CSR through every method, with an empty row, a client of one sample and one with empty rows only."""
    rng = np.random.default_rng(0)
    dense, theta = ratings(rng, 12, 7), rng.normal(size=21)
    z, problem = sparse.csr_array(dense), DictionaryLearning(7, 3, coder, atoms)
    weights = rng.dirichlet(np.ones(12))
    for offsets in (np.array([0, 1, 5, 12]), np.array([0, 4, 8, 12])):
        np.testing.assert_allclose(
            problem.mean_S_bars(z, offsets, theta), problem.mean_S_bars(dense, offsets, theta), rtol=1e-12, atol=1e-13
        )
    for method in (problem.S_bar, problem.loss, problem.mean_S_bar, lambda *at: problem.mean_S_bar(*at, weights)):
        np.testing.assert_allclose(method(z, theta), method(dense, theta), rtol=1e-12, atol=1e-13)
    sizes = [1, 4, 7]
    x = [
        FedMM(problem, Clients.of_rows(data, sizes), Constant(0.5)).clients.mean_S_bar(problem, theta)
        for data in (z, dense)
    ]
    np.testing.assert_allclose(x[0], x[1], rtol=1e-12, atol=1e-13)


def federation(seed=0, bits=8, gamma=0.3, **changes):
    rng = np.random.default_rng(seed)
    clients = Clients.of([rng.normal(size=(20, 6)) for _ in range(4)])
    problem = DictionaryLearning(6, 4, SparseCodes(0.2), Unconstrained(0.1), **changes)
    parts = {"oracle": MiniBatch(5), "participation": Bernoulli(0.7), "compressor": UniformQuantization(bits)}
    fed = FedMM(problem, clients, Constant(gamma), alpha=0.1, seed=seed, **parts)
    return fed, fed.init(fed.point(rng.normal(size=24)))


def test_remembered_codes_change_no_result_and_no_fingerprint():
    """Warm starts and cold ones lead to the same bits; a run with a memory can be saved and resumed."""
    (plain, a), (warm, b) = federation(), federation(remember=True)
    for _ in range(12):
        a, b = plain.step(a), warm.step(b)
        np.testing.assert_array_equal(a.x, b.x)
    assert warm.problem.memory.h.any()
    fresh = DictionaryLearning(6, 4, SparseCodes(0.2), Unconstrained(0.1), remember=True)
    assert fingerprint(warm.problem) == fingerprint(fresh)


def test_compressed_rounds_stay_in_S():
    """Messages are neither symmetric nor positive semidefinite; after the projection Ŝ is both, and T is defined."""
    fed, state = federation(seed=2, bits=2, gamma=0.9)
    at_boundary = 0
    for _ in range(30):
        state = fed.step(state)
        s1, _ = fed.problem.split(state.x)
        np.testing.assert_array_equal(s1, s1.T)
        least = np.linalg.eigvalsh(s1)[0]
        assert least >= -1e-13 * np.abs(s1).max()
        assert np.isfinite(fed.theta(state)).all()
        at_boundary += least < 1e-12
    assert at_boundary > 0  # so the projection had something to do


# --------------------------------------------------------------------------------------------------- degenerate cases


def test_codes_that_vanish():
    """λ too large for every sample, empty samples, or atoms that are 0: h = 0, ℓ = c‖Z‖², S̄ = 0."""
    z = np.vstack([np.zeros(3), np.random.default_rng(0).normal(size=(4, 3))])
    for problem, theta in (
        (DictionaryLearning(3, 2, SparseCodes(1e9), Unconstrained(0.1)), np.ones(6)),
        (DictionaryLearning(3, 2, SparseCodes(0.1), Unconstrained(0.1)), np.zeros(6)),
        (
            DictionaryLearning(3, 2, SparseCodes(0.1, nonnegative=True), Unconstrained(0.1), half=False),
            -1e-9 * np.ones(6),
        ),
    ):
        np.testing.assert_array_equal(problem.mean_S_bar(z, theta), np.zeros(10))
        np.testing.assert_allclose(problem.loss(z, theta), problem.c * (z**2).sum(axis=1), rtol=1e-14)
        np.testing.assert_array_equal(problem.T(problem.mean_S_bar(z, theta)), np.zeros(6))


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_samples_of_any_size(size):
    """Z and λ times a: h times a, ℓ and S̄ times a², although tol is no smaller and no larger."""
    rng = np.random.default_rng(0)
    z, theta = rng.normal(size=(8, 4)), rng.normal(size=12)
    plain, scaled = (DictionaryLearning(4, 3, SparseCodes(0.2 * a), Unconstrained(0.1), tol=1e-13) for a in (1.0, size))
    np.testing.assert_allclose(scaled.codes(size * z, theta), size * plain.codes(z, theta), rtol=1e-9, atol=1e-9 * size)
    np.testing.assert_allclose(scaled.loss(size * z, theta), size**2 * plain.loss(z, theta), rtol=1e-9)


def test_loss_goes_through_data_larger_than_a_block(monkeypatch):
    """The residuals are formed block by block: the same numbers as in one piece."""
    rng = np.random.default_rng(0)
    z, theta = rng.normal(size=(50, 4)), rng.normal(size=8)
    problem = DictionaryLearning(4, 2, SparseCodes(0.1), Unconstrained(0.1))
    whole = problem.loss(z, theta)
    monkeypatch.setattr("fedmm_edu.examples.dictionary.kernel.RESIDUALS", 4 * 7)
    np.testing.assert_allclose(problem.loss(z, theta), whole, rtol=1e-14)


PROBLEM = DictionaryLearning(2, 2, SparseCodes(0.1), Unconstrained(0.1))
Z = np.vstack([np.zeros((3, 2)), [[1.7, -2.3]]])
THETA = np.array([0.3, 1.1, -0.7, 0.9])


test_bad_input_is_refused_by_name = refusals(
    (lambda: DictionaryLearning(0, 2, SparseCodes(0.1), Unconstrained(0.1)), "p = 0"),
    (lambda: DictionaryLearning(2, 0, SparseCodes(0.1), Unconstrained(0.1)), "K = 0"),
    (lambda: DictionaryLearning(2, 2, SparseCodes(0.1), Unconstrained(0.1), tol=0.0), "tol = 0.0"),
    (
        lambda: DictionaryLearning(2, 2, SparseCodes(0.1), Unconstrained(0.1), tol=1e-30).loss(Z, THETA),
        "code of sample 3",
    ),
    (lambda: SparseCodes(-0.1), "lam = -0.1"),
    (lambda: SparseCodes(0.1, -1.0), "ridge = -1.0"),
    (lambda: Unconstrained(-1.0), "eta = -1.0"),
    (lambda: UnitBall(float("nan")), "eta = nan"),
    (lambda: NonNegative(float("inf")), "eta = inf"),
    (lambda: PROBLEM.loss(np.zeros((3, 5)), np.zeros(4)), r"z has shape \(3, 5\)"),
    (lambda: PROBLEM.loss(sparse.csr_array(np.ones((3, 5))), np.zeros(4)), r"z has shape \(3, 5\)"),
    (lambda: PROBLEM.loss(sparse.csr_array([[np.nan, 1.0]]), np.zeros(4)), "stored entries of z"),
    (lambda: PROBLEM.S_bar(np.zeros((0, 2)), np.zeros(4)), "no rows"),
    (lambda: PROBLEM.S_bar(np.zeros((1, 2)), np.zeros(3)), r"theta has shape \(3,\)"),
    (lambda: PROBLEM.T(np.array([1.0, 0.5, -0.5, 1.0, 0.0, 0.0, 0.0, 0.0])), "outside 𝒮"),
    (lambda: PROBLEM.T(np.array([1.0, 2.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0])), "outside 𝒮"),
)
