"""`fedmm verify`: judge the ledger, print the table, write the report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fedmm_edu.errors import InvalidInput, MissingExtra
from fedmm_edu.files import write_text
from fedmm_edu.text.plain import plain
from fedmm_edu.text.tables import Progress, table, terminal_width
from proofs_checks.index import no_such_id, require_listed

if TYPE_CHECKING:
    from proofs_checks.ledger import Claim
    from proofs_checks.report.markup import Html
    from proofs_checks.report.records import Record

HELP = "judge every checkable statement of the paper"
DESCRIPTION = """\
Judge the paper's statements, print a table and write a report page.

A sentence of the paper holds, is false, needs a hypothesis, is a slip, depends on how it is read, does not follow, or
is supported or open; the report says what each word means, and quotes the paper. Results of ours are counted apart. For
machines each row has one of four verdicts: proved, refuted (the sentence fails word for word), supported, open.
The exit status is 0 when every verdict is the expected one, else 1; the rows that differ are then listed with reasons.
"""
Sections = list[tuple[str, list["Claim"]]]
OWN = "proofs_checks"
"""The paper's ledger, whose files are all known."""
KEPT = "judged.json"
"""In the folder of the report: what its run has found, for the next one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `fedmm verify`."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="judge only these statements (default: all)")
    parser.add_argument("--mutants", action="store_true", help="also run each statement's falsified versions")
    parser.add_argument("--list", action="store_true", help="list the statements and stop")
    parser.add_argument("--json", metavar="FILE", help="also write the verdicts to FILE")
    parser.add_argument("--report", metavar="DIR", default="report", help="folder of the report (default: report)")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per processor)")
    parser.add_argument("--time-limit", type=float, metavar="S", help="seconds for one judgement (default: 120)")
    parser.add_argument("--fresh", action="store_true", help="judge anew what the last run of the same files has found")
    parser.add_argument(
        "--ledger",
        metavar="MODULE",
        default=OWN,
        help="another ledger: a module with a function sections()",
    )


def run(args: argparse.Namespace) -> int:
    """The exit status: 0 iff every row is as expected, 1 if not, 130 when interrupted (the report is then partial)."""
    if args.ledger == OWN:
        require_listed(args.ids)
    if args.list:
        print(listing(chosen(load_ledger(args.ledger, args.ids), args.ids)))
        return 0
    if missing := [solver for solver in ("z3", "cvc5") if find_spec(solver) is None]:
        raise MissingExtra(
            f"fedmm verify needs {missing[0]}, which some rows rest on: pip install 'fedmm-edu[check]'.",
            name=missing[0],
        )
    from proofs_checks.report.records import record_of
    from proofs_checks.report.row_page import row as on_page
    from proofs_checks.runner.kept import Kept
    from proofs_checks.runner.run import TIME_LIMIT, Interrupted, Row
    from proofs_checks.runner.run import run as run_all

    kept = Kept(Path(args.report) / KEPT, fresh=args.fresh) if args.ledger == OWN else None
    pictured = _matrix_aside() if kept is not None and not args.ids and not kept.outcomes else None
    sections = chosen(load_ledger(args.ledger, args.ids), args.ids)  # for seconds it keeps one processor busy
    claims = [claim for _, found in sections for claim in found]
    progress = Progress(len(claims))
    limit = TIME_LIMIT if args.time_limit is None else args.time_limit
    settings = {"jobs": args.jobs, "mutants": args.mutants, "source": args.ledger, "time_limit": limit, "kept": kept}
    with ThreadPoolExecutor(1) as ahead:  # sets the formulas of rows while others are judged: the page finds them set

        def show(row: Row) -> None:
            progress.step(row.claim.id, plain("; ".join(row.problems)))
            if pictured is not None:
                ahead.submit(lambda: on_page(record_of("", row)))

        try:
            rows, notice = run_all(claims, on_result=show, **settings), ""
        except Interrupted as stopped:
            print("\ninterrupted: writing what was found so far", file=sys.stderr)
            rows, notice = stopped.rows, "This run was interrupted: the rows marked “not run” are missing."
    status = report(args, sections, rows, notice=notice, key=kept.key if kept else "", assumptions=pictured)
    if kept and kept.found:
        print(
            f"{kept.found} judgements are those of an earlier run, as no file has changed since: --fresh judges anew."
        )
    return 130 if notice else status


def load_ledger(name: str, ids: Collection[str] = ()) -> Sections:
    """The sections of ledger module `name`, of the paper's those with `ids`; `InvalidInput` if it is no ledger."""
    if not all(name.split(".")):
        raise InvalidInput(f"--ledger {name}: this is no import path; write one such as proofs_checks.")
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the module is there, but something that it imports is not
        hint = "give its import path, and its folder in PYTHONPATH"
        raise InvalidInput(f"--ledger {name}: there is no module {error.name!r}; {hint}.") from error
    if not callable(getattr(module, "sections", None)):
        raise InvalidInput(f"--ledger {name}: the module has no function sections(); define it as proofs_checks does.")
    return module.sections(ids) if name == OWN else module.sections()


def chosen(sections: Sections, ids: Sequence[str]) -> Sections:
    """The claims with these ids, in the ledger's order (all, if none is given); `InvalidInput` for an unknown one."""
    known = [claim.id for _, claims in sections for claim in claims]
    for name in ids:
        if name not in known:
            raise no_such_id(name, known)
    wanted = set(ids) or set(known)
    kept = [(title, [claim for claim in claims if claim.id in wanted]) for title, claims in sections]
    return [(title, claims) for title, claims in kept if claims]


def listing(sections: Sections) -> str:
    """All statements with their ids, without verdicts."""
    rows = [
        (claim.id, f"{claim.where} {claim.lines}".strip(), plain(claim.statement)) for _, cs in sections for claim in cs
    ]
    return table(("id", "where", "statement"), rows, columns=terminal_width(), shares=(3, 2, 6))


def _matrix_aside() -> Callable[[], Html]:
    """The matrix of assumptions, which takes as long as many rows, made while they are imported and judged."""
    from proofs_checks.report.matrix import matrix
    from proofs_checks.runner.aside import Aside

    return Aside(matrix).result


def report(
    args: argparse.Namespace,
    sections: Sections,
    rows,
    notice: str = "",
    key: str = "",
    assumptions: Callable[[], Html] | None = None,
) -> int:
    """Write the report, print table and counts; 0 iff every row is as expected, else 1.

    `key`: of the files by which it is made (`Kept`); a page that these have made of the same rows is left as it is.
    `assumptions`: the matrix of a whole run, where it is being made already.
    """
    from proofs_checks.certificates import confirmed
    from proofs_checks.report.columns import verdict_table
    from proofs_checks.report.page import write_report
    from proofs_checks.report.records import records_of, to_json
    from proofs_checks.report.second_kernel import marked

    records = records_of(sections, rows)
    records = marked(records, confirmed([record["id"] for record in records]))
    if args.json:
        write_text(args.json, to_json(records))
    if args.ids or notice or args.ledger != OWN:  # not a whole run of the paper's own ledger
        assumptions = None
    elif assumptions is None:
        from proofs_checks.report.matrix import matrix as assumptions
    page = write_report(args.report, records, notice=notice, assumptions=assumptions, key=key)
    print(verdict_table(records))
    print(f"\n{summary(records)}\nreport: {page}")
    differing = [record for record in records if not record["as_expected"]]
    if differing:
        print(f"\n{len(differing)} of {len(records)} rows are not as expected:")
        for record in differing:
            print(f"  {record['id']}: {plain('; '.join(record['problems']))}")
    return 1 if differing else 0


def summary(records: Sequence[Record]) -> str:
    """The counts: a line for the paper, one for ours, and one for the mutants if they were run."""
    from proofs_checks.report.records import counts, of_paper, ours, readings

    words = [f"{count} {reading.value}" for reading, count in readings(records).items() if count]
    own = [f"{count} {status}" for status, count in counts(ours(records)).items() if count]
    told = {"the paper": (of_paper(records), words), "ours": (ours(records), own)}
    lines = [f"{what}, {len(found)} rows: {' · '.join(parts)}" for what, (found, parts) in told.items() if found]
    if run := sum(record["mutants_run"] for record in records):
        lines.append(f"{sum(record['mutants_refuted'] for record in records)} of {run} mutants refuted")
    return "\n".join(lines)
