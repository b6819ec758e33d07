"""The six parts of a `FedMM` as code: what a board of six knobs turns, and what tells one system from another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import getdoc
from typing import Any, NamedTuple

from fedmm_edu.algorithms import FedMM

KNOBS: dict[str, tuple[str, ...]] = {
    "local work": ("work",),
    "client memory": ("alpha",),
    "reference": ("reference",),
    "channel": ("compressor", "downlink"),
    "server step": ("server",),
    "space": ("space",),
}
"""Each part by its name, with the fields of `FedMM` that are set for it."""
VARIATES: dict[bool, str] = {
    True: "V_{t,i} follows what client i has sent, by the share α.",
    False: "V_{t,i} stays where it starts.",
}
"""What α does to the memory of a client, by whether it is above 0."""


class PartCode(NamedTuple):
    """One part of a `FedMM`: its code, "" where it is that of Algorithm 2 (α is always said); and what it does."""

    code: str
    says: str


def six_parts(fed: FedMM) -> dict[str, PartCode]:
    """The six parts of these settings, by the names of `KNOBS`."""
    return {knob: PartCode(_code(fed, names), _says(fed, names)) for knob, names in KNOBS.items()}


def as_call(part: Any) -> str:
    """A dataclass as the call that makes it, without what has its default: `LocalSteps(eta=0.1, steps=Fixed(K=4))`."""
    if not is_dataclass(part):
        return repr(part)
    given = (f"{f.name}={as_call(getattr(part, f.name))}" for f in _changed(part))
    return f"{type(part).__name__}({', '.join(given)})"


def _code(fed: FedMM, names: tuple[str, ...]) -> str:
    own = {f.name for f in _changed(fed)}
    return ", ".join(f"{name}={as_call(getattr(fed, name))}" for name in names if name in own or name == "alpha")


def _says(fed: FedMM, names: tuple[str, ...]) -> str:
    """The first line of what each of them promises."""
    if names == ("alpha",):
        return VARIATES[fed.alpha > 0.0]
    own = {f.name for f in _changed(fed)}
    told = [name for k, name in enumerate(names) if k == 0 or name in own]
    return " ".join((getdoc(getattr(fed, name)) or "").splitlines()[0] for name in told)


def _changed(part: Any) -> Iterator[Field[Any]]:
    """The fields that do not have their default, and those that have none."""
    for f in fields(part):
        make: Callable[[], Any] | Any = f.default_factory
        default = make() if make is not MISSING else f.default
        if default is MISSING or getattr(part, f.name) != default:
            yield f
