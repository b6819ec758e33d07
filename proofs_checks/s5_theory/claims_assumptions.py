"""A1 to A8: what satisfies them, and what they leave out."""

from __future__ import annotations

from fractions import Fraction as F

import sympy as sp

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.ledger import Amended, Claim
from proofs_checks.reading import Reading
from proofs_checks.s5_theory.assumptions import bounded_field, closed_sets, convex_surrogates
from proofs_checks.s5_theory.common import HALF, identity_instance, interval, oracle_instance
from proofs_checks.s5_theory.compressors import examples, no_compression, rounding, sends, violates
from proofs_checks.s5_theory.noise import averaged_noise, past
from proofs_checks.shared.participation import fixed_size
from proofs_checks.shared.tools import instance


def _surrogates() -> Witness:
    s_1 = sp.Matrix([[2, 1], [1, 1]])
    return instance(
        {"Poisson": "s = (1, -1)", "mixture": "s_2 = (1/4, 1/2), L = 3", "dictionary": f"s_1 = {s_1.tolist()}"},
        "one point of 𝒮 for each example with a constraint",
        {"weights": F(1, 4) + HALF <= 1, "positive semidefinite": s_1.det() >= 0 and s_1[0, 0] >= 0},
    )


def _fresh() -> Witness:
    at = (F(1), F(3, 2))
    means = [sum((s + z) / 2 for z in (0, 2)) / 2 for s in at]
    return instance(
        {
            "f": "E(theta - Z)^2/2",
            "Z": "0 or 2",
            "rho": "1/2",
            "Shat": "1, 3/2",
            "oracle means": f"{means[0]}, {means[1]}",
        },
        "Example 1 with a fresh sample at each step",
        {"means depend on Shat": means[0] != means[1], "unbiased": means == [(s + 1) / 2 for s in at]},
    )


def _compressor() -> Witness:
    law = [((F(2), F(0)), HALF), ((F(0), F(4)), HALF)]
    return instance(
        {"s": "1, 2", "Q": "rand-1 of 2", "omega": 1},
        "a compressor at one point, with equality in A4(1)",
        {
            "A4(1)": violates((F(1), F(2)), law, F(1)) is None,
            "not A4(1/2)": violates((F(1), F(2)), law, HALF) is not None,
        },
    )


def _active() -> Witness:
    return instance({"n": 20, "active": 10, "p": "1/2"}, "the setting of Section 6", {"np = 10": 20 * HALF == 10})


CLOSED = {"toy": "closed at eps", "poisson_1": "closed at eps", "poisson_2": "closed at 0"}


ASSUMPTIONS = [
    Claim(
        id="A1-examples",
        where="A1, for Remark 1, Example 1, Appendix C and dictionary learning",
        lines="L 353, L 469, L 546, L 1139, L 1215",
        statement=r"$\psi - \langle s, \phi \rangle$ is convex for all $s \in \mathcal{S}$ in each example, on its own "
        r"$\mathcal{S}$: Remark 1, Example 1, both Poisson strategies, Gaussian mixtures, dictionary learning.",
        hypotheses=(
            r"all dimensions; $\Gamma_l \succ 0$; $\phi$ of the mixture with $L-1$ blocks in $m_l$",
            r"$\mathrm{int} \, \Theta \neq \emptyset$, which Example 1 does not ask for",
        ),
        check=convex_surrogates,
        non_vacuity=_surrogates,
        mutants={
            "Poisson, first: s_2 of any sign": {"larger": "Poisson 1"},
            "Poisson, second: s of any sign": {"larger": "Poisson 2"},
            "mixture: weights of any sign": {"larger": "weights"},
            "mixture: weights without a bound on their sum": {"larger": "their sum"},
            "dictionary: any symmetric s_1": {"larger": "s_1"},
        },
        note=r"The conditions in $\mathcal{S}$ are just what convexity needs, except in Remark 1 and Example 1, where "
        r"$\phi$ is affine and every $s$ would do.",
    ),
    Claim(
        id="A3",
        where="A3",
        lines="L 666-680, L 1490",
        statement="A3, with the sentence that introduces it, gives what Proposition 3 uses: $E[\\| \\sum_i \\mu_i "
        "\\xi_i \\|^2 \\mid F_t] \\leq \\sum_i \\mu_i^2 \\sigma_i^2 = \\sigma^2/n$ for the errors "
        "$\\xi_i = S_{t+1,i} - E_{\\pi_i}[\\bar S(Z, T(\\hat S_t))]$.",
        differs="“The local oracles are independent between local agents” stands before A3, not in its display, "
        "which alone would not do: see the first mutant.",
        hypotheses=(
            r"$E[\xi_i \mid F_t] = 0$, $E[\|\xi_i\|^2 \mid F_t] \leq \sigma_i^2$",
            r"$S_{t+1,1}, \dots, S_{t+1,n}$ are independent of each other given $F_t$ (L 667)",
        ),
        check=averaged_noise,
        form={"hypotheses": ("A3", "independent oracles")},
        non_vacuity=oracle_instance,
        mutants={
            "any dependence": {"hypotheses": ("A3",)},
            "biased oracles": {"hypotheses": ("independent oracles",)},
            "a third power of μ": {"exponent": 3},
        },
        note="Clients that share a random seed or a mini-batch satisfy the display; their noise does not "
        "average out, and the factor $1/n$ is lost. It would help to have the sentence inside the "
        "assumption. Uncorrelated errors are enough for this inequality.",
    ),
    Claim(
        id="A3-past",
        where="A3",
        statement="Given $\\hat S_t$, the oracles are independent of the past $F_t$, and $E[S_{t+1,i} \\mid F_t] = "
        "E_{\\pi_i}[\\bar S(Z, T(\\hat S_t))]$: fresh-sample oracles satisfy both.",
        differs="“Conditionally independent of the past history”: given what, is not said; “given $\\hat S_t$” "
        "is ours.",
        check=past,
        form={"known": ("Shat_t",)},
        non_vacuity=_fresh,
        note="Independence of the past without a condition would make the conditional mean a constant (first "
        "mutant). The proofs use the conditional mean and variance only.",
        mutants={"at all": {"known": ()}, "through Z_t only": {"known": ("Z_t",)}},
    ),
    Claim(
        id="A4-examples",
        where="A4",
        lines="L 696-701",
        statement=r"Rand-k sparsification satisfies A4 with $\omega = q/k - 1$. Block-r-quantisation with blocks of "
        r"length at most $B$ satisfies A4 with $\omega = B^{1/r} - 1$ for $1 \leq r \leq 2$ and $\omega = \sqrt{B} - "
        r"1$ for $r \geq 2$.",
        hypotheses=(
            r"rand-k: $k$ of $q$ coordinates, chosen uniformly, times $q/k$",
            r"block-r: in each block, $x_j \to \mathrm{sign}(x_j) \|x\|_r$ with probability $|x_j| / \|x\|_r$, else 0",
        ),
        check=examples,
        non_vacuity=_compressor,
        mutants={
            "rand-k without the factor q/k": {"scale": "1"},
            "rand-k: 1 − k/q": {"factor": "1 - k/q"},
            "block: ω smaller by 1/2": {"low": "B**e - 3/2"},
            "block: √B − 1 for r = 1": {"low": "sqrt(B) - 1"},
            "block, r ≥ 2: half of it": {"high": "(sqrt(B) - 1)/2"},
        },
        note="The paper names the operators and leaves ω to its references; these are valid ω, for all sizes. Fresh "
        "draws for each client and round make the outcomes i.i.d.",
    ),
    Claim(
        id="A4-scalar-grid",
        where="A4",
        lines="L 696-701",
        statement="Random scalar quantisation satisfies A4: rounded at random, without bias, to the grid of step "
        "$\\delta = \\max_j |s_j| / L$ it satisfies A4 with $\\omega = q / (4 L^2)$, for all $q$ and $L \\geq 1$.",
        differs="The grid, scaled by a norm of $s$ as in the works cited there, and ω are ours: the paper names "
        "the operator only.",
        check=rounding,
        form={"step": "scaled"},
        non_vacuity=_compressor,
        mutants={
            "a quarter of ω": {"factor": "q/(16*L**2)"},
            "rounded to the nearest point": {"step": "scaled, to nearest"},
            "a fixed grid": {"step": "fixed"},
        },
        note="The scale must be sent, too. On a fixed grid the variance near 0 is of the order of $\\|s\\|$, not "
        "$\\|s\\|^2$, and no ω will do (mutant); with control variates it is near 0 that messages end.",
    ),
    Claim(
        id="A4-omega0",
        where="Section 5, after A4",
        statement=r"$\omega = 0$ is the case of no compression: $Q$ satisfies A4(0) if and only if $Q(s) = s$ almost "
        r"surely, for ‹points: every=every; some=some› $s$.",
        check=no_compression,
        non_vacuity=identity_instance,
        mutants={"ω = 1": {"factor": "1"}, "for no other ω": {"unique": True}},
        note=r"$\omega$ is not determined by $Q$: A4($\omega$) implies A4($\omega'$) for $\omega' \geq \omega$, so "
        r"that $Q(s) = s$ satisfies A4 with every $\omega \geq 0$.",
    ),
    Claim(
        id="pp-as-compression",
        where="Section 5, after A5",
        statement=r"Partial participation is an unbiased compressor on top of $Q$: it sends the output of $Q$ with "
        r"probability $p$ and nothing otherwise.",
        hypotheses=(r"$Q$ satisfies A4($\omega$); the selection is independent of it",),
        check=sends,
        form={"what": "Q"},
        reading=Reading.SLIP,
        non_vacuity=_compressor,
        amended=Amended(
            kind="wording",
            statement=r"Sending $Q(s)/p$ with probability $p$ and nothing otherwise is unbiased and satisfies "
            r"A4($\omega_p$) with $\omega_p = \omega + (1+\omega)(1-p)/p$.",
            form={"what": "Q/p"},
            differs="The output is divided by $p$, as Appendix D.2 does.",
            matters=r"Without the factor the mean is $p s$, and no choice of $\omega$ makes A4 true.",
        ),
        mutants={"divided by p twice": {"what": "Q/p**2"}, "not divided": {"what": "Q"}},
    ),
    Claim(
        id="A5-experiments",
        where="A5 and Section 6",
        lines="L 702, L 834, L 852",
        statement="Ten of 20 agents at each step, drawn without replacement, is participation with $p = 0.5$: each "
        "agent is active with probability $1/2$. The selections of two agents have covariance $-1/76$.",
        differs="The paper says how many are active and that $p = 0.5$; the covariance is ours. That this is A5, "
        "it does not say.",
        check=fixed_size,
        form={"probability": "1/2", "covariance": "-1/76"},
        non_vacuity=_active,
        note="It is not A5, which asks for independent selections (mutant): $H_{t+1}$ stays unbiased (see "
        "alg2-mean-active), yet Proposition 3 and Theorem 1, which assume A5, do not cover this choice as they stand.",
        mutants={
            "positive covariance": {"covariance": "1/76"},
            "another probability": {"probability": "1/4"},
            "A5: uncorrelated selections": {"covariance": "0"},
        },
    ),
    Claim(
        id="A6-ii",
        where="A6(ii), as Theorem 1 uses it",
        statement="An assumption. It is met if $\\mathcal{S}$ is bounded: then $\\sup_{\\mathcal{S}} \\|h\\| \\leq "
        "\\mathrm{diam}(\\mathcal{S})$.",
        differs="The paper assumes it; on the $\\mathcal{S}$ that its examples name, $h$ may be unbounded "
        "(mutant “unbounded sets”).",
        check=bounded_field,
        form={"sets": "bounded"},
        non_vacuity=interval,
        mutants={"half the diameter": {"bound": "diam/2"}, "unbounded sets": {"sets": "printed"}},
        note="Theorem 1's constant $\\bar C$ and its step sizes contain the supremum: with $\\mathcal{S} = "
        "\\mathbb{R}^q$ or a cone it may be infinite, and the theorem says nothing. One has to know, in "
        "advance, a bounded set that contains all $E_\\pi[\\bar S(Z, \\tau)]$, as MM-1 requires. The "
        "evidence of the mutant has one instance of each example in which $h$ is unbounded. A bounded "
        "$\\mathcal{S}$ is not necessary: for Example 1 with $g = 0$, $h = -\\rho \\nabla f$ is bounded "
        "as soon as $\\nabla f$ is (logistic regression).",
    ),
    Claim(
        id="A8-closed",
        where="A8(i), with the sets of Remark 1 and Appendix C",
        lines="L 730, L 546, L 1139, L 1152",
        statement="An assumption. It is met with $[\\epsilon, \\infty)$ in Remark 1, $[\\epsilon, \\infty) \\times "
        "(-\\infty, 0]$ and $(-\\infty, 0]$ for Poisson, any $\\epsilon > 0$, and with the sets printed "
        "for Example 1, the mixture and dictionary learning; $T$ is defined on each.",
        differs="The sets printed for Remark 1 and for Poisson, $\\mathbb{R}_{>0}$, $\\mathbb{R}_{>0} \\times "
        "\\mathbb{R}_{<0}$ and $\\mathbb{R}_{<0}$, are not closed (first mutant).",
        check=closed_sets,
        form=CLOSED,
        non_vacuity=_surrogates,
        note="Onto an open half-line no point outside has a projection: line “Project it on $\\mathcal{S}$” "
        "of Algorithm 2 is not defined. The closed sets must still contain all $E_\\pi[\\bar S]$, so ε "
        "has to be small enough: $\\epsilon \\leq E_\\pi[Z]$.",
        mutants={
            "0 in the set of Remark 1": {"toy": "closed at 0"},
            "s_1 = 0 for Poisson": {"poisson_1": "closed at 0"},
            "s up to λ for Poisson": {"poisson_2": "closed at -lambda"},
            "ε = 0 and open": {"poisson_2": "open at 0"},
            "the sets as printed": dict.fromkeys(CLOSED, "open at 0"),
        },
    ),
]
