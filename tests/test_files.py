"""Files are written whole, kept from others where they must be, and nothing of a killed run stays behind."""

import os
import signal
import subprocess
import sys

import pytest

from fedmm_edu.errors import InvalidInput
from fedmm_edu.files import SUFFIX, write_bytes, write_text

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither these permissions nor these signals")


@posix
def test_private_files_are_the_owners_alone(tmp_path):
    mask = os.umask(0o022)
    try:
        for private, mode in ((True, 0o600), (False, 0o644)):
            assert write_bytes(tmp_path / "a", b"x", private=private).stat().st_mode & 0o777 == mode
    finally:
        os.umask(mask)


KILLED = """
import os, signal, sys
from pathlib import Path
from fedmm_edu import files
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
files.write_bytes(Path(sys.argv[1]), b"half")
"""


@posix
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path):
    """A temporary file of a process that was killed goes; one that a living process writes stays; so do all others."""
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "state")], check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(SUFFIX)
    (tmp_path / ".mine").write_text("mine")
    code = (
        "import sys; from pathlib import Path; from fedmm_edu import files\n"
        "handle, name = files._begun(Path(sys.argv[1])); print(name, flush=True); sys.stdin.read()\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "other")], **pipes) as living:
        assert living.stdout is not None
        name = living.stdout.readline().strip()
        after = "import sys; from fedmm_edu.files import write_text; write_text(sys.argv[1], 'whole')"
        subprocess.run([sys.executable, "-c", after, str(tmp_path / "state")], check=True)
        found = {str(path) for path in tmp_path.iterdir()}
        living.communicate("")
    assert found == {name, str(tmp_path / "state"), str(tmp_path / ".mine")}


def test_a_text_that_is_none_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="valid text"):
        write_text(tmp_path / "a", "\ud800")
    assert list(tmp_path.iterdir()) == []


@posix
def test_sigterm_ends_a_command_as_ctrl_c_does():
    """What is cleaned up after an interruption is cleaned up after SIGTERM; the exit status tells them apart."""
    code = (
        "import sys, time, types\n"
        "from fedmm_edu import cli\n"
        "def run(args):\n"
        "    try:\n        print('here', flush=True)\n        time.sleep(60)\n"
        "    finally:\n        print('ended', flush=True)\n"
        "cli._called = run\n"
        "sys.exit(cli.main([]))\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == "ended\n"
        assert process.wait(30) == 143
