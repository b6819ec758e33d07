"""Scikit-learn estimators over federated majorize-minimization: from tables to a model that carries its certificate.

    FederatedLasso, FederatedElasticNet, FederatedRidge      regression
    FederatedHuber, FederatedPoisson                          of targets with outliers, and of counts
    FederatedLogisticRegression                               classes, two or more
    FederatedGaussianMixture, FederatedKMeans                 mixtures and clusters, balanced ones too
    FederatedDictionaryLearning, FederatedNMF                 sparse codes, of rows with missing entries too
    FederatedScaler                                           standardisation

Clients send sums and means over their rows; for a client with one row those are that row, or tell it, and nothing hides
it but the noise of `privacy=GaussianMechanism(…)`. Each estimator follows the conventions of scikit-learn;
`certificate_` says what is proved of its fit on this data.

>>> import numpy as np
>>> rng = np.random.default_rng(0)
>>> x = rng.normal(size=(90, 2))
>>> y, hospital = x @ [1.0, -2.0] + 0.1 * rng.normal(size=90), np.repeat(["A", "B", "C"], 30)
>>> model = FederatedRidge(0.1, max_iter=200).fit(x, y, clients=hospital)
>>> model.coef_.round(1), model.certificate_.theorem.theorem
(array([ 1., -2.]), 'descent of MM')
"""

from fedmm_edu.errors import needs

with needs("estimators", "fedmm_edu.estimators"):
    import pandas  # noqa: F401
    import sklearn  # noqa: F401

from fedmm_edu.estimators.certificate import FitCertificate
from fedmm_edu.estimators.dictionary import FederatedDictionaryLearning, FederatedNMF
from fedmm_edu.estimators.kmeans import FederatedKMeans
from fedmm_edu.estimators.linear import FederatedElasticNet, FederatedHuber, FederatedLasso, FederatedRidge
from fedmm_edu.estimators.logistic import FederatedLogisticRegression
from fedmm_edu.estimators.mixture import FederatedGaussianMixture
from fedmm_edu.estimators.poisson import FederatedPoisson
from fedmm_edu.estimators.private import GaussianMechanism
from fedmm_edu.estimators.resuming import FitProgress
from fedmm_edu.estimators.scaler import FederatedScaler

__all__ = [
    "FederatedDictionaryLearning",
    "FederatedElasticNet",
    "FederatedGaussianMixture",
    "FederatedHuber",
    "FederatedKMeans",
    "FederatedLasso",
    "FederatedLogisticRegression",
    "FederatedNMF",
    "FederatedPoisson",
    "FederatedRidge",
    "FederatedScaler",
    "FitCertificate",
    "FitProgress",
    "GaussianMechanism",
]
