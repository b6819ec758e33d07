"""Modules of the folder `explorables` for pages: one text that needs no other file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).with_name("explorables")
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)";\n', re.MULTILINE)


@cache
def bundled(*names: str) -> str:
    """The modules `names` of this folder and all that they import, each once, as the text of one module.

    Imports go, and so do the exports of all but the last; top-level names therefore differ between modules.
    """
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in parts:
            source = (HERE / name).read_text(encoding="utf-8")
            for needed in _IMPORT.findall(source):
                add(needed)
            own = _IMPORT.sub("", source)
            parts[name] = own if name == names[-1] else re.sub(r"^export ", "", own, flags=re.MULTILINE)

    for name in names:
        add(name)
    return "\n".join(parts.values())
