"""Lessons as slides in a browser: by keyboard, on a projector and a phone; nothing is answered before a guess.

Run by name after `make book`: `python -m pytest tests/browser/site_slides.py`. Nothing sleeps.
"""

import pytest

from book.generate.downloads import lessons
from tests.browser.site_forms import HELD

WIDTHS = {"projector": (1280, 720), "phone": (375, 700)}
FULL = """() => {
    const parts = [...document.querySelectorAll('[data-slide]')];
    const shown = parts.filter(e => e.checkVisibility() && !/^H[1-6]$/.test(e.tagName));
    return [shown.length, document.documentElement.scrollWidth <= innerWidth];
}"""


@pytest.mark.parametrize("place", WIDTHS)
@pytest.mark.parametrize("lesson", [path.stem for path in lessons()])
def test_a_lesson_is_shown_as_slides(chromium, address, lesson, place):
    """Every slide shows something, none is wider than the screen; a figure that answers waits for its guess."""
    width, height = WIDTHS[place]
    page = chromium.new_page(viewport={"width": width, "height": height})
    page.goto(f"{address}lessons/{lesson}.html")
    page.get_by_role("button", name="Show as slides").click()
    count = int(page.inner_text(".where").split("/")[1])
    assert count >= 5
    for _ in range(count):
        shown, fits = page.evaluate(FULL)
        assert shown
        assert fits, page.inner_text(".where")
        for question in page.locator(".predict:visible").all():
            assert not question.evaluate(HELD)
        page.keyboard.press("ArrowRight")
    assert page.inner_text(".where") == f"{count} / {count}"
    page.reload()
    page.wait_for_selector(".slides-bar")
    assert page.inner_text(".where") == f"{count} / {count}"
    page.keyboard.press("Home")
    for _ in range(count):
        if page.locator(".note.on").count():
            break
        page.keyboard.press("ArrowRight")
    before = page.evaluate(FULL)[0]
    page.keyboard.press("n")
    assert page.evaluate(FULL)[0] > before
    page.keyboard.press("Escape")
    assert page.locator(".slides-bar").count() == 0
    assert page.locator("article h2:visible").count() > 3
    page.close()
