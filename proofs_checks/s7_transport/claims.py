"""Section 7: federated optimal transport maps, Algorithm 3 (FedMM-OT) and the score of a map."""

from __future__ import annotations

from proofs_checks.s7_transport.claims_duality import DUALITY
from proofs_checks.s7_transport.claims_objective import OBJECTIVE
from proofs_checks.s7_transport.claims_rounds import ROUNDS
from proofs_checks.s7_transport.claims_scores import SCORES

SECTION = "Section 7: Federated optimal transport maps"

CLAIMS = [*DUALITY, *OBJECTIVE, *ROUNDS, *SCORES]
