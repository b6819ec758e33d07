"""A FedMM round of the paper's size (Section 6), against SPAMS and scikit-learn on the same rows, and its own floor.

20 clients × 50 samples of 250, p = 500, K = 50, 8 bits, half of the clients, control variates. scikit-learn's
`MiniBatchDictionaryLearning.partial_fit` gets the rows of the active clients: codes by coordinate descent and one pass
over the atoms. Its codes are less accurate than ours. SPAMS's `trainDL` gets them as dense rows: one step of online
dictionary learning with all of them as its batch, the same K and λ, its sums A and B of the step before, and the same
dictionary, whose atoms it scales to length 1 (the codes have as many nonzeros). In ours and not in theirs: surrogates
and control variates of 10 clients, 275 000 numbers quantised to 8 bits, rows drawn and gathered, a certificate of every
code to 1e-10. In theirs and not in ours: a pass over the atoms, which stay in the unit ball; T(s) is one solution with
a 50 × 50 matrix. SPAMS has no warm start. The floor is what no implementation of the round can leave out: the products
θᵀθ, Zθ and, client by client, hᵀh and Zᵀh, and the codes from the same start; messages and T(s), which the floors of
the section on every example hold besides, are not in it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
from scipy import sparse
from sklearn.decomposition import MiniBatchDictionaryLearning

from benchmarks.codes import Setting, ratings
from benchmarks.timing import interleaved, threads
from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.arrays import Array
from fedmm_edu.examples.dictionary import DictionaryLearning, SparseCodes, Unconstrained
from fedmm_edu.federation import Clients, FixedSize, FullBatch, MiniBatch, UniformQuantization
from fedmm_edu.sparse_coding import CodePenalty, codes

N_CLIENTS, SAMPLES, BATCH, LAM, ETA = 20, 250, 50, 0.1, 0.2
PENALTY = CodePenalty(LAM)


def data(fill: float) -> Setting:
    """5000 rows of ratings, and a dictionary after some rounds."""
    return ratings(LAM, fill, users=N_CLIENTS * SAMPLES)


def federation(z, *, remember: bool) -> FedMM:
    """The first experiment of Section 6 on these rows."""
    problem = DictionaryLearning(500, 50, SparseCodes(LAM), Unconstrained(ETA), remember=remember)
    parts = {"oracle": MiniBatch(BATCH), "participation": FixedSize(N_CLIENTS // 2), "alpha": 0.01}
    clients = Clients.of_rows(z, [SAMPLES] * N_CLIENTS)
    return FedMM(problem, clients, Constant(0.02), compressor=UniformQuantization(8), **parts)


def round_of_section_6() -> list[dict]:
    """CPU seconds of one round, dense and sparse, cold and with remembered codes, on one thread."""
    rows = []
    for name, fill, dense in (("dense", 0.2, True), ("CSR, 20 % full", 0.2, False), ("CSR, 4 % full", 0.04, False)):
        setting = data(fill)
        z = setting.z.toarray() if dense else setting.z
        cold, warm = (federation(z, remember=remember) for remember in (False, True))
        before = cold.init(cold.point(setting.theta.ravel()))
        state = cold.step(before)
        after = cold.step(state)
        names, offsets = cold.oracle.rows(cold.clients, cold.draws(state.t + 1).only(np.flatnonzero(after.active)))
        batch = z[names]
        visit_all(warm, before)
        theta, earlier = (cold.theta(s).reshape(500, 50) for s in (state, before))
        near = codes(batch, earlier, PENALTY).h
        learner = MiniBatchDictionaryLearning(
            50,
            alpha=LAM,
            fit_algorithm="cd",
            transform_algorithm="lasso_cd",
            dict_init=setting.theta.T.copy(),
            n_jobs=1,
        )
        dense_batch = batch.toarray() if sparse.issparse(batch) else batch
        calls = {
            "cold": partial(cold.step, state),
            "warm": partial(warm.step, state),
            "products": partial(products, batch, theta, offsets),
            "codes, warm": lambda batch=batch, theta=theta, near=near: codes(
                batch, theta, PENALTY, start=near, threads=1
            ),
            "codes, cold": lambda batch=batch, theta=theta: codes(batch, theta, PENALTY, threads=1),
            "partial_fit": partial(fit, learner, dense_batch),
            "trainDL": online_step(dense_batch, theta),
        }
        with threads(1):
            times = interleaved(calls)
        row = {"samples": name} | {call: time.cpu for call, time in times.items()}
        for start in ("cold", "warm"):
            row[f"{start}/partial_fit"] = row[start] / row["partial_fit"]
            row[f"trainDL/{start}"] = row["trainDL"] / row[start]
            row[f"{start}/floor"] = row[start] / (row["products"] + row[f"codes, {start}"])
        rows.append(row)
    return rows


def visit_all(fed: FedMM, state) -> None:
    """Every sample visited once, so that the next round starts from the codes of the dictionary before."""
    FullBatch()(fed.problem, fed.clients, fed.theta(state), fed.draws(0))


def fit(learner: MiniBatchDictionaryLearning, batch) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns that its own limit on iterations was met
        learner.partial_fit(batch)


def online_step(batch: Array, theta: Array) -> Callable[[], object]:
    """A step of SPAMS's online dictionary learning from θ, after another one."""
    import spams

    given = {"X": np.asfortranarray(batch.T), "D": np.asfortranarray(theta), "return_model": True, "verbose": False}
    given |= {"K": 50, "lambda1": LAM, "iter": 1, "batchsize": len(batch), "numThreads": 1}
    return partial(spams.trainDL, **given, model=spams.trainDL(**given)[1])


def products(batch, theta, offsets) -> None:
    """The matrix products of a round."""
    h = batch @ theta
    theta.T @ theta
    if sparse.issparse(batch):
        for start, stop in pairwise(offsets):
            h[start:stop].T @ h[start:stop]
            batch[start:stop].T @ h[start:stop]
        return
    h, z = h.reshape(-1, BATCH, 50), batch.reshape(-1, BATCH, 500)
    h.mT @ h
    z.mT @ h
