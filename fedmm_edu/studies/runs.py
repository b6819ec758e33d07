"""Finished runs on disk: each is made once, written whole, and found again by everything that it depends on."""

from __future__ import annotations

import io
import json
import platform
import time
import zipfile
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import numpy as np

from fedmm_edu.algorithms.fingerprint import fingerprint
from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput, StateMismatch
from fedmm_edu.files import write_bytes

Columns = Mapping[str, Array]
Number = TypeVar("Number", int, float)


def stored(path: Path, settings: Mapping[str, object], names: Iterable[str], make: Callable[[], Columns]) -> Columns:
    """The columns `names` of the run with these settings: from `path` where it is finished; else made and kept there.

    `StateMismatch` for a file that holds something else.
    """
    if path.exists():
        return read(path, settings, names)
    made = make()
    kept = {name: made[name] for name in names}
    keep(path, settings, kept)
    return kept


def name_of(settings: Mapping[str, object]) -> str:
    """A short name that differs for other settings; it says nothing of the code, which may move."""
    return fingerprint(dict(settings))[:12]


def keep(path: Path, settings: Mapping[str, object], columns: Columns) -> None:
    """Write the columns of the run with these settings, at once and whole."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, task=np.array(json.dumps(settings)), **columns)  # type: ignore[arg-type]
    write_bytes(path, buffer.getvalue())


def read(path: Path, settings: Mapping[str, object], names: Iterable[str]) -> Columns:
    """What `keep` wrote; `StateMismatch` for a file that holds something else."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            found = json.loads(str(file["task"]))
            columns = {name: file[name] for name in names}
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise StateMismatch(f"{path} is not a kept run ({error}): delete it, and it is made anew.") from error
    if found != json.loads(json.dumps(settings)):
        raise StateMismatch(f"{path} holds a run with other settings: delete it, and it is made anew.")
    return columns


class TimeLeft:
    """The time that the rest of some work takes, if it goes on as it went; `total` is in any unit of cost."""

    def __init__(self, total: float) -> None:
        self.total, self.done, self.began = total, 0.0, time.monotonic()

    def after(self, cost: float) -> str:
        """What is left, in words, after a part of this cost."""
        self.done += cost
        return span((time.monotonic() - self.began) * max(self.total - self.done, 0.0) / self.done)


def span(seconds: float) -> str:
    """A duration in words."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def versions(*packages: str) -> dict[str, str]:
    """Python's version, and those of the packages."""
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def rounded(value: float) -> float | None:
    """Four digits; nothing for what is not finite, which JSON cannot say."""
    return float(f"{value:.4g}") if np.isfinite(value) else None


def numbers(option: str, text: str, kind: type[Number], such_as: str) -> tuple[Number, ...]:
    """The numbers of an option's value, with commas between them; `InvalidInput` for anything else."""
    try:
        return tuple(kind(part) for part in text.split(","))
    except ValueError as error:
        whole = "whole numbers" if kind is int else "numbers"
        raise InvalidInput(f"{option} {text}: give {whole} with commas between them, as in {such_as}.") from error
