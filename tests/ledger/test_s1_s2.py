"""Sections 1, 2 and 2.1 of the ledger: the refutations once more in fractions, and the instances they rest on."""

from __future__ import annotations

from fractions import Fraction as Q
from itertools import product

import pytest

from proofs_checks.s1_introduction import claims as s1_introduction
from proofs_checks.s2_1_root_finding import claims as s2_1_root_finding
from proofs_checks.s2_surrogates import claims as s2_surrogates
from proofs_checks.s2_surrogates import jensen
from proofs_checks.shared.mm_instances import NOT_CONVEX, SOUND, WRONG_ORACLE, WRONG_STEP, WRONG_T, Instance

CLAIMS = [*s1_introduction.CLAIMS, *s2_surrogates.CLAIMS, *s2_1_root_finding.CLAIMS]
BY_ID = {claim.id: claim for claim in CLAIMS}


# ------------------------------------------------ the refutations once more, in fractions and by hand


def test_printed_posterior_breaks_mm1_in_fractions() -> None:
    """Two latent values with e^{-c} = 1, 2, S = 0, 1, φ(θ) = θ, τ = 0: the printed law puts S̄ = 1/2.

    exp(2·gap) = ((1 + 2x)/3)² · x^{-1} at x = e^θ = 1/2 is 8/9 < 1; Bayes' S̄ = 2/3 gives exp(3·gap) ≥ 1.
    """
    x = Q(1, 2)
    ratio = (1 + 2 * x) / (1 + 2)
    assert ratio**2 / x == Q(8, 9)
    assert ratio**3 / x**2 == Q(32, 27)
    witness = BY_ID["ex2-mm1"].check(**BY_ID["ex2-mm1"].form).witness
    assert witness is not None
    assert witness.values == {"S_bar": "1/2", "exp(2 gap)": "8/9"}


def test_missing_transpose_in_fractions() -> None:
    """φ(θ) = (θ₁ + θ₂, θ₂), s = (0, 1): −Jᵀh = ∇f(T(s)) but −Jh is another vector."""
    theta = (Q(0), Q(1, 2))  # T(s) = Aᵀs/2
    h = (theta[0] + 1 - 0, theta[1] - theta[0] - 1 - 1)  # S̄(T(s)) − s
    gradient = (theta[0] - 1, theta[1])
    assert (-h[0], -(h[0] + h[1])) == gradient
    assert (-(h[0] + h[1]), -h[1]) == (Q(1, 2), Q(3, 2)) != gradient
    witness = BY_ID["prop1-ii"].check(**BY_ID["prop1-ii"].form).witness
    assert witness is not None
    assert witness.values == {"h": "1, -3/2", "left": "1/2, 3/2"}


def test_mirror_limit_that_is_no_root_in_fractions() -> None:
    """S̄(τ) = (τ, 1) for τ ≠ 0 and (0, 0) at 0, T(s) = s₁/(4 − 2s₂): θ halves for ever and s tends to (0, 1)."""

    def s_bar(theta: Q) -> tuple[Q, Q]:
        return (theta, Q(1)) if theta != 0 else (Q(0), Q(0))

    def T(s: tuple[Q, Q]) -> Q:
        return s[0] / (4 - 2 * s[1])

    theta = Q(1)
    for _ in range(50):
        after = T(s_bar(theta))
        assert after == theta / 2
        theta = after
    limit = (Q(0), Q(1))
    assert s_bar(T(limit)) == (Q(0), Q(0)) != limit
    for t in (Q(k, 3) for k in range(-9, 10)):  # MM-1: the gap is (3/2 − s̄₂)(θ − τ)²
        for tau in (Q(k, 2) for k in range(-4, 5)):
            a, b = s_bar(tau)
            gap = tau**2 / 2 - t**2 / 2 + 2 * t**2 - 2 * tau**2 - a * (t - tau) - b * (t**2 - tau**2)
            assert gap == (Q(3, 2) - b) * (t - tau) ** 2 >= 0


def test_a_jump_at_the_boundary_keeps_mm1_in_fractions() -> None:
    """f and ψ jump by 1 at the end point 0 of [0, 1]: MM-1 keeps its gap (θ − τ)²/2, lower semicontinuity is lost."""

    def f(t: Q) -> Q:
        return (t - Q(1, 2)) ** 2 / 2 + (t == 0)

    def psi(t: Q) -> Q:
        return t**2 + (t == 0)

    grid = [Q(k, 8) for k in range(9)]
    for t in grid:
        for tau in grid:
            assert f(tau) + psi(t) - psi(tau) - (tau + Q(1, 2)) * (t - tau) - f(t) == (t - tau) ** 2 / 2
    assert psi(Q(0)) == 1 > psi(Q(1, 1000))
    s = Q(1, 2)
    assert all(psi(t) - s * t >= psi(s / 2) - s * s / 2 for t in grid)


def test_surrogate_of_example_1_is_not_affine_in_s() -> None:
    """f = θ²/4, ρ = 1: U(θ, s) = θ²/2 − sθ + s² is tangent to f at τ = 2s, and U(0, 0) < (U(0, 1) + U(0, −1))/2."""

    def U(theta: Q, s: Q) -> Q:
        return theta**2 / 2 - s * theta + s**2

    for s in (Q(-1), Q(0), Q(1), Q(3, 2)):
        assert U(2 * s, s) == (2 * s) ** 2 / 4
        assert all(U(Q(k, 4), s) >= Q(k, 4) ** 2 / 4 for k in range(-20, 21))
    assert U(Q(0), Q(0)) == 0 != (U(Q(0), Q(1)) + U(Q(0), Q(-1))) / 2


# ------------------------------------------------ the instances on which general statements are tried


@pytest.mark.parametrize("instance", [pytest.param(i, id=i.name) for i in SOUND])
def test_sound_instances_satisfy_every_hypothesis(instance: Instance) -> None:
    """MM-1, MM-2, A1 and A2, decided over all parameters."""
    assert instance.facts == {"MM-1", "MM-2", "A1", "A2"}


@pytest.mark.parametrize(
    ("instance", "violated"),
    [(WRONG_STEP, "MM-1"), (WRONG_ORACLE, "MM-1"), (WRONG_T, "MM-2"), (NOT_CONVEX, "A1")],
)
def test_faulty_instances_violate_exactly_one(instance: Instance, violated: str) -> None:
    """Each counterexample to a weakened statement keeps all other hypotheses."""
    assert {"MM-1", "MM-2", "A1", "A2"} - instance.facts == {violated}


def test_the_alternative_repair_of_example_2() -> None:
    """The printed law is right when the additive term does not depend on h."""
    for check in (jensen.check_mm1, jensen.check_posterior, jensen.check_ratio):
        assert check("exp<S,phi>", "free of h").status == "proved"


def test_the_boundary_example_in_the_note_on_41() -> None:
    """Θ = [0, 1], f = θ², ψ = θ² − √θ, φ = −√θ, S̄ = 1: MM-1 with equality, T(1) = 0, no gradient of ψ at 0.

    With r = √θ all functions are polynomials in r.
    """
    roots = [Q(k, 8) for k in range(9)]

    def psi(r: Q) -> Q:
        return r**4 - r

    for r in roots:
        assert all(k**4 + psi(r) - psi(k) + (r - k) == r**4 for k in roots)  # the right side of MM-1 at s = 1 is f(θ)
        assert psi(r) + r >= 0  # the surrogate at s = 1 is θ², least at 0
    assert (psi(Q(1, 1000)) - psi(Q(0))) / Q(1, 1000) ** 2 < -900  # the slope of ψ at 0 is −∞


def test_the_normaliser_depends_on_the_base() -> None:
    """ex2-normaliser: S = 0, 1 and e^θ = 1: the bases (1, 1) and (1, 2) give e^ψ = 2 and 3."""
    x = Q(1)
    assert [sum(w * x**s for w, s in zip(base, (0, 1), strict=True)) for base in ((1, 1), (1, 2))] == [2, 3]
    witness = BY_ID["ex2-normaliser"].check(**BY_ID["ex2-normaliser"].form).witness
    assert witness is not None
    assert witness.values == {"exp(psi)": "2", "exp(psi')": "3"}


def test_the_printed_vectors_are_no_gradients_in_fractions() -> None:
    """prop1-40, prop1-41, prop1-42: φ(θ) = (θ₁ + θ₂, θ₂), ψ = ‖θ‖² at τ = (1, 0), which is T(s) for s = (2, −2).

    ∇(ψ − ⟨s, φ⟩) = 2θ − Jᵀs = 0 there, while 2θ − Js = (2, 2); g = 0, so that only 0 is a subgradient.
    """
    J = ((Q(1), Q(1)), (Q(0), Q(1)))
    tau, s = (Q(1), Q(0)), (Q(2), Q(-2))
    transposed = tuple(sum(J[k][j] * s[k] for k in (0, 1)) for j in (0, 1))
    plain = tuple(sum(J[j][k] * s[k] for k in (0, 1)) for j in (0, 1))
    assert tuple(2 * t - v for t, v in zip(tau, transposed, strict=True)) == (0, 0)
    assert tuple(2 * t - v for t, v in zip(tau, plain, strict=True)) == (2, 2)
    s_bar = (tau[0] + 1, tau[1] - tau[0] - 1)  # ∇f = 2θ − Jᵀs̄ for f = ‖θ‖²/2 − θ₁
    assert tuple(2 * tau[j] - sum(J[k][j] * s_bar[k] for k in (0, 1)) for j in (0, 1)) == (tau[0] - 1, tau[1])


# ------------------------------------------------------------------------------------------- steps below 1, and biases


def soft_objective(theta: Q) -> Q:
    """f + g for f = (θ − 2)²/2 and g = |θ|."""
    return (theta - 2) ** 2 / 2 + abs(theta)


def mirror_step(s: Q, gamma: Q) -> tuple[Q, Q]:
    """Example 1 with ρ = 1/2: the next mirror parameter, and T of it, the soft threshold at 1/2."""
    T = lambda x: max(abs(x) - Q(1, 2), Q(0)) * (1 if x > 0 else -1)  # noqa: E731
    after = s + gamma * (T(s) - Q(1, 2) * (T(s) - 2) - s)
    return after, T(after)


def test_every_step_up_to_one_descends_without_noise():
    """own-ssmm-descent, from both sides of the minimiser; the step 3 does not."""
    for gamma in (Q(1, 10), Q(1, 3), Q(9, 10), Q(1)):
        for start in (Q(-3), Q(-1, 2), Q(1), Q(5)):
            s, values = start, [soft_objective(mirror_step(start, Q(0))[1])]
            for _ in range(5):
                s, theta = mirror_step(s, gamma)
                values.append(soft_objective(theta))
            assert values == sorted(values, reverse=True)
    assert soft_objective(mirror_step(Q(-1, 2), Q(0))[1]) == 2
    assert soft_objective(mirror_step(Q(-1, 2), Q(3))[1]) == Q(37, 8)


def test_averages_of_biased_oracles_miss_the_root():
    """ssmm-bias-ruins: Z = 1 or 49, T(S) = 1 or 1/7: after t steps the mean over all 2^t runs is 4/7, not 1/5."""
    for t in (1, 2, 4):
        runs = [sum(run) / t for run in product((Q(1), Q(1, 7)), repeat=t)]
        assert sum(runs) / len(runs) == Q(4, 7) != Q(1, 5)
    assert Q(1, 5) ** 2 * Q(1 + 49, 2) == 1


def test_the_oracle_of_incremental_em_by_enumeration():
    """em-incremental: table 0, 3, 6, refreshed entries 3, 6, 12: the outcomes have the mean Ŝ + h/3, not Ŝ + h."""
    table, fresh = [Q(0), Q(3), Q(6)], [Q(3), Q(6), Q(12)]
    outcomes = [(sum(table) - table[j] + fresh[j]) / 3 for j in range(3)]
    now, field = sum(table) / 3, sum(fresh) / 3 - sum(table) / 3
    assert sum(outcomes) / 3 == now + field / 3 != now + field
