"""The set of points over which a statement is claimed: finitely many relations between real variables.

Inside the engine every relation is kept as `expr op 0`, and every symbol carries the strongest sign that a relation
about it alone gives (x > 0 makes it a positive symbol). Points are keyed by the *names* of variables, so that a symbol
means the same with and without its sign.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.terms import apart_from
from fedmm_edu.symbolic.functions.signs import ALLOWED, ANY_SIGN, Op, Signs

_ASSUMPTION = {
    frozenset({1}): {"positive": True},
    frozenset({0, 1}): {"nonnegative": True},
    frozenset({-1}): {"negative": True},
    frozenset({-1, 0}): {"nonpositive": True},
    frozenset({-1, 1}): {"real": True, "nonzero": True},
}


class Relation(NamedTuple):
    """expr op 0."""

    expr: sp.Expr
    op: Op

    def __str__(self) -> str:
        return f"{self.expr} {'=' if self.op == '==' else self.op} 0"

    @property
    def tex(self) -> str:
        sign = {">": ">", ">=": r"\ge", "==": "=", "!=": r"\ne"}[self.op]
        return f"${sp.latex(self.expr)} {sign} 0$"

    @property
    def statement(self) -> sp.Basic:
        """The relation in SymPy's own words; true or false where no symbol is left in it."""
        return {">": sp.Gt, ">=": sp.Ge, "==": sp.Eq, "!=": sp.Ne}[self.op](self.expr, 0)

    @property
    def inner(self) -> Relation:
        """The relation without its boundary: > for ≥."""
        return Relation(self.expr, ">" if self.op == ">=" else self.op)

    def at(self, values: Mapping[Any, Any]) -> Relation:
        """The relation with the values put in."""
        return Relation(self.expr.xreplace(values), self.op)

    def negated(self) -> tuple[Relation, ...]:
        """The relations of which at least one holds exactly where this one fails."""
        opposite: dict[str, Op] = {">": ">=", ">=": ">", "==": "!=", "!=": "=="}
        return (Relation(-self.expr if self.op in (">", ">=") else self.expr, opposite[self.op]),)


def relations_of(*statements: sp.Basic | bool | Relation) -> tuple[Relation, ...]:
    """Conjunctions of SymPy relations as `Relation`s; a trivially true one is dropped, a false one refused."""
    return tuple(relation for statement in statements for relation in _relations_of(statement))


def _relations_of(statement: sp.Basic | bool | Relation) -> tuple[Relation, ...]:
    if isinstance(statement, Relation):
        return (statement,)
    statement = sp.sympify(statement)
    if statement is sp.true:
        return ()
    if statement is sp.false:
        raise InvalidInput("a relation of the domain is always false, so the domain is empty: correct the relation.")
    if isinstance(statement, sp.And):
        return relations_of(*statement.args)
    if isinstance(statement, sp.Gt | sp.Ge):
        return (Relation(statement.lhs - statement.rhs, ">" if isinstance(statement, sp.Gt) else ">="),)
    if isinstance(statement, sp.Lt | sp.Le):
        return (Relation(statement.rhs - statement.lhs, ">" if isinstance(statement, sp.Lt) else ">="),)
    if isinstance(statement, sp.Eq | sp.Ne):
        return (Relation(statement.lhs - statement.rhs, "==" if isinstance(statement, sp.Eq) else "!="),)
    raise InvalidInput(f"{statement} is not a relation: write the domain with >, >=, <, <=, Eq, Ne and And.")


def assumed(symbol: sp.Symbol) -> tuple[sp.Basic, ...]:
    """The relations that the assumptions of a symbol stand for; a symbol that is not real is refused."""
    if symbol.is_real is False or symbol.is_commutative is False:
        raise InvalidInput(f"{symbol} is not a real symbol: declare it with symbols('{symbol}', real=True).")
    if symbol.is_integer:
        raise InvalidInput(f"{symbol} is declared an integer, which no check here uses: declare it real.")
    x = real(symbol)
    if symbol.is_positive:
        return (x > 0,)
    if symbol.is_negative:
        return (x < 0,)
    weak = [x >= 0] if symbol.is_nonnegative else [x <= 0] if symbol.is_nonpositive else []
    return (*weak, *([sp.Ne(x, 0)] if symbol.is_zero is False else []))


def real(expr: sp.Basic) -> Any:
    """The expression with every symbol replaced by the plain real symbol of the same name."""
    return expr.xreplace({x: sp.Symbol(x.name, real=True) for x in expr.free_symbols if not isinstance(x, sp.Dummy)})


def fresh(names: Iterable[str], taken: Iterable[sp.Basic]) -> tuple[sp.Symbol, ...]:
    """Real symbols of these names, each with as many underscores as keep it apart from every symbol of `taken`."""
    used = {x.name for expr in taken for x in sp.sympify(expr).free_symbols}
    found = []
    for name in names:
        used.add(name := apart_from(used, name))
        found.append(sp.Symbol(name, real=True))
    return tuple(found)


@dataclass(frozen=True)
class Domain:
    """{x : every relation holds}; `variables` are the symbols, with their signs, in the order of their names."""

    variables: tuple[sp.Symbol, ...]
    relations: tuple[Relation, ...]

    @classmethod
    def of(cls, relations: Iterable[sp.Basic | Relation] = (), variables: Iterable[sp.Basic] = ()) -> Domain:
        """The domain of SymPy relations; `variables` may be symbols or expressions whose symbols matter too."""
        found = list(relations_of(*relations))
        symbols = {x for e in (*variables, *(r.expr for r in found)) for x in sp.sympify(e).free_symbols}
        found += [r for x in sorted(symbols, key=str) for r in relations_of(*assumed(x))]
        plain = [Relation(real(r.expr), r.op) for r in found]
        signs = _signs_of_variables(plain)
        names = sorted({x.name for x in symbols})
        strong = {name: sp.Symbol(name, **_ASSUMPTION.get(signs.get(name, ANY_SIGN), {"real": True})) for name in names}
        lifted = (Relation(_rename(r.expr, strong), r.op) for r in plain)
        return cls(tuple(strong.values()), tuple(dict.fromkeys(lifted)))

    def lift(self, expr: sp.Basic) -> Any:
        """The expression in the symbols of this domain (which carry signs)."""
        return _rename(expr, {x.name: x for x in self.variables})

    def also(self, relations: Iterable[sp.Basic | Relation] = (), variables: Iterable[sp.Basic] = ()) -> Domain:
        """This domain with further relations or variables."""
        return Domain.of((*self.relations, *relations), (*self.variables, *variables))

    @cached_property
    def facts(self) -> dict[sp.Expr, Signs]:
        """The signs that each left-hand side, up to a rational factor, can take on the domain."""
        known: dict[sp.Expr, Signs] = {}
        for relation in self.relations:
            scale, key = primitive(relation.expr)
            allowed = frozenset(sign * (1 if scale > 0 else -1) for sign in ALLOWED[relation.op])
            known[key] = known.get(key, ANY_SIGN) & allowed
        return known

    def __str__(self) -> str:
        return ", ".join(str(r) for r in self.relations) or "all real values"


def primitive(expr: sp.Expr) -> tuple[sp.Rational, sp.Expr]:
    """expr = c·p with c rational and p the same for all rational multiples of expr."""
    content, part = sp.expand(expr).as_content_primitive()
    terms = sorted(sp.Add.make_args(part), key=lambda t: sp.default_sort_key(t.as_coeff_Mul()[1]))
    if terms[0].as_coeff_Mul()[0] < 0:
        content, part = -content, sp.expand(-part)
    return content, part


def _rename(expr: sp.Basic, table: Mapping[str, sp.Symbol]) -> Any:
    swaps = {x: table[x.name] for x in expr.free_symbols if x.name in table and not isinstance(x, sp.Dummy)}
    return expr.xreplace(swaps)


def _signs_of_variables(relations: list[Relation]) -> dict[str, Signs]:
    """What the relations between one variable and a rational number say about the sign of that variable."""
    signs: dict[str, Signs] = {}
    expr: Any
    for expr, op in relations:
        if len(expr.free_symbols) != 1:
            continue
        (x,) = expr.free_symbols
        slope, rest = expr.coeff(x, 1), expr.coeff(x, 0)
        if not (slope.is_Rational and rest.is_Rational and slope != 0) or sp.expand(expr - slope * x - rest) != 0:
            continue
        bound, allowed = -rest / slope, frozenset(s * (1 if slope > 0 else -1) for s in ALLOWED[op])
        # x − bound has a sign in `allowed`: so has x when bound is 0, and also when bound lies on the far side
        signs[x.name] = signs.get(x.name, ANY_SIGN) & _shifted(allowed, int(sp.sign(bound)))
    return {name: allowed for name, allowed in signs.items() if allowed}


def _shifted(allowed: Signs, bound: int) -> Signs:
    """The signs of x = bound + y for y with sign in `allowed`."""
    out: set[int] = set()
    for sign in allowed:
        out |= {bound} if sign == 0 else {sign} if bound in (0, sign) else ANY_SIGN
    return frozenset(out)
