"""The record of what theorems say of the literature is of these models; one is asked again."""

from __future__ import annotations

import json

from book.generate.literature import theorems
from fedmm_edu.commands.theorem_own import DEMANDS
from tests.literature import ENTRIES
from tests.literature.answers import LEAST, ask, asked, read

RECORD = read()


def test_the_record_is_of_these_models():
    """All of them; renew it with `python -m tests.literature.answers --new`."""
    assert {name: answer.digest for name, answer in RECORD.items()} == {name: ENTRIES[name].digest for name in asked()}


def test_every_answer_names_a_theorem_or_what_is_missing():
    """Of each theorem one thing is said, in one place; who has none on its own 𝒮 is asked on a box, too."""
    for answer in RECORD.values():
        said = [*answer.applies, *(name for names in answer.missing.values() for name in names)]
        assert answer.given_up or sorted(said) == sorted(DEMANDS)
        assert all(answer.missing)
        assert answer.given_up or answer.applies or answer.box or LEAST not in answer.missing
    assert sum(bool(answer.applies) for answer in RECORD.values()) >= 16


def test_one_is_answered_as_in_the_record():
    name = "gradient step, least squares"
    again = ask(name)
    assert json.loads(json.dumps(vars(again))) == vars(RECORD[name])
    assert "own-any" in again.applies


def test_the_page_shows_all():
    page = theorems()
    assert page.count("  - no answer in time") == sum(answer.given_up for answer in RECORD.values())
    assert page.partition("###")[0].count("* - ") == len(RECORD) + 1
