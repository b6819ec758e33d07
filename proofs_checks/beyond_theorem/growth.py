"""One step without A7 from quadratic growth: no derivative of T, no v_min, and nothing asked of φ from below.

Growth of J_s about T(s) bounds Δθ = T(s') − T(s) by Δs; slopes of φ and of the mean oracle do the rest. Notation as in
`lipschitz`; refutations are the rounds of `prox`, for which J_s = θ²/2 + λ|θ| − sθ, φ(θ) = θ, E S̄ = (1 − A)θ + At.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from functools import cache

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import Vector, atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.monotony import MOVE, PHI, PHI_, D, S, g, g_, psi, psi_, smoothness
from proofs_checks.beyond_theorem.line import fair
from proofs_checks.beyond_theorem.lipschitz import CHANGE, fall, given_lines, u
from proofs_checks.beyond_theorem.prox import ROUNDS, Prox
from proofs_checks.shared.exact import as_text, first_failing, value_at
from proofs_checks.shared.tools import instance

GROWTH = ("MM-1", "growth", "φ Lipschitz in θ", "S̄ Lipschitz in θ", "mean in 𝒮", "𝒮 convex", "γ ≤ 1/2")
kappa, slope, oracle = sp.symbols(r"\kappa \ell_\phi \ell_S", positive=True)
(DELTA,) = atoms(r"\Delta\theta")
L_T, BOTH = slope**2 / kappa, oracle**2 / kappa
"""L_T, and L_Tℓ² for ℓ = ℓ_S/ℓ_φ."""
FIELDS = "1 + slope*oracle/kappa"
NAMES = {"kappa": kappa, "slope": slope, "oracle": oracle}


@cache
def parse(text: str) -> sp.Expr:
    return sp.sympify(text, NAMES)


@dataclass(frozen=True)
class Claimed:
    """A round with claimed κ, ℓ_φ and ℓ_S; `scale` 1 is the minimiser, for which the best are 1, 1 and |1 − A|."""

    round: Prox
    kappa: F = F(1)
    slope: F = F(1)
    oracle: F = F(1)

    def facts(self) -> set[str]:
        x, known = self.round, self.round.facts()
        tests = {
            "growth": "MM-2" in known and self.kappa <= 1,
            "φ Lipschitz in θ": self.slope >= 1,
            "S̄ Lipschitz in θ": abs(1 - x.A) <= self.oracle,
        }
        return {*known, *(name for name, holds in tests.items() if holds)}

    def value(self, x: sp.Expr) -> F:
        return value_at(x, {kappa: self.kappa, slope: self.slope, oracle: self.oracle})

    def wrong(self, gain: F, error: F, size: F) -> str | None:
        """Where h moves by more than `size` times the move, or Φ ends above its bound."""
        x, a = self.round, self.value(1 / (8 * BOTH))
        change = abs(x.h(x.s + 1) - x.h(x.s))
        if change > size:
            return rf"$\|\Delta h\| = {change} > {size}$ for $\Delta s = 1$"
        bound = x.W(x.s) + a * x.h(x.s) ** 2 * (1 - gain * x.gamma) + error * x.gamma * x.mean(lambda e: e * e)
        after = x.mean(lambda e: x.W(x.move(e)) + a * x.h(x.move(e)) ** 2)
        return rf"$E[\Phi_{{t+1}}] = {after} > {bound}$" if after > bound else None

    def witness(self, says: str) -> Witness:
        ours = {name: text for name, text in self.round.point().items() if name not in ("L_T", "ell")}
        return Witness(ours | as_text({"kappa": self.kappa, "ell_phi": self.slope, "ell_S": self.oracle}), says)


def claimed() -> Iterator[Claimed]:
    """Sound constants, then each of them too good."""
    for x in ROUNDS:
        sound = max(abs(1 - x.A), F(1, 100))
        yield Claimed(x, oracle=sound)
        yield Claimed(x, F(10), oracle=max(sound, F(10)))
        yield Claimed(x, slope=F(1, 10), oracle=max(sound, F(10)))
        yield Claimed(x, oracle=F(1, 100))


def lyapunov(
    hypotheses: Sequence[str] = GROWTH,
    gain: str = "1",
    error: str = "slope**2/kappa + kappa/(4*oracle**2)",
    field: str = FIELDS,
) -> Verdict:
    """Φ_t = W_t + a‖h(Ŝ_t)‖², a = κ/(8ℓ_S²): E[Φ_{t+1} | F_t] ≤ Φ_t − gain·aγ‖h(Ŝ_t)‖² + error·γ E‖H − h‖².

    And ‖h(s') − h(s)‖ ≤ field·‖s' − s‖.
    """
    step, share = 1 / (u + (2 if "γ ≤ 1/2" in hypotheses else 1)), 1 / (8 * BOTH)
    k, b, size = sp.Rational(gain), parse(error), parse(field)

    def prove() -> Sequence[Step]:
        first, lines = slopes(hypotheses, size)
        with_MM_2 = [*hypotheses, *(["MM-2"] if "growth" in hypotheses else [])]  # eq46: growth is MM-2 and more
        given, _ = given_lines(with_MM_2, step)
        pull = {"cocoercive": (sp.Rational(3, 4) - step) / step, "oracle": 2 * share / step}
        steps = fall(given | lines, pull, step, L_T, share, k, b)
        return (*first, *smoothness().evidence, *steps)

    def wrong(one: Claimed) -> str | None:
        return one.wrong(F(gain), one.value(b), one.value(size))

    return decide("certificate", prove, [lambda: first_failing(claimed(), hypotheses, wrong)])


def slopes(hypotheses: Sequence[str], size: sp.Expr) -> tuple[tuple[Step, ...], dict[str, Hypothesis]]:
    """⟨Δs, D⟩ ≥ κ‖Δθ‖², hence ≥ ‖D‖²/L_T and ≥ ‖δ‖²/(L_Tℓ²), and ‖δ − Δs‖ ≤ size·‖Δs‖: the steps, and the first two."""
    half = kappa / 2 * square(DELTA)

    def J(value: sp.Expr, at: Vector, s: Vector) -> sp.Expr:
        return value - inner(s, at)

    own, other, s_ = g + psi, g_ + psi_, S + MOVE
    lines = {
        "growth at s": ("growth", J(other, PHI_, S) - J(own, PHI, S) - half, r"growth about $T(s)$, at $T(s')$"),
        "growth at s'": ("growth", J(own, PHI, s_) - J(other, PHI_, s_) - half, r"growth about $T(s')$, at $T(s)$"),
        "φ": ("φ Lipschitz in θ", slope**2 * square(DELTA) - square(D), r"$\|D\| \leq \ell_\phi\|\Delta\theta\|$"),
        "S̄": (
            "S̄ Lipschitz in θ",
            oracle**2 * square(DELTA) - square(CHANGE),
            r"$\|\delta\| \leq \ell_S\|\Delta\theta\|$",
        ),
    }
    given = {name: Hypothesis(e, why) for name, (needs, e, why) in lines.items() if needs in hypotheses}
    both: dict[str, sp.Expr | int] = {"growth at s": 1, "growth at s'": 1}
    twice: dict[str, sp.Expr | int] = {"growth at s": BOTH, "growth at s'": BOTH, "S̄": 1}
    flat = inner(MOVE, D) - square(D) / L_T
    pull = BOTH * inner(MOVE, D) - square(CHANGE)
    steps = (
        *verify(flat, given, both | {"φ": kappa / slope**2}, says=r"$\langle \Delta s, D \rangle \geq \|D\|^2/L_T$"),
        *verify(
            pull, given, twice,
            says=r"$L_T\ell^2\langle \Delta s, D \rangle \geq \|\delta\|^2$",
        ),
        *_field(given, size),
    )  # fmt: skip
    return steps, {"cocoercive": Hypothesis(flat, "the line above"), "oracle": Hypothesis(pull, "the line above")}


def _field(given: dict[str, Hypothesis], size: sp.Expr) -> tuple[Step, ...]:
    """‖Δθ‖ ≤ (ℓ_φ/κ)‖Δs‖, and what follows for Δh = δ − Δs."""
    most, reach = slope / kappa, slope * oracle / kappa
    near = {"growth at s": 2 / kappa, "growth at s'": 2 / kappa, "φ": 1 / slope**2}
    moved = most**2 * square(MOVE) - square(DELTA)
    first = verify(
        moved,
        given,
        near,
        [(1 / slope**2, D - slope**2 / kappa * MOVE)],
        says=r"$\|\Delta\theta\| \leq \frac{\ell_\phi}{\kappa}\|\Delta s\|$",
    )
    given = {**given, "θ": Hypothesis(moved, "the line above")}
    target = size**2 * square(MOVE) - square(CHANGE - MOVE)
    factors = {"θ": (1 + 1 / reach) * oracle**2, "S̄": 1 + 1 / reach}
    return (*first, *verify(target, given, factors, [(1 / reach, CHANGE + reach * MOVE)]))


def growth_instance() -> Witness:
    """A noisy round at a kink of T, where A7 fails; J_s = θ²/2 + |θ| − sθ grows with κ = 1."""
    x = Prox(F(1), fair(F(-1), F(1)), F(1, 2), F(1, 2), F(0), F(1), ell=F(1, 2))
    one = Claimed(x, oracle=F(1, 2))
    holds = {name: name in one.facts() for name in GROWTH}
    holds["no derivative at s"] = (x.T(x.s + 1) - x.T(x.s)) != (x.T(x.s) - x.T(x.s - 1))
    return instance(one.witness("").point, "a round at a kink of T, where A7 fails", holds)
