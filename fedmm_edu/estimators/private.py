"""Differential privacy of what clients send: bounded statistics, Gaussian noise, and an accountant that others keep.

A client's statistic is the mean of S̄ over its N_i rows. When one row is exchanged for any other it moves by at most

    2ρδR/N_i   for S̄ = θ − ρ∇ℓ of a linear model, where ‖x‖ ≤ R and |∂c/∂u| ≤ δ (row own-private-sensitivity)
    √2 R²/N_i  for S̄ = (r_ℓ (x, 1)(x, 1)ᵀ) of a mixture, where ‖(x, 1)‖ ≤ R (row own-private-mixture)

and noise in proportion to that hides the row. Rows are made so short, and a loss whose slope is bounded takes the place
of least squares, so that MM-1 holds for what is minimised, and the noise is the σ² of Theorem 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fedmm_edu.arrays import Array, as_array
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.estimators.rows import Standard
from fedmm_edu.examples.quadratic import HuberLoss, LeastSquares, Loss
from fedmm_edu.theory.privacy import noise_multiplier


@dataclass(frozen=True)
class GaussianMechanism:
    """(ε, δ)-differential privacy of each client's messages, all rounds together, for the exchange of one row.

    What is private: all that a client sends, and so the model, for whoever knows everything but the row. The number of
    rows of each client, and the names of all classes, are taken for public. Not private: `objective_` and
    `certificate_`, which are computed from the rows for whoever fits. Who is asked again after a node lost its state
    sends new noise for the same round, which is not counted.

    epsilon, delta: of the guarantee. center, scale: of each column, then of y where it is a number: public knowledge,
    as clients send no means and variances first; x ↦ (x − center)/scale. rounds: T, over which ε is spent. clip: the
    bound δ on a residual, in units of y's scale; larger ones count as it, as in Huber's loss (logistic: no clipping).
    row_norm: R, to which longer rows of x (with the 1 of an intercept or a mixture) are shortened; √(2(p + 1)) by
    default. seed:
    of the noise, for studies: who knows it can take the noise off. None: noise of the operating system.

    The accountant is dp-accounting's (Rényi), for T Gaussian mechanisms of the multiplier that it finds.
    """

    epsilon: float
    delta: float
    center: Sequence[float]
    scale: Sequence[float]
    rounds: int = 30
    clip: float = 1.0
    row_norm: float | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        in_interval("epsilon", self.epsilon, low=0.0, high=1e6, open_low=True)
        in_interval("delta", self.delta, low=0.0, high=0.5, open_low=True)
        as_count("rounds", self.rounds)
        in_interval("clip", self.clip, low=0.0, high=1e100, open_low=True)
        if self.row_norm is not None:
            in_interval("row_norm", self.row_norm, low=1.0, high=1e100, open_low=True)
        for name in ("center", "scale"):
            values = as_array(name, getattr(self, name), shape=(None,))
            object.__setattr__(self, name, tuple(values.tolist()))
        if len(self.center) != len(self.scale) or min(self.scale, default=1.0) <= 0.0:
            raise InvalidInput(f"center and scale have {len(self.center)} and {len(self.scale)} entries: give as many "
                               "of both, scales being positive.")  # fmt: skip

    def units(self, columns: int, center: bool) -> Standard:
        """The public units of so many columns; without `center`, an intercept is not fitted, and centres must be 0."""
        if len(self.center) != columns:
            raise InvalidInput(
                f"privacy: center has {len(self.center)} entries for {columns} columns: give one for each feature, and "
                "one for y where it is a number."
            )
        mean, scale = np.array(self.center), np.array(self.scale)
        if not center and mean.any():
            raise InvalidInput("privacy: center is not 0 and fit_intercept = False: give zeros, or fit an intercept.")
        return Standard(mean, scale, scale**2, 0.0)

    def norm(self, features: int) -> float:
        """R for so many features, the 1 of the intercept among them."""
        return float(np.sqrt(2.0 * features)) if self.row_norm is None else self.row_norm

    def shortened(self, x: Array, ones: bool) -> tuple[Array, int]:
        """Rows x, which with `ones` a feature of ones follows, of at most the norm R with it; how many were longer."""
        room = np.sqrt(self.norm(x.shape[1] + ones) ** 2 - ones)
        length = np.linalg.norm(x, axis=1)
        short = np.minimum(1.0, room / np.maximum(length, np.finfo(float).tiny)) * (1.0 - 1e-12)
        return x * short[:, None], int((length > room).sum())

    def bounded(self, loss: Loss) -> tuple[Loss, float]:
        """A loss of bounded slope in the place of `loss`, and the bound."""
        if isinstance(loss, LeastSquares):
            loss = HuberLoss(self.clip)
        elif isinstance(loss, HuberLoss):
            loss = HuberLoss(min(self.clip, loss.delta))
        return loss, float(loss.steepest(np.array([np.inf]), np.ones(1)).item())

    def multiplier(self) -> float:
        """The noise of a round over its sensitivity, as dp-accounting calibrates it for T rounds."""
        return noise_multiplier(self.epsilon, self.delta, self.rounds)
