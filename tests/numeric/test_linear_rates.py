"""Linear rates in the calculator: the formulas of their rows, exact random rounds, and runs that must not pass them."""

from __future__ import annotations

import json
import math
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.algorithms import Constant, FedMM, mm, run
from fedmm_edu.algorithms.server import AlongV
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.quadratic import L1, LeastSquares, Quadratic, Zero, admissible_rho
from fedmm_edu.federation import Bernoulli, Clients, FullBatch, RandK, TopK, omega_p
from fedmm_edu.theory import Constants, Contraction, Monotone, biased_monotone, diana, pl
from proofs_checks.appendix_d_lemmas.agents import COMPRESSED, SOUND
from proofs_checks.beyond_messages import biased_monotone as biased_rows
from proofs_checks.beyond_messages import monotone as rows
from proofs_checks.beyond_messages.linear import KEEP, Numbers, formula, left_of, load
from proofs_checks.beyond_theorem.kinds import KINDS, parse
from tests.numeric.worst_cases import FILE

fractions = st.fractions(min_value=F(1, 50), max_value=F(1), max_denominator=50)


@given(
    slopes=st.tuples(fractions, fractions), V=st.tuples(fractions, fractions), s=st.fractions(-3, 3, max_denominator=9),
    share=fractions, step=fractions, draws=st.sampled_from([SOUND, COMPRESSED]),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_no_random_round_passes_the_rate_of_diana(slopes, V, s, share, step, draws):
    """All outcomes of a round with affine h_i and noise, against factor, weight and noise of the calculator."""
    k, each = sum(slopes) / 2, sum(x * x for x in slopes) / 4
    alpha = share / (1 + draws.omega_p) * F(99, 100)
    c = Monotone(float(k), float(k), float(each / k), math.sqrt(float(sum(draws.sigma2) / 2)), 2, float(max(slopes)))
    rate = diana(c, float(draws.omega_p), float(alpha))
    gamma = step * F(min(rate.most, 1.0) * 0.999).limit_denominator(10**6)
    K = draws.omega_p / (1 - alpha * (1 + draws.omega_p))
    x = rows.Affine(draws, V, slopes, s, alpha, gamma, K, k, k, each / k)
    assert set(rows.DIANA) <= x.facts()
    start = float(s * s) + rate.weight(float(gamma)) * float(x.G)
    assert float(x.after()) <= (rate.factor(float(gamma)) * start + rate.noise(float(gamma))) * (1 + 1e-9)
    exact = float(x.at(rows.parse(rows.DRIFT)) * s * s + (1 - alpha) * K / alpha * gamma**2 * x.G)
    exact += float(x.at(rows.parse(rows.NOISY)) * gamma**2 * sum(draws.sigma2) / 4)
    assert float(x.after()) == pytest.approx(exact, rel=1e-9)  # an equality here, before the larger factor is taken


@pytest.mark.parametrize(("kind", "name"), [("any projection", "any"), ("projection in the norm of B_t", "projected")])
def test_the_rates_under_pl_are_those_of_their_rows(kind, name):
    """Factor, weight and the condition on the step at one point, α = 3/4, v_min = 1, v_max = 2, C̄ = 1/2."""
    at = Numbers(F(1), F(1), F(1), F(0), F(1, 3), F(1, 2), F(1, 100), F(1, 4))
    c = Constants(1.0, 2.0, 0.0, 1.0, math.inf, math.sqrt(4 / 100), 1.0, 4)
    rate, base = pl(c, 1 / 3, float(at.m), 0.75, name), KINDS[kind]
    left = at.at(left_of(kind))
    dual = at.at(formula(KEEP, kind).subs(formula("y", kind), load()))
    assert rate.factor(0.25) == pytest.approx(max(1 - float(2 * at.m * left), float(dual)))
    assert rate.weight(0.25) == pytest.approx(float(at.at(parse(base.initial))) * 0.25**base.power)
    with pytest.raises(InvalidInput, match="gamma"):
        rate.bound(gamma=1.1, rounds=1, initial_gap=1.0)


def test_the_rate_of_biased_messages_is_that_of_its_row():
    """w is the least that the row admits, and the longest step meets its condition."""
    c, channel = Monotone.prox(rho_mu=0.5, rho_L=1.0, largest_mu=0.25, sigma=0.0, n=4), Contraction(0.5, 0.5)
    rate = biased_monotone(c, channel, 0.25)
    at = {"g": rate.most, "m": c.m, "l": c.ell, "w": rate.weight(rate.most) / rate.most, "q": channel.q, "L2": c.L**2}
    values = {biased_rows.NAMES[name]: value for name, value in at.items()}
    for text in (biased_rows.WEIGHT, biased_rows.STEP):
        assert float(biased_rows.parse(text).subs(values)) == pytest.approx(0.0, abs=1e-6)
    assert rate.factor(rate.most) == 1 - rate.most * c.m


def problem(penalty):
    """Least squares of three clients that differ, with m, ℓ and λ by hand; s_⋆ by many steps of MM."""
    rng = np.random.default_rng(5)
    x, target = rng.normal(size=(3, 15, 4)), rng.normal(size=(3, 15, 1))
    clients = Clients.of(list(np.concatenate([x, target], axis=2)))
    rho = admissible_rho(LeastSquares(), clients)
    A = [a.T @ a / 15 for a in x]
    low, high = (float(np.linalg.eigvalsh(np.mean(A, axis=0))[k]) for k in (0, -1))
    assert rho * max(np.linalg.eigvalsh(a)[-1] for a in A) <= 1.0
    c = Monotone.prox(rho_mu=rho * low, rho_L=1.0, largest_mu=1 / 3, sigma=0.0, n=3)
    central = mm(Quadratic(4, rho, penalty=penalty), clients.z)
    end, _ = run(central, central.init(np.zeros(4)), 4000)
    assert rho * high <= 1.0
    return Quadratic(4, rho, penalty=penalty), clients, c, end.x


@pytest.mark.parametrize("penalty", [Zero(), L1(0.2)])
@pytest.mark.parametrize("biased", [False, True])
def test_no_run_passes_its_rate(penalty, biased):
    """FedMM with Rand-2 and EF21-MM with Top-2, half of the clients away: the mean of ‖Ŝ_t − s_⋆‖² over 10 runs."""
    example, clients, c, target = problem(penalty)
    rate = biased_monotone(c, Contraction(0.5, 0.5), 1 / 3) if biased else diana(c, omega_p(1.0, 0.5))
    gamma, start, T = rate.most if biased else 0.5 * rate.most, np.full(4, 2.0), 60
    parts = (
        {"compressor": TopK(2), "alpha": 0.5, "server": AlongV(), "beyond_theorem": True}
        if biased
        else {"compressor": RandK(2)}
    )
    parts |= {} if biased else {"alpha": 1 / (2 * (1 + omega_p(1.0, 0.5)))}
    distances = np.zeros(T + 1)
    for seed in range(10):
        fed = FedMM(example, clients, Constant(gamma), FullBatch(), Bernoulli(0.5), seed=seed, **parts)
        state = fed.init(start, "mean_field")
        for t in range(T + 1):
            distances[t] += float((state.x - target) @ (state.x - target)) / 10
            state = fed.step(state)
    at = {"initial_gap": distances[0], "initial_variates": 0.0 if biased else c.start * distances[0]}
    limits = [rate.bound(gamma=gamma, rounds=t, **at).total for t in range(1, T + 1)]
    assert (distances[1:] <= limits).all()
    assert distances[-1] < distances[0]


@pytest.mark.parametrize("case", json.loads(FILE.read_text(encoding="utf-8")), ids=str)
def test_performance_estimation_is_never_above_the_rate_of_diana(case):
    """PEPit's worst case of one round over all functions, as recorded: 1 to 5/2 of the certified decrease."""
    smooth = {"sigma": 0.0, "n": case["n"], "smooth": not case["prox"]}
    c = Monotone.prox(rho_mu=case["mu"], rho_L=1.0, largest_mu=1 / case["n"], **smooth)
    fall = 1.0 - diana(c, float(case["omega"])).factor(case["gamma"])
    assert 1.0 <= (1.0 - case["worst"] + 1e-6) / fall <= 2.5
    b, m = 1.0 + 2.0 * case["omega"] / case["n"], case["mu"]
    if not case["prox"] and case["gamma"] * b * (1.0 + m) <= 2.0:  # own-diana-sharp is the worst case itself
        sharp = 1.0 - case["gamma"] * m * (2.0 - case["gamma"] * b * m)
        assert case["worst"] == pytest.approx(max(sharp, 0.75) if case["omega"] else sharp, abs=1e-6)  # 1 − α = 3/4


def test_what_is_refused_and_what_is_never_reached():
    c = Monotone(0.5, 1.0, 0.1, 1.0, 10, 1.0)
    with pytest.raises(InvalidInput, match="below 1/"):
        diana(c, 1.0, 0.5)
    with pytest.raises(InvalidInput, match="m = 2"):
        Monotone(2.0, 1.0, 0.1, 0.0, 10, 1.0)
    rate = diana(c, 1.0)
    assert rate.fastest(1e-30, initial_gap=1.0) is None
    reached = rate.fastest(1e-3, initial_gap=1.0)
    assert reached is not None
    gamma, T = reached
    assert rate.bound(gamma=gamma, rounds=T, initial_gap=1.0).total <= 1e-3 * (1 + 1e-9)
    assert T == 1 or rate.bound(gamma=gamma, rounds=T - 1, initial_gap=1.0).total > 1e-3
