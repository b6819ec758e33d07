"""The recipes of CONTRIBUTING.md work as they are written: each is followed in a copy of the tree."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs_checks.quotes import FILES, quotes

ROOT = Path(__file__).parents[1]
RECIPES = {
    section.partition("\n")[0]: section
    for section in re.split(r"^## ", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    if "```console" in section
}
BLOCK = re.compile(r"```python\n(.*?)```\n", flags=re.DOTALL)
PLACE = re.compile(r"[Ii]n\s+(a\s+new\s+file\s+)?`([^`]+)`(?:,\s+(before|after)\s+`([^`]+)`)?:\s*\Z")


def changes(recipe: str) -> Iterator[tuple[str, str, str, str]]:
    """(file, "new", "before" or "after", the line meant, the block) for every block of Python."""
    for found in BLOCK.finditer(recipe):
        place = PLACE.search(recipe[: found.start()])
        assert place is not None, f"nothing says where this goes:\n{found[1]}"
        new, path, where, line = place.groups()
        assert bool(new) != bool(where), f"{path}: say that it is a new file, or before or after which line"
        yield path, where or "new", line or "", found[1]


def apply(tree: Path, recipe: str) -> list[str]:
    """Put the blocks into their files; the files."""
    for path, where, line, block in changes(recipe):
        file = tree / path
        if where == "new":
            assert not file.exists(), f"{path} exists"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block, encoding="utf-8")
            continue
        text = file.read_text(encoding="utf-8")
        assert text.count(f"\n{line}\n") == 1, f"{path}: there is not one line {line!r}"
        both = f"{block}{line}\n" if where == "before" else f"{line}\n{block}"
        file.write_text(text.replace(f"\n{line}\n", f"\n{both}"), encoding="utf-8")
    return [path for path, *_ in changes(recipe)]


def commands(recipe: str) -> list[list[str]]:
    """What the recipe tells to run, with this Python."""
    lines = [
        line[2:]
        for block in re.findall(r"```console\n(.*?)```", recipe, flags=re.DOTALL)
        for line in block.splitlines()
    ]
    ours = {"python": [sys.executable], "fedmm": [sys.executable, "-m", "fedmm_edu"]}
    words = map(shlex.split, lines)
    return [[*ours[first], *more] for first, *more in words]


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("copy")


@pytest.fixture
def tree(place) -> Path:
    """A copy of the packages and their tests; what Python has compiled of them stays for the next copy at this place,
    for to compile takes ten seconds."""
    for path in sorted(place.rglob("*"), reverse=True):  # what a folder holds before the folder
        if path.is_file() and path.suffix != ".pyc":
            path.unlink()
        elif path.is_dir() and path.name != "__pycache__" and not (ROOT / path.relative_to(place)).exists():
            shutil.rmtree(path)
    for name in ("fedmm_edu", "proofs_checks", "tests", "book"):
        built = ("_build", "*.ipynb", "figures") if name == "book" else ()
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns(*built), dirs_exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", place)
    (place / "paper.tex").write_text(source(), encoding="utf-8")
    return place


def source() -> str:
    """The paper's source as far as the ledger quotes it, each span at its lines."""
    lines: dict[int, str] = {}
    for file in FILES:
        for quote in (quote for spans in quotes(file).values() for quote in spans):
            lines |= {quote.first + k: line for k, line in enumerate(quote.text.split("\n"))}
    return "\n".join(lines.get(number, "") for number in range(1, max(lines) + 1))


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_works_as_written(name, tree):
    """Its blocks fit where it says, pass the linter, and its commands succeed."""
    recipe = RECIPES[name]
    written = apply(tree, recipe)
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": ""}
    lint = [sys.executable, "-m", "ruff"]
    told = [[*lint, "check", *written], [*lint, "format", "--check", *written], *commands(recipe)]
    for command in told:
        found = subprocess.run(command, cwd=tree, env=environment, capture_output=True, encoding="utf-8", check=False)
        assert found.returncode == 0, f"{shlex.join(command)}\n{found.stdout[-4000:]}\n{found.stderr[-2000:]}"
        if "pytest" in command:
            assert re.search(r"\d+ passed|\.\s+\[100%\]", found.stdout), found.stdout


def test_a_recipe_that_does_not_fit_is_seen(tree):
    """A line that is not there, a block without a place: the test says so."""
    with pytest.raises(AssertionError, match="there is not one line"):
        apply(tree, "In `fedmm_edu/errors.py`, after `no such line`:\n\n```python\nx = 1\n```\n")
    with pytest.raises(AssertionError, match="nothing says where"):
        apply(tree, "Write this:\n\n```python\nx = 1\n```\n")
