"""Theorem 1: the witnesses of its rows again in plain fractions."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from fedmm_edu.errors import FedMMError, InvalidInput
from proofs_checks.appendix_d_theorem.bound import BEYOND, FULL, RUNS
from proofs_checks.appendix_d_theorem.claims import CLAIMS as ROWS
from proofs_checks.appendix_d_theorem.common import PRINTED
from proofs_checks.appendix_d_theorem.lines import line_2, line_3
from proofs_checks.appendix_d_theorem.numbers import Numbers, rounded_down
from proofs_checks.appendix_d_theorem.theorem import combination

CLAIMS = {claim.id: claim for claim in ROWS}


def test_a_hypothesis_that_does_not_exist_cannot_be_dropped():
    with pytest.raises(FedMMError, match="no hypothesis"):
        line_3(without="Prop 9")


def test_a_hypothesis_that_the_proof_does_not_use_may_be_dropped():
    """The certificate stops because a line is missing, not because something was dropped."""
    assert line_2(without="ratio").status == "proved"
    assert combination(**PRINTED, without="step").status == "refuted"


@pytest.mark.parametrize("alpha", [F(1, 10), F(1, 2), F(2, 3), F(9, 10)])
def test_the_choice_of_beta_in_fractions(alpha):
    beta = min(F(2), (1 - alpha / 2) / (1 - alpha))
    assert 1 < beta <= 2
    assert beta * (1 - alpha) <= 1 - alpha / 2
    assert beta / (beta - 1) <= 2 / alpha


def test_the_coefficient_for_alpha_0_is_negative_for_long_steps():
    """D.7 for γ = 3/2 v_min/C̄, beyond Proposition 2: ρ = 1, β = 2, K = 1/100, ω v_max = 4 and C̄ = v_min = ω = 1."""

    def coefficient(step: F) -> F:
        return 2 * (1 + 2 * F(1, 100) * step**2) + (1 - step) * 4 - 1

    assert coefficient(F(3, 2)) < 0 < coefficient(F(1, 2))


# ---------------------------------------------------------------------------------- the numbers, checked by other means


@pytest.mark.parametrize("run", [*RUNS, *FULL, BEYOND], ids=lambda run: run.name)
def test_the_numbers_satisfy_the_propositions(run):
    """W ≥ min by Propositions 2 and 3; Proposition 4 at many β, where G is recomputed from the errors."""
    W, G = run.gap, run.G0
    for step, error in list(zip(run.steps, run.errors, strict=True))[:40]:
        N = (1 + run.omega) * run.vmax * run.noise + run.omega * run.vmax * G
        if 2 * run.C * step < run.vmin:  # else Proposition 2 says nothing
            W += step * (1 - run.C * step / run.vmin) * N - step / 4 * (1 - 2 * run.C * step / run.vmin) * error
        else:
            W += run.jump
        assert W >= 0
        a, y = 1 - run.alpha, run.K * step**2
        bounds = [
            beta * (a + 2 * run.omega / (beta - 1) * y) * G
            + 2 * beta / (beta - 1) * run.L2n / run.vmin * step**2 * error
            + beta * (run.alpha + 2 * (1 + run.omega) / (beta - 1) * y) * run.noise
            for beta in (1 + F(k, 20) for k in range(1, 60))
        ]
        x, z = a * G + run.alpha * run.noise, 2 * run.L2n / run.vmin * step**2 * (error + N)
        G = rounded_down(x, z)
        assert all(bound >= G for bound in bounds)


def test_a_step_beyond_proposition_2_is_an_error():
    with pytest.raises(InvalidInput, match="choose a smaller one"):
        _ = Numbers("too large", F(1), F(1, 2), (F(1, 2),)).errors


def test_the_printed_coefficient_for_alpha_0_is_too_small():
    """u = ε = 1/2, γ_1 = 1/10000, ω v_max = 60: one round with W_1 = W_0 = min, G_0 = 1, G_1 = 0."""
    step, strength = F(1, 10000), F(60)
    error = strength * (1 - step) / (F(1, 4) * (1 - 2 * step))
    assert -step / 4 * (1 - 2 * step) * error + step * (1 - step) * strength == 0
    assert (1 + 2 * F(1, 2)) ** 2 * step < step * error / 8 < (1 + 2 * F(1, 2)) * F(1, 100)
