"""Exact identities: an expression as a rational function of generators.

exp(t/k), roots and logarithms are replaced by fresh symbols (generators) in one normal form: exponents are split into
their terms, the logarithm of a product of positive factors into a sum. If the numerator then vanishes as a polynomial,
the expression vanishes wherever it is defined. (The generators need not be independent for that direction.)
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, lcm, prod
from typing import Any

import sympy as sp

from fedmm_edu.errors import FedMMError
from fedmm_edu.symbolic.decide.domain import Domain
from fedmm_edu.symbolic.decide.factors import over_rationals
from fedmm_edu.symbolic.decide.signs import possible_signs
from fedmm_edu.symbolic.functions.faces import Smooth
from fedmm_edu.symbolic.functions.signs import NEGATIVE, NONNEGATIVE, POSITIVE
from fedmm_edu.symbolic.functions.table import FUNCTIONS, PIECED, without_rewritten

EXPANDED = 20_000
"""Terms that a product may have when it is multiplied out, before like ones are collected."""
LARGEST_DEGREE = 10_000
"""The degree that a polynomial may have: exp(10⁹ θ) beside exp(θ) is a power of it."""
FACTORED = 60_000
"""Terms times variables times degree of a polynomial that is factored."""
LONGEST = 512
"""Bits of its numbers: the search for factors tries primes up to a size that grows with them."""


class TooLarge(FedMMError):
    """An algebraic step is not taken, since it would go on and on; the message says which step and how large it is."""


def require_size(expr: sp.Expr, step: str) -> None:
    """`TooLarge` where multiplying out gives more than `EXPANDED` terms, or a degree above `LARGEST_DEGREE`."""
    terms, degree, _ = size_of(expr)
    if terms > EXPANDED:
        raise TooLarge(f"{step} would multiply out to as many as {terms} terms, and {EXPANDED} are the limit")
    if degree > LARGEST_DEGREE:
        raise TooLarge(f"{step} would have the degree {degree}, and {LARGEST_DEGREE} is the limit")


def size_of(expr: sp.Basic) -> tuple[int, int, frozenset[sp.Basic]]:
    """How many terms there are at most when the expression is multiplied out and like ones are collected, of which
    degree in what counts as an unknown, and the unknowns."""
    if expr.is_Number:
        return 1, 0, frozenset()
    if isinstance(expr, sp.Add | sp.Mul):
        parts = list(map(size_of, expr.args))
        unknown = frozenset().union(*(part[2] for part in parts))
        if isinstance(expr, sp.Add):
            return sum(part[0] for part in parts), max(part[1] for part in parts), unknown
        terms, degree = prod(part[0] for part in parts), sum(part[1] for part in parts)
    elif isinstance(expr, sp.Pow) and expr.exp.is_Integer and expr.exp > 0:
        (terms, degree, unknown), n = size_of(expr.base), int(expr.exp)
        terms, degree = comb(terms + n - 1, n) if terms > 1 else 1, degree * n
    else:
        return 1, 1, frozenset({expr})
    return min(terms, comb(degree + len(unknown), degree)), degree, unknown


class Algebra:
    """The generators that a fixed set of expressions needs over a domain.

    `of(expr)` is expr as a rational function of symbols and generators (Abs, Max, Piecewise … stay, with rewritten
    arguments); `back(form)` undoes it. `roots` gives each root its degree and its base: root^degree = base; so it does
    for a function whose square the table knows. A symbol that is nonnegative on the whole domain is written as a power
    of its root, and then has none of the two.
    """

    def __init__(self, exprs: Iterable[sp.Expr], domain: Domain) -> None:
        self.domain = domain
        self.meaning: dict[sp.Symbol, sp.Expr] = {}
        self.roots: dict[sp.Symbol, tuple[int, sp.Expr]] = {}
        self._exp: dict[tuple[sp.Expr, int], sp.Symbol] = {}
        self._log: dict[sp.Expr, sp.Symbol] = {}
        self._roots: dict[tuple[sp.Expr, int], sp.Symbol] = {}
        self._exponent_lcm: dict[sp.Expr, int] = {}
        self._root_lcm: dict[sp.Expr, int] = {}
        for expr in exprs:
            self._collect(without_rewritten(expr))

    def of(self, expr: sp.Expr) -> Any:
        return self._walk(without_rewritten(expr))

    def back(self, form: Any) -> Any:
        for _ in range(8):  # meanings may contain generators of inner expressions
            if not form.free_symbols & self.meaning.keys():
                break
            form = form.xreplace(self.meaning)
        return form

    def fraction(self, expr: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
        """Numerator (expanded) and denominator of expr; `TooLarge` where the former is."""
        numerator, denominator = sp.fraction(sp.together(self.opaque(self.of(expr))))
        require_size(numerator, "a numerator")
        return sp.expand(numerator), denominator

    def is_zero(self, expr: sp.Expr) -> bool:
        """Whether the numerator is zero once r^k is replaced by the base of every root r."""
        numerator = self.fraction(expr)[0]
        for generator in reversed(self.roots):
            degree, base = self.roots[generator]
            if not self._dissolved(base, degree):
                numerator = _reduce(numerator, generator, degree, self._walk(base))
        return numerator == 0

    def opaque(self, form: Any) -> Any:
        """Abs, Max, Piecewise … as generators too, for polynomial arithmetic."""
        for node in sorted(form.atoms(*PIECED), key=lambda e: -e.count_ops()):
            if form.has(node):
                form = form.xreplace({node: self._generator("A", node, real=True)})
        return form

    def _generator(self, letter: str, meaning: sp.Expr, **assumptions: bool) -> sp.Symbol:
        for generator, known in self.meaning.items():
            if known == meaning:
                return generator
        generator = sp.Dummy(f"{letter}{len(self.meaning)}", **assumptions)
        self.meaning[generator] = meaning
        return generator

    def _collect(self, e: sp.Expr) -> None:
        """Common denominators of exponents: exp(t/2) and exp(t/3) are powers of exp(t/6), √s and s of √s."""
        for node in sp.preorder_traversal(e):
            if isinstance(node, sp.exp):
                for term in sp.Add.make_args(sp.expand(node.args[0])):
                    coefficient, core = term.as_coeff_Mul()
                    if isinstance(coefficient, sp.Rational):
                        self._exponent_lcm[core] = lcm(self._exponent_lcm.get(core, 1), int(coefficient.q))
            elif isinstance(node, sp.Pow) and isinstance(node.exp, sp.Rational) and not node.exp.is_Integer:
                self._root_lcm[node.base] = lcm(self._root_lcm.get(node.base, 1), int(node.exp.q))

    def _walk(self, e: Any) -> Any:
        if e.is_Rational:
            return e
        if e.is_Symbol:
            degree = self._root_lcm.get(e, 1)
            return self._root_of(e, degree) ** degree if self._dissolved(e, degree) else e
        if isinstance(e, sp.exp):
            return sp.Mul(*(self._exponential(term) for term in sp.Add.make_args(sp.expand(e.args[0]))))
        if e is sp.E:
            return self._exponential(sp.S.One)
        if isinstance(e, sp.log):
            return self._logarithm(e)
        if e.is_Pow and e.exp.is_Rational and not e.exp.is_Integer:
            return self._root(e.base, int(e.exp.q)) ** int(e.exp.p)
        if e.is_Add or e.is_Mul or (e.is_Pow and e.exp.is_Integer) or isinstance(e, (*PIECED, sp.Rel, *BOOLEAN)):
            return e.func(*(self._walk(arg) if not isinstance(arg, sp.Tuple) else self._pair(arg) for arg in e.args))
        if e in (sp.true, sp.false):
            return e
        if isinstance(entry := FUNCTIONS.get(e.func), Smooth):
            return self._function(entry, e.func(*map(sp.expand, e.args)))
        positive = possible_signs(e, self.domain) == POSITIVE
        return self._generator("U", e, **({"positive": True} if positive else {"real": True}))

    def _function(self, entry: Smooth, e: Any) -> sp.Expr:
        """A generator, which is a root where the table knows the square."""
        signs = {POSITIVE: "positive", NONNEGATIVE: "nonnegative", NEGATIVE: "negative"}
        generator = self._generator("U", e, **{signs.get(possible_signs(e, self.domain), "real"): True})
        if entry.squared is not None:
            self.roots[generator] = 2, entry.squared(*e.args)
        return generator

    def _pair(self, pair: sp.Tuple) -> tuple[sp.Expr, sp.Basic]:
        return self._walk(pair[0]), self._walk(pair[1])

    def _exponential(self, term: sp.Expr) -> sp.Expr:
        coefficient, core = term.as_coeff_Mul()
        if term == 0:
            return sp.S.One
        if not isinstance(coefficient, sp.Rational):
            coefficient, core = sp.S.One, term
        if isinstance(core, sp.log):
            arg = core.args[0]
            if coefficient.is_Integer:
                return self._walk(arg) ** int(coefficient)
        k = self._common(self._exponent_lcm, core, int(coefficient.q))
        if (core, k) not in self._exp:
            self._exp[core, k] = self._generator("W", sp.exp(core / k), positive=True)
        return self._exp[core, k] ** int(coefficient * k)

    def _common(self, known: dict[sp.Expr, int], core: sp.Expr, degree: int) -> int:
        """The common denominator that was collected for `core`; `degree` itself where rewriting brought a new one."""
        common = known.get(core, degree)
        return common if common % degree == 0 else degree

    def _root(self, base: sp.Expr, degree: int) -> sp.Expr:
        """√(f²·g) as |f|·√g where g ≥ 0 everywhere (otherwise √g might not exist where f = 0), else a generator."""
        if degree != 2 or base.is_Symbol or base.is_Rational or not base.has(sp.Pow):
            return self._root_of(base, degree)
        content, factors = factor_list(self.opaque(self._walk(base)))
        outside = sp.Mul(*(sp.Abs(f) ** (power // 2) for f, power in factors if power % 2 == 0))
        inside = self.back(sp.expand(content * sp.Mul(*(f**power for f, power in factors if power % 2))))
        if outside == 1 or not possible_signs(inside, self.domain) <= NONNEGATIVE:
            return self._root_of(base, degree)
        root = sp.sqrt(inside)
        return outside * (root if root.is_Rational else self._root_of(inside, 2) if root.is_Pow else self._walk(root))

    def _root_of(self, base: sp.Expr, degree: int) -> sp.Expr:
        common = self._common(self._root_lcm, base, degree)
        if (base, common) not in self._roots:
            sign = {"positive": True} if possible_signs(base, self.domain) == POSITIVE else {"nonnegative": True}
            root = self._generator("R", sp.root(base, common), **sign)
            self._roots[base, common] = root
            self.roots[root] = common, base
        return self._roots[base, common] ** (common // degree)

    def _dissolved(self, base: sp.Expr, degree: int) -> bool:
        """Whether the symbol `base` is written as the power `degree` of its root: only where it is ≥ 0 throughout.

        A root may stand in one branch of a Piecewise alone, which says nothing of the sign of its base elsewhere.
        """
        known = base.is_Symbol and degree > 1 and self._root_lcm.get(base) == degree
        return known and possible_signs(base, self.domain) <= NONNEGATIVE

    def _logarithm(self, e: sp.log) -> sp.Expr:
        """log of a product of positive factors as the sum of their logarithms, else one generator."""
        form = self.opaque(self._walk(e.args[0]))
        content, factors = factor_list(form)
        negative = {base: possible_signs(base, self.domain) == NEGATIVE for base, _ in factors}
        if sum(power for base, power in factors if negative[base]) % 2:
            content = -content
        factors = [(-base if negative[base] else base, power) for base, power in factors]  # (1 − θ), not (θ − 1)
        if content <= 0 or any(possible_signs(base, self.domain) != POSITIVE for base, _ in factors):
            return self._generator("L", e, real=True)
        return sp.Add(
            *(power * self._log_of(base) for base, power in factors),
            *(power * self._log_of(sp.Integer(prime)) for prime, power in sp.factorrat(content).items()),
        )

    def _log_of(self, factor: sp.Expr) -> sp.Expr:
        meaning = self.meaning.get(factor) if isinstance(factor, sp.Symbol) else None
        if isinstance(meaning, sp.exp):
            return self._walk(meaning.args[0])
        if factor == 1:
            return sp.S.Zero
        if isinstance(factor, sp.Symbol) and factor in self.roots:
            degree, base = self.roots[factor]
            if self._dissolved(base, degree):
                return self._log.setdefault(base, self._generator("L", sp.log(base), real=True)) / degree
            return self._log_of(self._walk(base)) / degree
        key = sp.expand(factor)
        return self._log.setdefault(key, self._generator("L", sp.log(self.back(key)), real=True))


BOOLEAN = (sp.And, sp.Or, sp.Not)


def factor_list(form: sp.Expr) -> tuple[sp.Rational, list[tuple[sp.Expr, int]]]:
    """form = content · Π factor^power, factors irreducible over ℚ (negative powers: the denominator).

    A numerator or denominator that is too large is left as it is: one factor, not known to be irreducible.
    """
    numerator, denominator = sp.fraction(sp.together(form))
    (top, above), (bottom, below) = map(_factors, (numerator, denominator))
    return top / bottom, [*above, *((base, -power) for base, power in below)]


def _factors(polynomial: sp.Expr) -> tuple[sp.Rational, list[tuple[sp.Expr, int]]]:
    terms, degree, _ = size_of(polynomial)
    if terms > EXPANDED or degree > LARGEST_DEGREE:
        return sp.S.One, [(polynomial, 1)]
    expanded = sp.expand(polynomial)
    unknown = expanded.free_symbols
    if unknown and expanded.is_polynomial(*unknown):
        poly = sp.Poly(expanded, *unknown)
        longest = max((max(abs(x.p), x.q).bit_length() for x in expanded.atoms(sp.Rational)), default=0)
        if len(sp.Add.make_args(expanded)) * len(unknown) * poly.total_degree() > FACTORED or longest > LONGEST:
            return sp.S.One, [(expanded, 1)]
        if poly.domain in (sp.ZZ, sp.QQ):
            return over_rationals(expanded)
    return sp.factor_list(expanded)


def vanishes(expr: sp.Expr, domain: Domain | None = None) -> bool:
    """True proves that expr is zero wherever it is defined; False says only that no identity was found."""
    domain = Domain.of((), (expr,)) if domain is None else domain
    expr = domain.lift(expr)
    try:
        return Algebra((expr,), domain).is_zero(expr)
    except TooLarge:
        return False


def _reduce(numerator: sp.Expr, generator: sp.Symbol, degree: int, base: sp.Expr) -> sp.Expr:
    """The numerator, up to a nonzero factor of either sign, lowered in degree by generator^degree = base."""
    if not numerator.has(generator):
        return numerator
    top, bottom = sp.fraction(sp.together(base))
    relation = sp.expand(bottom * generator**degree - top)
    if not (numerator.is_polynomial(generator) and relation.is_polynomial(generator)):
        return numerator
    if sp.degree(numerator, generator) < sp.degree(relation, generator):
        return numerator
    return sp.expand(sp.prem(numerator, relation, generator))
