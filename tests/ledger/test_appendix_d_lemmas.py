"""Appendix D up to the propositions: the witnesses re-checked by hand, and the tools of its checks."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import pytest
import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import CertificateFails
from fedmm_edu.proofs.gram import inner, square
from fedmm_edu.proofs.verdict import Step, proved, undecided
from proofs_checks.appendix_d_lemmas import agents, filtration, lyapunov, variance
from proofs_checks.appendix_d_lemmas.agents import Draws, Round, factorises, independent, shared
from proofs_checks.appendix_d_lemmas.claims import CLAIMS
from proofs_checks.appendix_d_lemmas.control_variates import RECURSION, recursion
from proofs_checks.appendix_d_lemmas.projection import GRID, TWO_POINTS, UNIT, Move, nearest, onto_plane
from proofs_checks.appendix_d_lemmas.variance import (
    NOISE,
    NOISE_J,
    ROOT,
    ROUNDS,
    SENT,
    SENT_J,
    VARIANCE,
    direction_variance,
)
from proofs_checks.shared.tools import agreed, tried

BY_ID = {claim.id: claim for claim in CLAIMS}


# ------------------------------------------------------------------------------------------ finite laws and rounds


def test_independence_is_decided_and_not_declared() -> None:
    coin = ((F(1, 2), F(0)), (F(1, 2), F(1)))
    assert factorises(independent(coin, 3))
    assert not factorises(shared(coin, 2))
    three_of_four = tuple((F(1, 4), (a, b, (a + b) % 2)) for a, b in product((0, 1), repeat=2))
    assert not factorises(three_of_four)  # pairwise independent only


@pytest.mark.parametrize(
    ("draws", "missing"),
    [
        (agents.SOUND, set()),
        (agents.COMPRESSED, set()),
        (agents.QUIET, set()),
        (agents.ONE_NOISE, {"independent oracles"}),
        (agents.POINTWISE, {"independent compressors"}),
        (agents.ONE_COIN, {"independent compressors"}),
        (agents.ALL_OR_NONE, {"A5"}),
        (agents.ONE_LEFT_OUT, {"A5"}),
        (agents.BIASED_ORACLE, {"A3"}),
        (agents.LOUD, {"A3"}),
        (agents.BIASED_COMPRESSOR, {"A4"}),
    ],
    ids=lambda value: value.name if isinstance(value, Draws) else ", ".join(value) or "none",
)
def test_each_law_drops_one_hypothesis(draws: Draws, missing: set[str]) -> None:
    every = {"A3", "A4", "A5", "independent oracles", "independent compressors"}
    assert draws.facts == every - missing


def test_one_noise_for_all_gains_nothing_from_averaging() -> None:
    """Four workers with the same ±1: (1/4)(1+1+1+1)² = 1, but Σ μ_i² σ_i² = 1/4."""
    shared_noise = sum(F(1, 2) * (sum(F(1, 4) * e for _ in range(4))) ** 2 for e in (-1, 1))
    assert shared_noise == 1
    assert Round(agents.ONE_NOISE, (F(0),) * 4, (F(0),) * 4).sums[0] == F(1, 4)


def test_the_bound_of_the_variance_is_an_equality_for_a_tight_compressor() -> None:
    """Summed over 16 outcomes by hand: Q(x) ∈ {0, 2x}, noise ±1, V = (3, −1), h = 0, μ = 1/2."""
    total = F(0)
    for e1, e2, c1, c2 in product((-1, 1), (-1, 1), (0, 2), (0, 2)):
        H = F(3 - 1 + c1 * (e1 - 3) + c2 * (e2 + 1), 2)
        total += F(1, 16) * H**2
    noise, bias = F(1, 4) * 2, F(1, 4) * (9 + 1)
    assert total == (1 + 1) * noise + 1 * bias


@pytest.mark.parametrize("hypothesis", VARIANCE)
def test_the_variance_needs_each_of_its_hypotheses(hypothesis: str) -> None:
    kept = tuple(name for name in VARIANCE if name != hypothesis)
    assert direction_variance(kept).status == "refuted"


@pytest.mark.parametrize("hypothesis", RECURSION)
def test_the_recursion_needs_each_of_its_hypotheses(hypothesis: str) -> None:
    kept = tuple(name for name in RECURSION if name != hypothesis)
    assert recursion(kept).status == "refuted"


def test_four_compressors_that_are_independent_at_each_point_may_share_one_coin() -> None:
    """Agent i reads coin i + k (modulo 4) on the k-th piece: at one point four coins, at 7, 4, 5, 6 one."""
    law = agents.ONE_COIN.factors
    for k in range(4):
        joint = [tuple(c[k] for c in entries) for _, entries in law]
        assert sorted(set(joint)) == sorted(product((F(0), F(2)), repeat=4))
        assert len(joint) == 16
        assert {w for w, _ in law} == {F(1, 16)}
    pieces = [agents.ONE_COIN.piece(F(x)) for x in (7, 4, 5, 6)]
    assert all(len({c[k] for c, k in zip(entries, pieces, strict=True)}) == 1 for _, entries in law)


def test_the_recursion_fails_for_one_coin_by_hand() -> None:
    """Δ = (7, 4, 5, 6), h_i(s) = 16 s, γ = 1/2, α = 0, β = 5: two outcomes, H = ±11/2, so h_i moves by ±44."""
    V, G = (-7, -4, -5, -6), F(7**2 + 4**2 + 5**2 + 6**2, 16)
    after = sum(F(1, 2) * F(1, 16) * (v - 16 * F(1, 2) * H) ** 2 for v in V for H in (F(11, 2), F(-11, 2)))
    K = F(2, 5 - 1) * F(16**2, 4) * F(1, 2) ** 2
    bound = 5 * (1 + K) * G + 5 * K * 2 * F(4, 16)  # h(Ŝ_t) = 0, so that Ē = 0
    assert (after, bound) == (F(3935, 8), F(2995, 8))
    assert after > bound


def test_a_round_that_satisfies_everything_exists_with_noise_and_bias() -> None:
    sound = [r for r in ROUNDS if set(RECURSION) <= r.facts()]
    assert any(r.sums[1] > 0 and r.slope != 0 and r.alpha > 0 for r in sound)


def test_a_step_out_of_the_wide_interval_is_an_error() -> None:
    with pytest.raises(InvalidInput, match="leaves"):
        Round(agents.SOUND, (F(10**6),) * 2, (F(0),) * 2).mean(lambda deltas, sent: F(0))


# --------------------------------------------------------------------------------------- rules without hypotheses


def test_without_independence_the_cross_terms_stay() -> None:
    """The kernel keeps E⟨n_i, n_j⟩ and E⟨q_i, q_j⟩ unless independence is declared."""
    cross = inner(ROOT(NOISE + SENT), ROOT(NOISE_J + SENT_J))
    assert variance.rules(VARIANCE).of(cross) == 0
    for name in ("independent oracles", "independent compressors"):
        kept = tuple(other for other in VARIANCE if other != name)
        assert variance.rules(kept).of(cross) != 0


def test_the_compression_error_is_uncorrelated_with_what_is_compressed() -> None:
    E = variance.rules(("A3", "A4", "A5"))
    assert E.inner(NOISE, SENT) == 0
    assert sp.expand(E.of(square(NOISE + SENT)) - E.of(square(NOISE)) - E.of(square(SENT))) == 0


@pytest.mark.parametrize("dropped", lyapunov.LYAPUNOV)
def test_the_lyapunov_certificate_stops_without_any_of_its_hypotheses(dropped: str) -> None:
    kept = tuple(name for name in lyapunov.LYAPUNOV if name != dropped)
    with pytest.raises(CertificateFails):
        lyapunov.lyapunov_lines(kept, sp.Rational(1, 4), sp.S.One)
    assert lyapunov.lyapunov(kept).status == "refuted"


def test_another_matrix_promises_too_much_decrease_by_hand() -> None:
    """Proposition 2 as printed: f = θ²/2, ρ = 1, Ŝ = 1/2, H = h = −1/2, γ = 1/4, B_t = 8 while B = v_min = 1."""
    gamma, c_bar = F(1, 4), 1 + F(1, 100)
    after = (F(1, 2) - gamma / 2) ** 2 / 2
    decrease = gamma / 4 * (1 - 2 * c_bar * gamma) * 8 * F(1, 2) ** 2
    assert after == F(9, 128) > F(1, 8) - decrease == F(101, 1600)


# ----------------------------------------------------------------------------------- projection and measurability


@pytest.mark.parametrize("x", [F(-2), F(0), F(1, 3), F(1), F(5)])
def test_the_nearest_point_is_nearest(x: F) -> None:
    for pieces in (UNIT, TWO_POINTS):
        best = nearest(pieces, x)
        assert all(abs(best - x) <= abs(y - x) for low, high in pieces for y in (low, high, (low + high) / 2))


@pytest.mark.parametrize("x", GRID)
def test_the_projection_in_another_norm_is_nearest(x: tuple[F, F]) -> None:
    """Compared in the norm of B = [[2, 1], [1, 2]] with the points of a finer grid of the half-plane."""

    def apart(a: tuple[F, F], b: tuple[F, F]) -> F:
        u, v = a[0] - b[0], a[1] - b[1]
        return 2 * u * u + 2 * u * v + 2 * v * v

    best = onto_plane(x)
    assert best[1] >= 0
    assert all(apart(best, x) <= apart((F(i, 4), F(j, 4)), x) for i in range(-16, 17) for j in range(13))


def test_unsquared_norms_scale_differently() -> None:
    """H = 0, h = 3 on a wide interval: Ē = 9 > 0 + 2·3, but 9 ≤ 0 + 2·3²."""
    move = Move(((F(-100), F(100)),), F(0), F(0), F(3))
    assert (move.E, move.E_bar) == (0, 9)
    assert 2 * 3 < move.E_bar <= 2 * 3**2


def test_noise_at_a_corner_of_the_set_needs_the_factor_two() -> None:
    """E‖ΔŜ‖² = 7/4 exceeds Ē + E‖H − h‖² = 1 + 1/2 in the triangle (0,0), (1,0), (2,1)."""
    vertices = [(0, 0), (1, 0), (2, 1)]
    total = F(0)
    for k in (1, -1):
        y = (F(2) + F(k, 2), F(-1) + F(k, 2))
        p = (F(3, 2), F(1, 2)) if k == 1 else (F(1), F(0))
        for v in vertices:
            assert sum((p[j] - y[j]) * (v[j] - p[j]) for j in (0, 1)) >= 0
        total += F(1, 2) * (p[0] ** 2 + p[1] ** 2)
    assert total == F(7, 4) > 1 + F(1, 2)


def test_what_is_conditioned_on_decides_the_mean_of_a_message() -> None:
    """Given the past the mean of Δ is known, but not Δ; given the message, the message is known."""
    assert [filtration.filtration(given=field).status for field in filtration.GENERATED] == [
        "refuted",
        "proved",
        "refuted",
        "refuted",
    ]


# ------------------------------------------------------------------------------------------ proof and counterexample


def test_an_instance_that_contradicts_a_proof_is_an_error() -> None:
    assert tried("points", []) == ()
    assert "2 points, on 1 of them" in tried("points", [(1, 1), (0, 1)])[0].claim
    with pytest.raises(InvalidInput, match="2 > 1"):
        tried("points", [(2, 1)])


def test_a_second_method_is_added_to_proofs_only() -> None:
    step = Step("a", "b")
    assert agreed(proved("x", step), step).evidence == (step, step)
    assert agreed(undecided("x", step), step).evidence == (step,)


def test_what_a_quantity_is_computed_from_goes_back_to_generators() -> None:
    assert filtration.sources("Shat") == {"past", "Qt_i", "Qt_j"}
    assert filtration.sources("Delta_i") == {"past", "S_i"}
