"""`python -m tests.literature.answers`: what `fedmm theorem` says of each right surrogate of the literature.

Three clients with two samples each, dyadic numbers that the model allows, the simplest constants that it allows, full
batches, and the model's own 𝒮; where no theorem applies there, a box 𝒮 as well. Each is asked in a process of its own.
`NAME …` asks those whose names begin so, `--new` those that the record lacks as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from fedmm_edu.commands.theorem import add_arguments
from fedmm_edu.commands.theorem_missing import as_lacking
from fedmm_edu.commands.theorem_own import DEMANDS, Sent, apply_theorems
from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.federation import Clients, FullBatch
from fedmm_edu.symbolic import Model
from fedmm_edu.theory.from_model import describe
from fedmm_edu.theory.hypotheses import Problem
from tests.literature import ENTRIES
from tests.literature.inquiry import Inquiry, recorded

RECORD = Path(__file__).with_name("answers.json")
LEAST = "own-lip"
"""The theorem that asks for least."""
LIMIT = 240
"""Seconds of processor time after which a question is given up."""
CONSTANTS = tuple(map(sp.Rational, ("1/2", "1", "1/4", "1/8", "3/4", "3", "1/20")))
SIZES = tuple(map(sp.Rational, ("1/2", "1", "3/2", "2", "1/4", "3/4")))


@dataclass(frozen=True)
class Answer:
    """The theorems that apply, with all hypotheses proved, and on which 𝒮 ("" if it was given up).

    missing: what is said of the others on that 𝒮, each sentence with the theorems of which it is said. here: by
    hypothesis that they lack, why. box: where nothing applies, what `LEAST` lacks on the box, and why.
    """

    digest: str
    on: str = ""
    applies: Sequence[str] = ()
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)
    here: Mapping[str, str] = field(default_factory=dict)
    box: str = ""

    @property
    def given_up(self) -> bool:
        """No answer in the time allowed."""
        return not self.on

    def why_not(self, theorem: str) -> str:
        """What is said of a theorem that does not apply."""
        return next(sentence for sentence, names in self.missing.items() if theorem in names)

    def because(self, theorem: str) -> str:
        """Of the hypotheses that the sentence names, why each is lacking."""
        words = self.why_not(theorem).replace(",", "").split()
        said = [word[2:].replace("-", "_") if word.startswith("--") else word for word in words]
        return "; ".join(dict.fromkeys(self.here[name] for name in said if name in self.here))


def samples(model: Model) -> Iterator[dict[sp.Symbol, sp.Rational]]:
    """Samples that the model's Z allows, small numbers of both signs where it allows both."""
    rng = np.random.default_rng(0)
    for _ in range(10_000):
        signs = [1 if model.Z else int(rng.choice((-1, 1))) for _ in model.z]
        row = {x: sign * SIZES[int(rng.integers(len(SIZES)))] for x, sign in zip(model.z, signs, strict=True)}
        if all(relation.subs(row) == sp.true for relation in model.Z):
            yield row


def setting(model: Model) -> tuple[dict[str, sp.Rational], list[dict[sp.Symbol, sp.Rational]]]:
    """The first constants, and six samples, that satisfy what the model is given."""
    rows = list(islice(samples(model), 60))
    for values in product(CONSTANTS, repeat=len(model.constants)):
        at = dict(zip(model.constants, values, strict=True))
        right = [row for row in rows if all(r.subs({**at, **row}) == sp.true for r in model.given)]
        if len(right) >= 6:
            return {x.name: value for x, value in at.items()}, right[:6]
    raise FedMMError(f"{model.name}: no constants and samples that satisfy {model.given}: enlarge CONSTANTS or SIZES.")


def ask(name: str) -> Answer:
    """`describe`, and every theorem of `fedmm theorem --constants own`."""
    entry = ENTRIES[name]
    model = entry.model
    values, rows = setting(model)
    z = [[[float(row[x]) for x in model.z] for row in rows[2 * k : 2 * k + 2]] for k in range(3)]
    options = argparse.ArgumentParser()
    add_arguments(options)
    args = options.parse_args(["--constants", "own"])
    found = Answer(entry.digest)
    for where, S in (("its own 𝒮", None), ("a box", [_side(model, x) for x in model.s])):
        try:
            problem = describe(model, Clients.of(z), FullBatch(), S=S, values=values)
        except InvalidInput as refusal:
            return Answer(entry.digest, where, missing={str(refusal): [*DEMANDS]})
        now = _said(entry.digest, where, problem, apply_theorems(args, problem, Sent.of(0.0, None, 1.0, None)))
        if S is None or now.applies:
            found = now
        else:
            found = replace(found, box=f"{now.why_not(LEAST)}: {now.because(LEAST)}".removesuffix(": "))
        if found.applies:
            break
    return found


def _said(digest: str, where: str, problem: Problem, entries: Sequence[Mapping[str, Any]]) -> Answer:
    """What the command says on one 𝒮."""
    missing: dict[str, list[str]] = {}
    for entry in entries:
        if sentence := entry["why_not"] or ", ".join(entry["rests_on"]):
            missing.setdefault(sentence if entry["why_not"] else f"not proved: {sentence}", []).append(entry["theorem"])
    applies = [entry["theorem"] for entry in entries if not entry["why_not"] and not entry["rests_on"]]
    lacking = as_lacking(problem, (name for entry in entries for name in (*entry["lacks"], *entry["rests_on"])))
    return Answer(digest, where, applies, missing, {name: one["here"] for name, one in lacking.items()})


def _side(model: Model, x: sp.Symbol) -> tuple[sp.Rational, sp.Rational]:
    """[1/8, 4] for a coordinate that 𝒮 keeps positive, [−4, −1/8] for a negative one, else [−4, 4]."""
    low, high = sp.Rational(1, 8), sp.Integer(4)
    alone = [r for r in model.S if r.free_symbols == {x}]
    if any(r.subs({x: -1}) == sp.false for r in alone):
        return low, high
    return (-high, -low) if any(r.subs({x: 1}) == sp.false for r in alone) else (-high, high)


def asked() -> list[str]:
    """The right surrogates; of those of any number of components only one with its number fixed has constants."""
    return [name for name, entry in ENTRIES.items() if not entry.breaks and isinstance(entry.model, Model)]


def read() -> dict[str, Answer]:
    """The record as it is kept."""
    return recorded(RECORD, Answer)


def say(answer: Answer) -> str:
    """The theorems that apply, and on which 𝒮."""
    return f"{', '.join(answer.applies) or ('given up' if answer.given_up else 'none')} {answer.on}"


def main() -> int:
    """Ask what the command line wants."""
    Inquiry(
        "tests.literature.answers", RECORD, Answer, asked(), ask, lambda name: Answer(ENTRIES[name].digest), say, LIMIT
    ).run(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
