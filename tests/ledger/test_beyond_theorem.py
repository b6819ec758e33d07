"""Beyond Theorem 1: the inequalities on random instances, on runs summed over all outcomes, and the page about them."""

from __future__ import annotations

import json
import re
import shlex
from fractions import Fraction as F
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.cli import main
from fedmm_edu.commands.theorem_missing import HYPOTHESES
from fedmm_edu.commands.theorem_own import FEWER
from proofs_checks import sections
from proofs_checks.beyond_messages.claims import CLAIMS as MESSAGES
from proofs_checks.beyond_theorem.claims import CLAIMS
from proofs_checks.beyond_theorem.line import CURVES

PAGE = Path(__file__).parents[2] / "book" / "beyond_theorem1.md"
NUMBER = st.floats(-3, 3)
VECTOR = st.tuples(NUMBER, NUMBER).map(np.array)


def definite(a: float, b: float, c: float) -> np.ndarray:
    root = np.array([[1 + abs(a), b], [0.0, 0.5 + abs(c)]])
    return root.T @ root


# ------------------------------------------------------------------------- one round, on random quadratics in the plane


def outcomes(s, c, xi, gamma, B):
    """Both outcomes of a round with noise ±xi on the half-plane s_1 ≤ 0, projected in the norm of B."""
    for sign in (1, -1):
        x = s + gamma * (c - s + sign * xi)
        yield x if x[0] <= 0 else np.array([0.0, x[1] + B[0, 1] / B[1, 1] * x[0]])


@settings(deadline=None, max_examples=200, derandomize=True)
@given(st.tuples(NUMBER, NUMBER, NUMBER), VECTOR, VECTOR, VECTOR, st.floats(0.001, 0.5))
def test_one_round_of_either_projection(entries, s, c, xi, gamma):
    """own-projected-step and own-any-step for T(s) = Bs, S̄ ≡ c ∈ 𝒮: h = c − s, W = (s − c)ᵀB(s − c)/2, C̄ = v_max/2."""
    B = definite(*entries)
    s, c = (np.array([-abs(v[0]), v[1]]) for v in (s, c))
    low, high = np.linalg.eigvalsh(B)
    norm2 = lambda v, M: v @ M @ v  # noqa: E731
    W = lambda x: norm2(x - c, B) / 2  # noqa: E731
    h, rate = c - s, high / (2 * low)
    after = np.mean([W(x) for x in outcomes(s, c, xi, gamma, B)])
    bound = W(s) - gamma * (1 - rate * gamma) * norm2(h, B) + gamma**2 * (0.5 + rate) * norm2(xi, B)
    assert after <= bound + 1e-9 * (1 + abs(bound))
    short = min(2 * gamma, low / high)
    plain = np.mean([W(x) for x in outcomes(s, c, xi, short, np.eye(2))])
    bound = W(s) - short / 2 * norm2(h, B) + short / 2 * high * (xi @ xi)
    assert plain <= bound + 1e-9 * (1 + abs(bound))


@pytest.mark.parametrize("name", CURVES)
def test_the_faces_of_a_curve_belong_together(name):
    """F' is the slope of F, (V* ∘ F)' = sF' (Simpson's rule, exact for cubics), and the remainder is within `bend`."""
    curve, points = CURVES[name], [F(k, 10) for k in range(1, 12)]
    points += [-s for s in points] if name != "s^3" else []

    def integral(of, a, b):
        return (b - a) / 6 * (of(a) + 4 * of((a + b) / 2) + of(b))

    for a, b in product(points, repeat=2):
        if a * b > 0:  # one formula between them
            assert curve.value(b) - curve.value(a) == integral(curve.slope, a, b)
            assert curve.conjugate(b) - curve.conjugate(a) == integral(lambda s: s * curve.slope(s), a, b)
        remainder = curve.value(b) - curve.value(a) - curve.slope(a) * (b - a)
        assert abs(remainder) <= curve.bend(max(a, b)) * (b - a) ** 2


def test_a_step_that_is_short_for_too_small_a_bound_of_the_field_overshoots():
    """A6(ii) dropped from own-any-step, by hand: F' falls from 3 to 1 on [0, 1/10], M = 1/100 and sup|h| = 11/10."""
    s, c, gamma, M = F(1, 10), F(-1), F(3, 10), F(1, 100)
    h, slope = c - s, 3
    assert gamma <= 1 / (2 * (F(3, 2) + 10 * M))  # v_min = 1, C_⋆⋆ = 3, C_⋆ = 10
    to = s + gamma * h
    W = lambda x: x * x / 2 + F(20, 3) * max(x, 0) ** 3 - c * (x + 10 * max(x, F(0)) ** 2)  # noqa: E731
    assert W(to) > W(s) - gamma / 2 * slope * h**2
    honest = s + h / 25  # 1/25 = v_min/(2C̄) for M = sup|h|
    assert W(honest) <= W(s) - F(1, 50) * slope * h**2


def test_the_euclidean_projection_has_noise_of_first_order():
    """own-euclid-noise in plain fractions: the excess over the B_t-bound is γσ/2 + O(γ²)."""
    excess = []
    for gamma in (F(1, 100), F(1, 1000)):
        value = lambda s1, s2: (2 * s1 * s1 + 2 * s1 * (s2 - 1) + (s2 - 1) ** 2) / 2  # noqa: E731
        after = (value(F(0), gamma) + value(-4 * gamma, gamma)) / 2  # σ = 4: one outcome is clipped at s_1 = 0
        excess.append((after - value(F(0), F(0)) + gamma) / gamma)
    assert excess[0] > 2
    assert abs(excess[1] - 2) < abs(excess[0] - 2)


@settings(deadline=None, max_examples=200, derandomize=True)
@given(VECTOR, VECTOR, VECTOR, st.floats(0, 1), st.floats(0, 2), st.floats(0.001, 0.5))
def test_one_round_without_a7(s, t, xi, A, lam, gamma):
    """own-lip-step with own-lip-prox, for every outcome: soft thresholding, ρ = 1, f = A‖θ − t‖²/2, L_T = 1, ℓ = 2."""
    T = lambda x: np.sign(x) * np.maximum(np.abs(x) - lam, 0)  # noqa: E731
    h = lambda x: T(x) - A * (T(x) - t) - x  # noqa: E731
    potential = lambda x: A * np.sum((T(x) - t) ** 2) / 2 + lam * np.sum(np.abs(T(x))) + np.sum(h(x) ** 2) / 32  # noqa: E731
    after = potential(np.clip(s + gamma * (h(s) + xi), -5, 5))  # 𝒮 = [−5, 5]², which contains E S̄
    bound = potential(s) - gamma / 32 * np.sum(h(s) ** 2) + gamma * (1 + 2 / 32) * np.sum(xi**2)
    assert after <= bound + 1e-9 * (1 + abs(bound))


# ----------------------------------------------------------------------------- whole runs, summed over all outcomes

Q2 = F(1, 2)  # α = 1/2, so q² = 1/2; ω = 1: messages are doubled or lost
ROOT_UP, ROOT_DOWN = F(70711, 100000), F(70710, 100000)


def run_all(gamma: F, T: int, s: F, V: F, c: F):
    """E of Σ h² over T rounds and G_0, for one agent, 𝒮 = [−1, 1], S̄ ≡ c with noise ±1: every path, exactly."""
    paths, total = [(F(1), s, V)], F(0)
    for _ in range(T):
        total += sum(w * (c - x) ** 2 for w, x, _ in paths)
        after = []
        for w, x, v in paths:
            for noise in (-1, 1):
                for factor in (0, 2):
                    sent = factor * (c + noise - x - v)
                    to = max(F(-1), min(F(1), x + gamma * (v + sent)))
                    after.append((w / 4, to, v + sent / 2))
        paths = after
    return total, (V - (c - s)) ** 2


@pytest.mark.parametrize(("s", "V", "c"), [(F(1), F(0), F(-1)), (F(1), F(1), F(1)), (F(0), F(-3), F(1))])
def test_theorems_on_whole_runs(s, V, c):
    """own-any, own-projected and own-lip over all outcomes of 4 rounds: F(s) = s, v_min = v_max = L_T = 1, C̄ = 1/2."""
    T, omega = 4, 1
    gap = (s - c) ** 2 / 2
    for gamma in (F(1, 5), F(1, 20)):
        total, G = run_all(gamma, T, s, V, c)
        y2 = (1 + ROOT_UP) ** 2 * omega / Q2**2 * gamma**2  # (1+q)² (ω/α²) γ², rounded up
        assert 2 * y2 <= 1
        grown = (1 + ROOT_DOWN) * omega / Q2
        left = gamma / 2 * (1 - 2 * y2) * total
        assert left <= gap + grown * gamma * G + F(9, 2) * T * gamma
        assert gamma * (1 - F(3, 2) * gamma) * total <= gap + 2 * grown * gamma**2 * G + 9 * T * gamma**2
        a, L = F(1, 8), 1
        flat = a * gamma * (1 - 15 * y2) * total
        start = gap + a * (c - s) ** 2
        assert flat <= start + F(3, 2) * grown * (L + 2 * a) * gamma * G + F(27, 4) * (L + 2 * a) * T * gamma


@settings(deadline=None, max_examples=200, derandomize=True)
@given(VECTOR, VECTOR, st.floats(0, 1), st.floats(-1, 1), st.floats(0.1, 1))
def test_one_round_in_the_seminorm(s, V, A, r, share):
    """own-seminorm for T(s) = s_1, f = Aθ²/2, S̄ = ((1 − A)θ, rθ), B = diag(1, 0), one message doubled or lost, α = 1/4.

    C = A/2, λ² = (1 − A)² + r²; ϱ = 3/4 and M = 6L² by Young's inequality; κ = 1, and c and γ at the edge.
    """
    h = lambda x: np.array([-A * x[0], r * x[0] - x[1]])  # noqa: E731
    lam2, L2 = (1 - A) ** 2 + r**2, np.linalg.norm([[-A, 0.0], [r, -1.0]], 2) ** 2
    c = 4 * (A / 2 + 2 * (1 + lam2) + 3 / 4)
    gamma = share * min(1.0, (1 / (2 * c * 6 * L2)) ** 0.5)

    def potential(x, held):
        return A * x[0] ** 2 / 2 + gamma * np.sum(h(x) ** 2) + c * gamma**2 * np.sum((held - h(x)) ** 2)

    sent = [factor * (h(s) - V) for factor in (0, 2)]
    after = np.mean([potential(s + gamma * (V + m), V + m / 4) for m in sent])
    fall = gamma * (1 - (A / 2 + 2 * lam2) * gamma) * h(s)[0] ** 2 + gamma**2 / 4 * np.sum(h(s) ** 2)
    bound = potential(s, V) - fall
    assert after <= bound + 1e-9 * (1 + abs(bound))


@settings(deadline=None, max_examples=200, derandomize=True)
@given(VECTOR, VECTOR, st.floats(0, 1), st.floats(-1, 1), st.floats(0.1, 1))
def test_one_projected_round_in_the_seminorm(s, V, A, r, share):
    """own-seminorm-projected for the same on s_1 ≥ 0, from a point near that end: D is diagonal, so that Π clips."""
    h = lambda x: np.array([-A * x[0], r * x[0] - x[1]])  # noqa: E731
    lam2, L2 = (1 - A) ** 2 + r**2, np.linalg.norm([[-A, 0.0], [r, -1.0]], 2) ** 2
    K = A / 2 + 5 / 4 * lam2
    c = 4 * (5 / 2 + 2 * K) * 3 / 2
    gamma = share * min(0.5, 1 / (4 * c * 6 * L2))
    s = np.array([gamma * abs(s[0]), s[1]])

    def potential(x, held):
        return A * x[0] ** 2 / 2 + gamma * np.sum(h(x) ** 2) + c * gamma**2 * np.sum((held - h(x)) ** 2)

    sent = [factor * (h(s) - V) for factor in (0, 2)]
    after = np.mean([potential(np.maximum(s + gamma * (V + m), [0.0, -np.inf]), V + m / 4) for m in sent])
    fall = gamma * (1 - 2 * K * gamma) * h(s)[0] ** 2 + gamma**2 / 4 * np.sum(h(s) ** 2)
    bound = potential(s, V) - fall
    assert after <= bound + 1e-9 * (1 + abs(bound))


# ------------------------------------------------------------------------------------------------------------- the page


def test_the_page_names_every_claim_and_no_other():
    """Each row of the section is on the page, and each own-… that the page names is a row of the ledger."""
    known = {claim.id for _, claims in sections() for claim in claims}
    named = set(re.findall(r"`(own-[A-Za-z0-9-]+)`", PAGE.read_text(encoding="utf-8")))
    assert {claim.id for claim in (*CLAIMS, *MESSAGES)} <= named <= known


def test_each_hypothesis_that_may_be_missing_has_a_counterexample():
    """A mutant of its row: the ledger refutes each of them, as `test_ledger` sees."""
    claims = {claim.id: claim for _, found in sections() for claim in found}
    named = [(one.row, one.mutant) for one in HYPOTHESES.values() if one.row]
    assert [(row, mutant) for row, mutant in named if mutant not in claims[row].mutants] == []
    assert {name for _, _, numbers in FEWER.values() for name in numbers} - HYPOTHESES.keys() == {"h0"}


def test_the_comparison_on_the_page_runs_and_needs_what_it_says(capsys):
    """The page computes its table by the command: all apply but those that lack numbers, or allow no compression."""
    options = re.search(r'^options = "(.*)"$', PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert options is not None
    assert main(["theorem", *shlex.split(options[1]), "--constants", "own", "--json"]) == 0
    found = {entry["theorem"]: entry["why_not"] for entry in json.loads(capsys.readouterr().out)["theorems"]}
    assert found.pop("own-lip") == "not known: --L-T, --ell, --h0"
    assert found.pop("own-seminorm") == "not known: --lam, --h0"
    assert {found.pop(name) for name in ("own-biased-linear", "own-pl", "own-pl-projected")} == {"not known: --pl"}
    lacks = "not known: --monotone, --cocoercive, --h0"
    assert {found.pop(name) for name in ("own-diana-rate", "own-biased-monotone")} == {lacks}
    exact = ("own-scaffold-rate", "own-accelerated-restart")
    assert {found.pop(name) for name in exact} == {"messages are compressed"}
    assert set(found.values()) == {""}
