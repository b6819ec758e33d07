"""Unbiased messages where −h is strongly monotone and cocoercive: DIANA's rate, for FedMM as Algorithm 2 has it.

s_⋆ is a root of h, d = Ŝ_t − s_⋆, and G_t = Σ μ_i²‖V_{t,i} − h_i(s_⋆)‖²: the control variates are measured against what
they tend to, not against what they follow. Of client i, x_i = V_{t,i} − h_i(Ŝ_t), e_i = h_i(Ŝ_t) − h_i(s_⋆), and n_i
and q_i are as in `variance`. K ≥ 0 is any number with K(1 − α(1+ω_p)) ≥ ω_p. Refutations are exact rounds of the
algorithm with affine h_i on the line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import cache

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.expectation import Expectation, Mean, linear_image
from fedmm_edu.proofs.gram import Vector, atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.agents import ALL_DRAWS, COMPRESSED, QUIET, SOUND, Draws
from proofs_checks.appendix_d_lemmas.variance import (
    DELTA,
    NOISE,
    NOISE_J,
    SENT,
    SENT_J,
    X,
    gamma,
    moments,
    mu,
    omega_p,
    rules,
    sigma,
)
from proofs_checks.shared.exact import admitted, as_text, first_failing, satisfying, value_at

CLIENT = ("A3", "A4", "A5", "K")
MODEL = ("monotone", "cocoercive", "clients cocoercive")
DIANA = (*CLIENT, "independent oracles", "independent compressors", *MODEL, "nonexpansive", "step")
m, ell, lam, a = sp.symbols(r"m \ell \lambda alpha", positive=True)
K, room = sp.symbols("K {room}", nonnegative=True)
NAMES = {"a": a, "w": omega_p, "K": K, "m": m, "l": ell, "lam": lam, "g": gamma}
(CHANGE,) = atoms("e_i")
NOISY = "(1 + w)*(1 + a*K)"
DRIFT = "1 - g*m*(2 - g*(l + K*lam))"


@cache
def parse(text: str) -> sp.Expr:
    """A formula in a (α), w (ω_p), K, m, l (ℓ), lam (λ) and g (γ)."""
    return sp.sympify(text, NAMES)


# ------------------------------------------------------------------------------------------------------ exact rounds


@dataclass(frozen=True)
class Affine:
    """One round on the line, s_⋆ = 0 and h_i(s) = −k_i s, μ_i = 1/n; Π(x) = factor·x. The constants are claims."""

    draws: Draws
    V: tuple[F, ...]
    k: tuple[F, ...]
    s: F
    alpha: F
    gamma: F
    K: F
    m: F
    ell: F
    lam: F
    factor: F = F(1)

    @property
    def n(self) -> int:
        return self.draws.n

    @property
    def h(self) -> F:
        return -sum(self.k, F(0)) / self.n * self.s

    @property
    def G(self) -> F:
        return sum((v * v for v in self.V), F(0)) / self.n**2

    def facts(self) -> set[str]:
        D, each = -self.h * self.s, sum((k * k for k in self.k), F(0)) * self.s**2 / self.n**2
        tests = {
            "K": self.K * (1 - self.alpha * (1 + self.draws.omega_p)) >= self.draws.omega_p,
            "monotone": self.m * self.s**2 <= D,
            "cocoercive": self.h**2 <= self.ell * D,
            "clients cocoercive": each <= self.lam * D,
            "nonexpansive": abs(self.factor) <= 1,
            "step": self.gamma * (self.ell + self.K * self.lam) <= 2,
        }
        return {*self.draws.facts, *(name for name, holds in tests.items() if holds)}

    def outcomes(self) -> Iterator[tuple[F, list[F], list[F]]]:
        """Probability, messages Q̃(Δ_i) and errors n_i + q_i of the direction."""
        for w, noise, selected, factors in self.draws.outcomes():
            h = [-k * self.s for k in self.k]
            deltas = [x + e - v for x, e, v in zip(h, noise, self.V, strict=True)]
            triples = zip(selected, factors, deltas, strict=True)
            sent = [u / self.draws.p * c[self.draws.piece(d)] * d for u, c, d in triples]
            yield w, sent, [q + v - x for q, v, x in zip(sent, self.V, h, strict=True)]

    def after(self) -> F:
        """E of (Ŝ_{t+1} − s_⋆)² + (K/α)γ² G_{t+1}."""
        total = F(0)
        for w, sent, _ in self.outcomes():
            H = (sum(self.V, F(0)) + sum(sent, F(0))) / self.n
            held = [v + self.alpha * q for v, q in zip(self.V, sent, strict=True)]
            G = sum((v * v for v in held), F(0)) / self.n**2
            total += w * ((self.factor * (self.s + self.gamma * H)) ** 2 + self.K / self.alpha * self.gamma**2 * G)
        return total

    def client(self) -> F:
        """E of K(V_{t+1,1} − h_1(s_⋆))² + α(n_1 + q_1)²."""
        parts = (
            w * (self.K * (self.V[0] + self.alpha * sent[0]) ** 2 + self.alpha * off[0] ** 2)
            for w, sent, off in self.outcomes()
        )
        return sum(parts, F(0))

    def above(self, right: dict[str, sp.Expr]) -> str | None:
        """Where the round ends above the bound with these factors: both sides."""
        factor = {name: self.at(formula) for name, formula in right.items()}
        left, spread = self.after(), sum(self.draws.sigma2, F(0)) / self.n**2
        bound = factor["drift"] * self.s**2 + factor["noise"] * self.gamma**2 * spread
        bound += factor["keep"] * self.K / self.alpha * self.gamma**2 * self.G
        return f"left ${left} > {bound}$ right" if left > bound else None

    def at(self, formula: sp.Expr) -> F:
        return _at(formula, (self.draws.omega_p, self.alpha, self.K, self.m, self.ell, self.lam, self.gamma))

    def witness(self, says: str) -> Witness:
        names = ("V", "k", "s", "alpha", "gamma", "K", "m", "ell", "lam", "factor")
        shown = as_text({name: getattr(self, name) for name in names})
        return Witness({"draws": self.draws.name, **shown, "mu_i": f"1/{self.n}"}, says)


@cache
def _at(formula: sp.Expr, values: tuple[F, ...]) -> F:
    symbols = (omega_p, a, K, m, ell, lam, gamma)
    return value_at(formula, dict(zip(symbols, values, strict=True)))


def _rounds() -> tuple[Affine, ...]:
    found = []
    for draws in ALL_DRAWS:
        n, full = draws.n, 1 / (1 + draws.omega_p)
        for V in ((F(0),) * n, (F(1), F(-1)) * (n // 2), (F(2),) * n, tuple(map(F, (-7, -4, -5, -6)))[:n]):
            for s in (F(0), F(1), F(-8)):
                size = full / 2
                k, weight = F(1, 2), draws.omega_p / (1 - size * (1 + draws.omega_p))
                room = 1 / (k + weight * k / n)
                base = Affine(draws, V, (k,) * n, s, size, room, weight, k, k, k / n)
                found.append(base)
                if draws in (SOUND, COMPRESSED, QUIET):
                    found += _changed(base)
    return tuple(found)


def _changed(base: Affine) -> Iterator[Affine]:
    """The round with clients that differ, with slack in one constant, and with one claim that is false."""
    k = base.k[0]
    yield replace(base, k=(F(0), 2 * k), lam=k)  # λ = Σ μ_i² k_i² / k
    yield replace(base, gamma=base.gamma / 8)
    yield replace(base, m=k / 8)
    yield replace(base, K=base.K / 2 if base.K else F(0))  # K
    yield replace(base, K=F(0))
    yield replace(base, m=4 * k)  # monotone
    yield replace(base, ell=k / 4)  # cocoercive
    yield replace(base, k=(F(0), 2 * k), lam=k / 8)  # clients cocoercive
    yield replace(base, factor=F(3))  # nonexpansive
    yield replace(base, m=k / 8, gamma=4 * base.gamma)  # step


ROUNDS = _rounds()


def search(hypotheses: Sequence[str], excess: str, right: dict[str, sp.Expr]) -> Witness | None:
    """The first round that satisfies the hypotheses and exceeds the bound with these factors."""

    def wrong(x: Affine) -> str | None:
        if excess == "round":
            return x.above(right)
        factor = {name: x.at(formula) for name, formula in right.items()}
        left, size, change = x.client(), x.V[0] ** 2, (x.k[0] * x.s) ** 2
        bound = x.K * (factor["keep"] * size + factor["change"] * change)
        bound += x.alpha * factor["noise"] * x.draws.sigma2[0]
        return f"left ${left} > {bound}$ right" if left > bound else None

    return first_failing(ROUNDS, hypotheses, wrong)


def affine_instance(hypotheses: Sequence[str] = DIANA) -> Witness:
    """A round with noise, absent clients and clients that differ, which satisfies every hypothesis."""
    x = next(x for x in admitted(ROUNDS, hypotheses) if x.draws is SOUND and x.s and x.G and x.k[0] == 0)
    return satisfying(x, hypotheses, "a round of two clients that differ")


# --------------------------------------------------------------------------------------------------------- the rows


def expectation(hypotheses: Sequence[str]) -> Expectation:
    E = rules(hypotheses)
    return replace(E, past={*E.past, "e_i", "e_j"})


def client_lines(hypotheses: Sequence[str], keep: sp.Expr, change: sp.Expr, noise: sp.Expr) -> tuple[Step, ...]:
    """K E‖V_{t+1,i} − h_i(s_⋆)‖² + αE‖n_i+q_i‖² ≤ K·keep‖V_{t,i}−h_i(s_⋆)‖² + K·change‖e_i‖² + α·noise·σ_i²."""
    E = expectation(hypotheses)
    left = K * E.of(square(X + CHANGE + a * (DELTA + SENT))) + a * E.of(square(NOISE + SENT))
    given = {name: line for name, line in moments(E, hypotheses).items() if name in ("A3", "Lemma 1")}
    if "K" in hypotheses:
        given["K"] = Hypothesis(K * (1 - a * (1 + omega_p)) - omega_p, r"$K(1-\alpha(1+\omega_p)) \geq \omega_p$")
    target = K * keep * square(X + CHANGE) + K * change * square(CHANGE) + a * noise * sigma**2 - left
    factors = {"Lemma 1": K * a**2 + a, "A3": a * (1 + omega_p) * (1 + a * K), "K": a * square(X)}
    return verify(target, given, factors)


def client(hypotheses: Sequence[str] = CLIENT, keep: str = "1 - a", change: str = "a", noise: str = NOISY) -> Verdict:
    """`client_lines`, for α > 0."""
    parts = {"keep": parse(keep), "change": parse(change), "noise": parse(noise)}
    return decide(
        "certificate",
        lambda: client_lines(hypotheses, parts["keep"], parts["change"], parts["noise"]),
        [lambda: search(hypotheses, "client", parts)],
    )


def diana(hypotheses: Sequence[str] = DIANA, drift: str = DRIFT, keep: str = "1 - a", noise: str = NOISY) -> Verdict:
    """E‖Ŝ_{t+1} − s_⋆‖² + (K/α)γ²E[G_{t+1}] ≤ drift·‖Ŝ_t − s_⋆‖² + keep·(K/α)γ²G_t + noise·γ²σ²/n."""
    parts = {"drift": parse(drift), "keep": parse(keep), "noise": parse(noise)}

    def prove() -> Sequence[Step]:
        return (*one_round(hypotheses), *together(hypotheses, parts))

    return decide("certificate", prove, [lambda: search(hypotheses, "round", parts)])


def one_round(hypotheses: Sequence[str]) -> tuple[Step, ...]:
    """What a round does to clients and server, before their lines are put together."""
    each = client_lines(hypotheses, 1 - a, a, parse(NOISY))
    return (*cross_terms(hypotheses), *each, *summed(), *server(hypotheses))


def cross_terms(hypotheses: Sequence[str]) -> tuple[Step, ...]:
    """The errors of two clients are uncorrelated."""
    E = expectation(hypotheses)
    says = r"$E[\langle n_i + q_i, n_j + q_j \rangle \mid F_t] = 0$ for $i \neq j$"
    return verify(E.of(inner(NOISE + SENT, NOISE_J + SENT_J)), {}, {}, equality=True, says=says)


def summed() -> tuple[Step, ...]:
    """The sum over clients of the last lines, times μ_i²."""
    held, own, change, off = sp.symbols("held own change off", nonnegative=True)
    line = K * (1 - a) * held + K * a * change + a * parse(NOISY) * sigma**2 - K * own - a * off
    image = dict(zip((held, change, sigma**2, own, off), sp.symbols("G A S G' N", nonnegative=True), strict=True))
    linear_image(sp.expand(mu**2 * line), {mu**2 * x: y for x, y in image.items()}, fixes_constants=False)
    says = (
        r"sum over $i$: $K E[G_{t+1}] + \alpha E\|H-h\|^2 \leq K(1-\alpha)G_t + K\alpha\sum_i\mu_i^2\|e_i\|^2 + \ldots$"
    )
    return (
        Step(says, r"the last line is linear; $E\|H-h\|^2 = \sum_i \mu_i^2 E\|n_i+q_i\|^2$, the cross terms are 0"),
    )


def server(hypotheses: Sequence[str]) -> tuple[Step, ...]:
    """E‖Ŝ_{t+1} − s_⋆‖² ≤ ‖d‖² + 2γ⟨h, d⟩ + γ²(‖h‖² + E‖H − h‖²)."""
    d, h, xi, after = atoms("d", "h", r"\xi", "d'")
    E = Expectation({"d", "h"}, {r"\xi": Mean(Vector({}))}, free={"d'"})
    why = r"$\|\Pi(x) - s_\star\| \leq \|x - s_\star\|$, $x = \hat S_t + \gamma H_{t+1}$"
    line = Hypothesis(square(d + gamma * (h + xi)) - square(after), why)
    given = {"nonexpansive": E.line(line)} if "nonexpansive" in hypotheses else {}
    target = square(d) + 2 * gamma * inner(h, d) + gamma**2 * (square(h) + E.of(square(xi))) - E.of(square(after))
    return verify(target, given, {"nonexpansive": 1})


def together(hypotheses: Sequence[str], parts: dict[str, sp.Expr]) -> tuple[Step, ...]:
    """The lines above, with D = −⟨h, d⟩; ℓ = (2 − room)/γ − Kλ for a room ≥ 0 is the condition on the step."""
    D, dd, hh, A, N, S = sp.symbols(r"D {\|d\|^2} {\|h\|^2} A N {\sigma^2/n}", nonnegative=True)
    G, G1, after = sp.symbols("G_t G_{t+1} {E\\|d'\\|^2}", nonnegative=True)
    if "step" in hypotheses:
        size, left = (2 - room) / gamma - K * lam, room
    else:
        size, left = ell, 2 - gamma * (ell + K * lam)
    clients = K * (1 - a) * G + K * a * A + a * parse(NOISY) * S - K * G1 - a * N
    lines = {
        "server": Hypothesis(dd - 2 * gamma * D + gamma**2 * (hh + N) - after, "the line above"),
        "clients": Hypothesis(clients, r"the sum over clients, $A = \sum_i \mu_i^2\|e_i\|^2$"),
        "monotone": Hypothesis(D - m * dd, r"$-\langle h(\hat S_t), d \rangle \geq m\|d\|^2$"),
        "cocoercive": Hypothesis(size * D - hh, r"$\|h(\hat S_t)\|^2 \leq \ell D$"),
        "clients cocoercive": Hypothesis(
            lam * D - A, r"$\sum_i\mu_i^2\|h_i(\hat S_t)-h_i(s_\star)\|^2 \leq \lambda D$"
        ),
    }
    given = {name: line for name, line in lines.items() if name in hypotheses or name not in MODEL}
    weight = K / a * gamma**2
    target = parts["drift"] * dd + parts["keep"] * weight * G + parts["noise"] * gamma**2 * S - after - weight * G1
    factors = {
        "server": 1,
        "clients": gamma**2 / a,
        "cocoercive": gamma**2,
        "clients cocoercive": gamma**2 * K,
        "monotone": gamma * left,
    }
    return verify(target.subs(ell, size), given, factors)
