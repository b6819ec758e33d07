"""MARINA, whose clients remember a gradient, and MCM, whose clients see another θ: the same rounds as FedMM's."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.verdict import Verdict, Witness
from proofs_checks.beyond_messages.composite import COINS
from proofs_checks.beyond_messages.relatives import WHY, Clients, alpha, differs, eta
from proofs_checks.shared.tools import settle

FULL = (True, False, False, True, False)
"""In which rounds MARINA sends gradients in full."""


def marina(
    aim: Literal["V", "plain"] = "V", since: Literal["last", "full"] = "last", size: str = "1",
    heads: Literal["full", "sent"] = "full", scale: Literal["any", "1"] = "any",
) -> Verdict:  # fmt: skip
    """V_i = −ηg_i. Heads: S_i = x − η∇f_i in full. Tails: S_i = x + V_i − η(∇f_i − the gradient before), through Q.

    `since`: which gradient that is, of the last round or of the last full one; `size`: α; `heads` "sent": through Q,
    too; `scale` "1": Q(−ηu) = −Q(u).
    """
    x, g, slope, last, full, Q = sp.symbols("x g_i f_i' f_i'(θ_{t-1}) f_i'(θ_full) Q")
    share, V = sp.sympify(size), -eta * g
    before = {"last": last, "full": full}[since]
    tails = x - eta * slope if aim == "plain" else x + V - eta * (slope - before)
    through = -eta * Q if scale == "any" else -Q  # what comes through of −η(∇f_i − ∇f_i(θ_{t−1}))
    whole = x - eta * slope - x - V if heads == "full" else through
    residuals = {
        "tails: the message is that of the difference": (tails - x - V) + eta * (slope - last),
        "tails: $V_{t+1,i} = -\\eta g_i^+$": V + share * through + eta * (g + Q),
        "tails: x moves by $-\\eta$ times the mean of $g_i^+$": V + through + eta * (g + Q),
        "heads: $V_{t+1,i} = -\\eta g_i^+$": V + share * whole + eta * slope,
        "heads: x moves by $-\\eta$ times the mean of $g_i^+$": V + whole + eta * slope,
    }
    return settle("identity", residuals, WHY, _marina_differs(aim, since, F(size), heads, scale))


def _marina_differs(aim: str, since: str, share: F, heads: str, scale: str) -> Witness | None:
    """Five rounds of both; Q lets half of a number through, and more of a large one where it is not homogeneous."""
    of, step = Clients(), F(1, 4)

    def Q(u: F) -> F:
        return u / 2 if scale == "any" or abs(u) < 1 else u - F(1, 2) * (1 if u > 0 else -1)

    x, z, theirs, ours = F(8), F(8), [], []
    g = [of.slope(i, x) for i in range(of.n)]
    last, V, before = list(g), [-step * one for one in g], list(g)
    for coin in FULL:
        now = [of.slope(i, x) for i in range(of.n)]
        g = now if coin else [a + Q(b - c) for a, b, c in zip(g, now, last, strict=True)]
        last = now
        x = x - step * sum(g, F(0)) / of.n
        here = [of.slope(i, z) for i in range(of.n)]
        aims = [z - step * b if coin or aim == "plain" else z + v - step * (b - c)
                for v, b, c in zip(V, here, before, strict=True)]  # fmt: skip
        sent = [s - z - v if coin and heads == "full" else Q(s - z - v) for s, v in zip(aims, V, strict=True)]
        z = z + sum((v + m for v, m in zip(V, sent, strict=True)), F(0)) / of.n
        V = [v + share * m for v, m in zip(V, sent, strict=True)]
        before = here if coin or since == "last" else before
        theirs.append(x)
        ours.append(z)
    return differs(
        ours, theirs, {"Q": "u/2" if scale == "any" else "u/2 for |u| < 1", "full": FULL, "eta": step, "x": 8}
    )


def mcm(
    reference: Literal["seen", "x"] = "seen", moves: Literal["own", "seen"] = "own", down: str = "beta",
    direction: Literal["both", "old"] = "both",
) -> Verdict:  # fmt: skip
    """V_i = −ηh_i, S_i = x̂ − η∇f_i(x̂), r = x̂ = w + C(x − w), and a server that moves its own x: H without r − x.

    `moves` "seen": it goes on from x̂ (the downlink of Artemis); `down`: w⁺ = w + down·C(x − w); `direction` "old":
    along h, without what is sent.
    """
    x, seen, w, h, slope, Q, heard, beta = sp.symbols("x x̂ w h_i f_i'(x̂) Q C beta")
    r, V = (seen if reference == "seen" else x), -eta * h
    start = x if moves == "own" else seen
    along = V - eta * Q if direction == "both" else V
    residuals = {
        "the message is that of the difference": (seen - eta * slope - r - V) + eta * (slope - h),
        "$V_{t+1,i} = -\\eta h_i^+$": V - alpha * eta * Q + eta * (h + alpha * Q),
        "the server's own step": start + along - (x - eta * (h + Q)),
        "what all clients know": w + sp.sympify(down, {"beta": beta}) * heard - (w + beta * heard),
    }
    return settle("identity", residuals, WHY, _mcm_differs(reference, moves, down, direction))


def _mcm_differs(reference: str, moves: str, down: str, direction: str) -> Witness | None:
    """Five rounds of both; channels u ↦ 2u or 0, the downlink's a round behind the uplink's; α = β = ½."""
    of, step, half = Clients(), F(1, 4), F(1, 2)
    pace = half if down == "beta" else F(down)
    x, w, h, theirs = F(1), F(0), [F(0)] * of.n, []
    z, u, V, ours = F(1), F(0), [F(0)] * of.n, []
    seen = view = F(1)
    for coin, tells in zip(COINS, (COINS[-1], *COINS[:-1]), strict=True):
        sent = [(2 if coin else 0) * (of.slope(i, seen) - h[i]) for i in range(of.n)]
        x = x - step * sum((a + b for a, b in zip(h, sent, strict=True)), F(0)) / of.n
        h = [a + half * b for a, b in zip(h, sent, strict=True)]
        heard = (2 if tells else 0) * (x - w)
        seen, w = w + heard, w + half * heard
        r = view if reference == "seen" else z
        M = [(2 if coin else 0) * (view - step * of.slope(i, view) - r - V[i]) for i in range(of.n)]
        along = [v + (m if direction == "both" else 0) for v, m in zip(V, M, strict=True)]
        z = (z if moves == "own" else view) + sum(along, F(0)) / of.n
        V = [v + half * m for v, m in zip(V, M, strict=True)]
        heard = (2 if tells else 0) * (z - u)
        view, u = u + heard, u + pace * heard
        theirs.append(x)
        ours.append(z)
    point = {"Q": "2u or 0", "coins": COINS, "eta": step, "alpha, beta": half}
    return differs(ours, theirs, point)
