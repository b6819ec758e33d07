"""Whether Theorem 1 is about a setting of the loop: what of it is not, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Compressor, Participation, omega_p


class Coverable(Protocol):
    """What of a `FedMM` or a `Plan` the theorem asks for."""

    @property
    def alpha(self) -> float: ...
    @property
    def dim(self) -> int: ...
    @property
    def mu(self) -> Array: ...
    @property
    def compressor(self) -> Compressor: ...
    @property
    def participation(self) -> Participation: ...

    def uncovered(self) -> Sequence[str]:
        """The parts that are not those of Algorithm 2 under A4 and A5."""
        ...


def covered(setting: Coverable) -> dict[str, float | None]:
    """ω_p and α of a setting, as `bound` and `largest_gamma` take them; `InvalidInput` names what no theorem covers.

    >>> from fedmm_edu.algorithms import FedMM
    >>> from fedmm_edu.examples.toy import Toy
    >>> from fedmm_edu.federation import Bernoulli, Clients
    >>> covered(FedMM(Toy(), Clients.of([[[1.0]], [[2.0]]]), 0.5, participation=Bernoulli(0.5), alpha=0.5))
    {'omega_p': 1.0, 'alpha': 0.5}
    """
    if beyond := setting.uncovered():
        raise InvalidInput(
            f"Theorem 1 does not cover {'; '.join(beyond)}: its bound says nothing of this run. Choose the parts of "
            "Algorithm 2, or judge the run by what it measures."
        )
    p = float(setting.participation.probability(len(setting.mu)).min())
    together = omega_p(setting.compressor.omega(setting.dim), p)
    return {"omega_p": together, "alpha": None if together == 0.0 else setting.alpha}
