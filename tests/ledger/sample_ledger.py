"""A tiny ledger for the tests of the runner: honest claims about numbers, and on demand some that misbehave."""

from __future__ import annotations

import os
import threading
from fractions import Fraction

from fedmm_edu.proofs.verdict import Step, Verdict, Witness, proved, refuted
from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.quotes import Quote
from proofs_checks.reading import Reading


def square_identity(a: int, b: int, c: int) -> Verdict:
    """(x + 1)² = a x² + b x + c for all x: two polynomials of degree 2 that agree at 3 points are equal."""
    for x in map(Fraction, (0, 1, -1)):
        left, right = (x + 1) ** 2, a * x**2 + b * x + c
        if left != right:
            says = f"left {left}, right {right}"
            return refuted("evaluation", Witness({"x": str(x)}, says, {"left": str(left), "right": str(right)}))
    return proved("identity", Step("$(x+1)^2$ agrees at $x \\in \\{0, 1, -1\\}$", "degree 2, so 3 points suffice"))


def amgm(factor: int) -> Verdict:
    """factor · x y ≤ x² + y² for all x, y ≥ 0: the difference is a square iff factor ≤ 2."""
    if factor <= 2:
        return proved("factorisation", Step("$x^2 + y^2 - 2xy = (x-y)^2$", "a square is $\\ge 0$"))
    return refuted("evaluation", Witness({"x": "1", "y": "1"}, f"{factor} > 2 at $x = y = 1$"))


def raises() -> Verdict:
    """A check with a mistake in it."""
    raise ZeroDivisionError("1/0 in the check")


def dies() -> Verdict:
    """A check that takes its process with it."""
    os._exit(7)


def hangs() -> Verdict:
    """A check that never answers."""
    threading.Event().wait()
    raise AssertionError("unreachable")


def unpicklable() -> Verdict:
    """A check whose verdict cannot travel."""
    return proved("identity", Step("holds", threading.Lock()))  # pyright: ignore


def wrong_type() -> Verdict:
    """A check that forgets to build a verdict."""
    return True  # pyright: ignore


def a_point() -> Witness:
    return Witness({"x": "1/2"}, "x is real")


def no_point() -> Witness:
    raise ValueError("the hypotheses contradict each other")


ODD_SWITCH = "SAMPLE_LEDGER_ODD"  # an environment variable, for it must reach the worker processes

GOOD = [
    Claim(
        id="square",
        quote=(Quote(10, 10, r"for all $\param$ we have $\pscal{x}{y} \eqdef (x+1)^2$"),),
        where="Lesson 1, eq. (1)",
        lines="L 10",
        statement="$(x+1)^2 = x^2 + 2x + 1$ for all $x$",
        hypotheses=("$x \\in \\mathbb{R}$",),
        check=square_identity,
        form={"a": 1, "b": 2, "c": 1},
        expected="proved",
        mutants={"b = 1": {"a": 1, "b": 1, "c": 1}, "c = 0": {"a": 1, "b": 2, "c": 0}},
        non_vacuity=a_point,
    ),
    Claim(
        id="amgm",
        quote=(Quote(12, 13, "$3xy \\leq x^2\n+ y^2$"),),
        where="Lesson 1, eq. (2) <b>",
        lines="L 12",
        statement="$3xy \\le x^2 + y^2$ for all $x, y$ & more",
        check=amgm,
        form={"factor": 3},
        expected="refuted",
        reading=Reading.FALSE,
        context=Context("$x$ and $y$ are real"),
        amended=Amended("$2xy \\le x^2 + y^2$", {"factor": 2}, "2 in place of 3", "the bound is used at $x = y$"),
        mutants={"4": {"factor": 4}},
        non_vacuity=a_point,
    ),
]


def _odd(name: str, check, **changes) -> Claim:
    fields = {
        "quote": (Quote(20, 20, "it answers"),),
        "form": {},
        "mutants": {"itself": {}},
        "non_vacuity": a_point,
        "expected": "proved",
        **changes,
    }
    return Claim(id=name, where="Lesson 2", lines="L 20", statement=f"{name} answers", check=check, **fields)


ODD = [
    _odd("raises", raises),
    _odd("dies", dies),
    _odd("hangs", hangs),
    _odd("unpicklable", unpicklable),
    _odd("wrong-type", wrong_type),
    _odd("vacuous", amgm, form={"factor": 2}, mutants={"3": {"factor": 3}}, non_vacuity=no_point),
    _odd("mutant-survives", amgm, form={"factor": 2}, mutants={"1": {"factor": 1}}),
    _odd("surprise", amgm, form={"factor": 3}, mutants={"3": {"factor": 3}}),
]


def sections() -> list[tuple[str, list[Claim]]]:
    """The good section, and the odd one if the environment asks for it."""
    found = [("1. Squares", list(GOOD))]
    if os.environ.get(ODD_SWITCH):
        found.append(("2. Misbehaving checks", list(ODD)))
    return found
