"""Formulas that a person writes as text: read by their grammar, never evaluated.

Numbers, names, + - * / ** (or ^), parentheses, sqrt and the functions of the table; everything else is refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.functions.table import FUNCTIONS

CALLS: Mapping[str, Callable[..., sp.Expr]] = {
    "sqrt": sp.sqrt,
    "cbrt": sp.cbrt,
    **{function.__name__: function for function in FUNCTIONS},
}
_NUMBERS: Mapping[str, sp.Expr] = {"oo": sp.oo, "inf": sp.oo, "pi": sp.pi}
_OPERATIONS: Mapping[type, Callable[[sp.Expr, sp.Expr], sp.Expr]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}


def read_formula(text: str, symbol: Callable[[str], sp.Expr]) -> sp.Expr:
    """The expression that `text` writes down, its numbers exact; `symbol` says what a name stands for.

    `InvalidInput` for anything but arithmetic, names and known functions; a name may be a word of Python (`lambda`).

    >>> read_formula("-lambda/2 + 0.5**2", sp.Symbol)
    1/4 - lambda/2
    """
    marked = re.sub(r"(?<![\w.])([^\W\d]\w*)", r"name_\1", text.replace("^", "**"))
    try:
        return _read(ast.parse(marked.strip(), mode="eval").body, symbol)
    except (SyntaxError, ValueError, RecursionError, _NotAFormula) as error:
        reason = error if isinstance(error, _NotAFormula) else "its grammar"
        raise InvalidInput(
            f"{text!r} is no formula ({reason}): write numbers, names, + - * / ** and {', '.join(CALLS)}."
        ) from error


class _NotAFormula(Exception):
    """Something that arithmetic does not have."""


def _read(node: ast.AST, symbol: Callable[[str], sp.Expr]) -> sp.Expr:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return sp.Rational(ast.unparse(node))
    if isinstance(node, ast.Name) and node.id.startswith("name_"):
        name = node.id.removeprefix("name_")
        return _NUMBERS[name] if name in _NUMBERS else symbol(name)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _read(node.operand, symbol)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _read(node.left, symbol), _read(node.right, symbol)
        if isinstance(node.op, ast.Pow) and right.is_number and not bool(sp.Abs(right) <= 1000):
            raise _NotAFormula(f"the exponent {right}")
        return _OPERATIONS[type(node.op)](left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name = node.func.id.removeprefix("name_")
        if name in CALLS:
            try:
                return CALLS[name](*(_read(arg, symbol) for arg in node.args))
            except TypeError as error:
                raise _NotAFormula(str(error)) from error
    raise _NotAFormula(f"{ast.unparse(node).replace('name_', '')!r} is not arithmetic")
