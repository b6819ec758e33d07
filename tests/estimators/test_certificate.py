"""The certificate says what holds of this fit on this data; what it says is checked by other means here."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone

from fedmm_edu.announced import ledger
from fedmm_edu.estimators import (
    FederatedDictionaryLearning,
    FederatedElasticNet,
    FederatedGaussianMixture,
    FederatedKMeans,
    FederatedLasso,
    FederatedRidge,
)
from fedmm_edu.estimators.channel import Channel
from fedmm_edu.estimators.known import known_of
from fedmm_edu.estimators.theorems import Outcome
from fedmm_edu.examples.quadratic import LeastSquares, Quadratic
from fedmm_edu.federation import CustomLaw, FixedSize
from fedmm_edu.surrogate import majorization_gap
from tests.estimators.cases import by_rounds, not_converged, patients

STATUSES = {"proved", "given", "fails", "unknown"}
NAMES = ("MM-1", "MM-2", "A1", "A2", "A3", "A4", "A5", "A6(i)", "A6(ii)", "A7", "A8")


def fitted(model, data="diabetes"):
    return clone(model).fit(patients(data), "target", clients="hospital")


def status(model, name: str, judged: bool = False) -> str:
    rows = model.certificate_.judged() if judged else model.certificate_.hypotheses
    return next(h.status for h in rows if h.name == name)


def covering(model) -> Outcome:
    """The theorem that covers the fit."""
    found = model.certificate_.theorem
    assert found is not None
    return found


def outcome(model, name: str):
    return next(o for o in model.certificate_.theorems if o.theorem == name)


@not_converged
@by_rounds
def test_every_part_is_there(model):
    """Each hypothesis once, with a status and a reason; text and HTML hold all of it; each row is in the ledger."""
    found = fitted(model, "iris").certificate_
    assert sorted(h.name for h in found.hypotheses) == sorted(NAMES)
    assert all(h.status in STATUSES and h.why for h in found.hypotheses)
    text, page = str(found), found.to_html()
    HTMLParser().feed(page)
    for word in (*NAMES, "rounds", "γ used", "took part", "L on the visited 𝒮"):
        assert word in text
        assert word in page
    claims = ledger().claims()
    ids = [name for rows in found.rows().values() for name in rows]
    assert ids
    assert all(name in claims for name in ids)
    assert all(name in text and name in page for name in ids)


def test_html_is_escaped():
    """What a person named is no markup."""
    found = replace(fitted(FederatedKMeans(2), "iris").certificate_, data=(("<script>", "a & b"),), model="<b>")
    page = found.to_html()
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page


def test_what_was_given_is_proved_where_the_ledger_says_so():
    model = fitted(FederatedLasso(0.1))
    assert status(model, "MM-1") == "given"
    assert status(model, "MM-1", judged=True) == "proved"
    assert model.certificate_.rows()["MM-1"] == ("ex1-mm1",)


@pytest.mark.parametrize(
    ("expected", "amended", "needs", "found"),
    [
        ("proved", None, (), "proved"),
        ("proved", None, ("rho <= 1/L_f",), "proved"),
        ("proved", None, ("complete rows",), "given"),
        ("supported", None, (), "given"),
        ("refuted", "another", (), "given"),
        ("refuted", "another", ("rho <= 1/L_f",), "proved"),
        ("refuted", "another", ("rho <= 1/L_f", "g = eta |theta|^2, eta > 0"), "given"),
    ],
)
def test_a_row_proves_what_it_covers_and_no_more(expected, amended, needs, found):
    """A row that is not proved, that asks what was not found to hold, or whose amendment names nothing, proves nothing;
    and is not cited."""
    row = SimpleNamespace(id="row", expected=expected, amended=amended)
    of = SimpleNamespace(
        claims=lambda: {"row": row}, supports=lambda example: {"MM-1": (SimpleNamespace(row="row", needs=needs),)}
    )
    certificate = fitted(FederatedLasso(0.1, max_iter=5, tol=np.inf)).certificate_
    assert [h.status for h in certificate.judged(of) if h.name == "MM-1"] == [found]
    assert ("MM-1" in certificate.rows(of)) == (found == "proved")


@not_converged
def test_the_ledger_is_cited_for_the_model_that_was_fitted():
    """MM-2 of a dictionary is proved for a ridge alone, not for the unit ball; MM-1 for rows without holes."""
    table = patients("iris")
    holed = table.copy()
    holed.iloc[3, 1] = np.nan
    ball, few = FederatedDictionaryLearning(2, alpha=0.5, max_iter=3), "MM-2"
    cases = [(FederatedKMeans(2), table, "MM-1", "proved"), (FederatedKMeans(2), table, few, "proved"),
             (ball, table, few, "given"), (ball, table, "MM-1", "proved"), (ball, holed, "MM-1", "given"),
             (FederatedGaussianMixture(2, n_init=1), table, "MM-1", "given")]  # fmt: skip
    for model, data, name, expected in cases:
        made = clone(model).fit(data, "target", clients="hospital")
        assert status(made, name, judged=True) == expected, (model, name)
        assert (name in made.certificate_.rows()) == (expected == "proved")


def test_ridge_is_bounded_by_theorem_1_and_the_lasso_by_the_one_without_A7():
    """The kinks of the lasso take A7 away; with exact messages and γ = 1 both descend."""
    ridge = fitted(FederatedRidge(50.0, step=0.2, max_iter=20_000))
    lasso = fitted(FederatedLasso(0.3, step=0.2, max_iter=20_000))
    assert outcome(ridge, "Theorem 1").applies
    assert status(ridge, "A7") == "given"
    assert status(lasso, "A7") == "fails"
    assert "kink" in outcome(lasso, "Theorem 1").why_not or "curvature" in outcome(lasso, "Theorem 1").why_not
    assert outcome(lasso, "without A7").applies
    for model in (fitted(FederatedRidge(50.0)), fitted(FederatedLasso(0.3))):
        assert covering(model).theorem == "descent of MM"


@pytest.mark.parametrize("model", [FederatedRidge(5.0), FederatedLasso(0.3), FederatedElasticNet(0.1)])
@pytest.mark.parametrize("step", [0.1, 0.5, 1.0])
def test_bounds_hold_on_the_run(model, step):
    """The mean of ‖h‖² that was seen is below the bound, and the measured slopes below the constants."""
    found = fitted(clone(model).set_params(step=step, max_iter=50_000))
    lip = outcome(found, "without A7")
    assert lip.applies == (step <= 0.5)
    if lip.applies:
        assert 0.0 < lip.observed <= lip.bound
    constants = dict(found.certificate_.constants)
    for name in ("L", "L_T", "ell"):
        measured = float(constants[f"{name} on the visited 𝒮"].split()[2].rstrip(":"))
        assert measured <= float(constants[name].partition(":")[0]) * 1.001


def test_the_condition_of_MM_1_is_that_of_the_gap():
    """Where the task says that ρ L_f ≤ 1, the surrogate majorises f; a ρ that is 3 times as large does not."""
    rows_of = FederatedLasso(0.1)
    table = patients()
    rows = rows_of._read(table, "target", "hospital", None)
    task = rows_of._task(rows)
    z, weights = task.clients.pooled()
    rng = np.random.default_rng(0)
    steep = Quadratic(task.plain.d, 3.0 * task.plain.rho, LeastSquares(), task.plain.penalty)
    gaps = {True: [], False: []}
    for _ in range(200):
        theta, tau = rng.normal(size=(2, task.plain.d))
        theta = tau + np.linalg.eigh(z[:, :-1].T @ z[:, :-1])[1][:, -1] if rng.random() < 0.5 else theta
        for wide, problem in ((False, task.problem), (True, steep)):
            gaps[wide].append(majorization_gap(problem, z, theta, tau, weights))
    assert task.majorises[0]
    assert min(gaps[False]) >= -1e-12
    assert min(gaps[True]) < -1e-3


@pytest.mark.parametrize(
    ("law", "status_", "says"),
    [
        (FixedSize(2), "fails", "do not choose independently"),
        (CustomLaw(lambda u: u < np.array([0.9, 0.5, 0.5]), (0.9, 0.5, 0.5)), "fails", "chances differ"),
        (0.5, "given", "each client with probability 0.5"),
        (None, "proved", "everyone takes part"),
    ],
)
def test_participation_is_judged_by_what_it_does(law, status_, says):
    model = FederatedLasso(0.5, participation=law, max_iter=20, tol=np.inf)
    task = model._task(model._read(patients(), "target", "hospital", None))
    found = {h.name: h for h in known_of(task, Channel.of(None, law, 3, task.problem.q)).hypotheses}["A5"]
    assert found.status == status_
    assert says in found.why


def test_weights_and_holes_leave_formulas_of_the_data_aside():
    """The example's formulas are for rows without weights: what depends on the data is then not known."""
    table = patients("iris")
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(table))
    model = FederatedGaussianMixture(2, n_init=1).fit(table, "target", clients="hospital", sample_weight=weights)
    assert status(model, "A2") == "unknown"
    assert status(model, "A1") == "given"
    assert covering(model).theorem == "descent of MM"


def test_descent_is_a_true_bound():
    """Mean decrease of the surrogate, computed here from the rounds, is at most (W_0 − W_T)/T."""
    seen = []
    model = FederatedLasso(0.3, callback=lambda p: seen.append(p.theta()))
    task = model._task(model._read(patients(), "target", "hospital", None))
    model.fit(patients(), "target", clients="hospital")
    problem, drops = task.problem, []
    theta = problem.T(task.clients.mean_S_bar(problem, np.zeros(problem.d)))
    for t in range(model.n_iter_):
        s = task.clients.mean_S_bar(problem, theta)
        value = [problem.g(x) + problem.psi(x) - s @ problem.phi(x) for x in (theta, problem.T(s))]
        drops.append(value[0] - value[1])
        theta = problem.T(s)
        np.testing.assert_allclose(theta, seen[t], rtol=1e-9, atol=1e-12)
    bound = covering(model).bound
    assert bound is not None
    assert np.mean(drops) <= bound < 0.1
