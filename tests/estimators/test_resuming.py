"""checkpoint=: a fit that was interrupted goes on where it was, and ends bit for bit where it would have."""

import numpy as np
import pytest

from fedmm_edu.errors import InvalidInput, StateMismatch
from fedmm_edu.estimators import FederatedGaussianMixture, FederatedLasso
from tests.estimators.cases import no_theorem, not_converged, patients


def stopping(at, seen):
    def callback(progress):
        seen.append(progress.t)
        if len(seen) == at:
            raise KeyboardInterrupt

    return callback


@no_theorem
@not_converged
@pytest.mark.parametrize("model", [
    (FederatedLasso, {"alpha": 0.1, "compress": 8, "participation": 0.7, "max_iter": 250}, 150),
    (FederatedGaussianMixture, {"n_components": 2, "n_init": 2, "max_iter": 120, "tol": 0.0}, 230),
], ids=lambda of: of[0].__name__)  # fmt: skip
def test_an_interrupted_fit_goes_on(model, tmp_path):
    """Control variates, draws, restarts, the certificate: all as in a run of one piece; finished rounds are not run."""
    make, settings, at = model
    table, path, seen = patients("iris"), tmp_path / "fit", []
    whole = make(**settings).fit(table, "target", clients="hospital")
    with pytest.raises(KeyboardInterrupt):
        make(**settings, checkpoint=path, callback=stopping(at, [])).fit(table, "target", clients="hospital")
    again = make(**settings, checkpoint=path, callback=stopping(10**9, seen)).fit(table, "target", clients="hospital")
    np.testing.assert_array_equal(again.surrogate_, whole.surrogate_)
    assert again.certificate_ == whole.certificate_
    assert seen[0] == 101
    last = make(**settings, checkpoint=path, callback=stopping(1, [])).fit(table, "target", clients="hospital")
    np.testing.assert_array_equal(last.surrogate_, whole.surrogate_)


@not_converged
def test_a_file_of_another_fit_is_refused(tmp_path):
    table, path = patients("iris"), tmp_path / "fit"
    model = FederatedLasso(0.1, max_iter=3, tol=0.0, checkpoint=path).fit(table, "target", clients="hospital")
    for other in (FederatedLasso(0.2, max_iter=3, tol=0.0, checkpoint=path),
                  FederatedLasso(0.1, max_iter=3, tol=1e-3, checkpoint=path)):  # fmt: skip
        with pytest.raises(StateMismatch, match="other settings or rows"):
            other.fit(table, "target", clients="hospital")
    with pytest.raises(StateMismatch, match="other settings or rows"):
        model.fit(table.iloc[1:], "target", clients="hospital")
    with pytest.raises(StateMismatch, match="holds round 3"):
        model.set_params(max_iter=2).fit(table, "target", clients="hospital")
    path.write_bytes(path.read_bytes()[:-90])
    with pytest.raises(StateMismatch, match="delete it"):
        model.set_params(max_iter=3).fit(table, "target", clients="hospital")
    with pytest.raises(InvalidInput, match="nodes keep their own states"):
        FederatedLasso(checkpoint=path, engine="nodes").fit(table, "target", clients="hospital")
