"""The page of the checker: a labelled field for each part of a model, examples that can be read."""

from __future__ import annotations

import re

import pytest

from book.generate.checker import HINTS, checker_form, ready_examples
from book.generate.tree import BOOK
from fedmm_edu.symbolic.hypotheses.typed import TYPED_FIELDS, typed_model
from tests.literature import ENTRIES


@pytest.fixture(scope="module")
def ready():
    return ready_examples()


def test_every_part_of_a_model_has_a_labelled_field():
    form = checker_form()
    assert re.findall(r'<label for="checker-(\w+)">', form) == [*TYPED_FIELDS]
    assert re.findall(r'<textarea id="checker-(\w+)"', form) == [*TYPED_FIELDS]
    assert HINTS.keys() == {*TYPED_FIELDS}


def test_there_are_examples_of_both_kinds(ready):
    kinds = [example["kind"] for example in ready]
    assert min(kinds.count("right"), kinds.count("wrong")) >= 20


def test_an_example_is_the_surrogate_of_its_name(ready):
    """After the two of the toy: what is typed is what the literature's table judges, right or wrong."""
    for example in ready[2:]:
        entry = ENTRIES[example["name"]]
        typed, meant = typed_model(example["fields"]), entry.model
        assert (typed.theta, typed.s, typed.Theta, typed.S) == (meant.theta, meant.s, meant.Theta, meant.S)
        assert (example["kind"] == "wrong") == bool(entry.breaks)


def test_the_page_says_what_it_weighs_before_it_is_loaded():
    page = (BOOK / "checker.md").read_text(encoding="utf-8")
    assert page.index("{whole} MB, once") < page.index("{form}")
    assert "Load the checker ({whole} MB, once)" in page
