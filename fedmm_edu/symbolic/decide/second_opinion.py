"""cvc5 in a process of its own: started when it is first asked, it answers one problem after another. It may have to be
ended over one; the next problem then starts another."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from threading import Lock, Timer
from time import monotonic
from typing import IO, Literal, NamedTuple

Opinion = Literal["unsat", "sat", "unknown", "stopped"]
"""What it says, or that a clock ended it."""


class _Child(NamedTuple):
    process: Popen[str]
    problems: IO[str]
    answers: IO[str]


_ASKED = Lock()
_RUNNING: dict[int, _Child] = {}
"""By the process that asks: one that is forked does not read the answers of another."""


def ask_cvc5(script: str, *, steps: int, seconds: float) -> Opinion:
    """The opinion on an SMT-LIB problem, within `steps` of its own count; it is ended after `seconds` in any case."""
    with _ASKED:
        child, began, said = _RUNNING.get(os.getpid()) or _started(), monotonic(), ""
        clock = Timer(seconds, child.process.kill)
        clock.start()
        try:
            child.problems.write(f"{steps} {len(script)}\n{script}")
            child.problems.flush()
            said = child.answers.readline().strip()
        except BrokenPipeError:
            pass
        except BaseException:  # interrupted: this answer would be taken for that to the next problem
            child.process.kill()
            _end()
            raise
        finally:
            clock.cancel()
        if not said:
            return "stopped" if _end() < 0 or monotonic() - began >= seconds else "unknown"
    return said if said in ("sat", "unsat") else "unknown"


def _started() -> _Child:
    command = [sys.executable, str(Path(__file__).with_name("cvc5_child.py"))]
    process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    child = _RUNNING[os.getpid()] = _Child(process, process.stdin, process.stdout)
    return child


@atexit.register
def _end() -> int:
    """The exit status of this process's child, which ends when there are no more problems."""
    child = _RUNNING.pop(os.getpid(), None)
    if child is None:
        return 0
    child.answers.close()
    with contextlib.suppress(BrokenPipeError):
        child.problems.close()
    return child.process.wait()
