"""JupyterLite beside the site, on request: the lessons with a Python that runs in the browser.

It needs the extra `lite` and a network: the reader's browser loads Pyodide and the scientific packages, more than
100 MB, unless a copy of Pyodide is named with `--pyodide`. The exact checkers have no build for the browser, so cells
that call them stop there.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from book.generate.tree import BUILD, ROOT
from fedmm_edu.errors import FedMMError, MissingExtra


def add_lite(html: Path, pyodide: str | None = None) -> Path:
    """Build JupyterLite with the lessons into `html/lite`; `pyodide` is the archive or address of another Pyodide."""
    if find_spec("jupyterlite_core") is None or find_spec("jupyterlite_pyodide_kernel") is None:
        raise MissingExtra("live kernels need JupyterLite: pip install 'fedmm-edu[lite]'.")
    with tempfile.TemporaryDirectory() as folder:
        _run(folder, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
        wheel = next(Path(folder).glob("*.whl"))
        options = ["--contents", BUILD / "source" / "extra" / "download", "--output-dir", html / "lite"]
        options += ["--piplite-wheels", wheel, *(["--pyodide", pyodide] if pyodide else [])]
        _run(folder, "-m", "jupyter", "lite", "build", "--lite-dir", folder, "--no-libarchive", *options)
    return html / "lite" / "index.html"


def _run(folder: str, *command: object) -> None:
    done = subprocess.run([sys.executable, *map(str, command)], cwd=folder, check=False)
    if done.returncode:
        raise FedMMError(f"{' '.join(map(str, command[:4]))} ended with status {done.returncode}: see its lines above.")
