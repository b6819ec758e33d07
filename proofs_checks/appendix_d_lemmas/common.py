"""What several rows of the lemmas and propositions of Appendix D stand in."""

from __future__ import annotations

from proofs_checks.ledger import Context

IN_THE_PROOF = Context("The proof of Theorem 1, of which the proposition is a part, stands under A1 to A8.", "amended")
