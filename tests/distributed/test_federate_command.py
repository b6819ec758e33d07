"""`fedmm federate`: what it prints, its exit status, and what it refuses."""

import pytest

from fedmm_edu.cli import main
from fedmm_edu.distributed.jobs import full_name, job_of
from fedmm_edu.distributed.workspace import MARK, claim
from fedmm_edu.errors import InvalidInput
from fedmm_edu.studies.faults.jobs import JOBS


def test_a_run_in_memory_is_the_fault_free_run(capsys):
    """Without faults: the same bits, and the limit within the tolerance."""
    assert main(["federate", "--rounds", "12", "--nodes", "3"]) == 0
    said = capsys.readouterr().out
    assert "8 clients on 3 nodes" in said
    assert "bit for bit the same" in said


def test_faults_are_counted_and_survived(capsys):
    """With faults in the first three quarters: they are listed, and the limit is reached."""
    assert main(["federate", "--rounds", "40", "--faults", "0.4", "--attempts", "3"]) == 0
    assert "faults;" in capsys.readouterr().out


def test_an_error_above_the_tolerance_is_status_1(capsys):
    """Two rounds are not enough, and the command says so."""
    assert main(["federate", "--rounds", "2"]) == 1
    assert "NOT within" in capsys.readouterr().out


def test_exact_asks_for_every_bit(capsys):
    """A run near its limit, whose lost messages have changed it, is status 1 where the bits are asked for."""
    line = ["federate", "--rounds", "4", "--tolerance", "9"]
    assert main([*line, "--exact"]) == 0
    assert main([*line, "--faults", "0.5"]) == 0
    capsys.readouterr()
    assert main([*line, "--faults", "0.5", "--exact"]) == 1
    assert "NOT bit for bit the same, as --exact asks" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--nodes", "0"], "nodes = 0"),
        (["--nodes", "99"], "nodes = 99 for n = 8"),
        (["--faults", "2"], "faults = 2"),
        (["no_such_job"], "there is no job"),
        (["math:pi"], "cannot be called"),
        (["builtins:int"], "returned int"),
        (["--engine", "simulation", "--faults", "0.1"], "--faults belongs to"),
        (["--anew"], "--anew belongs to"),
        (["--kill", "1:3"], "--kill belongs to --engine processes"),
        (["--engine", "processes", "--kill", "nobody:3"], "as in 1:4, server:4 or all:4"),
        (["--engine", "processes", "--kill", "4:3"], "the node to kill = 4"),
        (["--engine", "processes", "--kill", "server:13"], "the round to kill in = 13"),
        (["--engine", "processes", "--kill", f"1:{'1' * 5000}"], "write an integer in decimal digits"),
        (
            ["--app", "a", "--engine", "processes", "--kill", "1:3"],
            "--kill, --engine: --app writes files and runs noth",
        ),
        (["--app", "a", "--report", "b"], "--report: --app writes files"),
        (["--report", "b", "--exact"], "--exact: --report writes files"),
        (["--engine", "processes", "--wipe"], "--wipe says what the killed node loses"),
    ],
)
def test_wrong_input_is_status_2(arguments, why, capsys, monkeypatch):
    """One line on stderr, which names the value, before any round is run."""
    monkeypatch.setattr("fedmm_edu.studies.faults.survival.reference", None)
    assert main(["federate", *arguments]) == 2
    assert why in capsys.readouterr().err


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


FOREIGN = ["app/models.py", "server/main.go", "node-modules/x.js", "flwr/config.toml", "run.log", "superlink.db"]


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("anew", [[], ["--anew"]])
def test_a_foreign_folder_is_refused_and_left_as_it_is(tmp_path, name, anew, capsys):
    """Whatever the folder holds: without the mark of a run it is somebody else's, with and without --anew."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    before = contents(tmp_path)
    assert main(["federate", "--engine", "processes", "--out", str(tmp_path), *anew]) == 2
    assert "nothing was changed" in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_anew_removes_what_the_run_made_and_nothing_else(tmp_path):
    """Beside a run: files of other names, and folders that a link of its names points to, survive."""
    home, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    claim(home)
    for name in ("server", "app/pyproject.toml", "node-0/node-0", "superlink.log", "notes.log", "data/table.csv"):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(name)
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("mine")
    (home / "flwr").symlink_to(elsewhere)
    claim(home, anew=True)
    assert set(contents(home)) == {MARK, "notes.log", "data/table.csv"}
    assert (elsewhere / "precious").read_text() == "mine"


def test_a_folder_that_everybody_may_change_is_no_home_of_a_run(tmp_path):
    """Whoever may write there could put code and a secret of his own in it, mark and all."""
    claim(tmp_path)
    tmp_path.chmod(0o1777)
    before = contents(tmp_path)
    with pytest.raises(InvalidInput, match="everybody may change"):
        claim(tmp_path, anew=True)
    assert contents(tmp_path) == before


def test_wrong_words_remove_nothing(tmp_path):
    """A command that is refused has not removed the run before."""
    claim(tmp_path)
    (tmp_path / "server").write_text("a run of hours")
    wrong = ["--engine", "processes", "--anew", "--kill", "nobody:3", "--out", str(tmp_path)]
    assert main(["federate", *wrong]) == 2
    assert (tmp_path / "server").read_text() == "a run of hours"


@pytest.mark.parametrize("name", ["pyproject.toml", "fedmm_app.py"])
def test_an_app_is_not_written_over_another_project(tmp_path, name, capsys):
    (tmp_path / name).write_bytes("[project]\nname = 'größe'\n".encode("latin-1"))
    before = contents(tmp_path)
    assert main(["federate", "--app", str(tmp_path)]) == 2
    assert "not of an app of ours" in capsys.readouterr().err
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", JOBS)
def test_every_job_is_the_same_wherever_it_is_made(name):
    """Two machines that make a job by its name have the same plan, and other nodes make another."""
    full = full_name(name, JOBS)
    assert job_of(full, 2).plan.key == job_of(full, 2).plan.key != job_of(full, 4).plan.key
    with pytest.raises(InvalidInput, match="nodes = 9"):
        job_of(full, 9)
