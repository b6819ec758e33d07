"""What the ledger announces to `fedmm_edu`, by the entry point `paper`: its rows, and what they say of every size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from proofs_checks import sections

if TYPE_CHECKING:
    from proofs_checks.beyond_constants.claims import General
    from proofs_checks.ledger import Claim


def claims() -> Mapping[str, Claim]:
    """All rows by their ids."""
    return {claim.id: claim for _, found in sections() for claim in found}


def any_size() -> Mapping[str, Sequence[General]]:
    """What is proved of the constants of an example for every size."""
    from proofs_checks.beyond_constants.claims import ANY_SIZE

    return ANY_SIZE


SUPPORTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "quadratic": {"MM-1": ("ex1-mm1",), "MM-2": ("ex1-T-prox",), "A1": ("A1-examples",), "A8": ("A8-closed",)},
    "dictionary": {
        "MM-1": ("dl-decomp", "ex3-mm1"),
        "MM-2": ("dl-mm2",),
        "A1": ("A1-examples",),
        "A8": ("dl-S", "A8-closed"),
    },
    "mixture": {"MM-1": ("ex2-mm1",)},
}
"""Rows that hold for every size and all data, by the example and the hypothesis that rests on them."""


def supports(example: str) -> Mapping[str, tuple[str, ...]]:
    """The rows on which a hypothesis of Theorem 1 rests, for an example of this name; empty where there are none."""
    return SUPPORTS.get(example, {})
