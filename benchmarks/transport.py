"""A round of FedMM-OT against one of FedAdam, on the same data, in the same run.

The log-sum-exp pair, 10 clients, batches of 128; one local step, ten steps of the server. What the clients compute is
timed alone, too: the paper says that both methods ask for similar resources there (L 975).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from benchmarks.timing import interleaved, threads
from fedmm_edu.algorithms import FedMM, State
from fedmm_edu.studies.transport.setting import METHODS, Setting, federation_of
from fedmm_edu.transport import one_thread


def rounds() -> list[dict]:
    """CPU milliseconds of a round, and of the clients' part of it, on one thread."""
    rows = []
    for d in (16, 64):
        setting = Setting(d, samples=2000, target=4000)
        given = federation_of(setting)
        for lam in (0.0, 1.0):
            made = {name: replace(method, lam=lam).start(given, setting) for name, method in METHODS.items()}
            calls = {name: partial(fed.step, state) for name, (fed, state) in made.items()}
            calls |= {f"clients, {name}": partial(_clients, fed, state) for name, (fed, state) in made.items()}
            with threads(1), one_thread():
                times = {name: 1e3 * time.cpu for name, time in interleaved(calls).items()}
            ours, theirs = (times.pop(f"clients, {name}") for name in ("FedMM-OT", "FedAdam"))
            del times["clients, FedMM-OT, adaptive server"]  # the same as without
            row = {"d": d, "λ": lam, **times, "FedMM-OT/FedAdam": times["FedMM-OT"] / times["FedAdam"]}
            rows.append(row | {"its clients": ours, "FedAdam's": theirs, "clients, ratio": ours / theirs})
    return rows


def _clients(fed: FedMM, state: State) -> None:
    """What all clients compute in a round."""
    fed.oracle(fed.problem, fed.clients, fed.theta(state), fed.draws(state.t + 1))
