"""A job: a plan, where to start, and how a node finds its data. Every machine of a run makes the same job by its name,
"module:function", where `function(nodes)` returns a `Job`, or by a file of its own that `Job.write` wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from fedmm_edu.algorithms import FedMM
from fedmm_edu.arrays import Array
from fedmm_edu.distributed.engine import InProcess, part
from fedmm_edu.distributed.node import Node
from fedmm_edu.distributed.plan import Plan
from fedmm_edu.distributed.state import ServerState, Variates
from fedmm_edu.distributed.store import InMemory
from fedmm_edu.distributed.written import JOB_FILE, Written, read_job, write_job
from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.federation import Clients


@dataclass(frozen=True, eq=False)
class Job:
    """plan; x, the start Ŝ_0; data(k), the data of node k, which is called on that node alone; V, the start V_{0,i}."""

    plan: Plan
    x: Array
    data: Callable[[int], Clients]
    V: Variates = "zero"

    @property
    def start(self) -> ServerState:
        """The server's state before the first round."""
        return ServerState.start(self.plan, self.x, self.V)

    def in_process(self) -> InProcess:
        """Its nodes in this process, with their states in memory."""
        return InProcess({k: Node(self.plan, k, self.data(k), InMemory()) for k in range(len(self.plan.nodes))})

    @staticmethod
    def of(fed: FedMM, x: Array, nodes: int, V: Variates = "zero") -> Job:
        """A job whose data every machine can make: for examples and tests."""
        plan = Plan.of(fed, nodes)
        return Job(plan, x, lambda k: part(fed.clients, plan.nodes[k]), V)

    def write(self, path: str | Path, node: int | None = None) -> Path:
        """Write it to a file `….npz`, with the data of one node or, for the server, of none.

        The file is arrays and JSON, and its owner's alone. `InvalidInput` names what of the plan is no data: a class or
        function of your own.
        """
        if not str(path).endswith(JOB_FILE):
            raise InvalidInput(f"{path} is no name of a job's file: let it end with {JOB_FILE}.")
        return write_job(path, Written(self.plan, self.x, self.V, node, None if node is None else self.data(node)))

    @staticmethod
    def read(path: str | Path) -> Job:
        """The job of a file; `data` has the one node's alone. `StateMismatch` for a file that holds none."""
        found = read_job(path)

        def data(k: int) -> Clients:
            if found.rows is None or k != found.node:
                whose = "no data" if found.node is None else f"the data of node {found.node}"
                raise InvalidInput(f"{path} holds {whose}, and node {k} asks: give each node the file of its own.")
            return found.rows

        return Job(found.plan, found.x, data, found.V)


def full_name(name: str, known: Mapping[str, Callable[[int], Job]]) -> str:
    """The "module:function" of a job that is known by a short name, by which every machine finds it; others as they
    are."""
    if name not in known and ":" not in name and not name.endswith(JOB_FILE):
        raise InvalidInput(f"there is no job {name!r}: choose one of {', '.join(known)}, or give module:function.")
    return f"{known[name].__module__}:{known[name].__name__}" if name in known else name


def job_of(name: str, nodes: int) -> Job:
    """The job that "module:function" makes for so many nodes, or that a file holds."""
    job = Job.read(name) if name.endswith(JOB_FILE) else _made(name, nodes)
    if len(job.plan.nodes) != nodes:
        raise InvalidInput(f"{name} has {len(job.plan.nodes)} nodes, and {nodes} take part: make them equal.")
    return job


def _made(name: str, nodes: int) -> Job:
    module, _, function = name.partition(":")
    try:
        make = getattr(import_module(module), function)
    except (Exception, SystemExit) as error:  # a module of somebody else's may raise anything, or exit
        raise InvalidInput(f"there is no job {name!r} ({error}): give module:function, a function of yours.") from error
    if not callable(make):
        raise InvalidInput(f"{name} is of type {type(make).__name__} and cannot be called: name a function.")
    try:
        job = make(nodes)
    except FedMMError:
        raise
    except (Exception, SystemExit) as error:
        raise InvalidInput(f"{name}({nodes}) raised {type(error).__name__}: {error}; mend the function.") from error
    if not isinstance(job, Job):
        raise InvalidInput(f"{name} returned {type(job).__name__}: return a fedmm_edu.distributed.jobs.Job.")
    return job
