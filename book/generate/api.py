"""The reference: a page for each public package, from its docstrings."""

from __future__ import annotations

import ast
import pkgutil
from importlib.util import find_spec
from pathlib import Path

import fedmm_edu
import proofs_checks
from book.generate.text import slug, table

NOT_A_LIBRARY = ("commands", "cli", "__main__", "exercises", "checks")
"""What is called from the command line, by lessons or by the ledger, and not by a person's program."""


def api_pages() -> dict[str, str]:
    """One page per public module, and their index, by the name of their file."""
    modules = public_modules()
    rows = [[f"[`{name}`]({slug(name)}.md)", _promise(name)] for name in modules]
    index = "# Reference\n\nEvery public name, from its docstring. What is not listed here is not promised.\n\n"
    return {
        "api/index.md": index + table(["module", "what it is"], rows),
        **{f"api/{slug(name)}.md": _page(name) for name in modules},
    }


def public_modules() -> list[str]:
    """The packages that list public names in `__all__`, and the plain modules beside them at the top."""
    found = ["fedmm_edu"]
    for package in (fedmm_edu, proofs_checks):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            parts = module.name.split(".")
            if not any(part in NOT_A_LIBRARY for part in parts) and (module.ispkg or len(parts) == 2):
                if module.ispkg and "__all__" not in _source(module.name):
                    continue
                if module.name.startswith("proofs_checks.") and not module.ispkg and parts[1] != "ledger":
                    continue  # sections of the ledger: their pages are those of the rows
                found.append(module.name)
    return sorted(found)


def _page(name: str) -> str:
    options = [":members:", *([":imported-members:"] if "__all__" in _source(name) else [])]
    if name == "fedmm_edu":
        options.append(":no-index:")  # its names are described again where they live
    directive = "\n   ".join([f".. automodule:: {name}", *options])
    return f"# `{name}`\n\n```{{eval-rst}}\n{directive}\n```\n"


def _promise(name: str) -> str:
    text = ast.get_docstring(ast.parse(_source(name))) or ""
    return text.split("\n\n")[0].replace("\n", " ")


def _source(name: str) -> str:
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).read_text(encoding="utf-8")
