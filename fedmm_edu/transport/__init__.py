"""Optimal transport maps by convex networks: FedMM-OT (Algorithm 3), FedAdam, pairs with a known map, scores."""

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
