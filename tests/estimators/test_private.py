"""privacy=: the sensitivity is what is proved, the noise what an accountant asks for, and nothing else is sent."""

import math

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from fedmm_edu.announced import ledger
from fedmm_edu.distributed import Engine
from fedmm_edu.distributed.messages import Request, from_bytes
from fedmm_edu.errors import InvalidInput
from fedmm_edu.estimators import (
    FederatedGaussianMixture,
    FederatedHuber,
    FederatedLogisticRegression,
    FederatedRidge,
    GaussianMechanism,
)
from fedmm_edu.examples.quadratic import HuberLoss
from fedmm_edu.federation import Clients, Draws, WithNoise
from tests.estimators.cases import no_theorem

KNOWN = GaussianMechanism(1.0, 1e-5, [0.5, 0.0], [2.0, 1.0], rounds=20, seed=1)
LOOSE = GaussianMechanism(1e6, 1e-5, [0.5, 0.0, 1.0], [2.0, 1.0, 4.0], rounds=600, seed=1)
MODELS = [
    FederatedRidge(1.0, privacy=LOOSE),
    FederatedHuber(0.7, alpha=0.1, privacy=LOOSE),
    FederatedLogisticRegression(privacy=KNOWN),
    FederatedGaussianMixture(2, prior=0.01, n_init=1, privacy=KNOWN),
]


def rows(seed=0, n=300):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2)) * [2.0, 1.0] + [0.5, 0.0]
    y = x @ [1.0, -2.0] + 1.0 + rng.standard_t(2, n)
    return x, y, np.array(["a", "b", "c"])[np.minimum(np.arange(n) // 60, 2)]


def tasks(model, x, y, who):
    return model._task(model._read(x, y, who, None))


def target(model, y):
    if isinstance(model, FederatedGaussianMixture):
        return None
    return np.where(y > 0, "high", "low") if isinstance(model, FederatedLogisticRegression) else y


@pytest.mark.parametrize("mechanism", [
    GaussianMechanism(0.3, 1e-6, [], [], rounds=100), GaussianMechanism(8.0, 1e-3, [], [], rounds=1),
    GaussianMechanism(2.0, 1e-5, [], [], rounds=7),
])  # fmt: skip
def test_the_noise_suffices_and_is_not_wasted(mechanism):
    """Against the exact curve of the Gaussian mechanism (Balle and Wang 2018): T rounds are one, of √T the size."""
    eps, z = mechanism.epsilon, mechanism.multiplier()

    def delta(z):
        size = math.sqrt(mechanism.rounds) / z
        return norm.cdf(size / 2 - eps / size) - math.exp(eps) * norm.cdf(-size / 2 - eps / size)

    assert delta(z) <= mechanism.delta
    assert delta(0.8 * z) > mechanism.delta


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_an_exchanged_row_moves_the_statistic_by_less_than_the_noise_is_measured_by(model):
    """Whatever the row and θ; and neither units, ρ, start nor noise depend on it. A witness attains the bound."""
    x, y, who = rows()
    task, rng = tasks(model, x, target(model, y), who), np.random.default_rng(1)
    moves = task.oracle.scale / model.privacy.multiplier()

    @hypothesis.settings(max_examples=15, deadline=None)
    @hypothesis.given(st.integers(0, 299), st.floats(-1e6, 1e6), st.floats(-1e3, 1e3), st.floats(-5.0, 5.0))
    def exchanged(j, far, other, size):
        changed, labels = x.copy(), np.where(np.arange(300) == j, -y if other < 0 else y + far, y)
        changed[j] = [far, other]
        new, theta = tasks(model, changed, target(model, labels), who), point(task.problem, size, rng)
        assert (getattr(new.problem, "rho", 0.0), new.oracle) == (getattr(task.problem, "rho", 0.0), task.oracle)
        for one, other in ((new.start(0), task.start(0)), (new.opening, task.opening)):
            np.testing.assert_array_equal(one, other)
        means = [each.problem.mean_S_bars(each.clients.z, each.clients.offsets, theta) for each in (task, new)]
        gap = np.linalg.norm(means[0] - means[1], axis=1) * np.diff(task.clients.offsets)
        assert gap.max() <= moves * (1.0 + 1e-9)
        assert (gap > 0.0).sum() <= 1

    exchanged()
    R = model.privacy.norm(3)
    room = math.sqrt(R * R - 1.0)
    if isinstance(model, FederatedLogisticRegression):  # in the limit of steep θ; the 1 of the intercept stays
        pair, theta, reached = [[-1e-3, room, 1.0, 1.0], [-1e-3, -room, 1.0, 1.0]], [1e6, 0.0, 0.0], room / R
    elif isinstance(model, FederatedGaussianMixture):  # in the limit of components that lie apart
        pair, reached = [[room, 0.0], [-room, 0.0]], 1.0
        theta = task.problem.theta([0.5, 0.5], pair, [0.01 * np.eye(2)] * 2)
    else:
        pair, theta, reached = [[room, 0.0, 1.0, 1e6], [room, 0.0, 1.0, -1e6]], [0.0, 0.0, 0.0], 1.0
    gap = np.subtract(*task.problem.S_bar(np.array(pair), np.array(theta)))
    assert np.linalg.norm(gap) == pytest.approx(reached * moves, rel=1e-6)


def point(problem, size, rng):
    """Some θ: any vector of a linear model, any mixture of Gaussians."""
    if hasattr(problem, "rho"):
        return size * rng.normal(size=problem.d)
    roots = rng.normal(size=(2, 2, 2))
    spreads = roots @ np.swapaxes(roots, 1, 2) + 0.01 * np.eye(2)
    return problem.theta(rng.dirichlet([1.0, 1.0]), size * rng.normal(size=(2, 2)), spreads)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@no_theorem
def test_what_is_asked_first_depends_on_no_row(model):
    """Point, step and problem are public: before the first noisy answer the server knows nothing."""
    x, y, who = rows()
    asked, plans = [], set()

    class Stop(Exception):
        pass

    class Listening(Engine):
        def exchange(self, requests):
            asked.append([from_bytes(raw, Request) for raw in requests.values()])
            raise Stop

    def engine(fed, plan):
        plans.add(plan.key)
        return Listening()

    for given in ((x, y), (x[::-1] * 0.01, y[::-1] * 0.01)):
        with pytest.raises(Stop):
            model.set_params(engine=engine).fit(given[0], target(model, given[1]), who)
    model.set_params(engine="memory")
    for one, other in zip(*asked, strict=True):
        np.testing.assert_array_equal(np.r_[one.x, one.theta], np.r_[other.x, other.theta])
    assert len(plans) == 1


@pytest.mark.parametrize("model", MODELS[:2], ids=lambda model: type(model).__name__)
def test_with_hardly_any_noise_it_is_the_minimiser_of_what_is_said(model):
    """Huber's loss on shortened rows in public units, by SciPy."""
    x, y, who = rows()
    fitted = model.fit(x, y, who)
    unit = (np.column_stack([x, y]) - LOOSE.center) / LOOSE.scale
    length = np.linalg.norm(unit[:, :2], axis=1)
    short = unit[:, :2] * np.minimum(1.0, math.sqrt(5.0) / length)[:, None]
    assert (length > math.sqrt(5.0)).any()
    design, delta = np.column_stack([short, np.ones(300)]), min(LOOSE.clip, getattr(model, "epsilon", 9.0) / 4.0)
    delta = LOOSE.clip if isinstance(model, FederatedRidge) else delta
    kappa = (1.0 / 300 if isinstance(model, FederatedRidge) else 0.1) / np.array([4.0, 1.0])

    def cost(theta):
        return HuberLoss(delta).value(design @ theta, unit[:, 2]).mean() + 0.5 * kappa @ theta[:2] ** 2

    best = minimize(cost, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(fitted.coef_, 4.0 * best[:2] / [2.0, 1.0], atol=2e-3)
    assert fitted.n_iter_ == 600


@no_theorem
def test_a_private_mixture_finds_the_components_of_many_rows():
    """Three groups of 2000 rows over three clients, ε = 4: their centres, from three of four starts that know no row
    (EM ends elsewhere from the first, with hardly any noise, too)."""
    rng, centres = np.random.default_rng(0), np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 5.0]])
    x = np.repeat(centres, 2000, axis=0) + rng.normal(size=(6000, 2))
    known = GaussianMechanism(4.0, 1e-5, [1.3, 1.6], [2.2, 2.5], rounds=10, seed=1)
    model, far = FederatedGaussianMixture(3, prior=0.01, n_init=1, privacy=known), []
    for seed in range(4):
        model.set_params(random_state=seed).fit(x, None, np.arange(6000) % 3)
        far.append(np.linalg.norm(model.means_[:, None] - centres, axis=2).min(axis=0).max())
    assert sum(gap < 0.6 for gap in far) >= 3
    told = model.certificate_
    assert told.rows()["sensitivity"] == ("own-private-mixture",)
    assert ledger().claims()["own-private-mixture"].expected == "proved"
    assert dict(told.data)["noise"].endswith("times the sensitivity √2 R²/N_i = 8.485/N_i, in each of 18 numbers")
    assert dict(told.run)["sent before the rounds"].startswith("0 bits")


def test_noise_is_gaussian_of_its_size_and_the_owners_alone():
    """Named draws with a seed; without one, other numbers each time. A client of more rows needs less."""
    clients, problem = Clients.of([np.ones((2, 3)), np.ones((8, 3))]), tasks(MODELS[0], *rows()).problem
    clients = Clients.of([np.ones((2, 4)), np.ones((8, 4))])
    noisy, who, theta = WithNoise(4.0, seed=3), np.arange(2), np.zeros(problem.d)
    drawn = np.array([noisy(problem, clients, theta, Draws(0, t, who)) for t in range(1500)])
    np.testing.assert_allclose(drawn.std(axis=(0, 2)), [2.0, 0.5], rtol=0.05)
    np.testing.assert_allclose(drawn.mean(axis=0)[1], problem.mean_S_bar(clients[1], theta), atol=0.06)
    np.testing.assert_array_equal(drawn[7], noisy(problem, clients, theta, Draws(99, 7, who)))
    one = Draws(0, 7, np.array([0]), np.array([1]))  # a node that holds client 1 alone
    alone = noisy(problem, Clients.of([clients[1]]), theta, one)
    np.testing.assert_array_equal(alone[0], drawn[7][1])
    secret = [WithNoise(4.0)(problem, clients, theta, Draws(0, 1, who)) for _ in range(2)]
    assert (secret[0] != secret[1]).all()
    assert noisy.noise(8, 9) == pytest.approx(3.0 * 0.5)


def test_the_certificate_says_what_is_private_and_what_it_costs(tmp_path):
    x, y, who = rows()
    model = MODELS[2].fit(x, target(MODELS[2], y), who)
    told = model.certificate_
    data, run, task = dict(told.data), dict(told.run), tasks(model, x, target(model, y), who)
    assert data["privacy"].startswith("ε = 1, δ = 1e-05 of each client's messages in 20 rounds")
    assert data["noise"].startswith(f"{model.privacy.multiplier():.4g} times the sensitivity")
    assert run["sent before the rounds"].startswith("0 bits")
    n, mu, sizes = 3, task.clients.mu, np.diff(task.clients.offsets)
    sigma = math.sqrt(n * sum((mu * task.oracle.scale / sizes) ** 2) * task.problem.q)
    assert dict(told.constants)["sigma"].startswith(f"{sigma:.4g}:")
    assert told.theorem is not None
    assert run["what the noise costs"].split()[3:5] == ["bound", f"{told.theorem.bound:.4g}:"]
    assert 0.0 < float(run["what the noise costs"].split()[0]) < told.theorem.bound
    assert told.rows()["sensitivity"] == ("own-private-sensitivity",)
    assert ledger().claims()["own-private-sensitivity"].expected == "proved"
    again = type(model).load(model.save(tmp_path / "model.npz"))
    assert again.certificate_ == told
    assert again.privacy == model.privacy
    over = FederatedLogisticRegression(privacy=model.privacy, engine="nodes").fit(x, target(model, y), who)
    np.testing.assert_array_equal(over.coef_, model.coef_)


@pytest.mark.parametrize(("settings", "says"), [
    ({"privacy": 1.0}, "give a GaussianMechanism"),
    ({"privacy": LOOSE, "n_init": 2}, "each start costs its own"),
    ({"privacy": LOOSE, "fit_intercept": False}, "fit an intercept"),
    ({"privacy": GaussianMechanism(1.0, 1e-5, [0.0], [1.0])}, "1 entries for 3 columns"),
])  # fmt: skip
def test_what_would_break_the_promise_is_refused(settings, says):
    x, y, who = rows()
    with pytest.raises(InvalidInput, match=says):
        FederatedRidge(1.0, **settings).fit(x, y, who)
    with pytest.raises(InvalidInput, match="no last round"):
        MODELS[0].partial_fit(x, y, who)
    with pytest.raises(InvalidInput, match="sample_weight"):
        MODELS[0].fit(x, y, who, np.arange(1.0, 301.0))
    for wrong in ({"epsilon": 0.0}, {"delta": 1.0}, {"scale": [1.0]}, {"rounds": 0}, {"row_norm": 1.0}):
        with pytest.raises(InvalidInput):
            GaussianMechanism(**{"epsilon": 1.0, "delta": 1e-5, "center": [0.0, 0.0], "scale": [1.0, 1.0]} | wrong)
