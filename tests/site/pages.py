"""The hand-written pages of the site, where they stand on it, and what generated pages there are beside them."""

import re
from pathlib import Path

from book.generate.api import public_modules
from book.generate.text import slug
from book.generate.tree import BOOK, ROOT
from fedmm_edu.examples import examples
from proofs_checks import sections

MADE = re.compile(r"\A(?:---\n.*?\n---\n\s*)?# [^\n]*\n\s*(?:% )?Made by [^\n]*do not edit", re.DOTALL)


def written() -> dict[str, Path]:
    """Every page that a person writes, by its place on the site; what a command writes says so, and is left out."""
    found = {f"lessons/{path.name}": path for path in sorted((ROOT / "notebooks").glob("*.md"))}
    for path in sorted(BOOK.rglob("*.md")):
        if not {"_build", "figures"} & set(path.parts) and not MADE.match(path.read_text(encoding="utf-8")):
            found[str(path.relative_to(BOOK))] = path
    return found


def generated() -> set[str]:
    """The places of the pages that are not written by a person."""
    ledger = {f"ledger/{slug(title)}.md" for title, _ in sections()}
    ledger |= {f"ledger/{name}.md" for name in ("corrections", "lines", "assumptions")}
    models = {f"examples/{example.name}.md" for example in examples()}
    api = {f"api/{slug(name)}.md" for name in public_modules()}
    single = {
        "theorem1.md",
        "glossary.md",
        "timings.md",
        "downloads.md",
        "literature.md",
        "campaigns.md",
        "relatives.md",
        "relatives_results.md",
        "dictionary_results.md",
        "transport_results.md",
        "transport_schedules.md",
        "tables_results.md",
        "worst_cases.md",
    }
    index = {f"{folder}/index.md" for folder in ("ledger", "examples", "api")}
    return ledger | models | api | single | index
