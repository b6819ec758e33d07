"""Appendix C.2 and Section 7 of the ledger: the witnesses re-checked by hand."""

from __future__ import annotations

import math
from fractions import Fraction as F

import pytest

from proofs_checks.appendix_c_mixture import claims as appendix_c_mixture
from proofs_checks.appendix_c_mixture.mixture import majorizes
from proofs_checks.s7_transport import claims as s7_transport
from proofs_checks.s7_transport.clients import best_response
from proofs_checks.s7_transport.networks import regularised

CLAIMS = {claim.id: claim for module in (appendix_c_mixture, s7_transport) for claim in module.CLAIMS}


# -------------------------------------------------------------------------------- the mixture, in floating point

NU, GAMMA, DATA = (0.5, 0.25, 0.25), (1.0, 4.0, 0.25), (-1.0, 2.0)


def densities(z: float, m: tuple[float, ...]) -> list[float]:
    return [n * math.exp(-((z - c) ** 2) / (2 * g)) / math.sqrt(g) for n, c, g in zip(NU, m, GAMMA, strict=True)]


def phi(m: tuple[float, ...], *, as_printed: bool) -> list[float]:
    slope = [c / g for c, g in zip(m, GAMMA, strict=True)]
    square = [c * c / g for c, g in zip(m, GAMMA, strict=True)]
    second = slope[2] if as_printed else slope[1]
    return [slope[0] - slope[2], second - slope[2], -(square[0] - square[2]) / 2, -(square[1] - square[2]) / 2]


def gap(tau: tuple[float, ...], theta: tuple[float, ...], weights, *, as_printed: bool = False) -> float:
    """The right side of MM-1 minus the left; `weights(z, tau)` are proportional to the law of h given z."""
    psi = lambda m: -m[2] / GAMMA[2] * sum(DATA) / 2 + m[2] ** 2 / GAMMA[2] / 2  # noqa: E731
    loss = lambda m: -sum(math.log(sum(densities(z, m))) for z in DATA) / 2  # noqa: E731
    before, after = phi(tau, as_printed=as_printed), phi(theta, as_printed=as_printed)
    rise = [y - x for x, y in zip(before, after, strict=True)]
    pull = 0.0
    for z in DATA:
        w = weights(z, tau)
        r = [x / sum(w) for x in w]
        pull += (z * r[0] * rise[0] + z * r[1] * rise[1] + r[0] * rise[2] + r[1] * rise[3]) / 2
    return loss(tau) - loss(theta) + psi(theta) - psi(tau) - pull


def numbers(text: str) -> tuple[float, ...]:
    return tuple(float(F(part)) for part in text.strip("()").split(","))


def test_the_witness_against_the_printed_phi_is_one():
    witness = majorizes("p", last="L").witness
    assert witness is not None
    tau, theta = numbers(witness.point["tau"]), numbers(witness.point["theta"])
    assert gap(tau, theta, densities, as_printed=True) < -1e-2
    assert gap(tau, theta, densities) > 0


def test_the_witness_against_the_printed_posterior_is_one():
    def printed(z: float, m: tuple[float, ...]) -> list[float]:
        return [n * math.exp((z * c - c * c / 2) / g) for n, c, g in zip(NU, m, GAMMA, strict=True)]

    witness = majorizes("exp<S,phi>").witness
    assert witness is not None
    tau, theta = numbers(witness.point["tau"]), numbers(witness.point["theta"])
    assert gap(tau, theta, printed) < -1e-2
    assert gap(tau, theta, densities) > 0


@pytest.mark.parametrize("theta", [(0.3, -1.0, 2.0), (-2.0, 0.1, 0.0), (5.0, -3.0, 1.0)])
def test_the_amended_surrogate_is_tangent_and_above(theta):
    tau = (0.2, 1.5, -0.7)
    assert gap(tau, tau, densities) == pytest.approx(0, abs=1e-12)
    assert gap(tau, theta, densities) > 0
    for k in range(3):
        near = tuple(c + 1e-4 * (j == k) for j, c in enumerate(tau))
        assert abs(gap(tau, near, densities)) < 1e-7  # of second order: the slopes agree


def test_columns_of_T_solve_their_equations_in_the_plane():
    """p = 2, L = 2: λm + w Γ⁻¹m = Γ⁻¹u, the stationarity of each column, at the displayed T."""
    gamma, lam = ((F(2), F(1)), (F(1), F(3))), F(1, 2)
    for w, u in ((F(0), (F(1), F(2))), (F(1), (F(-1), F(4)))):
        a, b, c, d = w + lam * gamma[0][0], lam * gamma[0][1], lam * gamma[1][0], w + lam * gamma[1][1]
        m = ((d * u[0] - b * u[1]) / (a * d - b * c), (a * u[1] - c * u[0]) / (a * d - b * c))
        left = [w * m[k] + lam * sum(gamma[k][j] * m[j] for j in (0, 1)) for k in (0, 1)]  # Γ times stationarity
        assert tuple(left) == u


# ----------------------------------------------------------------------------------------- transport, in fractions


def objective(a: F, b: F, v: F = F(1), q: F = F(1), lam: F = F(0)) -> F:
    """(32) for f_ω = ax²/2, f_θ = by²/2: E f_ω(X) + E[bY·Y − a(bY)²/2] + λ E(abY − Y)²."""
    return a * v / 2 + b * q - a * (b * b) * q / 2 + lam * (a * b - 1) ** 2 * q


def test_the_two_network_minimum_is_unbounded_and_the_saddle_is_right():
    values = [objective(F(1), F(b)) for b in (1, 10, 100, 1000)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < -400_000
    for a in (F(1, 2), F(1), F(3)):
        dual = a / 2 + 1 / (2 * a)
        assert objective(a, 1 / a) == dual
        assert all(objective(a, b) <= dual for b in (F(0), F(1, 3), F(1), F(7)))


@pytest.mark.parametrize("lam", [F(1), F(10), F(1000)])
def test_no_penalty_saves_a_flat_potential(lam):
    a = 1 / (4 * lam)
    assert objective(a, F(10**6) * lam, lam=lam) < -(10**6)
    steep = 1 / lam  # λβ = 1 > 1/2
    dual = steep / 2 + 1 / (2 * steep)
    assert all(objective(steep, b, lam=lam) >= dual for b in (F(0), lam, F(7), F(10**6)))


def test_at_the_threshold_other_minimisers_appear():
    assert regularised(">= 1/2", "contains").status == "proved"
    assert regularised(">= 1/2", "exactly").status == "refuted"
    assert {objective(F(1, 2), b, v=F(4), lam=F(1)) for b in (F(0), F(2), F(3))} == {F(2)}


def test_the_first_round_can_leave_the_server_without_a_minimum():
    v, lam = F(4), F(1)
    client = [(objective(a, F(1), v=v, lam=lam), a) for a in (F(k, 16) for k in range(1, 64))]
    assert min(client)[1] == F(1, 4)
    assert objective(F(1, 4), F(1000), v=v, lam=lam) < -50_000


def test_averaging_responses_is_exact_for_linear_potentials_only():
    moments, lam, b = (F(1, 5), F(9, 5)), F(1), F(1)
    responses = [F(5, 4) - v / 4 for v in moments]  # zero of v/2 − 1/2 + 2(a − 1)
    for v, a in zip(moments, responses, strict=True):
        assert all(objective(a, b, v, lam=lam) <= objective(a + d, b, v, lam=lam) for d in (F(-1, 9), F(1, 9)))
    pooled = lambda a: sum(objective(a, b, v, lam=lam) for v in moments) / 2  # noqa: E731
    linear, harmonic = sum(responses) / 2, 1 / (sum(1 / a for a in responses) / 2)
    assert (linear, harmonic) == (1, F(24, 25))
    assert pooled(harmonic) - pooled(linear) == F(1, 625)


def test_the_tables_and_the_certificates_agree_on_best_responses():
    """Any value lies below a maximum over ω, no value below a minimum: the proof follows the form, not a list."""
    assert best_response("below", profile="max").status == "proved"
    assert best_response("below").status == "refuted"
    assert best_response("above", response="any").status == "proved"
    assert best_response("tangent", response="any").status == "refuted"


def test_the_score_of_constants():
    atoms = ((2, 1), (-2, -1), (1, 2), (-1, -2))
    error = F(sum(x * x + y * y for x, y in atoms), 4)
    entries = F(sum(x * x for x, _ in atoms) + sum(y * y for _, y in atoms) + 2 * sum(x * y for x, y in atoms), 4)
    assert (100 * error / 5, 100 * error / entries) == (100, F(500, 9))


# --------------------------------------------------------------------------------- refutations once more, in fractions


def test_psi_with_the_mean_does_not_fit_a_single_sample():
    """gmm-psi: L = 3, h = 1, z = −1, E[Z] = 1/2, θ from (0, 0, 0) to (0, 0, 1), Γ_3 = 1/4: off by (m − z)θ_3/Γ_3."""
    z, mean, gamma = F(-1), F(1, 2), F(1, 4)
    rise = []
    for centre in (z, mean):
        psi = -centre / gamma + F(1, 2) / gamma  # ψ(0, 0, 1) − ψ(0, 0, 0)
        pairing = -z / gamma + F(1, 2) / gamma  # ⟨S, φ⟩: the block of h = 1, with −m_3's part
        rise.append(0 - psi + pairing)  # −log p(z, 1, ·) is the same at both
    assert rise == [0, 6]


def test_the_pooled_mean_tilts_a_clients_mixture():
    """gmm-client-psi: L = 1, Γ = 1: f_i = (m − m_i)²/2 up to constants; k = 2 in place of m_1 = 1 gives the gap −1."""
    f = lambda x, own: (x - own) ** 2 / 2  # noqa: E731
    majorant = lambda x, tau, own, k: f(tau, own) - k * (x - tau) + (x * x - tau * tau) / 2  # noqa: E731
    assert majorant(F(1), F(0), 1, 2) - f(F(1), 1) == -1
    assert all(majorant(F(x), F(t), 1, 1) == f(F(x), 1) for x in range(-3, 4) for t in range(-3, 4))


def test_the_conjugate_of_exp_at_zero_is_not_attained():
    """ot-conj-grad: u·x − e^x at u = 0 has the supremum 0 = lim_{x → −∞} −e^x, and every value is below 0."""
    values = [-math.exp(-x) for x in range(1, 40)]
    assert values == sorted(values)
    assert values[-1] > -1e-16
    assert all(value < 0 for value in values)


def test_relu_makes_the_objective_jump():
    """ot-differentiable: Q = δ_1, f_ω = x², f_θ = y²/2 + relu(y − θ), λ = 1: the slope of f_θ at 1 jumps at θ = 1.

    With t = f_θ'(1), the part with Q is t − f_ω(t) + (f_ω'(t) − 1)² = t − t² + (2t − 1)².
    """
    part = lambda t: t - t * t + (2 * t - 1) ** 2  # noqa: E731
    assert part(F(2)) - part(F(1)) == 7 - 1


def test_maps_of_each_client_do_not_push_to_one_law():
    """ot-single-map: clients on [0, 1] and [1, 2] with μ = 1/3, 2/3; x + 10 on the first and x + 19 on the second.

    [10, 11] has the mass 1/3 under the image of the mixture, and 1 under the image of the first client alone.
    """
    mu = (F(1, 3), F(2, 3))
    in_set = (F(1), F(0))  # mass of each client's image in [10, 11]
    assert sum(m * x for m, x in zip(mu, in_set, strict=True)) == F(1, 3) != in_set[0]


def test_a_constant_in_the_potential_leaves_the_client_objective():
    """ot-client-step: E f(X) + E[tY − f(t)] + λE(f'(t) − Y)² is the same for x²/2 and x²/2 + 1."""
    X, Y = (F(-1), F(2)), (F(0), F(3))

    def objective_of(c: F) -> F:
        f = lambda x: x * x / 2 + c  # noqa: E731
        rest = (2 * y * y - f(2 * y) + (2 * y - y) ** 2 for y in Y)
        return sum((f(x) for x in X), F(0)) / 2 + sum(rest, F(0)) / 2

    assert objective_of(F(0)) == objective_of(F(1))
