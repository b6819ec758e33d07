"""The study of the relatives: what is priced, who wins, how it is judged; the page is what its record gives."""

import json
from pathlib import Path

import numpy as np
import pytest

from fedmm_edu.cli import main
from fedmm_edu.errors import InvalidInput
from fedmm_edu.studies.record import write_lines
from fedmm_edu.studies.relatives.criteria import EXPECTED, FIELDS, HIGH, LOW, place_of
from fedmm_edu.studies.relatives.field import PLAIN, Field, Goal, Paid, Size, field_of
from fedmm_edu.studies.relatives.page import page_of, share
from fedmm_edu.studies.relatives.race import Knobs, Race
from fedmm_edu.studies.relatives.record import read_study, recorded_lines
from fedmm_edu.studies.relatives.study import StudyPlan, plan_words
from fedmm_edu.studies.study import markdown
from fedmm_edu.studies.tasks import Pool

BOOK = Path(__file__).parents[2] / "book"
RECORD = BOOK / "figures" / "relatives" / "record.jsonl"
SIZE = Size((LOW, HIGH), 40, 60, 2, 2)


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> Field:
    """ℓ1 regression, small."""
    with Pool(tmp_path_factory.mktemp("runs")) as pool:
        return field_of("quadratic:l1", 0, SIZE, pool)


def test_a_price_is_the_median_of_runs_on_other_seeds(found):
    """Run anew from its setting: row by row to the level, median, least and largest."""
    source = Race.__annotations__  # the fields by which a run is asked for
    assert {"source", "relative", "choice", "seed", "rounds", "level", "passes"} <= source.keys()
    from fedmm_edu.studies.relatives import Given

    given = Given("quadratic:l1")
    best = min(float(Race(given, key, Knobs(), 0, 3000, -np.inf).make().objective.min())
               for key in ("fedmm", "accelerated"))  # fmt: skip
    level = best + LOW * (given.contest().W_0 - best)
    checked = 0
    for arm in ("fedmm", "proxskip", PLAIN):
        price = found.prices[arm][Goal(LOW, "kb up")]
        assert price is not None
        runs = [Race(given, "fedmm" if arm == PLAIN else arm, price.choice, seed, 40, level, 60).make()
                for seed in (2, 3)]  # fmt: skip
        ups = [float(run.bits_up[np.argmax(run.objective <= level)]) / 8e3 for run in runs]
        assert (price.median, price.least, price.most) == pytest.approx((np.median(ups), min(ups), max(ups)), rel=1e-3)
        checked += 1
    assert checked == 3
    assert found.prices[PLAIN][Goal(LOW, "kb up")].choice == Knobs()


def test_the_cheapest_is_the_least_median(found):
    goal = Goal(LOW, "rounds")
    paid = {arm: found.paid(arm, goal) for arm in found.prices}
    assert paid[found.cheapest(goal)] == min(paid.values())
    assert found.cheapest(goal, ["fedmid", "naive"]) in ("fedmid", "naive")
    assert found.paid("scaffold", goal) == np.inf  # it did not run
    assert "scaffold" in found.out


def made_up(**paid: dict[str, float]) -> Field:
    """Arms with prices for every goal, by cost."""

    def price(value: float) -> Paid | None:
        return Paid(value, value, value, Knobs(), "") if np.isfinite(value) else None

    costs = ("kb up", "kb both ways", "gradients", "rounds", "server ms")
    prices = {arm: {Goal(accuracy, cost): price(of[cost]) for accuracy in (LOW, HIGH) for cost in costs}
              for arm, of in paid.items()}  # fmt: skip
    return Field("made up", 0, 10, prices, dict.fromkeys(prices, 1e-3), {}, 1)


def test_each_criterion_can_fail_and_can_hold():
    """By made-up prices, in which FedMM's three arms are cheap or dear."""
    cheap = dict.fromkeys(("kb up", "kb both ways", "gradients", "rounds", "server ms"), 1.0)
    dear = {**dict.fromkeys(cheap, 9.0), "kb both ways": 12.0}
    never = dict.fromkeys(cheap, np.inf)
    arms = ("fedmm", "accelerated", PLAIN, "proxskip", "fedavg", "naive", "marfoq", "marfoq-in-s")
    fields = [
        made_up(**dict(zip(arms, row, strict=True)))
        for row in (
            (cheap, cheap, cheap, dear, dear, dear, cheap, dear),
            (dear, dear, dear, cheap, cheap, cheap, never, cheap),
            (never, dear, never, dear, never, dear, never, never),
            (cheap, never, dear, dear, cheap, {**cheap, "rounds": 0.5}, cheap, cheap),
        )
    ]
    for statement in EXPECTED:
        verdicts = {bool(statement.judge(each).holds) for each in fields}
        if statement.id != "optimum":  # which looks at settings
            assert verdicts == {True, False}, statement.id
    odd = made_up(fedmm=cheap, qsgd=cheap)
    optimum = next(one for one in EXPECTED if one.id == "optimum")
    assert optimum.judge(odd).holds
    goal = Goal(HIGH, "kb up")
    lossy = {**odd.prices["qsgd"], goal: Paid(1.0, 1.0, 1.0, Knobs(compressor="8 bits"), "8 bits")}
    other = Field("", 0, 10, {**odd.prices, "qsgd": lossy}, odd.nearest, {}, 1)
    assert not optimum.judge(other).holds
    assert np.isnan(share(made_up(fedmm=never, qsgd=never), goal))
    assert share(made_up(fedmm=cheap, qsgd=never), goal) == 0.0
    assert share(made_up(fedmm=never, qsgd=cheap), goal) == np.inf


def test_every_place_that_a_sentence_names_is_one_of_the_study():
    places = {place_of(name, who) for name, who, _ in StudyPlan().places}
    assert all(set(one.settings) <= places and one.settings for one in EXPECTED)
    assert {name for name, _, _ in StudyPlan().places} == set(FIELDS)


def test_the_record_is_read_as_it_was(found):
    """Numbers, settings and what never got there; written again they are the same bytes."""
    text = write_lines({"plan": {}}, recorded_lines({"quadratic:l1, all": found}))
    again = read_study(text).panels
    assert write_lines({"plan": {}}, recorded_lines(again)) == text
    assert again["quadratic:l1, all"] == found or vars(again["quadratic:l1, all"]) == vars(found)
    with pytest.raises(InvalidInput, match="no record of curves"):
        read_study("{}")


def test_the_committed_page_is_what_its_record_gives():
    """Word for word, pictures apart."""
    recorded = read_study(RECORD.read_text(encoding="utf-8"))
    plan = StudyPlan(**{**recorded.about, "fields": tuple(recorded.about["fields"])})
    page, numbers = page_of(plan_words(plan), recorded.panels)
    assert markdown(page, "figures/relatives") == (BOOK / "relatives_results.md").read_text(encoding="utf-8")
    kept = json.loads((RECORD.parent / "relatives.json").read_text(encoding="utf-8"))
    assert kept["expectations"] == json.loads(json.dumps(numbers["expectations"]))
    assert (RECORD.parent / "shares.png").is_file()


def test_the_folder_of_movielens_is_not_passed_by(capsys):
    assert main(["reproduce", "relatives", "--data-dir", "nowhere"]) == 2
    assert "FEDMM_DATA" in capsys.readouterr().err
