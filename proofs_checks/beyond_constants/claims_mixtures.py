"""A7 for mixtures of all sizes."""

from __future__ import annotations

from proofs_checks.beyond_constants import mixture as mixture
from proofs_checks.beyond_constants import mixture_upper as mixture_upper
from proofs_checks.ledger import Claim

DET = "(m2-m1)**2/(G1*G2*(s2+lam*G1)*(1-s2+lam*G2))"
ROOT = "m*(s2+lam*G1)/(1+lam*(G1+G2))"


MIXTURES = [
    Claim(
        id="own-A7-mixture-B",
        lines="L 1160-1215",
        statement="Mixtures of $L$ Gaussians in $R^p$, all $L, p$, with $s$ in blocks $(s_{1,\\ell}, s_{2,\\ell})$, "
        "$\\ell < L$: $B(s) = blockdiag(M_1, …, M_{L-1})$ plus $M_L$ in every block, with "
        "$M_\\ell = D_\\ell \\Gamma_\\ell^{-1}(\\lambda + w_\\ell\\Gamma_\\ell^{-1})^{-1}"
        "\\Gamma_\\ell^{-1} D_\\ell^\\top$, "
        "$D_\\ell = (I; -m_\\ell^\\top)$, $w_\\ell = s_{2,\\ell}$, $w_L = 1 - \\sum_\\ell s_{2,\\ell}$, $m = T(s)$.",
        check=mixture.mixture_B,
        form={"own": "1", "last": "1"},
        non_vacuity=mixture.mixture_instance,
        mutants={
            "blocks alone": {"last": "0"},
            "sign": {"last": "-1"},
            "half": {"own": "1/2"},
        },
        note="Entry by entry for $L, p \\leq 3, 2$ with diagonal $\\Gamma_\\ell$; in general by the exact change of a "
        "column in own-A7-mixture-upper.",
    ),
    Claim(
        id="own-A7-mixture",
        lines="L 1160-1215",
        statement="Mixtures of $L$ Gaussians in $R^p$: $B(s)$ is positive definite if and only if the $L$ means "
        "$T(s)$ are affinely "
        "independent. This needs $L \\leq p + 1$, that is $q = (L-1)(p+1) \\leq pL = d$.",
        hypotheses=(
            "$\\phi$ as in Appendix C.2, without the row $\\Gamma_L^{-1}m_L - \\Gamma_L^{-1}m_L$",
            "$\\lambda > 0$",
        ),
        check=mixture.mixture_rank,
        form={"condition": "affinely independent"},
        non_vacuity=mixture.mixture_instance,
        mutants={
            "distinct": {"condition": "distinct"},
            "linearly independent": {"condition": "linearly independent"},
            "only L <= p + 1": {"condition": "L <= p + 1"},
            "affinely dependent": {"condition": "affinely dependent"},
        },
        kinds={
            "distinct": "hypothesis",
            "linearly independent": "constant",
            "only L <= p + 1": "hypothesis",
            "affinely dependent": "sign",
        },
        note="For $L \\geq 3$ the point $s_{1,1} = s_{1,2} = 0$ of 𝒮 gives two equal means, and for $L = 2$ see the "
        "next row: on "
        "the paper's 𝒮 A7 fails for every mixture. On a smaller 𝒮 that keeps the means apart it can hold.",
    ),
    Claim(
        id="own-A7-mixture-upper",
        lines="L 1160-1215",
        statement="Mixtures of $L \\geq 2$ Gaussians in $R^p$, all $L, p$: A7(i) holds with "
        "$C_\\star = \\frac{3}{2}(1+R^2)(1+(L-1)^{3/2})g^3/\\lambda^2$ and "
        "$C_{\\star\\star} = L(1+R^2)g^2/\\lambda$ on every 𝒮 on which the $L$ means $T(s)$ have norms up to "
        "$R$; $g$ is the largest eigenvalue of a $\\Gamma_\\ell^{-1}$.",
        hypotheses=("$\\lambda > 0$", "$s_{2,\\ell} \\geq 0$, $\\sum_\\ell s_{2,\\ell} \\leq 1$"),
        check=mixture_upper.mixture_upper,
        form={"C_star": "3*(1+R**2)*(1+(L-1)**(3/2))*g**3/(2*lam**2)", "C_starstar": "L*(1+R**2)*g**2/lam"},
        non_vacuity=mixture_upper.upper_instance,
        mutants={
            "a tenth of C_⋆": {"C_star": "3*(1+R**2)*(1+(L-1)**(3/2))*g**3/(20*lam**2)"},
            "half of C_⋆⋆": {"C_starstar": "L*(1+R**2)*g**2/(2*lam)"},
            "wrong sign of C_⋆⋆": {"C_starstar": "-L*(1+R**2)*g**2/lam"},
            "means of any norm": {"without": "own"},
        },
        note="So of A7 only $v_{min}$ is in question. If $|s_{1,\\ell}|$ and $|E_\\pi[Z] - \\sum_\\ell s_{1,\\ell}|$ "
        "are at most $r$, then $R = gr/\\lambda$ will do. Neither constant is the smallest.",
    ),
    Claim(
        id="own-A7-mixture-two",
        lines="L 1160-1215",
        statement="$L = 2$, $p = 1$: $\\det B(s) = "
        "(m_2-m_1)^2/(\\Gamma_1\\Gamma_2(s_2+\\lambda\\Gamma_1)(1-s_2+\\lambda\\Gamma_2))$ with "
        "$m = T(s)$. It vanishes in 𝒮 exactly at $s_1 = "
        "E_\\pi[Z](s_2+\\lambda\\Gamma_1)/(1+\\lambda(\\Gamma_1+\\Gamma_2))$: A7 holds on no 𝒮 that "
        "meets this line, though $q = d = 2$.",
        check=mixture.mixture_two,
        form={"determinant": DET, "zero_at": ROOT},
        non_vacuity=mixture.mixture_instance,
        mutants={
            "without the last factors": {"determinant": "(m2-m1)**2/(G1*G2)"},
            "another line": {"zero_at": "m*s2"},
        },
        note="At fixed $s_2$, $m_1$ increases and $m_2$ decreases with $s_1$: they meet once.",
    ),
]
