"""Section 5: the assumptions of the analysis, what the paper says of them, and the remarks around Theorem 1."""

from __future__ import annotations

from fractions import Fraction as F

import sympy as sp

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.quotes import quotes
from proofs_checks.reading import Reading
from proofs_checks.s5_theory.assumptions import bounded_field, closed_sets, convex_surrogates
from proofs_checks.s5_theory.compressors import examples, no_compression, quantised_psd, rounding, sends, violates
from proofs_checks.s5_theory.leaving import leaves, reinforced
from proofs_checks.s5_theory.noise import NOISE_LAWS, averaged_noise, divided, homogeneous, past
from proofs_checks.s5_theory.projected_field import projected_field, projection_bias, strongly_convex
from proofs_checks.shared.fedmm_rounds import alpha_plays_no_role, omega_p_vanishes
from proofs_checks.shared.participation import fixed_size
from proofs_checks.shared.tools import instance

SECTION = "Section 5: Theoretical analysis, assumptions and remarks"
QUOTES = quotes(__file__)

HALF = F(1, 2)


def _surrogates() -> Witness:
    s_1 = sp.Matrix([[2, 1], [1, 1]])
    return instance(
        {"Poisson": "s = (1, -1)", "mixture": "s_2 = (1/4, 1/2), L = 3", "dictionary": f"s_1 = {s_1.tolist()}"},
        "one point of 𝒮 for each example with a constraint",
        {"weights": F(1, 4) + HALF <= 1, "positive semidefinite": s_1.det() >= 0 and s_1[0, 0] >= 0},
    )


def _oracles() -> Witness:
    joint = NOISE_LAWS["independent"]
    mean = [sum(w * errors[i] for errors, w in joint.items()) for i in (0, 1)]
    return instance(
        {"errors": "1 or -1, each with probability 1/2, independent", "sigma_i": 1},
        "two unbiased oracles with independent errors",
        {"unbiased": mean == [0, 0], "a law": sum(joint.values()) == 1},
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


def _identity() -> Witness:
    law = [((F(1), F(2)), F(1))]
    return instance({"s": "1, 2", "Q": "identity"}, "A4(0)", {"A4(0)": violates((F(1), F(2)), law, F(0)) is None})


def _active() -> Witness:
    return instance({"n": 20, "active": 10, "p": "1/2"}, "the setting of Section 6", {"np = 10": 20 * HALF == 10})


def _interval() -> Witness:
    at, mean, step = HALF, F(1), F(1)
    return instance(
        {"S": "[0, 1]", "Shat": at, "E S_bar": mean, "gamma": step},
        "Remark 1 with $Z = 1$, on a compact set of surrogates",
        {
            "E S_bar in S": 0 <= mean <= 1,
            "Shat + gamma h in S": 0 <= at + step * (mean - at) <= 1,
            "h != 0": mean != at,
        },
    )


def _mini_batch() -> Witness:
    x = (F(1), F(4), F(16))
    mean = sum(x) / 3
    return instance(
        {"samples": "1, 4, 16", "n": 2, "mu": "1/2, 1/2", "b": 2},
        "two clients with the same three samples, batches of two",
        {"positive variance": sum((y - mean) ** 2 for y in x) > 0},
    )


def _psd() -> Witness:
    A = sp.Matrix([[1, HALF], [HALF, F(1, 4)]])
    return instance(
        {"A": A.tolist()}, "$A = vv^\\top$, $v = (1, 1/2)$", {"det": A.det() == 0, "trace > 0": A.trace() > 0}
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


CLOSED = {"toy": "closed at eps", "poisson_1": "closed at eps", "poisson_2": "closed at 0"}

CLAIMS = [
    Claim(
        id="A1-examples",
        quote=QUOTES["A1-examples"],
        where="A1, for Remark 1, Example 1, Appendix C and dictionary learning",
        lines="L 353, L 469, L 546, L 1139, L 1215",
        statement=r"$\psi - \langle s, \phi \rangle$ is convex for all $s \in \mathcal{S}$ in each example, on its own "
        r"$\mathcal{S}$: Remark 1, Example 1, both Poisson strategies, Gaussian mixtures, dictionary learning.",
        hypotheses=(
            r"all dimensions; $\Gamma_l \succ 0$; $\phi$ of the mixture with $L-1$ blocks in $m_l$",
            r"$\mathrm{int} \, \Theta \neq \emptyset$, which Example 1 does not ask for",
        ),
        check=convex_surrogates,
        expected="proved",
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
        quote=QUOTES["A3"],
        where="A3",
        lines="L 666-680, L 1490",
        statement="A3, with the sentence that introduces it, gives what Proposition 3 uses: $E[\\| \\sum_i \\mu_i "
        "\\xi_i \\|^2 \\mid F_t] \\leq \\sum_i \\mu_i^2 \\sigma_i^2 = \\sigma^2/n$ for the errors "
        "$\\xi_i = S_{t+1,i} - E_{\\pi_i}[\\bar S(Z, T(\\hat S_t))]$.",
        differs="“The local oracles are independent between local agents” stands before A3, not in its display, "
        "which alone would not do: see the first mutant.",
        hypotheses=(
            r"$E[\xi_i "
            r"\mid F_t] "
            r"= 0$, "
            r"$E[\|\xi_i\|^2 "
            r"\mid F_t] "
            r"\leq "
            r"\sigma_i^2$",
            r"$S_{t+1,1}, \dots, S_{t+1,n}$ are independent of each other given $F_t$ (L 667)",
        ),
        check=averaged_noise,
        form={"hypotheses": ("A3", "independent oracles")},
        expected="proved",
        non_vacuity=_oracles,
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
        quote=QUOTES["A3-past"],
        where="A3",
        lines="L 672-676",
        statement="Given $\\hat S_t$, the oracles are independent of the past $F_t$, and $E[S_{t+1,i} \\mid F_t] = "
        "E_{\\pi_i}[\\bar S(Z, T(\\hat S_t))]$: fresh-sample oracles satisfy both.",
        differs="“Conditionally independent of the past history”: given what, is not said; “given $\\hat S_t$” "
        "is ours.",
        check=past,
        form={"known": ("Shat_t",)},
        expected="proved",
        non_vacuity=_fresh,
        note="Independence of the past without a condition would make the conditional mean a constant (first "
        "mutant). The proofs use the conditional mean and variance only.",
        mutants={"at all": {"known": ()}, "through Z_t only": {"known": ("Z_t",)}},
    ),
    Claim(
        id="A4-examples",
        quote=QUOTES["A4-examples"],
        where="A4",
        lines="L 696-701",
        statement=r"Rand-k sparsification satisfies A4 with $\omega = q/k - 1$. Block-r-quantisation with blocks of "
        r"length "
        r"at most $B$ satisfies A4 with $\omega = B^{1/r} - 1$ for $1 \leq r \leq 2$ and $\omega = \sqrt{B} - 1$ for "
        r"$r \geq 2$.",
        hypotheses=(
            r"rand-k: $k$ of $q$ coordinates, chosen uniformly, times $q/k$",
            r"block-r: in each block, $x_j \to \mathrm{sign}(x_j) \|x\|_r$ with probability $|x_j| / \|x\|_r$, else 0",
        ),
        check=examples,
        expected="proved",
        non_vacuity=_compressor,
        mutants={
            "rand-k without the factor q/k": {"scale": "1"},
            "rand-k: 1 − k/q": {"factor": "1 - k/q"},
            "block: ω smaller by 1/2": {"low": "B**e - 3/2"},
            "block: √B − 1 for r = 1": {"low": "sqrt(B) - 1"},
            "block, r ≥ 2: half of it": {"high": "(sqrt(B) - 1)/2"},
        },
        note="The paper names the operators and leaves ω to its references; these are valid ω, for all sizes. Fresh "
        "draws "
        "for each client and round make the outcomes i.i.d.",
    ),
    Claim(
        id="A4-scalar-grid",
        quote=QUOTES["A4-scalar-grid"],
        where="A4",
        lines="L 696-701",
        statement="Random scalar quantisation satisfies A4: rounded at random, without bias, to the grid of step "
        "$\\delta = \\max_j |s_j| / L$ it satisfies A4 with $\\omega = q / (4 L^2)$, for all $q$ and $L "
        "\\geq 1$.",
        differs="The grid, scaled by a norm of $s$ as in the works cited there, and ω are ours: the paper names "
        "the operator only.",
        check=rounding,
        form={"step": "scaled"},
        expected="proved",
        non_vacuity=_compressor,
        mutants={
            "a quarter of ω": {"step": "scaled", "factor": "q/(16*L**2)"},
            "rounded to the nearest point": {"step": "scaled, to nearest"},
            "a fixed grid": {"step": "fixed"},
        },
        note="The scale must be sent, too. On a fixed grid the variance near 0 is of the order of $\\|s\\|$, "
        "not $\\|s\\|^2$, and no ω will do (mutant); with control variates it is near 0 that messages "
        "end.",
    ),
    Claim(
        id="A4-omega0",
        quote=QUOTES["A4-omega0"],
        where="Section 5, after A4",
        lines="L 694",
        statement=r"$\omega = 0$ is the case of no compression: $Q$ satisfies A4(0) if and only if $Q(s) = s$ almost "
        r"surely, for every $s$.",
        check=no_compression,
        expected="proved",
        non_vacuity=_identity,
        mutants={"ω = 1": {"factor": "1"}, "for no other ω": {"unique": True}},
        note=r"$\omega$ is not determined by $Q$: A4($\omega$) implies A4($\omega'$) for $\omega' \geq \omega$, so "
        r"that "
        r"$Q(s) = s$ satisfies A4 with every $\omega \geq 0$.",
    ),
    Claim(
        id="pp-as-compression",
        quote=QUOTES["pp-as-compression"],
        where="Section 5, after A5",
        lines="L 705-706",
        statement=r"Partial participation is an unbiased compressor on top of $Q$: it sends the output of $Q$ with "
        r"probability $p$ and nothing otherwise.",
        hypotheses=(r"$Q$ satisfies A4($\omega$); the selection is independent of it",),
        check=sends,
        form={"what": "Q"},
        expected="refuted",
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
        quote=QUOTES["A5-experiments"],
        where="A5 and Section 6",
        lines="L 702, L 834, L 852",
        statement="Ten of 20 agents at each step, drawn without replacement, is participation with $p = 0.5$: each "
        "agent is active with probability $1/2$. The selections of two agents have covariance $-1/76$.",
        differs="The paper says how many are active and that $p = 0.5$; the covariance is ours. That this is A5, "
        "it does not say.",
        check=fixed_size,
        form={"probability": "1/2", "covariance": "-1/76"},
        expected="proved",
        non_vacuity=_active,
        note="It is not A5, which asks for independent selections (mutant): $H_{t+1}$ stays unbiased (see "
        "alg2-mean-active), yet Proposition 3 and Theorem 1, which assume A5, do not cover this choice "
        "as they stand.",
        mutants={
            "positive covariance": {"probability": "1/2", "covariance": "1/76"},
            "another probability": {"probability": "1/4", "covariance": "-1/76"},
            "A5: uncorrelated selections": {"probability": "1/2", "covariance": "0"},
        },
    ),
    Claim(
        id="A6-ii",
        quote=QUOTES["A6-ii"],
        where="A6(ii), as Theorem 1 uses it",
        lines="L 716",
        statement="An assumption. It is met if $\\mathcal{S}$ is bounded: then $\\sup_{\\mathcal{S}} \\|h\\| \\leq "
        "\\mathrm{diam}(\\mathcal{S})$.",
        differs="The paper assumes it; on the $\\mathcal{S}$ that its examples name, $h$ may be unbounded "
        "(mutant “unbounded sets”).",
        check=bounded_field,
        form={"sets": "bounded"},
        expected="proved",
        non_vacuity=_interval,
        mutants={"half the diameter": {"sets": "bounded", "bound": "diam/2"}, "unbounded sets": {"sets": "printed"}},
        note="Theorem 1's constant $\\bar C$ and its step sizes contain the supremum: with $\\mathcal{S} = "
        "\\mathbb{R}^q$ or a cone it may be infinite, and the theorem says nothing. One has to know, in "
        "advance, a bounded set that contains all $E_\\pi[\\bar S(Z, \\tau)]$, as MM-1 requires. The "
        "evidence of the mutant has one instance of each example in which $h$ is unbounded. A bounded "
        "$\\mathcal{S}$ is not necessary: for Example 1 with $g = 0$, $h = -\\rho \\nabla f$ is bounded "
        "as soon as $\\nabla f$ is (logistic regression).",
    ),
    Claim(
        id="A8-closed",
        quote=QUOTES["A8-closed"],
        where="A8(i), with the sets of Remark 1 and Appendix C",
        lines="L 730, L 546, L 1139, L 1152",
        statement="An assumption. It is met with $[\\epsilon, \\infty)$ in Remark 1, $[\\epsilon, \\infty) \\times "
        "(-\\infty, 0]$ and $(-\\infty, 0]$ for Poisson, any $\\epsilon > 0$, and with the sets printed "
        "for Example 1, the mixture and dictionary learning; $T$ is defined on each.",
        differs="The sets printed for Remark 1 and for Poisson, $\\mathbb{R}_{>0}$, $\\mathbb{R}_{>0} \\times "
        "\\mathbb{R}_{<0}$ and $\\mathbb{R}_{<0}$, are not closed (first mutant).",
        check=closed_sets,
        form=CLOSED,
        expected="proved",
        non_vacuity=_surrogates,
        note="Onto an open half-line no point outside has a projection: line “Project it on $\\mathcal{S}$” "
        "of Algorithm 2 is not defined. The closed sets must still contain all $E_\\pi[\\bar S]$, so ε "
        "has to be small enough: $\\epsilon \\leq E_\\pi[Z]$.",
        mutants={
            "0 in the set of Remark 1": {**CLOSED, "toy": "closed at 0"},
            "s_1 = 0 for Poisson": {**CLOSED, "poisson_1": "closed at 0"},
            "s up to λ for Poisson": {**CLOSED, "poisson_2": "closed at -lambda"},
            "ε = 0 and open": {**CLOSED, "poisson_2": "open at 0"},
            "the sets as printed": {},
        },
    ),
    Claim(
        id="barE-identity",
        quote=QUOTES["barE-identity"],
        where="Section 5, after A8",
        lines="L 741-745",
        statement=r"$\bar E_{t+1} = \|\Pi(\hat S_t + \gamma_{t+1} h(\hat S_t), B_t) - \hat S_t\|^2_{B_t} / "
        r"\gamma_{t+1}^2$ "
        r"equals $\|h(\hat S_t)\|^2_{B_t}$ where $\Pi$ is the identity, and is at least $v_{\min} \|h(\hat S_t)\|^2$ "
        r"under "
        r"A7.",
        hypotheses=(
            r"A7(ii), A8; $\gamma_{t+1} \in (0, 1]$ (Algorithm 2)",
            r"$\hat S_t \in \mathcal{S}$ and $E_\pi[\bar S(Z, T(\hat S_t))] \in \mathcal{S}$ (MM-1)",
        ),
        check=projected_field,
        expected="proved",
        non_vacuity=_interval,
        mutants={
            "steps up to 2": {"gamma_max": "2"},
            "𝒮 does not contain the mean of S̄": {"oracle_inside": False},
            "v_max in place of v_min": {"bound": "v_max"},
        },
        note=r"More is true: $\hat S_t + \gamma h(\hat S_t)$ is a convex combination of two points of $\mathcal{S}$, "
        r"so the "
        r"projection in $\bar E$ is never active, $\bar E_{t+1} = \|h(\hat S_t)\|^2_{B_t}$ always, and it vanishes at "
        r"the "
        r"roots of $h$ only. On a set cut down by hand, such as $[-M, 0]$ for Poisson, MM-1's $\bar S \in "
        r"\mathcal{S}$ has "
        r"to be checked: where it fails, so may the bound (second mutant).",
    ),
    Claim(
        id="omega-p-zero",
        quote=QUOTES["omega-p-zero"],
        where="Section 5, before Theorem 1",
        lines="L 745",
        statement=r"The two cases of Theorem 1, $\omega_p = 0$ and $\omega_p > 0$, are: $\omega = 0$ and $p = 1$; and "
        r"$\omega > 0$ or $p < 1$.",
        hypotheses=(r"$\omega \geq 0$, $p \in (0, 1]$",),
        check=omega_p_vanishes,
        expected="proved",
        non_vacuity=_identity,
        mutants={"one of them is enough": {"relation": "or"}},
    ),
    Claim(
        id="const-homogeneous",
        quote=QUOTES["const-homogeneous"],
        where="Section 5, parameters and constants",
        lines="L 795",
        statement=r"If $\mu_i = 1/n$ and all $\sigma_i$ (resp. $L_i$) are equal, then $\sigma^2 = n \sum_i \mu_i^2 "
        r"\sigma_i^2 "
        r"= \sigma_i^2$ (resp. $L^2 = L_i^2$).",
        check=homogeneous,
        form={"factor": "n"},
        expected="proved",
        non_vacuity=_oracles,
        mutants={"without the factor n": {"factor": "1"}, "n squared": {"factor": "n**2"}},
    ),
    Claim(
        id="mm2-strong",
        quote=QUOTES["mm2-strong"],
        where="Section 5, parameters and constants",
        lines="L 796",
        statement="MM-2 is satisfied when the surrogate is strongly convex: it has exactly one minimiser.",
        hypotheses=(
            "A1; $g$ is proper, lower semicontinuous and convex",
            r"$g + \psi - \langle s, \phi \rangle$ is strongly convex for all $s \in \mathcal{S}$",
        ),
        check=strongly_convex,
        form={"hypotheses": ("strongly convex",)},
        expected="refuted",
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
            r"on "
            r"$\Theta$.",
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
        quote=QUOTES["noise-nb"],
        where="Section 5, convergence guarantee",
        lines="L 799",
        statement="The noise term of Theorem 1, $\\sigma^2/n$ up to a constant, is divided by the number of "
        "workers and by the batch size: for $\\mu_i = 1/n$ it is $v/(nb)$ if one sample's oracle has "
        "variance $v$ at every client.",
        differs="$\\mu_i = 1/n$, equal variances and independent samples in a batch are ours; the paper gives no "
        "formula.",
        hypotheses=("A3 with mini-batch means of $b$ independent samples",),
        check=divided,
        form={"weights": "1/n"},
        expected="proved",
        non_vacuity=_mini_batch,
        mutants={
            "weights proportional to i": {"weights": "2*i/(n*(n+1))"},
            "one sample, used b times": {"weights": "1/n", "draw": "one sample b times"},
            "divided by b squared": {"weights": "1/n", "factor": "1/b**2"},
            "batches drawn without replacement": {"weights": "1/n", "draw": "without replacement"},
        },
        note="$\\sigma^2/n = \\sum_i \\mu_i^2 \\sigma_i^2$ hides $n$ in $\\sigma^2$: with unequal weights one "
        "client with most of the samples keeps it near $\\mu_1^2 v$ however many others join (mutant). "
        "Drawn without replacement from $N$ samples the variance is smaller still: $v (N-b) / (b(N-1))$.",
    ),
    Claim(
        id="alpha-zero-omega0",
        quote=QUOTES["alpha-zero-omega0"],
        where="Section 5, case α = 0",
        lines="L 804",
        statement=r"When $\omega_p = 0$, control variates play no role, whatever the heterogeneity: the iterates are "
        r"the "
        r"same for every $\alpha \geq 0$, $\alpha = 0$ included, and all $V_{0,i}$.",
        hypotheses=(r"$V_0 = \sum_i \mu_i V_{0,i}$",),
        check=alpha_plays_no_role,
        form={"given": "omega_p = 0"},
        expected="proved",
        non_vacuity=_identity,
        mutants={"no compression only": {"given": "omega = 0"}, "full participation only": {"given": "p = 1"}},
        note=r"Algorithm 2 asks $\alpha > 0$; Theorem 1(A) and this remark allow 0.",
    ),
    Claim(
        id="leaves-S",
        quote=QUOTES["leaves-S"],
        where="Section 5, challenges",
        lines="L 809",
        statement=r"$\hat S_{t+1/2}$ may leave $\mathcal{S}$, although $\gamma \leq 1$ and the oracles lie in "
        r"$\mathcal{S}$: partial participation alone and compression alone can do it.",
        hypotheses=("A4 and A5, no control variates ($V_{t,i} = 0$)",),
        check=leaves,
        form={"how": "may"},
        expected="proved",
        non_vacuity=_interval,
        mutants={"never": {"how": "never"}, "always": {"how": "always"}},
        note=r"With full participation and without compression it never does (alg2-reduces).",
    ),
    Claim(
        id="leaves-S-cv",
        quote=QUOTES["leaves-S-cv"],
        where="Section 5, challenges",
        lines="L 809",
        statement=r"Control variates reinforce this: without them and without compression, $\hat S_{t+1/2} \in "
        r"\mathcal{S}$ for all $\gamma \leq p$, whoever is active; with them no $\gamma > 0$ is small enough.",
        hypotheses=(r"$\mathcal{S}$ is convex, the oracles lie in it, $p \in (0, 1]$",),
        check=reinforced,
        form={"variates": "0", "gamma_max": "p"},
        expected="proved",
        non_vacuity=_interval,
        mutants={
            "with control variates, too": {"variates": "any", "gamma_max": "p"},
            "steps up to 1": {"variates": "0", "gamma_max": "1"},
            "compressed": {"variates": "0", "gamma_max": "p", "compressor": "factor 0 or 2"},
        },
        note=r"Algorithm 2 leaves the $V_{0,i}$ free; with them, $V_t$ alone moves the iterate out when nobody is "
        r"active.",
    ),
    Claim(
        id="psd-quant",
        quote=QUOTES["psd-quant"],
        where="Section 5, challenges",
        lines="L 809",
        statement="A scalar quantisation of a positive semidefinite matrix may fail to be positive semidefinite.",
        hypotheses=("unbiased random rounding of each entry, off-diagonal entries once for both sides",),
        check=quantised_psd,
        form={"stays": "may leave"},
        expected="proved",
        non_vacuity=_psd,
        mutants={"never": {"stays": "never leaves"}, "always": {"stays": "always leaves"}},
    ),
    Claim(
        id="proj-bias",
        quote=QUOTES["proj-bias"],
        where="Section 5, challenges",
        lines="L 811",
        statement=r"The projection introduces a bias, roughly $E[\Pi(\hat S, B)] \neq \Pi(E[\hat S], B)$: unless "
        r"$\mathcal{S}$ is an affine subspace, there is a law of $\hat S$ for which they differ.",
        hypotheses=(r"$\mathcal{S}$ is closed and convex, $B \succ 0$ is fixed",),
        check=projection_bias,
        form={"unless": "an affine subspace"},
        expected="proved",
        non_vacuity=_interval,
        mutants={
            "unless 𝒮 is the whole space": {"unless": "the whole space"},
            "for every law": {"unless": "an affine subspace", "laws": "every"},
            "never for convex 𝒮": {"unless": "convex"},
        },
    ),
]
