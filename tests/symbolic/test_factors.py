"""Factors over ℚ: those of SymPy, in its order, and none of its long searches."""

import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.symbolic.decide.factors import over_rationals

X, Y = sp.symbols("x y", real=True)
TERMS = st.tuples(st.fractions(-4, 4, max_denominator=3), st.integers(0, 2), st.integers(0, 1))
PARTS = st.lists(TERMS, min_size=1, max_size=3).map(
    lambda terms: sum((sp.Rational(c.numerator, c.denominator) * X**i * Y**j for c, i, j in terms), sp.S.Zero)
)


@given(st.lists(st.tuples(PARTS, st.integers(1, 2)), min_size=1, max_size=3))
def test_factors_are_those_of_sympy(parts):
    product = sp.expand(sp.prod([part**power for part, power in parts]))
    if product.free_symbols:
        assert over_rationals(product) == sp.factor_list(product)


def test_a_polynomial_without_factors_takes_no_search():
    """In seven variables, where a lifting from a place that is drawn may go on for hours: no answer is one, too."""
    a, b, c, d, e, f, g = sp.symbols("a:g", real=True)
    whole = sp.expand(
        -4 * a**4 + 16 * a**3 * g - 8 * a**2 * b * g + 4 * a**2 * d**2 + 32 * a * b * g**2 + 8 * a * c**2 * g
        - 24 * a * d**2 * g + 16 * a * d * f * g - 32 * c**2 * g**2 + 32 * d**2 * g**2 - 64 * d * f * g**2
        - 16 * e**2 * g**2
    )  # fmt: skip
    content, ((factor, power),) = over_rationals(whole)
    assert (power, sp.expand(content * factor - whole)) == (1, 0)
