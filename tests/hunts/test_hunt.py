"""A short hunt, and the proof that a hunt can fail: a checker that believes everything is caught."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from random import Random

import pytest

from book.generate.literature import literature_page
from fedmm_edu.proofs.verdict import Step, Witness, proved, refuted
from fedmm_edu.symbolic import ROWS
from tests.hunts import surrogates
from tests.hunts.certified import uncertified, wrongly_certified
from tests.hunts.families import FAMILIES, samples
from tests.hunts.surrogates import Found, judge


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_a_short_hunt_finds_no_mistake(family):
    """A right and a broken model of each family; `python -m tests.hunts.surrogates` hunts longer."""
    found = Found()
    judge(family(Random(family.__name__)), Random(1), found)
    assert found.mistakes == []
    assert found.broken


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_a_false_row_has_no_certificate_and_a_right_model_has_most(family):
    """`python -m tests.hunts.certified` says which rows of many models have none."""
    sample, counts = family(Random(family.__name__)), Counter()
    missing = list(uncertified(sample.model, counts))
    assert sum(counts.values()) >= 7
    assert len(missing) <= 1
    assert list(wrongly_certified(sample)) == []


def test_a_checker_that_believes_everything_is_caught(monkeypatch):
    believe = proved("faith", Step("it holds", "it looks right"))
    monkeypatch.setattr(surrogates, "check_model", lambda _: dict.fromkeys(ROWS, believe))
    found = Found()
    judge(next(samples(0)), Random(0), found)
    assert any(mistake.startswith("proved though false") for mistake in found.mistakes)


def test_a_checker_that_refutes_everything_is_caught_with_its_witnesses(monkeypatch):
    """A right model refuted is a mistake, and so is a point at which nothing fails."""

    def lies(model):
        point = {x.name: "1" for x in (*model.theta, *model.tau, *model.z, *model.s)}
        return dict.fromkeys(ROWS, refuted("spite", Witness(point, "because")))

    monkeypatch.setattr(surrogates, "check_model", lies)
    found = Found()
    judge(next(samples(0)), Random(0), found)
    kinds = {mistake.split(":")[0] for mistake in found.mistakes}
    assert kinds == {"refuted though right", "a witness that is none"}


def test_a_hunt_that_was_left_goes_on_where_it_was(monkeypatch, tmp_path):
    """Two parts are one hunt, by the models that are judged and what is broken; Ctrl-C keeps the count."""
    seen = []

    def judged(sample, rng, _):
        seen.append((sample.model, rng.random()))
        if len(seen) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(surrogates, "judge", judged)
    monkeypatch.setattr(surrogates, "RECORD", tmp_path / "hunted.json")
    for models in ("4", "4"):
        monkeypatch.setattr("sys.argv", ["hunt", "--record", "--seed=5", "--models", models])
        assert surrogates.main() == 0
    assert surrogates.hunted()["5"].models == 4
    parts = seen[:2] + seen[3:]
    seen.clear()
    seen += [None, None, None]
    list(surrogates.hunt(4, 5))
    assert parts == seen[3:]


def test_a_hunt_that_is_killed_leaves_its_record(monkeypatch, tmp_path):
    seen = []

    def judged(*_):
        seen.append(None)
        if len(seen) == 6:
            raise SystemExit  # no chance to write any more

    monkeypatch.setattr(surrogates, "judge", judged)
    monkeypatch.setattr(surrogates, "RECORD", tmp_path / "hunted.json")
    monkeypatch.setattr(surrogates, "KEPT_EACH", 2)
    monkeypatch.setattr("sys.argv", ["hunt", "--record", "--seed=5", "--models=9"])
    with pytest.raises(SystemExit):
        surrogates.main()
    assert surrogates.hunted()["5"].models == 4


def test_the_page_says_how_long_the_hunts_were():
    models = sum(one.models for one in surrogates.hunted().values())
    assert f"{models:,} random right surrogates" in literature_page()


def test_samples_repeat_and_differ():
    first, again = ([sample.model for sample in islice(samples(5), 6)] for _ in range(2))
    assert first == again
    assert len(set(first)) == 6
