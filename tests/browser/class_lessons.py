"""The hours of lessons with two phones: a prediction, a classmate's surrogate refuted, a row attacked and amended.

Run by name: `make browser`, or `python -m pytest tests/browser/class_lessons.py`. Nothing sleeps.
"""

import re

import pytest

from fedmm_edu.classroom.judging import WORDINGS, wording
from tests.browser.class_hour import fits, opened, served, shown, write  # noqa: F401 (fixtures)

WRONG = {"phi": "-theta", "psi": "-log(theta)", "S_bar": "z", "T": "1/s^2"}


def joined(opened, addresses):  # noqa: F811
    """The teacher's page, and two phones in the room."""
    address, teaching = addresses
    teacher, phones = opened(1280, 800, "light"), [opened(375, 740, "light"), opened(360, 640, "dark")]
    teacher.goto(teaching)
    for page in phones:
        page.goto(address)
    shown(teacher, "2 here")
    return teacher, phones


def go_to(teacher, title):
    teacher.get_by_role("navigation").get_by_role("button", name=re.compile(f"{title}$")).click()
    teacher.get_by_role("heading", name=title).wait_for()


@pytest.mark.parametrize("served", [("--lesson", "7")], indirect=True)
def test_a_classmate_is_refuted(served, opened):  # noqa: F811
    """Lesson 7: the answer of a prediction shows after the last guess; lines that fail are refuted at a point."""
    teacher, phones = joined(opened, served)
    shown(phones[0], "Which of the three curvatures majorise?")
    for page in phones:
        assert teacher.get_by_text("The loss bends by at most").count() == 0
        page.get_by_text("½ and ¼").click()
        page.get_by_text("Lock my guess").click()
    for page in (teacher, *phones):
        shown(page, "The loss bends by at most")
    go_to(teacher, "Write the surrogate")
    write(phones[0], WRONG)
    shown(phones[0], "✗ Refuted")
    go_to(teacher, "A classmate's surrogate")
    shown(phones[1], "T = 1/s^2")
    form = phones[1].locator("form").nth(1)
    for s, theta, says in (("4", "1/16", "it holds here"), ("4", "1/4", "it fails here!")):
        form.locator("[name=s]").fill(s)
        form.locator("[name=theta]").fill(theta)
        form.get_by_role("button").click()
        shown(phones[1], says)
    shown(teacher, "fails: The surrogate at θ minus the surrogate at T(s)")
    fits(teacher, *phones)


@pytest.mark.parametrize("served", [("--lesson", "11")], indirect=True)
def test_a_row_is_attacked_and_amended(served, opened):  # noqa: F811
    """Lesson 11: each phone has a row; what it claims is locked, and then judged by the row's check."""
    teacher, phones = joined(opened, served)
    go_to(teacher, "One row each")
    shown(phones[0], "ssmm-mean")
    shown(phones[1], "ssmm-const-step")
    verdicts = [wording("ssmm-const-step", k)["status"] for k in range(WORDINGS)]
    fails, holds = verdicts.index("refuted"), verdicts.index("proved")
    cards = phones[1].locator(".card")
    cards.nth(fails).get_by_text("It fails").click()
    shown(phones[1], "You: it fails. ✗ refuted")
    cards.nth(holds).get_by_text("It holds").click()
    shown(phones[1], "You: it holds. ✓ proved")
    assert cards.nth(fails).get_by_role("button").count() == 0
    shown(teacher, "0 of 1")
    shown(teacher, "1 of 1")
    fits(teacher, *phones)
