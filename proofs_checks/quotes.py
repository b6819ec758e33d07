"""The paper's own words: short spans of its source, each with its lines and the hash of the exact characters.

`python -m proofs_checks.quotes ID FILE LINE WORDS [END]` prints the entry of a span of FILE, which `cut` takes out.
Beside the claims of a section stands `quotes.txt`: entries of a head line, `== ID L FIRST-LAST SHA256`, and the span as
it is in the source. A word that is changed there no longer fits its hash, and the ledger does not load.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fedmm_edu.errors import InvalidInput

HEAD = re.compile(r"== (\S+) L (\d+)-(\d+) ([0-9a-f]{64})")
LONGEST = 2000
"""Characters of a span: a quotation is the sentence or the display in question, no more."""
FILES = sorted(Path(__file__).parent.glob("*/quotes.txt"))
"""Those of all sections."""


@dataclass(frozen=True)
class Quote:
    """A span of the paper's source: its first and last line there, and its characters as they stand."""

    first: int
    last: int
    text: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def lines(self) -> str:
        return f"L {self.first}" if self.first == self.last else f"L {self.first}-{self.last}"

    def entry(self, row: str) -> str:
        """The entry of `quotes.txt` for this row."""
        return f"== {row} L {self.first}-{self.last} {self.sha256}\n{self.text}\n"


def quotes(file: Path) -> dict[str, tuple[Quote, ...]]:
    """The quotations of a section's `quotes.txt` by the ids of its rows; `InvalidInput`: words that do not fit."""
    found: dict[str, tuple[Quote, ...]] = {}
    heads: list[tuple[re.Match[str], list[str]]] = []
    for line in file.read_text(encoding="utf-8").split("\n")[:-1]:
        if head := HEAD.fullmatch(line):
            heads.append((head, []))
        elif heads:
            heads[-1][1].append(line)
        else:
            raise InvalidInput(f"{file}: the first line is no head of an entry: == ID L FIRST-LAST SHA256.")
    for head, lines in heads:
        quote = Quote(int(head[2]), int(head[3]), "\n".join(lines))
        if quote.sha256 != head[4] or len(lines) != quote.last - quote.first + 1 or len(quote.text) > LONGEST:
            raise InvalidInput(
                f"{file}: the words quoted for {head[1]} at {quote.lines} are not those that were hashed."
            )
        found[head[1]] = (*found.get(head[1], ()), quote)
    return found


@cache
def _all() -> dict[str, tuple[Quote, ...]]:
    return {row: spans for file in FILES for row, spans in quotes(file).items()}


def quoted(row: str) -> tuple[Quote, ...]:
    """The paper's own words for a row; `InvalidInput` names one that has none."""
    if row not in _all():
        raise InvalidInput(
            f"no section's quotes.txt has a quotation for {row!r}: add one to that of its section, "
            "made by `python -m proofs_checks.quotes`; the id of a row of ours begins with own-."
        )
    return _all()[row]


def cut(source: str, line: int, words: str, end: str = "") -> Quote:
    """The span of `source` that begins with `words` in that line and ends with `end` (by default: is `words`).

    >>> cut("One.\\nTwo and\\nthree.", 2, "Two", "three").lines
    'L 2-3'
    """
    before = source.split("\n")[: line - 1]
    start = source.find(words, len("\n".join([*before, ""])))
    stop = source.find(end, start + len(words)) if end else start + len(words)
    if start < 0 or stop < 0 or source.count("\n", 0, start) != line - 1:
        raise InvalidInput(f"line {line} of the source has no “{words}” … “{end}”: copy both from the source.")
    text = source[start : stop + len(end)]
    return Quote(line, line + text.count("\n"), text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Print the entry of quotes.txt for a span of the paper's source.")
    for name in ("id", "file", "line", "words"):
        parser.add_argument(name, type=int if name == "line" else str)
    parser.add_argument("end", nargs="?", default="")
    asked = parser.parse_args()
    try:
        span = cut(Path(asked.file).read_text(encoding="utf-8"), asked.line, asked.words, asked.end)
    except (InvalidInput, OSError) as error:
        parser.error(str(error))
    print(span.entry(asked.id), end="")
