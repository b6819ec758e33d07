"""The folder in which a run keeps its states and logs: it is marked, and only what a run made there is ever removed."""

from __future__ import annotations

import json
import shutil
import stat
import sys
from fnmatch import fnmatchcase
from pathlib import Path

from fedmm_edu.errors import InvalidInput
from fedmm_edu.files import write_json

MARK = "fedmm-run.json"
MADE = (
    "server", "node-*", "app", "flwr", "secret", "superlink.db", "superlink.db-shm", "superlink.db-wal",
    "superlink.log", "supernode-*.log", "run.log",
)  # fmt: skip
"""Everything that a run writes into its folder, beside the mark."""


def claim(folder: Path, *, anew: bool = False) -> None:
    """Make `folder` the folder of a run: mark it, or find the mark and go on; with `anew` the marked run is removed.

    A folder without the mark that already holds something of a name in `MADE` is refused: it is somebody else's. So is
    one that everybody may change: secret, code and states of the run lie there.
    """
    if sys.platform != "win32" and folder.is_dir() and folder.stat().st_mode & stat.S_IWOTH:
        raise InvalidInput(
            f"everybody may change {folder}, and so the run: name a folder of your own in it with --out."
        )
    mine = _marked(folder)
    there = sorted(path.name for path in _made(folder))
    if there and not mine:
        raise InvalidInput(
            f"{folder} holds {', '.join(there)}, which no run of `fedmm federate` made (it has no {MARK}); nothing was "
            "changed: choose another folder with --out, or move them away."
        )
    if anew:
        for path in _made(folder):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    write_json(folder / MARK, {"made by": "fedmm federate", "removed by --anew": MADE})


def _made(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if any(fnmatchcase(path.name, pattern) for pattern in MADE)]


def _marked(folder: Path) -> bool:
    try:
        found = json.loads((folder / MARK).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("made by") == "fedmm federate"
