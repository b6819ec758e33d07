"""Falsified certificates, each of which Coq must refuse: a second kernel that accepts everything confirms nothing.

A mutant is a lemma with the proof that the exporter writes for it, so it fails only because it is false (or unproved):
the unchanged certificate, written by the same code, passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import sympy as sp

from fedmm_edu.proofs.certificate import nonnegative
from fedmm_edu.proofs.coq.export import Export, Lemma, header
from fedmm_edu.proofs.gram import Vector, square
from fedmm_edu.proofs.recording import Certificate, Hypothesis, Used

CONTROL = "unchanged"
BETTER, DROPPED, FLIPPED, NEGATIVE = "better constant", "hypothesis dropped", "hypothesis reversed", "negative square"
ACCEPTED, REFUSED = "accepted", "refused"


def mutants(certificate: Certificate) -> Iterator[tuple[str, Certificate, Used | None]]:
    """Each mutant of the certificate: its kind, the false certificate, and the hypothesis that its lemma leaves out.

    BETTER claims target ≥ 1/7 by the same sum; DROPPED uses E_i without having it; FLIPPED has −E_i and takes −m_i, and
    NEGATIVE takes −c_j with the target lowered to fit: their identities hold, only a sign is wrong. (Where E_i ≥ 0 is
    plain, −E_i would contradict the declared signs, so there is no such mutant.)
    """
    yield BETTER, replace(certificate, target=certificate.target - sp.Rational(1, 7)), None
    for k, used in enumerate(certificate.used):
        yield DROPPED, certificate, used
        if not used.hypothesis.equality and not nonnegative(sp.sympify(used.hypothesis.expr)):
            other = Hypothesis(-used.hypothesis.expr, used.hypothesis.why)
            flipped = Used(used.name, other, -used.multiplier)
            rest = (*certificate.used[:k], flipped, *certificate.used[k + 1 :])
            yield FLIPPED, replace(certificate, used=rest), None
    for k, (weight, base) in enumerate(certificate.squares):
        value = square(base) if isinstance(base, Vector) else base**2
        squares = (*certificate.squares[:k], (-weight, base), *certificate.squares[k + 1 :])
        yield NEGATIVE, replace(certificate, target=certificate.target - 2 * weight * value, squares=squares), None


def mutant_file(lemmas: Sequence[Lemma]) -> tuple[str, list[tuple[str, str]]]:
    """A Coq file that tries each lemma unchanged and each of its mutants; the (lemma, what is tried), in order.

    For the k-th of them Coq prints "accepted k" or "refused k".
    """
    export, texts, tried = Export(), [], []
    for lemma in lemmas:
        for kind, certificate, left_out in ((CONTROL, lemma.certificate, None), *mutants(lemma.certificate)):
            written = export.write(f"tried_{len(tried)}", certificate)
            dropped = "" if left_out is None else export.condition(left_out.hypothesis)
            if left_out is not None and dropped not in written.conditions:
                continue  # it is not assumed in the first place: Coq has it from elsewhere
            says = f'then idtac "{ACCEPTED} {len(tried)}" else idtac "{REFUSED} {len(tried)}"'
            texts.append(f"{written.statement(dropped)}\nProof.\n  tryif solve [{written.tactic}] {says}.\nAbort.\n")
            tried.append((lemma.name, kind + (f" ({left_out.name})" if left_out is not None else "")))
    return header() + "\n".join(texts), tried
