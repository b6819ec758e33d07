"""SymPy expressions as terms of Coq's real numbers; Gram symbols become inner products of vectors.

One table of names serves a whole export, so that a formula that occurs twice is written twice alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.gram import gram

RESERVED = frozenset({
    "Space", "vec", "add", "scal", "dot", "R", "Rabs", "exp", "ln", "sqrt", "as", "at", "by", "cofix", "else", "end",
    "exists", "exists2", "fix", "for", "forall", "fun", "if", "IF", "in", "let", "match", "mod", "Prop", "return",
    "Set", "SProp", "then", "Type", "using", "where", "with",
})  # fmt: skip
COQ_FUNCTIONS = {sp.Abs: "Rabs", sp.exp: "exp", sp.log: "ln"}
NORM, PRODUCT = re.compile(r"\{\\left\\\|(.+)\\right\\\|\^2\}"), re.compile(r"\{\\langle (.+)\\rangle\}")


class CoqNames:
    """Coq identifiers for SymPy symbols and for atoms of formal vectors, one each."""

    def __init__(self) -> None:
        self._of: dict[object, str] = {}
        self._taken = set(RESERVED)

    def of(self, thing: sp.Symbol | str) -> str:
        """The identifier of a symbol, or of the atom with this name, made up at first use."""
        if thing not in self._of:
            base = identifier(thing if isinstance(thing, str) else str(thing.name))
            free = (name for k in range(1, 10_000) if (name := base if k == 1 else f"{base}_{k}") not in self._taken)
            self._of[thing] = next(free)
            self._taken.add(self._of[thing])
        return self._of[thing]


def identifier(text: str) -> str:
    """A Coq identifier that reads like `text`: `\\gamma_{t+1}` is gamma_t_1, `x^+` is x_plus and `t_{-}` t_minus."""
    words = re.findall(r"[A-Za-z0-9]+'*|'+", text.replace("^+", " plus ").replace("_{-}", " minus "))
    name = "_".join(words).replace("_'", "'") or "x"
    return name if name[0].isalpha() else f"x_{name.lstrip(chr(39))}"


def atoms_of(symbol: sp.Symbol) -> tuple[str, str] | None:
    """The atoms (a, b) whose inner product `gram(a, b)` is the symbol, or None if it is an ordinary number."""
    if found := NORM.fullmatch(str(symbol)):
        pairs = [(found[1], found[1])]
    elif found := PRODUCT.fullmatch(str(symbol)):
        words = found[1].split(", ")
        pairs = [(", ".join(words[:k]), ", ".join(words[k:])) for k in range(1, len(words))]
    else:
        return None
    pairs = [pair for pair in pairs if gram(*pair) == symbol]
    if len(pairs) > 1:
        raise InvalidInput(f"{symbol} can be read as {len(pairs)} inner products: name its atoms without “, ”.")
    return pairs[0] if pairs else None


def symbols_of(exprs: Iterable[sp.Expr]) -> list[sp.Symbol]:
    """The symbols of all expressions, in the order of their names."""
    found = {s for expr in exprs for s in expr.free_symbols}
    return sorted((s for s in found if isinstance(s, sp.Symbol)), key=lambda s: (s.name, str(s.assumptions0)))


def term(expr: sp.Expr, names: CoqNames) -> str:
    """The expression as a Coq term, in parentheses unless it is one word; `InvalidInput` for what Coq's reals lack."""
    if isinstance(expr, sp.Symbol):
        pair = atoms_of(expr)
        return names.of(expr) if pair is None else f"(dot {names.of(pair[0])} {names.of(pair[1])})"
    if isinstance(expr, sp.Integer):
        return str(expr) if expr >= 0 else f"(- {-expr})"
    if isinstance(expr, sp.Rational):
        return f"({term(sp.Integer(expr.p), names)} / {expr.q})"
    parts = [term(part, names) for part in expr.args]
    if expr.is_Add or expr.is_Mul:
        return f"({(' + ' if expr.is_Add else ' * ').join(parts)})"
    if isinstance(expr, sp.Pow) and isinstance(exponent := expr.exp, sp.Rational) and exponent.q in (1, 2):
        base = parts[0] if exponent.q == 1 else f"(sqrt {parts[0]})"
        power = base if abs(exponent.p) == 1 else f"({base} ^ {abs(exponent.p)})"
        return power if exponent > 0 else f"(/ {power})"
    if type(expr) in COQ_FUNCTIONS:
        return f"({COQ_FUNCTIONS[type(expr)]} {parts[0]})"
    raise InvalidInput(f"{expr} has no translation to Coq's real numbers: only sums, products, powers, |x|, exp, log.")


def declared_sign(symbol: sp.Symbol) -> tuple[str, str] | None:
    """The declared sign of a symbol as a pair such as ("0 <", ""), around its name; None if it may be any number."""
    if symbol.is_positive:
        return ("0 <", "")
    if symbol.is_nonnegative:
        return ("0 <=", "")
    if symbol.is_negative:
        return ("", "< 0")
    if symbol.is_nonpositive:
        return ("", "<= 0")
    return ("", "<> 0") if symbol.is_nonzero else None
