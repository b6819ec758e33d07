"""What a campaign is: tries that a seed makes, each of which holds or fails, and says why."""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from types import TracebackType
from typing import NamedTuple

from fedmm_edu.errors import FedMMError


class Try(NamedTuple):
    """`act()` returns None where the promise holds, else what is wrong; an exception that is none of ours is wrong."""

    what: str
    act: Callable[[], str | None]


@dataclass
class Tally:
    """What a campaign saw. slow: what took more processor time than the limit: no failure."""

    tried: int = 0
    held: int = 0
    slow: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


class Slow(BaseException):
    """The time of one try is up. (No `Exception`: nobody but the campaign may catch it.)"""


def judge(one: Try, tally: Tally, seconds: float = 10.0) -> None:
    """Make one try."""
    tally.tried += 1
    try:
        with _limited(seconds), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wrong = one.act()
    except Slow:
        tally.slow.append(one.what)
        return
    except FedMMError as error:
        wrong = None if _says(error) else f"an error without a sentence: {error!r}"
    except BaseException as error:  # whatever leaves an interface and is no error of ours
        wrong = f"{type(error).__name__}: {str(error)[:200]} ({_where(error.__traceback__)})"
    if wrong is None:
        tally.held += 1
    else:
        tally.failed.append(f"{one.what}: {wrong}")


def run(tries: Callable[[Random], Iterator[Try]], count: int, seed: int, seconds: float = 10.0) -> Iterator[Tally]:
    """The tally after each of `count` tries."""
    tally, made = Tally(), tries(Random(f"{tries.__module__} {seed}"))
    for _, one in zip(range(count), made, strict=False):
        judge(one, tally, seconds)
        yield tally


def _says(error: FedMMError) -> bool:
    """Whether an error of ours has a message of bounded length."""
    return 10 <= len(str(error)) <= 4000


def _where(trace: TracebackType | None) -> str:
    place = "?"
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f"{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """`Slow` after so many seconds of the processor, and again each second until it gets through.

    What a finalizer or a callback of the garbage collector raises is lost and only reported: then it comes again.
    """
    if sys.platform == "win32":
        yield
        return

    def stop(*_: object) -> None:
        raise Slow

    def lost(report: sys.UnraisableHookArgs) -> None:
        if report.exc_type is Slow:
            signal.setitimer(signal.ITIMER_PROF, 0.001, 1.0)
        else:
            reports(report)

    before, reports = signal.signal(signal.SIGPROF, stop), sys.unraisablehook
    sys.unraisablehook = lost
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
        sys.unraisablehook = reports
