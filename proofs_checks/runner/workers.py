"""A pool of worker processes that survives its workers: a crash or an overrun costs one judgement, not the run."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import time
from collections.abc import Generator, Iterator, Sequence
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from fedmm_edu.proofs.verdict import Step, Verdict, undecided
from proofs_checks.runner.judge import Outcome, Part, claims_of, failure, judge

SELDOM = (100_000, 20, 100)
"""When rubbish is looked for. Expressions live long and are many: by default a tenth of the time goes into that."""
START_LIMIT = 120.0  # seconds for a worker to start and import the ledger

# A new interpreter per worker: threads cannot be forked safely, and BLAS reads its number of threads only once. The
# fixed hash seed keeps the order of sets, and with it the wording of evidence, the same from run to run. SymPy keeps a
# thousand answers of each of its functions; over many rows, more of them are asked for again.
CONTEXT = multiprocessing.get_context("spawn")
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "SYMPY_CACHE_SIZE": "50000",
}


def judge_all(parts: Sequence[Part], *, source: str, jobs: int, time_limit: float) -> Generator[tuple[Part, Outcome]]:
    """Each part with its outcome, as they finish. Leaves no process behind, however it ends."""
    queue = iter(parts)
    workers = [Worker(source, part, time_limit) for part in islice(queue, jobs)]
    try:
        while workers:
            timeout = max(0.0, min(worker.deadline for worker in workers) - time.monotonic())
            wait([worker.pipe for worker in workers], timeout)
            for worker in list(workers):
                outcome = worker.poll()
                if outcome is None:
                    continue
                yield worker.part, outcome
                part = next(queue, None)
                if part is not None and worker.alive:
                    worker.give(part)
                    continue
                worker.stop()
                workers.remove(worker)
                if part is not None:
                    workers.append(Worker(source, part, time_limit))
    finally:
        for worker in workers:
            worker.stop()


class Worker:
    """One process and the judgement it is busy with."""

    def __init__(self, source: str, part: Part, time_limit: float) -> None:
        self.pipe, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=_serve, args=(theirs, source))
        with environment():
            self.process.start()
        theirs.close()
        self.alive = True
        self.time_limit = time_limit
        self.give(part)

    def give(self, part: Part) -> None:
        """Hand over the next judgement. Its clock starts when the worker says that it has begun."""
        self.part = part
        self.deadline = time.monotonic() + START_LIMIT
        with contextlib.suppress(BrokenPipeError):  # a dead worker is noticed by `poll`, which reads its end of file
            self.pipe.send(part)

    def poll(self) -> Outcome | None:
        """The outcome if there is one by now; None while the worker is busy within its time."""
        if self.pipe.poll():
            try:
                message = self.pipe.recv()
            except (EOFError, ConnectionResetError):
                return self._died()
            if message is None:
                self.deadline = time.monotonic() + self.time_limit
            return message
        if time.monotonic() < self.deadline:
            return None
        self.stop()
        return undecided("time limit", Step("no answer in time", f"stopped after {self.time_limit:g} s"))

    def stop(self) -> None:
        """End the process and whatever it started; a second call does nothing."""
        if self.alive:
            self.alive = False
            _kill_group(self.process)
            self.process.join()
            self.pipe.close()

    def _died(self) -> Verdict:
        self.process.join(START_LIMIT)  # its pipe may close a moment before its exit code is known
        code = self.process.exitcode
        self.stop()
        return undecided("error", Step(f"the process ended with exit code {code}", "no verdict came"))


def _serve(pipe: Connection, source: str) -> None:
    """The worker's loop: None says that a judgement has begun, its outcome that it has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    if hasattr(os, "setsid"):
        os.setsid()  # a group of its own, so that `stop` also ends what a check has started
    gc.set_threshold(*SELDOM)
    claims = claims_of(source)
    while True:
        try:
            part = pipe.recv()
            pipe.send(None)
            outcome = judge(claims, part)
            try:
                pipe.send(outcome)
            except (TypeError, AttributeError, ValueError) as error:  # the outcome does not pickle
                pipe.send(failure(error))
        except (EOFError, OSError):  # the parent is gone
            return


def _kill_group(process: BaseProcess) -> None:
    """SIGKILL to the process and to the group that it leads (a worker between its start and `setsid` leads none)."""
    if process.pid is not None and hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


@contextlib.contextmanager
def environment() -> Iterator[None]:
    """`ENVIRONMENT` while a worker starts: it inherits what it finds."""
    before = {name: os.environ.get(name) for name in ENVIRONMENT}
    os.environ.update(ENVIRONMENT)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
