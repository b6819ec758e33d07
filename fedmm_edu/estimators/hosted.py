"""A fit whose rows stay on their hosts: a job that every host makes of what is public, and reads its own table for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state

from fedmm_edu.distributed import Job, Plan, ServerState
from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.estimators.fitting import FitTask, first_point, settings
from fedmm_edu.estimators.linear import QuadraticModel
from fedmm_edu.estimators.theorems import longest_step
from fedmm_edu.federation import Clients


@dataclass(frozen=True, eq=False)
class HostedFit:
    """The fit of a linear model with `privacy=` to tables that nobody brings together.

    model: unfitted; its units and bounds are the public ones of its `GaussianMechanism`, so that nothing is asked of
    the rows before the first round. sizes: how many rows each client has, by name. columns: the features in the order
    of `privacy.center`; y: the column of the target. classes: all labels, of a classifier. All of it is public and the
    same on all hosts; the plan's key tells who has it otherwise.

    Each client is a node, in the order of the names. The model that `fitted` makes is bit for bit that of `fit` on all
    rows together where the noise has a seed.
    """

    model: QuadraticModel
    sizes: Mapping[str, int]
    columns: Sequence[str]
    y: str
    classes: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        name = type(self.model).__name__
        if getattr(self.model, "privacy", None) is None:
            raise InvalidInput(
                f"{name} without privacy: units, bounds and starts of others come from the rows of all clients; give a "
                "linear model with privacy=GaussianMechanism(…), whose are public."
            )
        if is_classifier(self.model) != (self.classes is not None):
            raise InvalidInput(f"classes = {self.classes!r} with {name}: give all labels of a classifier, else None.")
        for client, size in self.sizes.items():
            as_count(f"sizes[{client!r}]", size)

    @property
    def names(self) -> list[str]:
        """The client of each node."""
        return sorted(self.sizes)

    def job(self, read: Callable[[str], pd.DataFrame]) -> Job:
        """The job; `read(name)` is called on the host of this client alone, and gives its table."""
        model, task = self._announced()
        channel = model._channel(len(self.names), task.problem.q, task.sigma)
        seed = int(check_random_state(model.random_state).randint(2**31 - 1, size=1)[0])
        gamma = longest_step(task, channel) if isinstance(model.step, str) else model.step
        fed = settings(task, channel, gamma, seed)
        return Job(Plan.of(fed, len(self.names)), first_point(task, fed, seed), lambda k: self._rows(read, k))

    def fitted(self, job: Job, state: ServerState) -> QuadraticModel:
        """The model of the server's state after the last round. It has no certificate, which is made of the rows."""
        model, task = self._announced()
        model._learn(task.plain, job.plan.theta(state))
        model.surrogate_, model.n_iter_ = state.x, state.t
        model.n_clients_, model.clients_ = len(self.names), np.array(self.names)
        return model

    def _announced(self) -> tuple[QuadraticModel, FitTask]:
        """A model that knows what is public, and its task, on rows of zeros in the place of those that stay away."""
        model: QuadraticModel = clone(self.model)  # type: ignore[assignment]
        counts = [self.sizes[name] for name in self.names]
        total = sum(counts)
        x = pd.DataFrame(np.zeros((total, len(self.columns))), columns=list(self.columns))
        y = np.zeros(total) if self.classes is None else np.resize(np.asarray(self.classes), total)
        if self.classes is not None and total < len(self.classes):
            raise InvalidInput(f"{len(self.classes)} classes for {total} rows: name those that there are.")
        task = model._task(model._checked(model._read(x, y, np.repeat(self.names, counts), None)))
        model.taken_columns_ = [self.y]
        return model, task

    def _rows(self, read: Callable[[str], pd.DataFrame], k: int) -> Clients:
        """The samples of node k, in public units."""
        (model, _), name = self._announced(), self.names[k]
        table = read(name)
        missing = [column for column in (*self.columns, self.y) if column not in table.columns]
        if missing:
            raise InvalidInput(f"the table of {name} lacks the columns {missing}: it has {list(table.columns)}.")
        rows = model._read(table[[*self.columns, self.y]], self.y, None, None, reset=False)
        if len(rows.x) != self.sizes[name]:
            raise InvalidInput(
                f"the table of {name} has {len(rows.x)} rows, and {self.sizes[name]} were announced: its noise is in "
                "proportion to the number; announce it anew on all hosts."
            )
        return model._task(rows).clients
