"""What a person sees in a terminal: a table that fits the width, a progress bar."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Sequence
from typing import TextIO

MARKS = {"proved": "✓", "refuted": "✗", "supported": "≈", "open": "?", "given": "·", "fails": "✗", "unknown": "?"}
"""The four words of a verdict, and what else an assumption may be: each with a sign, so that none needs a colour."""


def marked(status: str) -> str:
    """Sign and word, as in "✓ proved"."""
    return f"{MARKS[status]} {status}"


def width(text: str) -> int:
    """The number of columns that `text` takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def terminal_width() -> int:
    """The width of the terminal (100 columns where there is none), at least 60."""
    return max(60, shutil.get_terminal_size((100, 24)).columns)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, columns: int, shares: Sequence[int]) -> str:
    """A table of at most `columns` characters a line; cells wrap within columns whose widths go as `shares`.

    A newline in a cell stays a newline.
    """
    space = columns - 2 * (len(shares) - 1)
    widths = [max(6, space * share // sum(shares)) for share in shares]
    lines = [_line(header, widths), "  ".join("─" * size for size in widths)]
    for row in rows:
        cells = [wrap(cell, size) for cell, size in zip(row, widths, strict=True)]
        height = max(map(len, cells))
        lines.extend(_line([cell[k] if k < len(cell) else "" for cell in cells], widths) for k in range(height))
    return "\n".join(lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (size - width(cell)) for cell, size in zip(cells, widths, strict=True))
    return "  ".join(padded).rstrip()


def wrap(text: str, size: int) -> list[str]:
    """`text` in lines of at most `size` columns, broken at spaces where there are any."""
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            if line and width(line) + 1 + width(word) > size:
                lines.append(line)
                line = ""
            line = f"{line} {word}" if line else word
            while width(line) > size:
                cut = next(k for k in range(len(line), 0, -1) if width(line[:k]) <= size)
                lines.append(line[:cut])
                line = line[cut:]
        lines.append(line)
    return lines


class Progress:
    """A bar on a terminal; elsewhere one character per row, so that a log stays short.

    `step` is told a name, and a remark where something is unexpected: remarks get a line of their own.
    """

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self.total, self.done = total, 0
        self.stream = sys.stderr if stream is None else stream
        self.live = self.stream.isatty()

    def step(self, name: str, remark: str = "") -> None:
        """One more row is done."""
        self.done += 1
        if not self.live:
            self._write(("!" if remark else ".") + ("\n" if self.done % 60 == 0 or self.done == self.total else ""))
            return
        columns = terminal_width() - 1
        if remark:
            self._write("\r" + f"! {name}: {remark}"[:columns].ljust(columns) + "\n")
        filled = 24 * self.done // self.total
        bar = f"[{'█' * filled}{'·' * (24 - filled)}] {self.done}/{self.total} {name}"
        self._write("\r" + bar[:columns].ljust(columns) + ("\n" if self.done == self.total else ""))

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()
