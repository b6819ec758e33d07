"""Rows of Appendix D as Coq theorems: identities between vectors, Propositions 2 to 4, Theorem 1 from Algorithm 2.

The files in `coq/` are written by hand: laws, means over outcomes, Algorithm 2, sums over agents and rounds, limits and
the choice of β are in them; every inequality between is a lemma of the export. What each assumes is in its first
comment. `falsified` has the versions of them that Coq must refuse.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.coq.lemma import Lemma

FOLDER = Path(__file__).parent
THEOREMS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Means": {},
    "Identities": {
        "lem1-unbiased": ("lemma_1_mean",),
        "alg-equivalence": ("full_participation",),
        "filtration": ("filtration", "condexp_Q"),
        "prop3-unbiased": ("direction_unbiased",),
        "prop5": ("proposition_5",),
    },
    "Proposition2": {"prop2": ("proposition_2",)},
    "Propositions34": {"prop3": ("proposition_3",), "prop4": ("proposition_4",)},
    "Theorem1": {"thm1-B-beta": ("beta_choice",)},
    "Laws": {},
    "Algorithm": {},
    "Geometry": {},
    "Draws": {},
    "Round": {},
    "FromAlgorithm": {
        "thm1-A": ("theorem_1_A",),
        "thm1-B": ("theorem_1_B",),
        "own-thm1-B-sharper": ("theorem_1_B",),
        "cor1": ("corollary_1",),
    },
    "Convex": {},
    "Accelerated": {
        "own-accelerated": ("accelerated_round", "accelerated", "accelerated_rate"),
        "own-accelerated-restart": ("restart", "restarts"),
        "own-accelerated-message": (
            "message_round",
            "accelerated_message",
            "accelerated_message_rate",
            "compressed_message",
        ),
    },
    "LocalSteps": {},
    "Sampling": {},
    "ProxSkip": {"own-proxskip": ("proxskip_round", "proxskip")},
    "Scaffold": {"own-scaffold-rate": ("scaffold_round", "scaffold")},
    "Inside": {},
    "Instance": {},
    "Singular": {},
    "Gap": {"own-gap-half": ("gap_half",), "own-cocoercive": ("cocoercive",)},
    "Variates": {"own-noise-plain": ("noise_plain",), "own-variates": ("variates",)},
    "ProjectedStep": {"own-projected-step": ("projected_step",)},
    "Nearer": {"own-biased-step": ("kept_move",), "own-moved": ("moved",)},
    "Seminorm": {"own-seminorm": ("seminorm_bound", "descends_A7")},
    "SeminormProjected": {"own-seminorm-projected": ("seminorm_projected",)},
    "Any": {
        "own-any-step": ("any_step",),
        "own-any-A": ("any_A",),
        "own-any": ("any",),
        "own-any-mean": ("any_mean",),
    },
    "Lipschitz": {
        "own-lip-step": ("lip_step",),
        "own-lip-A": ("lip_A",),
        "own-lip": ("lipschitz",),
        "own-lip-mean": ("lipschitz_mean",),
    },
    "Projected": {
        "own-moved-B": ("moved_in_norm",),
        "own-projected-A": ("projected_A",),
        "own-projected": ("projected",),
        "own-projected-mean": ("projected_mean",),
    },
    "Free": {
        "own-free-step": ("free_step",),
        "own-free-A": ("free_A",),
        "own-free": ("free",),
        "own-free-mean": ("free_mean",),
    },
    "BiasedStep": {
        "own-biased-error": ("biased_error",),
        "own-biased-error-noise": ("biased_error_noise",),
        "own-biased-variates": ("biased_variates",),
    },
    "Biased": {
        "own-biased": ("biased", "biased_noise"),
        "own-biased-linear": ("linear_round", "biased_linear", "biased_linear_noise"),
    },
    "Monotone": {"own-biased-monotone": ("monotone_round", "monotone_exact", "monotone_noise")},
    "Linear": {
        "own-diana-client": ("diana_client",),
        "own-diana-rate": ("diana_round", "diana_rate"),
        "own-diana-sharp": ("sharp_round", "diana_sharp"),
    },
    "LinearPL": {"own-pl-projected": ("pl_round", "pl_projected")},
    "AnyPL": {"own-pl": ("any_pl_round", "any_pl")},
    "FreePL": {"own-pl-free": ("free_pl_round", "free_pl")},
}
"""The files in the order of compilation, and of each the rows that it states with their theorems."""
FILES = tuple(THEOREMS)
WHOLE, INSTANCE = "FromAlgorithm", "Instance"
"""The file of Theorem 1, which begins at the algorithm, and the one that satisfies the hypotheses of those that do.

What other files ask besides, they satisfy themselves, by a change of that instance.
"""
FROM_ALGORITHM = (
    WHOLE, "Seminorm", "SeminormProjected", "Any", "Lipschitz", "Projected", "Free", "Biased", "Monotone", "Linear",
    "LinearPL", "AnyPL", "FreePL"
)  # fmt: skip
"""The files whose theorems begin at the algorithm and end at a bound over T rounds."""
BESIDE = {"Lipschitz": "eq46_1"}
"""A lemma that a file does not use, but one that it uses does: where it is exported its premises take one's place."""
OTHERS = ("Accelerated", "ProxSkip", "Scaffold")
"""The same of other algorithms, each defined where it is used; its file ends with an instance of its hypotheses."""
REQUIRED = re.compile(r"^Require Import ([\w ]+)\.$", flags=re.MULTILINE)
USE = re.compile(r"eapply (\w+) with (.*?)\]", flags=re.DOTALL)


def chain_files(lemmas: Iterable[Lemma], rows: Collection[str]) -> dict[str, str]:
    """The files that state one of these rows, with those they rest on, by module name in the order of compilation.

    A file is left out that uses other lemmas than these, or rests on one that does.
    """
    known = {lemma.name: lemma for lemma in lemmas}
    texts = {name: (FOLDER / f"{name}.v").read_text(encoding="utf-8") for name in FILES}
    needed: set[str] = set()
    for name, stated in THEOREMS.items():
        with_those = {name, *rests_on(name, texts)}
        used = {match[1] for other in with_those for match in USE.finditer(texts[other]) if _exported(match[1])}
        used |= {BESIDE[other] for other in with_those if other in BESIDE}
        if not stated.keys().isdisjoint(rows) and used <= known.keys():
            needed |= with_those | ({INSTANCE, *rests_on(INSTANCE, texts)} if name in FROM_ALGORITHM else set())
    return {name: USE.sub(lambda match: _with_names(match, known), texts[name]) for name in FILES if name in needed}


@cache
def requires(text: str) -> tuple[str, ...]:
    """The modules, of this project, that a file imports."""
    return tuple(name for names in REQUIRED.findall(text) for name in names.split())


def rests_on(name: str, texts: Mapping[str, str]) -> set[str]:
    """Those of the files `texts` that this one imports, at first or second hand."""
    found: set[str] = set()
    ahead = [name]
    while ahead:
        new = {other for other in requires(texts[ahead.pop()]) if other in texts} - found
        found |= new
        ahead += new
    return found


def stated_rows(files: Collection[str]) -> dict[str, str]:
    """The rows that theorems in these files state, with the name of the file."""
    return {row: name for name, stated in THEOREMS.items() if name in files for row in stated}


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
