"""Theorem 1's chain, read off its certificates: which lemma multiplies which hypothesis, as a graph."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from proofs_checks.certificates import certificates_of, claim_of

ASSUMPTIONS = ("MM-1", "MM-2", "A3", "A4", "A5", "A6(i)", "A6(ii)", "A7(i)", "A7(ii)", "A8(i)", "A8(ii)")
ROWS = {
    "lem1-var": "Lemma 1", "lem2-i": "Lemma 2",
    "own-lem3-i-anywhere": "Lemma 3", "own-lem3-ii-anywhere": "Lemma 3, second line",
    "cor2-i": "Corollary of Lemma 3", "cor2-ii": "Corollary of Lemma 3, second line", "lem4": "Lemma 4",
    "prop2": "Proposition 2", "prop3": "Proposition 3", "prop4": "Proposition 4",
    "thm1-A": "Theorem 1 (A)", "thm1-B": "Theorem 1 (B)", "cor1": "Corollary 1",
}  # fmt: skip
"""The statements of the map, each after all that it may use."""
READ = (
    (r"MM-1", ("MM-1",)),
    (r"MM-2", ("MM-2",)),
    (r"\bA3\b", ("A3",)),
    (r"\bLemma 1\b", ("lem1-var",)),
    (r"\bA4(?! and A5 \(Lemma 1\))", ("A4",)),
    (r"A6\(i\)", ("A6(i)",)),
    (r"\\sup_\{\\mathcal\{S\}\} \\\|h\\\|", ("A6(ii)",)),
    (r"the bound of \$-\\langle h, r", ("A6(ii)", "A7(i)")),
    (r"A7\(i\)", ("A7(i)",)),
    (r"A7\(ii\)|v_\{\\max\}\\\|", ("A7(ii)",)),
    (r"A8\(ii\)", ("A8(ii)",)),
    (r"𝒮 is convex|\(convex\)", ("A8(i)",)),
    (r"[Cc]orollary of Lemma 3: \$\\gamma E", ("cor2-i",)),
    (r"\(corollary of Lemma 3\)|[Cc]orollary of Lemma 3: \$E_", ("cor2-ii",)),
    (r"^Lemma 3 at any", ("own-lem3-i-anywhere",)),
    (r"^Lemma 3 at \$\\hat S_t \+", ("own-lem3-ii-anywhere",)),
    (r"lem:controlvariate", ("lem4",)),
    (r"Proposition 2(?! asks)", ("prop2",)),
    (r"Proposition 3|prop:update_error", ("prop3",)),
    (r"Proposition 4", ("prop4",)),
    (r"^\(27\)", ("thm1-B",)),
)
"""How the certificates word where a hypothesis comes from, and what that is on the map. What matches nothing is a
condition on step sizes, a sign, or a line of the same proof."""
LAWS = ((r"\$U\$ Bernoulli", "A5"),)
"""What enters as the law over which a certificate takes means, and is no inequality that it could multiply."""


@dataclass(frozen=True)
class Use:
    """An arrow: a certificate of the row multiplies this assumption, or the conclusion of another row; in its words."""

    row: str
    source: str
    why: str


@dataclass(frozen=True)
class Chain:
    """The map: its arrows, and for each row what else its certificates use."""

    uses: tuple[Use, ...]
    conditions: dict[str, tuple[str, ...]]


def sources(why: str) -> list[str]:
    """The nodes that a hypothesis of a certificate comes from.

    >>> sources("A7(ii) and A8(ii)"), sources("steps do not increase")
    (['A7(ii)', 'A8(ii)'], [])
    """
    return list(dict.fromkeys(node for pattern, nodes in READ if re.search(pattern, why) for node in nodes))


@cache
def chain() -> Chain:
    """The chain of `ROWS`, from the certificates that prove them now."""
    uses: list[Use] = []
    conditions: dict[str, tuple[str, ...]] = {}
    for row in ROWS:
        seen, rest = set[str](), []
        for law, node in LAWS:
            uses += [Use(row, node, text) for text in claim_of(row).hypotheses if re.search(law, text)]
        for why in _reasons(row):
            found = [node for node in sources(why) if node != row]
            uses += [Use(row, node, why) for node in found if node not in seen]
            seen |= set(found)
            if not found and why not in rest:
                rest.append(why)
        conditions[row] = tuple(rest)
    return Chain(tuple(uses), conditions)


def _reasons(row: str) -> list[str]:
    """Where each hypothesis comes from that a certificate of the row multiplies."""
    return [used.hypothesis.why for certificate in certificates_of(claim_of(row)) for used in certificate.used]


def ranks(uses: Iterable[Use]) -> dict[str, int]:
    """The column of each node: assumptions 0, a row one more than the last of what it uses."""
    column: dict[str, int] = dict.fromkeys(ASSUMPTIONS, 0)
    for row in ROWS:
        column[row] = 1 + max((column[use.source] for use in uses if use.row == row), default=0)
    return column
