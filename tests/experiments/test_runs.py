"""Runs of the experiments: metrics by the paper's formulas, files, interruptions, and the choice of β."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fedmm_edu.algorithms import run as run_plain
from fedmm_edu.errors import InvalidInput, StateMismatch
from fedmm_edu.studies.dictionary import DictionaryRun, DictionaryTask, Meter, Source, load_source
from fedmm_edu.studies.dictionary import runs as module
from fedmm_edu.studies.dictionary.figures import DictionaryPlan, make_figure
from fedmm_edu.studies.tasks import Pool, stored

DIGITS = Source("digits", clients=10)
TASK = DictionaryTask(DIGITS, False, 0.05, 3, 6, active=5, rows=6)
NAIVE = replace(TASK, naive=True)


def _equal(a: DictionaryRun, b: DictionaryRun) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name), equal_nan=True) for name in vars(a))


def test_one_pass_gives_objective_and_surrogate():
    """Against the sum of the losses of all samples, and against the mean of S̄ over clients."""
    data = load_source(DIGITS)
    problem, theta = data.problem(), np.random.default_rng(0).normal(size=64 * 50)
    objective, s = Meter(data)(theta)
    codes = problem.codes(data.pool, theta)
    residual = data.pool - codes @ theta.reshape(64, 50).T
    direct = 0.5 * (residual**2).sum(axis=1).mean() + 0.1 * np.abs(codes).sum(axis=1).mean() + 0.2 * (theta**2).sum()
    assert objective == pytest.approx(direct, rel=1e-10)
    np.testing.assert_allclose(s, data.clients.mean_S_bar(problem, theta), atol=1e-10)


@pytest.mark.parametrize("task", [TASK, NAIVE], ids=["fedmm", "naive"])
def test_the_curves_are_those_of_the_plain_loop(task):
    """`fedmm_edu.algorithms.run` measures with another pass for each metric; E^s, E^{s,p}, E^p and E^{p,s} agree."""
    fed, state = module.prepare(task, load_source(DIGITS))
    _, history = run_plain(fed, state, task.rounds, every=1)
    found = task.make()
    assert found.t.tolist() == history.t.tolist()
    np.testing.assert_allclose(found.objective, history.objective, rtol=1e-9)
    np.testing.assert_allclose(found.parameter, history.parameter_update, rtol=1e-6)
    np.testing.assert_allclose(found.surrogate, history.surrogate_update, rtol=1e-6)
    assert (found.bits == history.bits_up).all()
    np.testing.assert_allclose(found.theta.ravel(), history.theta[-1], rtol=1e-9, atol=1e-12)


def test_both_algorithms_start_at_one_parameter_or_apart():
    shared = [replace(task, rounds=1).make().objective[0] for task in (TASK, NAIVE)]
    apart = [replace(task, rounds=1, start="apart").make().objective[0] for task in (TASK, NAIVE)]
    assert shared[0] == shared[1] == apart[0]
    assert apart[1] > 2 * apart[0]  # T is one step of MM: from a random dictionary, a large one


def test_a_dictionary_of_samples_is_one():
    task = replace(TASK, start="samples", naive=True, rounds=1)
    data = load_source(DIGITS)
    rng = np.random.default_rng([3, 6])
    rng.normal(size=(64, 50))
    atoms = data.pool[rng.choice(len(data.pool), 50, replace=False)].T
    fed, state = module.prepare(task, data)
    np.testing.assert_allclose(fed.theta(state), fed.problem.T(Meter(data)(atoms.ravel())[1]), rtol=1e-12)


def test_a_step_of_one_over_t_makes_the_mean_of_the_oracles():
    """beta = 0 is γ_t = 1/t: after the first round Ŝ is the first oracle, whatever the start."""
    task = replace(TASK, beta=0.0, bits=0, alpha=0.0, batch=0, active=10, rounds=1)
    fed, state = module.prepare(task, load_source(DIGITS))
    expected = load_source(DIGITS).clients.mean_S_bar(fed.problem, fed.theta(state))
    np.testing.assert_allclose(fed.step(state).x, expected, atol=1e-9)


def test_recorded_rounds():
    assert replace(TASK, rounds=103, rows=10).recorded() == {1, 2, 5, *range(10, 101, 10), 103}
    assert replace(TASK, rounds=1).recorded() == {1}


def test_a_run_that_diverges_has_infinite_rows(monkeypatch):
    """The rows that a run did not reach are infinite, and no more bits are sent."""
    monkeypatch.setattr(module, "LARGEST", 0.5)  # then a run counts as diverged after its first round
    cut = TASK.make()
    alive = np.isfinite(cut.objective)
    assert alive.tolist() == [True, True] + 5 * [False]
    assert (cut.t == np.arange(7)).all()
    assert (cut.bits[~alive] == cut.bits[alive][-1]).all()


def test_an_interrupted_batch_goes_on_with_identical_numbers(tmp_path, monkeypatch):
    """Interrupted in the middle of the second run, then resumed in two processes: the same numbers, bit for bit."""
    tasks = [replace(task, seed=seed) for task in (TASK, NAIVE) for seed in (0, 1)]
    with Pool(tmp_path / "whole") as pool:
        whole = pool.run({"": tasks}, "test")[""]
    original, calls = module.Meter.__call__, []

    def interrupted(self, theta):
        calls.append(1)
        if len(calls) == 12:
            raise KeyboardInterrupt
        return original(self, theta)

    monkeypatch.setattr(module.Meter, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt), Pool(tmp_path / "cut") as pool:
        pool.run({"": tasks}, "test")
    monkeypatch.undo()
    finished = sorted((tmp_path / "cut").iterdir())
    assert len(finished) == 1
    before = finished[0].read_bytes()
    with Pool(tmp_path / "cut", jobs=2) as pool:
        resumed = pool.run({"": tasks}, "test")[""]
    assert finished[0].read_bytes() == before
    assert all(map(_equal, whole, resumed))


def test_a_foreign_or_damaged_file_is_refused(tmp_path):
    task = replace(TASK, rounds=1)
    made = stored(task, tmp_path)
    assert _equal(made, stored(task, tmp_path))
    (tmp_path / task.file).rename(tmp_path / replace(task, seed=4).file)
    with pytest.raises(StateMismatch, match="other settings"):
        stored(replace(task, seed=4), tmp_path)
    (tmp_path / task.file).write_bytes(b"half of it")
    with pytest.raises(StateMismatch, match="not a kept run"):
        stored(task, tmp_path)


def test_each_setting_has_a_file_of_its_own():
    changes = [
        {"beta": 0.02},
        {"bits": 4},
        {"start": "apart"},
        {"source": replace(DIGITS, split="random")},
        {"rows": 5},
    ]
    files = {TASK.file, NAIVE.file} | {replace(TASK, **change).file for change in changes}
    assert len(files) == 2 + len(changes)


class Ends(Pool):
    """A pool whose runs end with objectives that are told, by β and seed."""

    def __init__(self, ends):
        super().__init__(Path("nowhere"))
        self.ends = ends

    def run(self, tasks: Any, what: str) -> Any:
        return {key: [self.pretended(task) for task in of] for key, of in tasks.items()}

    def pretended(self, task):
        t = np.arange(5.0)
        end = self.ends[task.beta][task.seed % 2] if task.seed >= 1000 else 0.0
        return DictionaryRun(t, t, np.array([9.0, 9.0, 9.0, 9.0, end]), t, t, np.empty(0))


def test_beta_is_that_of_the_least_final_objective():
    """On average over the tuning runs; a diverged one counts as infinite; of equal ones it is the smallest."""
    ends = {0.05: [1.0, np.inf], 0.02: [3.0, 4.0], 0.01: [2.0, 5.0], 0.001: [9.0, 9.0]}
    found = make_figure("fig2", DictionaryPlan(betas=tuple(ends), tuning=2, seeds=1), Ends(ends), data=["homogeneous"])
    for arm in ("alpha = 0", "alpha = 0.01"):
        assert found.betas["homogeneous"][arm] == 0.01
        assert found.tuned["homogeneous"][arm] == {0.001: 9.0, 0.01: 3.5, 0.02: 3.5, 0.05: np.inf}


def test_wrong_settings_are_named():
    with pytest.raises(InvalidInput, match="active = 11"):
        replace(TASK, active=11)
    with pytest.raises(InvalidInput, match="start = 'zero'"):
        replace(TASK, start="zero")
