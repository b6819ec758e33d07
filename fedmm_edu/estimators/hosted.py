"""A fit whose rows stay on their hosts: a job that every host makes of what is public, and reads its own table for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state

from fedmm_edu.distributed import Job, Plan, ServerState
from fedmm_edu.errors import InvalidInput
from fedmm_edu.estimators.fitting import FitTask, first_point, settings
from fedmm_edu.estimators.linear import QuadraticModel
from fedmm_edu.estimators.mixture import FederatedGaussianMixture
from fedmm_edu.estimators.pooled import PooledMoments, Reader, check_sizes, own_table
from fedmm_edu.estimators.rows import ClientRows
from fedmm_edu.estimators.theorems import longest_step
from fedmm_edu.federation import Clients

Hosted = QuadraticModel | FederatedGaussianMixture
"""Models that can be fitted so."""


@dataclass(frozen=True, eq=False)
class HostedFit:
    """The fit of a linear model or a mixture to tables that nobody brings together.

    model: unfitted, with one start. Its units and steps are the public ones of its `privacy`, or follow from `known`,
    the moments that `HostedMoments` found first, so that this job asks nothing of the rows before its first round.
    sizes: how many rows each client has, by name. columns: the features, of `privacy` in its order; y: the column of
    the target, None for a mixture. classes: all labels, of a classifier. All of it is public and the same on all hosts;
    the plan's key tells who has it otherwise.

    Each client is a node, in the order of the names. With `privacy` the model that `fitted` makes is bit for bit that
    of `fit` on all rows together where the noise has a seed. With `known` a linear model comes to the same minimiser;
    a mixture starts from its moments in the place of k-means++.
    """

    model: Hosted
    sizes: Mapping[str, int]
    columns: Sequence[str]
    y: str | None = None
    classes: Sequence[Any] | None = None
    known: PooledMoments | None = None

    def __post_init__(self) -> None:
        name = type(self.model).__name__
        if not isinstance(self.model, Hosted):
            raise InvalidInput(f"{name}: give a linear model or a FederatedGaussianMixture.")
        if (self.model.privacy is None) == (self.known is None):
            raise InvalidInput(
                f"{name} with{'out' if self.known is None else ''} privacy and known: units come from one of them, "
                "privacy=GaussianMechanism(…), whose are public, or what HostedMoments found."
            )
        if self.model.n_init != 1:
            raise InvalidInput(f"n_init = {self.model.n_init}: each start is a job of its own; choose 1.")
        if (self.y is None) != isinstance(self.model, FederatedGaussianMixture):
            raise InvalidInput(f"y = {self.y!r} with {name}: name the column of the target, or None of a mixture.")
        if is_classifier(self.model) != (self.classes is not None):
            raise InvalidInput(f"classes = {self.classes!r} with {name}: give all labels of a classifier, else None.")
        check_sizes(self.sizes)

    @property
    def names(self) -> list[str]:
        """The client of each node."""
        return sorted(self.sizes)

    def job(self, read: Reader) -> Job:
        """The job; `read(name)` is called on the host of this client alone, and gives its table."""
        model, task = self._announced()
        channel = model._channel(len(self.names), task.problem.q, task.sigma)
        seed = int(check_random_state(model.random_state).randint(2**31 - 1, size=1)[0])
        gamma = longest_step(task, channel) if isinstance(model.step, str) else model.step
        fed = settings(task, channel, gamma, seed)
        return Job(Plan.of(fed, len(self.names)), first_point(task, fed, seed), lambda k: self._rows(read, k))

    def fitted(self, job: Job, state: ServerState) -> Hosted:
        """The model of the server's state after the last round. It has no certificate, which is made of the rows."""
        model, task = self._announced()
        model._learn(task.plain, job.plan.theta(state))
        model.surrogate_, model.n_iter_ = state.x, state.t
        model.n_clients_, model.clients_ = len(self.names), np.array(self.names)
        return model

    def _announced(self) -> tuple[Hosted, FitTask]:
        """A model that knows what is public, and its task, on rows of zeros in the place of those that stay away."""
        model: Hosted = clone(self.model)  # type: ignore[assignment]
        counts = [self.sizes[name] for name in self.names]
        total = sum(counts)
        x = pd.DataFrame(np.zeros((total, len(self.columns))), columns=list(self.columns))
        y = None if self.y is None else np.zeros(total)
        y = y if self.classes is None else np.resize(np.asarray(self.classes), total)
        if self.classes is not None and total < len(self.classes):
            raise InvalidInput(f"{len(self.classes)} classes for {total} rows: name those that there are.")
        task = self._task(model, model._checked(model._read(x, y, np.repeat(self.names, counts), None)))
        model.taken_columns_ = [] if self.y is None else [self.y]
        return model, task

    def _task(self, model: Hosted, rows: ClientRows) -> FitTask:
        """The task of rows in the units that all hosts know."""
        if self.known is None:
            return model._task(rows)
        return model._informed(rows, self._taken, self.known)

    @property
    def _taken(self) -> list[str]:
        return [*self.columns, *([] if self.y is None else [self.y])]

    def _rows(self, read: Reader, k: int) -> Clients:
        """The samples of node k, in public units."""
        (model, _), name = self._announced(), self.names[k]
        table = own_table(read, name, self._taken, self.sizes[name])
        return self._task(model, model._read(table, self.y, None, None, reset=False)).clients
