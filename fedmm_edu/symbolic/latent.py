"""Expectation-maximization: the surrogate of a latent variable, derived from its prior and the likelihood.

For ℓ(z, θ) = −log ∫ p(h, θ) p(z | h, θ) dh the surrogate is −E[log p(h, θ) p(z | h, θ) | z, τ] up to a constant. Where

    log p(h, θ) p(z | h, θ) = Σ_j c_j(z, h) φ_j(θ) − ψ(θ) + what does not depend on θ,

it is ψ(θ) − ⟨S̄(z, τ), φ(θ)⟩ with S̄_j(z, τ) = E[c_j(z, h) | z, τ] (Dempster, Laird and Rubin 1977). A table of values
gives sums; a Gaussian, Gamma or Poisson posterior gives its moments.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.decide.domain import assumed, real
from fedmm_edu.symbolic.model import Model

Density = sp.Expr | Sequence[sp.Expr] | int
"""A density in h; for a table also one entry per value."""


class Latent(ABC):
    """What h is. The joint density comes as one expression for each value of a table, or as one in h."""

    @property
    @abstractmethod
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """The symbols that stand for h, and must not occur in what is derived."""

    @abstractmethod
    def joint(self, prior: Density, likelihood: Density) -> tuple[sp.Expr, ...]:
        """The products of prior and likelihood."""

    @abstractmethod
    def log_total(self, joint: Sequence[sp.Expr]) -> sp.Expr:
        """log ∫ p(h, θ) p(z | h, θ) dh."""

    @abstractmethod
    def mean(self, entries: Sequence[sp.Expr], joint: Sequence[sp.Expr]) -> sp.Expr:
        """E[c | z, τ] of a c that has these entries, one for each expression of the joint density."""


@dataclass(frozen=True)
class DiscreteLatent(Latent):
    """h takes finitely many values: `DiscreteLatent(h, (h1, h2))`.

    Several symbols take values together: `DiscreteLatent((h, k), [(0, 0), (1, 2)])`.

    Prior and likelihood may be expressions in h or have one entry per value. The prior weights need not sum to one: a
    common factor shifts ℓ by a constant.
    """

    h: sp.Symbol | Sequence[sp.Symbol]
    values: Sequence[Any]

    def __post_init__(self) -> None:
        if not self.values:
            raise InvalidInput("a table of no values: give the values that the latent variable can take.")
        for value in self.values:
            if len(_listed(value)) != len(self.symbols):
                raise InvalidInput(f"the value {value} of the table does not fit {self.symbols}: one entry per symbol.")

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        return tuple(map(real, _listed(self.h)))

    def joint(self, prior: Density, likelihood: Density) -> tuple[sp.Expr, ...]:
        return tuple(p * q for p, q in zip(self._at("prior", prior), self._at("likelihood", likelihood), strict=True))

    def _at(self, name: str, law: Density) -> list[sp.Expr]:
        entries = _listed(law)
        if isinstance(law, sp.Basic | int):
            entries = entries * len(self.values)
        if len(entries) != len(self.values):
            raise InvalidInput(
                f"the {name} has {len(entries)} entries for {len(self.values)} values: give one for each."
            )
        places = [dict(zip(self.symbols, map(real, _listed(value)), strict=True)) for value in self.values]
        return [real(entry).xreplace(place) for entry, place in zip(entries, places, strict=True)]

    def log_total(self, joint: Sequence[sp.Expr]) -> sp.Expr:
        return sp.log(sp.Add(*joint))

    def mean(self, entries: Sequence[sp.Expr], joint: Sequence[sp.Expr]) -> sp.Expr:
        return sp.Add(*(p * c for p, c in zip(joint, entries, strict=True))) / sp.Add(*joint)


@dataclass(frozen=True)
class _Conjugate(Latent):
    """A latent variable h whose posterior belongs to one family, read off the joint density."""

    h: sp.Symbol

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        return (real(self.h),)

    def joint(self, prior: Density, likelihood: Density) -> tuple[sp.Expr, ...]:
        if not all(isinstance(law, sp.Basic | int) for law in (prior, likelihood)):
            raise InvalidInput(
                "a prior or likelihood with several entries belongs to a DiscreteLatent: give one density in h."
            )
        return (real(sp.sympify(prior)) * real(sp.sympify(likelihood)),)

    def mean(self, entries: Sequence[sp.Expr], joint: Sequence[sp.Expr]) -> sp.Expr:
        (c,), (h,) = entries, self.symbols
        total = []
        for term in sp.Add.make_args(sp.expand(c)):
            factor, statistic = term.as_independent(h, as_Add=False)
            power = sp.degree(statistic, h) if statistic.is_polynomial(h) else None
            total.append(factor * self.moment(statistic if power is None else int(power), joint[0]))
        return sp.Add(*total)

    def parts(self, joint: sp.Expr, statistics: Sequence[sp.Expr], shape: str) -> list[sp.Expr]:
        """The coefficients of the statistics in the logarithm of the joint density, then what is free of h."""
        (h,) = self.symbols
        found: dict[sp.Expr, sp.Expr] = dict.fromkeys((*statistics, sp.S.One), sp.S.Zero)
        for term in _terms(joint):
            factor, statistic = term.as_independent(h, as_Add=False)
            if statistic not in found:
                raise InvalidInput(
                    f"log of prior times likelihood has the term {term}: a {type(self).__name__} needs {shape} in {h}."
                )
            found[statistic] += factor
        return list(found.values())

    @abstractmethod
    def moment(self, statistic: int | sp.Expr, joint: sp.Expr) -> sp.Expr:
        """E[h^k | z, τ], or that of another statistic of h."""

    def _no_moment(self, statistic: sp.Expr) -> InvalidInput:
        return InvalidInput(
            f"E[{statistic}] has no closed form for a {type(self).__name__}: only powers of {self.h} have."
        )


class GaussianLatent(_Conjugate):
    """h ∈ ℝ with log p = −P h²/2 + m h + c, P > 0: the posterior is N(m/P, 1/P).

    >>> from sympy import exp, sqrt, symbols
    >>> h, z, theta = symbols("h z theta", real=True)
    >>> found = em(theta=theta, z=z, latent=GaussianLatent(h), Theta=theta > 0,
    ...            prior=exp(-(h**2) / (2 * theta)) / sqrt(theta), likelihood=exp(-((z - h) ** 2) / 2))
    >>> found.phi, sp.factor(found.S_bar[0])
    ((-1/(2*theta),), theta*(theta*z**2 + theta + 1)/(theta + 1)**2)
    """

    def _law(self, joint: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
        (h,) = self.symbols
        square, slope, rest = self.parts(joint, (h**2, h), "a square, a linear and a constant term")
        if square.is_nonnegative:
            raise InvalidInput(
                f"the joint density does not fall in {h}**2, so it has no Gaussian posterior: correct it."
            )
        return sp.together(-2 * square), slope, rest

    def log_total(self, joint: Sequence[sp.Expr]) -> sp.Expr:
        P, m, c = self._law(joint[0])
        return c + m**2 / (2 * P) + (sp.log(2 * sp.pi) - sp.log(P)) / 2

    def moment(self, statistic: int | sp.Expr, joint: sp.Expr) -> sp.Expr:
        if not isinstance(statistic, int):
            raise self._no_moment(statistic)
        P, m, _ = self._law(joint)
        moments = [sp.S.One, m / P]
        for k in range(2, statistic + 1):
            moments.append(m / P * moments[k - 1] + (k - 1) / P * moments[k - 2])
        return moments[statistic]


class GammaLatent(_Conjugate):
    """h > 0 with log p = (α − 1) log h − β h + c: the posterior is Gamma(α, β)."""

    def _law(self, joint: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
        (h,) = self.symbols
        power, slope, rest = self.parts(joint, (sp.log(h), h), "log h, a linear and a constant term")
        return power + 1, -slope, rest

    def log_total(self, joint: Sequence[sp.Expr]) -> sp.Expr:
        alpha, beta, c = self._law(joint[0])
        return c + sp.loggamma(alpha) - alpha * sp.log(beta)

    def moment(self, statistic: int | sp.Expr, joint: sp.Expr) -> sp.Expr:
        alpha, beta, _ = self._law(joint)
        if statistic == sp.log(self.symbols[0]):
            return sp.polygamma(0, alpha) - sp.log(beta)
        if not isinstance(statistic, int):
            raise self._no_moment(statistic)
        return sp.Mul(*((alpha + k) / beta for k in range(statistic)))


class PoissonLatent(_Conjugate):
    """h ∈ {0, 1, 2, …} with p = r^h e^c / h!: the posterior is Poisson(r). Write h! as `factorial(h)`."""

    def _law(self, joint: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
        (h,) = self.symbols
        slope, factorial, rest = self.parts(
            joint, (h, sp.log(sp.factorial(h))), "a linear and a constant term and 1/h!"
        )
        if factorial != -1:
            raise InvalidInput(f"the joint density needs the factor 1/factorial({h}) once: a Poisson law has it.")
        return sp.exp(slope), rest

    def log_total(self, joint: Sequence[sp.Expr]) -> sp.Expr:
        rate, c = self._law(joint[0])
        return c + rate

    def moment(self, statistic: int | sp.Expr, joint: sp.Expr) -> sp.Expr:
        if not isinstance(statistic, int):
            raise self._no_moment(statistic)
        rate, _ = self._law(joint)
        moments: list[sp.Expr] = [sp.S.One]
        for k in range(statistic):  # Touchard's recursion, E[h^(k+1)] = r Σ_j C(k, j) E[h^j]
            moments.append(sp.expand(rate * sum(sp.binomial(k, j) * moments[j] for j in range(k + 1))))
        return moments[statistic]


def em(
    *,
    theta: sp.Symbol | Sequence[sp.Symbol],
    z: sp.Symbol | Sequence[sp.Symbol],
    latent: Latent,
    prior: Density,
    likelihood: Density,
    **rest: Any,
) -> Model:
    """The model of expectation-maximization for a latent variable; φ, ψ and S̄ are derived.

    prior, likelihood: densities p(h, θ) and p(z | h, θ), positive; factors without θ and h may be left out.
    rest: g, T, Theta, S, Z, given, name of `Model`. The symbols of s are s1, s2, … in the order of `model.phi`, so 𝒮
    and T may be stated with them at once; a T that is left out is derived when the model is checked.
    Raises `InvalidInput` where log p(h, θ) p(z | h, θ) is no sum of products c(z, h) f(θ), or the posterior is not of
    the family of `latent`.

    >>> from sympy import exp, symbols
    >>> theta1, theta2, z = symbols("theta1 theta2 z", real=True)
    >>> k, w1, w2 = symbols("k w1 w2", positive=True)
    >>> two = em(theta=(theta1, theta2), z=z, latent=DiscreteLatent(k, (1, 2)), prior=(w1, w2),
    ...          likelihood=(exp(-(z - theta1) ** 2 / 2), exp(-(z - theta2) ** 2 / 2)))
    >>> two.phi
    (theta1, theta2, -theta1**2/2, -theta2**2/2)
    """
    own, zs = _listed(theta), tuple(map(real, _listed(z)))
    thetas = tuple(map(real, own))
    clash = set(latent.symbols) & {*thetas, *zs}
    if clash:
        raise InvalidInput(f"{clash.pop()} is a latent variable and a symbol of theta or z: use distinct names.")
    joint = latent.joint(prior, likelihood)
    columns, psi = _statistics(joint, thetas, {*zs, *latent.symbols})
    phi, S_bar = [], []
    for entries, f in columns.items():
        same = len(set(entries)) == 1 and not entries[0].free_symbols & set(latent.symbols)
        phi.append(f)
        S_bar.append(entries[0] if same else latent.mean(entries, joint))
    s = tuple(sp.Symbol(f"s{j + 1}", real=True) for j in range(len(phi)))
    owner = {**dict.fromkeys(thetas, "Theta"), **dict.fromkeys(zs, "Z"), **dict.fromkeys(s, "S")}
    rest |= _with_assumptions((*own, *_listed(z), *_listed(prior), *_listed(likelihood)), owner, latent, rest)
    return Model(
        theta=thetas, z=zs, s=s, loss=-latent.log_total(joint), psi=psi, phi=phi, S_bar=S_bar, **{"name": "EM", **rest}
    )  # fmt: skip


def _with_assumptions(
    exprs: Iterable[sp.Expr], owner: Mapping[sp.Symbol, str], latent: Latent, rest: Mapping[str, Any]
) -> dict[str, Any]:
    """`rest` in plain real symbols; what symbols of `exprs` or `rest` are declared to be goes into the set they own."""
    own = {key: value for key, value in rest.items() if key != "name" and value is not None}
    found = {
        key: tuple(map(real, _listed(value))) if isinstance(value, Iterable) else real(sp.sympify(value))
        for key, value in own.items()
    }
    everything = (*exprs, *(entry for value in own.values() for entry in _listed(value)))
    for x in sorted(set().union(*(e.free_symbols for e in everything)), key=str):
        if real(x) not in latent.symbols:
            key = owner.get(real(x), "given")
            found[key] = tuple(dict.fromkeys((*_listed(found.get(key, ())), *assumed(x))))
    return found


def _statistics(
    joint: Sequence[sp.Expr], theta: Sequence[sp.Symbol], random: set[sp.Symbol]
) -> tuple[Mapping[tuple[sp.Expr, ...], sp.Expr], sp.Expr]:
    """φ by the entries of its statistic, and ψ: log joint_k = Σ_j entries_jk φ_j − ψ + what is free of θ."""
    products: dict[sp.Expr, list[sp.Expr]] = {}
    for k, p in enumerate(joint):
        for term in _terms(p):
            c, f = term.as_independent(*theta, as_Add=False)
            if f.free_symbols & random:
                raise InvalidInput(
                    f"the term {term} of log prior times likelihood is no product of a function of theta and one of "
                    "the sample and the latent variable, so no finite S_bar gives the surrogate of EM: state the model."
                )
            if f != 1:
                products.setdefault(f, [sp.S.Zero] * len(joint))[k] += c
    columns: dict[tuple[sp.Expr, ...], sp.Expr] = {}
    psi = sp.S.Zero
    for f, entries in sorted(products.items(), key=lambda item: (item[0].count_ops(), sp.default_sort_key(item[0]))):
        if len(set(entries)) == 1 and not entries[0].free_symbols & random:
            psi -= entries[0] * f
            continue
        scale = {c.as_independent(*random, as_Add=False)[0] for c in entries if c != 0}
        common = scale.pop() if len(scale) == 1 else sp.S.One
        key = tuple(c / common for c in entries)
        columns[key] = columns.get(key, sp.S.Zero) + common * f
    if not columns:
        raise InvalidInput("prior and likelihood say nothing of theta together with the sample: there is no surrogate.")
    return columns, psi


def _terms(density: sp.Expr) -> Iterable[sp.Expr]:
    """The terms of the logarithm of a positive density."""
    h_factorial = density.replace(sp.gamma, lambda x: sp.factorial(x - 1))
    return sp.Add.make_args(sp.expand(sp.expand_log(sp.log(h_factorial), force=True)))


def _listed(value: Any) -> tuple:
    return tuple(map(sp.sympify, value)) if isinstance(value, Iterable) else (sp.sympify(value),)
