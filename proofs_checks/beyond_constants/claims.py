"""Beyond the paper: which examples satisfy A7 (`hyp:DL2`) at all, and what its best constants are."""

from __future__ import annotations

from proofs_checks.beyond_constants.claims_dictionaries import DICTIONARIES
from proofs_checks.beyond_constants.claims_general import GENERAL
from proofs_checks.beyond_constants.claims_mixtures import MIXTURES
from proofs_checks.beyond_constants.claims_penalties import PENALTIES
from proofs_checks.beyond_constants.claims_scalar import SCALAR

SECTION = "Beyond the paper: constants of A7"

CLAIMS = [*GENERAL, *PENALTIES, *SCALAR, *MIXTURES, *DICTIONARIES]
