"""Identities of rational functions: those that SymPy's own simplification finds, and no others."""

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.proofs.identity import is_identity

x, y = sp.symbols("x y", positive=True)
LEAVES = st.sampled_from([x, y, sp.Integer(2), sp.Rational(-3, 5), x + y, 1 - x])


def joined(parts: st.SearchStrategy) -> st.SearchStrategy:
    pairs = st.tuples(parts, parts)
    powers = st.tuples(parts.filter(lambda e: e != 0), st.integers(-2, 3)).map(lambda pair: pair[0] ** pair[1])
    return pairs.map(lambda p: p[0] + p[1]) | pairs.map(lambda p: p[0] * p[1]) | powers


EXPRESSIONS = st.recursive(LEAVES, joined, max_leaves=6).filter(lambda e: not e.has(sp.zoo, sp.nan))


@given(EXPRESSIONS, EXPRESSIONS)
def test_it_is_what_sympy_says_of_a_difference(a, b):
    """The same expression written in another way is the same; of two, SymPy says whether they are."""
    if a.subs({x: sp.sqrt(2), y: sp.sqrt(3)}).is_finite:  # some divide by an expression that vanishes
        assert is_identity(a - sp.factor(a))
        assert is_identity(a - sp.expand(a))
        assert not is_identity(a - sp.factor(a) - sp.Rational(1, 10**9))
        if b.subs({x: sp.sqrt(2), y: sp.sqrt(3)}).is_finite:
            assert is_identity(a - b) == (sp.cancel(sp.together(a - b)) == 0)


@pytest.mark.parametrize(
    ("expr", "zero"),
    [
        (sp.Integer(0), True),
        (sp.Rational(1, 3), False),
        (1 / (x + 1) - 1 / ((1 + 1 / x) * x), True),
        (1 / (x + 1) - 1 / ((1 + 1 / x) * y), False),
        ((x - y) / (y - x) + 1, True),
        (1 / ((x + 1) ** 2 - x**2 - 2 * x - 1), False),  # 1/0, which is no number
        (sp.sqrt(x) * sp.sqrt(x) * sp.exp(y) - x * sp.exp(y), True),
        (sp.sqrt(x + y) / (x + y) - 1 / sp.sqrt(x + y), True),
        (sp.sqrt(x) - x, False),
        (x**y * x - x ** (y + 1), True),
    ],
    ids=str,
)
def test_single_ones(expr, zero):
    """Roots, functions and symbolic powers are left to SymPy, divisions by zero are no identity."""
    assert is_identity(expr) == zero


def test_what_does_not_commute_is_not_exchanged():
    a, b = sp.symbols("a b", commutative=False)
    assert not is_identity(a * b - b * a)
    assert is_identity(a * (b + 1) - a * b - a)
