"""What a row of the ledger is.

A claim is checked by one function, `check(**form)`, that judges a *form* of the statement. The printed statement, the
same one with what is in force in its context, its amended version and every mutant are forms of the same check: so a
check that cannot tell them apart shows at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Status, Verdict, Witness
from proofs_checks.arguments import require_known
from proofs_checks.quotes import Quote, quoted
from proofs_checks.reading import Reading
from proofs_checks.wording import arguments, entries, slots, worded, wrong

Form = Mapping[str, Any]

Falsifies = Literal["constant", "hypothesis", "sign"]
"""What a mutant makes wrong: a constant better than proved, a hypothesis dropped, a sign flipped."""

Kind = Literal["result", "hypothesis", "formula", "wording"]
"""What a correction touches, the weightiest first: a result or an algorithm as a reader would use it, a hypothesis that
is missing, a formula, or the wording alone."""

OURS = ("own-", "example-")
"""How the ids of our own results begin; every other row is about words of the paper, and quotes them."""


def without(names: Iterable[str], *dropped: str) -> Form:
    """The form that assumes `names` except the dropped ones."""
    return {"hypotheses": tuple(name for name in names if name not in dropped)}


def each_dropped(names: Iterable[str], *spared: str) -> dict[str, Form]:
    """A mutant for each of `names` but the spared ones: the form without it."""
    return {f"{name} dropped": without(names, name) for name in names if name not in spared}


@dataclass(frozen=True)
class Amended:
    """The statement that should stand in place of a refuted one; it must be proved by the same check.

    `same_as` names the row that shows the slip first, where the paper has one slip at several places.
    """

    statement: str
    form: Form
    differs: str
    matters: str
    kind: Kind = "formula"
    same_as: str = ""


@dataclass(frozen=True)
class Context:
    """The charitable reading of a refuted sentence: what counts besides its words, and the form to judge.

    `form`: "printed" where the context adds nothing, "amended" where it says all that the amended statement adds, or
    another form.
    """

    says: str
    form: Form | Literal["printed", "amended"] = "printed"


@dataclass(frozen=True)
class Claim:
    """One checkable statement.

    `statement`, `hypotheses` and the texts of `amended` may contain LaTeX between dollar signs, and slots that are
    filled from the judged form (see `wording`), from which mutants are made too: hypotheses dropped, signs flipped,
    tight constants bettered. `idle` names those hypotheses that the statement has but does not need: the check proves
    it without each. `undecided` names those for which the check finds neither a proof nor a counterexample. `template`
    keeps the words as they were given. `quote` has the paper's own words, which are found by the id, and `differs` says
    what our statement adds to them, leaves out or fixes. `where` is the place in the paper in words, "our own" where
    there is none, `lines` its line numbers in the source ("L 391"): those of the quotation, unless the proof or another
    place belongs to it, too. Where there is an amended statement, the verdict that is `expected` is *refuted*. `form`
    holds the keyword arguments with which `check` judges the printed statement; `mutants` are falsified forms, each of
    which the same check must refute: as they are given, they say what changes in the form that is to be proved.
    `non_vacuity` returns an exact instance that satisfies the hypotheses, or raises. `reading` says how the printed
    sentence fares; where the literal form is proved, supported or open it follows from that.

    A row that rests on certificates has mutants of each kind in `Falsifies`. `kinds` names the kind of a mutant whose
    form does not show it: a word changes, or the range of a hypothesis. `spared` names the kinds that the statement has
    no mutant of: with a form of that kind that is true all the same, which the check proves, or with None where the
    certificates use no hypothesis at all.
    """

    id: str
    statement: str
    check: Callable[..., Verdict]
    non_vacuity: Callable[[], Witness]
    where: str = ""
    lines: str = ""
    expected: Status = "proved"
    form: Form = field(default_factory=dict)
    mutants: Mapping[str, Form] = field(default_factory=dict)
    hypotheses: tuple[str, ...] = ()
    amended: Amended | None = None
    note: str = ""
    kinds: Mapping[str, Falsifies] = field(default_factory=dict)
    spared: Mapping[Falsifies, Form | None] = field(default_factory=dict)
    quote: tuple[Quote, ...] = ()
    differs: str = ""
    reading: Reading | None = None
    context: Context | None = None
    idle: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    template: tuple[str, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        self._complete()
        self._fill()
        if self.expected == "refuted" and self.amended is None:
            raise InvalidInput(f"claim {self.id}: a refuted claim carries the amended statement: give amended=.")
        if self.expected in ("proved", "refuted") and not self.mutants:
            raise InvalidInput(f"claim {self.id}: give at least one mutant that its check must refute.")
        if self.own and self.quote:
            raise InvalidInput(f"claim {self.id} is ours by its id, and quotes the paper: rename it, or drop quote=.")
        if self.reading is None and self.expected != "refuted":
            object.__setattr__(self, "reading", Reading.of(self.expected))
        self._require_consistent()
        for form in self.forms.values():
            require_known(self.id, self.check, form)

    def _complete(self) -> None:
        """What follows from the id, and from an amended statement."""
        if not self.own and not self.quote:
            object.__setattr__(self, "quote", quoted(self.id))
        if not self.where:
            if not self.own:
                raise InvalidInput(f"claim {self.id} is about the paper: say where it stands, where=.")
            object.__setattr__(self, "where", "our own")
        if not self.lines:
            object.__setattr__(self, "lines", ", ".join(quote.lines for quote in self.quote))
        if self.amended is not None:
            object.__setattr__(self, "expected", "refuted")
        whole = {name: {**self.true_form, **changes} for name, changes in self.mutants.items()}
        object.__setattr__(self, "mutants", whole)

    def _fill(self) -> None:
        """Words, and mutants, from the slots."""
        template = (self.statement, *self.hypotheses)
        object.__setattr__(self, "template", template)
        if not any(True for text in template for _ in slots(text)):
            return
        falsified = wrong(template, self.check, self.true_form)
        aside = {f"{name} dropped" for name in (*self.idle, *self.undecided)}
        if unknown := aside - falsified.keys():
            raise InvalidInput(f"claim {self.id}: {min(unknown)!r} is no mutant: correct idle= or undecided=.")
        known = [arguments(self.check, form) for form in (self.form, *self.mutants.values())]
        made = {
            name: form
            for name, form in falsified.items()
            if arguments(self.check, form) not in known and name not in aside
        }
        object.__setattr__(self, "mutants", {**self.mutants, **made})
        object.__setattr__(self, "statement", worded(self.statement, self.check, self.form))
        object.__setattr__(self, "hypotheses", entries(self.hypotheses, self.check, self.form))
        if self.amended is not None:
            words = worded(self.amended.statement, self.check, self.amended.form)
            object.__setattr__(self, "amended", replace(self.amended, statement=words))

    @property
    def true_form(self) -> Form:
        """The form that is to be proved: amended, where the printed one is refuted."""
        return self.form if self.amended is None else self.amended.form

    @property
    def own(self) -> bool:
        """Whether this is a result, or a conjecture, of ours and no sentence of the paper."""
        return self.id.startswith(OURS)

    @property
    def word(self) -> Reading:
        """The reading, which `__post_init__` has made sure of."""
        assert self.reading is not None
        return self.reading

    @property
    def charitable(self) -> Form | None:
        """The form of the charitable reading, if there is one to judge."""
        if self.context is None or self.amended is None:
            return None
        if isinstance(self.context.form, str):
            return self.amended.form if self.context.form == "amended" else self.form
        return self.context.form

    @property
    def forms(self) -> dict[str, Form]:
        """Every form that is judged, by what it is."""
        found = {"printed": self.form, **{f"mutant {name}": form for name, form in self.mutants.items()}}
        found |= {f"spared {kind}": form for kind, form in self.spared.items() if form is not None}
        if self.amended is not None:
            found["amended"] = self.amended.form
        if self.charitable is not None:
            found["charitable"] = self.charitable
        return found

    def _require_consistent(self) -> None:
        """`InvalidInput` unless reading, expected verdict and charitable reading go together."""
        if self.reading is None:
            raise InvalidInput(f"claim {self.id}: say how the refuted sentence reads: reading=Reading.….")
        if self.reading.literal != self.expected:
            raise InvalidInput(
                f"claim {self.id}: a sentence that “{self.reading.value}” is {self.reading.literal} word for word, "
                f"not {self.expected}."
            )
        if self.reading.charitable is not None and self.context is None and not self.own:
            raise InvalidInput(f"claim {self.id}: say what is in force around the sentence: context=Context(…).")
