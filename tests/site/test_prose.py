"""Numbers in the hand-written pages come from computations."""

import pytest

from book.generate.prose import measured_numbers
from tests.site.pages import written


@pytest.mark.parametrize("page", written().values(), ids=list(written()))
def test_no_page_states_a_measured_number(page):
    """No decimal fraction and no number with a unit stands bare in prose: print it in a cell, or use glue."""
    assert list(measured_numbers(page.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "text",
    [
        "It takes 6 to 13 seconds.",
        "off by 28 %",
        "an error of 1.1e-16",
        "| 5.4 GB |",
        "the gap is 0.712.",
        "(0.6, 12 MB)",
    ],
)
def test_the_lint_finds_a_measured_number(text):
    """In a sentence, in a table, in brackets."""
    assert list(measured_numbers(text))


@pytest.mark.parametrize(
    "text",
    [
        "ten clients, 8 bits, Lemma 3 of Section 2.3 and Appendices D.5 and D.7",
        "with γ = 0.2 and $\\gamma = 0.5$",
        "```{code-cell} ipython3\nprint(0.5)\n```",
        "run `--faults 0.3`, and {glue:text}`moved`",
        "Time: 45 minutes.",
    ],
)
def test_settings_formulas_and_code_are_no_measurements(text):
    """What a reader could not check anew is a measurement; what the author chose is not."""
    assert list(measured_numbers(text)) == []
