"""What other packages announce to this one by entry points: commands of `fedmm`, and a ledger of statements.

So this package uses the ledger without importing it: the arrow points from the ledger here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, Protocol

from fedmm_edu.errors import MissingExtra
from fedmm_edu.proofs.verdict import Status, Verdict


class Amendment(Protocol):
    """The statement in place of a refuted one, and its form."""

    @property
    def statement(self) -> str: ...
    @property
    def form(self) -> Mapping[str, Any]: ...
    @property
    def kind(self) -> str: ...


class Claim(Protocol):
    """A row of a ledger, as far as this package reads it: `check(**form)` judges it."""

    @property
    def id(self) -> str: ...
    @property
    def where(self) -> str: ...
    @property
    def statement(self) -> str: ...
    @property
    def hypotheses(self) -> tuple[str, ...]: ...
    @property
    def expected(self) -> Status: ...
    @property
    def check(self) -> Callable[..., Verdict]: ...
    @property
    def form(self) -> Mapping[str, Any]: ...
    @property
    def amended(self) -> Amendment | None: ...


class General(Protocol):
    """What a ledger has of one constant for every size: the row, and its formula (an entry of the form) or words."""

    @property
    def constant(self) -> str: ...
    @property
    def row(self) -> str: ...
    @property
    def formula(self) -> str: ...
    @property
    def says(self) -> str: ...


Requirement = Literal["rho <= 1/L_f", "g = eta |theta|^2, eta > 0", "complete rows", "the set S of the paper"]
"""What a row of the ledger, as it is proved, may ask of a fitted model: a fact that the fit has to establish."""


class Support(Protocol):
    """A row on which a hypothesis rests, and what must hold of a model for the row to cover it.

    A row whose printed statement is refuted counts in its amended form; then `needs` names what the amendment asks.
    """

    @property
    def row(self) -> str: ...
    @property
    def needs(self) -> Sequence[Requirement]: ...


class Wording(Protocol):
    """A wording of a row's statement: as it is printed, amended, or changed; `check(**form)` of the row judges it."""

    @property
    def words(self) -> str: ...
    @property
    def form(self) -> Mapping[str, Any]: ...


class Ledger(Protocol):
    """A module that a ledger announces in the group `fedmm.ledger`."""

    def claims(self) -> Mapping[str, Claim]:
        """The rows by their ids."""
        ...

    def wordings(self, row: str) -> Sequence[Wording]:
        """The statement of a row as it is printed, then amended where it is refuted, then its mutants."""
        ...

    def any_size(self) -> Mapping[str, Sequence[General]]:
        """What is proved of the constants of an example for every size, by the example's name."""
        ...

    def supports(self, example: str) -> Mapping[str, Sequence[Support]]:
        """The rows on which a hypothesis rests that a model of this example makes, by the hypothesis."""
        ...


def commands() -> dict[str, EntryPoint]:
    """The announced commands of `fedmm`, by name: modules with `HELP`, `DESCRIPTION`, `add_arguments` and `run`."""
    return {found.name: found for found in entry_points(group="fedmm.commands")}


@cache
def ledger() -> Ledger:
    """The announced ledger; `MissingExtra` where none is installed."""
    for found in entry_points(group="fedmm.ledger"):
        return found.load()
    raise MissingExtra("no ledger is announced: install the package anew with pip install --editable '.[fast]'.")
