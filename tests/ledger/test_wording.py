"""Words with slots say what is judged, and falsified on purpose they are refuted."""

from __future__ import annotations

import pytest

from fedmm_edu.errors import InvalidInput
from proofs_checks import sections
from proofs_checks.appendix_d_lemmas.control_variates import control_variate
from proofs_checks.appendix_d_lemmas.monotony import monotony_first
from proofs_checks.ledger import Claim
from proofs_checks.wording import arguments, entries, formula, slots, tight, worded, wrong

CLAIMS = {claim.id: claim for _, claims in sections() for claim in claims}
FILLED = [claim for claim in CLAIMS.values() if any(True for text in claim.template for _ in slots(text))]


@pytest.mark.parametrize(
    ("words", "form", "shown"),
    [
        ("$‹own·›x$", {}, r"$(1 - \alpha) x$"),
        ("$‹own·›x$", {"own": "1"}, "$x$"),
        ("$y ‹+noise·›x$", {"noise": "-a"}, r"$y - \alpha x$"),
        ("$y ‹+noise·›x$", {"noise": "1/2"}, r"$y + \frac{1}{2} x$"),
        ("$y ‹-noise·↓1/2›x$", {"noise": "1/2"}, r"$y - \frac{1}{2} x$"),
        ("$y ‹-noise·›x$", {"noise": "-a"}, r"$y + \alpha x$"),
        ("$x‹^noise›$", {"noise": "2"}, "$x^{2}$"),
        ("$x‹^noise›$", {"noise": "1"}, "$x$"),
        ("$‹noise|a=b›$", {"noise": "a/2"}, r"$\frac{b}{2}$"),
        ("‹noise: a=all of it; a/2=half›", {"noise": "a/2"}, "half"),
    ],
)
def test_a_slot_shows_the_argument(words: str, form: dict, shown: str) -> None:
    """As a formula, a factor, a signed factor, an exponent, or in words, with the letters of the check."""
    assert worded(words, control_variate, form) == shown


@pytest.mark.parametrize(
    ("words", "form", "says"),
    [
        ("‹nosie›", {}, "names no argument"),
        ("‹noise: a=all of it›", {"noise": "a/2"}, "no words for 'a/2'"),
        ("‹noise", {}, "cannot be read"),
        ("‹noise›", {"noise": "a***2"}, "no formula"),
        ("‹noise›", {"noise": "f(a)"}, "cannot be set"),
    ],
)
def test_a_slot_that_cannot_be_filled_is_an_error(words: str, form: dict, says: str) -> None:
    """A misspelt name, a value without words, a slot left open, no formula."""
    with pytest.raises(InvalidInput, match=says):
        worded(words, control_variate, form)


def test_a_name_needs_a_check_that_reads_it() -> None:
    """Where the module of a check has no `parse`, a name in its formulas has no letter."""
    with pytest.raises(InvalidInput, match="reads no names"):
        worded("‹sign›", monotony_first, {"sign": "a"})
    assert formula("-(1 + 2)/3", parse=lambda _: pytest.fail("there is no name")) == r"\frac{-(1 + 2)}{3}"


def test_hypotheses_are_those_that_the_check_is_given() -> None:
    """One entry for each, in words where there are some; one that is dropped is not shown."""
    assert entries(("‹hypotheses›",), control_variate, {"hypotheses": ("A3", "α ≥ 0")}) == ("A3", r"$\alpha \geq 0$")
    assert entries(("‹hypotheses: A3=a law›", "B"), control_variate, {"hypotheses": ("A3",)}) == ("a law", "B")


def test_what_is_wrong_is_made_from_the_slots() -> None:
    """Hypotheses dropped, signs flipped, tight constants a hundredth better."""
    found = wrong(("$‹own↓›$ ‹+noise·›", "‹hypotheses›"), control_variate, {"hypotheses": ("A3", "A4"), "noise": "2"})
    assert {name: form for name, form in found.items() if "dropped" not in name} == {
        "own: a hundredth smaller": {"hypotheses": ("A3", "A4"), "noise": "2", "own": "99/100*(1 - a)"},
        "noise: the sign flipped": {"hypotheses": ("A3", "A4"), "noise": "-2"},
    }
    assert found["A3 dropped"]["hypotheses"] == ("A4",)
    assert found["A4 dropped"]["hypotheses"] == ("A3",)


def test_slots_of_hypotheses_are_falsified_where_they_are_assumed() -> None:
    """Quantifiers are swapped, constants are bettered by the share that the slot says; what is dropped is not read."""
    claim = CLAIMS["thm1-B"]
    found = wrong(claim.template, claim.check, claim.form)
    assert found["rounds: some in place of every"] == {**claim.form, "rounds": "some"}
    assert found["error: 1/2 of it"]["error"] == "32"
    assert found["initial: 1/4 of it"]["initial"] == "1"
    shorter = {**claim.form, "hypotheses": ("alpha range", "third")}
    assert "rounds: some in place of every" not in wrong(claim.template, claim.check, shorter)
    assert entries(("‹hypotheses›",), claim.check, {**claim.form, "error": "32"})[2].count("32") == 1


@pytest.mark.parametrize("claim", FILLED, ids=lambda claim: claim.id)
def test_words_follow_the_form_and_their_falsifications_fail(claim: Claim) -> None:
    """The words are those of the judged form; what is made wrong is shown in them, and is a mutant of the row."""
    shown = (claim.statement, *claim.hypotheses)
    statement, *hypotheses = claim.template
    assert shown == (
        worded(statement, claim.check, claim.form),
        *entries(tuple(hypotheses), claim.check, claim.form),
    )
    for name, form in wrong(claim.template, claim.check, claim.true_form).items():
        hypothesis = name.removesuffix(" dropped")
        expected = "proved" if hypothesis in claim.idle else "open" if hypothesis in claim.undecided else "refuted"
        if expected != "refuted":  # those that must be refuted are among the mutants of the row
            assert claim.check(**form).status == expected, name
        true = claim.true_form
        right = (worded(statement, claim.check, true), *entries(tuple(hypotheses), claim.check, true))
        assert (worded(statement, claim.check, form), *entries(tuple(hypotheses), claim.check, form)) != right, name
        made = arguments(claim.check, form) in [arguments(claim.check, other) for other in claim.mutants.values()]
        assert made == (expected == "refuted"), name


def test_tight_constants_are_told() -> None:
    """Those with an arrow, once each, in the letters of the check."""
    assert tight(("$‹+own·↓› ‹noise·›$", "$‹own·↓›$"), control_variate, {}) == [r"$1 - \alpha$"]


def test_idle_names_a_hypothesis_of_the_words() -> None:
    """Another name is an error when the row is made."""
    claim = CLAIMS["lem4"]
    given = {
        name: getattr(claim, name) for name in ("id", "where", "lines", "check", "expected", "non_vacuity", "quote")
    }
    with pytest.raises(InvalidInput, match="'A9 dropped' is no mutant"):
        Claim(**given, statement="‹own›", hypotheses=("‹hypotheses›",), mutants=claim.mutants, idle=("A9",))
