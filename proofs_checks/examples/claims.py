"""The ledger's rows for the registered examples: one per model, so that a new example folder brings its own rows.

What an example calls tempting has a row, too: what holds of it, and what does not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples import Example, examples
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction, proved, refuted
from fedmm_edu.symbolic.decide.inequality import domain_point
from fedmm_edu.symbolic.hypotheses.check import ROWS, check_model, judge_row
from fedmm_edu.symbolic.model import Model
from proofs_checks.arguments import Registered
from proofs_checks.ledger import Claim

SECTION = "The examples: every registered model"
JUDGED = tuple(dict.fromkeys(row.partition(":")[0] for row in ROWS if ":" in row))
SATISFIES = f"satisfies {', '.join(JUDGED[:-1])} and {JUDGED[-1]}"
"""What the rows of a check are about, in words."""


def check(example: Registered, model: Registered, row: Registered | None = None) -> Verdict:
    """All rows of `check_model` at once; with `row`, `judge_row` of the *wrong* model of this name.

    A wrong model thus counts as caught only when the row that should catch it does.
    """
    found = _registered(example)
    if row is None and model not in found.models():
        raise InvalidInput(f"{example} has no model {model!r}: it has {', '.join(found.models())}.")
    if row is None:
        verdict = conjunction(check_model(found.models()[model]))
        return replace(verdict, method="each hypothesis in turn") if verdict.status == "proved" else verdict
    return judge_row(found.wrong_models()[model][1], row)


def check_but(example: Registered, model: Registered, but: Registered) -> Verdict:
    """All rows of `check_model` but one, which is refuted: for whichever model of the example has this name."""
    found = _registered(example)
    of = {name: model for name, (_, model, *_) in {**found.wrong_models(), **found.tempting_models()}.items()}
    if model not in (of := {**of, **found.models()}):
        raise InvalidInput(f"{example} has no model {model!r}: it has {', '.join(of)}.")
    judged = of[model]
    rows = check_model(judged)
    if but not in rows:
        raise InvalidInput(f"{but!r} is no row of a check: it has {', '.join(rows)}.")
    broken = rows.pop(but)
    if broken.status == "proved":
        return refuted("proof", Witness(instance(judged).point, f"“{but}” is proved, here and everywhere"))
    verdict = conjunction(rows)
    if verdict.status != "proved" or broken.witness is None:
        return broken if verdict.status == "proved" else verdict
    at = ", ".join(f"{name} = {value}" for name, value in broken.witness.point.items())
    return proved("each hypothesis in turn", *verdict.evidence, Step(f"“{but}” fails at {at}", broken.witness.says))


def _registered(name: str) -> Example:
    found = next((entry for entry in examples() if entry.name == name), None)
    if found is None:
        raise InvalidInput(f"no example {name!r} is registered: there are {', '.join(e.name for e in examples())}.")
    return found


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
    mutants = {name: {"model": name, "row": row} for name, (row, _) in example.wrong_models().items()}
    return [
        Claim(
            id=row_id(example.name, name),
            where=example.where,
            statement=f"{example.title}, model “{name}”: {SATISFIES}",
            hypotheses=_relations(model),
            check=check,
            form={"example": example.name, "model": name},
            mutants=mutants,
            non_vacuity=partial(instance, model),
        )
        for name, model in example.models().items()
    ]


def _tempting(example: Example) -> list[Claim]:
    """One claim per model that is in use and no surrogate: what holds of it, and what does not.

    A right model falsifies it, where the row that fails here is proved of it.
    """
    others = {name: row for name, (row, _) in example.wrong_models().items()} | dict.fromkeys(example.models(), "")
    return [
        Claim(
            id=row_id(example.name, name),
            where=example.where,
            statement=f"{example.title}, model “{name}”: {SATISFIES} but for “{row}”, which fails",
            hypotheses=_relations(model),
            check=check_but,
            form={"example": example.name, "model": name, "but": row},
            mutants={other: {"model": other} for other, broken in others.items() if broken != row},
            non_vacuity=partial(instance, model),
        )
        for name, (row, model) in example.tempting_models().items()
    ]


def _relations(model: Model) -> tuple[str, ...]:
    return tuple(f"${sp.latex(relation)}$" for relation in assumptions(model))


CLAIMS = [claim for example in examples() for claim in (*_claims(example), *_tempting(example))]
