"""Writing a file such that a reader, or an interruption, never meets half of it."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedmm_edu.errors import InvalidInput, StateMismatch

if sys.platform != "win32":
    import fcntl

LARGEST = 1100
"""How many times their file arrays may be larger: what the compression of .npz can reach."""
SUFFIX = ".fedmm-part"
"""Of a file that is being written. A killed process leaves it behind, and the next one that writes there removes it."""


def write_bytes(path: str | Path, content: bytes, *, private: bool = False) -> Path:
    """Write `content` to `path`, making its folder; the old file stays whole until the new one is.

    A `private` file can be read by its owner alone.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path.parent.resolve(), os.getpid())
        handle, name = _begun(path)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"cannot write {path}: {_why(error)}; choose a folder that can be written.") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.chmod(name, 0o600 if private else 0o666 & ~_umask())  # mkstemp makes private files
            if sys.platform != "win32":  # renamed while it is locked: nobody takes it for a file that was left behind
                os.replace(name, path)
        if sys.platform == "win32":
            os.replace(name, path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise InvalidInput(f"cannot write {path}: {_why(error)}; choose a file that can be written.") from error
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path


def append_bytes(path: str | Path, content: bytes, at: int) -> Path:
    """Write `content` to a private file from its byte `at` on, making it and its folder; what lay behind is dropped.

    For files of which another one, written later and all at once, says how much of them counts.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(handle, "wb") as file:
            if file.seek(0, os.SEEK_END) < at:
                raise InvalidInput(f"{path} lost some of its bytes while it was written: leave it to one run.")
            file.truncate(at)
            file.seek(at)
            file.write(content)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"cannot write {path}: {_why(error)}; choose a file that can be written.") from error
    return path


def write_text(path: str | Path, text: str) -> Path:
    """Write `text` to `path` as UTF-8, all at once or not at all."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(f"cannot write {path}: {error}; use names of files that are valid text.") from error
    return write_bytes(path, content)


def write_json(path: str | Path, value: object) -> Path:
    """Write `value`, of plain types, as JSON that a person can read."""
    return write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def write_arrays(path: str | Path, arrays: Mapping[str, ArrayLike], *, private: bool = False) -> Path:
    """Write named arrays to `path` as an .npz file, all at once or not at all."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # pyright: ignore[reportArgumentType]  (each name is a field of the file)
    return write_bytes(path, buffer.getvalue(), private=private)


def read_arrays(path: str | Path, what: str, otherwise: str) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz file that this package wrote.

    `StateMismatch` for any other: none is unpickled, and none is larger than `LARGEST` times the file.
    """
    try:
        raw = Path(path).read_bytes()
        with zipfile.ZipFile(io.BytesIO(raw)) as members:
            if sum(member.file_size for member in members.infolist()) > LARGEST * len(raw):
                raise ValueError("its arrays are too large for it")
            return {name.removesuffix(".npy"): _array(members, name) for name in members.namelist()}
    except Exception as error:  # a damaged archive raises whatever its first wrong byte leads to
        says = " ".join(str(error).split())[:200]
        raise StateMismatch(f"{path} is not {what} ({says}): delete it to {otherwise}.") from error


def _array(members: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """One array, whose header is believed as far as its bytes go."""
    raw = members.read(name)
    array = np.lib.format.read_array(io.BytesIO(raw), allow_pickle=False, max_header_size=10_000)
    if array.nbytes > len(raw):
        raise ValueError(f"{name} says that it is larger than it is")
    return array


def _begun(path: Path) -> tuple[int, str]:
    """A new file beside `path`, open and locked for as long as it is open."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=SUFFIX)
        if not _is_others(handle) and os.path.exists(name):
            return handle, name
        os.close(handle)  # another process swept the folder before the file was locked


@cache
def _sweep(folder: Path, process: int) -> None:
    """Remove what killed processes left in a folder, once in the life of a process."""
    for left in folder.glob(f".*{SUFFIX}"):
        try:
            if sys.platform == "win32":  # it does not remove what a process has open
                left.unlink()
                continue
            handle = os.open(left, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            continue
        if not _is_others(handle):
            left.unlink(missing_ok=True)
        os.close(handle)


def _is_others(handle: int) -> bool:
    """Whether another process has the open file locked; else it is locked for us, where there are locks."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    return False


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _umask() -> int:
    """The permissions that new files must not have; the system tells only by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
