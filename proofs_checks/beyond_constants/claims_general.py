"""A7 in general: what it says of the derivative, of symmetry, and of its best constants."""

from __future__ import annotations

import sympy as sp

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.beyond_constants import gradient as gradient
from proofs_checks.beyond_constants import prox as prox
from proofs_checks.beyond_constants import singular as singular
from proofs_checks.beyond_constants import theory as theory
from proofs_checks.beyond_constants.common import kink_instance
from proofs_checks.ledger import Claim
from proofs_checks.shared.tools import instance

Q = sp.Rational


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


GENERAL = [
    Claim(
        id="own-A7-B-unique",
        lines="L 712-722",
        statement="Let 𝒮 be convex with interior points. The first inequality of A7(i) leaves one matrix $B(s)$ at "
        "every "
        "$s$ in 𝒮: the derivative of $\\phi \\circ T$ there.",
        check=theory.only_derivative,
        form={"power": 2},
        non_vacuity=_scalar_map,
        mutants={
            "remainder of first order": {"power": 1},
            "minus the derivative": {"sign": -1},
            "𝒮 without interior": {"hypotheses": ()},
        },
        note="So $\\rho^{-1}I$ in Appendix E.1 is no matter of choice.",
    ),
    Claim(
        id="own-A7-symmetric",
        lines="L 712-722",
        statement="If MM-2 holds, $\\langle s'-s, \\phi(T(s'))-\\phi(T(s))\\rangle \\geq 0$ for all pairs, and "
        "where $\\phi \\circ T$ "
        "is continuous near $s$ and differentiable at $s$ (inside 𝒮), the derivative is symmetric positive "
        "semidefinite.",
        check=gradient.gradient,
        form={"kind": "symmetric, psd"},
        non_vacuity=_scalar_map,
        mutants={
            "diagonal": {"kind": "diagonal"},
            "always positive definite": {"kind": "symmetric, pd"},
            "negative semidefinite": {"kind": "symmetric, nsd"},
            "any T": {"hypotheses": ()},
        },
        kinds={"always positive definite": "constant", "negative semidefinite": "sign"},
        note="$\\phi \\circ T$ is the gradient of the convex function $s \\mapsto -\\min_\\theta J_s(\\theta)$; the "
        "absolute value in "
        "A7(i) is never needed.",
    ),
    Claim(
        id="own-A7-second",
        lines="L 712-722",
        statement="On a convex 𝒮, the first inequality of A7(i) and A7(ii) imply the second inequality of A7(i) with "
        "$C_{\\star\\star} = v_{max}$, and $\\langle s'-s, \\phi(T(s'))-\\phi(T(s))\\rangle \\geq "
        "v_{min}\\|s'-s\\|^2$.",
        check=theory.second_inequality,
        form={"constant": "v_max"},
        non_vacuity=_scalar_map,
        mutants={
            "v_min": {"constant": "v_min"},
            "half of v_max": {"constant": "v_max/2"},
            "wrong sign": {"constant": "-v_max"},
            "𝒮 not convex": {"hypotheses": ()},
        },
        note="$C_{\\star\\star}$ is a free constant: it can be left out of A7. One pair at a time gives only "
        "$v_{max} + C_\\star \\, diam(\\mathcal{S})$.",
    ),
    Claim(
        id="own-A7-lipschitz",
        lines="L 712-722",
        statement="For $\\phi \\circ T \\in C^1$ on a convex 𝒮 and MM-2: $C$ serves as $C_{\\star\\star}$ if and "
        "only if "
        "$\\phi \\circ T$ is $C$-Lipschitz on 𝒮.",
        check=theory.lipschitz,
        non_vacuity=_scalar_map,
        mutants={
            "any T": {"hypotheses": ()},
            "C/2": {"constant": "C/2"},
            "2C": {"constant": "2*C"},
            "wrong sign": {"constant": "-C"},
        },
    ),
    Claim(
        id="own-A7-best",
        lines="L 712-722",
        statement="For $F = \\phi \\circ T \\in C^2$ on a convex 𝒮 with interior points the smallest $C_\\star$ is "
        "$\\sup \\frac{1}{2}\\|D^2F(s)[u,u]\\|$ over $s$ and $\\|u\\| = 1$, and the smallest $C_{\\star\\star}$ is "
        "the best "
        "$v_{max}$, the supremum of the largest eigenvalue of $B(s)$.",
        hypotheses=("the supremum over the interior of 𝒮 is that over 𝒮, by continuity",),
        check=theory.best_constants,
        form={"star": "1/2", "starstar": "v_max"},
        non_vacuity=_scalar_map,
        mutants={
            "without 1/2": {"star": "1"},
            "1/3": {"star": "1/3"},
            "C_⋆⋆ = v_min": {"starstar": "v_min"},
            "wrong sign of C_⋆": {"star": "-1/2"},
            "wrong sign of C_⋆⋆": {"starstar": "-v_max"},
            "𝒮 not convex": {"hypotheses": ()},
        },
        note="The command `fedmm constants` computes these suprema.",
    ),
    Claim(
        id="own-A7-dimension",
        lines="L 720-722",
        statement="If A7 holds on a convex 𝒮 with interior points, and $\\phi$ and $T$ are differentiable, then $q "
        "\\leq d$: "
        "the surrogate has at most as many parameters as $\\theta$.",
        check=singular.dimension,
        form={"relation": "q <= d"},
        non_vacuity=_scalar_map,
        mutants={
            "q < d": {"relation": "q < d"},
            "q = d": {"relation": "q = d"},
            "wrong sign": {"relation": "q >= d"},
            "without v_min > 0": {"hypotheses": ("interior points",)},
            "𝒮 without interior": {"hypotheses": ("v_min > 0",)},
        },
        note="So A7 fails for Poisson in the first strategy ($q = 2 > 1 = d$), for dictionary learning "
        "($q = K(K+1)/2 + pK > pK = d$) and for mixtures with $L > p+1$ ($q = (L-1)(p+1)$, $d = pL$).",
    ),
    Claim(
        id="own-A7-affine",
        lines="L 1901-1904",
        statement="Example 1 on $\\mathcal{S} = R^d$: A7 holds with $B(s) = \\rho^{-1}I$ if and only if the convex "
        "$g$ is affine.",
        check=prox.identity_matrix_only_if,
        form={"g": "affine"},
        non_vacuity=kink_instance,
        mutants={
            "g = 0": {"g": "zero"},
            "g quadratic": {"g": "quadratic"},
            "wrong sign of B": {"sign": -1},
        },
        kinds={"g = 0": "constant", "g quadratic": "hypothesis"},
    ),
]
