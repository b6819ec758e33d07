"""Inequalities: true ones are proved by the strategy meant for them, false ones are refuted and never proved."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic import decide_convex, decide_convex_set, decide_nonnegative, domain_point
from fedmm_edu.symbolic.decide.balls import holds
from fedmm_edu.symbolic.decide.domain import Domain, Relation
from tests.conftest import found

x, y, z, r, w, t = sp.symbols("x y z r w t", real=True)
Q = sp.Rational

TRUE = [
    ("identity", sp.exp(x + y) - sp.exp(x) * sp.exp(y), []),
    ("identity", sp.sqrt(x) ** 3 - x * sp.sqrt(x), [x > 0]),
    ("factorisation", x**2 - 2 * x * y + y**2, []),
    ("factorisation", (1 - r * x**2) * t**2 / r, [r > 0, r * x**2 <= 1]),
    ("factorisation", 1 / x + x - 2, [x > 0]),
    ("factorisation", sp.exp(x) - 2 + sp.exp(-x), []),
    ("completing the square", x**2 + x * y + y**2, []),
    ("completing the square", 3 * x**2 - 2 * x + 1, []),
    ("calculus", x - 1 - sp.log(x), [x > 0]),
    ("calculus", sp.exp(x) - 1 - x, []),
    ("z3 + cvc5", sp.Abs(x) + sp.Abs(y) - sp.Abs(x + y), []),
    ("z3 + cvc5", sp.Max(x, y) - sp.Min(x, y), []),
    ("z3 + cvc5", sp.sqrt(x**2 + y**2) - x, []),
    ("z3 + cvc5", x**4 * y**2 + x**2 * y**4 + 1 - 3 * x**2 * y**2, []),
    ("cases, factorisation", sp.Piecewise((x, x >= 0), (-x, True)), []),
]

FALSE = [
    (x**2 - 2 * x, [x > 0], False),
    (x**2, [], True),
    (x**2 - Q(1, 1000), [x >= Q(31622, 10**6)], False),
    (sp.log(x) - x + 1, [x > 0], False),
    (1 + x - sp.exp(x), [], False),
    (1 / r - x**2 * w / (1 + w) ** 2, [r > 0, w > 0, r * x**2 <= 5], False),
    ((x - Q(7, 5)) ** 2 * (x + 3) - Q(1, 10**6), [x > 0], False),
    (x**4 - 2 * x * y**3 + y**4, [], False),
    (sp.Abs(x) - sp.Abs(y), [], False),
    (sp.sqrt(x**2 + y**2) - x - y, [], False),
    (x * y, [x + y > 0], False),
    (x / (y - x), [y > 0, x > 0, sp.Ne(x, y)], False),
    (sp.Max(x, y) - x, [], True),
    (x**2 + y**2 + z**2 - x * y - y * z - z * x, [], True),
    (sp.Piecewise((x, x > 1), (-x, True)), [], False),
    (sp.exp(-x) - Q(1, 100), [x > 0], False),
    (1 / sp.sqrt(x) - 1, [x > 0], False),
    (-x / (y - 3), [x >= 0, y > 3], True),
]


@pytest.mark.parametrize(("method", "expr", "domain"), TRUE, ids=str)
def test_true_statements_are_proved_by_the_method_meant_for_them(method, expr, domain):
    verdict = decide_nonnegative(expr, domain)
    assert (verdict.status, verdict.method) == ("proved", method)


@pytest.mark.parametrize(("expr", "domain", "strict"), FALSE, ids=str)
def test_false_statements_are_refuted_at_a_point_of_the_domain(expr, domain, strict):
    verdict = decide_nonnegative(expr, domain, strict=strict)
    assert verdict.status == "refuted"
    point = {name: Fraction(value) for name, value in found(verdict).point.items()}
    assert all(holds(relation, point) for relation in Domain.of(domain).relations)
    assert holds(Relation(-expr, ">=" if strict else ">"), point)


def test_a_factor_that_may_vanish_is_not_called_positive():
    """s/(λ − s2) with s ≥ 0: a negative power of another factor must not remove the zero of s."""
    verdict = decide_nonnegative(x / (1 - y), [x >= 0, y < 0], strict=True)
    assert verdict.status == "refuted"
    assert found(verdict).point["x"] == "0"


@pytest.mark.parametrize(
    ("expr", "domain", "term"), [(1 / x, [], "1/x"), (sp.log(x), [x > -1], "log(x)"), (sp.sqrt(x) + 1, [], "sqrt(x)")]
)
def test_an_undefined_term_is_named_with_a_point(expr, domain, term):
    verdict = decide_nonnegative(expr, domain)
    assert verdict.status == "refuted"
    assert found(verdict).says.startswith(f"{term} is not defined at x = ")


def test_a_branch_is_needed_only_where_it_applies():
    assert decide_nonnegative(sp.Piecewise((1 / x, x > 0), (0, True))).status == "proved"
    assert decide_nonnegative(sp.Piecewise((1 / x, x >= 0), (0, True))).status == "refuted"


def test_the_anchor_argument_proves_what_calculus_in_one_variable_cannot():
    gap = sp.log(1 + sp.exp(x)) - sp.log(1 + sp.exp(y)) - sp.exp(y) / (1 + sp.exp(y)) * (x - y)
    verdict = decide_nonnegative(gap, anchor={x: y})
    assert (verdict.status, verdict.method) == ("proved", "convexity")
    assert decide_nonnegative(-gap, anchor={x: y}).status == "refuted"


def test_an_anchor_with_a_slope_proves_nothing():
    """exp x − exp y is convex in x and 0 at x = y, but negative on a strip too thin for a search."""
    thin = sp.Rational(1, 10**12)
    strip = [y > 0, y < 1, x > y - thin, x < 2]
    assert decide_nonnegative(sp.exp(x) - sp.exp(y), strip, anchor={x: y}).status != "proved"


def test_an_anchor_outside_a_thin_domain_proves_nothing():
    """(x − y)²(x + 2y): value and slope 0 at x = y, convex for x > 0, and negative on a strip away from x = y < 0."""
    thin = sp.Rational(1, 10**12)
    strip = [y > -2, y < -1, x > -2 * y - thin]
    assert decide_nonnegative(sp.expand((x - y) ** 2 * (x + 2 * y)), strip, anchor={x: y}).status != "proved"


def test_an_anchor_outside_the_domain_proves_nothing():
    """x³ − 3xy² + 2y³ = (x − y)²(x + 2y): value and slope vanish at x = y, convex for x > 0, negative for y = −x."""
    verdict = decide_nonnegative(x**3 - 3 * x * y**2 + 2 * y**3, [x > 0, y < 0], anchor={x: y})
    assert verdict.status == "refuted"


@pytest.mark.parametrize("domain", [[x > 1, x < 0], [x**2 < 0], [x > y, y > x]])
def test_an_empty_domain_is_refused(domain):
    with pytest.raises(InvalidInput, match="is empty"):
        decide_nonnegative(-(x**2), domain)


def test_assumptions_of_symbols_are_relations_of_the_domain():
    positive = sp.Symbol("p", positive=True)
    assert decide_nonnegative(positive, [positive > 0], strict=True).status == "proved"
    point = domain_point([], [positive])
    assert point is not None
    assert point["p"] > 0


@pytest.mark.parametrize("bad", [sp.atan(x), sp.Symbol("n", integer=True), sp.I * x, sp.DiracDelta(x)])
def test_what_the_engine_cannot_treat_is_refused(bad):
    with pytest.raises(InvalidInput):
        decide_nonnegative(bad)


def test_answers_do_not_depend_on_anything_but_the_seed():
    expr, domain = x**4 - 2 * x * y**3 + y**4, [x > 0]
    assert decide_nonnegative(expr, domain, seed=3) == decide_nonnegative(expr, domain, seed=3)


integers = st.integers(-3, 3)
monomials = st.tuples(integers, st.integers(0, 2), st.integers(0, 2))


@settings(max_examples=25, deadline=None)
@given(terms=st.lists(monomials, min_size=1, max_size=4), at=st.tuples(integers, integers), depth=st.integers(1, 5))
def test_a_polynomial_with_a_negative_value_is_never_proved(terms, at, depth):
    """The polynomial is shifted so that it is −depth at a known point."""
    poly = sum(c * x**i * y**j for c, i, j in terms)
    poly = sp.expand(poly - poly.subs({x: at[0], y: at[1]}) - depth) if poly != 0 else -sp.Integer(depth)
    assert decide_nonnegative(poly, variables=[x, y]).status != "proved"


def test_convex_functions_and_their_opposites():
    domain = Domain.of([x > 0], [x, y])
    assert decide_convex(x**2 + y**2 - x * y, [x, y], domain).status == "proved"
    assert decide_convex(x**2 + y**2 - 3 * x * y, [x, y], domain).status == "refuted"
    assert decide_convex(1 / x, [x], domain, strict=True).status == "proved"
    assert decide_convex(sp.Abs(x - y) + x**2, [x], domain, strict=True).status == "proved"
    assert decide_convex(-sp.Abs(x - 1), [x], domain).status == "open"


@pytest.mark.parametrize(
    ("relations", "status"),
    [
        ([x > 0, x + y <= 1], "proved"),
        ([x**2 + y**2 <= 1], "proved"),
        ([x > 0, x * y >= 1], "proved"),
        ([x**2 + y**2 >= 1], "refuted"),
        ([sp.Ne(x, 0)], "refuted"),
        ([sp.Eq(x * y, 0)], "refuted"),
        ([x * y >= 1], "refuted"),
    ],
    ids=str,
)
def test_convex_sets(relations, status):
    found = [relation for statement in relations for relation in Domain.of([statement]).relations]
    assert decide_convex_set(found, [x, y], Domain.of([], [])).status == status
