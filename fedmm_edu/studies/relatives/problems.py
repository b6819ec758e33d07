"""On what relatives are compared: problems that are built in, or a person's own model with its samples."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from fedmm_edu.arrays import Array, as_array
from fedmm_edu.datasets import load_diabetes
from fedmm_edu.datasets.movielens import WHERE, find, load_movielens
from fedmm_edu.datasets.samples import read_samples
from fedmm_edu.datasets.synthetic import sparse_combinations
from fedmm_edu.errors import InvalidInput, needs
from fedmm_edu.examples.curvature import SecondOrder
from fedmm_edu.examples.dictionary import DictionaryLearning, SparseCodes, Unconstrained
from fedmm_edu.examples.mixture import GaussianMeans
from fedmm_edu.examples.quadratic import L1, LeastSquares, Logistic, Loss, Penalty, Quadratic, Ridge, admissible_rho
from fedmm_edu.federation import Clients
from fedmm_edu.federation.partition import balanced_clusters, by_covariate
from fedmm_edu.relatives import ProvedCurvature
from fedmm_edu.surrogate import Surrogate, mean_loss
from fedmm_edu.theory import Constants

CUTS = 10
"""Clients, where the data do not say whose row is whose."""


@dataclass(frozen=True, eq=False)
class Contest:
    """A problem, its clients, the θ_0 from which all start, and what Theorem 1 asks for, where it is proved.

    personal: a mixture of which each client has weights π_i of its own. richer: problems with the same W whose clients
    send more.
    """

    title: str
    problem: Surrogate
    clients: Clients
    start: Array
    constants: Constants | None = None
    personal: bool = False
    curvature: ProvedCurvature | None = None
    richer: tuple[str, ...] = ()

    def W(self, theta: Array, memory: Array) -> float:
        """W(θ); or W(θ, π_1, …, π_n) = Σ μ_i f_i(θ; π_i) + g(θ), the π_i being what clients remember."""
        if not self.personal:
            return self.clients.objective(self.problem, theta)
        losses = [
            mean_loss(self.problem.with_weights(pi), z, theta) for z, pi in zip(self.clients, memory, strict=True)
        ]
        return float(self.clients.mu @ losses) + self.problem.g(theta)

    @property
    def W_0(self) -> float:
        """W at the start."""
        L = len(self.problem.weights_of(np.zeros(self.problem.q))) if self.personal else 1
        return self.W(self.start, np.full((len(self.clients), L), 1.0 / L))


@dataclass(frozen=True)
class Given:
    """By what a problem is found again, in plain values: the name of one of `CONTESTS`, or files and constants.

    model: the variable of the file, empty for its only one. equal: μ_i = 1/n, not by numbers of samples. start: θ_0,
    empty for the point of Θ nearest to 0. digest: of the files' content, so that a run is not taken for another file's.
    """

    name: str
    data: str = ""
    client: str = "client"
    model: str = ""
    constants: tuple[tuple[str, float], ...] = ()
    start: tuple[float, ...] = ()
    equal: bool = False
    digest: str = ""

    @staticmethod
    def of(
        name: str, *, data: Path | None = None, client: str = "client", constants: Mapping[str, float] | None = None,
        start: tuple[float, ...] = (), equal: bool = False,
    ) -> Given:  # fmt: skip
        """`name` is one of `CONTESTS`, or FILE.py or FILE.py:MODEL, with data; `InvalidInput` for anything else."""
        file, _, model = name.partition(".py:") if ".py:" in name else (name, "", "")
        if name in CONTESTS:
            if data is not None or constants or start or equal:
                raise InvalidInput(f"{name} has its own data, weights, constants and start: give a FILE.py for yours.")
            return Given(name)
        if not (model or name.endswith(".py")):
            raise InvalidInput(f"no problem {name!r}: choose one of {', '.join(CONTESTS)}, or give FILE.py.")
        if data is None:
            raise InvalidInput(f"no samples for {name}: give a CSV file with a column for each symbol of z.")
        path = f"{file}.py" if model else file
        content = [Path(each).read_bytes() if Path(each).is_file() else b"" for each in (path, data)]
        digest = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in content)).hexdigest()
        found = Given(path, str(data), client, model, tuple(sorted((constants or {}).items())), start, equal, digest)
        found.contest()  # what is wrong with the files is said before anything runs
        return found

    def contest(self) -> Contest:
        """The problem itself."""
        return _contest(self)


@lru_cache(maxsize=4)
def _contest(source: Given) -> Contest:
    return CONTESTS[source.name]() if source.name in CONTESTS else _own(source)


def _own(source: Given) -> Contest:
    from fedmm_edu.symbolic.hypotheses.check import load_model
    from fedmm_edu.symbolic.numeric import kernel

    models = load_model(source.name)
    chosen = source.model or (next(iter(models)) if len(models) == 1 else "")
    if chosen not in models:
        raise InvalidInput(f"{source.name} defines {', '.join(models)}: name one of them, as {source.name}:NAME.")
    model = models[chosen]
    samples = read_samples(Path(source.data), [str(x) for x in model.z], source.client, CUTS)
    clients = Clients.of(samples, _equal(len(samples)) if source.equal else None)
    problem = kernel(model, dict(source.constants))
    start = as_array("start", source.start or np.zeros(problem.d), shape=(problem.d,))
    theta = problem.in_Theta(start) if source.start else problem.Theta.project(start)
    if not np.isfinite(clients.objective(problem, theta)):
        raise InvalidInput(f"W is not finite at the start θ_0 = {theta}: give another one with --start.")
    return Contest(f"{chosen} of {source.name}, {len(clients)} clients of {source.data}", problem, clients, theta)


def _equal(n: int) -> Array:
    return np.full(n, 1.0 / n)


def _regression(
    title: str, x: Array, y: Array, order: Array, loss: Loss, penalty: Penalty, richer: tuple[str, ...] = ()
) -> Contest:
    clients = Clients.of(by_covariate(np.column_stack([x, y]), order, CUTS), _equal(CUTS))
    problem = Quadratic(x.shape[1], admissible_rho(loss, clients), loss, penalty)
    return _quadratic(title, problem, clients, richer)


def _quadratic(title: str, problem: Quadratic, clients: Clients, richer: tuple[str, ...] = ()) -> Contest:
    """From θ_0 = 0, with what is proved where g = (λ/2)‖·‖²: ρ = 1/L, so that 1/ρ is the smoothness of each f_i."""
    facts = problem.penalty.facts(problem.d)
    each = np.array([problem.smooth_loss.lipschitz(z) for z in clients]) + facts.least
    L_mean = float(np.sqrt(clients.mu @ each**2))
    smooth = ProvedCurvature(1.0 / problem.rho, facts.least, L_mean) if facts.least == facts.most else None
    constants = _constants(problem, len(clients))
    return Contest(title, problem, clients, np.zeros(problem.d), constants, curvature=smooth, richer=richer)


def _constants(problem: Quadratic, n: int) -> Constants | None:
    """With g = (λ/2)‖·‖² and κ = 1/(1 + ρλ): B = κI/ρ, and ∇h_i = κ(I − ρ∇²f_i) − I has norm ≤ 1; σ = 0. Else None."""
    facts = problem.penalty.facts(problem.d)
    if facts.least != facts.most:
        return None
    bent = 1.0 / (problem.rho * (1.0 + problem.rho * facts.least))
    return Constants(bent, bent, 0.0, bent, math.inf, 1.0, 0.0, n)


def _diabetes(penalty: Penalty, richer: tuple[str, ...] = ()) -> Contest:
    data = load_diabetes()
    title = f"least squares on the diabetes data, {CUTS} clients of equal weight by body mass index, g = {penalty}"
    return _regression(title, data.x, data.y, data.column("bmi"), LeastSquares(), penalty, richer)


def _second_order(plain: Contest, form: str) -> Contest:
    """The same W, of which clients send second-order surrogates, q = d(d + 3)/2."""
    first = plain.problem
    if not isinstance(first, Quadratic):
        raise InvalidInput(f"{plain.title}: second-order surrogates are for regressions.")
    eta = first.penalty.facts(first.d).least
    title = f"{plain.title}; second-order surrogates, {form}"
    return Contest(title, SecondOrder(first.d, eta, first.smooth_loss, form), plain.clients, plain.start)


def _breast_cancer() -> Contest:
    with needs("studies", "the breast cancer data"):
        from sklearn import datasets
    x, y = datasets.load_breast_cancer(return_X_y=True)  # pyright: ignore[reportAttributeAccessIssue]
    x, penalty = (x - x.mean(axis=0)) / x.std(axis=0), Ridge(0.01)
    z = np.column_stack([x, np.ones(len(x))])
    title = (
        f"logistic regression on the breast cancer data, {CUTS} clients of equal weight by mean radius, g = {penalty}"
    )
    return _regression(title, z, 2.0 * y - 1.0, x[:, 0], Logistic(), penalty, ("logistic:bound", "logistic:newton"))


def _ill_conditioned() -> Contest:
    """Covariances Q_i diag(1, …, 1/1000) Q_iᵀ, where Q_i turns by a little, and 8 of 40 coefficients."""
    rng, d, each = np.random.default_rng(0), 40, 60
    truth = np.where(np.arange(d) % 5 == 0, rng.normal(size=d), 0.0)
    data = []
    for _ in range(CUTS):
        turn = np.linalg.qr(np.eye(d) + 0.03 * rng.normal(size=(d, d)))[0]
        x = rng.normal(size=(each, d)) @ (turn * np.logspace(0.0, -1.5, d)).T
        data.append(np.column_stack([x, x @ (truth + 0.3 * rng.normal(size=d)) + 0.1 * rng.normal(size=each)]))
    clients, penalty = Clients.of(data, _equal(CUTS)), L1(1e-3)
    problem = Quadratic(d, admissible_rho(LeastSquares(), clients), LeastSquares(), penalty)
    title = f"ill-conditioned least squares in {d} dimensions, {CUTS} clients whose coefficients differ, g = {penalty}"
    return _quadratic(title, problem, clients)


def _mixture(personal: bool = False) -> Contest:
    rng, centres = np.random.default_rng(0), np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
    shares = rng.dirichlet(np.full(3, 0.7), CUTS)
    data = [centres[rng.choice(3, 60, p=share)] + rng.normal(size=(60, 2)) for share in shares]
    problem = GaussianMeans(np.full(3, 1 / 3), np.tile(np.eye(2), (3, 1, 1)), 0.01)
    own = ", weights of their own" if personal else ""
    title = f"means of a mixture of three Gaussians in the plane, {CUTS} clients that see them in other shares{own}"
    return Contest(title, problem, Clients.of(data), np.array([0.5, 0.5, 1.5, 0.5, 0.5, 1.5]), personal=personal)


def _dictionary(title: str, z: Array, K: int) -> Contest:
    order = np.argsort(balanced_clusters(z, CUTS, 0), kind="stable")
    clients = Clients.of(np.array_split(z[order], CUTS), _equal(CUTS))
    problem = DictionaryLearning(z.shape[1], K, SparseCodes(0.1), Unconstrained(0.2), tol=1e-8)
    start = np.random.default_rng(0).normal(size=problem.d)
    return Contest(f"{title}, {K} atoms, {CUTS} clients by clusters", problem, clients, start)


def _combinations() -> Contest:
    made = sparse_combinations(500, 8, 6, seed=0, share=0.34)
    return _dictionary("dictionary learning on sparse combinations in 8 dimensions", made.z, 6)


def _movielens() -> Contest:
    path = find(None)
    if path is None:
        raise InvalidInput(f"no folder of MovieLens is named. {WHERE}; or choose another problem, such as dictionary.")
    z = load_movielens(path).matrix(500, 60, choose="most", seed=0)
    return _dictionary("dictionary learning on MovieLens, the 500 users and 60 movies with most ratings", z, 5)


CONTESTS: Mapping[str, Callable[[], Contest]] = {
    "quadratic:l1": lambda: _diabetes(L1(0.05)),
    "quadratic:ridge": lambda: _diabetes(Ridge(0.05), ("quadratic:bound",)),
    "quadratic:bound": lambda: _second_order(_diabetes(Ridge(0.05)), "bound"),
    "logistic": _breast_cancer,
    "logistic:bound": lambda: _second_order(_breast_cancer(), "bound"),
    "logistic:newton": lambda: _second_order(_breast_cancer(), "Newton"),
    "mixture": _mixture,
    "quadratic:ill": _ill_conditioned,
    "mixture:personal": lambda: _mixture(personal=True),
    "dictionary": _combinations,
    "movielens": _movielens,
}
"""Those that are built in; movielens where its files are named."""
