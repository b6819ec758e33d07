"""secure_sum=: the server learns sums, the fit is that without masks to the last bit, and rounding is counted."""

import math

import numpy as np
import pytest
from sklearn.base import clone

from fedmm_edu import InvalidInput
from fedmm_edu.distributed import in_process
from fedmm_edu.distributed.messages import Ask, SumPart, from_bytes
from fedmm_edu.distributed.wiretap import Wiretap
from fedmm_edu.errors import OutOfScale
from fedmm_edu.estimators import (
    FederatedGaussianMixture,
    FederatedKMeans,
    FederatedLasso,
    FederatedLogisticRegression,
    FederatedRidge,
)
from fedmm_edu.estimators.channel import Channel
from fedmm_edu.federation import FixedScaleQuantization, RandK
from tests.estimators.cases import no_theorem, not_converged, patients

masked = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of two packages under Flower
MODELS = [
    FederatedLasso(0.1, secure_sum=True, max_iter=3),
    FederatedLogisticRegression(secure_sum=True, compress=16, max_iter=3),
    FederatedLasso(0.1, secure_sum=True, compress=FixedScaleQuantization(20, 2.0, halve_every=2), max_iter=3),
]


@masked
@not_converged
@no_theorem
@pytest.mark.parametrize("model", MODELS, ids=["lasso", "classes", "a grid of one's own"])
def test_under_masks_it_is_the_same_fit_bit_for_bit(model):
    """What goes to nodes and comes back are steps of secure sums, and their terms are as wide as their sum."""
    table, taps = patients("iris"), []

    def engine(fed, plan):
        taps.append(Wiretap(in_process(fed, plan)))
        return taps[-1]

    here = clone(model).fit(table, "target", clients="hospital")
    there = clone(model).set_params(engine=engine).fit(table, "target", clients="hospital")
    np.testing.assert_array_equal(there.coef_, here.coef_)
    np.testing.assert_array_equal(there.surrogate_, here.surrogate_)
    kinds = [kind.__name__ for raw in taps[0].tape for kind in (Ask, SumPart) if reads(raw, kind)]
    assert kinds.count("Ask") == 3 * 3 * 4
    assert kinds.count("SumPart") == 3 * 3 * 3  # what answers the other step is the term itself
    assert dict(there.certificate_.run)["secure sum"].startswith("over nodes, the server learns the sum")


def reads(raw, kind):
    try:
        from_bytes(raw, kind)
    except InvalidInput:
        return False
    return True


@pytest.mark.parametrize("model", [
    FederatedLasso(0.1), FederatedRidge(1.0), FederatedKMeans(3, n_init=1), FederatedGaussianMixture(2, n_init=1),
], ids=lambda model: type(model).__name__)  # fmt: skip
@no_theorem
def test_it_is_the_model_of_exact_messages(model):
    """32 bits on the default grid, which holds what is sent in standard units: to 1e-4 of it, and the run ends."""
    table = patients("iris")
    exact = clone(model).fit(table, "target", clients="hospital")
    sums = clone(model).set_params(secure_sum=True).fit(table, "target", clients="hospital")
    for name in ("coef_", "cluster_centers_", "means_"):
        if hasattr(exact, name):
            np.testing.assert_allclose(getattr(sums, name), getattr(exact, name), rtol=0, atol=1e-4)


@pytest.mark.parametrize("secure", [False, True])
def test_rounding_to_a_grid_is_noise_of_the_bound(secure):
    """σ² = n Σ μ_i² σ_i² with σ_i² ≤ q h²/4, in a secure sum over μ_i²; the theorem that covers the fit knows it."""
    table, grid = patients(), FixedScaleQuantization(12, 4.0)
    told = FederatedLasso(1.0, compress=grid, secure_sum=secure, max_iter=500).fit(table, "target", clients="hospital")
    n, q, h = 3, 10, 4.0 / 2**11
    sigma = 0.5 * h * math.sqrt(n * q * (n if secure else 1))
    assert dict(told.certificate_.constants)["sigma"].startswith(f"{sigma:.4g}:")
    assert told.certificate_.theorem is not None
    bits = (12 + 2 + 1 + 16 if secure else 12) * n * q * told.n_iter_
    assert dict(told.certificate_.run)["sent to the server"].startswith(f"{bits} bits")


def test_a_run_ends_where_rounding_alone_moves_it_and_not_before():
    """The grid at the end of a run counts: with a scale that falls, what the first one rounds is no reason to stop."""
    fixed, falling = FixedScaleQuantization(12, 4.0), FixedScaleQuantization(12, 4.0, halve_every=9, halvings=20)
    least = [Channel.of(grid, None, 3, 10, secure=True).least for grid in (fixed, falling)]
    np.testing.assert_allclose(least, [2.0**-9 * math.sqrt(30), 2.0**-29 * math.sqrt(30)], rtol=1e-12)
    ended = FederatedLasso(1.0, compress=fixed, secure_sum=True, max_iter=500, tol=1e-12)
    assert ended.fit(patients(), "target", clients="hospital").n_iter_ < 500


def test_what_is_no_secure_sum_is_refused():
    table = patients("iris")
    for settings, says in (
        ({"participation": 0.5}, "sums over changing sets of clients"),
        ({"compress": RandK(2)}, "rows of RandK.* have none in common"),
        ({"relative": "scaffold"}, "it is of FedMM"),
        ({"secure_sum": "yes"}, "choose True or False"),
    ):
        with pytest.raises(InvalidInput, match=says):
            FederatedLasso(0.1, **{"secure_sum": True} | settings).fit(table, "target", clients="hospital")
    with pytest.raises(InvalidInput, match="secure_sum=True with one client"):
        FederatedLasso(0.1, secure_sum=True).fit(table.drop(columns="hospital"), "target")
    narrow = FixedScaleQuantization(16, 2.0**-6)
    with pytest.raises(OutOfScale, match="choose a larger scale"):
        FederatedLasso(0.1, secure_sum=True, compress=narrow).fit(table, "target", clients="hospital")
