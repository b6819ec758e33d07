"""The relatives of FedMM: named systems of the literature as settings of the one loop.

    relatives()["scaffold"].on(problem, clients, Tuning(eta=0.1, steps=5)) is a `FedMM`, to be run like any other.

An entry exchanges some of six parts: local work, client memory, reference of the difference, channel, server step,
space.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from fedmm_edu.relatives import composite, compressed, local, mixtures, surrogates
from fedmm_edu.relatives.elsewhere import ELSEWHERE
from fedmm_edu.relatives.folded import Folded
from fedmm_edu.relatives.relative import (
    Beginning,
    Bug,
    Demand,
    Elsewhere,
    EndPoint,
    LinearRate,
    ProvedCurvature,
    Relative,
    Scales,
    Tuning,
)


@cache
def relatives() -> Mapping[str, Relative]:
    """Every entry, by its key."""
    found = [each for module in (surrogates, local, composite, compressed, mixtures) for each in vars(module).values()]
    return MappingProxyType({each.key: each for each in found if isinstance(each, Relative)})


__all__ = [
    "ELSEWHERE",
    "Beginning",
    "Bug",
    "Demand",
    "Elsewhere",
    "EndPoint",
    "Folded",
    "LinearRate",
    "ProvedCurvature",
    "Relative",
    "Scales",
    "Tuning",
    "relatives",
]
