"""What a reader of the pages alone can do: lock guesses, see what they held back, answer exercises.

Run by name after `make book`: `python -m pytest tests/browser/site_forms.py`. Nothing sleeps.
"""

import pytest

from book.generate.downloads import lessons

FEWEST = {"predict": 20, "sheet": 30}
"""Guesses to lock and exercises to answer, on all pages of lessons."""
HELD = "el => [...el.querySelectorAll(':scope > details :is(img, pre, p)')].some(e => e.checkVisibility())"


@pytest.fixture(scope="module")
def found():
    """How many questions and forms the pages have had."""
    return dict.fromkeys(FEWEST, 0)


@pytest.mark.parametrize("lesson", [path.stem for path in lessons()])
def test_a_page_asks_and_answers(chromium, address, found, lesson):
    """Nothing that is held back shows before a guess is locked; then all of it does, and still after a reload.

    Each form says something to an empty answer, and never calls it right; the keyboard suffices.
    """
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"{address}lessons/{lesson}.html")
    questions, forms = page.locator(".predict"), page.locator(".sheet")
    assert questions.count() >= 1
    for k in range(questions.count()):
        question = questions.nth(k)
        assert not question.evaluate(HELD)
        question.get_by_role("button", name="Lock my guess").press("Enter")
        assert "Choose one" in question.locator(".says").inner_text()
        boxes = question.locator("input[type=radio], input[type=checkbox]")
        boxes.last.press("Space")
        question.get_by_role("button", name="Lock my guess").press("Enter")
        assert question.evaluate(HELD)
        assert question.locator(".says").inner_text().startswith("You said")
        assert all(boxes.nth(j).is_disabled() for j in range(2))
    for k in range(forms.count()):
        form = forms.nth(k)
        form.get_by_role("button", name="Check").press("Enter")
        assert form.locator(".says").inner_text().startswith(("✗", "✓"))
        if form.get_by_role("textbox").count():
            form.get_by_role("textbox").fill("banana")
            form.get_by_role("button", name="Check").press("Enter")
            assert "Wanted:" in form.locator(".says").inner_text()
    page.reload()
    assert all(questions.nth(k).evaluate(HELD) for k in range(questions.count()))
    questions.first.get_by_role("button", name="Ask me again").press("Enter")
    assert not questions.first.evaluate(HELD)
    found["predict"] += questions.count()
    found["sheet"] += forms.count()
    context.close()


def test_a_right_answer_is_right_on_the_page(chromium, address):
    """A number as a fraction, a slip with its hint, a set of words."""
    page = chromium.new_page()
    page.goto(f"{address}lessons/05_aggregate_where.html")
    first, last = page.locator(".sheet").first, page.locator(".sheet").last
    for answer, says in (("5/6", "✓ Right."), ("0.833", "✓ Right."), ("2/3", "The weights are"), ("7", "✗ Not yet.")):
        first.get_by_role("textbox").fill(answer)
        first.get_by_role("button", name="Check").press("Enter")
        assert says in first.locator(".says").inner_text()
    for word, says in (("ridge", "without a penalty"), ("none", "✓ Right."), ("l1", "counterexample")):
        last.get_by_label(word, exact=True).check()
        last.get_by_role("button", name="Check").press("Enter")
        assert says in last.locator(".says").inner_text()
    page.close()


def test_there_is_enough_to_do(found):
    """On all pages together; run with the tests above."""
    assert all(found[kind] >= fewest for kind, fewest in FEWEST.items()), found
