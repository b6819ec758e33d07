"""Lessons 5, 9 and 10: aggregates compared, atoms over rounds, points on their way; each widget by its values."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.algorithms import mm, run
from fedmm_edu.errors import InvalidInput, MissingExtra
from fedmm_edu.figures import panels
from fedmm_edu.figures.atoms import draw_mosaic, draw_use, mosaic
from fedmm_edu.figures.mixtures import em_paths, two_clients
from fedmm_edu.figures.stochastic import START
from fedmm_edu.studies.dictionary import Curves
from fedmm_edu.studies.transport.curves import follow
from fedmm_edu.studies.transport.setting import METHODS, federation_of
from fedmm_edu.widgets import AtomPlayer, MixtureAggregation, ToyAggregation
from fedmm_edu.widgets.atoms import TASK, learn, one_digit_each, ratings_or_patches
from fedmm_edu.widgets.exercises import lesson_05, lesson_09, lesson_10
from fedmm_edu.widgets.live import Live
from fedmm_edu.widgets.transport import PLANE, TransportPlayer, benchmark_or_own, in_window
from tests.widgets.test_first_lessons import redrawn


def test_the_toy_reacts():
    """Equal clients close the gap; the weights stay weights."""
    widget = ToyAggregation()
    assert widget.gap > 0.0
    assert redrawn(widget, lambda: setattr(widget.spread, "value", 0.0))
    assert widget.gap == pytest.approx(0.0, abs=1e-12)
    widget.n.value = 7
    assert widget.means.size == widget.mu.size == 7
    assert widget.mu.sum() == pytest.approx(1.0)


def test_nothing_is_cut_where_a_layout_is_used_again():
    """Labels and titles of later pictures stay inside, and entries that a legend gains are given room."""
    changes = iter(((1.0, 1), (-1e3, 1), (1.0, 3)))
    live = Live(lambda ax: _picture(ax, *next(changes)), width=4.2, height=3.4)
    first = live._places
    for wider in (False, True):
        figure = live.drawn()
        figure.draw_without_rendering()
        box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        assert min(box.x0, box.y0, width - box.x1, height - box.y1) > -0.01
        assert (live._places == first) is not wider


def _picture(ax, scale, entries) -> str:
    """So many lines; with another scale the labels of the ticks are longer, with more lines the legend below is."""
    for k in range(entries):
        ax.plot([0.0, 0.5 * scale], label=f"entry {k}")
    ax.set_title("a title", loc="left")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16))
    return ""


def test_only_one_aggregation_of_a_mixture_sees_who_holds_what():
    """The path in 𝒮 is EM on all samples, for every share; in Θ one group each ends in one point."""
    problem, clients = two_clients(0.9)
    z, _ = clients.pooled()
    fed = mm(problem, z)
    alone = run(fed, fed.init(fed.point(START)), 25, every=1)[1].theta
    assert em_paths(problem, clients)[0] == pytest.approx(alone, abs=1e-9)
    widget = MixtureAggregation()
    gaps = []
    for share in (0.5, 0.75, 1.0):
        widget.share.value = share
        assert widget.paths[0][-1] == pytest.approx(alone[-1], abs=1e-9)
        gaps.append(widget.gap)
    assert gaps == sorted(gaps)
    assert abs(np.diff(widget.paths[1][-1])[0]) < 0.1 < abs(np.diff(widget.paths[0][-1])[0])
    assert "apart" in widget.live.sentence.value


def test_two_clients_share_all_samples():
    whole = {np.sort(np.concatenate(two_clients(share)[1].data), axis=0).tobytes() for share in (0.5, 0.8, 1.0)}
    assert len(whole) == 1
    with pytest.raises(InvalidInput, match="share"):
        two_clients(1.5)


@settings(max_examples=30)
@given(K=st.integers(1, 9), columns=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_a_mosaic_holds_every_atom_once(K, columns, seed):
    """Each tile is an atom up to its sign, in order; lines of NaN lie around the tiles."""
    theta = np.random.default_rng(seed).normal(size=(6, K))
    image = mosaic(theta, (2, 3), columns)
    assert image.shape == (-(-K // columns) * 3 + 1, columns * 4 + 1)
    assert np.isnan(image[0]).all()
    assert np.isnan(image[:, 0]).all()
    tiles = [image[1 + 3 * (k // columns) :, 1 + 4 * (k % columns) :][:2, :3].ravel() for k in range(K)]
    for tile, atom in zip(tiles, theta.T, strict=True):
        assert np.array_equal(tile, atom) or np.array_equal(tile, -atom)
        assert tile.sum() >= 0.0
    assert np.isfinite(image).sum() == theta.size


def test_pictures_of_atoms():
    """An atom of zeros is grey; atoms of another size than the picture are refused."""
    _, (left, right) = panels(2)
    draw_mosaic(left, np.zeros((4, 2)), (2, 2))
    assert np.nanmax(np.abs(np.ma.filled(left.images[0].get_array(), np.nan))) == 0.0
    draw_use(right, np.array([0.5, 2.0]), 3)
    assert [bar.get_height() for bar in right.patches] == [0.5, 2.0]
    assert "atom 4" in right.get_title(loc="left")
    with pytest.raises(InvalidInput, match="no pictures of 3 × 2"):
        mosaic(np.ones((4, 2)), (3, 2), 1)


def test_each_client_has_one_digit():
    """By scikit-learn's labels: the pictures of client i are pictures of the digit i."""
    from sklearn.datasets import load_digits

    found = load_digits()
    for i, z in enumerate(one_digit_each().clients.data):
        theirs = {row.tobytes() for row in found.data[found.target == i] / 16.0}
        assert {row.tobytes() for row in z} <= theirs
        assert len(z) == 120


def test_the_atom_player():
    """The frames are those of the runs; the menus lead to other runs; what lesson 9 says about them holds."""
    player = AtomPlayer()
    assert redrawn(player, lambda: setattr(player.run, "value", player.frames - 1))
    assert player.frame.value == player.frames - 1
    run, atoms = player.runs["fedmm"]
    assert player.data.clients.objective(player.data.problem(), atoms[-1].ravel()) == pytest.approx(run.objective[-1])
    used = {name: int((np.linalg.norm(atoms[-1], axis=0) > 0.05).sum()) for name, (_, atoms) in player.runs.items()}
    assert used["fedmm"] > 3 * used["naive"]
    assert redrawn(player, lambda: setattr(player.bits, "value", 2))
    few, _ = player.runs["fedmm"]
    assert few.bits[-1] < run.bits[-1] / 3
    assert few.objective[-1] > run.objective[-1]
    player.active.value = 10
    assert player.runs["fedmm"][0].bits[-1] == pytest.approx(2 * few.bits[-1])


def test_curves_of_one_run():
    run = learn(replace(TASK, rounds=2), one_digit_each())[0]
    curves = Curves.of([run])
    assert curves.objective.shape == (1, 3)
    assert np.array_equal(curves.bits, run.bits)


def test_ratings_where_they_are(monkeypatch, tmp_path):
    """Without ratings, or with a folder that holds none, patches and the reason; with ratings, ratings."""
    monkeypatch.delenv("FEDMM_DATA", raising=False)
    data, says = ratings_or_patches(users=40, movies=5)
    assert "No ratings here (FEDMM_DATA names no folder" in says
    assert data.pool.shape == (40, 64)
    assert len(data.clients) == 10
    monkeypatch.setenv("FEDMM_DATA", str(tmp_path))
    assert "ratings.dat" in ratings_or_patches(users=40, movies=5)[1]


def test_the_points_travel():
    """At no share of the way the samples are where they were; at round 0 the map is near the identity."""
    setting = replace(PLANE, samples=120, target=200)
    given = federation_of(setting)
    name = "FedMM-OT, adaptive server"
    rows = list(follow(METHODS[name], given, setting, rounds=4, every=2))
    player = TransportPlayer(given, {name: rows})
    assert player.row is rows[0]
    assert redrawn(player, lambda: setattr(player.run, "value", 2))
    assert player.row is rows[2]
    assert "round 4" in player.live.sentence.value
    before = player.live.image.value
    player.way.value = 0.0
    assert player.live.image.value != before
    _, (ax,) = panels(1)
    low, high = np.transpose([in_window(ax, given).get_xlim(), ax.get_ylim()])
    for z in (given.problem.target, given.clients.z):
        assert (z > low).all()
        assert (z < high).all()


def test_the_benchmark_where_it_is(monkeypatch, tmp_path):
    monkeypatch.setenv("FEDMM_DATA", str(tmp_path))
    given, says = benchmark_or_own(replace(PLANE, samples=60, target=60))
    assert given.pair.name == "log-sum-exp"
    assert "takes its place" in says


def test_without_torch_lesson_10_says_what_to_do(monkeypatch):
    """Its first code cell stops with the command that installs PyTorch."""
    from pathlib import Path

    import jupytext

    lesson = jupytext.read(Path(__file__).parents[2] / "notebooks" / "10_optimal_transport.md")
    first = next(cell.source for cell in lesson.cells if cell.cell_type == "code")
    for name in [name for name in sys.modules if name.split(".")[0] == "torch" or "fedmm_edu.transport" in name]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"pip install 'fedmm-edu\[transport\]'"):
        exec(first, {})


def test_what_lesson_9_says_about_control_variates():
    """The objective does not see them, the updates do."""
    plain, variates = lesson_09.with_and_without()
    assert variates.objective[-1] == pytest.approx(plain.objective[-1], rel=2e-3)
    assert variates.surrogate[-5:].mean() < 0.5 * plain.surrogate[-5:].mean()


@pytest.mark.parametrize("kappa", [0.1, 0.5, 2.0])
def test_the_least_lambda_is_the_row_s(kappa):
    assert lesson_10.least_lambda(kappa) == pytest.approx(1.0 / (2.0 * kappa), rel=1e-6)


def test_the_statistics_of_exercise_4_are_a_mixture_s():
    """The clients' (s_1, s_2) lie in 𝒮, and T of each is the mean of its own samples."""
    for s, mean in zip(lesson_05._STATISTICS, (1.0, 5.0), strict=True):
        assert lesson_05._MIX.S.contains(s)
        assert lesson_05._MIX.T(s)[0] == pytest.approx(mean)
