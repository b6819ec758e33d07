"""Files that are damaged or hostile: a reader takes what was written, or ends in one error; a node starts anew."""

from __future__ import annotations

import io
import pickle
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from fedmm_edu.algorithms import Constant, FedMM, run
from fedmm_edu.distributed import File, Node, Round, federate
from fedmm_edu.distributed.engine import part
from fedmm_edu.distributed.state import load_checkpoint
from fedmm_edu.distributed.workspace import MARK, claim
from fedmm_edu.errors import StateMismatch
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import Clients
from fedmm_edu.studies.tasks import Task, stored
from tests.campaigns.campaign import Try
from tests.distributed.federations import nodes_of, regression


@dataclass(frozen=True)
class Result:
    numbers: np.ndarray


@dataclass(frozen=True)
class Small(Task[Result]):
    """A task of no time."""

    size: int = 5
    kind = Result

    @property
    def name(self) -> str:
        return "small"

    @property
    def cost(self) -> float:
        return 1.0

    def make(self, folder=None, unfinished=None) -> Result:
        return Result(np.arange(float(self.size)))


@cache
def _fed() -> FedMM:
    return FedMM(Quadratic(3, 0.1), Clients.of([np.arange(12.0).reshape(3, 4) / 9]), Constant(0.5))


@cache
def _federation():
    return nodes_of(regression())


def _saved_run(path: Path) -> object:
    """A run goes on from its archive, or begins; beside it lie the rows that were saved with the whole one."""
    rows = path.with_name(f"{path.name}.rows")
    if path.exists():
        rows.write_bytes(_saved()[1])
    try:
        return _six_rounds(path)
    finally:
        rows.unlink(missing_ok=True)


def _saved_rows(path: Path) -> object:
    """The same, where it is the rows that are damaged."""
    archive, rows = path.with_name("run"), path.with_name("run.rows")
    archive.write_bytes(_saved()[0])
    rows.write_bytes(path.read_bytes())
    try:
        return _six_rounds(archive)
    finally:
        archive.unlink()
        rows.unlink()


def _six_rounds(path: Path) -> object:
    state, history = run(_fed(), _fed().init(np.zeros(3)), 6, every=1, checkpoint=path, checkpoint_every=4)
    return np.concatenate([state.x, history.objective, history.theta.ravel()])


@cache
def _saved() -> tuple[bytes, bytes]:
    """The two files of a run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        _six_rounds(path)
        return path.read_bytes(), path.with_name("file.rows").read_bytes()


def _checkpoint(path: Path) -> object:
    plan, _, start = _federation()
    return load_checkpoint(path, plan, start).x


def _write_checkpoint(path: Path) -> None:
    plan, nodes, start = _federation()
    federate(plan, nodes, start, 3, checkpoint=path)


def _cache(path: Path) -> object:
    target = path.parent / Small().file
    path.replace(target)
    try:
        return stored(Small(), path.parent).numbers
    finally:
        target.replace(path)


def _write_cache(path: Path) -> None:
    stored(Small(), path.parent)
    (path.parent / Small().file).replace(path)


def _node_state(path: Path) -> object:
    """A node with any file answers a request of the first round."""
    plan, _, start = _federation()
    fed, k = regression(), 0
    node = Node(plan, k, part(fed.clients, plan.nodes[k]), File(path))
    return np.frombuffer(node.answer(Round(plan, start).requests()[k])[36:], np.uint8)


def _mark(path: Path) -> object:
    """A folder whose mark is damaged is somebody else's as soon as it holds something; a whole mark is ours."""
    path.replace(path.parent / MARK)
    try:
        claim(path.parent)
    finally:
        (path.parent / MARK).replace(path)
    return np.zeros(1)


READERS: dict[str, tuple[Callable[[Path], object], Callable[[Path], object]]] = {
    "saved run": (_saved_run, _saved_run),
    "rows of a saved run": (lambda path: path.write_bytes(_saved()[1]) and None, _saved_rows),
    "checkpoint": (_write_checkpoint, _checkpoint),
    "kept run": (_write_cache, _cache),
    "node state": (_node_state, _node_state),
    "mark": (lambda path: path.write_text('{"made by": "fedmm federate"}') and None, _mark),
}


@cache
def _whole(name: str) -> tuple[bytes, object]:
    """What is written, and what is read of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        write, read = READERS[name]
        write(path)
        return path.read_bytes(), read(path)


def tries(rng: Random) -> Iterator[Try]:
    """A file of each kind, spoilt in some way."""
    while True:
        for name in READERS:
            how = rng.choice([_damaged, _damaged, _hostile])
            raw = how(rng, _whole(name)[0])
            yield Try(
                f"{name}, {how.__name__[1:]}, {raw[:40]!r}…{len(raw)}",
                lambda name=name, raw=raw, how=how: _read(name, raw, how),
            )


def _read(name: str, raw: bytes, how: Callable) -> str | None:
    """What is damaged is found. What somebody wrote on purpose, in the right form, may be believed,
    but runs nothing."""
    _, expected = _whole(name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(raw)
        try:
            found = READERS[name][1](path)
        except StateMismatch as error:
            return None if str(path.parent) in str(error) else f"the error does not name the file: {error}"
        left = [p.name for p in Path(folder).iterdir() if p.name not in ("file", MARK)]
    if left:
        return f"left behind: {left}"
    same = np.array_equal(np.asarray(found), np.asarray(expected))
    return None if same or name == "node state" or how is _hostile else f"was read as something else: {found}"


def _damaged(rng: Random, whole: bytes) -> bytes:
    raw = bytearray(whole)
    for _ in range(rng.randrange(1, 5)):
        place = rng.randrange(len(raw) + 1)
        match rng.randrange(6):
            case 0:
                del raw[place:]
            case 1 if place < len(raw):
                raw[place] ^= 1 << rng.randrange(8)
            case 2:
                raw[place : place + 8] = rng.choice([b"\0", b"\xff"]) * 8
            case 3:
                raw[place:place] = rng.randbytes(rng.randrange(30))
            case 4:
                del raw[place : place + rng.randrange(30)]
            case _:
                raw = raw[place:] + raw[:place]
    return bytes(raw)


class _Harmful:
    """What runs when it is unpickled."""

    def __reduce__(self):
        return (exec, ("raise SystemExit('unpickled')",))


def _hostile(rng: Random, whole: bytes) -> bytes:
    """Archives and containers that are well-formed and lie."""
    match rng.randrange(7):
        case 0:
            return rng.randbytes(rng.randrange(2000))
        case 1:
            return pickle.dumps(_Harmful())
        case 2:  # an array that says that it has 10¹⁵ numbers
            vast = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }"
            return _zipped(dict.fromkeys(("fingerprint.npy", "task.npy"), _npy(vast)))
        case 3:  # objects, to be unpickled
            buffer = io.BytesIO()
            np.save(buffer, np.array([_Harmful()], dtype=object), allow_pickle=True)
            return _zipped(dict.fromkeys(("fingerprint.npy", "task.npy", "numbers.npy"), buffer.getvalue()))
        case 4:  # a header that is code, or nothing
            header = rng.choice(
                ["__import__('os').system('false')", "(" * 3000, "", "{}", "{'descr': 'O'}", "1" * 5000]
            )
            return _zipped(dict.fromkeys(("fingerprint.npy", "task.npy"), _npy(header)))
        case 5:  # a kilobyte that is a gigabyte
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as members:
                members.writestr("task.npy", bytes(5_000_000))
            return buffer.getvalue()
        case _ if whole[:2] == b"PK":  # arrays of one member under the name of another
            with zipfile.ZipFile(io.BytesIO(whole)) as members:
                content = {name: members.read(name) for name in members.namelist()}
            names = sorted(content)
            one, other = rng.choice(names), rng.choice(names)
            content[one] = content[other] if rng.random() < 0.5 else _array(rng)
            return _zipped(content)
        case _:
            return rng.choice([b"{", b'{"made by": 3}', b"[" * 100_000, b"null", b"\xff\xfe", b""])


def _array(rng: Random) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, rng.choice([np.array(np.nan), np.array("x"), np.zeros((2, 2)), np.array([1j]), np.zeros(0),
                                np.array(2**63, dtype=np.uint64), np.array(-5), np.array(1e300),
                                np.array(b"x")]))  # fmt: skip
    return buffer.getvalue()


def _npy(header: str) -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + min(len(text), 65535).to_bytes(2, "little") + text + bytes(64)


def _zipped(content: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as members:
        for name, raw in content.items():
            members.writestr(name, raw)
    return buffer.getvalue()
