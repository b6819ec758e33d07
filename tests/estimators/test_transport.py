"""`FederatedTransportMap`: a known map is found, whoever holds the rows; scikit-learn's conventions; refusals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from fedmm_edu import Diverged, InvalidInput, StateMismatch
from fedmm_edu.estimators import FederatedTransportMap
from fedmm_edu.transport import UnboundedObjective, baselines, log_sum_exp
from fedmm_edu.transport.score import score

PAIR = log_sum_exp(2)
NAMES = ["a", "b"]
QUICK = FederatedTransportMap((4, 4, 4), batch=16, server_steps=2, pretraining=10, max_iter=3)


def sample() -> tuple[pd.DataFrame, pd.DataFrame]:
    x = pd.DataFrame(PAIR.sample(900, 0), columns=NAMES)
    x["hospital"] = np.array(["north", "south", "west"])[np.digitize(x["a"], [-0.5, 0.8])]
    return x, pd.DataFrame(PAIR.sample_target(1000, 1), columns=NAMES)


@pytest.fixture(scope="module")
def fitted() -> FederatedTransportMap:
    x, y = sample()
    model = FederatedTransportMap((16, 16, 8), step=1e-2, server_rate=3e-3, batch=64, max_iter=100, compress=12)
    return model.fit(x, y, clients="hospital")


def test_the_known_map_is_found(fitted):
    """Over hospitals that hold different parts of P: nearer to the optimal map than the best linear one, by half."""
    test, forward, back = PAIR.sample(4000, 5), fitted.transform, fitted.inverse_transform
    found = score(PAIR, *(lambda x, m=m: m(pd.DataFrame(x, columns=NAMES)) for m in (forward, back)), test)
    linear = score(PAIR, *baselines(PAIR)["linear"], test)
    assert found.uvp < linear.uvp / 2.0
    assert found.inverse_uvp < linear.inverse_uvp / 1.5
    assert found.cosine > 0.9


def test_the_score_is_best_for_the_map(fitted):
    """Minus the energy distance: near 0 for the map, worse for rows that stay where they are."""
    x, y = sample()
    stay = clone(fitted).set_params(max_iter=1, step=1e-9).fit(x, y.assign(a=y["a"], b=y["b"]), clients="hospital")
    plain = x[NAMES]
    assert -0.02 < fitted.score(plain, y) < 0.0
    assert stay.score(plain, y) < fitted.score(plain, y)
    assert fitted.cycle_ < 0.01
    assert fitted.mean_cost_ == pytest.approx(((fitted.transform(plain) - plain.to_numpy()) ** 2).sum(axis=1).mean())


def test_the_certificate_says_that_no_theorem_covers_it(fitted):
    said = fitted.certificate_
    assert said.theorem is None
    assert {h.name for h in said.hypotheses if h.status == "fails"} == {"MM-1", "MM-2"}
    assert [h.name for h in said.hypotheses] == ["MM-1", "MM-2", "A1", "A2", "A3", "A4", "A5", "A6(i)", "A6(ii)", "A7",
                                                 "A8"]  # fmt: skip
    assert "No theorem here covers this run" in str(said)
    assert "ot-two-networks" in said.to_html()
    assert f"{100 * 3 * (64 + 12 * len(fitted.omega_))} bits" in dict(said.run)["sent to the server"]


def test_a_file_and_a_seed_give_the_model_again(fitted, tmp_path):
    """Bit for bit; the file holds no pickle, and no other class reads it."""
    x, y = sample()
    again = FederatedTransportMap.load(fitted.save(tmp_path / "map.npz"))
    np.testing.assert_array_equal(again.transform(x), fitted.transform(x))
    np.testing.assert_array_equal(again.inverse_transform(y), fitted.inverse_transform(y))
    assert again.certificate_ == fitted.certificate_
    with np.load(tmp_path / "map.npz", allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)
    fits = [clone(QUICK).set_params(participation=0.7, random_state=seed).fit(x, y, "hospital") for seed in (0, 0, 1)]
    np.testing.assert_array_equal(fits[0].omega_, fits[1].omega_)
    np.testing.assert_array_equal(fits[0].theta_, fits[1].theta_)
    assert (fits[0].omega_ != fits[2].omega_).any()
    (tmp_path / "cut.npz").write_bytes((tmp_path / "map.npz").read_bytes()[:300])
    with pytest.raises(StateMismatch):
        FederatedTransportMap.load(tmp_path / "cut.npz")


class ToNormal(FederatedTransportMap):
    """To the standard normal: the y of scikit-learn's checks is one number a row, and no sample of Q."""

    def fit(self, X, y=None, clients=None):
        return super().fit(X, None, clients)

    def score(self, X, y=None):
        return super().score(X, None)


def test_every_check_of_scikit_learn_passes():
    """With y left out; nothing is expected to fail."""
    found = check_estimator(ToNormal(**QUICK.get_params()), on_skip=None)
    assert [c["check_name"] for c in found if c["status"] != "passed"] in ([], ["check_array_api_input"])
    assert len(found) > 30


def test_rows_become_normal_and_normal_ones_become_rows():
    """Without y: in all directions nearer to the law that is asked for than before."""
    rng = np.random.default_rng(0)
    x = np.exp(0.5 * rng.normal(size=(800, 1)))
    model = FederatedTransportMap((8, 8, 8), step=1e-2, server_rate=3e-3, max_iter=120, batch=64).fit(
        x, clients=rng.integers(0, 3, 800)
    )
    made = model.transform(x)
    skew = [float((((v - v.mean()) / v.std()) ** 3).mean()) for v in (x, made)]
    assert abs(skew[1]) < skew[0] / 2.0
    back = model.inverse_transform(rng.normal(size=(800, 1)))
    assert abs(np.quantile(back, [0.2, 0.5, 0.8]) - np.quantile(x, [0.2, 0.5, 0.8])).max() < 0.12


def test_columns_of_the_public_sample_are_matched_by_name():
    x, y = sample()
    one, other = (clone(QUICK).fit(x, table, clients="hospital") for table in (y, y[NAMES[::-1]]))
    np.testing.assert_array_equal(one.omega_, other.omega_)
    for wrong, says in (
        (y["a"], "y has 1 dimensions"), (y[["a"]], "feature names"), (y.rename(columns={"a": "c"}), "feature names"),
        (y.assign(a=np.nan), "NaN"), (y.assign(a="x"), r"\['a'\] hold text"), ("a", "y has 0 dimensions"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=says):
            clone(QUICK).fit(x, wrong, clients="hospital")


@pytest.mark.parametrize("power", [-150, 150])
def test_units_do_not_matter(power):
    """In other units the same map: scales and means are taken out first."""
    x, y = sample()
    factor, plain = 10.0**power, x[NAMES]
    one = clone(QUICK).fit(plain, y, clients=x["hospital"])
    other = clone(QUICK).fit(plain * factor, y * 10.0, clients=x["hospital"])
    np.testing.assert_allclose(other.transform(plain * factor) / 10.0, one.transform(plain), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(other.inverse_transform(y * 10.0) / factor, one.inverse_transform(y), atol=1e-9)


def test_callbacks_and_wrong_settings():
    x, y = sample()
    told = []
    ended = clone(QUICK).set_params(callback=lambda t: told.append(t) or t == 2).fit(x, y, "hospital")
    assert (told, ended.n_iter_) == ([1, 2], 2)
    for settings, says in (
        ({"step": 0.0}, "step"), ({"max_iter": 0}, "max_iter"), ({"widths": (4, 4)}, "three hidden layers"),
        ({"lam": -1.0}, "lam"), ({"batch": 0}, "b = 0"), ({"compress": 1}, "compress"), ({"server_rate": 0.0}, "rate"),
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match=says):
            clone(QUICK).set_params(**settings).fit(x, y, clients="hospital")
    with pytest.warns(UnboundedObjective, match="λ = 0 with K = 2"):
        clone(QUICK).set_params(local_steps=2).fit(x, y, clients="hospital")
    with pytest.raises(Diverged, match="FederatedTransportMap"):
        clone(QUICK).set_params(local_rate=1e308, max_iter=30, step=1.0).fit(x, y, clients="hospital")
