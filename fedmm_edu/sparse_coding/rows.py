"""What sums of rows of a matrix leave."""

from __future__ import annotations

from fedmm_edu.sparse_coding.inside import apart
from fedmm_edu.sparse_coding.lanes import less_rows


@apart
def residual(g, c, width, gram, rows, values, n):
    """g = c − Σ_i values[i] · (row of `gram` that begins at rows[i])."""
    less_rows(g, c, 0, width, gram, rows, values, n)
