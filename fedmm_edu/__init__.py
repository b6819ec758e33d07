"""Learn, check and use federated majorize-minimization (FedMM).

The names below are the public interface. Those in `_LAZY` load SymPy when first used; the rest need NumPy and SciPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from fedmm_edu.convex_sets import Box, ConvexSet, WholeSpace
from fedmm_edu.errors import FedMMError, InvalidInput, MissingExtra, StateMismatch
from fedmm_edu.surrogate import Surrogate, majorization_gap, mean_field, objective, surrogate_value

if TYPE_CHECKING:
    from fedmm_edu.symbolic.hypotheses.check import check_model, load_model
    from fedmm_edu.symbolic.model import Model

_LAZY = {
    "Model": "fedmm_edu.symbolic.model",
    "check_model": "fedmm_edu.symbolic.hypotheses.check",
    "load_model": "fedmm_edu.symbolic.hypotheses.check",
}

__all__ = [
    "Box",
    "ConvexSet",
    "FedMMError",
    "InvalidInput",
    "MissingExtra",
    "Model",
    "StateMismatch",
    "Surrogate",
    "WholeSpace",
    "check_model",
    "load_model",
    "majorization_gap",
    "mean_field",
    "objective",
    "surrogate_value",
]


def __getattr__(name: str):
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
