"""MM, SA-SSMM and FedMM as one loop with interchangeable parts."""

from fedmm_edu.algorithms.fedmm import FedMM, State, mm, sa_ssmm
from fedmm_edu.algorithms.run import History, run
from fedmm_edu.algorithms.server import Adam, Plain, ServerStep
from fedmm_edu.algorithms.spaces import AggregationSpace, ParameterSpace, SurrogateSpace
from fedmm_edu.algorithms.step_sizes import Constant, Harmonic, SqrtDecay

__all__ = [
    "Adam",
    "AggregationSpace",
    "Constant",
    "FedMM",
    "Harmonic",
    "History",
    "ParameterSpace",
    "Plain",
    "ServerStep",
    "SqrtDecay",
    "State",
    "SurrogateSpace",
    "mm",
    "run",
    "sa_ssmm",
]
