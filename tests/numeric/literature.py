"""The definitions of the literature, written out without the package: E-step, M-step, gradient, soft threshold."""

import numpy as np
from scipy.stats import multivariate_normal

from fedmm_edu.arrays import Array
from fedmm_edu.examples.mixture import GaussianMeans
from fedmm_edu.examples.quadratic import LeastSquares, Quadratic, admissible_rho
from fedmm_edu.federation import Clients, Purpose, uniforms

COVARIANCES = np.array([[[1.0, 0.3], [0.3, 0.6]], [[0.4, 0.0], [0.0, 2.0]]])
NU, LAM = np.array([0.7, 0.3]), 0.05


def mixture(N=12, seed=0) -> tuple[GaussianMeans, Array, Array]:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(N, 2)) + 3.0 * rng.integers(0, 2, (N, 1))
    return GaussianMeans(NU, COVARIANCES, LAM), z, np.array([0.5, 0.0, 2.0, 3.0])


def regression(N=8, d=3, seed=0, penalty=None) -> tuple[Quadratic, Array, float]:
    z = np.random.default_rng(seed).normal(size=(N, d + 1))
    rho = admissible_rho(LeastSquares(), Clients.of([[row] for row in z]))
    return Quadratic(d, rho, penalty=penalty), z, rho


def streamed(z, seed, t, b=1) -> Array:
    """The samples of round t of `Stream(b)`, one client."""
    return z[(uniforms(seed, Purpose.ORACLE, [0], t, b)[0] * len(z)).astype(int)]


def gradient(theta, rows) -> Array:
    return rows[:, :-1].T @ (rows[:, :-1] @ theta - rows[:, -1]) / len(rows)


def soft(x, threshold) -> Array:
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0.0)


def joint(z, means) -> Array:
    """ν_ℓ N(z; m_ℓ, Γ_ℓ) from SciPy's density."""
    return np.array([n * multivariate_normal(m, G).pdf(z) for n, m, G in zip(NU, means, COVARIANCES, strict=True)])


def e_step(z, means) -> tuple[Array, Array]:
    """E[Z 1{h=ℓ}] and P(h=ℓ) given one sample."""
    r = joint(z, means)
    r = r / r.sum()
    return r[:, None] * z, r


def m_step(first, counts) -> Array:
    """The penalised means from the normal equations of each component."""
    return np.array(
        [
            np.linalg.solve(c * np.linalg.inv(G) + LAM * np.eye(2), np.linalg.inv(G) @ f)
            for f, c, G in zip(first, counts, COVARIANCES, strict=True)
        ]
    )
