"""JupyterLite beside the site, on request: the lessons with a Python that runs in the browser.

It needs the extra `lite` to build and a network to use: the reader's browser loads Pyodide and the scientific packages,
tens of megabytes, unless a copy of Pyodide is named with `--pyodide`. Each notebook begins with a cell that says so and
one that loads them. z3, cvc5 and PyTorch have no build for the browser, so cells that call them stop there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode

from book.generate.downloads import lessons
from book.generate.tree import ROOT
from fedmm_edu.errors import FedMMError, MissingExtra
from fedmm_edu.files import write_text

SETTINGS = {
    "jupyter-lite-schema-version": 0,
    "jupyter-config-data": {
        "appName": "Federated majorize-minimization",
        "disabledExtensions": ["jupyterlab-jupytext"],
    },
}
"""Settings; the extension named would ask for a server."""
NOTE = """\
**This notebook runs in your browser.** Run the next cell first, and wait: it loads Python's scientific packages from
the network, tens of megabytes. Without a network it fails, or the kernel never becomes ready; read the lesson on the
site then, which needs none, or run it with `make lab`. Cells that need z3, cvc5, PyTorch or a second process stop here:
those have no build for the browser.
"""
LOAD = """\
import piplite

await piplite.install([{packages}])
await piplite.install("fedmm-edu", deps=False)  # some of its requirements have no build for the browser
"""
PACKAGES = ("numpy", "scipy", "matplotlib", "pillow", "scikit-learn", "threadpoolctl", "sympy", "python-flint",
            "latex2mathml", "ipywidgets")  # fmt: skip
"""What the lessons import and Pyodide, or PyPI as pure Python, has."""


def require_lite() -> None:
    """`MissingExtra` where JupyterLite is not installed: ask before minutes of building."""
    if find_spec("jupyterlite_core") is None or find_spec("jupyterlite_pyodide_kernel") is None:
        raise MissingExtra("live kernels need JupyterLite: pip install 'fedmm-edu[lite]'.")


def add_lite(html: Path, pyodide: str | None = None) -> Path:
    """Build JupyterLite with the lessons into `html/lite`; `pyodide` is the archive or address of another Pyodide."""
    with tempfile.TemporaryDirectory() as folder:
        _run(folder, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
        wheel = next(Path(folder).glob("*.whl"))
        contents = Path(folder) / "contents"
        for lesson in lessons():
            notebook = for_browser(jupytext.read(lesson))
            write_text(contents / f"{lesson.stem}.ipynb", jupytext.writes(notebook, fmt="ipynb"))
        write_text(Path(folder) / "jupyter-lite.json", json.dumps(SETTINGS))
        options = ["--contents", contents, "--output-dir", html / "lite", "--piplite-wheels", wheel]
        options += ["--pyodide", pyodide] if pyodide else []
        _run(folder, "-m", "jupyter", "lite", "build", "--lite-dir", folder, "--no-libarchive", *options)
    return html / "lite" / "index.html"


def for_browser(notebook: NotebookNode) -> NotebookNode:
    """The lesson for the browser's kernel, with two cells before its first that say and load what it needs."""
    notebook.metadata["kernelspec"] = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}
    packages = ", ".join(f'"{package}"' for package in PACKAGES)
    note, load = nbformat.v4.new_markdown_cell(NOTE), nbformat.v4.new_code_cell(LOAD.format(packages=packages))
    notebook.cells = [note, load, *notebook.cells]
    return notebook


def _run(folder: str, *command: object) -> None:
    done = subprocess.run([sys.executable, *map(str, command)], cwd=folder, check=False)
    if done.returncode:
        raise FedMMError(f"{' '.join(map(str, command[:4]))} ended with status {done.returncode}: see its lines above.")
