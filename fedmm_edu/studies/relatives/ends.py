"""Where a run ends: what the equation Σ μ_i Q_i ∇f_i = 0 says, and what was seen."""

from __future__ import annotations

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.federation import FullBatch
from fedmm_edu.relatives import Relative
from fedmm_edu.relatives.relative import OPTIMUM
from fedmm_edu.studies.relatives.grid import hessians
from fedmm_edu.studies.relatives.problems import Contest
from fedmm_edu.studies.relatives.race import Knobs, Measures, problem_for


def predicted(relative: Relative, contest: Contest, choice: Knobs) -> Array | None:
    """The θ with Σ μ_i Q_i ∇f_i(θ) = 0 for quadratic f_i, everyone active and nothing compressed; else None."""
    if relative.ends.Q is None or choice.active or choice.compressor != "none":
        return None
    problem, start, mu = problem_for(relative, contest), contest.start, contest.clients.mu
    if problem.g(start + 1.0) != 0.0 or problem.g(start - 1.0) != 0.0:
        return None
    here, there = (hessians(problem, contest, at) for at in (start, start + 1.0))
    if here is None or there is None or not np.allclose(here, there, rtol=1e-5, atol=1e-7 * np.abs(here).max()):
        return None
    tuning = choice.tuning(problem.d, 0, FullBatch())
    Q = [relative.ends.Q(H, tuning) for H in here]
    slopes = [problem.gradient(start, problem.mean_S_bar(z, start)) for z in contest.clients]
    left = sum(m * q @ H for m, q, H in zip(mu, Q, here, strict=True))
    return start - np.linalg.solve(left, sum(m * q @ v for m, q, v in zip(mu, Q, slopes, strict=True)))


def never(
    relative: Relative, contest: Contest, choice: Knobs, runs: list[Measures], best: float, accuracy: float
) -> str:
    """Why an accuracy was not reached: by the equation, or by what the runs did; gaps are shares of W_0 − min W."""
    span = contest.W_0 - best
    if any(run.ended == "diverged" for run in runs):
        return "diverges"
    if stopped := [run.ended for run in runs if run.ended.startswith("stopped")]:
        return stopped[0]
    found = predicted(relative, contest, choice)
    if found is not None and (above := (contest.clients.objective(contest.problem, found) - best) / span) > accuracy:
        return f"never: ends {above:.1e} above, as Σ μ_i Q_i ∇f_i = 0 says"
    above = float(np.median([run.objective[-1] - best for run in runs])) / span
    if all(stands(run.objective, best) for run in runs):
        if relative.ends.Q is OPTIMUM.Q:
            return f"stands {above:.1e} above"
        return f"never: ends {above:.1e} above, {relative.ends.says.partition(':')[0]}"
    rounds, passes = (np.median([run.column(cost)[-1] for run in runs]) for cost in ("rounds", "gradients"))
    each = passes / len(contest.clients) / rounds
    many = f" of {each:.3g} passes" if each >= 1.5 else ""
    return f"not in {rounds:.0f} rounds{many}: {above:.1e} above"


def stands(objective: Array, best: float) -> bool:
    """Whether the last half of a run lowers the gap by less than a hundredth."""
    half = len(objective) // 2
    return half > 0 and float(objective[half:].min()) - best >= 0.99 * (float(objective[:half].min()) - best)
