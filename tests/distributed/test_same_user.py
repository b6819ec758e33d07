"""Who may speak to the processes of a run on a machine of many: their own user."""

import asyncio
import os
import socket

import pytest

from fedmm_edu.distributed import same_user as module
from fedmm_edu.distributed.loopback import Processes
from fedmm_edu.distributed.same_user import main, same_user, user_of
from fedmm_edu.errors import InvalidInput


@pytest.fixture
def connection():
    """The two ends of a connection on the loopback, opened by this process: the client's address, the server's."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        accepted, _ = server.accept()
        with accepted:
            yield client.getsockname(), server.getsockname()


def called(scope):
    """What is sent in answer to a call, and whether the application was asked."""
    asked, sent = [], []

    async def app(scope, receive, send):
        asked.append(scope["type"])

    async def send(message):
        sent.append(message)

    asyncio.run(same_user(app)(scope, None, send))
    return asked, sent


def scope(connection, kind="http"):
    return {"type": kind, "client": connection[0], "server": connection[1]}


def test_a_connection_of_ones_own_is_answered(connection):
    assert user_of(*connection) == os.getuid()
    assert called(scope(connection)) == (["http"], [])


def test_a_connection_of_another_user_is_not(connection, tmp_path, monkeypatch):
    """As the system's table would have it; so is one that no table has. Root may do what it likes anyway."""
    text = module.TABLES[0].read_text("ascii")
    table = tmp_path / "tcp"
    monkeypatch.setattr(module, "TABLES", (table,))
    port = f":{connection[0][1]:04X}"

    def owned(uid):
        lines = [line.split() for line in text.splitlines()]
        return "\n".join(
            " ".join([*line[:7], str(uid), *line[8:]] if line[1].endswith(port) else line) for line in lines
        )

    for uid, answered in ((os.getuid() + 1, False), (0, True), (os.getuid(), True)):
        table.write_text(owned(uid))
        asked, sent = called(scope(connection))
        assert (asked == ["http"]) == answered == (sent == [])
    table.write_text(text.splitlines()[0])
    assert called(scope(connection))[1][0]["status"] == 403
    assert called(scope(connection, "websocket")) == ([], [{"type": "websocket.close"}])
    assert called({"type": "http", "client": None, "server": connection[1]})[0] == []
    assert called({"type": "lifespan"})[0] == ["lifespan"]


def test_where_the_system_does_not_tell_everybody_is_answered(connection, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TABLES", (tmp_path / "none",))
    assert called(scope(connection))[0] == ["http"]


def test_the_processes_are_started_so(tmp_path, monkeypatch):
    lines = []
    monkeypatch.setattr("subprocess.Popen", lambda line, **how: lines.append((line, how["env"])))
    Processes(tmp_path, 1, {}).start("superlink", "flower-superlink", "--insecure")
    ((line, environment),) = lines
    assert line[1:] == ["-m", module.__name__, "flower-superlink", "--insecure"]
    assert environment["PYTHONSAFEPATH"] == "1"  # else the folder of the run is where Python looks for code first


def test_other_programs_are_none():
    for name in ("ruff", "nothing"):
        with pytest.raises(InvalidInput, match="no program of Flower"):
            main([name])
