"""`fedmm run quadratic`: sparse regression over clients that differ, aggregated in 𝒮 and in Θ.

The diabetes data are sorted by one feature and cut into n clients. In each round half of the clients are active and
send 8-bit messages. Both runs share data, step sizes, draws and start; they differ in the aggregation space alone.
The reference is scikit-learn's centralised Lasso.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from matplotlib.figure import Figure

from fedmm_edu.algorithms import Constant, FedMM, History, ParameterSpace, SurrogateSpace, run
from fedmm_edu.arrays import Array
from fedmm_edu.datasets import load_diabetes
from fedmm_edu.errors import as_count, needs
from fedmm_edu.examples.quadratic import L1, LeastSquares, Quadratic, admissible_rho
from fedmm_edu.federation import Clients, FixedSize, FullBatch, UniformQuantization
from fedmm_edu.federation.partition import by_covariate
from fedmm_edu.figures import Curve, compare, panels
from fedmm_edu.studies.study import Experiment, Part, Picture, versions

with needs("studies", "the centralised reference"):
    from sklearn.linear_model import Lasso

__all__ = ["QuadraticPlan", "Result", "compare_spaces", "draw_spaces"]


@dataclass(frozen=True)
class QuadraticPlan:
    """What the runs depend on."""

    covariate: Annotated[str, "feature that the clients differ in"] = "bmi"
    clients: Annotated[int, "number of clients"] = 10
    active: Annotated[int, "clients that answer in each round"] = 5
    bits: Annotated[int, "bits per coordinate of a message"] = 8
    lam: Annotated[float, "weight λ of the ℓ1 penalty"] = 0.05
    gamma: Annotated[float, "step size γ"] = 0.2
    alpha: Annotated[float, "step size α of the control variates (0: none)"] = 0.1
    rounds: Annotated[int, "number of rounds"] = 400
    seed: Annotated[int, "seed of every draw"] = 0


@dataclass(frozen=True, eq=False)
class Result:
    """Histories of both runs, and the centralised solution with its objective."""

    S: History
    Theta: History
    reference: Array
    best: float


def compare_spaces(settings: QuadraticPlan) -> Result:
    """Run FedMM and the naive algorithm, and scikit-learn's centralised Lasso on the pooled data."""
    data = load_diabetes()
    as_count("active", settings.active, high=settings.clients)
    z = np.column_stack([data.x, data.y])
    clients = Clients.of(by_covariate(z, data.column(settings.covariate), settings.clients))
    problem = Quadratic(data.x.shape[1], admissible_rho(LeastSquares(), clients), penalty=L1(settings.lam))
    histories = {}
    for space in (SurrogateSpace(), ParameterSpace()):
        fed = FedMM(
            problem,
            clients,
            Constant(settings.gamma),
            FullBatch(),
            FixedSize(settings.active),
            UniformQuantization(settings.bits),
            settings.alpha,
            space,
            seed=settings.seed,
        )
        histories[space] = run(fed, fed.init(fed.point(np.zeros(problem.d))), settings.rounds, every=1)[1]
    lasso = Lasso(alpha=settings.lam, fit_intercept=False, tol=1e-14, max_iter=100_000).fit(data.x, data.y)
    best = clients.objective(problem, lasso.coef_)
    return Result(histories[SurrogateSpace()], histories[ParameterSpace()], lasso.coef_, best)


def draw_spaces(result: Result) -> Figure:
    """Objective gap, E^s and nonzeros over rounds."""
    figure, (gap, update, nonzeros) = panels(3)
    labels = r"aggregate in $\mathcal{S}$ (FedMM)", r"aggregate in $\Theta$ (naive)"
    pairs = ((result.S, labels[0], "S", "-"), (result.Theta, labels[1], "Theta", "--"))

    def curves(values: Callable[[History], Array]) -> list[Curve]:
        return [Curve(h.t, values(h), label, colour, dash) for h, label, colour, dash in pairs]

    compare(gap, curves(lambda h: h.objective - result.best), title="objective − centralised optimum", log=True)
    compare(
        update, curves(lambda h: h.surrogate_update), title="surrogate update $E^s$, $E^{s,p}$", log=True, floor=1e-30
    )
    reference = (float(np.count_nonzero(result.reference)), "centralised Lasso")
    compare(nonzeros, curves(lambda h: h.nonzeros), title="nonzero coefficients", reference=reference)
    nonzeros.set_ylim(0, result.reference.size + 2.5)
    return figure


def results(settings: QuadraticPlan) -> Part:
    """The curves, and the final numbers beside the centralised solution."""
    result = compare_spaces(settings)
    runs = {
        name: {
            "objective_gap": float(history.objective[-1] - result.best),
            "distance_to_centralised": float(np.abs(history.theta[-1] - result.reference).max()),
            "nonzeros": int(history.nonzeros[-1]),
            "surrogate_update": float(history.surrogate_update[-1]),
            "kilobytes_up": float(history.bits_up[-1]) / 8e3,
        }
        for name, history in (("S", result.S), ("Theta", result.Theta))
    }
    nonzeros = int(np.count_nonzero(result.reference))
    lines = [
        f"ℓ1 regression, {settings.clients} clients by {settings.covariate}, {settings.active} active, "
        f"{settings.bits}-bit messages, {settings.rounds} rounds",
        f"{'':24}{'objective gap':>15}{'max |θ − θ_ref|':>18}{'nonzeros':>10}{'kB sent':>10}",
        *(
            f"{label:24}{row['objective_gap']:15.1e}{row['distance_to_centralised']:18.1e}"
            f"{row['nonzeros']:10d}{row['kilobytes_up']:10.1f}"
            for label, row in zip(("aggregate in 𝒮 (FedMM)", "aggregate in Θ (naive)"), runs.values(), strict=True)
        ),
        f"{'centralised Lasso':24}{0.0:15.1e}{0.0:18.1e}{nonzeros:10d}",
    ]
    numbers = {
        "settings": vars(settings),
        "centralised": {"objective": result.best, "nonzeros": nonzeros},
        "runs": runs,
        "versions": versions("fedmm-edu", "numpy", "scipy", "scikit-learn"),
    }
    picture = Picture("figure.png", "Objective gap, surrogate update and nonzeros", lambda: draw_spaces(result))
    return Part("summary", (picture,), numbers, text="\n".join(lines))


EXPERIMENT = Experiment(QuadraticPlan, results, Path("results/quadratic"))
