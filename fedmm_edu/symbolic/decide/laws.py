"""Which laws about π, erf, sin, cos and the gamma function may help with a term."""

from __future__ import annotations

from fedmm_edu.proofs.kernel import SPECIAL, Branch, Context
from fedmm_edu.proofs.special import HIGHEST_ORDER
from fedmm_edu.proofs.terms import ONE, Term, minus, nodes_of

LawInstance = tuple[str, tuple]
"""The name of a law and its arguments."""
FEW = 8
"""Laws for one claim."""


def laws_for(term: Term) -> list[LawInstance]:
    """Bounds of what occurs, and the recurrence where it occurs at x and x + 1."""
    nodes = list(dict.fromkeys(nodes_of(term, *SPECIAL)))
    found: list[LawInstance] = [("erf", (node[1],)) for node in nodes if node[0] == "erf"]
    found += [("circle", (x,)) for x in dict.fromkeys(node[1] for node in nodes if node[0] in ("sin", "cos"))]
    orders = [node for node in nodes if node[0] == "polygamma" and node[1] <= HIGHEST_ORDER]
    found += [("polygamma bounds", node[1:]) for node in orders if node[1] > 0]
    for one in orders:
        for other in orders:
            if one[1] == other[1] and Branch(Context(), ()).normal.is_zero(minus(one[2], other[2], ONE)):
                found.append(("polygamma step", other[1:]))
    return found[:FEW] + ([("pi", ())] if ("pi",) in nodes else [])


def arguments_of_erf(term: Term) -> list[Term]:
    """What erf is taken of."""
    return [node[1] for node in dict.fromkeys(nodes_of(term, "erf"))]
