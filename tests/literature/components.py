"""Surrogates of any number L of components: mixtures, factorizations, gradient steps, a simplex."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fedmm_edu.symbolic import ComponentModel
from tests.literature.entry import MAJORIZES, MINIMIZES, TANGENT, Entry
from tests.literature.symbols import lam, rho, y, z

index, L = sp.symbols("l L", integer=True, positive=True)
theta, s, r, w, x, p = (base[index] for base in map(sp.IndexedBase, ("theta", "s", "r", "w", "x", "p")))
inner = sp.Sum(x * theta, (index, 1, L))
POSITIVE = {"Theta": theta > 0, "S": (s > 0, r > 0), "Z": (x > 0, y > 0)}


def over_all(term) -> sp.Expr:
    """Σ_l."""
    return sp.Sum(term, (index, 1, L))


def gaussians(weight=w) -> ComponentModel:
    """L Gaussians of variance 1 with unknown means, known weights and a ridge."""
    kernel = sp.exp(-((z - theta) ** 2) / 2)
    share = weight * kernel / over_all(weight * kernel)
    return ComponentModel(
        theta=theta, z=z, s=(s, r), loss=-sp.log(over_all(w * kernel)), g=lam * over_all(theta**2) / 2,
        phi=(theta, -(theta**2) / 2), S_bar=(z * share, share), T=s / (r + lam), S=r >= 0, given=w > 0,
        name="Gaussians",
    )  # fmt: skip


def weights(hard=False) -> ComponentModel:
    """The weights of a mixture of L known densities, whose values are the sample."""
    mean = p / over_all(p) if hard else theta * p / over_all(theta * p)
    return ComponentModel(
        theta=theta, z=p, s=s, loss=-sp.log(over_all(theta * p)), phi=sp.log(theta), S_bar=mean, T=s / over_all(s),
        Theta=(theta > 0, sp.Eq(over_all(theta), 1)), S=s > 0, Z=p > 0, name="weights",
    )  # fmt: skip


def kl_nmf(power=1) -> ComponentModel:
    """One column of a non-negative factorization of rank L under Kullback-Leibler."""
    share = (x * theta) ** power / over_all((x * theta) ** power)
    return ComponentModel(
        theta=theta, z=(x, y), s=(s, r), loss=inner - y * sp.log(inner), phi=(sp.log(theta), -theta),
        S_bar=(y * share, x), T=s / r, name="KL-NMF", **POSITIVE,
    )  # fmt: skip


def nmf() -> ComponentModel:
    """The same for ½(y − ⟨x, θ⟩)²."""
    return ComponentModel(
        theta=theta, z=(x, y), s=(s, r), loss=(y - inner) ** 2 / 2, phi=(theta, -(theta**2) / 2),
        S_bar=(x * y, x * inner / theta), T=s / r, name="NMF", **POSITIVE,
    )  # fmt: skip


def least_squares(limit=1) -> ComponentModel:
    """A gradient step for ½(y − ⟨x, θ⟩)² with ρ‖x‖² ≤ 1."""
    return ComponentModel(
        theta=theta, z=(x, y), s=s, loss=(y - inner) ** 2 / 2, psi=over_all(theta**2) / (2 * rho), phi=theta,
        S_bar=theta / rho + x * (y - inner), T=rho * s, given=rho * over_all(x**2) <= limit, name="least squares",
    )  # fmt: skip


def de_pierro(share=L) -> ComponentModel:
    """½(y − ⟨x, θ⟩)² below a sum of L parabolas, by convexity with weights 1/L."""
    return ComponentModel(
        theta=theta, z=(x, y), s=(s, r), loss=(y - inner) ** 2 / 2, g=lam * over_all(theta**2) / 2,
        phi=(theta, -(theta**2) / 2), S_bar=(x * (y - inner) + share * x**2 * theta, share * x**2), T=s / (r + lam),
        S=r >= 0, name="De Pierro",
    )  # fmt: skip


def mirror_descent() -> ComponentModel:
    """A linear loss on the simplex of dimension L − 1 with the entropy."""
    power = sp.exp(rho * s)
    return ComponentModel(
        theta=theta, z=p, s=s, loss=over_all(theta * p), psi=over_all(theta * sp.log(theta)) / rho, phi=theta,
        S_bar=(1 + sp.log(theta)) / rho - p, T=power / over_all(power),
        Theta=(theta > 0, sp.Eq(over_all(theta), 1)), name="mirror descent",
    )  # fmt: skip


def soft_threshold(times=1) -> ComponentModel:
    """½‖θ − x‖² + λ‖θ‖₁ in L coordinates."""
    return ComponentModel(
        theta=theta, z=x, s=s, loss=over_all((theta - x) ** 2) / 2, g=lam * over_all(sp.Abs(theta)),
        psi=over_all(theta**2) / 2, phi=theta, S_bar=x, T=sp.sign(s) * sp.Max(sp.Abs(s) - times * lam, 0),
        name="soft threshold",
    )  # fmt: skip


MCLACHLAN = "McLachlan and Peel 2000, Finite Mixture Models"
LEE = "Lee and Seung 2001, NIPS"
NESTEROV = "Nesterov 2004, Introductory Lectures"
DE_PIERRO = "De Pierro 1995, IEEE Trans. Med. Imaging"
DONOHO = "Donoho and Johnstone 1994, Biometrika"
ENTRIES = (
    Entry("EM, L Gaussians", MCLACHLAN, gaussians),
    Entry(
        "EM, L Gaussians: posterior without weights",
        MCLACHLAN,
        lambda: replace(gaussians(), S_bar=gaussians(sp.S.One).S_bar),
        TANGENT,
    ),
    Entry("mixture weights, L components", MCLACHLAN, weights),
    Entry("mixture weights, L components: hard counts", MCLACHLAN, lambda: weights(hard=True), TANGENT),
    Entry("KL-NMF of rank L", LEE, kl_nmf),
    Entry("KL-NMF of rank L: squared shares", LEE, lambda: kl_nmf(2), TANGENT),
    Entry("NMF of rank L", LEE, nmf),
    Entry("gradient step, least squares, L coordinates", NESTEROV, least_squares),
    Entry("gradient step, least squares, L coordinates: up to 2/L", NESTEROV, lambda: least_squares(2), MAJORIZES),
    Entry("separable parabolas, L parts", DE_PIERRO, de_pierro),
    Entry("separable parabolas, L parts: four for any number", DE_PIERRO, lambda: de_pierro(4), MAJORIZES),
    Entry("mirror descent on a simplex, L coordinates", "Beck and Teboulle 2003, Oper. Res. Lett.", mirror_descent),
    Entry("soft threshold, L coordinates", DONOHO, soft_threshold),
    Entry("soft threshold, L coordinates: twice", DONOHO, lambda: soft_threshold(2), MINIMIZES),
)
