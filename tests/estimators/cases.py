"""The estimators that the tests of this folder run over, and tables split into unequal clients."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from fedmm_edu.estimators import (
    FederatedDictionaryLearning,
    FederatedElasticNet,
    FederatedGaussianMixture,
    FederatedHuber,
    FederatedKMeans,
    FederatedLasso,
    FederatedLogisticRegression,
    FederatedNMF,
    FederatedPoisson,
    FederatedRidge,
    FederatedScaler,
)

FITTED_BY_ROUNDS = [
    FederatedDictionaryLearning(2, alpha=0.5, max_iter=60, tol=1e-3),
    FederatedElasticNet(0.1),
    FederatedGaussianMixture(2, n_init=1),
    FederatedKMeans(2, n_init=1),
    FederatedHuber(alpha=0.1, max_iter=1000),
    FederatedLasso(0.1),
    FederatedLogisticRegression(C=0.1),
    FederatedNMF(2, alpha_W=0.01, max_iter=60, tol=1e-3),
    FederatedPoisson(alpha=0.1, max_iter=100, tol=1e-4),
    FederatedRidge(1.0),
]
EVERY = [*FITTED_BY_ROUNDS, FederatedScaler()]
by_rounds = pytest.mark.parametrize("model", FITTED_BY_ROUNDS, ids=lambda model: type(model).__name__)
every = pytest.mark.parametrize("model", EVERY, ids=lambda model: type(model).__name__)
not_converged = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
no_theorem = pytest.mark.filterwarnings("ignore::fedmm_edu.errors.BeyondTheorem")
LOADERS = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast cancer": datasets.load_breast_cancer,
    "diabetes": datasets.load_diabetes,
}


def patients(name: str = "diabetes", seed: int = 0) -> pd.DataFrame:
    """A table with the columns `target` and `hospital`: unequal hospitals, split along the first column."""
    table = LOADERS[name](as_frame=True).frame
    cuts = table.iloc[:, 0].quantile([0.15, 0.7])
    table["hospital"] = np.array(["north", "south", "west"])[np.digitize(table.iloc[:, 0], cuts)]
    return table.sample(frac=1.0, random_state=seed, ignore_index=True)
