"""Dictionary learning over clients (Section 2.3), also of tables with missing entries."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fedmm_edu.arrays import Array, Names, Offsets, as_array, counts_of
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.estimators.base import FederatedEstimator
from fedmm_edu.estimators.fitting import FitTask
from fedmm_edu.estimators.rows import ClientRows, Standard
from fedmm_edu.estimators.starts import spread_centres
from fedmm_edu.estimators.weighted import OtherSamples, weighted
from fedmm_edu.examples.dictionary import DictionaryLearning, NonNegative, SparseCodes, UnitBall
from fedmm_edu.examples.gram import client_products
from fedmm_edu.surrogate import Surrogate

ETA = 1e-9
"""η of g = η‖θ‖², in standard units: small, and enough for T(s) to be unique where an atom has no use."""
APART = 1e100
"""How far the sizes of columns may be apart."""


class MaskedDictionary(OtherSamples):
    """f(θ) = E[min_h c Σ_{j seen} (Z_j − (θh)_j)² + χ(h)], for samples (Z, m) with m_j = 1 where Z_j was seen, else 0.

    The code minimises over what was seen; what was not is a latent, too, whose best value is (θh)_j. So the loss is the
    minimum over (h, u) of `full`'s with Z filled by u: S̄ = (hhᵀ, Z̃hᵀ) with Z̃ filled by τh, and φ, 𝒮, g, T are the same.
    """

    def __init__(self, full: DictionaryLearning) -> None:
        super().__init__(full)
        self.full = full

    def codes(self, z: Array, theta: Array) -> Array:
        """The code of what was seen of each row, shape (N, K); 0 where nothing was."""
        values, seen = self._split(z)
        dictionary, coder = theta.reshape(self.full.p, self.full.K), self.full.coder
        h = np.zeros((len(z), self.full.K))
        patterns, place = np.unique(seen, axis=0, return_inverse=True)
        for k, pattern in enumerate(patterns):
            if pattern.any():
                rows = np.flatnonzero(place.ravel() == k)
                part = np.ascontiguousarray(dictionary[pattern])
                h[rows] = coder.encode(values[np.ix_(rows, pattern)], part, self.full.c, start=None, tol=self.full.tol)
        return h

    def filled(self, z: Array, h: Array, theta: Array) -> Array:
        """Z̃: what was seen, and (θh)_j in place of the rest: shape (N, p)."""
        values, seen = self._split(z)
        return np.where(seen, values, h @ theta.reshape(self.full.p, self.full.K).T)

    def S_bar(self, z: Array, theta: Array) -> Array:
        return self.mean_S_bars(z, np.arange(len(z) + 1), theta)

    def mean_S_bar(self, z: Array, theta: Array, weights: Array | None = None) -> Array:
        h = self.codes(z, theta)
        shares = np.full(len(z), 1.0 / len(z)) if weights is None else weights
        roots = np.sqrt(shares)[:, None] * h
        return np.concatenate([(roots.T @ roots).ravel(), (self.filled(z, h, theta).T @ (shares[:, None] * h)).ravel()])

    def mean_S_bars(self, z: Array, offsets: Offsets, theta: Array, names: Names | None = None) -> Array:
        h, m = self.codes(z, theta), len(offsets) - 1
        pairs = client_products(h, h, offsets).reshape(m, -1)
        mixed = client_products(self.filled(z, h, theta), h, offsets).reshape(m, -1)
        return np.hstack([pairs, mixed]) / counts_of(offsets)[:, None]

    def loss(self, z: Array, theta: Array) -> Array:
        h = self.codes(z, theta)
        values, seen = self._split(z)
        residual = np.where(seen, values - h @ theta.reshape(self.full.p, self.full.K).T, 0.0)
        return self.full.c * (residual**2).sum(axis=1) + self.full.coder.chi(h)

    def _split(self, z: Array) -> tuple[Array, Any]:
        z = as_array("z", z, shape=(None, 2 * self.full.p))
        return z[:, : self.full.p], z[:, self.full.p :] > 0.5


@dataclass(eq=False, repr=False, kw_only=True)
class Factorisation(ClassNamePrefixFeaturesOutMixin, TransformerMixin, FederatedEstimator):
    """Rows as sums of atoms with codes: what the estimators by a dictionary share."""

    max_iter: int = 300
    tol: float = 1e-4
    _missing: ClassVar[bool] = True

    @abstractmethod
    def _model(self, p: int) -> DictionaryLearning:
        """The problem in standard units: rows and codes are in units of `scale_`."""

    @abstractmethod
    def _start(self, rows: ClientRows, x: Array, seed: int) -> Array:
        """θ_0, shape (p K,), for rows x in standard units, 0 where an entry is missing."""

    def _units(self, rows: ClientRows) -> Standard:
        found = Standard.of(rows, center=False)
        sizes = found.scale[found.var > 0.0]
        if sizes.size and sizes.max() / APART > sizes.min():
            raise InvalidInput(
                f"columns differ in size, from {sizes.min():.3g} to {sizes.max():.3g}: an atom has one unit for all of "
                "them; scale them first."
            )
        return found.common()

    def _task_in(self, rows: ClientRows, standard: Standard) -> FitTask:
        x = standard.to(rows.x)
        full, seen = self._model(x.shape[1]), np.isfinite(x)
        values = np.where(seen, x, 0.0)
        task = FitTask(
            "dictionary", full, rows.clients(values), lambda seed: self._start(rows, values, seed), floor=0.0,
            meets=frozenset({"complete rows"}),
            majorises=(True, "the codes minimise, row by row; no condition on the data"),
        )  # fmt: skip
        if not seen.all():
            task = replace(
                task, problem=MaskedDictionary(full), clients=rows.clients(np.hstack([values, seen])),
                foreign="the example's formula is that of complete rows", meets=frozenset(),
            )  # fmt: skip
        return weighted(rows, task)

    def _learn(self, problem: Surrogate, theta: Array) -> None:
        self.theta_ = theta
        self.components_ = theta.reshape(len(self.scale_), -1).T.copy()

    def transform(self, X: Any) -> Array:
        """The code of each row: shape (N, n_components)."""
        x = self._standard_rows(X)
        seen, full = np.isfinite(x), self._model(x.shape[1])
        if seen.all():
            return full.codes(x, self.theta_) * float(self.scale_[0])
        z = np.hstack([np.where(seen, x, 0.0), seen])
        return MaskedDictionary(full).codes(z, self.theta_) * float(self.scale_[0])

    def inverse_transform(self, X: Any) -> Array:
        """The rows that these codes stand for: shape (N, p)."""
        check_is_fitted(self)
        codes = as_array("X", X, shape=(None, len(self.components_)))
        return codes @ self.components_

    def complete(self, X: Any) -> Array:
        """The rows with their missing entries filled in from the codes of the others: shape (N, p)."""
        x, codes = self._new(X), self.transform(X)
        return np.where(np.isfinite(x), x, codes @ self.components_)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


@dataclass(eq=False, repr=False)
class FederatedDictionaryLearning(Factorisation):
    """min over atoms of norm ≤ 1 of E[min_h ½‖x − θh‖² + alpha‖h‖₁ + (ridge/2)‖h‖²], as in scikit-learn's class.

    Missing entries (NaN) do not count: codes are fitted to what is there, and `complete` fills in the rest. positive:
    codes ≥ 0. Columns are neither centred nor scaled. Starts: the main directions of the pooled second moments, to
    which each client adds its own, turned at random for each start; or `dict_init`, shape (n_components, p).

    After `fit`: components_ (n_components, p).
    """

    n_components: int = 2
    alpha: float = 1.0
    ridge: float = 0.0
    positive: bool = False
    dict_init: Any = None

    def _model(self, p: int) -> DictionaryLearning:
        lam = in_interval("alpha", self.alpha, low=0.0, high=np.inf) / float(self.scale_[0])
        coder = SparseCodes(min(lam, 1e300), self.ridge, self.positive)
        return DictionaryLearning(p, as_count("n_components", self.n_components), coder, UnitBall(ETA), tol=1e-10)

    def _start(self, rows: ClientRows, x: Array, seed: int) -> Array:
        p, K = x.shape[1], self.n_components
        if self.dict_init is not None:
            return as_array("dict_init", self.dict_init, shape=(K, p)).T.ravel()
        weighted_rows = np.sqrt(rows.mass)[:, None] * x
        sums = client_products(weighted_rows, weighted_rows, rows.offsets).sum(axis=0)
        rows.sent.numbers(len(rows) * p * p)
        values, vectors = np.linalg.eigh(sums / rows.mass.sum())
        rng = np.random.default_rng(seed)
        count = min(p, K)
        main = vectors[:, ::-1][:, :count] @ np.linalg.qr(rng.normal(size=(count, count)))[0]
        more = (vectors * np.sqrt(np.maximum(values, 0.0))) @ rng.normal(size=(p, K - count))
        atoms = np.hstack([main, more])
        return (atoms / np.maximum(np.linalg.norm(atoms, axis=0), 1e-300)).ravel()

    def score(self, X: Any, y: Any = None) -> float:
        """−E[½‖x − θh‖² + alpha‖h‖₁ + (ridge/2)‖h‖²] over what was seen of these rows: the larger the better."""
        x, h = self._new(X), self.transform(X)
        residual = np.where(np.isfinite(x), x - h @ self.components_, 0.0)
        penalty = self.alpha * np.abs(h).sum(axis=1) + 0.5 * self.ridge * (h**2).sum(axis=1)
        return -float((0.5 * (residual**2).sum(axis=1) + penalty).mean())


@dataclass(eq=False, repr=False)
class FederatedNMF(Factorisation):
    """min over atoms and codes ≥ 0 of E[½‖x − Wh‖² + p·alpha_W(l1_ratio‖h‖₁ + ½(1 − l1_ratio)‖h‖²)] + ½ alpha_H‖W‖².

    As scikit-learn's NMF with the Frobenius loss and these weights, l1_ratio being that of the codes alone. Small
    ridges besides, η of `ETA`, make codes and atoms unique where penalties do not. Columns are neither centred nor
    scaled. Missing entries (NaN) do not count, and `complete` fills them in. Starts: k-means++ (see `spread_centres`);
    or `init`, shape (n_components, p).

    After `fit`: components_ (n_components, p).
    """

    n_components: int = 2
    alpha_W: float = 0.0
    alpha_H: float = 0.0
    l1_ratio: float = 0.0
    init: Any = None

    def _checked(self, rows: ClientRows) -> ClientRows:
        _nonnegative(rows.x)
        return super()._checked(rows)

    def _model(self, p: int) -> DictionaryLearning:
        weight, share = p * in_interval("alpha_W", self.alpha_W, low=0.0, high=1e300), self.l1_ratio
        in_interval("l1_ratio", share, low=0.0, high=1.0)
        eta = in_interval("alpha_H", self.alpha_H, low=0.0, high=1e300) / 2.0 / float(self.scale_[0]) ** 2
        coder = SparseCodes(min(weight * share / float(self.scale_[0]), 1e300), weight * (1.0 - share) + ETA, True)
        return DictionaryLearning(p, as_count("n_components", self.n_components), coder, NonNegative(eta + ETA))

    def _start(self, rows: ClientRows, x: Array, seed: int) -> Array:
        if self.init is not None:
            return _nonnegative(as_array("init", self.init, shape=(self.n_components, x.shape[1]))).T.ravel()
        return spread_centres(rows, x, self.n_components, seed).T.ravel()

    def transform(self, X: Any) -> Array:
        """The code of each row: shape (N, n_components)."""
        _nonnegative(self._new(X))
        return super().transform(X)

    def score(self, X: Any, y: Any = None) -> float:
        """−E[½‖x − Wh‖² + p·alpha_W(l1_ratio‖h‖₁ + ½(1 − l1_ratio)‖h‖²)] over what was seen of these rows."""
        x, h = self._new(X), self.transform(X)
        residual = np.where(np.isfinite(x), x - h @ self.components_, 0.0)
        penalty = self.l1_ratio * h.sum(axis=1) + 0.5 * (1.0 - self.l1_ratio) * (h**2).sum(axis=1)
        return -float((0.5 * (residual**2).sum(axis=1) + x.shape[1] * self.alpha_W * penalty).mean())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def _nonnegative(x: Array) -> Array:
    if (x < 0.0).any():
        raise InvalidInput(f"Negative values in data: the least is {np.nanmin(x):g}; shift them, so that all are >= 0.")
    return x
