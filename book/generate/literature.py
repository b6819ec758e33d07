"""The page of the literature's surrogates, from the record that `python -m tests.literature` keeps."""

from __future__ import annotations

from book.generate.text import myst, table
from fedmm_edu.commands.theorem_missing import HYPOTHESES
from tests.hunts.surrogates import hunted
from tests.literature.answers import LEAST, LIMIT, Answer
from tests.literature.answers import read as answers
from tests.literature.record import Found, conclusion, read, summary

LEAD = """\
# Surrogates of the literature

What `fedmm check` says of {count} surrogates, right ones and ones with a plausible mistake. {says}

*Proved* means every row of MM-1 and MM-2. The seconds are processor time of one core, solvers included. The models are
data, in `tests/literature`; `python -m tests.literature` judges them again and renews this table.
"""

HUNTS = """
## Random ones

Beside these, {models:,} random right surrogates, each with one that is broken in a coefficient, branch, exponent, sign,
order or domain, were judged in {hours:.1f} hours of one processor: {mistakes}. They are quadratic bounds, EM of finite
mixtures, concave functions of a square, differences of convex functions and exponential families, of one coordinate
or of two. A mistake is a right row refuted, a broken one called proved or supported, or a witness at which nothing
fails by another computation, with 60 digits.
`make hunt` judges others, `make hunt ARGS="--models 10000 --seed 31 --record"` goes on with these.

"""

THEOREMS = """\
## Which theorem bounds a run?

What `fedmm theorem --constants own` says of each of the {count} right ones that have constants, with three clients of
two small samples each, full batches and messages in full: for {applies} a theorem applies and every hypothesis of it is
proved; for {missing} it says which hypothesis of {{row}}`own-lip`, which asks least, is missing, and why; {late} had no
answer within {limit} s of processor time, or before the clock stopped a solver. Each was asked on its own 𝒮 and then,
where nothing applied, on a box: [1/8, 4] for a coordinate that 𝒮 keeps positive, else [−4, 4]. No box was chosen for a
surrogate: where 𝒮 is open or has no end, the next thing to try is one that holds $\\bar S$ of your samples.
`python -m tests.literature.answers` asks them again.

"""
WITHOUT = """\

### What happens without a hypothesis

For each one that is missing somewhere above there is an instance that has all the others, and in which the inequality
of the row fails: an exact round or, where the row says so, numbers that satisfy all other lines of its proof. It is the
witness of a mutant: `fedmm verify ROW --mutants` computes it.

"""


def literature_page() -> str:
    """One section for the right surrogates and one for the wrong ones."""
    found = read()
    right = {name: entry for name, entry in found.items() if not entry.breaks}
    wrong = {name: entry for name, entry in found.items() if entry.breaks}
    lead = LEAD.format(count=len(found), says=myst(summary(found)))
    heads = ("Surrogate", "Source", "Verdict", "Seconds")
    parts = [lead, "## Right ones\n", table(heads, [_row(name, entry) for name, entry in right.items()])]
    heads = ("Surrogate: mistake", "What it breaks", "Verdict", "Seconds")
    parts += ["## Wrong ones\n", table(heads, [_row(name, entry) for name, entry in wrong.items()])]
    return "\n".join([*parts, _hunts(), theorems()])


def _hunts() -> str:
    found = hunted().values()
    models, mistakes, seconds = (sum(getattr(one, name) for one in found) for name in ("models", "mistakes", "seconds"))
    wrong = "no mistake was found" if mistakes == 0 else f"{mistakes:,} mistakes were found"
    return HUNTS.format(models=models, mistakes=wrong, hours=seconds / 3600)


def theorems() -> str:
    """The section on theorems: what applies, or what is missing; and where a theorem fails without it."""
    asked = answers()
    late = sum(answer.given_up for answer in asked.values())
    applies = sum(bool(answer.applies) for answer in asked.values())
    lead = THEOREMS.format(
        count=len(asked), applies=applies, late=late, missing=len(asked) - late - applies, limit=LIMIT
    )
    heads = ("Surrogate", "Theorems that apply", "On", "What is missing")
    shown = table(heads, [_answer(name, answer) for name, answer in asked.items()])
    named = {name for answer in asked.values() for name in answer.here}
    heads = ("Missing", "It says that", "Without it")
    without = dict.fromkeys(one for name, one in HYPOTHESES.items() if name in named and one.row)
    rows = [
        [
            myst(", ".join(name for name, other in HYPOTHESES.items() if other == one and name in named)),
            myst(one.means),
            f"{{row}}`{one.row}`: {myst(one.mutant)}",
        ]
        for one in without
    ]
    return lead + shown + WITHOUT + table(heads, rows)


def _answer(name: str, answer: Answer) -> list[str]:
    if answer.given_up:
        return [myst(name), "—", "—", "no answer in time"]
    rows = {"printed": "thm1-B", "sharper": "own-thm1-B-best"}
    shown = ", ".join(f"{{row}}`{rows.get(row, row)}`" for row in answer.applies)
    if answer.applies:
        return [myst(name), shown, myst(answer.on), ""]
    said = f"{answer.why_not(LEAST)}: {answer.because(LEAST)}".removesuffix(": ")
    return [myst(name), "—", "—", myst(said + (f". On a box: {answer.box}" if answer.box else ""))]


def _row(name: str, found: Found) -> list[str]:
    return [myst(name), myst(found.breaks or found.source), myst(conclusion(found)), f"{found.seconds:.1f}"]
