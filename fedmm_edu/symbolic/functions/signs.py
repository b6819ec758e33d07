"""Words for signs: which of −1, 0, 1 occur, and which of them a relation allows."""

from __future__ import annotations

from functools import reduce
from itertools import product
from typing import Any, Literal

Op = Literal[">", ">=", "==", "!="]
Signs = frozenset[int]
Condition = tuple[Any, Op]
"""A value (an expression, a number, a ball) and how it must relate to 0."""

ANY_SIGN: Signs = frozenset({-1, 0, 1})
POSITIVE: Signs = frozenset({1})
NONNEGATIVE: Signs = frozenset({0, 1})
NEGATIVE: Signs = frozenset({-1})
ALLOWED: dict[str, Signs] = {
    ">": POSITIVE,
    ">=": NONNEGATIVE,
    "==": frozenset({0}),
    "!=": frozenset({-1, 1}),
}


def negated(signs: Signs) -> Signs:
    """The signs of −x."""
    return frozenset(-sign for sign in signs)


def combined(choose: Any, *signs: Signs) -> Signs:
    """The signs of choose(x, y, …) for a `choose` (max, min, a product) that acts on signs as it does on numbers."""
    return reduce(lambda a, b: frozenset(choose(x, y) for x, y in product(a, b)), signs)
