"""The four lines judged by `check_model`, with a picture of the counterexample that a page can draw and drag."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from fedmm_edu.classroom.problem import Lines, both_games, one_game
from fedmm_edu.classroom.room import Card
from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.text.plain import plain

if TYPE_CHECKING:
    import sympy as sp

    from fedmm_edu.announced import Wording
    from fedmm_edu.proofs.verdict import Verdict
    from fedmm_edu.symbolic import Model

DRAWN = {"MM-1: majorizes": "gap", "MM-1: tangent": "gap", "MM-2: T minimizes": "lowest"}
"""Rows whose counterexample is a picture: loss and surrogate, or surrogate and T(s); the first to fail is drawn."""
LEAF_LIMIT = 400
"""Nodes of a formula that is drawn."""
WORDINGS = 5
"""Wordings of a row that a phone gets."""
_NUMBER = re.compile(r"-?\d{1,4}(?:\.\d{1,6}|/[1-9]\d{0,3})?")


def judge(phi: str, psi: str, S_bar: str, T: str) -> dict[str, Any]:
    """{"status": …, "rows": [[row, status, what was found] …], "picture": … or None} as plain JSON values.

    Proved: every row of MM-1 and MM-2 is proved, for one game and for the sum over both, which is what runs. Refuted:
    one is. Else "open": undecided is an answer. "unreadable": the lines are no formulas, and `says` tells why.
    """
    from fedmm_edu.symbolic import check_model

    try:
        one = one_game(Lines(phi, psi, S_bar, T))
        found = check_model(one)
        status = _status(found)
        if status == "proved":
            status = _status(check_model(both_games(one)))
    except InvalidInput as error:
        return {"status": "unreadable", "says": str(error), "rows": [], "picture": None}
    except FedMMError as error:  # a proof and a counterexample at once: neither is believed
        return {"status": "open", "says": str(error), "rows": [], "picture": None}
    rows = [[plain(row), verdict.status, _says(verdict)] for row, verdict in found.items()]
    return {"status": status, "rows": rows, "picture": _picture(one, found)}


def by_point(lines: Sequence[str], kind: str, point: Mapping[str, str]) -> dict[str, Any]:
    """Whether the lines fail at a point in fractions: {"status": "refuted" or "holds" or "open", "says": the value}.

    For MM-1 the sign of the gap at (z, τ, θ) is decided, for MM-2 that of J_s(θ) − J_s(T(s)), by exact arithmetic or
    enclosures. A point outside of Z, Θ and 𝒮, or one that is no point, is "unreadable".
    """
    import sympy as sp

    from fedmm_edu.symbolic import gap
    from fedmm_edu.symbolic.decide.balls import Undefined, show, sign

    try:
        one = one_game(Lines(*lines))
        at = {name: _fraction(name, text) for name, text in point.items()}
        if outside := [name for name, value in at.items() if value < (1 if name == "z" else 0) or value == 0]:
            raise InvalidInput(f"{', '.join(outside)} lies outside its set: z is at least 1; θ, τ and s are above 0.")
        if kind == "MM-1":
            expr, said = gap(one), "The surrogate minus the loss"
        else:
            theta, (s,), (T,) = one.theta[0], one.s, one.T or one.theta
            J = one.psi - s * one.phi[0]
            same = sign(T - theta, at) == 0  # logarithms of equal numbers are not seen to cancel
            expr = sp.Integer(0) if same else J - J.xreplace({theta: T})
            said = "The surrogate at θ minus the surrogate at T(s)"
        value, found = show(expr, at), sign(expr, at)
    except Undefined as error:
        return {"status": "refuted", "says": f"There is no value at this point: {error}"}
    except InvalidInput as error:
        return {"status": "unreadable", "says": str(error)}
    status = {-1: "refuted", 0: "holds", 1: "holds", None: "open"}[found]
    return {"status": status, "says": f"{said} is {value} here."}


def wording(row: str, number: int) -> dict[str, Any]:
    """What the check of a row of the ledger says of one of the wordings of its card: {"status", "says"}."""
    from fedmm_edu.announced import ledger

    verdict = ledger().claims()[row].check(**_dealt(row)[number].form)
    return {"status": verdict.status, "says": _says(verdict) or verdict.method}


def cards(rows: Sequence[str]) -> tuple[Card, ...]:
    """The rows of the ledger as phones get them: as printed, amended where refuted, and a few of their mutants."""
    from fedmm_edu.announced import ledger

    claims = ledger().claims() if rows else {}
    return tuple(Card(row, claims[row].where, tuple(plain(each.words) for each in _dealt(row))) for row in rows)


def _dealt(row: str) -> list[Wording]:
    """The wordings of a card, in an order that tells nothing and is the same in every process."""
    from fedmm_edu.announced import ledger

    return sorted(ledger().wordings(row)[:WORDINGS], key=lambda each: sha256(each.words.encode()).digest())


def _fraction(name: str, text: str) -> Fraction:
    """A short number such as 3, 1/2 or 0.25."""
    if not _NUMBER.fullmatch(text.strip()):
        raise InvalidInput(f"{name} is no number: write one such as 3, 1/2 or 0.25.")
    return Fraction(text.strip())


def _status(found: Mapping[str, Verdict]) -> str:
    from fedmm_edu.symbolic.hypotheses.check import NOT_OF_MM

    needed = {verdict.status for row, verdict in found.items() if row not in NOT_OF_MM}
    return "refuted" if "refuted" in needed else "proved" if needed == {"proved"} else "open"


def _says(verdict: Verdict) -> str:
    if verdict.witness is not None:
        point, values = (
            ", ".join(f"{name} = {value}" for name, value in found.items())
            for found in (verdict.witness.point, verdict.witness.values)
        )
        return plain((f"at {point}: " if point else "") + verdict.witness.says + (f" [{values}]" if values else ""))
    return plain(f"{verdict.missing.claim}: {verdict.missing.why}") if verdict.missing is not None else ""


def _picture(model: Model, found: Mapping[str, Verdict]) -> dict[str, Any] | None:
    """What a page needs to draw the first drawable failure, and to drag its point: formulas as trees, and the point."""
    for row, kind in DRAWN.items():
        verdict = found.get(row)
        if verdict is None or verdict.status != "refuted" or verdict.witness is None:
            continue
        try:
            point = {name: _number(value) for name, value in verdict.witness.point.items()}
            formulas = {"loss": model.loss, "psi": model.psi, "phi": model.phi[0], "S_bar": model.S_bar[0]}
            formulas["T"] = model.T[0] if model.T else model.loss
            trees = {name: tree(expr) for name, expr in formulas.items()}
        except InvalidInput:
            continue
        return {"kind": kind, "row": plain(row), "point": point, "formulas": trees}
    return None


def _number(text: str) -> float:
    """A coordinate of a witness, an exact rational, as a float."""
    try:
        return float(Fraction(text))
    except ValueError as error:
        raise InvalidInput(f"the coordinate {text} is no rational: it is not drawn.") from error


def _finite(number: sp.Expr) -> float:
    """The number as a float; `InvalidInput` for infinities and what is not real, which JSON does not have."""
    try:
        value = float(number)
    except TypeError as error:
        raise InvalidInput(f"{number} is not drawn.") from error
    if not math.isfinite(value):
        raise InvalidInput(f"{number} is not drawn.")
    return value


def tree(expr: sp.Expr) -> Any:
    """The expression as nested lists of plain values, ["+", a, b], for a page that computes without evaluating text.

    `InvalidInput` for a function that the page does not have, or for a formula of more than `LEAF_LIMIT` nodes.
    """
    import sympy as sp

    words = {sp.Add: "+", sp.Mul: "*", sp.Pow: "^", sp.exp: "exp", sp.log: "log", sp.sin: "sin", sp.cos: "cos",
             sp.tanh: "tanh", sp.sinh: "sinh", sp.cosh: "cosh", sp.Abs: "abs", sp.sign: "sign",
             sp.Max: "max", sp.Min: "min"}  # fmt: skip
    if sum(1 for _ in sp.preorder_traversal(expr)) > LEAF_LIMIT:
        raise InvalidInput("the formula is too long to be drawn.")

    def of(node: sp.Basic) -> Any:
        if isinstance(node, sp.Symbol):
            return node.name
        if isinstance(node, sp.Expr) and not node.args:
            return _finite(node)
        if node.func not in words:
            raise InvalidInput(f"a page cannot draw {node.func}.")
        return [words[node.func], *map(of, node.args)]

    return of(expr)
