"""Jensen's inequality for log and exp in a proof: instances of the kernel's exponential rule, with their weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from fedmm_edu.proofs.kernel import NONNEGATIVE, Branch, Context
from fedmm_edu.proofs.terms import ONE, Fact, Term, minus, substitute, variables
from fedmm_edu.symbolic.decide.combination import weight
from fedmm_edu.symbolic.decide.term_parts import Triple, logarithms_in, products_in, summands


class WeightedInstances(NamedTuple):
    """Instances of the exponential rule, and what the sum of their facts is multiplied by."""

    times: Term
    instances: list[Triple]


def cancelling(goal: Fact, known: Sequence[Fact], swap: Mapping[str, Term], *, mixed: bool) -> list[WeightedInstances]:
    """For each logarithm of the goal what has it, too, with a weight ≥ 0: log u − log v ≤ u/v − 1 or the other way.

    With `mixed` the logarithms of sums alone, as those of mixtures: an instance for each part that a sum has.
    """
    book = Branch(Context(tuple(known), (goal.term,)), ())
    found: list[WeightedInstances] = []
    for node in logarithms_in(goal.term):
        u, v = node[1], substitute(node[1], swap)
        times = weight(known, goal, node) if u != v else None
        if times is None:
            continue
        above = book.signs(times) <= NONNEGATIVE
        times = times if above else ("*", Fraction(-1), times)
        if mixed and isinstance(u, tuple) and u[0] == "+" and all(book.signs(p) == {1} for p in u[1:]):
            shares = [("*", p, ("pow", u, -1)) for p in u[1:]]
            pairs = [(share, substitute(share, swap)) for share in shares]
            ways = [(a, b) if above else (b, a) for a, b in pairs]
            found.append(WeightedInstances(times, [(Fraction(0), a, b) for a, b in ways]))
        elif not mixed:
            a, b = (v, u) if above else (u, v)
            found.append(WeightedInstances(("*", times, ("pow", b, -1)), [(Fraction(0), a, b)]))
    return found


def mixed_exponentials(goal: Fact, known: Sequence[Fact], swap: Mapping[str, Term]) -> list[WeightedInstances]:
    """c e^N below Σ c_k e^k: with the values at the other point as weights, each part above its tangent at N.

    e^{k − N} ≥ 1 + k − N in differences from the other point, and the same for k = 0 with the weight that is left; that
    the last one is ≥ 0 is for the caller to prove.
    """
    book = Branch(Context(tuple(known), (goal.term,)), ())
    parts: list[tuple[Term, Term]] = []
    for number, powers in (product for part in summands(goal.term) for product in products_in(part)):
        moved = [base for base, n in powers if n == 1 and base[0] == "exp" and variables(base) & set(swap)]
        if len(moved) == 1:
            rest = ("*", number, *(("pow", base, n) for base, n in powers if base != moved[0]))
            if not variables(rest) & set(swap):
                parts.append((moved[0][1], rest))
    below = [(u, c) for u, c in parts if book.signs(c) <= {-1, 0}]
    above = [(u, c) for u, c in parts if book.signs(c) <= NONNEGATIVE]
    if len(below) != 1 or not above:
        return []
    ((u, c),) = below
    far = minus(u, substitute(u, swap))
    found, left = [], ("*", Fraction(-1), c, ("exp", substitute(u, swap)))
    for v, d in above:
        here = ("*", d, ("exp", substitute(v, swap)))
        left = minus(left, here)
        found.append(WeightedInstances(("*", here, ("exp", far)), [(minus(v, substitute(v, swap), far), ONE, ONE)]))
    return [*found, WeightedInstances(("*", left, ("exp", far)), [(("*", Fraction(-1), far), ONE, ONE)])]
