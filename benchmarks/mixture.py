"""One pass of EM over all samples, against scikit-learn's from the same parameters."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as TheirMixture

from benchmarks.timing import interleaved, threads
from fedmm_edu.examples.mixture import GaussianMixture

SIZES = ((10**4, 2), (10**5, 2), (10**6, 2), (10**5, 8), (10**5, 16), (3 * 10**4, 32), (2 * 10**4, 64))


def em_passes(sizes: tuple[tuple[int, int], ...] = SIZES, L: int = 3) -> list[dict]:
    """Seconds of E-step and M-step of the full mixture, weights, means and covariances, for N samples of p numbers.

    A step of scikit-learn is the difference between fits of three steps and of one, halved: `fit` alone would count its
    checks and its last E-step.
    """
    rows = []
    for N, p in sizes:
        rng = np.random.default_rng(0)
        corners = 4.0 * np.eye(max(L, p))[:L, :p]
        z = corners[rng.integers(0, L, N)] + rng.normal(size=(N, p))
        weights, covariances = np.full(L, 1 / L), np.tile(np.eye(p), (L, 1, 1))
        problem = GaussianMixture(L, p)
        theta = problem.theta(weights, corners, covariances)

        def ours(problem=problem, z=z, theta=theta) -> None:
            problem.T(problem.mean_S_bar(z, theta))

        start = {"weights_init": weights, "means_init": corners, "precisions_init": covariances}

        def theirs(steps: int, z=z, start=start) -> None:
            fit = TheirMixture(L, reg_covar=0.0, tol=0.0, max_iter=steps, init_params="random", random_state=0, **start)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # it was told to stop
                fit.fit(z)

        calls = {"one step": ours, "three": lambda theirs=theirs: theirs(3), "one": lambda theirs=theirs: theirs(1)}
        with threads(1):
            times = interleaved(calls, 3 if N >= 10**6 else 9)
        pair = (times["three"].cpu - times["one"].cpu) / 2
        rows.append({"N": N, "L": L, "p": p, "one step": times["one step"].cpu, "scikit-learn": pair,
                     "scikit-learn/one step": pair / times["one step"].cpu})  # fmt: skip
    return rows
