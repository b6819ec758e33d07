"""One judgement: a claim's check on one form, or its non-vacuity instance, with its time and its errors caught."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from fedmm_edu.proofs.verdict import Step, Verdict, Witness, undecided
from proofs_checks import Rows, by_id
from proofs_checks.ledger import Claim

Outcome = Verdict | Witness
T = TypeVar("T")


class Part(NamedTuple):
    """One judgement of the claim with this id; `mutant` is the mutant's name where `kind` is "mutant"."""

    claim: str
    kind: Literal["printed", "amended", "charitable", "mutant", "non-vacuity"]
    mutant: str = ""


def claims_of(source: str) -> Mapping[str, Claim]:
    """The claims of the ledger that module `source` offers, by id."""
    return Rows() if source == Rows.__module__ else by_id(import_module(source).sections())


def judge(claims: Mapping[str, Claim], part: Part) -> Outcome:
    """The outcome of `part`. An exception, or a result of the wrong type, becomes an open verdict that quotes it."""
    start = time.perf_counter()
    try:
        outcome = _evaluate(claims[part.claim], part)
    except Exception as error:
        outcome = failure(error)
    seconds = time.perf_counter() - start
    return outcome.timed(seconds) if isinstance(outcome, Verdict) else outcome


def failure(error: BaseException) -> Verdict:
    """An open verdict that quotes `error` and the line that raised it."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = f"raised at {Path(last[0].filename).name}:{last[0].lineno}" if last else "raised by the runner"
    text = " ".join("".join(traceback.format_exception_only(error)).split())
    return undecided("error", Step(text, place))


def _evaluate(claim: Claim, part: Part) -> Outcome:
    if part.kind == "non-vacuity":
        return _of_type(Witness, claim.non_vacuity())
    form = claim.forms[f"mutant {part.mutant}" if part.kind == "mutant" else part.kind]
    return _of_type(Verdict, claim.check(**form))


def _of_type(wanted: type[T], value: object) -> T:
    if not isinstance(value, wanted):
        raise TypeError(f"returned {value!r}, expected a {wanted.__name__}")
    return value
