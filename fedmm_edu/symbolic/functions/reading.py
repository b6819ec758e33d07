"""Formulas that a person writes as text: read by their grammar, never evaluated.

Numbers, names, + - * / ** (or ^), parentheses, sqrt and the functions of the table; everything else is refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.functions.table import FUNCTIONS

CALLS: Mapping[str, Callable[..., sp.Expr]] = {
    "sqrt": sp.sqrt,
    "cbrt": sp.cbrt,
    **{function.__name__: function for function in FUNCTIONS},
}
_NUMBERS: Mapping[str, sp.Expr] = {"oo": sp.oo, "inf": sp.oo, "pi": sp.pi}
LARGEST = 13_000
"""Bits of an exact number: a power of one is multiplied out as it is read, and Python prints at most 4300 digits."""
FACTORIALS = ("loggamma", "polygamma")
"""Functions that write a whole number out as so many factors, or terms."""
_OPERATIONS: Mapping[type, Callable[[sp.Expr, sp.Expr], sp.Expr]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}


def read_formula(text: str, symbol: Callable[[str], sp.Expr]) -> sp.Expr:
    """The expression that `text` writes down, its numbers exact; `symbol` says what a name stands for.

    `InvalidInput` for anything but arithmetic, names and known functions, for numbers beyond `LARGEST`, and whatever
    `symbol` raises; a name may be a word of Python (`lambda`).

    >>> read_formula("-lambda/2 + 0.5**2", sp.Symbol)
    1/4 - lambda/2
    """
    marked = re.sub(r"(?<![\w.])([^\W\d]\w*)", r"name_\1", text.replace("^", "**")).strip()
    try:
        if "#" in marked:  # the parser would take the rest for a comment
            raise _NotAFormula("# is not arithmetic")
        expr = _Reader(marked, symbol).read(ast.parse(marked, mode="eval").body)
        _bounded(_bits(expr), "a number in it")
        return expr
    except InvalidInput:  # what `symbol` says of a name
        raise
    except (SyntaxError, ValueError, TypeError, RecursionError, _NotAFormula) as error:
        reason = error if isinstance(error, _NotAFormula) else "its grammar"
        raise InvalidInput(
            f"{text!r} is no formula ({reason}): write numbers, names, + - * / ** and {', '.join(CALLS)}."
        ) from error


class _NotAFormula(Exception):
    """Something that arithmetic does not have."""


@dataclass(frozen=True)
class _Reader:
    source: str
    symbol: Callable[[str], sp.Expr]

    def read(self, node: ast.AST) -> sp.Expr:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return self._number(node)
        if isinstance(node, ast.Name) and node.id.startswith("name_"):
            name = node.id.removeprefix("name_")
            return _NUMBERS[name] if name in _NUMBERS else self.symbol(name)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            inner = self.read(node.operand)
            return -inner if isinstance(node.op, ast.USub) else inner
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            left, right = self.read(node.left), self.read(node.right)
            if isinstance(node.op, ast.Pow):
                _may_be_raised(left, right)
            return _OPERATIONS[type(node.op)](left, right)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            name = node.func.id.removeprefix("name_")
            if name in CALLS:
                return _called(name, [self.read(arg) for arg in node.args])
        raise _NotAFormula(f"{ast.unparse(node).replace('name_', '')!r} is not arithmetic")

    def _number(self, node: ast.Constant) -> sp.Rational:
        """The number as it is written: a float would round its digits, and lose 1e400 and 1e-400."""
        if isinstance(node.value, int):
            return sp.Integer(node.value)
        written = (ast.get_source_segment(self.source, node) or "").replace("_", "")
        _bounded(4 * abs(Decimal(written).adjusted()), written)
        return sp.Rational(written)


def _may_be_raised(base: sp.Expr, exponent: sp.Expr) -> None:
    """Refuse a power that would take for ever: its exponent is a number too large, or its base has a large one."""
    if not exponent.is_number:
        return
    if exponent is sp.nan or not bool(sp.Abs(exponent) <= 1000):
        raise _NotAFormula(f"the exponent {exponent}")
    _bounded(_bits(base) * int(sp.ceiling(sp.Abs(exponent))), f"a power to {exponent}")


def _called(name: str, arguments: Sequence[sp.Expr]) -> sp.Expr:
    if name in FACTORIALS and any(x.is_Rational and not bool(abs(x) <= 1000) for x in arguments):
        raise _NotAFormula(f"{name} of a number beyond 1000")
    return CALLS[name](*arguments)


def _bits(expr: sp.Expr) -> int:
    """The length of the longest numerator or denominator in the expression."""
    return max((max(abs(x.p), x.q).bit_length() for x in expr.atoms(sp.Rational) if abs(x.p) != x.q), default=0)


def _bounded(bits: int, what: str) -> None:
    if bits > LARGEST:
        raise _NotAFormula(f"{what} has more than {LARGEST} bits")
