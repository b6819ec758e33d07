"""The ledger's rows for the examples: every registered model has one, with an instance and mutants."""

import re
from fractions import Fraction

import pytest
import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples import examples
from fedmm_edu.symbolic.hypotheses.check import ROWS
from fedmm_edu.symbolic.model import Model
from proofs_checks.examples.claims import CLAIMS, instance, row_id

x, z, s, rho = sp.Symbol("x", positive=True), sp.Symbol("z", negative=True), sp.Symbol("s"), sp.Symbol("rho")


def model(*given):
    return Model(theta=(x,), z=(z,), s=(s,), loss=x * z, phi=(rho * x,), S_bar=(z,), given=given)


def test_every_model_of_every_example_has_a_row():
    """Registering an example is enough."""
    named = [(example.name, name) for example in examples() for name in (*example.models(), *example.tempting_models())]
    wanted = {row_id(example, name) for example, name in named}
    assert {claim.id for claim in CLAIMS} == wanted
    assert all(claim.mutants for claim in CLAIMS)
    assert row_id("quadratic", "least squares, group l1") == "example-quadratic-least-squares-group-l1"


def test_the_words_of_a_row_name_what_is_judged():
    """These rows have no seal: their words are made from the rows of a check, the model's relations and its name."""
    for claim in CLAIMS:
        named = set(re.findall(r"A[1-8]|MM-[12]", claim.statement.partition(": ")[2].partition("“")[0]))
        assert named == {"MM-1", "MM-2", "A1"} == {row.partition(":")[0] for row in ROWS} - {"defined", "S convex"}


def test_an_instance_satisfies_what_is_assumed():
    """Relations hold exactly, and each symbol gets a value of its declared sign."""
    point = {name: Fraction(value) for name, value in instance(model(rho > 2, rho * z > -2)).point.items()}
    assert point["x"] > 0 > point["z"]
    assert point["rho"] > 2
    assert point["rho"] * point["z"] > -2


def test_contradictory_assumptions_have_no_instance():
    """Then every statement would be true: the row must not pass."""
    with pytest.raises(InvalidInput, match="empty"):
        instance(model(rho > 2, rho < 1))
