"""`fedmm check FILE.py`: a person's own model, judged hypothesis by hypothesis."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from fedmm_edu.text.plain import plain
from fedmm_edu.text.tables import MARKS, table, terminal_width

if TYPE_CHECKING:
    from fedmm_edu.proofs.verdict import Verdict


DESCRIPTION = """\
Judge a surrogate of your own. FILE.py, which is executed, defines one `fedmm_edu.Model` or several: the SymPy
expressions of the loss ℓ, of φ, ψ, S̄, g and of the sets Θ and 𝒮. The answer names each hypothesis of MM-1 and MM-2,
its verdict, how we know it, and a witness where it fails.
The exit status is 0 when nothing is refuted, else 1.
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
    parser.add_argument("file", metavar="FILE.py", help="a Python file that defines `model = Model(...)`")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(args: argparse.Namespace) -> int:
    """The exit status: 1 if a hypothesis of a model in the file is refuted, else 0."""
    from fedmm_edu.symbolic.hypotheses.check import check_model, load_model

    models = {name: check_model(model) for name, model in load_model(args.file).items()}
    if args.json:
        print(as_json(models))
    else:
        print("\n\n".join(as_table(name, rows) for name, rows in models.items()))
    return int(any(verdict.status == "refuted" for rows in models.values() for verdict in rows.values()))


def as_json(models: Mapping[str, Rows]) -> str:
    """The rows of each model as JSON text: a list with one object per model."""
    found = [
        {"model": name, "rows": [{"hypothesis": row, **asdict(verdict)} for row, verdict in rows.items()]}
        for name, rows in models.items()
    ]
    return json.dumps(found, ensure_ascii=False, indent=1)


def as_table(name: str, rows: Rows) -> str:
    """The rows as a table, then one line that says what they add up to."""
    cells = [
        (plain(row), f"{MARKS[verdict.status]} {verdict.status}", verdict.method, _finding(verdict))
        for row, verdict in rows.items()
    ]
    header = ("hypothesis", "verdict", "how we know", "witness, or what is missing")
    text = table(header, cells, columns=terminal_width(), shares=(24, 13, 20, 43))
    return f"{text}\n\n{name}: {_conclusion(rows)}"


def _finding(verdict: Verdict) -> str:
    """The point at which a refuted hypothesis fails, or what keeps another one from being proved."""
    if verdict.witness is not None:
        point, values = (_listed(found) for found in (verdict.witness.point, verdict.witness.values))
        return plain((f"at {point}: " if point else "") + verdict.witness.says + (f" [{values}]" if values else ""))
    return plain(f"{verdict.missing.claim}: {verdict.missing.why}") if verdict.missing is not None else ""


def _listed(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def _conclusion(rows: Rows) -> str:
    by_status = {
        status: [hypothesis for hypothesis, verdict in rows.items() if verdict.status == status]
        for status in ("refuted", "open", "supported")
    }
    if by_status["refuted"]:
        return plain(f"fails {', '.join(by_status['refuted'])}.")
    if by_status["open"] or by_status["supported"]:
        return plain(f"nothing is refuted; not proved: {', '.join(by_status['open'] + by_status['supported'])}.")
    return "every hypothesis is proved."
