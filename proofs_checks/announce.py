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
