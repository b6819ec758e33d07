"""Third-party scripts are what was pinned, are fetched once, and are refused otherwise."""

import base64
import hashlib
import io
import tarfile

import pytest

from book.generate import vendor
from book.generate.vendor import AXE, SITE, CannotFetch, Package, Wheel, fetch


def archive(**files: bytes) -> bytes:
    """An npm archive with these files below `package/`; "__" stands for a slash in a name."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(f"package/{name.replace('__', '/')}.js")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


ARCHIVE = archive(dist__main=b"ours", other=b"not wanted")
SUM = "sha512-" + base64.b64encode(hashlib.sha512(ARCHIVE).digest()).decode()
PACKAGE = Package("@scope/lib", "1.2.3", SUM, ("dist/*.js",))


def test_the_wanted_files_are_kept_and_fetched_once(tmp_path):
    asked = []
    first, home = (fetch(PACKAGE, tmp_path, lambda spec: asked.append(spec) or ARCHIVE) for _ in range(2))
    assert first == home
    assert asked == ["@scope/lib@1.2.3"]
    assert {path.name: path.read_bytes() for path in home.iterdir()} == {"main.js": b"ours", "integrity": SUM.encode()}


def test_an_archive_that_is_not_the_pinned_one_is_refused(tmp_path):
    with pytest.raises(CannotFetch, match="do not use it"):
        fetch(PACKAGE, tmp_path, lambda spec: ARCHIVE + b"x")
    assert not list(tmp_path.rglob("*.js"))


def test_another_pin_is_fetched_again(tmp_path):
    """What lies there under another integrity, or was interrupted, is not trusted."""
    home = fetch(PACKAGE, tmp_path, lambda spec: ARCHIVE)
    (home / "integrity").write_text("sha512-other", encoding="utf-8")
    asked = []
    fetch(PACKAGE, tmp_path, lambda spec: asked.append(spec) or ARCHIVE)
    assert asked


def test_a_file_that_is_not_in_the_archive_is_named(tmp_path):
    with pytest.raises(CannotFetch, match=r"holds no missing\.js"):
        fetch(Package("lib", "1", SUM, ("missing.js",)), tmp_path, lambda spec: ARCHIVE)


def npm(folder, lines):
    """A program in the place of npm, beside the interpreter."""
    program = folder / "npm"
    program.write_text("#!/bin/sh\n" + lines, encoding="utf-8")
    program.chmod(0o755)
    return str(folder / "python")


def test_npm_is_asked_for_the_package_and_gives_its_archive(tmp_path, monkeypatch):
    """`npm pack SPEC` writes the archive into the folder that it is told."""
    (tmp_path / "given").write_bytes(ARCHIVE)
    lines = f'[ "$1 $2" = "pack @scope/lib@1.2.3" ] && cp {tmp_path}/given "$5/scope-lib-1.2.3.tgz"\n'
    monkeypatch.setattr(vendor.sys, "executable", npm(tmp_path, lines))
    assert (fetch(PACKAGE, tmp_path / "vendor") / "main.js").read_bytes() == b"ours"


@pytest.mark.parametrize("lines", ["echo no route >&2; exit 1\n", "exit 0\n"])
def test_without_a_network_the_message_says_what_to_do(tmp_path, monkeypatch, lines):
    monkeypatch.setattr(vendor.sys, "executable", npm(tmp_path, lines))
    with pytest.raises(CannotFetch, match="needs a network"):
        fetch(PACKAGE, tmp_path / "vendor")


def test_without_npm_the_message_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(vendor.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(vendor.shutil, "which", lambda name: None)
    with pytest.raises(CannotFetch, match=r"fedmm-edu\[book\]"):
        fetch(PACKAGE, tmp_path)


@pytest.mark.parametrize("package", [*SITE, AXE], ids=lambda package: package.label)
def test_pins_are_exact(package):
    """A version, not a range; a SHA-512."""
    assert package.version.replace(".", "").isdigit()
    assert len(base64.b64decode(package.integrity.removeprefix("sha512-"))) == 64


def test_a_wheel_is_kept_whole(tmp_path):
    """As it came, under the name that its pin gives it; another one is refused."""
    content = b"an archive"
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
    wheel = Wheel("some-package", "1.0", integrity, ("some_package-1.0-py3-none-any.whl",))
    asked = []
    home = fetch(wheel, tmp_path, lambda spec: asked.append(spec) or content)
    assert asked == ["some-package==1.0"]
    assert (home / wheel.files[0]).read_bytes() == content
    with pytest.raises(CannotFetch, match="do not use it"):
        fetch(wheel, tmp_path / "other", lambda spec: content + b"x")
