"""Appendix C.2: EM for a mixture of Gaussian distributions with unknown means."""

from __future__ import annotations

from proofs_checks.appendix_c_mixture.mixture import (
    criterion,
    decomposition,
    indicators,
    majorizes,
    mixture_instance,
    square_identity,
    two_displays,
)
from proofs_checks.appendix_c_mixture.mixture_minimiser import (
    PRINTED_T,
    client_psi,
    minimiser,
    surrogate_point,
    surrogate_set,
)
from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading

SECTION = "Appendix C.2: Mixture of Gaussian distributions"

WEIGHTS = r"\nu_1, \dots, \nu_L > 0, \sum_\ell \nu_\ell = 1"
KNOWN = (rf"${WEIGHTS}$, each $\Gamma_\ell$ is symmetric and positive definite", r"$E_\pi \|Z\|^2 < \infty$")
BLOCK = r"\Gamma_{L-1}^{-1} m_{L-1} - \Gamma_L^{-1} m_L"
RESPONSIBILITY = (
    r"\nu_h \det(\Gamma_h)^{-1/2} \exp(-\frac{1}{2} (Z - m_h)^\top \Gamma_h^{-1} (Z - m_h))"  # up to a factor
)
LOG_P = r"-\log p(Z,h,\theta) = \frac{1}{2} (Z - m_h)^\top \Gamma_h^{-1} (Z - m_h) + \frac{1}{2} \log \det \Gamma_h"
WRONG_FORMS = {
    "the second half of φ without ½": {"half": "1"},
    "the sign of the linear part of ψ": {"psi": "b + a/2"},
    "ψ without its quadratic part": {"psi": "-b"},
}

CLAIMS = [
    Claim(
        id="gmm-criterion",
        where="Appendix C.2, the criterion",
        statement=r"The penalised maximum likelihood estimator of $(m_1, \dots, m_L)$ minimises $E_\pi[-\log \sum_\ell "
        r"\nu_\ell \det(\Gamma_\ell)^{-1/2} \exp(-\frac{1}{2} (Z - m_\ell)^\top \Gamma_\ell^{-1} (Z - m_\ell))] + "
        r"\frac{\lambda}{2} \sum_\ell m_\ell^\top m_\ell$.",
        hypotheses=KNOWN,
        check=criterion,
        form={"factor": "1/sqrt(D)"},
        non_vacuity=mixture_instance,
        mutants={"without the determinant": {"factor": "1"}, "the determinant without root": {"factor": "1/D"}},
        note=r"The constant $(2\pi)^{-p/2}$ is left out, which changes no minimiser.",
    ),
    Claim(
        id="gmm-f",
        where="Appendix C.2, the two displays of f",
        statement=r"$E_\pi[-\log \sum_\ell \nu_\ell \det(\Gamma_\ell)^{-1/2} e^{-q_\ell/2}] = E_\pi[-\log \int "
        r"\det(\Gamma_h)^{-1/2} e^{-q_h/2} \mu(dh)]$ with $\mu(\{\ell\}) = \nu_\ell$ and $q_\ell = (Z - m_\ell)^\top "
        r"\Gamma_\ell^{-1} (Z - m_\ell)$.",
        hypotheses=KNOWN,
        check=two_displays,
        form={"mass": "nu"},
        non_vacuity=mixture_instance,
        mutants={
            "a uniform law of h": {"mass": "1/L"},
            "without the determinant": {"factor": "1"},
        },
    ),
    Claim(
        id="gmm-square",
        where="Appendix C.2, first display of the setting",
        statement=r"$(Z - m_h)^\top \Gamma_h^{-1} (Z - m_h) = Z^\top \Gamma_h^{-1} Z + m_h^\top \Gamma_h^{-1} m_h - 2 "
        r"\langle Z, \Gamma_h^{-1} m_h \rangle$.",
        hypotheses=(r"$\Gamma_h$ is symmetric",),
        check=square_identity,
        non_vacuity=mixture_instance,
        mutants={
            "once the inner product": {"cross": "-1"},
            "plus twice": {"cross": "2"},
            "a matrix that is not symmetric": {"symmetric": False},
        },
    ),
    Claim(
        id="gmm-indicator",
        where="Appendix C.2, the L-1 indicators",
        lines="L 1183-1196",
        statement=r"$\langle \xi, \chi(h) \rangle = \sum_{\ell < L} 1_{\{\ell\}}(h) \langle \xi, \chi(\ell) - \chi(L) "
        r"\rangle + \langle \xi, \chi(L) \rangle$; hence the displays of $\langle Z, \Gamma_h^{-1} m_h \rangle$ "
        r"($\xi = Z$, $\chi(h) = \Gamma_h^{-1} m_h$) and of $m_h^\top \Gamma_h^{-1} m_h$ ($\xi = 1$).",
        hypotheses=(r"$h \in \{1, \dots, L\}$",),
        check=indicators,
        non_vacuity=mixture_instance,
        mutants={
            "without the last term": {"remainder": "0"},
            "differences to χ(1)": {"reference": "1"},
            "χ(1) everywhere": {"reference": "1", "remainder": "1"},
        },
    ),
    Claim(
        id="gmm-decomp",
        where="Appendix C.2, what the three displays give",
        lines="L 1178-1213",
        statement=rf"${LOG_P}$ is $\psi_Z(\theta) - \langle S(Z,h), \phi(\theta) \rangle$ up to the term "
        r"$\frac{1}{2} Z^\top \Gamma_h^{-1} Z + \frac{1}{2} \log \det \Gamma_h$ free of θ, where $\psi_Z(\theta) = "
        r"-m_L^\top \Gamma_L^{-1} Z + \frac{1}{2} m_L^\top \Gamma_L^{-1} m_L$ and φ has the blocks "
        r"$\Gamma_\ell^{-1} m_\ell - \Gamma_L^{-1} m_L$ and $-\frac{1}{2} (m_\ell^\top \Gamma_\ell^{-1} m_\ell - "
        r"m_L^\top \Gamma_L^{-1} m_L)$, $\ell < L$.",
        hypotheses=KNOWN,
        check=decomposition,
        form={"ex2": "z"},
        non_vacuity=mixture_instance,
        mutants={
            "φ as displayed (row gmm-phi)": {"last": "L"},
            **{name: {"ex2": "z", **form} for name, form in WRONG_FORMS.items()},
        },
        note="The term is free of θ, but not of h: harmless here, not in the posterior law of h (row gmm-posterior).",
    ),
    Claim(
        id="gmm-psi",
        where="Appendix C.2, ψ and Example 2",
        statement=r"With the displayed $\psi(\theta) = -m_L^\top \Gamma_L^{-1} E_\pi[Z] + \frac{1}{2} m_L^\top "
        r"\Gamma_L^{-1} m_L$, $-\log p(Z,h,\theta)$ is $\psi(\theta) - \langle S(Z,h), \phi(\theta) \rangle$ up to a "
        "term free of θ, as Example 2 asks.",
        hypotheses=KNOWN,
        check=decomposition,
        form={"ex2": "E[Z], each z"},
        reading=Reading.DEPENDS,
        context=Context("MM-1 is about the mean over π, and in the mean the form is right.", "amended"),
        non_vacuity=mixture_instance,
        amended=Amended(
            kind="wording",
            statement=r"It is so up to a term free of θ and the term $\langle E_\pi[Z] - Z, \Gamma_L^{-1} m_L \rangle$"
            ", which is free of $h$ and has mean 0 under π. So MM-1, a statement on the mean over π, follows as in "
            "Example 2.",
            form={"ex2": "E[Z], in the mean"},
            differs=r"With $E_\pi[Z]$ in ψ the form asked for by Example 2 holds in the mean over π, not for each $Z$.",
            matters="Little for MM-1. But ψ now depends on the law π of the data: not known online, and different for "
            "each client (row gmm-client-psi).",
        ),
        mutants={
            "φ as displayed": {"last": "L"},
            **{name: {"ex2": "E[Z], in the mean", **form} for name, form in WRONG_FORMS.items()},
        },
    ),
    Claim(
        id="gmm-phi",
        where="Appendix C.2, φ",
        lines="L 1197-1214",
        statement=r"MM-1 is satisfied with the displayed ψ, φ and $S$, where the block of φ that belongs to $Z \, "
        r"1_{\{L-1\}}(h)$ is $\Gamma_L^{-1} m_L - \Gamma_L^{-1} m_L$.",
        hypotheses=(*KNOWN, "the law of $h$ given $Z$ is the true posterior (row gmm-posterior)"),
        check=majorizes,
        form={"weight": "p", "last": "L"},
        reading=Reading.SLIP,
        non_vacuity=mixture_instance,
        amended=Amended(
            kind="result",
            statement=f"MM-1 is satisfied when this block is ${BLOCK}$.",
            form={"weight": "p"},
            differs=r"$\Gamma_{L-1}^{-1} m_{L-1}$ in place of $\Gamma_L^{-1} m_L$: as printed the block is 0.",
            matters="A program that follows the display gets a surrogate that is not tangent, and an estimate of "
            "$m_{L-1}$ that is always 0. The displayed $T$ belongs to the amended block.",
        ),
        mutants={name: {"weight": "p", **form} for name, form in WRONG_FORMS.items()},
    ),
    Claim(
        id="gmm-posterior",
        where="Appendix C.2 with the posterior law of Example 2",
        statement=r"MM-1 is satisfied (φ as amended in row gmm-phi) with $\bar S(Z,\tau) = \int S(Z,h) \mu(dh \mid Z, "
        r"\tau)$ and the law $\mu(dh \mid Z, \tau) \propto \exp(\langle S(Z,h), \phi(\tau) \rangle) \mu(dh)$ of "
        "Example 2.",
        hypotheses=KNOWN,
        check=majorizes,
        form={"weight": "exp<S,phi>"},
        reading=Reading.SLIP,
        non_vacuity=mixture_instance,
        amended=Amended(
            kind="result",
            statement=rf"MM-1 is satisfied with the responsibilities $\mu(\{{h\}} \mid Z, \tau) \propto "
            rf"{RESPONSIBILITY}$ at $\theta = \tau$.",
            form={"weight": "p"},
            differs=r"The factor $\det(\Gamma_h)^{-1/2} \exp(-\frac{1}{2} Z^\top \Gamma_h^{-1} Z)$, free of θ but not "
            "of $h$, stays.",
            matters="The printed law gives a wrong E-step whenever the covariances differ, and the objective may "
            "increase. With equal covariances the factor cancels (next row).",
            same_as="ex2-posterior",
        ),
        mutants={
            "without the determinant": {"weight": "without det"},
            "without the square of Z": {"weight": "without zz"},
            "the prior weights ν": {"weight": "nu"},
        },
        note="It is the additive term of Example 2 that depends on $h$ (row ex2-mm1), now in the paper's own example.",
    ),
    Claim(
        id="own-gmm-equal-covariances",
        where="Appendix C.2, a case in which Example 2 applies as printed",
        lines="L 1197, L 300-302",
        statement=r"If $\Gamma_1 = \dots = \Gamma_L$, the law $\propto \exp(\langle S(Z,h), \phi(\tau) \rangle) "
        r"\mu(dh)$ is the posterior law and MM-1 holds with it (φ as amended in row gmm-phi).",
        hypotheses=(*KNOWN, r"$\Gamma_1 = \dots = \Gamma_L$"),
        check=majorizes,
        form={"weight": "exp<S,phi>", "covariances": "equal"},
        non_vacuity=mixture_instance,
        mutants={
            "different covariances": {"covariances": "different"},
            "the prior weights ν": {"weight": "nu"},
        },
        note="Not a statement of the paper: it says how far the printed law reaches.",
    ),
    Claim(
        id="gmm-S",
        where="Appendix C.2, the set 𝒮",
        statement=r"$\mathcal{S} = \{s: s_{1,\ell} \in \mathbb{R}^p, s_{2,\ell} \in [0, 1], \sum_{\ell < L} s_{2,\ell} "
        r"\leq 1\}$ is convex and contains $\bar S(Z,\tau)$.",
        hypotheses=KNOWN,
        check=surrogate_set,
        non_vacuity=surrogate_point,
        mutants={
            "sums up to 1/2": {"total": "1/2"},
            "s_1 positive": {"s1": "positive"},
            "hard assignments": {"s2": "{0, 1}"},
        },
        note=r"$\mathcal{S}$ is closed and given by $L$ linear inequalities on $s_2$: the projection onto it exists.",
    ),
    Claim(
        id="gmm-T",
        where="Appendix C.2, T",
        lines="L 1215-1224",
        statement=r"For $s \in \mathcal{S}$ the minimiser of $g + \psi - \langle s, \phi \rangle$ is $T(s)_{:,\ell} = "
        r"(s_{2,\ell} I + \lambda \Gamma_\ell)^{-1} s_{1,\ell}$, $\ell < L$, and $T(s)_{:,L} = ((1 - \sum_\ell "
        r"s_{2,\ell}) I + \lambda \Gamma_L)^{-1} (E_\pi[Z] - \sum_\ell s_{1,\ell})$; it is unique (MM-2).",
        hypotheses=(*KNOWN, r"$\lambda > 0$", "φ as amended in row gmm-phi"),
        check=minimiser,
        form=PRINTED_T,
        non_vacuity=surrogate_point,
        mutants={
            "φ as displayed": {"last": "L"},
            "no penalty (λ = 0)": {"penalty": ">= 0"},
            "λ without Γ": {"matrix": "w + lam"},
            "weight 1 for the last column": {"weight": "1"},
            "the last column without the first L-1 sums": {"vector": "m"},
            "the last column without E[Z]": {"vector": "-sigma1"},
        },
        note=r"$\lambda > 0$ is needed: an empty component has $s_{2,\ell} = 0$. $T$ needs $E_\pi[Z]$, so this setting "
        "is for batch learning; online, add $Z$ to the statistics $S$.",
    ),
    Claim(
        id="gmm-client-psi",
        where="Appendix C.2 in the setting of Section 3.1",
        lines="L 1197, L 521-526",
        statement="An assumption, of an ideal setting. For the mixture: MM-1 holds for each $f_i$ with "
        "$\\psi_i(\\theta) = -m_L^\\top \\Gamma_L^{-1} E_{\\pi_i}[Z] + \\frac{1}{2} m_L^\\top "
        "\\Gamma_L^{-1} m_L$, and $\\sum_i \\mu_i \\psi_i = \\psi$.",
        differs="ψ differs between clients. With the common ψ of L 1197 MM-1 fails for a single $f_i$ (first mutant).",
        hypotheses=(*KNOWN, r"$\pi = \sum_i \mu_i \pi_i$"),
        check=client_psi,
        form={"client": "m_i"},
        non_vacuity=mixture_instance,
        note="$S$, φ and $\\mathcal{S}$ are common, so aggregation in $\\mathcal{S}$ stays exact; the server "
        "needs $\\sum_i \\mu_i E_{\\pi_i}[Z]$ once, before the first round.",
        mutants={
            "the server adds ψ_i without weights": {"server": "k_i"},
            "twice the client's mean": {"client": "2*m_i", "server": "mu_i*k_i/2"},
            "one ψ for all clients": {"client": "m"},
        },
    ),
]
