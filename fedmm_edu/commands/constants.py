"""`fedmm constants`: B, v_min, v_max, C_⋆ and C_⋆⋆ of assumption `hyp:DL2` for an example or a person's own model.

`EXAMPLE:any size` and every EXAMPLE of which the ledger proves something for all sizes also show those statements,
judged on the spot.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from fedmm_edu.announced import ledger
from fedmm_edu.errors import InvalidInput
from fedmm_edu.files import write_text
from fedmm_edu.text.plain import plain
from fedmm_edu.text.tables import marked, table, terminal_width

if TYPE_CHECKING:
    from fedmm_edu.proofs.verdict import Verdict
    from fedmm_edu.symbolic.constants.derive import DerivedConstant, DerivedConstants
    from fedmm_edu.symbolic.model import Model

__all__ = ["as_table"]

DESCRIPTION = """\
Derive the constants of assumption A7 (`hyp:DL2`; the paper's labels say "A8"): the matrix B(s), which is the
derivative of φ∘T, the largest v_min, the smallest v_max, C_⋆ and C_⋆⋆ on 𝒮, each exact or enclosed, whether a point or
a pair attains it, and why where there is none.
The exit status is 0 when all exist (or are open), else 1.

A constant is proved when the kernel accepts certificates that it holds on all of 𝒮; what calculus or ball arithmetic
alone gives is supported. --certificates writes them; `fedmm check CERTIFICATES.json` reads them again.
"""
EXAMPLES = """\
examples:
  fedmm constants toy --S=1:4
  fedmm constants "poisson:printed, strategy 2" --S=-M:0
  fedmm constants "poisson:printed, strategy 1" --set lambda=1 --S=1:2 --S=-1:0
  fedmm constants my_model.py --S=0:oo --json
"""
SYMBOLS = {"B": "B(s)", "v_min": "v_min", "v_max": "v_max", "C_star": "C_⋆", "C_starstar": "C_⋆⋆"}


ANY = "any size"
LONG = 300  # characters


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `fedmm constants`."""
    parser.add_argument("what", metavar="EXAMPLE[:MODEL] | FILE.py", help="an example, one of its models, or a file")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a constant's exact value")
    parser.add_argument(
        "--S", action="append", default=[], metavar="LOW:HIGH", help="𝒮, once per coordinate (write --S=-1:0)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--certificates", type=Path, metavar="OUT.json", help="write what the kernel accepts")


def run(args: argparse.Namespace) -> int:
    """The exit status: 1 if some constant does not exist, else 0."""
    S = [interval(text) for text in args.S] or None
    values = dict(setting(text) for text in args.set)
    name, _, wanted = args.what.partition(":")
    general = _general(name, values if wanted == ANY else {})
    if wanted == ANY:
        if general is None:
            raise InvalidInput(f"{name} has no statement for any size{_hint(name, ledger().any_size())}.")
        found, notes = {}, {}
    else:
        found, notes = derived(args.what, S, values, general is not None)
    models = chosen(args.what, True) if found else {}
    judged = {name: judgement(models[name], S, values) for name in found}
    entries = [{**_plain(entry), "on_this_S": judged[name]} for name, entry in found.items()]
    if args.json:
        entries += [asdict(general)] if general is not None else []
        print(json.dumps(entries, ensure_ascii=False, indent=1))
    else:
        parts = [
            f"{as_table(model, found[model])}\n{fill(f'{model}: {says}', terminal_width())}"
            for model, says in judged.items()
        ]
        parts += [f"{model}: {note}" for model, note in notes.items()]
        print("\n\n".join([*parts, *([_general_table(general)] if general is not None else [])]))
    if args.certificates is not None:
        print(f"\n{certified(found, args.certificates)}", file=sys.stderr if args.json else sys.stdout)
    return int(any(row.verdict.status == "refuted" for entry in found.values() for row in entry.rows))


def certified(found: Mapping[str, DerivedConstants], path: Path) -> str:
    """Write the certificates of the proved constants, for `fedmm check` to read again, and say how many there are."""
    from fedmm_edu.proofs.stored import to_json

    proved = {f"{name}: {row.name}": row.proofs for name, entry in found.items() for row in entry.rows if row.proofs}
    write_text(path, to_json(proved))
    return (
        f"The kernel accepts certificates of {len(proved)} constants ({path}): `fedmm check {path}` reads them again."
    )


def _plain(entry: DerivedConstants) -> dict[str, Any]:
    """For JSON: certificates go into a file of their own."""
    found = asdict(replace(entry, rows=tuple(replace(row, proofs=()) for row in entry.rows)))
    for row in found["rows"]:
        del row["proofs"]
    return found


def derived(
    what: str, S: Sequence[tuple[str, str]] | None, values: Mapping[str, str], general: bool
) -> tuple[dict[str, DerivedConstants], dict[str, str]]:
    """The constants of each model that `what` names, and why there are none for the others.

    A model that cannot be derived is an error where it is the only one asked for, and a note beside others, or where
    there is a `general` statement.
    """
    from fedmm_edu.symbolic.constants.derive import constants

    found: dict[str, DerivedConstants] = {}
    notes: dict[str, str] = {}
    models = chosen(what, general)
    for name, model in models.items():
        try:
            found[name] = constants(model, S=S, values=values)
        except InvalidInput as error:
            if len(models) == 1:
                raise
            notes[name] = str(error).removeprefix(f"{name}: ")
    if models and not found and (S or values):
        raise InvalidInput("; ".join(f"{name}: {note}" for name, note in notes.items()))
    return found, notes


def judgement(model: Model, S: Sequence[tuple[str, str]] | None, values: Mapping[str, str]) -> str:
    """What `fedmm check` says of MM-1 and MM-2 on this 𝒮, in one sentence; constants mean little where they fail."""
    from fedmm_edu.symbolic.constants.region import restricted
    from fedmm_edu.symbolic.hypotheses.check import NOT_OF_MM, ROWS, check_model

    rows = check_model(restricted(model, S, values), rows=[row for row in ROWS if row not in NOT_OF_MM])
    for row, verdict in rows.items():
        if verdict.witness is not None and verdict.status == "refuted":
            what = "for such samples S̄ leaves this 𝒮" if row == "MM-1: S_bar in S" else "see `fedmm check`"
            at = ", ".join(f"{name} = {value}" for name, value in verdict.witness.point.items())
            return plain(f"on this 𝒮 {row} fails" + (f" at {at}" if at else "") + f": {what}.")
    doubted = [row for row, verdict in rows.items() if verdict.status != "proved"]
    return f"on this 𝒮 {', '.join(doubted)} not proved." if doubted else "MM-1 and MM-2 are proved on this 𝒮."


def chosen(what: str, general: bool = False) -> dict[str, Model]:
    """The models that `what` names: EXAMPLE, EXAMPLE:MODEL or a Python file. `InvalidInput` lists what there is.

    None for an example of which there is only a `general` statement.
    """
    from fedmm_edu.examples import examples
    from fedmm_edu.symbolic.hypotheses.check import load_model

    if what.endswith(".py"):
        return load_model(what)
    known = {example.name: example for example in examples()}
    name, _, wanted = what.partition(":")
    if name not in known:
        if general and not wanted:
            return {}
        names = dict.fromkeys((*known, *ledger().any_size()))
        raise InvalidInput(f"there is no example {name!r}{_hint(name, names)} (a file of your own ends in .py).")
    models = known[name].models()
    if wanted and wanted not in models:
        raise InvalidInput(f"{name} has no model {wanted!r}{_hint(wanted, models)}.")
    return {wanted: models[wanted]} if wanted else models


# ----------------------------------------------------------------------------------------- statements of any size


@dataclass(frozen=True)
class GeneralRow:
    """One constant for all sizes: its value, and the row of the ledger with the verdict that it has just earned."""

    name: str
    value: str
    row: str
    statement: str
    verdict: Verdict


@dataclass(frozen=True)
class GeneralConstants:
    """What the ledger proves of an example's constants for every size."""

    model: str
    given: tuple[str, ...]
    rows: tuple[GeneralRow, ...]


def _general(name: str, values: Mapping[str, str]) -> GeneralConstants | None:
    """The general statements about an example, their rows judged now, numbers put in for the constants in `values`."""
    entries = None if name.endswith(".py") else ledger().any_size().get(name)
    if entries is None:
        return None
    claims = ledger().claims()
    verdicts, rows, unused = {}, [], set(values)
    for entry in entries:
        claim = claims[entry.row]
        form = claim.amended.form if claim.amended is not None else claim.form
        if entry.row not in verdicts:
            verdicts[entry.row] = claim.check(**form)
        value, used = _put(form[entry.formula], values) if entry.formula else (entry.says, set())
        unused -= used
        statement = claim.amended.statement if claim.amended is not None else claim.statement
        rows.append(GeneralRow(entry.constant, value, entry.row, statement, verdicts[entry.row]))
    if unused:
        raise InvalidInput(
            f"{name} ({ANY}) has no constant {', '.join(sorted(unused))} in its formulas: see `fedmm constants {name}`."
        )
    return GeneralConstants(f"{name}, {ANY}", tuple(f"{key} = {value}" for key, value in values.items()), tuple(rows))


def _put(formula: str, values: Mapping[str, str]) -> tuple[str, set[str]]:
    """The formula with exact numbers in it, and which of the names occur. `lambda` is written `lam` in formulas."""
    import sympy as sp

    from fedmm_edu.symbolic.constants.region import exact_number
    from fedmm_edu.symbolic.functions.reading import read_formula

    expr = read_formula(formula, lambda name: sp.Symbol(name, positive=True))
    names = {symbol.name.replace("lam", "lambda"): symbol for symbol in expr.free_symbols}
    used = names.keys() & values.keys()
    if not used:
        return formula.replace("lam", "lambda"), set()
    return str(sp.nsimplify(expr.subs({names[name]: exact_number(name, values[name]) for name in used}))), set(used)


def _general_table(found: GeneralConstants) -> str:
    given = f" for {', '.join(found.given)}" if found.given else ""
    cells, said = [], set()
    for row in found.rows:
        what = f"{row.row} (above)" if row.row in said else f"{row.row}: {plain(row.statement)}"
        said.add(row.row)
        cells.append((row.name, marked(row.verdict.status), row.value, what))
    header = ("constant", "its row is", "value", "row of the ledger: what it says")
    return f"{found.model}{given}\n{table(header, cells, columns=terminal_width(), shares=(12, 12, 26, 50))}"


def _hint(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=1)
    return f": did you mean {close[0]!r}?" if close else f": choose one of {', '.join(map(repr, known))}"


def interval(text: str) -> tuple[str, str]:
    """The ends of --S=LOW:HIGH; `InvalidInput` for anything else."""
    low, colon, high = text.partition(":")
    if not (colon and low.strip() and high.strip()):
        raise InvalidInput(f"--S={text} is no interval: write --S=LOW:HIGH, once per coordinate of s, as in --S=-1:0.")
    return low.strip(), high.strip()


def setting(text: str) -> tuple[str, str]:
    """Name and value of --set NAME=VALUE; `InvalidInput` for anything else."""
    name, equals, value = text.partition("=")
    if not (equals and name.strip() and value.strip()):
        raise InvalidInput(f"--set {text} gives no value: write --set NAME=VALUE, as in --set lambda=1/2.")
    return name.strip(), value.strip()


def as_table(name: str, found: DerivedConstants) -> str:
    """The constants as a table under one line with 𝒮, and one line that says what they add up to."""
    given = f" for {', '.join(found.given)}" if found.given else ""
    cells = [
        (SYMBOLS[row.name], marked(row.verdict.status), _value(row), row.verdict.finding or row.tight)
        for row in found.rows
    ]
    header = ("constant", "verdict", "best value", "attained, or why there is none")
    text = table(header, cells, columns=terminal_width(), shares=(10, 13, 30, 47))
    return f"{name}: 𝒮 = {{{found.S}}}{given}\n{text}\n\n{name}: {conclusion(found)}"


def _value(row: DerivedConstant) -> str:
    """The value; a long formula is cut, as --json has all of it."""
    value = row.value or ("none" if row.verdict.status == "refuted" else "not found")
    return value if len(value) <= LONG else f"{value[: LONG - 30]} … (the rest: --json)"


def conclusion(found: DerivedConstants) -> str:
    """What the rows say about A7 (`hyp:DL2`, "A8" in the labels of its constants)."""
    refuted, open_, supported = (
        [SYMBOLS[row.name] for row in found.rows if row.verdict.status == status]
        for status in ("refuted", "open", "supported")
    )
    if refuted:
        return f"A7 fails on this 𝒮: there is no {', no '.join(refuted)}."
    if open_:
        return f"open: {', '.join(open_)}."
    if supported:
        return f"nothing of A7 is refuted on this 𝒮; without a certificate: {', '.join(supported)}."
    return "A7 holds on this 𝒮, and these are the best constants."
