"""Rows as plain records: what `verdicts.json` holds and what the report page is made from."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fedmm_edu.proofs.verdict import Status, Step, Verdict, Witness
from fedmm_edu.text.tables import MARKS
from proofs_checks.arguments import beneath
from proofs_checks.ledger import Claim
from proofs_checks.reading import Reading
from proofs_checks.runner.run import Row
from proofs_checks.wording import SAID, tight

Record = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]  # the folder that holds `proofs_checks`
STATUSES: tuple[Status, ...] = ("proved", "refuted", "supported", "open")


def records_of(sections: Sequence[tuple[str, Sequence[Claim]]], rows: Sequence[Row]) -> list[Record]:
    """One record per row, in the order of the ledger."""
    by_id = {row.claim.id: row for row in rows}
    return [
        record_of(section, by_id[claim.id]) for section, claims in sections for claim in claims if claim.id in by_id
    ]


def record_of(section: str, row: Row) -> Record:
    """Everything about one row in strings, numbers, lists and mappings."""
    claim, mutants = row.claim, row.mutants or {}
    return {
        "id": claim.id,
        "section": section,
        "where": claim.where,
        "lines": claim.lines,
        "own": claim.own,
        "quote": [{"first": q.first, "last": q.last, "sha256": q.sha256, "text": q.text} for q in claim.quote],
        "statement": claim.statement,
        "differs": claim.differs,
        "hypotheses": list(claim.hypotheses),
        "idle": [SAID.get(name, name) for name in claim.idle],
        "undecided": [SAID.get(name, name) for name in claim.undecided],
        "tight": tight(claim.template, claim.check, claim.true_form),
        "verdict": row.verdict.status,
        "reading": claim.word.value,
        "charitable": _charitable(row),
        "expected": claim.expected,
        "as_expected": row.as_expected,
        "problems": list(row.problems),
        **evidence_of(row.verdict),
        "amended": _amended(row),
        "mutants_run": len(mutants),
        "mutants_refuted": sum(verdict.status == "refuted" for verdict in mutants.values()),
        "mutants": {name: {"verdict": verdict.status, **evidence_of(verdict)} for name, verdict in mutants.items()},
        "non_vacuity": _non_vacuity(row.non_vacuity),
        "note": claim.note,
        "source": source_of(claim.check),
        "code": inspect.getsource(beneath(claim.check)),
    }


def evidence_of(verdict: Verdict) -> Record:
    """How a verdict is known: method, evidence, what is missing, witness and the seconds it took."""
    return {
        "method": verdict.method,
        "evidence": [asdict(step) for step in _telling(verdict.evidence)],
        "missing": None if verdict.missing is None else asdict(verdict.missing),
        "witness": None if verdict.witness is None else _witness(verdict.witness),
        "seconds": round(verdict.seconds, 3),
    }


def _telling(steps: Sequence[Step]) -> list[Step]:
    """The steps without those in which both sides vanish term by term, which are counted in one line instead."""
    kept = [step for step in steps if not step.claim.endswith("$0 = 0$")]
    empty = len(steps) - len(kept)
    if not empty:
        return kept
    return [*kept, Step(f"{empty} more: both sides are equal term by term", "nothing is left after expanding")]


def source_of(function: Callable[..., Any]) -> str:
    """`file:line` of a function, the file relative to the project."""
    code = beneath(function).__code__
    file = Path(code.co_filename)
    return f"{file.relative_to(ROOT) if file.is_relative_to(ROOT) else file.name}:{code.co_firstlineno}"


def counts(records: Sequence[Record]) -> dict[Status, int]:
    """How many rows have each verdict, in the order of `STATUSES`."""
    found = Counter(record["verdict"] for record in records)
    return {status: found[status] for status in STATUSES}


def of_paper(records: Sequence[Record]) -> list[Record]:
    """The rows about sentences of the paper."""
    return [record for record in records if not record["own"]]


def ours(records: Sequence[Record]) -> list[Record]:
    """The rows about results and conjectures of our own."""
    return [record for record in records if record["own"]]


def readings(records: Sequence[Record]) -> dict[Reading, int]:
    """How many of the paper's sentences fare in each way, in the order of `Reading`."""
    found = Counter(Reading(record["reading"]) for record in of_paper(records))
    return {reading: found[reading] for reading in Reading}


def shown(record: Record) -> tuple[str, str]:
    """Mark and word of a row: how a sentence of the paper reads, or the verdict on a result of ours."""
    if record["own"]:
        return MARKS[record["verdict"]], record["verdict"]
    reading = Reading(record["reading"])
    return reading.mark, reading.value


def to_json(records: Sequence[Record]) -> str:
    """The records as JSON text, ending in a newline."""
    return json.dumps(list(records), ensure_ascii=False, indent=1) + "\n"


def _witness(witness: Witness) -> Record:
    return {"point": _strings(witness.point), "values": _strings(witness.values), "says": witness.says}


def _strings(values: Mapping[str, str]) -> dict[str, str]:
    return {str(name): str(value) for name, value in values.items()}


def _amended(row: Row) -> Record | None:
    amended = row.claim.amended
    if amended is None or row.amended is None:
        return None
    return {
        "statement": amended.statement,
        "differs": amended.differs,
        "matters": amended.matters,
        "kind": amended.kind,
        "same_as": amended.same_as,
        "verdict": row.amended.status,
        **evidence_of(row.amended),
    }


def _charitable(row: Row) -> Record | None:
    """What counts besides the words of the sentence, and the verdict with it."""
    context = row.claim.context
    if context is None or row.charitable is None:
        return None
    return {"says": context.says, "verdict": row.charitable.status, **evidence_of(row.charitable)}


def _non_vacuity(found: Witness | Verdict) -> Record:
    """The instance, or why there is none."""
    if isinstance(found, Witness):
        return {"found": True, **_witness(found)}
    return {"found": False, **evidence_of(found)}
