"""The relatives of FedMM: named systems of the literature as settings of the one loop.

    relatives()["scaffold"].on(problem, clients, Tuning(eta=0.1, steps=5)) is a `FedMM`, to be run like any other.

An entry exchanges some of six parts: local work, client memory, reference of the difference, channel, server step,
space. Where clients differ, five local steps end FedAvg elsewhere; SCAFFOLD corrects them:

>>> import numpy as np
>>> from fedmm_edu.algorithms import run
>>> from fedmm_edu.examples.quadratic import Quadratic
>>> from fedmm_edu.federation import Clients
>>> rng = np.random.default_rng(0)
>>> clients = Clients.of([rng.normal(k, 1.0, (20, 3)) for k in range(4)])
>>> for name in ("fedavg", "scaffold"):
...     fed = relatives()[name].on(Quadratic(2, 0.05), clients, Tuning(eta=0.05, steps=5))
...     print(name, fed.theta(run(fed, fed.init(fed.point(np.zeros(2))), 300)[0]).round(3))
fedavg [0.306 0.545]
scaffold [0.313 0.556]
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType, ModuleType

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

KINDS: Mapping[str, ModuleType] = MappingProxyType({
    "Surrogates are sent": surrogates,
    "Local steps, and steps of the server": local,
    "A penalty with a prox": composite,
    "Compressed messages": compressed,
    "Mixtures with weights of each client's own": mixtures,
})  # fmt: skip
"""The entries by what they are about: each module of entries, by its title."""


def entries(module: ModuleType) -> list[Relative]:
    """Those of one module, in its order."""
    return [each for each in vars(module).values() if isinstance(each, Relative)]


@cache
def relatives() -> Mapping[str, Relative]:
    """Every entry, by its key."""
    return MappingProxyType({each.key: each for module in KINDS.values() for each in entries(module)})


__all__ = [
    "ELSEWHERE",
    "KINDS",
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
    "entries",
    "relatives",
]
