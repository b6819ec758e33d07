"""FedMM on many machines: a protocol without an engine, and thin adapters to engines that others maintain.

`Plan` is what both sides know, `Node` and `Round` are the two sides, `Engine` carries bytes between them. None of this
imports Flower: `fedmm_edu.distributed.flower` does. Four clients on two nodes in this process:

>>> import numpy as np
>>> from fedmm_edu.algorithms import FedMM
>>> from fedmm_edu.examples.toy import Toy
>>> from fedmm_edu.federation import Clients
>>> clients = Clients.of([np.array([[z]]) for z in (1.0, 2.0, 4.0, 9.0)])
>>> job = Job.of(FedMM(Toy(), clients, 0.5), np.array([1.0]), nodes=2)
>>> state = federate(job.plan, job.in_process(), job.start, 40)
>>> Toy().T(state.x).round(6)
array([0.5])
"""

from fedmm_edu.distributed.engine import Engine, InProcess, federate, in_process, one_round, part
from fedmm_edu.distributed.faults import Fault, Misbehaving
from fedmm_edu.distributed.jobs import Job
from fedmm_edu.distributed.node import Node
from fedmm_edu.distributed.plan import Places, Plan
from fedmm_edu.distributed.server import NobodyAnswered, Report, Round
from fedmm_edu.distributed.state import ServerState, load_checkpoint
from fedmm_edu.distributed.store import File, InMemory, Store

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
    "load_checkpoint",
    "one_round",
    "part",
]
