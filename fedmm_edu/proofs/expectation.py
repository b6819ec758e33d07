"""Conditional expectation as the proofs use it: a linear, positive operator with declared rules, and no others.

E[· | past] acts on formal vectors (`gram.Vector`) and on expressions in their Gram symbols. What is known about a
random atom is declared, as the value of its conditional mean and the atoms that may be revealed without changing it:

>>> x, noise = atom("x"), atom("n")
>>> E = Expectation(past={"x"}, means={"n": Mean(Vector({}))})  # unbiased: E[n | past] = 0
>>> sp.expand(E.inner(x + noise, x + noise) - E.inner(x, x) - E.inner(noise, noise))
0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import TypeVar

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import CertificateFails
from fedmm_edu.proofs.gram import Vector, atom, gram
from fedmm_edu.proofs.identity import is_identity
from fedmm_edu.proofs.recording import Hypothesis


@dataclass(frozen=True)
class Mean:
    """E[atom | past, known] = `mean`: unbiasedness (what `mean` is) and independence (what `known` may contain)."""

    mean: Vector
    known: AbstractSet[str] = frozenset()


@dataclass(frozen=True)
class Expectation:
    """E[· | past] on formal vectors and their Gram symbols; a B-norm with a past B is `through` its square root.

    past: atoms that are known. means: the rules, each mean made of past atoms and of atoms that are known and have an
    earlier rule (so that applying rules comes to an end). free: random atoms without a rule; scalars: random numbers.
    """

    past: AbstractSet[str] = frozenset()
    means: Mapping[str, Mean] = field(default_factory=dict)
    free: AbstractSet[str] = frozenset()
    scalars: AbstractSet[sp.Symbol] = frozenset()

    def __post_init__(self) -> None:
        earlier: set[str] = set()
        for name, rule in self.means.items():
            needed = {a for a, c in rule.mean.coefficients.items() if sp.cancel(c) != 0}
            odd = needed - self.past - (earlier & rule.known)
            if odd or name in rule.known or name in self.past:
                what = f"uses {sorted(odd)}" if odd else "takes itself as known"
                raise InvalidInput(f"the mean of {name} {what}: use past atoms, or known ones with an earlier rule.")
            earlier.add(name)

    def mean(self, u: Vector) -> Vector:
        """E[u | past] by linearity and the tower property; `CertificateFails` for an atom without a rule."""
        total = Vector({})
        for a, c in u.coefficients.items():
            if a in self.past:
                total = total + c * atom(a)
            elif a in self.means:
                total = total + c * self.mean(self.means[a].mean)
            else:
                raise CertificateFails(f"nothing is declared about the mean of {a}.")
        return total

    def inner(self, u: Vector, v: Vector) -> sp.Expr:
        """E[⟨u, v⟩ | past], bilinear; a pair that no rule reaches stays a symbol, so a certificate shows it."""
        first, second = u.coefficients.items(), v.coefficients.items()
        return sp.Add(*(c * e * self._pair(a, b) for a, c in first for b, e in second))

    def _pair(self, a: str, b: str) -> sp.Expr:
        if {a, b} <= self.past:
            return gram(a, b)
        for random, other in ((a, b), (b, a)):
            rule = self.means.get(random)
            if rule is not None and (other in self.past or other in rule.known):
                return self.inner(rule.mean, atom(other))  # E⟨a, b⟩ = E⟨E[a | past, b], b⟩
        return moment(gram(a, b))

    def of(self, expr: sp.Expr) -> sp.Expr:
        """E[expr | past], for `expr` affine in Gram symbols and random numbers; every other symbol counts as past."""
        names = sorted({*self.past, *self.means, *self.free})
        pairs = {gram(a, b): (a, b) for a, b in combinations_with_replacement(names, 2)}
        images = {s: self._pair(*pair) for s, pair in pairs.items() if not set(pair) <= self.past}
        images |= {x: moment(x) for x in self.scalars}
        undeclared = [s for s in expr.free_symbols if is_gram(s) and s not in pairs]
        if undeclared:
            raise InvalidInput(f"{undeclared[0]} has an atom that is neither past nor random: declare it.")
        return linear_image(expr, images, fixes_constants=True)

    def line(self, pathwise: Hypothesis) -> Hypothesis:
        """E of a line that holds for every outcome: positivity of E."""
        return Hypothesis(self.of(pathwise.expr), f"the conditional expectation of: {pathwise.why}", pathwise.equality)

    def through(self, root: Callable[[Vector], Vector]) -> Expectation:
        """The same expectation with the atoms root(a) of a past linear map beside each atom a."""

        def both(names: AbstractSet[str]) -> set[str]:
            return {*names, *(_name(root, a) for a in names)}

        means = {a: Mean(rule.mean, both(rule.known)) for a, rule in self.means.items()}
        means |= {_name(root, a): Mean(root(rule.mean), both(rule.known)) for a, rule in self.means.items()}
        return Expectation(both(self.past), means, both(self.free), self.scalars)


def _name(root: Callable[[Vector], Vector], a: str) -> str:
    return next(iter(root(atom(a)).coefficients))


def is_gram(symbol: sp.Basic) -> bool:
    """Whether the symbol is one that `gram` makes."""
    return str(symbol).startswith((r"{\left\|", r"{\langle "))


def moment(symbol: sp.Symbol) -> sp.Symbol:
    """The symbol of E[symbol | past]: real, and non-negative where the symbol is."""
    sign = {"nonnegative": True} if symbol.is_nonnegative else {"real": True}
    return sp.Symbol("{E " + str(symbol) + "}", **sign)


Monomial = TypeVar("Monomial", bound=sp.Expr)


def linear_image(expr: sp.Expr, images: Mapping[Monomial, sp.Expr], *, fixes_constants: bool) -> sp.Expr:
    """The image of `expr` under the linear map that sends each key (a monomial) to its value.

    Terms free of all keys' symbols stay as they are (`fixes_constants`), or are refused, as are products of keys:
    E[XY] is not E[X] E[Y], and Σ_i a_i b_i is not Σ_i a_i Σ_i b_i.
    """
    moving = {s for key in images for s in key.free_symbols}
    total = []
    for term in sp.Add.make_args(sp.expand(expr)):
        if fixes_constants and not term.free_symbols & moving:
            total.append(term)
            continue
        within = [key for key in images if key.free_symbols <= term.free_symbols]
        factors = ((sp.cancel(term / key), images[key]) for key in within)
        found = next(((c, image) for c, image in factors if not c.free_symbols & moving), None)
        if found is None and term != 0:
            raise CertificateFails(f"${sp.latex(term)}$ is not linear in the declared quantities.")
        total.append(found[0] * found[1] if found is not None else sp.S.Zero)
    return sp.Add(*total)


def mix(cases: Sequence[tuple[sp.Expr, sp.Expr]]) -> sp.Expr:
    """Σ_k P_k · value_k: the expectation over a variable with finitely many values that is independent of the rest."""
    if not is_identity(sp.Add(*(chance for chance, _ in cases)) - 1):
        raise InvalidInput(f"the probabilities {[chance for chance, _ in cases]} do not sum to one: correct them.")
    return sp.Add(*(chance * value for chance, value in cases))
