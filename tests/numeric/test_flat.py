"""Theorem 1 without v_min where q > d: L_T, ℓ, L and Δ as derived, against pairs of points and runs of the loop."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import sympy as sp

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.federation import Bernoulli, Clients, FullBatch, MiniBatch, RandK, omega_p
from fedmm_edu.symbolic.constants.region import on_region
from fedmm_edu.symbolic.decide.smt import StoppedByClock
from fedmm_edu.symbolic.model import Model
from fedmm_edu.symbolic.numeric import kernel
from fedmm_edu.theory import Flat, best_own, without_A7
from fedmm_edu.theory.flat import flat_numbers, images
from fedmm_edu.theory.from_model import describe
from fedmm_edu.theory.growth import Growth, growth, reach
from fedmm_edu.theory.hypotheses import Number
from fedmm_edu.theory.on_data import OnData
from tests.literature import ENTRIES

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
    """‖Δφ‖ ≤ L_T‖Δs‖, ‖ΔE S̄‖² ≤ L_Tℓ²⟨Δs, Δφ⟩, L_i and λ on 300 pairs in 𝒮, far apart and near; v_min does not exist.

    B(s) = bbᵀ/(1 + s_2) with b = (1, −T(s)), as J_s'' = 1 + s_2 and φ' = b.
    """
    assert problem.failing() == ["A7"]
    own = problem.own
    assert {own[name].status for name in ("L_T", "ell", "lam", "h0")} == {problem.gap.status} == {"proved"}
    assert problem.numbers["L"].status == "proved"
    rng, low, high = np.random.default_rng(0), np.array([-3.0, 0.0]), np.array([3.0, 4 / 3])
    slopes = np.zeros(4)
    for k in range(300):
        a = rng.uniform(low, high)
        b = rng.uniform(low, high) if k % 2 else np.clip(a + 1e-3 * rng.normal(size=2), low, high)
        D, pull = model.phi(model.T(b)) - model.phi(model.T(a)), own["L_T"].value * own["ell"].value ** 2
        move, change = np.linalg.norm(b - a), np.linalg.norm(mean_oracle(model, b) - mean_oracle(model, a))
        each = [np.linalg.norm(mean_oracle(model, b, i) - mean_oracle(model, a, i) - b + a) for i in range(2)]
        ratio = change / np.sqrt(pull * D @ (b - a))
        seen = abs((b - a) @ [1.0, -model.T(a)[0]]) / np.sqrt(1.0 + a[1])
        mine = [np.linalg.norm(D) / move, ratio, np.sqrt(2 * CLIENTS.mu**2 @ np.square(each)) / move, change / seen]
        slopes = np.maximum(slopes, mine)
    limits = np.array([own["L_T"].value, 1.0, problem.numbers["L"].value, own["lam"].value])
    assert (slopes <= limits).all()
    assert (slopes >= limits * [0.5, 0.3, 0.1, 0.1]).all()
    assert own["h0"].value == pytest.approx(np.linalg.norm(mean_oracle(model, np.array([2.0, 0.5])) - [2.0, 0.5]))


def test_lambda_counts_how_steep_J_is_at_T():
    """J_s = cosh θ − sθ, S̄ = θ/2 + z: from s = 3, where B = 10^(−1/2), to 0 the oracle moves by more than ℓ_S/√κ."""
    steep = Model(
        theta=(theta,), z=(z,), s=(s1,), loss=sp.cosh(theta), psi=sp.cosh(theta), phi=(theta,), S_bar=(theta / 2 + z,),
        T=(sp.log(s1 + sp.sqrt(s1**2 + 1)),), name="steep",
    )  # fmt: skip
    data = OnData(steep, {}, on_region(steep, [(-3, 3)], {}), CLIENTS)
    v_max, bend = Number(1.0, "proved", "at 0"), Number(None, "unknown", "not asked")
    found = flat_numbers(data, v_max, bend, {data.s[0]: sp.S.Zero}, FullBatch())["lam"]
    ratio = np.arcsinh(3.0) / 2 / (3.0 / 10**0.25)
    assert 0.5 < ratio < found.value
    assert found.value == pytest.approx(0.5 * np.cosh(np.arcsinh(3.0)) ** 0.5, rel=0.02)


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
    """Two Gaussians with unknown means, q = 4 and d = 2; where φ mixes coordinates growth serves, if g is strong."""
    p = [sp.exp(-((z - t) ** 2) / 2) for t in (theta, theta2)]
    r = [x / sum(p) for x in p]
    mixture = Model(
        theta=(theta, theta2), z=(z,), s=(s1, s2, s3, s4), loss=-sp.log(sum(p)), g=(theta**2 + theta2**2) / 2,
        phi=(theta, theta2, -(theta**2) / 2, -(theta2**2) / 2), S_bar=(r[0] * z, r[1] * z, *r),
        T=(s1 / (s3 + 1), s2 / (s4 + 1)), S=(s3 >= 0, s4 >= 0), name="Gaussians",
    )  # fmt: skip
    box = [(-1, 1), (-1, 1), (0, 1), (0, 1)]
    place, clients = on_region(mixture, box, {}), Clients.of([[[-1.0]], [[1.0]]])
    v_max, bend = Number(3.0, "proved", "calculus"), Number(None, "unknown", "not asked")
    s0 = dict(zip(place.region, map(sp.Rational, ("1/2", "-1/2", "1/2", "1/2")), strict=True))
    found = flat_numbers(OnData(mixture, {}, place, clients), v_max, bend, s0, FullBatch())
    assert found["ell"].status == "proved"
    of, ratio, pull = kernel(mixture), 0.0, float(found["L_T"].value or 0.0) * float(found["ell"].value or 0.0) ** 2
    for at, step in product(([0.2, -0.3, 0.2, 0.3], [0.5, -0.5, 0.0, 0.5]), 1e-4 * np.eye(4)):
        a, b = np.array(at), np.array(at) + step
        change = sum(of.mean_S_bar(rows, of.T(b)) - of.mean_S_bar(rows, of.T(a)) for rows in clients) / 2
        D = of.phi(of.T(b)) - of.phi(of.T(a))
        ratio = max(ratio, np.linalg.norm(change) / np.sqrt(pull * D @ step))
    assert 0.2 <= ratio <= 1.0
    turned = replace(mixture, phi=(theta + theta2, theta - theta2, *mixture.phi[2:]))
    data = OnData(turned, {}, place, clients)
    assert isinstance(growth(data, reach(data, images(data))), Growth)  # no component of φ depends on θ_1 alone
    flat = flat_numbers(OnData(replace(turned, g=sp.S.Zero), {}, place, clients), v_max, bend, s0, FullBatch())["ell"]
    assert flat.value is None
    assert "depends on theta alone" in flat.how
    assert "not shown to be strongly convex" in flat.how


@pytest.mark.parametrize("name", ["proximal gradient, lasso", "logistic, l1", "expectile"])
def test_growth_answers_where_formulas_have_kinks_and_no_end(name):
    """Literature's surrogates on all of ℝ: L_T, ℓ and L against 200 pairs, many on both sides of the kinks."""
    model, values = ENTRIES[name].model, {"rho": "1/4", "lambda": "1/2", "a": "1/2", "b": "1"}
    values = {x.name: values[x.name] for x in model.constants}
    rows = [[1.0, 0.5], [-0.5, 1.0], [0.75, -0.25], [0.25, 0.5]]
    clients = Clients.of([[row[: len(model.z)] for row in part] for part in (rows[:2], rows[2:])])
    data = OnData(model, values, on_region(model, None, values), clients)
    none = Number(None, "fails", "kinks")
    found = flat_numbers(data, none, none, {data.s[0]: sp.Rational(1, 3)}, MiniBatch(1))
    assert {found[key].status for key in ("L_T", "ell", "L", "h0", "gap")} == {"proved"}
    of, rng = kernel(model, {key: sp.Rational(value) for key, value in values.items()}), np.random.default_rng(1)
    L_T, ell, L = (float(found[key].value or 0.0) for key in ("L_T", "ell", "L"))
    closest = np.zeros(3)
    for k in range(200):
        a, b = rng.normal(size=(2, 1)) * 4.0
        b = b if k % 2 else a + 0.1 * rng.normal(size=1)
        D, move = of.phi(of.T(b)) - of.phi(of.T(a)), b - a
        each = [of.mean_S_bar(rows, of.T(b)) - of.mean_S_bar(rows, of.T(a)) for rows in clients]
        change = clients.mu @ each
        field = np.sqrt(
            len(clients) * sum(mu**2 * np.sum((x - move) ** 2) for mu, x in zip(clients.mu, each, strict=True))
        )
        pull = ell * np.sqrt(L_T * max(float(D @ move), 0.0))
        ratio = np.linalg.norm(change) / pull if pull > 0.0 else 0.0
        assert pull > 0.0 or np.linalg.norm(change) < 1e-12
        closest = np.maximum(closest, [abs(D / move)[0] / L_T, ratio, field / np.linalg.norm(move) / L])
    assert (closest <= 1.0 + 1e-9).all()
    assert (closest >= [0.99, 0.3, 0.03]).all()
    assert found["sigma"].status == ("proved" if name == "logistic, l1" else "unknown")  # others have no bounded noise


def test_a_solver_that_the_clock_ends_is_a_reason_and_no_error(monkeypatch):
    def ended(*_):
        raise StoppedByClock("cvc5 stopped by the clock before its steps were used.")

    monkeypatch.setattr("fedmm_edu.theory.growth.decide_nonnegative", ended)
    data = OnData(student(), {}, on_region(student(), BOX, {}), CLIENTS)
    assert "cvc5 stopped by the clock" in str(growth(data, reach(data, None)))
