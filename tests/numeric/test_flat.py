"""Theorem 1 without v_min where q > d: L_T, ℓ, L and Δ as derived, against pairs of points and runs of the loop."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import sympy as sp

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.federation import Bernoulli, Clients, FullBatch, RandK, omega_p
from fedmm_edu.symbolic.constants.region import on_region
from fedmm_edu.symbolic.model import Model
from fedmm_edu.symbolic.numeric import kernel
from fedmm_edu.theory import Flat, best_own, without_A7
from fedmm_edu.theory.flat import flat_numbers
from fedmm_edu.theory.from_model import describe
from fedmm_edu.theory.hypotheses import Number
from fedmm_edu.theory.on_data import OnData

theta, theta2, z, s1, s2, s3, s4 = sp.symbols("theta theta2 z s1 s2 s3 s4", real=True)
BOX = [(-3, 3), (0, sp.Rational(4, 3))]


def student() -> Model:
    """The location of a Student-t law with 3 degrees of freedom and a ridge: q = 2, d = 1."""
    w = 4 / (3 + (z - theta) ** 2)
    return Model(
        theta=(theta,), z=(z,), s=(s1, s2), loss=2 * sp.log(1 + (z - theta) ** 2 / 3), g=theta**2 / 2,
        phi=(theta, -(theta**2) / 2), S_bar=(w * z, w), T=(s1 / (s2 + 1),), S=(s2 >= 0,), name="Student-t",
    )  # fmt: skip


CLIENTS = Clients.of([[[-1.0], [0.0]], [[0.5], [2.0]]])


@pytest.fixture(scope="module")
def problem():
    return describe(student(), CLIENTS, FullBatch(), S=BOX, start=[2.0, 0.5])


@pytest.fixture(scope="module")
def model():
    return kernel(student())


def mean_oracle(model, s, i=None):
    at = model.T(s)
    fields = [model.mean_S_bar(rows, at) for rows in CLIENTS]
    return CLIENTS.mu @ fields if i is None else fields[i]


def test_every_number_is_proved_and_no_pair_of_points_is_beyond_it(problem, model):
    """L_T, ℓ and L_i against 300 pairs in 𝒮, as far apart as they come and near each other; v_min does not exist."""
    assert problem.failing() == ["A7"]
    own = problem.own
    assert {own[name].status for name in ("L_T", "ell", "h0")} == {problem.gap.status} == {"proved"}
    assert problem.numbers["L"].status == "proved"
    rng, low, high = np.random.default_rng(0), np.array([-3.0, 0.0]), np.array([3.0, 4 / 3])
    slopes = np.zeros(3)
    for k in range(300):
        a = rng.uniform(low, high)
        b = rng.uniform(low, high) if k % 2 else np.clip(a + 1e-3 * rng.normal(size=2), low, high)
        D = np.linalg.norm(model.phi(model.T(b)) - model.phi(model.T(a)))
        move, change = np.linalg.norm(b - a), np.linalg.norm(mean_oracle(model, b) - mean_oracle(model, a))
        each = [np.linalg.norm(mean_oracle(model, b, i) - mean_oracle(model, a, i) - b + a) for i in range(2)]
        slopes = np.maximum(slopes, [D / move, change / D, np.sqrt(2 * CLIENTS.mu**2 @ np.square(each)) / move])
    limits = np.array([own["L_T"].value, own["ell"].value, problem.numbers["L"].value])
    assert (slopes <= limits).all()
    assert (slopes >= limits * [0.5, 0.3, 0.1]).all()
    assert own["h0"].value == pytest.approx(np.linalg.norm(mean_oracle(model, np.array([2.0, 0.5])) - [2.0, 0.5]))


def test_no_run_passes_the_bound_without_v_min(problem, model):
    """Rand-1 and half of the clients away: the mean of ‖h(Ŝ_t)‖² over 8 runs of 60 rounds."""
    numbers = {name: float(problem.own[name].value) for name in ("L_T", "ell")}
    c = Flat(**numbers, L=float(problem.numbers["L"].value), sigma=0.0, n=2)
    together = omega_p(1.0, 0.5)
    terms = without_A7(c, together, 0.9 / (1 + together))
    gap = float(problem.gap.value) + c.a * float(problem.own["h0"].value) ** 2
    (gamma, limit), start, found = best_own(terms, c, rounds=60, initial_gap=gap), np.array([2.0, 0.5]), []
    for seed in range(8):
        fed = FedMM(
            model, CLIENTS, Constant(gamma), FullBatch(), Bernoulli(0.5), RandK(1), 0.9 / (1 + together), seed=seed
        )
        state = fed.init(start, "mean_field")
        for _ in range(60):
            found.append(np.sum((mean_oracle(model, state.x) - state.x) ** 2))
            state = fed.step(state)
    assert 0 < np.mean(found) <= limit.total


def test_mixtures_have_an_ell_and_what_has_none_says_why():
    """Two Gaussians with unknown means, q = 4 and d = 2; with φ that mixes the coordinates there is no κ."""
    p = [sp.exp(-((z - t) ** 2) / 2) for t in (theta, theta2)]
    r = [x / sum(p) for x in p]
    mixture = Model(
        theta=(theta, theta2), z=(z,), s=(s1, s2, s3, s4), loss=-sp.log(sum(p)), g=(theta**2 + theta2**2) / 2,
        phi=(theta, theta2, -(theta**2) / 2, -(theta2**2) / 2), S_bar=(r[0] * z, r[1] * z, *r),
        T=(s1 / (s3 + 1), s2 / (s4 + 1)), S=(s3 >= 0, s4 >= 0), name="Gaussians",
    )  # fmt: skip
    box = [(-1, 1), (-1, 1), (0, 1), (0, 1)]
    place, clients = on_region(mixture, box, {}), Clients.of([[[-1.0]], [[1.0]]])
    v_max = Number(3.0, "given", "given")
    s0 = dict(zip(place.region, map(sp.Rational, ("1/2", "-1/2", "1/2", "1/2")), strict=True))
    found = flat_numbers(OnData(mixture, {}, place, clients), v_max, s0)
    assert found["ell"].status == "proved"
    of, small, ratio = kernel(mixture), 1e-4 * np.eye(2), 0.0
    for at, step in product(([0.0, 0.0], [0.5, -0.5]), small):
        a, b = np.array(at), np.array(at) + step
        change = sum(of.mean_S_bar(rows, b) - of.mean_S_bar(rows, a) for rows in clients) / 2
        ratio = max(ratio, np.linalg.norm(change) / np.linalg.norm(of.phi(b) - of.phi(a)))
    assert 0.2 * float(found["ell"].value or 0.0) <= ratio <= float(found["ell"].value or 0.0)
    turned = replace(mixture, phi=(theta + theta2, theta - theta2, *mixture.phi[2:]))
    none = flat_numbers(OnData(turned, {}, place, clients), v_max, s0)["ell"]
    assert none.value is None
    assert "depends on theta alone" in none.how
