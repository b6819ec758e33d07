"""Optimal transport maps by convex networks: FedMM-OT (Algorithm 3), FedAdam, pairs with a known map, scores.

Between two Gaussians the map is linear, and the moments tell it; a score is 0 for the right map, in percent of Q's
variance:

>>> import numpy as np
>>> pair = gaussians([0.0, 0.0], np.eye(2), [1.0, 0.0], 4.0 * np.eye(2))
>>> x = pair.sample(1000, seed=0)
>>> {name: round(score(pair, *maps, x).uvp) for name, maps in baselines(pair).items()}
{'identity': 37, 'constant': 100, 'linear': 0}
"""

from fedmm_edu.errors import needs

with needs("transport", "fedmm_edu.transport"):
    import torch  # noqa: F401

from fedmm_edu.transport.benchmark import CENTRALISED, data_folder, load_benchmark
from fedmm_edu.transport.methods import fedadam, fedmm_ot, health, joint, one_thread
from fedmm_edu.transport.network import ICNN, died
from fedmm_edu.transport.objective import Potentials, TransportProblem, UnboundedObjective
from fedmm_edu.transport.pairs import Pair, gaussians, log_sum_exp
from fedmm_edu.transport.pretrain import as_map, load_network, pretrain, save_network
from fedmm_edu.transport.score import Score, baselines, score
from fedmm_edu.transport.spaces import JointSpace, JointSteps, PotentialSpace, PotentialSteps

__all__ = [
    "CENTRALISED",
    "ICNN",
    "JointSpace",
    "JointSteps",
    "Pair",
    "PotentialSpace",
    "PotentialSteps",
    "Potentials",
    "Score",
    "TransportProblem",
    "UnboundedObjective",
    "as_map",
    "baselines",
    "data_folder",
    "died",
    "fedadam",
    "fedmm_ot",
    "gaussians",
    "health",
    "joint",
    "load_benchmark",
    "load_network",
    "log_sum_exp",
    "one_thread",
    "pretrain",
    "save_network",
    "score",
]
