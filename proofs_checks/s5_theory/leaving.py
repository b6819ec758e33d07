"""When Ŝ_{t+1/2} of FedMM leaves 𝒮, although the oracles lie in it and γ ≤ 1 (Section 5, challenges)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction as F
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import decide, same_vector, verify
from fedmm_edu.proofs.gram import Vector, atoms
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction, proved, refuted, undecided
from proofs_checks.shared.fedmm_rounds import BOTH, HALF, NONE, Setting, State, direction, gamma, p, sent
from proofs_checks.shared.participation import LAWS, properties

START = State(F(1, 2), F(0), (F(0), F(0)))
COMPRESSOR = {F(0): HALF, F(2): HALF}
"""What a message is multiplied by, and how often."""


def leaves(how: Literal["always", "may", "never"]) -> Verdict:
    """With S_{t+1,i} in 𝒮, γ ≤ 1 and V = 0, Ŝ_{t+1/2} "may", "never" or "always" leave 𝒮, by each cause alone.

    "may" is proved by one exact round; "never" and "always" can only be refuted by one.
    """
    oracles, parts = (F(1), F(1)), {}
    share, law = LAWS["each client independently"]
    if "A5" not in properties(share, law):
        raise InvalidInput("clients are not selected as in A5: correct the law.")
    if (mean := sum(c * w for c, w in COMPRESSOR.items())) != 1:
        raise InvalidInput(f"the compressor has the mean {mean} times its message, against A4: correct it.")
    causes: dict[str, Callable[[], Iterator[F]]] = {
        "participation": lambda: (
            direction(START, active, sent(START, oracles, (F(1), F(1))), Setting(p=share)) for active in law
        ),
        "compression": lambda: (
            direction(START, BOTH, sent(START, oracles, factors), Setting())
            for factors in product(COMPRESSOR, repeat=2)
        ),
    }
    for cause, outcomes in causes.items():
        ends = [START.s + move for move in outcomes()]
        out, inside = (next((x for x in ends if (0 <= x <= 1) == keep), None) for keep in (False, True))
        example, against = {"may": (out, None), "never": (None, out), "always": (None, inside)}[how]
        point = {"S": "[0, 1]", "mu": "1/3, 2/3", "Shat": "1/2", "S_i": "1", "V": "0", "gamma": "1"}
        if against is not None:
            return refuted("exact round", Witness(point, f"{cause}: $\\hat S_{{t+1/2}} = {against}$ is possible"))
        if example is None:
            return undecided("exact round")
        parts[cause] = proved(
            "exact round",
            Step(
                f"$\\hat S_{{t+1/2}} = {example} \\notin [0, 1]$",
                ", ".join(f"{name} = {value}" for name, value in point.items()),
            ),
            *_outside(cause),
        )
    return conjunction(parts)


def _outside(cause: str) -> Sequence[Step]:
    """The same without numbers: all clients active, S_i = 1, Ŝ < 1, γ = 1, and p < 1 or messages that are c > 1 times
    too large end at Ŝ + (1 − Ŝ)/p or Ŝ + c(1 − Ŝ), above 1."""
    room, more = sp.symbols("r d", positive=True)  # r = 1 − Ŝ; 1/p = 1 + d, or c = 1 + d
    end = (1 - room) + (1 + more) * room
    factor = {"participation": "1/p", "compression": "c"}[cause]
    says = f"for every such $\\hat S$: $\\hat S + {factor}\\,(1 - \\hat S) - 1 = (1 - \\hat S)({factor} - 1) > 0$"
    return verify(end - 1 - room * more, {}, {}, equality=True, says=says)


def stays(variates: str = "0", gamma_max: str = "p", compressor: str = "identity") -> Verdict:
    """Ŝ_{t+1/2} ∈ 𝒮 for every set of active clients, all oracles in 𝒮 and all γ ≤ gamma_max (0 < p ≤ 1)."""
    size, found = {"p": HALF, "1": F(1)}[gamma_max], None
    factors = (F(1), F(1)) if compressor == "identity" else (F(2), F(2))
    starts = (START, State.start(F(1), (F(1), F(1)))) if variates == "any" else (START,)
    for state, active in product(starts, (BOTH, NONE)):
        move = direction(state, active, sent(state, (F(1), F(1)), factors), Setting(p=HALF))
        end = state.s + size * move
        if found is None and not 0 <= end <= 1:
            point = {"S": "[0, 1]", "p": "1/2", "gamma": size, "Shat": state.s, "S_i": 1, "V_i": state.clients[0]}
            point["active"] = "everybody" if active else "nobody"
            found = Witness({k: str(v) for k, v in point.items()}, f"$\\hat S_{{t+1/2}} = {end}$")
    return decide("certificate", lambda: _convex_combination(variates, gamma_max, compressor), [lambda: found])


def _convex_combination(variates: str, gamma_max: str, compressor: str) -> Sequence[Step]:
    """Ŝ_{t+1/2} = (1 − W)Ŝ + Σ w_i S_i with w_i = γμ_i/p on the active clients and W = Σ w_i ≤ 1."""
    w, M, c = sp.symbols("w_i M c_i", nonnegative=True)
    old, new, own = atoms(r"\hat S", "S_i", "V_i")
    held = own if variates == "any" else Vector({})
    factor = 1 if compressor == "identity" else c
    # w_i = γμ_i/p: the message Q(S_i − Ŝ − V_i) of an active client, and its share γμ_i V_i of γV
    moved = w * factor * (new - old - held) + w * p * held
    part = same_vector(moved, w * new - w * old, "client $i$'s part, termwise for every n")
    given = {
        "step": Hypothesis(sp.sympify(gamma_max, {"p": p}) - gamma, f"$\\gamma \\leq {gamma_max}$"),
        "active": Hypothesis(1 - M, "$M$, the weight of the active clients, is at most 1"),
    }
    weight = verify(p - gamma * M, given, {"step": 1, "active": gamma}, says="$1 - W = 1 - \\gamma M/p \\geq 0$")
    return (part, *weight, Step("$\\hat S_{t+1/2}$ lies in 𝒮", "a convex combination of points of the convex set 𝒮"))


def reinforced(
    variates: Literal["0", "any"] = "0",
    gamma_max: Literal["1", "p"] = "p",
    compressor: Literal["factor 0 or 2", "identity"] = "identity",
) -> Verdict:
    """`stays(…)`; while with control variates a round leaves 𝒮 for every γ > 0."""
    edge = State.start(F(1), (F(1), F(1)))
    move = direction(edge, NONE, sent(edge, (F(1), F(1)), (F(1), F(1))), Setting(p=HALF))
    excess = sp.Integer(edge.s.numerator) + gamma * sp.Rational(move.numerator, move.denominator) - 1
    if not excess.is_positive:
        return undecided("exact round")
    says = f"$\\hat S_{{t+1/2}} = 1 + {sp.latex(excess)} \\notin [0, 1]$ for every $\\gamma > 0$"
    out = proved("exact round", Step(says, "𝒮 = [0, 1], $\\hat S = 1$, $V_i = 1$, nobody is active"))
    return conjunction({"without": stays(variates, gamma_max, compressor), "with": out})
