"""`fedmm reproduce`: what it writes, that it repeats, and that the figures show what they are given."""

import json

import matplotlib as mpl
import numpy as np
import pytest

from fedmm_edu.cli import main
from fedmm_edu.datasets.movielens import VARIABLE
from fedmm_edu.experiments.dictionary import Curves, data
from fedmm_edu.figures import panels
from fedmm_edu.figures.dictionary import draw_metric, draw_panels

SMALL = ["--quick", "--seeds", "2", "--rounds", "20", "--real-rounds", "20", "--rows", "10", "--betas", "0.02,0.05",
         "--real", "patches", "--p", "4", "--jobs", "1"]  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Both figures with the page, from few samples and rounds."""
    out = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "TOTAL", 200)
        patch.setattr(data, "COPIES", 20)
        data.load.cache_clear()
        assert main(["reproduce", *SMALL, "--out", str(out / "figures"), "--page", str(out / "page.md")]) == 0
        data.load.cache_clear()
    return out


def test_each_figure_has_two_pictures_and_a_manifest(made):
    for name in ("fig1", "fig2"):
        for suffix in ("", "_bits"):
            assert (made / "figures" / f"{name}{suffix}.png").read_bytes().startswith(b"\x89PNG")
        manifest = json.loads((made / "figures" / f"{name}.json").read_text(encoding="utf-8"))
        assert manifest["seeds"] == [0, 1]
        assert manifest["plan"]["p"] == 4
        assert set(manifest["beta"]) == {"homogeneous", "heterogeneous", "patches"}
        assert manifest["versions"]["numpy"] == np.__version__
        verdicts = {s["id"]: s["verdict"] for s in manifest["statements"]}
        assert verdicts["objective-monotone" if name == "fig1" else "cv-objective"] == "not run"  # no MovieLens here
    for trial in manifest["final_objective_by_beta"].values():
        for name, ends in trial.items():
            least = min(ends, key=ends.get)
            assert manifest["beta"]["homogeneous"][name] in (0.02, 0.05)
            assert float(least) in (0.02, 0.05)


def test_the_page_has_every_statement_and_names_its_pictures(made):
    from fedmm_edu.experiments.dictionary import STATEMENTS

    page = (made / "page.md").read_text(encoding="utf-8")
    for statement in STATEMENTS:
        assert statement.says in page
    for name in ("fig1", "fig1_bits", "fig2", "fig2_bits"):
        assert f"(figures/{name}.png)" in page
    assert "(patches: the files of MovieLens were not named)" in page
    assert "**Not the full run:** seeds = 2 (full: 10)" in page


def test_a_second_call_computes_nothing_and_writes_the_same_files(made, monkeypatch, tmp_path):
    def no(*args):
        raise AssertionError("a finished run is made again")

    monkeypatch.setattr("fedmm_edu.experiments.dictionary.runs.execute", no)
    arguments = ["reproduce", "fig2", *SMALL, "--out", str(tmp_path), "--cache", str(made / "figures" / "runs")]
    assert main(arguments) == 0
    for name in ("fig2.png", "fig2_bits.png", "fig2.json"):
        assert (tmp_path / name).read_bytes() == (made / "figures" / name).read_bytes()


def test_wrong_options_are_named(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE, raising=False)
    for arguments, says in (
        (["fig3"], "no figure 'fig3'"),
        (["fig1", "--betas", "big"], "--betas big"),
        (["fig1", "--betas", "-1"], "beta = -1.0"),
        (["fig1", "--seeds", "0"], "seeds = 0"),
        (["fig1", "--rows", "9"], "rows = 9"),
        (["ablation", "--page", "x.md"], "--page describes figures"),
        (["fig1", "--data-dir", str(tmp_path)], "holds neither ratings.dat"),
        (["fig1", "--real", "movielens"], "no folder of MovieLens is named"),
    ):
        assert main(["reproduce", *arguments, "--jobs", "1", "--out", str(tmp_path / "out")]) == 2
        assert says in capsys.readouterr().err


def _curves():
    t = np.array([0.0, 1.0, 2.0])
    values = np.array([[4.0, 2.0, 1.0], [6.0, 4.0, np.inf]])
    updates = values.copy()
    updates[:, 0] = np.nan
    return Curves(t, 8e6 * t, values, updates, updates)


def test_a_panel_shows_mean_and_one_standard_deviation_where_all_runs_are_finite():
    figure, (ax, other) = panels(2)
    assert draw_metric(ax, {"fedmm": _curves()}, "objective") is ax
    (line,) = ax.lines
    assert line.get_xdata().tolist() == [0.0, 1.0]
    assert line.get_ydata().tolist() == [5.0, 3.0]
    corners = ax.collections[0].get_paths()[0].vertices
    assert (corners[:, 1].min(), corners[:, 1].max()) == (2.0, 6.0)
    draw_metric(other, {"naive": _curves()}, "surrogate", against="bits")
    assert other.get_yscale() == "log"
    assert other.lines[0].get_xdata().tolist() == [1.0]  # a megabyte
    mpl.pyplot.close(figure)


def test_curves_differ_by_more_than_colour():
    figure = draw_panels({"homogeneous": {"fedmm": _curves(), "naive": _curves()}})
    first, second = figure.axes[0].lines
    assert first.get_linestyle() != second.get_linestyle()
    assert first.get_marker() != second.get_marker()
    mpl.pyplot.close(figure)
