"""`fedmm reproduce`: what it writes, that it repeats, and that the figures show what they are given."""

import json
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pytest

from fedmm_edu.cli import main
from fedmm_edu.datasets.movielens import VARIABLE
from fedmm_edu.errors import InvalidInput
from fedmm_edu.figures import panels
from fedmm_edu.studies.dictionary import SECTION_6, Curves, DictionaryTask, data, judge_figure
from fedmm_edu.studies.dictionary.pictures import draw_metric, draw_metrics
from fedmm_edu.studies.dictionary.record import figure_lines, read_figures
from fedmm_edu.studies.record import write_lines

SMALL = ["--quick", "--seeds", "2", "--rounds", "20", "--real-rounds", "20", "--rows", "10", "--betas", "0.02,0.05",
         "--real", "patches", "--p", "4", "--jobs", "1"]  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Both figures with the page, from few samples and rounds."""
    out = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "TOTAL", 200)
        patch.setattr(data, "COPIES", 20)
        data.load_source.cache_clear()
        files = ["--out", str(out / "figures"), "--page", str(out / "page.md"), "--record", str(out / "runs.jsonl")]
        assert main(["reproduce", *SMALL, *files]) == 0
        data.load_source.cache_clear()
    return out


def test_each_figure_has_its_pictures_and_a_manifest(made):
    """A picture for each data set; one over megabytes where the algorithms do not send the same."""
    for name, ends in (("fig1", ("", "_bits")), ("fig2", ("",))):
        for of, end in product(("homogeneous", "heterogeneous", "patches"), ends):
            assert (made / "figures" / f"{name}_{of}{end}.png").read_bytes().startswith(b"\x89PNG")
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
    page = (made / "page.md").read_text(encoding="utf-8")
    for statement in SECTION_6:
        assert statement.says in page
    for name in ("fig1_patches", "fig1_patches_bits", "fig2_patches"):
        assert f"(figures/{name}.png)" in page
    assert "fig2_patches_bits" not in page
    assert "Both algorithms send the same number of bits" in page
    assert "(patches: the files of MovieLens were not named)" in page
    assert "**Not the full run:** seeds = 2 (full: 10)" in page


def test_a_second_call_computes_nothing_and_writes_the_same_files(made, monkeypatch, tmp_path):
    def no(*args):
        raise AssertionError("a finished run is made again")

    monkeypatch.setattr(DictionaryTask, "make", no)
    arguments = ["reproduce", "fig2", *SMALL, "--out", str(tmp_path), "--cache", str(made / "figures" / "runs")]
    assert main(arguments) == 0
    assert not (tmp_path / "time.json").exists()
    for name in ("fig2_patches.png", "fig2.json"):
        assert (tmp_path / name).read_bytes() == (made / "figures" / name).read_bytes()


def test_a_call_that_computes_says_what_it_took(made):
    """Both figures: 3 data sets × 2 algorithms × (2 β + 2 seeds); the processors worked at most all the time."""
    took = json.loads((made / "figures" / "time.json").read_text(encoding="utf-8"))
    assert (took["names"], took["jobs"]) == (["fig1", "fig2"], 1)
    assert took["runs"] == 2 * 3 * 2 * 4
    assert took["runs_from_cache"] == 0
    assert took["cpu_s"] > 0.0
    assert took["wall_s"] > 0.0


def test_the_record_judges_as_the_run_did(made):
    """From the file alone: the same curves to 10 digits, and the same answer to every statement."""
    found = read_figures((made / "runs.jsonl").read_text(encoding="utf-8"))
    assert set(found) == {"fig1", "fig2"}
    for figure, of in found.items():
        manifest = json.loads((made / "figures" / f"{figure}.json").read_text(encoding="utf-8"))
        assert of.about == manifest
        assert set(of.panels) == {"homogeneous", "heterogeneous", "patches"}
        assert np.isnan(of.panels["patches"][next(iter(of.panels["patches"]))].surrogate[:, 0]).all()
        for judged, written in zip(judge_figure(of.panels, figure), manifest["statements"], strict=True):
            assert judged.statement.id == written["id"]
            assert {name: f.holds for name, f in judged.findings.items()} == {
                name: answer["holds"] for name, answer in written.items() if isinstance(answer, dict)
            }


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda lines: [], "not enough values"),
        (lambda lines: ['{"format": 2}', *lines[1:]], "format 2, expected 1"),
        (lambda lines: [*lines[:2], "{"], "JSONDecodeError"),
        (lambda lines: [*lines[:2], *lines[3:]], "missing 1 required positional argument"),
        (lambda lines: [*lines[:2], lines[2].replace("[0.0, ", "["), *lines[3:]], "have shapes"),
        (lambda lines: [lines[0], *lines[2:]], "KeyError"),
    ],
)
def test_a_damaged_record_is_refused(made, change, says):
    lines = (made / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    with pytest.raises(InvalidInput, match=says):
        read_figures("\n".join(change(lines)))


def test_runs_that_diverged_are_recorded():
    """∞ and NaN, which JSON does not know, come back."""
    text = write_lines({}, figure_lines("fig1", {}, {"homogeneous": {"fedmm": _curves()}}))
    again = read_figures(text)["fig1"].panels["homogeneous"]["fedmm"]
    for name in ("t", "bits", "objective", "parameter", "surrogate"):
        assert np.array_equal(getattr(again, name), getattr(_curves(), name), equal_nan=True)


def test_wrong_options_are_named(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE, raising=False)
    for arguments, says in (
        (["fig9"], "no figure 'fig9'"),
        (["fig1", "--betas", "big"], "--betas big"),
        (["fig1", "--betas", "-1"], "beta = -1.0"),
        (["fig1", "--seeds", "0"], "seeds = 0"),
        (["fig1", "--rows", "9"], "rows = 9"),
        (["ablation", "--page", "x.md"], "--page and --record describe figures"),
        (["effects", "--record", "x.json"], "--page and --record describe figures"),
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
    assert np.asarray(line.get_xdata()).tolist() == [0.0, 1.0]
    assert np.asarray(line.get_ydata()).tolist() == [5.0, 3.0]
    corners = np.asarray(ax.collections[0].get_paths()[0].vertices)
    assert (corners[:, 1].min(), corners[:, 1].max()) == (2.0, 6.0)
    draw_metric(other, {"naive": _curves()}, "surrogate", against="bits")
    assert other.get_yscale() == "log"
    assert np.asarray(other.lines[0].get_xdata()).tolist() == [1.0]  # a megabyte
    plt.close(figure)


def test_curves_differ_by_more_than_colour():
    figure = draw_metrics({"homogeneous": {"fedmm": _curves(), "naive": _curves()}})
    first, second = figure.axes[0].lines
    assert first.get_linestyle() != second.get_linestyle()
    assert first.get_marker() != second.get_marker()
    plt.close(figure)
