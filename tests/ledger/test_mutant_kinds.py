"""Each certificate of Appendix D and of our own statements has a mutant of each kind, or a reason that is checked."""

from __future__ import annotations

import inspect
import re
from fractions import Fraction
from functools import partial
from typing import Any, get_args

import pytest
import sympy as sp

from proofs_checks.certificates import certificates_of, chain, claim_of
from proofs_checks.ledger import Claim, Falsifies, Form

KINDS: tuple[Falsifies, ...] = get_args(Falsifies)
ROWS = [claim_of(name) for name in chain()]


def defaults(claim: Claim) -> dict[str, Any]:
    """The arguments of the row's check that need not be given, with their values."""
    check, fixed = claim.check, {}
    while isinstance(check, partial):
        check, fixed = check.func, {**check.keywords, **fixed}
    own = {name: x.default for name, x in inspect.signature(check).parameters.items() if x.default is not x.empty}
    return own | fixed


def named(claim: Claim, mutant: str) -> set[Falsifies]:
    """The kind that the row itself gives the mutant, if any."""
    return {claim.kinds[mutant]} if mutant in claim.kinds else set()


def kinds_of(claim: Claim, form: Form) -> set[Falsifies]:
    """What this form makes wrong, read off the arguments in which it differs from the true one."""
    start = defaults(claim)
    right, wrong = start | dict(claim.true_form), start | dict(form)
    return {kind for name in wrong if (kind := kind_of(name, right.get(name), wrong[name])) is not None}


def kind_of(name: str, old: Any, new: Any) -> Falsifies | None:
    """Shorter lists, ranges without end and assumptions set to False drop a hypothesis; for formulas see `changed`."""
    if old == new:
        return None
    if name == "without" or (isinstance(old, bool) and old):
        return "hypothesis"
    if isinstance(old, tuple) and isinstance(new, tuple):
        return "hypothesis" if set(new) < set(old) else None
    relations = [re.search("[<>]", text) for text in (old, new) if isinstance(text, str)]
    if len(relations) == 2 and all(relations):
        return "sign" if relations[0][0] != relations[1][0] else "constant"  # type: ignore[index]
    return changed(formula(old), formula(new)) if not (is_word(old) and is_word(new)) else None


def is_word(value: Any) -> bool:
    return isinstance(value, str) and value.isidentifier()


def formula(value: Any) -> Any:
    """The value as an expression, if it is a number or a formula."""
    if isinstance(value, str) and re.fullmatch(r"[\w\s+*/().-]+", value):
        names = {word: sp.Symbol(word) for word in re.findall(r"[A-Za-z_]\w*", value) if word not in ("oo", "sqrt")}
        return sp.sympify(value, names, rational=True)
    return sp.sympify(value) if isinstance(value, (int, Fraction, sp.Expr)) else None


def changed(old: Any, new: Any) -> Falsifies | None:
    """A sign if the terms are the same up to signs; a hypothesis if a range lost its end; else a constant."""
    if not (isinstance(old, sp.Expr) and isinstance(new, sp.Expr)):
        return None
    for terms in (lambda e: set(sp.Add.make_args(e)), lambda e: set(sp.Add.make_args(sp.expand(e)))):
        if {t if t in terms(old) else -t for t in terms(new)} == terms(old) != terms(new):
            return "sign"
    return "hypothesis" if new == sp.oo else "constant"


@pytest.mark.parametrize("claim", ROWS, ids=lambda claim: claim.id)
def test_every_kind_has_a_mutant(claim: Claim) -> None:
    """A constant made better, a hypothesis dropped, a sign flipped; where a kind is spared, the check says why.

    Rows of our own that rest on no certificate (but on solvers or on differentiation) are not asked. That the true form
    is proved is what `test_row` says; here it is asked for its certificates, where they matter.
    """
    assert claim.kinds.keys() <= claim.mutants.keys()
    found = {kind for name, form in claim.mutants.items() for kind in named(claim, name) or kinds_of(claim, form)}
    if set(KINDS) - found != claim.spared.keys():
        assert claim.id.startswith("own-")
        assert not certificates_of(claim)
        return
    for kind, form in claim.spared.items():
        if form is None:
            assert kind == "hypothesis"
            assert not any(certificate.used for certificate in certificates_of(claim))
        else:
            assert kinds_of(claim, form) == {kind}
            assert claim.check(**form).status == "proved"


@pytest.mark.parametrize(
    ("name", "old", "new", "kind"),
    [
        ("hypotheses", ("A3", "A4"), ("A3",), "hypothesis"),
        ("without", "", "step", "hypothesis"),
        ("convex", True, False, "hypothesis"),
        ("largest", "1/2", "oo", "hypothesis"),
        ("wanted", ">= 0", "<= 0", "sign"),
        ("wanted", ">= 0", "> 0", "constant"),
        ("factor", "2*(1+omega)", "-2*(1+omega)", "sign"),
        ("factor", "1 - w", "1 + w", "sign"),
        ("factor", "64*omega", "60*omega", "constant"),
        ("factor", Fraction(1), Fraction(2), "constant"),
        ("law", "independent", "tied", None),
        ("factor", "1", "1", None),
    ],
)
def test_kinds_are_read_off_what_changes(name: str, old: Any, new: Any, kind: str | None) -> None:
    """Neither the label of a mutant nor its verdict enters."""
    assert kind_of(name, old, new) == kind
