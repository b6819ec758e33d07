"""Where each explorable starts: the problems, samples and constants of the lessons, as JSON values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from fedmm_edu.classroom.alone import waits
from fedmm_edu.convex_sets import Box
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.examples.dictionary import DictionaryLearning, SparseCodes
from fedmm_edu.examples.poisson import PoissonJoint
from fedmm_edu.examples.quadratic import L1, LeastSquares, Quadratic
from fedmm_edu.examples.robust import GemanMcClure, RobustRegression
from fedmm_edu.figures.families import least_squares, readings, three_families
from fedmm_edu.figures.majorizers import Scene
from fedmm_edu.studies.theorem import PROBLEMS
from fedmm_edu.surrogate import Surrogate
from fedmm_edu.widgets.exercises.lesson_06 import counts
from fedmm_edu.widgets.explorables.figure import Explorable


def aggregation(n: int = 4, spread: float = 0.8, first: float = 0.25) -> Explorable:
    """𝒮 against Θ for the toy of Remark 1: n clients, their `spread` and the weight of the first."""
    as_count("n", n, low=2, high=10)
    in_interval("spread", spread, low=0.0, high=0.95)
    in_interval("first", first, low=0.05, high=0.95)
    return Explorable("aggregation", {"n": n, "spread": spread, "first": first})


def averages(first: float = 0.5, second: float = 3.5) -> Explorable:
    """The averages of s and of θ for two clients of Remark 1, s_1 = `first` and s_2 = `second`, which drift."""
    for name, value in (("first", first), ("second", second)):
        in_interval(name, value, low=0.15, high=4.0)
    return Explorable("averages", {"s": [first, second], "moves": True})


def classmates(count: int = 12, seed: int = 3) -> Explorable:
    """A class for a reader alone: the waits of simulated classmates, those of `fedmm class --alone` with that seed."""
    others = [list(waits(seed, number)) for number in range(as_count("count", count, low=2, high=40))]
    return Explorable("classmates", {"classmates": others, "six": 2, "heads": 1, "idea": "θ = 1/z"})


SIGNED = (-2.2, -1.7, -0.6, 0.4, 1.1, 1.5, 2.0, 2.3)
"""Numbers that are θ or −θ plus noise, their signs being lost: lesson 3 looks for the roots of their mean field."""


def hidden(z: float = 1.2, tau: float = 0.4) -> Explorable:
    """A number z whose sign is hidden: the weights of both signs at τ, a bowl for each, and their mean (Example 2)."""
    in_interval("z", z, low=-2.0, high=2.0)
    in_interval("tau", tau, low=-2.0, high=2.0)
    return Explorable("hidden", {"z": z, "tau": tau})


def roots(s: float = 0.8, lam: float = 0.5) -> Explorable:
    """The mean field over s and the objective over T(s) = s/(1 + λ), for `SIGNED` and the penalty ½λθ² (Prop. 1)."""
    in_interval("s", s, low=-3.0, high=3.0)
    in_interval("lam", lam, low=0.0, high=2.0)
    return Explorable("roots", {"z": list(SIGNED), "lam": lam, "s": s})


def tangents(low: float = 1.0, high: float = 4.0) -> Explorable:
    """The constants of A7 on 𝒮 = [low, high] as slopes of φ∘T of the toy, and the largest step that they allow."""
    in_interval("low", low, low=0.25, high=8.75)
    in_interval("high", high, low=low + 0.25, high=9.0)
    return Explorable("tangents", {"low": low, "high": high})


def scenes() -> dict[str, tuple[Scene, float]]:
    """The problems of the majoriser to drag, each with the τ at which it starts."""
    families = three_families()
    return {
        "eight readings, tight: reweighted means": (readings(), 2.0),
        "eight readings, loose: curvature 1": (readings("residuals"), 2.0),
        "Example 1, quadratic: logistic loss, ℓ₁ penalty": (families["quadratic"], -1.0),
        "Example 2, Jensen: Poisson counts, latent factor": (families["Jensen"], -1.0),
        "Example 3, variational: a dictionary of one atom": (families["variational"], 0.8),
        "least squares with ρ = 1/L": (least_squares(1.0), -2.0),
        "least squares with ρ = 2.5/L: too long": (least_squares(2.5), -2.0),
    }


def majoriser() -> Explorable:
    """The majoriser to drag: every scene, the first one shown."""
    families = {name: described(scene) | {"start": start} for name, (scene, start) in scenes().items()}
    name = next(iter(families))
    return Explorable("majoriser", {"families": families, "family": name, "tau": families[name]["start"]})


def described(scene: Scene) -> dict[str, Any]:
    """A scene as `families.js` takes it: the kind of its problem, its samples, its window and its numbers."""
    z = scene.z[:, 0].tolist() if scene.z.shape[1] == 1 else scene.z.tolist()
    numbers = _numbers(scene.problem)
    if numbers["kind"] == "robust":
        z = scene.z[:, 1].tolist()  # the column of ones is the intercept
    return {"z": z, "low": scene.low, "high": scene.high, **numbers}


def _numbers(problem: Surrogate) -> dict[str, Any]:
    match problem:
        case Quadratic(rho=rho, smooth_loss=loss, penalty=penalty):
            kind = "least squares" if isinstance(loss, LeastSquares) else "logistic"
            return {"kind": kind, "rho": rho, "lam": penalty.lam if isinstance(penalty, L1) else 0.0}
        case PoissonJoint(lam=lam, law=law):
            return {"kind": "poisson", "lam": lam, "points": law.points.tolist(), "weights": law.weights.tolist()}
        case DictionaryLearning(coder=SparseCodes(lam=lam), atoms=atoms):
            return {"kind": "dictionary", "lam": lam, "eta": atoms.eta}
        case RobustRegression(rho=GemanMcClure(c=c), form=form):
            return {"kind": "robust", "c": c, "form": form}
    raise InvalidInput(f"{type(problem).__name__} is not known to families.js: write it there first.")


def rounds(start: Sequence[float] = (2.0, -1.0), *, length: int = 60, seed: int = 0) -> Explorable:
    """The round player on the counts of lesson 6, with half of the clients, one coordinate of two and α = 1/4."""
    problem, clients = counts()
    x = problem.in_S(np.asarray(start, dtype=np.float64)).tolist()
    shown = {"length": as_count("length", length), "t": 1, "axis": "rounds"}
    data = [z[:, 0].astype(int).tolist() for z in clients.data]
    box = Box.of(problem.S)
    ends = {"low": float(box.low[0]), "high": float(box.high[0])}
    settings = {"p": 0.5, "message": "one of two", "alpha": 0.25, "gamma": 0.3, "seed": seed}
    given = {"data": data, **_numbers(problem), **ends}
    return Explorable("rounds", {"problem": given, "start": x, **shown, **settings})


def theorem(n: int = 8, seed: int = 0) -> Explorable:
    """The calculator of Theorem 1, with the proved constants of each problem of `fedmm run theorem` for n clients."""
    presets = {}
    for name, make in PROBLEMS.items():
        instance = make(n, np.random.default_rng([seed, n]))
        numbers = asdict(instance.constants) | {"initialGap": instance.gap(), "initialVariates": 0.0}
        presets[name] = {key: "∞" if math.isinf(value) else f"{value:.6g}" for key, value in numbers.items()}
    name = next(iter(presets))
    shares = {"p": 0.5, "omega": 0.0, "alphaShare": 1.0, "gammaShare": 0.5, "power": 6, "version": "sharper"}
    return Explorable("theorem", {"presets": presets, "preset": name, "constants": presets[name], **shares})
