"""The calculator of our own theorems: the formulas of their rows, exact enumeration, and what it refuses."""

import math
from fractions import Fraction as F

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.errors import InvalidInput
from fedmm_edu.theory import (
    Constants,
    Flat,
    Seminorm,
    any_projection,
    best_own,
    bound,
    fastest_own,
    largest_gamma,
    own_bound,
    projected,
    without_A7,
    without_v_min,
)
from proofs_checks.appendix_d_theorem.theorem import C, Lam, V, alpha, g, omega, v
from proofs_checks.beyond_theorem import seminorm, seminorm_projected
from proofs_checks.beyond_theorem.kinds import KINDS, LT, ell, parse, q
from proofs_checks.beyond_theorem.seminorm_projected import GAIN, LEVEL
from tests.numeric.exact_fedmm import MU, OMEGA_P, RHO, Node, W, h, lipschitz, outcomes, square
from tests.numeric.test_theorem_reality import ALPHA, FAR, GAMMA, START, ZERO, G, noise

KIND = {
    any_projection: "any projection",
    projected: "projection in the norm of B_t",
    without_A7: "Lipschitz, without A7",
}
CONSTANTS = Constants(0.5, 2.0, 0.25, 1.0, 4.0, 0.5, 0.25, 4)  # C̄ = 1/2 + 4/4 = 3/2
FLAT = Flat(2.0, 0.5, 0.5, 0.25, 4)
POINT = {v: F(1, 2), V: F(2), C: F(3, 2), Lam: F(1, 16), LT: F(2), ell: F(1, 2)}


def exact(text: str, step: F, root: F, w: F) -> float:
    """A formula of a row in fractions."""
    at = {**POINT, g: step, q: root, alpha: 1 - root**2, omega: w}
    return float(parse(text).subs({x: sp.Rational(y.numerator, y.denominator) for x, y in at.items()}))


@pytest.mark.parametrize(("C_star", "C"), [(0.0, 0.5), (0.25, 0.0)])
@given(w=st.floats(0.1, 9.0), lam=st.floats(0.1, 4.0), L=st.floats(0.1, 4.0), share=st.floats(0.1, 1.0))
@settings(max_examples=6)
def test_without_v_min_the_terms_are_those_of_own_seminorm(C_star, C, w, lam, L, share):
    """For several κ: gain, level, the least c and the longest step of the row, with own-variates for r = √(1 − α)."""
    c = Seminorm.under_A7(1.5, C_star, v_max=2.0, lam=lam, h0=3.0, L=L, sigma=0.5, n=4)
    alpha_ = share / (1.0 + w)
    root = math.sqrt(1.0 - alpha_)
    assert c.C == C
    found = without_v_min(c, w, alpha_)
    assert len(found) > 3
    for terms in found[::4]:
        kappa = terms.begins / 9.0
        assert kappa >= (0.0 if C_star == 0.0 else 6.0 - 1e-9)
        one = seminorm.Numbers(
            gamma=F(terms.most), C=F(C), v=F(2), lam=F(lam), kappa=F(kappa), c=F(terms.initial),
            M=F(L * L / (4 * (1 - root))),
            omega=F(w), keep=F(root), tau=F(alpha_ / root),
        )  # fmt: skip
        gain, load, level = (float(one.at(seminorm.parse(x))) for x in (seminorm.GAIN, seminorm.LOAD, seminorm.LEVEL))
        assert terms.left(terms.most) == pytest.approx(terms.most * gain, rel=1e-9, abs=1e-12 * terms.most)
        assert (terms.level, terms.power) == (pytest.approx(level, rel=1e-9), 2)
        assert terms.initial * (1.0 - root) == pytest.approx(w * load, rel=1e-9)
        assert terms.initial * float(one.M) * terms.most**2 <= kappa / 2.0 * (1 + 1e-9)
        assert terms.most <= 1.0
    assert without_v_min(c, 0.0)[0].initial == 0.0


@given(w=st.floats(0.1, 9.0), lam=st.floats(0.1, 4.0), L=st.floats(0.1, 4.0), share=st.floats(0.1, 1.0))
@settings(max_examples=6)
def test_in_projections_the_terms_are_those_of_own_seminorm_projected(w, lam, L, share):
    """As above; and a remainder in the plain norm is refused."""
    alpha_ = share / (1.0 + w)
    root = math.sqrt(1.0 - alpha_)
    c = Seminorm.under_A7(1.5, 0.0, v_max=2.0, lam=lam, h0=3.0, L=L, sigma=0.5, n=4)
    for terms in without_v_min(c, w, alpha_, projected=True)[::4]:
        one = seminorm_projected.Outcomes(
            gamma=F(terms.most), C=F(1, 2), v=F(2), lam=F(lam), kappa=F(terms.kappa), c=F(terms.initial),
            M=F(L * L / (4 * (1 - root))), omega=F(w), keep=F(root), tau=F(alpha_ / root),
        )  # fmt: skip
        gain, level = (float(one.at(seminorm_projected.parse(x))) for x in (GAIN, LEVEL))
        assert terms.left(terms.most) == pytest.approx(terms.most * gain, rel=1e-9, abs=1e-12 * terms.most)
        assert (terms.level, terms.power) == (pytest.approx(level, rel=1e-9), 2)
        assert terms.initial * (1.0 - root) == pytest.approx(w * float(one.load), rel=1e-9)
        assert terms.initial * float(one.M) * terms.most <= terms.kappa / 4.0 * (1 + 1e-9)
        assert (terms.begins, terms.row) == (pytest.approx(9.0 * terms.kappa), "own-seminorm-projected")
        assert terms.most <= 0.5
    bent = Seminorm.under_A7(1.5, 0.25, v_max=2.0, lam=lam, h0=3.0, L=L, sigma=0.5, n=4)
    with pytest.raises(InvalidInput, match="own-seminorm-remainder"):
        without_v_min(bent, w, alpha_, projected=True)


@pytest.mark.parametrize("theorem", KIND)
@given(step=st.fractions(F(1, 100), F(1, 4)), root=st.fractions(F(1, 2), F(9, 10)), w=st.fractions(F(1, 9), 1))
@settings(max_examples=25)
def test_the_terms_are_those_of_the_rows(theorem, step, root, w):
    """left, initial, level and power, for ω_p > 0; and for ω_p = 0 the one-step gain and cost, which its row sums."""
    kind, c = KINDS[KIND[theorem]], FLAT if theorem is without_A7 else CONSTANTS
    w = min(w, root**2 / (1 - root**2))  # α ≤ 1/(1 + ω_p)
    terms = theorem(c, float(w), float(1 - root**2) * (1 - 1e-12))
    found = (terms.left(float(step)), terms.initial, terms.level)
    hand = [exact(text, step, root, w) for text in (kind.left, kind.initial, kind.level)]
    assert (found, terms.power) == (pytest.approx(hand, rel=1e-9, abs=1e-12), kind.power)
    full = theorem(c, 0.0)
    assert full.left(float(step)) == pytest.approx(exact(kind.gain, step, root, w), rel=1e-12)
    assert full.level * float(step) ** full.power == pytest.approx(exact(kind.cost, step, root, w), rel=1e-12)
    if theorem is not without_A7:  # what is admitted satisfies the row's condition on the step
        for gamma in (float(step), terms.most):
            if gamma <= terms.most and terms.left(gamma) > 0.0:
                assert exact(kind.positive, F(gamma), root, w) >= -1e-9


@pytest.mark.parametrize("root", [START, FAR])
@pytest.mark.parametrize("theorem", KIND)
def test_they_hold_exactly_over_two_rounds(theorem, root: Node):
    """Both sides by enumeration of all 625 paths, at the least constants of these states; no projection is active."""
    first = outcomes(root, ALPHA, GAMMA)
    value = 1 if theorem is without_A7 else 1 / RHO  # Euclidean norm, or that of B = I/ρ
    left = value * (square(h(root.s)) + sum(o.chance * square(h(o.after.s)) for o in first)) / 2
    sigma = math.sqrt(2 * max(noise(node.s) for node in (root, *(o.after for o in first))))
    L, size = math.sqrt(2 * sum(MU[i] ** 2 * lipschitz(i) for i in range(2))), float(1 / RHO)
    if theorem is without_A7:
        c = Flat(size, 2.0 / size, L, sigma, 2)  # row own-lip-prox
        extra = c.a * float(square(h(root.s)))
    else:
        c, extra = Constants(size, size, 0.0, size, math.inf, L, sigma, 2), 0.0
    gap = float(W(root.s) - lowest()) + extra
    found = own_bound(theorem(c, float(OMEGA_P), float(ALPHA)), c, gamma=float(GAMMA), rounds=2, initial_gap=gap,
                      initial_variates=float(G(root)))  # fmt: skip
    assert 0 < float(left) <= found.total


def lowest() -> F:
    """min W: Newton's step from 0 is exact for a quadratic."""
    e = [(F(1), F(0)), (F(0), F(1))]
    slope = [(W(x) - W((-x[0], -x[1]))) / 2 for x in e]
    bend = [[W((x[0] + y[0], x[1] + y[1])) - W(x) - W(y) + W(ZERO) for y in e] for x in e]
    det = bend[0][0] * bend[1][1] - bend[0][1] ** 2
    least = (
        (-slope[0] * bend[1][1] + slope[1] * bend[0][1]) / det,
        (-slope[1] * bend[0][0] + slope[0] * bend[0][1]) / det,
    )
    assert h(least) == ZERO
    return W(least)


def test_noise_of_second_order_has_no_floor():
    """own-projected reaches any target, Theorem 1 none below its floor; the rounds found do reach the target."""
    c = Constants(1.0, 2.0, 0.0, 2.0, math.inf, 1.0, 0.1, 10)
    terms = projected(c, 3.0)
    gamma, T = fastest_own(1e-3, terms, c, initial_gap=1.0) or (0.0, 0)
    assert own_bound(terms, c, gamma=gamma, rounds=T, initial_gap=1.0).total <= 1e-3
    assert fastest_own(1e-3, any_projection(c, 3.0), c, initial_gap=1.0) is None
    step = 1e-9 * largest_gamma(c, 3.0)
    assert bound(c, gamma=step, rounds=10**15, initial_gap=1.0, omega_p=3.0).noise > 1e-3


def test_the_best_step_is_the_best_of_those_tried():
    """No candidate, and none of a few others, has a lower bound by more than a thousandth."""
    terms = any_projection(CONSTANTS, 1.0)
    gamma, found = best_own(terms, CONSTANTS, rounds=500, initial_gap=1.0, initial_variates=1.0)
    for share in (0.5, 0.9, 1.1, 2.0):
        if gamma * share <= terms.most and terms.left(gamma * share) > 0:
            other = own_bound(terms, CONSTANTS, gamma=gamma * share, rounds=500, initial_gap=1.0, initial_variates=1.0)
            assert other.total >= found.total * 0.999


@pytest.mark.parametrize("gamma", [0.0, 0.6, math.nan])
def test_steps_that_a_theorem_does_not_admit(gamma):
    """γ ≤ 1/2 for own-projected."""
    with pytest.raises(InvalidInput, match="gamma"):
        own_bound(projected(CONSTANTS, 0.0), CONSTANTS, gamma=gamma, rounds=1, initial_gap=1.0)


@pytest.mark.parametrize("change", [{"L_T": 0.0}, {"ell": math.inf}, {"sigma": -1.0}, {"n": 0}])
def test_flat_constants_that_are_none(change):
    """L_T, ℓ > 0 finite; σ, L ≥ 0; n ≥ 1."""
    with pytest.raises(InvalidInput, match=next(iter(change))):
        Flat(**{"L_T": 1.0, "ell": 1.0, "L": 1.0, "sigma": 1.0, "n": 2, **change})
