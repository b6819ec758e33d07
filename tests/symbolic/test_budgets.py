"""What would be computed for ever is given up after a count, with words that name the step; nothing is timed."""

from __future__ import annotations

import pytest
import sympy as sp

from fedmm_edu.symbolic.decide import algebra
from fedmm_edu.symbolic.decide.algebra import TooLarge, factor_list, require_size, size_of, vanishes
from fedmm_edu.symbolic.decide.convexity import decide_convex
from fedmm_edu.symbolic.decide.inequality import decide_nonnegative
from fedmm_edu.symbolic.hypotheses.check import check_model
from fedmm_edu.symbolic.model import Model

x, y = sp.symbols("x y", real=True)
LARGE = (1 + sum(sp.symbols("a:9"))) ** 12 * sp.exp(x)


@pytest.mark.parametrize(
    "expr", [x, (x + y) ** 5, (x + 1) * (x - 1) * (y + x) ** 2, (x + y + 1) ** 3 * sp.exp(x), x**2 * (1 + 1 / y) ** 4]
)
def test_the_count_bounds_what_is_multiplied_out(expr):
    assert len(sp.Add.make_args(sp.expand(expr))) <= size_of(expr)[0] <= 40


def test_a_product_that_is_too_large_is_named():
    with pytest.raises(TooLarge, match=r"a numerator would multiply out to as many as [0-9]+ terms"):
        require_size(LARGE, "a numerator")
    assert not vanishes(LARGE)
    with pytest.raises(TooLarge, match="a numerator would have the degree 1000000000001"):
        require_size(x * y**10**12 + 1, "a numerator")


def test_what_is_too_large_to_be_factored_is_one_factor(monkeypatch):
    form = (x + y) ** 2 * (x - y)
    assert len(factor_list(form)[1]) == 2
    monkeypatch.setattr(algebra, "FACTORED", 10)
    assert factor_list(form) == (1, [(sp.expand(form), 1)])
    monkeypatch.setattr(algebra, "EXPANDED", 3)
    assert factor_list(form) == (1, [(form, 1)])


def test_numbers_too_long_to_be_factored_stay_in_one_factor():
    """Factors of x·10ⁿ·y − x·z² − 1 are sought at thousands of primes for n = 400: nobody waits for them."""
    short, long = (sp.expand(x * (sp.Integer(10) ** n * y - 1)) for n in (100, 400))
    assert len(factor_list(short)[1]) == 2
    assert factor_list(long) == (1, [(long, 1)])


def test_convexity_in_many_variables_is_open_and_says_why():
    theta = sp.symbols("t:7", real=True)
    found = decide_convex(sum(t**4 for t in theta), theta, algebra.Domain.of((), theta))
    assert found.status == "open"
    assert "127" in found.evidence[-1].why


def test_a_verdict_names_the_step_that_was_given_up(monkeypatch):
    expr = (x**2 + y**2 - 3 * x * y / 2 + 1) * (sp.exp(x) + 1)
    monkeypatch.setattr(algebra, "EXPANDED", 3)
    found = decide_nonnegative(expr)
    assert found.status == "supported"
    assert any("is given up" in step.claim for step in found.evidence)


def test_numbers_too_small_to_be_written_out_are_shown_and_refute():
    """A bump of the loss far away: exp(10⁶ θ) to the power 2469134 is no polynomial to multiply out."""
    theta, z, s = sp.symbols("theta z s", real=True)
    bump = sp.exp(-((theta - 1234567) ** 2) * 10**6) / 10**6
    model = Model(
        theta=[theta], z=[z], s=[s], loss=(theta - z) ** 2 / 2 + bump, psi=theta**2 / 2, phi=[theta], S_bar=[z], T=[s]
    )
    found = check_model(model, rows=("defined", "MM-1: tangent", "MM-1: majorizes"))
    assert [verdict.status for verdict in found.values()] == ["proved", "refuted", "refuted"]
    witness = found["MM-1: tangent"].witness
    assert witness is not None
    assert witness.values["difference"].startswith("[7.35801e-6619324002949")
