"""`fedmm constants` as a person meets it."""

import json
from dataclasses import replace

import pytest

from fedmm_edu.cli import main
from fedmm_edu.commands.constants import EXAMPLES as CONSTANTS_EXAMPLE
from fedmm_edu.text.tables import width
from tests.conftest import OWN_TOY

pytestmark = pytest.mark.usefixtures("narrow_folder")


def test_the_toy_on_an_interval(capsys, tmp_path):
    path = tmp_path / "certificates.json"
    assert main(["constants", "toy", "--S=1:4", "--certificates", str(path)]) == 0
    out, said = capsys.readouterr().out.split("\n\nThe kernel accepts ")
    assert "certificates of 5 constants" in said
    assert main(["check", str(path)]) == 0
    assert max(map(width, out.splitlines())) <= 90
    for text in ("1/(2*s**(3/2))", "1/16", "3/8", "A7 holds on this 𝒮", "not attained"):
        assert text in out


def test_where_a_constant_is_missing_the_status_is_1(capsys):
    assert main(["constants", "quadratic:least squares, l1"]) == 1
    assert "A7 fails on this 𝒮: there is no B(s)" in capsys.readouterr().out


def test_a_file_of_ones_own_as_json(capsys, tmp_path):
    """T is derived; the toy's constants come out."""
    (tmp_path / "mine.py").write_text(OWN_TOY, encoding="utf-8")
    assert main(["constants", "mine.py", "--S=1:4", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert {row["name"]: row["value"] for row in found["rows"]} == {
        "B": "1/(2*s**(3/2))", "v_min": "1/16", "v_max": "1/2", "C_star": "3/8", "C_starstar": "1/2",
    }  # fmt: skip
    assert all(row["verdict"]["evidence"] for row in found["rows"])


def test_numbers_for_constants(capsys):
    arguments = ["constants", "poisson:printed, strategy 2", "--S=-1:0", "--set", "lambda=1", "--set", "m=1/2"]
    assert main(arguments) == 0
    assert "1/8" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["tyo"], "did you mean 'toy'"),
        (["toy:to"], "did you mean 'toy'"),
        (["toy", "--S=1"], "LOW:HIGH"),
        (["toy", "--S=2:1"], "interior"),
        (["toy", "--set", "rho"], "NAME=VALUE"),
        (["toy", "--set", "rho=1"], "no constant rho"),
        (["missing.py"], "missing.py"),
        (["toy", "--S=1:1e400"], "beyond 10^±300"),
        (["toy", "--S=1e-400:1"], "beyond 10^±300"),
        (["toy", "--S=1:a*1e400"], "beyond 10^±300"),
        (["quadratic:least squares, ridge", "--set", "rho=1e-400"], "rho has a number beyond"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(capsys, arguments, says):
    assert main(["constants", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("fedmm: ")
    assert error.count("\n") == 1
    assert says in error


def test_the_examples_in_the_help_run(capsys, tmp_path):
    """Each line of the help that needs no file of one's own."""
    import shlex

    lines = [shlex.split(line)[1:] for line in CONSTANTS_EXAMPLE.splitlines()[1:] if "my_model" not in line]
    assert [main(arguments) for arguments in lines] == [0, 0, 1]  # the last: B(s) is singular
    assert "det" not in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------- statements of any size


def test_a_formula_for_any_size_is_the_rows_and_takes_numbers(capsys):
    """own-A7-dl-upper with δ = 1/2 and R = 3: 3(1 + 9)·4 and 2(1 + 9)·2; its row is judged, not quoted."""
    arguments = ["constants", "dictionary:any size", "--set", "delta=1/2", "--set", "R=3", "--json"]
    assert main(arguments) == 0
    (found,) = json.loads(capsys.readouterr().out)
    values = {row["name"]: row["value"] for row in found["rows"]}
    assert (values["C_star"], values["C_starstar"]) == ("120", "40")
    assert {row["verdict"]["status"] for row in found["rows"]} == {"proved"}
    assert all(row["verdict"]["evidence"] for row in found["rows"])


@pytest.mark.parametrize("example", ["toy", "poisson", "quadratic", "mixture", "dictionary"])
def test_every_example_has_its_rows(example, capsys):
    """Each formula is a word of a row's form, and each row is proved."""
    assert main(["constants", f"{example}:any size", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["rows"]
    assert {row["verdict"]["status"] for row in found["rows"]} == {"proved"}


def test_the_general_statement_stands_below_an_examples_models(capsys):
    assert main(["constants", "toy", "--S=1:4"]) == 0
    models, general = capsys.readouterr().out.split("toy, any size")
    assert "A7 holds on this 𝒮" in models
    assert "own-A7-toy-vmin" in general


def test_a_refuted_row_that_a_formula_rests_on_is_shown_as_such(capsys, monkeypatch):
    """The verdict is the check's: a row whose form is falsified does not appear as proved."""
    from proofs_checks.beyond_constants import claims as beyond_constants

    wrong = [
        replace(claim, form=claim.mutants["without R"]) if claim.id == "own-A7-dl-upper" else claim
        for claim in beyond_constants.CLAIMS
    ]
    monkeypatch.setattr(beyond_constants, "CLAIMS", wrong)
    main(["constants", "dictionary:any size", "--json"])
    (found,) = json.loads(capsys.readouterr().out)
    rows = [row["verdict"]["status"] for row in found["rows"] if row["row"] == "own-A7-dl-upper"]
    assert rows == ["refuted", "refuted"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["dictionary:any size", "--set", "Q=3"], "no constant Q"),
        (["dictionary:any size", "--set", "R=sqrt(2)"], "not an exact number"),
        (["tyo:any size"], "no statement for any size"),
    ],
)
def test_wrong_input_for_any_size_is_named(capsys, arguments, says):
    assert main(["constants", *arguments]) == 2
    assert says in capsys.readouterr().err
