"""Algorithms of the literature as settings of one loop, each against its own definition written out here."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal
from sklearn.linear_model import SGDRegressor

from fedmm_edu.algorithms import Constant, FedMM, ParameterSpace, mm, sa_ssmm
from fedmm_edu.convex_sets import ConvexSet
from fedmm_edu.errors import Array
from fedmm_edu.examples.mixture import GaussianMeans, SimulatedLabels
from fedmm_edu.examples.quadratic import L1, LeastSquares, Quadratic, admissible_rho
from fedmm_edu.federation import Clients, Compressor, Draws, FixedSize, Purpose, RandK, Stream, uniforms
from fedmm_edu.surrogate import Surrogate

COVARIANCES = np.array([[[1.0, 0.3], [0.3, 0.6]], [[0.4, 0.0], [0.0, 2.0]]])
NU, LAM = np.array([0.7, 0.3]), 0.05


def mixture(N=12, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(N, 2)) + 3.0 * rng.integers(0, 2, (N, 1))
    return GaussianMeans(NU, COVARIANCES, LAM), z, np.array([0.5, 0.0, 2.0, 3.0])


def regression(N=8, d=3, seed=0, penalty=None):
    z = np.random.default_rng(seed).normal(size=(N, d + 1))
    rho = admissible_rho(LeastSquares(), Clients.of([[row] for row in z]))
    return Quadratic(d, rho, penalty=penalty), z, rho


def streamed(z, seed, t, b=1):
    """The samples of round t of `Stream(b)`, one client."""
    return z[(uniforms(seed, Purpose.ORACLE, [0], t, b)[0] * len(z)).astype(int)]


def gradient(theta, rows):
    return rows[:, :-1].T @ (rows[:, :-1] @ theta - rows[:, -1]) / len(rows)


def soft(x, threshold):
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0.0)


def joint(z, means):
    """ν_ℓ N(z; m_ℓ, Γ_ℓ) from SciPy's density."""
    return np.array([n * multivariate_normal(m, G).pdf(z) for n, m, G in zip(NU, means, COVARIANCES, strict=True)])


def e_step(z, means):
    """E[Z 1{h=ℓ}] and P(h=ℓ) given one sample."""
    r = joint(z, means)
    r = r / r.sum()
    return r[:, None] * z, r


def m_step(first, counts):
    """The penalised means from the normal equations of each component."""
    return np.array(
        [
            np.linalg.solve(c * np.linalg.inv(G) + LAM * np.eye(2), np.linalg.inv(G) @ f)
            for f, c, G in zip(first, counts, COVARIANCES, strict=True)
        ]
    )


def test_stochastic_gradient_descent_is_sa_ssmm_without_penalty():
    """Robbins and Monro: θ ← θ − γρ∇ℓ(Z, θ); scikit-learn's SGDRegressor makes the same steps from the same samples."""
    problem, z, rho = regression()
    fed = sa_ssmm(problem, z, gamma=lambda t: 1.0 / t**0.6, oracle=Stream(1), seed=3)
    state = fed.init(np.zeros(3))
    theirs = SGDRegressor(penalty=None, learning_rate="constant", fit_intercept=False)
    theta = np.zeros(3)
    for t in range(1, 15):
        row, step = streamed(z, 3, t), rho / t**0.6
        theta = theta - step * gradient(theta, row)
        theirs.set_params(eta0=step).partial_fit(row[:, :3], row[:, 3])
        state = fed.step(state)
        np.testing.assert_allclose(fed.theta(state), theta, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(theirs.coef_, theta, rtol=1e-11, atol=1e-13)


def test_stochastic_proximal_gradient_is_sa_ssmm_with_gamma_1():
    """Atchadé, Fort and Moulines 2017: θ ← prox_{ρg}(θ − ρG) with a mini-batch gradient G."""
    problem, z, rho = regression(penalty=L1(0.2))
    fed = sa_ssmm(problem, z, gamma=Constant(1.0), oracle=Stream(3), seed=1)
    state = fed.init(np.array([1.0, -1.0, 0.5]))
    theta = fed.theta(state)
    for t in range(1, 15):
        theta = soft(theta - rho * gradient(theta, streamed(z, 1, t, 3)), 0.2 * rho)
        state = fed.step(state)
        np.testing.assert_allclose(fed.theta(state), theta, rtol=1e-11, atol=1e-13)


def test_with_smaller_steps_it_is_the_dual_average_of_the_ledger_and_not_a_damped_prox_step():
    """θ_{t+1} = prox_{ρg}(θ̃_t − ρG̃_{t+1}) as amended (row pg-tilde); damping θ instead is aggregation in Θ."""
    problem, z, rho = regression(penalty=L1(1.0))
    fed = sa_ssmm(problem, z, gamma=Constant(0.4), oracle=Stream(1), seed=1)
    damped = FedMM(problem, Clients.of([z]), Constant(0.4), Stream(1), space=ParameterSpace(), seed=1)
    state = fed.init(np.array([1.0, -1.0, 0.5]))
    other = damped.init(fed.theta(state))
    points, gradients, weights = [state.x], [np.zeros(3)], [1.0]
    for t in range(1, 10):
        theta, row = fed.theta(state), streamed(z, 1, t)
        points, gradients = [*points, theta], [*gradients, gradient(theta, row)]
        weights = [*(0.6 * w for w in weights), 0.4]
        expected = soft(weights @ np.array(points) - rho * (weights @ np.array(gradients)), rho)
        moved = soft(other.x - rho * gradient(other.x, row), rho)
        np.testing.assert_allclose(damped.step(other).x, 0.6 * other.x + 0.4 * moved, rtol=1e-11, atol=1e-13)
        state, other = fed.step(state), damped.step(other)
        np.testing.assert_allclose(fed.theta(state), expected, rtol=1e-11, atol=1e-13)
    assert np.abs(fed.theta(state) - other.x).max() > 1e-3


def test_em_is_mm():
    """Dempster, Laird and Rubin 1977, with the penalty (MAP)."""
    problem, z, theta = mixture()
    fed = mm(problem, z)
    state, means = fed.init(fed.point(theta)), theta.reshape(2, 2)
    for _ in range(5):
        np.testing.assert_allclose(state.x[4:].sum(), 1.0, rtol=1e-14)
        firsts, counts = zip(*(e_step(row, means) for row in z), strict=True)
        means = m_step(np.mean(firsts, axis=0), np.mean(counts, axis=0))
        np.testing.assert_allclose(fed.theta(state).reshape(2, 2), means, rtol=1e-11)
        state = fed.step(state)


def test_online_em():
    """Cappé and Moulines 2009, eqs. (12)-(13): ŝ ← ŝ + γ_t(s̄(Y_t; θ̂) − ŝ), θ̂ = θ̄(ŝ), with γ_t = t^(−0.6)."""
    problem, z, theta = mixture()
    fed = sa_ssmm(problem, z, gamma=lambda t: t**-0.6, oracle=Stream(1), seed=5)
    state, means = fed.init(fed.point(theta)), None
    first, counts = state.x[:4].reshape(2, 2), state.x[4:]
    for t in range(1, 20):
        means = m_step(first, counts)
        new_first, new_counts = e_step(streamed(z, 5, t)[0], means)
        gamma = t**-0.6
        first, counts = first + gamma * (new_first - first), counts + gamma * (new_counts - counts)
        state = fed.step(state)
        np.testing.assert_allclose(state.x, [*first.ravel(), *counts], rtol=1e-10, atol=1e-13)
    assert np.abs(m_step(first, counts) - means).max() > 0


def test_saem():
    """Delyon, Lavielle and Moulines 1999: simulate labels, ŝ ← ŝ + γ_t(S(Y, h) − ŝ), maximise."""
    problem, z, theta = mixture()
    fed = sa_ssmm(problem, z, gamma=lambda t: 1.0 / t, oracle=SimulatedLabels(2), seed=8)
    state = fed.init(fed.point(theta))
    first, counts = state.x[:4].reshape(2, 2), state.x[4:]
    for t in range(1, 10):
        means = m_step(first, counts)
        u = uniforms(8, Purpose.LATENT, [0], t, 2 * len(z))[0].reshape(-1, 2)
        h = np.array(
            [
                [np.searchsorted(np.cumsum(e_step(row, means)[1])[:-1], x, "right") for x in v]
                for row, v in zip(z, u, strict=True)
            ]
        )
        onehot = np.stack([(h == label).mean(axis=1) for label in (0, 1)])
        first, counts = first + (onehot @ z / len(z) - first) / t, counts + (onehot.mean(axis=1) - counts) / t
        state = fed.step(state)
        np.testing.assert_allclose(state.x, [*first.ravel(), *counts], rtol=1e-10, atol=1e-13)


def test_simulated_labels_are_an_unbiased_oracle():
    """A3: the mean over all labels is the exact E-step; the draws follow that law, with a variance of 1/m."""
    problem, z, _ = mixture(N=3)
    clients, theta = Clients.of([z[:1], z[1:]]), np.array([1.2, 1.0, 1.8, 2.0])
    r = problem.responsibilities(z, theta)
    mean = np.zeros(problem.q)
    for labels in itertools.product(range(2), repeat=3):
        mean += np.prod(r[range(3), labels]) * problem.statistics(z, np.eye(2)[list(labels)]).mean(axis=0)
    np.testing.assert_allclose(mean, problem.mean_S_bar(z, theta), rtol=1e-12)
    exact, spread = problem.mean_S_bars(z, clients.offsets, theta), []
    for m in (1, 16):
        oracle = SimulatedLabels(m)
        drawn = [oracle(problem, clients, theta, Draws(seed, 1, np.arange(2))) for seed in range(1000)]
        spread.append(np.std(drawn, axis=0))
        assert (np.abs(np.mean(drawn, axis=0) - exact) <= 5 * spread[-1] / np.sqrt(1000)).all()
    ratio = spread[1] / spread[0]
    assert ((ratio > 0.2) & (ratio < 0.3)).all()


# Incremental EM (Neal and Hinton 1998) and incremental MM (MISO, Mairal 2015) keep a surrogate for each block of data,
# renew one in each round, and minimise their mean. In 𝒮ⁿ that is SA-SSMM with an unbiased random block and γ = 1/n.


@dataclass(frozen=True)
class Power(ConvexSet):
    """𝒮ⁿ, block after block."""

    of: ConvexSet
    n: int

    @property
    def dim(self):
        return self.n * self.of.dim

    def contains(self, x, tol=0.0):
        return all(self.of.contains(block, tol) for block in x.reshape(self.n, -1))

    def project(self, x, B=None):
        return np.concatenate([self.of.project(block, B) for block in x.reshape(self.n, -1)])


class Lifted(Surrogate):
    """The same problem with one surrogate a sample: s = (s_1, …, s_n), T(s) = T(mean of s_i), φ copied, divided by n.

    Its one "sample" is the whole data set as one row.
    """

    def __init__(self, problem: Surrogate, z: Array) -> None:
        self.problem, self.n, self.shape = problem, len(z), z.shape
        self.S, self.Theta = Power(problem.S, self.n), problem.Theta

    def mean(self, s):
        return s.reshape(self.n, -1).mean(axis=0)

    def S_bar(self, z, theta):
        return np.stack([self.problem.S_bar(row.reshape(self.shape), theta).ravel() for row in z])

    def T(self, s):
        return self.problem.T(self.mean(s))

    def phi(self, theta):
        return np.tile(self.problem.phi(theta), self.n) / self.n

    def psi(self, theta):
        return self.problem.psi(theta)

    def g(self, theta):
        return self.problem.g(theta)

    def loss(self, z, theta):
        return np.array([self.problem.loss(row.reshape(self.shape), theta).mean() for row in z])


@dataclass(frozen=True)
class RandBlock(Compressor):
    """Keep one of n equal blocks, times n: unbiased, ω = n − 1."""

    n: int

    def compress(self, x, draw):
        kept = np.arange(self.n) == block_of(draw(Purpose.COMPRESSION, 1), self.n)
        return (x.reshape(len(x), self.n, -1) * (self.n * kept)[:, :, None]).reshape(x.shape)

    def omega(self, q):
        return self.n - 1.0

    def bits(self, q):
        return 64 * q // self.n


def block_of(u, n):
    return (u * n).astype(int)


def incremental(problem, z, seed):
    """Incremental MM as one line."""
    return FedMM(
        Lifted(problem, z),
        Clients.of([z.reshape(1, -1)]),
        Constant(1 / len(z)),
        compressor=RandBlock(len(z)),
        seed=seed,
    )


def chosen(seed, t, n):
    return int(block_of(uniforms(seed, Purpose.COMPRESSION, [0], t, 1), n)[0, 0])


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


def test_each_lifted_round_is_unbiased_and_majorizes():
    """The lifted problem has MM-1 and MM-2, and over the n blocks the mean step is the full one, so A3 and A4 hold."""
    problem, z, theta = mixture(N=4)
    lifted = Lifted(problem, z)
    row, tau = z.reshape(1, -1), np.array([-1.0, 0.3, 0.2, 1.0])
    s = lifted.S_bar(row, tau)[0]
    gap = lifted.loss(row, tau)[0] - s @ (lifted.phi(theta) - lifted.phi(tau)) - lifted.loss(row, theta)[0]
    assert gap > 0
    x = np.random.default_rng(0).normal(size=(1, lifted.q))
    mean = np.mean(
        [RandBlock(4).compress(x, lambda purpose, size, k=k: np.full((1, 1), (k + 0.5) / 4)) for k in range(4)], axis=0
    )
    np.testing.assert_allclose(mean, x, rtol=1e-14)


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


def test_with_one_client_a_round_and_alpha_p_fedmm_is_saga():
    """Defazio, Bach and Lacoste-Julien 2014 on ∇f: θ ← θ − γρ(∇f_i(θ) − y_i + mean y), y_i ← ∇f_i(θ)."""
    problem, z, rho = regression()
    n = len(z)
    fed = FedMM(problem, Clients.of(list(z[:, None])), Constant(0.3), participation=FixedSize(1), alpha=1 / n, seed=6)
    theta = np.ones(3)
    state = fed.init(theta, "mean_field")
    table = np.array([gradient(theta, row[None]) for row in z])
    for _ in range(40):
        state = fed.step(state)
        i = int(np.flatnonzero(state.active)[0])
        fresh = gradient(theta, z[i][None])
        theta, table[i] = theta - 0.3 * rho * (fresh - table[i] + table.mean(axis=0)), fresh
        np.testing.assert_allclose(state.x, theta, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(state.V_clients, -rho * table, rtol=1e-8, atol=1e-10)


def test_with_everyone_and_compression_fedmm_is_diana():
    """Mishchenko et al. 2019: m_i = Q(∇f_i − h_i), h_i ← h_i + αm_i, θ ← θ − γρ(h + mean m)."""
    problem, z, rho = regression()
    n, alpha = len(z), 0.3
    fed = FedMM(problem, Clients.of(list(z[:, None])), Constant(0.2), compressor=RandK(1), alpha=alpha, seed=6)
    theta, h = np.ones(3), np.zeros((n, 3))
    state = fed.init(theta)
    for t in range(1, 40):
        kept = np.argsort(uniforms(6, Purpose.COMPRESSION, range(n), t, 3), axis=1, kind="stable")[:, 0]
        delta = np.array([gradient(theta, row[None]) for row in z]) - h
        m = 3 * delta * (np.arange(3) == kept[:, None])
        theta, h = theta - 0.2 * rho * (h.mean(axis=0) + m.mean(axis=0)), h + alpha * m
        state = fed.step(state)
        np.testing.assert_allclose(state.x, theta, rtol=1e-9, atol=1e-11)


def test_stochastic_mm_is_sa_ssmm():
    """Mairal 2013, Algorithm 1: ḡ_t = (1 − w_t)ḡ_{t−1} + w_t g_t, θ_t = argmin ḡ_t, with functions kept."""
    problem, z, theta = mixture()
    fed = sa_ssmm(problem, z, gamma=lambda t: (t + 1) ** -0.75, oracle=Stream(1), seed=9)
    state = fed.init(fed.point(theta))
    parts = [(1.0, e_step(row, theta.reshape(2, 2)), 1 / len(z)) for row in z]
    precisions = np.linalg.inv(COVARIANCES)

    def average(flat, parts):
        means, value = flat.reshape(2, 2), LAM / 2 * flat @ flat
        for weight, (first, counts), share in parts:
            for m, f, c, P in zip(means, first, counts, precisions, strict=True):
                value += weight * share * (c / 2 * m @ P @ m - f @ P @ m)
        return value

    for t in range(1, 4):
        w = (t + 1) ** -0.75
        now = minimize(average, theta, args=(parts,), method="BFGS", options={"gtol": 1e-9}).x
        np.testing.assert_allclose(fed.theta(state), now, rtol=1e-5, atol=1e-6)
        new = (w, e_step(streamed(z, 9, t)[0], fed.theta(state).reshape(2, 2)), 1.0)
        parts = [*((weight * (1 - w), s, share) for weight, s, share in parts), new]
        state = fed.step(state)


def test_simulated_labels_do_not_depend_on_who_else_is_active():
    problem, z, theta = mixture()
    clients = Clients.of([z[:5], z[5:6], z[6:]])
    draws = Draws(1, 4, np.arange(3))
    everyone = SimulatedLabels(3)(problem, clients, theta, draws)
    alone = SimulatedLabels(3)(problem, clients, theta, draws.only(np.array([2])))
    np.testing.assert_array_equal(everyone[2], alone[0])
