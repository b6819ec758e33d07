"""The house: which room may import which, no circles, one place for each shared name, nothing reached by a string.

Read from the text of the files, imports inside functions and under TYPE_CHECKING included.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import LONGEST

ROOT = Path(__file__).resolve().parents[1]

FLOORS: tuple[frozenset[str], ...] = tuple(
    map(
        frozenset,
        (
            ("errors",),
            ("arrays", "faces"),
            ("convex_sets", "files", "lazy", "rows", "text"),
            ("surrogate", "proofs", "sparse_coding", "datasets"),
            ("symbolic", "federation", "announced"),
            ("algorithms", "theory"),
            ("examples", "relatives"),
            ("figures", "distributed", "transport"),
            ("estimators",),
            ("studies",),
            ("proofs_checks",),
            ("classroom",),
            ("commands", "widgets"),
            ("", "cli"),
            ("__main__",),
        ),
    )
)
"""Rooms from the general to the particular: a room imports from lower floors only. "" is the front door."""

SYMBOLIC: tuple[frozenset[str], ...] = tuple(
    map(
        frozenset,
        (
            ("functions",),
            ("decide",),
            ("formulas",),
            ("model",),
            ("component_model",),
            ("hypotheses", "latent"),
            ("constants", "numeric"),
            ("",),
        ),
    )
)
"""The rooms inside `fedmm_edu.symbolic`, read the same way."""

Imports = Mapping[str, frozenset[str]]
parsed = cache(ast.parse)


@cache
def sources() -> dict[str, str]:
    """The text of every module of the two packages, by its dotted name."""
    found = {}
    for package in ("fedmm_edu", "proofs_checks"):
        for path in sorted((ROOT / package).rglob("*.py*")):
            if path.suffix in (".py", ".pyi"):  # the stub of a room that loads its names late is part of its text
                name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
                found[name] = found.get(name, "") + path.read_text(encoding="utf-8")
    return found


def imports(modules: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The modules that each module names in an import, or in a string that is the name of a module."""
    return {name: frozenset(_named(text, modules.keys()) - {name}) for name, text in modules.items()}


def _named(text: str, known: Iterable[str]) -> set[str]:
    known = set(known)
    return {full if full in known else module for full, module in _mentions(text)} & known


@cache
def _mentions(text: str) -> frozenset[tuple[str, str]]:
    """(what is named, the module that it would be a name of) for each import and each string that may name a module."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {(f"{node.module}.{alias.name}", node.module) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {(alias.name, alias.name) for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            word = node.value.partition(":")[0]
            found |= {(word, word)} - {("fedmm_edu", "fedmm_edu")}
    return frozenset(found)


def room(module: str) -> str:
    """The room of a module: the ledger is one, and so is each folder or file of the package."""
    first, _, rest = module.partition(".")
    return "proofs_checks" if first == "proofs_checks" else rest.partition(".")[0]


def upward(graph: Imports) -> Iterator[str]:
    """Every import that does not go down: between rooms, and between the rooms of `symbolic`."""
    floor = {name: k for k, rooms in enumerate(FLOORS) for name in rooms}
    inner = {name: k for k, rooms in enumerate(SYMBOLIC) for name in rooms}
    for module, targets in graph.items():
        for target in sorted(targets):
            a, b = room(module), room(target)
            if a != b and floor[b] >= floor[a]:
                yield f"{module} imports {target}: {a or 'the front door'} is not above {b or 'the front door'}"
            elif a == b == "symbolic":
                c, d = (
                    name.removeprefix("fedmm_edu.symbolic").lstrip(".").partition(".")[0] for name in (module, target)
                )
                if c != d and inner[d] >= inner[c]:
                    yield f"{module} imports {target}: {c} is not above {d}"


def circles(graph: Imports) -> list[list[str]]:
    """Sets of modules that import each other, directly or around (strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in graph.get(node, ()):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            members = []
            while not members or members[-1] != node:
                members.append(stack.pop())
            if len(members) > 1:
                found.append(sorted(members))

    for node in graph:
        if node not in index:
            visit(node)
    return found


@cache
def house() -> dict[str, frozenset[str]]:
    return imports(sources())


def test_every_arrow_goes_down():
    """No room imports one that is not below it, by an import anywhere or by a string."""
    assert list(upward(house())) == []


def test_no_module_imports_itself_around():
    """No circle of files: each can be read after those that it imports."""
    assert circles(house()) == []


def test_every_room_has_its_floor():
    """A new room is drawn into the picture before it is moved into."""
    rooms = {room(name) for name in house()}
    assert rooms == set().union(*FLOORS)


@pytest.mark.parametrize(
    ("module", "line", "what"),
    [
        ("fedmm_edu.symbolic.model", "from proofs_checks.ledger import Claim", "symbolic is not above proofs_checks"),
        ("fedmm_edu.figures.style", "def f():\n    from fedmm_edu.studies import runs", "figures is not above studies"),
        ("fedmm_edu.commands.check", "LEDGER = 'proofs_checks.announce:claims'", ""),
        ("fedmm_edu.widgets.rows", "import_module('fedmm_edu.cli')", "widgets is not above cli"),
        (
            "fedmm_edu.proofs.certificate",
            "from fedmm_edu.symbolic.decide.algebra import vanishes",
            "proofs is not above",
        ),
        ("fedmm_edu.symbolic.decide.signs", "from fedmm_edu.symbolic.model import Model", "decide is not above model"),
    ],
)
def test_a_turned_arrow_is_seen(module, line, what):
    """The test above fails for an import that goes up: planted in a copy of the text, it is named."""
    found = list(upward(imports({**sources(), module: f"{sources()[module]}\n{line}\n"})))
    if what:
        assert any(module in said and what in said for said in found)
    else:  # downward it is allowed; the package itself must still not name the ledger
        assert not any(module in said for said in found)


def test_the_package_never_names_the_ledger():
    """`fedmm_edu` knows the ledger by what it announces (entry points), never by its name."""
    naming = [name for name, text in sources().items() if name.startswith("fedmm_edu") and _names_ledger(text)]
    assert naming == []


def _names_ledger(text: str) -> bool:
    tree = parsed(text)
    words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    named = any(re.search(r"\bproofs_checks\b", word) for word in words)
    return named or any(module.startswith("proofs_checks") for module in _named(text, house().keys()))


def test_a_planted_circle_is_seen():
    modules = {**sources()}
    modules["fedmm_edu.errors"] += "\nfrom fedmm_edu.surrogate import Surrogate\n"
    assert any({"fedmm_edu.errors", "fedmm_edu.surrogate"} <= set(members) for members in circles(imports(modules)))


INTERFACE = frozenset(
    {
        "CLAIMS", "SECTION",  # a section of the ledger
        "HELP", "DESCRIPTION", "EXAMPLES", "add_arguments", "run", "main",  # a command; `run` also runs an algorithm
        "EXAMPLE", "models", "wrong_models", "cells", "places",  # an example
    }
)  # fmt: skip
"""Names that every module of a kind defines, because whoever loads it looks for them."""


def shared_names(modules: Mapping[str, str]) -> dict[str, list[str]]:
    """Each name that some module imports and that several modules of `fedmm_edu` define, with these modules."""
    defined, taken = defaultdict(set), set()
    for module, text in modules.items():
        tree = parsed(text)
        for node in tree.body:
            names: list[str] = []
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names = [node.name]
            elif isinstance(node, ast.Assign):
                names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names = [node.target.id]
            for name in names:
                if not name.startswith("_") and module.startswith("fedmm_edu"):
                    defined[name].add(module)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fedmm_edu"):
                taken |= {alias.name for alias in node.names}
    return {name: sorted(where) for name, where in defined.items() if len(where) > 1 and name in taken - INTERFACE}


TWINS = frozenset({"uniforms", "add_to_rows", "solve"})
"""The same function twice, on purpose: in NumPy and compiled."""


def test_a_name_is_shared_from_one_module():
    """A name that some module imports is defined in one, except twins; none of those is out of date."""
    assert shared_names(sources()).keys() == TWINS


def test_a_name_that_is_defined_again_is_seen():
    modules = {**sources()}
    modules["fedmm_edu.text.plain"] += "\n\ndef in_interval(x):\n    return x\n"
    assert "in_interval" in shared_names(modules)


def test_a_colour_is_written_in_one_file():
    """Pictures name colours by what they stand for; the style alone says which they are."""
    written = [name for name, text in sources().items() if re.search(r"[\"']#[0-9A-Fa-f]{6}[\"']", text)]
    assert written == ["fedmm_edu.figures.style"]


def test_the_longest_files_of_tests_are_there():
    """Else one that was renamed would begin last, and everything wait for it."""
    assert [name for name in LONGEST if not (ROOT / "tests" / name).is_file()] == []
