"""What the compiled functions hand to each other: the problem of a call, and the scratch of one sample.

Memory in them is a bare pointer (`lanes.borrow`): counting references costs more than a small sample does, and arrays
take twice as long to compile. Where an `Array` is named, compiled code sees a pointer to its first entry.
"""

from __future__ import annotations

from typing import NamedTuple

from fedmm_edu.arrays import Array, Indices


class CodeProblem(NamedTuple):
    """min_h ½hᵀGh − cᵀh + λ‖h‖₁, for all samples of a call. `stride` is K padded to a multiple of 8."""

    theta: Array
    """(p, K), flat, its rows `pitch` apart: see `shared.share_products`."""
    p: int
    pitch: int
    panels: Array
    panelled: bool
    """Whether θ stands in `panels`, too."""
    ridge: float
    gram: Array
    """G = θᵀθ + ridge·I, flat, rows of `stride`; those that are not `known` are formed when they are needed."""
    known: Indices
    diagonal: Array
    inverse: Array
    """One over each entry of the diagonal; zero where it is zero."""
    largest: float
    size: int
    """K."""
    stride: int
    rank: int
    """No code needs more atoms: min(p, K), or K with a ridge."""
    lam: float
    positive: bool
    tol: float
    limit: int
    g: Array
    """c − Gh of the sample at hand, or what was left there: it says which rows of G may be needed next."""


class Scratch(NamedTuple):
    """Vectors of K padded + 8, and two square matrices of this pitch, which the path and the solves use in turn."""

    c: Array
    """θᵀz."""
    h: Array
    g: Array
    """c − Gh."""
    x: Array
    u: Array
    d: Array
    a: Array
    w: Array
    """G_jj h_j, while single coefficients move."""
    bar: Array
    """Infinite for atoms that may not enter the path next, else zero."""
    upper: Array
    unit: Array
    support: Indices
    rows: Indices
    offsets: Indices


VECTORS = 8
"""How many vectors stand before the two matrices."""
