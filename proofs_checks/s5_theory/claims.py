"""Section 5: the assumptions of the analysis, what the paper says of them, and the remarks around Theorem 1."""

from __future__ import annotations

from proofs_checks.s5_theory.claims_assumptions import ASSUMPTIONS
from proofs_checks.s5_theory.claims_challenges import CHALLENGES
from proofs_checks.s5_theory.claims_constants import CONSTANTS

SECTION = "Section 5: Theoretical analysis, assumptions and remarks"

CLAIMS = [*ASSUMPTIONS, *CONSTANTS, *CHALLENGES]
