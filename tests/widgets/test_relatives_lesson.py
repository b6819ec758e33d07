"""Lesson 12: the board says what a setting is called, ends are those of the registry, answers in code are run."""

import numpy as np
import pytest

from fedmm_edu.algorithms import AlongV, AtTheta, ControlledSteps, Fixed, LocalSteps, ParameterSpace
from fedmm_edu.federation import RandK, TopK
from fedmm_edu.relatives import Tuning, relatives
from fedmm_edu.relatives.knobs import KNOBS, six_parts
from fedmm_edu.widgets import explorables
from fedmm_edu.widgets.bowls import BENDS, BUDGET, DEPARTURE, MINIMA, bought, plane, trail, travelled, wide
from fedmm_edu.widgets.exercises import lesson_12
from fedmm_edu.widgets.explorables.relatives import slug, variants
from fedmm_edu.widgets.museum import played, shipped_round, sound_round
from tests.widgets.test_explorables import call, javascript

BOARD = explorables.board().state


def place(fed) -> list[int]:
    """Where the knobs stand for these settings."""
    codes = {knob: [code for code, _ in options] for knob, options in BOARD["knobs"].items()}
    return [codes[knob].index(choice.code) for knob, choice in six_parts(fed).items()]


def test_every_setting_of_a_relative_has_its_name_and_its_code():
    """In Node: the name is lit, each part stands in the code, and what Algorithm 2 has does not."""
    systems, places, calls = [], [], []
    for relative in relatives().values():
        for fed in variants(relative):
            systems.append(relative)
            places.append(six_parts(fed))
            calls += [call("named", BOARD["systems"], place(fed)), call("code", BOARD["knobs"], place(fed))]
    found = javascript("board.js", calls)
    assert set(systems) == set(relatives().values())
    for relative, row, named, code in zip(systems, places, found[::2], found[1::2], strict=True):
        assert relative.name in named["lit"]
        for choice in row.values():
            assert choice.code in code
    assert found[calls.index(call("code", BOARD["knobs"], [0] * 6))] == (
        "FedMM(problem, clients, 1.0,\n      alpha=1.0)"
    )


def test_systems_that_share_a_setting_make_the_same_rounds():
    """So that a name is not lit beside another that means something else."""
    rounds, shared = {}, 0
    for relative in relatives().values():
        for fed in variants(relative):
            path = trail(fed, relative.start(fed, np.full(fed.problem.d, 0.5)), 3)
            shared += tuple(place(fed)) in rounds
            np.testing.assert_array_equal(rounds.setdefault(tuple(place(fed)), path), path)
    assert shared > len(relatives())  # also the same one, where what is tuned is not its own


def test_the_board_says_what_is_lit_and_what_is_near():
    """A setting of its own, one with two names, and one that nobody has named."""
    diana = next(each for each in BOARD["systems"] if each["name"] == "DIANA")["rows"][1]
    other = [*diana]
    other[list(KNOBS).index("client memory")] = [code for code, _ in BOARD["knobs"]["client memory"]].index("alpha=0.0")
    elsewhere = [*diana[:-2], 1, 2]
    lit, gone, lost = javascript("board.js", [call("named", BOARD["systems"], at) for at in (diana, other, elsewhere)])
    assert lit["lit"] == ["DIANA"]
    assert set(gone["lit"]) == {"FedAvg, local SGD", "QSGD"}
    assert [each["knob"] for each in gone["near"] if each["name"] == "DIANA"] == [list(KNOBS).index("client memory")]
    assert lost["lit"] == []
    names = list(KNOBS)
    says = javascript("board.js", [call("inWords", BOARD["systems"], found, names, BOARD["knobs"])
                                   for found in (lit, gone, lost, {"lit": [], "near": []})])  # fmt: skip
    assert says[0] == "This is DIANA. It ends at: Σ μ_i ∇f_i = 0: the optimum."
    assert "and also QSGD" in says[1]
    assert says[2].startswith("Nobody has named this setting.")
    assert says[3].endswith("No named system is one knob away.")
    assert [BOARD[slug(knob)] for knob in KNOBS] == ["0"] * 6


def test_ends_are_those_of_the_registry_and_of_runs():
    """Q_i of each system on the line is the registry's; the end solves the equation; shares add up to 1."""
    for bends, at in (((1.0, 4.0, 0.5), Tuning(eta=0.1, steps=5, pull=1.0)),
                      ((0.25, 2.0, 3.0), Tuning(eta=0.25, steps=40, pull=3.5))):  # fmt: skip
        least = [0.0, 3.0, -2.0]
        state = {"bends": bends, "least": least, "eta": at.eta, "steps": at.steps, "pull": at.pull}
        [found] = javascript("ends.js", [call("ends", state)])
        curves = {
            "optimum": relatives()["scaffold"].ends.Q, "FedAvg": relatives()["fedavg"].ends.Q,
            "FedProx": relatives()["fedprox"].ends.Q,
            "one-shot averaging, and averages of Newton steps": lambda H, at: np.linalg.inv(H),
        }  # fmt: skip
        assert [each["name"] for each in found] == list(curves)
        for each in found:
            weights = [curves[each["name"]](np.array([[h]]), at)[0, 0] * h for h in bends]
            assert each["theta"] == pytest.approx(np.dot(weights, least) / sum(weights), rel=1e-10)
            assert sum(each["shares"]) == pytest.approx(1.0)
            assert each["above"] >= 0.0
    assert "FedMM" in explorables.ends().state["optimum"]
    assert "FedAvg, local SGD" not in explorables.ends().state["optimum"]


def test_the_bowls_are_what_they_are_said_to_be():
    """Gradients, minima and the optimum of the three in the plane; nobody spends more than the budget."""
    problem, clients, best = plane()
    for i in range(3):
        z = clients.data[i]
        slope = problem.gradient(DEPARTURE, problem.mean_S_bar(z, DEPARTURE))
        np.testing.assert_allclose(slope, BENDS[i] * (DEPARTURE - MINIMA[i]), atol=1e-12)
    np.testing.assert_allclose((BENDS * (best - MINIMA)).sum(axis=0), 0.0, atol=1e-12)
    _, state = bought(relatives()["ef21"], Tuning(eta=1.0, compressor=TopK(1)))
    assert state.bits_up <= BUDGET < state.bits_up * (state.t + 1) / state.t
    problem, clients, best = wide()
    assert clients.objective(problem, best) <= clients.objective(problem, best + 1e-3)


@pytest.mark.parametrize(
    "answer",
    [
        {"space": ParameterSpace(), "work": ControlledSteps(0.2, Fixed(3)), "alpha": 2 / 3, "reference": AtTheta()},
        {"work": ControlledSteps(eta=0.2, steps=Fixed(K=3)), "alpha": 4 / 6},
    ],
)
def test_scaffold_is_right_in_every_form(answer):
    """In 𝒮 of this surrogate, too: T is the identity there."""
    assert lesson_12.into_scaffold.check(answer).right is True


@pytest.mark.parametrize(
    "answer",
    [
        {"compressor": TopK(1), "alpha": 1, "server": AlongV()},
        {"space": ParameterSpace(), "work": LocalSteps(0.25), "compressor": TopK(k=1), "alpha": 1.0},
    ],
)
def test_ef21_is_right_in_every_form(answer):
    assert lesson_12.into_ef21.check(answer).right is True


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({}, "Round 2 is the first that differs: yours is at (1.8832, -0.5651), EF21"),
        ({"compressor": TopK(1), "alpha": 0.5}, "V_i follows by half."),
        ({"compressor": TopK(1), "alpha": 1.5}, "alpha = 1.5"),
        ({"compressor": 3, "alpha": 1.0}, "stops with"),
        ({"gamma": 0.5}, "'gamma': choose settings from work, alpha"),
        ([("alpha", 1.0)], "is no dictionary"),
        ({"compressor": TopK(3), "alpha": 1.0}, ""),
    ],
)
def test_what_is_said_to_settings_that_are_wrong(answer, says):
    """A slip, the first round that differs, or a sentence; a picture where both ran."""
    feedback = lesson_12.into_ef21.check(answer)
    assert feedback.right is False
    assert says in feedback.says
    assert feedback.says
    assert ("data:image/png" in feedback._repr_html_()) == ("Round" in feedback.says)


@pytest.mark.parametrize(
    ("answer", "right", "says"),
    [
        (("ef21", {"eta": 1.0, "compressor": TopK(1)}), True, "V_i takes the noise"),
        (["fedmm", {}], False, "Yours: 6 rounds, 9216 bits"),
        (("fedmm", {"compressor": RandK(1), "gamma": 0.1}), False, "Yours: 49 rounds"),
        (("fedsgd", {}), False, "is no relative: choose from fedmm"),
        (("scaffold", {"steps": 10**6}), False, "at most 200 local steps"),
        (("scaffold", {"speed": 3}), False, "is no tuning"),
        (("marfoq", {}), False, ""),
        (("ef21", {"compressor": 7}), False, "is no tuning"),
    ],
)
def test_what_is_spent_is_run(answer, right, says):
    feedback = lesson_12.spend.check(answer)
    assert feedback.right is right
    assert says in feedback.says


def test_the_sound_round_is_scaffold_and_the_shipped_one_only_with_everyone():
    """Against the loop, bit for bit where everyone answers; one away shows at once in c − Σ c_i/n."""
    ours = travelled(relatives()["scaffold"], Tuning(eta=0.2, steps=3), 5)[-1]
    everyone = [(0, 1, 2)] * 5
    np.testing.assert_allclose(played(sound_round, everyone)[0], ours, atol=1e-12)
    np.testing.assert_array_equal(played(sound_round, everyone)[0], played(shipped_round, everyone)[0])
    away = [(0, 1), (1, 2)]
    assert played(sound_round, away)[1] < 1e-12 < 0.1 < played(shipped_round, away)[1]
