"""What sums of rows of a matrix leave."""

from __future__ import annotations

from fedmm_edu.sparse_coding.inside import small
from fedmm_edu.sparse_coding.lanes import scale, subtract_rows


@small
def residual(g, c, width, gram, rows, values, n):
    """g = c − Σ_i values[i] · (row of `gram` that begins at rows[i])."""
    scale(g, 0, width, c, 0, 1.0)
    subtract_rows(g, 0, width, gram, rows, values, n)
