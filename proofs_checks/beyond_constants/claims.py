"""Beyond the paper: which examples satisfy A7 (`hyp:DL2`) at all, and what its best constants are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import sympy as sp

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.appendix_e_constants.claims import POISSON
from proofs_checks.beyond_constants import dictionary as dictionary
from proofs_checks.beyond_constants import dictionary_upper as dictionary_upper
from proofs_checks.beyond_constants import gradient as gradient
from proofs_checks.beyond_constants import lipschitz as flat
from proofs_checks.beyond_constants import lipschitz_dictionary as flat_dictionary
from proofs_checks.beyond_constants import mixture as mixture
from proofs_checks.beyond_constants import mixture_upper as mixture_upper
from proofs_checks.beyond_constants import prox as prox
from proofs_checks.beyond_constants import scalar as scalar
from proofs_checks.beyond_constants import singular as singular
from proofs_checks.beyond_constants import smooth_g as smooth
from proofs_checks.beyond_constants import theory as theory
from proofs_checks.ledger import Claim
from proofs_checks.shared.tools import instance

SECTION = "Beyond the paper: constants of A7"

Q = sp.Rational
OWN = "our own"


def _scalar_map() -> Witness:
    """Poisson's φ∘T for E[Z] = λ = M = 1: all of A7 with B = 1/(1 − s)², C_⋆ = C_⋆⋆ = 1."""
    s, t = Q(-1), Q(-1, 2)
    F, B = (lambda x: 1 / (1 - x)), 1 / (1 - s) ** 2
    return instance(
        {"F": "1/(1-s)", "S": "[-1, 0]", "s": s, "s'": t},
        "$v_{min} = 1/4$, $v_{max} = C_\\star = C_{\\star\\star} = 1$",
        {
            "first inequality": abs(F(t) - F(s) - B * (t - s)) <= (t - s) ** 2,
            "second": 0 < (F(t) - F(s)) * (t - s) <= (t - s) ** 2,
            "A7(ii)": Q(1, 4) <= B <= 1,
        },
    )


def _kink() -> Witness:
    at = prox.AT
    return instance(
        {"rho": 1, "lambda": 1},
        "break points $\\pm 1$",
        {"t > 0": at[prox.t] > 0, "l < h": at[prox.low] < at[prox.high]},
    )


BEST = {"poisson": scalar.poisson_instance, "toy": scalar.toy_instance}
MATRIX = (("1/s1", "1/(lam-s2)"), ("1/(lam-s2)", "s1/(lam-s2)**2"))
FLAT_MIXTURE = {"L_T": "L*(1+R**2)*g**2/lam", "ell": "(1+m2)/2"}
FLAT_DICTIONARY = {"L_T": "2*(1+R**2)/delta", "ell": "(4*r_h**2+r_z**2)/(2*mu)"}
DET = "(m2-m1)**2/(G1*G2*(s2+lam*G1)*(1-s2+lam*G2))"
ROOT = "m*(s2+lam*G1)/(1+lam*(G1+G2))"


def _best(case: scalar.ScalarCase, name: scalar.ConstantName, value: str, says: str, worse: dict[str, str]) -> Claim:
    """The row "the best constant of this name is `value`, and (not) attained"."""
    title = scalar.CASES[case].title
    return Claim(
        id=f"own-A7-{case}-{name.replace('_', '')}",
        where=OWN,
        lines="L 1911-1922" if case == "poisson" else "L 544-551",
        statement=f"{title}: {says}",
        hypotheses=POISSON
        if case == "poisson"
        else ("$\\mathcal{S} = [a, b]$, $0 < a < b$, $\\phi(T(s)) = -1/\\sqrt{s}$",),
        check=partial(scalar.bound, case, name, best=True),
        form={"value": value},
        expected="proved",
        non_vacuity=BEST[case],
        mutants={label: {"value": wrong} for label, wrong in worse.items()},
    )


CLAIMS = [
    Claim(
        id="own-A7-B-unique",
        where=OWN,
        lines="L 712-722",
        statement="Let 𝒮 be convex with interior points. The first inequality of A7(i) leaves one matrix $B(s)$ at "
                  "every "
        "$s$ in 𝒮: the derivative of $\\phi \\circ T$ there.",
        check=theory.only_derivative,
        form={"power": 2},
        expected="proved",
        non_vacuity=_scalar_map,
        mutants={
            "remainder of first order": {"power": 1},
            "minus the derivative": {"power": 2, "sign": -1},
            "𝒮 without interior": {"power": 2, "hypotheses": ()},
        },
        note="So $\\rho^{-1}I$ in Appendix E.1 is no matter of choice.",
    ),
    Claim(
        id="own-A7-symmetric",
        where=OWN,
        lines="L 712-722",
        statement="If MM-2 holds, $\\langle s'-s, \\phi(T(s'))-\\phi(T(s))\\rangle \\geq 0$ for all pairs, and "
                  "where $\\phi \\circ T$ "
        "is continuous near $s$ and differentiable at $s$ (inside 𝒮), the derivative is symmetric positive "
        "semidefinite.",
        check=gradient.gradient,
        form={"kind": "symmetric, psd"},
        expected="proved",
        non_vacuity=_scalar_map,
        mutants={
            "diagonal": {"kind": "diagonal"},
            "always positive definite": {"kind": "symmetric, pd"},
            "negative semidefinite": {"kind": "symmetric, nsd"},
            "any T": {"kind": "symmetric, psd", "hypotheses": ()},
        },
        kinds={"always positive definite": "constant", "negative semidefinite": "sign"},
        note="$\\phi \\circ T$ is the gradient of the convex function $s \\mapsto -\\min_\\theta J_s(\\theta)$; the "
             "absolute value in "
        "A7(i) is never needed.",
    ),
    Claim(
        id="own-A7-second",
        where=OWN,
        lines="L 712-722",
        statement="On a convex 𝒮, the first inequality of A7(i) and A7(ii) imply the second inequality of A7(i) with "
        "$C_{\\star\\star} = v_{max}$, and $\\langle s'-s, \\phi(T(s'))-\\phi(T(s))\\rangle \\geq "
        "v_{min}\\|s'-s\\|^2$.",
        check=theory.second_inequality,
        form={"constant": "v_max"},
        expected="proved",
        non_vacuity=_scalar_map,
        mutants={
            "v_min": {"constant": "v_min"},
            "half of v_max": {"constant": "v_max/2"},
            "wrong sign": {"constant": "-v_max"},
            "𝒮 not convex": {"constant": "v_max", "hypotheses": ()},
        },
        note="$C_{\\star\\star}$ is a free constant: it can be left out of A7. One pair at a time gives only "
        "$v_{max} + C_\\star \\, diam(\\mathcal{S})$.",
    ),
    Claim(
        id="own-A7-lipschitz",
        where=OWN,
        lines="L 712-722",
        statement="For $\\phi \\circ T \\in C^1$ on a convex 𝒮 and MM-2: $C$ serves as $C_{\\star\\star}$ if and "
                  "only if "
        "$\\phi \\circ T$ is $C$-Lipschitz on 𝒮.",
        check=theory.lipschitz,
        expected="proved",
        non_vacuity=_scalar_map,
        mutants={"any T": {"hypotheses": ()}, "C/2": {"constant": "C/2"}, "2C": {"constant": "2*C"},
                 "wrong sign": {"constant": "-C"}},
    ),
    Claim(
        id="own-A7-best",
        where=OWN,
        lines="L 712-722",
        statement="For $F = \\phi \\circ T \\in C^2$ on a convex 𝒮 with interior points the smallest $C_\\star$ is "
        "$\\sup \\frac{1}{2}\\|D^2F(s)[u,u]\\|$ over $s$ and $\\|u\\| = 1$, and the smallest $C_{\\star\\star}$ is "
        "the best "
        "$v_{max}$, the supremum of the largest eigenvalue of $B(s)$.",
        hypotheses=("MM-2", "the supremum over the interior of 𝒮 is that over 𝒮, by continuity"),
        check=theory.best_constants,
        form={"star": "1/2", "starstar": "v_max"},
        expected="proved",
        non_vacuity=_scalar_map,
        mutants={
            "without 1/2": {"star": "1", "starstar": "v_max"},
            "1/3": {"star": "1/3", "starstar": "v_max"},
            "C_⋆⋆ = v_min": {"star": "1/2", "starstar": "v_min"},
            "wrong sign of C_⋆": {"star": "-1/2", "starstar": "v_max"},
            "wrong sign of C_⋆⋆": {"star": "1/2", "starstar": "-v_max"},
            "𝒮 not convex": {"star": "1/2", "starstar": "v_max", "hypotheses": ()},
        },
        note="The command `fedmm constants` computes these suprema.",
    ),
    Claim(
        id="own-A7-dimension",
        where=OWN,
        lines="L 720-722",
        statement="If A7 holds on a convex 𝒮 with interior points, and $\\phi$ and $T$ are differentiable, then $q "
                  "\\leq d$: "
        "the surrogate has at most as many parameters as $\\theta$.",
        check=singular.dimension,
        form={"relation": "q <= d"},
        expected="proved",
        non_vacuity=_scalar_map,
        mutants={
            "q < d": {"relation": "q < d"},
            "q = d": {"relation": "q = d"},
            "wrong sign": {"relation": "q >= d"},
            "without v_min > 0": {"relation": "q <= d", "hypotheses": ("interior points",)},
            "𝒮 without interior": {"relation": "q <= d", "hypotheses": ("v_min > 0",)},
        },
        note="So A7 fails for Poisson in the first strategy ($q = 2 > 1 = d$), for dictionary learning "
        "($q = K(K+1)/2 + pK > pK = d$) and for mixtures with $L > p+1$ ($q = (L-1)(p+1)$, $d = pL$).",
    ),
    Claim(
        id="own-A7-affine",
        where=OWN,
        lines="L 1901-1904",
        statement="Example 1 on $\\mathcal{S} = R^d$: A7 holds with $B(s) = \\rho^{-1}I$ if and only if the convex "
                  "$g$ is affine.",
        check=prox.identity_matrix_only_if,
        form={"g": "affine"},
        expected="proved",
        non_vacuity=_kink,
        mutants={
            "g = 0": {"g": "zero"},
            "g quadratic": {"g": "quadratic"},
            "wrong sign of B": {"g": "affine", "sign": -1},
        },
        kinds={"g = 0": "constant", "g quadratic": "hypothesis"},
    ),
    Claim(
        id="own-A7-quadratic-g",
        where=OWN,
        lines="L 1890-1904",
        statement="Example 1 with $g(\\theta) = \\frac{1}{2}\\theta^\\top H\\theta + b^\\top\\theta + c$, $aI \\leq "
                  "H \\leq AI$ "
        "(extreme eigenvalues $0 \\leq a \\leq A$): A7 holds with $B = \\rho^{-1}(I+\\rho H)^{-1}$ and zero remainder, "
        "$v_{min} = 1/(\\rho(1+\\rho A))$, $v_{max} = C_{\\star\\star} = 1/(\\rho(1+\\rho a))$; these are attained.",
        check=smooth.eigenvalues,
        form={"v_min": "1/(rho*(1+rho*A))", "v_max": "1/(rho*(1+rho*a))"},
        expected="proved",
        non_vacuity=smooth.diagonal_instance,
        mutants={
            "a and A exchanged": {"v_min": "1/(rho*(1+rho*a))", "v_max": "1/(rho*(1+rho*A))"},
            "v_max of g = 0": {"v_min": "1/(rho*(1+rho*A))", "v_max": "1/rho"},
            "wrong sign of v_max": {"v_min": "1/(rho*(1+rho*A))", "v_max": "-1/(rho*(1+rho*a))"},
            "eigenvalues above A": {"v_min": "1/(rho*(1+rho*A))", "v_max": "1/(rho*(1+rho*a))", "without": "A"},
        },
        note="Every $C_\\star > 0$ serves, as $\\phi \\circ T$ is affine.",
    ),
    Claim(
        id="own-A7-C2",
        where=OWN,
        lines="L 1890-1904",
        statement="Example 1 with $g \\in C^2$ convex, $aI \\leq \\nabla^2 g$ ($a \\geq 0$) and $\\nabla^2 g$ "
                  "$L$-Lipschitz: "
        "$B(s) = \\rho^{-1}(I+\\rho\\nabla^2 g(T(s)))^{-1}$ and $C_\\star = L/(2(1+\\rho a)^3)$; no smaller "
        "constant serves "
        "all such $g$.",
        hypotheses=("$v_{max} = 1/(\\rho(1+\\rho a))$; if also $\\nabla^2 g \\leq AI$, then $v_{min} = "
                    "1/(\\rho(1+\\rho A))$",),
        check=smooth.remainder,
        form={"C_star": "L/(2*(1+rho*a)**3)"},
        expected="proved",
        non_vacuity=smooth.diagonal_instance,
        mutants={
            "1/3": {"C_star": "L/(3*(1+rho*a)**3)"},
            "second power": {"C_star": "L/(2*(1+rho*a)**2)"},
            "L/2": {"C_star": "L/2"},
            "wrong sign": {"C_star": "-L/(2*(1+rho*a)**3)"},
            "a steeper Hessian": {"C_star": "L/(2*(1+rho*a)**3)", "without": "inverse"},
        },
    ),
    Claim(
        id="own-A7-l1",
        where=OWN,
        lines="L 1890-1904",
        statement="Example 1 with $d = 1$, $g = \\lambda|\\theta|$, $\\lambda > 0$: A7 holds on an interval with "
                  "interior points if and "
        "only if it lies in $(-\\infty, -\\rho\\lambda]$ or in $[\\rho\\lambda, \\infty)$.",
        check=partial(prox.one_piece, "l1"),
        form={"holds": ("left", "right")},
        expected="proved",
        non_vacuity=_kink,
        mutants={"also where prox is 0": {"holds": ("left", "middle", "right")}, "one side only": {"holds": ("left",)}},
        note="At $\\pm\\rho\\lambda$ no $B(s)$ exists; in between $B(s) = 0$. For $g = \\lambda\\|\\theta\\|_1$ "
             "this holds in each coordinate.",
    ),
    Claim(
        id="own-A7-indicator",
        where=OWN,
        lines="L 1890-1904",
        statement="Example 1 with $d = 1$, $g$ the indicator of $[l, h]$, $l < h$: A7 holds on an interval with "
                  "interior points if and "
        "only if it lies in $[l, h]$.",
        check=partial(prox.one_piece, "indicator"),
        form={"holds": ("middle",)},
        expected="proved",
        non_vacuity=_kink,
        mutants={"also beyond h": {"holds": ("middle", "right")}, "nowhere": {"holds": ()}},
    ),
    _best("poisson", "v_min", "m/(lam+M)**2", "the largest $v_{min}$ is $E_\\pi[Z]/(\\lambda+M)^2$, attained at $s "
                                              "= -M$.",
          {"smaller": "m/(2*(lam+M)**2)", "as printed": "1/(lam+M)**2"}),
    _best("poisson", "v_max", "m/lam**2", "the smallest $v_{max}$ is $E_\\pi[Z]/\\lambda^2$, attained at $s = 0$.",
          {"larger": "2*m/lam**2", "as printed": "1/lam**2"}),
    _best("poisson", "C_star", "m/lam**3", "the smallest $C_\\star$ is $E_\\pi[Z]/\\lambda^3$, a supremum that no "
                                           "pair attains.",
          {"larger": "2*m/lam**3", "half": "m/(2*lam**3)"}),
    _best("poisson", "C_starstar", "m/lam**2",
          "the smallest $C_{\\star\\star}$ is $E_\\pi[Z]/\\lambda^2$, a supremum that no pair attains.",
          {"larger": "2*m/lam**2", "half": "m/(2*lam**2)"}),
    Claim(
        id="own-A7-poisson-joint",
        where=OWN,
        lines="L 1135-1145",
        statement="Poisson, first strategy: $B(s) = [[1/s_1, 1/(\\lambda-s_2)], [1/(\\lambda-s_2), "
                  "s_1/(\\lambda-s_2)^2]]$, "
        "which is singular at every $s$: A7 fails.",
        check=singular.poisson_joint,
        form={"matrix": MATRIX},
        expected="proved",
        non_vacuity=scalar.poisson_instance,
        mutants={
            "diagonal": {"matrix": (("1/s1", "0"), ("0", "s1/(lam-s2)**2"))},
            "sign": {"matrix": (("1/s1", "-1/(lam-s2)"), ("-1/(lam-s2)", "s1/(lam-s2)**2"))},
        },
        note="The second strategy, with the same iterates, satisfies A7: it is the choice of surrogate that matters.",
    ),
    _best("toy", "v_min", "1/(2*sqrt_b**3)", "the largest $v_{min}$ is $\\frac{1}{2} b^{-3/2}$, attained at $s = b$.",
          {"at a": "1/(2*sqrt_a**3)", "half": "1/(4*sqrt_b**3)"}),
    _best("toy", "v_max", "1/(2*sqrt_a**3)", "the smallest $v_{max}$ is $\\frac{1}{2} a^{-3/2}$, attained at $s = a$.",
          {"at b": "1/(2*sqrt_b**3)", "twice": "1/sqrt_a**3"}),
    _best("toy", "C_star", "3/(8*sqrt_a**5)", "the smallest $C_\\star$ is $\\frac{3}{8} a^{-5/2}$, a supremum that "
                                              "no pair attains.",
          {"3/4": "3/(4*sqrt_a**5)", "1/4": "1/(4*sqrt_a**5)"}),
    _best("toy", "C_starstar", "1/(2*sqrt_a**3)",
          "the smallest $C_{\\star\\star}$ is $\\frac{1}{2} a^{-3/2}$, a supremum that no pair attains.",
          {"at b": "1/(2*sqrt_b**3)", "twice": "1/sqrt_a**3"}),
    Claim(
        id="own-A7-mixture-B",
        where=OWN,
        lines="L 1160-1215",
        statement="Mixtures of $L$ Gaussians in $R^p$, all $L, p$, with $s$ in blocks $(s_{1,\\ell}, s_{2,\\ell})$, "
        "$\\ell < L$: $B(s) = blockdiag(M_1, …, M_{L-1})$ plus $M_L$ in every block, with "
        "$M_\\ell = D_\\ell \\Gamma_\\ell^{-1}(\\lambda + w_\\ell\\Gamma_\\ell^{-1})^{-1}"
        "\\Gamma_\\ell^{-1} D_\\ell^\\top$, "
        "$D_\\ell = (I; -m_\\ell^\\top)$, $w_\\ell = s_{2,\\ell}$, $w_L = 1 - \\sum_\\ell s_{2,\\ell}$, $m = T(s)$.",
        check=mixture.mixture_B,
        form={"own": "1", "last": "1"},
        expected="proved",
        non_vacuity=mixture.mixture_instance,
        mutants={
            "blocks alone": {"own": "1", "last": "0"},
            "sign": {"own": "1", "last": "-1"},
            "half": {"own": "1/2", "last": "1"},
        },
        note="Entry by entry for $L, p \\leq 3, 2$ with diagonal $\\Gamma_\\ell$; in general by the exact change of a "
             "column in own-A7-mixture-upper.",
    ),
    Claim(
        id="own-A7-mixture",
        where=OWN,
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
        expected="proved",
        non_vacuity=mixture.mixture_instance,
        mutants={
            "distinct": {"condition": "distinct"},
            "linearly independent": {"condition": "linearly independent"},
            "only L <= p + 1": {"condition": "L <= p + 1"},
            "affinely dependent": {"condition": "affinely dependent"},
        },
        kinds={
            "distinct": "hypothesis", "linearly independent": "constant", "only L <= p + 1": "hypothesis",
            "affinely dependent": "sign",
        },
        note="For $L \\geq 3$ the point $s_{1,1} = s_{1,2} = 0$ of 𝒮 gives two equal means, and for $L = 2$ see the "
             "next row: on "
        "the paper's 𝒮 A7 fails for every mixture. On a smaller 𝒮 that keeps the means apart it can hold.",
    ),
    Claim(
        id="own-A7-mixture-upper",
        where=OWN,
        lines="L 1160-1215",
        statement="Mixtures of $L \\geq 2$ Gaussians in $R^p$, all $L, p$: A7(i) holds with "
        "$C_\\star = \\frac{3}{2}(1+R^2)(1+(L-1)^{3/2})g^3/\\lambda^2$ and "
        "$C_{\\star\\star} = L(1+R^2)g^2/\\lambda$ on every 𝒮 on which the $L$ means $T(s)$ have norms up to "
        "$R$; $g$ is the largest eigenvalue of a $\\Gamma_\\ell^{-1}$.",
        hypotheses=("$\\lambda > 0$", "$s_{2,\\ell} \\geq 0$, $\\sum_\\ell s_{2,\\ell} \\leq 1$"),
        check=mixture_upper.mixture_upper,
        form={"C_star": "3*(1+R**2)*(1+(L-1)**(3/2))*g**3/(2*lam**2)", "C_starstar": "L*(1+R**2)*g**2/lam"},
        expected="proved",
        non_vacuity=mixture_upper.upper_instance,
        mutants={
            "a tenth of C_⋆": {
                "C_star": "3*(1+R**2)*(1+(L-1)**(3/2))*g**3/(20*lam**2)", "C_starstar": "L*(1+R**2)*g**2/lam",
            },
            "half of C_⋆⋆": {
                "C_star": "3*(1+R**2)*(1+(L-1)**(3/2))*g**3/(2*lam**2)", "C_starstar": "L*(1+R**2)*g**2/(2*lam)",
            },
            "wrong sign of C_⋆⋆": {
                "C_star": "3*(1+R**2)*(1+(L-1)**(3/2))*g**3/(2*lam**2)", "C_starstar": "-L*(1+R**2)*g**2/lam",
            },
            "means of any norm": {
                "C_star": "3*(1+R**2)*(1+(L-1)**(3/2))*g**3/(2*lam**2)", "C_starstar": "L*(1+R**2)*g**2/lam",
                "without": "own",
            },
        },
        note="So of A7 only $v_{min}$ is in question. If $|s_{1,\\ell}|$ and $|E_\\pi[Z] - \\sum_\\ell s_{1,\\ell}|$ "
             "are at most $r$, then $R = gr/\\lambda$ will do. Neither constant is the smallest.",
    ),
    Claim(
        id="own-A7-mixture-two",
        where=OWN,
        lines="L 1160-1215",
        statement="$L = 2$, $p = 1$: $\\det B(s) = "
                  "(m_2-m_1)^2/(\\Gamma_1\\Gamma_2(s_2+\\lambda\\Gamma_1)(1-s_2+\\lambda\\Gamma_2))$ with "
        "$m = T(s)$. It vanishes in 𝒮 exactly at $s_1 = "
        "E_\\pi[Z](s_2+\\lambda\\Gamma_1)/(1+\\lambda(\\Gamma_1+\\Gamma_2))$: A7 holds on no 𝒮 that "
        "meets this line, though $q = d = 2$.",
        check=mixture.mixture_two,
        form={"determinant": DET, "zero_at": ROOT},
        expected="proved",
        non_vacuity=mixture.mixture_instance,
        mutants={
            "without the last factors": {"determinant": "(m2-m1)**2/(G1*G2)", "zero_at": ROOT},
            "another line": {"determinant": DET, "zero_at": "m*s2"},
        },
        note="At fixed $s_2$, $m_1$ increases and $m_2$ decreases with $s_1$: they meet once.",
    ),
    Claim(
        id="own-A7-dl-B",
        where=OWN,
        lines="L 1925-1943",
        statement="Dictionary learning, $g = 0$, all $p, K$: $B(s)$ maps $(U^{(1)}, U^{(2)})$ to "
        "$(-(T^\\top z + z^\\top T), 2z)$ with $z = (U^{(2)} - T U^{(1)})(s^{(1)})^{-1}$ and $T = T(s)$.",
        check=dictionary.dictionary_B_general,
        form={"first": "-1", "second": "2"},
        expected="proved",
        non_vacuity=dictionary.dictionary_instance,
        mutants={
            "sign of the first block": {"first": "1", "second": "2"},
            "without the factor 2": {"first": "-1", "second": "1"},
            "z with the other sign": {"first": "-1", "second": "2", "shift": "1"},
        },
        note="It vanishes on $(s^{(1)}, s^{(2)})$, where $z = 0$.",
    ),
    Claim(
        id="own-A7-dl-upper",
        where=OWN,
        lines="L 1925-1950",
        statement="Dictionary learning, $g = 0$, all $p, K$: A7(i) holds with $C_\\star = 3(1+R^2)/\\delta^2$ and "
        "$C_{\\star\\star} = 2(1+R^2)/\\delta$ on every 𝒮 on which the eigenvalues of $s^{(1)}$ are at "
        "least $\\delta$ and $\\|T(s)\\| \\leq R$ (operator norm). For $p = K = 1$ that $C_{\\star\\star}$ is the "
        "smallest, the eigenvalue of $B$ at $(\\delta, R\\delta)$.",
        hypotheses=("norms of $s$ are those of the paper's $\\langle A, B\\rangle = Trace(A^\\top B)$",),
        check=dictionary_upper.dictionary_upper,
        form={"C_star": "3*(1+R**2)/delta**2", "C_starstar": "2*(1+R**2)/delta"},
        expected="proved",
        non_vacuity=dictionary_upper.upper_instance,
        mutants={
            "a third of C_⋆": {"C_star": "(1+R**2)/delta**2", "C_starstar": "2*(1+R**2)/delta"},
            "without R": {"C_star": "3*(1+R**2)/delta**2", "C_starstar": "2/delta"},
            "twice C_⋆⋆": {"C_star": "3*(1+R**2)/delta**2", "C_starstar": "4*(1+R**2)/delta"},
            "wrong sign of C_⋆⋆": {"C_star": "3*(1+R**2)/delta**2", "C_starstar": "-2*(1+R**2)/delta"},
            "T(s) of any norm": {"C_star": "3*(1+R**2)/delta**2", "C_starstar": "2*(1+R**2)/delta", "without": "one"},
        },
        note="So of A7 only $v_{min}$ fails. $\\|s^{(2)}\\| \\leq r$ gives $R = r/\\delta$.",
    ),
    Claim(
        id="own-A7-dl-image",
        where=OWN,
        lines="L 1944-1950",
        statement="Dictionary learning, $g = 0$, all $p, K$: the eigenvalues of $B(s)$ other than 0 are at least "
        "$2/\\lambda_{max}(s^{(1)})$. So A7(ii) survives on the image of $B(s)$, if 𝒮 keeps $s^{(1)}$ bounded.",
        check=dictionary.dictionary_image,
        form={"bound": "2/top"},
        expected="proved",
        non_vacuity=dictionary.dictionary_instance,
        mutants={
            "4 in place of 2": {"bound": "4/top"},
            "the smallest eigenvalue of $s^{(1)}$": {"bound": "2/low"},
            "wrong sign of B": {"bound": "2/top", "sign": -1},
            "eigenvalues above the largest": {"bound": "2/top", "without": "H"},
        },
        note="The image moves with $s$ (for $p = K = 1$ it is spanned by $(-T(s), 1)$), and $\\phi \\circ T$ is "
             "constant along "
        "$t \\mapsto ts$: the strong monotonicity of own-A7-second does not survive.",
    ),
    Claim(
        id="own-lip-mixture",
        where=OWN,
        lines="L 1160-1215",
        statement="Mixtures of $L$ Gaussians in $R^p$, all $L, p$, satisfy what own-lip asks in place of A7: "
        "$L_T = L(1+R^2)g^2/\\lambda$ on every 𝒮 on which the means $T(s)$ have norms up to $R$ ($g$ the largest "
        "eigenvalue of a $\\Gamma_\\ell^{-1}$), and $\\ell = \\frac{1}{2}(1+E\\|Z\\|^2)$ for all means.",
        hypotheses=("$\\lambda > 0$", "$s_{2,\\ell} \\geq 0$, $\\sum_\\ell s_{2,\\ell} \\leq 1$"),
        check=flat.mixture,
        form=FLAT_MIXTURE,
        expected="proved",
        non_vacuity=flat.mixture_instance,
        mutants={
            "half of L_T": {**FLAT_MIXTURE, "L_T": "L*(1+R**2)*g**2/(2*lam)"},
            "9/10 of ℓ": {**FLAT_MIXTURE, "ell": "9/20*(1+m2)"},
            "wrong sign of L_T": {**FLAT_MIXTURE, "L_T": "-L*(1+R**2)*g**2/lam"},
            "wrong sign of ℓ": {**FLAT_MIXTURE, "ell": "-(1+m2)/2"},
            "means of any norm": {**FLAT_MIXTURE, "without": "pair"},
        },
        note="A7 fails for them (own-A7-mixture). The log-odds of a sample are linear in $\\phi$, so $\\bar S$ is the "
        "softmax of a linear map of $\\phi$ times $(z, 1)$; ½ is the largest eigenvalue of its derivative.",
    ),
    Claim(
        id="own-lip-dl",
        where=OWN,
        lines="L 444-480, L 1925-1950",
        statement="Dictionary learning, $g = 0$, any convex $\\chi$, all $p, K$, satisfies what own-lip asks in place "
        "of A7: $L_T = 2(1+R^2)/\\delta$ on every 𝒮 on which the eigenvalues of $s^{(1)}$ are at least $\\delta$ and "
        "$\\|T(s)\\| \\leq R$, and $\\ell = (4r_h^2+r_z^2)/(2\\mu)$ where those of $T(s)^\\top T(s)$ are at least "
        "$\\mu > 0$, codes have norms up to $r_h$ and samples up to $r_z$.",
        hypotheses=("norms of $s$ are those of the paper's $\\langle A, B\\rangle = Trace(A^\\top B)$",),
        check=flat_dictionary.dictionary,
        form=FLAT_DICTIONARY,
        expected="proved",
        non_vacuity=flat_dictionary.dictionary_instance,
        mutants={
            "half of L_T": {**FLAT_DICTIONARY, "L_T": "(1+R**2)/delta"},
            "a quarter of ℓ": {**FLAT_DICTIONARY, "ell": "(4*r_h**2+r_z**2)/(8*mu)"},
            "wrong sign of L_T": {**FLAT_DICTIONARY, "L_T": "-2*(1+R**2)/delta"},
            "wrong sign of ℓ": {**FLAT_DICTIONARY, "ell": "-(4*r_h**2+r_z**2)/(2*mu)"},
            "$T(s)^\\top T(s)$ singular": {**FLAT_DICTIONARY, "without": "definite"},
        },
        note="A7 fails (A7-dl-singular). For $\\chi = \\lambda\\|h\\|_1$ one has $r_h \\leq r_z^2/\\lambda$; a term "
        "$\\mu\\|h\\|^2$ in $\\chi$ serves in place of the bound on $T(s)^\\top T(s)$, without which codes can jump. "
        "That $T(s)$ keeps the bound along a run is not shown.",
    ),
]  # fmt: skip


@dataclass(frozen=True)
class General:
    """What holds of one constant for every size: the row that proves it, and which word of its form is the formula.

    `says` words it where no formula of the form does.
    """

    constant: str
    row: str
    formula: str = ""
    says: str = ""


ANY_SIZE: dict[str, tuple[General, ...]] = {
    "toy": tuple(General(name, f"own-A7-toy-{name.replace('_', '')}", "value") for name in scalar.NAMES),
    "poisson": (
        General("B", "A7-poisson-B", "B"),
        *(General(name, f"own-A7-poisson-{name.replace('_', '')}", "value") for name in scalar.NAMES),
        General("v_min (first strategy)", "own-A7-poisson-joint", says="none: B(s) is singular at every s"),
    ),
    "quadratic": (
        General("B (g = 0 or affine)", "A7-quadratic", "B"),
        General("v_min (g quadratic)", "own-A7-quadratic-g", "v_min"),
        General("v_max (g quadratic)", "own-A7-quadratic-g", "v_max"),
        General("C_star (g in C^2)", "own-A7-C2", "C_star"),
        General("B (g = l1)", "own-A7-l1", says="1/rho on intervals in one piece; none across a kink"),
        General("B (g an indicator)", "own-A7-indicator", says="1/rho on intervals within [l, h]; none across an end"),
    ),
    "mixture": (
        General("B", "own-A7-mixture-B", says="blockdiag(M_1, ..., M_(L-1)) plus M_L in every block"),
        General("v_min", "own-A7-mixture", says="only where the L means are affinely independent; needs L <= p + 1"),
        General("C_star", "own-A7-mixture-upper", "C_star"),
        General("C_starstar", "own-A7-mixture-upper", "C_starstar"),
        General("L_T (own-lip)", "own-lip-mixture", "L_T"),
        General("ell (own-lip)", "own-lip-mixture", "ell"),
    ),
    "dictionary": (
        General("B", "own-A7-dl-B", says="(U1, U2) -> (-(T'z + z'T), 2z), z = (U2 - T U1)(s1)^-1"),
        General("v_min", "A7-dl-singular", says="none: B(s)s = 0 at every s"),
        General("least eigenvalue > 0", "own-A7-dl-image", "bound"),
        General("C_star", "own-A7-dl-upper", "C_star"),
        General("C_starstar", "own-A7-dl-upper", "C_starstar"),
        General("L_T (own-lip)", "own-lip-dl", "L_T"),
        General("ell (own-lip)", "own-lip-dl", "ell"),
    ),
}
"""The constants of A7 (`hyp:DL2`) for all sizes, by example; the command `fedmm constants` shows them."""
