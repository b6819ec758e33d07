"""What the server keeps between rounds, and its checkpoint.

Beside Ŝ_t and V_t the server keeps, for each node, W_k = Σ_{i on node k} μ_i V_i and the name of the history in which
this is so. Nothing per client is kept; with secure sums, nothing per node but names: there is no W_k.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.algorithms.fingerprint import fingerprint
from fedmm_edu.arrays import Array, as_array
from fedmm_edu.distributed.codec import pack, unpack
from fedmm_edu.distributed.plan import NEW, Plan
from fedmm_edu.errors import InvalidInput, StateMismatch
from fedmm_edu.files import write_bytes

Variates = Literal["zero", "mean_field"]


def new_session() -> bytes:
    """A name that no other session of a server has."""
    return secrets.token_bytes(16)


@dataclass(frozen=True, eq=False)
class ServerState:
    """Everything that the next round depends on, besides the plan and the nodes.

    t: the last round that was closed; −1 before the opening. W: W_k, shape (nodes, dim); base: the accepted history of
    each node, 32 bytes each, shape (nodes, 32); sizes: of the largest reply of each node that was accepted, NaN for
    none, shape (nodes,); moments, carry, shared: as in `algorithms.State`; bytes_up, bytes_down: of all
    messages that came in and went out; rows_up: the bytes of the rows among them that were used. session: drawn when a
    server starts or comes back, and not saved; in one session rounds follow each other, and a node knows what is late.
    """

    t: int
    x: Array
    V: Array
    W: Array
    base: np.ndarray
    sizes: Array
    moments: Array
    carry: Array
    shared: Array
    bytes_up: int = 0
    bytes_down: int = 0
    rows_up: int = 0
    session: bytes = field(default_factory=new_session)

    _types: ClassVar[dict[str, str]] = {
        "t": "int", "x": "f8:1", "V": "f8:1", "W": "f8:2", "base": "u1:2", "sizes": "f8:1", "moments": "f8:1",
        "carry": "f8:1", "shared": "f8:1", "bytes_up": "int", "bytes_down": "int", "rows_up": "int", "name": "str",
    }  # fmt: skip

    @staticmethod
    def start(plan: Plan, x: ArrayLike, V: Variates = "zero") -> ServerState:
        """The state before the first round, from x = Ŝ_0 and V_{0,i}: zero, or h_i(Ŝ_0) as each node computes them.

        For the latter there is an opening, round 0, in which each node sends Σ_{i on node k} μ_i h_i(Ŝ_0) as q floats;
        clients of a node that does not answer it start at zero.
        """
        if V not in ("zero", "mean_field"):
            raise InvalidInput(f"V = {V!r}: choose 'zero' or 'mean_field'; other V_i stay on their node.")
        if V != "zero" and plan.secure_sum:
            raise InvalidInput(f"V = {V!r} with secure_sum=True: the opening sends sums in the clear; use V='zero'.")
        x = plan.space.check(plan.problem, as_array("x", x, shape=(plan.dim,))).copy()
        K = len(plan.nodes)
        beside = plan.server.start(plan.dim), plan.space.start(plan.problem, x), plan.downlink.start(x)
        base = np.tile(np.frombuffer(NEW, np.uint8), (K, 1))
        V_0, W, sizes = np.zeros(plan.dim), np.zeros((0 if plan.secure_sum else K, plan.dim)), np.full(K, np.nan)
        return ServerState(-(V != "zero"), x, V_0, W, base, sizes, *beside)


def save_checkpoint(path: str | Path, plan: Plan, start: ServerState, state: ServerState) -> None:
    """Write the checkpoint, all of it or nothing; it belongs to this plan and this start."""
    values = {f.name: getattr(state, f.name) for f in fields(state) if f.name != "session"}
    write_bytes(path, pack("ServerState", values | {"name": _name(plan, start)}), private=True)


def load_checkpoint(path: str | Path, plan: Plan, start: ServerState) -> ServerState:
    """The state that was saved, or `start` where there is none; `StateMismatch` for a file of another run."""
    try:
        raw = Path(path).read_bytes()
    except FileNotFoundError:
        return start
    except OSError as error:
        raise StateMismatch(f"cannot read {path}: {error.strerror}.") from error
    try:
        found = unpack(raw, "ServerState", ServerState._types)
    except InvalidInput as error:
        raise StateMismatch(f"{path} is no checkpoint of a server ({error}): delete it to start anew.") from error
    if found.pop("name") != _name(plan, start):
        raise StateMismatch(f"{path} was saved by a run with another plan or start: use another file name.")
    wrong = [name for name, like in vars(start).items() if np.shape(found.get(name, like)) != np.shape(like)]
    wrong += [name for name in ("x", "V", "W") if not np.isfinite(found[name]).all()]
    if wrong or not -1 <= found["t"] < 2**53:
        raise StateMismatch(f"{path} is no checkpoint of a server ({', '.join(wrong or ['t'])}): delete it.")
    return ServerState(**found)


def _name(plan: Plan, start: ServerState) -> str:
    return fingerprint((plan.key, start.x, start.t))
