"""Every lesson runs from top to bottom in a kernel of its own; what it names exists; what it shows is clean."""

import json
import re
from html import unescape
from itertools import pairwise
from pathlib import Path

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient

from fedmm_edu.announced import commands
from fedmm_edu.classroom import hour_of
from fedmm_edu.cli import COMMANDS
from proofs_checks import sections

LESSONS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.md"))
TEACHING = LESSONS[0].parents[1] / "book" / "teaching"
BUDGET = 30
"""CPU seconds of a lesson, imports included: reported, since machines differ."""
ROWS = {claim.id for _, claims in sections() for claim in claims}
STRICT = "import warnings\nwarnings.simplefilter('error')"
SPENT = "import time\nwarnings.simplefilter('default')\nprint(time.process_time())"
MOVED = """
import gc
from ipywidgets import FloatSlider, IntSlider
from fedmm_edu.widgets.live import Live
figures = [each for each in gc.get_objects() if isinstance(each, Live)]
assert figures
for figure in figures:
    for slider in figure.view.children:
        if isinstance(slider, FloatSlider | IntSlider):
            before = figure.sentence.value
            slider.value += slider.step if slider.value < slider.max else -slider.step
            assert figure.sentence.value != before, f"{slider.description}: {before}"
"""


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_lesson_runs(lesson, tmp_path, monkeypatch, record_property):
    """In a fresh kernel and an empty folder, warnings being errors; stderr stays empty, no path of a machine shows.

    What it reveals of its predictions is what the class hears in the hour of the lesson.

    Whoever does not see a picture hears every move of its sliders: the sentence changes.
    """
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("MPLBACKEND", raising=False)  # a kernel draws into the notebook
    notebook = jupytext.read(lesson)
    first, *ends = map(nbformat.v4.new_code_cell, (STRICT, SPENT, MOVED))
    notebook.cells = [first, *notebook.cells, *ends]
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    *cells, last, _ = [cell for cell in notebook.cells if cell.cell_type == "code"]
    spent = float(last.outputs[0].text)
    slow = " — TOO SLOW" if spent > BUDGET else ""
    record_property("says", f"{lesson.stem}: {spent:.1f} of {BUDGET} CPU seconds{slow}")
    outputs = [output for cell in cells for output in cell.outputs]
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    assert any("image/png" in str(output.get("data", {})) for output in outputs)
    assert computed_answers(outputs) == hour_answers(lesson.name[:2])
    shown = "".join(str(output.get("text", output.get("data", {}).get("text/plain", ""))) for output in outputs)
    assert str(tmp_path) not in shown
    assert str(Path(__file__).parents[1]) not in shown


def computed_answers(outputs):
    """What the lesson, which has run, reveals of predictions with one choice: choices, the right one, and why."""
    pages = "".join(str(output.get("data", {}).get("text/html", "")) for output in outputs)
    found = [json.loads(unescape(data)) for data in re.findall(r'data-predict="([^"]*)"', pages)]
    return {one["asks"]: (one["choices"], one["answer"], one["why"]) for one in found if isinstance(one["answer"], str)}


def hour_answers(name):
    """What the hour of the lesson says of its predictions."""
    asked = [scene.question for scene in hour_of(name).scenes]
    known = [each for each in asked if each is not None and each.answer is not None]
    return {each.text: ([*each.choices], each.choices[each.answer], each.why) for each in known}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_what_a_lesson_names_exists(lesson):
    """Rows of the ledger that a lesson lists, runs or tells to run, the lessons it leads to, and the commands."""
    text = lesson.read_text("utf-8")
    assert "**Rows of the ledger:**" in text
    listed = text.split("**Rows of the ledger:**")[1].split("**Next:**")[0]
    named = {word for word in re.findall(r"`([a-zA-Z0-9-]+)`", listed) if not word.endswith("-")}
    named |= set(re.findall(r'(?:row|claim_of)\("([^"]+)"\)', text))
    named |= set(re.findall(r"`fedmm (?:verify|certificate show) ([a-zA-Z0-9-]+)", text))
    named |= set(re.findall(r"[Rr]ows? `([a-zA-Z0-9-]+)`", text))
    assert named - ROWS == set()
    assert named
    for link in re.findall(r"\]\(([^)]+\.md)\)", text):
        assert (lesson.parent / link).exists(), link
    assert set(re.findall(r"`fedmm ([a-z]+)", text)) <= {*COMMANDS, *commands(), "run"}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_its_parts(lesson):
    """What the reader will be able to do, a question before the picture, exercises, a class game, a take-away."""
    text = lesson.read_text("utf-8")
    parts = ("**You will be able to**", "**You need**", "## A question first", "## Exercises", "**For a class.**",
             "## Take-away", "**Rows of the ledger:**")  # fmt: skip
    places = [text.find(part) for part in parts]
    assert all(place >= 0 for place in places)
    assert places == sorted(places)
    assert re.search(r"Time: \d\d minutes", text)


def test_lessons_follow_each_other():
    """Each leads to the next one."""
    for lesson, after in pairwise(LESSONS):
        assert f"]({after.name})" in lesson.read_text("utf-8").split("**Next:**")[1]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_a_page_for_the_teacher(lesson):
    """Goals, timing, misconceptions, variations; its rows exist."""
    text = (TEACHING / lesson.name).read_text("utf-8")
    assert f"% The hour of lesson {lesson.name[:2]}: book/generate/hours.py\n" in text
    for part in ("## Goals", "## Timing", "## Common misconceptions", "## Variations", "### Key and marks"):
        assert part in text
    assert f"](../lessons/{lesson.name})" in text
    assert set(re.findall(r"row `([^`]+)`", text)) <= ROWS
    questions, _, key = text.partition("## To find out who has understood")[2].partition("### Key and marks")
    answers = re.findall(r"^\d+\. .*?(?=^\d+\. |\Z)", key, re.DOTALL | re.MULTILINE) or [key]
    assert len(re.findall(r"^- ", questions, re.MULTILINE)) == len(answers)
    assert all(re.search(r"\bmarks?\b", answer) for answer in answers)


def test_the_page_on_courses_leads_to_every_lesson():
    text = (TEACHING / "00_courses.md").read_text("utf-8")
    assert {lesson.name for lesson in LESSONS} <= set(re.findall(r"\]\(([^)]+)\)", text))
    for length in ("## One hour", "## Three hours", "## One semester"):
        assert length in text


@pytest.mark.parametrize(("length", "minutes"), [("## One hour", 60), ("## Three hours", 180)])
def test_the_minutes_of_a_course_add_up(length, minutes):
    part = (TEACHING / "00_courses.md").read_text("utf-8").partition(length)[2].partition("\n## ")[0]
    assert sum(map(int, re.findall(r"^\| (\d+)\smin", part, re.MULTILINE))) == minutes
