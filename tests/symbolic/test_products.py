"""Products of facts, from which a polynomial is put together: all of them, though each is made in one order."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

from fedmm_edu.proofs.normal import Poly, constant, multiply
from fedmm_edu.proofs.terms import Fact, Term
from fedmm_edu.symbolic.decide.goal_polynomial import GoalPolynomial
from fedmm_edu.symbolic.decide.linear_program import distinct
from fedmm_edu.symbolic.decide.products import Products, degree_of

LESS: Term = ("*", Fraction(-1), "y")
FACTS = (Fact(">", "x"), Fact(">=", "y"), Fact(">", ("+", "x", LESS)), Fact(">=", ("+", Fraction(2), LESS)))
GOAL = Fact(">=", ("*", "x", "x", "y"))


def test_no_product_of_up_to_three_facts_is_missing() -> None:
    """Whatever their order; of one that can be had as strict, too, the strict one is taken."""
    goal = GoalPolynomial(FACTS, GOAL, {})
    poly, products = goal.ratio.top, Products(goal)
    generators = products.generators(poly)
    assert len(generators) >= len(FACTS)
    found = {frozenset(c.poly.items()): c.sign for c in distinct(products.columns(poly, generators))}
    for size in (1, 2, 3):
        for chosen in combinations_with_replacement(generators, size):
            product: Poly = constant(1)
            for part in chosen:
                product = multiply(product, part.poly)
            if degree_of(product) <= degree_of(poly):
                sign = found[frozenset(product.items())]
                assert sign == ">" or any(part.sign == ">=" for part in chosen)
