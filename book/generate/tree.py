"""The folder that jupyter-book reads: written file by file, only where something changed, and without leftovers.

Sphinx reads a page again when its file is newer, so a file with the same content must keep its time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from book.generate.light import light
from fedmm_edu.files import write_bytes

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
BUILD = BOOK / "_build"


@dataclass(frozen=True)
class Tree:
    """A folder that holds exactly what was written into it since it was made; `prune` removes the rest."""

    folder: Path
    written: set[Path] = field(default_factory=set)

    def write(self, name: str, content: str | bytes) -> None:
        """The file `name`, relative to the folder."""
        path = self.folder / name
        data = content.encode("utf-8") if isinstance(content, str) else content
        if not (path.is_file() and path.read_bytes() == data):
            write_bytes(path, data)
        self.written.add(path)

    def copy(self, source: Path, name: str = "") -> None:
        """The file, or every file of the folder, `source`, drawings made light; hidden files and caches stay behind."""
        files = sorted(source.rglob("*")) if source.is_dir() else [source]
        for file in files:
            inside = file.relative_to(source) if source.is_dir() else Path()
            if file.is_file() and not any(part.startswith((".", "__pycache__")) for part in inside.parts):
                data = file.read_bytes()
                self.write(str(Path(name or source.name) / inside), light(data) if file.suffix == ".png" else data)

    def prune(self) -> None:
        """Remove every file that was not written, and folders that are empty then."""
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.is_dir():
                if not any(path.iterdir()):
                    path.rmdir()
            elif path not in self.written:
                path.unlink()
