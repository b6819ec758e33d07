"""Which of A1 to A8 an example satisfies: each assumption as a quantity that must stay below a constant.

An example states, cell by cell, the constant with which an assumption holds, or `inf` where no constant serves. That is
a claim that numbers can refute: at a place where the quantity exceeds the constant; and a claim of failure must be
backed by places at which the quantity grows. A4 and A5 speak of messages and clients: no example has a say in them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Clients
from fedmm_edu.surrogate import Surrogate, mean_loss

__all__ = ["Cell", "Place", "Quantity", "hunt", "lookout", "random_place", "value"]

ROUNDING = 32 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Cell:
    """A quantity's smallest known upper bound on all of 𝒮 and Θ (`inf`: it has none), and the reason."""

    bound: float
    why: str

    @property
    def holds(self) -> bool:
        return self.bound < math.inf


def worst_mean(clients: Clients, values: Array) -> float:
    """The largest mean over one client's samples of a value for each sample, shape (N,)."""
    return max(float(part.mean()) for part in np.split(values, clients.offsets[1:-1]))


@dataclass(frozen=True, eq=False)
class Place:
    """Two points of 𝒮, and two of Θ where A1 and A2 are to be looked at, too."""

    s: Array
    t: Array
    parameters: tuple[Array, Array] | None = None


PlaceFinder = Callable[..., Iterable[Place]]
"""Where an example itself would look for a violation: places(problem, clients, gap), for a gap > 0 of s and t.

Where a quantity has no bound, its value at one of them grows as the gap falls."""


@dataclass(frozen=True)
class Quantity:
    """What an assumption bounds, as a number at a place (rounding errors taken off); below `zero` it counts as 0.

    `of_theta`: it needs a place with two parameters.
    """

    assumption: str
    says: str
    at: Callable[[Surrogate, Clients, Place], float]
    zero: float = 1e-9
    of_theta: bool = False


def _parameters(place: Place) -> tuple[Array, Array]:
    if place.parameters is None:
        raise InvalidInput("the place holds no parameters, which this quantity compares: give it two points of Θ.")
    return place.parameters


def _means(problem: Surrogate, clients: Clients, s: Array) -> Array:
    """s + h_i(s) = E_{π_i}[S̄(Z, T(s))] of every client: shape (n, q)."""
    return problem.mean_S_bars(clients.z, clients.offsets, problem.T(s), slice(0, clients.z.shape[0]))


def _convexity(problem: Surrogate, clients: Clients, place: Place) -> float:
    theta, tau = _parameters(place)

    def value(theta: Array) -> float:
        return problem.psi(theta) - float(place.s @ problem.phi(theta))

    ends, middle = [value(theta), value(tau)], value((theta + tau) / 2)
    size = sum(abs(v) for v in ends) + float(np.abs(place.s * problem.phi(theta)).sum())
    return max(0.0, middle - sum(ends) / 2 - ROUNDING * size) / (1.0 + size)


def _kink(problem: Surrogate, clients: Clients, place: Place) -> float:
    """The jump of the slope of f at θ along τ − θ, in units of its slope: 0 where f is differentiable."""
    (z, weights), (theta, tau) = clients.pooled(), _parameters(place)
    direction = (tau - theta) / float(np.linalg.norm(tau - theta))
    step = 1e-6 * (1.0 + float(np.linalg.norm(theta)))
    if not all(problem.Theta.contains(theta + sign * step * direction) for sign in (1, -1)):
        return 0.0
    ahead, here, behind = (mean_loss(problem, z, theta + k * step * direction, weights) for k in (1, 0, -1))
    curvature = abs(ahead + behind - 2 * here) - ROUNDING * (abs(ahead) + abs(behind) + 2 * abs(here))
    return max(0.0, curvature) / (step + abs(ahead - behind))


def _variance(problem: Surrogate, clients: Clients, place: Place) -> float:
    theta, worst = problem.T(place.s), 0.0
    for z in clients:
        rows = problem.S_bar(z, theta)
        worst = max(worst, float(((rows - rows.mean(axis=0)) ** 2).sum(axis=1).mean()))
    return worst


def _field_slope(problem: Surrogate, clients: Clients, place: Place) -> float:
    here, there, move = (*(_means(problem, clients, s) for s in (place.s, place.t)), place.t - place.s)
    size = sum(float(np.abs(part).max()) for part in (here, there, move))  # not that of s, which may hide the change
    change = float(np.linalg.norm(there - here - move, axis=1).max()) - ROUNDING * size
    return max(0.0, change) / float(np.linalg.norm(move))


def _field_size(problem: Surrogate, clients: Clients, place: Place) -> float:
    return float(np.linalg.norm(clients.mu @ _means(problem, clients, place.s) - place.s))


def _image(problem: Surrogate, s: Array) -> Array:
    return problem.phi(problem.T(s))


def _remainder(problem: Surrogate, clients: Clients, place: Place) -> float:
    """‖F(s) + F(t) − 2F(m)‖/(2‖t − m‖²) at the midpoint m: at most C_⋆, whatever B(m) is."""
    ends = _image(problem, place.s), _image(problem, place.t)
    middle = _image(problem, (place.s + place.t) / 2)
    size = sum(float(np.abs(part).max()) for part in (*ends, middle, middle))
    second = float(np.linalg.norm(ends[0] + ends[1] - 2 * middle)) - ROUNDING * size * math.sqrt(problem.q)
    return max(0.0, second) / (2.0 * float(np.sum((place.t - place.s) ** 2)) / 4.0)


def _slope(problem: Surrogate, place: Place) -> tuple[float, float]:
    """⟨t − s, F(t) − F(s)⟩/‖t − s‖² and its rounding error."""
    move, ends = place.t - place.s, (_image(problem, place.s), _image(problem, place.t))
    error = ROUNDING * float(np.abs(move) @ (np.abs(ends[0]) + np.abs(ends[1])))
    return float(move @ (ends[1] - ends[0])) / float(move @ move), error / float(move @ move)


def _steepest(problem: Surrogate, clients: Clients, place: Place) -> float:
    slope, error = _slope(problem, place)
    return max(0.0, abs(slope) - error)


def _flattest(problem: Surrogate, clients: Clients, place: Place) -> float:
    slope, error = _slope(problem, place)
    return 1.0 / max(slope + error, 1e-300)


def _projection(problem: Surrogate, clients: Clients, place: Place) -> float:
    """How far the projection of a point beyond s is from being the nearest point of 𝒮: an obtuse angle with t."""
    outside = place.s + 10.0 * (place.s - place.t)
    nearest = problem.project(outside)
    size = float(np.linalg.norm(outside) + np.linalg.norm(place.t)) + 1e-300
    if not problem.contains(nearest, tol=1e-9 * size):
        return math.inf
    return max(0.0, float((outside - nearest) @ (place.t - nearest)) / size**2)


QUANTITIES: Mapping[str, Quantity] = {
    "A1": Quantity("A1", "midpoint excess of ψ − ⟨s, φ⟩ over the chord, relative", _convexity, of_theta=True),
    "A2": Quantity("A2", "jump of the slope of f over a step of 1e-6, relative", _kink, 1e-3, of_theta=True),
    "A3": Quantity("A3", "variance of S̄ over one client's samples", _variance),
    "A6(i)": Quantity("A6", "‖h_i(s') − h_i(s)‖/‖s' − s‖, the worst client", _field_slope),
    "A6(ii)": Quantity("A6", "‖h(s)‖", _field_size),
    "A7: C_star": Quantity("A7", "‖F(s') + F(s) − 2F(m)‖/(2‖s' − m‖²), F = φ∘T, m the midpoint", _remainder),
    "A7: C_star_star": Quantity("A7", "|⟨s' − s, F(s') − F(s)⟩|/‖s' − s‖²", _steepest),
    "A7: 1/v_min": Quantity("A7", "‖s' − s‖²/⟨s' − s, F(s') − F(s)⟩", _flattest),
    "A8": Quantity("A8", "excess of the projection's angle over a right one", _projection),
}
"""Every assumption that an example can break; the mean of B over a segment shows that v_min bounds its quotient."""


def random_place(problem: Surrogate, rng: np.random.Generator, like: Place, size: float, gap: float) -> Place:
    """`like` with s moved by about `size`, and t at a relative distance of about `gap` from it, both in 𝒮."""
    s = problem.project(like.s + size * rng.normal(size=problem.q))
    t = problem.project(s + gap * (1.0 + float(np.linalg.norm(s))) * rng.normal(size=problem.q))
    return replace(like, s=s, t=t)


def value(name: str, problem: Surrogate, clients: Clients, place: Place) -> float:
    """The quantity at the place; 0, which refutes nothing, where it cannot be seen there.

    That is so where the two points that it compares are missing or coincide, where the kernel refuses the place, since
    rounding hides its result (the codes of two huge and nearly parallel atoms, say), and where it leaves the floats.
    """
    quantity = QUANTITIES[name]
    points = place.parameters if quantity.of_theta else (place.s, place.t)
    if points is None or (points[0] == points[1]).all():
        return 0.0
    try:
        with np.errstate(over="raise", invalid="raise"):
            return quantity.at(problem, clients, place)
    except (InvalidInput, FloatingPointError):
        return 0.0


def lookout(
    problem: Surrogate, clients: Clients, places: PlaceFinder, parameters: tuple[Array, Array], seed: int = 0
) -> list[Place]:
    """Places of many sizes: at random, and where `places` looks."""
    rng, start = np.random.default_rng(seed), clients.mean_S_bar(problem, parameters[0])
    home = Place(start, start, parameters)
    seen = [home]
    for gap in 10.0 ** np.arange(1, -8, -1):
        seen += [random_place(problem, rng, home, size, gap) for size in (0.0, 1.0, 1e3, 1e6)]
        seen += places(problem, clients, gap)
    return seen


def hunt(name: str, problem: Surrogate, clients: Clients, seen: list[Place]) -> tuple[float, Place]:
    """The largest value of a quantity over these places, and where it is."""
    values = [value(name, problem, clients, place) for place in seen]
    worst = int(np.argmax(values))
    return values[worst], seen[worst]
