"""What importing costs, and what it promises: NumPy and SciPy only; lists of public names, true and complete."""

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import fedmm_edu
from book.generate.api import assigned, imported, listed, public_modules

ROOT = Path(__file__).parents[1]
HEAVY = ("sympy", "torch", "flwr", "matplotlib", "sklearn", "pandas", "numba", "z3", "cvc5", "flint", "latex2mathml")
TEXTS = [
    *sorted((ROOT / "notebooks").glob("*.md")),
    *(path for path in sorted((ROOT / "book").rglob("*.md")) if "_build" not in path.parts),
    ROOT / "README.md",
]
"""What a reader copies from: lessons, pages of the site, how-tos among them, and the README."""


def fresh(code: str) -> str:
    """What `code` prints in an interpreter of its own."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(
    "module",
    [
        "fedmm_edu",
        "fedmm_edu.cli",
        "fedmm_edu.examples",
        "fedmm_edu.sparse_coding",
        "fedmm_edu.distributed",
        "fedmm_edu.symbolic",
        "proofs_checks",
    ],
)
def test_import_is_light(module):
    """A fresh interpreter that imports `module` has loaded none of the heavy packages."""
    assert fresh(f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])") == "[]"


def test_an_algorithm_costs_numpy_and_scipy():
    """Names of the front door load their own room, no other."""
    code = "import sys; from fedmm_edu import FedMM, Clients, run, bound"
    assert fresh(f"{code}; print([name for name in {HEAVY!r} if name in sys.modules])") == "[]"


def test_the_command_line_starts_without_numpy():
    """What every call of `fedmm` waits for is Python; a command imports the rest when it is chosen."""
    assert fresh("import sys, fedmm_edu.cli; print('numpy' in sys.modules, 'scipy' in sys.modules)") == "False False"


def test_the_front_door_costs_nothing():
    """Not even NumPy, until a name is used."""
    assert fresh("import sys, fedmm_edu; print('numpy' in sys.modules)") == "False"


def test_unknown_name_is_an_attribute_error():
    """The lazy look-up does not invent names."""
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = fedmm_edu.no_such_name


def describes(module: str, name: str) -> str:
    """The docstring of a public name: of a module, a class, a function, or below a value where it is assigned.

    An example says what it is by its title.
    """
    found: Any = getattr(import_module(module), name, None)
    found = import_module(f"{module}.{name}") if found is None else found
    if isinstance(found, ModuleType) or inspect.isclass(found) or inspect.isfunction(inspect.unwrap(found)):
        return found.__doc__ or ""
    home = module
    while name not in assigned(home):
        home = imported(home)[name]
    return assigned(home)[name] or getattr(found, "title", "")


@pytest.mark.parametrize("module", [module for module in public_modules() if listed(module)])
def test_every_listed_name_exists_and_says_what_it_is(module):
    """The list is true, also where a name loads its module late; and the page of the reference has words for it."""
    names = listed(module)
    assert len(set(names)) == len(names)
    assert set(names) <= set(dir(import_module(module))) | {name for name in names if "exercises" in module}
    assert [name for name in names if not describes(module, name).strip()] == []


def cells(path: Path, *, blocks: bool = True) -> Iterator[str]:
    """The Python of a page: its cells and, unless `blocks` is false, its blocks, without magics and options."""
    kinds = r"\{code-cell\}[^\n]*" + ("|python" if blocks else "")
    for block in re.findall(rf"```(?:{kinds})\n(.*?)```", path.read_text("utf-8"), flags=re.DOTALL):
        body = re.sub(r"\A---\n.*?\n---\n", "", block, flags=re.DOTALL)
        yield "\n".join(line for line in body.splitlines() if not line.startswith(("%", "!", ":")))


def taken(code: str) -> Iterator[tuple[str, str]]:
    """(module, name) for every name that the code imports from this project."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ("fedmm_edu", "proofs_checks"):
            yield from ((str(node.module), alias.name) for alias in node.names)


@pytest.mark.parametrize(
    "path", [path for path in TEXTS if any(map(list, map(taken, cells(path))))], ids=lambda p: p.stem
)
def test_what_a_page_imports_is_public(path):
    """Each name is on the list of the module it is taken from, or is a module that has a list."""
    found = {pair for code in cells(path) for pair in taken(code)}
    modules = set(public_modules())
    private = {f"{m}.{name}" for m, name in found if name not in listed(m) and f"{m}.{name}" not in modules}
    assert private == set()
    assert {m for m, _ in found} <= modules | {"fedmm_edu.widgets"}
