"""Words and instances that several rows of this section share."""

from __future__ import annotations

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.beyond_constants import prox as prox
from proofs_checks.shared.tools import instance


def kink_instance() -> Witness:
    at = prox.AT
    return instance(
        {"rho": 1, "lambda": 1},
        "break points $\\pm 1$",
        {"t > 0": at[prox.t] > 0, "l < h": at[prox.low] < at[prox.high]},
    )
