"""`fedmm run quadratic`: sparse regression over clients that differ, aggregated in 𝒮 and in Θ.

The diabetes data are sorted by one feature and cut into n clients. In each round half of the clients are active and
send 8-bit messages. Both runs share data, step sizes, draws and start; they differ in the aggregation space alone.
The reference is scikit-learn's centralised Lasso.
"""

from __future__ import annotations

import platform
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.linear_model import Lasso

from fedmm_edu.algorithms import Constant, FedMM, History, ParameterSpace, SurrogateSpace, run
from fedmm_edu.arrays import Array
from fedmm_edu.datasets import load_diabetes
from fedmm_edu.errors import as_count
from fedmm_edu.examples.quadratic import L1, LeastSquares, Quadratic, admissible_rho
from fedmm_edu.federation import Clients, FixedSize, FullBatch, UniformQuantization
from fedmm_edu.federation.partition import by_covariate
from fedmm_edu.figures import Curve, compare, panels, save_png
from fedmm_edu.files import write_json


@dataclass(frozen=True)
class Settings:
    """What the run depends on; `active` of `clients` answer in each round, with `bits` per coordinate."""

    covariate: str = "bmi"
    clients: int = 10
    active: int = 5
    bits: int = 8
    lam: float = 0.05
    gamma: float = 0.2
    alpha: float = 0.1
    rounds: int = 400
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Result:
    """Histories of both runs, and the centralised solution with its objective."""

    S: History
    Theta: History
    reference: Array
    best: float


def solve(settings: Settings) -> Result:
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
        histories[space] = run(fed, fed.init(fed.point(np.zeros(problem.d))), settings.rounds)[1]
    lasso = Lasso(alpha=settings.lam, fit_intercept=False, tol=1e-14, max_iter=100_000).fit(data.x, data.y)
    best = clients.objective(problem, lasso.coef_)
    return Result(histories[SurrogateSpace()], histories[ParameterSpace()], lasso.coef_, best)


def draw(result: Result):
    """Objective gap, E^s and nonzeros over rounds."""
    figure, (gap, update, nonzeros) = panels(3)
    labels = r"aggregate in $\mathcal{S}$ (FedMM)", r"aggregate in $\Theta$ (naive)"
    pairs = ((result.S, labels[0], "S", "-"), (result.Theta, labels[1], "Theta", "--"))

    def curves(values):
        return [Curve(h.t, values(h), label, colour, dash) for h, label, colour, dash in pairs]

    compare(gap, curves(lambda h: h.objective - result.best), title="objective − centralised optimum", log=True)
    compare(
        update, curves(lambda h: h.surrogate_update), title="surrogate update $E^s$, $E^{s,p}$", log=True, floor=1e-30
    )
    reference = (float(np.count_nonzero(result.reference)), "centralised Lasso")
    compare(nonzeros, curves(lambda h: h.nonzeros), title="nonzero coefficients", reference=reference)
    nonzeros.set_ylim(0, result.reference.size + 2.5)
    return figure


def summary(settings: Settings, result: Result) -> dict:
    """Settings, versions and final numbers, as plain values."""
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
    packages = {name: version(name) for name in ("fedmm-edu", "numpy", "scipy", "scikit-learn")}
    reference = {"objective": result.best, "nonzeros": int(np.count_nonzero(result.reference))}
    return {
        "settings": vars(settings),
        "centralised": reference,
        "runs": runs,
        "versions": {"python": platform.python_version(), **packages},
    }


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `fedmm run quadratic`."""
    default = Settings()
    helps = {
        "covariate": "feature that the clients differ in",
        "clients": "number of clients",
        "active": "clients that answer in each round",
        "bits": "bits per coordinate of a message",
        "lam": "weight λ of the ℓ1 penalty",
        "gamma": "step size γ",
        "alpha": "step size α of the control variates (0: none)",
        "rounds": "number of rounds",
        "seed": "seed of every draw",
    }
    for name, text in helps.items():
        value = getattr(default, name)
        parser.add_argument(f"--{name}", type=type(value), default=value, help=f"{text} (default {value})")
    parser.add_argument("--out", type=Path, default=Path("results/quadratic"), help="folder for figure and numbers")


def main(options: Namespace) -> int:
    """Run, draw, write `figure.png` and `summary.json`, and print the comparison."""
    settings = Settings(**{name: getattr(options, name) for name in vars(Settings())})
    result = solve(settings)
    numbers = summary(settings, result)
    save_png(draw(result), options.out / "figure.png")
    write_json(options.out / "summary.json", numbers)
    print(
        f"ℓ1 regression, {settings.clients} clients by {settings.covariate}, {settings.active} active, "
        f"{settings.bits}-bit messages, {settings.rounds} rounds"
    )
    print(f"{'':24}{'objective gap':>15}{'max |θ − θ_ref|':>18}{'nonzeros':>10}{'kB sent':>10}")
    for name, label in (("S", "aggregate in 𝒮 (FedMM)"), ("Theta", "aggregate in Θ (naive)")):
        row = numbers["runs"][name]
        print(
            f"{label:24}{row['objective_gap']:15.1e}{row['distance_to_centralised']:18.1e}"
            f"{row['nonzeros']:10d}{row['kilobytes_up']:10.1f}"
        )
    print(f"{'centralised Lasso':24}{0.0:15.1e}{0.0:18.1e}{numbers['centralised']['nonzeros']:10d}")
    print(f"wrote {options.out / 'figure.png'} and {options.out / 'summary.json'}")
    return 0
