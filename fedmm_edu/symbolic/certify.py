"""Certificates for the rows of a check: each claim of a row, as the alarm states it, with a proof for the kernel.

The search below may be as clever as it likes: what it finds is data, and `proofs.kernel.accept` decides. It looks at
the statement alone (`hypotheses.alarm`), not at how the verdict was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from fedmm_edu.proofs.kernel import Fact, Refused, accept
from fedmm_edu.proofs.stored import Proven
from fedmm_edu.proofs.terms import Malformed, Term, above_tangent
from fedmm_edu.symbolic.decide.domain import Relation as Claimed
from fedmm_edu.symbolic.decide.domain import fresh
from fedmm_edu.symbolic.hypotheses.alarm import CLAIMS, Refutable
from fedmm_edu.symbolic.model import Model

ONE, ZERO = Fraction(1), Fraction(0)
DEPTH = 4
"""How many case splits and segments may be nested."""
LARGEST = 150
"""Operations of an expression; a larger one is not brought over a common denominator or factored."""
TRIES = 150
"""Proofs that the kernel is asked about for one claim."""


def certificates(model: Model, row: str) -> tuple[Proven, ...] | None:
    """One certificate for each claim of the row; None where the kernel accepts none for one of them.

    "defined" claims values, which the kernel asks for in every proof; there is no certificate of it alone. "unique" is
    certified by strict growth away from T.
    """
    if row == "defined" or (row.startswith("MM-2") and model.T is None):
        return None
    found = []
    for claim in CLAIMS[row](model):
        certificate = certificate_of(claim)
        if certificate is None:
            return None
        found.append(certificate)
    return tuple(found)


def certificate_of(claim: Refutable) -> Proven | None:
    """A certificate of one claim, or None."""
    try:
        given = tuple(Fact(_OPS[r.op], read(r.expr)) for r in claim.where)
        goal = Fact(_OPS[claim.holds.op], read(claim.holds.expr))
    except Malformed:
        return None
    search = _Search(claim)
    try:
        proof = search.first(claim.holds, tuple(claim.where), DEPTH, original=claim.holds)
    except (_Exhausted, Malformed):
        return None
    return None if proof is None else Proven(given, goal, proof)


class _Exhausted(Exception):
    """The kernel has been asked often enough about one claim."""


_OPS = {">": ">", ">=": ">=", "==": "=", "!=": "!="}


@cache
def read(expr: sp.Basic) -> Term:
    """A SymPy expression as a term, node by node; `Malformed` for what the kernel's language lacks."""
    e: Any = expr
    if e.is_Rational:
        return Fraction(int(e.p), int(e.q))
    if e.is_Symbol:
        return e.name
    if e.is_Add or e.is_Mul:
        return ("+" if e.is_Add else "*", *map(read, e.args))
    if isinstance(e, sp.exp):
        return ("exp", read(e.args[0]))
    if e.is_Pow and e.exp.is_Integer:
        return ("pow", read(e.base), int(e.exp))
    if e.is_Pow and e.exp.is_Rational:
        root = ("root", int(e.exp.q), read(e.base))
        return root if e.exp.p == 1 else ("pow", root, int(e.exp.p))
    for kind, name in ((sp.log, "log"), (sp.Abs, "abs"), (sp.sign, "sign")):
        if isinstance(e, kind):
            return (name, read(e.args[0]))
    if isinstance(e, sp.Max | sp.Min):
        out = read(e.args[0])
        for arg in e.args[1:]:
            out = ("max" if isinstance(e, sp.Max) else "min", out, read(arg))
        return out
    if isinstance(e, sp.Piecewise):
        return _piecewise(list(e.args))
    raise Malformed(f"{e} has no counterpart in the kernel's language")


def _piecewise(pairs: list) -> Term:
    (branch, condition), rest = pairs[0], pairs[1:]
    if condition is sp.true:
        return read(branch)
    if not rest:
        raise Malformed("a case distinction without a last case")
    if not isinstance(condition, sp.Gt | sp.Ge | sp.Lt | sp.Le | sp.Eq | sp.Ne):
        raise Malformed(f"{condition} is no single relation")
    flip = isinstance(condition, sp.Lt | sp.Le)
    term = condition.rhs - condition.lhs if flip else condition.lhs - condition.rhs
    op = ">" if isinstance(condition, sp.Gt | sp.Lt) else ">="
    op = "=" if isinstance(condition, sp.Eq) else "!=" if isinstance(condition, sp.Ne) else op
    return ("if", (op, read(term)), read(branch), _piecewise(rest))


class _Search:
    """Proofs to try, the cheapest first. Everything here may be wrong: the kernel looks at what comes out."""

    def __init__(self, claim: Refutable) -> None:
        self.claim, self.tries = claim, 0
        self.symbols = sorted(
            {x for r in (*claim.where, claim.holds) for x in r.expr.free_symbols}, key=lambda x: x.name
        )

    def proofs(self, goal: Claimed, given: tuple[Claimed, ...], depth: int) -> Iterator[Any]:
        yield from self.direct(goal, given)
        if depth == 0:
            return
        yield from self.split(goal, given, depth)
        yield from self.segments(goal, given, depth)

    # ------------------------------------------------------------------------------------------------------ one line

    def direct(self, goal: Claimed, given: Sequence[Claimed]) -> Iterator[Any]:
        """The goal as it stands, 0, in factors, over a common denominator, with a completed square, over the facts."""
        expr = goal.expr
        yield ("by", ONE, read(expr))
        if goal.op in (">=", "=="):
            yield ("by", ONE, ZERO)
        if expr.has(sp.Piecewise, sp.Abs, sp.Max, sp.Min, sp.sign) or expr.count_ops() > LARGEST:
            return
        top, bottom = _fraction(expr)
        scale = bottom**2
        product = sp.factor(top * bottom)
        yield ("by", read(scale), read(product))
        for other in _rewritten(top, bottom, self.symbols):
            yield ("by", read(other[0] * scale), read(other[1]))

    # --------------------------------------------------------------------------------------------------------- cases

    def split(self, goal: Claimed, given: tuple[Claimed, ...], depth: int) -> Iterator[Any]:
        """On the sign of the first term on which a piece depends."""
        term = _switch(goal.expr)
        if term is None:
            return
        branches = []
        for fact, put in ((Claimed(term, ">"), 1), (Claimed(term, "=="), 0), (Claimed(-term, ">"), -1)):
            local = Claimed(_resolved(goal.expr, term, put), goal.op)
            branches.append(self.first(local, (*given, fact), depth - 1, original=goal))
        if all(branch is not None for branch in branches):
            yield ("cases", read(term), *branches)

    def first(self, goal: Claimed, given: tuple[Claimed, ...], depth: int, *, original: Claimed) -> Any:
        """A proof that the kernel accepts for the original goal, looked for in the form `goal`; None without one."""
        for proof in self.proofs(goal, given, depth):
            if self.accepts(original, given, proof):
                return proof
        return None

    def accepts(self, goal: Claimed, given: tuple[Claimed, ...], proof: Any) -> bool:
        self.tries += 1
        if self.tries > TRIES:
            raise _Exhausted
        facts = tuple(Fact(_OPS[r.op], read(r.expr)) for r in given)
        try:
            accept(facts, Fact(_OPS[goal.op], read(goal.expr)), proof)
        except Refused:
            return False
        return True

    # ------------------------------------------------------------------------------------------------------ segments

    def segments(self, goal: Claimed, given: tuple[Claimed, ...], depth: int) -> Iterator[Any]:
        """A function that is convex between two points: above its tangent at one of them, or below a chord."""
        if self.claim.chord is not None and goal == self.claim.holds:
            yield from self.chord(given, depth)
            return
        for f, names, at in self.tangents(goal.expr):
            built = self.tangent(f, names, at, given, depth, strict=goal.op in (">", "!="))
            if built is None:
                continue
            haves, bent = built
            place = {x.name: read(a) for x, a in zip(names, at, strict=True)}
            term = read(f)
            above, slopes = above_tangent(term, place)
            for others in ([], slopes):
                rest = ("by", ONE, ("+", above, *others))
                yield haves(("tangent", term, tuple(place), tuple(place.values()), goal.op in (">", "!="), bent, rest))

    def chord(self, given: tuple[Claimed, ...], depth: int) -> Iterator[Any]:
        """t f(a) + (1 − t) f(b) ≥ f(m) at m = ta + (1 − t)b, from the tangents at m to a and to b."""
        assert self.claim.chord is not None
        f, names, a, b, t = self.claim.chord
        middle = [t * u + (1 - t) * v for u, v in zip(a, b, strict=True)]
        wraps, parts, known = [], [], given
        for end, weight in ((a, t), (b, 1 - t)):
            moved = f.xreplace(dict(zip(names, end, strict=True)))
            built = self.tangent(moved, list(end), middle, known, depth, mixed=(a, b, t))
            if built is None:
                return
            wrap, bent = built
            place = {x.name: read(m) for x, m in zip(end, middle, strict=True)}
            term = read(moved)
            parts.append(("*", read(weight), above_tangent(term, place)[0]))
            wraps.append((wrap, ("tangent", term, tuple(place), tuple(place.values()), False, bent)))
        proof: Any = ("by", ONE, ("+", *parts))
        for wrap, head in reversed(wraps):
            proof = wrap((*head, proof))
        yield proof

    def tangent(
        self,
        f: sp.Expr,
        names: list,
        at: list,
        given: tuple[Claimed, ...],
        depth: int,
        mixed: Any = None,
        strict: bool = False,
    ) -> Any:
        """(wrap, proof of the bend): `wrap` proves that `at`, a mixture of two points perhaps, lies in the set."""
        place = dict(zip(names, at, strict=True))
        slopes = [sp.diff(f, x) for x in names]
        if (
            any(e.has(sp.Derivative, sp.Subs) or _switch(e) is not None for e in (f, *slopes))
            or f.count_ops() > LARGEST
        ):
            return None
        known, wraps = list(given), []
        about = [r for r in given if r.expr.free_symbols & set(names)]
        for r in about:
            start = Claimed(r.expr.xreplace(place), r.op)
            if start.expr.is_number or start in known:
                continue
            if mixed is None:
                proof = self.first(start, tuple(known), depth - 2, original=start)
            else:
                a, b, weight = mixed
                ends = [r.expr.xreplace(dict(zip(names, end, strict=True))) for end in (a, b)]
                proof = (
                    "by",
                    ONE,
                    ("+", *(("*", read(w), read(e)) for w, e in zip((weight, 1 - weight), ends, strict=True))),
                )
                proof = proof if self.accepts(start, tuple(known), proof) else None
            if proof is None:
                return None
            wraps.append((start, proof))
            known.append(start)
        (t,) = fresh(["t"], [*self.symbols])
        swap = {x: a + t * (x - a) for x, a in place.items()}
        inside, steps = [*known, Claimed(t, ">="), Claimed(1 - t, ">=")], []
        for r in about:
            start = r.expr.xreplace(place)
            between = sp.Add(sp.Mul(1 - t, start, evaluate=False), sp.Mul(t, r.expr, evaluate=False), evaluate=False)
            for op in dict.fromkeys((r.op, ">=")):
                fact = Claimed(r.expr.xreplace(swap), op)
                proofs: list = [("by", ONE, read(between))]
                if op == ">":  # at t = 0 and t = 1 it is an end's value; in between a sum with a positive part
                    proofs.append(("cases", t.name, proofs[0], proofs[0], proofs[0]))
                accepted = next((p for p in proofs if self.accepts(fact, tuple(inside), p)), None)
                if accepted is not None:
                    steps.append((fact, accepted))
                    inside.append(fact)
                    break
        second = sp.diff(f.xreplace(swap), t, 2)
        bend, original = (Claimed(e, ">" if strict else ">=") for e in (sp.factor(second), second))
        bent = self.first(bend, tuple(inside), depth - 1, original=original)
        if bent is None:
            return None
        for fact, proof in reversed(steps):
            bent = ("have", (_OPS[fact.op], read(fact.expr)), proof, bent)

        def wrap(rest: Any) -> Any:
            for fact, proof in reversed(wraps):
                rest = ("have", (_OPS[fact.op], read(fact.expr)), proof, rest)
            return rest

        return wrap, bent

    def tangents(self, expr: sp.Expr) -> Iterator[tuple[sp.Expr, list, list]]:
        """θ at τ: the gap itself; θ at T(s): J_s."""
        by_name = {x.name: x for x in self.symbols}
        if self.claim.function is not None:
            f, names, at = self.claim.function
            yield f, list(names), list(at)
            return
        pairs = [(x, by_name[x.name.replace("theta", "tau")]) for x in self.symbols
                 if "theta" in x.name and x.name.replace("theta", "tau") in by_name]  # fmt: skip
        if pairs:
            yield expr, [x for x, _ in pairs], [a for _, a in pairs]


def _fraction(expr: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    top, bottom = sp.fraction(sp.together(expr))
    return top, bottom


def _rewritten(top: sp.Expr, bottom: sp.Expr, symbols: Sequence[sp.Symbol]) -> Iterator[tuple[sp.Expr, sp.Expr]]:
    """(c, e) with c · top · bottom = e, e with a completed square in one variable."""
    whole = sp.expand(top * bottom)
    for x in symbols:
        if not whole.is_polynomial(x):
            continue
        poly = sp.Poly(whole, x)
        if poly.degree() != 2:
            continue
        a, b, c = poly.all_coeffs()
        a, rest = sp.factor(a), sp.factor(4 * a * c - b**2)
        square = sp.Pow(2 * a * x + b, 2, evaluate=False)
        yield 4 * a, sp.Add(square, rest, evaluate=False)


def _switch(expr: sp.Basic) -> sp.Expr | None:
    """The innermost first term on whose sign a piece of the expression depends."""
    for node in sp.postorder_traversal(expr):
        if isinstance(node, sp.Abs | sp.sign):
            return node.args[0]
        if isinstance(node, sp.Max | sp.Min):
            return node.args[0] - node.args[1]
        if isinstance(node, sp.Rel) and not isinstance(node, sp.Eq | sp.Ne):
            return node.lhs - node.rhs
    return None


def _resolved(expr: sp.Expr, term: sp.Expr, sign: int) -> sp.Expr:
    """The expression where `term` has this sign."""
    swaps: dict[Any, Any] = {}
    for node in sp.preorder_traversal(expr):
        n: Any = node
        if isinstance(n, sp.Abs) and n.args[0] == term:
            swaps[n] = sign * term
        elif isinstance(n, sp.sign) and n.args[0] == term:
            swaps[n] = sp.Integer(sign)
        elif isinstance(n, sp.Max | sp.Min) and n.args[0] - n.args[1] == term:
            best = n.args[0] if (sign >= 0) == isinstance(n, sp.Max) else n.args[1]
            swaps[n] = n.func(best, *n.args[2:])
        elif isinstance(n, sp.Rel) and n.lhs - n.rhs == term:
            truth = {sp.Gt: sign > 0, sp.Ge: sign >= 0, sp.Lt: sign < 0, sp.Le: sign <= 0}
            truth |= {sp.Eq: sign == 0, sp.Ne: sign != 0}
            swaps[n] = sp.sympify(next(v for k, v in truth.items() if isinstance(n, k)))
    return expr.xreplace(swaps)
