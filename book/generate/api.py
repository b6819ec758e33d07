"""The reference: a page for each module that lists public names, from its docstrings."""

from __future__ import annotations

import ast
import pkgutil
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import fedmm_edu
import proofs_checks
from book.generate.text import slug, table
from fedmm_edu.examples import examples

TOP = ("fedmm_edu.convex_sets", "fedmm_edu.errors", "fedmm_edu.files", "fedmm_edu.surrogate", "proofs_checks.ledger")
"""Files that are public as a whole."""


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
    """The front door, every module with a list `__all__`, and the files that are public as a whole."""
    found = {*TOP}
    for package in (fedmm_edu, proofs_checks):
        walked = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        found |= {name for name in (package.__name__, *(module.name for module in walked)) if listed(name)}
    return sorted(found)


PICTURED = re.compile(r"fedmm_edu\.examples\.(\w+)")
"""An example's room: its page shows what the kernel's majoriser looks like."""


def _page(name: str) -> str:
    options = [":members:", *([":imported-members:"] if listed(name) else [])]
    if name == "fedmm_edu" or (listed(name) and _file(name).stem != "__init__"):
        options.append(":no-index:")  # its names are described again in their room
    directives = ["\n   ".join([f".. automodule:: {name}", *options])]
    homes = imported(name)
    for value in listed(name):  # a value that another module assigns carries no docstring along
        if value in assigned(homes.get(value, name)) and value in homes:
            directives.append(f".. autodata:: {homes[value]}.{value}\n   :no-index:")
    text = "\n\n".join(directives)
    return f"# `{name}`\n\n{_picture(name)}```{{eval-rst}}\n{text}\n```\n"


def _picture(name: str) -> str:
    found = PICTURED.fullmatch(name)
    if not found or found[1] not in {example.name for example in examples()}:
        return ""
    return (
        f":::{{figure}} ../pictures/{found[1]}.png\n:alt: Objective and majoriser of the example {found[1]}\n\n"
        f"The objective and the majoriser of this kernel at a point τ; [the example](../examples/{found[1]}.md) has "
        "its formulas and what is proved of them.\n:::\n\n"
    )


@cache
def listed(name: str) -> tuple[str, ...]:
    """The public names of a module: those of the stub beside it, else its list `__all__`."""
    if _file(name).with_suffix(".pyi").exists():
        return tuple(imported(name))
    for node in ast.parse(_source(name)).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return tuple(ast.literal_eval(node.value))
    return ()


@cache
def imported(name: str) -> dict[str, str]:
    """Each name that the module, or the stub beside it, imports from a module, with that module."""
    stub = _file(name).with_suffix(".pyi")
    text = stub.read_text(encoding="utf-8") if stub.exists() else _source(name)
    return {
        alias.asname or alias.name: node.module
        for node in ast.parse(text).body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


@cache
def assigned(name: str) -> dict[str, str]:
    """Each value that the module assigns, with the text below it; "" where none stands there."""
    if not name.startswith(("fedmm_edu", "proofs_checks")):
        return {}
    found = {}
    body = ast.parse(_source(name)).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            says = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id: str(says) for target in targets if isinstance(target, ast.Name)}
    return found


def _promise(name: str) -> str:
    text = ast.get_docstring(ast.parse(_source(name))) or ""
    return text.split("\n\n")[0].replace("\n", " ")


def _source(name: str) -> str:
    return _file(name).read_text(encoding="utf-8")


@cache
def _file(name: str) -> Path:
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)
