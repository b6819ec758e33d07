"""SCAFFOLD with K local steps: a linear rate in rounds, option II, m of n clients, f_i convex and L-smooth, g = 0.

From x each active client makes y_{j+1} = y_j − η(∇f_i(y_j) + ξ_j − c_i + c), y_0 = x, and keeps the mean of its K
noisy gradients as c_i; E‖ξ_j‖² ≤ σ² in the mean over clients. With u = ηKL, v = γu and ν = 2(n−m)/(m(n−1)), the noise
of the choice of clients, A = (1 − 1/K)u² + νv is what local steps and absent clients cost; χ = (1 + … + 1/(K−1))/(2K).
Of client i, d = x − x_⋆, e_j = ∇f_i(y_j) − ∇f_i(x_⋆), z = c_i − ∇f_i(x_⋆), S_j = y_j − x. Refutations are exact rounds
of two clients on the line, ∇f_i(x) = k_i x + b_i, b_1 + b_2 = 0, x_⋆ = 0, each gradient with a coin of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import cache
from itertools import combinations, product

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.expectation import Expectation, Mean, mix
from fedmm_edu.proofs.gram import Vector, atoms, inner, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.exact import admitted, as_text, first_failing, satisfying, value_at

NOISE = ("unbiased", "noise", "independent")
SCAFFOLD = ("convex", "smooth", "growth", "c is the mean", "uniform", "step", *NOISE)
v, L, m, p, b, eta, n = sp.symbols(r"v L \mu p b eta n", positive=True)
drift, nu, chi, k, rest, sigma2 = sp.symbols(r"\delta \nu \chi k {(K-1)} {\sigma^2}", nonnegative=True)
NAMES = {"v": v, "L": L, "m": m, "p": p, "b": b, "drift": drift, "nu": nu, "chi": chi, "n": n}
RATE, KEEP, LEVEL = "1 - v*m/L", "1 - p + (drift + nu*v)/b", "v/L**2*(v/n + nu*v + p*b + chi*drift)"
D, C, FIELD, E_, BAR, Z, S, XI = atoms("d", "c", r"\bar{e}", "e_j", r"\bar{e}_i", "z", "S_j", r"\xi_j")


@cache
def parse(text: str) -> sp.Expr:
    """A formula in v, L, m (μ), p, n, b, drift ((1 − 1/K)u²), nu (ν) and chi (χ)."""
    return sp.sympify(text, NAMES)


# ------------------------------------------------------------------------------------------------------ exact rounds


@dataclass(frozen=True)
class Local:
    """One round of two clients on the line; L, m (μ), b and `sigma2` are claims, `shift` is c less the mean of the c_i.

    Each gradient errs by `bias` ± `noise`, by a coin of its own, or (`shared`) one that both clients see.
    """

    x: F
    z: tuple[F, F]
    slopes: tuple[F, F]
    K: int
    active: int
    eta: F
    gamma: F
    m: F
    b: F
    L: F = F(1)
    shift: F = F(0)
    favourite: bool = False  # always the first client
    noise: F = F(0)
    bias: F = F(0)
    shared: bool = False
    sigma2: F = F(0)

    @property
    def p(self) -> F:
        return F(self.active, 2)

    @property
    def values(self) -> dict[sp.Symbol, F]:
        u = self.eta * self.K * self.L
        spread = F(2 - self.active, self.active) * 2
        found = {v: self.gamma * u, L: self.L, m: self.m, p: self.p, b: self.b, nu: spread, n: F(2)}
        harmonic = sum((F(1, j) for j in range(1, self.K)), F(0))
        return found | {drift: (1 - F(1, self.K)) * u * u, chi: harmonic / (2 * self.K)}

    def facts(self) -> set[str]:
        at = self.values
        cost = at[drift] + at[nu] * at[v]
        tests = {
            "convex": min(self.slopes) >= 0,
            "smooth": max(map(abs, self.slopes)) <= self.L,
            "growth": sum(self.slopes, F(0)) / 2 >= self.m,
            "c is the mean": self.shift == 0,
            "uniform": not self.favourite,
            "step": cost + at[v] + self.p * self.b <= 1,
            "unbiased": self.bias == 0,
            "noise": self.noise**2 + self.bias**2 <= self.sigma2,
            "independent": not self.shared,
        }
        return {name for name, holds in tests.items() if holds}

    def at(self, formula: sp.Expr) -> F:
        return value_at(formula, self.values)

    def local(self, i: int, errors: Sequence[F]) -> tuple[F, F]:
        """y_K − x, and the mean of the K gradients less that at x_⋆."""
        c, y, total = sum(self.z, F(0)) / 2 + self.shift, self.x, F(0)
        for error in errors:
            slope = self.slopes[i] * y + error
            total += slope
            y -= self.eta * (slope - self.z[i] + c)
        return y - self.x, total / self.K

    def value(self, x: F, z: Sequence[F]) -> F:
        return x * x + self.at(b * v / L**2) * sum((w * w for w in z), F(0)) / 2

    def outcomes(self) -> list[tuple[Sequence[F], Sequence[F]]]:
        """Equally likely errors of both clients."""
        signs = (self.bias - self.noise, self.bias + self.noise) if self.noise else (self.bias,)
        each = list(product(signs, repeat=self.K))
        return [(one, one) for one in each] if self.shared else list(product(each, each))

    def after(self) -> F:
        """E of Ψ_{t+1}."""
        chosen = [(0,)] if self.favourite else list(combinations(range(2), self.active))
        outcomes, total = self.outcomes(), F(0)
        for errors in outcomes:
            found = [self.local(i, errors[i]) for i in range(2)]
            for A in chosen:
                x = self.x + self.gamma * sum((found[i][0] for i in A), F(0)) / len(A)
                total += self.value(x, [found[i][1] if i in A else self.z[i] for i in range(2)])
        return total / (len(chosen) * len(outcomes))

    def witness(self, says: str) -> Witness:
        names = ("x", "K", "eta", "gamma", "m", "b", "L", "shift", "noise", "bias", "sigma2")
        point = {name: getattr(self, name) for name in names}
        point |= {"f_i''": self.slopes, "c_i - grad f_i(x_star)": self.z, "clients": f"{self.active} of 2"}
        return Witness(as_text(point), says)


def rounds() -> Iterator[Local]:
    """Rounds that satisfy all, at the edge of the condition on the step, then those of which one hypothesis fails."""
    one, zero = F(1), F(0)
    for (x, z), (K, active, gamma) in product(
        ((one, (zero, zero)), (zero, (one, -one)), (one, (one, one))),
        ((1, 2, one), (2, 2, one), (2, 2, F(1, 2)), (1, 1, F(1, 2)), (3, 1, F(1, 2))),
    ):
        for slopes in ((F(1, 2), F(1, 2)), (one, one), (one, zero), (zero, one)):
            base = Local(x, z, slopes, K, active, F(2, 5) / K, gamma, F(1, 2), one)
            at = base.values
            edge = replace(base, b=(1 - at[drift] - at[v] * (1 + at[nu])) / base.p)
            yield edge
            yield replace(edge, slopes=(F(8) * slopes[0], F(8) * slopes[1]))  # smooth
            yield replace(
                edge, slopes=(F(6, 5), -one), eta=F(6, 25) / K * 2, L=F(6, 5), m=F(1, 10), b=F(1, 8)
            )  # convex
            yield replace(edge, m=4 * one)  # growth
            yield replace(edge, shift=F(3))  # c is the mean
            if active == 1:
                yield replace(edge, favourite=True)  # uniform
            yield replace(edge, eta=8 * edge.eta)  # step
            if K < 3:
                yield replace(edge, noise=one, sigma2=one)
                yield replace(edge, noise=one, sigma2=F(1, 4))  # noise
                yield replace(edge, noise=one, sigma2=one, shared=True)  # independent
                yield replace(edge, bias=-one if x else one, sigma2=one)  # unbiased


def rate(hypotheses: Sequence[str] = SCAFFOLD, pull: str = RATE, keep: str = KEEP, level: str = LEVEL) -> Verdict:
    """E[Ψ_{t+1}] ≤ pull·‖d‖² + keep·(bv/L²)G_t + level·σ², Ψ_t = ‖d‖² + (bv/L²)G_t, G_t = Σ‖c_i − ∇f_i(x_⋆)‖²/n."""
    parts = {"pull": parse(pull), "keep": parse(keep), "level": parse(level)}

    def prove() -> Sequence[Step]:
        return (*one_client(hypotheses), *over_clients(hypotheses), *together(hypotheses, parts))

    def wrong(one: Local) -> str | None:
        held = one.at(b * v / L**2) * sum((w * w for w in one.z), F(0)) / 2
        bound = one.at(parts["pull"]) * one.x**2 + one.at(parts["keep"]) * held + one.at(parts["level"]) * one.sigma2
        left = one.after()
        return rf"$E[\Psi_{{t+1}}] = {left} > {bound}$" if left > bound else None

    return decide("certificate", prove, [lambda: first_failing(rounds(), hypotheses, wrong)])


def scaffold_instance() -> Witness:
    """A round of two clients with two local steps and noise, which satisfies every hypothesis."""
    one = next(r for r in admitted(rounds(), SCAFFOLD) if r.x and any(r.z) and r.noise and 0 in r.slopes)
    return satisfying(one, SCAFFOLD, "a round on the line")


# --------------------------------------------------------------------------------------------------------- the row


def one_client(hypotheses: Sequence[str]) -> tuple[Step, ...]:
    """What convexity and smoothness of f_i say of a gradient, and how far K local steps lead away from x."""
    at_x, at_y = sp.symbols("D_i(x) D_i(y_j)", nonnegative=True)
    bregman = r"$D_i(y) = f_i(y)-f_i(x_\star)-\langle\nabla f_i(x_\star), y-x_\star\rangle$"
    lines = {
        "smooth": (at_y - inner(E_, S) + L / 2 * square(S) - at_x, rf"$f_i$ is L-smooth, from $y_j$ to x; {bregman}"),
        "convex": (
            inner(E_, D + S) - at_y - square(E_) / (2 * L),
            r"$f_i$ is convex and L-smooth, $y_j$ and $x_\star$",
        ),
    }
    given = {name: Hypothesis(e, why) for name, (e, why) in lines.items() if name in hypotheses}
    target = inner(E_, D) - at_x - square(E_) / (2 * L) + L / 2 * square(S)
    slope = verify(target, given, {"smooth": 1, "convex": 1})
    (a, far) = atoms("a_j", "S_j")
    size, noisy = 1 + k, _with_noise(hypotheses, {"a_j", "S_j"})
    more = square(far) / size + eta**2 * square(a) + eta**2 * sigma2 / (size + 1)
    more -= noisy.of(square(far - eta * (a + XI))) / (size + 1)
    says = (
        r"$E\|S_{j+1}\|^2/(j+1) \leq E\|S_j\|^2/j + \eta^2 E\|a_j\|^2 + \eta^2\sigma^2/(j+1)$: so $E\|S_j\|^2 \leq "
        r"j\eta^2(\sum_{l<K}E\|a_l\|^2 + \sigma^2\sum_{l<K}1/l)$"
    )
    factors = {"noise": eta**2 / (size + 1)}
    grown = verify(
        more, _variance(hypotheses, noisy), factors, [(1 / (size * (size + 1)), far + size * eta * a)], says=says
    )
    split = verify(
        2 * square(E_) + 2 * square(Z - C) - square(E_ - Z + C), {}, {}, [(1, E_ + Z - C)],
        says=r"$\|a_j\|^2 \leq 2\|e_j\|^2 + 2\|z-c\|^2$, $a_j = e_j - z + c$",
    )  # fmt: skip
    K = 1 + rest
    length = verify(K * (K - 1) / 2 + K - (K + 1) * K / 2, {}, {}, equality=True, says=r"$\sum_{j<K}j = K(K-1)/2$")
    return (*slope, *grown, *split, *length)


def over_clients(hypotheses: Sequence[str]) -> tuple[Step, ...]:
    """Means over clients i, steps j and the choice of clients."""
    means = {"e_j": Mean(FIELD), r"\bar{e}_i": Mean(FIELD)}
    free: set[str] = {"z"}
    if "c is the mean" in hypotheses:
        means, free = means | {"z": Mean(C)}, set()
    E = Expectation({"d", "c", r"\bar{e}"}, means, free)
    held = verify(
        E.of(square(Z)) - E.of(square(Z - C)), {}, {}, [(1, C)],
        says=r"$E\|z-c\|^2 \leq G$: c is the mean of the z, as $\sum_i\nabla f_i(x_\star) = 0$",
    )  # fmt: skip
    both = {"square": Hypothesis(E.of(square(BAR + Z)), "the expectation of a square")}
    apart = verify(
        2 * E.of(square(BAR)) + 2 * E.of(square(Z)) - E.of(square(BAR - Z - FIELD + C)), both, {"square": 1},
        [(1, FIELD - C)], says=r"the spread of $y_K-x$ over clients is at most $2(\eta K)^2(E\|\bar e_i\|^2+G)$",
    )  # fmt: skip
    inside = Expectation({r"\bar{e}_i"}, {"e_j": Mean(BAR)})
    positive = {"square": Hypothesis(inside.of(square(E_ - BAR)), "the expectation of a square")}
    says = r"a mean over j: $\|\bar e_i\|^2 \leq E_j\|e_j+\xi_j\|^2$; and $\|E\bar e_i\|^2 \leq E\|e_j\|^2$"
    jensen = verify(inside.of(square(E_)) - square(BAR), positive, {"square": 1}, says=says)
    noisy = _with_noise(hypotheses, {"e_j"})
    more = verify(
        square(E_) + sigma2 - noisy.of(square(E_ + XI)), _variance(hypotheses, noisy), {"noise": 1},
        says=r"$E\|e_j+\xi_j\|^2 \leq E\|e_j\|^2+\sigma^2$",
    )  # fmt: skip
    return (*held, *apart, *jensen, *more, *server_noise(hypotheses), *choice(hypotheses))


def _with_noise(hypotheses: Sequence[str], past: set[str]) -> Expectation:
    """Given the past, ξ_j has mean zero where oracles are unbiased."""
    known = "unbiased" in hypotheses
    return Expectation(past, {r"\xi_j": Mean(Vector({}))} if known else {}, set() if known else {r"\xi_j"})


def _variance(hypotheses: Sequence[str], noisy: Expectation) -> dict[str, Hypothesis]:
    """E‖ξ_j‖² ≤ σ²."""
    line = Hypothesis(sigma2 - noisy.of(square(XI)), r"$E\|\xi_j\|^2 \leq \sigma^2$")
    return {"noise": line} if "noise" in hypotheses else {}


def server_noise(hypotheses: Sequence[str]) -> tuple[Step, ...]:
    """The mean over n clients that err independently: P + σ²/n, where each of them has P + σ²."""
    others = sp.Symbol("{(n-1)}", nonnegative=True)
    names = (r"P", r"{\sum_iE\|\bar{e}_i\|^2}", r"{\sum_i\|E\bar{e}_i\|^2}", r"{E\|\bar{e}\|^2}")
    P, own, means, value = sp.symbols(names, nonnegative=True)
    cross, count = sp.Symbol(r"{\sum_{i \neq j}\langle E\bar{e}_i, E\bar{e}_j\rangle}", real=True), 1 + others
    lines = {
        "independent": ((own + cross) / count**2 - value, "clients err independently of each other"),
        "apart": (others * means - cross, r"$\sum_{i<j}\|E\bar e_i-E\bar e_j\|^2 \geq 0$"),
        "own": (count * (P + sigma2) - own, r"$E\|\bar e_i\|^2 \leq P+\sigma^2$ in the mean over clients"),
        "means": (count * P - means, r"$\|E\bar e_i\|^2 \leq P$ in the mean over clients"),
    }
    given = {
        name: Hypothesis(e, why) for name, (e, why) in lines.items() if name in hypotheses or name != "independent"
    }
    factors = {"independent": 1, "apart": 1 / count**2, "own": 1 / count**2, "means": others / count**2}
    return verify(P + sigma2 / count - value, given, factors, says=r"$E\|\bar e\|^2 \leq P+\sigma^2/n$")


def choice(hypotheses: Sequence[str]) -> tuple[Step, ...]:
    """m of n without replacement: pairs with chance m(m−1)/(n(n−1)), and ν/2 times the spread is the variance."""
    active, absent = 1 + sp.Symbol("{(m-1)}", nonnegative=True), sp.Symbol("{(n-m)}", positive=True)
    n = active + absent
    names = (r"{\sum_i\|w_i\|^2}", r"{\sum_{i \neq j}\langle w_i, w_j \rangle}", "V")
    own, cross, value = (sp.Symbol(name, real=True) for name in names)
    chance = active / n * own + active * (active - 1) / (n * (n - 1)) * cross
    rows = {
        "uniform": (chance / active**2 - value, r"$V = E\|\frac{1}{m}\sum_A w_i\|^2$, uniform subsets of m clients"),
        "centred": (own + cross, r"$\|\sum_i w_i\|^2 = 0$ for $w_i = y_K-x$ less its mean"),
    }
    given = {
        name: Hypothesis(e, why, equality=True) for name, (e, why) in rows.items() if name in (*hypotheses, "centred")
    }
    target = absent / (active * (n - 1)) * own / n - value
    factors = {"uniform": 1, "centred": -(active - 1) / (active * n * (n - 1))}
    return verify(target, given, factors, equality=True, says=r"$V = \frac{\nu}{2}\cdot\frac{1}{n}\sum_i\|w_i\|^2$")


def together(hypotheses: Sequence[str], parts: dict[str, sp.Expr]) -> tuple[Step, ...]:
    """The lines above with P = E‖e_j‖², τ = γηK = v/L; the condition is A + v + pb ≤ 1."""
    dd, P, G, gap, far, V = sp.symbols(r"{\|d\|^2} P G_t f(x)-f_\star {E\|S_j\|^2} V", nonnegative=True)
    hh, after, G1 = sp.symbols(r"{\|\bar{e}\|^2} {E\|d'\|^2} E[G_{t+1}]", nonnegative=True)
    pull = sp.Symbol(r"{\langle\bar{e},d\rangle}", real=True)
    tau, cost = v / L, drift + nu * v
    lines = {
        "server": (dd - 2 * tau * pull + tau**2 * hh + V - after, r"$x^+-x_\star = d - \tau\bar e + \ldots$"),
        "slopes": (pull - gap - P / (2 * L) + L / 2 * far, r"the mean of the first line; $E[D_i(x)] = f(x)-f_\star$"),
        "growth": (gap - m / 2 * dd, r"$f(x)-f_\star \geq \frac{\mu}{2}\|x-x_\star\|^2$"),
        "drift": (
            drift / L**2 * (P + G + chi * sigma2) - far,
            r"local steps: $E\|S_j\|^2 \leq \frac{K-1}{2K}(\eta K)^2(E\|a_j\|^2 + 2\chi\sigma^2)$",
        ),
        "mean": (P + sigma2 / n - hh, r"$E\|\bar e\|^2 \leq P+\sigma^2/n$"),
        "absent": (nu * tau**2 * (P + G + sigma2) - V, r"the variance of the choice, times $\gamma^2$"),
        "clients": (mix([(p, P + sigma2), (1 - p, G)]) - G1, r"an active client keeps $z^+ = \bar e_i$"),
        "step": (1 - cost - v - p * b, r"$A + v + pb \leq 1$"),
    }
    conditional = ("growth", "step")
    given = {
        name: Hypothesis(e, why) for name, (e, why) in lines.items() if name in hypotheses or name not in conditional
    }
    weight = b * v / L**2
    target = parts["pull"] * dd + parts["keep"] * weight * G + parts["level"] * sigma2 - after - weight * G1
    factors = {"server": 1, "slopes": 2 * tau, "growth": 2 * tau, "drift": v, "mean": tau**2, "absent": 1}
    return verify(target, given, {**factors, "clients": weight, "step": v / L**2 * P})
