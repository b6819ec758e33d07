"""Certificates as Coq lemmas, so that a second kernel, which shares no code with the first, checks each of them.

A certificate target = Σ m_i E_i + Σ c_j b_j² becomes a lemma over the real numbers and over every inner-product space.
Its conditions are the declared signs of the symbols, that divisors of unknown sign do not vanish (where the statement
is defined at all), and the hypotheses E_i; its proof is the identity (`field`) and the sign of each term. A hypothesis
is not a condition of the lemma where Coq can have it from elsewhere: its sign can be read off, it is a product of two
hypotheses, or it is an earlier lemma of the export or a sum of two, whose conditions then take its place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

import sympy as sp

from fedmm_edu.proofs.coq.lemma import Lemma, Writer, condition
from fedmm_edu.proofs.coq.terms import CoqNames
from fedmm_edu.proofs.identity import is_identity
from fedmm_edu.proofs.recording import Certificate, Hypothesis

PRELUDE = "Prelude"


class Export:
    """The lemmas of one export in order; a later one may use the earlier ones."""

    def __init__(self) -> None:
        self.lemmas: list[Lemma] = []
        self._names = CoqNames()
        self._by_value: dict[sp.Expr, list[Lemma]] = {}

    def write(self, name: str, certificate: Certificate) -> Lemma:
        """The certificate as a lemma that may use the earlier ones; `InvalidInput` for what has no translation."""
        used = tuple(part for part in certificate.used if part.multiplier != 0)
        squares = tuple((weight, base) for weight, base in certificate.squares if weight != 0)
        trimmed = replace(certificate, used=used, squares=squares)
        return Writer(name, trimmed, self._names, self.proofs_of).lemma()

    def add(self, name: str, certificate: Certificate) -> Lemma:
        """`write`, and the lemma is at hand for the later ones."""
        lemma = self.write(name, certificate)
        self.lemmas.append(lemma)
        if not certificate.equality:
            self._by_value.setdefault(value_at_names(certificate.target), []).append(lemma)
        return lemma

    def condition(self, hypothesis: Hypothesis) -> str:
        """The hypothesis as a lemma of this export has it among its conditions."""
        return condition(hypothesis, self._names)

    def proofs_of(self, expr: sp.Expr) -> tuple[Lemma, ...]:
        """One earlier lemma with the conclusion expr ≥ 0, or two whose conclusions add up to it; () if none do."""
        value = value_at_names(expr)
        found = [(lemma,) for lemma in self._by_value.get(value, ())]
        for first, lemmas in self._by_value.items():
            if not found and value != first:
                found = [(one, two) for one in lemmas for two in self._by_value.get(value - first, ())]
        exact = (some for some in found if is_identity(expr - sum(lemma.certificate.target for lemma in some)))
        return next((some for some in exact if not any(self._repeats(lemma, value) for lemma in some)), ())

    @staticmethod
    def _repeats(lemma: Lemma, value: sp.Expr) -> bool:
        """Whether the lemma has this very expression among its own hypotheses: nothing would be gained."""
        return any(value_at_names(used.hypothesis.expr) == value for used in lemma.certificate.used)


def value_at_names(expr: sp.Expr) -> sp.Expr:
    """The value at one rational point that depends on the names alone: equal for equal expressions (never a proof)."""
    return sp.sympify(expr).xreplace({s: _number(s.name) for s in sp.sympify(expr).free_symbols})


def _number(name: str) -> sp.Rational:
    digest = hashlib.sha256(name.encode()).digest()
    return sp.Rational(int.from_bytes(digest[:4], "big") + 2, int.from_bytes(digest[4:8], "big") + 2)


def file_text(lemmas: Sequence[Lemma], imports: Iterable[str]) -> str:
    """A Coq file of these lemmas that ends by listing the axioms on which they rest, all together."""
    body = "\n".join(lemma.text for lemma in lemmas)
    together = f"Definition together := ({', '.join(lemma.name for lemma in lemmas)}).\nPrint Assumptions together.\n"
    return f"{header(imports)}{body}\n{together}"


def header(imports: Iterable[str] = (PRELUDE,)) -> str:
    """What a file begins with."""
    required = "".join(f"Require Import {name}.\n" for name in imports)
    return f"From Coq Require Import Reals Lra.\n{required}Open Scope R_scope.\n\n"
