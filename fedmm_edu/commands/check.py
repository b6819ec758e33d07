"""`fedmm check FILE.py`: a person's own model, judged hypothesis by hypothesis."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from fedmm_edu.errors import InvalidInput
from fedmm_edu.files import write_text
from fedmm_edu.text.plain import plain
from fedmm_edu.text.tables import marked, table, terminal_width

if TYPE_CHECKING:
    from fedmm_edu.proofs.verdict import Verdict
    from fedmm_edu.symbolic.component_model import ComponentModel
    from fedmm_edu.symbolic.model import Model

__all__ = ["as_table"]


DESCRIPTION = """\
Judge a surrogate of your own. FILE.py, which is executed, defines one `fedmm_edu.Model` or several: the SymPy
expressions of the loss ℓ, of φ, ψ, S̄, g and of the sets Θ and 𝒮. The answer names each hypothesis of MM-1 and MM-2,
its verdict, how we know it, and a witness where it fails. A `ComponentModel`, with formulas that are sums over L
components, is judged for every L.
The exit status is 1 when MM-1 or MM-2 is refuted, else 0: A1 is a hypothesis of the theorems, not of a surrogate.

A row is proved when a small kernel, which searches for nothing, accepted a certificate of it; what the search alone
proves is supported. --certificates writes them; `fedmm check CERTIFICATES.json` lets the kernel read such a file again.
"""
EXAMPLES = """\
example of FILE.py:
  import sympy as sp
  from fedmm_edu import Model
  theta, s = sp.symbols("theta s", positive=True)
  z = sp.Symbol("z", positive=True)
  model = Model(theta=theta, z=z, s=s, loss=z*theta + 1/theta, psi=1/theta, phi=-theta, S_bar=z)
"""
Rows = Mapping[str, "Verdict"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `fedmm check`."""
    parser.add_argument(
        "file", metavar="FILE.py", help="a Python file that defines `model = Model(...)`, or a file of certificates"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--certificates", type=Path, metavar="OUT.json", help="write what the kernel accepts")


def run(args: argparse.Namespace) -> int:
    """The exit status: 1 if MM-1 or MM-2 is refuted for a model in the file, else 0."""
    if args.file.endswith(".json"):
        if args.json or args.certificates is not None:
            raise InvalidInput(
                "--json and --certificates belong to a model: a file of certificates is only read again."
            )
        return recheck(Path(args.file))
    from fedmm_edu.symbolic.hypotheses.advice import advice
    from fedmm_edu.symbolic.hypotheses.check import broken_rows, check_model, load_models

    models = load_models(args.file)
    judged = {name: check_model(model) for name, model in models.items()}
    following = {name: advice(model, judged[name]) for name, model in models.items()}
    if args.json:
        print(as_json(judged, following))
    else:
        print("\n\n".join(as_table(name, rows) + as_list(following[name]) for name, rows in judged.items()))
    if args.certificates is not None:
        said = certified(models, judged, args.certificates)
        print(f"\n{said}", file=sys.stderr if args.json else sys.stdout)
    return int(any(broken_rows(rows) for rows in judged.values()))


def certified(models: Mapping[str, Model | ComponentModel], rows: Mapping[str, Rows], path: Path) -> str:
    """Write the certificates of the proved rows that have one, and say how many have."""
    from fedmm_edu.proofs.stored import to_json
    from fedmm_edu.symbolic.hypotheses.check import certificates_of

    found, proved = {}, 0
    for name, model in models.items():
        judged = [row for row, verdict in rows[name].items() if verdict.status == "proved"]
        proved += len(judged)
        for row in judged:
            accepted = certificates_of(model, row)
            if accepted:  # a row that claims nothing, as that a whole space is convex, needs no certificate
                found[f"{name}: {row}"] = accepted
    write_text(path, to_json(found))
    rest = "" if len(found) == proved else "; the others claim nothing"
    return f"The kernel accepts certificates of {len(found)} of {proved} proved rows ({path}){rest}."


def recheck(path: Path) -> int:
    """Let the kernel judge a file of certificates, without the model and without SymPy; 1 if it refuses one."""
    from fedmm_edu.proofs.stored import from_json, refused

    try:
        found = from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read {path}: {error}.") from error
    reasons = refused(found)
    for name, claims in found.items():
        mark = "✗ refused " if name in reasons else "✓ accepted" if claims else "– no claim"
        print(f"{mark}  {name}" + (f": {reasons[name]}" if name in reasons else ""))
        for claim in claims:
            print(f"              {claim.in_words}")
    print("The names are those of the file; what was judged are the statements below them.")
    return int(bool(reasons))


def as_json(models: Mapping[str, Rows], following: Mapping[str, Mapping[str, str]]) -> str:
    """The rows of each model as JSON text: a list with one object per model; "next" is what to do about a row."""
    found = [
        {
            "model": name,
            "rows": [
                {"hypothesis": row, **asdict(verdict), "next": following[name].get(row, "")}
                for row, verdict in rows.items()
            ],
        }
        for name, rows in models.items()
    ]
    return json.dumps(found, ensure_ascii=False, indent=1)


def as_list(following: Mapping[str, str]) -> str:
    """What to do next, a line or more for each row that is not proved; nothing where all are."""
    if not following:
        return ""
    rows: dict[str, list[str]] = {}
    for row, says in following.items():
        rows.setdefault(says, []).append(row)
    lines = [
        fill(plain(f"{', '.join(names)}: {says}"), terminal_width(), initial_indent="  ", subsequent_indent="    ")
        for says, names in rows.items()
    ]
    return "\n".join(["\n\nWhat to do next:", *lines])


def as_table(name: str, rows: Rows) -> str:
    """The rows as a table, then one line that says what they add up to."""
    from fedmm_edu.symbolic.hypotheses.check import overall

    cells = [(plain(row), marked(verdict.status), verdict.method, verdict.finding) for row, verdict in rows.items()]
    header = ("hypothesis", "verdict", "how we know", "witness, or what is missing")
    text = table(header, cells, columns=terminal_width(), shares=(24, 13, 20, 43))
    return f"{text}\n\n{name}: {overall(rows)}"
