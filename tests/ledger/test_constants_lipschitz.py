"""L_T and ℓ of own-lip-mixture and own-lip-dl, against plain NumPy at random points: no pair of points exceeds them."""

from itertools import product

import numpy as np
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks.beyond_constants.claims_dictionaries import FLAT_DICTIONARY, FLAT_MIXTURE

seeds = st.integers(0, 2**32 - 1)
ROUNDING = 1 + 1e-9


def constant(formula: str, **values: float) -> float:
    """A formula of a row's form at these values."""
    return float(sp.sympify(formula, {name: sp.Symbol(name) for name in values}).subs(values))


def spread(one, two) -> float:
    return float(np.linalg.norm(np.asarray(one) - np.asarray(two)))


class Mixture:
    """Appendix C.2 for random weights, covariances and E[Z]."""

    def __init__(self, rng, L: int, p: int) -> None:
        factors = rng.normal(size=(L, p, p))
        self.precisions = np.linalg.inv(factors @ factors.swapaxes(1, 2) + 0.2 * np.eye(p))
        self.weights, self.lam, self.mean = rng.dirichlet(np.ones(L)), rng.uniform(0.2, 2.0), rng.normal(size=p)

    def T(self, s):
        """One column per component; s has the rows (s_{1,ℓ}, s_{2,ℓ}), ℓ < L."""
        u = np.vstack([s[:, :-1], self.mean - s[:, :-1].sum(axis=0)])
        w = np.append(s[:, -1], 1 - s[:, -1].sum())
        eye = np.eye(len(self.mean))
        return np.array(
            [np.linalg.solve(self.lam * eye + x * G, G @ v) for x, G, v in zip(w, self.precisions, u, strict=True)]
        )

    def phi(self, means):
        c = np.array([np.append(G @ m, -m @ G @ m / 2) for G, m in zip(self.precisions, means, strict=True)])
        return c[:-1] - c[-1]

    def S_bar(self, z, means):
        away = z - means
        odds = np.log(self.weights) - np.einsum("li,lij,lj->l", away, self.precisions, away) / 2
        w = np.exp(odds - odds.max())
        return np.outer((w / w.sum())[:-1], np.append(z, 1.0))

    @property
    def g(self) -> float:
        return float(np.linalg.eigvalsh(self.precisions).max())


@given(seed=seeds, L=st.integers(2, 4), p=st.integers(1, 3))
@settings(max_examples=40)
def test_a_mixture_is_no_steeper_than_the_row_says(seed, L, p):
    """L_T between two s, and ℓ between their means at a sample."""
    rng = np.random.default_rng(seed)
    problem = Mixture(rng, L, p)
    pair = [np.column_stack([rng.normal(size=(L - 1, p)), rng.dirichlet(np.ones(L))[:-1]]) for _ in range(2)]
    pair[1] = pair[0] + 10.0 ** rng.uniform(-3, 0) * (pair[1] - pair[0])
    means = [problem.T(s) for s in pair]
    phi = [problem.phi(m) for m in means]
    largest = max(np.linalg.norm(m, axis=1).max() for m in means)
    steepest = constant(FLAT_MIXTURE["L_T"], L=L, R=largest, g=problem.g, lam=problem.lam)
    assert spread(*phi) <= steepest * spread(*pair) * ROUNDING
    z = 3.0 * rng.normal(size=p)
    oracles = [problem.S_bar(z, m) for m in means]
    assert spread(*oracles) <= constant(FLAT_MIXTURE["ell"], m2=z @ z) * spread(*phi) * ROUNDING


def code(z, theta, weight):
    """argmin ‖z − θh‖² + weight·‖h‖₁ by trying all signs: the one that satisfies the optimality conditions."""
    G, b, K = theta.T @ theta, theta.T @ z, theta.shape[1]
    found = []
    for signs in product((-1, 0, 1), repeat=K):
        sign, h = np.array(signs, dtype=float), np.zeros(K)
        on = sign != 0
        h[on] = np.linalg.solve(G[np.ix_(on, on)], b[on] - weight / 2 * sign[on])
        if np.all(h[on] * sign[on] > 0) and np.all(np.abs(b - G @ h)[~on] <= weight / 2 * (1 + 1e-12)):
            found.append(h)
    (best,) = found
    return best


@given(seed=seeds, K=st.integers(1, 3), extra=st.integers(0, 2))
@settings(max_examples=40)
def test_dictionary_learning_is_no_steeper_than_the_row_says(seed, K, extra):
    """L_T between two s, and ℓ between two dictionaries with exact sparse codes."""
    rng = np.random.default_rng(seed)
    p, step = K + extra, 10.0 ** rng.uniform(-3, 0)
    h, move = rng.normal(size=(K + 2, K)), rng.normal(size=(K + 2, K))
    firsts = [x.T @ x + 0.1 * np.eye(K) for x in (h, h + step * move)]
    seconds = [x := rng.normal(size=(p, K)), x + step * rng.normal(size=(p, K))]
    thetas = [np.linalg.solve(a, b.T).T for a, b in zip(firsts, seconds, strict=True)]
    phi = [np.concatenate([-(x.T @ x).ravel(), 2 * x.ravel()]) for x in thetas]
    delta = min(np.linalg.eigvalsh(a).min() for a in firsts)
    largest = max(np.linalg.norm(x, 2) for x in thetas)
    apart = np.hypot(spread(*firsts), spread(*seconds))
    assert spread(*phi) <= constant(FLAT_DICTIONARY["L_T"], R=largest, delta=delta) * apart * ROUNDING

    z, weight = 2.0 * rng.normal(size=p), rng.uniform(0.01, 1.0)
    mu = min(np.linalg.eigvalsh(x.T @ x).min() for x in thetas)
    codes = [code(z, x, weight) for x in thetas]
    oracles = [np.concatenate([np.outer(x, x).ravel(), np.outer(z, x).ravel()]) for x in codes]
    r_h = max(np.linalg.norm(x) for x in codes)
    ell = constant(FLAT_DICTIONARY["ell"], r_h=r_h, r_z=np.linalg.norm(z), mu=mu)
    assert spread(*oracles) <= ell * spread(*phi) * ROUNDING + 1e-9
