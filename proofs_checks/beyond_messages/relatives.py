"""Named algorithms as FedMM: the same rounds, shown by identities; where the search runs both in exact numbers.

The definitions are those of their authors, on the line; identities are linear, so they hold coordinate by coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.verdict import Verdict, Witness
from proofs_checks.shared.tools import instance, settle

WHY = "linear in what clients hold and send, hence coordinate by coordinate"
eta, alpha, gamma, a = sp.symbols("eta alpha gamma a", positive=True)
K, n, m = sp.symbols("K n m", integer=True, positive=True)


@dataclass(frozen=True)
class Clients:
    """f_i = bend_i (θ − least_i)²/2 on the line; `active` in each of the rounds."""

    bend: tuple[F, ...] = (F(1), F(2), F(1, 2))
    least: tuple[F, ...] = (F(0), F(3), F(-2))
    active: tuple[tuple[int, ...], ...] = ((0, 1), (1, 2), (0, 2))
    mu: tuple[F, ...] = (F(1, 3), F(1, 3), F(1, 3))

    def slope(self, i: int, theta: F) -> F:
        return self.bend[i] * (theta - self.least[i])

    @property
    def n(self) -> int:
        return len(self.bend)


UNEQUAL = Clients(mu=(F(1, 2), F(1, 4), F(1, 4)))


def differs(ours: Sequence[F], theirs: Sequence[F], point: Mapping[str, object]) -> Witness | None:
    """The first round in which two runs are not the same."""
    for t, (u, v) in enumerate(zip(ours, theirs, strict=True), start=1):
        if u != v:
            return Witness({k: str(x) for k, x in point.items()}, f"after round {t}: ${u}$ against ${v}$")
    return None


def moved(of: Clients, x: F, V: list[F], aims: Mapping[int, F], step: F, to: F) -> tuple[F, list[F]]:
    """A round of FedMM without compression from x with the aims of the active: x, and the V_i; p = m/n."""
    p = F(len(aims), of.n)
    total = sum((mu * v for mu, v in zip(of.mu, V, strict=True)), F(0))
    M = {i: aim - x - V[i] for i, aim in aims.items()}
    H = total + sum((of.mu[i] * one for i, one in M.items()), F(0)) / p
    return x + step * H, [v + to / p * M[i] if i in M else v for i, v in enumerate(V)]


def scaffold(
    drift: str = "1", size: str = "m/n", sent: Literal["change", "value"] = "change", over: str = "n",
    weights: Literal["equal", "any"] = "equal",
) -> Verdict:  # fmt: skip
    """Option II with V_i = −ηK c_i: c_i⁺ = c_i − c + drift·(x − y_K)/(ηK), c⁺ = c + (1/over)Σ_A(what is sent)."""
    names = {"m": m, "n": n}
    sign, part, share = (sp.sympify(text, names) for text in (drift, size, over))
    x, c, ci, D, mu = sp.symbols("x c c_i D mu_i")  # D: the sum of the K gradients along the client's own steps
    y = x - eta * D - eta * K * (c - ci)
    new = ci - c + sign * (x - y) / (eta * K)
    Vi, V, aim = -eta * K * ci, -eta * K * c, x - eta * D
    M, p = aim - x - Vi, m / n
    weight = 1 / n if weights == "equal" else mu
    up = new - ci if sent == "change" else new
    residuals = {
        "$V_{t+1,i} = -\\eta K c_i^+$": Vi + part / p * M + eta * K * new,
        "an active client moves x by the same": weight / p * M + V / m - (y - x) / m,
        "an active client moves V as c": part / p * weight * M + eta * K * up / share,
    }
    return settle("identity", residuals, WHY, _scaffold_differs(drift, size, sent, over, weights))


def _scaffold_differs(drift: str, size: str, sent: str, over: str, weights: str) -> Witness | None:
    of, steps, step, rate = Clients() if weights == "equal" else UNEQUAL, 2, F(1, 8), F(1, 2)
    active = len(of.active[0])
    numbers = {"m": F(active), "n": F(of.n), "m/n": F(active, of.n), "1": F(1), "-1": F(-1), "1/2": F(1, 2)}
    x, c, ci, theirs = F(1), F(0), [F(0)] * of.n, []
    z, V, ours = F(1), [F(0)] * of.n, []
    for who in of.active:
        ends, after, told, aims = [], list(ci), F(0), {}
        total = sum((mu * v for mu, v in zip(of.mu, V, strict=True)), F(0))
        for i in who:
            y, w, slopes = x, z, F(0)
            for _ in range(steps):
                y = y - step * (of.slope(i, y) - ci[i] + c)
                slope = of.slope(i, w)
                w, slopes = w - step * slope - (V[i] - total) / steps, slopes + slope
            after[i] = ci[i] - c + numbers[drift] * (x - y) / (step * steps)
            told += after[i] - (ci[i] if sent == "change" else 0)
            ends.append(y)
            aims[i] = z - step * slopes
        x, c, ci = x + rate * (sum(ends, F(0)) / active - x), c + told / numbers[over], after
        z, V = moved(of, z, V, aims, rate, numbers[size])
        theirs.append(x)
        ours.append(z)
    return differs(ours, theirs, {"f_i": "bends 1, 2, 1/2, minima 0, 3, -2", "mu": of.mu, "K": steps, "eta": step})


def shifted(
    name: Literal["EF21", "DIANA"], direction: Literal["new", "old", "both"], scale: Literal["any", "1"] = "any"
) -> Verdict:
    """With V_i = −ηg_i, S_i = x − η∇f_i and C(ηu) = ηC(u) (`scale` "any"): g_i⁺ = g_i + αC(∇f_i − g_i).

    `direction`: the server goes along g⁺ ("new": EF21, α = 1), or along g + ΣC ("both": DIANA), or along g ("old").
    """
    x, g, slope, C = sp.symbols("x g_i f_i' C")  # C: of ∇f_i − g_i, with the sign turned: C(−u) = −C(u)
    size = 1 if name == "EF21" else alpha
    sent = -eta * C if scale == "any" else -C  # what comes through of −η(∇f_i − g_i)
    V = -eta * g
    step = {"new": V + size * sent, "both": V + sent, "old": V}
    theirs = {"EF21": g + C, "DIANA": g + C}[name]
    residuals = {
        "$V_{t+1,i} = -\\eta g_i^+$": V + size * sent + eta * (g + size * C),
        "x moves by $-\\eta$ times the direction": step[direction] + eta * theirs,
        "the message is that of the difference": (x - eta * slope - x - V) + eta * (slope - g),
    }
    return settle("identity", residuals, WHY, _shifted_differs(name, direction, scale))


def _shifted_differs(name: str, direction: str, scale: str) -> Witness | None:
    of, step, size = Clients(), F(1, 4), F(1) if name == "EF21" else F(1, 2)
    half = lambda u: u / 2  # noqa: E731  (a contraction that is homogeneous)
    bent = lambda u: u / 2 if abs(u) < 1 else u - F(1, 2) * (1 if u > 0 else -1)  # noqa: E731  (one that is not)
    C = half if scale == "any" else bent
    x, g, theirs = F(1), [F(0)] * of.n, []
    z, V, ours = F(1), [F(0)] * of.n, []
    for _ in range(3):
        heard = [C(of.slope(i, x) - g[i]) for i in range(of.n)]
        x = x - step * sum((g[i] + heard[i] for i in range(of.n)), F(0)) / of.n
        g = [g[i] + size * heard[i] for i in range(of.n)]
        sent = [C(-step * of.slope(i, z) - V[i]) for i in range(of.n)]
        after = [V[i] + size * sent[i] for i in range(of.n)]
        along = {"new": after, "old": V, "both": [V[i] + sent[i] for i in range(of.n)]}[direction]
        z, V = z + sum(along, F(0)) / of.n, after
        theirs.append(x)
        ours.append(z)
    return differs(ours, theirs, {"C": "u/2" if scale == "any" else "u/2 for |u| < 1", "eta": step, "alpha": size})


def feddyn(direction: Literal["new", "old"] = "new", size: str = "m/n", drift: str = "1") -> Verdict:
    """V_i = −g_i/a, S_i = θ − ∇f_i(θ_i)/a, α = p: ∇f_i(θ_i) = g_i − drift·a(θ_i − θ) is the new g_i; V_{t+1} leads."""
    part, sign = sp.sympify(size, {"m": m, "n": n}), sp.sympify(drift)
    theta, own, g, h = sp.symbols("theta theta_i g_i h")
    slope = g - sign * a * (own - theta)
    V, p = -g / a, m / n
    M = theta - slope / a - theta - V
    new_V = V + part / p * M
    # server: h⁺ = h − (a/n)Σ_A(θ_i − θ), θ⁺ = (1/m)Σ_A θ_i − h⁺/a, with h = Σ g_i/n = −aV
    mean = sp.Symbol("theta_A")  # of θ_i over the active
    lead = (-h + a * m / n * (mean - theta)) / a if direction == "new" else -h / a  # V_{t+1} or V_t
    residuals = {
        "$V_{t+1,i} = -g_i^+/a$": new_V + (g - a * (own - theta)) / a,
        "$M_i = \\theta_i - \\theta_t$": M - (own - theta),
        "the server's step": (mean - (h - a * m / n * (mean - theta)) / a) - (theta + (mean - theta) + lead),
    }
    return settle("identity", residuals, WHY, _feddyn_differs(direction, size, drift))


def _feddyn_differs(direction: str, size: str, drift: str) -> Witness | None:
    of, pull = Clients(), F(2)
    active = len(of.active[0])
    numbers = {"m/n": F(active, of.n), "1": F(1), "-1": F(-1)}
    theta, g, h, theirs = F(1), [F(0)] * of.n, F(0), []
    z, V, ours = F(1), [F(0)] * of.n, []
    p = F(active, of.n)
    for who in of.active:
        ends = {i: (of.bend[i] * of.least[i] + g[i] + pull * theta) / (of.bend[i] + pull) for i in who}
        g = [g[i] - numbers[drift] * pull * (ends[i] - theta) if i in ends else g[i] for i in range(of.n)]
        h = h - pull / of.n * sum((end - theta for end in ends.values()), F(0))
        theta = sum(ends.values(), F(0)) / active - h / pull
        points = {i: (of.bend[i] * of.least[i] - pull * V[i] + pull * z) / (of.bend[i] + pull) for i in who}
        M = {i: -of.slope(i, points[i]) / pull - V[i] for i in who}
        after = [v + numbers[size] / p * M[i] if i in M else v for i, v in enumerate(V)]
        lead = sum(after if direction == "new" else V, F(0)) / of.n
        z, V = z + lead + sum(M.values(), F(0)) / active, after
        theirs.append(theta)
        ours.append(z)
    return differs(ours, theirs, {"f_i": "bends 1, 2, 1/2, minima 0, 3, -2", "a": pull, "active": of.active})


def two_proxes(ends: str = "1", proxes: int = 2) -> Verdict:
    """On ½(θ − 3)² + |θ|: where θ = prox(prox(θ − η(θ − 3))) with K = 1, for every 0 < η < 1; the minimiser is 2."""
    step, at = sp.Symbol("eta", positive=True), sp.sympify(ends)
    residuals: dict[str, sp.Expr | None] = {
        f"${ends} = {ends} - \\eta({ends} - 3) - {proxes}\\eta$ (both thresholds from above)": sp.expand(
            at - step * (at - 3) - proxes * step - at
        )
    }
    theta = F(str(at)) if at.is_Rational else F(0)
    point, half = theta - F(1, 2) * (theta - 3), F(1, 2)
    for _ in range(proxes):
        point = max(abs(point) - half, F(0)) * (1 if point > 0 else -1)
    counter = None if point == theta else Witness({"eta": "1/2", "theta": str(theta)}, f"a round leads to ${point}$")
    return settle("identity", residuals, "linear in θ where both thresholds are passed", counter)


def ends_of_fedavg(weights: Literal["own", "common"] = "own", step: str = "1") -> Verdict:
    """y_k − θ = −q_k ∇f_i(θ) with q_{k+1} = (1 − ηH_i)q_k + step·η, q_0 = 0: so Σ μ_i Q_i ∇f_i = 0 where rounds end."""
    factor = sp.sympify(step)
    H, G, q, common = sp.symbols("H g q H_0")  # commuting: powers of one matrix
    bend = H if weights == "own" else common
    y = -q * G  # y_k − θ
    residuals = {
        "$y_0 - \\theta = 0$, $q_0 = 0$": sp.S.Zero,
        "$y_{k+1} - \\theta = -q_{k+1} \\nabla f_i(\\theta)$": y
        - eta * (G + H * y)
        + ((1 - eta * bend) * q + factor * eta) * G,
    }
    return settle("identity", residuals, "polynomials in one matrix commute", _ends_differ(weights, factor))


def _ends_differ(weights: str, factor: sp.Expr) -> Witness | None:
    of, size, steps, start = Clients(), F(1, 4), 3, F(1)
    scale = F(str(factor)) if factor.is_Rational else F(0)
    for i in range(of.n):
        y, q = start, F(0)
        for _ in range(steps):
            y = y - size * of.slope(i, y)
            q = (1 - size * (of.bend[i] if weights == "own" else F(1))) * q + scale * size
        if y - start != -q * of.slope(i, start):
            return Witness({"K": "3", "eta": "1/4", "H": str(of.bend[i])}, f"$y_K - \\theta = {y - start}$")
    return None


def rounds_instance() -> Witness:
    """Three clients that differ, two of them in each round, from a point that is nobody's minimum."""
    of = Clients()
    return instance(
        {"bends": of.bend, "minima": of.least, "active": of.active, "x": 1},
        "three clients, two of them in each round",
        {"they differ": len(set(of.bend)) == of.n, "equal weights": len(set(of.mu)) == 1,
         "slopes": all(of.slope(i, F(1)) != 0 for i in range(of.n))},
    )  # fmt: skip
