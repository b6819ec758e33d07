"""relative=: an algorithm of the registry in the place of FedMM, or an error that says what is missing."""

import numpy as np
import pytest
from sklearn.base import clone

from fedmm_edu.errors import BeyondTheorem, InvalidInput
from fedmm_edu.estimators import FederatedGaussianMixture, FederatedLasso, FederatedPoisson, FederatedRidge
from fedmm_edu.federation import FixedSize
from fedmm_edu.relatives import Tuning, relatives
from tests.estimators.cases import no_theorem, not_converged, patients

TABLE = patients().groupby("hospital").head(40)
"""Hospitals of one size, as many relatives ask."""
THERE = ("accelerated", "scaffold", "scaffnew", "feddyn", "proxskip", "diana", "prox-diana", "ef21", "marina")


def fitted(model, **settings):
    return clone(model).set_params(**settings).fit(TABLE, "target", clients="hospital")


@no_theorem
@not_converged
@pytest.mark.parametrize("name", sorted(relatives()))
def test_every_relative_runs_or_says_what_is_missing(name):
    """On ridge regression all run but those of personal weights; those that end at the optimum get there."""
    model = FederatedRidge(1.0, max_iter=400, tol=1e-9)
    if name.startswith("marfoq"):
        with pytest.raises(InvalidInput, match="weights of their own"):
            fitted(model, relative=name)
        return
    found, best = fitted(model, relative=name), fitted(model)
    assert np.isfinite(found.objective_)
    assert found.objective_ >= best.objective_ - 1e-9
    if name in THERE:
        np.testing.assert_allclose(found.coef_, best.coef_, rtol=1e-3, atol=1e-3 * np.abs(best.coef_).max())
    if name != "fedmm":
        assert relatives()[name].ends.says in found.certificate_.warnings[0]
        assert found.certificate_.theorem is None


@no_theorem
@not_converged
def test_a_relative_takes_the_channel_the_engine_and_its_tuning(tmp_path):
    settings = {"relative": "diana", "compress": 8, "participation": FixedSize(2), "max_iter": 30}
    one = fitted(FederatedRidge(1.0), **settings, tuning=Tuning(eta=0.05))
    over = fitted(FederatedRidge(1.0), **settings, tuning=Tuning(eta=0.05), engine="nodes")
    np.testing.assert_array_equal(one.coef_, over.coef_)
    other = fitted(FederatedRidge(1.0), **settings, tuning=Tuning(eta=0.01))
    assert (one.coef_ != other.coef_).all()
    again = FederatedRidge.load(one.save(tmp_path / "model.npz"))
    assert (again.relative, again.tuning) == ("diana", one.tuning)


def test_what_a_relative_lacks_is_said():
    with pytest.warns(BeyondTheorem, match=r"no theorem here is about ProxSkip .* It ends at: the minimiser of f \+ g"):
        fitted(FederatedLasso(0.1), relative="proxskip")
    for model, settings, says in (
        (FederatedLasso(0.1), {"relative": "scaffold"}, "does not fit here .*not smooth"),
        (FederatedGaussianMixture(2), {"relative": "fedavg"}, "does not fit here .*g = 0"),
        (FederatedPoisson(), {"relative": "proxskip"}, "does not fit here .*prox of g"),
        (FederatedRidge(), {"relative": "nobody"}, "choose one of fedmm, naive"),
        (FederatedRidge(), {"relative": "fedavg", "participation": 0.5}, r"use participation=FixedSize\(m\)"),
        (FederatedRidge(), {"relative": "scaffold", "compress": 8}, "sends exact messages"),
        (FederatedRidge(), {"relative": "fedavg", "tuning": Tuning(active=2)}, "give the estimator"),
        (FederatedRidge(), {"tuning": Tuning()}, "without relative"),
        (FederatedRidge(), {"relative": "fedavg", "tuning": 3}, "give a fedmm_edu.relatives.Tuning"),
    ):
        with pytest.raises(InvalidInput, match=says):
            fitted(model, **settings)
    with pytest.raises(InvalidInput, match="a stream is SA-SSMM"):
        FederatedRidge(relative="naive").partial_fit(TABLE, "target", clients="hospital")
    with pytest.raises(InvalidInput, match="equal weights"):
        FederatedRidge(relative="scaffold").fit(patients(), "target", clients="hospital")
