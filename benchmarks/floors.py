"""The sums and the minimiser of every example in plain NumPy: no checks, and clients of one size, whose samples stack.

`plain(problem)` gives two functions: from the samples of m clients, shape (m, k, p), and θ to E_{π_i}[S̄(Z, θ)], shape
(m, q), and from s to T(s). What is an algorithm rather than a formula is the example's own: the codes of samples, the
components of θ, and T where it looks for roots or eigenvalues.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedmm_edu.arrays import Array
from fedmm_edu.examples.curvature import CURVATURES, SecondOrder
from fedmm_edu.examples.dictionary import DictionaryLearning
from fedmm_edu.examples.loglinear import LogLinear
from fedmm_edu.examples.mixture.kernel import MixtureEM
from fedmm_edu.examples.poisson import Poisson, PoissonJoint
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.examples.robust import RobustRegression
from fedmm_edu.examples.robust.forms import FORMS
from fedmm_edu.examples.symmetric import smat, svec
from fedmm_edu.examples.toy import Toy
from fedmm_edu.examples.weights import MixtureWeights
from fedmm_edu.surrogate import Surrogate

Sums = Callable[[Array, Array], Array]
Minimiser = Callable[[Array], NDArray[Any]]


@singledispatch
def plain(problem: Surrogate) -> tuple[Sums, Minimiser]:
    raise NotImplementedError(f"no floor is written for {type(problem).__name__}")


@plain.register
def _(problem: Toy) -> tuple[Sums, Minimiser]:
    return lambda z, theta: z.mean(axis=1), lambda s: 1.0 / np.sqrt(s)


@plain.register
def _(problem: Quadratic) -> tuple[Sums, Minimiser]:
    loss, rho = problem.smooth_loss, problem.rho

    def sums(z: Array, theta: Array) -> Array:
        x, u = z[..., :-1], _fits(z, theta, loss.outputs)
        slope = loss.slope(u, z[..., -1].ravel()).reshape(*z.shape[:2], -1)
        return theta - rho / z.shape[1] * (x.mT @ slope).reshape(len(z), -1)

    return sums, lambda s: problem.penalty.prox(s, rho)


def _fits(z: Array, theta: Array, outputs: int) -> Array:
    """⟨x, θ⟩ of all samples, shape (N,), or (N, K) for K > 1 outputs."""
    if outputs == 1:
        return (z[..., :-1] @ theta).ravel()
    return (z[..., :-1] @ theta.reshape(-1, outputs)).reshape(-1, outputs)


@plain.register
def _(problem: SecondOrder) -> tuple[Sums, Minimiser]:
    loss, form, d = problem.smooth_loss, CURVATURES[problem.form], problem.d
    K, ridge = loss.outputs, np.diag(problem.eta)

    def sums(z: Array, theta: Array) -> Array:
        x, y, u = z[..., :-1], z[..., -1].ravel(), _fits(z, theta, K)
        A = form.matrices(loss, u, y)
        target = (A @ u.reshape(-1, K, 1))[..., 0] - loss.slope(u, y).reshape(-1, K)
        A, (m, k, p) = A.reshape(*z.shape[:2], K, K), x.shape
        H = np.empty((m, p, K, p, K))
        for a in range(K):
            for b in range(K):
                H[:, :, a, :, b] = x.mT @ (A[:, :, a, b, None] * x)
        first = (x.mT @ target.reshape(m, k, K)).reshape(m, -1)
        return np.hstack([first, svec(H.reshape(m, d, d))]) / k

    return sums, lambda s: np.linalg.solve(smat(s[d:], d) + ridge, s[:d])


@plain.register
def _(problem: RobustRegression) -> tuple[Sums, Minimiser]:
    form, d, ridge = FORMS[problem.form], problem.d, problem.eta * np.eye(problem.d)

    def sums(z: Array, theta: Array) -> Array:
        x, y = z[..., :-1], z[..., -1].ravel()
        fitted = _fits(z, theta, 1)
        root, target = form.latent(problem.rho.weight(y - fitted), fitted, y)
        rows, (m, k, _) = root.reshape(*z.shape[:2], 1) * x, z.shape
        second = (target.reshape(m, 1, k) @ x)[:, 0]
        return np.hstack([(rows.mT @ rows).reshape(m, -1), second]) / k

    return sums, lambda s: np.linalg.solve(s[:-d].reshape(d, d) + ridge, s[-d:])


@plain.register
def _(problem: LogLinear) -> tuple[Sums, Minimiser]:
    R = problem.R

    def sums(z: Array, theta: Array) -> Array:
        x, y, scale = z[..., :-1], z[..., -1], np.exp(-R * theta)
        rate = np.exp(x @ theta)[:, None]
        rise, fall = (rate @ np.maximum(x, 0.0))[:, 0], (rate @ np.maximum(-x, 0.0))[:, 0]
        return np.hstack([rise * (scale / R), fall / (scale * R), (y[:, None] @ x)[:, 0]]) / z.shape[1]

    return sums, problem.T


@plain.register
def _(problem: MixtureEM) -> tuple[Sums, Minimiser]:
    def sums(z: Array, theta: Array) -> Array:
        m, k, p = z.shape
        of, columns = problem.components(theta), z.reshape(-1, p).T
        white = of.roots @ (columns - of.means[:, :, None])
        logs = of.log_scales[:, None] - 0.5 * (white * white).sum(axis=1)
        r = np.exp(logs - logs.max(axis=0))
        r = (r / r.sum(axis=0)).reshape(problem.L, m, k)
        features = problem.features(columns).reshape(-1, m, k)
        return problem.flat(r.transpose(1, 0, 2) @ features.transpose(1, 2, 0) / k)

    return sums, problem.T


@plain.register(PoissonJoint)
@plain.register(Poisson)
def _(problem: PoissonJoint | Poisson) -> tuple[Sums, Minimiser]:
    h, lam, joint = problem.law.points, problem.lam, isinstance(problem, PoissonJoint)
    log_weights, intensity, powers = np.log(problem.law.weights), np.exp(h), 0.0 if problem.printed else h

    def sums(z: Array, theta: Array) -> Array:
        logs = log_weights - np.exp(theta) * intensity + powers * z
        e = np.exp(logs - logs.max(axis=2, keepdims=True))
        mean = -((e @ intensity) / e.sum(axis=2)).mean(axis=1)[:, None]
        return np.hstack([z.mean(axis=1), mean]) if joint else mean

    if isinstance(problem, PoissonJoint):
        return sums, lambda s: np.log(s[:1] / (lam - s[1:]))
    return sums, lambda s: np.log(problem.mean_z / (lam - s))


@plain.register
def _(problem: MixtureWeights) -> tuple[Sums, Minimiser]:
    means, lam = problem.means, problem.lam

    def sums(z: Array, theta: Array) -> Array:
        logs = np.log(theta) - 0.5 * (z - means) ** 2
        e = np.exp(logs - logs.max(axis=2, keepdims=True))
        return (e / e.sum(axis=2, keepdims=True)).mean(axis=1)

    return sums, lambda s: (s + lam) / (1.0 + len(means) * lam)


@plain.register
def _(problem: DictionaryLearning) -> tuple[Sums, Minimiser]:
    def sums(z: Array, theta: Array) -> Array:
        m, k, p = z.shape
        h = problem.codes(z.reshape(-1, p), theta).reshape(m, k, -1)
        return np.hstack([(h.mT @ h).reshape(m, -1), (z.mT @ h).reshape(m, -1)]) / k

    return sums, problem.T
