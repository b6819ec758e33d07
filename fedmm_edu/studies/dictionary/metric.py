"""Beyond Section 6: FedMM that projects in the norm of B_t, as the theory asks (A8), against the identity.

For dictionary learning A7 fails (v_min = 0: row A7-dl-singular), so there is no B_t to choose; in the examples of the
paper that satisfy A7, 𝒮 is an interval or B is a multiple of I, so that both projections are the same. Hence the
example `weights`, in which A7 holds and 𝒮 has corners.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from fedmm_edu.algorithms import STANDARD, Constant, FedMM, run
from fedmm_edu.arrays import Array
from fedmm_edu.examples.weights import MixtureWeights
from fedmm_edu.federation import Bernoulli, Clients, MiniBatch, UniformQuantization
from fedmm_edu.studies.dictionary.figures import DictionaryPlan
from fedmm_edu.studies.study import Part, markdown_table
from fedmm_edu.studies.tasks import Pool

PROJECTIONS: Mapping[Literal["euclidean", "B"], str] = {"B": "norm of B_t", "euclidean": "identity"}
GAMMAS, ROUNDS, SEEDS = (0.1, 0.5), 200, 5
MEANS, LAM = np.arange(-4.0, 5.0, 2.0), 0.01


def clients(n: int = 20, each: int = 250) -> Clients:
    """Each client draws from two of the components, of which the last is rare."""
    rng, share = np.random.default_rng(0), np.array([0.4, 0.3, 0.2, 0.09, 0.01])
    labels = [rng.choice(5, 2, p=share)[rng.integers(0, 2, each)] for _ in range(n)]
    return Clients.of([(MEANS[of] + rng.normal(size=each))[:, None] for of in labels])


def least_objective(problem: MixtureWeights, data: Clients) -> float:
    """min W, by EM from equal weights; W is convex."""
    theta, (z, weights) = np.full(problem.d, 1.0 / problem.d), data.pooled()
    for _ in range(300):
        theta = problem.T(problem.mean_S_bar(z, theta, weights))
    return data.objective(problem, theta)


def gaps(gamma: float, rounds: int, seeds: int) -> dict[str, Array]:
    """W(T(Ŝ_t)) − min W with each projection, shape (seeds, rounds + 1).

    Half of the clients take part, with 50 samples and 2 bits a coordinate, and α = 0.01. What they send does not sum to
    1, so that every round projects.
    """
    problem, data = MixtureWeights(MEANS, LAM), clients()
    best, found = least_objective(problem, data), dict[str, Array]()
    for metric in PROJECTIONS:
        rows = []
        for seed in range(seeds):
            fed = FedMM(problem, data, Constant(gamma), MiniBatch(50), Bernoulli(0.5), UniformQuantization(2), 0.01,
                        metric=metric, seed=seed)  # fmt: skip
            start = fed.init(np.full(problem.q, 1.0 / problem.q))
            history = run(fed, start, rounds, columns={"objective": STANDARD["objective"]}, every=1)[1]
            rows.append(history.objective - best)
        found[metric] = np.stack(rows)
    return found


ABOUT = """\
Section 6 projects with the identity, the theory in the norm of B(Ŝ_t) (A8). For dictionary learning there is nothing
to compare: no B satisfies A7 (row `A7-dl-singular` of the ledger). Nor is there in the paper's examples that satisfy
A7: their 𝒮 is an interval, or all of ℝ^q, so that every norm projects alike. So this is another EM, for the weights
of five known Gaussians with a Dirichlet prior: 𝒮 is the simplex, and A7 holds with B(s) = diag(1/(s + λ)), λ =
{lam:g}. 20 clients that differ, half of them active, 50 samples, 2 bits a coordinate, which leave the simplex in
every round; {seeds} runs with the same draws. Mean excess of the objective over its least value in the second half of
{rounds} rounds:"""


def results(plan: DictionaryPlan, pool: Pool) -> Part:
    """Both projections with a small and a large step."""
    seeds, rounds = min(plan.seeds, SEEDS), min(plan.rounds, ROUNDS)
    ends = {
        f"{gamma:g}": {
            metric: of[:, -rounds // 2 :].mean(axis=1).tolist() for metric, of in gaps(gamma, rounds, seeds).items()
        }
        for gamma in GAMMAS
    }
    rows = [(gamma, *(f"{np.mean(of):.2e} ± {np.std(of):.1e}" for of in arms.values())) for gamma, arms in ends.items()]
    about = ABOUT.format(lam=LAM, seeds=seeds, rounds=rounds)
    page = ("## B_t or the identity", about, markdown_table(("γ", *PROJECTIONS.values()), rows))
    return Part("metric", page, ends)
