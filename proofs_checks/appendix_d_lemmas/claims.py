"""Appendix D up to its propositions: from partial participation to compression, filtration, Lyapunov, variance, lemmas.

The numbers A1 to A8 count the assumptions as LaTeX does (A7 `hyp:DL2`, A8 `assumption:projection`). "Uses" in a note
names what the certificate needs, beyond the definitions of the algorithm.
"""

from __future__ import annotations

from proofs_checks.appendix_d_lemmas.claims_compression import LEMMA_1
from proofs_checks.appendix_d_lemmas.claims_lemmas import LEMMAS
from proofs_checks.appendix_d_lemmas.claims_lyapunov import LYAPUNOV
from proofs_checks.appendix_d_lemmas.claims_variance import VARIANCE

SECTION = "Appendix D: lemmas and propositions behind Theorem 1"

CLAIMS = [*LEMMA_1, *LYAPUNOV, *VARIANCE, *LEMMAS]
