"""Relatives for f + g, and one that compresses its iterate: rounds as identities, and runs in exact numbers."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction, proved, refuted
from proofs_checks.beyond_messages.relatives import Clients, differs, eta, gamma
from proofs_checks.shared.tools import instance, settle

WHY = "linear in what clients hold and send, hence coordinate by coordinate; the channel is any map"
COINS = (True, False, True, True, False)
"""In which rounds the channel u ↦ 2u or 0 lets something through: it is right on average for a fair coin."""


def soft(x: F, level: F) -> F:
    """prox of level·|·|."""
    return max(abs(x) - level, F(0)) * (1 if x > 0 else -1)


def gdci(
    reference: Literal["0", "x"] = "0", memory: Literal["none", "V"] = "none", damped: str = "1 - gamma"
) -> Verdict:
    """x + γ((r − x) + V + Q(S − r − V)) = damped·x + γQ(x − η∇f) with r = 0 and V = 0, for any Q."""
    x, slope, Q, V = sp.symbols("x f' Q V")
    r, held = (sp.S.Zero if reference == "0" else x), (sp.S.Zero if memory == "none" else V)
    keep = sp.sympify(damped, {"gamma": gamma})
    residuals = {
        "what is compressed is the iterate": (x - eta * slope - r - held) - (x - eta * slope),
        "the server's step": x + gamma * ((r - x) + held + Q) - (keep * x + gamma * Q),
    }
    return settle("identity", residuals, WHY, _gdci_differs(reference, memory, keep))


def _gdci_differs(reference: str, memory: str, keep: sp.Expr) -> Witness | None:
    of, step, rate = Clients(), F(1, 4), F(1, 2)
    kept = F(str(keep.subs(gamma, sp.Rational(1, 2))))
    V = F(0) if memory == "none" else F(1)  # of every client, and stays
    x, z, theirs, ours = F(1), F(1), [], []
    for coin in COINS:
        Q = lambda u, coin=coin: 2 * u if coin else F(0)  # noqa: E731
        x = kept * x + rate * sum((Q(x - step * of.slope(i, x)) for i in range(of.n)), F(0)) / of.n
        r = F(0) if reference == "0" else z
        heard = sum((Q(z - step * of.slope(i, z) - r - V) for i in range(of.n)), F(0)) / of.n
        z = z + rate * ((r - z) + V + heard)
        theirs.append(x)
        ours.append(z)
    return differs(ours, theirs, {"Q": "2u or 0", "coins": COINS, "eta": step, "gamma": rate, "x": 1})


def prox_diana(reference: Literal["theta", "x"] = "theta", size: str = "1") -> Verdict:
    """x⁺ = θ − η·size·(h + Q(∇f − h)), θ = prox_{ηg}(x), with V = −ηh, γ = 1 and the reference r_t = θ_t or Ŝ_t."""
    part = sp.sympify(size)
    x, theta, h, slope, C = sp.symbols("x theta h_i f' C")  # C: what comes through of ∇f − h
    r, V = (theta if reference == "theta" else x), -eta * h
    residuals = {
        "the message is that of the difference": (theta - eta * slope - r - V) + eta * (slope - h),
        "the server's step": x + ((r - x) + V - eta * C) - (theta - eta * part * (h + C)),
    }
    return settle("identity", residuals, WHY, _apart(reference, F(str(part)), F(1)))


def prox_diana_differs(penalty: str = "1") -> Verdict:
    """With r_t = θ_t prox-DIANA is FedMM with γ = 1; with r_t = Ŝ_t, on f + penalty·|θ|, it is not."""
    weight = F(penalty)
    apart = _apart("x", F(1), weight)
    if apart is None:
        point = {"g": f"{weight}|theta|", "coins": str(COINS)}
        return refuted("exact instance", Witness(point, "the two make the same rounds"))
    differ = proved("exact instance", Step(f"differs {apart.says}", str(dict(apart.point))))
    return conjunction({"with the reference θ_t": prox_diana(), "with Ŝ_t": differ})


def _apart(reference: str, size: F, weight: F) -> Witness | None:
    of, step, part = Clients(), F(1, 4), F(1, 2)
    theta, h, theirs = F(1), [F(0)] * of.n, []
    z, V, ours = theta + step * weight, [F(0)] * of.n, []  # a point whose prox is θ
    for coin in COINS:
        Q = lambda u, coin=coin: 2 * u if coin else F(0)  # noqa: E731
        heard = [Q(of.slope(i, theta) - h[i]) for i in range(of.n)]
        along = sum((a + b for a, b in zip(h, heard, strict=True)), F(0)) / of.n
        theta = soft(theta - step * size * along, step * weight)
        h = [a + part * b for a, b in zip(h, heard, strict=True)]
        now = soft(z, step * weight)
        r = now if reference == "theta" else z
        sent = [Q(now - step * of.slope(i, now) - r - V[i]) for i in range(of.n)]
        z = r + sum((a + b for a, b in zip(V, sent, strict=True)), F(0)) / of.n
        V = [a + part * b for a, b in zip(V, sent, strict=True)]
        theirs.append(theta)
        ours.append(soft(z, step * weight))
    return differs(ours, theirs, {"Q": "2u or 0", "coins": COINS, "eta": step, "alpha": part, "g": f"{weight}|theta|"})


def feddualavg(step: str = "1/(t + 1)", weight: str = "eta*t", sign: int = 1) -> Verdict:
    """z_t = z_0 − η t s_t and θ_t = prox_{weight·g}(z_t) minimises t η(⟨s_t, θ⟩ + g(θ)) + ½‖θ − z_0‖².

    s_{t+1} = s_t + step·(sign·∇f(θ_t) − s_t).
    """
    t = sp.Symbol("t", integer=True, positive=True)
    z0, s, slope, theta, z, g = sp.symbols("z_0 s_t f' theta z g(theta)")
    names = {"t": t, "eta": eta}
    pace, level = sp.sympify(step, names), sp.sympify(weight, names)
    after = s + pace * (sign * slope - s)
    prox, dual = level * g + (theta - z) ** 2 / 2, eta * t * (s * theta + g) + (theta - z0) ** 2 / 2
    residuals = {
        "$z_{t+1} = z_t - \\eta\\nabla f(\\theta_t)$": z0 - eta * (t + 1) * after - (z0 - eta * t * s - eta * slope),
        "what the prox minimises, up to a constant": sp.diff((prox - dual).subs(z, z0 - eta * t * s), theta),
        "the weight of g": sp.diff(prox - dual, g),
    }
    return settle("induction on t", residuals, "coordinate by coordinate", _dual_differs(pace, level, sign, t))


def _dual_differs(pace: sp.Expr, level: sp.Expr, sign: int, t: sp.Symbol) -> Witness | None:
    """Dual averaging by its definition against the minimiser of the averaged tangent planes; g = |θ|, η = 1/4."""
    of, size, start = Clients(), F(1, 4), F(2)
    z, s, theirs, ours = start, F(0), [start], [start]
    for k in range(4):
        z = z - size * sum((of.slope(i, theirs[-1]) for i in range(of.n)), F(0)) / of.n
        theirs.append(soft(z, size * (k + 1)))
        slope = sum((of.slope(i, ours[-1]) for i in range(of.n)), F(0)) / of.n
        s = s + F(str(pace.subs(t, k))) * (sign * slope - s)
        heavy = F(str(level.subs({t: k + 1, eta: sp.Rational(1, 4)})))
        ours.append(soft(start - size * (k + 1) * s, heavy))
    return differs(ours[1:], theirs[1:], {"g": "|theta|", "eta": size, "z_0": start})


def penalised() -> Witness:
    """Three clients that differ, g = |θ|, and a channel that loses something and is right on average."""
    of, points = Clients(), (F(1), F(-2))
    return instance(
        {"bends": of.bend, "minima": of.least, "g": "|theta|", "Q": "2u or 0, each with probability 1/2"},
        "a penalty with a kink, clients that differ",
        {"E[Q(u)] = u": all((2 * u + 0) / 2 == u for u in points), "a kink": soft(F(1, 2), F(1)) == 0,
         "they differ": len(set(of.least)) == of.n},
    )  # fmt: skip
