"""Scenes of the lessons, one for each family of Section 2, and two pictures of MM-1 and MM-2 failing."""

from __future__ import annotations

from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from fedmm_edu.arrays import Array
from fedmm_edu.errors import in_interval
from fedmm_edu.examples.dictionary import DictionaryLearning, SparseCodes, Unconstrained
from fedmm_edu.examples.poisson import Law, PoissonJoint
from fedmm_edu.examples.quadratic import L1, LeastSquares, Logistic, Quadratic, admissible_rho
from fedmm_edu.examples.robust import GemanMcClure, RobustRegression
from fedmm_edu.examples.toy import Toy
from fedmm_edu.federation import Clients
from fedmm_edu.figures.majorizers import Scene
from fedmm_edu.figures.style import PALETTE, labelled
from fedmm_edu.surrogate import majorization_gap, surrogate_value

_MARKS = np.array([[-2.0, -1.0], [-1.5, -1.0], [-0.5, 1.0], [0.4, -1.0], [0.8, 1.0], [1.2, 1.0], [2.0, 1.0]])
_COUNTS = np.array([[1.0], [2.0], [2.0], [3.0], [4.0], [7.0]])
_SIGNALS = np.array([[-2.0], [-1.2], [0.4], [0.9], [1.6], [2.4]])
_LINE = np.array([[1.0, 0.5], [-1.0, -1.5], [2.0, 3.0], [0.5, 1.0]])
_READINGS = np.array([-0.3, 0.1, 0.2, 0.4, 0.9, 4.6, 5.0, 5.3])


def readings(form: Literal["weights", "residuals"] = "weights") -> Scene:
    """Eight readings of one length θ, three of them far off, with the loss of Geman and McClure: not convex."""
    problem = RobustRegression(1, 0.0, GemanMcClure(1.5), form)
    return Scene(problem, np.column_stack([np.ones(8), _READINGS]), -2.0, 7.0, "eight readings of one length")


def three_families() -> dict[str, Scene]:
    """An instance of Examples 1, 2 and 3 with one parameter: logistic regression, latent Poisson counts, one atom."""
    loss = Logistic()
    quadratic = Quadratic(1, admissible_rho(loss, Clients.of([_MARKS])), loss, L1(0.1))
    jensen = PoissonJoint(0.4, Law.discrete([-1.0, 0.3, 1.2], [0.5, 0.3, 0.2]))
    variational = DictionaryLearning(1, 1, SparseCodes(0.3), Unconstrained(0.1), tol=1e-12)
    return {
        "quadratic": Scene(quadratic, _MARKS, -2.0, 4.0, "Example 1, quadratic: logistic loss, $\\ell_1$ penalty"),
        "Jensen": Scene(jensen, _COUNTS, -1.5, 2.2, "Example 2, Jensen: Poisson counts, latent factor"),
        "variational": Scene(variational, _SIGNALS, -2.5, 2.5, "Example 3, variational: a dictionary of one atom"),
    }


def least_squares(ratio: float) -> Scene:
    """Least squares with the quadratic surrogate of step ρ = ratio/L_f, admissible for ratio ≤ 1."""
    in_interval("ratio", ratio, low=0.0, high=8.0, open_low=True)
    rho = ratio * admissible_rho(LeastSquares(), Clients.of([_LINE]))
    return Scene(Quadratic(1, rho), _LINE, -4.0, 6.0, f"least squares, $\\rho$ = {ratio:.2f}/L")


def least_gap(scene: Scene, tau: float) -> float:
    """The smallest value in the window of the right-hand side of MM-1 minus the left: negative where MM-1 fails."""
    at = np.array([tau])
    return min(majorization_gap(scene.problem, scene.z, np.array([theta]), at) for theta in scene.grid())


def toy_surrogates(s: float) -> tuple[Array, Array]:
    """θ and ψ(θ) − ⟨s, φ(θ)⟩ = 1/θ + sθ of Remark 1, for s that may lie outside 𝒮, too."""
    theta, toy = np.linspace(0.15, 12.0, 400), Toy()
    return theta, np.array([surrogate_value(toy, np.array([t]), np.array([s])) for t in theta])


def draw_toy_surrogate(ax: Axes, s: float) -> Axes:
    """The function that T(s) must minimise, and its minimiser where there is one."""
    theta, values = toy_surrogates(s)
    ax.plot(theta, values, "--", color=PALETTE["S"], label=rf"$1/\theta + s\,\theta$ with $s$ = {s:.2f}")
    toy, at = Toy(), np.array([s])
    if toy.contains(at):
        goal = float(toy.T(at)[0])
        ax.plot(
            goal,
            surrogate_value(toy, toy.T(at), at),
            "D",
            color=PALETTE["Theta"],
            markersize=9,
            label=f"$T(s)$ = {goal:.2f}",
        )
    else:
        ax.plot(theta[-1], values[-1], ">", color=PALETTE["Theta"], markersize=11, label="falls for ever: no minimiser")
    ax.set_xlim(0, 12.3)
    ax.set_ylim(-2.0, 6.0)
    return labelled(ax, "MM-2 asks for one lowest point", r"parameter $\theta$", fontsize=9)
