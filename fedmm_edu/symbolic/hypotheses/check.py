"""All rows of a model's check, and models read from a person's own file."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from time import perf_counter
from types import ModuleType

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.stored import Stored
from fedmm_edu.proofs.verdict import Step, Verdict, undecided
from fedmm_edu.symbolic.component_model import ComponentModel
from fedmm_edu.symbolic.decide.inequality import domain_point
from fedmm_edu.symbolic.decide.smt import StoppedByClock
from fedmm_edu.symbolic.hypotheses import mm1, mm2
from fedmm_edu.symbolic.hypotheses.alarm import broken_at, confirm, refuted_by_numbers
from fedmm_edu.symbolic.hypotheses.certificates import by_kernel, certificates
from fedmm_edu.symbolic.hypotheses.component_certificates import component_certificates
from fedmm_edu.symbolic.hypotheses.component_check import each_component_row, with_component_T
from fedmm_edu.symbolic.hypotheses.free import restored
from fedmm_edu.symbolic.hypotheses.statements import CLAIMS
from fedmm_edu.symbolic.model import Model
from fedmm_edu.text.plain import plain

ROWS = tuple(CLAIMS)
"""The hypotheses in the order in which `check_model` judges them."""
KERNEL_FIRST = 3
"""Coordinates of θ from which on a certificate is looked for before anything is multiplied out by SymPy."""
UNASKED = undecided("search", Step("nothing was looked for yet", "a certificate comes first"))
NOT_OF_MM = frozenset({"A1: convex"})
"""Rows that the theorems ask for, and MM-1 and MM-2 do not."""


def check_model(model: Model | ComponentModel, *, rows: Sequence[str] = ROWS, seed: int = 0) -> dict[str, Verdict]:
    """The verdict on each hypothesis of `rows` ("defined" is always among them), in the order of `ROWS`.

    A T that the model leaves out is derived first; where that fails its rows are `open`. A proof takes every term to be
    defined: unless the row "defined" is proved, the other rows cannot be (they are `open` with that reason). *Proved*
    means that the kernel accepted a certificate of each of the row's claims. A row that no search decides is refuted
    where numbers break it for certain. Of a `ComponentModel` a row is proved for every number of components, and
    refuted at one.
    Raises `InvalidInput` when Θ, 𝒮 or Z is empty, and `ProofContradicted` when numbers break what was proved.
    """
    return dict(each_row(model, rows=rows, seed=seed))


def each_row(
    model: Model | ComponentModel, *, rows: Sequence[str] = ROWS, seed: int = 0
) -> Iterator[tuple[str, Verdict]]:
    """The rows of `check_model`, each as soon as it is judged."""
    if isinstance(model, ComponentModel):
        yield from _component_rows(model, rows, seed)
        return
    started = perf_counter()
    model, checks = _prepared(model, seed)
    found: dict[str, Verdict] = {}
    all_defined = False
    for name in (name for name in ROWS if name in rows or name == "defined"):
        minimal = "MM-2: T minimizes" in found and found["MM-2: T minimizes"].status == "proved"
        searched, verdict = _judged(model, name, checks[name], minimal=minimal, seed=seed)
        if name == "defined":
            all_defined = "proved" in (searched.status, verdict.status)
        elif name != "S convex" and not all_defined:
            verdict = _doubted(verdict)
        now = perf_counter()
        found[name], started = restored(model, verdict).timed(now - started), now
        yield name, found[name]


def judge_row(model: Model, row: str, *, seed: int = 0) -> Verdict:
    """What `check_model` says of one row; of one that is refuted "defined" is not asked, for its point says all."""
    prepared, checks = _prepared(model, seed)
    _, verdict = _judged(prepared, row, checks[row], minimal=False, seed=seed)
    if verdict.status == "refuted":
        return restored(prepared, verdict)
    return check_model(model, rows=(row,), seed=seed)[row]


def _prepared(model: Model, seed: int) -> tuple[Model, dict[str, Callable[..., Verdict]]]:
    """The model with a T, and the check of each row; `InvalidInput` where a set is empty."""
    for sets in (("Theta",), ("S",), ("Z", "tau")):
        domain_point(model.space(*sets), seed=seed)
    try:
        model, missing = mm2.with_T(model, seed=seed), None
    except InvalidInput as error:
        missing = undecided("derivation", Step("a closed form of T", str(error)))
    return model, {
        "defined": mm1.defined,
        "S convex": mm1.S_convex,
        "MM-1: S_bar in S": mm1.S_bar_in_S,
        "MM-1: tangent": mm1.tangent,
        "MM-1: majorizes": mm1.majorizes,
        "MM-2: T in Theta": mm2.T_in_Theta if missing is None else partial(_always, missing),
        "MM-2: T minimizes": mm2.minimizes if missing is None else partial(_always, missing),
        "MM-2: unique": mm2.unique,
        "A1: convex": mm2.convex,
    }


def _judged(
    model: Model, name: str, check: Callable[..., Verdict], *, minimal: bool, seed: int
) -> tuple[Verdict, Verdict]:
    """What the search and the numbers say of a row, and what the kernel then makes of it.

    `minimal`: T is known to minimise; a value equal to that of a wrong T says nothing about minimisers.
    """
    try:
        known = by_kernel(model, name, UNASKED, seed=seed) if _kernel_first(model, name, seed) else UNASKED
        verdict = check(model, seed=seed) if known is UNASKED else known
    except StoppedByClock as error:
        verdict = undecided("time limit", Step("no answer in time", str(error)))
    if name != "MM-2: unique" or minimal:
        verdict = confirm(model, name, verdict, seed=seed)
        if verdict.status in ("supported", "open"):
            verdict = refuted_by_numbers(model, name, seed=seed) or verdict
    return verdict, by_kernel(model, name, verdict, seed=seed)


def _component_rows(model: ComponentModel, rows: Sequence[str], seed: int) -> Iterator[tuple[str, Verdict]]:
    asked, all_defined, began = [name for name in ROWS if name in rows or name == "defined"], False, perf_counter()
    for name, verdict in each_component_row(model, check_model, asked, seed=seed):
        all_defined = all_defined or (name == "defined" and verdict.status == "proved")
        now = perf_counter()
        kept = verdict if all_defined or name in ("defined", "S convex") else _doubted(verdict)
        yield name, kept.timed(now - began)
        began = now


def broken_rows(rows: Mapping[str, Verdict]) -> list[str]:
    """The refuted rows that MM-1 and MM-2 need."""
    return [row for row, verdict in rows.items() if verdict.status == "refuted" and row not in NOT_OF_MM]


def overall(rows: Mapping[str, Verdict]) -> str:
    """What the rows add up to, in one sentence."""
    by_status = {
        status: [hypothesis for hypothesis, verdict in rows.items() if verdict.status == status]
        for status in ("refuted", "open", "supported")
    }
    undecided = by_status["open"] + by_status["supported"]
    if broken_rows(rows):
        return plain(f"fails {', '.join(by_status['refuted'])}.")
    beyond = f" It fails {', '.join(by_status['refuted'])}, which the theorems ask for." if by_status["refuted"] else ""
    if undecided:
        return plain(f"nothing of MM-1 and MM-2 is refuted; not proved: {', '.join(undecided)}.{beyond}")
    return plain(f"MM-1 and MM-2 are proved.{beyond}") if beyond else "every hypothesis is proved."


def _kernel_first(model: Model, name: str, seed: int) -> bool:
    """Whether to look for a certificate before a verdict: in wide models, where numbers do not break the row.

    So it is where g is a norm: of its growth z3 is soon sure, and cvc5 is ended by the clock without an answer.
    """
    roots = [power for power in model.g.atoms(sp.Pow) if power.exp == sp.S.Half]
    norm = name == "MM-2: T minimizes" and any(root.base.is_Add for root in roots)
    return (norm or len(model.theta) >= KERNEL_FIRST) and broken_at(model, name, seed=seed) is None


def _always(verdict: Verdict, model: Model, *, seed: int) -> Verdict:
    return verdict


def _doubted(verdict: Verdict) -> Verdict:
    if verdict.status not in ("proved", "supported"):
        return verdict
    step = Step("this holds only where every term is defined", 'the row "defined" is not proved')
    return replace(verdict, status="open", evidence=(*verdict.evidence, step), missing=step)


def certificates_of(model: Model | ComponentModel, row: str) -> tuple[Stored, ...] | None:
    """A certificate of each claim of a row; None where the kernel accepts none for one of them."""
    if isinstance(model, ComponentModel):
        return component_certificates(with_component_T(model), row)
    with suppress(InvalidInput):  # a T that cannot be derived leaves its rows without certificates
        model = mm2.with_T(model)
    return certificates(model, row)


def load_model(path: str | Path) -> dict[str, Model]:
    """Every `Model` at the top level of a Python file, by the name of its variable; the file is executed.

    A file with one variable `model` gives {"model": …}. Raises `InvalidInput` naming file, line and fix; one that has
    only models of L components is refused.
    """
    found = load_models(path)
    models = {name: model for name, model in found.items() if isinstance(model, Model)}
    if not models:
        name = next(iter(found))
        raise InvalidInput(f"{path}: {name} has any number of components: write {name} = {name}.at(3), say, below it.")
    return models


def load_models(path: str | Path) -> dict[str, Model | ComponentModel]:
    """The same, and every `ComponentModel`."""
    file = Path(path)
    if not file.is_file():
        raise InvalidInput(f"{file} is not a file: give the path of a Python file that defines `model = Model(...)`.")
    module = ModuleType(file.stem)
    module.__file__ = str(file)
    try:
        with redirect_stdout(_Silent()):
            exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), vars(module))
    except SyntaxError as error:
        raise InvalidInput(f"{file}, line {error.lineno}: {error.msg}: correct the syntax there.") from error
    except SystemExit as error:
        raise InvalidInput(
            f"{file}{_line(error, file)}: the file ends the program: remove exit() or sys.exit()."
        ) from error
    except Exception as error:
        raise InvalidInput(f"{file}{_line(error, file)}: {type(error).__name__}: {error}") from error
    models = {name: value for name, value in vars(module).items() if isinstance(value, Model | ComponentModel)}
    if not models:
        raise InvalidInput(f"{file} defines no Model: end it with `model = Model(theta=..., z=..., s=..., ...)`.")
    return models


class _Silent(StringIO):
    """A standard output that refuses whatever is written: a check prints its table, or JSON, and nothing else."""

    def write(self, text: str) -> int:
        raise InvalidInput(f"the file prints {text.strip()!r}: a model is only read, so remove what prints.")


def _line(error: BaseException, file: Path) -> str:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return f", line {lines[-1]}" if lines else ""
