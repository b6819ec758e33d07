"""Rows of Appendix D as Coq theorems: identities between vectors, Propositions 2 to 4, Theorem 1 (B).

The files in `coq/` are written by hand: means over outcomes, sums over agents and rounds, the limit in Lemma 3 and the
choice of β are in them; every inequality between is a lemma of the export. What each assumes is in its first comment.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.coq.lemma import Lemma

FOLDER = Path(__file__).parent
MEANS = "Means"
THEOREMS = {
    "Identities": {
        "lem1-unbiased": ("lemma_1_mean",),
        "alg-equivalence": ("full_participation",),
        "filtration": ("filtration", "condexp_Q"),
        "prop3-unbiased": ("direction_unbiased",),
        "prop5": ("proposition_5",),
    },
    "Proposition2": {"prop2": ("proposition_2",)},
    "Propositions34": {"prop3": ("proposition_3",), "prop4": ("proposition_4",)},
    "Theorem1": {"thm1-B-beta": ("beta_choice",), "thm1-B": ("theorem_1_B",)},
}
"""The theorems that state a row, by file and row; all but the first file use lemmas of the export."""
FILES = (MEANS, *THEOREMS)
CONSTANT, DROPPED, SIGN = "another constant", "hypothesis dropped", "sign flipped"
MUTANTS = (
    ("Identities", CONSTANT, "Lemma 1 without 1/p", "scal (U (fst w) / p)", "scal (U (fst w))"),
    ("Identities", DROPPED, "Lemma 1, A4", "is_mean EQ Q s ->", "True ->"),
    ("Identities", SIGN, "Lemma 1", "scal (U (fst w) / p)", "scal (- U (fst w) / p)"),
    ("Identities", CONSTANT, "other form without 1/p", "scal (U / p) message", "scal U message"),
    ("Identities", DROPPED, "U is 0 or 1", "then 1 else 0 in", "then 1 else 2 in"),
    ("Identities", SIGN, "other form", "scal (U / p) message", "scal (- U / p) message"),
    ("Identities", CONSTANT, "a smaller field", "knows (F_2_3 i) (V_next i)", "knows (F_1_3 i) (V_next i)"),
    ("Identities", CONSTANT, "given less than Delta", "(exists f, forall a, Delta a = f (field a)) ->",
     "(exists f : G -> vec Space, forall a, dot (Delta a) (f (field a)) = 0) ->"),
    ("Identities", DROPPED, "condexp:Q, Lemma 1", "(forall v, is_mean EB (fun b => Qt b v) v) ->", "True ->"),
    ("Identities", SIGN, "condexp:Q", "(fun w => Qt (snd w) (Delta (fst w)))",
     "(fun w => scal (-1) (Qt (snd w) (Delta (fst w))))"),
    ("Identities", CONSTANT, "half of V", "(fun w => add V_server (vsum", "(fun w => add (scal (/ 2) V_server) (vsum"),
    ("Identities", DROPPED, "A3", "(forall i, is_mean EA (oracle i) (add Shat (h i))) ->", "True ->"),
    ("Identities", SIGN, "V subtracted", "(fun w => add V_server (vsum", "(fun w => add (scal (-1) V_server) (vsum"),
    ("Identities", CONSTANT, "half of alpha", "(V_server t) (scal alpha", "(V_server t) (scal (alpha / 2)"),
    ("Identities", DROPPED, "V_0", "same (V_server 0%nat) (vsum (fun i => scal (mu i) (V 0%nat i)) n) ->", "True ->"),
    ("Identities", SIGN, "minus alpha", "(V_server t) (scal alpha", "(V_server t) (scal (- alpha)"),
    ("Proposition2", CONSTANT, "twice the decrease", "gamma / 4", "gamma / 2"),
    ("Proposition2", DROPPED, "S convex", "Hypothesis convex :", "Definition convex_is_not_assumed :="),
    ("Proposition2", SIGN, "A7(ii)", "v_min * dot ds ds <= bdot", "v_min * dot ds ds >= bdot"),
    ("Propositions34", CONSTANT, "omega_p for 1 + omega_p", "(1 + omega_p) * v_max * spread",
     "omega_p * v_max * spread"),
    ("Propositions34", DROPPED, "agents", "Hypothesis uncorrelated :", "Definition agents_may_be_one :="),
    ("Propositions34", SIGN, "A3", "<= sigma i ^ 2", ">= sigma i ^ 2"),
    ("Theorem1", CONSTANT, "32 for 64", "64 * omega", "32 * omega"),
    ("Theorem1", CONSTANT, "beta <= 15/8", "b <= 1 /\\ (1 + b)", "b <= 7 / 8 /\\ (1 + b)"),
    ("Theorem1", DROPPED, "W bounded", "Hypothesis bounded :", "Definition no_bound :="),
    ("Theorem1", DROPPED, "alpha < 1", "0 < alpha < 1 -> exists b", "0 < alpha < 3 -> exists b"),
    ("Theorem1", SIGN, "steps grow", "gamma (S t) <= gamma t)", "gamma (S t) >= gamma t)"),
)  # fmt: skip
"""File, kind, what is falsified, and the text that is replaced wherever it occurs: Coq must refuse each of the files.

Of identities no constant is better: any other is wrong. For a field, a smaller one is better.
"""
USE = re.compile(r"eapply (\w+) with (.*?)\]", flags=re.DOTALL)


def chain_files(lemmas: Iterable[Lemma], rows: Collection[str]) -> dict[str, str]:
    """The files that state one of these rows and use no other lemmas, by module name in the order of compilation."""
    known = {lemma.name: lemma for lemma in lemmas}
    texts = {name: (FOLDER / f"{name}.v").read_text(encoding="utf-8") for name in FILES}
    chosen = [
        name
        for name, stated in THEOREMS.items()
        if not stated.keys().isdisjoint(rows)
        and all(match[1] in known for match in USE.finditer(texts[name]) if _exported(match[1]))
    ]
    needed = (MEANS, *chosen) if chosen else ()
    return {name: USE.sub(lambda match: _with_names(match, known), texts[name]) for name in needed}


def stated_rows(files: Collection[str]) -> dict[str, str]:
    """The rows that theorems in these files state, with the name of the file."""
    return {row: name for name, stated in THEOREMS.items() if name in files for row in stated}


def mutant_files(texts: Mapping[str, str]) -> dict[str, tuple[str, str, str]]:
    """The falsified versions of these files by module name: the true file, what is falsified, and the text.

    `InvalidInput` if nothing would change.
    """
    found = {}
    for k, (name, kind, what, old, new) in enumerate(MUTANTS):
        if name not in texts:
            continue
        if old not in texts[name]:
            raise InvalidInput(f"{name}.v has no {old!r}, so that the mutant {what!r} is none: correct MUTANTS.")
        found[f"Falsified{k}"] = (name, f"{kind}: {what}", texts[name].replace(old, new))
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
