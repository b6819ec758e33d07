"""Expectation-maximization: mixtures, counts with a latent part, variances, weights on a simplex."""

from __future__ import annotations

import sympy as sp

from fedmm_edu.symbolic import Model
from tests.literature.entry import IN_THETA, MAJORIZES, MINIMIZES, TANGENT, Entry
from tests.literature.symbols import (
    a,
    lam,
    s,
    s1,
    s2,
    s3,
    s4,
    theta,
    theta1,
    theta2,
    theta3,
    x,
    z,
    z1,
    z2,
    z3,
    z4,
)

w1, w2 = sp.symbols("w1 w2", positive=True)
THREE, ZS = (theta1, theta2, theta3), (z1, z2, z3)


def shares(*terms):
    """p_k / Σ p."""
    return [term / sum(terms) for term in terms]


def gaussians(weights=(w1, w2)) -> Model:
    """Two Gaussians of variance 1 with unknown means and a ridge."""
    terms = [w * sp.exp(-((z - t) ** 2) / 2) for w, t in zip((w1, w2), (theta1, theta2), strict=True)]
    r1, r2 = shares(*(term * v / w for term, v, w in zip(terms, weights, (w1, w2), strict=True)))
    return Model(
        theta=(theta1, theta2), z=z, s=(s1, s2, s3, s4), loss=-sp.log(sum(terms)),
        g=lam * (theta1**2 + theta2**2) / 2, phi=(theta1, theta2, -(theta1**2) / 2, -(theta2**2) / 2),
        S_bar=(r1 * z, r2 * z, r1, r2), T=(s1 / (s3 + lam), s2 / (s4 + lam)), S=[s3 >= 0, s4 >= 0], name="Gaussians",
    )  # fmt: skip


def exponentials(rates=True) -> Model:
    """Two exponential laws with unknown rates and known weights."""
    terms = [w * t * sp.exp(-t * z) for w, t in ((w1, theta1), (w2, theta2))]
    r1, r2 = shares(*terms) if rates else shares(w1 * sp.exp(-theta1 * z), w2 * sp.exp(-theta2 * z))
    return Model(
        theta=(theta1, theta2), z=z, s=(s1, s2, s3, s4), loss=-sp.log(sum(terms)),
        phi=(sp.log(theta1), sp.log(theta2), -theta1, -theta2), S_bar=(r1, r2, r1 * z, r2 * z),
        T=(s1 / s3, s2 / s4), Theta=[theta1 > 0, theta2 > 0], S=[s1 > 0, s2 > 0, s3 > 0, s4 > 0], Z=[z > 0],
        name="exponentials",
    )  # fmt: skip


def poissons() -> Model:
    """Two Poisson laws with unknown means and known weights."""
    terms = [w * t**z * sp.exp(-t) for w, t in ((w1, theta1), (w2, theta2))]
    terms = [w * sp.exp(z * sp.log(t) - t) for w, t in ((w1, theta1), (w2, theta2))]
    r1, r2 = shares(*terms)
    return Model(
        theta=(theta1, theta2), z=z, s=(s1, s2, s3, s4), loss=-sp.log(sum(terms)),
        phi=(sp.log(theta1), sp.log(theta2), -theta1, -theta2), S_bar=(r1 * z, r2 * z, r1, r2),
        T=(s1 / s3, s2 / s4), Theta=[theta1 > 0, theta2 > 0], S=[s1 > 0, s2 > 0, s3 > 0, s4 > 0], Z=[z > 0],
        name="Poissons",
    )  # fmt: skip


def weights_of_two() -> Model:
    """θ p₁ + (1 − θ) p₂ with known densities: the sample is (p₁, p₂)."""
    r1, r2 = shares(theta * z1, (1 - theta) * z2)
    return Model(
        theta=theta, z=(z1, z2), s=(s1, s2), loss=-sp.log(theta * z1 + (1 - theta) * z2),
        phi=(sp.log(theta), sp.log(1 - theta)), S_bar=(r1, r2), T=s1 / (s1 + s2), Theta=[theta > 0, theta < 1],
        S=[s1 > 0, s2 > 0], Z=[z1 > 0, z2 > 0], name="one weight",
    )  # fmt: skip


def weights_of_three() -> Model:
    """The same with three components: Θ and 𝒮 are simplices."""
    return Model(
        theta=THREE, z=ZS, s=(s1, s2, s3), loss=-sp.log(sum(t * p for t, p in zip(THREE, ZS, strict=True))),
        phi=tuple(map(sp.log, THREE)), S_bar=shares(*(t * p for t, p in zip(THREE, ZS, strict=True))), T=(s1, s2, s3),
        Theta=[*(t > 0 for t in THREE), sp.Eq(sum(THREE), 1)], S=[s1 > 0, s2 > 0, s3 > 0, sp.Eq(s1 + s2 + s3, 1)],
        Z=[p > 0 for p in ZS], name="three weights",
    )  # fmt: skip


def multinomial() -> Model:
    """Counts with a Dirichlet prior, a = 1 + pseudo-counts."""
    total = s1 + s2 + s3 + 3 * a
    return Model(
        theta=THREE, z=ZS, s=(s1, s2, s3), loss=-sum(n * sp.log(t) for n, t in zip(ZS, THREE, strict=True)),
        g=-a * sum(map(sp.log, THREE)), phi=tuple(map(sp.log, THREE)), S_bar=ZS,
        T=[(e + a) / total for e in (s1, s2, s3)], Theta=[*(t > 0 for t in THREE), sp.Eq(sum(THREE), 1)],
        S=[s1 >= 0, s2 >= 0, s3 >= 0], Z=[n >= 0 for n in ZS], name="multinomial",
    )  # fmt: skip


def blood_groups(normalised=True) -> Model:
    """Frequencies (p, q, r) of the alleles A, B, O from counts of the phenotypes A, B, AB, O."""
    p, q, r = THREE
    A, B = p**2 + 2 * p * r, q**2 + 2 * q * r
    total = s1 + s2 + s3
    return Model(
        theta=THREE, z=(z1, z2, z3, z4), s=(s1, s2, s3),
        loss=-z1 * sp.log(A) - z2 * sp.log(B) - z3 * sp.log(2 * p * q) - 2 * z4 * sp.log(r),
        phi=tuple(map(sp.log, THREE)),
        S_bar=(
            z1 * (2 * p**2 + 2 * p * r) / A + z3, z2 * (2 * q**2 + 2 * q * r) / B + z3,
            z1 * 2 * p * r / A + z2 * 2 * q * r / B + 2 * z4,
        ),
        T=[e / total if normalised else e for e in (s1, s2, s3)],
        Theta=[*(t > 0 for t in THREE), sp.Eq(sum(THREE), 1)], S=[s1 > 0, s2 > 0, s3 > 0],
        Z=[n > 0 for n in (z1, z2, z3, z4)], name="blood groups",
    )  # fmt: skip


def linkage(first=2) -> Model:
    """Four cells with probabilities ½ + θ/4, (1 − θ)/4, (1 − θ)/4, θ/4."""
    return Model(
        theta=theta, z=(z1, z2, z3, z4), s=(s1, s2),
        loss=-z1 * sp.log(2 + theta) - (z2 + z3) * sp.log(1 - theta) - z4 * sp.log(theta),
        phi=(sp.log(theta), sp.log(1 - theta)), S_bar=(z1 * theta / (first + theta) + z4, z2 + z3), T=s1 / (s1 + s2),
        Theta=[theta > 0, theta < 1], S=[s1 > 0, s2 > 0], Z=[n > 0 for n in (z1, z2, z3, z4)], name="linkage",
    )  # fmt: skip


def zero_inflated() -> Model:
    """A count that is 0 with probability θ₁ + (1 − θ₁) e^{−θ₂}; a conjugate prior keeps T inside."""
    zero = theta1 + (1 - theta1) * sp.exp(-theta2)
    r = sp.Piecewise((theta1 / zero, z <= 0), (0, True))
    return Model(
        theta=(theta1, theta2), z=z, s=(s1, s2, s3),
        loss=sp.Piecewise((-sp.log(zero), z <= 0), (-sp.log(1 - theta1) - z * sp.log(theta2) + theta2, True)),
        g=-a * (sp.log(theta1) + sp.log(1 - theta1) + sp.log(theta2)) + a * theta2,
        phi=(sp.log(theta1), sp.log(1 - theta1) - theta2, sp.log(theta2)), S_bar=(r, 1 - r, (1 - r) * z),
        T=((s1 + a) / (s1 + s2 + 2 * a), (s3 + a) / (s2 + a)), Theta=[theta1 > 0, theta1 < 1, theta2 > 0],
        S=[s1 >= 0, s2 >= 0, s3 >= 0], Z=[z >= 0], name="zero-inflated Poisson",
    )  # fmt: skip


def mixed_poisson() -> Model:
    """z | h ~ Poisson(θh), h ~ Gamma(a, a)."""
    return Model(
        theta=theta, z=z, s=(s1, s2), loss=(a + z) * sp.log(a + theta) - z * sp.log(theta),
        phi=(sp.log(theta), -theta), S_bar=(z, (a + z) / (a + theta)), T=s1 / s2, Theta=[theta > 0],
        S=[s1 > 0, s2 > 0], Z=[z > 0], name="mixed Poisson",
    )  # fmt: skip


def variance_component() -> Model:
    """z = h + noise of variance 1, h ~ N(0, θ)."""
    return Model(
        theta=theta, z=z, s=s, loss=sp.log(1 + theta) / 2 + z**2 / (2 * (1 + theta)), psi=sp.log(theta) / 2,
        phi=-1 / (2 * theta), S_bar=theta / (1 + theta) + (theta * z / (1 + theta)) ** 2, T=s, Theta=[theta > 0],
        S=[s > 0], name="variance component",
    )  # fmt: skip


def loading() -> Model:
    """z = θh + noise of variance 1, h ~ N(0, 1): probabilistic principal components in one dimension."""
    mean, variance = theta * z / (1 + theta**2), 1 / (1 + theta**2)
    return Model(
        theta=theta, z=z, s=(s1, s2), loss=sp.log(1 + theta**2) / 2 + z**2 / (2 * (1 + theta**2)),
        phi=(theta, -(theta**2) / 2), S_bar=(z * mean, variance + mean**2), T=s1 / s2, S=[s2 > 0], name="loading",
    )  # fmt: skip


def probit(share=1) -> Model:
    """−log Φ(xθ): the mean of the truncated latent Gaussian, and its variance, of which a share is kept."""
    cdf = (1 + sp.erf(x * theta / sp.sqrt(2))) / 2
    mean = share * x * theta + sp.exp(-((x * theta) ** 2) / 2) / (sp.sqrt(2 * sp.pi) * cdf)
    return Model(
        theta=theta, z=x, s=(s1, s2), loss=-sp.log(cdf), g=lam * theta**2 / 2, phi=(theta, -(theta**2) / 2),
        S_bar=(x * mean, share * x**2), T=s1 / (s2 + lam), S=[s2 >= 0], name="probit",
    )  # fmt: skip


DEMPSTER = "Dempster, Laird and Rubin 1977, J. R. Stat. Soc. B"
MCLACHLAN = "McLachlan and Peel 2000, Finite Mixture Models"
CHIB = "Albert and Chib 1993, J. Am. Stat. Assoc."
LANGE = "Lange 2010, Numerical Analysis for Statisticians"
WEIGHTS = Entry("mixture weights, three components", MCLACHLAN, weights_of_three)
VARIANCE = Entry("variance component", DEMPSTER, variance_component)
MULTINOMIAL = Entry("multinomial with a Dirichlet prior", LANGE, multinomial)
ENTRIES = (
    Entry("EM, two Gaussians", DEMPSTER, gaussians),
    Entry("EM, two Gaussians: posterior without weights", DEMPSTER, lambda: gaussians((1, 1)), TANGENT),
    Entry("EM, two exponentials", MCLACHLAN, exponentials),
    Entry("EM, two exponentials: posterior without rates", MCLACHLAN, lambda: exponentials(rates=False), TANGENT),
    Entry("EM, two Poissons", MCLACHLAN, poissons),
    Entry("mixture weight of two", MCLACHLAN, weights_of_two),
    WEIGHTS,
    WEIGHTS.wrong("hard counts", MAJORIZES, S_bar=shares(*ZS)),
    WEIGHTS.wrong("T of squares", MINIMIZES, T=shares(s1**2, s2**2, s3**2)),
    MULTINOMIAL,
    MULTINOMIAL.wrong("not normalised by the prior", IN_THETA, T=[(e + a) / (s1 + s2 + s3 + a) for e in (s1, s2, s3)]),
    Entry("blood groups", LANGE, blood_groups),
    Entry("blood groups: not normalised", LANGE, lambda: blood_groups(normalised=False), IN_THETA),
    Entry("genetic linkage", DEMPSTER, linkage),
    Entry("genetic linkage: odds of the first cell", DEMPSTER, lambda: linkage(1), TANGENT),
    Entry("zero-inflated Poisson", "Lambert 1992, Technometrics", zero_inflated),
    Entry("mixed Poisson", "Karlis 2005, ASTIN Bull.", mixed_poisson),
    VARIANCE,
    VARIANCE.wrong("posterior variance forgotten", TANGENT, S_bar=(theta * z / (1 + theta)) ** 2, S=(s >= 0,)),
    Entry("factor loading", "Tipping and Bishop 1999, J. R. Stat. Soc. B", loading),
    Entry("probit", CHIB, probit),
    Entry("probit: half of the curvature", CHIB, lambda: probit(sp.Rational(1, 2)), MAJORIZES),
)
