"""`em`: a surrogate derived from prior and likelihood is the typed one, and its loss is the integral by quadrature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import pytest
import sympy as sp
from sympy import exp, factorial, sqrt

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.mixture import model as mixture
from fedmm_edu.examples.poisson import model as poisson
from fedmm_edu.symbolic import DiscreteLatent, GammaLatent, GaussianLatent, Model, PoissonLatent, check_model, em
from fedmm_edu.symbolic.decide.algebra import vanishes
from fedmm_edu.symbolic.decide.domain import real

h, k = sp.symbols("h k", real=True)
theta, z, a, b = sp.symbols("theta z a b", positive=True)
NORMAL = exp(-(h**2) / (2 * theta)) / sqrt(2 * sp.pi * theta)


def test_the_mixture_of_gaussians_is_the_typed_one():
    typed = mixture.means()
    derived = em(
        theta=typed.theta, z=typed.z, latent=DiscreteLatent(k, (1, 2)), prior=(mixture.nu1, mixture.nu2),
        likelihood=[exp(-((mixture.z - m) ** 2) / (2 * v**2)) / v for _, m, v in mixture.PARTS],
        g=typed.g, given=typed.given,
    )  # fmt: skip
    same(derived, typed)


def test_the_mixture_of_poissons_is_the_typed_one():
    typed = poisson.models()["likelihood, strategy 1"]
    derived = em(
        theta=poisson.theta, z=poisson.z,
        latent=DiscreteLatent(h, (poisson.h1, poisson.h2)), prior=(poisson.m1, poisson.m2),
        likelihood=exp(poisson.z * (poisson.theta + h) - exp(poisson.theta + h)), g=typed.g, given=typed.given,
    )  # fmt: skip
    same(derived, typed)


def same(derived: Model, typed: Model) -> None:
    assert len(derived.phi) == len(typed.phi)
    space = typed.space("Z", "Theta")
    for name in ("loss", "psi", "g"):
        assert vanishes(getattr(derived, name) - getattr(typed, name), space), name
    for name in ("phi", "S_bar"):
        for ours, theirs in zip(getattr(derived, name), getattr(typed, name), strict=True):
            assert vanishes(ours - theirs, space), name


def gaussian() -> Model:
    return em(theta=theta, z=z, latent=GaussianLatent(h), prior=NORMAL, likelihood=exp(-((z - h) ** 2) / 2))


def mixed() -> Model:
    prior = b**a * h ** (a - 1) * exp(-b * h) / exp(sp.loggamma(a))
    return em(theta=theta, z=z, latent=GammaLatent(h), prior=prior, likelihood=(theta * h) ** z * exp(-theta * h))


def counted() -> Model:
    """h ~ Poisson(aθ), each of its points hidden with probability ½, beside a count z of mean bθ."""
    prior = (a * theta) ** h * exp(-a * theta) / factorial(h)
    return em(
        theta=theta, z=z, latent=PoissonLatent(h), prior=prior, likelihood=(b * theta) ** z * exp(-b * theta) * 2**-h
    )


AT = {"theta": 1.3, "z": 2.0, "a": 1.7, "b": 0.6}


def value(expr: sp.Expr, **more: float) -> Any:
    numbers = {x: (AT | more)[x.name] for x in expr.free_symbols}
    return sp.lambdify(list(numbers), expr, "mpmath")(*map(mpmath.mpf, numbers.values()))


@pytest.mark.parametrize(
    ("make", "joint", "total"),
    [
        (gaussian, NORMAL * exp(-((z - h) ** 2) / 2), lambda f: mpmath.quad(f, [-mpmath.inf, 0, mpmath.inf])),
        (
            mixed,
            b**a * h ** (a - 1) * exp(-b * h) / sp.gamma(a) * (theta * h) ** z * exp(-theta * h),
            lambda f: mpmath.quad(f, [0, 1, mpmath.inf]),
        ),
        (
            counted,
            (a * theta) ** h * exp(-a * theta) / sp.gamma(h + 1) * (b * theta) ** z * exp(-b * theta) * 2**-h,
            lambda f: mpmath.nsum(f, [0, mpmath.inf]),
        ),
    ],
    ids=["Gaussian", "Gamma", "Poisson"],
)
def test_loss_and_surrogate_are_those_of_the_integral(make, joint, total):
    """−log ∫ p, and −E[log p | z, τ] = ψ − ⟨S̄, φ⟩ up to a constant, by quadrature."""
    model, at = make(), value_at(joint)
    with mpmath.workdps(25):
        whole = total(lambda v: at(v, 1.3))
        assert abs(value(model.loss) + mpmath.log(whole)) < 1e-12
        mean = total(lambda v: at(v, 1.3) * mpmath.log(at(v, 2.1) / at(v, 0.7))) / whole
        ours = [value(model.psi, theta=t) for t in (0.7, 2.1)]
        for c, f in zip(model.S_bar, model.phi, strict=True):
            ours = [o - value(c) * value(f, theta=t) for o, t in zip(ours, (0.7, 2.1), strict=True)]
        assert abs(ours[0] - ours[1] - mean) < 1e-10


def value_at(joint: sp.Expr) -> Callable[[Any, float], Any]:
    """The joint density as a function of h and θ."""
    compiled = sp.lambdify((h, theta), joint.subs({x: AT[x.name] for x in (z, a, b)}), "mpmath")
    return lambda v, t: compiled(mpmath.mpf(v), mpmath.mpf(t))


def test_a_derived_model_is_checked_like_any_other():
    """The variance of a random effect, with the T of the textbook: every row of MM-1 and MM-2 but none is refuted."""
    s1 = sp.Symbol("s1", real=True)
    rows = check_model(em(
        theta=theta, z=z, latent=GaussianLatent(h), prior=NORMAL, likelihood=exp(-((z - h) ** 2) / 2), T=s1, S=s1 > 0,
    ))  # fmt: skip
    assert {name for name, verdict in rows.items() if verdict.status == "refuted"} <= {"A1: convex"}
    assert rows["MM-1: tangent"].status == rows["MM-2: T minimizes"].status == "proved"


def test_what_is_declared_of_symbols_becomes_sets():
    model = mixed()
    plain = {x.name: sp.Symbol(x.name, real=True) for x in (theta, z, a, b)}
    assert model.Theta == (plain["theta"] > 0,)
    assert (plain["z"] > 0,) == model.Z
    assert set(model.given) == {plain["a"] > 0, plain["b"] > 0}


def test_what_is_declared_in_T_and_g_counts_too():
    s1, lam = sp.symbols("s1 lambda", positive=True)
    likelihood = exp(-((z - h) ** 2) / 2)
    model = em(theta=theta, z=z, latent=GaussianLatent(h), prior=NORMAL, likelihood=likelihood, T=s1, S=s1 > 0, g=lam)
    assert (sp.Symbol("s1", real=True) > 0,) == model.S
    assert model.given == (sp.Symbol("lambda", real=True) > 0,)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"prior": NORMAL * exp(-(h**4))}, "has the term -h\\*\\*4"),
        ({"prior": exp(theta * h), "likelihood": exp(h**2)}, "does not fall"),
        ({"likelihood": exp(-exp(theta * z) - h**2)}, "no product of a function of theta"),
        ({"likelihood": (1, 2)}, "belongs to a DiscreteLatent"),
        ({"z": h}, "latent variable and a symbol"),
        ({"latent": DiscreteLatent(k, (1, 2)), "likelihood": (1, 2, 3)}, "3 entries for 2 values"),
        ({"latent": PoissonLatent(h)}, "a PoissonLatent needs"),
    ],
)
def test_what_cannot_be_derived_says_why(more, message):
    parts = {
        "theta": theta,
        "z": z,
        "latent": GaussianLatent(h),
        "prior": NORMAL,
        "likelihood": exp(-((z - h) ** 2)),
    }
    with pytest.raises(InvalidInput, match=message):
        em(**parts | more)


def test_a_table_that_does_not_fit_is_refused():
    with pytest.raises(InvalidInput, match="no values"):
        DiscreteLatent(k, ())
    with pytest.raises(InvalidInput, match="does not fit"):
        DiscreteLatent((h, k), (1, 2))


@pytest.mark.parametrize("power", [1, 2, 3, 4])
def test_moments_are_those_of_the_sums_and_integrals(power):
    """E[h^k] of N(m/P, 1/P), Gamma(α, β) and Poisson(r), by quadrature or summation."""
    laws = [
        (GaussianLatent(h), exp(-3 * h**2 / 2 + h / 2), lambda f: mpmath.quad(f, [-mpmath.inf, 0, mpmath.inf])),
        (GammaLatent(h), h**2 * exp(-3 * h), lambda f: mpmath.quad(f, [0, 1, mpmath.inf])),
        (PoissonLatent(h), sp.Rational(7, 3) ** h / factorial(h), lambda f: mpmath.nsum(f, [0, mpmath.inf])),
    ]
    for latent, joint, total in laws:
        (found,) = [latent.mean([real(h) ** power], [real(joint)])]
        density = sp.lambdify(h, joint, "mpmath")
        expected = total(lambda v, f=density: v**power * f(v)) / total(density)
        assert abs(found - expected) < 1e-12, latent
