"""Rows of the ledger inside a lesson: the paper's statement, and the verdict that is computed when the cell runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.symbolic.verdict import Verdict
from proofs_checks import sections
from proofs_checks.ledger import Claim


@dataclass(frozen=True)
class Row:
    """A claim with its verdict; a notebook renders the formulas."""

    claim: Claim
    verdict: Verdict

    def _repr_markdown_(self) -> str:
        lines = [f"**{self.claim.id}** ({self.claim.where}): {self.claim.statement}", self._outcome()]
        if self.claim.amended is not None:
            lines.append(f"*Amended, and proved:* {self.claim.amended.statement}")
        return "\n\n".join(lines)

    def __repr__(self) -> str:
        return self._repr_markdown_().replace("*", "")

    def _outcome(self) -> str:
        found = f"*As printed:* **{self.verdict.status}**, by {self.verdict.method}."
        return found + (f" Witness: {self.verdict.witness.says}" if self.verdict.witness else "")


def row(name: str) -> Row:
    """Check the claim `name` now; `fedmm verify NAME` says more."""
    claims = _claims()
    if name not in claims:
        raise InvalidInput(f"the ledger has no row {name!r}: `fedmm verify --list` names them all.")
    claim = claims[name]
    verdict = claim.check(**claim.form)
    if verdict.status != claim.expected or (claim.amended and claim.check(**claim.amended.form).status != "proved"):
        raise FedMMError(f"the row {name} does not come out as recorded: run `fedmm verify {name}`.")
    return Row(claim, verdict)


@cache
def _claims() -> dict[str, Claim]:
    return {claim.id: claim for _, claims in sections() for claim in claims}
