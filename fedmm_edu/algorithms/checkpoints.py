"""The files of a run that can be killed: its state, replaced at each save, and what it recorded, appended.

`PATH` is an .npz archive: the state, and of the rows their number, form and checksum. `PATH.rows` is the rows, column
after column in each, without any header: what was written once is never written again, and nothing of it is believed
but numbers. A process killed between the two leaves rows that the archive does not count, and the next one drops them.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedmm_edu.algorithms.fedmm import State
from fedmm_edu.errors import InvalidInput, StateMismatch
from fedmm_edu.files import append_bytes, read_arrays, write_arrays

Noted = Mapping[str, NDArray[Any]]
"""Rows that were recorded: for each column an array with an entry a row."""


class _Segment(NamedTuple):
    """Rows of one form that follow each other in the file: how many, and of each column an array of none."""

    rows: int
    form: Noted

    @property
    def record(self) -> np.dtype[Any]:
        """One row in the file."""
        return np.dtype([(str(i), of.dtype, of.shape[1:]) for i, of in enumerate(self.form.values())])


class _Written(NamedTuple):
    """What is known of the file of rows."""

    segments: tuple[_Segment, ...] = ()
    checksum: int = 0
    parts: int = 0
    """How many of the parts that `save` was given are in it."""

    @property
    def size(self) -> int:
        """Its bytes."""
        return sum(segment.rows * segment.record.itemsize for segment in self.segments)

    def with_rows(self, part: Noted) -> tuple[_Written, bytes]:
        """What is known once `part` is written, and its bytes. Kinds of numbers only grow, as in an array of all."""
        count = len(next(iter(part.values()), ()))
        last = self.segments[-1].form if self.segments else {name: column[:0] for name, column in part.items()}
        form = {name: column[:0].astype(np.result_type(column, last[name])) for name, column in part.items()}
        segment = _Segment(count, form)
        for name, of in form.items():
            if of.dtype.hasobject:
                raise InvalidInput(f"the column {name!r} holds objects: record numbers, or run without a checkpoint.")
        table = np.empty(count, segment.record)
        for i, column in enumerate(part.values()):
            table[str(i)] = column
        raw, before = table.tobytes(), self.segments
        if before and before[-1].record == segment.record:
            before, segment = before[:-1], _Segment(before[-1].rows + count, form)
        return _Written((*before, segment), zlib.crc32(raw, self.checksum), self.parts + 1), raw


class Checkpoint:
    """Where a run is saved; `name` is the fingerprint of its settings."""

    def __init__(self, path: str | Path, name: str) -> None:
        self.path, self.name = Path(path), name
        self.rows = self.path.with_name(self.path.name + ".rows")
        self._written = _Written()

    def save(self, state: State, parts: Sequence[Noted], over: bool = False) -> None:
        """Append those of `parts`, all rows until `state`, that are not saved yet, and replace the state atomically.

        `over`: whether the run was told to end.
        """
        written, raw = self._written, b""
        for part in parts[written.parts :]:
            written, more = written.with_rows(part)
            raw += more
        append_bytes(self.rows, raw, at=self._written.size)
        arrays: dict[str, Any] = {"fingerprint": self.name, "over": over}
        arrays |= {"rows": [segment.rows for segment in written.segments], "checksum": written.checksum}
        arrays |= {f"state_{key}": array for key, array in state.arrays().items()}
        for k, segment in enumerate(written.segments):
            arrays |= {f"history_{k}_{key}": array for key, array in segment.form.items()}
        write_arrays(self.path, arrays, private=True)
        self._written = written

    def load(self, like: State, columns: Collection[str]) -> tuple[State, Noted, bool] | None:
        """The state, the rows and whether the run was told to end; None where nothing was saved.

        The state has the shapes of `like`, the rows these columns. `StateMismatch` when a file is damaged or belongs to
        other settings.
        """
        if not self.path.exists():
            return None
        path, found = self.path, read_arrays(self.path, "a saved run", "start anew")
        if str(found.get("fingerprint", self.name)) != self.name:
            raise StateMismatch(
                f"{path} was saved by a run with other settings or another start: use another file name."
            )
        try:
            state, over = State.of({f.name: found[f"state_{f.name}"] for f in fields(State)}), bool(found["over"])
            counts = [int(count) for count in found["rows"]]
            forms = [{key: found[f"history_{k}_{key}"] for key in columns} for k in range(len(counts))]
            segments = tuple(map(_Segment, counts, forms))
            self._written = _Written(segments, int(found["checksum"]), 1)
            rows = self._read(columns)
        except (LookupError, ValueError, TypeError, OverflowError) as error:
            raise StateMismatch(f"{path} is not a saved run ({error}): delete it to start anew.") from error
        wrong = [key for key, array in state.arrays().items() if not _alike(array, like.arrays()[key])]
        if wrong or state.t < 0:
            raise StateMismatch(f"{path} is not a saved run ({', '.join(wrong)}): delete it to start anew.")
        return state, rows, over

    def _read(self, columns: Collection[str]) -> Noted:
        """The rows that the archive counts; `ValueError` where the file does not hold them as they were written."""
        segments, size = self._written.segments, self._written.size
        if not segments or any(one.rows < 1 or any(len(of) for of in one.form.values()) for one in segments if columns):
            raise ValueError("it counts no rows")
        try:
            with self.rows.open("rb") as file:
                enough = file.seek(0, io.SEEK_END) >= size  # asked before memory is: an archive may say anything
                raw = file.read(size) if enough and not file.seek(0) else b""
        except OSError as error:
            raise ValueError(f"{self.rows}: {error.strerror}") from error
        if len(raw) != size or zlib.crc32(raw) != self._written.checksum:
            raise ValueError(f"{self.rows} is not its rows")
        parts, at = [], 0
        for one in segments:
            empty = one.record.itemsize == 0  # no columns, or none with entries
            table = np.empty(one.rows, one.record) if empty else np.frombuffer(raw, one.record, one.rows, at)
            parts.append({key: table[str(i)] for i, key in enumerate(columns)})
            at += table.nbytes
        return joined(parts)


def joined(parts: Sequence[Noted]) -> Noted:
    """One part after the other."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _alike(array: NDArray[Any], like: NDArray[Any]) -> bool:
    """Whether an array has the shape and type of another one, and finite numbers."""
    same = array.shape == like.shape and array.dtype.kind == like.dtype.kind
    return same and bool(array.dtype.kind != "f" or np.isfinite(array).all())
