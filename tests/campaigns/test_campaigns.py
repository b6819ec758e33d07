"""A short run of each campaign, and the proof that each can fail: a planted failure is found."""

from __future__ import annotations

import gc
import sys
import time
import weakref
from itertools import islice
from random import Random

import numpy as np
import pytest

from book.generate.campaigns import campaigns_page
from fedmm_edu.distributed import node, server
from fedmm_edu.errors import InvalidInput
from fedmm_edu.studies import tasks
from tests.campaigns import FULL, commands, files, inputs, messages, schedules
from tests.campaigns.campaign import Tally, Try, judge, run
from tests.campaigns.record import read


@pytest.mark.parametrize("name", FULL)
def test_a_short_run_of_a_campaign_ends_with_no_failure(name):
    """`python -m tests.campaigns` makes the long one."""
    *_, tally = run(FULL[name].tries, FULL[name].short, seed=7)
    assert tally.failed == []
    assert tally.tried == FULL[name].short == tally.held + len(tally.slow)


def test_the_page_counts_what_was_tried_in_full():
    """Each campaign that there is, at its full number, each try once, and no failure."""
    found, page = read(), campaigns_page()
    assert set(found) == set(FULL)
    for name, counts in found.items():
        assert counts.add_up
        assert (counts.tried, counts.failed) == (FULL[name].full, 0)
        numbers = "\n  - ".join(f"{number:,}" for number in (counts.tried, counts.held, counts.slow, 0))
        assert f"* - {name}\n  - {numbers}\n" in page


def test_tries_repeat_and_differ():
    for campaign in FULL.values():
        first, again = ([one.what for one in islice(campaign.tries(Random(5)), 12)] for _ in range(2))
        assert first == again
        assert len(set(first)) > 8


def _busy(*_):
    end = time.process_time() + 0.02
    while time.process_time() < end:
        pass


def _collects():
    for _ in range(10):
        gc.collect(0)  # the youngest objects: all that thousands of tests have left would take a second each time


def _finalizes():
    class Left:
        pass

    for _ in range(10):
        left = Left()
        weakref.finalize(left, _busy)
        del left


@pytest.mark.parametrize("loses", [_collects, _finalizes])
def test_a_try_whose_time_is_up_where_exceptions_are_lost_is_stopped_too(loses, monkeypatch):
    """Hypothesis has a callback of the collector, NumPy and Python's own files have finalizers."""
    lost, tally = [], Tally()
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    gc.callbacks.append(_busy)
    try:
        judge(Try("loses", lambda: (loses(), _busy())[0]), tally, 0.01)
    finally:
        gc.callbacks.remove(_busy)
    assert tally.slow == ["loses"]
    assert not lost
    assert sys.unraisablehook == lost.append


def test_what_else_is_lost_in_a_finalizer_is_reported(monkeypatch):
    def act():
        left = Tally()
        weakref.finalize(left, lambda: 1 / 0)

    lost = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    judge(Try("divides", act), Tally(), 10.0)
    assert [report.exc_type for report in lost] == [ZeroDivisionError]


def _failures(tries, count=300):
    tally = Tally()
    for tally in run(tries, count, seed=1):
        if tally.failed:
            break
    return tally.failed


def test_a_parser_that_raises_something_else_is_caught(monkeypatch):
    def careless(raw, kind, fields, secret=b""):
        import json

        body = raw[36:]
        return json.loads(body[4 : 4 + int.from_bytes(body[:4], "little")])["plain"]

    messages._standing()
    monkeypatch.setattr("fedmm_edu.distributed.messages.unpack", careless)
    assert _failures(messages.tries)


def test_a_server_that_takes_any_number_is_caught(monkeypatch):
    messages._standing()
    monkeypatch.setattr(server, "too_large", lambda *_: ())
    assert any("x = " in what for what in _failures(messages.tries, 4000))


def test_a_node_that_commits_what_was_not_accepted_is_caught(monkeypatch):
    monkeypatch.setattr(
        node.Node, "_at", lambda self, base, state: self._committed(state) if state and state.reply else state
    )
    assert _failures(schedules.tries, 5)


def test_a_reader_that_lets_errors_pass_is_caught(monkeypatch):
    def careless(path, what, otherwise):
        with np.load(path) as found:
            return dict(found)

    files._whole("kept run")
    monkeypatch.setattr(tasks, "read_arrays", careless)
    assert _failures(files.tries)


def test_an_input_that_is_changed_or_taken_as_it_is_is_caught(monkeypatch):
    def careless(name, value):
        if (
            hasattr(value, "data")
            and isinstance(value, np.ndarray)
            and value.flags.writeable
            and value.dtype.kind == "f"
        ):
            value *= 2.0
        return np.asarray(value, dtype=float)

    monkeypatch.setattr("fedmm_edu.federation.clients._samples", careless)
    assert _failures(inputs.tries, 1500)


def test_a_command_with_a_traceback_is_caught(monkeypatch):
    def careless(arguments):
        raise ZeroDivisionError

    monkeypatch.setattr("fedmm_edu.cli._called", careless)
    assert _failures(commands.tries, 3)


def test_an_error_without_a_sentence_and_one_without_end_are_caught():
    for text in ("", "x" * 5000):
        tally = Tally()

        def act(text=text):
            raise InvalidInput(text)

        judge(Try("it", act), tally)
        assert tally.failed
