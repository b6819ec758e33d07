"""Certificates of rows: the kernel accepts what is found, a file travels, a changed file is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
import sympy as sp

from fedmm_edu.cli import main
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.dictionary import model as dictionary
from fedmm_edu.examples.mixture import model as mixture
from fedmm_edu.examples.poisson import model as poisson
from fedmm_edu.examples.quadratic import model as quadratic
from fedmm_edu.examples.robust import model as robust
from fedmm_edu.examples.toy import model as toy
from fedmm_edu.examples.weights import model as weights
from fedmm_edu.proofs.stored import from_json, refused, to_json
from fedmm_edu.symbolic import Model, Step, check_model, undecided
from fedmm_edu.symbolic.decide.domain import Relation
from fedmm_edu.symbolic.hypotheses.alarm import ProofContradicted, broken_at
from fedmm_edu.symbolic.hypotheses.certificates import by_kernel, certificate_of, certificates
from fedmm_edu.symbolic.hypotheses.mm2 import with_T
from fedmm_edu.symbolic.hypotheses.statements import CLAIMS, Refutable

WHOLE = {
    "toy": toy, "one atom": dictionary, "one atom, two dimensions": dictionary, "pseudo-Huber, weights": robust,
    "Geman-McClure, weights": robust, "likelihood, strategy 1": poisson, "printed, strategy 2": poisson,
    "means": mixture, "two components": weights,
    **{f"least squares{kind}": quadratic
       for kind in ("", ", ridge", ", weighted ridge", ", l1", ", group l1", ", box", ", two dimensions")},
}  # fmt: skip
MODEL = """\
from sympy import symbols
from fedmm_edu.symbolic import Model, Step, check_model, undecided
theta, z, s = symbols("theta z s", real=True)
model = Model(theta=[theta], z=[z], s=[s], loss=z*theta + 1/theta, psi=1/theta, phi=[-theta], S_bar=[z],
              Theta=[theta > 0], S=[s > 0], Z=[z > 0])
"""


def rows(model):
    model = with_T(model)
    return {row: certificates(model, row) for row in CLAIMS}


@pytest.mark.parametrize("name", WHOLE)
def test_every_row_of_these_models_rests_on_the_kernel(name):
    assert [row for row, proofs in rows(WHOLE[name].models()[name]).items() if proofs is None] == []


def test_most_rows_of_the_robust_losses_are_certified():
    for model in robust.models().values():
        assert sum(proofs is not None for proofs in rows(model).values()) >= 7


@pytest.mark.parametrize("name", quadratic.wrong_models())
def test_a_false_row_has_no_certificate(name):
    row, model = quadratic.wrong_models()[name]
    if row == "MM-2: T minimizes":
        model = with_T(model)
    assert certificates(model, row) is None


def test_certificates_travel_as_text():
    found = {row: proofs for row, proofs in rows(toy.models()["toy"]).items() if proofs}
    again = from_json(to_json(found))
    assert again == found
    assert refused(again) == {}


def test_a_changed_certificate_is_refused():
    text = to_json({"row": rows(quadratic.models()["least squares"])["MM-1: majorizes"] or ()})
    changed = text.replace('"q": "-1"', '"q": "-2"')
    assert changed != text
    assert "row" in refused(from_json(changed))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": "other", "rows": {}}', '{"format": "fedmm certificates 2", "rows": {"a": [{}]}}'],
)
def test_a_file_of_something_else_is_refused(text):
    with pytest.raises(InvalidInput, match="no file of certificates"):
        from_json(text)


@pytest.mark.parametrize("number", [1, 3])
def test_a_file_of_other_rules_is_refused_by_one_sentence(number):
    text = to_json({}).replace("certificates 2", f"certificates {number}")
    with pytest.raises(InvalidInput, match="knows the rules of 'fedmm certificates 2': write it anew") as refusal:
        from_json(text)
    assert "\n" not in str(refusal.value)


def test_the_command_writes_and_reads_certificates(tmp_path, capsys):
    (tmp_path / "my_model.py").write_text(MODEL)
    out = tmp_path / "out.json"
    assert main(["check", str(tmp_path / "my_model.py"), "--certificates", str(out)]) == 0
    assert "The kernel accepts certificates of 9 of 9 proved rows" in capsys.readouterr().out
    assert main(["check", str(out)]) == 0
    said = capsys.readouterr().out
    assert "✓ accepted  model: MM-2: T minimizes" in said
    assert "s > 0" in said
    found = json.loads(out.read_text())
    for claims in found["rows"].values():
        claims[0]["goal"] = [">", {"q": "-1"}]
    out.write_text(json.dumps(found))
    assert main(["check", str(out)]) == 1
    assert "✗ refused" in capsys.readouterr().out


def test_what_the_search_proves_without_a_certificate_is_supported_and_says_so(monkeypatch):
    model = toy.models()["toy"]
    found = check_model(model)
    assert {verdict.status for verdict in found.values()} == {"proved"}
    monkeypatch.setattr(by_kernel.__module__ + ".certificates", lambda model, row: None)
    for verdict in check_model(model).values():
        assert verdict.status == "supported"
        assert verdict.missing is not None
        assert "no certificate that the kernel accepts" in verdict.missing.claim


def test_a_certificate_proves_what_the_search_leaves_open():
    model = toy.models()["toy"]
    open_ = undecided("nothing tried", Step("who knows", "nobody looked"))
    assert by_kernel(model, "MM-1: majorizes", open_).status == "proved"
    assert by_kernel(replace(model, T=None), "MM-2: T minimizes", open_) is open_
    empty = replace(model, S=())  # a row without a claim
    assert certificates(empty, "S convex") == ()
    assert by_kernel(empty, "S convex", open_) is open_


def test_a_certificate_beside_a_counterexample_stops_the_program(monkeypatch):
    """A kernel that believes everything is caught by numbers."""
    row, model = next(pair for pair in quadratic.wrong_models().values() if pair[0] == "MM-1: majorizes")
    true = certificates(toy.models()["toy"], "MM-1: majorizes")
    monkeypatch.setattr(by_kernel.__module__ + ".certificates", lambda model, row: true)
    with pytest.raises(ProofContradicted, match="the row fails at"):
        by_kernel(model, row, undecided("nothing tried", Step("who knows", "nobody looked")))


@pytest.mark.parametrize(
    ("example", "right", "wrong"),
    [
        (quadratic, "least squares, elastic net", "elastic net shrinks first"),
        (quadratic, "least squares, group l1", "group norm per coordinate"),
        (mixture, "means", "T without the penalty"),
        (mixture, "means", "lambda without the variance"),
    ],
)
def test_the_alarm_looks_beside_T(example, right, wrong):
    """A θ drawn at random seldom beats a T that is nearly right; one beside it does, and none beats the right one."""
    failing, model = example.wrong_models()[wrong]
    assert broken_at(model, failing) is not None
    assert broken_at(example.models()[right], failing) is None


def test_uniqueness_by_growth_rests_on_a_T_inside_and_least():
    """Where the penalty has a kink there is no other way to it."""
    model = with_T(toy.models()["toy"])
    assert len(certificates(model, "MM-2: unique")) > len(list(CLAIMS["MM-2: unique"](model)))
    kinked = quadratic.models()["least squares, l1"]
    assert certificates(kinked, "MM-2: unique")
    wrong = tuple(entry + 1 for entry in kinked.T or ())
    assert certificates(replace(kinked, T=wrong), "MM-2: unique") is None


def test_a_wrong_T_is_refuted_and_strict_convexity_stays_proved():
    """That two points of Θ do not both minimise is proved without T: numbers at a wrong T do not contradict it."""
    theta, z, s = sp.symbols("theta z s", real=True)
    root = sp.sign(s) * sp.sqrt(sp.Abs(s))  # a cube root is right
    model = Model(theta=theta, z=z, s=s, loss=theta**4 / 4 - z * theta, psi=theta**4 / 4, phi=theta, S_bar=z, T=root)
    rows = check_model(model)
    assert rows["MM-2: T minimizes"].status == "refuted"
    assert rows["MM-2: unique"].status == "proved"


def test_what_makes_no_claim_has_no_certificate():
    """Without T there is nothing to say of MM-2, and of a slope without a formula nothing of tangency."""
    theta, z, s = sp.symbols("theta z s", real=True)
    kinked = Model(theta=theta, z=z, s=s, loss=sp.Abs(theta - z), psi=theta**2 / 2, phi=theta, S_bar=z)
    assert certificates(kinked, "MM-2: T minimizes") is None
    assert certificates(kinked, "MM-1: tangent") is None


BAD = '{"format": "fedmm certificates 2", "rows": {"a": [{"given": [], "goal": [">=", GOAL], "proof": ["by", 1, 1]}]}}'


@pytest.mark.parametrize("goal", ['["foo"]', "1.5", "true", '["pow", "x", 0.5]'])
def test_a_statement_that_is_none_is_refused(goal):
    assert "a" in refused(from_json(BAD.replace("GOAL", goal)))


@pytest.mark.parametrize("number", ["1/0", "1e999999999", "0.5", "9" * 5000])
def test_a_number_that_is_none_is_no_file_of_certificates(number):
    with pytest.raises(InvalidInput, match="no file of certificates"):
        from_json(BAD.replace("GOAL", f'{{"q": "{number}"}}'))


def test_certificates_are_read_without_sympy(tmp_path):
    file = tmp_path / "c.json"
    file.write_text(to_json({"row": rows(toy.models()["toy"])["MM-1: tangent"] or ()}))
    code = (
        f"import sys; from fedmm_edu.cli import main; main(['check', {str(file)!r}]); assert 'sympy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_json_stays_json_beside_certificates(tmp_path, capsys):
    (tmp_path / "my_model.py").write_text(MODEL)
    assert main(["check", str(tmp_path / "my_model.py"), "--json", "--certificates", str(tmp_path / "c.json")]) == 0
    assert json.loads(capsys.readouterr().out)
    assert main(["check", str(tmp_path / "c.json"), "--json"]) == 2


def test_a_piece_at_one_point_is_searched_without_a_crash():
    x = sp.Symbol("x", real=True)
    piece = sp.Piecewise((sp.Abs(x) + x, sp.Ne(x, 0)), (0, True))
    certificate_of(Refutable((), Relation(piece, ">=")))


def test_uniqueness_needs_no_T_where_J_is_strictly_convex():
    """With a wrong T and with none; not where J_s is convex alone, nor on two intervals."""
    theta, z, s = sp.symbols("theta z s", real=True)
    square = Model(theta=theta, z=z, s=s, loss=theta**2 / 2 - z * theta, psi=theta**2 / 2, phi=theta, S_bar=z, T=s)
    row = "MM-2: unique"
    for T in ((s,), (2 * s,), None):
        assert certificates(replace(square, T=T), row)
    assert certificates(replace(square, psi=sp.S.Zero, T=None), row) is None
    assert certificates(replace(square, Theta=(theta**2 > 1,), T=None), row) is None
