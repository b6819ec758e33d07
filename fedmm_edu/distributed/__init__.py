"""FedMM on many machines: a protocol without an engine, and thin adapters to engines that others maintain.

`Plan` is what both sides know, `Node` and `Round` are the two sides, `Engine` carries bytes between them. None of this
imports Flower: `fedmm_edu.distributed.flower` does.
"""

from fedmm_edu.distributed.engine import Engine, InProcess, federate, in_process, one_round, part
from fedmm_edu.distributed.faults import Fault, Misbehaving
from fedmm_edu.distributed.jobs import Job
from fedmm_edu.distributed.node import File, InMemory, Node, Store
from fedmm_edu.distributed.plan import Places, Plan
from fedmm_edu.distributed.server import NobodyAnswered, Report, Round
from fedmm_edu.distributed.state import ServerState

__all__ = [
    "Engine",
    "Fault",
    "File",
    "InMemory",
    "InProcess",
    "Job",
    "Misbehaving",
    "NobodyAnswered",
    "Node",
    "Places",
    "Plan",
    "Report",
    "Round",
    "ServerState",
    "Store",
    "federate",
    "in_process",
    "one_round",
    "part",
]
