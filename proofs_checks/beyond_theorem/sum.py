"""The theorems beyond Theorem 1, summed over rounds: see `beyond_kinds` for the one-step inequalities.

Refutations are sequences of numbers that satisfy all the inequalities for every β, as in `theorem_numbers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import cache, cached_property
from itertools import product
from typing import Literal

import sympy as sp
from flint import fmpq

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_theorem.bound import summed
from proofs_checks.appendix_d_theorem.numbers import rounded_down
from proofs_checks.appendix_d_theorem.theorem import (
    G0,
    W0,
    W1,
    C,
    E,
    Lam,
    V,
    alpha,
    at_least_zero,
    g,
    noise,
    omega,
    v,
    without_compression,
)
from proofs_checks.beyond_theorem.kinds import (
    KINDS,
    LT,
    RULES,
    Kind,
    KindName,
    at_root,
    ell,
    facts,
    one_round,
    parse,
    q,
)
from proofs_checks.shared.tools import instance

# ----------------------------------------------------------------------------------------- numbers that refute a mutant


@dataclass(frozen=True)
class Run:
    """T rounds with constant steps, in each of which the error takes all that the inequalities grant."""

    name: str
    omega: F
    q: F
    step: F
    T: int
    L2n: F = F(1, 100)
    vmax: F = F(1)
    C: F = F(1)
    ell: F = F(1)
    noise: F = F(0)
    gap: F = F(0)
    G0: F = F(0)
    second: F | None = None  # a larger step in the last round, in which alone an error is taken

    def at(self, text: str, step: F) -> F:
        if (text, step) not in self._values:
            self._values[text, step] = formula(text, self.constants(step))
        return self._values[text, step]

    @cached_property
    def _values(self) -> dict[tuple[str, F], F]:
        return {}

    @cached_property
    def _taken(self) -> dict[tuple, dict[F, F] | None]:
        return {}

    def constants(self, step: F) -> tuple[tuple[sp.Symbol, sp.Rational], ...]:
        values = {
            omega: self.omega,
            alpha: 1 - self.q**2,
            q: self.q,
            v: F(1),
            V: self.vmax,
            C: self.C,
            g: step,
            Lam: self.L2n,
            LT: F(1),
            ell: self.ell,
        }
        return tuple((x, sp.Rational(value.numerator, value.denominator)) for x, value in values.items())

    @property
    def steps(self) -> list[F]:
        return [self.step] * self.T + ([] if self.second is None else [self.second])

    def facts(self, kind: Kind) -> set[str]:
        tests = {
            "steps do not increase": self.second is None,
            "positivity": all(self.at(kind.positive, step) >= 0 for step in set(self.steps)),
            "α ≤ 1/(1+ω_p)": (1 - self.q**2) * (1 + self.omega) <= 1,
            "v_min ≤ v_max": self.vmax >= 1,
        }
        return {name for name, holds in tests.items() if holds}

    def taken(self, kind: Kind, without: Sequence[str]) -> dict[F, F] | None:
        """The errors, added up over the rounds with the same step; None where the one-step gain has no sign."""
        texts = kind.gain, kind.cost, kind.low, kind.spread
        if (*texts, *without) not in self._taken:
            self._taken[(*texts, *without)] = self._errors(texts, without)
        return self._taken[(*texts, *without)]

    def _errors(self, texts: Sequence[str], without: Sequence[str]) -> dict[F, F] | None:
        """They are computed in integers of FLINT, ten times as fast as Python's fractions."""
        terms = {step: [_fast(self.at(text, step)) for text in texts] for step in set(self.steps)}
        W, G, w, r, noise_ = map(_fast, (self.gap, self.G0, self.omega, self.q**2, self.noise))
        found = dict.fromkeys(terms, fmpq(0))
        for t, step in enumerate(self.steps):
            gain, cost, low, spread = terms[step]
            if gain <= 0:
                return None
            quiet = self.second is not None and t < self.T  # no error, no noise
            N = fmpq(0) if quiet else ((1 + w) * noise_ + w * G) * (2 if "noise" in without else 1)
            error = fmpq(0) if quiet else (W + cost * N) / gain * (2 if "one step" in without else 1)
            W = max(fmpq(0), W + cost * N - gain * error)
            a, b_ = r * G + (1 - r) * noise_, _fast(self.L2n * step**2) * (error / low + spread * N)
            grown = rounded_down(a, b_) + (1 if "control variates" in without else 0)
            G = r * G if quiet else grown
            found[step] += error
        return {step: F(int(error.p), int(error.q)) for step, error in found.items()}

    def excess(self, kind: Kind, claimed: Kind, without: Sequence[str]) -> F | None:
        """Left minus right of the theorem with the claimed constants; None where the one-step gain has no sign."""
        errors = self.taken(kind, without)
        if errors is None:
            return None
        left = sum((self.at(claimed.left, step) * error for step, error in errors.items()), F(0))
        first, total = self.steps[0], sum((step**kind.power for step in self.steps), F(0))
        right = self.gap + self.at(claimed.initial, first) * first**kind.power * self.G0
        return left - right - self.at(claimed.level, first) * total * self.noise

    def witness(self, over: F) -> Witness:
        names = ("omega", "q", "step", "T", "L2n", "vmax", "C", "ell", "noise", "gap", "G0")
        point = {name: str(getattr(self, name)) for name in names} | {"v_min": "1", "L_T": "1"}
        point |= {} if self.second is None else {"last step": str(self.second)}
        says = f"numbers that satisfy the inequalities kept, for every β > 1 ({self.name}): left minus right is > 0"
        return Witness(point, says, {"left minus right": f"{float(over):.3g}"})


def _fast(value: F) -> fmpq:
    return fmpq(value.numerator, value.denominator)


@cache
def formula(text: str, values: tuple[tuple[sp.Symbol, sp.Rational], ...]) -> F:
    return F(str(parse(text).subs(dict(values))))


def _runs() -> tuple[Run, ...]:
    found = []
    for k, ell_, vmax in ((F(1, 100), F(1), F(1)), (F(1, 10), F(1, 4), F(1)), (F(1, 4), F(1, 4), F(2))):
        for w, root_ in ((F(1, 3), F(1, 2)), (F(4), F(9, 10)), (F(1, 50), F(1, 7))):
            y = w / (1 - root_) ** 2 * k * k  # ω γ² L²/n / (1 − q)² = share of the room
            for room in (F(1, 1000), F(1, 30), F(1, 8), F(9, 20), F(9)):
                more = {"L2n": room / y, "ell": ell_, "vmax": vmax}
                found.append(Run("the gap alone", w, root_, k, 1, gap=F(1), **more))
                found += [Run("G_0 alone", w, root_, k, T, G0=F(1), **more) for T in (1, 60, 200)]
                found += [Run("noise alone", w, root_, k, T, noise=F(1), **more) for T in (1, 60, 200)]
                found.append(Run("steps that grow", w, root_, k / 100, 1, G0=F(1), second=k, **more))
    return tuple(found)


RUNS = _runs()


# ------------------------------------------------------------------------------------------------------- the theorems


def theorem(
    kind: KindName,
    without: Literal["", "control variates", "noise", "one step", "positivity", "steps do not increase"] = "",
    **claimed: str,
) -> Verdict:
    """Σ left(γ_t) E_t ≤ W_0 − min + initial·γ_1^p G_0 + level·(σ²/n) Σ γ_t^p, for ω_p > 0.

    `claimed` replaces constants of the theorem by others.
    """
    base, dropped = KINDS[kind], [name for name in without.split("; ") if name]
    form = replace(base, **claimed)
    kept = [
        name
        for name in ("steps do not increase", "positivity", "α ≤ 1/(1+ω_p)", "v_min ≤ v_max")
        if name not in dropped
    ]

    def prove() -> Sequence[Step]:
        return (*one_round(base, form, dropped), *summed())

    def fails() -> Witness | None:
        for run in RUNS:
            if set(kept) <= run.facts(base):
                over = run.excess(base, form, dropped)
                if over is not None and over > 0:
                    return run.witness(over)
        return None

    return decide("certificate, induction", prove, [fails])


def full(
    kind: KindName,
    gain: str = "1",
    level: str = "1",
    without: Literal["", "noise", "one step", "ω_p = 0"] = "",
) -> Verdict:
    """ω_p = 0: Σ gain·gain(γ_t) E_t ≤ W_0 − min + level·(σ²/n) Σ cost(γ_t), with the one-step `gain` and `cost`."""
    base, dropped = KINDS[kind], [name for name in without.split("; ") if name]
    scale, rise = sp.Rational(gain), sp.Rational(level)

    def prove() -> Sequence[Step]:
        lines = {name: line for name, line in facts(base).items() if name in ("one step", "noise")} | at_least_zero(
            noise
        )
        lines = without_compression(lines, "ω_p = 0")
        given = {name: line for name, line in lines.items() if name not in dropped}
        cost, step_gain = parse(base.cost), parse(base.gain)
        used = {"one step": 1, "noise": cost, "ω_p = 0": -cost * (noise + G0)}
        target = W0 - scale * step_gain * E + rise * cost * noise - W1
        return (*verify(target, given, used), *summed())

    def fails() -> Witness | None:
        for w, level_, gap in product((F(0), F(1)), (F(0), F(1)), (F(0), F(1))):
            if w == 0 or "ω_p = 0" in dropped:
                run = Run("one round", w, F(9, 10), F(1, 100), 1, noise=level_, gap=gap)
                cost, step_gain = run.at(base.cost, run.step), run.at(base.gain, run.step)
                grant = (1 + w) * level_ * (2 if "noise" in dropped else 1)
                error = (gap + cost * grant) / step_gain * (2 if "one step" in dropped else 1)
                over = F(gain) * step_gain * error - gap - F(level) * cost * level_
                if over > 0:
                    return run.witness(over)
        return None

    return decide("certificate, induction", prove, [fails])


UNIT = {
    "any projection": "1/2",
    "no projection": "1",
    "projection in the norm of B_t": "1",
    "Lipschitz, without A7": "a",
}


def average(
    kind: KindName,
    factor: str = "2",
    without: Literal["", "half"] = "",
) -> Verdict:
    """A constant step with left(γ) ≥ unit·γ/2, unit = gain/γ for small γ: the mean over T rounds is at most

    E[E_τ] ≤ factor/(unit·Tγ)·(W_0 − min + initial·γ^p G_0 + level·(σ²/n) T γ^p).
    """
    base, k = KINDS[kind], sp.Rational(factor)
    T, total, gap = sp.Symbol("T", positive=True), *sp.symbols(r"\Sigma_E \Delta_0", nonnegative=True)
    unit, initial, level, left = (at_root(parse(text)) for text in (UNIT[kind], base.initial, base.level, base.left))
    right = gap + initial * g**base.power * G0 + level * noise * T * g**base.power

    def prove() -> Sequence[Step]:
        given = {
            "theorem": Hypothesis(right - left * total, r"the theorem, $\Sigma_E = \sum_{t \leq T} E[E_t]$"),
            "half": Hypothesis(left - unit * g / 2, "the condition on the step"),
        }
        given = {name: line for name, line in given.items() if name != without}
        used = {"theorem": 2 / (unit * T * g), "half": 2 * total / (unit * T * g)}
        mean = Step(r"$E[E_\tau] = \Sigma_E/T$", r"$\tau$ is uniform on the T rounds, independent of the path")
        return (mean, *verify(k / (unit * T * g) * right - total / T, given, used))

    def fails() -> Witness | None:
        """One round with the gap alone, left(γ) = unit·γ/2 (or a fifth of it): the total is gap/left."""
        share_ = F(1, 5) if without == "half" else F(1, 2)
        if F(factor) < 1 / share_:
            says = f"for the gap 1 alone and left = {share_}*unit*gamma, the mean is {1 / share_}/(unit*gamma)"
            return Witness({"T": "1", "gap": "1", "G_0": "0", "sigma": "0"}, says)
        return None

    return decide("certificate", prove, [fails])


def numbers(kind: str) -> Witness:
    """Numbers that satisfy every hypothesis of a theorem, with noise, compression and an error in every round."""
    base = KINDS[kind]
    run = next(x for x in RUNS if x.noise and x.T == 60 and set(RULES[3:]) <= x.facts(base))
    run = replace(run, gap=F(1), G0=F(1))
    over = run.excess(base, base, ())
    holds = {name: name in run.facts(base) for name in RULES[3:]} | {"the claim": over is not None and over <= 0}
    return instance(run.witness(over or F(0)).point, "numbers that satisfy all the inequalities", holds)
