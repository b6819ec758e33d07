"""One certificate as one Coq lemma with its proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import nonnegative
from fedmm_edu.proofs.coq.prelude import MAX_ATOMS, quadratic_form
from fedmm_edu.proofs.coq.roots import root_terms
from fedmm_edu.proofs.coq.terms import CoqNames, atoms_of, declared_sign, symbols_of, term
from fedmm_edu.proofs.gram import Vector
from fedmm_edu.proofs.recording import Certificate, Hypothesis


@dataclass(frozen=True)
class Lemma:
    """A lemma of the export: `conditions` maps each condition in Coq to a comment, `links` names the lemmas it uses."""

    name: str
    certificate: Certificate
    vectors: tuple[str, ...]
    numbers: tuple[str, ...]
    conditions: Mapping[str, str]
    links: tuple[str, ...]
    conclusion: str
    tactic: str

    @property
    def text(self) -> str:
        """The lemma with its proof."""
        says = comment(self.certificate.says)
        return (f"{says}\n" if says else "") + f"{self.statement()}\nProof.\n  {self.tactic}.\nQed.\n"

    def statement(self, without: str = "") -> str:
        """`Lemma name : conditions → conclusion.`, less the condition `without`."""
        binders = [f"(Space : space) ({' '.join(self.vectors)} : vec Space)"] if self.vectors else []
        binders += [f"({' '.join(self.numbers)} : R)"] if self.numbers else []
        head = f"Lemma {self.name} :" + (f" forall {' '.join(binders)}," if binders else "")
        kept = {text: comment(why) for text, why in self.conditions.items() if text != without}
        lines = [f"  {why} {text} ->" if why else f"  {text} ->" for text, why in kept.items()]
        return "\n".join([head, *lines, f"  {self.conclusion}."])

    @property
    def applied(self) -> str:
        """The lemma at its own variables; what remains to show are its conditions."""
        return f"({' '.join((self.name, *(('Space',) if self.vectors else ()), *self.vectors, *self.numbers))})"


Proofs = Callable[[sp.Expr], Sequence[Lemma]]
"""The earlier lemmas whose conclusions add up to expr ≥ 0, if there are any."""


class Writer:
    """The text of one lemma, collected part by part."""

    def __init__(self, name: str, certificate: Certificate, names: CoqNames, proofs_of: Proofs) -> None:
        self.name, self.certificate, self.names, self.proofs_of = name, certificate, names, proofs_of
        self.conditions: dict[str, str] = {}
        self.facts: list[str] = []
        self.links: list[Lemma] = []

    def lemma(self) -> Lemma:
        c = self.certificate
        scalars = [part for weight, base in c.squares for part in (weight, *self._coefficients(base))]
        exprs = [c.target, *(e for u in c.used for e in (u.hypothesis.expr, u.multiplier)), *scalars]
        exprs = [sp.sympify(e) for e in exprs]
        self._declare(exprs)
        terms, signs = [], []
        for used in c.used:
            self._term_of(used.hypothesis, used.multiplier, terms, signs)
        for weight, base in c.squares:
            self._square(weight, base, terms, signs)
        for quotient, radicand in root_terms(c, exprs):
            self._root(quotient, radicand, terms, signs)
        vectors, numbers = self._variables(exprs)
        conclusion = f"{self._t(c.target)} = 0" if c.equality else f"0 <= {self._t(c.target)}"
        tactic = self._tactic(" + ".join(terms) or "0", signs)
        links = tuple(lemma.name for lemma in self.links)
        return Lemma(self.name, c, vectors, numbers, self.conditions, links, conclusion, tactic)

    def _declare(self, exprs: Sequence[sp.Expr]) -> None:
        """The signs of the symbols, and that the divisors of the statement do not vanish where no sign says so."""
        for symbol in symbols_of(exprs):
            declared = declared_sign(symbol) if atoms_of(symbol) is None else None
            if declared is not None:
                self.conditions[" ".join([*declared[:1], self.names.of(symbol), *declared[1:]]).strip()] = ""
        for divisor in sorted({d for e in exprs for d in _divisors(e)}, key=sp.default_sort_key):
            if divisor.is_nonzero is not True:
                self.conditions[f"{self._t(divisor)} <> 0"] = "where the statement is defined"

    def _term_of(self, hypothesis: Hypothesis, multiplier: sp.Expr, terms: list[str], signs: list[str]) -> None:
        """m·E and its sign. E is a condition, or a fact that Coq has from elsewhere."""
        expr = sp.sympify(hypothesis.expr)
        assumed = condition(hypothesis, self.names)
        terms.append(f"{self._t(multiplier)} * {self._t(expr)}")
        if hypothesis.equality:
            self.conditions[assumed] = hypothesis.why
            signs.append(f"apply {self._zero()}; assumption")
            return
        proof = self._derived(expr)
        if proof:
            self.facts.append(f"assert ({assumed}) by ({proof})")
        else:
            self.conditions[assumed] = hypothesis.why
        signs.append("apply Rmult_le_pos; [nonnegative | assumption]")

    def _derived(self, expr: sp.Expr) -> str:
        """The Coq tactic that proves expr ≥ 0 from what is there already, or "" if it is to be assumed."""
        if nonnegative(expr):
            return "nonnegative"
        found = self.proofs_of(expr)
        if found:
            for lemma in found:
                self.conditions |= lemma.conditions
            self.links += found
            total = " + ".join(self._t(lemma.certificate.target) for lemma in found)
            each = "; [" + " | ".join(f"apply {lemma.applied}; assumption" for lemma in found) + "]"
            split = f"apply Rplus_le_le_0_compat{each}" if len(found) == 2 else f"apply {found[0].applied}; assumption"
            return f"apply (as_sum_ge _ ({total})); [field; nonzero | {split}]"
        given = [sp.sympify(h.expr) for h in self.certificate.given.values() if not h.equality]
        for one, two in combinations_with_replacement(given, 2):
            if one * two == expr and expr not in (one, two):
                for factor in (one, two):
                    self.conditions.setdefault(f"0 <= {self._t(factor)}", "a factor of a product")
                product = f"{self._t(one)} * {self._t(two)}"
                return f"apply (as_sum_ge _ ({product})); [field; nonzero | apply Rmult_le_pos; assumption]"
        return ""

    def _square(self, weight: sp.Expr, base: Vector | sp.Expr, terms: list[str], signs: list[str]) -> None:
        """c·b²: of a number, or of a vector through the prelude's lemma on its Gram form."""
        if not isinstance(base, Vector):
            terms.append(f"{self._t(weight)} * {self._t(base)} ^ 2")
            signs.append("apply Rmult_le_pos; [nonnegative | apply pow2_ge_0]")
            return
        parts = sorted((a, c) for a, c in base.coefficients.items() if sp.cancel(c) != 0)
        if not 1 <= len(parts) <= MAX_ATOMS:
            raise InvalidInput(f"{self.name}: a square of {len(parts)} vectors; the prelude has 1 to {MAX_ATOMS}.")
        scalars, vectors = [self._t(c) for _, c in parts], [self.names.of(a) for a, _ in parts]
        terms.append(f"{self._t(weight)} * ({quadratic_form(scalars, vectors)})")
        signs.append(f"apply Rmult_le_pos; [nonnegative | apply (square_{len(parts)} Space)]")

    def _root(self, quotient: sp.Expr, radicand: sp.Expr, terms: list[str], signs: list[str]) -> None:
        """q·((√t)² − t), which is zero."""
        root = f"(sqrt {self._t(radicand)}) ^ 2 - {self._t(radicand)}"
        self.facts.append(f"assert ({root} = 0) by (apply Rminus_diag_eq, pow2_sqrt; nonnegative)")
        terms.append(f"{self._t(quotient)} * ({root})")
        signs.append(f"apply {self._zero()}; assumption")

    def _zero(self) -> str:
        return "times_zero" if self.certificate.equality else "times_zero_ge"

    def _tactic(self, total: str, signs: Sequence[str]) -> str:
        """One tactic that proves the lemma: the facts, the identity, then the sign of each term."""
        equality = self.certificate.equality
        shape, split = ("as_sum_eq", "plus_zero") if equality else ("as_sum_ge", "Rplus_le_le_0_compat")
        each = f"(repeat apply {split});\n    [ " + "\n    | ".join(signs) + " ]"
        rest = each if signs else ("reflexivity" if equality else "apply Rle_refl")
        return ";\n  ".join(["intros", *self.facts, f"apply ({shape} _ ({total}));\n  [field; nonzero | {rest}]"])

    def _variables(self, exprs: Sequence[sp.Expr]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The vectors and the numbers that the lemma is about, those of the lemmas it uses included."""
        vectors, numbers = [], []
        for symbol in symbols_of(exprs):
            pair = atoms_of(symbol)
            numbers += [self.names.of(symbol)] if pair is None else []
            vectors += [self.names.of(a) for a in pair] if pair is not None else []
        for _, base in self.certificate.squares:
            vectors += [self.names.of(a) for a in base.coefficients] if isinstance(base, Vector) else []
        for lemma in self.links:
            vectors, numbers = [*vectors, *lemma.vectors], [*numbers, *lemma.numbers]
        return tuple(sorted(set(vectors))), tuple(sorted(set(numbers)))

    def _t(self, expr: sp.Expr | int) -> str:
        return term(sp.sympify(expr), self.names)

    @staticmethod
    def _coefficients(base: Vector | sp.Expr) -> list[sp.Expr]:
        return list(base.coefficients.values()) if isinstance(base, Vector) else [base]


def condition(hypothesis: Hypothesis, names: CoqNames) -> str:
    """E = 0 or 0 <= E."""
    written = term(sp.sympify(hypothesis.expr), names)
    return f"{written} = 0" if hypothesis.equality else f"0 <= {written}"


def _divisors(expr: sp.Expr) -> set[sp.Expr]:
    """What the expression divides by."""
    return {power.base for power in expr.atoms(sp.Pow) if power.exp.is_negative}


def comment(text: str) -> str:
    """`text` as a Coq comment, with nothing in it that Coq would read; "" for nothing to say."""
    safe = " ".join(text.replace("(*", "( *").replace("*)", "* )").replace('"', "'").split())
    return f"(* {safe} *)" if safe else ""
