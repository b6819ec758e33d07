"""How a printed sentence fares: eight words, and what the checks must find for each of them."""

from __future__ import annotations

from enum import Enum

from fedmm_edu.proofs.verdict import Status


class Reading(Enum):
    """The word that a reader sees.

    `literal` is the verdict on the printed sentence, word for word, with the assumptions that it lists, each with the
    sentences of its section that say what it assumes; `charitable` the one with all that is in force in its context,
    where that matters. `mark` goes before the word, `means` says it in full.
    """

    HOLDS = "holds", "proved", None, "✓", "True as it is printed."
    FALSE = "false", "refuted", "refuted", "✗", "Fails word for word, and also with all that is in force around it."
    NEEDS = (
        "needs a hypothesis", "refuted", "refuted", "✗",
        "Fails without a hypothesis that is neither listed nor in force around it.",
    )  # fmt: skip
    SLIP = (
        "slip", "refuted", None, "✎",
        "A formula, sign, index or reference that cannot be meant as it stands; the one that is meant is proved.",
    )  # fmt: skip
    DEPENDS = (
        "depends on reading", "refuted", "proved", "±",
        "Fails word for word; true under the usual convention, or with what is in force around it.",
    )  # fmt: skip
    NO_PROOF = (
        "does not follow", "refuted", None, "?", "The argument given for it fails; whether it is true stays open.",
    )  # fmt: skip
    SUPPORTED = (
        "supported",
        "supported",
        None,
        "≈",
        "No counterexample was found where we looked, and nothing that our kernel accepts as a proof.",
    )
    OPEN = "open", "open", None, "?", "Neither proved nor refuted here."

    literal: Status
    charitable: Status | None
    mark: str
    means: str

    def __new__(cls, word: str, literal: Status, charitable: Status | None, mark: str, means: str) -> Reading:
        member = object.__new__(cls)
        member._value_ = word
        member.literal, member.charitable, member.mark, member.means = literal, charitable, mark, means
        return member

    @classmethod
    def of(cls, status: Status) -> Reading:
        """The reading of a sentence whose literal form is proved, supported or open."""
        return {"proved": cls.HOLDS, "supported": cls.SUPPORTED, "open": cls.OPEN}[status]
