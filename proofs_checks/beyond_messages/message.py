"""One round of FedMM with biased messages: V_{t+1,i} = V_{t,i} + C(h_i − V_{t,i}), with chance p, else V_{t,i}.

C is a contraction: E‖C(x) − x‖² ≤ (1 − a)‖x‖² (Top-k, a scaled sign; a = 1: nothing is lost). Nothing is asked of its
mean, nor that clients draw independently. G_t = Σ μ_i‖V_{t,i} − h_i(Ŝ_t)‖². Refutations are exact rounds on the line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import cache, partial
from itertools import product
from math import prod

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.expectation import Expectation, Mean, linear_image, mix
from fedmm_edu.proofs.gram import Vector, atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.control_variates import young
from proofs_checks.shared.exact import admitted, first_failing, satisfying, value_at
from proofs_checks.shared.tools import instance

ERROR = ("contraction", "A5", "exact oracles", "Σ μ_i = 1")
NOISY = ("contraction", "A3", "A5", "unbiased")
RECURSION = ("contraction", "A5", "A6", "exact oracles")
a, p, mu, eta = sp.symbols(r"a p \mu_i \eta", positive=True)
L = sp.Symbol("L_i", nonnegative=True)
NAMES = {"a": a, "p": p, "eta": eta}
X, LOST, E_I, E_ALL = atoms("x_i", "C(x_i)-x_i", "e_i", "e")
"""h_i − V_{t,i}; what the message of it loses; e_i = V_{t+1,i} − h_i(Ŝ_t); and e = Σ μ_i e_i."""
U = sp.Symbol(r"{E\|e_i\|^2}", nonnegative=True)
ETAS = (F(1), F(1, 8), F(4))


@cache
def parse(text: str) -> sp.Expr:
    return sp.sympify(text, NAMES)


# ------------------------------------------------------------------------------------------------------ exact rounds


@dataclass(frozen=True)
class Message:
    """C(x) = keep·x on the line; a client is active with `chance`; Δs = move, and h_i(s + Δs) = h_i + slope_i·Δs."""

    V: tuple[F, ...]
    h: tuple[F, ...]
    mu: tuple[F, ...]
    keep: F
    a: F
    p: F
    chance: F
    slope: tuple[F, ...] = (F(0), F(0))
    L: tuple[F, ...] = (F(1), F(1))
    move: F = F(0)
    noise: F = F(0)  # S_i = h_i ± noise, and + or − with probability 1/2 ...
    drift: F = F(0)  # ... about h_i + drift
    sigma2: F = F(0)

    def facts(self) -> set[str]:
        tests = {
            "contraction": (1 - self.keep) ** 2 <= 1 - self.a,
            "A5": self.chance == self.p,
            "Σ μ_i = 1": sum(self.mu) == 1,
            "unbiased": self.drift == 0,
            "A3": self.noise**2 + self.drift**2 <= self.sigma2,
            "exact oracles": self.noise == self.drift == 0,
            "A6": all(abs(s) <= bound for s, bound in zip(self.slope, self.L, strict=True)),
        }
        return {name for name, holds in tests.items() if holds}

    def mean(self, of: Callable[[list[F]], F]) -> F:
        """E of a function of V_{t+1,i}, over who is active and over the noise, the same for all clients."""
        total = F(0)
        for active, sign in product(product((True, False), repeat=len(self.V)), (-1, 1)):
            seen = [h + self.drift + sign * self.noise for h in self.h]
            after = [v + self.keep * (s - v) * on for v, s, on in zip(self.V, seen, active, strict=True)]
            total += prod((self.chance if on else 1 - self.chance for on in active), start=F(1, 2)) * of(after)
        return total

    @property
    def G(self) -> F:
        return sum((m * (v - h) ** 2 for m, v, h in zip(self.mu, self.V, self.h, strict=True)), F(0))

    @property
    def L2(self) -> F:
        return sum((m * size**2 for m, size in zip(self.mu, self.L, strict=True)), F(0))

    def at(self, formula: sp.Expr) -> F:
        return value_at(formula, {a: self.a, p: self.p})

    def witness(self, says: str) -> Witness:
        point = {"V_i": self.V, "h_i": self.h, "mu": self.mu, "C(x)/x": self.keep, "a": self.a, "p": self.p}
        point |= {
            "noise": self.noise,
            "drift": self.drift,
            "sigma^2": self.sigma2,
            "chance": self.chance,
            "slope of h_i": self.slope,
            "L_i": self.L,
            "Delta s": self.move,
        }
        return instance(point, says, {})


def _rounds() -> tuple[Message, ...]:
    half, zero = (F(1, 2), F(1, 2)), (F(0), F(0))
    found = []
    for keep, chance, V in product((F(1, 2), F(3, 2)), (F(1), F(1, 2)), (zero, (F(2), F(0)))):
        found.append(Message(V, (F(1), F(1)), half, keep, F(3, 4), chance, chance))
    base = found[0]
    found += [replace(x, slope=slope, move=F(k)) for x in found[:4] for k in (-2, -1, 1, 2)
              for slope in ((F(1), F(1)), (F(-1), F(1)))]  # fmt: skip
    found += [replace(base, V=(F(1), F(1)), slope=(F(1), F(1)), move=F(1))]  # V_i = h_i: what the move alone costs
    noisy = [replace(x, noise=F(k), sigma2=F(k * k)) for x in found for k in (1, 4)]
    loud = [replace(base, noise=F(1), sigma2=F(1, 100)), replace(base, keep=F(3, 2), drift=F(1), sigma2=F(1))]
    found += [*noisy, *loud, *(replace(x, V=(F(1), F(1)), p=p_, chance=p_) for x in loud for p_ in (F(1), F(1, 2)))]
    found += [replace(base, keep=F(-1)), replace(base, p=F(1), chance=F(0)), replace(base, mu=(F(2), F(2)))]
    found += [replace(base, V=(F(1), F(1)), slope=(F(3), F(3)), move=F(1))]  # L_i = 1 is too small
    return tuple(found)


ROUNDS = _rounds()


def round_instance(hypotheses: Sequence[str]) -> Witness:
    """A round with absent clients, a message that loses something and a move, which satisfies every hypothesis."""
    x = next(x for x in admitted(ROUNDS, hypotheses) if x.p < 1 and x.move and x.G > 0)
    return satisfying(x, hypotheses, "a round with absent clients")


# --------------------------------------------------------------------------------------------------------- the rows


def client(hypotheses: Sequence[str]) -> tuple[dict[str, Hypothesis], tuple[Step, ...]]:
    """E‖e_i‖² ≤ (1 − pa)‖x_i‖² as a hypothesis for what follows, and its steps."""
    lines = {
        "contraction": ("contraction", (1 - a) * square(X) - square(LOST), r"$E\|C(x)-x\|^2 \leq (1-a)\|x\|^2$", False),
        "A5": ("A5", mix([(p, square(LOST)), (1 - p, square(X))]) - U, "$e_i$ is $C(x_i)-x_i$ with chance p, else "
               "$-x_i$", True),
    }  # fmt: skip
    given = {name: Hypothesis(e, why, same) for name, (need, e, why, same) in lines.items()
             if {need, "exact oracles"} <= set(hypotheses)}  # fmt: skip
    bound = (1 - p * a) * square(X) - U
    steps = verify(bound, given, {"A5": 1, "contraction": p}, says=r"$E\|e_i\|^2 \leq (1-pa)\|x_i\|^2$")
    return {"client": Hypothesis(bound, "the line above")}, steps


def error(hypotheses: Sequence[str] = ERROR, factor: str = "1 - p*a") -> Verdict:
    """E‖V_{t+1} − h(Ŝ_t)‖² ≤ factor·G_t."""
    k = parse(factor)

    def prove() -> Sequence[Step]:
        given, steps = client(hypotheses)
        jensen = mu * (square(E_I) - 2 * inner(E_I, E_ALL) + square(E_ALL))
        each = verify(jensen, {}, {}, [(mu, E_I - E_ALL)], says=r"$\mu_i\|e_i-e\|^2 \geq 0$")
        total, weight, G = sp.symbols(r"{\Sigma_i\mu_i\|e_i\|^2} {\Sigma_i\mu_i} G_t", nonnegative=True)
        sums = {
            mu * square(E_I): total,
            mu * inner(E_I, E_ALL): square(E_ALL),
            mu * square(E_ALL): weight * square(E_ALL),
        }
        summed = linear_image(sp.expand(jensen), sums, fixes_constants=False)
        lines = {"Jensen": Hypothesis(summed, r"the sum over $i$, with $e = \sum_i \mu_i e_i = V_{t+1} - h$")}
        if "Σ μ_i = 1" in hypotheses:
            lines["weights"] = Hypothesis(1 - weight, r"$\sum_i \mu_i = 1$", equality=True)
        together = verify(total - square(E_ALL), lines, {"Jensen": 1, "weights": square(E_ALL)})
        scaled = verify(mu * (k * square(X) - U), given, {"client": mu}, says=r"each client, times $\mu_i$")
        factors = {mu * square(X): G, mu * U: total}
        linear_image(sp.expand(mu * (k * square(X) - U)), factors, fixes_constants=False)
        end = {
            "clients": Hypothesis(k * G - total, r"the sum over $i$ of these lines"),
            "Jensen": Hypothesis(total - square(E_ALL), "the line above, in expectation"),
        }
        return (*steps, *each, *together, *scaled, *verify(k * G - square(E_ALL), end, dict.fromkeys(end, 1)))

    def wrong(x: Message) -> str | None:
        target = sum((m * h for m, h in zip(x.mu, x.h, strict=True)), F(0))
        left = x.mean(lambda after: (sum((m * v for m, v in zip(x.mu, after, strict=True)), F(0)) - target) ** 2)
        right = x.at(k) * x.G
        return rf"$E\|V_{{t+1}}-h\|^2 = {left} > {right}$" if left > right else None

    return decide("certificate", prove, [lambda: first_failing(ROUNDS, hypotheses, wrong)])


def noisy_error(
    hypotheses: Sequence[str] = NOISY,
    factor: str = "(1 + eta)*(1 - p*a)",
    level: str = "p*((1 + eta)*(1 - a) + 1 + 1/eta)",
) -> Verdict:
    """E‖V_{t+1,i} − h_i(Ŝ_t)‖² ≤ factor·‖V_{t,i} − h_i(Ŝ_t)‖² + level·σ_i², for every η > 0."""
    k, d = parse(factor), parse(level)

    def prove() -> Sequence[Step]:
        lost = sp.Symbol("{(1-a)}", nonnegative=True)
        noise, sigma = atoms("n_i")[0], sp.Symbol(r"\sigma_i", nonnegative=True)
        means = {"n_i": Mean(Vector({}))} if "unbiased" in hypotheses else {}
        E = Expectation({"x_i"}, means, free={"n_i", "C(x_i)-x_i"} - set(means))
        young = Hypothesis(E.of(square(eta * LOST - noise)), "the expectation of a square")
        lines = {
            "contraction": (lost * E.of(square(X + noise)) - E.of(square(LOST)), r"$E\|C(y)-y\|^2 \leq (1-a)\|y\|^2$, "
                            r"$y = x_i + n_i$"),
            "A3": (sigma**2 - E.of(square(noise)), r"A3: $E\|n_i\|^2 \leq \sigma_i^2$"),
            "A5": (1 - p, r"$p \leq 1$"),
        }  # fmt: skip
        given = {name: Hypothesis(e, why) for name, (e, why) in lines.items() if name in hypotheses} | {"Young": young}
        value = mix([(p, E.of(square(LOST + noise))), (1 - p, square(X))])
        target = (k * square(X) + d * sigma**2).xreplace({a: 1 - lost}) - value
        factors = {"Young": p / eta, "contraction": p * (1 + eta), "A5": eta * square(X)}
        factors["A3"] = p * ((1 + eta) * lost + 1 + 1 / eta)
        return verify(target, given, factors, says=r"$E\|e_i\|^2$, $e_i = C(y)-y+n_i$ with chance p, else $-x_i$")

    def fails(at: F) -> Witness | None:
        def wrong(x: Message) -> str | None:
            left = x.mean(lambda after: (after[0] - x.h[0]) ** 2)
            here = [x.at(formula.subs(eta, sp.Rational(str(at)))) for formula in (k, d)]
            right = here[0] * (x.V[0] - x.h[0]) ** 2 + here[1] * x.sigma2
            return rf"$\eta = {at}$: $E\|e_1\|^2 = {left} > {right}$" if left > right else None

        return first_failing(ROUNDS, hypotheses, wrong)

    return decide("certificate", prove, [partial(fails, at) for at in ETAS])


def recursion(hypotheses: Sequence[str] = RECURSION, rate: str = "1 - p*a", split: str = "1 + 1/eta") -> Verdict:
    """E[G_{t+1} | F_t] ≤ β·rate·G_t + split·Σ μ_i L_i²·E‖Ŝ_{t+1} − Ŝ_t‖², for every β = 1 + η > 1 and every step."""
    r, k = parse(rate), parse(split)

    def compare(x: Message, at: F) -> tuple[F, F]:
        there = [h + s * x.move for h, s in zip(x.h, x.slope, strict=True)]
        left = x.mean(lambda after: sum((m * (v - h) ** 2 for m, v, h in zip(x.mu, after, there, strict=True)), F(0)))
        value = value_at(k, {eta: at})
        return left, (1 + at) * x.at(r) * x.G + value * x.L2 * x.move**2

    def fails(at: F) -> Witness | None:
        def wrong(x: Message) -> str | None:
            left, right = compare(x, at)
            return rf"$\beta = {1 + at}$: $E[G_{{t+1}}] = {left} > {right}$" if left > right else None

        return first_failing(ROUNDS, hypotheses, wrong)

    def prove() -> Sequence[Step]:
        beta = 1 + eta
        D, move2, after = sp.symbols(r"{E\|\Delta_h\|^2} {E\|\Delta_s\|^2} {E\|e_i^+\|^2}", nonnegative=True)
        given, steps = client(hypotheses)
        given["Young"] = Hypothesis(
            beta * U + (1 + 1 / eta) * D - after, r"Young: $e_i^+ = V_{t+1,i}-h_i(\hat S_{t+1})$"
        )
        if "A6" in hypotheses:
            given["A6"] = Hypothesis(L**2 * move2 - D, r"A6(i): $\Delta_h = h_i(\hat S_{t+1})-h_i(\hat S_t)$")
        bound = mu * (beta * r * square(X) + k * L**2 * move2 - after)
        each = verify(bound, given, {"Young": mu, "client": beta * mu, "A6": (1 + 1 / eta) * mu})
        G, G_, L2 = sp.symbols(r"G_t G_{t+1} \tilde{L}^2", nonnegative=True)
        linear_image(sp.expand(bound), {mu * square(X): G, mu * L**2: L2, mu * after: G_}, fixes_constants=False)
        total = Step(r"sum over $i$: the claim", r"the last line is linear in $\mu_i\|x_i\|^2$, $\mu_i L_i^2$ and "
                     r"$\mu_i E\|e_i^+\|^2$")  # fmt: skip
        return (*young().evidence, *steps, *each, total)

    return decide("certificate", prove, [partial(fails, at) for at in ETAS])
