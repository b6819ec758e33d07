"""What the class learns together: how often a six, how often heads, from how long each of them waited.

Client i threw a die z_1 times until a six came, and a coin z_2 times until heads came. With the loss of a waiting time,

    ℓ(z, θ) = Σ_g z_g θ_g − log θ_g,   φ(θ) = −θ,   ψ(θ) = −log θ,   S̄(z, τ) = z,   T(s) = 1/s   in each game g,

a client alone finds θ = 1/z, and the class 1/(mean of z). The mean of the 1/z is larger (Jensen), and every number of
this can be found by hand. A student writes φ, ψ, S̄ and T for one game; the class runs the sum over both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.convex_sets import Box
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Clients

if TYPE_CHECKING:
    import sympy as sp

    from fedmm_edu.surrogate import Surrogate
    from fedmm_edu.symbolic import Model


class Game(NamedTuple):
    """What is thrown, what is waited for, and the chance of it in one throw."""

    thrown: str
    awaited: str
    chance: float


GAMES = (Game("die", "a six", 1 / 6), Game("coin", "heads", 1 / 2))
MOST_THROWS = 99
"""The longest wait that a client may report."""
LONGEST = 80
"""Characters of a formula that a phone may send."""
WHERE_LINES_FAIL = {"MM-1": ("z", "tau", "theta"), "MM-2": ("s", "theta")}
"""What a point is at which four lines may fail: the surrogate below the loss, or lower than at T(s)."""
Reading = tuple[int, int]


def formula(name: str, text: object) -> str:
    """`text` if it may be handed to a reader of formulas: one short line of printable characters."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput(f"{name} is empty: write a formula.")
    if len(text) > LONGEST or not text.isprintable():
        raise InvalidInput(f"{name} is no formula: write one line of at most {LONGEST} characters.")
    return text


@dataclass(frozen=True)
class Lines:
    """The four lines that a student writes, as typed: formulas in theta, z and s for one game."""

    phi: str
    psi: str
    S_bar: str
    T: str

    def __post_init__(self) -> None:
        for field in fields(self):
            formula(field.name, getattr(self, field.name))

    def as_dict(self) -> dict[str, str]:
        """The lines by their names."""
        return asdict(self)


OWN = Lines(phi="-theta", psi="-log(theta)", S_bar="z", T="1/s")
"""The surrogate of the package, for a class in which nobody has proved one."""


def one_game(lines: Lines) -> Model:
    """The model of one game that the lines define; `InvalidInput` where they are no formulas of what they may use."""
    import sympy as sp

    from fedmm_edu.symbolic import Model

    theta, z, s = sp.symbols("theta z s", real=True)
    names = {"theta": theta, "θ": theta, "z": z, "s": s}
    phi, psi, S_bar, T = (_in_letters(text, names) for text in lines.as_dict().values())
    return Model(
        theta=[theta],
        z=[z],
        s=[s],
        loss=z * theta - sp.log(theta),
        phi=[phi],
        psi=psi,
        S_bar=[S_bar],
        T=[T],
        Theta=[theta > 0],
        S=[s > 0],
        Z=[z >= 1],
        name="your surrogate",
    )


def both_games(one: Model) -> Model:
    """The sum over the games, each with its own θ, z and s, as one model: what the class runs."""
    import sympy as sp

    from fedmm_edu.symbolic import Model

    own = [
        {x: sp.Symbol(f"{x.name}{g}", real=True) for x in (*one.theta, *one.z, *one.s)}
        for g in range(1, len(GAMES) + 1)
    ]

    def listed(entries: Sequence[sp.Basic]) -> list[Any]:
        return [entry.xreplace(names) for names in own for entry in entries]

    return Model(
        theta=listed(one.theta),
        z=listed(one.z),
        s=listed(one.s),
        loss=sp.Add(*listed([one.loss])),
        psi=sp.Add(*listed([one.psi])),
        phi=listed(one.phi),
        S_bar=listed(one.S_bar),
        T=listed(one.T or ()),
        Theta=listed(one.Theta),
        S=listed(one.S),
        Z=listed(one.Z),
        name="the class",
    )


@lru_cache(maxsize=32)
def surrogate(lines: Lines) -> Surrogate:
    """The running kernel of the class for these lines.

    Its 𝒮 is the box of what S̄ sends for waits of 1 to `MOST_THROWS` throws: noise that leaves it is projected back.
    """
    from fedmm_edu.symbolic import kernel

    one = one_game(lines)
    waits = np.arange(1.0, MOST_THROWS + 1)[:, None]
    of_one = kernel(one)
    sent = np.concatenate([of_one.S_bar(waits, np.array([theta])) for theta in 1.0 / waits[:, 0]])
    ends = [np.repeat(end, len(GAMES)) for end in (sent.min(), sent.max())]
    return kernel(both_games(one), S=Box(*ends))


def clients_of(readings: Sequence[Reading]) -> Clients:
    """One client per reading, all with the same weight."""
    return Clients.of([np.array([reading], dtype=np.float64) for reading in readings])


def alone(reading: Reading) -> tuple[float, float]:
    """θ = T(z) of one client: what it would answer by itself."""
    return 1.0 / reading[0], 1.0 / reading[1]


def theta_star(readings: Sequence[Reading]) -> Array:
    """θ_⋆ of the class: 1/(mean of z), game by game."""
    return 1.0 / np.mean(np.array(readings, dtype=np.float64), axis=0)


def by_idea(send: str, back: str, readings: Sequence[Reading]) -> Mapping[str, object]:
    """Where the class lands when client i sends u(z_i) and the server turns the average a into v(a), game by game.

    {"theta": [θ_1, θ_2]}, or {"says": why there is no such point}.
    """
    import sympy as sp

    theta = []
    try:
        z, a = sp.symbols("z a", real=True)
        u, v = _in_letters(send, {"z": z}), _in_letters(back, {"a": a})
        for game in np.array(readings).T:
            average = sum(_value(u, z, int(wait)) for wait in game) / len(game)
            theta.append(_value(v, a, average))
    except InvalidInput as error:
        return {"says": str(error)}
    return {"theta": theta}


def _in_letters(text: str, letters: Mapping[str, sp.Symbol]) -> sp.Expr:
    """The formula in these letters; `InvalidInput` that names another one."""
    import sympy as sp

    from fedmm_edu.symbolic.functions.reading import read_formula

    expr = read_formula(text, lambda name: letters.get(name) or sp.Symbol(name))
    for other in sorted(expr.free_symbols - set(letters.values()), key=str):
        raise InvalidInput(f"{text!r} contains {other}, which is unknown there: use {', '.join(letters)}.")
    return expr


def _value(expr: sp.Expr, letter: sp.Symbol, at: float) -> float:
    """The number that the expression has at a point; `InvalidInput` where it has none, or one beyond use."""
    import sympy as sp

    try:
        value = expr.xreplace({letter: sp.sympify(at)}).evalf(17)
        usable = bool(value.is_Number and value.is_finite and abs(value) < 1e12)
    except (ArithmeticError, ValueError, RecursionError):  # beyond what SymPy computes with
        value, usable = sp.nan, False
    if not usable:
        raise InvalidInput(f"{expr} is no usable number at {letter} = {at:.4g}: choose another formula.")
    return float(value)
