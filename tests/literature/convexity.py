"""Bounds from convexity: multiplicative updates, linearized logarithms, arithmetic-geometric means, Bregman, CCCP."""

from __future__ import annotations

import sympy as sp

from fedmm_edu.symbolic import Model
from tests.literature.entry import MAJORIZES, MINIMIZES, TANGENT, Entry
from tests.literature.symbols import (
    a,
    rho,
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
    x1,
    x2,
    y,
    z,
    z1,
    z2,
)

POSITIVE = (theta1 > 0, theta2 > 0)
ALL = (s1 > 0, s2 > 0, s3 > 0, s4 > 0)


def kl_nmf(power=1) -> Model:
    """One column of a non-negative factorization under Kullback-Leibler: ⟨x, θ⟩ − y log⟨x, θ⟩."""
    total = x1 * theta1 + x2 * theta2
    parts = [(u * t) ** power for u, t in ((x1, theta1), (x2, theta2))]
    return Model(
        theta=(theta1, theta2), z=(x1, x2, y), s=(s1, s2, s3, s4), loss=total - y * sp.log(total),
        phi=(sp.log(theta1), sp.log(theta2), -theta1, -theta2), S_bar=(*(y * p / sum(parts) for p in parts), x1, x2),
        T=(s1 / s3, s2 / s4), Theta=POSITIVE, S=ALL, Z=[x1 > 0, x2 > 0, y > 0], name="KL-NMF",
    )  # fmt: skip


def square_nmf() -> Model:
    """The same for ½(y − ⟨x, θ⟩)²: curvature x_k⟨x, τ⟩/τ_k."""
    total = x1 * theta1 + x2 * theta2
    return Model(
        theta=(theta1, theta2), z=(x1, x2, y), s=(s1, s2, s3, s4), loss=(y - total) ** 2 / 2,
        phi=(theta1, theta2, -(theta1**2) / 2, -(theta2**2) / 2),
        S_bar=(x1 * y, x2 * y, x1 * total / theta1, x2 * total / theta2), T=(s1 / s3, s2 / s4), Theta=POSITIVE, S=ALL,
        Z=[x1 > 0, x2 > 0, y > 0], name="NMF",
    )  # fmt: skip


def bradley_terry(bottom=theta1 + theta2) -> Model:
    """z₁ wins of the first and z₂ of the second; −log(θ₁ + θ₂) made linear."""
    return Model(
        theta=(theta1, theta2), z=(z1, z2), s=(s1, s2, s3),
        loss=-z1 * sp.log(theta1) - z2 * sp.log(theta2) + (z1 + z2) * sp.log(theta1 + theta2),
        phi=(sp.log(theta1), sp.log(theta2), -theta1 - theta2), S_bar=(z1, z2, (z1 + z2) / bottom),
        T=(s1 / s3, s2 / s3), Theta=POSITIVE, S=[s1 > 0, s2 > 0, s3 > 0], Z=[z1 > 0, z2 > 0], name="Bradley-Terry",
    )  # fmt: skip


def posynomial(swapped=False) -> Model:
    """zθ₁θ₂ + 1/θ₁ + 1/θ₂, the product below a sum of squares."""
    ratio = theta1 / theta2 if swapped else theta2 / theta1
    return Model(
        theta=(theta1, theta2), z=z, s=(s1, s2), loss=z * theta1 * theta2 + 1 / theta1 + 1 / theta2,
        psi=1 / theta1 + 1 / theta2, phi=(-(theta1**2) / 2, -(theta2**2) / 2), S_bar=(z * ratio, z / ratio),
        T=(s1 ** sp.Rational(-1, 3), s2 ** sp.Rational(-1, 3)), Theta=POSITIVE, S=[s1 > 0, s2 > 0], Z=[z > 0],
        name="posynomial",
    )  # fmt: skip


def variance() -> Model:
    """log θ + z/θ with log θ made linear."""
    return Model(
        theta=theta, z=z, s=(s1, s2), loss=sp.log(theta) + z / theta, phi=(-theta, -1 / theta), S_bar=(1 / theta, z),
        T=sp.sqrt(s2 / s1), Theta=[theta > 0], S=[s1 > 0, s2 > 0], Z=[z > 0], name="log-determinant",
    )  # fmt: skip


def cccp() -> Model:
    """θ⁴/4 − zθ²/2, the concave part made linear."""
    return Model(
        theta=theta, z=z, s=s, loss=theta**4 / 4 - z * theta**2 / 2, psi=theta**4 / 4, phi=theta, S_bar=z * theta,
        T=s ** sp.Rational(1, 3), Theta=[theta > 0], S=[s > 0], Z=[z > 0], name="CCCP",
    )  # fmt: skip


def mean_field() -> Model:
    """θ²/2 − log cosh(zθ)."""
    return Model(
        theta=theta, z=z, s=s, loss=theta**2 / 2 - sp.log(sp.cosh(z * theta)), psi=theta**2 / 2, phi=theta,
        S_bar=z * sp.tanh(z * theta), T=s, name="mean field",
    )  # fmt: skip


def mirror_descent() -> Model:
    """A linear loss on the simplex with the entropy."""
    thetas, zs, ss = (theta1, theta2, theta3), sp.symbols("z1:4", real=True), (s1, s2, s3)
    powers = [sp.exp(rho * e) for e in ss]
    return Model(
        theta=thetas, z=zs, s=ss, loss=sum(u * t for u, t in zip(zs, thetas, strict=True)),
        psi=sum(t * sp.log(t) for t in thetas) / rho, phi=thetas,
        S_bar=[(1 + sp.log(t)) / rho - u for t, u in zip(thetas, zs, strict=True)],
        T=[p / sum(powers) for p in powers], Theta=[*(t > 0 for t in thetas), sp.Eq(sum(thetas), 1)],
        name="mirror descent",
    )  # fmt: skip


def burg(limit) -> Model:
    """xθ − y log(xθ), smooth relative to −log θ."""
    return Model(
        theta=theta, z=(x, y), s=s, loss=x * theta - y * sp.log(x * theta), psi=-a * sp.log(theta), phi=theta,
        S_bar=-x + (y - a) / theta, T=-a / s, Theta=[theta > 0], S=[s < 0], Z=[x > 0, y >= 0], given=[y <= limit],
        name="Burg",
    )  # fmt: skip


def polya() -> Model:
    """log Γ(θ) − log Γ(θ + z) + θ: the fixed point for Dirichlet-multinomial counts."""
    return Model(
        theta=theta, z=z, s=s, loss=sp.loggamma(theta) - sp.loggamma(theta + z) + theta, psi=theta,
        phi=sp.log(theta), S_bar=theta * (sp.polygamma(0, theta + z) - sp.polygamma(0, theta)), T=s,
        Theta=[theta > 0], S=[s > 0], Z=[z >= 1], name="Pólya",
    )  # fmt: skip


LEE = "Lee and Seung 2001, NIPS"
HUNTER = "Hunter 2004, Ann. Stat."
YUILLE = "Yuille and Rangarajan 2003, Neural Comput."
BAUSCHKE = "Bauschke, Bolte and Teboulle 2017, Math. Oper. Res."
LANGE = "Lange and Zhou 2014, Math. Program."
LOGDET = Entry("log-determinant", "Fazel, Hindi and Boyd 2003, ACC", variance)
CCCP = Entry("CCCP, quartic", YUILLE, cccp)
MIRROR = Entry("mirror descent on the simplex", "Beck and Teboulle 2003, Oper. Res. Lett.", mirror_descent)
POLYA = Entry("Pólya counts", "Minka 2000, Estimating a Dirichlet distribution", polya)
ENTRIES = (
    Entry("KL-NMF", LEE, kl_nmf),
    Entry("KL-NMF: squared shares", LEE, lambda: kl_nmf(2), TANGENT),
    Entry("NMF", LEE, square_nmf),
    Entry("Bradley-Terry", HUNTER, bradley_terry),
    Entry("Bradley-Terry: one strength below", HUNTER, lambda: bradley_terry(theta1), TANGENT),
    Entry("posynomial", LANGE, posynomial),
    Entry("posynomial: ratio upside down", LANGE, lambda: posynomial(swapped=True), TANGENT),
    LOGDET,
    LOGDET.wrong("T without the root", MINIMIZES, T=s2 / s1),
    CCCP,
    CCCP.wrong("twice the slope", MAJORIZES, S_bar=2 * z * theta),
    Entry("CCCP, mean field", YUILLE, mean_field),
    MIRROR,
    MIRROR.wrong("T without the step", MINIMIZES, T=[sp.exp(e) / sum(map(sp.exp, (s1, s2, s3))) for e in (s1, s2, s3)]),
    Entry("Burg entropy", BAUSCHKE, lambda: burg(a)),
    Entry("Burg entropy: twice too small", BAUSCHKE, lambda: burg(2 * a), MAJORIZES),
    POLYA,
    POLYA.wrong("half counts", MAJORIZES, Z=[z >= sp.Rational(1, 2)]),
)
