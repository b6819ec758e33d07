"""Logistic regression over clients, of two classes and of more: classes that a client never saw are no obstacle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, log_softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.estimators.linear import QuadraticModel
from fedmm_edu.examples.quadratic import Logistic, Loss, Multinomial


@dataclass(eq=False, repr=False)
class FederatedLogisticRegression(ClassifierMixin, QuadraticModel):
    """min E[−log P(y | x)] + (l1_ratio‖θ‖₁ + ½(1 − l1_ratio)‖θ‖²)/(C·N), as scikit-learn's class.

    N is the weight of all rows, in a stream that of each batch.

    Two classes: P(y | x) is the logistic function of ⟨x, θ⟩ + b, more: the softmax of such numbers, one for each class.
    C = inf: no penalty. The server hears of the names of all classes; a client need not hold rows of each.

    After `fit`: coef_ (1, p) or (K, p), intercept_ (1,) or (K,), classes_ (K,).
    """

    C: float = 1.0
    l1_ratio: float = 0.0
    _labelled: ClassVar[bool] = True
    _scaled: ClassVar[bool] = False

    def partial_fit(
        self, X: Any, y: Any = None, clients: Any = None, sample_weight: Any = None, classes: Any = None
    ) -> Self:
        """One round of SA-SSMM on these rows; `classes`: all that will come, in the first call, else those of its y."""
        if classes is not None:
            told = np.unique(np.asarray(classes))
            if hasattr(self, "rounds_of_stream_") and not np.array_equal(told, self.classes_):
                raise InvalidInput(f"classes = {told}: the stream began with {self.classes_}; give the same.")
            self._classes = told
        try:
            return super().partial_fit(X, y, clients, sample_weight)
        finally:
            vars(self).pop("_classes", None)

    def _coded(self, target: NDArray[Any], *, reset: bool) -> Array:
        """−1 and 1 for two classes, the place in `classes_` for more."""
        check_classification_targets(target)
        found = np.unique(target)
        if reset:
            classes = getattr(self, "_classes", found)
            if len(classes) < 2:
                raise InvalidInput(
                    f"all rows are of one class, {classes.tolist()[0]!r}: give rows of two classes at least."
                )
            self.classes_ = classes
        unknown = found[~np.isin(found, self.classes_)]
        if len(unknown):
            raise InvalidInput(
                f"y has the class {unknown.tolist()[0]!r}, which is none of {self.classes_.tolist()}: name all with "
                "classes= in the first call of partial_fit."
            )
        place = np.searchsorted(self.classes_, target).astype(np.float64)
        return 2.0 * place - 1.0 if len(self.classes_) == 2 else place

    def _loss(self) -> Loss:
        return Logistic() if len(self.classes_) == 2 else Multinomial(len(self.classes_))

    @property
    def _outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _weights(self, total: float) -> tuple[float, float]:
        C = in_interval("C", self.C, low=0.0, high=np.inf, open_low=True)
        share = in_interval("l1_ratio", self.l1_ratio, low=0.0, high=1.0)
        return share / (C * total), (1.0 - share) / (C * total)

    def _keep(self, coef: Array, intercept: Array) -> None:
        self.coef_, self.intercept_ = coef, intercept

    def decision_function(self, X: Any) -> Array:
        """⟨x, coef_⟩ + intercept_ of each row: shape (N,) for two classes, (N, K) for more."""
        found = self._fitted(X)
        return found[:, 0] if len(self.classes_) == 2 else found

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row: shape (N,)."""
        likely = np.argmax(self.predict_log_proba(X), axis=1)
        return self.classes_[likely]

    def predict_proba(self, X: Any) -> Array:
        """The chance of each class: shape (N, K)."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of the chance of each class: shape (N, K)."""
        u = self.decision_function(X)
        return np.column_stack([log_expit(-u), log_expit(u)]) if u.ndim == 1 else log_softmax(u, axis=1)
