"""Lessons 6, 7, 8 and 11: rounds taken apart, models drawn beside their verdicts, Theorem 1 on sliders, exercises."""

import inspect
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu import InvalidInput, majorization_gap, mean_field
from fedmm_edu.algorithms import Adam, Constant, FedMM
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.examples.toy import Toy
from fedmm_edu.federation import Bernoulli, Clients, Identity, MiniBatch, RandK
from fedmm_edu.figures import panels
from fedmm_edu.figures.assumptions import draw_matrix
from fedmm_edu.figures.judgements import Young, draw_counts, draw_mm1, mm1_curves, mm2_curve
from fedmm_edu.figures.rounds import draw_round, play, root
from fedmm_edu.symbolic import kernel
from fedmm_edu.theory import Constants, bound, largest_gamma
from fedmm_edu.widgets import BoundSliders, CertificateOrWitness, RoundPlayer, WitnessExplorer
from fedmm_edu.widgets.exercises import lesson_06, lesson_07

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
PROBLEM, CLIENTS = lesson_06.counts()
START = np.array([2.0, -1.0])


@settings(max_examples=25)
@given(
    p=st.sampled_from([0.05, 0.5, 1.0]), alpha=st.sampled_from([0.0, 0.25]), gamma=st.sampled_from([0.2, 0.9]),
    compressor=st.sampled_from([Identity(), RandK(1)]), adam=st.booleans(), batch=st.booleans(),
    seed=st.integers(0, 2**32),
)  # fmt: skip
def test_taking_a_round_apart_is_the_round(p, alpha, gamma, compressor, adam, batch, seed):
    """The parts lead to the state that `step` returns, whoever is active, nobody included."""
    parts = {"oracle": MiniBatch(5)} if batch else {}
    fed = FedMM(PROBLEM, CLIENTS, Constant(gamma), participation=Bernoulli(p), compressor=compressor, alpha=alpha,
                seed=seed, beyond_theorem=True, **parts, **({"server": Adam()} if adam else {}))  # fmt: skip
    state = fed.init(START)
    for r in play(fed, state, 4):
        after = fed.step(state)
        assert np.array_equal(r.after.x, after.x)
        np.testing.assert_allclose(PROBLEM.project(r.half), after.x, rtol=1e-12)
        V = state.V_clients.copy()
        V[r.who] += alpha / p * r.message
        np.testing.assert_allclose(V, after.V_clients, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(r.delta, r.S - state.x - state.V_clients[r.who], rtol=1e-12, atol=1e-12)
        assert r.projected == (not PROBLEM.contains(r.half))
        state = after


def test_the_root_is_one():
    z, weights = CLIENTS.pooled()
    goal = root(PROBLEM, CLIENTS, START)
    assert np.linalg.norm(mean_field(PROBLEM, z, goal, weights)) < 1e-9


def test_without_the_projection_rounds_end_outside():
    fed = FedMM(PROBLEM, CLIENTS, Constant(0.8), participation=Bernoulli(0.5), compressor=RandK(1), alpha=0.25)
    full, cut = (play(fed, fed.init(START), 60, project=project) for project in (True, False))
    assert len(full) == 60 > len(cut)
    assert cut[-1].projected
    assert not any(r.projected for r in cut[:-1])
    with pytest.raises(InvalidInput, match="outside"):
        PROBLEM.T(cut[-1].half)


def test_the_picture_of_a_round_wants_a_box_in_the_plane():
    fed = FedMM(Quadratic(2, 1.0), Clients.of([[[1.0, 0.0, 1.0]]]), Constant(0.5))
    (_, (ax,)), rounds = panels(1), play(fed, fed.init([0.0, 0.0]), 1)
    with pytest.raises(InvalidInput, match="box in the plane"):
        draw_round(ax, fed, rounds, 0, np.zeros(2))


def test_the_player_follows_its_switches():
    """Each switch changes the run, and the lesson's claims about them hold."""
    player = RoundPlayer(PROBLEM, CLIENTS, START)
    assert player.distance < 1e-2
    shown = player.live.image.value
    player.run.value = 7
    assert player.t.value == 7
    assert player.live.image.value != shown
    assert "Round 7" in player.live.sentence.value
    player.variates.value = False
    assert player.fed.alpha == 0.0
    assert player.distance > 0.1
    player.some.value = False
    player.compress.value = False
    assert player.distance < 1e-4
    assert all(len(r.who) == 4 and not r.projected for r in player.rounds)


def test_the_player_ends_outside_without_the_projection():
    player = RoundPlayer(PROBLEM, CLIENTS, START)
    player.gamma.value = 0.8
    assert any(r.projected for r in player.rounds)
    player.project.value = False
    player.t.value = 60  # more than were played
    assert "the run ends" in player.live.sentence.value


def test_the_table_of_algorithm_2_quotes_the_source():
    """Every piece of code in the table of lesson 6 stands in `FedMM.step` or `FedMM.moved`."""
    table = [line for line in (NOTEBOOKS / "06_fedmm_line_by_line.md").read_text("utf-8").splitlines() if "| `" in line]
    source = inspect.getsource(FedMM.step) + inspect.getsource(FedMM.moved)
    assert len(table) >= 10
    assert [code for line in table for code in re.findall(r"`([^`]+)`", line) if code not in source] == []


def test_curves_of_mm1_agree_with_the_kernel():
    model = lesson_07.soft_step()
    theta, at = np.linspace(-2.0, 3.0, 7), {"z": 0.5, "tau": -1.0}
    loss, upper = mm1_curves(model, at, theta)
    problem, z = kernel(model), np.array([[0.5]])
    gaps = [majorization_gap(problem, z, np.array([t]), np.array([-1.0])) for t in theta]
    np.testing.assert_allclose(upper - loss, gaps, atol=1e-12)
    J, best, least = mm2_curve(model, {"s": 0.7}, theta)
    assert best == pytest.approx(float(problem.T(np.array([0.7]))[0]))
    assert (least - 1e-12 <= J).all()


def test_curves_say_what_they_need():
    with pytest.raises(InvalidInput, match="no value for z"):
        mm1_curves(lesson_07.soft_step(), {}, [0.0])


def test_the_explorer_goes_to_the_witness():
    ends = {"z": (-1.0, 3.0), "tau": (-1.0, 4.0), "s": (0.25, 3.0), "theta": (-2.0, 5.0)}
    explorer = WitnessExplorer(lesson_07.models(), ends)
    assert explorer.failing == {}
    for name in lesson_07.models():
        explorer.menu.value = name
        assert bool(explorer.failing) == ("," in name), name
        for verdict in explorer.failing.values():
            assert verdict.witness is not None
            assert f"{next(iter(verdict.witness.point))} = " in explorer.live.sentence.value
    explorer.menu.value = "soft step, half the curvature"
    witness = explorer.failing["MM-1: majorizes"].witness
    assert witness is not None
    assert {k: explorer.sliders[k].value for k in ("z", "tau")} == {k: float(witness.point[k]) for k in ("z", "tau")}
    _, (ax,) = panels(1)
    draw_mm1(ax, explorer.model, {"z": 0.0, "tau": 0.0}, np.linspace(-2, 2, 50), 0.0)
    assert any("fails" in label for label in ax.get_legend_handles_labels()[1])
    shown = explorer.live.image.value
    explorer.sliders["tau"].value = 2.0
    assert explorer.live.image.value != shown


@given(eta=st.fractions(Fraction(1, 8), 4), k=st.fractions(0, 6), a=st.fractions(-9, 9), b=st.fractions(-9, 9))
def test_young_is_proved_or_refuted_rightly(eta, k, a, b):
    """A proof survives every pair of numbers; a witness, put in, violates the claim exactly."""
    claim = Young(eta, k)
    verdict = claim.verdict()
    if verdict.status == "refuted":
        assert verdict.witness is not None
        a, b = (Fraction(verdict.witness.point[name]) for name in ("a", "b"))
        assert (a + b) ** 2 > (1 + eta) * a**2 + k * b**2
    else:
        assert verdict.status == "proved"
        assert (a + b) ** 2 <= (1 + eta) * a**2 + k * b**2


def test_the_certificate_slider():
    slider = CertificateOrWitness()
    assert slider.live.sentence.value.startswith("refuted")
    slider.k.value = 2.0
    assert slider.claim == Young(Fraction(1), Fraction(2))
    assert slider.live.sentence.value.startswith("proved")
    slider.eta.value = 0.5
    assert slider.live.sentence.value.startswith("refuted")


def test_the_bound_on_sliders_is_the_bound():
    constants = Constants(v_min=1 / 16, v_max=1 / 2, C_star=3 / 8, C_star_star=1 / 2, sup_h=1.5, L=1, sigma=0.1, n=8)
    sliders = BoundSliders(constants, 1.0)
    assert sliders.together == pytest.approx(1.0)
    assert sliders.gamma == pytest.approx(0.5 * largest_gamma(constants, 1.0))
    wanted = bound(constants, gamma=sliders.gamma, rounds=10**6, initial_gap=1.0, omega_p=1.0)
    assert sliders.found == wanted
    shown, text = sliders.live.image.value, sliders.live.sentence.value
    sliders.p.value = 1.0
    assert sliders.together == 0.0
    assert sliders.live.image.value != shown
    assert sliders.live.sentence.value != text
    sliders.omega.value, sliders.version.value = 2.0, "printed"
    assert sliders.gamma == pytest.approx(0.5 * largest_gamma(constants, 2.0, version="printed"))
    sliders.power.value = 2
    assert sliders.found.total > wanted.total


def test_the_matrix_shows_every_cell():
    _, (ax,) = panels(1)
    draw_matrix(ax, {"toy": {"A1": True, "A4": None}, "lasso": {"A1": True, "A4": False}})
    assert [text.get_text() for text in ax.texts] == ["✓", "–", "✓", "✗"]
    for rows in ({}, {"toy": {"A1": True}, "lasso": {"A2": True}}):
        with pytest.raises(InvalidInput, match="columns"):
            draw_matrix(ax, rows)


def test_counts_are_written_into_their_bars():
    _, (ax,) = panels(1)
    draw_counts(ax, {"one": (3, 0), "two": (1, 2)}, ("stands", "refuted"))
    assert sorted(text.get_text() for text in ax.texts) == ["1", "2", "3"]


def test_the_mean_settles_where_the_exercise_says():
    """Exercise 3 of lesson 6, by the exact mean over who is heard: E[H] vanishes there, and not at the root of h."""
    s = lesson_06.settled(np.array([1.0, 0.5]), 0.75)
    both, first = (np.array([0.5 * (share[0] * (1.0 - s) + share[1] * (9.0 - s)) / 0.75]) for share in ((1, 1), (1, 0)))
    assert (both + first)[0] / 2 == pytest.approx(0.0, abs=1e-12)
    assert s != pytest.approx(5.0)
    assert Toy(0.5, 16.0).contains(np.array([s]))
