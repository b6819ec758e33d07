"""The diabetes data of Efron et al. (2004), as scikit-learn ships it: 442 patients, 10 features, one target."""

from __future__ import annotations

from dataclasses import dataclass

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, needs


@dataclass(frozen=True, eq=False)
class Diabetes:
    """`x`, shape (442, 10), and `y`, shape (442,): centred, and scaled to standard deviation one."""

    x: Array
    y: Array
    features: tuple[str, ...]

    def column(self, feature: str) -> Array:
        """One feature by name."""
        if feature not in self.features:
            raise InvalidInput(f"there is no feature {feature!r}: choose one of {', '.join(self.features)}.")
        return self.x[:, self.features.index(feature)]


def load_diabetes() -> Diabetes:
    """The data, standardised over all patients (which takes two sums per feature, and no rows, from each client)."""
    with needs("studies", "load_diabetes"):
        from sklearn import datasets  # a second, which only those who want the data should wait for

    raw = datasets.load_diabetes()
    x, y = raw.data, raw.target
    return Diabetes((x - x.mean(axis=0)) / x.std(axis=0), (y - y.mean()) / y.std(), tuple(raw.feature_names))
