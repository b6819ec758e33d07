"""A digest of settings, by which a saved run knows whether it is resumed with its own."""

from __future__ import annotations

import copyreg
import hashlib
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from pathlib import Path, PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from fedmm_edu.errors import InvalidInput

_PLAIN = (int, float, complex, str, bytes, type(None), type(Ellipsis), range, Fraction, Decimal, PurePath)
_ROOMS = ("algorithms", "distributed", "examples", "federation", "relatives", "sparse_coding", "*.py")
"""Where the code lies that a round runs."""
TOLD = 2**23
"""Bytes of an array that lies in pieces, told at a time."""


def fingerprint(value: object) -> str:
    """A digest of settings: of the type and content of dataclasses, objects, arrays, functions and plain values.

    A function is what it does: its code, defaults, closure and, where it is the user's own, the globals that it names;
    so is a class of the user's own. What belongs to an installed package is told by its name, and a function by its
    code besides. A field of a dataclass that is declared with `compare=False` says nothing of the content, and is left
    out. `InvalidInput` for what has an inside that cannot be seen: a lock, an open file, a generator.
    """
    digest = hashlib.sha256()
    for piece in _pieces(value, {}):
        if isinstance(piece, bytes):
            digest.update(len(piece).to_bytes(8, "big") + piece)
        else:
            digest.update(piece.nbytes.to_bytes(8, "big"))
            for block in _blocks(piece):
                digest.update(block.data)
    return digest.hexdigest()


@cache
def code_digest() -> str:
    """The version of this package, and a digest of its code that a round runs."""
    from importlib.metadata import version

    root, digest = Path(__file__).parents[1], hashlib.sha256(version("fedmm-edu").encode())
    for room in _ROOMS:
        for file in sorted(root.glob(room if room.endswith(".py") else f"{room}/**/*.py")):
            digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _blocks(array: np.ndarray) -> Iterator[np.ndarray]:
    """The bytes of an array in the order of its entries, without a copy of it: some rows at a time at most."""
    if array.flags.c_contiguous or array.ndim == 0:
        if array.nbytes:
            yield array.reshape(-1).view(np.uint8)
        return
    rows = max(1, TOLD // max(1, array[:1].nbytes))
    for start in range(0, len(array), rows):
        yield from _blocks(np.ascontiguousarray(array[start : start + rows]))


def _pieces(value: Any, above: dict[int, int]) -> Iterator[bytes | np.ndarray]:
    """`above`: the depth of each object that `value` lies in, by its id; one that holds itself is told by it."""
    kind = type(value)
    yield f"{kind.__module__}.{kind.__qualname__}".encode()
    if isinstance(value, Enum):
        yield from _pieces((value.name, _content(kind)), above)
    elif isinstance(value, _PLAIN):
        yield repr(value).encode("utf-8", "surrogatepass")
    elif id(value) in above:
        yield f"as above: {len(above) - above[id(value)]}".encode()
    elif kind is np.ndarray and not value.dtype.hasobject:
        yield f"{value.dtype.str}{value.shape}".encode()
        yield value
    else:
        within = above | {id(value): len(above)}
        for part in _content(value):
            yield from _pieces(part, within)


def _content(value: Any) -> tuple:
    """What an object holds, one after the other."""
    kind = type(value)
    if isinstance(value, type):
        return (_named(value), *_inside(value))
    if isinstance(value, ModuleType):
        return (value.__name__,)
    if isinstance(value, FunctionType):
        return _function(value)
    if isinstance(value, MethodType):
        return (value.__func__, value.__self__)
    if isinstance(value, BuiltinFunctionType):
        owner = value.__self__
        return (value.__name__, owner.__name__ if isinstance(owner, ModuleType) else owner)
    if isinstance(value, CodeType):
        arguments = value.co_varnames[: value.co_argcount + value.co_kwonlyargcount]
        return (value.co_code, value.co_names, value.co_consts, arguments, value.co_flags)
    if isinstance(value, Mapping):
        items = sorted((fingerprint(k), v) for k, v in value.items()) if kind is dict else ()
        return (len(items), *items) if kind is dict else _reduced(value)
    if kind in (set, frozenset):
        return tuple(sorted(map(fingerprint, value)))
    if kind in (tuple, list):
        return (len(value), *value)
    if isinstance(value, np.ndarray) and kind is np.ndarray:
        return (value.shape, *value.ravel())
    own = _inside(kind)
    if is_dataclass(value):
        return ({f.name: getattr(value, f.name) for f in fields(value) if f.compare}, *own)
    detached = getattr(value, "detach", None)
    if detached is not None and hasattr(value, "numpy"):  # a tensor, wherever it lies
        return (str(value.dtype), str(getattr(value, "requires_grad", "")), detached().cpu().numpy())
    return (*_reduced(value), *own)


def _reduced(value: Any) -> tuple:
    """What `copy` would make it again from: attributes, slots, items, the state of what is written in C."""
    registered = copyreg.dispatch_table.get(type(value))
    try:
        found = registered(value) if registered else value.__reduce_ex__(4)
    except Exception as error:  # each kind of object refuses in its own way
        raise _unseen(value) from error
    if isinstance(found, str):  # a global of its module
        return (found, getattr(value, "__wrapped__", None))
    made, arguments, *rest = found
    parts = (made, arguments, *(list(part) if isinstance(part, Iterator) else part for part in rest))
    silent = type(value).__reduce_ex__ is object.__reduce_ex__ and not any(rest) and len(arguments) < 2
    if silent and not _may_be_empty(type(value)):
        raise _unseen(value)
    return parts


def _may_be_empty(kind: type) -> bool:
    """Whether nothing to be seen means that nothing is there: of a class written in Python, or one that says so."""
    written_in_python = bool(kind.__flags__ & 1 << 9)  # Py_TPFLAGS_HEAPTYPE
    return kind is not object and (written_in_python or kind.__reduce__ is not object.__reduce__)


def _unseen(value: object) -> InvalidInput:
    return InvalidInput(
        f"a checkpoint cannot tell what {value!r:.100} of type {type(value).__qualname__} holds: use plain values, "
        "arrays, functions or a frozen dataclass of them, or a class with `__getstate__`; or run without a checkpoint."
    )


def _function(value: FunctionType) -> tuple:
    cells = tuple(_cell(cell) for cell in value.__closure__ or ())
    told = (value.__code__, value.__defaults__, value.__kwdefaults__, cells, vars(value))
    if not _is_users(value.__module__):
        return (value.__module__, value.__qualname__, *told)
    known = value.__globals__
    names = sorted(set(_names(value.__code__)) & known.keys())
    return (*told, *((name, known[name]) for name in names))


def _cell(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return ()


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _named(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _inside(kind: type) -> tuple:
    """The methods and constants of a class of the user's own, and of its bases that are."""
    return tuple(
        (_named(base), sorted(name for name in vars(base) if _told(name)), *_members(base))
        for base in kind.__mro__
        if _is_users(base.__module__)
    )


def _members(kind: type) -> Iterator[tuple[str, object]]:
    made_up = is_dataclass(kind)
    for name, member in sorted(vars(kind).items()):
        if not _told(name):
            continue
        if isinstance(member, property):
            yield name, (member.fget, member.fset, member.fdel)
        elif isinstance(member, (staticmethod, classmethod)):
            yield name, member.__func__
        elif isinstance(member, FunctionType):
            if not (made_up and member.__code__.co_filename == "<string>"):  # what `dataclass` writes
                yield name, member
        elif hasattr(member, "func") and hasattr(member, "attrname"):  # a cached property
            yield name, member.func
        elif not hasattr(type(member), "__get__"):  # a constant, and no slot
            yield name, member


_SILENT = frozenset({
    "__module__", "__doc__", "__dict__", "__weakref__", "__qualname__", "__annotations__", "__slots__", "__hash__",
    "__dataclass_fields__", "__dataclass_params__", "__match_args__", "__abstractmethods__", "__parameters__",
    "__orig_bases__", "__static_attributes__", "__slotnames__", "__firstlineno__", "_abc_impl",
})  # fmt: skip


def _told(name: str) -> bool:
    """Whether a member of a class says what it does, beside what every class has."""
    return name not in _SILENT


@cache
def _is_users(module: str | None) -> bool:
    """Whether a module is neither Python's, nor installed, nor of this package: then its code may change."""
    root = (module or "").partition(".")[0]
    if root in sys.stdlib_module_names or root == __name__.partition(".")[0]:  # builtins are among Python's
        return False
    file = getattr(sys.modules.get(root), "__file__", None)
    installed = {sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib")}
    return not (file and any(Path(file).is_relative_to(path) for path in installed))
