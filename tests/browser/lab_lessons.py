"""Lessons in JupyterLab in a browser: all cells run, sliders move by keyboard, players play, text and picture change.

Run by name: `make browser`, or `python -m pytest tests/browser/lab_lessons.py`. It needs JupyterLab, Playwright and a
Chromium. Nothing sleeps: each step waits for what it leads to.
"""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from threading import Thread

import jupytext
import pytest

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
PATIENCE = 300_000
"""Milliseconds that a step may take before the test fails: generous, since machines differ."""
PLAYED = {"06_fedmm_line_by_line": "round", "09_dictionary_learning": "recorded round"}
"""Lessons with a player, and the slider that it moves."""
LESSONS = ("00_what_to_send", "01_majorize_minimize", "05_aggregate_where", "06_fedmm_line_by_line",
           "08_constants_and_theorem1", "09_dictionary_learning")  # fmt: skip


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab on the lessons, with settings of its own."""
    root = tmp_path_factory.mktemp("lab")
    for lesson in LESSONS:
        jupytext.write(jupytext.read(NOTEBOOKS / f"{lesson}.md"), root / f"{lesson}.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {f"JUPYTER_{name}_DIR": str(root / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    page = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}  # as `make lab` has it
    (root / "CONFIG" / "labconfig").mkdir(parents=True)
    (root / "CONFIG" / "labconfig" / "page_config.json").write_text(json.dumps(page), encoding="utf-8")
    own |= {"JUPYTERLAB_SETTINGS_DIR": str(root / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(root / "workspaces")}
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    settings = ("--no-browser", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0", "--allow-root",
                "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True",
                "--LabApp.expose_app_in_browser=True", f"--ServerApp.root_dir={root}")  # fmt: skip
    command = [sys.executable, "-m", "jupyterlab", *settings]
    with subprocess.Popen(command, env=environment | own, stderr=subprocess.PIPE, text=True) as server:
        said = []
        for line in server.stderr or ():  # until it says that it runs, or ends
            said.append(line)
            if "is running at" in line:
                break
        else:
            pytest.fail("".join(said))
        rest = Thread(target=lambda: list(server.stderr or ()))  # what else it says must not fill the pipe
        rest.start()
        yield f"http://127.0.0.1:{port}"
        server.terminate()
        rest.join()


@pytest.fixture
def opened(chromium, lab, tmp_path):
    """`opened(lesson)` runs all cells of a lesson and returns its page; pictures of it go to FEDMM_SCREENSHOTS."""
    context = chromium.new_context(viewport={"width": 1300, "height": 1400})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)

    def run(lesson: str):
        page.goto(f"{lab}/lab/workspaces/{lesson}/tree/{lesson}.ipynb?reset")
        page.wait_for_function("window.jupyterapp?.shell?.currentWidget?.sessionContext?.isReady")
        page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")  # resolves when the last cell is done
        page.wait_for_function(
            "jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"
            " && jupyterapp.shell.currentWidget.content.widgets.filter(w => w.model.type === 'code')"
            ".every(w => w.model.executionCount)"
        )
        return page

    yield run
    if folder := os.environ.get("FEDMM_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{tmp_path.name}.png")
    context.close()


def outputs(page) -> list[str]:
    """The types of all outputs of the notebook."""
    return page.evaluate(
        "jupyterapp.shell.currentWidget.model.toJSON().cells.flatMap(c => c.outputs ?? []).map(o => o.output_type)"
    )


def solutions_are_folded(page) -> bool:
    """Whether there are solutions, and neither they nor what they give is seen, though their cells have run."""
    folded = "c.inputHidden && c.outputArea.model.length === 1 && c.node.querySelector('details:not([open])')"
    return page.evaluate(
        f"(found => found.length > 2 && found.every(c => {folded}))"
        "(jupyterapp.shell.currentWidget.content.widgets.filter("
        "c => c.model.sharedModel.getSource().startsWith('# Solution of exercise')))"
    )


def live(page, slider):
    """The sentence and the picture that belong to a slider."""
    box = slider.locator("xpath=ancestor::*[contains(@class, 'widget-vbox')][1]")
    return box.locator(".widget-html .widget-html-content").first, box.locator("img").first


def changes(page, act, element, read: str) -> None:
    """Do `act`, and wait until `read`, JavaScript on `element`, gives something else than before."""
    handle = element.element_handle()
    before = handle.evaluate(read)
    act()
    page.wait_for_function(f"([e, before]) => ({read})(e) !== before", arg=[handle, before])


def speaks(page, figure) -> None:
    """Every control of a figure is named by the label beside it, and the picture by the sentence above it."""
    kinds = {"slider": "widget-hslider", "combobox": "widget-dropdown", "checkbox": "widget-checkbox"}
    for role, kind in kinds.items():
        controls = figure.locator(f"> .{kind}")
        for k in range(controls.count()):
            label = controls.nth(k).locator("label").last.inner_text().strip()
            assert label
            controls.nth(k).get_by_role(role, name=label, exact=True).wait_for()
    said = "f.querySelector('.widget-html-content').textContent.trim()"
    page.wait_for_function(f"f => {said} && {said} === f.querySelector('img').alt", arg=figure.element_handle())


TEXT, SOURCE = "e => e.innerText", "e => e.src"


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_runs_and_its_figures_react_to_the_keyboard(opened, lesson):
    """No cell fails. Every slider of every figure is reached by its label, moves by an arrow key, and is heeded."""
    page = opened(lesson)
    assert "error" not in outputs(page)
    handles = page.locator(".jp-OutputArea .noUi-handle")
    handles.first.wait_for()
    assert handles.count() >= 1
    figures = page.locator(".jp-OutputArea .widget-vbox:has(> .widget-hslider)")
    for k in range(figures.count()):
        handle = figures.nth(k).locator("> .widget-hslider .noUi-handle").first
        sentence, picture = live(page, handle)
        picture.scroll_into_view_if_needed()
        handle.focus()
        low = float(handle.get_attribute("aria-valuenow")) <= float(handle.get_attribute("aria-valuemin"))
        key = "ArrowRight" if low else "ArrowLeft"
        changes(page, lambda: page.keyboard.press(key), picture, SOURCE)  # noqa: B023
        changes(page, lambda: page.keyboard.press(key), sentence, TEXT)  # noqa: B023
        assert picture.evaluate("e => e.naturalWidth") > 300
        speaks(page, figures.nth(k))
    assert solutions_are_folded(page)
    assert not page.locator(".jp-RenderedJavaScript").filter(visible=True).count()  # no empty output
    assert not page.get_by_text("Jupyter news").count()


def test_what_answers_is_held_back_in_lab_too(opened):
    """After all cells have run: the figure shows once a guess is locked; a form judges without the kernel."""
    page = opened("00_what_to_send")
    page.evaluate("localStorage.clear()")
    question, form = page.locator(".predict").first, page.locator(".sheet").first
    question.scroll_into_view_if_needed()
    assert not question.locator("img").is_visible()
    question.get_by_label("too small").check()
    question.get_by_role("button", name="Lock my guess").click()
    question.locator("img").wait_for()
    assert "It is “too large”" in question.locator(".says").inner_text()
    form.scroll_into_view_if_needed()
    form.get_by_role("textbox").fill("5/16")
    form.get_by_role("button", name="Check").click()
    assert form.locator(".says").inner_text().startswith("✓ Right.")


@pytest.mark.parametrize(("lesson", "slider"), PLAYED.items())
def test_play_moves_the_rounds(opened, lesson, slider):
    """After a press on play the rounds go on by themselves, text and picture with them; a second press stops them."""
    page = opened(lesson)
    play = page.locator(".jupyter-widget-play, .widget-play").first
    play.scroll_into_view_if_needed()
    readout = page.locator(".widget-hslider", has_text=re.compile(f"^{slider}")).locator(".widget-readout").first
    sentence, picture = live(page, readout)
    start = play.get_by_role("button", name="play or pause", exact=True)
    for name in ("stop, back to the start", "repeat"):
        play.get_by_role("button", name=name, exact=True).wait_for()
    changes(page, start.click, picture, SOURCE)
    for _ in range(2):
        changes(page, lambda: None, readout, TEXT)
    changes(page, lambda: None, sentence, TEXT)
    page.wait_for_function("e => e.ariaLive === 'off'", arg=sentence.element_handle())  # not read out round by round
    start.click()
