"""Writing a file such that a reader, or an interruption, never meets half of it."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from fedmm_edu.errors import InvalidInput


def write_bytes(path: str | Path, content: bytes) -> Path:
    """Write `content` to `path`, making its folder; the old file stays whole until the new one is."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}; choose a folder that can be written.") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, 0o666 & ~_umask())  # mkstemp makes private files
        os.replace(name, path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise InvalidInput(f"cannot write {path}: {error.strerror}; choose a file that can be written.") from error
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path


def write_text(path: str | Path, text: str) -> Path:
    """Write `text` to `path` as UTF-8, all at once or not at all."""
    return write_bytes(path, text.encode("utf-8"))


def write_json(path: str | Path, value: object) -> Path:
    """Write `value`, of plain types, as JSON that a person can read."""
    return write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def _umask() -> int:
    """The permissions that new files must not have; the system tells only by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
