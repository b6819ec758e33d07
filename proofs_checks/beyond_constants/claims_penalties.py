"""A7 for Example 1, by the penalty g."""

from __future__ import annotations

from functools import partial

from proofs_checks.beyond_constants import prox as prox
from proofs_checks.beyond_constants import smooth_g as smooth
from proofs_checks.beyond_constants.common import kink_instance
from proofs_checks.ledger import Claim

PENALTIES = [
    Claim(
        id="own-A7-quadratic-g",
        lines="L 1890-1904",
        statement="Example 1 with $g(\\theta) = \\frac{1}{2}\\theta^\\top H\\theta + b^\\top\\theta + c$, $aI \\leq "
        "H \\leq AI$ "
        "(extreme eigenvalues $0 \\leq a \\leq A$): A7 holds with $B = \\rho^{-1}(I+\\rho H)^{-1}$ and zero remainder, "
        "$v_{min} = 1/(\\rho(1+\\rho A))$, $v_{max} = C_{\\star\\star} = 1/(\\rho(1+\\rho a))$; these are attained.",
        check=smooth.eigenvalues,
        form={"v_min": "1/(rho*(1+rho*A))", "v_max": "1/(rho*(1+rho*a))"},
        non_vacuity=smooth.diagonal_instance,
        mutants={
            "a and A exchanged": {"v_min": "1/(rho*(1+rho*a))", "v_max": "1/(rho*(1+rho*A))"},
            "v_max of g = 0": {"v_max": "1/rho"},
            "wrong sign of v_max": {"v_max": "-1/(rho*(1+rho*a))"},
            "eigenvalues above A": {"without": "A"},
        },
        note="Every $C_\\star > 0$ serves, as $\\phi \\circ T$ is affine.",
    ),
    Claim(
        id="own-A7-C2",
        lines="L 1890-1904",
        statement="Example 1 with $g \\in C^2$ convex, $aI \\leq \\nabla^2 g$ ($a \\geq 0$) and $\\nabla^2 g$ "
        "$L$-Lipschitz: "
        "$B(s) = \\rho^{-1}(I+\\rho\\nabla^2 g(T(s)))^{-1}$ and $C_\\star = L/(2(1+\\rho a)^3)$; no smaller "
        "constant serves "
        "all such $g$.",
        hypotheses=(
            "$v_{max} = 1/(\\rho(1+\\rho a))$; if also $\\nabla^2 g \\leq AI$, then $v_{min} = 1/(\\rho(1+\\rho A))$",
        ),
        check=smooth.remainder,
        form={"C_star": "L/(2*(1+rho*a)**3)"},
        non_vacuity=smooth.diagonal_instance,
        mutants={
            "1/3": {"C_star": "L/(3*(1+rho*a)**3)"},
            "second power": {"C_star": "L/(2*(1+rho*a)**2)"},
            "L/2": {"C_star": "L/2"},
            "wrong sign": {"C_star": "-L/(2*(1+rho*a)**3)"},
            "a steeper Hessian": {"without": "inverse"},
        },
    ),
    Claim(
        id="own-A7-l1",
        lines="L 1890-1904",
        statement="Example 1 with $d = 1$, $g = \\lambda|\\theta|$, $\\lambda > 0$: A7 holds on an interval with "
        "interior points if and "
        "only if it lies in $(-\\infty, -\\rho\\lambda]$ or in $[\\rho\\lambda, \\infty)$.",
        check=partial(prox.one_piece, "l1"),
        form={"holds": ("left", "right")},
        non_vacuity=kink_instance,
        mutants={"also where prox is 0": {"holds": ("left", "middle", "right")}, "one side only": {"holds": ("left",)}},
        note="At $\\pm\\rho\\lambda$ no $B(s)$ exists; in between $B(s) = 0$. For $g = \\lambda\\|\\theta\\|_1$ "
        "this holds in each coordinate.",
    ),
    Claim(
        id="own-A7-indicator",
        lines="L 1890-1904",
        statement="Example 1 with $d = 1$, $g$ the indicator of $[l, h]$, $l < h$: A7 holds on an interval with "
        "interior points if and "
        "only if it lies in $[l, h]$.",
        check=partial(prox.one_piece, "indicator"),
        form={"holds": ("middle",)},
        non_vacuity=kink_instance,
        mutants={"also beyond h": {"holds": ("middle", "right")}, "nowhere": {"holds": ()}},
    ),
]
