"""What an example offers: its SymPy models, its numeric cases, and the tests and ledger rows that follow from them.

An example is a folder beside this file with `model.py` (SymPy), `kernel.py` (NumPy) and an `__init__.py` that sets
`EXAMPLE`; and `assumptions.py`, with a cell for each of A1 to A8 (see `Example.assumptions`). Adding the folder is
enough: tests, ledger and command line find it here.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.federation import Clients
from fedmm_edu.surrogate import Surrogate

if TYPE_CHECKING:
    from fedmm_edu.symbolic.model import Model


@dataclass(frozen=True)
class Case:
    """One numeric instance: how to draw samples and parameters, and the problem that fits given clients.

    `smooth_g` says whether g is differentiable, so that ∇f + ∇g = 0 can be checked by differences; `majorizes` is False
    for one that is tangent, has MM-2, and lies below f somewhere: no surrogate, however useful.
    """

    draw_z: Callable[[np.random.Generator, int], Array]
    draw_theta: Callable[[np.random.Generator], Array]
    problem: Callable[[Clients], Surrogate]
    smooth_g: bool = True
    majorizes: bool = True


@dataclass(frozen=True)
class Example:
    """An example of the paper. `where` is its label or section there."""

    name: str
    title: str
    where: str
    cases: Mapping[str, Case]

    def models(self) -> dict[str, Model]:
        """The SymPy definitions, by name; SymPy is imported here and not before."""
        return dict(_built(self.name, "models"))

    def wrong_models(self) -> dict[str, tuple[str, Model]]:
        """Falsified definitions: name → (the row of `check_model` that must be refuted, the model)."""
        return dict(_built(self.name, "wrong_models"))

    def tempting_models(self) -> dict[str, tuple[str, Model]]:
        """Models in use that are no surrogates: name → (the one row of `check_model` that is refuted, the model)."""
        return dict(_built(self.name, "tempting_models"))

    def assumptions(self) -> ModuleType:
        """`cells(problem, clients)`: which of A1 to A8 hold; `places(problem, clients, gap)`: where one may fail."""
        return import_module(f"{__package__}.{self.name}.assumptions")


@cache
def _built(example: str, what: str) -> Mapping:
    """What this function of the example's `model.py` returns; once, for it takes SymPy a tenth of a second."""
    return getattr(import_module(f"{__package__}.{example}.model"), what, dict)()


def find_examples() -> tuple[Example, ...]:
    """The example of every folder beside this file, sorted by name."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]) if module.ispkg)
    return tuple(import_module(f"{__package__}.{name}").EXAMPLE for name in names)
