"""Scikit-learn estimators over federated majorize-minimization: from tables to a model that carries its certificate.

    FederatedLasso, FederatedElasticNet, FederatedRidge      regression
    FederatedHuber, FederatedPoisson                          of targets with outliers, and of counts
    FederatedLogisticRegression                               classes, two or more
    FederatedGaussianMixture, FederatedKMeans                 mixtures and clusters, balanced ones too
    FederatedDictionaryLearning, FederatedNMF                 sparse codes, of rows with missing entries too
    FederatedTransportMap                                     optimal transport to a public sample (extra `transport`)
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
from fedmm_edu.lazy import attach

with needs("estimators", "fedmm_edu.estimators"):
    import pandas  # noqa: F401
    import sklearn  # noqa: F401

__getattr__, __dir__, __all__ = attach(__name__)  # pyright: ignore[reportUnsupportedDunderAll]
