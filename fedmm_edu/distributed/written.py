"""A job as a file: the plan, where to start, and the rows of one node or of none. It is data, arrays and JSON.

An object of this package is written as the name of its class and what it holds; read again it is of that class, which
must be one of this package, and nothing of the file is run. That the plan is the one that was written shows in its key,
the digest of all settings and of the code of this package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedmm_edu.arrays import Array, counts_of
from fedmm_edu.distributed.plan import Plan
from fedmm_edu.distributed.state import Variates
from fedmm_edu.errors import InvalidInput, StateMismatch
from fedmm_edu.federation import Clients
from fedmm_edu.files import read_arrays, write_arrays

PACKAGE = __name__.partition(".")[0]
ROOMS = ("algorithms", "convex_sets", "distributed", "estimators", "examples", "federation", "relatives")
"""Where the classes are of what a plan holds."""
JOB_FILE = ".npz"
"""By which the name of such a file is told from a "module:function"."""


class Written(NamedTuple):
    """What a file says of a job: plan, x and V are those of `jobs.Job`; rows, those of the node of this number."""

    plan: Plan
    x: Array
    V: Variates
    node: int | None = None
    rows: Clients | None = None


def write_job(path: str | Path, job: Written) -> Path:
    """Write a job; the file is its owner's alone.

    `InvalidInput` names what of the plan is no data: a class or a function of your own, which every machine must
    import, so that the job is a "module:function".
    """
    arrays: list[NDArray[Any]] = []
    said = {"plan": _told("the plan", job.plan, arrays), "V": job.V, "node": job.node}
    held = {} if job.rows is None else {"z": job.rows.z, "sizes": counts_of(job.rows.offsets)}
    numbered = {f"array_{k}": array for k, array in enumerate(arrays)}
    return write_arrays(path, {"head": json.dumps(said), "x": job.x, **numbered, **held}, private=True)


def read_job(path: str | Path) -> Written:
    """What `write_job` wrote; `StateMismatch` for a file that is damaged, or of another version of this package."""
    found = read_arrays(path, "a job", "write it again")
    try:
        said = json.loads(str(found["head"]))
        plan = _whole(said["plan"], found)
        if not isinstance(plan, Plan):
            raise InvalidInput(f"it holds a {type(plan).__name__}")
        again = replace(plan, beyond_theorem=True)  # its key is made anew; who wrote it was warned
        rows = Clients.of_rows(found["z"], found["sizes"]) if "z" in found else None
        job = Written(again, found["x"], said["V"], said["node"], rows)
    except (LookupError, ValueError, TypeError, AttributeError, ImportError, RecursionError) as error:
        raise StateMismatch(f"{path} holds no job ({error}): write it again.") from error
    if again.key != plan.key:
        raise StateMismatch(f"{path} was written by another version of this package, or is damaged: write it again.")
    return job


def _told(where: str, value: Any, arrays: list[NDArray[Any]]) -> Any:
    """A value as JSON, its arrays aside."""
    kind = type(value)
    if kind in (bool, int, float, str, type(None)):
        return value
    if (kind is np.ndarray and not value.dtype.hasobject) or isinstance(value, np.generic):
        arrays.append(np.asarray(value))
        return {"array" if kind is np.ndarray else "number": len(arrays) - 1}
    if kind in (tuple, list):
        return {kind.__name__: [_told(f"{where}[{k}]", part, arrays) for k, part in enumerate(value)]}
    if _ours(kind.__module__) and hasattr(value, "__dict__"):
        parts = {name: _told(f"{where}, {name}", part, arrays) for name, part in vars(value).items()}
        return {"class": f"{kind.__module__}:{kind.__qualname__}", "holds": parts}
    raise InvalidInput(
        f"{where} is {value!r:.100}, which is no data: a plan travels to other processes as data, with parts of this "
        "package alone. Let every machine import what is your own, in a job that is a module:function."
    )


def _whole(said: Any, arrays: Mapping[str, Any]) -> Any:
    """The value that was told."""
    if not isinstance(said, dict):
        return said
    if "array" in said:
        return arrays[f"array_{said['array']}"]
    if "number" in said:
        return arrays[f"array_{said['number']}"][()]
    if "class" in said:
        made = object.__new__(_class(said["class"]))
        made.__dict__.update({name: _whole(part, arrays) for name, part in said["holds"].items()})
        return made
    parts = [_whole(part, arrays) for part in next(iter(said.values()))]
    return tuple(parts) if "tuple" in said else parts


def _ours(module: str) -> bool:
    package, _, rest = module.partition(".")
    return package == PACKAGE and rest.partition(".")[0] in ROOMS


def _class(name: str) -> type:
    """A class of this package that its own module defines."""
    module, _, path = name.partition(":")
    if not _ours(module):
        raise InvalidInput(f"{name} is no class of this package")
    found = getattr(import_module(module), path)
    if not (isinstance(found, type) and found.__module__ == module):
        raise InvalidInput(f"{name} is no class of this package")
    return found
