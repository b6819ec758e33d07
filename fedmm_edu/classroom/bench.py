"""Processes in which formulas from phones are read and judged: with a time limit, a memory limit and a bounded queue.

A formula is never evaluated, but reading one may be made to take for ever; then its process is killed, and no other
work notices. Jobs and answers cross as JSON.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Lock
from typing import Any

from fedmm_edu.classroom.judging import by_point, judge, wording
from fedmm_edu.classroom.problem import by_idea
from fedmm_edu.errors import FedMMError, InvalidInput

MEMORY = 4 * 2**30
"""Bytes of address space of a process, where the system can limit them."""
WORK: Mapping[str, Callable[..., Mapping[str, Any]]] = {
    "judge": judge, "by_idea": by_idea, "by_point": by_point, "wording": wording,
}  # fmt: skip


class TooLong(FedMMError):
    """A job was stopped by the clock, or its process died."""


class _Process:
    """One process that answers jobs, started again after a job that had to be stopped."""

    def __init__(self) -> None:
        self.closed = False
        self._start()

    def _start(self) -> None:
        context = get_context("spawn")
        self.ours, theirs = context.Pipe()
        self.process = context.Process(target=_answer, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, name: str, arguments: tuple, seconds: float) -> Mapping[str, Any]:
        try:
            self.ours.send_bytes(json.dumps([name, arguments]).encode())
            if self.ours.poll(seconds):
                return json.loads(self.ours.recv_bytes())
        except (OSError, EOFError):
            pass
        self.stop()
        if not self.closed:
            self._start()
        raise TooLong(f"no answer within {seconds:g} seconds")

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.ours.close()


class Bench:
    """A few processes, and at most `most` jobs that wait for them; equal jobs are done once."""

    def __init__(self, *, processes: int = 2, seconds: float = 40.0, most: int = 100) -> None:
        self.seconds, self.most = seconds, most
        self._free: SimpleQueue[_Process] = SimpleQueue()
        self._all = [_Process() for _ in range(processes)]
        for process in self._all:
            self._free.put(process)
        self._threads = ThreadPoolExecutor(processes)
        self._known: dict[str, Future[Mapping[str, Any]]] = {}
        self._waiting, self._lock = 0, Lock()

    def submit(self, name: str, *arguments: Any) -> Future[Mapping[str, Any]]:
        """The answer of `WORK[name]`, later; it raises `TooLong` where there is none in time."""
        key = json.dumps([name, arguments])
        with self._lock:
            if key in self._known:
                return self._known[key]
            if self._waiting >= self.most:
                raise InvalidInput("the checker has its hands full: try again in a moment.")
            self._waiting += 1
            future = self._threads.submit(self._work, name, arguments)
            if len(self._known) < 10_000:
                self._known[key] = future
            return future

    def _work(self, name: str, arguments: tuple) -> Mapping[str, Any]:
        process = self._free.get()
        try:
            return process.ask(name, arguments, self.seconds)
        finally:
            self._free.put(process)
            with self._lock:
                self._waiting -= 1

    def close(self) -> None:
        """Stop the processes; jobs under way end with `TooLong`."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._all:
            process.closed = True
            process.process.kill()  # whoever waits for it hears the end, and cleans up


def _answer(connection: Connection) -> None:
    """The life of a process: a job, an answer, until the other end is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to hear
    with suppress(ImportError, OSError, ValueError):  # only where the system can
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with suppress(EOFError, OSError):
        while True:
            name, arguments = json.loads(connection.recv_bytes())
            try:
                answer = dict(WORK[name](*arguments))
            except Exception as error:  # a failure of ours must not look like a verdict
                answer = {"failed": f"{type(error).__name__}: {error}"[:300]}
            connection.send_bytes(json.dumps(answer, allow_nan=False).encode())
