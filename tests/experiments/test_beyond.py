"""Ablation, effects, and the comparisons beyond the figures: what is run, and what is measured at the end."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.studies.dictionary import DictionaryRun, DictionaryTask, Source, ablation, central, data, effects
from fedmm_edu.studies.dictionary.ablation import BASE, variations, vary
from fedmm_edu.studies.dictionary.central import recovery, tasks
from fedmm_edu.studies.dictionary.figures import DictionaryPlan
from fedmm_edu.studies.dictionary.runs import prepare
from fedmm_edu.studies.study import markdown
from fedmm_edu.studies.tasks import Pool


class Pretended(Pool):
    """A pool that remembers what it is asked, and answers with runs whose objective falls, but for the naive ones."""

    def __init__(self):
        super().__init__(Path("nowhere"))
        self.asked = []

    def run(self, tasks: Any, what: str) -> Any:
        self.asked += [task for of in tasks.values() for task in of]
        return {key: [self.pretended(task) for task in of] for key, of in tasks.items()}

    def pretended(self, task):
        t = np.array([0.0, *sorted(task.recorded())])
        fall = 1.0 + (t if task.naive else -t) / t[-1]
        K = 15
        theta = np.random.default_rng(task.seed).normal(size=(task.source.p, K))
        return DictionaryRun(t, t * 8e6, fall, 1.0 / (1.0 + t), 1.0 / (1.0 + t), theta)


@pytest.fixture
def few(monkeypatch):
    """Heterogeneous data with 100 samples, forgotten at the end."""
    monkeypatch.setattr(data, "TOTAL", 100)
    data.load_source.cache_clear()
    yield
    data.load_source.cache_clear()


def test_an_ablation_changes_one_choice_at_a_time():
    """Each variation changes one field of the plan (T_max of both kinds of data is one choice), the first none."""
    plan, pool = DictionaryPlan(rounds=200), Pretended()
    found = vary(plan, pool)
    assert [v for v, _ in found] == variations(plan)
    base = asdict(found[0][1].plan)
    for variation, made in found:
        changed = {key for key, value in asdict(made.plan).items() if value != base[key]}
        assert changed == set(variation.changes)
        assert len(changed - {"real_rounds"}) == (variation.says != BASE)
        assert set(made.curves) == set(variation.data)
    assert {task.source.name for task in pool.asked} == {"homogeneous", "heterogeneous", "movielens"}


def test_without_movielens_an_ablation_is_synthetic():
    assert {name for v in variations(DictionaryPlan(real="patches")) for name in v.data} == {
        "homogeneous",
        "heterogeneous",
    }


def test_the_ablation_says_with_which_choices_a_sentence_holds():
    """Pretended curves: all updates are alike and fall, so that some sentences hold everywhere and others nowhere."""
    plan = DictionaryPlan(rounds=200)
    page = markdown(ablation.results(plan, Pretended()).page, "figures")
    larger = [line for line in page.splitlines() if line.startswith("| β = 0.5")]
    assert "| yes / yes / yes |" in larger[0]
    assert "| · / yes / yes |" in larger[1]
    assert "surrogate update diverges on synthetic data – homogeneous: holds with none; not with four times" in page
    assert "- FedMM achieves the better objective" not in page


def test_each_number_of_clients_sees_as_many_samples():
    base = DictionaryTask(Source("heterogeneous"), False, 0.05, 0, 100)
    for task in effects.factor_tasks(base)["clients n"].values():
        assert task.active * task.batch == 500
        assert task.active == max(1, task.source.clients // 2)


def test_effects_report_what_runs_end_with():
    bits = effects.effects(DictionaryPlan(rounds=200, seeds=2), Pretended())["bits per coordinate"]
    assert list(bits) == ["2", "4", "8", "64"]
    end = bits["8"]["naive"]
    assert end["objective"].tolist() == [2.0, 2.0]
    assert end["megabytes"].tolist() == [200.0, 200.0]
    late = np.array([t for t in DictionaryTask(Source("heterogeneous"), True, 0.05, 0, 200).recorded() if t > 150])
    np.testing.assert_allclose(end["surrogate"], np.exp(-np.log(1.0 + late).mean()))
    pictures = effects.results(DictionaryPlan(rounds=200, seeds=2), Pretended()).pictures
    assert [picture.file for picture in pictures] == [
        f"effects_{factor}.png" for factor in ("participation", "bits", "heterogeneity", "clients")
    ]
    figure = pictures[1].draw()
    assert [label.get_text() for label in figure.axes[1].get_xticklabels()] == ["2", "4", "8", "64"]
    plt.close(figure)


def test_federated_and_centralised_see_as_many_samples(few):
    """500 a round each; one machine holds all data, sends nothing compressed, and 1/t is 1/t."""
    for task in tasks(DictionaryPlan()).values():
        assert task.active * task.batch == 500
    one = tasks(DictionaryPlan())["central 1/t"]
    assert (one.source.clients, one.bits, one.alpha) == (1, 0, 0.0)
    fed, _ = prepare(one, data.load_source(one.source))
    assert [fed.gamma(t) for t in (1, 2, 10)] == [1.0, 0.5, 0.1]


def test_the_comparison_with_one_machine_reports_ends_and_recovery(few):
    found = central.results(DictionaryPlan(rounds=200, seeds=2), Pretended())
    assert found.numbers["objective"] == {
        name: [2.0, 2.0] if name == "naive" else [0.0, 0.0] for name in tasks(DictionaryPlan())
    }
    truth = data.load_source(Source("heterogeneous")).truth
    assert truth is not None
    theta = [np.random.default_rng(seed).normal(size=(20, 15)) for seed in (0, 1)]
    assert found.numbers["recovery"]["fedmm"] == [recovery(each, truth) for each in theta]
    assert len(found.numbers["recovery"]["chance"]) == 20
    figure = found.pictures[0].draw()
    assert len(figure.axes[0].lines) == len(tasks(DictionaryPlan()))
    plt.close(figure)


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
