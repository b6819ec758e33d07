"""The page of the checker: a labelled field for each part of a model, examples that can be read."""

from __future__ import annotations

import re

import pytest

from book.generate.checker import HINTS, checker_form, ready_examples
from book.generate.tree import BOOK
from fedmm_edu.symbolic.hypotheses.typed import FORMULAS, SETS, SYMBOLS, typed_model
from tests.literature import ENTRIES

READY = ready_examples()


def test_every_part_of_a_model_has_a_labelled_field():
    form = checker_form()
    keys = (*SYMBOLS, *FORMULAS, *SETS)
    assert re.findall(r'<label for="checker-(\w+)">', form) == [*keys]
    assert re.findall(r'<textarea id="checker-(\w+)"', form) == [*keys]
    assert HINTS.keys() == set(keys)


def test_there_are_examples_of_both_kinds():
    kinds = [example["kind"] for example in READY]
    assert min(kinds.count("right"), kinds.count("wrong")) >= 20


@pytest.mark.parametrize("example", READY[2:], ids=lambda example: example["name"])
def test_an_example_is_the_surrogate_of_its_name(example):
    entry = ENTRIES[example["name"]]
    fields = typed_model(example["fields"], name=entry.model.name)
    assert (fields.theta, fields.s, fields.Theta, fields.S) == (
        entry.model.theta, entry.model.s, entry.model.Theta, entry.model.S)  # fmt: skip
    assert (example["kind"] == "wrong") == bool(entry.breaks)


def test_the_page_says_what_it_weighs_before_it_is_loaded():
    page = (BOOK / "checker.md").read_text(encoding="utf-8")
    assert page.index("{whole} MB, once") < page.index("{form}")
    assert "Load the checker ({whole} MB, once)" in page
