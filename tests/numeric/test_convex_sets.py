"""Π(x, B) is the nearest point in the B-norm: its variational inequality, over random sets, points and metrics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.convex_sets import Box, ColumnBalls, Product, PSDCone, Simplex, WholeSpace, nearest_in_norm
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.symmetric import SymmetricPSD
from tests.numeric.instances import refusals

seeds = st.integers(0, 2**32 - 1)
SETS = [
    PSDCone(1),
    PSDCone(3),
    ColumnBalls(2, 3),
    Product(PSDCone(2), WholeSpace(4)),
    Simplex(3),
    Simplex(4, 2.5),
    Product(Box([-1.0], [0.5]), ColumnBalls(3, 1), PSDCone(2)),
    SymmetricPSD(3),
]
every_set = pytest.mark.parametrize("of", SETS, ids=lambda of: f"{type(of).__name__}-{of.dim}")


def metric(rng, dim):
    root = rng.normal(size=(dim, dim))
    return root @ root.T + 0.3 * np.eye(dim)


@given(seed=seeds, d=st.integers(1, 5))
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


@pytest.mark.parametrize("of", [*SETS, Box([-1.0, 0.0], [2.0, 0.5])], ids=lambda of: f"{type(of).__name__}-{of.dim}")
@settings(max_examples=40)
@given(seed=seeds, tol=st.sampled_from([1e-6, 1e-3, 0.1]))
def test_membership_ends_at_the_boundary(of, seed, tol):
    """From a boundary point p along the outer normal: `tol` admits what is that near, and nothing much farther."""
    x = 4.0 * np.random.default_rng(seed).normal(size=of.dim)
    p = of.project(x)
    assert of.contains(x) == np.allclose(x, p, rtol=1e-9, atol=1e-9)
    if not of.contains(x):
        outwards = (x - p) / np.linalg.norm(x - p)
        assert of.contains(p + 0.99 * tol * outwards, tol=tol)
        assert not of.contains(p + tol * outwards)
        assert not of.contains(p + 3.0 * of.dim * tol * outwards, tol=tol)


@every_set
@settings(max_examples=40)
@given(seed=seeds, scale=st.sampled_from([1e-6, 1.0, 1e6]))
def test_projection_is_the_nearest_point(of, seed, scale):
    """⟨x − p, s − p⟩ ≤ 0 for points s of the set; points of the set stay where they are."""
    rng = np.random.default_rng(seed)
    x = scale * rng.normal(size=of.dim)
    p = of.project(x)
    assert of.contains(p)
    np.testing.assert_allclose(of.project(p), p, rtol=1e-12, atol=1e-14 * scale)
    for other in (scale * rng.normal(size=of.dim), 1e-3 * rng.normal(size=of.dim)):
        s = of.project(other)
        size = (np.linalg.norm(x - p) + np.linalg.norm(x)) * (np.linalg.norm(s) + np.linalg.norm(p))
        assert (x - p) @ (s - p) <= 1e-13 * size


@every_set
@settings(max_examples=20)
@given(seed=seeds)
def test_projection_in_the_B_norm_is_the_nearest_point(of, seed):
    """⟨B(x − p), s − p⟩ ≤ 0 for points s of the set, up to the accuracy that is promised: ‖B‖ 1e-10 (1 + ‖x‖)."""
    rng = np.random.default_rng(seed)
    x, B = 2 * rng.normal(size=of.dim), metric(rng, of.dim)
    p = of.project(x, B)
    assert of.contains(p)
    accuracy = np.linalg.norm(B, 2) * 1e-10 * (1 + np.linalg.norm(x))
    for _ in range(5):
        s = of.project(2 * rng.normal(size=of.dim))
        assert (B @ (x - p)) @ (s - p) <= 2 * accuracy * (np.linalg.norm(s - p) + np.linalg.norm(x - p) + 1)
    np.testing.assert_allclose(of.project(x, 3.0 * np.eye(of.dim)), of.project(x), atol=1e-9)


@given(seed=seeds, K=st.integers(1, 6), rank=st.integers(0, 6))
def test_the_cone_holds_its_boundary_and_nothing_beyond(seed, K, rank):
    """Gram matrices of few vectors are singular, yet inside; moved out along one eigenvector, they are not."""
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(min(rank, K), K)) * rng.choice([1e-3, 1.0, 1e4])
    gram, cone = H.T @ H, PSDCone(K)
    assert cone.contains(gram.ravel())
    np.testing.assert_array_equal(cone.project(gram.ravel()), gram.ravel())
    values, vectors = np.linalg.eigh(gram)
    out = 1e-6 * (1 + np.abs(gram).max())
    beyond = gram - (values[0] + out) * np.outer(vectors[:, 0], vectors[:, 0])
    assert not cone.contains(beyond.ravel())
    assert cone.contains(beyond.ravel(), tol=2 * out)
    assert np.linalg.norm(cone.project(beyond.ravel()) - beyond.ravel()) == pytest.approx(out, rel=1e-6)


def test_a_matrix_that_is_not_symmetric_is_outside_and_projected_onto_its_symmetric_part():
    """Compressed messages are not symmetric: (X + Xᵀ)/2 is the nearest symmetric matrix."""
    skewed = np.array([2.0, 1.0, 0.0, 2.0])
    assert not PSDCone(2).contains(skewed)
    np.testing.assert_array_equal(PSDCone(2).project(skewed), [2.0, 0.5, 0.5, 2.0])
    assert not PSDCone(2).contains(np.full(4, np.nan))
    assert not PSDCone(2).contains(np.eye(3).ravel())


test_bad_sets_points_and_metrics_are_refused = refusals(
    (lambda: PSDCone(0), "K = 0"),
    (lambda: ColumnBalls(0, 2), "p = 0"),
    (lambda: Product(), "no sets"),
    (lambda: PSDCone(2).project(np.zeros(3)), r"x has shape \(3,\)"),
    (lambda: PSDCone(2).project(np.array([1.0, np.inf, 0.0, 0.0])), "inf"),
    (lambda: PSDCone(2).project(np.ones(4), np.diag([1.0, 1.0, 1.0, -1.0])), "smallest eigenvalue -1"),
    (lambda: PSDCone(2).project(np.arange(4.0), np.diag([1e-15, 1.0, 1.0, 2.0])), r"condition number 2e\+15"),
)


def test_the_norm_matters_on_the_simplex():
    """A coordinate that is dear in the norm of B moves less; the simplex for another B is that of any set."""
    B, x = np.diag([100.0, 1.0, 1.0]), np.array([0.5, 0.5, 0.6])
    assert abs(Simplex(3).project(x, B) - Simplex(3).project(x)).max() > 0.1
    np.testing.assert_allclose(Simplex(3).project(x, B), nearest_in_norm(Simplex(3), x, B), atol=1e-9)
    coupled = B + 0.1
    np.testing.assert_array_equal(Simplex(3).project(x, coupled), nearest_in_norm(Simplex(3), x, coupled))


def test_a_set_of_another_kind_is_refused():
    box = Box([0.0], [1.0])
    assert Box.of(box) is box
    with pytest.raises(InvalidInput, match="the set is a WholeSpace, and a Box is needed"):
        Box.of(WholeSpace(1))


@pytest.mark.parametrize("size", [1e17, 1e40, 1e300])
def test_the_simplex_bears_numbers_beside_which_its_total_is_lost(size):
    np.testing.assert_array_equal(Simplex(3).project(np.array([size, 0.0, 0.0])), [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(
        Simplex(3).project(np.array([size, 0.0, 0.0]), np.diag([2.0, 1.0, 1.0])), [1.0, 0.0, 0.0]
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_projection_onto_a_large_simplex_lies_in_it(seed):
    simplex = Simplex(4, 1e6)
    assert simplex.contains(simplex.project(1e6 * np.random.default_rng(seed).normal(size=4)))


@pytest.mark.parametrize("total", [0.0, -1.0, np.nan])
def test_a_simplex_without_a_point_is_refused(total):
    with pytest.raises(InvalidInput, match="total"):
        Simplex(3, total)
