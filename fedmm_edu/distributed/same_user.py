"""A program of Flower that serves its own user alone: on a machine of many, 127.0.0.1 is everybody's.

A superlink runs whatever app it is sent, its nodes as well, and Flower 1.41 has no keys for operators. Started by

    python -m fedmm_edu.distributed.same_user flower-superlink --insecure …

it answers only connections that a process of the same user (or root) has opened, as Linux tells in /proc/net/tcp. Where
there is no such file, on macOS and Windows, everybody is answered. Needs the extra `distributed`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from fedmm_edu.errors import InvalidInput, needs

with needs("distributed", "a program of Flower"):
    import uvicorn

TABLES = Path("/proc/net/tcp"), Path("/proc/net/tcp6")
"""The connections of this machine: local and remote address, state, …, the user in the eighth column."""
Scope = MutableMapping[str, Any]
Application = Callable[[Scope, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]


def same_user(app: Application) -> Application:
    """The application, which answers strangers with 403 and nothing else."""

    async def guarded(scope: Scope, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]):
        if scope["type"] == "lifespan" or not TABLES[0].exists() or _mine(scope):
            await app(scope, receive, send)
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": b"this is another user's\n"})
        else:
            await send({"type": "websocket.close"})

    return guarded


def _mine(scope: Scope) -> bool:
    client, server = scope.get("client"), scope.get("server")
    return client is not None and server is not None and user_of(client, server) in (os.getuid(), 0)


def user_of(client: tuple[str, int], server: tuple[str, int]) -> int | None:
    """Who has opened the connection from `client` to `server`, both of them "127.…" with a port; None where unknown."""
    try:
        local, remote = _written(*client), _written(*server)
        lines = [line for table in TABLES if table.exists() for line in table.read_text("ascii").splitlines()[1:]]
    except (OSError, ValueError):
        return None
    for line in lines:
        columns = line.split()
        if len(columns) > 7 and columns[1].endswith(local) and columns[2].endswith(remote):
            return int(columns[7])
    return None


def _written(host: str, port: int) -> str:
    """An address as the tables end with it: the four bytes as the machine keeps them, and the port."""
    number = int.from_bytes(bytes(map(int, host.split("."))), sys.byteorder)
    return f"{number:08X}:{port:04X}"


def main(arguments: list[str] | None = None) -> None:
    """Run the program, all of whose servers are guarded."""
    name, *rest = sys.argv[1:] if arguments is None else arguments
    found = [script for script in entry_points(group="console_scripts") if script.name == name]
    if not found or found[0].value.partition(".")[0] != "flwr":
        raise InvalidInput(f"{name} is no program of Flower: install the extra `distributed`.")
    plain = uvicorn.Config.__init__

    def guarded(self: uvicorn.Config, app: Any, *args: Any, **settings: Any) -> None:
        plain(self, same_user(app), *args, **settings)

    uvicorn.Config.__init__ = guarded  # type: ignore[method-assign]
    sys.argv = [name, *rest]
    found[0].load()()


if __name__ == "__main__":
    main()
