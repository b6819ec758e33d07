"""A page for each registered example: derivation from the SymPy model, constants, assumptions, kernel and a picture.

A new folder in `fedmm_edu/examples` brings its page; nothing here knows an example by name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import groupby

import sympy as sp

from book.generate.text import myst, raw, table
from book.generate.tree import BUILD, ROOT
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples import Example, examples
from fedmm_edu.symbolic.constants.derive import constants
from fedmm_edu.symbolic.hypotheses.mm2 import with_T
from fedmm_edu.symbolic.model import Model
from fedmm_edu.text.tables import MARKS
from proofs_checks.examples.claims import row_id
from proofs_checks.report.markup import el
from proofs_checks.report.matrix import Row, of_examples, rows

CONSTANTS = ("$B(s)$", r"$v_{\min}$", r"$v_{\max}$", r"$C_\star$", r"$C_{\star\star}$")
LONG = 40
"""So many operations fit a formula that can be read."""
SETS = (("Theta", r"\Theta"), ("S", r"\mathcal{S}"), ("Z", r"\mathcal{Z}"))


def example_pages() -> dict[str, str]:
    """All pages, and their index, by the name of their file."""
    by_name = {name: list(found) for name, found in groupby(rows(), key=lambda row: row.example.name)}
    pages = {f"examples/{example.name}.md": page(example, by_name[example.name]) for example in examples()}
    return {"examples/index.md": _index(examples()), **pages}


def _index(found: Iterable[Example]) -> str:
    lead = (
        "# The examples\n\nEach example is a SymPy model, which is the definition, beside a NumPy kernel, which is "
        "tested against it. Its page is made from both: what you read there is what the machine computed with.\n"
    )
    shown = [[f"[{e.title}]({e.name}.md)", myst(e.where), str(len(e.models())), str(len(e.cases))] for e in found]
    return "\n".join([lead, table(["example", "in the paper", "models", "numeric cases"], shown)])


def page(example: Example, cases: list[Row]) -> str:
    """The page of one example; `cases` are its rows of the matrix of assumptions."""
    models = example.models()
    return "\n".join([
        f"# {example.title}\n", f"{myst(example.where)}\n", _picture(example),
        "## The definitions, and what follows\n",
        "MM-1 says that $\\ell(z,\\theta) \\leq \\psi(\\theta) - \\langle\\bar S(z,\\tau),\\phi(\\theta)\\rangle$ up "
        "to a constant, with equality at $\\theta = \\tau$; MM-2 that $T(s)$ is the only minimiser of "
        "$J_s = g + \\psi - \\langle s,\\phi\\rangle$. The rows named are these statements, proved.\n",
        *(_derivation(example, model) for model in models.values()),
        *_tempting(example),
        "## The constants of A7\n",
        "The best $B(s)$, $v_{\\min}$, $v_{\\max}$, $C_\\star$ and $C_{\\star\\star}$ (the paper's labels `eq:A8:*`) "
        f"on the model's own $\\mathcal{{S}}$, as `fedmm constants {example.name}` derives them. Where there is none, "
        "that is proved too; a smaller $\\mathcal{S}$ may have one.\n",
        _constants(models),
        "## Which of A1 to A8 hold\n", raw(el("div", el("div", of_examples(cases), class_="matrix"), class_="ledger")),
        "## The kernel\n", _kernel(example),
    ])  # fmt: skip


def _tempting(example: Example) -> list[str]:
    """Models in use that are no surrogates: the same formulas, and the row that fails."""
    found = example.tempting_models()
    if not found:
        return []
    return [
        "## In use, and no surrogate\n",
        *(f"Of this model “{row}” is refuted, and the rest proved.\n\n{_derivation(example, model)}"
          for row, model in found.values()),
    ]  # fmt: skip


def _picture(example: Example) -> str:
    return (
        f"```{{image}} ../pictures/{example.name}.png\n:alt: {example.title}: the objective f + g along the line from "
        "a point to the next point of MM, below its majoriser, which touches it at the point\n:width: 480px\n```\n\n"
        f"*The first numeric case of {myst(example.title)}: the objective along the line from $\\tau$ through the next "
        "point of MM, and the majoriser at $\\tau$.*\n"
    )


def _derivation(example: Example, model: Model) -> str:
    """ℓ, ψ, φ, S̄, g, the sets, J_s with its gradient, and T."""
    S_bar, parts = abbreviated(_vector(map(model.at_tau, model.S_bar)))
    lines = [("\\ell(z, \\theta)", model.loss), ("\\psi(\\theta)", model.psi), ("\\phi(\\theta)", _vector(model.phi)),
             ("\\bar S(z, \\tau)", S_bar), *((sp.latex(name), part) for name, part in parts.items())]  # fmt: skip
    if model.g != 0:
        lines.append(("g(\\theta)", model.g))
    shown = [_display(name, value) for name, value in lines]
    sets = [f"${symbol}$: {_relations(getattr(model, key))}" for key, symbol in SETS if getattr(model, key)]
    if model.given:
        sets.append(f"given: {_relations(model.given)}")
    solved = with_T(model)
    return "\n".join([
        f"### {myst(model.name)}\n", *shown, "; ".join(sets) + ("\n" if sets else ""),
        "What $T(s)$ minimises, and the point where it does:\n",
        _display("J_s(\\theta)", model.surrogate), _display("T(s)", _vector(solved.T or ())),
        f"{'T is derived. ' if model.T is None else ''}Judged in {{row}}`{row_id(example.name, model.name)}`.\n",
    ])  # fmt: skip


def abbreviated(value: sp.Expr | sp.Matrix) -> tuple[sp.Expr | sp.Matrix, dict[sp.Symbol, sp.Expr]]:
    """A long formula with names for what it repeats, and these, each free of those after it; a short one as it is."""
    if sp.count_ops(value) <= LONG:
        return value, {}
    found, (short,) = sp.cse(value, symbols=sp.numbered_symbols("r", exclude=value.free_symbols))
    parts, inlined = {}, {}
    names = sp.numbered_symbols("r", start=1, exclude=value.free_symbols)
    for name, repeated in found:
        part = repeated.xreplace(inlined)
        inlined[name] = part if sp.count_ops(repeated) <= 1 else next(names)
        if part != inlined[name]:
            parts[inlined[name]] = part
    return short.xreplace(inlined), parts


def _vector(entries: Iterable[sp.Expr]) -> sp.Expr | sp.Matrix:
    found = list(entries)
    return found[0] if len(found) == 1 else sp.Matrix(found)


def _display(name: str, value: sp.Expr | sp.Matrix) -> str:
    return f"$$\n{name} = {sp.latex(value)}\n$$\n"


def _relations(relations: Iterable[sp.Basic]) -> str:
    return ", ".join(f"${sp.latex(relation)}$" for relation in relations)


def _constants(models: Mapping[str, Model]) -> str:
    """What `constants` finds for each model, in the order of `CONSTANTS`."""
    cells = []
    for name, model in models.items():
        try:
            found = constants(model)
        except InvalidInput as error:
            cells.append([myst(name), myst(str(error).removeprefix(f"{name}: ")), *[""] * (len(CONSTANTS) - 1)])
            continue
        cells.append([myst(name), *(_value(row.value, row.verdict.status) for row in found.rows)])
    return table(["model", *CONSTANTS], cells)


def _value(value: str, status: str) -> str:
    if status == "proved" and value:
        return f"`{value}`"
    return f"{MARKS[status]} " + ("none" if status == "refuted" else status)


def _kernel(example: Example) -> str:
    file = ROOT / "fedmm_edu" / "examples" / example.name / "kernel.py"
    path = os.path.relpath(file, BUILD / "source" / "examples")
    return f"```{{literalinclude}} {path}\n:language: python\n```\n"
