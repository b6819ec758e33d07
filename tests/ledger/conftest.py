"""The verdicts that the tests of this folder share: each row of the ledger is judged once, with its mutants."""

import pytest

from proofs_checks import sections
from proofs_checks.runner import Row, run


@pytest.fixture(scope="session")
def rows(request) -> dict[str, Row]:
    """The rows by id, judged as `fedmm verify --mutants` does: all of them, or those that the chosen tests name."""
    claims = {claim.id: claim for _, found in sections() for claim in found}
    chosen, whole = set(), False
    for item in request.session.items:
        if "rows" in getattr(item, "fixturenames", ()):
            name = item.callspec.params.get("name") if hasattr(item, "callspec") else None
            chosen.add(name)
            whole |= name is None
    return {row.claim.id: row for row in run([c for c in claims.values() if whole or c.id in chosen], mutants=True)}
