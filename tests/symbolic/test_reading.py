"""Formulas as text: what they mean, and that nothing of them is evaluated."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.functions.reading import read_formula

M, lam, E = sp.symbols("M lambda E")


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("3", sp.Integer(3)),
        ("0.25", sp.Rational(1, 4)),
        ("1e-3", sp.Rational(1, 1000)),
        ("-M", -M),
        ("lambda/2", lam / 2),
        ("inf", sp.oo),
        ("-oo", -sp.oo),
        ("2*pi", 2 * sp.pi),
        ("sqrt(M)^2 + exp(-M)", M + sp.exp(-M)),
        ("E*(1 - M)**2", E * (1 - M) ** 2),
        ("Max(M, 1)", sp.Max(M, 1)),
        ("0.12345678901234567890", sp.Rational(1234567890123456789, 10**19)),
        ("1e400 + 1e-400", sp.Integer(10) ** 400 + sp.Integer(10) ** -400),
        ("1_0.5", sp.Rational(21, 2)),
        ("(M/2)^1000", M**1000 / sp.Integer(2) ** 1000),
    ],
)
def test_a_formula_means_what_it_says(text, means):
    assert read_formula(text, sp.Symbol) == means


@pytest.mark.parametrize(
    "text",
    [
        "pi.__class__", "M.__class__.__mro__[-1].__subclasses__()", "__import__('os').system('true')", "open('x')",
        "().__class__", "[1, 2]", "lambda x: x", "M if M else 1", "M < 1", "'text'", "f'{M}'", "M; 1", "M = 1", "",
        "1 +", "9**9**9", "M**(0/0)", "exp(1, 2)", "exp(x=1)", "print(1)", "1j", "M @ M", "M // 2", "~M", "...",
        "M # a comment",
    ],
)  # fmt: skip
def test_what_is_no_arithmetic_is_refused(text):
    with pytest.raises(InvalidInput, match="is no formula"):
        read_formula(text, sp.Symbol)


@pytest.mark.parametrize(
    "text",
    [
        "M + (((9^999)^999)^999)^999", "((1/9)^999)^999", "((9*M)^999)^999", "(M + 9^999)^99", "1e999999999",
        "1e-999999999", "loggamma(9^99)", "polygamma(2, 123456789)", "9^999*9^999*9^999*9^999*9^999",
    ],
)  # fmt: skip
def test_numbers_that_take_for_ever_or_do_not_print_are_refused(text):
    """Some 13 000 bits are the most, and are refused before they are multiplied out."""
    with pytest.raises(InvalidInput, match=r"more than 13000 bits|beyond 1000"):
        read_formula(text, sp.Symbol)


def test_powers_of_what_is_no_number_nest():
    assert read_formula("((2 + sqrt(M))^9)^9", sp.Symbol) == (2 + sp.sqrt(M)) ** 81


def test_what_is_said_of_a_name_is_not_said_of_the_grammar():
    def strict(name):
        raise InvalidInput(f"{name} is not among the names")

    with pytest.raises(InvalidInput, match=r"^M is not among the names$"):
        read_formula("2*M", strict)


@given(st.text(max_size=30))
def test_any_text_is_a_formula_or_a_clear_error(text):
    try:
        found = read_formula(text, sp.Symbol)
    except InvalidInput:
        return
    assert isinstance(found, sp.Expr)
