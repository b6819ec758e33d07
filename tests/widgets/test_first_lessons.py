"""The interactive figures of lessons 1 to 4 without a browser: set a slider, look at the numbers that are drawn."""

from math import comb

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.algorithms import Constant, Harmonic, SqrtDecay, mm
from fedmm_edu.errors import InvalidInput
from fedmm_edu.figures import panels
from fedmm_edu.figures.families import least_squares, readings, three_families
from fedmm_edu.figures.spaces import draw_plane, every_batch
from fedmm_edu.figures.stochastic import draw_atoms, memory, two_groups
from fedmm_edu.widgets import (
    Descent,
    DragMajoriser,
    Families,
    Memory,
    NoMinimiser,
    OnlineEM,
    OracleBias,
    StepTooLong,
    TwoSpaces,
    row,
)
from fedmm_edu.widgets.stochastic import RULES, rule
from proofs_checks.shared.iterates import run as exact_run

SCENES = {"readings": readings(), "loose": readings("residuals"), **three_families()}


def redrawn(widget, change) -> bool:
    """Whether `change()` leads to another sentence and another picture."""
    before = widget.live.sentence.value, bytes(widget.live.image.value)
    change()
    after = widget.live.sentence.value, bytes(widget.live.image.value)
    return all(a != b for a, b in zip(before, after, strict=True)) and after[1].startswith(b"\x89PNG")


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(SCENES)), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_every_scene_has_majorisers_that_touch_and_lie_above(name, at, where):
    """MM-1 as it is drawn, at any τ and θ of the window; one step never raises the objective."""
    scene = SCENES[name]
    tau, theta = (scene.low + share * (scene.high - scene.low) for share in (at, where))
    values = scene.objective([tau, theta, scene.next(tau)])
    upper = scene.majoriser(tau, [tau, theta])
    assert upper[0] == pytest.approx(values[0], abs=1e-9)
    assert upper[1] >= values[1] - 1e-9
    assert values[2] <= values[0] + 1e-9


def test_dragging_the_point_moves_the_minimiser():
    """T(s) is the mean of the readings with the weights of Geman and McClure, here written out."""
    widget = DragMajoriser(readings(), tau=2.0)
    assert redrawn(widget, lambda: setattr(widget.tau, "value", 4.0))
    y = readings().z[:, 1]
    weights = (1 + ((y - widget.tau.value) / 1.5) ** 2) ** -2.0
    assert widget.next == pytest.approx(weights @ y / weights.sum())


def test_the_descent_descends():
    """One iterate for each step, each lower than the last; more steps keep the first ones."""
    widget = Descent(readings(), start=2.5, steps=4)
    few = widget.path
    assert redrawn(widget, lambda: setattr(widget.steps, "value", 12))
    assert widget.path.shape == (13,)
    assert (widget.path[:5] == few).all()
    assert (np.diff(readings().objective(widget.path)) < 0).all()
    widget.steps.value = 0
    assert widget.path == pytest.approx([widget.start.value])


def test_the_menu_of_families():
    """Each family brings its own surrogates: one number for the first, two for the others."""
    widget = Families()
    sizes = []
    for name in widget.family.options:
        widget.family.value = name
        sizes.append(widget.scene.s(widget.at).size)
    assert sizes == [1, 2, 2]
    assert redrawn(widget, lambda: setattr(widget.tau, "value", 0.9))
    assert widget.at == pytest.approx(widget.scene.low + 0.9 * (widget.scene.high - widget.scene.low))


@pytest.mark.parametrize("ratio", [0.25, 1.0, 1.5, 4.0])
def test_a_step_too_long_breaks_mm1(ratio):
    """For least squares the gap is (1/ρ − L)(θ − τ)²/2: its least value in the window, in closed form."""
    widget = StepTooLong()
    widget.ratio.value = ratio
    widget.tau.value = 1.0
    L = float(np.mean(widget.scene.z[:, 0] ** 2))
    far = max(abs(widget.scene.low - widget.tau.value), abs(widget.scene.high - widget.tau.value))
    assert widget.least_gap == pytest.approx(min(0.0, (L / ratio - L) * far**2 / 2), abs=1e-9)
    assert ("MM-1 holds" in widget.live.sentence.value) == (ratio <= 1.0)
    assert ("RISES" in widget.live.sentence.value) == (ratio > 2.0)


def test_a_surrogate_without_a_minimiser():
    """The widget says so exactly where s leaves 𝒮 = (0, ∞)."""
    widget = NoMinimiser()
    assert widget.has_minimiser
    assert redrawn(widget, lambda: setattr(widget.s, "value", 0.0))
    assert not widget.has_minimiser
    assert "does not exist" in widget.live.sentence.value
    widget.s.value = 0.01
    assert widget.has_minimiser


def test_both_spaces_show_one_path():
    """T of the path in 𝒮 is the path in Θ from T(s_0); the sliders are s_0."""
    scene = readings()
    widget = TwoSpaces(scene, (0.9, 3.5), low=(0.0, -1.0), high=(1.0, 5.0))
    assert redrawn(widget, lambda: setattr(widget.second, "value", 0.5))
    widget.steps.value = 6
    assert widget.path[0] == pytest.approx(widget.start)
    mirrors = scene.problem.Ts(widget.path)[:, 0]
    assert mirrors == pytest.approx(scene.path(mirrors[0], 6))


def test_the_plane_needs_two_numbers():
    with pytest.raises(InvalidInput, match="q = 1"):
        draw_plane(panels(1)[1][0], least_squares(1.0), np.zeros(1), 1, low=(0, 0), high=(1, 1))


def test_oracles_before_and_after_T():
    """All batches are there; none is biased in 𝒮; in Θ only where T bends, and less for larger batches."""
    widget = OracleBias()
    assert redrawn(widget, lambda: setattr(widget.b, "value", 7))
    assert len(widget.batches.S) == comb(8, 7)
    bend, ridge, kinks = widget.case.options
    widget.case.value = ridge
    assert "bias in Θ 0.0000" in widget.live.sentence.value
    biases = {}
    for case, (problem, z) in widget.cases.items():
        for b in (1, 3, 8):
            found = every_batch(problem, z, np.ones(1), b)
            assert len(found.S) == comb(8, b)
            assert found.bias_in_S == pytest.approx(0.0, abs=1e-14)
            biases[case, b] = float(found.bias_in_Theta[0])
    assert biases[bend, 1] > biases[bend, 3] > 0.01
    assert [biases[case, 8] for case in (bend, ridge, kinks)] == pytest.approx([0.0] * 3, abs=1e-14)
    assert [biases[ridge, b] for b in (1, 3)] == pytest.approx([0.0] * 2, abs=1e-14)
    assert biases[kinks, 1] > 0.01


def test_a_batch_has_at_most_all_samples():
    problem, z = OracleBias().cases["ridge: T(s) = s/(1 + ρλ)"]
    with pytest.raises(InvalidInput, match="b = 9"):
        every_batch(problem, z, np.zeros(1), 9)


@pytest.mark.parametrize("steps", [Constant(0.25), Constant(1.0), Harmonic(), SqrtDecay(1.6)])
def test_the_memory_is_that_of_the_algorithm(steps):
    """The weights are those of an exact run of Ŝ ← (1 − γ)Ŝ + γS, one unit vector after the other."""
    t = 6

    def last(k: int) -> float:
        inputs = [sp.Integer(int(j == k)) for j in range(t + 1)]
        return float(exact_run(lambda j: sp.Rational(steps(j)), inputs[0], inputs[1:])[-1])

    assert memory(steps, t) == pytest.approx([last(k) for k in range(t + 1)], abs=1e-12)


def test_the_memory_widget():
    """Weights that sum to one, equal for 1/t."""
    widget = Memory()
    assert redrawn(widget, lambda: setattr(widget.gamma, "value", 0.5))
    assert widget.weights.sum() == pytest.approx(1.0)
    widget.rule.value = "1/t"
    assert widget.weights == pytest.approx([0.0] + [1 / 20] * 20)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("size", [0.05, 1.0])
def test_every_entry_of_the_menu_is_a_step_size(name, size):
    """At both ends of the slider, γ_t lies in (0, 1]: else a widget would stop with an error."""
    assert all(0.0 < rule(name, size)(t) <= 1.0 for t in range(1, 50))


def test_online_em_reacts_and_settles():
    """The limit is a fixed point of EM; a seed names its run; 1/t comes nearer than a constant γ."""
    widget = OnlineEM(rounds=120)
    problem, z = two_groups()
    again = mm(problem, z)
    limit = again.theta(again.step(again.init(again.point(widget.limit))))
    assert limit == pytest.approx(widget.limit, abs=1e-6)
    restless, first = widget.spread, widget.theta
    assert redrawn(widget, lambda: setattr(widget.seed, "value", 1))
    widget.seed.value = 0
    assert (widget.theta == first).all()
    widget.rule.value = "1/t"
    assert widget.spread < restless


def test_atoms_are_the_columns():
    """One picture for each column, row after row of pixels."""
    figure, axes = panels(2)
    draw_atoms(axes, np.arange(12.0).reshape(6, 2), (2, 3))
    assert (axes[1].images[0].get_array() == [[1, 3, 5], [7, 9, 11]]).all()
    figure.clear()


def test_rows_of_the_ledger_in_a_lesson():
    """The statement, the verdict of this moment and, where there is one, the amendment; unknown names are refused."""
    good, corrected = row("meanfield-root"), row("prop1-ii")
    assert good.verdict.status == "proved"
    assert "proved" in repr(good)
    assert "Amended" not in repr(good)
    assert corrected.claim.amended is not None
    assert corrected.claim.amended.statement in corrected._repr_markdown_()
    assert "refuted" in repr(corrected)
    with pytest.raises(InvalidInput, match="no row 'prop9'"):
        row("prop9")
