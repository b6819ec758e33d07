"""Rounds of every example against their floor, tiny ones and those of the paper's size.

Half of the clients are active on average, 8 bits, control variates; CPU time of one thread, round after round in the
memory of two states, as `run` makes them. The floor is what no implementation can leave out: the draws, T(s), the
sums of S̄ over the samples of the active clients, their differences from the control variates, quantised, the
weighted sum of these and the new V_i. It has no projection, no state and no check. Tiny: a case of the registry, 10
clients of 10 samples; the floor is plain NumPy on stacked arrays (`benchmarks/floors.py`) with a generator that knows
no names; both are without compiled loops, as in a run that is too short to load them. The paper's size: 20 clients of
250 samples and, where the example allows, some hundreds of statistics (L1 stands for all penalties), with compiled
loops, as in a run of some thousand rounds; the floor is the example's own sums, of rows that lie together already, its
own T, at the s where the rounds are (roots and duals take more steps at one s than at another), and the compressor's
own messages, for as many clients as were active in the round before it. Tiny in µs, else in seconds.

What a round has beyond its floor: 45 µs at least where all is tiny, 30 with compiled loops, in which states, draws and
weights are made and input is looked at; as much again beside samples of the paper's size, which push the program out of
the cache (drawing who is active takes 3 µs alone, 7 after a pass over the samples); the rows of active clients, which
are copied together, or gone through client by client where these are large, while those of the floor lie together; and,
where 𝒮 is not the whole space, whether s is in it. Goals: 3 times the floor for tiny rounds, 1.3 times at the paper's
size; a last column names the rows that are beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from statistics import geometric_mean

import numpy as np

from benchmarks.clients import BITS, PARTS, P, in_turn
from benchmarks.floors import plain
from benchmarks.timing import interleaved, threads
from fedmm_edu.algorithms import Constant, FedMM, State
from fedmm_edu.arrays import Array
from fedmm_edu.examples import Case, examples
from fedmm_edu.examples.curvature import SecondOrder
from fedmm_edu.examples.dictionary import DictionaryLearning
from fedmm_edu.examples.loglinear import LogLinear
from fedmm_edu.examples.mixture import GaussianMeans, GaussianMixture, PooledGaussianMeans, Prior
from fedmm_edu.examples.quadratic import L1, Quadratic
from fedmm_edu.examples.regressions import MixtureOfRegressions
from fedmm_edu.examples.robust import RobustRegression
from fedmm_edu.examples.weights import MixtureWeights
from fedmm_edu.federation import Clients, Draws, UniformQuantization
from fedmm_edu.federation import draws as draws_module
from fedmm_edu.federation.compression import add_to_rows
from fedmm_edu.surrogate import Surrogate

N, ROUNDS = 5000, 50
"""Samples of a problem of the paper's size; tiny rounds that are measured at once."""
Sized = tuple[Surrogate, Array, Array]
"""A problem, samples (N, p) and a θ."""


def every_example() -> list[dict]:
    """A row for each registered case: a tiny round and one of the paper's size, each against its floor."""
    rows = []
    for example in examples():
        for name, case in example.cases.items():
            row = {"example": example.name, "case": name} | _tiny(case) | _of_the_papers_size(case)
            rows.append(row | {"to note": _note(row)})
    shares = {key: geometric_mean(row[key] for row in rows if key in row) for key in GOALS}
    return [*rows, {"example": "geometric mean", "case": ""} | shares]


GOALS = {"tiny/floor": 3.0, "round/floor": 1.3}


def _note(row: dict) -> str:
    """Which goals are missed."""
    missed = (f"**{key.split('/')[0]} > {goal:g}**" for key, goal in GOALS.items() if row.get(key, 0.0) > goal)
    return ", ".join(missed)


def _tiny(case: Case) -> dict:
    rng = np.random.default_rng(0)
    clients, theta = Clients.of_rows(case.draw_z(rng, 100), [10] * 10), case.draw_theta(rng)
    fed = FedMM(case.problem(clients), clients, Constant(0.1), **PARTS)
    draws_module._asked = 0  # whatever ran before, no compiled loops are there yet
    calls = {"tiny": in_turn(fed, fed.init(fed.point(theta))), "floor": _plain_round(fed, theta)}
    with threads(1):
        times = interleaved({key: lambda call=call: [call() for _ in range(ROUNDS)] for key, call in calls.items()})
    micro = {key: 1e6 * time.cpu / ROUNDS for key, time in times.items()}
    ratio = micro["tiny"] / micro["floor"]
    return {"tiny q": fed.dim, "tiny, µs": micro["tiny"], "tiny floor, µs": micro["floor"], "tiny/floor": ratio}


def _of_the_papers_size(case: Case) -> dict:
    if (made := sized(case)) is None:
        return {}
    problem, z, theta = made
    fed = FedMM(problem, Clients.of_rows(z, [N // 20] * 20), Constant(0.1), **PARTS)
    draws_module._asked = draws_module.WORTH_LOADING
    start = fed.init(fed.point(theta))
    step, last = in_turn(fed, start), [start]

    def one() -> None:
        last[0] = step()

    with threads(1):
        times = interleaved({"round": one, "floor": _own_round(fed, last)}, 45)
    ratio = times["round"].cpu / times["floor"].cpu
    return {"q": fed.dim, "round": times["round"].cpu, "floor": times["floor"].cpu, "round/floor": ratio}


def _plain_round(fed: FedMM, theta: Array) -> Callable[[], object]:
    """A round at s of θ, without what leads from there, in plain NumPy."""
    (sums, T), clients, rng = plain(fed.problem), fed.clients, np.random.default_rng(0)
    s, V, n = fed.point(theta), np.zeros((len(clients), fed.dim)), len(clients)
    stack, shares = clients.z.reshape(n, -1, clients.z.shape[1]), clients.mu / P
    levels = UniformQuantization(BITS).levels
    np.testing.assert_allclose(sums(stack, theta), fed.mean_fields(clients, np.zeros(fed.dim), theta), rtol=1e-8)
    np.testing.assert_allclose(T(s), fed.problem.T(s), rtol=1e-8)

    def one() -> Array:
        active = (rng.random(n) < P).nonzero()[0]
        if not active.size:
            return s
        difference = sums(stack[active], T(s)) - s - V[active]
        size = np.abs(difference)
        scale = size.max(axis=1, keepdims=True) / levels
        unit = size / scale
        below = np.floor(unit)
        messages = np.sign(difference) * scale * (below + (rng.random(size.shape) < unit - below))
        V[active] += fed.alpha / P * messages
        return shares[active] @ messages

    return one


def _own_round(fed: FedMM, last: Sequence[State]) -> Callable[[], object]:
    """A round at the s of the `last` state, without what leads from there, of its own sums, T and messages.

    As many clients are active as in the round that led to it: else chance would decide between the two.
    """
    problem, clients, rng = fed.problem, fed.clients, np.random.default_rng(0)
    V, n, ends = np.zeros((len(clients), fed.dim)), len(clients), clients.offsets

    def one() -> Array:
        s = last[0].x
        np.less(rng.random(n), P)  # the draw, which is part of the floor
        active = last[0].active.nonzero()[0]
        if not (m := len(active)):
            return s
        rows = slice(0, int(ends[m]))  # of as many clients, and no copy
        sums = problem.mean_S_bars(clients.z[rows], ends[: m + 1], problem.T(s), rows)
        messages = fed.compressor.messages(sums, s, V, active, Draws(0, 1, active))
        add_to_rows(V, active, np.full(m, fed.alpha / P), messages)
        return (clients.mu[active] / P) @ messages

    return one


def sized(case: Case) -> Sized | None:
    """The case with N samples and some hundreds of statistics; None where another case stands for it."""
    rng = np.random.default_rng(0)
    z = case.draw_z(rng, N)
    return larger(case.problem(Clients.of([z])), z, case.draw_theta(rng), rng)


@singledispatch
def larger(problem: Surrogate, z: Array, theta: Array, rng: np.random.Generator) -> Sized | None:
    """The same problem where the number of its statistics is given."""
    return problem, z, theta


@larger.register
def _(problem: Quadratic, z: Array, theta: Array, rng: np.random.Generator) -> Sized | None:
    if not isinstance(problem.penalty, L1):
        return None
    loss, d = problem.smooth_loss, 300
    x = rng.uniform(-1.0, 1.0, (N, loss.features(d)))
    z = np.column_stack([x, loss.draw(rng, N)])
    return Quadratic(d, 1e-3, loss, problem.penalty), z, 0.1 * rng.normal(size=d)


@larger.register
def _(problem: SecondOrder, z: Array, theta: Array, rng: np.random.Generator) -> Sized:
    loss, d = problem.smooth_loss, 20
    z = np.column_stack([rng.uniform(-1.0, 1.0, (N, loss.features(d))), loss.draw(rng, N)])
    return SecondOrder(d, 0.1, loss, problem.form), z, 0.1 * rng.normal(size=d)


@larger.register
def _(problem: RobustRegression, z: Array, theta: Array, rng: np.random.Generator) -> Sized:
    d = 16
    return RobustRegression(d, 0.1, problem.rho, problem.form), rng.normal(size=(N, d + 1)), rng.normal(size=d)


@larger.register
def _(problem: LogLinear, z: Array, theta: Array, rng: np.random.Generator) -> Sized:
    d = 100
    x = rng.uniform(-1.0, 1.0, (N, d)) / d
    z = np.column_stack([x, rng.poisson(1.0, N).astype(np.float64)])
    return LogLinear(d, 1.0, float(problem.eta[0]), problem.kappa), z, 0.1 * rng.normal(size=d)


@larger.register
def _(problem: GaussianMeans, z: Array, theta: Array, rng: np.random.Generator) -> Sized:
    L, p = 10, 20
    z = rng.normal(size=(N, p)) + 3.0 * np.eye(p)[rng.integers(0, L, N)]
    known = {"weights": np.full(L, 1.0 / L), "covariances": np.tile(np.eye(p), (L, 1, 1)), "lam": 0.1}
    if isinstance(problem, PooledGaussianMeans):
        return PooledGaussianMeans(**known, mean_z=z.mean(axis=0)), z, rng.normal(size=L * p)
    return GaussianMeans(**known), z, rng.normal(size=L * p)


@larger.register
def _(problem: GaussianMixture, z: Array, theta: Array, rng: np.random.Generator) -> Sized:
    L, p = 3, 10
    made = GaussianMixture(L, p, Prior.of(np.zeros(p), np.eye(p), a=0.1, kappa=0.05, eta=0.4))
    z = rng.normal(size=(N, p)) + 3.0 * np.eye(p)[rng.integers(0, L, N)]
    return made, z, made.theta(np.full(L, 1.0 / L), 3.0 * np.eye(p)[:L], np.tile(np.eye(p), (L, 1, 1)))


@larger.register
def _(problem: MixtureOfRegressions, z: Array, theta: Array, rng: np.random.Generator) -> Sized:
    L, p = 3, 14
    made = MixtureOfRegressions(L, p, problem.prior)
    return made, rng.normal(size=(N, p)), made.theta(np.full(L, 1.0 / L), rng.normal(size=(L, p - 1)), np.ones(L))


@larger.register
def _(problem: MixtureWeights, z: Array, theta: Array, rng: np.random.Generator) -> Sized:
    means = np.linspace(-10.0, 10.0, 200)
    return MixtureWeights(means, problem.lam), 3.0 * rng.normal(size=(N, 1)), np.full(200, 1.0 / 200)


@larger.register
def _(problem: DictionaryLearning, z: Array, theta: Array, rng: np.random.Generator) -> Sized:
    p, K = 60, 10
    atoms = np.abs(rng.normal(size=(p, K))) / np.sqrt(p)
    z = np.abs(rng.normal(size=(N, K))) * (rng.random((N, K)) < 0.3) @ atoms.T + 0.05 * rng.random((N, p))
    made = DictionaryLearning(p, K, problem.coder, problem.atoms, half=problem.c == 0.5)
    return made, z, made.Theta.project((atoms + 0.01 * rng.random((p, K))).ravel())
