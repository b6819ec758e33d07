"""Theorem 1: how Propositions 2 to 4 give it (D.5), its conditions and constants, the case α = 0 (D.7)."""

from __future__ import annotations

from proofs_checks.appendix_d_theorem.claims_alpha0 import ALPHA_ZERO
from proofs_checks.appendix_d_theorem.claims_bound import BOUND
from proofs_checks.appendix_d_theorem.claims_lines import LINES

SECTION = "Appendix D.5 and D.7: Theorem 1 from Propositions 2 to 4, and α = 0"

CLAIMS = [*LINES, *BOUND, *ALPHA_ZERO]
