"""The handlers over loopback: keys, limits, headers; a phone that reloads is the same phone; nothing is trusted."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
from contextlib import asynccontextmanager
from importlib import import_module

import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from fedmm_edu.classroom.hall import Hall
from fedmm_edu.classroom.server import MESSAGE, Bucket, Desk, in_loop, listen
from fedmm_edu.cli import main
from fedmm_edu.errors import InvalidInput

PATIENCE = 30.0
"""Seconds that an answer may take: generous, since machines differ."""


class NoBench:
    """A checker that must not be asked."""

    def submit(self, name, *arguments):
        raise InvalidInput("the checker has its hands full")


class Visitor:
    """A connection that remembers the last view and the errors."""

    def __init__(self, socket):
        self.socket, self.view, self.errors, self.closed = socket, None, [], False

    async def say(self, **message):
        await self.socket.write_message(json.dumps(message))

    async def until(self, wanted):
        """Read on until `wanted(self)`."""
        while self.view is None or not wanted(self):
            text = await asyncio.wait_for(self.socket.read_message(), PATIENCE)
            if text is None:
                self.closed = True
                raise ConnectionError(self.socket.close_code)
            said = json.loads(text)
            self.view = said["view"]
            self.errors += [said["error"]] if said["error"] else []
        return self.view


class Site:
    """A class on a free port of this machine."""

    def __init__(self, desk, port):
        self.desk, self.hall, self.base = desk, desk.hall, f"127.0.0.1:{port}"
        self.visitors = []

    async def get(self, path, **more):
        return await AsyncHTTPClient().fetch(HTTPRequest(f"http://{self.base}{path}", **more), raise_error=False)

    async def join(self, token=None):
        body = json.dumps({"token": token or self.hall.token})
        return await self.get("/api/join", method="POST", body=body)

    async def secret(self):
        return json.loads((await self.join()).body)["secret"]

    async def screen(self, **hello):
        visitor = Visitor(await websocket_connect(f"ws://{self.base}/api/screen"))
        self.visitors.append(visitor)
        if hello:
            await visitor.say(**hello)
        return visitor

    async def leave(self):
        """Close what is open, and wait until it is."""
        for visitor in self.visitors:
            visitor.socket.close()
            while not visitor.closed:
                visitor.closed = await visitor.socket.read_message() is None


@asynccontextmanager
async def site(**settings):
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setblocking(False)
    port = listening.getsockname()[1]
    desk = Desk(Hall(NoBench(), in_loop(), **settings), f"http://127.0.0.1:{port}/join/x")
    stop = listen(desk, [listening])
    where = Site(desk, port)
    try:
        yield where
    finally:
        await asyncio.wait_for(where.leave(), PATIENCE)
        stop()


def played(play):
    """A test that is a coroutine over a site."""

    def test():
        async def whole():
            async with site() as where:
                await play(where)

        asyncio.run(whole())

    test.__name__, test.__doc__ = play.__name__, play.__doc__
    return test


@played
async def test_pages_keep_to_themselves(where):
    """Only with the right address; with a policy that allows no script, style or frame from elsewhere."""
    page = await where.get(f"/join/{where.hall.token}")
    assert page.code == 200
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert page.headers["Cache-Control"] == "no-store"
    for name in re.findall(r'(?:src|href)="(/[^"]+)"', page.body.decode()):
        assert (await where.get(name)).code == 200
    assert b"http" not in page.body
    for path in (
        "/join/wrong",
        "/teach/wrong",
        "/",
        "/pages/room.py",
        "/pages/..%2Froom.py",
        "/teach/wrong/export",
    ):
        assert (await where.get(path)).code == 404
    teacher = f"/teach/{where.hall.teacher}"
    assert (await where.get(teacher)).code == 200
    assert (await where.get(f"{teacher}/qr.svg")).body.startswith(b"<?xml")
    assert b"What our class did" in (await where.get(f"{teacher}/export")).body


@played
async def test_joining_needs_the_token_and_is_not_endless(where):
    assert (await where.join("wrong")).code == 403
    for body in (b"", b"[]", b"\xff\xfe", b'{"token": 5}', b"[" * 3000):
        answer = await where.get("/api/join", method="POST", body=body)
        assert answer.code == 403
    with pytest.raises(HTTPClientError):
        raise (await where.get("/api/join", method="POST", body=b"x" * (MESSAGE + 1))).error
    where.desk.joins = Bucket(rate=0.0, burst=2.0)
    assert [(await where.join()).code for _ in range(3)] == [200, 200, 429]
    assert len(where.hall.room.phones) == 2


@played
async def test_a_phone_that_reloads_is_the_same_phone(where):
    """Its secret brings it back with all it has sent; meanwhile it counts as away."""
    secret = await where.secret()
    phone = await where.screen(secret=secret)
    await phone.say(do="data", six=7, heads=2)
    assert (await phone.until(lambda v: v.view["data"]))["data"] == [7, 2]
    assert where.hall.room.phones[0].here
    teacher = await where.screen(teacher=where.hall.teacher)
    phone.socket.close()
    view = await teacher.until(lambda v: not v.view["phones"][0][1])
    assert view["phones"] == [[0, False, True, True]]
    again = await where.screen(secret=secret)
    assert (await again.until(lambda v: True))["data"] == [7, 2]
    await teacher.until(lambda v: v.view["phones"][0][1])
    assert len(where.hall.room.phones) == 1


@played
async def test_a_teacher_who_reloads_loses_nothing(where):
    phone = await where.screen(secret=await where.secret())
    await phone.say(do="data", six=7, heads=2)
    await phone.until(lambda v: v.view["data"])
    teacher = await where.screen(teacher=where.hall.teacher)
    steps = ({"do": "go", "scene": "run"}, {"do": "open"}, {"do": "start", "V": False})
    for message in (*steps, {"do": "rounds", "rounds": 3, "lose": False}):
        await teacher.say(**message)
    before = await teacher.until(lambda v: v.view["run"] and len(v.view["run"].get("trace", ())) == 4)
    teacher.socket.close()
    teacher = await where.screen(teacher=where.hall.teacher)
    assert await teacher.until(lambda v: True) == before


@played
async def test_hostile_screens_hurt_nobody(where):
    """Wrong keys, a foreign page, junk, floods, large messages: refused or cut off, and the others play on."""
    good = await where.screen(secret=await where.secret())
    for hello in ({"secret": "guess"}, {"teacher": "guess"}, {"secret": None}, {"do": "data"}):
        visitor = await where.screen(**hello)
        with pytest.raises(ConnectionError, match="4001"):
            await visitor.until(lambda v: False)
    asks = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "a" * 22,
    }
    foreign = await where.get("/api/screen", headers={**asks, "Origin": "http://elsewhere.example"})
    assert foreign.code == 403
    bad = await where.screen(secret=await where.secret())
    for junk in (
        "{",
        "[]",
        "null",
        '{"do": "go", "scene": "lost"}',
        '{"do": "data", "six": NaN, "heads": 1}',
        "[" * 2000,
    ):
        await bad.socket.write_message(junk)
    await bad.until(lambda v: v.errors)
    for _ in range(60):
        await bad.say(do="switch", on=False)
    await bad.until(lambda v: any("slower" in error for error in v.errors))
    await bad.socket.write_message("x" * (MESSAGE + 1))
    with pytest.raises(ConnectionError):
        await bad.until(lambda v: False)
    await good.say(do="data", six=6, heads=1)
    assert (await good.until(lambda v: v.view["data"]))["scene"] == "data"
    assert where.hall.room.phones[1].data is None


@played
async def test_a_phone_cannot_speak_for_another_and_one_sent_away_is_out(where):
    first, second = [await where.screen(secret=await where.secret()) for _ in range(2)]
    await second.say(do="data", six=3, heads=1, number=0)
    await second.until(lambda v: v.errors)
    assert all(phone.data is None for phone in where.hall.room.phones)
    teacher = await where.screen(teacher=where.hall.teacher)
    await teacher.say(do="remove", phone=1)
    with pytest.raises(ConnectionError, match="4003"):
        await second.until(lambda v: False)
    assert (await first.until(lambda v: True))["number"] == 0


@played
async def test_a_busy_checker_refuses_and_nothing_is_lost(where):
    """The phone hears why, and may try again: its lines are not left waiting."""
    phone = await where.screen(secret=await where.secret())
    teacher = await where.screen(teacher=where.hall.teacher)
    await teacher.say(do="go", scene="lines")
    await phone.until(lambda v: v.view["scene"] == "lines")
    await phone.say(do="lines", phi="-theta", psi="-log(theta)", S_bar="z", T="1/s")
    await phone.until(lambda v: any("hands full" in error for error in v.errors))
    assert phone.view["attempt"] is None


def test_the_teacher_is_on_this_machine_unless_others_are_allowed():
    class Request:
        remote_ip = "10.0.0.9"

    class Handler:
        request = Request()

    async def asked(remote):
        desk = Desk(Hall(NoBench(), in_loop()), remote_teacher=remote)
        return desk.may_teach(Handler(), desk.hall.teacher), desk.may_teach(Handler(), "wrong")

    assert asyncio.run(asked(False)) == (False, False)
    assert asyncio.run(asked(True)) == (True, False)


@played
async def test_the_teachers_address_opens_nothing_where_it_may_not_be_used(where):
    """The right secret from another machine: no page, no code, no export, no connection."""
    where.desk.may_teach = lambda handler, secret: False
    for what in ("", "/qr.svg", "/export"):
        assert (await where.get(f"/teach/{where.hall.teacher}{what}")).code == 404
    visitor = await where.screen(teacher=where.hall.teacher)
    with pytest.raises(ConnectionError, match="4001"):
        await visitor.until(lambda v: False)


@played
async def test_who_says_nothing_or_comes_too_many_is_sent_away(where):
    """A silent connection ends by itself; beyond the most there is none; who has said who it is stays."""
    phone = await where.screen(secret=await where.secret())
    await phone.until(lambda v: True)
    for limit, value, code in (("HELLO", 0.0, "4001"), ("SOCKETS", 1, "1013")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(f"fedmm_edu.classroom.server.{limit}", value)
            silent = await where.screen()
            with pytest.raises(ConnectionError, match=code):
                await silent.until(lambda v: False)
    await phone.say(do="data", six=7, heads=2)
    assert (await phone.until(lambda v: v.view["data"]))["data"] == [7, 2]


def test_a_bucket_lets_through_its_rate():
    now = [0.0]
    bucket = Bucket(rate=2.0, burst=3.0, clock=lambda: now[0])
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now[0] = 1.0
    assert [bucket.take() for _ in range(3)] == [True, True, False]


def test_the_command_serves_until_it_is_interrupted():
    """It prints both addresses and a code, answers, and ends with status 0 and a sentence."""
    command = [sys.executable, "-m", "fedmm_edu", "class", "--alone", "3", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("Ctrl-C"):
                break
        said = "".join(lines)
        (address,) = re.findall(r"http://127\.0\.0\.1:\d+/join/[a-z0-9]{6}", said)
        assert re.search(r"http://127\.0\.0\.1:\d+/teach/[\w-]{32}", said)
        assert "█" in said
        page = asyncio.run(fetched(address))
        assert page.code == 200
        process.send_signal(signal.SIGINT)
        assert "nothing was kept" in process.stdout.read()
    assert process.returncode == 0


async def fetched(address):
    return await AsyncHTTPClient().fetch(address)


@pytest.mark.parametrize("options", [["--port", "70000"], ["--alone", "0"], ["--alone", "300"], ["--seed", "-1"]])
def test_wrong_options_are_named(options, capsys):
    assert main(["class", *options]) == 2
    assert options[0].strip("-") in capsys.readouterr().err


def test_a_port_that_is_taken_is_named(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["class", "--alone", "2", "--port", port]) == 2
    assert f"port {port} is taken" in capsys.readouterr().err


def test_the_own_address_is_one():
    address = import_module("fedmm_edu.commands.class").own_address()
    assert re.fullmatch(r"\d+\.\d+\.\d+\.\d+", address)
