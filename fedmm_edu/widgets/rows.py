"""Rows of the ledger inside a lesson: the paper's statement, and the verdict that is computed when the cell runs."""

from __future__ import annotations

from dataclasses import dataclass

from fedmm_edu.announced import Claim, ledger
from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.proofs.verdict import Verdict


@dataclass(frozen=True)
class Row:
    """A claim with its verdict; a notebook renders the formulas."""

    claim: Claim
    verdict: Verdict

    def _repr_markdown_(self) -> str:
        return self._said(strong="**", emphasis="*")

    def __repr__(self) -> str:
        return self._said(strong="", emphasis="")

    def _said(self, *, strong: str, emphasis: str) -> str:
        claim, found = self.claim, self.verdict
        lines = [f"{strong}{claim.id}{strong} ({claim.where}): {claim.statement}"]
        if claim.hypotheses:
            lines.append(f"{emphasis}Assumed:{emphasis} {'; '.join(claim.hypotheses)}.")
        lines.append(f"{emphasis}Word for word:{emphasis} {strong}{found.status}{strong}, by {found.method}.")
        if found.witness is not None:
            point = ", ".join(f"{name} = {value}" for name, value in found.witness.point.items())
            lines.append(f"{emphasis}Witness:{emphasis} {found.witness.says}" + (f", at {point}." if point else "."))
        if claim.amended is not None:
            lines.append(f"{emphasis}Amended, and proved:{emphasis} {claim.amended.statement}")
        return "\n\n".join(lines)


def row(name: str) -> Row:
    """Check the claim `name` now; `fedmm verify NAME` says more."""
    claims = ledger().claims()
    if name not in claims:
        raise InvalidInput(f"the ledger has no row {name!r}: `fedmm verify --list` names them all.")
    claim = claims[name]
    verdict = claim.check(**claim.form)
    if verdict.status != claim.expected or (claim.amended and claim.check(**claim.amended.form).status != "proved"):
        raise FedMMError(f"the row {name} does not come out as recorded: run `fedmm verify {name}`.")
    return Row(claim, verdict)
