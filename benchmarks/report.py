"""What a run leaves behind: `results.json`, the table `README.md` and the figure, written beside this file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from fedmm_edu.files import write_json, write_text

HERE = Path(__file__).parent
Row = Mapping[str, object]


def cells(rows: Sequence[Row]) -> list[list[str]]:
    """The head of a table, which are the keys in the order in which they first appear, and its rows as texts."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return [columns, *([_shown(row.get(key, "")) for key in columns] for row in rows)]


def table(rows: Sequence[Row]) -> str:
    """Rows as a Markdown table."""
    head, *lines = cells(rows)
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---:"] * len(head), *lines))


def _shown(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def write(machine: Mapping[str, str], sections: Mapping[str, tuple[str, Sequence[Row]]]) -> None:
    """`sections`: title → (what it says, rows). Replaces the sections that ran and keeps the others of the last run."""
    path = HERE / "results.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    found = kept.get("sections", {}) if kept.get("machine") == dict(machine) else {}
    found |= {title: {"says": says, "rows": list(rows)} for title, (says, rows) in sections.items()}
    write_json(path, {"machine": dict(machine), "sections": found})
    parts = [f"## {title}\n\n{section['says']}\n\n{table(section['rows'])}\n" for title, section in found.items()]
    about = ", ".join(f"{key} {value}" for key, value in machine.items())
    write_text(HERE / "README.md", f"# Timings\n\nMade by `make bench` on: {about}.\n\n" + "\n".join(parts))
