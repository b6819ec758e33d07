"""What should a client send? Fewer numbers a round, or a richer surrogate for fewer rounds: proved beside measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fedmm_edu.examples.curvature import CURVATURES, SecondOrder
from fedmm_edu.examples.quadratic import LeastSquares
from fedmm_edu.examples.symmetric import smat
from fedmm_edu.federation.compressor import FLOAT_BITS
from fedmm_edu.relatives import Demand, LinearRate, relatives
from fedmm_edu.studies.relatives.certified import Promise
from fedmm_edu.studies.relatives.problems import Contest, Given
from fedmm_edu.studies.relatives.race import Knobs, Measures, Race
from fedmm_edu.studies.tasks import Pool


@dataclass(frozen=True)
class Option:
    """One thing to send: in words, floats a client and round (up), whether it remembers, kb up to the accuracy.

    proved: ∞ where nothing is proved; measured: ∞ where the run did not get there.
    """

    says: str
    numbers: float
    memory: bool
    proved: float
    measured: float


def options(
    source: Given, races: Sequence[Race], promises: Mapping[str, Promise], best: float, gap: float, pool: Pool
) -> list[Option]:
    """By what was measured: the settings that are proved, acceleration, and the richer surrogates of the problem.

    races: with the plain setting, of FedMM and its acceleration, whose limits the others have.
    """
    contest, n = source.contest(), len(source.contest().clients)
    found = [
        Option(f"{relatives()[key].name}: {promise.says}", _numbers(promise.run, n), _remembers(key, promise.choice),
               promise.cost(gap, "bits up") / 8e3, _measured(promise.run, best + gap))
        for key, promise in promises.items()
    ]  # fmt: skip
    richer = [Race(Given(name), "fedmm", race.choice, race.seed, race.rounds, race.level, race.passes)
              for name in contest.richer for race in races if race.relative == "fedmm"]  # fmt: skip
    runs = pool.run({"sent": [*races, *richer]}, "what to send")["sent"]
    for race, run in zip([*races, *richer], runs, strict=True):
        if race.source == source and race.relative in promises:
            continue
        proved = _proved(race.source.contest(), best, gap, run, race.choice)
        says = f"{relatives()[race.relative].name}: {_form(race.source)}"
        found.append(Option(says, _numbers(run, n), False, proved, _measured(run, best + gap)))
    return sorted(found, key=lambda option: (option.measured, option.proved))


def _remembers(key: str, choice: Knobs) -> bool:
    """Whether V_i matters: not where surrogates travel in full."""
    needs = relatives()[key].needs
    return Demand.MEMORY in needs and (choice.compressor != "none" or Demand.SURROGATE not in needs)


def _form(source: Given) -> str:
    problem = source.contest().problem
    return f"second-order surrogates, {problem.form}" if isinstance(problem, SecondOrder) else "floats"


def _numbers(run: Measures, n: int) -> float:
    """Floats that a client sends in a mean round."""
    rounds = len(run.bits_up) - 1
    return float(run.bits_up[-1] - run.bits_up[0]) / (FLOAT_BITS * n * rounds) if rounds else np.nan


def _measured(run: Measures, level: float) -> float:
    rows = np.flatnonzero(run.objective <= level)
    return float(run.bits_up[rows[0]]) / 8e3 if rows.size else np.inf


def _proved(contest: Contest, best: float, gap: float, run: Measures, choice: Knobs) -> float:
    rate = rate_of_bound(contest, float(run.objective[0]) - best)
    return np.inf if rate is None or choice.active else Promise(rate, choice, run, len(contest.clients), "").cost(
        gap, "bits up") / 8e3  # fmt: skip


def rate_of_bound(contest: Contest, first: float) -> LinearRate | None:
    """MM with s₂ = M ⪰ ∇²f: W_t − min W falls by 1 − c in each round, where ∇²f + η ⪰ c(M + η); γ = 1, everyone.

    c = 1 for least squares, whose M is ∇²f; else all that is known is ∇²f ⪰ 0. The row own-biased-linear with q = 0 on
    the slice s₂ = M, where φ∘T is linear and B = (M + η)⁻¹. None for a form that does not majorise.
    """
    problem = contest.problem
    if not isinstance(problem, SecondOrder) or not CURVATURES[problem.form].majorizes:
        return None
    S = contest.clients.mean_S_bar(problem, contest.start)
    upper = smat(S[problem.d :], problem.d) + np.diag(problem.eta)
    if problem.smooth_loss == LeastSquares():
        return LinearRate(first, 0.0)
    root = np.linalg.cholesky(upper)
    half = np.linalg.solve(root, np.diag(np.sqrt(problem.eta)))
    return LinearRate(first, 1.0 - max(float(np.linalg.eigvalsh(half @ half.T)[0]), 0.0))


def lines(found: Sequence[Option]) -> Iterator[tuple[str, ...]]:
    """Rows of a table."""
    for one in found:
        proved = f"{one.proved:.3g}" if np.isfinite(one.proved) else "nothing"
        measured = f"{one.measured:.3g}" if np.isfinite(one.measured) else "never"
        yield one.says, f"{one.numbers:.3g}", "yes" if one.memory else "no", proved, measured
