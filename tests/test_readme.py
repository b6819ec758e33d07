"""What the README shows is what happens: its Python runs, and its own-model example prints what stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_python_runs(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[number], f"README.md, block {number}", "exec"), {"__name__": "__main__"})


def test_the_own_model_example_prints_what_the_readme_shows(tmp_path):
    (tmp_path / "my_model.py").write_text(BLOCKS[0], encoding="utf-8")
    command = [sys.executable, "-m", "fedmm_edu", "check", "my_model.py"]
    width = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    found = subprocess.run(command, cwd=tmp_path, env=width, capture_output=True, encoding="utf-8", check=False)
    shown = README.split("$ fedmm check my_model.py\n")[1].split("```")[0]
    assert found.stdout.split() == shown.split()
    assert found.returncode == 1


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target
