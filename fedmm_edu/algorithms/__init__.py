"""MM, SA-SSMM and FedMM as one loop with interchangeable parts.

Algorithms of the literature as settings of it; the tests in tests/numeric/ run each beside its own definition:

    EM (Dempster et al. 1977)           mm(mixture, z)                          test_special_cases_em
    online EM (Cappé, Moulines 2009)    sa_ssmm(mixture, z, oracle=Stream(1))   test_special_cases_em
    SAEM (Delyon et al. 1999)           sa_ssmm(…, oracle=SimulatedLabels(m))   test_special_cases_em
    stochastic MM (Mairal 2013)         sa_ssmm(problem, z, oracle=Stream(1))   test_special_cases_em
    online dictionaries (Mairal 2010)   sa_ssmm(dictionary, z, γ_t = 1/t)       test_dictionary
    SGD (Robbins, Monro 1951)           sa_ssmm(Quadratic without g, z)         test_special_cases_gradient
    proximal SGD (Atchadé et al. 2017)  sa_ssmm(Quadratic, z, γ = 1)            test_special_cases_gradient
    SAGA (Defazio et al. 2014)          FedMM(…, FixedSize(1), alpha=1/n)       test_special_cases_gradient
    DIANA (Mishchenko et al. 2019)      FedMM(…, RandK(k), alpha)               test_special_cases_gradient
    incremental EM (Neal, Hinton 1998)  incremental(mixture, z)                 test_incremental
    MISO (Mairal 2015)                  incremental(Quadratic, z)               test_incremental
    averaging of parameters             FedMM(…, space=ParameterSpace())        test_fedmm

More of them stand in `fedmm_edu.relatives`. Two clients, half of the time away, with 8-bit messages, find 1/√E[Z]:

>>> import numpy as np
>>> from fedmm_edu.examples.toy import Toy
>>> from fedmm_edu.federation import Bernoulli, Clients, UniformQuantization
>>> clients = Clients.of([np.array([[1.0], [2.0]]), np.array([[4.0], [9.0]])])
>>> fed = FedMM(Toy(), clients, 0.2, participation=Bernoulli(0.5), compressor=UniformQuantization(8), alpha=0.4)
>>> state, rows = run(fed, fed.init([1.0]), 300)
>>> fed.theta(state).round(6)
array([0.5])
"""

from fedmm_edu.algorithms.downlink import Differences, Downlink, Printed, Shorter
from fedmm_edu.algorithms.fedmm import FedMM, State, mm, sa_ssmm
from fedmm_edu.algorithms.incremental import Lifted, RandBlock, incremental
from fedmm_edu.algorithms.local_steps import (
    ControlledSteps,
    DualSteps,
    DynamicSteps,
    Fixed,
    Geometric,
    LocalSteps,
    ProximalSteps,
    StepCount,
)
from fedmm_edu.algorithms.memories import ErrorFeedback, FreshDifferences, PersonalWeights, VFromIterates
from fedmm_edu.algorithms.reference import AsSeen, AtTheta, AtX, Origin, ReferencePoint
from fedmm_edu.algorithms.run import ITERATES, STANDARD, Column, History, affordable, run
from fedmm_edu.algorithms.server import Adagrad, Adam, AlongV, HeavyBall, Nesterov, Plain, ServerStep, WithNewV, Yogi
from fedmm_edu.algorithms.settings import Settings
from fedmm_edu.algorithms.spaces import (
    AggregationSpace,
    DualSpace,
    ParameterSpace,
    ProximalAverage,
    ProximalSpace,
    SurrogateSpace,
)
from fedmm_edu.algorithms.step_sizes import Constant, Cosine, Harmonic, SqrtDecay, Staircase
from fedmm_edu.algorithms.work import LocalView, LocalWork, Surrogates

__all__ = [
    "ITERATES",
    "STANDARD",
    "Adagrad",
    "Adam",
    "AggregationSpace",
    "AlongV",
    "AsSeen",
    "AtTheta",
    "AtX",
    "Column",
    "Constant",
    "ControlledSteps",
    "Cosine",
    "Differences",
    "Downlink",
    "DualSpace",
    "DualSteps",
    "DynamicSteps",
    "ErrorFeedback",
    "FedMM",
    "Fixed",
    "FreshDifferences",
    "Geometric",
    "Harmonic",
    "HeavyBall",
    "History",
    "Lifted",
    "LocalSteps",
    "LocalView",
    "LocalWork",
    "Nesterov",
    "Origin",
    "ParameterSpace",
    "PersonalWeights",
    "Plain",
    "Printed",
    "ProximalAverage",
    "ProximalSpace",
    "ProximalSteps",
    "RandBlock",
    "ReferencePoint",
    "ServerStep",
    "Settings",
    "Shorter",
    "SqrtDecay",
    "Staircase",
    "State",
    "StepCount",
    "SurrogateSpace",
    "Surrogates",
    "VFromIterates",
    "WithNewV",
    "Yogi",
    "affordable",
    "incremental",
    "mm",
    "run",
    "sa_ssmm",
]
