"""What all estimators share: tables to clients, standard units, restarts, streams, files, and the certificate."""

from __future__ import annotations

import re
import sys
import warnings
from abc import abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from fedmm_edu.algorithms import FedMM, SqrtDecay
from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.arrays import Array
from fedmm_edu.errors import Diverged, InvalidInput, as_count, in_interval
from fedmm_edu.estimators.certificate import certify
from fedmm_edu.estimators.channel import Channel
from fedmm_edu.estimators.chosen import Chosen
from fedmm_edu.estimators.fitting import Carrier, FitTask, Trace, fit, maker
from fedmm_edu.estimators.resuming import Callback, FitProgress
from fedmm_edu.estimators.rows import ClientRows, Standard
from fedmm_edu.estimators.saving import load_estimator, save_estimator
from fedmm_edu.estimators.tables import Table, first_hole, text_columns, without
from fedmm_edu.estimators.theorems import longest_step
from fedmm_edu.federation import Compressor, Participation
from fedmm_edu.relatives import Tuning
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.text.tables import Progress as Bar


class TableReader(BaseEstimator):
    """Reads tables: what a scaler and an estimator have in common."""

    _supervised: ClassVar[bool] = False
    _labelled: ClassVar[bool] = False
    """Whether targets are names of classes."""
    _missing: ClassVar[bool] = False
    """Whether entries may be missing (NaN)."""

    def _read(self, X: Any, y: Any, clients: Any, sample_weight: Any, *, reset: bool = True) -> ClientRows:
        """The rows of all clients as numbers; what does not fit is refused, in words."""
        table = Table.of(X, y, clients, sample_weight)
        if reset:
            self.taken_columns_ = [name for name in (clients, y) if isinstance(name, str)]
        x, target = self._numbers(table.X, table.y, reset=reset)
        who = np.zeros(len(x), dtype=np.int64) if table.who is None else table.who
        if len(who) != len(x):
            raise InvalidInput(f"clients has {len(who)} labels for {len(x)} rows: give one a row.")
        weights = None
        if table.sample_weight is not None:
            weights = _check_sample_weight(table.sample_weight, x, dtype=np.float64, ensure_non_negative=True)
        return ClientRows.of(x, target, who, weights)

    def _numbers(self, X: Any, y: Any, *, reset: bool) -> tuple[Array, Array | None]:
        """x (N, p) and y (N,) as scikit-learn validates them, with the place of what it refuses."""
        if words := text_columns(X):
            raise InvalidInput(
                f"the columns {words} hold text or dates: make them numbers (sklearn.preprocessing.OneHotEncoder), "
                "or drop them; the column that names the clients is given as clients='NAME'."
            )
        if getattr(X, "columns", None) is not None and not len(X.columns):
            raise InvalidInput("X has 0 features beside the columns of y and clients: give at least one.")
        settings: dict[str, Any] = {
            "dtype": np.float64, "ensure_all_finite": "allow-nan" if self._missing else True, "reset": reset
        }  # fmt: skip
        try:
            if self._supervised:
                x, target = validate_data(self, X, y, y_numeric=not self._labelled, **settings)
                return np.asarray(x), self._coded(np.asarray(target), reset=reset)
            return np.asarray(validate_data(self, X, **settings)), None
        except ValueError as error:
            found = re.search(r"Input (X|y) contains (NaN|infinity)", str(error))
            if found is None:
                raise
            if found[1] == "y":
                where = first_hole(np.reshape(y, (-1, 1)), ["y"])
            else:
                where = first_hole(X, list(X.columns) if isinstance(X, pd.DataFrame) else [])
            raise InvalidInput(f"{error}\n{where}: fill it in, or leave the row out.") from error

    def _coded(self, target: NDArray[Any], *, reset: bool) -> Array:
        """Targets as numbers, shape (N,); `reset`: whether these are the first rows."""
        return np.asarray(target, dtype=np.float64)

    def _new(self, X: Any) -> Array:
        """Rows to predict from, with the columns of the fit."""
        check_is_fitted(self)
        x = without(X, self.taken_columns_)
        missing = "allow-nan" if self._missing else True
        return np.asarray(validate_data(self, x, dtype=np.float64, ensure_all_finite=missing, reset=False))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._missing
        tags.target_tags.required = self._supervised
        return tags

    def save(self, path: str | Path) -> Path:
        """Write the fitted estimator to one `.npz` file of arrays and JSON: nothing in it is code.

        A compressor or participation law of your own, and an engine, cannot be written: `InvalidInput` names it. The
        callback is not written.
        """
        check_is_fitted(self)
        return save_estimator(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The estimator that `save` wrote; `StateMismatch` for a file that is damaged or of another class."""
        return load_estimator(cls, path)


@dataclass(eq=False, repr=False, kw_only=True)
class FederatedEstimator(TableReader):
    """A scikit-learn estimator whose fit is a run of FedMM.

    compress: bits per number (`UniformQuantization`) or a `Compressor`; participation: the chance that a client takes
    part in a round, or a `Participation`. Clients then keep control variates with the largest α of Theorem 1.
    step: γ, or "auto": 1 where messages are exact (centralised MM, which descends), the largest step of a theorem whose
    constants are known here, else 1/(1 + 6ω_p/n). A γ above what a theorem admits is warned of (`BeyondTheorem`).
    max_iter, tol: rounds, and the move of s, over γ and in standard units, at which the run ends. n_init: restarts, of
    which the least objective wins. callback: told a `FitProgress` after each round, it ends the run by answering True.
    verbose: 1 shows a bar of rounds. random_state: every draw follows from it.
    engine: "memory"; "nodes", the protocol's messages between nodes in this process; "flower", the same messages over
    Flower between real processes of this machine, one a client, each with the plan and its own rows in a file (extra
    `distributed`; a round takes seconds); or a function (fed, plan) that makes a `distributed.Engine`.
    relative: the name of another algorithm of `fedmm_edu.relatives` ("scaffold", …) that runs in the place of FedMM
    where it fits, tuned by `tuning` (its local step η is ρ by default, where the surrogate has one); its certificate
    says where it ends. checkpoint: a file in which the fit is kept every hundred rounds: a fit that was interrupted
    or killed goes on there, when it is called again with the same settings and rows, to the same model bit for bit.
    secure_sum: the server learns the sum of the messages of a round, and none of them: nodes ("nodes", "flower") mask
    integers on a grid that all clients share, of 32 bits, or of `compress` bits, a number, or a
    `FixedScaleQuantization`; two clients at least, all of them in every round. In memory there is nobody to hide from,
    and the fit is that under masks bit for bit. What is sent before the rounds has no masks; the certificate counts it.
    A run ends at the latest where nothing but the rounding moves s.

    After `fit`: n_iter_, objective_ (in standard units), n_clients_, clients_, certificate_.
    """

    max_iter: int = 1000
    tol: float = 1e-6
    step: StepSize | Literal["auto"] = "auto"
    compress: Compressor | int | None = None
    participation: Participation | float | None = None
    n_init: int = 1
    engine: Carrier = "memory"
    callback: Callback | None = None
    verbose: int = 0
    random_state: Any = 0
    relative: str | None = None
    tuning: Tuning | None = None
    checkpoint: str | Path | None = None
    secure_sum: bool = False

    @abstractmethod
    def _units(self, rows: ClientRows) -> Standard:
        """The standard units of these rows."""

    @abstractmethod
    def _task_in(self, rows: ClientRows, standard: Standard) -> FitTask:
        """The problem on these rows, in standard units."""

    def _task(self, rows: ClientRows) -> FitTask:
        standard = self._units(rows)
        self.center_, self.scale_ = standard.mean, standard.scale
        return self._task_in(rows, standard)

    @abstractmethod
    def _learn(self, problem: Surrogate, theta: Array) -> None:
        """The fitted attributes, in the units of the table."""

    def _standard_rows(self, X: Any) -> Array:
        """Rows to predict from, in standard units."""
        return (self._new(X) - self.center_) / self.scale_

    def fit(self, X: Any, y: Any = None, clients: Any = None, sample_weight: Any = None) -> Self:
        """Fit to a table, or to one table for each client.

        X: a DataFrame or array with `clients` the name of a column or a label for each row (None: one client); or a
        list or mapping of tables, whose columns are matched by name. y: values, or the name of a column.
        """
        vars(self).pop("rounds_of_stream_", None)
        rows = self._checked(self._read(X, y, clients, sample_weight))
        self._run(rows, self._task(rows))
        return self

    def _checked(self, rows: ClientRows) -> ClientRows:
        """The rows, after a look at the settings."""
        as_count("max_iter", self.max_iter)
        as_count("n_init", self.n_init)
        in_interval("tol", self.tol, low=0.0, high=np.inf)
        maker(self.engine)
        if not isinstance(self.secure_sum, bool | np.bool_):
            raise InvalidInput(f"secure_sum = {self.secure_sum!r}: choose True or False.")
        if isinstance(self.step, str) and self.step != "auto":
            raise InvalidInput(f"step = {self.step!r}: choose 'auto', a number in (0, 1], or a rule t -> γ_t.")
        return rows

    def _channel(self, n: int, q: int, sigma: float = 0.0) -> Channel:
        """What lies between n clients, who send q numbers, and the server."""
        chosen = Chosen.of(self.relative, self.tuning, self.compress)
        if chosen is not None and self.secure_sum:
            raise InvalidInput(f"secure_sum=True with relative = {self.relative!r}: it is of FedMM; leave one out.")
        return Channel.of(self.compress, self.participation, n, q, sigma, chosen, self.secure_sum)

    def _run(self, rows: ClientRows, task: FitTask) -> None:
        channel = self._channel(len(rows), task.problem.q, task.sigma)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_init)
        gamma = longest_step(task, channel) if isinstance(self.step, str) else self.step
        if task.opening is None and channel.chosen is None:
            rows.sent.numbers(self.n_init * len(rows) * task.problem.q)
        traces = [self._one(task, channel, gamma, int(seed), k) for k, seed in enumerate(seeds)]
        best = min(traces, key=lambda trace: float(trace.objective[-1]))
        self.n_iter_, self.objective_, self.surrogate_ = best.rounds, float(best.objective[-1]), best.s
        self.n_clients_, self.clients_ = len(rows), rows.names
        self._learn(task.plain, best.theta)
        self.certificate_ = certify(type(self).__name__, task, channel, best, rows, gamma)
        for said in self.certificate_.warnings:
            warnings.warn(said, stacklevel=3, category=self.certificate_.beyond)
        if not (best.converged or best.told or task.sigma > 0.0):
            warnings.warn(
                f"{type(self).__name__}: s still moves by {best.moved[-1]:.2g} after {best.rounds} rounds, more than "
                f"tol = {self.tol:g}: give more rounds (max_iter), or a larger tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def partial_fit(self, X: Any, y: Any = None, clients: Any = None, sample_weight: Any = None) -> Self:
        """One round of SA-SSMM on these rows, as they come in a stream: Ŝ moves by γ_t towards their mean S̄(Z, T(Ŝ)).

        The first call sets units and start; "auto" is here γ_t = 1/√(1 + t). Clients keep no control variates, as who
        holds rows may change from call to call. There is no certificate: nothing is known of the rows to come. After
        `fit`, a stream starts anew.
        """
        if self.relative is not None:
            raise InvalidInput(f"relative = {self.relative!r} with partial_fit: a stream is SA-SSMM; leave it out.")
        goes_on = hasattr(self, "rounds_of_stream_")
        rows = self._checked(self._read(X, y, clients, sample_weight, reset=not goes_on))
        task, s = self._online(rows, getattr(self, "surrogate_", None) if goes_on else None)
        channel = self._channel(len(rows), task.problem.q)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        gamma = SqrtDecay(1.0) if isinstance(self.step, str) else self.step
        fed = FedMM(
            task.problem, task.clients, gamma, participation=channel.participation, compressor=channel.compressor,
            seed=seed, secure_sum=channel.secure,
        )  # fmt: skip
        t = self.rounds_of_stream_ if goes_on else 0
        state = fed.step(replace(fed.init(s), t=t))
        if not np.isfinite(state.x).all():
            raise fed.diverged(state.t, "x")
        self.surrogate_, self.rounds_of_stream_, self.n_iter_ = state.x, state.t, state.t
        self.n_clients_, self.clients_ = len(rows), rows.names
        vars(self).pop("certificate_", None)
        self._learn(task.plain, fed.theta(state))
        return self

    def _online(self, rows: ClientRows, s: Array | None) -> tuple[FitTask, Array]:
        """The task on these rows of a stream, and Ŝ for it: that of the round before, or a start for None.

        In the first round units are set; after it they stay.
        """
        task = self._task(rows) if s is None else self._same_units(rows)
        if s is None:
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            s = task.clients.mean_S_bar(task.problem, task.start(seed))
        return task, s

    def _same_units(self, rows: ClientRows) -> FitTask:
        """The task on further rows, in the units of the first."""
        return self._task_in(rows, Standard(self.center_, self.scale_, self.scale_**2, 0.0))

    def _kept(self, k: int) -> Path | None:
        """Where start k is kept."""
        if self.checkpoint is None:
            return None
        if self.engine != "memory":
            raise InvalidInput("checkpoint with an engine: nodes keep their own states; use engine='memory'.")
        path = Path(self.checkpoint)
        return path if self.n_init == 1 else path.with_name(f"{path.name}.{k}")

    def _rounds(self) -> tuple[int, float]:
        """How many rounds at most, and the move at which the run ends."""
        return self.max_iter, self.tol

    def _one(self, task: FitTask, channel: Channel, gamma: StepSize, seed: int, k: int) -> Trace:
        """One start."""
        rounds, tol = self._rounds()
        callback = _shown(self.callback, rounds, f"start {k + 1}/{self.n_init}") if self.verbose else self.callback
        try:
            return fit(task, channel, gamma, seed, rounds, tol, engine=self.engine, callback=callback,
                       checkpoint=self._kept(k))  # fmt: skip
        except Diverged as error:
            raise Diverged(f"{type(self).__name__}: {error}") from error


def _shown(callback: Callback | None, rounds: int, name: str) -> Callback:
    bar = Bar(rounds, sys.stderr)

    def both(progress: FitProgress) -> bool | None:
        bar.step(f"{name}, moved by {progress.moved:.2g}")
        return None if callback is None else callback(progress)

    return both
