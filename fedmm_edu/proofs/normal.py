"""The normal form of terms: fractions of polynomials over atoms, by which the kernel compares terms.

The normal form of a term is a fraction of polynomials over *atoms*: variables, roots, exponentials, logarithms and what
cannot be resolved. Two terms with the same normal form are equal wherever both have a value; roots are known by
r^k = base, exponentials by exp(a + b) = exp(a)exp(b), logarithms by log(uv) = log u + log v where u, v > 0 and by being
the inverse of exp. Nothing here searches, and nothing here knows SymPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from math import gcd, lcm
from typing import Any, NamedTuple

from fedmm_edu.proofs.terms import Malformed, Term, parts_of

Powers = tuple[tuple[int, int], ...]
"""Atoms, by the numbers that a `Normal` gives them, with their powers."""
Rational = Fraction | int
"""A rational number; nearly all of them are integers, and Python's are ten times as fast as its fractions."""
Poly = dict[Powers, Rational]
WORK = 2_000_000
"""Products of monomials and signs read off, for a whole proof: one that needs more is refused, not waited for."""
LARGEST = 10_000
"""Products of monomials in one product of polynomials."""
HIGHEST = 200
"""The power to which a sum is raised."""
DIGITS = 20_000
"""Bits of a number that a power gives."""


class Work:
    """What a proof has cost so far."""

    def __init__(self) -> None:
        self.done = 0

    def spend(self, amount: int) -> None:
        self.done += amount
        if self.done > WORK:
            raise Malformed(f"it needs more than {WORK} products of monomials and signs")


def exact(value: Rational) -> Rational:
    """The number, as an integer where it is one. Numbers are divided by `over` alone: / would round integers."""
    return value.numerator if value.denominator == 1 else value


def over(a: Rational, b: Rational) -> Rational:
    return a if b == 1 else exact(Fraction(a) / b)


def constant(value: Rational) -> Poly:
    return {(): exact(value)} if value else {}


def add(a: Poly, b: Poly) -> Poly:
    out = dict(a)
    for monomial, c in b.items():
        _include(out, monomial, c)
    return out


def _include(out: Poly, monomial: Powers, c: Rational) -> None:
    have = out.get(monomial)
    if have is None:
        out[monomial] = c
    elif total := have + c:
        out[monomial] = exact(total)
    else:
        del out[monomial]


def multiply(a: Poly, b: Poly) -> Poly:
    if len(a) * len(b) > LARGEST:
        raise Malformed(f"a product of polynomials of {len(a)} and {len(b)} monomials")
    if len(a) == 1 or len(b) == 1:  # no two products are alike
        return {_times(m, n): exact(c * d) for m, c in a.items() for n, d in b.items()}
    out: Poly = {}
    for m, c in a.items():
        for n, d in b.items():
            _include(out, _times(m, n), exact(c * d))
    return out


def _times(m: Powers, n: Powers) -> Powers:
    if not m or not n:
        return m or n
    if m[-1][0] < n[0][0]:
        return m + n
    if n[-1][0] < m[0][0]:
        return n + m
    powers = dict(m)
    for atom, power in n:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items()))


def power(a: Poly, n: int, times: Callable[[Poly, Poly], Poly] = multiply) -> Poly:
    if n < 0:
        raise Malformed("a polynomial to a negative power")
    if len(a) == 1:
        ((monomial, c),) = a.items()
        return {tuple((atom, k * n) for atom, k in monomial if n): number_to(c, n)}
    if n > HIGHEST:
        raise Malformed(f"a sum of {len(a)} monomials to the power {n}")
    out = constant(1)
    for _ in range(n):
        out = times(out, a)
    return out


def number_to(c: Rational, n: int) -> Rational:
    """c^n, for a number of sensible length."""
    if abs(n) * (max(abs(c.numerator), c.denominator).bit_length() - 1) > DIGITS:
        raise Malformed(f"a number of more than {DIGITS} bits, by the power {n}")
    return c**n if n >= 0 and isinstance(c, int) else exact(Fraction(c) ** n)


def key(a: Poly) -> tuple:
    """The polynomial as a value that can be compared and hashed."""
    return tuple(sorted(a.items()))


def scaled(a: Poly) -> tuple[Rational, tuple]:
    """a = c · p with p the same for all rational multiples of a, whatever their sign."""
    items = key(a)
    top, bottom = gcd(*(c.numerator for _, c in items)), lcm(*(c.denominator for _, c in items))
    top = top if items[0][1] > 0 else -top
    return over(top, bottom), tuple((m, c.numerator * (bottom // c.denominator) // top) for m, c in items)


class Ratio(NamedTuple):
    """top / Π factor^n: polynomials (by `key`) that do not vanish where the term has a value, with n of either sign."""

    top: Poly
    bottom: tuple[tuple[tuple, int], ...] = ()


Resolve = Callable[[Term], "Term | None"]
"""What a term with abs, sign, max, min or if at its head is under the facts at hand; None where they do not tell."""
IsPositive = Callable[[Poly], bool]
"""Whether the facts at hand show that a polynomial is > 0 wherever it has a value."""
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)


class Normal:
    """Normal forms of terms that are compared with each other, under facts that `resolve` and `is_positive` know.

    A logarithm or a root of a product of factors > 0 is written factor by factor, and exp(n log u) as u^n. Powers of
    exponentials can be compared when their exponents have a common denominator: `expect` collects it.
    """

    def __init__(self, resolve: Resolve, is_positive: IsPositive, work: Work) -> None:
        self.resolve, self.is_positive, self.work = resolve, is_positive, work
        self.atoms: list[Any] = []
        """What an atom stands for: a name, ("root", k, base), ("log", base), ("exp", core, n), or (term,) as it is."""
        self._numbers: dict[Any, int] = {}
        self._denominators: dict[Any, int] = {}
        self._found: dict[int, tuple[Term, Ratio, bool]] = {}

    def go_on_from(self, other: Normal) -> None:
        """Begin with what another one has found under the same facts."""
        self.atoms, self._numbers = list(other.atoms), dict(other._numbers)
        self._denominators, self._found = dict(other._denominators), dict(other._found)

    def forget(self) -> None:
        """The facts at hand have changed: sums, products and powers of variables alone do not rest on them."""
        self._found = {k: entry for k, entry in self._found.items() if entry[2]}

    def atom(self, meaning: Any) -> Ratio:
        """The atom of this meaning, as a ratio."""
        number = self._numbers.setdefault(meaning, len(self.atoms))
        if number == len(self.atoms):
            self.atoms.append(meaning)
        return Ratio({((number, 1),): 1})

    def expect(self, term: Term) -> None:
        """Collect the denominators in exponents of a term that is going to be compared."""
        if not isinstance(term, tuple):
            return
        for part in parts_of(term):
            self.expect(part)
        if term[0] == "exp":
            for core, coefficient in self._exponents(term[1]):
                common = self._denominators.get(core, 1)
                if common % coefficient.denominator:
                    self._denominators[core] = lcm(common, coefficient.denominator)
                    self.forget()

    def _exponents(self, term: Term) -> list[tuple[Any, Rational]]:
        """term = Σ coefficient · core, where a core is a monomial over the term's denominator."""
        found = self.expanded(self.of(term))
        top = self.reduced(found.top, exactly=True)
        return [(self._cancelled(monomial, found.bottom), coefficient) for monomial, coefficient in top.items()]

    def _cancelled(self, monomial: Powers, bottom: Any) -> tuple[Powers, Any]:
        """The monomial over the denominator without the exponentials that stand in both, which are > 0."""
        top, left = dict(monomial), []
        for factor, n in bottom:
            atom = factor[0][0][0][0] if len(factor) == 1 and len(factor[0][0]) == 1 else None
            meaning = None if atom is None or factor != ((((atom, 1),), 1),) else self.atoms[atom]
            if atom is not None and isinstance(meaning, tuple) and meaning[0] == "exp":
                both = min(n, top.get(atom, 0))
                top[atom], n = top.get(atom, 0) - both, n - both
            if n:
                left.append((factor, n))
        return tuple((atom, top[atom]) for atom, _ in monomial if top[atom]), tuple(left)

    def is_zero(self, term: Term) -> bool:
        """Whether the term vanishes wherever it has a value."""
        return not self.reduced(self.of(term).top)

    def of(self, term: Term) -> Ratio:
        """The normal form."""
        if isinstance(term, str):
            return self.atom(term)
        if not isinstance(term, tuple):
            return Ratio(constant(term))
        if id(term) not in self._found:  # the term is kept beside what was found, so that its id stays its own
            found = self._of(term)
            self._found[id(term)] = term, found, term[0] in ("+", "*", "pow") and all(map(self._is_plain, term[1:]))
        return self._found[id(term)][1]

    def _is_plain(self, term: Term) -> bool:
        """Whether the normal form of a part, which was just found, rests on no fact."""
        return not isinstance(term, tuple) or (id(term) in self._found and self._found[id(term)][2])

    def _of(self, term: tuple) -> Ratio:
        head, *args = term
        if head == "+":
            return self._sum([self.of(arg) for arg in args])
        if head == "*":
            return reduce(self._product, map(self.of, args), Ratio(constant(1)))
        if head == "pow":
            return self._power(self.of(args[0]), args[1])
        if head == "root":
            return self._root(args[0], self.of(args[1]))
        if head == "exp":
            return self._exponential(args[0])
        if head == "log":
            return self._logarithm(self.of(args[0]))
        resolved = self.resolve(term)
        if resolved is not None:
            return self.of(resolved)
        parts = tuple((key(found.top), found.bottom) for found in map(self.of, parts_of(term)))
        return self.atom((head, args[0][0] if head == "if" else args[0] if head == "polygamma" else "", *parts))

    # -------------------------------------------------------------------------------------- roots, exp and log

    def _factors(self, base: Ratio) -> tuple[list[tuple[Poly, int]], Ratio]:
        """base = Π factor^n · rest: the factors are atoms and denominators that are > 0, and prime numbers."""
        top, factors = base.top, []
        for atom, n in common_monomial(top):
            if self.is_positive({((atom, 1),): 1}):
                factors.append(({((atom, 1),): 1}, n))
                top = over_atom(top, atom, n)
        rest = tuple((factor, n) for factor, n in base.bottom if not self.is_positive(dict(factor)))
        factors += [(dict(factor), -n) for factor, n in base.bottom if (factor, n) not in rest]
        top, rest = self.expanded(Ratio(top, rest))
        content, part = scaled(top)
        size = abs(content)
        for number, sign in ((size.numerator, 1), (size.denominator, -1)):
            for prime in PRIMES:
                n = 0
                while number % prime == 0:
                    number, n = number // prime, n + 1
                factors += [(constant(prime), sign * n)] if n else []
            factors += [(constant(number), sign)] if number > 1 else []
        sign = constant(1 if content > 0 else -1)
        return factors, Ratio(self._multiply(sign, dict(part)), rest)

    def _root(self, k: int, base: Ratio) -> Ratio:
        if not base.top:
            return base
        factors, rest = self._factors(base)
        out = Ratio(constant(1))
        for factor, n in factors:  # the k-th root of f^n is f^m · root(f^(n − mk)) with 0 ≤ n − mk < k
            out = self._product(out, self._power(Ratio(factor), n // k))
            if n % k:
                out = self._product(out, self._power(self.atom(("root", k, key(factor), ())), n % k))
        plain = rest.top == constant(1) and not rest.bottom
        return out if plain else self._product(out, self.atom(("root", k, key(rest.top), rest.bottom)))

    def _logarithm(self, base: Ratio) -> Ratio:
        if not base.top:
            return base  # no number has this value, so it may be called anything
        factors, rest = self._factors(base)
        parts = [self._product(Ratio(constant(n)), self._log_of(factor)) for factor, n in factors]
        if rest.top != constant(1) or rest.bottom:
            parts.append(self.atom(("log", key(rest.top), rest.bottom)))
        return self._sum(parts)

    def _log_of(self, factor: Poly) -> Ratio:
        """The logarithm of a factor > 0: of a root and of an exponential from within."""
        single = common_monomial(factor) if len(factor) == 1 else ()
        meaning = self.atoms[single[0][0]] if single else None
        if isinstance(meaning, tuple) and meaning[0] == "root":
            return self._product(Ratio(constant(over(1, meaning[1]))), self._logarithm(self._base(meaning)))
        if isinstance(meaning, tuple) and meaning[0] == "exp":
            (monomial, bottom), common = meaning[1:]
            return Ratio({monomial: over(1, common)}, bottom)
        return self.atom(("log", key(factor), ()))

    @staticmethod
    def _base(meaning: Any) -> Ratio:
        """What a root or a logarithm is taken of."""
        return Ratio(dict(meaning[-2]), meaning[-1])

    def _exponential(self, term: Term) -> Ratio:
        out = Ratio(constant(1))
        for core, coefficient in self._exponents(term):
            (monomial, bottom), n = core, coefficient.numerator
            meaning = self.atoms[monomial[0][0]] if len(monomial) == 1 and monomial[0][1] == 1 else None
            if isinstance(meaning, tuple) and meaning[0] == "log" and not bottom:
                inner = self._base(meaning)
                inner = inner if coefficient.denominator == 1 else self._root(coefficient.denominator, inner)
            else:
                common = self._denominators.get(core, 1)
                common = common if common % coefficient.denominator == 0 else coefficient.denominator
                inner, n = self.atom(("exp", core, common)), int(coefficient * common)
            out = self._product(out, self._power(inner, n))
        return out

    # ------------------------------------------------------------------------------------------------ arithmetic

    def expanded(self, a: Ratio) -> Ratio:
        """The same with positive powers in the denominator only."""
        return self._sum([a])

    def _sum(self, parts: list[Ratio]) -> Ratio:
        common: dict[tuple, int] = {}
        for part in parts:
            for factor, n in part.bottom:
                common[factor] = max(common.get(factor, 0), n)
        top: Poly = {}
        for part in parts:
            have, scaled = dict(part.bottom), part.top
            for factor, n in common.items():
                scaled = self._multiply(scaled, self._raised(dict(factor), n - have.get(factor, 0)))
            top = add(top, scaled)
        return _cancelled(top, common)

    def _multiply(self, a: Poly, b: Poly) -> Poly:
        self.work.spend(1 + len(a) * len(b))
        return multiply(a, b)

    def _raised(self, a: Poly, n: int) -> Poly:
        return power(a, n, self._multiply)

    def _product(self, a: Ratio, b: Ratio) -> Ratio:
        bottom = dict(a.bottom)
        for factor, n in b.bottom:
            bottom[factor] = bottom.get(factor, 0) + n
        return _cancelled(self._multiply(a.top, b.top), bottom)

    def _power(self, a: Ratio, n: int) -> Ratio:
        below = {factor: n * m for factor, m in a.bottom if n}
        if n >= 0:
            return Ratio(self._raised(a.top, n), tuple(sorted(below.items())))
        if not a.top:
            raise Malformed("a division by zero")
        rest = a.top
        for atom, m in common_monomial(rest):
            single = key({((atom, 1),): 1})
            below[single] = below.get(single, 0) - n * m
            rest = over_atom(rest, atom, m)
        content, part = scaled(rest)
        if dict(part) != constant(1):
            below[part] = below.get(part, 0) - n
        return _cancelled(constant(number_to(content, n)), below)

    def reduced(self, top: Poly, *, exactly: bool = False) -> Poly:
        """The polynomial, up to a factor that does not vanish, with r^k replaced by the base of every root r.

        `exactly`: of the roots of polynomials only, and without such a factor.
        """
        while True:
            high = next(((a, self.atoms[a]) for m in top for a, n in m if self._is_high(a, n, exactly)), None)
            if high is None:
                return top
            top = self._lowered(top, high[0], high[1][1], self._base(high[1]))

    def _is_high(self, atom: int, n: int, exactly: bool) -> bool:
        meaning = self.atoms[atom]
        root = isinstance(meaning, tuple) and meaning[0] == "root" and n >= meaning[1]
        return root and not (exactly and meaning[-1])

    def _lowered(self, top: Poly, root: int, degree: int, base: Ratio) -> Poly:
        below = constant(1)
        for factor, n in base.bottom:
            below = self._multiply(below, self._raised(dict(factor), n))
        most = max(dict(m).get(root, 0) // degree for m in top)
        out: Poly = {}
        for m, c in top.items():
            powers = dict(m)
            n = powers.pop(root, 0)
            rest = tuple(sorted({**powers, **({root: n % degree} if n % degree else {})}.items()))
            times = n // degree
            by = self._multiply(self._raised(base.top, times), self._raised(below, most - times))
            out = add(out, self._multiply({rest: c}, by))
        return out


def common_monomial(a: Poly) -> Powers:
    """The largest monomial that divides all of a polynomial ≠ 0."""
    first, *others = a
    least = dict(first)
    for monomial in others:
        if not least:
            break
        powers = dict(monomial)
        least = {atom: min(n, powers[atom]) for atom, n in least.items() if atom in powers}
    return tuple(sorted(least.items()))


def over_atom(a: Poly, atom: int, n: int) -> Poly:
    """The polynomial over atom^n, which divides it."""
    return {tuple((b, m - n if b == atom else m) for b, m in mono if b != atom or m > n): c for mono, c in a.items()}


def _cancelled(top: Poly, bottom: Mapping[tuple, int]) -> Ratio:
    """top over the factors, without the atoms that both have."""
    if not (top and bottom):
        return Ratio(top, tuple(sorted(bottom.items())))
    left = dict(bottom)
    for atom, n in common_monomial(top):
        single = key({((atom, 1),): 1})
        if m := min(n, left.get(single, 0)):
            top, left[single] = over_atom(top, atom, m), left[single] - m
    return Ratio(top, tuple(sorted((factor, n) for factor, n in left.items() if n)))
