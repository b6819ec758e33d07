"""The door of a superlink to the network: it lets nodes through, and nobody else. Needs the extra `distributed`.

Flower 1.41 serves nodes and operators on one port, and knows keys of nodes only: whoever reaches the port may submit an
app, which the nodes then run. Behind this door the superlink listens on 127.0.0.1, where the operators of the server
are; from the network only `NODES`, the calls of nodes, which Flower authenticates, are passed on, as they are.

    python -m fedmm_edu.distributed.gate --listen 0.0.0.0:8000 --superlink localhost:8001 \\
        --ssl-certfile server.crt --ssl-keyfile server.key --root-certificates ca.crt
"""

from __future__ import annotations

import argparse
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fedmm_edu.errors import needs

with needs("distributed", "the door of a superlink"):
    import httpx
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route

NODES = re.compile(r"/v1/fleet/[a-z-]+")
"""The calls of nodes. (Flower: `/v1/control/…` are those of operators, `/v1/runtime/…` those of its own processes.)"""
HOP = frozenset({"host", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
                 "proxy-authenticate", "proxy-authorization", "content-encoding", "content-length"})  # fmt: skip
"""Headers that are between two neighbours, and end at the door."""
MOST = 64 * 2**20
"""Bytes of a call: nobody has proved yet who he is. (Flower cuts what it sends into parts of 20 MiB.)"""


def gate(superlink: httpx.AsyncClient) -> Starlette:
    """The door, as an application; `superlink` sends to what is behind it."""

    async def enter(request: Request) -> Response:
        path = request.scope.get("raw_path", b"").decode("latin-1")
        if request.method != "POST" or not NODES.fullmatch(path) or request.url.query:
            return PlainTextResponse("only nodes come in here; operators use the superlink on its own host\n", 403)
        body = await _taken(request)
        if body is None:
            return PlainTextResponse(f"a call has at most {MOST} bytes\n", 413)
        headers = [(k, v) for k, v in request.headers.items() if k.lower() not in HOP]
        asked = superlink.build_request("POST", path, headers=headers, content=body)
        try:
            answer = await superlink.send(asked)
        except httpx.HTTPError:
            return PlainTextResponse("the superlink does not answer\n", 502)
        kept = {k: v for k, v in answer.headers.items() if k.lower() not in HOP}
        return Response(answer.content, answer.status_code, kept)

    @asynccontextmanager
    async def alive(app: Starlette) -> AsyncIterator[None]:
        async with superlink:
            yield

    methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    return Starlette(routes=[Route("/{path:path}", enter, methods=methods)], lifespan=alive)


async def _taken(request: Request) -> bytes | None:
    """What comes with a call; None where it is too much."""
    parts, size = [], 0
    async for part in request.stream():
        parts.append(part)
        if (size := size + len(part)) > MOST:
            return None
    return b"".join(parts)


def main(arguments: list[str] | None = None) -> None:
    """Serve until somebody ends it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--listen", default="0.0.0.0:8000", help="where nodes come in (default 0.0.0.0:8000)")
    parser.add_argument("--superlink", default="localhost:8001", help="where the superlink is (default localhost:8001)")
    for name in ("--ssl-certfile", "--ssl-keyfile", "--root-certificates"):
        parser.add_argument(name, required=True, help="as of the superlink")
    args = parser.parse_args(arguments)
    host, _, port = args.listen.rpartition(":")
    if not host or not port.isdecimal() or len(port) > 5 or int(port) > 65535:
        parser.error(f"--listen {args.listen}: write HOST:PORT.")
    try:
        trusted = ssl.create_default_context(cafile=args.root_certificates)
        for file in (args.ssl_certfile, args.ssl_keyfile):
            Path(file).read_bytes()
    except (OSError, ValueError) as error:
        parser.error(f"a certificate or a key cannot be read ({error}): name files that are there.")
    behind = httpx.AsyncClient(base_url=f"https://{args.superlink}", verify=trusted, timeout=120.0, trust_env=False)
    uvicorn.run(
        gate(behind), host=host, port=int(port), ssl_certfile=args.ssl_certfile, ssl_keyfile=args.ssl_keyfile,
        log_level="warning", server_header=False,
    )  # fmt: skip


if __name__ == "__main__":
    main()
