"""What the sentences after the assumptions say of constants and noise."""

from __future__ import annotations

from fractions import Fraction as F

import sympy as sp

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.s5_theory.common import identity_instance, interval, oracle_instance
from proofs_checks.s5_theory.noise import divided, homogeneous
from proofs_checks.s5_theory.projected_field import projected_field, strongly_convex
from proofs_checks.shared.fedmm_rounds import alpha_plays_no_role, omega_p_vanishes
from proofs_checks.shared.tools import instance


def _mini_batch() -> Witness:
    x = (F(1), F(4), F(16))
    mean = sum(x) / 3
    return instance(
        {"samples": "1, 4, 16", "n": 2, "mu": "1/2, 1/2", "b": 2},
        "two clients with the same three samples, batches of two",
        {"positive variance": sum((y - mean) ** 2 for y in x) > 0},
    )


def _ridge() -> Witness:
    theta = sp.Symbol("theta", real=True)
    J = theta**2 / 2 + theta**2 - 3 * theta
    best = sp.solve(sp.diff(J, theta), theta)
    return instance(
        {"g": "theta^2/2", "psi": "theta^2", "phi": "theta", "s": 3, "T(s)": best},
        "a strongly convex surrogate with modulus 3",
        {"one critical point": best == [1], "J'' = 3": sp.diff(J, theta, 2) == 3},
    )


CONSTANTS = [
    Claim(
        id="barE-identity",
        where="Section 5, after A8",
        statement=r"$\bar E_{t+1} = \|\Pi(\hat S_t + \gamma_{t+1} h(\hat S_t), B_t) - \hat S_t\|^2_{B_t} / "
        r"\gamma_{t+1}^2$ equals $\|h(\hat S_t)\|^2_{B_t}$ where $\Pi$ is the identity, and is at least $v_{\min} "
        r"\|h(\hat S_t)\|^2$ under A7.",
        hypotheses=(
            r"A7(ii), A8; $\gamma_{t+1} \in (0, 1]$ (Algorithm 2)",
            r"$\hat S_t \in \mathcal{S}$",
            r"‹oracle_inside: True=$E_\pi[\bar S(Z, T(\hat S_t))] \in \mathcal{S}$ (MM-1)›",
        ),
        check=projected_field,
        non_vacuity=interval,
        mutants={
            "steps up to 2": {"gamma_max": "2"},
            "𝒮 does not contain the mean of S̄": {"oracle_inside": False},
            "v_max in place of v_min": {"bound": "v_max"},
        },
        note=r"More is true: $\hat S_t + \gamma h(\hat S_t)$ is a convex combination of two points of $\mathcal{S}$, "
        r"so the projection in $\bar E$ is never active, $\bar E_{t+1} = \|h(\hat S_t)\|^2_{B_t}$ always, and it "
        r"vanishes at the roots of $h$ only. On a set cut down by hand, such as $[-M, 0]$ for Poisson, MM-1's $\bar S "
        r"\in \mathcal{S}$ has to be checked: where it fails, so may the bound (second mutant).",
    ),
    Claim(
        id="omega-p-zero",
        where="Section 5, before Theorem 1",
        statement=r"The two cases of Theorem 1, $\omega_p = 0$ and $\omega_p > 0$, are: $\omega = 0$ and $p = 1$; and "
        r"$\omega > 0$ or $p < 1$.",
        hypotheses=(r"$\omega \geq 0$, $p \in (0, 1]$",),
        check=omega_p_vanishes,
        non_vacuity=identity_instance,
        mutants={"one of them is enough": {"relation": "or"}},
    ),
    Claim(
        id="const-homogeneous",
        where="Section 5, parameters and constants",
        statement=r"If $\mu_i = 1/n$ and all $\sigma_i$ (resp. $L_i$) are equal, then $\sigma^2 = n \sum_i \mu_i^2 "
        r"\sigma_i^2 = \sigma_i^2$ (resp. $L^2 = L_i^2$).",
        check=homogeneous,
        form={"factor": "n"},
        non_vacuity=oracle_instance,
        mutants={"without the factor n": {"factor": "1"}, "n squared": {"factor": "n**2"}},
    ),
    Claim(
        id="mm2-strong",
        where="Section 5, parameters and constants",
        statement="MM-2 is satisfied when the surrogate is strongly convex: it has exactly one minimiser.",
        hypotheses=(
            "A1; $g$ is proper, lower semicontinuous and convex",
            r"$g + \psi - \langle s, \phi \rangle$ is strongly convex for all $s \in \mathcal{S}$",
        ),
        check=strongly_convex,
        form={"hypotheses": ("strongly convex",)},
        reading=Reading.DEPENDS,
        context=Context(
            "A strongly convex surrogate is usually taken to be lower semicontinuous, as $g$ is in (1).", "amended"
        ),
        non_vacuity=_ridge,
        amended=Amended(
            kind="hypothesis",
            statement="If the surrogate is strongly convex and lower semicontinuous, then it has exactly one "
            "minimiser.",
            form={"hypotheses": ("strongly convex", "lower semicontinuous")},
            differs=r"Lower semicontinuity of the surrogate, which holds as soon as $\psi$ and $\phi$ are continuous "
            r"on $\Theta$.",
            matters=r"A1 says nothing of $\psi$ and $\phi$ at boundary points of $\Theta$, where a minimum may be "
            r"missed.",
        ),
        mutants={
            "strictly convex only": {"hypotheses": ("strictly convex", "lower semicontinuous")},
            "convex only": {"hypotheses": ("convex", "lower semicontinuous")},
            "not lower semicontinuous": {"hypotheses": ("strongly convex",)},
        },
        note="About existence and uniqueness; that $T$ is measurable, MM-2 asks as well.",
    ),
    Claim(
        id="noise-nb",
        where="Section 5, convergence guarantee",
        statement="The noise term of Theorem 1, $\\sigma^2/n$ up to a constant, is divided by the number of "
        "workers and by the batch size: for $\\mu_i = 1/n$ it is $v/(nb)$ if one sample's oracle has "
        "variance $v$ at every client.",
        differs="$\\mu_i = 1/n$, equal variances and independent samples in a batch are ours; the paper gives no "
        "formula.",
        hypotheses=("‹draw: independent=A3 with mini-batch means of $b$ independent samples›",),
        check=divided,
        form={"weights": "1/n"},
        non_vacuity=_mini_batch,
        mutants={
            "weights proportional to i": {"weights": "2*i/(n*(n+1))"},
            "one sample, used b times": {"draw": "one sample b times"},
            "divided by b squared": {"factor": "1/b**2"},
            "batches drawn without replacement": {"draw": "without replacement"},
        },
        note="$\\sigma^2/n = \\sum_i \\mu_i^2 \\sigma_i^2$ hides $n$ in $\\sigma^2$: with unequal weights one "
        "client with most of the samples keeps it near $\\mu_1^2 v$ however many others join (mutant). "
        "Drawn without replacement from $N$ samples the variance is smaller still: $v (N-b) / (b(N-1))$.",
    ),
    Claim(
        id="alpha-zero-omega0",
        where="Section 5, case α = 0",
        statement=r"When $\omega_p = 0$, control variates play no role, whatever the heterogeneity: the iterates are "
        r"the same for every $\alpha \geq 0$, $\alpha = 0$ included, and all $V_{0,i}$.",
        hypotheses=(r"$V_0 = \sum_i \mu_i V_{0,i}$",),
        check=alpha_plays_no_role,
        form={"given": "omega_p = 0"},
        non_vacuity=identity_instance,
        mutants={"no compression only": {"given": "omega = 0"}, "full participation only": {"given": "p = 1"}},
        note=r"Algorithm 2 asks $\alpha > 0$; Theorem 1(A) and this remark allow 0.",
    ),
]
