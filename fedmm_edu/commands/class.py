"""`fedmm class`: a page on this machine by which a room of people is a federation."""

from __future__ import annotations

import argparse
import asyncio
import socket

from fedmm_edu.errors import InvalidInput, as_count, needs

DESCRIPTION = """\
Make the class a federation: every phone or laptop in the room is a client, the teacher's screen is the server.

Phones open the address that is printed, or scan its code; the teacher's page is opened on this machine, shows the same
code, and leads through the hour. All of it stays in the room: no network beyond it, no accounts, and no data kept
unless the teacher saves the page of what the class did. Ctrl-C ends the class.
"""
EXAMPLES = """\
examples:
  fedmm class                      phones in the same network join
  fedmm class --host 10.0.0.5      where this machine has several addresses
  fedmm class --lesson 6           the hour of a lesson: its predictions, its parts, its rounds
  fedmm class --alone 12           a reader by themselves, with 12 simulated classmates
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `fedmm class`."""
    add = parser.add_argument
    add("--lesson", metavar="N", help="play the hour of lesson N, 0 to 12 (default: the class of one hour)")
    add("--host", help="the address by which phones reach this machine (default: found)")
    add("--port", type=int, default=8765, help="the port (default 8765; 0: any free one)")
    add("--alone", type=int, metavar="N", help="N simulated classmates; the page is for this machine only")
    add("--seed", type=int, default=0, help="of the rounds and of simulated classmates (default 0)")
    add("--remote-teacher", action="store_true", help="the teacher's page may be opened on another machine, too")


def run(args: argparse.Namespace) -> int:
    """Serve the class until Ctrl-C; 0."""
    as_count("port", args.port, low=0, high=65535)
    as_count("seed", args.seed, low=0, high=2**32 - 1)
    if args.lesson is not None:
        from fedmm_edu.classroom.scenes import hour_of

        hour_of(args.lesson)  # before a port is taken
    if args.alone is not None:
        from fedmm_edu.classroom.room import MOST_PHONES

        as_count("alone", args.alone, high=MOST_PHONES - 1)
    with needs("class", "fedmm class"):
        import segno  # noqa: F401  (before a port is taken)
        import tornado  # noqa: F401
    here = "127.0.0.1" if args.alone is not None else ""
    try:
        listening = socket.create_server((here, args.port), backlog=256)
    except OSError as error:
        raise InvalidInput(f"port {args.port} is taken ({error.strerror}): choose another with --port.") from error
    listening.setblocking(False)
    with listening:
        try:
            asyncio.run(_serve(args, listening, here or args.host or own_address()))
        except KeyboardInterrupt:
            print("\nThe class is over; nothing was kept but what was saved.")
    return 0


async def _serve(args: argparse.Namespace, listening: socket.socket, host: str) -> None:
    from fedmm_edu.classroom.bench import Bench
    from fedmm_edu.classroom.hall import Hall
    from fedmm_edu.classroom.judging import cards
    from fedmm_edu.classroom.room import Room
    from fedmm_edu.classroom.scenes import CLASS, hour_of
    from fedmm_edu.classroom.server import Desk, in_loop, listen

    hour = hour_of(args.lesson) if args.lesson else CLASS
    room = Room(seed=args.seed, hour=hour, cards=cards(hour.rows))
    port, bench = listening.getsockname()[1], Bench()
    try:
        hall = Hall(bench, in_loop(), room, classmates=args.alone or 0)
        desk = Desk(hall, f"http://{host}:{port}/join/{hall.token}", remote_teacher=args.remote_teacher)
        stop = listen(desk, [listening])
        teacher = f"http://{host if args.remote_teacher else '127.0.0.1'}:{port}/teach/{hall.teacher}"
        print(said(desk.address, teacher, alone=args.alone is not None), flush=True)
        try:
            await asyncio.Event().wait()
        finally:
            stop()
    finally:
        bench.close()


def said(address: str, teacher: str, *, alone: bool) -> str:
    """What the terminal shows: both addresses, and the code of the one for phones."""
    import io

    import segno

    code = io.StringIO()
    segno.make(address, micro=False).terminal(code, compact=True)
    you = "your phone" if alone else "phones"
    addresses = f"{you + ':':12} {address}\nteacher:     {teacher}   (keep it to yourself)"
    return f"{code.getvalue()}\n{addresses}\nCtrl-C ends the class."


def own_address() -> str:
    """The address of this machine in its network: that of the route outwards. Nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # reserved for documentation; a datagram socket only looks up the route
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"
