"""The door of a superlink: nodes come through with what they send, operators and everybody else do not."""

import asyncio

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from fedmm_edu.distributed import gate as gate_module
from fedmm_edu.distributed.gate import gate


def _through(method, path, **more):
    """What comes back through the door, and what reached the superlink behind it."""
    reached = []

    async def superlink(request):
        reached.append((request.method, request.url.path, dict(request.headers), await request.body()))
        return Response(b"\0answer", 207, {"flower": "said"})

    async def call():
        behind = Starlette(routes=[Route("/{path:path}", superlink, methods=["GET", "POST", "PUT"])])
        inner = httpx.AsyncClient(transport=httpx.ASGITransport(behind), base_url="http://superlink")
        async with httpx.AsyncClient(transport=httpx.ASGITransport(gate(inner)), base_url="http://gate") as client:
            return await client.request(method, path, **more)

    return asyncio.run(call()), reached


def test_a_call_of_a_node_passes_as_it_is():
    found, reached = _through("POST", "/v1/fleet/pull-messages", content=b"\xffwhat", headers={"flwr-key": "a key"})
    ((method, path, headers, body),) = reached
    assert (method, path, body, headers["flwr-key"]) == ("POST", "/v1/fleet/pull-messages", b"\xffwhat", "a key")
    assert (found.status_code, found.content, found.headers["flower"]) == (207, b"\0answer", "said")


PATHS = ["/v1/control/start-run", "/v1/control/register-node", "/v1/runtime/push-messages", "/docs", "/openapi.json",
"/", "//",
         "/v1/fleet/../control/start-run", "/v1/fleet/%2e%2e/control/start-run",
         "/v1/fleet/%2e%2e%2fcontrol%2fstart-run",
         "//v1/fleet/get-run", "/v1/fleet/", "/v1/fleet/get-run/", "/v1/fleet/get-run?x=1", "/V1/FLEET/get-run",
         "/v1/fleet/get-run%0a", "/v1/fleet/get-run;x", "/v1/fleet/../fleet/../control/stop-run"]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_nothing_else_reaches_the_superlink(path):
    for method in ("POST", "GET", "PUT"):
        found, reached = _through(method, path)
        assert found.status_code == 403
        assert reached == []


def test_a_call_without_end_is_not_kept(monkeypatch):
    """Whoever reaches the door may send: no more of it is kept than a node has to say."""
    monkeypatch.setattr(gate_module, "MOST", 1000)
    given = []

    async def endless():
        while len(given) < 100:
            given.append(None)
            yield b"x" * 100

    found, reached = _through("POST", "/v1/fleet/push-object", content=endless())
    assert (found.status_code, reached) == (413, [])
    assert _through("POST", "/v1/fleet/push-object", content=b"x" * 1000)[0].status_code == 207


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--listen", "nowhere"], "write HOST:PORT"),
        (["--listen", "0.0.0.0:99999"], "write HOST:PORT"),
        ([], "a certificate or a key cannot be read"),
    ],
)
def test_wrong_words_are_one_line(arguments, why, capsys, tmp_path):
    files = [f"--{name}={tmp_path}/no" for name in ("ssl-certfile", "ssl-keyfile", "root-certificates")]
    with pytest.raises(SystemExit):
        gate_module.main([*arguments, *files])
    assert why in capsys.readouterr().err


def test_a_node_does_not_come_in_by_another_method():
    assert _through("GET", "/v1/fleet/get-run")[1] == []
