"""Terms over the real numbers as plain data, their normal form, and what is needed for a term to have a value.

A term is a rational number, the name of a variable, or a tuple (operation, arguments …):

    ("+", a, b, …)  ("*", a, b, …)  ("pow", a, n)  ("root", k, a)  ("exp", a)  ("log", a)
    ("abs", a)  ("sign", a)  ("max", a, b)  ("min", a, b)  ("if", (op, a), b, c)

with integers n and k ≥ 2; `("if", (op, a), b, c)` is b where `a op 0` holds and c elsewhere, op one of > >= = !=.
The normal form of a term is a fraction of polynomials over *atoms*: variables, roots, exponentials, logarithms and what
cannot be resolved. Two terms with the same normal form are equal wherever both have a value; roots are known by
r^k = base, exponentials by exp(a + b) = exp(a)exp(b). Nothing here searches, and nothing here knows SymPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple

Term = Any
"""Fraction | int | str | tuple: see above. Checked by `check_term`, since certificates come from outside."""

Monomial = tuple[tuple[Any, int], ...]
Poly = dict[Monomial, Fraction]
OPS = (">", ">=", "=", "!=")
LARGEST = 4000
"""Monomials of a polynomial; a proof that needs more is refused rather than waited for."""
_ARITY = {"exp": 1, "log": 1, "abs": 1, "sign": 1, "max": 2, "min": 2}


class Malformed(ValueError):
    """Something is not a term, a relation or a proof; the message shows it."""


class Fact(NamedTuple):
    """`term op 0`."""

    op: str
    term: Term


def check_term(term: Term) -> None:
    """`Malformed` unless it is a term."""
    if isinstance(term, str | Fraction) or (isinstance(term, int) and not isinstance(term, bool)):
        return
    if not isinstance(term, tuple) or not term:
        raise Malformed(f"{term!r} is no term.")
    head, *args = term
    if head in ("+", "*"):
        parts = args
    elif head == "pow" and len(args) == 2 and type(args[1]) is int:
        parts = args[:1]
    elif head == "root" and len(args) == 2 and type(args[0]) is int and args[0] >= 2:
        parts = args[1:]
    elif head in _ARITY and len(args) == _ARITY[head]:
        parts = args
    elif head == "if" and len(args) == 3 and isinstance(args[0], tuple) and len(args[0]) == 2 and args[0][0] in OPS:
        parts = [args[0][1], *args[1:]]
    else:
        raise Malformed(f"{term!r} is no term.")
    for part in parts:
        check_term(part)


def variables(term: Term) -> set[str]:
    """The names that occur."""
    if isinstance(term, str):
        return {term}
    return set().union(*(variables(part) for part in _parts(term))) if isinstance(term, tuple) else set()


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """The term with terms in the places of variables, all at once."""
    if isinstance(term, str):
        return values.get(term, term)
    if not isinstance(term, tuple):
        return term
    head, *args = term
    if head in ("pow",):
        return (head, substitute(args[0], values), args[1])
    if head == "root":
        return (head, args[0], substitute(args[1], values))
    if head == "if":
        return (head, (args[0][0], substitute(args[0][1], values)), *(substitute(arg, values) for arg in args[1:]))
    return (head, *(substitute(arg, values) for arg in args))


def in_words(term: Term) -> str:
    """The term on one line, for a reader."""
    if not isinstance(term, tuple):
        return str(term)
    head, *args = term
    if head == "if":
        return f"if({in_words(args[0][1])} {args[0][0]} 0, {in_words(args[1])}, {in_words(args[2])})"
    if head in ("+", "*"):
        return f"({f' {head} '.join(map(in_words, args))})"
    if head == "pow":
        return f"{in_words(args[0])}^{args[1]}"
    return f"{head}({', '.join(map(in_words, args))})"


def _parts(term: tuple) -> Iterator[Term]:
    head, *args = term
    if head == "pow":
        yield args[0]
    elif head == "root":
        yield args[1]
    elif head == "if":
        yield args[0][1]
        yield from args[1:]
    else:
        yield from args


def derivative(term: Term, x: str) -> Term:
    """∂term/∂x of a term without abs, sign, max, min and if (`Malformed` for these)."""
    if not isinstance(term, tuple):
        return Fraction(int(term == x))
    head, *args = term
    if head == "+":
        return ("+", *(derivative(arg, x) for arg in args))
    if head == "*":
        return ("+", *(("*", *args[:k], derivative(arg, x), *args[k + 1 :]) for k, arg in enumerate(args)))
    if head == "pow":
        return (
            ("*", Fraction(args[1]), ("pow", args[0], args[1] - 1), derivative(args[0], x)) if args[1] else Fraction(0)
        )
    if head == "root":
        return ("*", Fraction(1, args[0]), term, ("pow", args[1], -1), derivative(args[1], x))
    if head == "exp":
        return ("*", term, derivative(args[0], x))
    if head == "log":
        return ("*", ("pow", args[0], -1), derivative(args[0], x))
    raise Malformed(f"{head} has no derivative here: split the cases first.")


def minus(a: Term, *others: Term) -> Term:
    """a − b − c …"""
    return ("+", a, *(("*", Fraction(-1), b) for b in others))


def above_tangent(f: Term, place: Mapping[str, Term]) -> tuple[Term, tuple[Term, ...]]:
    """f(x) − f(a) − ∇f(a)·(x − a) where `place` gives a to the variables x, and the terms ∂_i f(a)(x_i − a_i)."""
    slopes = tuple(("*", substitute(derivative(f, x), place), minus(x, a)) for x, a in place.items())
    return minus(f, substitute(f, place), *slopes), slopes


# ------------------------------------------------------------------------------------------------------- polynomials


def constant(value: Fraction | int) -> Poly:
    return {(): Fraction(value)} if value else {}


def add(a: Poly, b: Poly) -> Poly:
    out = dict(a)
    for monomial, c in b.items():
        total = out.get(monomial, Fraction(0)) + c
        if total:
            out[monomial] = total
        else:
            out.pop(monomial, None)
    return out


def multiply(a: Poly, b: Poly) -> Poly:
    out: Poly = {}
    for m, c in a.items():
        for n, d in b.items():
            product = _times(m, n)
            total = out.get(product, Fraction(0)) + c * d
            if total:
                out[product] = total
            else:
                out.pop(product, None)
        if len(out) > LARGEST:
            raise Malformed(f"a polynomial of more than {LARGEST} monomials")
    return out


def _times(m: Monomial, n: Monomial) -> Monomial:
    if not m or not n:
        return m or n
    powers = dict(m)
    for atom, power in n:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items(), key=repr))


def power(a: Poly, n: int) -> Poly:
    if len(a) == 1:
        ((monomial, c),) = a.items()
        return {tuple((atom, k * n) for atom, k in monomial if n): c**n}
    out = constant(1)
    for _ in range(n):
        out = multiply(out, a)
    return out


def key(a: Poly) -> tuple:
    """The polynomial as a value that can be compared and hashed."""
    return tuple(sorted(a.items(), key=repr))


def scaled(a: Poly) -> tuple[Fraction, tuple]:
    """a = c · p with p the same for all rational multiples of a, whatever their sign."""
    items = key(a)
    content = Fraction(gcd(*(c.numerator for _, c in items)), lcm(*(c.denominator for _, c in items)))
    content = content if items[0][1] > 0 else -content
    return content, tuple((m, c / content) for m, c in items)


class Ratio(NamedTuple):
    """top / Π bottom: the denominator as powers of polynomials (by `key`), each of which must not vanish."""

    top: Poly
    bottom: tuple[tuple[tuple, int], ...] = ()


Resolve = Callable[[Term], "Term | None"]
"""What a term with abs, sign, max, min or if at its head is under the facts at hand; None where they do not tell."""


class Normal:
    """Normal forms of terms that are compared with each other, under facts that `resolve` knows.

    Powers of exponentials can be compared when their exponents have a common denominator: `expect` collects it.
    """

    def __init__(self, resolve: Resolve) -> None:
        self.resolve = resolve
        self._denominators: dict[Any, int] = {}
        self._bases: dict[Any, tuple[int, Ratio]] = {}

    def expect(self, term: Term) -> None:
        """Collect the denominators in exponents of a term that is going to be compared."""
        if not isinstance(term, tuple):
            return
        for part in _parts(term):
            self.expect(part)
        if term[0] == "exp":
            for core, coefficient in self._exponents(term[1]):
                self._denominators[core] = lcm(self._denominators.get(core, 1), coefficient.denominator)

    def _exponents(self, term: Term) -> list[tuple[Any, Fraction]]:
        """term = Σ coefficient · core, where a core is a monomial over the term's denominator."""
        found = self.of(term)
        return [((monomial, found.bottom), coefficient) for monomial, coefficient in found.top.items()]

    def is_zero(self, term: Term) -> bool:
        """Whether the term vanishes wherever it has a value."""
        return not self.reduced(self.of(term).top)

    def of(self, term: Term) -> Ratio:
        if isinstance(term, str):
            return Ratio({((term, 1),): Fraction(1)})
        if not isinstance(term, tuple):
            return Ratio(constant(term))
        head, *args = term
        if head == "+":
            return self._sum([self.of(arg) for arg in args])
        if head == "*":
            out = Ratio(constant(1))
            for arg in args:
                out = self._product(out, self.of(arg))
            return out
        if head == "pow":
            return self._power(self.of(args[0]), args[1])
        if head == "root":
            base = self.of(args[1])
            atom = ("root", args[0], key(base.top), base.bottom)
            self._bases[atom] = args[0], base
            return Ratio({((atom, 1),): Fraction(1)})
        if head == "exp":
            return self._exponential(args[0])
        if head == "log":
            base = self.of(args[0])
            return Ratio({((("log", key(base.top), base.bottom), 1),): Fraction(1)}) if base.top else Ratio({})
        resolved = self.resolve(term)
        if resolved is not None:
            return self.of(resolved)
        parts = tuple((key(found.top), found.bottom) for found in map(self.of, _parts(term)))
        mark = args[0][0] if head == "if" else ""
        return Ratio({(((head, mark, *parts), 1),): Fraction(1)})

    def _exponential(self, term: Term) -> Ratio:
        out = Ratio(constant(1))
        for core, coefficient in self._exponents(term):
            common = self._denominators.get(core, 1)
            common = common if common % coefficient.denominator == 0 else coefficient.denominator
            atom: Poly = {((("exp", core, common), 1),): Fraction(1)}
            out = self._product(out, self._power(Ratio(atom), int(coefficient * common)))
        return out

    def _sum(self, parts: list[Ratio]) -> Ratio:
        common: dict[tuple, int] = {}
        for part in parts:
            for factor, n in part.bottom:
                common[factor] = max(common.get(factor, 0), n)
        top: Poly = {}
        for part in parts:
            have, scaled = dict(part.bottom), part.top
            for factor, n in common.items():
                scaled = multiply(scaled, power(dict(factor), n - have.get(factor, 0)))
            top = add(top, scaled)
        return Ratio(top, tuple(sorted(common.items(), key=repr)))

    @staticmethod
    def _product(a: Ratio, b: Ratio) -> Ratio:
        bottom = dict(a.bottom)
        for factor, n in b.bottom:
            bottom[factor] = bottom.get(factor, 0) + n
        return Ratio(multiply(a.top, b.top), tuple(sorted(bottom.items(), key=repr)))

    def _power(self, a: Ratio, n: int) -> Ratio:
        top = constant(1)
        for factor, m in a.bottom if n < 0 else ():
            top = multiply(top, power(dict(factor), -n * m))
        if n >= 0:
            return Ratio(power(a.top, n), tuple((factor, n * m) for factor, m in a.bottom if n))
        content, part = scaled(a.top) if a.top else (Fraction(0), ())
        if not content:
            raise Malformed("a division by zero")
        return Ratio(multiply(top, constant(content**n)), ((part, -n),))

    def reduced(self, top: Poly) -> Poly:
        """The polynomial, up to a factor that does not vanish, with r^k replaced by the base of every root r."""
        while True:
            high = next(((a, n) for m in top for a, n in m if a in self._bases and n >= self._bases[a][0]), None)
            if high is None:
                return top
            degree, base = self._bases[high[0]]
            top = self._lowered(top, high[0], degree, base)

    def _lowered(self, top: Poly, root: Any, degree: int, base: Ratio) -> Poly:
        below = constant(1)
        for factor, n in base.bottom:
            below = multiply(below, power(dict(factor), n))
        most = max(dict(m).get(root, 0) // degree for m in top)
        out: Poly = {}
        for m, c in top.items():
            powers = dict(m)
            n = powers.pop(root, 0)
            rest = tuple(sorted({**powers, **({root: n % degree} if n % degree else {})}.items(), key=repr))
            times = n // degree
            part = multiply({rest: c}, multiply(power(base.top, times), power(below, most - times)))
            out = add(out, part)
        return out
