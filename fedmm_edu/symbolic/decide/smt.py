"""Do real numbers satisfy these relations? One translation from SymPy to SMT-LIB, decided by z3 and by cvc5.

exp(t) becomes a fresh w > 0, log(t) a fresh real number and a root r ≥ 0 with r^k = base: true facts about the
original, so "unsat" carries over. "sat" does not when something was relaxed: its model is then only a hint, which the
caller certifies with `balls` before believing it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.util import find_spec
from itertools import permutations
from typing import Any, Literal

import sympy as sp

from fedmm_edu.errors import FedMMError, MissingExtra, needs
from fedmm_edu.symbolic.decide.algebra import LARGEST_DEGREE, Algebra
from fedmm_edu.symbolic.decide.domain import Domain, Relation
from fedmm_edu.symbolic.decide.second_opinion import Opinion, ask_cvc5
from fedmm_edu.symbolic.functions.faces import Kinked, Smooth
from fedmm_edu.symbolic.functions.table import FUNCTIONS, IRRATIONALS, LANGUAGE

Z3_STEPS = 4_000_000
CVC5_STEPS = 250_000
"""Limits in each solver's own count of resources: an answer depends on the problem alone, not on the machine."""
LAST_RESORT = 60.0
"""Seconds after which a solver that has stopped counting is ended; that is said, never passed off as an answer."""
STOPPED = "cvc5 stopped by the clock"

Satisfiability = Literal["unsat", "sat", "unknown"]
Clause = Sequence[Relation]
"""At least one of these relations holds."""


class Untranslatable(FedMMError):
    """An expression has no counterpart in real arithmetic."""


class StoppedByClock(FedMMError):
    """A solver was ended before it had used its steps, so that nothing is known that another machine would not know."""


@dataclass(frozen=True)
class Answer:
    """`unsat` is a proof; `model` (on `sat`) gives rational values, approximate where the true ones are irrational.

    `solvers` are those that gave this status, with `STOPPED` where cvc5 had to be ended; `script` is the SMT-LIB
    problem, for any other solver; `relaxed` says whether transcendental terms were replaced by something weaker.
    """

    status: Satisfiability
    solvers: tuple[str, ...]
    script: str
    relaxed: bool
    model: tuple[tuple[str, Fraction], ...] = ()


def satisfiable(domain: Domain, clauses: Iterable[Clause], *, second_opinion: bool = True) -> Answer:
    """Whether a point of the domain satisfies every clause; z3 first, then cvc5 on its `unsat`.

    When the two solvers disagree the status is `unknown`. `StoppedByClock` where nothing but a clock ended the search.
    """
    translation = _Translation(domain, [tuple(clause) for clause in clauses])
    status, values = _z3(translation.script)
    names = {variable: name for name, variable in translation.names.items()}
    model = tuple((names[key], value) for key, value in values if key in names)
    solvers: tuple[str, ...] = ("z3",)
    if status != "sat" and second_opinion:
        second = _cvc5(translation.script)
        if second == "stopped" and status == "unknown":
            raise StoppedByClock(f"{STOPPED} before its {CVC5_STEPS} steps were used: try again on a faster machine.")
        if second == "stopped":
            solvers = (f"z3 ({STOPPED})",)
        elif {status, second} == {"unsat", "sat"}:
            status, solvers = "unknown", ("z3", "cvc5")
        elif status == "unknown" and second == "unsat":
            status, solvers = "unsat", ("cvc5",)
        elif status == second:
            solvers = ("z3", "cvc5")
    return Answer(status, solvers, translation.script, translation.relaxed, model)


class _Translation:
    """SMT-LIB text: declarations and assertions in the order in which they are needed."""

    def __init__(self, domain: Domain, clauses: list[Clause]) -> None:
        exprs = [r.expr for r in domain.relations] + [r.expr for clause in clauses for r in clause]
        self.algebra = Algebra(exprs, domain)
        self.names: dict[str, str] = {}
        self.lines: list[str] = ["(set-logic QF_NRA)"]
        self.cache: dict[sp.Basic, str] = {}
        self.norms: list[tuple[str, list[str]]] = []
        self.relaxed = False
        self.count = 0
        for variable in domain.variables:  # declared even where unused, so that a model gives each a value
            self._declare(variable)
        for relation in domain.relations:
            self.lines.append(f"(assert {self._relation(relation)})")
        for clause in clauses:
            parts = [self._relation(relation) for relation in clause]
            self.lines.append(f"(assert {parts[0] if len(parts) == 1 else '(or ' + ' '.join(parts) + ')'})")
        self._cauchy_schwarz()
        self.script = "\n".join([*self.lines, "(check-sat)"])

    def _relation(self, relation: Relation) -> str:
        term = self._term(self.algebra.of(relation.expr))
        return f"(not (= {term} 0.0))" if relation.op == "!=" else f"({relation.op.replace('==', '=')} {term} 0.0)"

    def _declare(self, symbol: sp.Symbol) -> str:
        if symbol in self.cache:
            return self.cache[symbol]
        self.count += 1
        name = f"v{self.count}_{''.join(c for c in symbol.name if c.isascii() and c.isalnum())}"
        self.cache[symbol] = name
        self.lines.append(f"(declare-const {name} Real)")
        if symbol not in self.algebra.meaning:
            self.names[symbol.name] = name
        else:
            self._describe(symbol, name)
        for held, op in ((symbol.is_positive, ">"), (symbol.is_nonnegative, ">="), (symbol.is_negative, "<")):
            if held:
                self.lines.append(f"(assert ({op} {name} 0.0))")
        return name

    def _describe(self, generator: sp.Symbol, name: str) -> None:
        """What is true of a function's value; a root's equation, and Cauchy-Schwarz for the norms of vectors."""
        meaning: Any = self.algebra.meaning[generator]
        entry = FUNCTIONS.get(meaning.func)
        if isinstance(entry, Smooth):
            facts = [Relation(value, op) for value, op in entry.facts(generator, *meaning.args)]
            self.lines += [f"(assert {self._relation(fact)})" for fact in facts]
        elif not (meaning.is_Pow or meaning in IRRATIONALS):
            raise Untranslatable(f"{meaning} has no counterpart in real arithmetic.")
        self.relaxed |= isinstance(entry, Smooth) or generator not in self.algebra.roots
        if generator not in self.algebra.roots:
            return
        degree, base = self.algebra.roots[generator]
        power = self._term(base if base.is_Symbol else self.algebra.of(base))
        self.lines.append(f"(assert (= {_power(name, degree)} {power}))")
        if degree == 2 and (vector := _vector(base)):
            self.norms.append((name, [self._term(self.algebra.of(u)) for u in vector]))

    def _cauchy_schwarz(self) -> None:
        for i, (norm, u) in enumerate(self.norms):
            for other, v in self.norms[:i]:
                if len(u) == len(v) <= 3:
                    for w in permutations(v):
                        product = " ".join(f"(* {a} {b})" for a, b in zip(u, w, strict=True))
                        self.lines.append(f"(assert (>= (* {norm} {other}) (+ {product})))")

    def _term(self, e: sp.Basic) -> str:
        if isinstance(e, sp.Symbol):
            return self._declare(e)
        if isinstance(e, sp.Rational):
            return _number(e)
        if e not in self.cache:
            self.cache[e] = self._compound(e)
        return self.cache[e]

    def _compound(self, e: sp.Basic) -> str:
        if e.is_Add or e.is_Mul:
            return f"({'+' if e.is_Add else '*'} {' '.join(self._term(arg) for arg in e.args)})"
        if isinstance(e, sp.Pow) and isinstance(e.exp, sp.Integer):
            if abs(e.exp) > LARGEST_DEGREE:
                raise Untranslatable(f"a power of {e.exp}: {LARGEST_DEGREE} is the limit.")
            base = self._term(e.base)
            return (
                _power(base, int(e.exp))
                if e.exp > 0
                else self._fresh(lambda y: f"(= (* {y} {_power(base, -int(e.exp))}) 1.0)")
            )
        if isinstance(entry := FUNCTIONS.get(e.func), Kinked):
            return entry.smt(*map(self._term, e.args))
        if isinstance(e, sp.Piecewise):
            return self._piecewise(e)
        raise Untranslatable(f"{e} has no counterpart in real arithmetic: write it with {LANGUAGE}.")

    def _fresh(self, fact) -> str:
        self.count += 1
        name = f"aux{self.count}"
        self.lines += [f"(declare-const {name} Real)", f"(assert {fact(name)})"]
        return name

    def _piecewise(self, e: Any) -> str:
        """A fresh value, equal to the branch that applies; facts about branches hold only where they apply."""
        outside, pieces = self.lines, []
        guards: list[str] = []
        for branch, condition in e.args:
            test = self._condition(condition)
            applies = "(and " + " ".join([*(f"(not {g})" for g in guards), test, "true"]) + ")"
            self.lines, known = [], dict(self.cache)
            value = self._term(branch)
            inside, self.lines = self.lines, outside
            self.cache = known if any(line.startswith("(assert") for line in inside) else self.cache
            for line in inside:
                fact = line.removeprefix("(assert ")[:-1] if line.startswith("(assert") else None
                outside.append(f"(assert (=> {applies} {fact}))" if fact else line)
            pieces.append((applies, value))
            guards.append(test)
        self.count += 1
        name = f"piece{self.count}"
        self.lines.append(f"(declare-const {name} Real)")
        self.lines += [f"(assert (=> {applies} (= {name} {value})))" for applies, value in pieces]
        return name

    def _condition(self, c: sp.Basic) -> str:
        if c in (sp.true, sp.false):
            return str(c).lower()
        if isinstance(c, sp.And | sp.Or | sp.Not):
            return f"({type(c).__name__.lower()} {' '.join(self._condition(arg) for arg in c.args)})"
        if not isinstance(c, sp.Rel):
            raise Untranslatable(f"{c} has no counterpart in real arithmetic: write conditions with relations.")
        ops = {sp.Gt: ">", sp.Ge: ">=", sp.Lt: "<", sp.Le: "<=", sp.Eq: "="}
        left, right = self._term(c.lhs), self._term(c.rhs)
        if isinstance(c, sp.Ne):
            return f"(not (= {left} {right}))"
        return f"({ops[type(c)]} {left} {right})"


def _vector(base: sp.Expr) -> list[sp.Expr] | None:
    """u with base = Σ u_i², where base is written that way."""
    terms = sp.Add.make_args(base)
    squares = [t for t in terms if isinstance(t, sp.Pow) and t.exp.is_Integer and t.exp > 0 and t.exp % 2 == 0]
    return [t.base ** (t.exp / 2) for t in squares] if len(squares) == len(terms) > 1 else None


def _number(value: sp.Rational) -> str:
    text = f"{abs(value.p)}.0" if value.q == 1 else f"(/ {abs(value.p)}.0 {value.q}.0)"
    return text if value >= 0 else f"(- {text})"


def _power(base: str, exponent: int) -> str:
    return base if exponent == 1 else f"(* {' '.join([base] * int(exponent))})"


def require_solver() -> None:
    """`MissingExtra` where z3 is not installed: what it alone may decide is then left open, and says so."""
    with needs("check", "deciding an inequality between polynomials"):
        import z3  # noqa: F401


@lru_cache(maxsize=4096)
def _z3(script: str) -> tuple[Satisfiability, tuple[tuple[str, Fraction], ...]]:
    require_solver()
    import z3

    solver = z3.Solver(ctx=z3.Context())  # a context of its own: no earlier problem has a say in this one
    solver.set("rlimit", Z3_STEPS)
    solver.set("timeout", round(1000 * LAST_RESORT))
    solver.from_string(script)
    found = solver.check()
    if found == z3.unknown and solver.reason_unknown() in ("timeout", "canceled"):
        raise StoppedByClock(f"z3 was ended after {LAST_RESORT:g} s, before its {Z3_STEPS} steps were used.")
    if found != z3.sat:
        return "unsat" if found == z3.unsat else "unknown", ()
    model = solver.model()
    values = []
    for declaration in model.decls():
        value: Any = model[declaration]
        if z3.is_algebraic_value(value):
            value = value.approx(20)
        if z3.is_rational_value(value):
            values.append((declaration.name(), Fraction(value.numerator_as_long(), value.denominator_as_long())))
    return "sat", tuple(values)


@lru_cache(maxsize=4096)
def _cvc5(script: str) -> Opinion:
    """The answer, or "stopped" where a clock ended it."""
    if find_spec("cvc5") is None:
        raise MissingExtra("a second opinion needs cvc5, which is not installed: pip install 'fedmm-edu[check]'.")
    return ask_cvc5(script, steps=CVC5_STEPS, seconds=LAST_RESORT)
