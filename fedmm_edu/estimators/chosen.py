"""Relatives of FedMM that fit an estimator's task: an entry of the registry, and how it is tuned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fedmm_edu.algorithms import FedMM
from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import Clients, Compressor, Everyone, FixedSize, Identity, Participation
from fedmm_edu.relatives import Demand, Folded, Relative, Tuning, relatives
from fedmm_edu.surrogate import Surrogate


@dataclass(frozen=True)
class Chosen:
    """A relative, and what a user chooses of it besides the step, the channel and the seed of the estimator."""

    relative: Relative
    tuning: Tuning | None

    @staticmethod
    def of(name: str | None, tuning: Tuning | None, compress: object) -> Chosen | None:
        """The entry `name`; None for FedMM itself. `InvalidInput` for a name that is none, or settings said twice."""
        if name is None or name == "fedmm":
            if tuning is not None:
                raise InvalidInput("tuning is given without relative: name one, or use step, compress, participation.")
            return None
        if name not in relatives():
            raise InvalidInput(f"relative = {name!r}: choose one of {', '.join(relatives())}, or None.")
        if tuning is not None and not isinstance(tuning, Tuning):
            raise InvalidInput(f"tuning = {tuning!r}: give a fedmm_edu.relatives.Tuning, or None.")
        if tuning is not None and (tuning.compressor != Identity() or tuning.active is not None):
            raise InvalidInput("tuning has a compressor or active clients: give the estimator compress, participation.")
        found = relatives()[name]
        if compress is not None and "compressor" not in found.takes(Quadratic(1, 1.0), 1):
            raise InvalidInput(f"compress = {compress!r}: {found.name} sends exact messages; leave it out.")
        return Chosen(found, tuning)

    def on(
        self, problem: Surrogate, clients: Clients, theta: Callable[[], Array], compressor: Compressor,
        participation: Participation, gamma: StepSize, seed: int,
    ) -> FedMM:  # fmt: skip
        """The run on a problem; `InvalidInput` says what of it the relative needs and does not find."""
        if not isinstance(participation, Everyone | FixedSize):
            raise InvalidInput(f"{self.relative.name} is worded for m clients a round: use participation=FixedSize(m).")
        at = self.tuning or Tuning(eta=self._shortest(problem))
        active = participation.m if isinstance(participation, FixedSize) else None
        at = replace(at, gamma=gamma, active=active, compressor=compressor, seed=seed)
        needs = self.relative.needs
        try:
            point = theta()
            if Demand.NO_PENALTY in needs:
                problem = Folded(problem, point)
            if Demand.GRADIENT in needs:
                problem.gradient(point, clients.mean_S_bar(problem, point))
            if Demand.PROX in needs:
                problem.prox_g(point, 1.0)
            if Demand.MIXTURE in needs:
                raise InvalidInput("its clients have weights of their own, and an estimator has one model for all.")
            return self.relative.on(problem, clients, at)
        except InvalidInput as error:
            asked = "; ".join(sorted(demand.value for demand in needs))
            raise InvalidInput(f"relative = {self.relative.key!r} does not fit here ({asked}): {error}") from error

    def _shortest(self, problem: Surrogate) -> float:
        """η = ρ where the surrogate is quadratic, and 1/(1/ρ + the curvature of g) where g counts among the f_i."""
        if not isinstance(problem, Quadratic):
            return Tuning().eta
        bend = problem.penalty.facts(problem.d).most if Demand.NO_PENALTY in self.relative.needs else 0.0
        return 1.0 / (1.0 / problem.rho + bend) if bend < np.inf else problem.rho

    @property
    def says(self) -> str:
        """That no theorem here is about it, and where it ends."""
        rate = f" Its own rate: {self.relative.rate}." if self.relative.rate else ""
        return (
            f"relative = {self.relative.key!r}: no theorem here is about {self.relative.name} "
            f"({self.relative.source}). It ends at: {self.relative.ends.says}.{rate}"
        )
