"""The table of contents, from what is there: a new lesson, example, section or guide joins without an edit."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

HAND_WRITTEN = {
    "For the researcher": (
        "checker",
        "theorem1",
        "beyond_theorem1",
        "worst_cases",
        "relatives",
        "relatives_results",
        "dictionary_results",
        "transport_results",
        "transport_schedules",
        "tables_results",
        "literature",
    ),
    "For the engineer": ("many_machines", "timings", "campaigns"),
}
REFERENCE = ("glossary", "bibliography", "downloads", "decisions")


def toc(pages: Collection[str], sections: Sequence[str]) -> str:
    """The `_toc.yml` (JSON is YAML) of these pages; `sections` are those of the ledger, in their order."""
    parts = [
        _part("Lessons", _found(pages, "lessons")),
        _part("Figures to play with", _found(pages, "explorables")),
        _part(
            "What holds",
            ["ledger/corrections", *_nested("ledger/index", [*sections, "ledger/assumptions", "ledger/lines"])],
        ),
        _part("Examples", _nested("examples/index", _found(pages, "examples"))),
        *(_part(caption, [page for page in wanted if page in pages]) for caption, wanted in HAND_WRITTEN.items()),
        _part("How to", _found(pages, "howto")),
        _part("For the teacher", _found(pages, "teaching")),
        _part("Reference", [*_nested("api/index", _found(pages, "api")), *REFERENCE]),
    ]
    return json.dumps(
        {"format": "jb-book", "root": "index", "parts": [part for part in parts if part["chapters"]]}, indent=1
    )


Chapter = str | dict[str, object]


def _part(caption: str, chapters: Iterable[Chapter]) -> dict[str, object]:
    entries = [{"file": chapter} if isinstance(chapter, str) else chapter for chapter in chapters]
    return {"caption": caption, "chapters": entries}


def _nested(head: str, pages: Iterable[str]) -> list[Chapter]:
    return [{"file": head, "sections": [{"file": page} for page in pages]}]


def _found(pages: Collection[str], folder: str) -> list[str]:
    """The pages of a folder in the order of their names, its index left out."""
    return sorted(page for page in pages if page.startswith(f"{folder}/") and page != f"{folder}/index")
