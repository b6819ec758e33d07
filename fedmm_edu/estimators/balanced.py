"""Clusters of equal size by prices: what the server needs of the clients is how many rows each cluster attracts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from fedmm_edu.arrays import Array
from fedmm_edu.estimators.rows import ClientRows
from fedmm_edu.examples.dictionary import OneHot

EXCHANGES = 400
"""Exchanges of counts for one set of centres."""


@dataclass(frozen=True)
class PricedOneHot(OneHot):
    """χ(e_k) = prices[k] on the unit vectors: each sample goes where c‖z − θ_k‖² + price is least."""

    prices: tuple[float, ...] = ()

    def encode(self, z: Array, theta: Array, c: float, *, start: Array | None, tol: float) -> Array:
        cost = c * ((theta**2).sum(axis=0) - 2.0 * (z @ theta)) + np.asarray(self.prices)
        return np.eye(cost.shape[1])[np.argmin(cost, axis=1)]

    def chi(self, h: Array) -> Array:
        return h @ np.asarray(self.prices)


def balancing_prices(rows: ClientRows, cost: Array, prices: Array) -> tuple[Array, float, int]:
    """Prices at which all groups attract equal weight, for cost (N, K), the largest deviation, and the exchanges.

    With prices, the assignment of least cost under equal sizes falls apart into rows (the dual of the transport
    problem). Its smoothed form, with shares exp(−(cost + price)/ε), is maximised by Newton's method while ε falls;
    in each exchange the clients send Σ_j of shares, of their products and of the rows attracted: K² + 2K numbers.
    Where many rows are equal no prices may balance: the best that were found are returned.
    """
    K, total = cost.shape[1], float(rows.mass.sum())
    size, least = float(rows.mass.max()), float(cost.std()) * 1e-12 + 1e-300
    eps, best, gap, used = float(cost.std()) / 2.0 + least, prices, np.inf, 0
    while used < EXCHANGES and gap >= size:
        used += 1
        attracted = rows.sum(np.eye(K)[np.argmin(cost + prices, axis=1)])
        apart = float(np.abs(attracted - total / K).max())
        if apart < gap:
            best, gap = prices, apart
        share = softmax(-(cost + prices) / eps, axis=1)
        mean = rows.sum(share) / total
        rows.sent.numbers(len(rows) * K * K)
        hessian = (np.diag(mean) - (share * rows.mass[:, None]).T @ share / total) / eps
        step = np.linalg.lstsq(hessian + 1e-12 * np.eye(K), mean - 1.0 / K, rcond=1e-10)[0]
        step = np.clip(step - step.mean(), -4.0 * eps, 4.0 * eps)
        prices = prices + step
        if np.abs(step).max() < 0.05 * eps:
            eps = max(eps / 1.5, least)
    return best, gap, used
