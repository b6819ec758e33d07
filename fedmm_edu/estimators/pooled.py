"""Means and second moments of tables that stay on their hosts: what is asked of rows before a fit, as two rounds.

    S̄(Z, τ) = (Z, (Z − τ)(Z − τ)ᵀ),   ψ = ½‖θ‖²,   φ = (θ, 0):   T(s) is the first part, the mean.

So the surrogate of ½‖Z − θ‖² carries them, over the same nodes, messages and masks as every other: with γ = 1 the first
round finds the mean, and the second the moments about it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from fedmm_edu.algorithms import FedMM
from fedmm_edu.arrays import Array, as_array
from fedmm_edu.convex_sets import WholeSpace
from fedmm_edu.distributed import Job, Plan, ServerState
from fedmm_edu.errors import InvalidInput, StateMismatch, as_count
from fedmm_edu.estimators.rows import Standard
from fedmm_edu.estimators.scaler import FederatedScaler
from fedmm_edu.estimators.tables import text_columns
from fedmm_edu.examples.symmetric import smat, svec
from fedmm_edu.federation import Clients, FixedScaleQuantization, Identity
from fedmm_edu.files import write_bytes
from fedmm_edu.surrogate import Surrogate

Reader = Callable[[str], pd.DataFrame]
"""The table of a client, by its name; called on the host of this client alone."""
BITS, WIDEST = 32, 2.0**10
"""Of the grid of a secure sum, in public units: it holds means of squares below a thousand, to 5e-7."""


class Scatter(Surrogate):
    """ℓ = ½‖Z − θ‖² in p columns; q = p + p(p + 1)/2, matrices being stored as by `svec`."""

    def __init__(self, p: int) -> None:
        self.p = as_count("p", p)
        self.S, self.Theta = WholeSpace(p + p * (p + 1) // 2), WholeSpace(p)

    def S_bar(self, z: Array, theta: Array) -> Array:
        away = z - theta
        return np.hstack([z, svec(away[:, :, None] * away[:, None])])

    def T(self, s: Array) -> Array:
        return self.in_S(s)[: self.p]

    def phi(self, theta: Array) -> Array:
        return np.concatenate([theta, np.zeros(self.q - self.d)])

    def psi(self, theta: Array) -> float:
        return 0.5 * float(theta @ theta)

    def g(self, theta: Array) -> float:
        return 0.0

    def loss(self, z: Array, theta: Array) -> Array:
        return 0.5 * ((z - theta) ** 2).sum(axis=1)


@dataclass(frozen=True)
class PooledMoments:
    """Of N rows together: the mean of each column, shape (p,), and E[(Z − mean)(Z − mean)ᵀ], shape (p, p), as tuples.

    rounding: how far an entry may be off, in the units of its columns: a standard deviation below its root is none.
    """

    columns: tuple[str, ...]
    mean: tuple[float, ...]
    second: tuple[tuple[float, ...], ...]
    rows: int
    rounding: tuple[float, ...]

    def of(self, columns: Sequence[str], center: bool = True) -> tuple[Standard, Array]:
        """The units of some columns, and their second moments in them; without `center`, about 0."""
        unknown = [name for name in columns if name not in self.columns]
        if unknown:
            raise InvalidInput(f"no moments of the columns {unknown} were asked for: name them in HostedMoments.")
        at = [self.columns.index(name) for name in columns]
        mean, second = np.array(self.mean)[at], np.array(self.second)[np.ix_(at, at)]
        if not center:
            mean, second = np.zeros(len(at)), second + np.outer(mean, mean)
        spread = np.sqrt(np.maximum(np.diag(second), 0.0))
        least = 8.0 * np.finfo(np.float64).eps * np.sqrt(self.rows) * np.abs(mean) + np.array(self.rounding)[at]
        scale = np.where(spread > least, spread, 1.0)
        var = np.where(spread > least, scale, 0.0) ** 2
        return Standard(mean, scale, var, float(self.rows)), second / np.outer(scale, scale)

    def scaler(self) -> FederatedScaler:
        """A fitted scaler of all columns."""
        return FederatedScaler().of(self.of(self.columns)[0], np.array(self.columns, dtype=object))

    def save(self, path: str | Path) -> Path:
        """Write them as JSON, for all hosts: they are public from now on."""
        return write_bytes(path, json.dumps(asdict(self)).encode())

    @staticmethod
    def load(path: str | Path) -> PooledMoments:
        """What `save` wrote; `StateMismatch` for a file that holds something else."""
        try:
            said = json.loads(Path(path).read_text("utf-8"))
            columns, p = tuple(map(str, said["columns"])), len(said["columns"])
            mean, rounding = (as_array(name, said[name], shape=(p,)).tolist() for name in ("mean", "rounding"))
            second = as_array("second", said["second"], shape=(p, p)).tolist()
            return PooledMoments(columns, tuple(mean), tuple(map(tuple, second)), as_count("rows", said["rows"]),
                                 tuple(rounding))  # fmt: skip
        except (OSError, ValueError, LookupError, TypeError, InvalidInput) as error:
            raise StateMismatch(f"{path} holds no moments ({error}): write them again.") from error


@dataclass(frozen=True, eq=False)
class HostedMoments:
    """The first two rounds of a fit to tables that nobody brings together.

    sizes: how many rows each client has, by name; columns: those of which moments are found, numbers all. center,
    scale: what is roughly known of each column, in whose units messages are; it matters for columns far from 0, and
    with `secure_sum`, whose grid holds values within 1000 of these squared. All of it is public and the same on all
    hosts. Each client is a node, in the order of the names, and sends p(p + 3)/2 numbers a round; the server
    learns each client's means, or with `secure_sum` those of all rows alone. All nodes take part in both rounds.
    """

    sizes: Mapping[str, int]
    columns: Sequence[str]
    center: Sequence[float] | None = None
    scale: Sequence[float] | None = None
    secure_sum: bool = False

    def __post_init__(self) -> None:
        check_sizes(self.sizes)
        if (self._units()[1] <= 0.0).any():
            raise InvalidInput(f"scale = {list(self.scale or ())}: give positive numbers.")

    @property
    def rounds(self) -> int:
        """How many rounds the job takes."""
        return 2

    def job(self, read: Reader) -> Job:
        """The job; on each host it reads that host's table alone."""
        names, p, (center, scale), fed = sorted(self.sizes), len(self.columns), self._units(), self._federation()

        def rows(k: int) -> Clients:
            x = own_table(read, names[k], self.columns, self.sizes[names[k]])
            if words := text_columns(x):
                raise InvalidInput(f"the columns {words} of {names[k]} hold text or dates: name numbers alone.")
            return Clients.of([(as_array(f"the table of {names[k]}", x, shape=(None, p)) - center) / scale])

        return Job(Plan.of(fed, len(names)), np.zeros(fed.dim), rows)

    def _federation(self) -> FedMM:
        """The two rounds, on rows of zeros in the place of those that stay away."""
        counts, p = np.array([self.sizes[name] for name in sorted(self.sizes)]), len(self.columns)
        clients = Clients.of_rows(np.zeros((int(counts.sum()), p)), counts)
        grid = FixedScaleQuantization(BITS, WIDEST) if self.secure_sum else Identity()
        return FedMM(Scatter(p), clients, 1.0, compressor=grid, secure_sum=self.secure_sum)

    def found(self, state: ServerState) -> PooledMoments:
        """The moments, from the server's state after the rounds; `InvalidInput` where not all rows are in them."""
        p, (center, scale), fed = len(self.columns), self._units(), self._federation()
        asked, came = len(self.sizes), state.rows_up / -(-fed.bits_up(fed.compressor) // 8)
        if state.t < self.rounds or came != state.t * asked:
            raise InvalidInput(
                f"{came:g} of {asked} x {max(state.t, self.rounds)} answers came in {state.t} rounds: moments are of "
                "all rows only where everybody answers; start anew. A node that refuses says why in the report of the "
                "round (numbers too large for the grid, or for floats: give center and scale)."
            )
        grid = asked * WIDEST / 2.0 ** (BITS - 1) if self.secure_sum else 0.0
        second = smat(state.x[p:], p) * np.outer(scale, scale)
        mean, off = center + scale * state.x[:p], 2.0 * np.sqrt(grid) * scale
        return PooledMoments(tuple(self.columns), tuple(mean.tolist()), tuple(map(tuple, second.tolist())),
                             sum(self.sizes.values()), tuple(off.tolist()))  # fmt: skip

    def _units(self) -> tuple[Array, Array]:
        p = len(self.columns)
        center = np.zeros(p) if self.center is None else as_array("center", self.center, shape=(p,))
        return center, np.ones(p) if self.scale is None else as_array("scale", self.scale, shape=(p,))


def check_sizes(sizes: Mapping[str, int]) -> None:
    """`InvalidInput` for a client without rows."""
    for client, size in sizes.items():
        as_count(f"sizes[{client!r}]", size)


def own_table(read: Reader, name: str, columns: Sequence[str], size: int) -> pd.DataFrame:
    """The columns of a client's table, which must have the announced size."""
    table = read(name)
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise InvalidInput(f"the table of {name} lacks the columns {missing}: it has {list(table.columns)}.")
    if len(table) != size:
        raise InvalidInput(
            f"the table of {name} has {len(table)} rows, and {size} were announced: weights and noise follow from the "
            "number; announce it anew on all hosts."
        )
    return pd.DataFrame(table[list(columns)])
