"""The public names, each with the module it lives in; `lazy.attach` loads it when the name is first used."""

from fedmm_edu.estimators.certificate import FitCertificate as FitCertificate
from fedmm_edu.estimators.dictionary import FederatedDictionaryLearning as FederatedDictionaryLearning
from fedmm_edu.estimators.dictionary import FederatedNMF as FederatedNMF
from fedmm_edu.estimators.hosted import HostedFit as HostedFit
from fedmm_edu.estimators.kmeans import FederatedKMeans as FederatedKMeans
from fedmm_edu.estimators.linear import FederatedElasticNet as FederatedElasticNet
from fedmm_edu.estimators.linear import FederatedHuber as FederatedHuber
from fedmm_edu.estimators.linear import FederatedLasso as FederatedLasso
from fedmm_edu.estimators.linear import FederatedRidge as FederatedRidge
from fedmm_edu.estimators.logistic import FederatedLogisticRegression as FederatedLogisticRegression
from fedmm_edu.estimators.mixture import FederatedGaussianMixture as FederatedGaussianMixture
from fedmm_edu.estimators.poisson import FederatedPoisson as FederatedPoisson
from fedmm_edu.estimators.pooled import HostedMoments as HostedMoments
from fedmm_edu.estimators.pooled import PooledMoments as PooledMoments
from fedmm_edu.estimators.private import GaussianMechanism as GaussianMechanism
from fedmm_edu.estimators.resuming import FitProgress as FitProgress
from fedmm_edu.estimators.scaler import FederatedScaler as FederatedScaler
from fedmm_edu.estimators.transport import FederatedTransportMap as FederatedTransportMap
