"""Losses own their derivatives and bounds; both kinds of quadratic surrogate reach what scikit-learn reaches."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression, Ridge

from fedmm_edu.algorithms import Constant, FedMM, mm
from fedmm_edu.examples import examples
from fedmm_edu.examples.curvature import CURVATURES, SecondOrder
from fedmm_edu.examples.quadratic import (
    EACH_LOSS,
    ElasticNet,
    HuberLoss,
    LeastSquares,
    Logistic,
    Multinomial,
    Quadratic,
    WeightedElasticNet,
    WeightedRidge,
    admissible_rho,
)
from fedmm_edu.examples.robust import Huber, RobustRegression
from fedmm_edu.examples.symmetric import smat
from fedmm_edu.federation import Clients, FullBatch
from fedmm_edu.federation.partition import by_covariate
from fedmm_edu.surrogate import objective
from fedmm_edu.symbolic import kernel
from tests.numeric.instances import refusals

LOSSES = (*EACH_LOSS, Multinomial(4), HuberLoss(0.3))
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=str)
each_form = pytest.mark.parametrize("form", CURVATURES)
seeds = st.integers(0, 2**32 - 1)


def table(load):
    """Standardised features with a last column of ones, and the classes 0, 1, …"""
    raw = load()
    x = (raw.data - raw.data.mean(axis=0)) / raw.data.std(axis=0)
    return np.column_stack([x, np.ones(len(x)), raw.target]).astype(np.float64)


def signs(z):
    """Classes −1 and 1."""
    return np.column_stack([z[:, :-1], 2.0 * z[:, -1] - 1.0])


def fitted(problem, z, rounds, tol=1e-15):
    fed = mm(problem, z)
    state = fed.init(fed.point(np.zeros(problem.d)))
    for _ in range(rounds):
        before, state = state, fed.step(state)
        if np.abs(state.x - before.x).max() <= tol * (1.0 + np.abs(state.x).max()):
            break
    return fed.theta(state)


def drawn(loss, seed, n=7):
    """u, a direction, and targets; u of many sizes."""
    rng = np.random.default_rng(seed)
    shape = (n,) if loss.outputs == 1 else (n, loss.outputs)
    return rng.normal(size=shape) * 10.0 ** rng.uniform(-2, 1.5), rng.normal(size=shape), loss.draw(rng, n)


def dot(a, b):
    return a * b if a.ndim == 1 else (a * b).sum(axis=1)


@each_loss
@given(seed=seeds)
def test_slope_and_bend_are_the_derivatives_of_the_value(loss, seed):
    """Of the value and of the slope, along a direction: central differences; Huber's bend away from its kinks."""
    u, v, y = drawn(loss, seed)
    step = 1e-5
    ahead, behind = u + step * v, u - step * v
    slope = (loss.value(ahead, y) - loss.value(behind, y)) / (2 * step)
    np.testing.assert_allclose(dot(loss.slope(u, y), v), slope, rtol=1e-4, atol=1e-4)
    bent = (loss.slope(ahead, y) - loss.slope(behind, y)).reshape(len(u), -1) / (2 * step)
    found = np.einsum("nkl,nl->nk", loss.bend(u, y), v.reshape(len(u), -1))
    same = (
        (loss.bend(ahead, y) == loss.bend(behind, y)).all(axis=(1, 2)) if isinstance(loss, HuberLoss) else slice(None)
    )
    np.testing.assert_allclose(found[same], bent[same], rtol=1e-4, atol=1e-5)


@each_loss
@given(seed=seeds)
def test_the_bounds_of_a_loss_hold(loss, seed):
    """0 ⪯ bend ⪯ most, slope ≤ steepest within reach, and the working response."""
    u, _, y = drawn(loss, seed)
    bend, columns = loss.bend(u, y), (len(u), loss.outputs)
    assert np.linalg.eigvalsh(bend).min() >= -1e-15
    assert np.linalg.eigvalsh(loss.most() - bend).min() >= -1e-15
    slope = loss.slope(u, y).reshape(columns)
    assert (np.linalg.norm(slope, axis=1) <= loss.steepest(np.abs(u.reshape(columns)).max(axis=1), y) + 1e-12).all()
    working = np.einsum("nkl,nl->nk", bend, u.reshape(columns)) - slope
    assert (np.linalg.norm(working, axis=1) <= loss.working(y) + 1e-12).all()


@each_loss
def test_the_curvature_is_attained(loss):
    """At u = 0, for two equally likely classes; no smaller number bounds the second derivative."""
    u = np.zeros(1) if loss.outputs == 1 else np.array([[0.0, 0.0] + [-40.0] * (loss.outputs - 2)])
    assert np.linalg.eigvalsh(loss.bend(u, np.zeros(1)))[0, -1] == pytest.approx(loss.curvature, rel=1e-12)
    assert np.linalg.eigvalsh(loss.most())[-1] == pytest.approx(loss.curvature, rel=1e-12)


@given(seed=seeds)
def test_two_classes_are_the_logistic_loss_of_their_difference(seed):
    rng = np.random.default_rng(seed)
    u, y = 5.0 * rng.normal(size=(6, 2)), rng.integers(0, 2, 6).astype(float)
    two, one = Multinomial(2), Logistic()
    difference, sign = u[:, 1] - u[:, 0], 2.0 * y - 1.0
    np.testing.assert_allclose(two.value(u, y), one.value(difference, sign), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(two.slope(u, y)[:, 1], one.slope(difference, sign), rtol=1e-12, atol=1e-14)


MODELS = {
    "quadratic: multinomial": lambda: Quadratic(2, 0.3, Multinomial(2)),
    "quadratic: logistic, elastic net": lambda: Quadratic(1, 0.3, Logistic(), ElasticNet(0.7, 0.2)),
    "quadratic: least squares, weighted elastic net": lambda: Quadratic(
        2, 0.3, LeastSquares(), WeightedElasticNet((0.7, 0.0), (0.2, 0.0))
    ),
    "curvature: least squares, bound": lambda: SecondOrder(1, 0.7),
    "curvature: logistic, bound": lambda: SecondOrder(1, 0.7, Logistic()),
    "curvature: logistic, Newton": lambda: SecondOrder(1, 0.7, Logistic(), "Newton"),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_kernel_is_the_sympy_model(name):
    """Loss, S̄, φ, ψ, g and T of the definition that the ledger proves, at random points."""
    owner, _, which = name.partition(": ")
    example = next(e for e in examples() if e.name == owner)
    models = example.models() | {key: model for key, (_, model) in example.tempting_models().items()}
    values = {"rho": 0.3, "lambda": 0.7, "mu": 0.2, "eta": 0.7}
    model = models[which]
    defined, ours = kernel(model, {key: values[key] for key in map(str, model.constants)}), MODELS[name]()
    loss, rng = ours.smooth_loss, np.random.default_rng(4)
    for _ in range(5):
        z = np.column_stack([rng.normal(size=(6, ours.features)), loss.draw(rng, 6)])
        theta, s = rng.normal(size=ours.d), np.abs(rng.normal(size=ours.q))
        np.testing.assert_allclose(ours.loss(z, theta), defined.loss(z, theta), rtol=1e-12)
        np.testing.assert_allclose(ours.S_bar(z, theta), defined.S_bar(z, theta), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(ours.phi(theta), defined.phi(theta), rtol=1e-14)
        np.testing.assert_allclose(ours.T(s), defined.T(s), rtol=1e-13, atol=1e-15)
        assert ours.g(theta) == pytest.approx(defined.g(theta), rel=1e-13)
        assert ours.psi(theta) == pytest.approx(defined.psi(theta), rel=1e-13)


@each_form
def test_logistic_regression_on_breast_cancer_is_that_of_scikit_learn(form):
    """With a ridge and a free intercept, over five clients that differ: 1e-8 for 31 coefficients."""
    z, lam = signs(table(load_breast_cancer)), 0.02
    theirs = LogisticRegression(C=1.0 / (lam * len(z)), solver="newton-cholesky", tol=1e-14).fit(z[:, :-2], z[:, -1])
    clients = Clients.of(by_covariate(z, z[:, 0], 5))
    problem = SecondOrder(31, [lam] * 30 + [0.0], Logistic(), form)
    fed = FedMM(problem, clients, Constant(1.0), FullBatch())
    state = fed.init(fed.point(np.zeros(31)))
    for _ in range(4000 if form == "bound" else 12):
        state = fed.step(state)
    expected = np.append(theirs.coef_[0], theirs.intercept_)
    np.testing.assert_allclose(fed.theta(state), expected, rtol=0, atol=1e-8)


def test_sparse_logistic_regression_satisfies_its_optimality_conditions():
    """−∇f ∈ λ∂|θ| for 30 coefficients and ∇f = 0 for the intercept, written out; zeros are exact."""
    z, lam = signs(table(load_breast_cancer)), 0.02
    penalty = WeightedElasticNet((lam,) * 30 + (0.0,), (0.0,) * 31)
    theta = fitted(Quadratic(31, admissible_rho(Logistic(), Clients.of([z])), Logistic(), penalty), z, 60000)
    x, y = z[:, :-1], z[:, -1]
    slope = -(y / (1.0 + np.exp(y * (x @ theta)))) @ x / len(x)
    zero = theta == 0.0
    assert 15 < zero.sum() < 30
    assert not zero[-1]
    assert np.abs(slope[zero]).max() <= lam
    np.testing.assert_allclose(slope[:-1][~zero[:-1]], -lam * np.sign(theta[:-1][~zero[:-1]]), rtol=0, atol=1e-9)
    assert abs(slope[-1]) <= 1e-9


def test_multinomial_regression_on_wine_is_that_of_scikit_learn():
    """Three classes, a ridge, and intercepts that are not penalised, which are unique up to a common number."""
    z, lam = table(load_wine), 0.05
    theirs = LogisticRegression(C=1.0 / (lam * len(z)), solver="newton-cg", tol=1e-13, max_iter=1000)
    theirs.fit(z[:, :-2], z[:, -1])
    loss, d = Multinomial(3), 14 * 3
    ridge = WeightedRidge((lam,) * (d - 3) + (0.0,) * 3)
    theta = fitted(Quadratic(d, admissible_rho(loss, Clients.of([z])), loss, ridge), z, 20000).reshape(14, 3)
    np.testing.assert_allclose(theta[:-1].T, theirs.coef_, rtol=0, atol=1e-7)
    intercepts = [b - b.mean() for b in (theta[-1], theirs.intercept_)]
    np.testing.assert_allclose(*intercepts, rtol=0, atol=1e-7)
    assert np.abs(theta[:-1].sum(axis=1)).max() <= 1e-12


@each_form
def test_multinomial_second_order_and_gradient_surrogates_have_one_limit(form):
    """A ridge on everything: the same optimum from vectors and from matrices."""
    z, lam = table(load_wine)[:, [0, 3, 6, 12, 14]], 0.05
    loss, d = Multinomial(3), 12
    slow = fitted(Quadratic(d, admissible_rho(loss, Clients.of([z])), loss, WeightedRidge((lam,) * d)), z, 20000)
    np.testing.assert_allclose(fitted(SecondOrder(d, lam, loss, form), z, 2000), slow, rtol=0, atol=1e-9)


def test_huber_regression_by_gradients_is_that_of_the_variational_surrogate():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    z = np.column_stack([x, x @ [1.0, -2.0, 0.5] + 0.3 * rng.normal(size=80) + 9.0 * (rng.uniform(size=80) < 0.1)])
    loss = HuberLoss(0.5)
    ours = fitted(Quadratic(3, admissible_rho(loss, Clients.of([z])), loss, WeightedRidge((0.1,) * 3)), z, 5000)
    other = fitted(RobustRegression(3, 0.1, Huber(0.5)), z, 5000)
    bound = fitted(SecondOrder(3, 0.1, loss), z, 5000)
    np.testing.assert_allclose(ours, other, rtol=0, atol=1e-10)
    np.testing.assert_allclose(bound, other, rtol=0, atol=1e-10)


@each_form
def test_least_squares_is_solved_in_one_round(form):
    """The surrogate is the loss itself, whatever τ is."""
    z = table(load_wine)
    expected = Ridge(alpha=0.3 * len(z), fit_intercept=False).fit(z[:, :-1], z[:, -1]).coef_
    problem = SecondOrder(14, 0.3, LeastSquares(), form)
    for theta in (np.zeros(14), np.full(14, 3.0)):
        np.testing.assert_allclose(problem.T(problem.mean_S_bar(z, theta)), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("loss", [Logistic(), Multinomial(3)], ids=str)
@given(seed=seeds)
def test_a_step_of_the_newton_form_is_newtons(loss, seed):
    """θ − (∇²W)⁻¹∇W with both derivatives by differences of the objective's gradient and value."""
    rng = np.random.default_rng(seed)
    d, z = 2 * loss.outputs, np.column_stack([rng.normal(size=(9, 2)), loss.draw(rng, 9)])
    problem, theta, step = SecondOrder(d, 0.4, loss, "Newton"), 0.5 * rng.normal(size=2 * loss.outputs), 1e-4
    W = lambda at: objective(problem, z, at)  # noqa: E731
    eye = step * np.eye(d)
    gradient = np.array([(W(theta + e) - W(theta - e)) / (2 * step) for e in eye])
    hessian = np.array(
        [[(W(theta + a + b) - W(theta + a - b) - W(theta - a + b) + W(theta - a - b)) for b in eye] for a in eye]
    ) / (4 * step**2)
    found = problem.T(problem.mean_S_bar(z, theta))
    np.testing.assert_allclose(found, theta - np.linalg.solve(hessian, gradient), rtol=1e-5, atol=1e-5)


def test_newtons_method_ascends_where_its_bound_descends():
    """Balanced data and a start at 3: Newton's steps rise three times, and then jump between −50 and 50 for ever."""
    z = np.array([[1.0, 1.0], [1.0, -1.0]])
    values = {}
    for form in CURVATURES:
        problem, theta = SecondOrder(1, 0.01, Logistic(), form), np.array([3.0])
        values[form] = [objective(problem, z, theta)]
        for _ in range(30):
            theta = problem.T(problem.mean_S_bar(z, theta))
            values[form].append(objective(problem, z, theta))
    assert all(b <= a for a, b in itertools.pairwise(values["bound"]))
    assert values["bound"][-1] == pytest.approx(np.log(2.0), rel=1e-12)
    assert all(b > a for a, b in itertools.pairwise(values["Newton"][:4]))
    np.testing.assert_allclose(values["Newton"][3:], 37.5, rtol=1e-9)


@pytest.mark.parametrize("loss", [Logistic(), Multinomial(3)], ids=str)
@given(seed=seeds)
def test_the_matrix_of_the_bound_does_not_depend_on_the_point(loss, seed):
    """It is E[xxᵀ] ⊗ M: a client needs to send it once."""
    rng = np.random.default_rng(seed)
    d, z = 2 * loss.outputs, np.column_stack([rng.normal(size=(9, 2)), loss.draw(rng, 9)])
    problem, x = SecondOrder(d, 0.4, loss), z[:, :-1]
    for theta in rng.normal(size=(2, d)):
        found = smat(problem.mean_S_bar(z, theta)[d:], d)
        np.testing.assert_allclose(found, np.kron(x.T @ x / 9, loss.most()), rtol=1e-12, atol=1e-14)


def test_an_intercept_of_each_output_is_free():
    """Entries without a weight pass through, and what is beside them is penalised as without them."""
    s, inner = np.array([1.0, -0.1, 0.5, 2.0, -3.0]), ElasticNet(0.4, 0.3)
    penalty = WeightedElasticNet((0.4,) * 3 + (0.0,) * 2, (0.3,) * 3 + (0.0,) * 2)
    np.testing.assert_array_equal(penalty.prox(s, 1.0), np.append(inner.prox(s[:3], 1.0), s[3:]))
    assert penalty.value(s) == pytest.approx(inner.value(s[:3]), rel=1e-15)


BAD = Quadratic(4, 0.1, Multinomial(2))


test_bad_input_is_refused_by_name = refusals(
    (lambda: Multinomial(1), "K = 1"),
    (lambda: HuberLoss(0.0), "delta = 0.0"),
    (lambda: Quadratic(5, 0.1, Multinomial(2)), "d = 5.*multiple"),
    (lambda: BAD.loss(np.array([[1.0, 0.0, 2.0]]), np.zeros(4)), "y = 2.0: code the classes as 0 to 1"),
    (lambda: BAD.loss(np.array([[1.0, 0.0, 0.5]]), np.zeros(4)), "y = 0.5"),
    (lambda: BAD.loss(np.zeros((1, 5)), np.zeros(4)), r"shape \(1, 5\)"),
    (lambda: WeightedElasticNet((1.0, -1.0), (0.0, 0.0)), r"lam\[1\] = -1.0"),
    (lambda: WeightedElasticNet((1.0,), (0.0,)).facts(2), r"lam has shape \(1,\)"),
    (lambda: SecondOrder(2, -0.1), "eta has the entry -0.1"),
    (lambda: SecondOrder(2, [0.1]), r"eta has shape \(1,\)"),
    (lambda: SecondOrder(2, 0.1, form="newton"), "form = 'newton'"),
    (lambda: SecondOrder(2, 0.0).T(np.zeros(5)), "singular"),
    (lambda: SecondOrder(1, 0.1).T(np.array([0.0, -1.0])), "outside 𝒮"),
)
