"""What runs the tests elsewhere: workflows name files that are there and no machine; links for the package index."""

import importlib.util
import re
import shutil
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_pins_its_actions_and_knows_no_machine(path):
    """Actions by commit, no path of a particular machine, and every make target and file exists."""
    text = path.read_text(encoding="utf-8")
    for action in re.findall(r"uses: (\S+)", text):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
    assert not re.search(r"(?<![\w.])/(?:home|root|work|Users|tmp)/", text)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}: " in makefile for target in re.findall(r"make ([a-z-]+)", text))
    assert all((ROOT / name).exists() for name in re.findall(r"(?:@|python )((?:tests|\.github)/\S+)", text))


def test_the_matrix_is_what_the_package_promises():
    """Every Python of the classifiers, on three systems."""
    text = (ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8")
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    promised = [found[1] for each in classifiers if (found := re.search(r"Python :: (3\.\d+)$", each))]
    assert re.findall(r'"(3\.\d+)"', text.split("runs-on")[0]) == promised
    assert all(system in text for system in ("ubuntu-", "macos-", "windows-"))


def test_the_fast_subset_names_tests_that_exist():
    for line in (ROOT / "tests/quick.txt").read_text(encoding="utf-8").split():
        path, _, test = line.partition("::")
        assert line.startswith("--") or (ROOT / path).is_file(), line
        assert not test or f"def {test.split('[')[0]}(" in (ROOT / path).read_text(encoding="utf-8"), line


def test_on_the_package_index_every_link_is_an_address(tmp_path):
    """The README beside no file: links lead to the repository, pictures to the file itself."""
    script = ROOT / ".github/absolute_links.py"
    spec = importlib.util.spec_from_file_location("absolute_links", script)
    assert spec is not None
    assert spec.loader is not None
    links = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(links)
    for name in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    links.main(tmp_path, "https://example.org/us/fedmm", "abc")
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", readme)
    assert len(targets) > 3
    for picture, target in targets:
        kind = "raw" if picture else "blob"
        path = target.removeprefix(f"https://example.org/us/fedmm/{kind}/abc/")
        assert path != target
        assert (ROOT / path).exists()
    urls = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert urls["Source"] == "https://example.org/us/fedmm"
