"""The ledger: every checkable statement of the paper, one folder per section, in the order of the paper.

`claims.py` of a section exports `SECTION`, its title, and `CLAIMS`, its list of `Claim`; where it has many, they stand
in files by subject beside it, `claims_SUBJECT.py`. A section is imported when one of its rows is first asked for, not
before: importing this package costs nothing.

>>> from fedmm_edu.announced import ledger
>>> row = ledger().claims()["ssmm-mean"]
>>> row.check(**row.form).status
'proved'
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from fedmm_edu.errors import InvalidInput
from proofs_checks.index import folder_of

if TYPE_CHECKING:
    from proofs_checks.ledger import Claim

__all__ = ["SECTIONS", "Rows", "sections"]

SECTIONS = (
    "s1_introduction",
    "s2_surrogates",
    "s2_1_root_finding",
    "s2_2_stochastic",
    "s2_3_special_cases",
    "s2_3_dictionary",
    "s3_aggregation",
    "s3_2_fedmm",
    "s4_related",
    "s5_theory",
    "s6_experiments",
    "s7_transport",
    "appendix_c_poisson",
    "appendix_c_mixture",
    "appendix_d_lemmas",
    "appendix_d_theorem",
    "appendix_e_constants",
    "beyond_constants",
    "beyond_theorem",
    "beyond_messages",
    "examples",
)
"""The folders of the sections, in the order of the paper."""


def sections(ids: Collection[str] = ()) -> list[tuple[str, list[Claim]]]:
    """All sections as (title, claims), ours under titles of their own; `InvalidInput` for ids that will not do.

    With `ids` only those in which these rows are listed, if they are there.
    """
    folders = {folder_of(name) for name in ids}
    found: list[tuple[str, list[Claim]]] = []
    for name in SECTIONS:
        if ids and name not in folders:
            continue
        module = import_module(f"{__name__}.{name}.claims")
        paper, own = ([claim for claim in module.CLAIMS if claim.own is ours] for ours in (False, True))
        beside = f"Ours, on {module.SECTION}" if paper else module.SECTION
        found += [(title, claims) for title, claims in ((module.SECTION, paper), (beside, own)) if claims]
    require_good_ids(claim for _, claims in found for claim in claims)
    return found if by_id(found).keys() >= set(ids) else sections()


def by_id(found: Iterable[tuple[str, Iterable[Claim]]]) -> dict[str, Claim]:
    """The claims of sections by their ids."""
    return {claim.id: claim for _, claims in found for claim in claims}


class Rows(Mapping[str, "Claim"]):
    """The rows by their ids; the section of a row is imported when the row is asked for."""

    def __init__(self) -> None:
        self._known: dict[str, Claim] = {}

    def __getitem__(self, name: str) -> Claim:
        if name not in self._known:
            self._known |= by_id(sections([name]))
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(by_id(sections()))

    def __len__(self) -> int:
        return len(by_id(sections()))


def require_good_ids(claims: Iterable[Claim]) -> None:
    """`InvalidInput` that names a repeated or unusable id: it is an argument on a command line and a link's target."""
    counts = Counter(claim.id for claim in claims)
    repeated = sorted(name for name, count in counts.items() if count > 1)
    if repeated:
        raise InvalidInput(f"claim ids used more than once: {', '.join(repeated)}; rename all but one of each.")
    odd = sorted(name for name in counts if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+-]*", name))
    if odd:
        raise InvalidInput(f"claim ids {odd}: use letters, digits and hyphens, without spaces.")
