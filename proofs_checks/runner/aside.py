"""One function in a process of its own, while others judge: its result is asked for later."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Generic, TypeVar

from proofs_checks.runner.workers import CONTEXT, environment

Result = TypeVar("Result")


class Aside(Generic[Result]):
    """Runs `function()` from now on. The process ends with its parent, however that ends."""

    def __init__(self, function: Callable[[], Result]) -> None:
        self._function = function
        self._pipe, theirs = CONTEXT.Pipe(duplex=False)
        self._process = CONTEXT.Process(target=_serve, args=(theirs, function), daemon=True)
        with environment():
            self._process.start()
        theirs.close()

    def result(self) -> Result:
        """What came out; where the process died, the function is called here, and raises here."""
        try:
            return self._pipe.recv()
        except EOFError:
            return self._function()
        finally:
            self._pipe.close()
            self._process.kill()  # it is done, or nobody waits for it
            self._process.join()


def _serve(pipe: Connection, function: Callable[[], object]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    with pipe, contextlib.suppress(BrokenPipeError):  # nobody may wait for it any more
        pipe.send(function())
