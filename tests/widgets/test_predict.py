"""Predict, commit, reveal: what answers is in the page, folded, and a block that reveals nothing stops its lesson."""

import re
from html import unescape
from json import loads
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import HTML, Markdown, display
from IPython.utils.capture import capture_output

from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.widgets import predict
from tests.widgets.test_explorables import call, javascript

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


@pytest.fixture
def shell():
    """IPython, whose displays are what a block shows."""
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def shown(block) -> str:
    """The HTML that a gated block leaves."""
    with capture_output() as found:
        block()
    (output,) = found.outputs
    assert found.stdout == ""
    return output.data["text/html"]


def test_what_answers_is_held_back(shell):
    """Text, formulas and elements stand in a closed fold; question, choices and answer in the data."""

    def block():
        with predict("Is 1 < 2?", "yes", "no") as reveal:
            print("1 < 2")
            display(Markdown("**so** $a < b$"))
            display(HTML("<b>!</b>"))
            reveal("yes", "count")

    page = shown(block)
    fold = re.search(r"<details><summary>[^<]*</summary>(.*?)</details>", page, re.DOTALL)
    assert fold
    assert "<pre>1 &lt; 2\n</pre>" in fold[1]
    assert r'<strong>so</strong> <span class="math notranslate nohighlight">\(a &lt; b\)</span>' in fold[1]
    assert "<b>!</b>" in fold[1]
    data = loads(unescape(re.findall(r'data-predict="([^"]*)"', page)[0]))
    assert data == {"asks": "Is 1 < 2?", "choices": ["yes", "no"], "answer": "yes", "why": "count"}


def test_several_may_be_ticked(shell):
    """The answer is a list in the order of the choices, perhaps of none; a single choice is no answer then."""
    for right, answer in (({"c", "a"}, ["a", "c"]), (set(), [])):

        def block(right=right):
            with predict("Which?", "a", "b", "c", several=True) as reveal:
                reveal(right)

        assert loads(unescape(re.findall(r'data-predict="([^"]*)"', shown(block))[0]))["answer"] == answer
    for wrong in ("a", {"a", "d"}):
        with pytest.raises(InvalidInput, match="choices"), predict("Which?", "a", "b", several=True) as reveal:
            reveal(wrong)


@pytest.mark.parametrize(
    ("choices", "answer", "error"),
    [(("yes", "no"), "perhaps", InvalidInput), (("yes", "no"), None, FedMMError), (("yes",), "yes", InvalidInput),
     (("yes", "yes"), "yes", InvalidInput)],
)  # fmt: skip
def test_a_block_must_reveal_one_of_its_choices(shell, choices, answer, error):
    def block():
        with predict("?", *choices) as reveal:
            if answer:
                reveal(answer)

    with pytest.raises(error):
        shown(block)


def test_an_error_in_a_block_is_the_reader_s_to_see(shell):
    with pytest.raises(ZeroDivisionError), predict("?", "yes", "no"):
        _ = 1 / 0


def test_the_page_says_what_was_guessed():
    data = {"answer": "no", "why": "It lies above."}
    said = javascript("predict.js", [call("verdict", data, guess) for guess in ("no", "yes")])
    assert said == ["You said “no”, and so it is. It lies above.", "You said “yes”. It is “no”. It lies above."]
    data = {"answer": ["a", "c"], "why": "They fit.", "choices": ["a", "b", "c"]}
    said = javascript("predict.js", [call("verdict", data, guess) for guess in (["c", "a"], ["a", "b"])])
    assert said == [
        "You said “c”, “a”, and so it is. They fit.",
        "You said “a”, “b”: 1 of 3 boxes as they should be. It is “a”, “c”. They fit.",
    ]


def test_the_lessons_ask_before_they_answer():
    """At least one question in each lesson, twenty in all; the code that has the answer is folded."""
    found = {}
    for lesson in sorted(NOTEBOOKS.glob("[0-9]*.md")):
        cells = re.findall(r"(?ms)^```\{code-cell\} ipython3\n(.*?)^```$", lesson.read_text("utf-8"))
        gated = [cell for cell in cells if "with predict(" in cell]
        assert all("tags: [hide-input]" in cell and "source_hidden: true" in cell for cell in gated)
        found[lesson.stem] = len(gated)
    assert min(found.values()) >= 1
    assert sum(found.values()) >= 20
