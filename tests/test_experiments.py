"""The run on real data: what it promises about its result, and that it repeats bit for bit."""

import json
from argparse import ArgumentParser

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import Lasso

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.datasets import load_diabetes
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import Clients
from fedmm_edu.federation.partition import by_covariate
from fedmm_edu.figures import panels, toy_aggregates, toy_aggregation
from fedmm_edu.studies.quadratic import EXPERIMENT, QuadraticPlan, compare_spaces
from fedmm_edu.studies.theorem import path

mpl.use("Agg")


@pytest.fixture(scope="module")
def result():
    return compare_spaces(QuadraticPlan(rounds=1500))


def test_aggregation_in_S_finds_the_centralised_solution_with_its_zeros(result):
    """Half of the clients and 8-bit messages: the control variates let FedMM converge to scikit-learn's Lasso."""
    theta = result.S.theta[-1]
    np.testing.assert_allclose(theta, result.reference, atol=1e-6)
    assert ((theta == 0) == (result.reference == 0)).all()


def test_the_reference_is_the_lasso_of_scikit_learn(result):
    data = load_diabetes()
    model = Lasso(alpha=0.05, fit_intercept=False, tol=1e-12).fit(data.x, data.y)
    np.testing.assert_allclose(result.reference, model.coef_, atol=1e-8)
    residual = data.y - data.x @ result.reference
    assert result.best == pytest.approx(0.5 * np.mean(residual**2) + 0.05 * np.abs(result.reference).sum(), rel=1e-12)
    assert min(result.S.objective.min(), result.Theta.objective.min()) >= result.best - 1e-12


def test_the_command_writes_figure_and_numbers_that_repeat_bit_for_bit(tmp_path, capsys):
    parser = ArgumentParser()
    EXPERIMENT.add_arguments(parser)
    for name in ("a", "b"):
        options = parser.parse_args(["--rounds", "20", "--out", str(tmp_path / name)])
        assert EXPERIMENT.main(options) == 0
    assert "aggregate in Θ (naive)" in capsys.readouterr().out
    numbers = json.loads((tmp_path / "a" / "summary.json").read_text())
    assert numbers["settings"]["rounds"] == 20
    assert set(numbers["runs"]) == {"S", "Theta"}
    for file in ("summary.json", "figure.png"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_wrong_settings_are_named():
    with pytest.raises(InvalidInput, match="no feature 'weight'"):
        compare_spaces(QuadraticPlan(covariate="weight"))
    with pytest.raises(InvalidInput, match="active = 11"):
        compare_spaces(QuadraticPlan(active=11))
    with pytest.raises(InvalidInput, match="n = 500 clients for 442"):
        compare_spaces(QuadraticPlan(clients=500))


def test_a_split_by_a_covariate_is_ordered_and_loses_nothing():
    z = np.arange(14.0).reshape(7, 2)
    parts = by_covariate(z, [3, 1, 2, 0, 6, 5, 4], 3)
    assert [len(part) for part in parts] == [3, 2, 2]
    assert np.concatenate(parts)[:, 0].tolist() == [6, 2, 4, 0, 12, 10, 8]


def test_the_toy_picture_shows_both_aggregates():
    in_S, in_Theta = toy_aggregates([1.0, 4.0], [0.5, 0.5])
    assert in_S == pytest.approx(2.5**-0.5)
    assert in_Theta == pytest.approx(0.75)
    figure, (ax,) = panels(1)
    assert toy_aggregation(ax, [1.0, 4.0], [0.5, 0.5]) is ax
    legend = ax.get_legend()
    assert legend is not None
    assert any(f"{in_Theta:.3f}" in text.get_text() for text in legend.get_texts())
    plt.close(figure)


def test_a_path_is_infinite_from_where_a_run_leaves_the_floats():
    """ρ = 100 is far beyond 1/L: Ŝ_t grows by a factor each round; no NaN, no warning, and T numbers all the same."""
    rng = np.random.default_rng(0)
    clients = Clients.of([rng.normal(size=(5, 3)) for _ in range(4)])
    fed = FedMM(Quadratic(2, 100.0), clients, Constant(1.0), alpha=0.5, metric="B", beyond_theorem=True)
    found = path(fed, np.ones(2), 1.0, 200)
    lived = int(np.isfinite(found).sum())
    assert found.shape == (200,)
    assert 10 < lived < 100
    assert np.isfinite(found[:lived]).all()
    assert np.isposinf(found[lived:]).all()
