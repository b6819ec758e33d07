"""Bad input is refused with a message that names the value and the rule."""

import math
import warnings

import numpy as np
import pytest

from fedmm_edu.algorithms import Constant, FedMM, ParameterSpace, SqrtDecay, run
from fedmm_edu.algorithms.incremental import KeptBlock
from fedmm_edu.arrays import all_finite
from fedmm_edu.convex_sets import Box
from fedmm_edu.examples.mixture import SimulatedLabels
from fedmm_edu.examples.poisson import Law, Poisson, PoissonJoint
from fedmm_edu.examples.quadratic import L1, BoxConstraint, GroupL1, Logistic, Quadratic
from fedmm_edu.examples.toy import Toy
from fedmm_edu.federation import (
    Bernoulli,
    BlockQuantization,
    Clients,
    CustomLaw,
    FixedSize,
    MiniBatch,
    RandK,
    UniformQuantization,
    uniforms,
)
from tests.numeric.instances import refusals

CLIENTS = Clients.of([[[1.0, 2.0]], [[0.5, -1.0], [2.0, 0.0]]])
PROBLEM = Quadratic(1, 0.2)


def fed(**changes):
    return FedMM(**{"problem": PROBLEM, "clients": CLIENTS, "gamma": Constant(0.5), **changes})


def step(rounds=1, **changes):
    federation = fed(**changes)
    state = federation.init(np.zeros(federation.dim))
    for _ in range(rounds):
        state = federation.step(state)
    return state


test_bad_input_is_named = refusals(
    (lambda: Clients.of([]), "no clients"),
    (lambda: Clients.of([[[1.0]], np.empty((0, 1))]), "client 1 holds no samples"),
    (lambda: Clients.of([[[1.0]], [[1.0, 2.0]]]), "length 2, client 0 of length 1"),
    (lambda: Clients.of([[[np.nan]]]), r"data\[0\].*nan"),
    (lambda: Clients.of([[1.0, 2.0]]), r"shape \(2,\)"),
    (lambda: Clients.of([[["a"]]]), "must be numeric"),
    (lambda: Clients.of([[[1.0]], [[2.0]]], mu=[0.5, 0.6]), "sums to 1.1"),
    (lambda: Clients.of([[[1.0]], [[2.0]]], mu=[-0.5, 1.5]), "negative entry -0.5"),
    (lambda: Clients.of([[[1.0]], [[2.0]]], mu=[1.0]), r"shape \(1,\), expected \(2\)"),
    (lambda: Constant(0.0), r"gamma = 0.0 is outside \(0.0, inf\]"),
    (lambda: SqrtDecay(-1.0), "beta = -1.0"),
    (lambda: fed(gamma=lambda t: 2.0), "γ_1 = 2.0"),
    (lambda: fed(gamma=lambda t: float("nan")), "γ_1 = nan"),
    (lambda: step(gamma=lambda t: 1.0 if t == 1 else 0.0, rounds=2), "γ_2 = 0.0"),
    (lambda: fed(gamma=0.0), r"gamma = 0.0 is outside \(0.0, inf\]"),
    (lambda: fed(gamma=20), r"γ_1 = 20.0, outside \(0, 1\].*beyond_theorem=True"),
    (lambda: fed(gamma=math.inf, beyond_theorem=True), "inf"),
    (lambda: fed(seed=-1), "seed = -1"),
    (lambda: fed(oracle=KeptBlock(1)), "one client, and there are 2"),
    (lambda: fed(oracle=SimulatedLabels()), "the labels of a mixture, and Quadratic is none"),
    (lambda: fed(alpha=-0.1), "alpha = -0.1"),
    (lambda: fed(metric="mahalanobis"), "metric = 'mahalanobis'"),
    (lambda: fed(metric="B", space=ParameterSpace()), "measures surrogates"),
    (lambda: fed().init(np.zeros(2)), r"x has shape \(2,\)"),
    (lambda: fed().init([np.inf]), "inf"),
    (lambda: fed().init([0.0], "ones"), "V = 'ones'"),
    (lambda: fed().init([0.0], np.zeros((3, 1))), r"V has shape \(3, 1\)"),
    (lambda: run(fed(), fed().init([0.0]), -1), "rounds = -1"),
    (lambda: run(fed(), fed().init([0.0]), 3, every=0), "every = 0"),
    (lambda: Bernoulli(0.0), "p = 0.0"),
    (lambda: Bernoulli(1.2), "p = 1.2"),
    (lambda: fed(participation=FixedSize(3)), "m = 3 of n = 2"),
    (lambda: FixedSize(0), "m = 0"),
    (lambda: CustomLaw(lambda u: u < 0.5, 0.0), "p = 0.0"),
    (lambda: fed(participation=CustomLaw(lambda u: u < 0.5, (0.5, 0.5, 0.5))), "names 3 chances for n = 2"),
    (lambda: step(participation=CustomLaw(lambda u: u, 0.5)), "return a boolean mask"),
    (lambda: MiniBatch(0), "b = 0"),
    (lambda: RandK(0), "k = 0"),
    (lambda: fed(compressor=RandK(2)), "k = 2 of q = 1"),
    (lambda: UniformQuantization(1), "b = 1"),
    (lambda: UniformQuantization(2.5), "b = 2.5"),  # type: ignore[arg-type]
    (lambda: BlockQuantization(4, p=3.0), "p = 3.0"),
    (lambda: uniforms(-1, 0, [0], 0, 1), "seed = -1"),  # type: ignore[arg-type]
    (lambda: Toy(low=0.0), "low = 0.0"),
    (lambda: Toy().T(np.array([-1.0])), "outside 𝒮"),
    (lambda: Toy().S_bar(np.array([[-2.0]]), np.array([1.0])), "Z = -2.0"),
    (lambda: FedMM(Toy(), CLIENTS, Constant(1.0)).init([-1.0]), "outside 𝒮"),
    (lambda: FedMM(Toy(), CLIENTS, Constant(1.0), space=ParameterSpace()).init([-1.0]), "outside Θ"),
    (lambda: Quadratic(1, 0.0), "rho = 0.0"),
    (lambda: Quadratic(1, 0.1, Logistic()).loss(np.array([[1.0, 0.0]]), np.zeros(1)), "code the classes"),
    (lambda: PROBLEM.S_bar(np.zeros((2, 5)), np.zeros(1)), r"shape \(2, 5\), expected \(any, 2\)"),
    (lambda: PROBLEM.mean_S_bar(np.zeros((0, 2)), np.zeros(1)), "no rows"),
    (lambda: L1(-1.0), "lam = -1.0"),
    (lambda: BoxConstraint(1.0, 0.0), "low < high"),
    (lambda: GroupL1(1.0, ((0, 1), (1,))), "at most once"),
    (lambda: Quadratic(1, 0.1, penalty=GroupL1(1.0, ((0, 1),))), "coordinate 1"),
    (lambda: Poisson(0.0, Law.gaussian(1.0), 1.0), "lam = 0.0"),
    (lambda: Poisson(1.0, Law.gaussian(1.0), 0.0), "mean_z = 0.0"),
    (lambda: PoissonJoint(1.0, Law.gaussian(1.0), low=0.0), "low = 0.0"),
    (lambda: Poisson(1.0, Law.gaussian(1.0), 1.0).loss(np.array([[-1.0]]), np.zeros(1)), "counts are >= 0"),
    (lambda: Law.discrete([0.0, 1.0], [0.5, 0.4]), "sums to 0.9"),
    (lambda: Law.gaussian(-1.0), "sigma = -1.0"),
    (lambda: Box([1.0], [0.0]), "low must be <= its high"),
    (lambda: Box([0.0] * 2, [1.0] * 2).project(np.array([2.0, 2.0]), -np.eye(2)), "positive definite"),
    (lambda: Box([0.0] * 2, [1.0] * 2).project(np.array([2.0, 2.0]), np.triu(np.ones((2, 2)))), "symmetric"),
)


@pytest.mark.parametrize("order", ["C", "F", "every second"])
@pytest.mark.parametrize("rows", [1, 40, 400])
def test_one_entry_that_is_not_finite_is_found(rows, order):
    """Wherever it is, in arrays of any size and layout, and among entries whose squares no float holds."""
    rng = np.random.default_rng(rows)
    for size in (1.0, 1e-200, 1e200):
        x = size * rng.normal(size=(rows, 300))
        array = x[:, ::2] if order == "every second" else np.asarray(x, order=order)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert all_finite(array)
            for bad in (np.nan, np.inf, -np.inf):
                at = tuple(rng.integers(0, array.shape))
                kept, array[at] = array[at], bad
                assert not all_finite(array)
                array[at] = kept
            array[0, :2] = np.inf, -np.inf
            assert not all_finite(array)
