"""What holds of the constants of A7 for every size, by example."""

from __future__ import annotations

from dataclasses import dataclass

from proofs_checks.beyond_constants import scalar as scalar


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
