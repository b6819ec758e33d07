"""Incremental EM and MM: a surrogate for each sample, one renewed a round, against their own definitions."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.algorithms import Constant, FedMM, Lifted, RandBlock, incremental
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.dictionary import DictionaryLearning, SparseCodes, Unconstrained
from fedmm_edu.examples.quadratic import L1
from fedmm_edu.federation import Clients, FixedSize, FullBatch, Purpose, uniforms
from fedmm_edu.surrogate import majorization_gap, objective
from tests.numeric.literature import e_step, gradient, m_step, mixture, regression, soft


def chosen(seed, t, n):
    """The sample of round t."""
    return int(uniforms(seed, Purpose.COMPRESSION, [0], t, 1)[0, 0] * n)


def test_incremental_em_is_sa_ssmm_in_the_power_of_S():
    """Neal and Hinton 1998, Section 3: s ← s − s_i + s̃_i with s̃_i = E[S(z_i, h) | θ], θ = M-step of s."""
    problem, z, theta = mixture(N=6)
    fed = incremental(problem, z, seed=2)
    state = fed.init(problem.S_bar(z, theta).ravel())
    memory = [e_step(row, theta.reshape(2, 2)) for row in z]
    total_first, total_counts = sum(f for f, _ in memory), sum(c for _, c in memory)
    for t in range(1, 30):
        means = m_step(total_first / 6, total_counts / 6)
        np.testing.assert_allclose(fed.theta(state), means.ravel(), rtol=1e-10, atol=1e-12)
        i = chosen(2, t, 6)
        new = e_step(z[i], means)
        total_first, total_counts = total_first - memory[i][0] + new[0], total_counts - memory[i][1] + new[1]
        memory[i] = new
        state = fed.step(state)
    assert len({chosen(2, t, 6) for t in range(1, 30)}) == 6


def test_incremental_mm_is_sa_ssmm_in_the_power_of_S():
    """MISO with quadratic surrogates (Mairal 2015, Algorithm 1): θ = argmin (1/n) Σ_i U_i + g, one U_i a round."""
    problem, z, rho = regression(penalty=L1(0.1))
    fed = incremental(problem, z, seed=4)
    start = np.ones(3)
    centres = np.array([start - rho * gradient(start, row[None]) for row in z])
    state = fed.init(centres.ravel())
    for t in range(1, 40):
        theta = soft(centres.mean(axis=0), 0.1 * rho)
        np.testing.assert_allclose(fed.theta(state), theta, rtol=1e-10, atol=1e-12)
        i = chosen(4, t, len(z))
        centres[i] = theta - rho * gradient(theta, z[i][None])
        state = fed.step(state)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_the_lifted_problem_majorizes_where_the_problem_does(seed):
    """MM-1 with the same gap, for the mean and for any weights of the samples; MM-2 with T of the mean."""
    rng = np.random.default_rng(seed)
    (problem, z, theta), tau = mixture(N=4, seed=seed), rng.normal(size=4)
    lifted, weights = Lifted(problem, 4), rng.dirichlet(np.ones(4))
    for w in (None, weights):
        ours, theirs = (majorization_gap(one, z, theta, tau, w) for one in (lifted, problem))
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    s = problem.S_bar(z, tau)
    np.testing.assert_allclose(lifted.mean_S_bar(z, tau), s.ravel(), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(lifted.S_bar(z, tau).mean(axis=0), s.ravel(), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(lifted.T(s.ravel()), problem.T(s.mean(axis=0)), rtol=1e-15)


def test_a_random_block_is_unbiased_with_omega_attained():
    """A4, over the n blocks: the mean is x, and the variance is (n − 1)‖x‖²."""
    x = np.random.default_rng(0).normal(size=(1, 12))
    law = [RandBlock(4).compress(x, lambda purpose, size, k=k: np.full((1, 1), (k + 0.5) / 4)) for k in range(4)]
    np.testing.assert_allclose(np.mean(law, axis=0), x, rtol=1e-14)
    np.testing.assert_allclose(np.mean([((one - x) ** 2).sum() for one in law]), RandBlock(4).omega(12) * (x**2).sum())
    assert RandBlock(4).bits(12) == 3 * 64 + 2


def test_the_cheap_oracle_makes_the_rounds_of_the_exact_one():
    """Only the block that the compressor keeps needs its sample, whatever the rest of the oracle holds."""
    problem, z, theta = mixture(N=5)
    cheap = incremental(problem, z, seed=3)
    exact = replace(cheap, oracle=FullBatch())
    one, other = (fed.init(fed.point(theta)) for fed in (cheap, exact))
    for _ in range(20):
        one, other = cheap.step(one), exact.step(other)
        np.testing.assert_allclose(one.x, other.x, rtol=1e-12, atol=1e-14)


def test_a_round_asks_for_one_sample():
    """The cost of a round: S̄ of one sample, in the kernel itself."""
    problem, z, theta = mixture(N=5)
    fed, asked, S_bar = incremental(problem, z), [], problem.S_bar
    state = fed.init(fed.point(theta))
    problem.S_bar = lambda rows, theta: asked.append(len(rows)) or S_bar(rows, theta)
    for _ in range(7):
        state = fed.step(state)
    assert asked == [1] * 7


def test_sparse_samples_and_dense_ones_give_the_same_rounds():
    """CSR, where the kernel takes it: dictionary learning, and the surrogates stay in 𝒮ⁿ; the objective falls."""
    z = np.round(np.random.default_rng(1).normal(size=(8, 3)), 1)
    z[np.abs(z) < 0.6] = 0.0
    problem = DictionaryLearning(3, 2, SparseCodes(0.1, 0.1), Unconstrained(0.1))
    feds = incremental(problem, z, seed=5), incremental(problem, sp.csr_array(z), seed=5)
    states = [fed.init(fed.point(np.array([1.0, 0.2, 0.3, 1.0, -0.5, 0.4]))) for fed in feds]
    first = objective(problem, z, feds[0].theta(states[0]))
    for _ in range(60):
        states = [fed.step(state) for fed, state in zip(feds, states, strict=True)]
        assert feds[0].problem.contains(states[0].x, tol=1e-12)
    np.testing.assert_allclose(states[0].x, states[1].x, rtol=1e-9, atol=1e-10)
    assert objective(problem, z, feds[0].theta(states[0])) < first


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda problem, z: incremental(problem, z[:0]), "client 0 holds no samples"),
        (lambda problem, z: incremental(problem, [[np.nan, 0.0]]), "finite"),
        (lambda problem, z: incremental(problem, z).init(np.zeros(3)), "x has shape"),
        (lambda problem, z: Lifted(problem, 0), "n = 0"),
        (lambda problem, z: Lifted(problem, 3).S_bar(z, np.zeros(4)), "z has 4 rows"),
        (lambda problem, z: Lifted(problem, 4).T(-np.ones(24)), "outside 𝒮"),
        (lambda problem, z: RandBlock(0), "n = 0"),
        (lambda problem, z: RandBlock(5).compress(np.ones((1, 12)), None), "n = 5 blocks"),
        (lambda problem, z: step(replace(incremental(problem, z), clients=Clients.of([z, z]))), "there are 2"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, says):
    """Empty or non-finite data, sizes that do not fit, more than one client."""
    problem, z, _ = mixture(N=4)
    with pytest.raises(InvalidInput, match=says):
        call(problem, z)


def step(fed):
    return fed.step(fed.init(np.tile([0.0, 0.0, 0.0, 0.0, 0.5, 0.5], fed.problem.n)))


@pytest.mark.parametrize("gamma", [1.0, 0.5, 1 / 6])
def test_control_variates_do_not_make_fedmm_incremental_em(gamma):
    """With α = p = 1/n, V_i stores h_i = s_i − Ŝ at the time of the visit, not s_i: FedMM leaves incremental EM.

    Ŝ_{t+1} = Ŝ_t + γ(V_t + S_i − Ŝ_t − V_i) is incremental EM only if every V_j were s_j − Ŝ_t with the present Ŝ_t.
    """
    problem, z, theta = mixture(N=6)
    fed = FedMM(problem, Clients.of(list(z[:, None])), Constant(gamma), participation=FixedSize(1), alpha=1 / 6, seed=2)
    state = fed.init(fed.point(theta), "mean_field")
    memory = problem.S_bar(z, theta)
    apart = []
    for _ in range(12):
        now, new = fed.theta(state), problem.T(memory.mean(axis=0))
        apart.append(np.abs(now - new).max())
        state = fed.step(state)
        i = int(np.flatnonzero(state.active)[0])
        memory[i] = problem.S_bar(z[i : i + 1], new)[0]
    assert apart[0] < 1e-12
    assert max(apart[:4]) > 1e-3
