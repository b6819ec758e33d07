"""What the README shows is what happens: its Python runs, and its own-model example prints what stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_structure import FLOORS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_python_runs(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{x % 7},{x * x % 11},{'north' if x % 3 else 'south'}" for x in range(60)]
    (tmp_path / "patients.csv").write_text("\n".join(["age,dose,hospital", *rows]), encoding="utf-8")
    exec(compile(BLOCKS[number], f"README.md, block {number}", "exec"), {"__name__": "__main__"})


def test_the_own_model_example_prints_what_the_readme_shows(tmp_path):
    (tmp_path / "my_model.py").write_text(BLOCKS[0], encoding="utf-8")
    command = [sys.executable, "-m", "fedmm_edu", "check", "my_model.py"]
    width = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    found = subprocess.run(command, cwd=tmp_path, env=width, capture_output=True, encoding="utf-8", check=False)
    shown = README.split("$ fedmm check my_model.py\n")[1].split("```")[0]
    assert found.stdout.split() == shown.split()
    assert found.returncode == 1


def test_the_environment_is_activated_before_fedmm_is_called():
    """In a fresh clone `fedmm` lies in `.venv/bin`: the README says so before its first use."""
    blocks = re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL)
    told = [line.removeprefix("$ ").split("#")[0].strip() for block in blocks for line in block.splitlines()]
    assert "install --editable" in (ROOT / "Makefile").read_text(encoding="utf-8")
    first = next(k for k, line in enumerate(told) if line.startswith("fedmm "))
    assert any("activate" in line for line in told[:first])
    assert told.index(". .venv/bin/activate") > told.index("make verify")


def test_every_make_target_that_is_named_exists():
    """In the README and in CONTRIBUTING; and the README names each one but the auxiliary ones."""
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = set(re.findall(r"(?:^\$ |`|^)make ([a-z-]+)", README, flags=re.MULTILINE))
    told = set(re.findall(r"(?:`|^)make ([a-z-]+)", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), flags=re.MULTILINE))
    assert named | told <= targets
    assert targets - {"help", "clean"} <= named


def test_the_table_of_the_house_is_the_tree():
    """Each room of the package stands in the table once, above those that it may import; what it names exists."""
    rows = re.findall(r"^\| (`.*?) \| .* \|$", README.split("## The house")[1], flags=re.MULTILINE)
    shown = []
    for row in rows:
        base = Path()
        for name in re.findall(r"`([^`]+)`", row):
            found = ROOT / name if (ROOT / name).exists() else ROOT / base / name
            assert found.exists(), name
            base = found.relative_to(ROOT).parent
            shown.append(found.relative_to(ROOT / "fedmm_edu").parts[0] if "fedmm_edu" in name or base.name else name)
    floor = {name: k for k, rooms in enumerate(FLOORS) for name in rooms}
    rooms = [floor[name.removesuffix(".py")] for name in shown if name.removesuffix(".py") in floor]
    assert rooms == sorted(rooms, reverse=True)
    inside = {path.stem for path in (ROOT / "fedmm_edu").iterdir() if (path / "__init__.py").exists()}
    assert inside <= {name.removesuffix(".py") for name in shown}


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target
