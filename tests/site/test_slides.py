"""Slides of a lesson: which part is on which, and what is a note. The mode itself is tried by `tests/browser`."""

from base64 import b64encode

import numpy as np
import pytest

from book.generate.tree import BOOK
from tests.widgets.test_explorables import call, javascript

SCRIPT = (BOOK / "static" / "slides.js").read_text("utf-8")
MODULE = "data:text/javascript;base64," + b64encode(f"{SCRIPT}\nexport {{ divide }};".encode()).decode()
HEAD, FIGURE, LIST, CODE, ASIDE = ({"kind": kind} for kind in ("head", "figure", "list", "code", "aside"))
TEXT, LONG, STRONG = {"kind": "text"}, {"kind": "text", "long": True}, {"kind": "text", "strong": True, "long": True}


def divided(*parts: dict) -> tuple[list[int], str]:
    """The slide of each part, and a letter for each: s shown, n a note."""
    (places,) = javascript(MODULE, [call("divide", list(parts))])
    return [place["slide"] for place in places], "".join("sn"[place["note"]] for place in places)


@pytest.mark.parametrize(
    ("parts", "slides", "shown"),
    [
        pytest.param((HEAD, LONG, STRONG), [0, 0, 0], "sss", id="without a figure all text is shown"),
        pytest.param((HEAD, LONG, STRONG, FIGURE, TEXT), [0] * 5, "snssn", id="beside one only what is bold"),
        pytest.param((HEAD, TEXT, FIGURE, TEXT, FIGURE), [0, 0, 0, 1, 1], "sssss", id="a second figure and its lead"),
        pytest.param((HEAD, FIGURE, LONG, FIGURE), [0, 0, 0, 1], "ssns", id="a long text belongs to what it follows"),
        pytest.param(
            (HEAD, HEAD, FIGURE, HEAD, FIGURE), [0, 0, 0, 1, 1], "sssss", id="headings begin, one after another"
        ),
        pytest.param((HEAD, LONG, LIST, FIGURE, LIST), [0] * 5, "sssss", id="a list and what it belongs to"),
        pytest.param((TEXT, ASIDE, CODE), [0, 0, 0], "snn", id="asides and code are never shown"),
    ],
)
def test_parts_are_divided(parts, slides, shown):
    assert divided(*parts) == (slides, shown)


def test_no_slide_has_two_figures_and_none_is_lost():
    """Over many orders of parts: numbers run on without a hole, each slide has at most one figure."""
    kinds = (HEAD, FIGURE, LIST, CODE, ASIDE, TEXT, LONG, STRONG)
    rng = np.random.default_rng(0)
    lessons = [[kinds[k] for k in rng.integers(len(kinds), size=40)] for _ in range(20)]
    found = 0
    for parts, places in zip(lessons, javascript(MODULE, [call("divide", parts) for parts in lessons]), strict=True):
        slides = [place["slide"] for place in places]
        assert sorted(set(slides)) == list(range(slides[-1] + 1))
        assert slides == sorted(slides)
        figures = [slide for slide, part in zip(slides, parts, strict=True) if part["kind"] == "figure"]
        assert len(figures) == len(set(figures))
        found += len(figures)
        assert not any(place["note"] for place, part in zip(places, parts, strict=True) if part["kind"] == "figure")
    assert found > 40
