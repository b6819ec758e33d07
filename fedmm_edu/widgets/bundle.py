"""Modules of the folder `explorables` for pages: one text that needs no other file, and elements that they move."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from html import escape
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


def element(name: str, data: object, inside: Sequence[str] = ()) -> str:
    """An element of the class `name` with its data, which the module `name`.js makes alive."""
    held = escape(json.dumps(data, allow_nan=False, ensure_ascii=False))
    script = bundled(f"{name}.js")
    return (
        f'<div class="{name}" data-{name}="{held}">{"".join(inside)}'
        "<noscript>This needs JavaScript, which is switched off.</noscript></div>\n"
        f'<script type="module">\n{script}\nmountAll();\n</script>'
    )
