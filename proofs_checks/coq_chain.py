"""Propositions 2 to 4 and Theorem 1 (B) as Coq theorems that put the certificates together.

The files in `coq/` are written by hand: means over outcomes, sums over agents and rounds, the limit in Lemma 3 and the
choice of β are in them; every inequality between is a lemma of the export. What each assumes is in its first comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.coq_lemma import Lemma

FOLDER = Path(__file__).parent / "coq"
FILES = ("Means", "Proposition2", "Propositions34", "Theorem1")
MUTANTS = (
    ("Proposition2", "better constant", "gamma / 4", "gamma / 2"),
    ("Proposition2", "hypothesis dropped: S convex", "Hypothesis convex :", "Definition convex_is_not_assumed :="),
    ("Proposition2", "sign flipped: A7(ii)", "v_min * dot ds ds <= bdot", "v_min * dot ds ds >= bdot"),
    ("Propositions34", "better constant", "(1 + omega_p) * v_max * spread", "omega_p * v_max * spread"),
    ("Propositions34", "hypothesis dropped: agents", "Hypothesis uncorrelated :", "Definition agents_may_be_one :="),
    ("Propositions34", "sign flipped: A3", "<= sigma i ^ 2", ">= sigma i ^ 2"),
    ("Theorem1", "better constant", "64 * omega", "32 * omega"),
    ("Theorem1", "hypothesis dropped: W bounded", "Hypothesis bounded :", "Definition no_bound :="),
    ("Theorem1", "sign flipped: steps grow", "gamma (S t) <= gamma t)", "gamma (S t) >= gamma t)"),
)
"""File, what is falsified, and the text that is replaced wherever it occurs: Coq must refuse each of the files."""
USE = re.compile(r"eapply (\w+) with (.*?)\]", flags=re.DOTALL)


def chain_files(lemmas: Iterable[Lemma]) -> dict[str, str]:
    """The files by module name, in the order of compilation; {} where the export lacks a lemma that they use."""
    known = {lemma.name: lemma for lemma in lemmas}
    texts = {name: (FOLDER / f"{name}.v").read_text(encoding="utf-8") for name in FILES}
    if any(match[1] not in known for text in texts.values() for match in USE.finditer(text) if _exported(match[1])):
        return {}
    return {name: USE.sub(lambda match: _with_names(match, known), text) for name, text in texts.items()}


def mutant_files(texts: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Each falsified file by module name: what is falsified, and the text; `InvalidInput` if nothing would change."""
    found = {}
    for k, (name, what, old, new) in enumerate(MUTANTS):
        if old not in texts[name]:
            raise InvalidInput(f"{name}.v has no {old!r}, so that the mutant {what!r} is none: correct MUTANTS.")
        found[f"Falsified{k}"] = (f"{name}: {what}", texts[name].replace(old, new))
    return found


def _exported(name: str) -> bool:
    """Whether this is the name of a certificate (they end with a number), not of a lemma of these files."""
    return name[-1].isdigit()


def _with_names(match: re.Match[str], known: Mapping[str, Lemma]) -> str:
    """The use of a lemma with its variables as this export names them: "alpha" may be "alpha_4" there."""
    if not _exported(match[1]):
        return match[0]
    variables = (*known[match[1]].vectors, *known[match[1]].numbers)

    def named(found: re.Match[str]) -> str:
        name = found[1]
        exact = [v for v in variables if v == name] or [v for v in variables if re.fullmatch(rf"{name}_\d+", v)]
        if len(exact) != 1:
            raise InvalidInput(f"{match[1]} has {len(exact)} variables {name!r}, of {variables}: correct coq/*.v.")
        return f"({exact[0]} :="

    return re.sub(r"\(([\w']+)\s+:=", named, match[0])
