"""Mean and variance of the direction H_{t+1} (Prop. `prop:update_error`), for any number of agents and dimension.

Agent i's randomness is n_i = S_{t+1,i} − E_i S̄ and q_i = Q̃_{t+1,i}(Δ_{t+1,i}) − Δ_{t+1,i}; x_i = V_{t,i} − h_i(Ŝ_t) is
past. Then Δ_{t+1,i} = n_i − x_i, and H_{t+1} − h(Ŝ_t) = Σ μ_i (n_i + q_i). What is independent of what is declared as
rules of the conditional expectation; refutations sum over all outcomes of a finite round (`agents.Round`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction as F
from functools import cache
from itertools import product

import sympy as sp

from fedmm_edu.proofs.certificate import decide, same_vector, verify
from fedmm_edu.proofs.expectation import Expectation, Mean
from fedmm_edu.proofs.gram import Vector, atoms, inner, operator, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.agents import ALL_DRAWS, COMPRESSED, ONE_COIN, QUIET, Round
from proofs_checks.shared.exact import admitted, value_at
from proofs_checks.shared.tools import tried

ROOT = operator("B_t^{1/2}")
gamma, eta = sp.symbols("gamma eta", positive=True)
alpha, omega_p, sigma, L, mu = sp.symbols("alpha omega_p sigma_i L_i mu_i", nonnegative=True)
v_min, v_max = sp.symbols(r"v_{\min} v_{\max}", positive=True)
X, XJ, NOISE, NOISE_J, SENT, SENT_J = atoms("x_i", "x_j", "n_i", "n_j", "q_i", "q_j")
DELTA = NOISE - X
ZERO = Vector({})
mu_j = sp.Symbol("mu_j", nonnegative=True)
TWO_AGENTS = (
    r"two agents, written out: $E\|\mu_i(n_i+q_i) + \mu_j(n_j+q_j)\|_{B_t}^2 = "
    r"\mu_i^2 E\|n_i+q_i\|_{B_t}^2 + \mu_j^2 E\|n_j+q_j\|_{B_t}^2$"
)

PRINTED_VARIANCE = ("A3", "A4", "A5")
IN_FORCE = (*PRINTED_VARIANCE, "independent oracles", "independent compressors")  # L 667, L 704
VARIANCE = (*IN_FORCE, "A7", "A8")


def rules(hypotheses: Sequence[str]) -> Expectation:
    """E[· | F_t] with the rules that the hypotheses give, for two agents i ≠ j."""
    means: dict[str, Mean] = {}
    if "A3" in hypotheses:
        means["n_i"] = Mean(ZERO)
        means["n_j"] = Mean(ZERO, {"n_i"} if "independent oracles" in hypotheses else set())
    if {"A4", "A5"} <= set(hypotheses):  # Lemma 1, the map Q̃ being independent of what it is applied to
        means["q_i"] = Mean(ZERO, {"n_i", "n_j"})
        means["q_j"] = Mean(ZERO, {"n_i", "n_j"} | ({"q_i"} if "independent compressors" in hypotheses else set()))
    free = {"n_i", "n_j", "q_i", "q_j"} - set(means)
    return Expectation({"x_i", "x_j"}, means, free=free).through(ROOT)


def moments(E: Expectation, hypotheses: Sequence[str]) -> dict[str, Hypothesis]:
    """What A3, A4 with A5 (Lemma 1) and A7(ii) with A8(ii) say about second moments, for agent i."""
    noise, sent = E.of(square(NOISE)), E.of(square(SENT))
    lines = {
        "A3": Hypothesis(sigma**2 - noise, r"A3: $E\|n_i\|^2 \leq \sigma_i^2$"),
        "Lemma 1": Hypothesis(omega_p * E.of(square(DELTA)) - sent, r"A4 and A5 (Lemma 1) at $\Delta_{t+1,i}$"),
        "A7(ii) with A8(ii)": Hypothesis(
            v_max * noise - E.of(square(ROOT(NOISE))), r"$\|\cdot\|_{B_t}^2 \leq v_{\max}\|\cdot\|^2$"
        ),
        "A7(ii) with A8(ii) for q": Hypothesis(
            v_max * sent - E.of(square(ROOT(SENT))), r"$\|\cdot\|_{B_t}^2 \leq v_{\max}\|\cdot\|^2$"
        ),
    }
    needs = {
        "A3": {"A3"},
        "Lemma 1": {"A4", "A5"},
        "A7(ii) with A8(ii)": {"A7", "A8"},
        "A7(ii) with A8(ii) for q": {"A7", "A8"},
    }
    return {name: line for name, line in lines.items() if needs[name] <= set(hypotheses)}


def rounds() -> list[Round]:
    """Finite rounds: every law of draws, at agents that agree and agents that do not, and each hypothesis dropped."""
    found, origin, far, small = [], (F(0), F(0)), (F(3), F(-3)), F(1, 100)
    for draws in ALL_DRAWS:
        n, rate = draws.n, 1 / (1 + draws.omega_p)
        for V in ((F(0),) * n, (F(1), F(-1)) * (n // 2), (F(2),) * n, (F(3), *(F(0),) * (n - 1))):
            choices = product((F(0), F(1)), (F(0), rate / 2, rate))
            found += [Round(draws, V, (F(0),) * n, slope=k, alpha=a) for k, a in choices]
            found.append(Round(draws, V, (F(0),) * n, L=small, alpha=rate))
    for b in (F(8), F(1, 8)):  # B_t, with B(Ŝ_t) = 1 or B(Ŝ_t) = B_t but outside [v_min, v_max]
        found += [Round(COMPRESSED, far, origin, B=B, b=b) for B in (F(1), b)]
        found += [Round(COMPRESSED, (F(5), F(5)), (F(5), F(5)), slope=F(1), B=B, b=b) for B in (F(1), b)]
    found.append(Round(COMPRESSED, (F(5), F(5)), (F(5), F(5)), slope=F(9), alpha=F(0)))
    apart = tuple(map(F, (-7, -4, -5, -6)))  # V_{t,i}, so that Δ_{t+1,i} are the points at which one coin decides
    found.append(Round(ONE_COIN, apart, (F(0),) * 4, slope=F(16), L=F(16), alpha=F(0)))
    found.append(Round(QUIET, far, origin, alpha=F(-1, 2), L=small))
    found += [Round(d, far, origin, alpha=a) for d, a in product((COMPRESSED, QUIET), (F(-1, 2), F(1), F(2)))]
    return found


ROUNDS = rounds()
Compared = tuple[F, F]


def search(hypotheses: Sequence[str], compare: Callable[[Round], Compared], says: str) -> Witness | None:
    """The first round that satisfies the hypotheses and whose left side exceeds the right one."""
    for round_ in admitted(ROUNDS, hypotheses):
        left, right = compare(round_)
        if left > right:
            return Witness(round_.point(), f"{says}: ${left} > {right}$")
    return None


def agreement(hypotheses: Sequence[str], compare: Callable[[Round], Compared]) -> tuple[Step, ...]:
    """`tried` on all rounds that satisfy the hypotheses; `compare` sums over every outcome of a round."""
    says = "exact rounds that satisfy the hypotheses, each summed over all its outcomes"
    return tried(says, map(compare, admitted(ROUNDS, hypotheses)))


def exact(value: sp.Expr, at: Round) -> F:
    """A coefficient in ω_p and α as a fraction, at the constants of a round."""
    return _exact(value, at.draws.omega_p, at.alpha)


@cache
def _exact(value: sp.Expr, omega: F, rate: F) -> F:
    return value_at(value, {omega_p: omega, alpha: rate})


@cache
def parse(text: str) -> sp.Expr:
    return sp.sympify(text, {"w": omega_p, "a": alpha, "eta": eta})


# ---------------------------------------------------------------------------- the direction: mean and variance


def direction_mean(hypotheses: Sequence[str] = PRINTED_VARIANCE, server: str = "1") -> Verdict:
    """E[H_{t+1} | F_t] = h(Ŝ_t), where H_{t+1} = server·V_t + Σ μ_i Q̃_{t+1,i}(Δ_{t+1,i})."""
    weight = sp.Rational(server)

    def prove() -> Sequence[Step]:
        field, kept = atoms("h_i", "V_{t,i}")
        E = rules(hypotheses)
        mean = weight * kept + E.mean(SENT + NOISE) + field - kept  # Q̃(Δ) = q + n + h_i − V_i
        why = r"tower: $E[q_i \mid F_{t+1/3,i}] = 0$ and $E[n_i \mid F_t] = 0$; $V_t = \sum_i \mu_i V_{t,i}$; termwise"
        says = r"client $i$'s part of $E[H_{t+1} \mid F_t]$ is $\mu_i h_i(\hat S_t)$"
        return (same_vector(mean, field, why, says), *agreement(hypotheses, compare))

    def compare(r: Round) -> Compared:
        missing = (1 - F(server)) * sum(r.V) / r.draws.n
        return abs(r.mean(lambda _, sent: r.H(sent)) - missing - r.field), F(0)

    return decide("derivation", prove, [lambda: search(hypotheses, compare, r"$|E[H_{t+1}] - h(\hat S_t)|$")])


def delta_moment(hypotheses: Sequence[str] = ("A3",), bias: str = "1", noise: str = "1") -> Verdict:
    """E[‖Δ_{t+1,i}‖² | F_t] ≤ bias·‖V_{t,i} − h_i(Ŝ_t)‖² + noise·σ_i²."""
    b, c = parse(bias), parse(noise)

    def prove() -> Sequence[Step]:
        E = rules(hypotheses)
        target = b * square(X) + c * sigma**2 - E.of(square(DELTA))
        says = r"$E\|n_i - x_i\|^2 = E\|n_i\|^2 + \|x_i\|^2 \leq \sigma_i^2 + \|x_i\|^2$"
        return (*verify(target, moments(E, hypotheses), {"A3": 1}, says=says), *agreement(hypotheses, compare))

    def compare(r: Round) -> Compared:
        left = r.mean(lambda deltas, _: deltas[0] ** 2)
        return left, exact(b, r) * (r.V[0] - r.h[0]) ** 2 + exact(c, r) * r.draws.sigma2[0]

    return decide("certificate", prove, [lambda: search(hypotheses, compare, r"$E\|\Delta_{t+1,1}\|^2$")])


def direction_variance(
    hypotheses: Sequence[str] = VARIANCE, noise: str = "1 + w", bias: str = "w", power: int = 2
) -> Verdict:
    """E[‖H_{t+1} − h(Ŝ_t)‖²_{B_t} | F_t] ≤ noise·v_max σ²/n + bias·v_max Σ μ_i^power ‖V_{t,i} − h_i(Ŝ_t)‖²."""
    c, b = parse(noise), parse(bias)

    def prove() -> Sequence[Step]:
        return (*variance_lines(hypotheses, c, b, power), *agreement(hypotheses, compare))

    def compare(r: Round) -> Compared:
        left = r.mean(lambda _, sent: r.b * (r.H(sent) - r.field) ** 2)
        spread, errors = r.sums
        errors *= F(r.draws.n) ** (2 - power)
        return left, r.v_max * (exact(c, r) * spread + exact(b, r) * errors)

    return decide("certificate", prove, [lambda: search(hypotheses, compare, r"$E\|H_{t+1} - h\|_{B_t}^2$")])


def variance_lines(hypotheses: Sequence[str], noise: sp.Expr, bias: sp.Expr, power: int = 2) -> Sequence[Step]:
    """Proposition `prop:update_error` for any number of agents: cross terms vanish, each agent's term is bounded."""
    E = rules(hypotheses)
    cross = E.of(inner(ROOT(NOISE + SENT), ROOT(NOISE_J + SENT_J)))
    says = r"$E[\langle n_i + q_i, n_j + q_j \rangle_{B_t} \mid F_t] = 0$ for $i \neq j$"
    uncorrelated = verify(cross, {}, {}, equality=True, says=says)
    both = mu * ROOT(NOISE + SENT) + mu_j * ROOT(NOISE_J + SENT_J)
    own, other = E.of(square(ROOT(NOISE + SENT))), E.of(square(ROOT(NOISE_J + SENT_J)))
    two = verify(E.of(square(both)) - mu**2 * own - mu_j**2 * other, {}, {}, equality=True, says=TWO_AGENTS)
    target = v_max * (mu**2 * noise * sigma**2 + mu**power * bias * square(X)) - mu**2 * own
    factors = {
        "A7(ii) with A8(ii)": mu**2,
        "A7(ii) with A8(ii) for q": mu**2,
        "Lemma 1": mu**2 * v_max,
        "A3": mu**2 * v_max * (1 + omega_p),
    }
    says = r"$\mu_i^2 E\|n_i+q_i\|_{B_t}^2 \leq \mu_i^2 v_{\max}((1+\omega_p)\sigma_i^2 + \omega_p\|x_i\|^2)$"
    each = verify(target, moments(E, hypotheses), factors, says=says)
    says = r"$E\|\sum_i \mu_i(n_i+q_i)\|_{B_t}^2 = \sum_i \mu_i^2 E\|n_i + q_i\|_{B_t}^2 \leq$ the sum of the bounds"
    total = Step(says, r"bilinear: the terms with $i \neq j$ vanish; sum over $i$ of the lines above, for every n")
    return (*uncorrelated, *two, *each, total)
