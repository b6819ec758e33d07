"""Every lesson runs from top to bottom, and its widgets react to their sliders."""

from pathlib import Path

import jupytext
import matplotlib as mpl
import pytest

mpl.use("Agg")
LESSONS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.md"))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_lesson_runs(lesson, capsys):
    """The code cells in order, in one namespace, warnings being errors."""
    cells = [cell.source for cell in jupytext.read(lesson).cells if cell.cell_type == "code"]
    assert cells, f"{lesson.name} has no code"
    namespace = {"__name__": "__main__"}
    for number, source in enumerate(cells):
        exec(compile(source, f"{lesson.name}, cell {number}", "exec"), namespace)
    mpl.pyplot.close("all")
    assert capsys.readouterr().out


def test_the_aggregation_widget_reacts():
    from fedmm_edu.widgets import ToyAggregation

    widget = ToyAggregation()
    assert widget.gap > 0
    before = widget.text.value
    widget.spread.value = 0.0
    assert widget.gap == pytest.approx(0.0, abs=1e-12)
    assert widget.text.value != before
    widget.n.value = 7
    assert widget.means.size == widget.mu.size == 7
    assert widget.mu.sum() == pytest.approx(1.0)
