"""The command `fedmm` as a person meets it: exit statuses, tables, files, and messages of one line."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import pytest

from fedmm_edu.cli import main
from fedmm_edu.commands.check import EXAMPLES as CHECK_EXAMPLE
from fedmm_edu.errors import MissingExtra
from fedmm_edu.text.tables import Progress, table, width, wrap
from tests.conftest import OWN_TOY
from tests.ledger import sample_ledger

LEDGER = ["--ledger", "tests.ledger.sample_ledger"]
ROOT = Path(__file__).parent.parent


pytestmark = pytest.mark.usefixtures("narrow_folder")


def one_line(text):
    """Whether `text` is one message of one line, without a traceback."""
    return text.startswith("fedmm: ") and text.count("\n") == 1 and "Traceback" not in text


def test_verify_says_yes(capsys, tmp_path):
    """All as expected: status 0, a table that fits, the counts, and three files that agree."""
    assert main(["verify", *LEDGER, "--mutants", "--jobs", "1", "--json", "out/verdicts.json"]) == 0
    seen = capsys.readouterr()
    assert max(map(width, seen.out.splitlines())) <= 90
    assert "3xy ≤ x² + y² for all x, y & more" in seen.out
    assert "the paper, 2 rows: 1 holds · 1 false\n3 of 3 mutants refuted" in seen.out
    assert seen.err == "..\n"
    copy = (tmp_path / "out/verdicts.json").read_bytes()
    assert copy == (tmp_path / "report/verdicts.json").read_bytes()
    assert [record["id"] for record in json.loads(copy)] == ["square", "amgm"]
    assert sorted(path.name for path in (tmp_path / "report").iterdir()) == ["index.html", "verdicts.json"]


def test_verify_says_no_and_why(capsys, tmp_path, monkeypatch):
    """One row is not as expected: status 1 and the reason."""
    monkeypatch.setenv(sample_ledger.ODD_SWITCH, "1")
    assert main(["verify", *LEDGER, "surprise", "square", "--report", "r", "--jobs", "1"]) == 1
    seen = capsys.readouterr()
    assert "1 of 2 rows are not as expected:\n  surprise: expected proved, found refuted (evaluation)" in seen.out
    assert "!" in seen.err
    assert [record["id"] for record in json.loads((tmp_path / "r/verdicts.json").read_text("utf-8"))] == [
        "square",
        "surprise",
    ]


def test_list_judges_nothing(capsys, tmp_path):
    """The list shows ids and statements and writes no file."""
    assert main(["verify", *LEDGER, "--list"]) == 0
    assert "(x+1)² = x² + 2x + 1 for all x" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["verify", *LEDGER, "sqare"], "did you mean square?"),
        (["verify", *LEDGER, "12345"], "--list shows all"),
        (["verify", "--ledger", "no_such_ledger"], "there is no module 'no_such_ledger'"),
        (["verify", "--ledger", ".."], "no import path"),
        (["verify", "--ledger", ""], "no import path"),
        (["theorem", "toy", "--gap=--"], "--gap=-- has no value"),
        (["verify", "--ledger", "json"], "has no function sections()"),
        (["verify", *LEDGER, "--jobs", "0"], "jobs = 0"),
        (["verify", *LEDGER, "square", "--report", "file/report"], "cannot write"),
        (["check", "missing.py"], "missing.py"),
        (["check", "file"], "file"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(capsys, tmp_path, arguments, says):
    """The message names what is wrong and what to do; nobody meets a traceback."""
    (tmp_path / "file").write_text("no python here!", encoding="utf-8")
    assert main(arguments) == 2
    error = capsys.readouterr().err.removeprefix(".\n")
    assert one_line(error)
    assert says in error


def test_interruption_writes_a_partial_report(tmp_path):
    """Ctrl-C while a check hangs: status 130, and both files are there and whole."""
    environment = {**os.environ, sample_ledger.ODD_SWITCH: "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "fedmm_edu", "verify", *LEDGER, "square", "hangs", "--jobs", "1"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, **pipes) as process:
        assert process.stderr is not None
        assert process.stderr.read(1) == b"."  # the first row is done, the second never will be
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130, err
    assert b"not run" in out
    found = json.loads((tmp_path / "report/verdicts.json").read_text(encoding="utf-8"))
    assert [(record["verdict"], record["method"]) for record in found] == [("proved", "identity"), ("open", "not run")]
    assert "This run was interrupted" in (tmp_path / "report/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("S_bar", "status"), [("z", 0), ("2*z", 1)])
def test_check_judges_a_file(capsys, tmp_path, S_bar, status):
    """The toy of Remark 1 passes; with a wrong S̄ it fails, at a point."""
    (tmp_path / "mine.py").write_text(OWN_TOY.replace("S_bar=z", f"S_bar={S_bar}"), encoding="utf-8")
    assert main(["check", "mine.py"]) == status
    seen = capsys.readouterr().out
    assert max(map(width, seen.splitlines())) <= 90
    assert ("✗ refuted" in seen) == bool(status)
    assert main(["check", "mine.py", "--json"]) == status
    rows = json.loads(capsys.readouterr().out)[0]["rows"]
    refuted = [row for row in rows if row["status"] == "refuted"]
    assert bool(refuted) == bool(status)
    assert all(row["witness"]["point"] for row in refuted)


VARIANCE = """\
from sympy import log, symbols
from fedmm_edu import Model
z, v, s = symbols("z v s", real=True)
loss = log(v) / 2 + z**2 / (2 * v)
model = Model(theta=v, z=z, s=s, loss=loss, psi=log(v) / 2, phi=-1 / (2 * v), S_bar=z**2, T=s,
              Theta=[v > 0], S=[s > 0], Z=[z**2 > 0])
"""


def test_a_surrogate_is_not_refuted_by_what_only_the_theorems_ask_for(capsys, tmp_path):
    """EM for a variance: MM-1 and MM-2 hold, ψ − ⟨s, φ⟩ is not convex in v; A1 is said to fail, the status is 0."""
    (tmp_path / "variance.py").write_text(VARIANCE, encoding="utf-8")
    assert main(["check", "variance.py"]) == 0
    seen = capsys.readouterr().out
    assert "✗ refuted" in seen
    assert "It fails A1: convex, which the theorems ask for.\n\nWhat to do next:" in seen


def test_the_example_in_the_help_is_a_model_that_passes(capsys, tmp_path):
    """What the help shows can be saved and checked as it is."""
    lines = CHECK_EXAMPLE.splitlines()[1:]
    (tmp_path / "shown.py").write_text(textwrap.dedent("\n".join(lines)), encoding="utf-8")
    assert main(["check", "shown.py"]) == 0
    assert "every hypothesis is proved" in capsys.readouterr().out


def experiments(monkeypatch, run):
    """A registry with the one experiment `demo`."""
    demo = types.SimpleNamespace(add_arguments=lambda parser: parser.add_argument("--rounds", type=int), main=run)
    modules = {name: types.ModuleType(name) for name in ("fedmm_edu.studies", "fedmm_edu.studies.demo")}
    modules["fedmm_edu.studies"].__dict__["EXPERIMENTS"] = {"demo": ("fedmm_edu.studies.demo", "a demonstration")}
    modules["fedmm_edu.studies.demo"].__dict__["EXPERIMENT"] = demo
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)


def test_run_hands_over_to_the_experiment(monkeypatch, capsys):
    """Its options are its own, its status is the command's, its help is listed."""
    experiments(monkeypatch, lambda args: args.rounds)
    assert main(["run", "demo", "--rounds", "7"]) == 7
    for arguments, says in ((["run", "--help"], "a demonstration"), (["run", "demo", "-h"], "--rounds")):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 0
        assert says in capsys.readouterr().out


def test_a_missing_extra_is_one_line(monkeypatch, capsys):
    """An optional dependency that is not there is a message, not a traceback."""

    def needs_torch(args):
        raise MissingExtra("this experiment needs torch: pip install 'fedmm-edu[transport]'.")

    experiments(monkeypatch, needs_torch)
    assert main(["run", "demo"]) == 2
    assert one_line(capsys.readouterr().err)


def test_an_interrupted_experiment_has_status_130(monkeypatch, capsys):
    """As a shell expects of a program ended by Ctrl-C."""

    def stopped(args):
        raise KeyboardInterrupt

    experiments(monkeypatch, stopped)
    assert main(["run", "demo"]) == 130
    assert capsys.readouterr().err == "fedmm: interrupted\n"


def test_a_reader_that_goes_away_is_no_error():
    """`fedmm verify --list | head` ends quietly."""
    command = [sys.executable, "-m", "fedmm_edu", "verify", *LEDGER, "--list"]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        found = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, env=environment, check=False)
    finally:
        os.close(writing)
    assert (found.returncode, found.stderr) == (141, b"")


@pytest.mark.parametrize("arguments", [[], ["no-such-command"], ["verify", "--no-such-option"]])
def test_wrong_usage_has_status_2(arguments, capsys):
    """As of any command line."""
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: fedmm" in capsys.readouterr().err


def test_table_wraps_within_its_columns():
    """Long words are broken, combining characters take no room, newlines are kept."""
    text = table(("a", "b"), [("S̄ " * 20, "x" * 50 + "\nend")], columns=40, shares=(1, 1))
    assert max(map(width, text.splitlines())) <= 40
    assert text.count("S̄") == 20
    assert text.count("x") == 50
    assert wrap("one\ntwo", 10) == ["one", "two"]


def test_progress_on_a_terminal_is_one_line_that_is_rewritten(monkeypatch):
    """Each row rewrites the bar; a remark gets a line of its own."""
    written = []
    screen = types.SimpleNamespace(write=written.append, flush=lambda: None, isatty=lambda: True)
    progress = Progress(2, screen)
    progress.step("first")
    progress.step("second", "is odd")
    assert "1/2 first" in written[0]
    assert written[0].startswith("\r")
    assert "\n" not in written[0]
    assert written[1].startswith("\r! second: is odd")
    assert written[2].endswith("\n")
    assert all(width(text.strip("\r\n")) <= 89 for text in written)
