"""Estimators whose clients send bounded statistics with noise, in public units and for a public number of rounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

from fedmm_edu.errors import InvalidInput
from fedmm_edu.estimators.base import FederatedEstimator
from fedmm_edu.estimators.fitting import FitTask
from fedmm_edu.estimators.private import GaussianMechanism
from fedmm_edu.estimators.rows import ClientRows
from fedmm_edu.federation import WithNoise


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateEstimator(FederatedEstimator):
    """An estimator with the parameter `privacy`.

    privacy: a `GaussianMechanism`, in whose public units and for whose number of rounds the fit then runs, from a
    public start.
    """

    privacy: GaussianMechanism | None = None

    def _checked(self, rows: ClientRows) -> ClientRows:
        if self.privacy is not None:
            if not isinstance(self.privacy, GaussianMechanism):
                raise InvalidInput(f"privacy = {self.privacy!r}: give a GaussianMechanism, or None.")
            if rows.weights is not None:
                raise InvalidInput("privacy with sample_weight: a row's weight would say how much it counts; leave it.")
            if self.relative is not None:
                raise InvalidInput(f"privacy with relative = {self.relative!r}: the sensitivity is FedMM's; leave it.")
            if self.n_init != 1:
                raise InvalidInput(f"privacy with n_init = {self.n_init}: each start costs its own ε; choose 1.")
        return super()._checked(rows)

    def _rounds(self) -> tuple[int, float]:
        return super()._rounds() if self.privacy is None else (self.privacy.rounds, 0.0)

    def _hidden(self, task: FitTask, privacy: GaussianMechanism, moves: float, formula: str, row: str, short: str):
        """The task with noise for statistics that move by moves/N_i = `formula`, as this row of the ledger proves."""
        multiplier = _multiplier(privacy)
        says = (
            f"ε = {privacy.epsilon:g}, δ = {privacy.delta:g} of each client's messages in {privacy.rounds} rounds, for "
            "the exchange of one row; not of this certificate"
        )
        numbers = f"in each of {task.problem.q} numbers"
        noise = f"{multiplier:.4g} times the sensitivity {formula} = {moves:.4g}/N_i, {numbers}"
        return replace(
            task, notes=(("privacy", says), ("noise", noise), ("rows shortened", short)),
            oracle=WithNoise(multiplier * moves, privacy.seed), rests=(("sensitivity", row),),
        )  # fmt: skip

    def partial_fit(self, X: Any, y: Any = None, clients: Any = None, sample_weight: Any = None) -> Self:
        if self.privacy is not None:
            raise InvalidInput("privacy with partial_fit: a stream has no last round over which to spend ε; use fit.")
        return super().partial_fit(X, y, clients, sample_weight)


@lru_cache
def _multiplier(privacy: GaussianMechanism) -> float:
    """`multiplier`, which is found by search, once for each mechanism."""
    return privacy.multiplier()
