"""cvc5 in a process of its own: one for many problems, another one after it had to be ended."""

from __future__ import annotations

import os
import signal
from typing import IO, cast

import pytest

from fedmm_edu.examples.quadratic import model as quadratic
from fedmm_edu.symbolic.decide import second_opinion
from fedmm_edu.symbolic.decide.second_opinion import ask_cvc5
from fedmm_edu.symbolic.hypotheses import check
from fedmm_edu.symbolic.hypotheses.check import judge_row

SQUARE = "(set-logic QF_NRA)(declare-const x Real)(assert (< (* x x) {}))(check-sat)"
HARD = """(set-logic QF_NRA)
(declare-const u Real)(declare-const v Real)(declare-const k Real)(assert (> k 0.0))
(declare-const s Real)(declare-const t Real)
(declare-const m Real)(assert (= (* m m) (+ (* s s) (* t t))))(assert (>= m 0.0))(assert (>= (+ k (* (- 1.0) m)) 0.0))
(declare-const n Real)(assert (= (* n n) (+ (* u u) (* v v))))(assert (>= n 0.0))
(assert (> (+ (* u s) (* v t) (* (- 1.0) k n)) 0.0))
(assert (>= (* n m) (+ (* u s) (* v t))))(assert (>= (* n m) (+ (* u t) (* v s))))(check-sat)"""
"""A multiple of a norm and a product: an algebraic computation of minutes, in which no steps are counted."""
STEPS, SECONDS = 250_000, 60.0


def process() -> int:
    return second_opinion._RUNNING[os.getpid()].process.pid


def test_one_process_answers_one_problem_after_another() -> None:
    """Each by itself: names of an earlier problem are free again."""
    found = [ask_cvc5(SQUARE.format(bound), steps=STEPS, seconds=SECONDS) for bound in ("0.0", "1.0", "0.0")]
    assert found == ["unsat", "sat", "unsat"]
    first = process()
    assert ask_cvc5("(assert (= 1 nonsense))", steps=STEPS, seconds=SECONDS) == "unknown"
    assert ask_cvc5(SQUARE.format("0.0"), steps=STEPS, seconds=SECONDS) == "unsat"
    assert process() == first


def test_one_that_is_ended_over_a_problem_says_so_and_the_next_one_answers() -> None:
    assert ask_cvc5(HARD, steps=STEPS, seconds=0.3) == "stopped"
    assert os.getpid() not in second_opinion._RUNNING
    assert ask_cvc5(SQUARE.format("1.0"), steps=STEPS, seconds=SECONDS) == "sat"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no such signal")
def test_one_that_died_between_two_problems_is_no_answer_to_the_next() -> None:
    ask_cvc5(SQUARE.format("1.0"), steps=STEPS, seconds=SECONDS)
    os.kill(process(), signal.SIGKILL)
    second_opinion._RUNNING[os.getpid()].process.wait()
    assert ask_cvc5(SQUARE.format("0.0"), steps=STEPS, seconds=SECONDS) == "stopped"
    assert ask_cvc5(SQUARE.format("0.0"), steps=STEPS, seconds=SECONDS) == "unsat"


def test_an_interrupted_question_leaves_no_answer_for_the_next() -> None:
    ask_cvc5(SQUARE.format("1.0"), steps=STEPS, seconds=SECONDS)
    child = second_opinion._RUNNING[os.getpid()]

    class Interrupted:
        def readline(self) -> str:
            raise KeyboardInterrupt

        def close(self) -> None:
            child.answers.close()

    second_opinion._RUNNING[os.getpid()] = child._replace(answers=cast("IO[str]", Interrupted()))
    with pytest.raises(KeyboardInterrupt):
        ask_cvc5(SQUARE.format("1.0"), steps=STEPS, seconds=SECONDS)
    assert child.process.poll() is not None
    assert ask_cvc5(SQUARE.format("0.0"), steps=STEPS, seconds=SECONDS) == "unsat"


def test_nobody_waits_for_an_opinion_on_a_norm(monkeypatch: pytest.MonkeyPatch) -> None:
    """That T minimises with a group penalty is what the kernel says: no solver is asked for the inequality of norms."""
    model = quadratic.models()["least squares, group l1"]
    monkeypatch.setattr(check.mm2, "minimizes", lambda *_, **__: pytest.fail("the search was asked"))
    verdict = judge_row(model, "MM-2: T minimizes")
    assert (verdict.status, verdict.method) == ("proved", "certificate")
