"""A penalty owns its faces: none can be forgotten, and from them follow its cases, its constants, its models."""

import inspect
import math
from abc import ABC
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.errors import InvalidInput, MissingFace
from fedmm_edu.examples.quadratic import (
    EACH_PENALTY,
    EXAMPLE,
    L1,
    Facts,
    Penalty,
    Quadratic,
    Ridge,
    WeightedRidge,
    assumptions,
    losses,
    penalties,
)
from fedmm_edu.examples.quadratic.losses import EACH_LOSS, Loss
from fedmm_edu.faces import Faces
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Place, hunt, lookout

CLIENTS = Clients.of([np.random.default_rng(seed).normal(size=(6, 3)) for seed in range(3)])


def test_a_penalty_without_a_prox_is_refused_with_its_file_and_the_face():
    """Before any default could be false of it."""

    class Lazy(Penalty):
        def value(self, theta):
            return 0.0

        def facts(self, d):
            return Facts(least=0.0, most=0.0, bend=0.0, pull=0.0, reach=math.inf)

        def kinks(self, d, rho, gap):
            return iter(())

    with pytest.raises(
        MissingFace, match=r"Lazy \(.*test_penalties\.py\) lacks `name` of Penalty; `prox` of Penalty .*twin"
    ):
        Lazy()  # type: ignore[abstract]


def test_what_is_only_annotated_is_a_class_variable_or_a_field():
    class Sized(Faces, ABC):
        size: int

    class Empty(Sized):
        pass

    @dataclass
    class Field(Sized):
        size: int

    with pytest.raises(MissingFace, match="lacks `size` of Sized"):
        Empty()
    assert Field(2).size == 2


def test_a_fact_that_is_forgotten_is_named():
    with pytest.raises(TypeError, match="'reach'"):
        Facts(least=0.0, most=0.0, bend=0.0, pull=0.0)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("listed", "interface", "module"), [(EACH_PENALTY, Penalty, penalties), (EACH_LOSS, Loss, losses)]
)
def test_every_kind_is_listed(listed, interface, module):
    """What is written in the file has its cases, models and rows: none is left out of the list."""
    written = {of for _, of in inspect.getmembers(module, inspect.isclass) if issubclass(of, interface)} - {interface}
    assert {type(one) for one in listed} == written
    assert len({one.name for one in listed}) == len(listed)


def test_a_penalty_brings_its_cases_its_model_and_its_mutants():
    pairs = {tuple(name.split(", ", 1)) for name in EXAMPLE.cases}
    assert pairs >= {(loss, g.name) for loss in ("least squares", "logistic") for g in EACH_PENALTY}
    assert pairs >= {(loss.name, g) for loss in EACH_LOSS for g in ("zero", "l1")}
    assert "least squares, weighted ridge" in EXAMPLE.models()
    assert EXAMPLE.wrong_models()["weights exchanged"][0] == "MM-2: T minimizes"


def test_a_bounded_domain_must_be_given():
    """A reach without a domain would project nowhere."""

    class Forgetful(Ridge):
        def facts(self, d):
            return Facts(least=0.0, most=math.inf, bend=math.inf, pull=math.inf, reach=1.0)

    with pytest.raises(InvalidInput, match="no domain is given"):
        Forgetful(1.0).domain(2)


@pytest.mark.parametrize("g", EACH_PENALTY, ids=lambda g: g.name)
def test_a_penalty_is_finite_on_its_domain_and_infinite_beside_it(g):
    """Else Θ is not where g is: `domain` is what a penalty with a bounded or one-sided domain must give."""
    d = 4  # as many as those of the list have weights
    for theta in np.random.default_rng(0).normal(size=(90, d)) * np.repeat([0.3, 1.0, 4.0], 30)[:, None]:
        nearest = g.domain(d).project(theta)
        assert math.isfinite(g.value(nearest)), f"{g.name}: `domain` holds {nearest}, where `value` is infinite"
        assert math.isfinite(g.value(theta)) == bool(np.allclose(nearest, theta)), f"{g.name}: `value` at {theta}"


@given(st.lists(st.floats(0.0, 10.0), min_size=1, max_size=4), st.floats(0.01, 5.0), st.integers(0, 999))
def test_equal_weights_are_a_ridge(weights, rho, seed):
    s = np.random.default_rng(seed).normal(size=len(weights))
    one, many = Ridge(weights[0]), WeightedRidge((weights[0],) * len(weights))
    np.testing.assert_array_equal(many.prox(s, rho), one.prox(s, rho))
    assert many.value(s) == pytest.approx(one.value(s))
    assert many.facts(len(s)) == one.facts(len(s))


def test_A7_holds_for_a_weighted_ridge_with_its_best_constants():
    """C_⋆ = 0; 1/v_min = ρ(1 + ρ max λ) and C_⋆⋆ = 1/(ρ(1 + ρ min λ)) are attained along the axes."""
    problem = Quadratic(2, 0.25, penalty=WeightedRidge((4.0, 0.0)))
    cells = assumptions.cells(problem, CLIENTS)
    assert cells["A7: C_star"].bound == 0.0
    assert cells["A7: 1/v_min"].bound == pytest.approx(0.5)
    assert cells["A7: C_star_star"].bound == pytest.approx(4.0)
    steep, flat = (problem.phi(problem.T(s)) for s in np.eye(2)[::-1])
    np.testing.assert_allclose(steep, [0.0, 4.0])
    np.testing.assert_allclose(flat, [2.0, 0.0])
    with pytest.raises(InvalidInput, match="weights"):
        Quadratic(3, 0.25, penalty=WeightedRidge((4.0, 0.0)))


class Hyperbolas(Penalty):
    """g(θ) = Σ_j √(1 + θ_j²), which only a test knows: m = 0, M = 1, b = 1.5·1.25^(−5/2)."""

    name = "hyperbolas"

    def value(self, theta):
        return float(np.hypot(1.0, theta).sum())

    def prox(self, s, rho):
        theta = np.zeros_like(s)
        for _ in range(60):  # Newton's method for θ + ρ θ/√(1 + θ²) = s
            root = np.hypot(1.0, theta)
            theta = theta - (theta + rho * theta / root - s) / (1.0 + rho / root**3)
        return theta

    def facts(self, d):
        return Facts(least=0.0, most=1.0, bend=1.5 * 1.25**-2.5, pull=math.sqrt(d), reach=math.inf)

    def kinks(self, d, rho, gap):
        return iter(())

    @classmethod
    def twin(cls, theta, s, rho):
        raise NotImplementedError


def test_a_smooth_penalty_whose_curvature_changes_satisfies_A7_too():
    """Its facts are all that the cells need: no quantity exceeds its constant, and those of A7 are nearly attained."""
    problem = Quadratic(2, 0.1, penalty=Hyperbolas())
    cells = assumptions.cells(problem, CLIENTS)
    assert all(cells[name].holds for name in cells if name.startswith("A7"))
    seen = lookout(problem, CLIENTS, assumptions.places, (np.zeros(2), np.ones(2)))
    for at in (0.0, 0.5, 10.0):
        s, axis = np.full(2, at * (1.0 + 0.1 / math.hypot(1.0, at))), np.array([1e-2, 0.0])
        seen.append(Place(s - axis, s + axis))
    for name, cell in cells.items():
        if cell.holds and name not in ("A1", "A2", "A8"):
            worst = hunt(name, problem, CLIENTS, seen)[0]
            assert worst <= cell.bound * (1 + 1e-6), name
            assert worst >= 0.7 * cell.bound or not name.startswith("A7"), name


def test_no_threshold_is_no_kink():
    """λ = 0: A7 holds, as for g = 0."""
    cells = assumptions.cells(Quadratic(2, 0.25, penalty=L1(0.0)), CLIENTS)
    assert all(cells[name].holds for name in cells if name.startswith("A7"))
