"""The ledger's rows for the registered examples: one per model, so that a new example folder brings its own rows."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples import Example, examples
from fedmm_edu.proofs.verdict import Verdict, Witness, conjunction
from fedmm_edu.symbolic.decide.inequality import domain_point
from fedmm_edu.symbolic.hypotheses.check import check_model
from fedmm_edu.symbolic.model import Model
from proofs_checks.ledger import Claim

SECTION = "The examples: every registered model"


def check(example: str, model: str, row: str | None = None) -> Verdict:
    """All rows of `check_model` at once; with `row`, that one row of the *wrong* model of this name.

    A wrong model thus counts as caught only when the row that should catch it does.
    """
    found = next(entry for entry in examples() if entry.name == example)
    if row is None:
        verdict = conjunction(check_model(found.models()[model]))
        return replace(verdict, method="each hypothesis in turn") if verdict.status == "proved" else verdict
    return check_model(found.wrong_models()[model][1], rows=(row,))[row]


def instance(model: Model) -> Witness:
    """An exact point of Θ, 𝒮 and the set of samples, at which everything that `model` assumes holds."""
    found = domain_point(model.space("Theta", "S", "Z"))
    if found is None:
        raise InvalidInput(f"{model.name}: no point satisfies its assumptions as far as we looked; simplify them.")
    point = [(sp.Symbol(name, real=True), sp.Rational(value)) for name, value in found.items()]
    for relation in assumptions(model):
        if relation.subs(point) != sp.true:
            raise InvalidInput(f"{model.name}: {relation} does not hold at {found}: the search returned a wrong point.")
    values = {name: str(value) for name, value in found.items()}
    return Witness(values, f"all {len(assumptions(model))} relations of the model hold here")


def assumptions(model: Model) -> tuple[sp.Basic, ...]:
    """Every relation under which `model` is claimed to satisfy MM-1 and MM-2."""
    return (*model.given, *model.Z, *model.Theta, *model.S)


def row_id(example: str, model: str) -> str:
    """The id of a model's row: lower-case words joined by hyphens."""
    return "-".join(re.findall(r"\w+", f"example {example} {model}".lower()))


def _claims(example: Example) -> list[Claim]:
    """One claim per model of `example`; its wrong models are the mutants of each."""
    mutants = {
        name: {"example": example.name, "model": name, "row": row} for name, (row, _) in example.wrong_models().items()
    }
    return [
        Claim(
            id=row_id(example.name, name),
            where=example.where,
            lines="",
            statement=f"{example.title}, model “{name}”: satisfies MM-1, MM-2 and A1",
            hypotheses=tuple(
                f"${sp.latex(relation)}$" for relation in (*model.given, *model.Z, *model.Theta, *model.S)
            ),
            check=check,
            form={"example": example.name, "model": name},
            expected="proved",
            mutants=mutants,
            non_vacuity=partial(instance, model),
        )
        for name, model in example.models().items()
    ]


CLAIMS = [claim for example in examples() for claim in _claims(example)]
