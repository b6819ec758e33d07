"""Explorables in a browser, from plain files without a kernel: mouse, finger and keyboard, desktop and phone.

Run by name: `python -m pytest tests/browser/site_explorables.py`. It needs Playwright and a Chromium.
"""

import numpy as np
import pytest

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.federation import Bernoulli, RandK
from fedmm_edu.figures import toy_aggregates
from fedmm_edu.figures.rounds import play
from fedmm_edu.theory import Constants, largest_gamma
from fedmm_edu.widgets import explorables
from fedmm_edu.widgets.exercises.lesson_06 import counts
from fedmm_edu.widgets.explorables.states import scenes

MAKERS = {make.__name__: make for make in
          (explorables.aggregation, explorables.averages, explorables.board, explorables.classmates,
            explorables.ends, explorables.roots,
           explorables.hidden, explorables.majoriser, explorables.rounds, explorables.tangents,
           explorables.theorem)}  # fmt: skip
WIDTHS = {"desktop": 1100, "phone": 360}


@pytest.fixture(params=WIDTHS)
def show(chromium, request, tmp_path):
    """`show(name, …)` opens a page with these figures; nothing may go to the console or ask the network."""
    context = chromium.new_context(viewport={"width": WIDTHS[request.param], "height": 900}, has_touch=True)
    page, trouble, asked = context.new_page(), [], []
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda sent: asked.append(sent.url))

    def opened(*names: str, **media):
        file = tmp_path / "page.html"
        body = "".join(MAKERS[name]()._repr_html_() for name in names)
        head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>explorables</title>'
        file.write_text(f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>', "utf-8")
        page.emulate_media(**media)
        page.goto(file.as_uri())
        page.wait_for_selector("svg.chart polyline", state="attached")
        return page

    yield opened
    context.close()
    assert trouble == []
    assert [url for url in asked if not url.startswith("file:")] == []


def says(page) -> str:
    """What the figure says of itself, with plain minus signs."""
    return page.inner_text(".says").replace("−", "-")


def test_all_figures_share_a_page_and_none_is_wider_than_it(show):
    """Every figure has curves and a sentence; nothing scrolls sideways; every control has a name."""
    page = show(*MAKERS, reduced_motion="reduce")  # what moves by itself says nothing aloud in each frame
    assert len([text for text in page.locator(".says").all_inner_texts() if text]) == len(MAKERS)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    unnamed = "e => e.filter(x => !(x.labels?.length || x.innerText || x.getAttribute('aria-label'))).length"
    assert page.eval_on_selector_all("input, select, button, [role=slider]", unnamed) == 0
    assert page.locator(".says[aria-live=polite]").count() == len(MAKERS)


def test_a_chart_is_as_wide_as_its_place(show):
    """Turning the phone redraws: text keeps its size."""
    page = show("majoriser")
    for width in (700, 400):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("""() => {
            const chart = document.querySelector("svg.chart");
            return Math.abs(chart.viewBox.baseVal.width - chart.clientWidth) <= 1;
        }""")


def test_arrow_keys_move_the_sliders_of_the_aggregation(show):
    """One more client and less heterogeneity: the sentence and the curves are those of Python."""
    page = show("aggregation")
    before = page.inner_html("svg.chart")
    page.focus("[data-name=n]")
    page.keyboard.press("ArrowRight")
    page.focus("[data-name=spread]")
    page.keyboard.press("ArrowLeft")
    in_S, in_Theta = toy_aggregates(2 * (1 + 0.75 * np.linspace(-1, 1, 5)), [0.25] + [0.75 / 4] * 4)
    assert f"= {in_S:.4g}, the optimum" in says(page)
    assert f"= {in_Theta:.4g}, which" in says(page)
    assert page.inner_html("svg.chart") != before
    assert page.input_value("[data-name=n]") == "5"
    page.focus("[data-name=spread]")
    page.keyboard.press("Home")
    assert "the same: all clients are equal" in says(page)


def at(page) -> float:
    """Where τ stands."""
    return float(page.get_attribute(".handle", "aria-valuenow"))


def expected(tau: float) -> str:
    """What the sentence must say of the first scene at τ."""
    scene, _ = scenes()["eight readings, tight: reweighted means"]
    return f"T(s) = {scene.next(tau):.3g}:"


def test_keys_move_the_expansion_point(show):
    """Arrows, page keys, Home and End; the handle keeps the focus and shows it; the sentence is Python's."""
    page = show("majoriser")
    scene, start = scenes()["eight readings, tight: reweighted means"]
    step = (scene.high - scene.low) / 120
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "slider"
    assert page.evaluate("getComputedStyle(document.activeElement.querySelector('.ring')).stroke") == "rgb(0, 0, 0)"
    for keys, wanted in ((["ArrowRight"] * 3, start + 3 * step), (["PageDown"], start - 7 * step),
                         (["Home"], scene.low), (["End"], scene.high)):  # fmt: skip
        for key in keys:
            page.keyboard.press(key)
        assert at(page) == pytest.approx(wanted)
        assert expected(wanted) in says(page)
    assert page.evaluate("document.activeElement.getAttribute('role')") == "slider"


def test_the_mouse_drags_the_expansion_point(show):
    """τ follows the pointer, and stays in the window when the pointer leaves it."""
    page = show("majoriser")
    box = page.locator(".handle").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y - 30, steps=4)
    first = at(page)
    assert first < 2.0
    assert expected(first) in says(page)
    page.mouse.move(0, y)
    assert at(page) == -2.0
    page.mouse.up()
    page.mouse.move(x, y)
    assert at(page) == -2.0


def test_a_finger_drags_the_expansion_point(show):
    """Touch moves τ and does not scroll the page."""
    page = show("majoriser")
    box = page.locator(".handle").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for k in range(1, 6):
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x + 10 * k, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert at(page) > 2.2
    assert expected(at(page)) in says(page)
    assert page.evaluate("window.scrollY") == 0


def test_jumps_descend_and_the_step_that_is_too_long_is_shown(show):
    """Twenty jumps end in a valley; with ρ above 1/L the surrogate lies below, and the figure says so."""
    page = show("majoriser")
    for _ in range(20):
        page.get_by_text("Jump to T(s)").click()
    scene, start = scenes()["eight readings, tight: reweighted means"]
    assert at(page) == pytest.approx(scene.path(start, 20)[-1], rel=1e-9)
    page.select_option("[data-name=family]", "least squares with ρ = 2.5/L: too long")
    assert "MM-1 fails" in says(page)
    assert page.locator("svg.chart polygon").count() == 1
    page.get_by_text("Jump to T(s)").click()
    assert "RISES" in says(page)
    page.get_by_text("Back to the start").click()
    assert at(page) == -2.0


def test_rounds_step_back_and_agree_with_python(show):
    """Step, Back, the slider and the settings; the last round is that of the Python loop."""
    page = show("rounds")
    page.get_by_text("Step", exact=True).click()
    page.get_by_text("Step", exact=True).click()
    assert says(page).startswith("Round 3:")
    page.get_by_text("Back", exact=True).click()
    assert says(page).startswith("Round 2:")
    page.focus("[data-name=gamma]")
    page.keyboard.press("ArrowRight")
    page.focus("[data-name=t]")
    page.keyboard.press("End")
    problem, clients = counts()
    fed = FedMM(problem, clients, Constant(0.35), participation=Bernoulli(0.5), compressor=RandK(1), alpha=0.25)
    last = play(fed, fed.init([2.0, -1.0]), 60)[-1]
    x = last.after.x
    assert f"Ŝ = ({x[0]:.3g}, {x[1]:.3g}), θ = T(Ŝ) = {problem.T(x)[0]:.3g}" in says(page)
    assert f"{last.after.bits_up} bits sent" in says(page)
    before = says(page)
    page.get_by_text("Other draws").click()
    assert says(page) != before
    page.select_option("[data-name=axis]", "bits")
    assert page.get_by_text("kB from clients").count() == 2
    page.focus("[data-name=alpha]")
    page.keyboard.press("End")
    assert "less than here" in says(page)


@pytest.mark.parametrize(("motion", "round"), [("no-preference", 4), ("reduce", 2)])
def test_play_moves_on_and_calmly_where_asked(show, motion, round):
    """The player moves by itself, slower for readers who asked for less motion; it is silent while it does."""
    page = show("rounds", reduced_motion=motion)
    page.clock.install(time=0)
    page.clock.pause_at(1)
    page.get_by_text("Play", exact=True).click()
    page.clock.run_for(1300)
    assert says(page).startswith(f"Round {round}:")
    assert page.get_attribute(".says", "aria-live") == "off"
    page.get_by_text("Pause", exact=True).click()
    page.clock.run_for(5000)
    assert says(page).startswith(f"Round {round}:")
    assert page.get_attribute(".says", "aria-live") == "polite"


def test_the_calculator_takes_constants_and_refuses_nonsense(show):
    """A preset fills the fields; what is typed is used; a letter is marked and there is no bound."""
    page = show("theorem")
    page.select_option("[data-name=preset]", "ridge")
    assert page.input_value("[data-name=sup_h]") == "∞"
    page.select_option("[data-name=preset]", "toy on [1, 4]")
    page.get_by_text("Constants: look").click()
    page.fill("[data-name=L]", "2")
    given = explorables.theorem().state["constants"]
    fields = {name: float(given[name]) for name in ("v_min", "v_max", "C_star", "C_star_star", "sup_h", "sigma")}
    numbers = Constants(**fields, L=2.0, n=int(given["n"]))
    assert f"admits γ below {largest_gamma(numbers, 1.0):.3g} (as printed: " in says(page)
    assert f"{largest_gamma(numbers, 1.0, version='printed'):.3g})" in says(page)
    page.fill("[data-name=L]", "two")
    assert page.get_attribute("[data-name=L]", "aria-invalid") == "true"
    assert says(page) == "No bound: L must be finite and at least 0."
    page.fill("[data-name=L]", "1")
    page.focus("[data-name=p]")
    page.keyboard.press("End")
    assert says(page).startswith("Part (A)")
    rows = page.locator("tbody tr").all_inner_texts()
    assert any(row.startswith("bound") for row in rows)
