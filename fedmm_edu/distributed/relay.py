"""The line between a process that plays the rounds and one that reaches the nodes: requests one way, answers the other.

Frames are bytes, of which nothing is unpickled; who does not know the secret is refused. Whoever can call and says
nothing keeps the others waiting, so the line is a socket in the folder of the run, which is its user's alone; where
there are none (Windows), or its name is too long, a port of the loopback.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path

from fedmm_edu.distributed.engine import Engine

NOBODY = 2**64 - 1
"""Stands for a sender that the engine does not know."""
LONGEST_NAME = 100
"""Bytes of the name of a socket, which every system takes."""


def line_in(folder: Path) -> str:
    """An address for a relay in this folder: the name of a socket, or "host:port"."""
    name = str(folder / "relay")
    if hasattr(socket, "AF_UNIX") and len(os.fsencode(name)) <= LONGEST_NAME:
        return name
    return f"127.0.0.1:{free_port()}"


def free_port() -> int:
    """A port of this machine on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def relay(engine: Engine, address: str, secret: bytes) -> None:
    """Pass on to the engine what comes from the one who calls this address, until that one hangs up."""
    with Listener(_place(address), authkey=secret) as listener, _answered(listener) as line, suppress(EOFError):
        while True:
            requests = {k: raw for k, raw in frames(line) if k is not None}
            send(line, engine.exchange(requests))


def _answered(listener: Listener) -> Connection:
    """The line to the first who knows the secret."""
    while True:
        with suppress(AuthenticationError, EOFError, ConnectionError):
            return listener.accept()


def called(address: str, secret: bytes) -> Connection:
    """The line to a relay; `ConnectionRefusedError` or `FileNotFoundError` where none listens yet."""
    return Client(_place(address), authkey=secret)


def send(line: Connection, messages: Iterable[tuple[int | None, bytes]]) -> None:
    """Send messages, each with its node, and say that these were all."""
    for k, raw in messages:
        line.send_bytes((NOBODY if k is None else k).to_bytes(8, "big") + raw)
    line.send_bytes(b"")


def frames(line: Connection) -> Iterator[tuple[int | None, bytes]]:
    """The messages that come, each with its node, until the other side says that these were all."""
    while frame := line.recv_bytes():
        k = int.from_bytes(frame[:8], "big")
        yield None if k == NOBODY else k, frame[8:]


def _place(address: str) -> str | tuple[str, int]:
    if Path(address).is_absolute():
        return address
    host, _, port = address.rpartition(":")
    return host, int(port)
