"""Π(x, B) is the nearest point in the B-norm: its variational inequality, over random boxes and metrics."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.convex_sets import Box, WholeSpace


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 5))
def test_projection_onto_a_box_in_the_B_norm(seed, d):
    """p = Π(x, B) iff ⟨B(p − x), s − p⟩ ≥ 0 for all s of the box; vertices suffice."""
    rng = np.random.default_rng(seed)
    low = rng.normal(size=d)
    high = low + rng.choice([0.0, 0.5, 2.0], d)
    box, x, root = Box(low, high), 3 * rng.normal(size=d), rng.normal(size=(d, d))
    B = root @ root.T + 0.1 * np.eye(d)
    p = box.project(x, B)
    assert box.contains(p)
    slope = B @ (p - x)
    worst_vertex = np.where(slope > 0, low, high)
    assert slope @ (worst_vertex - p) >= -1e-8 * (1 + np.abs(slope).max())
    np.testing.assert_allclose(box.project(x, np.eye(d)), box.project(x), atol=1e-9)
    np.testing.assert_array_equal(WholeSpace(d).project(x, B), x)
