"""Runs claims in parallel processes, such that no check can lose the result of another.

The unit of work is one *judgement*: a claim's check on one form (printed, amended, a mutant) or its non-vacuity
instance. Each goes to a worker process with a time limit; a judgement that raises, ends its process or overruns comes
back as an open verdict that says so, and the others go on. Functions need not pickle: a worker imports the ledger by
name and finds the claim by its id.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, undecided
from proofs_checks import require_good_ids
from proofs_checks.ledger import Claim
from proofs_checks.runner.judge import Outcome, Part
from proofs_checks.runner.kept import Kept
from proofs_checks.runner.workers import judge_all

TIME_LIMIT = 120.0  # seconds for one judgement
NOT_RUN = undecided("not run", Step("not run", "the run was interrupted before this was judged"))


@dataclass(frozen=True)
class Row:
    """One claim with everything that was found out about it.

    `amended` is the verdict on the amended statement where there is one, `charitable` that on the printed sentence with
    all that is in force in its context, where the two readings may differ, `mutants` the verdict on each mutant (None:
    they were not run), `non_vacuity` the instance that satisfies the hypotheses, or a verdict that says why none came.
    """

    claim: Claim
    verdict: Verdict
    amended: Verdict | None = None
    charitable: Verdict | None = None
    mutants: Mapping[str, Verdict] | None = None
    non_vacuity: Witness | Verdict = NOT_RUN

    @property
    def problems(self) -> tuple[str, ...]:
        """Every way in which this row is not as expected, in words."""
        found = []
        if self.verdict.status != self.claim.expected:
            found.append(f"expected {self.claim.expected}, found {_words(self.verdict)}")
        if self.amended is not None and self.amended.status != "proved":
            found.append(f"the amended statement is not proved: {_words(self.amended)}")
        wanted = self.claim.word.charitable
        if self.charitable is not None and self.charitable.status != wanted:
            found.append(f"“{self.claim.word.value}”, but read charitably it is {_words(self.charitable)}")
        if isinstance(self.non_vacuity, Verdict):
            found.append(f"no instance satisfies the hypotheses: {_words(self.non_vacuity)}")
        for name, verdict in (self.mutants or {}).items():
            if verdict.status != "refuted":
                found.append(f"mutant “{name}” is not refuted: {_words(verdict)}")
        return tuple(found)

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one and nothing else is wrong with the row."""
        return not self.problems


class Interrupted(KeyboardInterrupt):
    """The run was stopped from the keyboard; `rows` holds all rows, those not judged marked as such."""

    def __init__(self, rows: list[Row]) -> None:
        super().__init__("interrupted")
        self.rows = rows


def run(
    claims: Sequence[Claim],
    *,
    jobs: int | None = None,
    mutants: bool = False,
    on_result: Callable[[Row], None] = lambda row: None,
    source: str = "proofs_checks",
    time_limit: float = TIME_LIMIT,
    kept: Kept | None = None,
) -> list[Row]:
    """The row of each claim, in the given order; `on_result` hears each as it is finished.

    `source` names the module whose `sections()` hold the claims, `jobs` the number of processes (default: one per
    processor), `time_limit` the seconds for one judgement. What `kept` has is not judged again, and what is judged is
    kept there. Raises `Interrupted` with the rows so far on Ctrl-C.
    """
    jobs = available_processors() if jobs is None else jobs
    if jobs < 1:
        raise InvalidInput(f"jobs = {jobs}: at least one process is needed; give --jobs 1 or more.")
    if not 0 < time_limit <= 1e6:
        raise InvalidInput(f"time_limit = {time_limit}: a check needs time; give seconds, at most a million.")
    require_good_ids(claims)
    todo = {claim.id: parts_of(claim, mutants) for claim in claims}
    asked_for = [part for claim in claims for part in todo[claim.id]]
    outcomes: dict[Part, Outcome] = {} if kept is None else kept.of(asked_for)

    def row(claim: Claim) -> Row:
        return assemble(claim, todo[claim.id], outcomes)

    by_id = {claim.id: claim for claim in claims}
    parts = [part for part in asked_for if part not in outcomes]
    missing = Counter(part.claim for part in parts)
    for claim in claims:
        if not missing[claim.id]:
            on_result(row(claim))
    alike: dict[Hashable, list[Part]] = defaultdict(list)
    for part in parts:
        alike[question(by_id[part.claim], part)].append(part)
    first = {group[0]: group for group in alike.values()}
    try:
        with closing(judge_all(list(first), source=source, jobs=jobs, time_limit=time_limit)) as judged:
            for asked, outcome in judged:
                for part in first[asked]:
                    outcomes[part] = outcome
                    missing[part.claim] -= 1
                    if missing[part.claim] == 0:
                        on_result(row(by_id[part.claim]))
    except KeyboardInterrupt:
        raise Interrupted([row(claim) for claim in claims]) from None
    finally:
        if kept is not None:
            kept.add(outcomes)
    return [row(claim) for claim in claims]


def question(claim: Claim, part: Part) -> Hashable:
    """What is asked of the check: the same for parts of several rows whose outcome is one (models share mutants)."""
    if part.kind == "non-vacuity":
        return claim.id
    form = claim.forms[f"mutant {part.mutant}" if part.kind == "mutant" else part.kind]
    return claim.check, repr(sorted(form.items()))


def parts_of(claim: Claim, mutants: bool) -> list[Part]:
    """The judgements that make up the row of `claim`."""
    parts = [Part(claim.id, "printed"), Part(claim.id, "non-vacuity")]
    if claim.amended is not None:
        parts.append(Part(claim.id, "amended"))
    if claim.charitable is not None:
        parts.append(Part(claim.id, "charitable"))
    if mutants:
        parts.extend(Part(claim.id, "mutant", name) for name in claim.mutants)
    return parts


def assemble(claim: Claim, parts: Iterable[Part], outcomes: Mapping[Part, Outcome]) -> Row:
    """The row of `claim`; judgements without an outcome are marked as not run."""
    found = {part: outcomes.get(part, NOT_RUN) for part in parts}
    verdicts = {part: outcome for part, outcome in found.items() if isinstance(outcome, Verdict)}
    mutants = {part.mutant: verdict for part, verdict in verdicts.items() if part.kind == "mutant"}
    return Row(
        claim=claim,
        verdict=verdicts[Part(claim.id, "printed")],
        amended=verdicts.get(Part(claim.id, "amended")),
        charitable=verdicts.get(Part(claim.id, "charitable")),
        mutants=mutants or None,
        non_vacuity=found[Part(claim.id, "non-vacuity")],
    )


def available_processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _words(verdict: Verdict) -> str:
    """A verdict in a few words: status, method and, where it is not decided, what is missing."""
    detail = "" if verdict.missing is None else f": {verdict.missing.claim}"
    return f"{verdict.status} ({verdict.method}{detail})"
