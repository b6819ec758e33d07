"""A model typed as text means what it says, and is judged without NumPy, SciPy or solvers as with them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import sympy as sp

from book.generate.checker import ROOMS
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples import examples
from fedmm_edu.examples.toy.model import models, wrong_models
from fedmm_edu.proofs.verdict import Step, undecided
from fedmm_edu.symbolic.hypotheses import alarm, check, mm1
from fedmm_edu.symbolic.hypotheses.typed import as_typed, judge_typed, typed_model
from tests.literature import ENTRIES
from tests.literature.record import read

TOY = as_typed(models()["toy"])
ABSENT = ("numpy", "scipy", "z3", "cvc5")
JUDGED = ("|u| by parabolas", "log penalty: weight squared", "exponential penalty")
"""Right and wrong surrogates, with cases, logarithms, exponentials and questions to the solvers."""
CODE = f"""
import json, sys
for name in {ABSENT!r}:
    sys.modules[name] = None
from fedmm_edu.symbolic.hypotheses.typed import judge_typed
def until_judged(fields):
    for said in judge_typed(fields):
        yield said
        if "conclusion" in said:
            return
toy, wrong, *others = json.loads(sys.stdin.read())
print(json.dumps([list(judge_typed(toy)), list(judge_typed(wrong)), *(list(until_judged(each)) for each in others)]))
loaded = [name for name, module in sys.modules.items() if module]
print(json.dumps([name for name in loaded if name.startswith(("fedmm_edu.", *{ABSENT!r}))]))
"""


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_what_is_written_is_read_back(example):
    """Every formula and relation of every model, right or wrong; SymPy may multiply numbers into sums."""
    for model in (*example.models().values(), *(model for _, model in example.wrong_models().values())):
        if any(
            entry.has(sp.Piecewise) for entry in (model.loss, model.psi, *model.phi, *model.S_bar, *(model.T or ()))
        ):
            with pytest.raises(InvalidInput, match="has cases"):
                as_typed(model)
            continue
        read_back = typed_model(as_typed(model), name=model.name)
        for key in ("theta", "z", "s", "Theta", "S", "Z", "given"):
            assert getattr(read_back, key) == getattr(model, key)
        for key in ("loss", "psi", "g", "phi", "S_bar", "T"):
            assert same(getattr(read_back, key), getattr(model, key)), key


def same(left, right) -> bool:
    """Whether two formulas, or their entries one by one, are equal."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return all(same(a, b) for a, b in zip(left, right, strict=True))
    return left == right or sp.simplify(left - right) == 0


def test_entries_sets_and_empty_fields():
    t1, t2, s1, s2 = sp.symbols("t1 t2 s1 s2", real=True)
    model = typed_model({"theta": "t1, t2", "z": "z", "s": "s1\ns2", "loss": "Max(t1, 2)^2", "phi": "t1, Max(t1, t2)",
                         "S_bar": "0, z", "Theta": "0 < t1 <= 1; t1 + t2 = 1", "S": "s1 ≥ s2"})  # fmt: skip
    assert model.phi == (t1, sp.Max(t1, t2))
    assert model.S_bar[0] == 0
    assert (model.psi, model.g, model.T) == (0, 0, None)
    assert set(model.Theta) == {sp.Lt(0, t1), t1 <= 1, sp.Eq(t1 + t2, 1)}
    assert (s1 >= s2,) == model.S


@pytest.mark.parametrize(
    ("field", "text", "says"),
    [
        ("loss", "", "loss: it is empty"),
        ("loss", "z, theta", "loss: it has 2 entries"),
        ("loss", "__import__('os')", "loss: .* is no formula"),
        ("phi", "theta.__class__", "phi: .* is no formula"),
        ("theta", "exp", "theta: 'exp' is no name"),
        ("s", "2*s", "s: .* is no name"),
        ("Theta", "theta", "Theta: .* is no relation"),
        ("Theta", "theta > ", "Theta: .* is no formula"),
        ("T", "theta", "T contains theta"),
        ("tau", "1", "there is no field tau"),
    ],
)
def test_what_cannot_be_read_names_its_field(field, text, says):
    """And a page gets it as its one answer."""
    with pytest.raises(InvalidInput, match=says):
        typed_model({**TOY, field: text})
    assert [set(found) for found in judge_typed({**TOY, field: text})] == [{"error"}]


def test_a_verdict_needs_neither_numpy_nor_solvers():
    """A fresh interpreter without them says of each row what the record, made with them, says; and repairs."""
    wrong = as_typed(wrong_models()["T without the root"][1])
    typed = [TOY, wrong, *(as_typed(ENTRIES[name].model) for name in JUDGED)]
    done = subprocess.run(
        [sys.executable, "-c", CODE], input=json.dumps(typed), capture_output=True, text=True, check=True
    )
    answers, modules = map(json.loads, done.stdout.splitlines())
    found = [{said["row"]: said["status"] for said in answer if "status" in said} for answer in answers]
    assert set(found[0].values()) == {"proved"}
    assert [row for row, status in found[1].items() if status != "proved"] == ["MM-2: T minimizes"]
    assert answers[1][-1] == {
        "row": "MM-2: T minimizes",
        "next": "proved with T = 1/sqrt(s), where the slope of J_s vanishes.",
    }
    for name, rows in zip(JUDGED, found[2:], strict=True):
        assert list(rows.values()) == list(read()[name].rows.values()), name
    witnesses = [said["finding"] for answer in answers for said in answer if said.get("status") == "refuted"]
    assert witnesses
    assert all(text.startswith("at ") for text in witnesses)
    assert [name for name in modules if name.startswith(ABSENT)] == []
    rooms = {room.removesuffix(".py") for room in ROOMS}
    assert {name.split(".")[1] for name in modules if name.startswith("fedmm_edu.")} <= rooms


@pytest.mark.parametrize("broken", wrong_models())
def test_numbers_drawn_plainly_break_what_is_wrong(monkeypatch, broken):
    """At a certified point, and nothing that is right: the same claims, without NumPy."""
    monkeypatch.setattr(alarm, "find_spec", lambda name: None)
    alarm._broken.cache_clear()
    row, model = wrong_models()[broken]
    assert alarm.broken_at(model, row) is not None
    assert alarm.broken_at(models()["toy"], row) is None
    alarm._broken.cache_clear()


def test_numbers_refute_what_no_search_decides(monkeypatch):
    """Where the search gives up, a certified counterexample is a verdict all the same."""
    monkeypatch.setattr(mm1, "majorizes", lambda model, seed: undecided("search", Step("nothing", "it gave up")))
    row, wrong = wrong_models()["psi forgotten"]
    verdict = check.check_model(wrong, rows=(row,))[row]
    assert verdict.status == "refuted"
    assert verdict.witness is not None
    point = {name: sp.Rational(value) for name, value in verdict.witness.point.items()}
    assert point["theta"] > 0
    assert 1 / point["tau"] * 0 - 1 / point["theta"] + 1 / point["tau"] < 0  # ψ = 0 leaves 1/τ − 1/θ
