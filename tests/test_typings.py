"""The stubs of libraries are true: what they declare exists, so that a renamed call is found by the type checker."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

TYPINGS = Path(__file__).with_name("typings")
STUBS = sorted(TYPINGS.rglob("*.pyi"))
UNSEEN = {"rows", "cols", "__iter__", "__bool__"}
"""Of instances, not of their class; matrices iterate by `__getitem__`, and the kinds of Boolean have a truth value."""


def module_of(stub: Path) -> str:
    return ".".join(stub.relative_to(TYPINGS).with_suffix("").parts).removesuffix(".__init__")


def declared(body: list[ast.stmt], before: str = "") -> Iterator[str]:
    """The public names of a stub, members of classes as `Class.name`."""
    for node in body:
        name = getattr(node, "name", None) or getattr(getattr(node, "target", None), "id", "_")
        if not name.startswith("_") or name.startswith("__"):
            yield before + name
            if isinstance(node, ast.ClassDef):
                yield from declared(node.body, f"{before}{name}.")


def missing(module: str, text: str) -> list[str]:
    """What a stub declares and the module lacks."""
    found = []
    for name in declared(ast.parse(text).body):
        thing = import_module(module)
        for part in name.split("."):
            if part not in UNSEEN:
                thing = getattr(thing, part, None)
        if thing is None:
            found.append(name)
    return found


@pytest.mark.parametrize("stub", [stub for stub in STUBS if stub.stat().st_size], ids=module_of)
def test_what_a_stub_declares_exists(stub: Path):
    assert missing(module_of(stub), stub.read_text(encoding="utf-8")) == []


def test_an_invented_name_is_seen():
    text = (TYPINGS / "sympy/__init__.pyi").read_text(encoding="utf-8")
    assert missing("sympy", text.replace("def could_extract_minus_sign", "def can_extract_minus_sign")) == [
        "Expr.can_extract_minus_sign"
    ]
