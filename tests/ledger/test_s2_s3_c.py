"""Sections 2.2, 2.3, 3.1 and Appendix C.1 of the ledger: witnesses re-checked by hand, tools that do not give in."""

from __future__ import annotations

import math
from fractions import Fraction as F

import pytest
import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Witness
from proofs_checks.appendix_c_poisson import claims as appendix_c_poisson
from proofs_checks.appendix_c_poisson.poisson import PRINTED, majorizes
from proofs_checks.s2_2_stochastic import claims as s2_2_stochastic
from proofs_checks.s2_3_special_cases import claims as s2_3_special_cases
from proofs_checks.s3_aggregation import claims as s3_aggregation
from proofs_checks.s3_aggregation.where_to_aggregate import prox_half_line
from proofs_checks.shared.oracles import stays_inside
from proofs_checks.shared.tools import instance, settle

MODULES = (s2_2_stochastic, s2_3_special_cases, s3_aggregation, appendix_c_poisson)
CLAIMS = {claim.id: claim for module in MODULES for claim in module.CLAIMS}


# ------------------------------------------------------------------------------------- the two helpers do not give in


def test_a_false_identity_without_counterexample_is_open():
    x = sp.Symbol("x")
    assert settle("identity", {"x = 1": x - 1}, "", None).status == "open"


def test_proof_and_counterexample_together_are_an_error():
    with pytest.raises(InvalidInput, match="disagree"):
        settle("identity", {"0 = 0": sp.Integer(0)}, "", Witness({"x": "1"}, "x = 1"))


def test_an_instance_that_breaks_a_hypothesis_is_an_error():
    with pytest.raises(InvalidInput, match="positive"):
        instance({"x": -1}, "", {"positive": False})


# ------------------------------------------------------------- witnesses and amended statements, in plain fractions


def test_constant_step_sums_oracles_and_not_iterates():
    gamma, start, oracle = F(1, 2), F(7), F(2)
    first = start + gamma * (oracle - start)
    assert (1 - gamma) * start + gamma * oracle == first
    assert (1 - gamma) * start + gamma * first != first


def test_the_printed_sign_of_the_update_is_ascent():
    gamma, rho, iterate = F(1, 3), F(1, 2), F(2)
    gradient = iterate - 1  # f = ½(θ − 1)², g = 0
    printed = iterate - gamma * ((iterate - rho * gradient) - iterate)
    amended = iterate + gamma * ((iterate - rho * gradient) - iterate)
    assert abs(printed - 1) > abs(iterate - 1) > abs(amended - 1)


def test_the_start_belongs_to_the_average_of_points():
    gamma, rho, start = F(1, 2), F(1, 2), F(7)
    gradient = start - 1
    truth = start + gamma * ((start - rho * gradient) - start)
    printed = gamma * start - rho * ((1 - gamma) * start + gamma * gradient)
    amended = ((1 - gamma) * start + gamma * start) - rho * gamma * gradient
    assert printed == F(1, 4)
    assert truth == amended == F(11, 2)


def test_the_printed_posterior_leaves_the_minimiser_and_increases_f():
    factor = {1: F(1), 2: F(2, 3)}  # e^{−c(h)}, f(θ) = θ − log(θ + 2θ²/3)

    def step(theta: F, weight: dict[int, F]) -> F:
        masses = {h: theta**h * weight[h] for h in (1, 2)}
        return sum((h * mass for h, mass in masses.items()), F(0)) / sum(masses.values(), F(0))

    assert step(F(3, 2), factor) == F(3, 2)
    assert step(F(3, 2), {1: F(1), 2: F(1)}) == F(8, 5)
    loss = lambda x: x - math.log(x + 2 * x * x / 3)  # noqa: E731
    assert loss(1.6) > loss(1.5) + 1e-3
    assert all(loss(1.5) < loss(x) for x in (1.3, 1.4, 1.6, 1.7))


def test_theta_aggregation_runs_away_while_s_aggregation_stays():
    theta = F(0)
    for t in range(1, 40):
        theta = (prox_half_line(F(-1)) + prox_half_line(2 * theta + F(5, 2))) / 2
        assert theta == F(t, 4)
    assert prox_half_line((F(-1) + F(5, 2)) / 2) == 0


@pytest.mark.parametrize("s", [F(-3), F(0), F(1, 2), F(1), F(3)])
def test_the_proximal_map_of_the_divergent_instance_minimises(s):
    value = lambda x: max(x, F(0)) + (x - s) ** 2 / 2  # noqa: E731
    best = prox_half_line(s)
    assert all(value(best) < value(best + d) for d in (F(1, 10), F(-1, 10), F(2), F(-2)))


def test_theta_aggregation_overshoots_unless_means_agree():
    roots = [(F(1), F(7), F(5)), (F(2), F(2), F(2))]  # √E_1 Z, √E_2 Z and the root of their mean
    for a, b, pooled in roots:
        assert (a * a + b * b) / 2 == pooled * pooled
        gap = (1 / a + 1 / b) / 2 - 1 / pooled
        terms = [(x - pooled) ** 2 * (x + 2 * pooled) / (2 * pooled**3 * x) for x in (a, b)]
        assert gap == sum(terms) / 2
        assert (gap == 0) == (a == b)


def test_the_pooled_psi_is_not_tangent_for_a_client():
    gap = lambda mean, slope, theta, tau: (mean - slope) * (theta - tau)  # noqa: E731
    assert gap(F(3), F(2), F(0), F(1)) == -1
    assert gap(F(3), F(3), F(0), F(1)) == 0


def test_poisson_map_estimators_differ_numerically():
    def best(weight: int) -> float:
        points = [k / 10000 for k in range(2000, 20000)]
        return min(points, key=lambda x: x - math.log(x**2 * (math.exp(-x) + weight * math.exp(-2 * x))))

    values = CLAIMS["poisson-objective"].check(exponent=PRINTED).witness.values
    for text, weight in zip(values.values(), (1, 4), strict=True):
        low, high = (float(F(part)) for part in text.strip("[]").split(","))
        assert low - 2e-4 <= best(weight) <= high + 2e-4
    assert abs(best(1) - best(4)) > 0.1


def test_z_times_a_function_of_h_is_not_averaged_away():
    exponent = "(z - m)*h*theta + z*theta - exp(theta + h)"
    verdict = majorizes(exponent, ("exp(theta)",), ("-exp(h)",), exponent, "-theta*m")
    assert verdict.status != "proved"


@pytest.mark.parametrize(("gamma", "status"), [("1/2", "proved"), ("1", "proved"), ("3/2", "refuted")])
def test_convex_combinations_need_steps_up_to_one(gamma, status):
    assert stays_inside(gamma_max=gamma).status == status


def test_an_affine_T_that_is_not_linear_has_no_bias():
    """ssmm-T-bias: T(s) = (s + 1)/2 minimises ½(θ−1)² + ½(θ−s)², has T(0) ≠ 0, and E[T(S)] = T(E[S])."""

    def T(s: F) -> F:
        return (s + 1) / 2

    for s in (F(-3), F(-1), F(0), F(1), F(7, 2)):
        best = (T(s) - 1) ** 2 + (T(s) - s) ** 2
        assert all((T(s) + d - 1) ** 2 + (T(s) + d - s) ** 2 > best for d in (F(-1, 9), F(1, 9)))
    assert T(F(0)) != 0
    for law in ({F(-1): F(1, 2), F(1): F(1, 2)}, {F(0): F(1, 3), F(5): F(2, 3)}):
        mean = sum(p * s for s, p in law.items())
        assert sum(p * T(s) for s, p in law.items()) == T(mean)


def test_the_sequence_of_remark_1_is_constant():
    """aggr-Theta-noconv: E_1 Z = 1 and E_2 Z = 49 give θ_t = ½(1 + 1/7) = 4/7 for every t ≥ 1, from any start."""
    roots = (F(1), F(7))
    assert [root**2 for root in roots] == [1, 49]
    for start in (F(1), F(10), F(1, 100)):
        theta, seen = start, set()
        for _ in range(5):
            surrogates = [root**2 + 0 * theta for root in roots]  # S̄(Z, θ) = Z, whatever θ is
            theta = sum(1 / F(math.isqrt(int(s))) for s in surrogates) / 2
            seen.add(theta)
        assert seen == {F(4, 7)}


def test_an_open_half_line_loses_its_limit():
    """rem1-g: 1/k lies in (0, ∞) for every k, its limit 0 does not; in [ε, ∞) limits of points are points."""
    inside = lambda x, edge, closed: x > edge or (closed and x == edge)  # noqa: E731
    assert all(inside(F(1, k), 0, False) for k in range(1, 50))
    assert not inside(F(0), 0, False)
    assert inside(F(1, 2), F(1, 2), True)
    for s in (F(1, 9), F(1), F(4)):  # T(s) = 1/√s ≥ ε exactly for s ≤ ε⁻² = 4
        assert inside(1 / F(math.isqrt(int(36 * s)), 6), F(1, 2), True)


def test_a_count_of_zero_has_a_chance_and_no_minimiser():
    """poisson-S1 and poisson-2: S̄_1 = 0 has the probability e^{−1} at intensity 1, and then J has no minimiser."""
    assert math.exp(-1) * 1**0 / math.factorial(0) > F(1, 3)
    J = lambda x, s1: 2 * x - s1 * math.log(x)  # noqa: E731  x = e^θ, λ − s_2 = 2
    assert J(1e-9, 0) < J(1e-3, 0) < J(1, 0)
    assert all(J(F(1, 2), 1) <= J(x, 1) for x in (0.4, 0.49, 0.51, 0.7))


def test_the_weight_of_the_prior_in_fractions():
    """poisson-prior: h = 0, counts 1, 1, λ = 1: a/x = b decides the minimiser of bx − a·log x."""
    posterior = F(1 + 1, 2 + 1)  # Σ Z / (N + λ)
    printed = F(1, 1) / (1 + 1)  # mean Z / (1 + λ)
    amended = F(1, 1) / (1 + F(1, 2))  # mean Z / (1 + λ/N)
    assert (printed, amended) == (F(1, 2), posterior)


def test_the_weights_of_the_averages_do_not_add_up_to_one():
    """pg-tilde-weights: γ_1 = γ_2 = 1/2; what is missing is the product of the 1 − γ."""
    gamma = [F(1, 2), F(1, 2)]
    for t in (1, 2):
        weights = [gamma[j] * math.prod((1 - g for g in gamma[j + 1 : t]), start=F(1)) for j in range(t)]
        assert sum(weights) == 1 - math.prod((1 - g for g in gamma[:t]), start=F(1)) < 1
