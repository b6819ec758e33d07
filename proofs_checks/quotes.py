"""The paper's own words: short spans of its source, each with its lines and the hash of the exact characters.

`python -m proofs_checks.quotes ID FILE LINE WORDS [END]` prints the entry of a span of FILE, which `cut` takes out.
Beside the claims of a section stands `quotes.txt`: entries of a head line, `== ID L FIRST-LAST SHA256`, and the span as
it is in the source. A word that is changed there no longer fits its hash, and the ledger does not load.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fedmm_edu.errors import InvalidInput

HEAD = re.compile(r"== (\S+) L (\d+)-(\d+) ([0-9a-f]{64})")
LONGEST = 2000
"""Characters of a span: a quotation is the sentence or the display in question, no more."""


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


class Quotes(Mapping[str, tuple[Quote, ...]]):
    """The quotations of a section by the ids of its rows; `InvalidInput` names an id that has none."""

    def __init__(self, found: Mapping[str, tuple[Quote, ...]], file: Path) -> None:
        self._found, self._file = found, file

    def __getitem__(self, row: str) -> tuple[Quote, ...]:
        if row not in self._found:
            raise InvalidInput(
                f"{self._file} has no quotation for {row!r}: add one, made by `proofs_checks.quotes.cut`."
            )
        return self._found[row]

    def __iter__(self):
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


@cache
def quotes(claims_file: str) -> Quotes:
    """The quotations beside a section's `claims.py`; `InvalidInput` where words and hash do not fit."""
    file = Path(claims_file).with_name("quotes.txt")
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
    return Quotes(found, file)


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
