"""Ablation and effects: one choice at a time, and what is measured at the end."""

from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.experiments.dictionary import Plan, Run, Source, Task, ablation, data, effects, recovery
from fedmm_edu.experiments.dictionary.ablation import variations
from fedmm_edu.experiments.dictionary.effects import factors
from fedmm_edu.experiments.dictionary.page import as_page
from fedmm_edu.figures.dictionary import draw_effects


class Pretended:
    """A pool that remembers what it is asked, and answers with runs whose objective falls, but for the naive ones."""

    def __init__(self):
        self.asked = []

    def run(self, tasks, what):
        tasks = list(tasks)
        self.asked += tasks
        return {task: self.made(task) for task in tasks}

    def made(self, task):
        t = np.array([0.0, *sorted(task.recorded())])
        fall = 1.0 + (t if task.naive else -t) / t[-1]
        K = 15
        theta = np.random.default_rng(task.seed).normal(size=(task.source.p, K))
        return Run(t, t * 8e6, fall, 1.0 / (1.0 + t), 1.0 / (1.0 + t), theta)


def _differences(a, b):
    return {key for key in a if a[key] != b[key]}


def test_an_ablation_changes_one_choice_at_a_time(tmp_path):
    plan, pool = Plan(rounds=200), Pretended()
    found = ablation(plan, pool)
    names = list(variations(plan))
    assert list(found) == names
    base = asdict(found[names[0]].plan)
    for name in names[1:]:
        assert len(_differences(base, asdict(found[name].plan))) == 1
    assert {task.source.name for task in pool.asked} == {"homogeneous", "heterogeneous"}
    judged = {j.statement.id: j for j in found["p = 50"].judged}
    assert judged["objective-better"].findings["heterogeneous"].holds
    page = as_page([found[names[0]]], found, [], tmp_path, tmp_path)
    assert "| FedMM achieves the better objective in all settings | " + " | ".join(["yes / yes"] * len(names)) in page


def test_each_number_of_clients_sees_as_many_samples():
    base = Task(Source("heterogeneous"), False, 0.05, 0, 100)
    for task in factors(base)["clients n"].values():
        assert task.active * task.batch == 500
        assert task.active == max(1, task.source.clients // 2)


def test_effects_report_what_runs_end_with(monkeypatch):
    monkeypatch.setattr(data, "TOTAL", 100)
    data.load.cache_clear()
    found = effects(Plan(rounds=200, seeds=2), Pretended())
    truth = data.load(Source("heterogeneous")).truth
    data.load.cache_clear()
    assert truth is not None
    bits = next(effect for effect in found if effect.factor == "bits per coordinate")
    assert bits.values == ("2", "4", "8", "64")
    end = bits.ends["8"]["naive"]
    assert end["objective"].tolist() == [2.0, 2.0]
    assert end["megabytes"].tolist() == [50.0, 50.0]
    late = np.array([t for t in Task(Source("heterogeneous"), True, 0.05, 0, 50).recorded() if t > 37.5])
    np.testing.assert_allclose(end["surrogate"], np.exp(-np.log(1.0 + late).mean()))
    theta = [np.random.default_rng(seed).normal(size=(20, 15)) for seed in (0, 1)]
    assert end["recovery"].tolist() == [recovery(each, truth) for each in theta]
    figure = draw_effects(found)
    assert len(figure.axes) == 12


@given(st.integers(0, 50))
def test_recovery_is_blind_to_order_sign_and_length_of_atoms(seed):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(20, 6))
    scale = rng.choice([-1.0, 1.0], 6) * rng.uniform(0.1, 9.0, 6)
    assert recovery((truth * scale)[:, rng.permutation(6)], truth) == pytest.approx(1.0)
    assert recovery(rng.normal(size=(20, 6)), truth) < 0.7


def test_recovery_of_one_atom_of_two_and_none():
    truth = np.eye(2)
    assert recovery(np.array([[0.0, 0.0], [3.0, 0.0]]), truth) == pytest.approx(0.5)
    assert recovery(np.zeros((2, 2)), truth) == 0.0
