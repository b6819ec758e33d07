"""Theorem 1 itself: one step from Propositions 2 to 4, the sum over t by induction on T, the conditions, the corollary.

The bound of part (B) is judged with any constants: `error` stands in place of 64, `initial` of 4, `level` of 2(1+5ω_p);
they may use omega, alpha and q = √(1−α).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction as F
from functools import cache

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from fedmm_edu.symbolic.decide import balls
from proofs_checks.appendix_d_theorem.lines import BETA_RULES, STEP_RULES, beta_choice
from proofs_checks.appendix_d_theorem.numbers import Numbers, constant
from proofs_checks.appendix_d_theorem.stated import (  # fmt: skip
    CONDITIONS,
    DRIFT,
    QUARTER,
    THIRD,
    Condition,
    Rounds,
    bracket,
    initial_factor,
    third,
)
from proofs_checks.appendix_d_theorem.stated import SAYS as SAYS
from proofs_checks.appendix_d_theorem.theorem import (  # fmt: skip
    G0,
    G1,
    PROP_3,
    PROPS,
    SMALL_STEP,
    W0,
    W1,
    C,
    E,
    K,
    Lam,
    V,
    alpha,
    at_least_zero,
    c,
    g,
    gt,
    noise,
    omega,
    parse,
    times,
    v,
    without_compression,
)
from proofs_checks.shared.tools import tried

SAME = ("1/100",)
# what each family of numbers exhibits; y = ω_p K γ²/α²
RUNS = (
    constant("the gap alone, one round", SAME, 1, omega=1, alpha="1/2", L2n="1/100", gap=1),
    constant("G_0 alone, y = 1/250", SAME, 100, omega=1, alpha="1/10", L2n="2/5", G0=1),
    constant("G_0 alone, y = 1/20: the errors grow", SAME, 300, omega=1, alpha="19/100", L2n="361/20", G0=1),
    constant("G_0 alone, y = 1/34: the errors grow slowly", SAME, 1500, omega=1, alpha="19/100", L2n="361/34", G0=1),
    constant("noise alone", SAME, 200, omega="1/10", alpha="10/11", L2n="1/100", noise=1),
    constant("noise alone, ω = 1", SAME, 200, omega=1, alpha="1/2", L2n="1/100", noise=1),
    constant("the gap alone, a large step", ("1/5",), 1, omega=1, alpha="1/2", L2n="1/1000", gap=1),
    constant("the gap alone, step 6/25", ("6/25",), 1, omega=1, alpha="1/2", L2n="1/1000", gap=1),
    constant("the gap alone, step 37/100", ("37/100",), 1, omega=1, alpha="1/2", L2n="1/100000", gap=1),
    constant("G_0 alone, large steps", ("1/5",), 60, omega=1, alpha="1/2", L2n="1/1000", G0=1),
    constant("noise alone, large steps", ("1/5",), 60, omega=1, alpha="1/2", L2n="1/1000", noise=1),
    Numbers("growing steps", F(1), F(1, 2), (F(1, 1000), F(1, 10)), L2n=F(1, 100), G0=F(1)),
    Numbers("a first step that is too large", F(1), F(1, 2), (F(1, 4), *(F(1, 50000),) * 40), L2n=F(10**6), G0=F(1),
            silent=frozenset({1})),
    Numbers("a first step beyond Proposition 2", F(1), F(1, 2), (F(3, 5), F(1, 100)), L2n=F(1, 1000),
            silent=frozenset({1}), jump=F(1)),
    Numbers("α < 0", F(1), F(-1, 2), (F(1, 100),), L2n=F(1, 1000), gap=F(1), G0=F(1)),
)  # fmt: skip
BEYOND = Numbers(
    "a first step beyond Proposition 2", F(0), F(1), (F(3, 5), F(1, 100)), silent=frozenset({1}), jump=F(1)
)
FULL = tuple(constant(name, step, T, omega=0, alpha=1, **more) for name, step, T, more in (
    ("the gap alone, one round", SAME, 1, {"gap": 1}),
    ("noise alone", SAME, 10, {"noise": 1}),
    ("noise alone, short steps", ("1/1000",), 10, {"noise": 1}),
    ("noise alone, large steps", ("1/3",), 10, {"noise": 1}),
    ("the gap alone, a large step", ("2/5",), 1, {"gap": 1}),
))  # fmt: skip


def at(formula: str, run: Numbers) -> sp.Expr:
    """A constant such as "64" or "10*(1+q)**2" at the ω_p and α of a run, an exact number."""
    return _at(formula, run.alpha, run.omega)


@cache
def _at(formula: str, a: F, w: F) -> sp.Expr:
    root = sp.sqrt(1 - sp.Rational(a))
    return parse(formula, q=root).subs({alpha: sp.Rational(a), omega: sp.Rational(w)})


def positive(value: sp.Expr) -> bool:
    return balls.sign(value, {}) == 1


def conditions(run: Numbers, error: str, drift: str = DRIFT, rounds: Rounds = "every") -> dict[str, bool]:
    """Which of the conditions of part (B) the run satisfies; `rounds`: where it asks for positivity."""
    y = [run.omega * run.K * step**2 / run.alpha**2 for step in run.steps]
    pairs = zip((1 - F(drift) * run.C * step / run.vmin for step in run.steps), y, strict=True)
    held = (positive(sp.Rational(s) - at(error, run) * sp.Rational(z)) for s, z in dict.fromkeys(pairs))
    return {
        "alpha range": 0 < run.alpha <= 1 / (1 + run.omega),
        "non-increasing": all(x >= z for x, z in zip(run.steps, run.steps[1:], strict=False)),
        "positivity": all(held) if rounds == "every" else any(held),
        "short steps": all(2 * run.C * step < run.vmin for step in run.steps),
        "third": int(THIRD) * y[0] <= 1,
    }


def excess(
    run: Numbers, error: str, initial: str, level: str, gap: str = "1", quarter: str = QUARTER, drift: str = DRIFT
) -> sp.Expr:
    """Left minus right of (27) for the run, exactly."""
    first, second, third_ = run.moments
    plain = F(quarter) * (first - F(drift) * run.C / run.vmin * second)
    cubic = F(quarter) * run.K * third_ * run.omega / run.alpha**2
    start = run.omega * run.vmax / run.alpha * run.steps[0] * run.G0
    noisy = run.vmax * run.noise * sum(run.steps)
    left = sp.Rational(plain) - at(error, run) * sp.Rational(cubic)
    right = (
        sp.sympify(gap) * sp.Rational(run.gap)
        + at(initial, run) * sp.Rational(start)
        + at(level, run) * sp.Rational(noisy)
    )
    return left - right


def failure(
    runs: Iterable[Numbers], needed: Callable[[Numbers], bool], value: Callable[[Numbers], sp.Expr]
) -> Witness | None:
    """The first run that satisfies what is `needed` and whose left side exceeds the right, or None."""
    for run in runs:
        if needed(run):
            over = value(run)
            if positive(over):
                says = f"numbers that satisfy Propositions 2 to 4 for every β > 1 ({run.name}): left minus right is > 0"
                return Witness(run.shown(), says, {"left minus right": balls.show(over, {})})
    return None


def agreement(
    runs: Iterable[Numbers], needed: Callable[[Numbers], bool], value: Callable[[Numbers], sp.Expr]
) -> tuple[Step, ...]:
    """`tried` on the runs: numbers that satisfy the propositions, with the errors as large as these allow."""
    where = "sequences of numbers that satisfy the propositions and the conditions, errors as large as these allow"
    signs = (balls.sign(value(run), {}) for run in runs if needed(run))
    return tried(where, [(sign, 0) for sign in signs if sign is not None])


# ------------------------------------------------------------------------------------------------------ one step, sum


def summed(gap: sp.Expr = sp.S.One) -> tuple[Step, ...]:
    """Φ_{t+1} + a_{t+1} ≤ Φ_t + n_{t+1} for all t gives Σ a_t ≤ gap·(W_0 − min) + ρ_0 G_0 + Σ n_t by induction on T."""
    start, now, after, S, B, a, n, low, rest = (
        sp.Symbol(name, real=True)
        for name in (r"\Phi_0", r"\Phi_T", r"\Phi_{T+1}", "A_T", "N_T", "a_{T+1}", "n_{T+1}", r"\min", "W_T")
    )
    words = r"with $\Phi_t = E[W_t + \rho_t G_t]$, $A_T = \sum_{t \leq T} a_t$, $N_T = \sum_{t \leq T} n_t$"
    claim = Hypothesis(start + B - S - now, rf"the claim for T, {words}; for T = 0 both sides are $\Phi_0$")
    step = Hypothesis(now + n - a - after, "the one-step inequality, after taking expectations (tower property)")
    W_start, G_start = sp.Symbol("W_0", real=True), sp.Symbol(r"\rho_0 G_0", nonnegative=True)
    end = {
        "claim": Hypothesis(claim.expr.subs(start, W_start + G_start), r"the claim, $\Phi_0 = W_0 + \rho_0 G_0$"),
        "W_T": Hypothesis(rest - low, r"$(f+g)(T(\hat S_T)) \geq \min (f+g)$"),
        "G_T": Hypothesis(now - rest, r"$\rho_T G_T \geq 0$"),
    }
    return (
        *verify(
            start - 0 - start, {}, {}, equality=True, says=r"the claim for T = 0: $\Phi_0 + A_0 \leq \Phi_0 + N_0$"
        ),
        *verify(
            start + B + n - S - a - after,
            {"claim": claim, "step": step},
            {"claim": 1, "step": 1},
            says="hence the claim for T + 1",
        ),
        *verify(
            gap * (W_start - low) + G_start + B - S,
            end,
            {"claim": 1, "W_T": 1, "G_T": 1},
            says=r"$A_T \leq W_0 - \min(f+g) + \rho_0 G_0 + N_T$, all in expectation",
        ),
    )


def part_A(
    quarter: str = QUARTER,
    drift: str = DRIFT,
    level: str = "1",
    gap: str = "1",
    hypotheses: Sequence[str] = ("short steps", "ω_p = 0"),
) -> Verdict:
    """Σ γ_t·`quarter`·(1 − `drift`·C̄γ_t/v_min) E Ē_t ≤ `gap`(E W_0 − min) + `level`·v_max σ²/n Σ γ_t, when ω_p = 0."""
    runs = (*FULL, BEYOND) if "ω_p = 0" in hypotheses else RUNS

    def prove() -> Sequence[Step]:
        given = {**PROPS, "Prop 3, step": times(PROP_3, SMALL_STEP), **at_least_zero(noise)}
        if "short steps" not in hypotheses:
            given = {name: fact for name, fact in given.items() if name not in SHORT_STEPS}
        if "ω_p = 0" in hypotheses:
            given = without_compression(given, "omega_p = 0")
        used = {
            "Prop 2": 1, "Prop 3": g / 2, "Prop 3, step": g / (2 * v),
            "omega_p = 0": -g * (1 - c * g) * V * (noise + G0),
            f"{noise.name} >= 0": g * V * (parse(level) - 1) + g**2 * V * c,
        }  # fmt: skip
        target = W0 - parse(quarter) * g * bracket(g, sp.S.Zero, drift) * E + g * parse(level) * V * noise - W1
        one = verify(target, given, used)
        return (*one, *summed(parse(gap)), *agreement(runs, needed, value))

    def needed(run: Numbers) -> bool:
        return "short steps" not in hypotheses or conditions(run, "0")["short steps"]

    def value(run: Numbers) -> sp.Expr:
        return excess(run, "0", "0", level, gap, quarter, drift)

    return decide("certificate, induction", prove, [lambda: failure(runs, needed, value)])


SHORT_STEPS = ("Prop 2", "step", "Prop 3, step")
"""Lines that need γ < v_min/(2C̄)."""


def one_step(
    error: sp.Expr, initial: sp.Expr, level: sp.Expr, quarter: str, drift: str, hypotheses: Sequence[str]
) -> tuple[Step, ...]:
    """The one-step inequality with ρ = initial·ω v_max/α, for any β as in the paper's choice (1 < β ≤ 2, …).

    Kγ² is bounded by positivity, or by the third condition where that is not assumed.
    """
    by = "positivity" if "positivity" in hypotheses else "third"
    kappa, bound = (2, error) if by == "positivity" else (0, THIRD)
    conditional = {
        "positivity": {"positivity": Hypothesis(bracket(g, error, drift), "the positivity condition")},
        "third": {"third": Hypothesis(third(g), r"the third condition, squared, with $\gamma_{t+1} \leq \gamma_1$")},
        "non-increasing": {"non-increasing": STEP_RULES["gamma_next <= gamma_t"]},
        "alpha range": BETA_RULES,
    }
    given = {**PROPS, "Prop 3, step": times(PROP_3, SMALL_STEP), **at_least_zero(C, G0, E, noise)}
    given |= {name: line for held in hypotheses for name, line in conditional.get(held, {}).items()}
    if not {"positivity", "short steps"} & set(hypotheses):
        given = {name: line for name, line in given.items() if name not in SHORT_STEPS}
    share, r = 4 * initial / bound, initial_factor(initial)
    used = {
        "Prop 2": 1, "Prop 3": g / 2, "Prop 3, step": g / (2 * v), "Prop 4": r * g,
        "non-increasing": r * G0, "contraction": r * g * G0,
        "ratio": 2 * r * g**3 * (omega * K * G0 + (1 + omega) * K * noise + Lam / v * E),
        "beta <= 2": initial * omega * V * g * noise,
        by: share * g * V * (omega * G0 + (1 + omega) * noise),
        r"\bar{C} >= 0": (1 + kappa * share) * g**2 * V / v * (omega * G0 + (1 + omega) * noise),
        r"G_t >= 0": g * omega * V * (initial / 2 - 1 - share),
        r"\bar{E}_{t+1} >= 0": g**3 * omega * K / alpha**2 * (error / 4 - 4 * initial),
        f"{noise.name} >= 0": g * V * sp.expand(level - (1 + omega) * (1 + share) - 2 * initial * omega),
    }  # fmt: skip
    left = parse(quarter) * g * bracket(g, error, drift) * E
    return verify(W0 + r * gt * G0 - left + g * V * level * noise - W1 - r * g * G1, given, used)


def part_B(
    error: str,
    initial: str,
    level: str,
    gap: str = "1",
    quarter: str = QUARTER,
    drift: str = DRIFT,
    hypotheses: tuple[Condition, ...] = CONDITIONS,
    rounds: Rounds = "every",
) -> Verdict:
    """(27) with these constants under these conditions; `rounds`: in which of them positivity is assumed."""
    constants = error, initial, level, gap, quarter, drift

    def prove() -> Sequence[Step]:
        choice = beta_choice("2/3", "(1-alpha/2)/(1-alpha)", "2")
        usable = [name for name in hypotheses if name != "positivity" or rounds == "every"]
        steps = one_step(parse(error), parse(initial), parse(level), quarter, drift, usable)
        start = Step(
            r"$\Phi_0 = E[W_0] + \rho \gamma_1 E[G_0]$", r"$\gamma_0 = \gamma_1$; $\rho \gamma_1 = $ the printed factor"
        )
        return (*choice.evidence, *steps, start, *summed(parse(gap)), *agreement(RUNS, needed, value))

    def value(run: Numbers) -> sp.Expr:
        return excess(run, *constants)

    def needed(run: Numbers) -> bool:
        held = conditions(run, error, drift, rounds)
        return all(held[name] for name in hypotheses)

    return decide("certificate, induction", prove, [lambda: failure(RUNS, needed, value)])
