"""Tornado handlers: they carry messages between screens and the hall, and trust none.

A phone's message is at most `MESSAGE` bytes and comes at most at a rate; a screen gets the newest view, never a queue
of old ones; pages load scripts and styles from here only, and put every text into the page as text.
"""

from __future__ import annotations

import asyncio
import io
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from socket import socket
from typing import Any

from fedmm_edu.classroom.events import from_phone, from_teacher
from fedmm_edu.classroom.export import export
from fedmm_edu.classroom.hall import Hall
from fedmm_edu.classroom.room import MOST_PHONES
from fedmm_edu.classroom.views import phone_view, teacher_view
from fedmm_edu.errors import FedMMError, InvalidInput, needs

with needs("class", "the page of a class"):
    import segno
    from tornado.httpserver import HTTPServer
    from tornado.ioloop import PeriodicCallback
    from tornado.web import Application, HTTPError, RequestHandler
    from tornado.websocket import WebSocketClosedError, WebSocketHandler

MESSAGE = 4096
"""Bytes of a message from a screen."""
SOCKETS = 3 * MOST_PHONES
"""Connections at a time."""
HELLO = 10.0
"""Seconds in which a connection has to say who it is."""
PAGES = {
    "look.css": "text/css",
    "icon.svg": "image/svg+xml",
    "chart.js": "text/javascript",
    "formula.js": "text/javascript",
    "link.js": "text/javascript",
    "phone.js": "text/javascript",
    "teacher.js": "text/javascript",
}
"""The files that pages load, and nothing else is served."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Server": "fedmm class",
}


@dataclass
class Bucket:
    """At most `burst` at once, `rate` a second in the long run."""

    rate: float
    burst: float
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self.left, self.seen = self.burst, self.clock()

    def take(self) -> bool:
        """Whether one more is allowed now."""
        now = self.clock()
        self.left = min(self.burst, self.left + self.rate * (now - self.seen))
        self.seen = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True


@dataclass(eq=False)
class Desk:
    """What the handlers share: the hall, the open connections, where phones find the page, who may be the teacher."""

    hall: Hall
    address: str = ""
    remote_teacher: bool = False

    def __post_init__(self) -> None:
        self.screens: set[_Screen] = set()
        self.joins = Bucket(rate=20.0, burst=2.0 * MOST_PHONES)
        self.dirty = False
        self.hall.changed = self.mark

    def mark(self) -> None:
        """The room has changed: screens will get a new view at the next beat."""
        self.dirty = True

    def beat(self) -> None:
        """Send to each screen that is not still busy with the last view."""
        if self.dirty:
            owed = [screen.show() for screen in list(self.screens)]
            self.dirty = any(owed)

    def connected(self, number: int) -> bool:
        """Whether any screen speaks for this phone."""
        return any(screen.number == number for screen in self.screens)

    def may_teach(self, handler: RequestHandler, secret: object) -> bool:
        """The secret is right, and the page is on this machine, unless other machines were allowed."""
        here = handler.request.remote_ip in ("127.0.0.1", "::1")
        return self.hall.is_teacher(secret) and (here or self.remote_teacher)


class _Careful(RequestHandler):
    """Headers that keep a page to itself, and errors without the reader's own text."""

    desk: Desk

    def initialize(self, desk: Desk) -> None:
        self.desk = desk

    def set_default_headers(self) -> None:
        host = self.request.host  # Safari takes 'self' for pages only, not for their sockets
        sockets = f"ws://{host} wss://{host}" if re.fullmatch(r"[\w.:-]+", host) else ""
        for name, value in _HEADERS.items():
            self.set_header(name, value.format(sockets=sockets))

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{status_code}: there is nothing here. Scan the code on the teacher’s screen.\n")

    def page(self, name: str) -> None:
        """One of the two pages."""
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(_page(name))


class _Nothing(_Careful):
    """Every other address."""

    def prepare(self) -> None:
        raise HTTPError(404)


class _Phone(_Careful):
    def get(self, token: str) -> None:
        if token != self.desk.hall.token:
            raise HTTPError(404)
        self.page("phone.html")


class _Teacher(_Careful):
    def get(self, secret: str, what: str | None = None) -> None:
        if not self.desk.may_teach(self, secret):
            raise HTTPError(404)
        if what is None:
            self.page("teacher.html")
        elif what == "qr.svg":
            self.set_header("Content-Type", "image/svg+xml")
            self.finish(qr(self.desk.address))
        else:
            self.set_header("Content-Type", "text/html; charset=utf-8")
            self.set_header("Content-Disposition", 'attachment; filename="our-class.html"')
            self.finish(export(self.desk.hall.room))


class _File(_Careful):
    def get(self, name: str) -> None:
        if name not in PAGES:
            raise HTTPError(404)
        self.set_header("Content-Type", f"{PAGES[name]}; charset=utf-8")
        self.finish(_page(name))


class _Join(_Careful):
    """POST {"token": …}: a place in the room; the answer is the phone's secret."""

    def post(self) -> None:
        if not self.desk.joins.take():
            raise HTTPError(429)
        try:
            answer = {"secret": self.desk.hall.join(_object(self.request.body).get("token"))}
        except InvalidInput as error:
            self.set_status(403)
            answer = {"error": str(error)}
        self.finish(answer)


class _Screen(WebSocketHandler):
    """A phone, or the teacher: the first message says which, by its secret; later ones are events."""

    number: int | None = None
    teaches = False

    def initialize(self, desk: Desk) -> None:
        self.desk = desk
        self.bucket = Bucket(rate=5.0, burst=15.0)
        self.sent, self.trouble, self.busy = "", "", False

    def open(self, *args: str, **kwargs: str) -> None:
        if len(self.desk.screens) >= SOCKETS:
            self.close(1013, "the room is full")
            return
        self.desk.screens.add(self)
        asyncio.get_running_loop().call_later(HELLO, self._still_silent)

    def _still_silent(self) -> None:
        if self.number is None and not self.teaches:
            self.close(4001, "say who you are")

    def on_message(self, message: str | bytes) -> None:
        if not self.bucket.take():
            self._refuse("slower, please: not all of that was heard.")
            return
        try:
            said = _object(message)
            if self.teaches:
                self.desk.hall.handle(from_teacher(said))
            elif self.number is None:
                self._hello(said)
            else:
                self.desk.hall.handle(from_phone(self.number, said))
        except FedMMError as error:
            self._refuse(str(error))

    def _hello(self, said: dict[str, Any]) -> None:
        if self.desk.may_teach(self, said.get("teacher")):
            self.teaches, self.bucket = True, Bucket(rate=20.0, burst=60.0)
            self.desk.mark()
            return
        try:
            self.number = self.desk.hall.number(said.get("secret"))
        except InvalidInput:
            self.close(4001, "join again")
            return
        others = [screen for screen in self.desk.screens if screen.number == self.number and screen is not self]
        for other in others[:-2]:  # three pages of one phone are enough
            other.close(4002, "too many pages")
        self.desk.hall.present(self.number, True)

    def on_close(self) -> None:
        self.desk.screens.discard(self)
        if self.number is not None and not self.desk.connected(self.number):
            self.desk.hall.present(self.number, False)

    def show(self) -> bool:
        """Send the newest view if it differs from the last; whether this screen is still owed one."""
        if self.busy:
            return True
        room = self.desk.hall.room
        if self.teaches:
            view = {**teacher_view(room), "address": self.desk.address}
        elif self.number is not None and not room.phones[self.number].gone:
            view = phone_view(room, self.number)
        else:
            if self.number is not None:
                self.close(4003, "sent away")
            return False
        text = json.dumps(view, allow_nan=False)
        if text != self.sent or self.trouble:
            said = f'{{"view": {text}, "error": {json.dumps(self.trouble)}}}'
            self.sent, self.trouble, self.busy = text, "", True
            self.carrying = asyncio.ensure_future(self._carry(said))
        return False

    async def _carry(self, text: str) -> None:
        try:
            await self.write_message(text)
        except WebSocketClosedError:
            pass
        finally:
            self.busy = False

    def _refuse(self, why: str) -> None:
        """Tell the sender with its next view; of several refusals, the last."""
        self.trouble = why[:400]
        self.desk.mark()


def _object(text: str | bytes) -> dict[str, Any]:
    """The JSON object in a message; `InvalidInput` for anything else. NaN and infinities are not JSON."""

    def never(word: str) -> None:
        raise ValueError(word)

    try:
        found = json.loads(text, parse_constant=never)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("a message is one JSON object.") from error
    if not isinstance(found, dict):
        raise InvalidInput("a message is one JSON object.")
    return found


def _page(name: str) -> bytes:
    return files("fedmm_edu.classroom").joinpath("pages", name).read_bytes()


def qr(address: str) -> bytes:
    """The address as a QR code, black on white with its margin, so that cameras read it on a dark page too."""
    out = io.BytesIO()
    segno.make(address, micro=False).save(out, kind="svg", scale=8, border=4, dark="black", light="white")
    return out.getvalue()


def application(desk: Desk) -> Application:
    """The routes: pages and connections of phones and of the teacher."""
    given = {"desk": desk}
    return Application(
        [
            (r"/join/([a-z0-9]{1,20})", _Phone, given),
            (r"/teach/([\w-]{1,80})", _Teacher, given),
            (r"/teach/([\w-]{1,80})/(qr\.svg|export)", _Teacher, given),
            (r"/pages/([a-z.]{1,20})", _File, given),
            (r"/api/join", _Join, given),
            (r"/api/screen", _Screen, given),
        ],
        default_handler_class=_Nothing,
        default_handler_args=given,
        websocket_max_message_size=MESSAGE,
        websocket_ping_interval=20,
        websocket_ping_timeout=15,
        log_function=lambda handler: None,
    )


def listen(desk: Desk, sockets: list[socket]) -> Callable[[], None]:
    """Serve the desk on these sockets inside a running loop, with ten beats a second; call the answer to stop."""
    server = HTTPServer(application(desk), max_body_size=MESSAGE, max_header_size=16_384, idle_connection_timeout=60)
    server.add_sockets(sockets)
    beat = PeriodicCallback(desk.beat, 100)
    beat.start()

    def stop() -> None:
        beat.stop()
        server.stop()

    return stop


def in_loop() -> Callable[[Callable[[], None]], None]:
    """How other threads hand work to the running loop."""
    return partial(_soon, asyncio.get_running_loop())


def _soon(loop: asyncio.AbstractEventLoop, work: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(work)
