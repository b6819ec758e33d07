"""The arguments of a check: a name that it does not have, or a word that it does not know, is an error at import.

A check declares the words that it understands as `Literal`, or by a tuple of them all as the default: its hypotheses.
What is declared otherwise (a formula, a number) is left to the check.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import sympy as sp

from fedmm_edu.errors import InvalidInput

NAME = re.compile(r"[^\W\d]\w*")
Words = frozenset[Any]
Registered = str
"""The name of something in a registry, which refuses those that it does not have; annotate it as "Registered"."""


def require_known(row: str, check: Callable[..., Any], form: Mapping[str, Any]) -> None:
    """`InvalidInput` that names an argument or a word of `form` which `check` does not have."""
    names, words = _signature(check)
    for name, value in form.items():
        if names is not None and name not in names:
            raise InvalidInput(f"claim {row}: its check has no argument {name!r}; it has {', '.join(sorted(names))}.")
        for part in value if isinstance(value, (tuple, list)) else (value,):
            if name in words and part not in words[name]:
                known = ", ".join(sorted(map(repr, words[name])))
                raise InvalidInput(f"claim {row}: {name} = {part!r} is no word of its check; it knows {known}.")
            if name in words or not isinstance(part, str) or name in _registered(check):
                continue
            if strange := set(NAME.findall(part)) - vocabulary(check):
                raise InvalidInput(f"claim {row}: {name} = {part!r}: its check knows no name {min(strange)!r}.")


def beneath(check: Callable[..., Any]) -> Callable[..., Any]:
    """The function beneath partial applications and decorators."""
    while isinstance(check, partial):
        check = check.func
    return inspect.unwrap(check)


def _registered(check: Callable[..., Any]) -> frozenset[str]:
    """The arguments that name something in a registry."""
    told = inspect.get_annotations(beneath(check))
    return frozenset(name for name, annotation in told.items() if "Registered" in str(annotation))


@cache
def vocabulary(check: Callable[..., Any]) -> frozenset[str]:
    """Every name in the source of the check's module, and of the modules of this project that it imports from."""
    module = sys.modules[beneath(check).__module__]
    around = {getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in vars(module).values()}
    own = {name for name in around if name.startswith(("proofs_checks.", "fedmm_edu.")) and name in sys.modules}
    return frozenset(dir(sp)).union(*(_names_in(name) for name in {module.__name__, *own}))


@cache
def _names_in(module: str) -> frozenset[str]:
    return frozenset(NAME.findall(Path(inspect.getfile(sys.modules[module])).read_text(encoding="utf-8")))


@cache
def _signature(check: Callable[..., Any]) -> tuple[frozenset[str] | None, dict[str, Words]]:
    """The names of the arguments (None: any), and the words of those that take only certain ones."""
    bound: set[str] = set()
    while isinstance(check, partial):
        bound |= set(list(inspect.signature(check.func).parameters)[: len(check.args)])
        check = check.func
    check = inspect.unwrap(check)
    parameters = inspect.signature(check).parameters
    kinds = {parameter.kind for parameter in parameters.values()}
    names = None if inspect.Parameter.VAR_KEYWORD in kinds else frozenset(parameters) - bound
    told = inspect.get_annotations(check)
    spaces = getattr(check, "__globals__", {})
    found = {name: frozenset(each.default) for name, each in parameters.items() if _lists_words(each.default)}
    for name, annotation in told.items():
        with suppress(NameError):  # a name that is there for the type checker alone
            value = eval(annotation, spaces) if isinstance(annotation, str) else annotation  # the check's own source
            if words := _words(value):
                found[name] = words
    return names, found


def _lists_words(default: Any) -> bool:
    return isinstance(default, tuple) and bool(default) and all(isinstance(word, str) for word in default)


def _words(annotation: Any) -> Words | None:
    """The values of a `Literal`, or of a sequence of them; None for another type."""
    if get_origin(annotation) is Literal:
        return frozenset(get_args(annotation))
    if get_origin(annotation) in (tuple, Sequence):
        inner = [_words(part) for part in get_args(annotation) if part is not ...]
        return inner[0] if inner and inner[0] is not None else None
    if get_origin(annotation) in (Union, UnionType):
        inner = [_words(part) for part in get_args(annotation) if part is not type(None)]
        return frozenset().union(*inner, {None}) if inner and None not in inner else None  # type: ignore[arg-type]
    return None
